"""Asymptotic statements in the words against how quantities of the cost model grow."""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from ...config.fields import Field
from ...errors import ConfigurationError
from ...model import codes
from ...model.evidence import Comparison
from ...model.verdict import Contradicted, Holds, Imprecise, Undecided, Verdict
from ..context import Context
from ..formula_text import Bound, FormulaError, bounds_in, evaluate, symbols_of
from ..kind import Case, Kind, Params, Unanswerable
from ..operands import Stated, quantity, words_of

TOLERANCE = 0.05
"""How far a measured exponent may be from the stated one: lower-order terms at the sizes used."""

_START: Mapping[str, Any] = {"prompt": 0, "steps": 20_000, "context": 20_000, "heads": 64, "kv_heads": 8, "batch": 8}


def check(params: Params, context: Context) -> Verdict:
    """The exponent of each Θ, O and Ω, in the variable that is doubled, against log2 of the quantity's growth.

    Θ states the exponent, O and Ω a bound; a bound that is not tight is imprecise.
    """
    words = words_of(context, "growth")
    try:
        bounds = bounds_in(words)
    except FormulaError as error:
        return Undecided(f"no growth is read in “{words}”: {error}", codes.NOT_CHECKABLE)
    wanted = params["quantities"]
    if len(bounds) < len(wanted):
        message = f"the words state {len(bounds)} growths, and the check is about {len(wanted)}: “{words}”"
        return Undecided(message, codes.NOT_CHECKABLE)
    figures = Stated(words)
    shown: list[Comparison] = []
    wrong: list[str] = []
    loose: list[str] = []
    for bound, entry in zip(bounds, wanted, strict=False):
        if not isinstance(entry, Mapping) or set(entry) - {"quantity", "doubles", "with"} or "doubles" not in entry:
            raise ConfigurationError("`quantities` of a `growth` check are tables of `quantity`, `doubles` and `with`")
        for symbol, parameter in entry["doubles"].items():
            stated = _stated(bound, symbol, entry["doubles"])
            measured = _measured(entry, parameter, figures)
            name = f"{entry['quantity']} when {parameter} doubles"
            shown.append(Comparison(name, f"{bound.text}: 2^{stated:g}", f"2^{measured:.4f}"))
            said = f"{bound.text}: {entry['quantity']} grows as {symbol}^{measured:.4f}"
            if _breaks(bound.sign, stated, measured):
                wrong.append(said)
            elif abs(stated - measured) > TOLERANCE:
                loose.append(f"{said}: the bound is not tight")
    if wrong:
        return Contradicted("; ".join(wrong), tuple(shown))
    if loose:
        return Imprecise("; ".join(loose), codes.IMPRECISE_CLAIM, evidence=tuple(shown))
    return Holds("; ".join(f"{one.what}: {one.expected} is {one.found}" for one in shown), evidence=tuple(shown))


def _breaks(sign: str, stated: float, measured: float) -> bool:
    above, below = measured > stated + TOLERANCE, measured < stated - TOLERANCE
    return {"Θ": above or below, "O": above, "Ω": below}[sign]


def _stated(bound: Bound, symbol: str, doubles: Mapping[str, Any]) -> float:
    """log2 of how much the stated expression grows when the symbol doubles; `s_t` counts as `s`."""
    names = {name: name.partition("_")[0] if name not in doubles else name for name in symbols_of(bound.expression)}
    unknown = [name for name, plain in names.items() if plain not in doubles]
    if unknown:
        message = f"{bound.text} is about {', '.join(unknown)}, and the check about {', '.join(doubles)}"
        raise Unanswerable(Undecided(message, codes.NOT_CHECKABLE))
    single = {name: Fraction(1000) for name in names}
    double = {name: Fraction(2000 if plain == symbol else 1000) for name, plain in names.items()}
    try:
        return math.log2(evaluate(bound.expression, double) / evaluate(bound.expression, single))
    except (FormulaError, ZeroDivisionError, ValueError) as error:
        message = f"{bound.text} has no exponent: {error}"
        raise Unanswerable(Undecided(message, codes.NOT_CHECKABLE)) from error


def _measured(entry: Mapping[str, Any], parameter: str, figures: Stated) -> float:
    if parameter not in _START:
        raise ConfigurationError(f"`doubles` takes {', '.join(_START)}, not {parameter!r}")
    given = {"model": "llama-3-8b", **{k: v for k, v in _START.items() if k in ("prompt", "steps", "context")}}
    given |= figures.parameters(entry.get("with"))
    start = given.get(parameter, _START[parameter])
    single = quantity(entry["quantity"], {**given, parameter: start}, figures).value
    double = quantity(entry["quantity"], {**given, parameter: 2 * start}, figures).value
    return math.log2(Fraction(double) / Fraction(single))


_STEP = [
    {"quantity": "attention_flops_uncached", "doubles": {"s": "context"}},
    {"quantity": "attention_flops_cached", "doubles": {"s": "context"}},
]

KIND = Kind(
    name="growth",
    summary="Θ, O and Ω in the words, compared with how quantities of the cost model grow.",
    fields=(
        Field(
            "quantities",
            "list",
            "for each statement in order: the `quantity`, what `doubles` ({symbol: parameter}) and, if need be, `with`",
            required=True,
        ),
    ),
    check=check,
    cases=(
        Case("as stated", {"quantities": _STEP}, "holds", words=r"from $\Theta(s^2)$ to $\Theta(s)$"),
        Case("written plainly", {"quantities": _STEP}, "holds", words="from Θ(s²) to Θ(s)"),
        Case("another exponent", {"quantities": _STEP}, "contradicted", words=r"from $\Theta(s^3)$ to $\Theta(s)$"),
        Case("a loose bound", {"quantities": _STEP}, "imprecise", words="from O(s^3) to O(s)"),
        Case("a broken bound", {"quantities": _STEP}, "contradicted", words="from O(s) to O(s)"),
        Case("nothing stated", {"quantities": _STEP}, "undecided", words="from quadratic to linear"),
    ),
)
