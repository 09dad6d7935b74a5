"""What every format turns a text into: pieces in reading order, each with a map back to the text's characters."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum

from ..model.document import Mark, Offsets, Span


class Kind(Enum):
    """What a piece is in its document."""

    TEXT = "text"
    HEADING = "heading"
    CELL = "cell"
    CAPTION = "caption"
    HEADER = "header"
    """The title line that a page shows above a code block, as part of that block."""
    COMMENT = "comment"
    META = "meta"
    """Front matter."""
    LINK = "link"
    """A link definition apart from its use: `text` is the address."""
    CODE = "code"


@dataclass(slots=True)
class Piece:
    """A paragraph, heading, cell, comment or code block.

    `text` has markup removed; in prose white space is collapsed to one space, in code it stands as it is.
    `table`, `row` and `column` place a cell; `info` is a fence's info string. `attributes` are those of the
    block's elements.
    """

    kind: Kind
    text: str
    offsets: Offsets
    span: Span
    marks: tuple[Mark, ...] = ()
    level: int = 0
    table: int = -1
    row: int = -1
    column: int = -1
    info: str = ""
    info_offsets: Offsets | None = None
    attributes: dict[str, str] = field(default_factory=dict)
    fenced: bool = True

    def located(self, start: int, end: int) -> Span:
        """Characters `start` to `end` (excluded) of `text` as a span of the document."""
        return self.offsets.span(start, end)


@dataclass(frozen=True, slots=True)
class Format:
    """A document format: how it is named, which files are of it, and how a text of it is taken apart.

    `parse` never raises on any text; it takes time linear in the text's length. `fault` says why a text is no whole
    document of the format, of which `parse` reads what there is; None for one that is.
    """

    name: str
    suffixes: tuple[str, ...]
    parse: Callable[[str], list[Piece]]
    fault: Callable[[str], str | None] = lambda text: None


_OTHER = re.compile(r"[^\S ]")
# White space that is not a single space already.
SPACE = re.compile(r"\s\s+|[^\S ]")


class TextBuilder:
    """Collects a read text and where it came from."""

    __slots__ = ("_ends", "_length", "_parts", "_places", "_starts", "marks")

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._starts: list[int] = []
        self._places: list[int] = []
        self._ends: list[int] = []
        self._length = 0
        self.marks: list[Mark] = []

    def __len__(self) -> int:
        return self._length

    @property
    def first(self) -> int | None:
        """Where the first character stands in the document."""
        return self._places[0] if self._places else None

    @property
    def last_end(self) -> int:
        return self._ends[-1] if self._ends else 0

    def put(self, text: str, start: int, end: int) -> None:
        """Text that stands for characters `start` to `end` of the document."""
        if not text:
            return
        if self._ends and self._ends[-1] == start and end - start == len(text) and self._verbatim_tail():
            self._ends[-1] = end
        else:
            self._starts.append(self._length)
            self._places.append(start)
            self._ends.append(end)
        self._parts.append(text)
        self._length += len(text)

    def _verbatim_tail(self) -> bool:
        return self._ends[-1] - self._places[-1] == self._length - self._starts[-1]

    def put_prose(self, source: str, start: int, end: int, place: int | None = None) -> None:
        """Characters of `source` with white space collapsed to one space each (none at the beginning).

        `place` is where `source[start]` stands in the document, when `source` is not the document.
        """
        shift = 0 if place is None else place - start
        part = source[start:end]
        position = start
        if part[:1].isspace() and self.ends_in_space:
            part = part.lstrip()
            position = end - len(part)
        flat = _flat(part)
        if flat is not None:
            self.put(flat, position + shift, end + shift)
            return
        for match in SPACE.finditer(source, position, end):
            a, b = match.span()
            if a > position:
                self.put(source[position:a], position + shift, a + shift)
            self.space(a + shift, b + shift)
            position = b
        if position < end:
            self.put(source[position:end], position + shift, end + shift)

    @property
    def ends_in_space(self) -> bool:
        """Whether a further space would be one too many: there is nothing yet, or a space."""
        return not self._parts or self._parts[-1].endswith(" ")

    def space(self, start: int, end: int) -> None:
        """One space for white space at `start` to `end`, unless one stands there already."""
        if not self.ends_in_space:
            self.put(" ", start, end)

    def build(self) -> tuple[str, Offsets]:
        if len(self._parts) == 1:
            text = self._parts[0]
        else:
            text = "".join(self._parts)
        if len(self._starts) == 1:
            return text, Offsets((0,), (self._places[0],), (self._ends[0],), self._length)
        return text, Offsets(self._starts, self._places, self._ends, self._length)

    def prose(self, kind: Kind, span: Span | None = None) -> Piece | None:
        """What was collected as a piece, without trailing space; None if there is nothing."""
        text, offsets = self.build()
        if not text.strip():
            return None
        length = len(text)
        marks = tuple(self.marks)
        if text.endswith(" "):
            text = text[:-1]
            # The space may be a marked element's last character.
            marks = tuple(
                replace(mark, start=min(mark.start, len(text)), end=len(text)) if mark.end > len(text) else mark
                for mark in marks
            )
        return Piece(kind, text, offsets, span or offsets.span(0, length), marks)


def _flat(part: str) -> str | None:
    """The text with every white space a space, where no two stand together: one character for one."""
    flat = part.replace("\n", " ")
    if not flat.isprintable():  # The space is the one white space that is printable.
        flat = _OTHER.sub(" ", flat)
    return None if "  " in flat else flat


def paragraph(source: str, start: int, end: int) -> Piece | None:
    """Characters `start` to `end` as running text, white space collapsed; None if there is nothing else."""
    part = source[start:end]
    text = _flat(part)
    if text and text[0] != " " and text[-1] != " ":
        return Piece(Kind.TEXT, text, Offsets.verbatim(start, end - start), Span(start, end))
    builder = TextBuilder()
    builder.put_prose(source, start, end)
    return builder.prose(Kind.TEXT, Span(start, end))


def through(inner: Offsets, outer: Offsets) -> Offsets:
    """`inner` places a text in a middle text, `outer` places that one in the document: the two as one."""
    starts: list[int] = []
    places: list[int] = []
    ends: list[int] = []
    for k, start in enumerate(inner.starts):
        following = inner.starts[k + 1] if k + 1 < len(inner.starts) else inner.length
        a, b = inner.places[k], inner.ends[k]
        if b - a != following - start:
            starts.append(start)
            span = outer.span(a, b)
            places.append(span.start)
            ends.append(span.end)
            continue
        run = bisect_right(outer.starts, a) - 1
        position = a
        while position < b:
            limit = outer.starts[run + 1] if run + 1 < len(outer.starts) else outer.length
            stop = min(limit, b)
            starts.append(start + position - a)
            places.append(outer[position])
            ends.append(outer.end(stop - 1))
            position = stop
            run += 1
    return Offsets(starts, places, ends, inner.length)


def moved_piece(piece: Piece, outer: Offsets) -> Piece:
    """A piece that was read from a middle text, placed in the document."""
    if not outer.length:
        return piece
    end = min(piece.span.end, outer.length)
    start = min(piece.span.start, end)
    return Piece(
        piece.kind,
        piece.text,
        through(piece.offsets, outer),
        outer.span(start, end),
        tuple(
            Mark(
                m.kind,
                m.start,
                m.end,
                m.target,
                None if m.target_offsets is None else through(m.target_offsets, outer),
                m.attributes,
            )
            for m in piece.marks
        ),
        piece.level,
        piece.table,
        piece.row,
        piece.column,
        piece.info,
        None if piece.info_offsets is None else through(piece.info_offsets, outer),
        piece.attributes,
        piece.fenced,
    )


_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")


def line_spans(text: str, start: int = 0, end: int | None = None) -> list[tuple[int, int]]:
    """(start, end without the line end) of each line; lines end at LF, CRLF or CR as in every engine file."""
    stop = len(text) if end is None else end
    spans: list[tuple[int, int]] = []
    if "\r" not in text:
        position = start
        while position < stop:
            cut = text.find("\n", position, stop)
            if cut == -1:
                cut = stop
            spans.append((position, cut))
            position = cut + 1
        return spans
    for match in _LINE.finditer(text, start, stop):
        a, b = match.span()
        if a == b:
            break
        while b > a and text[b - 1] in "\r\n":
            b -= 1
        spans.append((a, b))
    return spans


def code_piece(lines: Sequence[tuple[str, int]], span: Span, info: str = "", fenced: bool = True) -> Piece:
    """A code block from its lines, each with the place where it begins in the document."""
    starts: list[int] = []
    places: list[int] = []
    ends: list[int] = []
    length = 0
    reached = -1  # Where the run that is being made ends in the document; -1 if it cannot go on.
    last = len(lines) - 1
    for index, (line, place) in enumerate(lines):
        size = len(line)
        close = place + size
        if size:
            if place != reached:
                starts.append(length)
                places.append(place)
                ends.append(close)
            reached = ends[-1] = close
            length += size
        if index == last:
            break
        following = max(lines[index + 1][1], close)
        if close == reached and following == close + 1:
            reached = ends[-1] = following
        else:
            starts.append(length)
            places.append(close)
            ends.append(following)
            reached = following if following == close + 1 else -1
        length += 1
    text = "\n".join([line for line, _ in lines])
    return Piece(Kind.CODE, text, Offsets(starts, places, ends, length), span, info=info, fenced=fenced)
