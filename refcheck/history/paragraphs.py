"""The paragraph of a document that depends on a citation."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate

from ..model.document import Document, Prose

FEWEST_WORDS = 6
"""A shorter stretch is the header of a block or a label: what depends on the block is the text beside it."""


@dataclass(frozen=True, slots=True)
class Paragraph:
    """`at` is the character of `text` where the place is, 0 where the place is outside of it."""

    text: str
    line: int
    at: int


class Paragraphs:
    """Looks up paragraphs of one document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._starts = [0, *accumulate(len(line) + 1 for line in document.text.split("\n"))]

    def at(self, line: int, column: int) -> Paragraph | None:
        """The paragraph around a place, else the one before it (the one behind it at a page's start)."""
        offset = self._starts[min(line, len(self._starts)) - 1] + column - 1
        prose = [one for one in self._document.prose if not one.is_heading and _says_something(one)]
        around = [one for one in prose if one.span.start <= offset < one.span.end]
        before = [one for one in prose if one.span.end <= offset]
        behind = [one for one in prose if one.span.start > offset]
        # The innermost of nested ones: a list item inside a cell.
        chosen = min(around, key=lambda one: one.span.end - one.span.start) if around else None
        if chosen is None and before:
            chosen = max(before, key=lambda one: one.span.end)
        if chosen is None and behind:
            chosen = min(behind, key=lambda one: one.span.start)
        if chosen is None:
            return None
        inside = bisect_left(chosen.offsets, offset) if around else 0
        return Paragraph(chosen.text, self._document.position(chosen.span.start)[0], min(inside, len(chosen.text)))


def _says_something(prose: Prose) -> bool:
    return len(prose.text.split()) >= FEWEST_WORDS
