"""Formulas in prose: a text is one, with one exact value, or it is refused by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress

from refcheck.claims.formula_text import (
    DEFAULT_SYMBOLS,
    FormulaError,
    bounds_in,
    evaluate,
    formulas_in,
    parse_equation,
    shapes_in,
    symbols_of,
)

from . import Surface, must, opened, seed, text_of

_TEXTS = (
    "2 L h_kv d_h b s",
    "The cache takes $2 \\cdot L \\cdot h_{kv} \\cdot d_h \\cdot s$ bytes, i.e. 2 * L * h_kv * d_h.",
    "P = 2 L (4 d^2 + 3 d d_ff) + 2 V d",
    "\\frac{s (s + 1)}{2} ≈ s^2 / 2",
    "\\sum_{i=1}^{n} (4 d s_i) and Σ_i s_i",
    "attention is O(s^2 d), Θ(n · s), and \\mathcal{O}(1)",
    "K ∈ \\mathbb{R}^{d \\times h d_h}, and [batch, h_kv, seq, d_h]",
    "d<sub>h</sub> = d / h; 2<sup>10</sup>",
)
_BINDINGS: dict[str, int | tuple[int, ...]] = {name: 2 + index for index, name in enumerate(sorted(DEFAULT_SYMBOLS))}
_BINDINGS["s_i"] = (3, 5, 7)


def seeds() -> Iterator[bytes]:
    for text in _TEXTS:
        yield seed(text)


def check(data: bytes) -> None:
    _, payload = opened(data)
    text = text_of(payload)
    _sides(text)
    with suppress(FormulaError):
        for found in formulas_in(text):
            must(bool(found.strip()), "a formula of nothing")
            _sides(found)
    readers: tuple[Callable[[str], object], ...] = (bounds_in, shapes_in)
    for reader in readers:
        with suppress(FormulaError):
            reader(text)


def _sides(text: str) -> None:
    try:
        sides = parse_equation(text)
    except FormulaError:
        return
    must(sides == parse_equation(text), "read twice, it is another formula")
    for side in sides:
        symbols_of(side)
        with suppress(FormulaError):
            evaluate(side, _BINDINGS)


SURFACE = Surface("formulas", seeds, check)
