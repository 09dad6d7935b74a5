"""A document that people read, and what was read from it.

Offsets are stored in characters of `Document.text` (the decoded file, line ends untouched); line and column are
derived in one place, `Document.position`.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import overload

from .place import LineRange


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Characters `start` to `end` (excluded) of a document's text."""

    start: int
    end: int

    def contains(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end


class Offsets(Sequence[int]):
    """Where each character of a read text stands in the document, kept as runs (a tuple would cost 36 bytes each).

    Run `k` begins at character `starts[k]` of the read text and at `places[k]` of the document and ends at
    `ends[k]` of the document. Characters of a run follow each other one by one, but for the last one, which
    takes what is left up to the run's end: a decoded entity or escape is a run of its own.
    """

    __slots__ = ("ends", "length", "places", "starts")

    def __init__(self, starts: Sequence[int], places: Sequence[int], ends: Sequence[int], length: int) -> None:
        self.starts = starts
        self.places = places
        self.ends = ends
        self.length = length

    @classmethod
    def verbatim(cls, place: int, length: int) -> Offsets:
        """A read text that stands in the document as it is."""
        return cls((0,), (place,), (place + length,), length)

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[int, ...]: ...
    def __getitem__(self, index: int | slice) -> int | tuple[int, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(self.length)))
        if index < 0:
            index += self.length
        if not 0 <= index < self.length:
            raise IndexError(index)
        run = bisect_right(self.starts, index) - 1
        # Characters beyond a run's width (an escape that decodes to two) all stand at its start.
        return min(self.places[run] + index - self.starts[run], max(self.ends[run] - 1, self.places[run]))

    def each(self, indexes: Sequence[int]) -> tuple[int, ...]:
        """The places of several characters."""
        starts, places, ends = self.starts, self.places, self.ends
        if len(starts) == 1 and ends[0] - places[0] == self.length:
            shift = places[0]  # It stands in the document as it is: by far the most.
            return tuple([shift + index for index in indexes])
        return tuple([self[index] for index in indexes])

    def end(self, index: int) -> int:
        """Where character `index` ends in the document."""
        run = bisect_right(self.starts, index) - 1
        following = self.starts[run + 1] if run + 1 < len(self.starts) else self.length
        if index + 1 >= following:
            return self.ends[run]
        return min(self.places[run] + index - self.starts[run] + 1, self.ends[run])

    def index_of(self, place: int) -> int:
        """The first character of the read text that does not stand before `place`."""
        run = bisect_right(self.places, place) - 1
        if run < 0:
            return 0
        following = self.starts[run + 1] if run + 1 < len(self.starts) else self.length
        return min(self.starts[run] + max(place - self.places[run], 0), following)

    def span(self, start: int, end: int) -> Span:
        """Characters `start` to `end` (excluded) of the read text as a span of the document."""
        if end <= start:
            place = self[start] if start < self.length else self.end(start - 1) if start else 0
            return Span(place, place)
        starts = self.starts
        run = bisect_right(starts, start) - 1
        following = starts[run + 1] if run + 1 < len(starts) else self.length
        place = self.places[run]
        if end <= following and self.ends[run] - place == following - starts[run]:
            # Both within one run that stands in the document as it is: by far the most.
            return Span(place + start - starts[run], place + end - starts[run])
        return Span(self[start], self.end(end - 1))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(a == b for a, b in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash((self.length, tuple(self.places)))


@dataclass(frozen=True, slots=True)
class Mark:
    """Markup around characters `start` to `end` (excluded) of a read text.

    `kind` is "code" (a code span), "link" (`target` is its address, `target_offsets` where that stands) or
    "block" (the element as a whole carries `attributes`).
    """

    kind: str
    start: int
    end: int
    target: str = ""
    target_offsets: Offsets | None = None
    attributes: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Prose:
    """A stretch of running text with markup removed and entities decoded.

    `offsets[i]` is the place in the document's text where character `i` of `text` came from; white space is
    collapsed to one space. `span` is the paragraph, list item, cell or heading that it was read from.
    `marks` are the code spans and links in it.
    """

    text: str
    offsets: Sequence[int]
    span: Span
    section: str = ""
    is_heading: bool = False
    marks: tuple[Mark, ...] = ()
    table: int = -1
    """The number of the table that it is a cell of, -1 for other text."""
    row: int = -1
    column: int = -1

    def located(self, start: int, end: int) -> Span:
        """Characters `start` to `end` (excluded) of `text` as a span of the document."""
        if isinstance(self.offsets, Offsets):
            return self.offsets.span(start, end)
        return (
            Span(self.offsets[start], self.offsets[end - 1] + 1)
            if end > start
            else Span(self.span.start, self.span.start)
        )


@dataclass(frozen=True, slots=True)
class Quote:
    """Code that a document shows: one block, or one part of a block that holds several quotes.

    `lines` are decoded (entities, highlight spans removed), without a header line that gives the location.
    `offsets[i]` is where line `i` begins in the document's text. `fenced` says that the document marks it as
    code; plain text may not. `language` is the fence's word, else a guess, or "" ("shell" and "console" are
    never quotes of an engine). `before` and `after` index the neighbouring prose in `Document.prose`, as
    evidence of where the quote was taken from. `verbatim` is False where the document itself says that the
    block is a sketch of the place that it names.
    """

    lines: tuple[str, ...]
    span: Span
    offsets: tuple[int, ...]
    language: str = ""
    fenced: bool = True
    before: int | None = None
    after: int | None = None
    verbatim: bool = True
    attached: str = ""
    """How it got its location: "inside", "info", "attribute", "header", "below", or "sentence" (the sentence before
    the block ends in the location and a colon or says "as follows", or the one behind it speaks of the code above, so
    that the block may be an example instead), or "title" (a paragraph above that is a name and a place); "" without
    one."""

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class Citation:
    """A place in a document that names code.

    `span` is the whole written form; `path` as written with separators normalised to `/` and known checkout
    prefixes removed (None for a block found by content); `lines` is None without usable numbers, and `problem`
    then says what was written ("placeholder", "reversed 986-917", "zero"). `first_digits` and `last_digits`
    are the digits to rewrite. `form` is a stable word for the written form. `rev` is the citation's own
    revision (URL, prefix or path), `inherited_rev` the page's or section's. `twins` are further spans that
    carry the same numbers (a link's label and its address).
    """

    span: Span
    path: str | None
    lines: LineRange | None = None
    engine: str | None = None
    rev: str | None = None
    inherited_rev: str | None = None
    symbol: str | None = None
    quote: Quote | None = None
    form: str = "inline"
    unpinned: bool = False
    approximate: bool = False
    open_ended: bool = False
    problem: str | None = None
    first_digits: Span | None = None
    last_digits: Span | None = None
    rev_span: Span | None = None
    path_span: Span | None = None
    twins: tuple[Span, ...] = ()
    url: str | None = None
    prose: int | None = None
    """Index into `Document.prose` of the paragraph it stands in (or that stands next to its block)."""
    inherited_from: str | None = None
    """Where an abbreviated location took its path from: "attribute", "cell", "sentence", "paragraph", "header",
    "section", "page"."""
    written_path: str | None = None
    """The path as the document writes it, where `path` is not the same."""
    candidates: tuple[str, ...] = ()
    """Paths of the page that an abbreviated or bare location may mean, where none of them is decided."""
    repository: str | None = None
    """`owner/name` of a link's repository, an engine's or not."""
    branch: str | None = None
    """The branch that an unpinned link names."""
    label_lines: LineRange | None = None
    """Lines that a link's text names, where its address names others."""
    label_digits: tuple[Span, ...] = ()
    further_lines: tuple[LineRange, ...] = ()
    """Further ranges of the header that the quote was taken from (a splice); each is a citation of its own too."""
    beside: str | None = None
    """The code on whose line a note such as `# L2056` stands, inside a quote."""
    columns: tuple[Span, ...] = ()
    """Column numbers of the written form (`#L133C9-L133C20`), which no check uses."""


@dataclass(frozen=True, slots=True)
class Unread:
    """Something in or about a document that was not read, and why.

    `broken` says that there is a document that could have been read: it is damaged, or cannot be opened.
    """

    what: str
    why: str
    span: Span | None = None
    broken: bool = False


@dataclass(frozen=True)
class Document:
    """One file as read. `name` is the path as the user gave it ("-" for standard input)."""

    name: str
    format: str
    text: str
    prose: tuple[Prose, ...] = ()
    citations: tuple[Citation, ...] = ()
    unread: tuple[Unread, ...] = ()
    ignored: tuple[tuple[Span, str], ...] = ()
    """Spans that a `refcheck: ignore[reason]` comment covers, with the reason."""
    revisions: tuple[tuple[str, str], ...] = ()
    """(engine, revision) pairs that the page's head or front matter declares."""
    encoding: str = "utf-8"
    digest: str = ""
    """Hex SHA-256 of the file's bytes as read; a rewriter refuses a file that no longer has it."""
    quotes_by_content: tuple[Quote, ...] = field(default=())
    """Blocks without a location of their own, to be looked for by content."""

    @cached_property
    def rows(self) -> dict[tuple[int, int], tuple[int, ...]]:
        """Indexes of the cells of each (table, row) in `prose`, in their order; row 0 is the head."""
        found: dict[tuple[int, int], list[int]] = {}
        for index, prose in enumerate(self.prose):
            if prose.table >= 0 and prose.row >= 0:
                found.setdefault((prose.table, prose.row), []).append(index)
        return {key: tuple(cells) for key, cells in found.items()}

    def ignored_because(self, span: Span) -> str | None:
        """The reason of an ignore comment that covers the whole span; None where none does."""
        starts, furthest = self._ignored
        at = bisect_right(starts, span.start) - 1
        if at < 0:
            return None
        covered, reason = furthest[at]
        return reason if covered.end >= span.end else None

    @cached_property
    def _ignored(self) -> tuple[list[int], list[tuple[Span, str]]]:
        """Where ignored spans begin, in order; and of each and those before it, the one that reaches furthest."""
        ordered = sorted(self.ignored, key=lambda one: one[0].start)
        furthest: list[tuple[Span, str]] = []
        for one in ordered:
            furthest.append(one if not furthest or one[0].end > furthest[-1][0].end else furthest[-1])
        return [span.start for span, _ in ordered], furthest

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        text = self.text
        index = text.find("\n")
        while index != -1:
            starts.append(index + 1)
            index = text.find("\n", index + 1)
        return starts

    def offset(self, line: int, column: int) -> int:
        """The character at a line and column, both 1-based: the way back from `position`."""
        return self._starts[line - 1] + column - 1

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, both 1-based."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1
