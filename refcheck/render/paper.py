"""A terminal's page: columns, wrapping and colour over plain text.

Nothing here interprets what it is given: there is no markup language, so foreign text cannot be one. Written
without rich because a report is plain lines, and importing rich costs more time than checking a short page.
"""

from __future__ import annotations

import re
import unicodedata

_SGR = {
    "bold": "1",
    "dim": "2",
    "old": "31",
    "new": "32",
    "same": "",
    "": "",
}


# A CI runner takes `::name ...::` at the start of a line, white space aside, for a command.
_COMMAND = re.compile(r"^((?:\s|\x1b\[[0-9;]*m)*)::")


def cells(text: str) -> int:
    """Terminal columns that the text takes (UAX #11: wide and fullwidth characters take two, marks none)."""
    if text.isascii():
        return len(text)
    return sum(_cells_of(c) for c in text)


def _cells_of(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in ("W", "F") else 1


def pad(text: str, width: int) -> str:
    return text + " " * max(0, width - cells(text))


def fit(text: str, width: int, ellipsis: str, *, keep_end: bool = False) -> str:
    """The text in at most `width` cells, with an ellipsis where it was cut."""
    if cells(text) <= width:
        return text
    room = max(0, width - cells(ellipsis))
    taken = 0
    count = 0
    for character in reversed(text) if keep_end else text:
        taken += _cells_of(character)
        if taken > room:
            break
        count += 1
    if keep_end:
        return ellipsis + (text[-count:] if count else "")
    return text[:count] + ellipsis


def wrap(text: str, width: int) -> list[str]:
    """Words in lines of at most `width` cells; a longer word is broken."""
    lines: list[str] = []
    line = ""
    for word in text.split(" "):
        candidate = f"{line} {word}" if line else word
        if cells(candidate) <= width:
            line = candidate
            continue
        if line:
            lines.append(line)
        while cells(word) > width:
            head = fit(word, width, "")
            if not head:
                break
            lines.append(head)
            word = word[len(head) :]
        line = word
    return [*lines, line] if line or not lines else lines


class Paper:
    """Collects lines. `width` None: lines are neither cut nor wrapped."""

    def __init__(self, width: int | None, color: bool, encoding: str) -> None:
        self.width = None if width is None else max(20, width)
        self.color = color
        self.encoding = encoding
        self.ellipsis = "…" if self._has("…") else "..."
        self._lines: list[str] = []

    def _has(self, text: str) -> bool:
        try:
            text.encode(self.encoding)
        except (UnicodeEncodeError, LookupError):
            return False
        return True

    def paint(self, text: str, style: str) -> str:
        """`style` is a name of this module or an SGR parameter."""
        sgr = _SGR.get(style, style)
        return f"\x1b[{sgr}m{text}\x1b[0m" if self.color and sgr and text else text

    def raw(self, line: str = "") -> None:
        """One line as it stands (it may hold painted parts)."""
        self._lines.append(_COMMAND.sub(r"\1\\x3a:", line.rstrip(" ")))

    def prose(self, text: str, *, indent: int = 0, first: str = "", style: str = "") -> None:
        """A paragraph, wrapped; `first` stands before its first line, the others are indented as far."""
        margin = " " * indent
        hang = " " * cells(first)
        if self.width is None:
            rows = [text]
        else:
            rows = wrap(text, max(10, self.width - indent - cells(first)))
        for number, row in enumerate(rows):
            self.raw(f"{margin}{first if number == 0 else hang}{self.paint(row, style)}")

    def code(self, text: str, *, indent: int = 0, style: str = "") -> None:
        """A line that keeps its spaces: cut where it does not fit."""
        if self.width is not None:
            text = fit(text, self.width - indent, self.ellipsis)
        self.raw(" " * indent + self.paint(text, style))

    def text(self) -> str:
        """Everything, with what the encoding lacks as escapes."""
        joined = "\n".join(self._lines) + "\n" if self._lines else ""
        if self._has(joined):
            return joined
        for fancy, plain in (("…", "..."), ("→", "->"), ("·", "-")):
            if not self._has(fancy):
                joined = joined.replace(fancy, plain)
        try:
            return joined.encode(self.encoding, "backslashreplace").decode(self.encoding)
        except LookupError:
            return joined.encode("ascii", "backslashreplace").decode("ascii")
