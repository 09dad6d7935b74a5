"""A figure in the words against a quantity of the cost model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...config.fields import Field
from ...errors import ConfigurationError
from ...model import codes
from ...model.evidence import Comparison, Evidence
from ...model.verdict import Contradicted, Holds, Imprecise, Undecided, Verdict
from .. import figures
from ..context import Context
from ..kind import Case, Kind, Params
from ..operands import Stated, evidence_of, exact_text, listed, quantity, with_parameters, words_of


@dataclass(frozen=True)
class _Judged:
    """One figure against one quantity."""

    outcome: figures.Outcome
    sentence: str
    evidence: tuple[Evidence, ...]


def check(params: Params, context: Context) -> Verdict:
    """Each figure is compared as printed (refcheck.claims.figures.judge).

    With several `sets` of parameters that the words may mean: all hold, it holds; some, imprecise; none,
    contradicted.
    """
    stated = Stated(words_of(context, "number"))
    if not stated.figures:
        return Undecided(f"no figure is stated in “{stated.words}”", codes.NOT_CHECKABLE)
    results = [_judged(params, one, stated) for one in params.get("sets") or [{}]]
    verdicts = [_gravest(result) for result in results]
    shown = _without_repeats(item for result in results for one in result for item in one.evidence)
    message = "; or ".join(_message(result) for result in results)
    if all(verdict is figures.Holds for verdict in verdicts):
        return Holds(message, evidence=shown)
    if all(verdict is figures.Contradicted for verdict in verdicts):
        return Contradicted(message, shown)
    if len(results) > 1 and figures.Holds in verdicts:
        held = sum(verdict is figures.Holds for verdict in verdicts)
        message = f"right for {held} of the {len(results)} readings: {message}"
    return Imprecise(message, codes.IMPRECISE_NUMBER, evidence=shown)


def _judged(params: Params, one: Mapping[str, Any], stated: Stated) -> list[_Judged]:
    names = listed(one.get("quantity", params.get("quantity")))
    numbers = listed(params["figure"]) if "figure" in params else list(range(1, len(names) + 1))
    if not names or names == [None] or len(names) != len(numbers):
        raise ConfigurationError("a `number` check pairs each `quantity` with one `figure`")
    if unknown := sorted(set(one) - {"quantity", "with"}):
        raise ConfigurationError(f"a set of a `number` check has `quantity` and `with`, not {', '.join(unknown)}")
    found: list[_Judged] = []
    for name, number in zip(names, numbers, strict=True):
        own = name if isinstance(name, Mapping) else {"quantity": name}
        parameters = stated.parameters(params.get("with"), one.get("with"), own.get("with"))
        figure = stated.figure(number)
        value = quantity(own["quantity"], parameters, stated)
        outcome = figures.judge(figure, value.value, value.unit)
        said = f"{value.summary} is {figures.in_printed_unit(figure, outcome.exact)}"
        if len(params.get("sets") or ()) > 1 or len(names) > 1:
            said = f"{with_parameters(value.name, parameters)} is {figures.in_printed_unit(figure, outcome.exact)}"
        sentence = f"{figure.text}: {said}{_why(outcome)}"
        compared = Comparison(
            with_parameters(value.name, parameters), figure.text, figures.in_printed_unit(figure, outcome.exact)
        )
        found.append(_Judged(outcome, sentence, (compared, evidence_of(value, parameters))))
    return found


def _why(outcome: figures.Outcome) -> str:
    """By how much the figure is off, next to a unit of its last digit, and the reason."""
    if isinstance(outcome, figures.Holds):
        return ""
    figure = outcome.figure
    off = abs(figure.value - outcome.exact) / figure.scale
    unit = figure.resolution / figure.scale
    if isinstance(outcome, figures.Contradicted):
        if off == unit and figure.bare:
            return "; off by one, and a count is exact"
        if off <= unit:  # a figure in a unit of another kind
            return f"; {outcome.reason}"
        return f"; off by {exact_text(_short(off))}, more than one unit ({exact_text(unit)}) of the last printed digit"
    _, colon, reason = outcome.reason.rpartition(": ")
    if figure.trailing_zeros and off > unit:
        unit *= 10**figure.trailing_zeros
    return (
        f"; off by {exact_text(_short(off))}, less than one unit ({exact_text(unit)}) of the last printed digit"
        f"{colon}{reason}"
    )


def _short(value: Any) -> float | int:
    return int(value) if value == int(value) else float(f"{float(value):.3g}")


def _gravest(result: list[_Judged]) -> type[figures.Outcome]:
    kinds = {type(one.outcome) for one in result}
    return next(k for k in (figures.Contradicted, figures.Imprecise, figures.Holds) if k in kinds)


def _message(result: list[_Judged]) -> str:
    """What is wrong, else everything that was compared."""
    wrong = [one for one in result if not isinstance(one.outcome, figures.Holds)]
    return "; ".join(one.sentence for one in wrong or result)


def _without_repeats(items: Any) -> tuple[Evidence, ...]:
    return tuple(dict.fromkeys(items))


_PHASE = {"prompt": 2048, "steps": 512}

KIND = Kind(
    name="number",
    summary="A figure in the words, compared as printed with a quantity of the cost model.",
    fields=(
        Field("quantity", "str|list", "the quantity, or one for each figure (a name, or a table with `with`)"),
        Field("figure", "int|list", "which figures of the words, from 1; all in order if left out"),
        Field("with", "map", "parameters of the cost model; `{figure: N}` takes one out of the words"),
        Field("sets", "list", "parameters (`with`) or quantities that the words may mean, each a table"),
    ),
    check=check,
    cases=(
        Case("as printed", {"quantity": "total_flops_ratio", "with": _PHASE}, "holds", words="saves 2,224×"),
        Case("another digit", {"quantity": "total_flops_ratio", "with": _PHASE}, "contradicted", words="saves 2,254×"),
        Case("cut off", {"quantity": "kv_read_bytes", "with": {"context": 2560}}, "imprecise", words="reads 335 MB"),
        Case(
            "parameters out of the words",
            {
                "quantity": "kv_bytes_of_sequences",
                "figure": 3,
                "with": {"sequences": {"figure": 1}, "context": {"figure": 2}},
            },
            "holds",
            words="Thirty-two sequences of 2560 tokens hold 10 GiB",
        ),
        Case(
            "several figures",
            {"quantity": ["query_heads", "kv_heads", "gqa_ratio"]},
            "holds",
            words="32 query heads share 8 KV heads, a saving of 4×",
        ),
        Case(
            "right for one reading of two",
            {"quantity": "step_flops_ratio", "sets": [{"with": {"context": 2304}}, {"with": {"context": 2560}}]},
            "imprecise",
            words="a ratio of 2,461×",
        ),
        Case("of another kind", {"quantity": "kv_bytes_per_token"}, "contradicted", words="takes 131,072 s"),
        Case("nothing stated", {"quantity": "kv_heads"}, "undecided", words="a few KV heads"),
    ),
)  # fmt: skip
