"""A behaviour that a named experiment of the reference shows by running the decode loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...config.fields import Field
from ...errors import ConfigurationError, ReferenceInputError
from ...model import codes
from ...model.evidence import Comparison, Evidence, Note, Values
from ...model.verdict import Contradicted, Holds, Undecided, Verdict
from ..context import Context
from ..kind import Case, Kind, Params, Unanswerable
from ..operands import Stated, exact_text, with_parameters

_BOUNDS = ("below", "above", "equals")


def check(params: Params, context: Context) -> Verdict:
    """The behaviour must show (unless `shows: false`), and every measured value be within its bounds."""
    from ...reference.experiments import run

    stated = Stated(context.words)
    parameters = stated.parameters(params.get("with"))
    try:
        outcome = run(params["experiment"], **parameters)
    except ReferenceInputError as error:
        if any(isinstance(value, Mapping) for value in params.get("with", {}).values()):
            raise Unanswerable(Undecided(f"the stated figures cannot be run: {error}", codes.NOT_CHECKABLE)) from error
        raise ConfigurationError(str(error)) from error
    wrong: list[str] = []
    if params.get("shows", True) and not outcome.holds:
        wrong.append(outcome.summary)
    evidence: list[Evidence] = [Note(f"{params['experiment']}: {outcome.summary}")]
    for name, bounds in params.get("expect", {}).items():
        if name not in outcome.values:
            known = ", ".join(outcome.values)
            raise ConfigurationError(f"{params['experiment']} measures {known}, not {name!r}")
        measured = outcome.values[name]
        for how, raw in _bounds(name, bounds):
            limit = _limit(raw, stated)
            said = exact_text(limit) if how == "equals" else f"{how} {exact_text(limit)}"
            evidence.append(Comparison(f"{name} of {params['experiment']}", said, exact_text(measured)))
            if not _within(measured, how, limit):
                wrong.append(f"{name} is {exact_text(measured)}, not {said}")
    run_with = with_parameters(params["experiment"], outcome.parameters)
    evidence.append(Values((("run", run_with), *((name, exact_text(v)) for name, v in outcome.values.items()))))
    if wrong:
        return Contradicted("; ".join(wrong), tuple(evidence))
    return Holds(outcome.summary, evidence=tuple(evidence))


def _bounds(name: str, bounds: Any) -> list[tuple[str, Any]]:
    if not isinstance(bounds, Mapping) or not bounds or set(bounds) - set(_BOUNDS):
        raise ConfigurationError(f"`expect` of {name} has {', '.join(_BOUNDS)}")
    return list(bounds.items())


def _limit(raw: Any, stated: Stated) -> Any:
    """A bound: a value, a list of them, or a figure of the words."""
    if isinstance(raw, list):
        return tuple(_limit(one, stated) for one in raw)
    return stated.value(raw) if isinstance(raw, Mapping) else raw


def _within(measured: Any, how: str, limit: Any) -> bool:
    if how == "equals":
        return bool(measured == limit)
    values = measured if isinstance(measured, tuple) else (measured,)
    return all(value < limit if how == "below" else value > limit for value in values)


KIND = Kind(
    name="experiment",
    summary="A behaviour that an experiment of the reference shows, with bounds on what it measures.",
    fields=(
        Field("experiment", "str", "its name (refcheck.reference.experiments)", required=True),
        Field("with", "map", "its parameters; `{figure: N}` takes one out of the words"),
        Field("expect", "map", "bounds of measured values: {measure: {below|above|equals: value}}"),
        Field("shows", "bool", "whether the behaviour that it is named for must show (true unless given)"),
    ),
    check=check,
    cases=(
        Case("shows", {"experiment": "uniform_shift_harmless", "with": {"seeds": 1}}, "holds"),
        Case(
            "not from one layer",
            {"experiment": "bidirectional_extension_changes_old_kv", "with": {"layers": 1, "seeds": 1}},
            "contradicted",
        ),
        Case(
            "within a bound",
            {"experiment": "position_plus_one", "with": {"seeds": 1}, "expect": {"least": {"above": 0.001}}},
            "holds",
        ),
        Case(
            "out of a bound",
            {"experiment": "uniform_shift_harmless", "with": {"seeds": 1}, "expect": {"worst": {"above": 0.001}}},
            "contradicted",
        ),
        Case(
            "a figure out of the words",
            {
                "experiment": "scheduler_counts",
                "with": {"prompt": {"figure": 1}, "steps": {"figure": 2}},
                "expect": {"outputs": {"equals": {"figure": 3}}},
            },
            "holds",
            words="a prompt of 20 tokens and 5 forwards give 6 outputs",
        ),
    ),
)
