r"""Shapes in the words, `\mathbb{R}^{d \times h d_h}` or `[batch, h_kv, seq, d_h]`, against measured shapes."""

from __future__ import annotations

from typing import Any

from ...config.fields import Field
from ...errors import ConfigurationError, ReferenceInputError
from ...model import codes
from ...model.evidence import Comparison
from ...model.verdict import Contradicted, Holds, Undecided, Verdict
from ..context import Context
from ..formula_text import DEFAULT_SYMBOLS, FormulaError, evaluate, shapes_in
from ..kind import Case, Kind, Params
from ..operands import exact_text, listed, words_of


def check(params: Params, context: Context) -> Verdict:
    """The n-th stated shape is compared with the n-th entry of `measures`, at every shape of `over`."""
    from ...reference.experiments import run

    words = words_of(context, "shape")
    symbols = dict(params["symbols"])
    try:
        stated = shapes_in(words, DEFAULT_SYMBOLS | {*symbols})
    except FormulaError as error:
        return Undecided(f"no shape is read in “{words}”: {error}", codes.NOT_CHECKABLE)
    if len(stated) < len(params["measures"]):
        return Undecided(f"{len(stated)} shapes are stated in “{words}”", codes.NOT_CHECKABLE)
    shown: list[Comparison] = []
    for setting in params.get("over", [{}]):
        try:
            outcome = run(params["experiment"], **setting)
        except ReferenceInputError as error:
            raise ConfigurationError(str(error)) from error
        known = {**outcome.values, **outcome.parameters}
        bindings = {symbol: known[name] for symbol, name in symbols.items()}
        for shape, names in zip(stated, params["measures"], strict=False):
            try:
                expected = tuple(int(evaluate(axis, bindings)) for axis in shape.axes)
            except FormulaError as error:
                return Undecided(f"{shape.text} cannot be evaluated: {error}", codes.NOT_CHECKABLE)
            for name in listed(names):
                found = _measured(str(name), known)
                where = ", ".join(f"{symbol}={bindings[symbol]}" for symbol in bindings)
                shown.append(Comparison(f"{name} ({where})", exact_text(expected), exact_text(found)))
                if found != expected:
                    message = f"{shape.text} is {exact_text(expected)}, and {name} is {exact_text(found)} ({where})"
                    return Contradicted(message, tuple(shown[-1:]))
    return Holds(
        "; ".join(f"{one.what}: {one.found}" for one in shown[: len(params["measures"])]), evidence=tuple(shown)
    )


def _measured(name: str, known: dict[str, Any]) -> tuple[int, ...]:
    """A measured shape, or one put together as `rows x hidden`, where a list of equal rows counts as one number."""
    if " x " not in name:
        value = known[name]
        return tuple(value) if isinstance(value, tuple) else (value,)
    axes: list[int] = []
    for part in name.split(" x "):
        value = known[part]
        if isinstance(value, tuple):
            if len(set(value)) != 1:
                return tuple(value)
            value = value[0]
        axes.append(value)
    return tuple(axes)


_WEIGHTS = {
    "experiment": "weight_shapes",
    "measures": ["w_q", ["w_k", "w_v"]],
    "symbols": {"d": "hidden", "h": "heads", "h_kv": "kv_heads", "d_h": "head_dim"},
    "over": [{}, {"heads": 4, "kv_heads": 4, "head_dim": 6, "hidden": 20}],
}

KIND = Kind(
    name="shape",
    summary="Shapes in the words, compared with the shapes of arrays that the reference made.",
    fields=(
        Field("experiment", "str", "the experiment that measures them", required=True),
        Field("measures", "list", "for each stated shape in order: the measured one, or several", required=True),
        Field("symbols", "map", "what the symbols of the words are: measured values or parameters", required=True),
        Field("over", "list", "parameters of the experiment at which they are compared"),
    ),
    check=check,
    cases=(
        Case(
            "as stated",
            _WEIGHTS,
            "holds",
            words=r"$W_q \in \mathbb{R}^{d \times h d_h}$, $W_k, W_v \in \mathbb{R}^{d \times h_{kv} d_h}$",
        ),
        Case(
            "heads confused",
            _WEIGHTS,
            "contradicted",
            words=r"$W_q \in \mathbb{R}^{d \times h d_h}$, $W_k, W_v \in \mathbb{R}^{d \times h d_h}$",
        ),
        Case("no shape", _WEIGHTS, "undecided", words="matrices of the usual shapes"),
    ),
)
