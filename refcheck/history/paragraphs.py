"""The paragraph of a document that depends on a citation: its own, or the one that introduces its block."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import accumulate

from ..documents.rows import BETWEEN, cells_of_row
from ..model.document import Citation, Document, Prose, Quote, Span


@dataclass(frozen=True, slots=True)
class Paragraph:
    """`at` is the character of `text` where the place is, 0 where the place is outside of it.

    `heading` is that of the section around a block, for which the paragraph may say little.
    """

    text: str
    line: int
    at: int
    heading: str = ""


@dataclass(frozen=True, slots=True)
class _Block:
    """A quoted block with what belongs to it: `span` takes in a header or label that gives its location."""

    span: Span
    quote: Quote
    citation: Citation | None


class Paragraphs:
    """Looks up paragraphs of one document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._starts = [0, *accumulate(len(line) + 1 for line in document.text.split("\n"))]
        self._order = sorted(document.prose, key=lambda one: one.span.start)
        self._cited: dict[int, list[Citation]] = {}
        for citation in document.citations:
            if citation.prose is not None and document.prose[citation.prose].span.contains(citation.span):
                self._cited.setdefault(id(document.prose[citation.prose]), []).append(citation)
        self._blocks = [
            *(
                _Block(Span(min(c.span.start, c.quote.span.start), max(c.span.end, c.quote.span.end)), c.quote, c)
                for c in document.citations
                if c.quote is not None
            ),
            *(_Block(quote.span, quote, None) for quote in document.quotes_by_content),
        ]

    def at(self, line: int, column: int) -> Paragraph | None:
        """The paragraph (or the row of a table) around a place; for a block, the one that introduces it.

        What speaks of another file is a neighbour's, and never given: then the section's heading stands alone.
        """
        offset = self._starts[min(line, len(self._starts)) - 1] + column - 1
        cells = cells_of_row(self._document, offset)
        if cells:
            return self._row(cells, offset)
        around = [one for one in self._document.prose if one.span.start <= offset < one.span.end]
        # The innermost of nested ones: a list item inside a cell.
        own = min(around, key=lambda one: one.span.end - one.span.start) if around else None
        inside = [block for block in self._blocks if block.span.start <= offset < block.span.end]
        block = min(inside, key=lambda one: one.span.end - one.span.start) if inside else None
        if own is not None and not (block is not None and self._is_label(own)):
            return self._given(own, offset)
        if block is not None:
            return self._of_block(block)
        before = [one for one in self._document.prose if one.span.end <= offset and not one.is_heading]
        behind = [one for one in self._document.prose if one.span.start > offset and not one.is_heading]
        beside = before[-1:] or behind[:1]
        return self._given(beside[0], None) if beside else None

    def _given(self, prose: Prose, offset: int | None, heading: str = "") -> Paragraph:
        at = min(bisect_left(prose.offsets, offset), len(prose.text)) if offset is not None else 0
        return Paragraph(prose.text, self._document.position(prose.span.start)[0], at, heading)

    def _row(self, cells: tuple[Prose, ...], offset: int) -> Paragraph:
        at = 0
        for cell in cells:
            if cell.span.end > offset:
                at += min(bisect_left(cell.offsets, offset), len(cell.text))
                break
            at += len(cell.text) + len(BETWEEN)
        text = BETWEEN.join(cell.text for cell in cells)
        return Paragraph(text, self._document.position(cells[0].span.start)[0], min(at, len(text)))

    def _of_block(self, block: _Block) -> Paragraph | None:
        at = bisect_left(self._order, block.quote.span.start, key=lambda one: one.span.start)
        before: Prose | None = None
        heading: Prose | None = None
        for one in reversed(self._order[:at]):
            if one.is_heading:
                heading = one
                break
            if before is None and one.span.end <= block.quote.span.start and not self._is_label(one):
                before = one
        behind: Prose | None = None
        for one in self._order[at:]:
            if one.is_heading:
                break
            if one.span.start >= block.quote.span.end and not self._is_label(one):
                behind = one
                break
        title = heading.text if heading is not None else ""
        for near in (before, behind):
            if near is not None and self._introduces(near, block):
                return self._given(near, None, title)
        return self._given(heading, None) if heading is not None else None

    def _introduces(self, prose: Prose, block: _Block) -> bool:
        """Whether a paragraph beside a block speaks of it, and not of a place of its own in another file."""
        if prose.span.end <= block.quote.span.start and (
            block.quote.attached == "sentence" or prose.text.rstrip().endswith((":", "：", "\u2026"))
        ):
            return True
        path = block.citation.path if block.citation is not None else None
        return all(one.path == path for one in self._cited_in(prose) if one.quote is None)

    def _is_label(self, prose: Prose) -> bool:
        """Whether a paragraph says nothing but a location."""
        spans = [one.span for one in self._cited_in(prose)]
        if not spans:
            return False
        rest = "".join(
            char
            for char, at in zip(prose.text, prose.offsets, strict=False)
            if not any(span.start <= at < span.end for span in spans)
        )
        return sum(any(char.isalpha() for char in word) for word in rest.split()) < 2

    def _cited_in(self, prose: Prose) -> list[Citation]:
        return self._cited.get(id(prose), [])
