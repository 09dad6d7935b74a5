"""Plain text: paragraphs and code, told apart by their shape, since nothing marks either.

Code is a group of lines that is indented by four columns or more and reads like code, a group that begins like a
definition with an indented body, or a shell command with its here-document.
"""

from __future__ import annotations

import re

from ...model.document import Offsets, Span
from ..code_shape import goes_on_as_code, looks_like_code, opens_code, opens_shell
from ..pieces import Format, Kind, Piece, TextBuilder, code_piece, line_spans

_HEREDOC = re.compile(r"<<-?\s*(['\"]?)([A-Za-z_]\w*)\1")
_FENCE = re.compile(r"[ \t]{0,3}(`{3,}|~{3,})[ \t]*([^`]*)$")
_BULLET = re.compile(r"[ \t]*(?:[-*+•·◦▪–]|\(?[0-9]{1,3}[.)]|\(?[a-zA-Z][.)])\s")

_Lines = list[tuple[int, int]]


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


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = line_spans(text)
        self.pieces: list[Piece] = []

    def blank(self, row: int) -> bool:
        a, b = self.lines[row]
        return a == b or not self.text[a:b].strip(" \t\f\v\0\ufeff")

    def read(self) -> list[Piece]:
        row, count = 0, len(self.lines)
        while row < count:
            a, b = self.lines[row]
            if a == b or self.blank(row):
                row += 1
                continue
            fence = _FENCE.match(self.text, a, b) if self.text[a : a + 6].lstrip()[:1] in ("`", "~") else None
            if fence:
                row = self.fenced(row, fence)
                continue
            last = row + 1
            while last < count and self.lines[last][0] != self.lines[last][1] and not self.blank(last):
                last += 1
            row = self.group(row, last)
        return self.pieces

    def fenced(self, row: int, fence: re.Match[str]) -> int:
        ticks = fence.group(1)
        last = row + 1
        while last < len(self.lines):
            a, b = self.lines[last]
            bare = self.text[a:b].strip()
            if bare.startswith(ticks) and not bare.strip(ticks[0]):
                break
            last += 1
        info = fence.group(2).strip()
        piece = self.code(row + 1, last, fenced=True, info=info)
        piece.span = Span(self.lines[row][0], self.lines[min(last, len(self.lines) - 1)][1])
        if info:
            piece.info_offsets = Offsets.verbatim(self.text.index(info, fence.start(2)), len(info))
        self.pieces.append(piece)
        return last + 1

    def code(self, first: int, last: int, *, fenced: bool, info: str = "") -> Piece:
        rows = [(self.text[a:b], a) for a, b in self.lines[first:last]]
        a = self.lines[first][0] if first < len(self.lines) else len(self.text)
        b = self.lines[last - 1][1] if last > first else a
        return code_piece(rows, Span(a, b), info, fenced)

    def group(self, first: int, last: int) -> int:
        """One group of lines without a blank one; gives the row after what was read."""
        text = self.text
        a, b = self.lines[first]
        head = text[a:b]
        if head[0] in " \t":
            if _indent(text, a, b) >= 4 and self.indented(first, last) and looks_like_code(self.strings(first, last)):
                return self.emit(first, self.extend(last))
            self.prose(first, last)
            return last
        heredoc = _HEREDOC.search(head) if "<<" in head else None
        if heredoc:
            return self.emit(first, self.heredoc(first, heredoc.group(2)), info="shell")
        if opens_shell(head) and (last - first == 1 or not _indent(text, *self.lines[first + 1])):
            return self.emit(first, last, info="shell")
        following = self.lines[first + 1] if first + 1 < last else None
        if following and opens_code(head, text[following[0] : following[1]]):
            return self.emit(first, self.extend(last))
        self.prose(first, last)
        return last

    def strings(self, first: int, last: int) -> list[str]:
        # A long group shows what it is in its first lines.
        return [self.text[a:b] for a, b in self.lines[first : min(last, first + 60)]]

    def indented(self, first: int, last: int) -> bool:
        return all(_indent(self.text, a, b) >= 4 for a, b in self.lines[first:last])

    def heredoc(self, first: int, word: str) -> int:
        for row in range(first + 1, min(len(self.lines), first + 2000)):
            a, b = self.lines[row]
            if self.text[a:b].strip() == word:
                return row + 1
        return first + 1

    def extend(self, last: int) -> int:
        """Further groups that are indented code, with only blank lines between, belong to the same block."""
        count = len(self.lines)
        while True:
            start = last
            while start < count and self.blank(start):
                start += 1
            stop = start
            while stop < count and not self.blank(stop):
                stop += 1
            if start == stop or not self.indented(start, stop) or not goes_on_as_code(self.strings(start, stop)):
                return last
            last = stop

    def emit(self, first: int, last: int, info: str = "") -> int:
        self.pieces.append(self.code(first, last, fenced=False, info=info))
        return last

    def prose(self, first: int, last: int) -> None:
        start = first
        for row in range(first, last):
            a, b = self.lines[row]
            if row > start and self.text[a : a + 1] in " \t-*+•·◦▪–(0123456789" and _BULLET.match(self.text, a, b):
                self.paragraph(start, row)
                start = row
        self.paragraph(start, last)

    def paragraph(self, first: int, last: int) -> None:
        a, b = self.lines[first][0], self.lines[last - 1][1]
        builder = TextBuilder()
        builder.put_prose(self.text, a, b)
        piece = builder.prose(Kind.TEXT, Span(a, b))
        if piece is None:
            return
        short = (
            last - first == 1 and len(piece.text) <= 80 and not piece.text.endswith((".", ":", ";", ",", "。", "："))
        )
        alone = (first == 0 or self.blank(first - 1)) and (last == len(self.lines) or self.blank(last))
        if short and alone and piece.text[0].isupper() and not _BULLET.match(self.text, a, b):
            piece.kind, piece.level = Kind.HEADING, 2
        self.pieces.append(piece)


def parse(text: str) -> list[Piece]:
    """The pieces of a plain text."""
    return _Reader(text).read()


FORMAT = Format("plain", (".txt", ".text"), parse)
