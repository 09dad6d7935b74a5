"""An inequality or equality between quantities of the cost model, stated figures and measured values."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ...config.fields import Field
from ...errors import ConfigurationError, ReferenceInputError
from ...model.evidence import Comparison, Evidence, Values
from ...model.verdict import Contradicted, Holds, Verdict
from ..context import Context
from ..kind import Case, Kind, Params
from ..operands import Exact, Stated, evidence_of, exact_text, quantity, with_parameters

OPERATORS = ("<", "<=", "==", "!=", ">", ">=")
_OPERAND_KEYS = {
    "quantity": {"with", "times"}, "figure": {"thousand", "binary"}, "sum": set(), "product": set(), "divide": set(),
    "experiment": {"measure", "with"},
}  # fmt: skip


def check(params: Params, context: Context) -> Verdict:
    """All of the relations must hold; `within` lets an equality be off by that share of the right side."""
    relations = params.get("all_of") or [params]
    stated = Stated(context.words)
    said: list[str] = []
    wrong: list[str] = []
    evidence: list[Evidence] = []
    for relation in relations:
        unknown = sorted(set(relation) - {"left", "op", "right", "within", "all_of"})
        if unknown or not {"left", "op", "right"} <= set(relation) or relation["op"] not in OPERATORS:
            raise ConfigurationError(f"a relation has `left`, `op` (one of {', '.join(OPERATORS)}) and `right`")
        left, left_name = _operand(relation["left"], stated, evidence)
        right, right_name = _operand(relation["right"], stated, evidence)
        within = Fraction(str(relation.get("within", 0)))
        holds = _compares(Fraction(left), str(relation["op"]), Fraction(right), within)
        sentence = f"{left_name} {relation['op']} {right_name}" + (f" within {float(within):.2g}" if within else "")
        values = f"{_short(left)} against {_short(right)}"
        (said if holds else wrong).append(f"{sentence}: {values}")
        evidence.append(Comparison(sentence, "stated", f"{'so' if holds else 'not so'}: {values}"))
    shown = tuple(dict.fromkeys(evidence))
    if wrong:
        return Contradicted("not so: " + "; ".join(wrong), shown)
    return Holds("; ".join(said), evidence=shown)


def _short(value: Exact) -> str:
    """Whole numbers in full, others to six figures."""
    return exact_text(value) if Fraction(value).denominator == 1 else f"{float(value):,.6g}"


def _compares(left: Fraction, operator: str, right: Fraction, within: Fraction) -> bool:
    near = abs(left - right) <= within * abs(right)
    return {
        "<": left < right, "<=": left <= right or near, "==": near, "!=": not near, ">": left > right,
        ">=": left >= right or near,
    }[operator]  # fmt: skip


def _operand(raw: Any, stated: Stated, evidence: list[Evidence]) -> tuple[Exact, str]:
    """The value of an operand and its name; what it rests on is added to the evidence."""
    if isinstance(raw, int | float) and not isinstance(raw, bool):
        return Fraction(str(raw)), str(raw)
    if isinstance(raw, str):
        raw = {"quantity": raw}
    kind = next((key for key in _OPERAND_KEYS if isinstance(raw, Mapping) and key in raw), None)
    if kind is None or set(raw) - _OPERAND_KEYS[kind] - {kind}:
        raise ConfigurationError(f"an operand is a number, a quantity or a table of one of {', '.join(_OPERAND_KEYS)}")
    if kind == "figure":
        how = " in powers of 1024" if raw.get("binary") else ""
        return stated.value(raw), f"the stated {stated.figure(raw['figure']).text}{how}"
    if kind == "experiment":
        return _measured(raw, stated, evidence)
    if kind == "quantity":
        parameters = stated.parameters(raw.get("with"))
        value = quantity(raw["quantity"], parameters, stated)
        evidence.append(evidence_of(value, parameters))
        times, name = raw.get("times", 1), with_parameters(value.name, parameters)
        return Fraction(value.value) * Fraction(str(times)), name if times == 1 else f"{times}·{name}"
    parts = [_operand(part, stated, evidence) for part in raw[kind]]
    values = [Fraction(value) for value, _ in parts]
    sign = {"sum": " + ", "product": " · ", "divide": " / "}[kind]
    total = values[0]
    for part in values[1:]:
        if kind == "divide" and part == 0:
            raise ConfigurationError(f"a division by zero: {parts[1][1]}")
        total = total + part if kind == "sum" else total * part if kind == "product" else total / part
    return total, "(" + sign.join(name for _, name in parts) + ")"


def _measured(raw: Mapping[str, Any], stated: Stated, evidence: list[Evidence]) -> tuple[Exact, str]:
    from ...reference.experiments import run

    parameters = stated.parameters(raw.get("with"))
    try:
        outcome = run(raw["experiment"], **parameters)
    except ReferenceInputError as error:
        raise ConfigurationError(str(error)) from error
    value = outcome.values.get(raw.get("measure", ""))
    if value is None or isinstance(value, tuple):
        raise ConfigurationError(f"{raw['experiment']} measures no single {raw.get('measure')!r}")
    name = with_parameters(f"{raw['measure']} of {raw['experiment']}", parameters)
    evidence.append(Values(((name, exact_text(value)),)))
    return value, name


_ONE, _MANY = {"batch": 1, "context": 2560}, {"batch": 32, "context": 2560}

KIND = Kind(
    name="relation",
    summary="An inequality or equality between quantities of the cost model, stated figures and measured values.",
    fields=(
        Field("left", "any", "an operand: a number, a quantity's name, or a table (quantity, figure, sum, product, …)"),
        Field("op", "str", "how they compare", choices=OPERATORS),
        Field("right", "any", "the other operand"),
        Field("within", "number", "how far off an equality may be, as a share of the right side"),
        Field("all_of", "list", "several relations, each a table of these keys"),
    ),
    check=check,
    cases=(
        Case("so", {"left": "step_flops_cached", "op": "<", "right": "step_flops_uncached"}, "holds"),
        Case("not so", {"left": "gqa_ratio", "op": "==", "right": 8}, "contradicted"),
        Case(
            "all of several",
            {
                "all_of": [
                    {
                        "left": {"quantity": "weight_bytes", "with": _ONE},
                        "op": "==",
                        "right": {"quantity": "weight_bytes", "with": _MANY},
                    },
                    {
                        "left": {"quantity": "kv_read_bytes", "with": _MANY},
                        "op": "==",
                        "right": {"quantity": "kv_read_bytes", "with": _ONE, "times": 32},
                    },
                ]
            },
            "holds",
        ),
        Case(
            "with stated figures",
            {"left": {"sum": [{"figure": 1}, {"figure": 2}]}, "op": "==", "right": {"figure": 3}},
            "holds",
            words="50.3 + 33.6 makes 83.9",
        ),
        Case(
            "they do not add up",
            {"left": {"sum": [{"figure": 1}, {"figure": 2}]}, "op": "==", "right": {"figure": 3}},
            "contradicted",
            words="50.3 + 33.6 makes 84.9",
        ),
        Case(
            "within a share",
            {"left": "params_streamed", "op": "==", "right": "params_resident", "within": 0.1},
            "holds",
        ),
    ),
)  # fmt: skip
