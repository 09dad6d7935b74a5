"""What the text forms of `regen`, `history` and `affected` share: width, colour, signs, and places as JSON."""

from __future__ import annotations

import textwrap

from .looks import LOOKS, signs
from .untrusted import not_at_start

NARROWEST = 40


def shortened(text: str, room: int) -> str:
    """At most `room` characters, the last three of them dots where something is left out."""
    return text if len(text) <= room else text[: max(0, room - 3)] + "..."


class Layout:
    """How lines are laid out in a width, with colour or without, in signs that the encoding has."""

    def __init__(self, width: int, color: bool, encoding: str) -> None:
        self.width = max(NARROWEST, width)
        self.color = color
        self.signs = signs(encoding)
        self.arrow = "→" if self.signs["moved"] == "→" else "->"

    def sign(self, verdict: str, rest: str = "") -> str:
        """A verdict's sign, and `rest` behind it in the same colour."""
        shown = f"{self.signs[verdict]}{rest}"
        return f"\x1b[{LOOKS[verdict].sgr}m{shown}\x1b[0m" if self.color else shown

    def bold(self, text: str) -> str:
        return f"\x1b[1m{text}\x1b[0m" if self.color else text

    def wrapped(self, text: str, indent: str = "", *, long_words: bool = True) -> list[str]:
        """Lines of the width; words that are longer are broken, but for `long_words` False."""
        return [
            not_at_start(line)
            for line in textwrap.wrap(
                text,
                self.width,
                initial_indent=indent,
                subsequent_indent=indent,
                break_on_hyphens=False,
                break_long_words=long_words,
            )
        ]
