"""The cost model: `evaluate(name, **parameters)` gives a quantity's exact value with its formula and unit.

>>> evaluate("step_flops_ratio", model="llama-3-8b", context=2560).rounded
'2,461.28x'

Everything is integer and Fraction arithmetic; numpy is not needed. The two accountings: `coarse`, the
common 2P model with the published P; `exact`, with counted parameters: matrices that are multiplied by (the
embedding is gathered), the head over the last row (`head_rows="all"`: every row) and the causal triangle as
s(s+1)/2.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

from refcheck.errors import ReferenceInputError
from refcheck.reference import formulas
from refcheck.reference.quantities import QUANTITIES, SECTIONS, Quantity
from refcheck.reference.shapes import Hardware, ModelShape, hardware, model_shape
from refcheck.reference.units import COUNT, EXPONENT, YES_NO, Number, rounded

__all__ = [
    "QUANTITIES", "SECTIONS", "Quantity", "Setting", "Value", "evaluate", "evaluate_all", "evaluate_expression",
    "setting",
]  # fmt: skip

Accounting = Literal["coarse", "exact"]
HeadRows = Literal["last", "all"]

#: Counts beyond this are slips, and their squares would not be shown as floating point numbers any more.
LARGEST_COUNT = 10**12

#: Bytes per element of the data types that weights and KV caches are kept in.
DTYPE_BYTES: Mapping[str, Fraction] = {
    "float64": Fraction(8), "float32": Fraction(4), "bfloat16": Fraction(2), "bf16": Fraction(2),
    "float16": Fraction(2), "fp16": Fraction(2), "fp8": Fraction(1), "fp8_e4m3": Fraction(1),
    "fp8_e5m2": Fraction(1), "int8": Fraction(1), "fp4": Fraction(1, 2), "int4": Fraction(1, 2),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Setting:
    """The parameters of an evaluation; all counts are tokens, steps, sequences or bytes.

    `context` is s, the context at the step that is asked about (by default the last, prompt + steps);
    `at_step` is t; `parameters` replaces the published P; `outputs`, `sequences`, `contexts`,
    `pool_tokens`, `blocks`, `max_model_len` belong to the quantities that name them. Raises
    ReferenceInputError naming the parameter and what it may be.
    """

    model: ModelShape
    prompt: int = 2048
    steps: int = 512
    context: int | None = None
    at_step: int = 1
    batch: int = 1
    kv_bytes: int | Fraction | float = 2
    weight_bytes: int | Fraction | float = 2
    accounting: Accounting = "coarse"
    head_rows: HeadRows = "last"
    hardware: Hardware | str = "h100-sxm"
    memory_bytes: int | None = None
    utilisation: Fraction | float = 1
    parameters: int | None = None
    tp: int = 1
    block_size: int = 16
    outputs: int = 512
    sequences: int = 1
    contexts: tuple[int, ...] | None = None
    pool_tokens: int | None = None
    blocks: int | None = None
    max_model_len: int = 4096

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int):
                raise ReferenceInputError(f"{_option(name)} is {value!r}; it must be a whole number")
            if not least <= value <= _MOST.get(name, LARGEST_COUNT):
                raise ReferenceInputError(
                    f"{_option(name)} is {_short(value)}; it must be from {least} to {_MOST.get(name, LARGEST_COUNT):,}"
                )
        for name in ("kv_bytes", "weight_bytes"):
            if not 0 < getattr(self, name) <= 16:
                raise ReferenceInputError(
                    f"{name} is {getattr(self, name)}; bytes per element are more than 0, at most 16"
                )
        if not 0 < self.utilisation <= 1:
            raise ReferenceInputError(f"utilisation is {self.utilisation}; it must be more than 0 and at most 1")
        if self.accounting not in get_args(Accounting):
            raise ReferenceInputError(f"accounting is {self.accounting!r}; it must be coarse or exact")
        if self.head_rows not in get_args(HeadRows):
            raise ReferenceInputError(f"head_rows is {self.head_rows!r}; it must be last or all")
        if (
            self.model.heads % self.tp
            or (self.tp > self.model.kv_heads and self.tp % self.model.kv_heads)
            or (self.tp <= self.model.kv_heads and self.model.kv_heads % self.tp)
        ):
            raise ReferenceInputError(
                f"tp is {self.tp}; it must divide {self.model.heads} query heads, and divide {self.model.kv_heads}"
                " KV heads or be a multiple of them"
            )

    @property
    def s(self) -> int:
        """The context at the step that is asked about."""
        return self.prompt + self.steps if self.context is None else self.context

    @property
    def tags(self) -> frozenset[str]:
        """The words that choose among a quantity's variants."""
        words = {self.accounting, "mla" if self.model.mla else "heads", "moe" if self.model.experts else "dense"}
        return frozenset(words | ({"all-rows"} if self.head_rows == "all" else set()))


_LEAST = {
    "prompt": 0, "steps": 1, "context": 1, "at_step": 0, "batch": 1, "tp": 1, "block_size": 1, "outputs": 1,
    "sequences": 1, "pool_tokens": 0, "blocks": 1, "max_model_len": 1, "parameters": 1, "memory_bytes": 1,
}  # fmt: skip
#: Symbols that have a value only where their parameter is given.
_GIVEN = {"sum_contexts": "contexts", "tokens": "pool_tokens", "blocks": "blocks"}
_MOST = {"memory_bytes": 10**18, "parameters": 10**18}


def _option(name: str) -> str:
    """A parameter with the command line option that sets it."""
    return f"{name} (--{name.replace('_bytes', '_dtype').replace('_', '-')})"


def _short(value: int) -> str:
    text = str(value)
    return text if len(text) <= 24 else f"{text[:6]}… ({len(text)} digits)"


@dataclass(frozen=True, slots=True)
class Value:
    """A quantity's value: exact (int or Fraction; a float only for exponents), its unit and expanded
    formula."""

    name: str
    value: Number
    unit: str
    formula: str
    summary: str

    @property
    def rounded(self) -> str:
        """The value as a reader would like to see it."""
        return rounded(self.value, self.unit)


def setting(model: str | Path | ModelShape = "llama-3-8b", **parameters: Any) -> Setting:
    """A checked setting; beside Setting's fields it takes `heads` and `kv_heads`, which change the model's
    shape.

    Raises ReferenceInputError for an unknown model, hardware or parameter, and for a value out of range.
    """
    known = {f.name for f in fields(Setting)} | {"heads", "kv_heads"}
    unknown = sorted(set(parameters) - known)
    if unknown:
        raise ReferenceInputError(
            f"the cost model has no parameter {', '.join(unknown)}; it has {', '.join(sorted(known))}"
        )
    shape = model_shape(model).with_heads(parameters.pop("heads", None), parameters.pop("kv_heads", None))
    if parameters.get("contexts") is not None:
        parameters["contexts"] = tuple(parameters["contexts"])
    return Setting(model=shape, **parameters)


def evaluate(name: str, model: str | Path | ModelShape = "llama-3-8b", **parameters: Any) -> Value:
    """The value of one quantity. Raises ReferenceInputError for an unknown name or parameter, or a value
    out of range."""
    if name.startswith("exponent_"):
        # Asymptotics are those of long sequences from an empty prompt, unless asked otherwise.
        parameters = {"prompt": 0, "steps": 20_000, "context": 20_000, **parameters}
    return value_in(name, setting(model, **parameters))


def evaluate_expression(text: str, model: str | Path | ModelShape = "llama-3-8b", **parameters: Any) -> Value:
    """The value of an expression over symbols and quantities: a formula that a document states, or a
    comparison.

    `evaluate_expression("2*d*(h*d_h) + 4*d*(h_kv*d_h) == qkv_flops_per_layer").value` is 1. Known are + - *
    / **, `ceil`, `floor`, comparisons and `and`. Raises ReferenceInputError for anything else, and for
    unknown names.
    """
    return expression_in(text, setting(model, **parameters))


def expression_in(text: str, chosen: Setting) -> Value:
    """The value of an expression in a checked setting; see `evaluate_expression`."""
    symbols = _symbols(chosen)

    def resolve(symbol: str) -> formulas.Exact:
        if symbol in QUANTITIES:
            return _exact(value_in(symbol, chosen).value)
        if symbol not in symbols:
            raise ReferenceInputError(f"{text!r}: {symbol} is neither a quantity nor a symbol of {chosen.model.name}")
        return symbols[symbol]

    try:
        node = formulas.parsed(text)
        value = formulas.value_of(node, resolve)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ReferenceInputError(f"{text!r} is no expression of the cost model: {error}") from error
    compares = isinstance(node, ast.Compare | ast.BoolOp)
    return Value("expression", _lean(value), YES_NO if compares else COUNT, formulas.printed(node), text)


def evaluate_all(chosen: Setting) -> dict[str, Value]:
    """Every quantity that the setting defines, by name; those of one layer's heads are left out under MLA."""
    found = {}
    for name, quantity in QUANTITIES.items():
        if quantity.doubles is None:
            try:
                found[name] = value_in(name, chosen)
            except UndefinedHere:
                continue
    return found


class UndefinedHere(ReferenceInputError):
    """A quantity that this model or setting does not have."""


@lru_cache(maxsize=4096)
def value_in(name: str, chosen: Setting) -> Value:
    """The value of one quantity in a checked setting. Raises ReferenceInputError for an unknown name."""
    quantity = QUANTITIES.get(name)
    if quantity is None:
        close = [known for known in QUANTITIES if name in known or known in name][:6]
        hint = f"; close to it: {', '.join(close)}" if close else ""
        raise ReferenceInputError(f"the cost model has no quantity {name!r}{hint}")
    if quantity.doubles is not None:
        return _exponent(quantity, chosen)
    symbols = _symbols(chosen)

    def resolve(symbol: str) -> formulas.Exact:
        if symbol in QUANTITIES:
            return _exact(value_in(symbol, chosen).value)
        if symbol not in symbols:
            if symbol in _GIVEN:
                raise UndefinedHere(f"{name} needs the parameter {_GIVEN[symbol]}")
            raise UndefinedHere(f"{name} needs {symbol}, which {chosen.model.name} does not have")
        return symbols[symbol]

    def definition(symbol: str) -> ast.expr | None:
        return _formula(QUANTITIES[symbol], chosen) if symbol in QUANTITIES else None

    node = _formula(quantity, chosen)
    value = formulas.value_of(node, resolve)
    text = formulas.printed(formulas.expanded(node, definition))
    return Value(name, _lean(value), quantity.unit, text, quantity.summary)


def _exponent(quantity: Quantity, chosen: Setting) -> Value:
    if quantity.doubles == "context":
        at, doubled = chosen.s, replace(chosen, context=2 * chosen.s)
    else:
        at, doubled = chosen.steps, replace(chosen, steps=2 * chosen.steps)
    single, double = value_in(quantity.formula, chosen).value, value_in(quantity.formula, doubled).value
    text = f"log2(f(2·{at})/f({at})), f = {quantity.formula}"
    return Value(quantity.name, math.log2(Fraction(double) / Fraction(single)), EXPONENT, text, quantity.summary)


def _formula(quantity: Quantity, chosen: Setting) -> ast.expr:
    """The variant of most words that all apply, without the batch where the batch is one."""
    text, most = quantity.formula, 0
    for key, variant in quantity.variants.items():
        words = set(key.split())
        if words <= chosen.tags and len(words) > most:
            text, most = variant, len(words)
    return formulas.parsed(re.sub(r"\bB\*", "", text) if chosen.batch == 1 else text)


def _lean(value: formulas.Exact) -> formulas.Exact:
    return value.numerator if isinstance(value, Fraction) and value.denominator == 1 else value


def _exact(value: Number) -> formulas.Exact:
    assert not isinstance(value, float)
    return value


@lru_cache(maxsize=256)
def _symbols(chosen: Setting) -> dict[str, formulas.Exact]:
    m, p, n = chosen.model, chosen.prompt, chosen.steps
    published = chosen.parameters or m.published or m.resident_params
    active = chosen.parameters or m.published_active or m.published or (m.matrix_params if m.experts else published)
    device = hardware(chosen.hardware)
    values: dict[str, formulas.Exact] = {
        "L": m.layers, "d": m.hidden, "h": m.heads, "d_ff": m.ffn, "V": m.vocab,
        "P": active, "P_published": published, "P_total": published,
        # coarse: the published active parameters, and the further experts that a batch touches
        "P_w": active + m.streamed_params(chosen.batch) - m.matrix_params,
        "P_layers": m.layer_matrix_params, "P_head": m.head_params, "P_matrix": m.matrix_params,
        "P_stream": m.streamed_params(chosen.batch), "P_resident": m.resident_params,
        "P_attention": m.attention_params,
        "b": _fraction(chosen.kv_bytes), "b_w": _fraction(chosen.weight_bytes),
        "p": p, "n": n, "t": chosen.at_step, "s": chosen.s, "B": chosen.batch, "N": chosen.sequences,
        "sum_s": n * p + n * (n + 1) // 2,
        "sum_s2": n * p * p + p * n * (n + 1) + n * (n + 1) * (2 * n + 1) // 6,
        "outputs": chosen.outputs, "block": chosen.block_size, "max_len": chosen.max_model_len, "tp": chosen.tp,
        "W": device.bytes_per_second, "F": device.flops_per_second,
        "M": chosen.memory_bytes or device.memory_bytes, "u": _fraction(chosen.utilisation),
    }  # fmt: skip
    if chosen.contexts is not None:
        values["sum_contexts"] = sum(chosen.contexts)
    if chosen.pool_tokens is not None:
        values["tokens"] = chosen.pool_tokens
    if chosen.blocks is not None:
        values["blocks"] = chosen.blocks
    if m.mla is None:
        values |= {"h_kv": m.kv_heads, "d_h": m.head_dim, "h_kv_rank": max(1, m.kv_heads // chosen.tp)}
    else:
        values |= {"r": m.mla.kv_rank, "d_r": m.mla.rope_dim, "d_n": m.mla.nope_dim, "d_v": m.mla.value_dim}
    return values


def _fraction(value: int | Fraction | float) -> formulas.Exact:
    """The decimal number that was written (0.9 is nine tenths, not the nearest binary fraction)."""
    return value if isinstance(value, int | Fraction) else Fraction(str(value))
