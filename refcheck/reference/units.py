"""Units of the cost model and how a reader is shown a value in them.

Bytes are counted in powers of 1024 with KiB, MiB, GiB and in powers of 1000 with kB, MB, GB (IEC 80000-13).
"""

from __future__ import annotations

from fractions import Fraction

Number = int | Fraction | float

BYTES, FLOP, SECONDS, RATIO, SHARE = "B", "FLOP", "s", "x", "share"
FLOP_PER_BYTE, BYTES_PER_SECOND, FLOP_PER_SECOND = "FLOP/B", "B/s", "FLOP/s"
COUNT, YES_NO, EXPONENT = "1", "bool", "exponent"

_DECIMAL = (("P", 10**15), ("T", 10**12), ("G", 10**9), ("M", 10**6), ("k", 10**3))
_BINARY = (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))


def grouped(value: Number, places: int = 2) -> str:
    """The number with thousands separated, whole if it is whole, else to that many decimal places
    (half-even)."""
    if isinstance(value, Fraction) and value.denominator == 1:
        value = value.numerator
    if isinstance(value, int):
        return f"{value:,}"
    return f"{float(value):,.{places}f}"


def rounded(value: Number, unit: str) -> str:
    """A short text for people: three or four figures and a unit of a fitting size."""
    if unit == YES_NO:
        return "yes" if value else "no"
    if unit == SHARE:
        percent = float(value) * 100
        return f"{percent:.2f}%" if percent >= 1 or percent == 0 else f"{percent:.3g}%"
    if unit == RATIO:
        return f"{float(value):,.2f}x" if value < 10_000 else f"{float(value):,.0f}x"
    if unit == COUNT and isinstance(value, Fraction) and 0 < abs(value) < 1:
        return f"{float(value):.4g}"
    if unit == COUNT:
        return grouped(value) if value < 10**15 else f"{float(value):.3e}"
    if unit == EXPONENT:
        return f"{float(value):.4f}"
    if unit == BYTES:
        return f"{_scaled(value, _BINARY, 'B')} = {_decimal(value, 'B')}" if value >= 1024 else f"{grouped(value)} B"
    if unit == SECONDS:
        return f"{float(value):.4g} s" if value >= 1 else f"{float(value) * 1e3:.4g} ms"
    return _decimal(value, unit)


def _scaled(value: Number, scale: tuple[tuple[str, int], ...], base: str) -> str:
    for prefix, size in scale:
        if value >= size:
            return f"{float(Fraction(value) / size):,.7g} {prefix}"
    return f"{grouped(value)} {base}"


def _decimal(value: Number, base: str) -> str:
    for prefix, size in _DECIMAL:
        if value >= size:
            return f"{float(Fraction(value) / size):,.4g} {prefix}{base}"
    return f"{float(value):.4g} {base}"
