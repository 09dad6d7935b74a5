"""A formula in the words against a quantity of the cost model, a counter of the decoder that ran, or an experiment."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

from ...config.fields import Field
from ...errors import ConfigurationError
from ...model import codes
from ...model.evidence import Comparison, Evidence, Values
from ...model.verdict import Contradicted, Holds, Undecided, Verdict
from ..context import Context
from ..formula_text import (
    DEFAULT_SYMBOLS,
    Expression,
    FormulaError,
    Literal,
    Number,
    Symbol,
    evaluate,
    formulas_in,
    parse_equation,
)
from ..kind import Case, Kind, Params
from ..operands import Stated, exact_text, listed, quantity, words_of

#: Shapes that differ in everything, so that no wrong formula agrees on all by chance.
_SETTINGS: tuple[Mapping[str, Any], ...] = (
    {"model": "llama-3-8b", "context": 2560, "prompt": 2048, "steps": 512},
    {"model": "llama-3-8b", "context": 17, "prompt": 11, "steps": 6, "at_step": 3, "kv_bytes": 1, "weight_bytes": 1},
    {"model": "llama-3-70b", "context": 2304, "prompt": 1000, "steps": 77, "at_step": 5},
    {"model": "gemma-2b", "context": 999, "prompt": 0, "steps": 3, "kv_bytes": 4, "weight_bytes": 4},
    {"model": "smollm2-135m", "context": 1, "prompt": 1, "steps": 1},
)
_CONTEXTS = (100, 400, 1036)
_SIZES: tuple[Mapping[str, int], ...] = (
    {"layers": 2, "hidden": 32, "heads": 8, "kv_heads": 2, "head_dim": 8, "ffn": 64, "context": 9},
    {"layers": 1, "hidden": 48, "heads": 6, "kv_heads": 6, "head_dim": 4, "ffn": 20, "context": 5},
    {"layers": 3, "hidden": 20, "heads": 4, "kv_heads": 1, "head_dim": 10, "ffn": 33, "context": 16},
)
_OF_SIZES = {
    "L": "layers", "d": "hidden", "h": "heads", "h_kv": "kv_heads", "d_h": "head_dim", "d_ff": "ffn",
    "s": "context", "s_t": "context",
}  # fmt: skip
_OF_MODEL = {
    "L": "layers", "d": "hidden_size", "h": "query_heads", "h_kv": "kv_heads", "d_h": "head_dim",
    "d_ff": "ffn_size", "V": "vocabulary", "P": "params_published",
}  # fmt: skip


def check(params: Params, context: Context) -> Verdict:
    """Every side of the chosen formula is compared with the target at several shapes; exactly, or within
    `tolerance` of it. Sides that are one number or one symbol only name the result and are passed over."""
    targets = [name for name in ("quantity", "counter", "experiment") if name in params]
    if len(targets) != 1:
        raise ConfigurationError("a `formula` check has one of `quantity`, `counter` and `experiment`")
    stated = Stated(words_of(context, "formula"))
    known = DEFAULT_SYMBOLS | {*params.get("symbols", {})}
    try:
        sides, text = _sides(params, stated.words, known)
    except FormulaError as error:
        return Undecided(f"no formula is read in “{stated.words}”: {error}", codes.NOT_CHECKABLE)
    tolerance = Fraction(str(params.get("tolerance", 0)))
    times = stated.value(params["times"]) if isinstance(params.get("times"), Mapping) else params.get("times", 1)
    worst = Fraction(0)
    evidence: list[Evidence] = []
    shapes = 0
    for bindings, found, where in _points(params, stated):
        shapes += 1
        for side in sides:
            try:
                value = evaluate(side, bindings) * Fraction(times)
            except FormulaError as error:
                return Undecided(f"{text} cannot be evaluated: {error}", codes.NOT_CHECKABLE)
            off = abs(value - found) / abs(found) if found else Fraction(value != 0)
            worst = max(worst, off)
            compared = Comparison(where, exact_text(value), exact_text(found))
            if off > tolerance:
                message = f"{text} is {exact_text(value)} where {_target(params)} is {exact_text(found)} ({where})"
                return Contradicted(message, (compared, *evidence))
            if len(evidence) < 3:
                evidence.append(compared)
    how = "exactly" if not worst else f"to within {float(worst):.2g} of it"
    note = Values((("formula", text), ("compared with", _target(params))))
    return Holds(
        f"{text} is {_target(params)}, {how} at {shapes} shape{'s' * (shapes > 1)}", evidence=(note, *evidence)
    )


def _target(params: Params) -> str:
    """What the formula is compared with, in words."""
    if "quantity" in params:
        return str(params["quantity"]) + (f" / {params['per']}" if "per" in params else "")
    if "counter" in params:
        step = "an uncached step" if params.get("uncached") else "a cached step"
        return f"what a layer counts as {params['counter']} in {step}" + (
            ", per that of a cached one" if params.get("per_cached") else ""
        )
    return f"{params['measure']} of {params['experiment']}"


def _sides(params: Params, words: str, known: frozenset[str]) -> tuple[list[Expression], str]:
    """The sides that are compared; several formulas are added up."""
    texts = formulas_in(words, known)
    chosen = [_chosen(texts, number) for number in listed(params.get("formula", 1))]
    sides: list[Expression] = []
    if len(chosen) > 1:
        from ..formula_text import Binary

        total: Expression | None = None
        for one in chosen:
            side = parse_equation(one, known)[-1]
            total = side if total is None else Binary("+", total, side)
        assert total is not None
        return [total], " + ".join(chosen)
    for side in parse_equation(chosen[0], known):
        named = isinstance(side, Literal) or (isinstance(side, Symbol) and side.name in listed(params.get("defines")))
        if not named:
            sides.append(side)
    if not sides:
        raise FormulaError(f"{chosen[0]} states no formula")
    return sides, chosen[0]


def _chosen(texts: tuple[str, ...], number: object) -> str:
    if isinstance(number, bool) or not isinstance(number, int) or number < 1:
        raise ConfigurationError(f"formulas are counted from 1, not {number!r}")
    if number > len(texts):
        raise FormulaError(f"it has {len(texts)} formulas, and the check is about number {number}")
    return texts[number - 1]


_Point = tuple[dict[str, Number | tuple[Number, ...]], Fraction, str]


def _points(params: Params, stated: Stated) -> Iterator[_Point]:
    """At each shape: the symbols' values, the target's value, and the shape in words."""
    if "quantity" in params:
        yield from _of_quantity(params, stated)
    elif "counter" in params:
        yield from _of_counter(params)
    else:
        yield from _of_experiment(params)


def _of_quantity(params: Params, stated: Stated) -> Iterator[_Point]:
    for setting in params.get("over", _SETTINGS):
        chosen = {"contexts": _CONTEXTS, **setting, **stated.parameters(params.get("with"))}
        model = {"model": chosen["model"]} if "model" in chosen else {}
        shape = {**model, **{key: chosen[key] for key in ("heads", "kv_heads") if key in chosen}}
        value = Fraction(quantity(params["quantity"], chosen).value)
        if "per" in params:
            value /= Fraction(quantity(params["per"], chosen).value)
        values: dict[str, Number | tuple[Number, ...]] = {
            symbol: Fraction(quantity(name, shape).value) for symbol, name in _OF_MODEL.items()
        }
        prompt, steps = chosen.get("prompt", 2048), chosen.get("steps", 512)
        s = chosen.get("context", prompt + steps)
        values |= {"p": prompt, "n": steps, "t": chosen.get("at_step", 1), "s": s, "s_t": s}
        values |= {"B": chosen.get("batch", 1), "s_i": tuple(chosen["contexts"])}
        if chosen.get("kv_bytes", 2) == chosen.get("weight_bytes", 2):
            values["b"] = Fraction(str(chosen.get("kv_bytes", 2)))
        for symbol, name in params.get("symbols", {}).items():
            values[symbol] = Fraction(quantity(name, chosen).value)
        yield values, value, ", ".join(f"{key}={value}" for key, value in setting.items())


def _of_counter(params: Params) -> Iterator[_Point]:
    from ...reference.counted import TERMS, counted_in_layer
    from ...reference.decoder import Sizes

    name = params["counter"]
    if name not in TERMS:
        raise ConfigurationError(f"the decoder counts {', '.join(TERMS)}, not {name!r}")
    for setting in params.get("over", _SIZES):
        sizes = Sizes(**{key: value for key, value in setting.items() if key != "context"})
        uncached = params.get("uncached", False)
        counted = Fraction(counted_in_layer(sizes, setting["context"], cached=not uncached)[name])
        if uncached and params.get("per_cached", False):
            counted /= counted_in_layer(sizes, setting["context"])[name]
        values: dict[str, Number | tuple[Number, ...]] = {
            s: setting[key] for s, key in _OF_SIZES.items() if key in setting
        }
        yield values, counted, ", ".join(f"{key}={value}" for key, value in setting.items())


def _of_experiment(params: Params) -> Iterator[_Point]:
    from ...reference.experiments import run

    if "measure" not in params or "symbols" not in params:
        raise ConfigurationError("a formula against an `experiment` names a `measure` and the `symbols`")
    for setting in params.get("over", [{}]):
        outcome = run(params["experiment"], **setting)
        known = {**outcome.values, **outcome.parameters}
        values: dict[str, Number | tuple[Number, ...]] = {s: known[key] for s, key in params["symbols"].items()}
        where = ", ".join(f"{key}={value}" for key, value in outcome.parameters.items())
        yield values, Fraction(known[params["measure"]]), where


KIND = Kind(
    name="formula",
    summary="A formula in the words, compared at several shapes with the cost model or what the decoder counted.",
    fields=(
        Field("quantity", "str", "the quantity of the cost model that the formula states"),
        Field("counter", "str", "or the decoder's counter, for one layer in one step"),
        Field("experiment", "str", "or the experiment whose `measure` it states"),
        Field("measure", "str", "the experiment's measured value"),
        Field("formula", "int|list", "which formula of the words, from 1; several are added up"),
        Field("defines", "str|list", "symbols that only name the result, as s_t in s_t = p + t"),
        Field("with", "map", "parameters that hold at every shape"),
        Field("over", "list", "the shapes, tables of parameters; by default several that differ in everything"),
        Field("per", "str", "a quantity that the target is divided by"),
        Field("times", "number|map", "what the formula is multiplied by; `{figure: N}` takes it out of the words"),
        Field("uncached", "bool", "the counter of an uncached step"),
        Field("per_cached", "bool", "with `uncached`: how many times the counter of a cached step it is"),
        Field("symbols", "map", "further symbols: quantities of the cost model, or parameters of the experiment"),
        Field("tolerance", "number", "how far the formula may be off, as a share of the target; 0 unless given"),
    ),
    check=check,
    cases=(
        Case("exact, in LaTeX", {"quantity": "kv_bytes_per_token"}, "holds", words=r"takes $2 L h_{kv} d_h b$ bytes"),
        Case("in plain text", {"quantity": "kv_bytes_per_token"}, "holds", words="takes 2 L h_kv d_h b bytes"),
        Case("what the decoder counted", {"counter": "qkv"}, "holds", words=r"$2d(h d_h) + 4 d (h_{kv} d_h)$"),
        Case("another factor", {"counter": "qkv"}, "contradicted", words=r"$2d(h d_h) + 2 d (h_{kv} d_h)$"),
        Case("heads confused", {"quantity": "kv_bytes_per_token"}, "contradicted", words=r"$2 L h d_h b$ bytes"),
        Case(
            "within a tolerance",
            {"counter": "attention", "uncached": True, "tolerance": 0.2, "over": [{**_SIZES[0], "context": 9}]},
            "holds",
            words=r"half of them, $\tfrac{1}{2} 4 h d_h s^2$",
        ),
        Case("no formula", {"counter": "qkv"}, "undecided", words="costs a lot"),
    ),
)  # fmt: skip
