"""How a verdict looks: a sign, its ASCII stand-in and a colour, always beside its word."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Look:
    sign: str
    ascii_sign: str
    sgr: str
    """ANSI "select graphic rendition" parameters of the colour."""


LOOKS: dict[str, Look] = {
    "holds": Look("✓", "+", "32"),
    "imprecise": Look("≈", "~", "33"),
    "moved": Look("→", ">", "36"),
    "changed": Look("≠", "!", "31"),
    "gone": Look("∅", "-", "31"),
    "contradicted": Look("✗", "x", "1;31"),
    "undecided": Look("?", "?", "35"),
}
"""By machine name, in the order of the verdicts' table."""


def counted(number: int, noun: str) -> str:
    """`1 error`, `2 errors`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def can_encode(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return True


def signs(encoding: str) -> dict[str, str]:
    """The signs that can be written in the encoding: all of one kind, so that columns and habits stay."""
    fancy = can_encode("".join(look.sign for look in LOOKS.values()), encoding)
    return {name: look.sign if fancy else look.ascii_sign for name, look in LOOKS.items()}
