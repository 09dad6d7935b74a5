"""Numbers of a citation that are said again beside it: in its link's label or title, or in a cell of its own row.

They were not read as part of it, and would go on saying the old lines beside the new ones. Where they are plainly the
same lines they change with it; where that is a guess, the citation is left.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from ..model.document import Citation, Document, Offsets, Span
from ..model.place import LineRange
from .beside import spans_of
from .rewrite import Edit

_NUMBER = re.compile(r"(?<![\w.%])[Ll]?(?P<number>[0-9]{1,7})(?![\w%]|\.[0-9])")
_SAYS_LINE = re.compile(r"(?:[:#]|\b[Ll]ines?\s{0,3}|\bl{1,2}\.\s{0,3}|[Ll])$")
_JOINT = re.compile(
    r"[\s`]{0,3}(?:[-\u2010-\u2015\u2212~,;]|to|and|through|&[a-z]dash;|&#\d+;)[\s`]{0,3}(?:\S{0,200}[:#])?[Ll]?$"
)
# In a notebook, the quotes are escaped once more.
_TITLE = r"""(?P<title>\\?"[^"\n]{0,400}"|'[^'\n]{0,400}'|\([^()\n]{0,400}\))"""
_MARKDOWN_TITLE = re.compile(rf"""[^\s)>]*>?\s{{1,20}}{_TITLE}\s*\)""")
_HTML_TITLE = re.compile(rf"""\s(?:title|aria-label)\s{{0,5}}=\s{{0,5}}{_TITLE}""", re.IGNORECASE)
_TAG_BYTES = 2000
_REST_OF_TAG = re.compile(r"[^<>]{0,2000}>")
_CELL = re.compile(
    r"[\s`*_]*(?:lines?\s+|[Ll])?(?P<first>[0-9]{1,7})"
    r"(?:\s*(?:[-\u2010-\u2015\u2212]|to|&[a-z]dash;)\s*[Ll]?(?P<last>[0-9]{1,7}))?[\s`*_]*",
    re.IGNORECASE,
)
_TAG = re.compile(r"<[^<>]{0,2000}>")


@dataclass(frozen=True, slots=True)
class Echoes:
    """What changes together with a citation's numbers, or why that cannot be told."""

    edits: tuple[Edit, ...] = ()
    refused: str = ""


def echoes(document: Document, citation: Citation, new: LineRange, read: frozenset[Span]) -> Echoes:
    """For a citation whose numbers become `new`; `read` are the numbers that some citation was read from."""
    old = citation.lines
    if old is None or citation.first_digits is None:
        return Echoes()
    edits: list[Edit] = []
    for where, region in _of_link(document, citation):
        # A number that was read as a citation without a file of its own goes unwritten unless it is written here.
        mine = frozenset[Span]().union(*(spans_of(one) for one in document.citations if one.path == citation.path))
        found = [span for span in _numbers(document, region, mine) if old.first <= _value(document, span) <= old.last]
        if not found:
            continue
        if len(old) != len(new) or not _says_the_lines(document, region, found, old):
            return Echoes(refused=f"its {where} says {_text(document, region)!r}, which may be the same lines or not")
        edits += [Edit(span, str(new.first + _value(document, span) - old.first)) for span in found]
    for region in _cells_beside(document, citation.first_digits):
        cell = _CELL.fullmatch(document.text, region.start, region.end)
        if cell is None:
            continue
        first, last = Span(*cell.span("first")), Span(*cell.span("last")) if cell["last"] else None
        if any(span.contains(first) for span in read) or _value(document, first) != old.first:
            continue
        if last is None and old.first != old.last:
            continue
        if last is None or _value(document, last) != old.last or len(old) != len(new):
            return Echoes(refused=f"a cell of its row says {cell[0].strip()!r}, which may be the same lines or not")
        edits += [Edit(first, str(new.first)), Edit(last, str(new.last))]
    return Echoes(tuple(edits))


def _of_link(document: Document, citation: Citation) -> Iterator[tuple[str, Span]]:
    """The label and the title of the link whose address has the citation's numbers."""
    digits = citation.first_digits
    if digits is None or citation.prose is None or citation.prose >= len(document.prose):
        return
    prose = document.prose[citation.prose]
    for mark in prose.marks:
        address = _address(mark.target_offsets)
        if mark.kind != "link" or address is None or not address.contains(digits):
            continue
        label = prose.located(mark.start, mark.end) if mark.end > mark.start else _html_label(document.text, address)
        if label is not None and not address.contains(label):
            yield "label", label
        yield from (("title", title) for title in _titles(document.text, address))


def _address(offsets: Offsets | None) -> Span | None:
    return offsets.span(0, len(offsets)) if offsets is not None and len(offsets) else None


def _html_label(text: str, address: Span) -> Span | None:
    """The text of an HTML link inside of Markdown, which is read without its label."""
    match = _REST_OF_TAG.match(text, address.end)
    end = text.lower().find("</a", match.end(), match.end() + _TAG_BYTES) if match else -1
    return Span(match.end(), end) if match and end > match.end() else None


def _titles(text: str, address: Span) -> Iterator[Span]:
    markdown = _MARKDOWN_TITLE.match(text, address.end)
    if markdown:
        yield Span(*markdown.span("title"))
        return
    start = text.rfind("<", max(0, address.start - _TAG_BYTES), address.start)
    end = text.find(">", address.end, address.end + _TAG_BYTES)
    if start >= 0 and end >= 0 and re.match(r"<a\s", text[start : start + 3], re.IGNORECASE):
        yield from (Span(*match.span("title")) for match in _HTML_TITLE.finditer(text, start, end))


def _numbers(document: Document, region: Span, read: frozenset[Span]) -> list[Span]:
    """The numbers of a region that nothing was read from."""
    spans = [Span(*match.span("number")) for match in _NUMBER.finditer(document.text, region.start, region.end)]
    return [span for span in spans if not any(one.contains(span) for one in read)]


def _says_the_lines(document: Document, region: Span, found: list[Span], old: LineRange) -> bool:
    """Whether numbers are the range and no more: its one line, or its ends side by side, said to be lines."""
    values = [_value(document, span) for span in found]
    wanted = [old.first] if old.first == old.last else [old.first, old.last]
    if values != wanted:
        return False
    text = document.text
    if len(found) == 1:
        return _SAYS_LINE.search(text[region.start : found[0].start]) is not None
    return _JOINT.match(text[found[0].end : found[1].start]) is not None


def _cells_beside(document: Document, digits: Span) -> Iterator[Span]:
    """The other cells of the table row that a place is in."""
    text = document.text
    if document.format in ("markdown", "rst"):
        start = text.rfind("\n", 0, digits.start) + 1
        end = text.find("\n", digits.end)
        end = len(text) if end < 0 else end
        if not text[start:end].lstrip().startswith("|"):
            return
        edges = [start, *(m.start() for m in re.finditer(r"(?<!\\)\|", text[start:end]) if m.start())]
        bounds = [start + edge if index else edge for index, edge in enumerate(edges)] + [end]
        cells = [Span(low + (text[low : low + 1] == "|"), high) for low, high in pairwise(bounds)]
    elif document.format == "html":
        low = max(text.rfind("<tr", 0, digits.start), text.rfind("<TR", 0, digits.start))
        closed = max(text.rfind("</tr", 0, digits.start), text.rfind("</TR", 0, digits.start))
        high = min((at for at in (text.find("</tr", digits.end), text.find("</TR", digits.end)) if at >= 0), default=-1)
        if low < 0 or high < 0 or closed > low:
            return
        inside = [m.span() for m in _TAG.finditer(text, low, high)]
        cells = [Span(end, start) for (_, end), (start, _) in pairwise(inside) if end < start]
    else:
        return
    yield from (cell for cell in cells if not cell.contains(digits))


def _text(document: Document, span: Span) -> str:
    return document.text[span.start : span.end]


def _value(document: Document, span: Span) -> int:
    return int(_text(document, span))
