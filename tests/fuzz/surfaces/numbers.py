"""Figures in prose: each stands where it is said to, holds for its own value, and for no value two units away."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from refcheck.claims.figures import Contradicted, Holds, in_printed_unit, judge, parse_figures

from . import Surface, must, opened, seed, text_of

_TEXTS = (
    "The weights take 16.06 GB (14.96 GiB), about 2,224x of the 7.2 MB.",
    "It takes 1.1e15 FLOP, 8.0 × 10^9 bytes, 3.35 TB/s and 98.4 % of the step.",
    "between 256.1, 256.2 and 256.4 MiB, or twenty-four heads; ten million tokens",
    "Llama-3 has 8B parameters, 32 layers, ~128 KiB per token, half of 1/32 and 0.1 ms",
    "$2 \\times 10^{12}$ and 10<sup>9</sup>, 1&nbsp;000&thinsp;000, 4,096 ≈ 4k; −3.5, 12–15 µs",
    "a third, 3:1, 16-bit, v0.28.0, L566-L575, 2024-01-02, one hundred and five billion",
)


def seeds() -> Iterator[bytes]:
    for text in _TEXTS:
        yield seed(text)


def check(data: bytes) -> None:
    choice, payload = opened(data)
    text = text_of(payload)
    figures = parse_figures(text)
    must(figures == parse_figures(text), "read twice, there are other figures")
    after = 0
    for figure in figures:
        must(after <= figure.start < figure.end <= len(text), f"a figure at {figure.start}-{figure.end}")
        after = figure.end
        must(text[figure.start : figure.end] == figure.text, f"{figure.text!r} does not stand there")
        must(figure.resolution > 0, "a figure without a last digit")
        must(isinstance(judge(figure, figure.value), Holds), f"{figure.text!r} does not hold for its own value")
        off = judge(figure, figure.value + 2 * figure.resolution)
        must(
            isinstance(off, Contradicted) or bool(figure.trailing_zeros), f"{figure.text!r} holds two units away: {off}"
        )
        for exact in (0, -1, Fraction(choice, 7), 10**choice, Fraction(1, 10**choice)):
            judge(figure, exact, ("", "B", "x", "s")[choice % 4])
            in_printed_unit(figure, Fraction(exact))


SURFACE = Surface("numbers", seeds, check)
