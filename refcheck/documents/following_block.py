"""Where the block that begins at a place ends: a list with all of its items, a table, a directive, an element.

Pieces (refcheck.documents.pieces) are paragraphs and cells; what a person takes for one block may be many of them.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property

from .pieces import Kind, Piece

_ELEMENTS = (
    "ul", "ol", "dl", "li", "dt", "dd", "table", "thead", "tbody", "tr", "td", "th", "blockquote", "figure", "details",
    "aside", "div", "p", "pre",
)  # fmt: skip
_TAG = re.compile(rf"<(?P<close>/?)(?P<name>{'|'.join(_ELEMENTS)})(?=[\s/>])[^<>]{{0,2000}}>", re.IGNORECASE)
_MARKER = re.compile(r"(?:[-*+•]|\d{1,9}[.)]|#\.|\(?[a-zA-Z\d]\))(?=[ \t]|$)")
_QUOTE = re.compile(r'(?<!\\)"')
_AROUND = 40
"""Elements before a place that are looked at for one around it, and lines before a piece for one that heads it."""
_HEADED = re.compile(r"\.\. [\w:-]+::|(?:!!!|\?\?\?\+?) ")
"""What its indented lines belong to: a directive of reStructuredText, an admonition of Markdown's extensions."""


class FollowingBlock:
    """The blocks of one document, found once for all comments; `text` has the line ends that its reader sees."""

    def __init__(self, text: str, format_name: str, pieces: Sequence[Piece]) -> None:
        self._text = text
        self._format = format_name
        self._pieces = pieces
        self._last = (0, 0)
        """The paragraph that was measured last, and the string of a notebook: many comments may stand in one."""
        self._cell = (0, 0)
        self._lists: dict[int, tuple[int, int]] = {}

    def end(self, begin: int, after: int) -> int | None:
        """The end of what follows a comment that stands alone on the lines from `begin` and ends at `after`."""
        if self._format in ("html", "markdown", "notebook") and (element := self._element(after)) is not None:
            return element
        first = self._piece(begin, after)
        if first is None:
            return None
        if self._format == "plain":
            return self._paragraph(after)
        if first.table >= 0:
            return self._tables[first.table]
        if self._format == "html":
            return first.span.end
        start = self._first_line(after, first.span.start)
        return max(first.span.end, self._lines(begin, start))

    def _piece(self, begin: int, after: int) -> Piece | None:
        """The first piece behind the comment, or the paragraph that the comment's line is the beginning of."""
        before = bisect_right(self._starts, begin)
        for piece in self._ordered[max(0, before - 3) : before]:
            if piece.span.end > after and self._text[after : piece.span.end].strip():
                return piece
        at = bisect_left(self._starts, after)
        return self._ordered[at] if at < len(self._ordered) else None

    @cached_property
    def _ordered(self) -> list[Piece]:
        shown = (piece for piece in self._pieces if piece.text.strip() and piece.kind not in (Kind.COMMENT, Kind.META))
        return sorted(shown, key=lambda piece: piece.span)

    @cached_property
    def _starts(self) -> list[int]:
        return [piece.span.start for piece in self._ordered]

    @cached_property
    def _tables(self) -> dict[int, int]:
        """Where each table ends."""
        ends: dict[int, int] = {}
        for piece in self._pieces:
            if piece.table >= 0:
                ends[piece.table] = max(ends.get(piece.table, 0), piece.span.end)
        return ends

    # ---- elements

    def _element(self, after: int) -> int | None:
        """The end of the element that begins behind a comment of HTML, if one does."""
        tail = re.compile(r"\s*(?:-->)?\s*").match(self._text, after)
        return self._elements.get(tail.end()) if tail else None

    @cached_property
    def _elements(self) -> dict[int, int]:
        """Where each element that holds others ends, by its beginning."""
        ends: dict[int, int] = {}
        opened: dict[str, list[int]] = {}
        for match in _TAG.finditer(self._text):
            starts = opened.setdefault(match["name"].lower(), [])
            if not match["close"]:
                starts.append(match.start())
            elif starts:
                ends[starts.pop()] = match.end()
        return ends

    def around(self, begin: int, end: int, place: int) -> tuple[int, int]:
        """What a comment that stands beside text on the line from `begin` to `end` is about: the line, or the
        innermost element around it where the line holds more than that one."""
        if self._format != "html":
            return begin, end
        at = bisect_right(self._begins, place)
        for start in reversed(self._begins[max(0, at - _AROUND) : at]):
            stop = self._elements[start]
            if begin <= start and place < stop <= end:
                return start, stop
        return begin, end

    @cached_property
    def _begins(self) -> list[int]:
        return sorted(self._elements)

    # ---- lines

    def _paragraph(self, after: int) -> int:
        """The end of the next lines with text, up to a blank one."""
        if self._last[0] <= after < self._last[1]:
            return self._last[1]
        place = self._next(after)
        end = after
        while place is not None:
            if self._line(place)[1]:
                end = self._line_end(place)
            elif end > after:
                break
            place = self._next(place)
        self._last = (after, end)
        return end

    def _first_line(self, after: int, start: int) -> int:
        """Where the block's first line begins: before its first piece where a line of marks heads it."""
        place = self._next(after)
        for _ in range(_AROUND):
            if place is None or place >= start:
                break
            if _HEADED.match(self._line(place)[1]):
                return place
            place = self._next(place)
        return self._text.rfind("\n", 0, start) + 1

    def _lines(self, begin: int, at: int) -> int:
        """The end of the list, quotation or directive whose first line begins at `at`; `at` for another block.

        A comment between two items is about the next one alone.
        """
        indent, body = self._line(at)
        marked = _MARKER.match(body) is not None
        if not marked and not body.startswith(">") and not _HEADED.match(body):
            return at
        limit = self._cell_end(at)
        inside = marked and self._is_in_list(begin, indent)
        known = self._lists.get(indent)
        if marked and not inside and known is not None and known[0] <= at < known[1]:
            return known[1]
        end = at
        place = self._next(at)
        while place is not None and place < limit:
            deep, following = self._line(place)
            if following:
                quoted = body.startswith(">") and following.startswith(">")
                item = marked and not inside and deep == indent and _MARKER.match(following) is not None
                lazy = not self._blank_before(place) and marked and not _MARKER.match(following)
                if deep <= indent and not (quoted or item or lazy):
                    break
                end = place
            elif body.startswith(">"):
                break
            place = self._next(place)
        stop = min(self._line_end(end), limit)
        if marked and not inside:
            self._lists[indent] = (at, stop)
        return stop

    def _line(self, at: int) -> tuple[int, str]:
        """The indentation of the line that begins at `at`, and its text without it; "" for a blank one."""
        line = self._text[at : self._line_end(at)].expandtabs(4)
        body = line.strip()
        return len(line) - len(line.lstrip()), body

    def _line_end(self, at: int) -> int:
        stop = self._text.find("\n", at)
        return len(self._text) if stop == -1 else stop

    def _cell_end(self, at: int) -> int:
        """Where the string of a notebook's cell ends that `at` stands in; the end of another text."""
        if self._format != "notebook":
            return len(self._text)
        if not self._cell[0] <= at < self._cell[1]:
            close = _QUOTE.search(self._text, at)
            self._cell = (at, close.start() if close else len(self._text))
        return self._cell[1]

    def _next(self, at: int) -> int | None:
        stop = self._text.find("\n", at)
        return None if stop == -1 or stop + 1 >= len(self._text) else stop + 1

    def _blank_before(self, at: int) -> bool:
        return at < 2 or not self._line(self._text.rfind("\n", 0, at - 1) + 1)[1]

    def _is_in_list(self, begin: int, indent: int) -> bool:
        """Whether the last line with text before `begin` belongs to an item of the list at an indentation."""
        if self._format == "notebook" and self._text[begin - 1 : begin] == '"':
            return False  # the cell begins here
        at = begin
        for _ in range(3):
            if at <= 0:
                return False
            at = self._text.rfind("\n", 0, at - 1) + 1
            deep, body = self._line(at)
            if body:
                return deep > indent or (deep == indent and _MARKER.match(body) is not None)
        return False
