"""Plain text: paragraphs and code, told apart by their shape, since nothing marks either.

Code is a group of lines that is indented by four columns or more and reads like code, a group that begins like a
definition with an indented body, or a shell command with its here-document.
"""

from __future__ import annotations

import re
from array import array
from itertools import accumulate, count, repeat
from operator import add, not_, sub

from ...model.document import Offsets, Span
from ..code_shape import goes_on_as_code, looks_like_code, opens_code, opens_shell
from ..pieces import Format, Kind, Piece, code_piece, line_spans, paragraph

_HEREDOC = re.compile(r"<<-?\s*(['\"]?)([A-Za-z_]\w*)\1")
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})[ \t]*([^`]*)$")
_BULLET = re.compile(r"[ \t]*(?:[-*+•·◦▪–]|\(?[0-9]{1,3}[.)]|\(?[a-zA-Z][.)])\s")

_PORTION = 1_000_000
"""Characters that are split into lines at a time: all lines of a book at once would be its text once more."""
_BLANK = " \t\f\v\0\ufeff"


def _indent(text: str, start: int, end: int) -> int:
    columns = 0
    for position in range(start, end):
        char = text[position]
        if char == " ":
            columns += 1
        elif char == "\t":
            columns += 4 - columns % 4
        else:
            return columns
    return columns


def _rows(text: str) -> tuple[array[int], array[int], bytearray]:
    """Where each line begins and ends, and whether it is blank."""
    starts, ends, blanks = array("q"), array("q"), bytearray()
    if "\r" in text:
        for a, b in line_spans(text):
            starts.append(a)
            ends.append(b)
            blanks.append(not text[a:b].strip(_BLANK))
        return starts, ends, blanks
    position = 0
    while position < len(text):
        cut = text.find("\n", position + _PORTION)
        lines = text[position : len(text) if cut == -1 else cut].split("\n")
        if cut == -1 and not lines[-1]:
            lines.pop()
        lengths = list(map(len, lines))
        # Line k ends after all that stands up to it and k line ends.
        portion = array("q", map(add, accumulate(lengths), count(position)))
        ends += portion
        starts += array("q", map(sub, portion, lengths))
        blanks += bytearray(map(not_, map(str.strip, lines, repeat(_BLANK))))
        position = len(text) if cut == -1 else cut + 1
    return starts, ends, blanks


class _Reader:
    """Rows are numbers of lines. Arrays, since a long book has a million of them."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts, self.ends, self.blanks = _rows(text)
        self.count = len(self.starts)
        self.pieces: list[Piece] = []

    def line(self, row: int) -> str:
        return self.text[self.starts[row] : self.ends[row]]

    def shown(self, row: int) -> int:
        """The first row from `row` on that is not blank."""
        found = self.blanks.find(0, row)
        return self.count if found == -1 else found

    def stop(self, row: int) -> int:
        """The first row from `row` on that is blank."""
        found = self.blanks.find(1, row)
        return self.count if found == -1 else found

    def read(self) -> list[Piece]:
        row = self.shown(0)
        while row < self.count:
            a, b = self.starts[row], self.ends[row]
            fence = _FENCE.match(self.text, a, b) if self.text[a : a + 6].lstrip()[:1] in ("`", "~") else None
            row = self.shown(self.fenced(row, fence) if fence else self.group(row, self.stop(row)))
        return self.pieces

    def fenced(self, row: int, fence: re.Match[str]) -> int:
        ticks = fence.group(1)
        last = row + 1
        while last < self.count:
            bare = self.line(last).strip()
            if bare.startswith(ticks) and not bare.strip(ticks[0]):
                break
            last += 1
        info = fence.group(2).strip()
        piece = self.code(row + 1, last, fenced=True, info=info)
        piece.span = Span(self.starts[row], self.ends[min(last, self.count - 1)])
        if info:
            piece.info_offsets = Offsets.verbatim(self.text.index(info, fence.start(2)), len(info))
        self.pieces.append(piece)
        return last + 1

    def code(self, first: int, last: int, *, fenced: bool, info: str = "") -> Piece:
        a = self.starts[first] if first < self.count else len(self.text)
        b = self.ends[last - 1] if last > first else a
        if b > a and self.text.find("\r", a, b) == -1:
            return Piece(Kind.CODE, self.text[a:b], Offsets.verbatim(a, b - a), Span(a, b), info=info, fenced=fenced)
        return code_piece([(self.line(row), self.starts[row]) for row in range(first, last)], Span(a, b), info, fenced)

    def group(self, first: int, last: int) -> int:
        """One group of lines without a blank one; gives the row after what was read."""
        head = self.line(first)
        if head[0] in " \t":
            if self.indented(first, last) and looks_like_code(self.strings(first, last)):
                return self.emit(first, self.extend(last))
            self.prose(first, last)
            return last
        heredoc = _HEREDOC.search(head) if "<<" in head else None
        if heredoc:
            return self.emit(first, self.heredoc(first, heredoc.group(2)), info="shell")
        if opens_shell(head) and (last - first == 1 or not self.indent(first + 1)):
            return self.emit(first, last, info="shell")
        if first + 1 < last and opens_code(head, self.line(first + 1)):
            return self.emit(first, self.extend(last))
        self.prose(first, last)
        return last

    def strings(self, first: int, last: int) -> list[str]:
        # A long group shows what it is in its first lines.
        return [self.line(row) for row in range(first, min(last, first + 60))]

    def indent(self, row: int) -> int:
        return _indent(self.text, self.starts[row], self.ends[row])

    def indented(self, first: int, last: int) -> bool:
        """Whether every row is indented by four columns or more."""
        startswith, starts = self.text.startswith, self.starts
        return all(startswith("    ", starts[row]) or self.indent(row) >= 4 for row in range(first, last))

    def heredoc(self, first: int, word: str) -> int:
        for row in range(first + 1, min(self.count, first + 2000)):
            if self.line(row).strip() == word:
                return row + 1
        return first + 1

    def extend(self, last: int) -> int:
        """Further groups that are indented code, with only blank lines between, belong to the same block."""
        while True:
            start = self.shown(last)
            stop = self.stop(start)
            if start == stop or not self.indented(start, stop) or not goes_on_as_code(self.strings(start, stop)):
                return last
            last = stop

    def emit(self, first: int, last: int, info: str = "") -> int:
        self.pieces.append(self.code(first, last, fenced=False, info=info))
        return last

    def prose(self, first: int, last: int) -> None:
        start = first
        opened = 0
        for row in range(first + 1, last):
            a = self.starts[row]
            opened += self.text.count("(", self.starts[row - 1], a) - self.text.count(")", self.starts[row - 1], a)
            bullet = self.text[a] in " \t-*+•·◦▪–(0123456789" and _BULLET.match(self.text, a, self.ends[row])
            # `(lines 63-300,` may be wrapped before `310)`, which is no third hundred and tenth point.
            if bullet and not (opened > 0 and bullet.group().rstrip().endswith(")")):
                self.paragraph(start, row)
                start, opened = row, 0
        self.paragraph(start, last)

    def paragraph(self, first: int, last: int) -> None:
        a, b = self.starts[first], self.ends[last - 1]
        piece = paragraph(self.text, a, b)
        if piece is None:
            return
        short = (
            last - first == 1 and len(piece.text) <= 80 and not piece.text.endswith((".", ":", ";", ",", "。", "："))
        )
        if short and self.text[a].isupper():
            alone = (first == 0 or self.blanks[first - 1]) and (last == self.count or self.blanks[last])
            if alone and not _BULLET.match(self.text, a, b):
                piece.kind, piece.level = Kind.HEADING, 2
        self.pieces.append(piece)


def parse(text: str) -> list[Piece]:
    """The pieces of a plain text."""
    return _Reader(text).read()


FORMAT = Format("plain", (".txt", ".text"), parse)
