"""A document that people read, and what was read from it.

Offsets are stored in characters of `Document.text` (the decoded file, line ends untouched); line and column are
derived in one place, `Document.position`.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property

from .place import LineRange


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Characters `start` to `end` (excluded) of a document's text."""

    start: int
    end: int

    def contains(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end


@dataclass(frozen=True, slots=True)
class Prose:
    """A stretch of running text with markup removed and entities decoded.

    `offsets[i]` is the place in the document's text where character `i` of `text` came from; white space is
    collapsed to one space. `span` is the paragraph, list item, cell or heading that it was read from.
    """

    text: str
    offsets: tuple[int, ...]
    span: Span
    section: str = ""
    is_heading: bool = False


@dataclass(frozen=True, slots=True)
class Quote:
    """Code that a document shows: one block, or one part of a block that holds several quotes.

    `lines` are decoded (entities, highlight spans removed), without a header line that gives the location.
    `offsets[i]` is where line `i` begins in the document's text. `fenced` says that the document marks it as
    code; plain text may not. `language` is the fence's word or "". `before` and `after` index the neighbouring
    prose in `Document.prose`, as evidence of where the quote was taken from.
    """

    lines: tuple[str, ...]
    span: Span
    offsets: tuple[int, ...]
    language: str = ""
    fenced: bool = True
    before: int | None = None
    after: int | None = None

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
    """Where an abbreviated location took its path from: "cell", "sentence", "header", "section", "page"."""


@dataclass(frozen=True, slots=True)
class Unread:
    """Something in or about a document that was not read, and why."""

    what: str
    why: str
    span: Span | None = None


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
    def _starts(self) -> list[int]:
        starts = [0]
        text = self.text
        index = text.find("\n")
        while index != -1:
            starts.append(index + 1)
            index = text.find("\n", index + 1)
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """Line and column of a character, both 1-based."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1
