"""Code blocks: which are quotes, where their location stands, and the notes inside them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from operator import add

from ..model.document import Mark, Offsets, Quote
from .block_headers import (
    COMMENT_SIGNS,
    comment_body,
    info_lines,
    is_header,
    is_pointer,
    language_of,
    read_info,
    read_lines,
    trailing_comment,
)
from .code_shape import guess_language, looks_like_code
from .draft import Draft
from .locations import Located
from .piece_citations import PieceFinds, PieceReader, apply_attributes, numbered
from .pieces import Kind, Piece
from .rejections import CONSOLE_LANGUAGES, SHELL_LANGUAGES, is_console, may_be_console

_SEARCHED = frozenset({"python", "cpp", "c", "cuda", "rust", "go", "java", "javascript", "typescript", "triton", ""})
_DIAGRAMS = frozenset(
    {
        "text",
        "txt",
        "plain",
        "plaintext",
        "mermaid",
        "dot",
        "graphviz",
        "plantuml",
        "ascii",
        "diagram",
        "none",
        "md",
        "markdown",
        "raw",
    }
)
_DATA = frozenset(
    {
        "json",
        "yaml",
        "toml",
        "ini",
        "cfg",
        "xml",
        "html",
        "css",
        "jinja",
        "jinja2",
        "dockerfile",
        "makefile",
        "cmake",
        "proto",
        "sql",
        "latex",
        "tex",
        "bibtex",
        "math",
        "jsonc",
        "json5",
        "properties",
        "env",
        "csv",
        "http",
        "nginx",
        "hcl",
        "kql",
        "promql",
    }
)
_COMMENT_STARTS = frozenset("#/<-;*%\"'")
_DIGIT = re.compile(r"\d")
_NOTE_NUMBERS = re.compile(
    r"(?<![A-Za-z0-9_/#.\-])[~≈]?L\d{1,7}(?![A-Za-z0-9_])|第\s?\d|\blines?\s\d|(?<![A-Za-z0-9_.])[:：]\d{1,7}(?![\d:])"
)


@dataclass(slots=True)
class BlockFinds:
    """What a code block gives."""

    language: str
    drafts: list[Draft] = field(default_factory=list)
    """Citations made by the block itself, those with `quote` located."""
    loose: list[Quote] = field(default_factory=list)
    """Parts without a location of their own, in order."""
    text_finds: PieceFinds | None = None
    """For a diagram or plain text: what its text cites."""
    output: tuple[str, ...] = ()
    """The lines of a program's output."""


@dataclass(slots=True)
class _Part:
    first: int
    last: int
    header: list[Draft] = field(default_factory=list)
    pointer: bool = False


def _told(lines: Sequence[str]) -> Sequence[str]:
    """The lines of a block of code that may show it to be the output of a program: the first one that is no comment.

    What a program prints stands in docstrings too (`>>> pool.get()`, `ValueError: If it is empty.`).
    """
    return next(([line] for line in lines if line.strip() and not line.lstrip().startswith(("#", "//"))), [])


def _is_within(above: Sequence[str], line: str) -> bool:
    """Whether a line is indented into the code above it."""
    solid = [len(text) - len(text.lstrip()) for text in above if text.strip()]
    return bool(solid) and len(line) - len(line.lstrip()) > min(solid)


class BlockReader:
    """Reads the code blocks of one document."""

    def __init__(self, reader: PieceReader) -> None:
        self.reader = reader

    def read(self, piece: Piece, index: int) -> BlockFinds:
        lines, starts = _lines(piece.text)
        word = language_of(piece.info) if piece.info else ""
        language = word if word and word != "text" else ""
        guess = guess_language(lines) if not language else ""
        speaking = may_be_console(piece.text)
        is_code = bool(language or guess) and (language or guess) in {*_SEARCHED, "diff", "patch"}
        told = _told(lines) if is_code else lines[:60]
        if (
            language in CONSOLE_LANGUAGES
            or guess == "console"
            or (language in ("", "text", "bash", "sh") and speaking and is_console(told if is_code else lines))
        ):
            return BlockFinds("console", output=tuple(lines))
        if language in SHELL_LANGUAGES or guess == "shell":
            return BlockFinds("shell")
        if speaking and is_console(line for line in told if not line.lstrip().startswith(("#", "//"))):
            return BlockFinds("console", output=tuple(lines))
        outside = self._outside(piece, index)
        if outside is None and (word in _DIAGRAMS or (not language and not guess and not looks_like_code(lines[:60]))):
            made = self._diagram(piece, index, word)
            # A block that only carries a header is a quote of something that no outline knows.
            headed = self._inside(piece, index, lines, starts, "text") if word not in ("mermaid", "dot") else []
            if not any(part.header for part in headed):
                return made
        kind = language or guess
        parts = self._inside(piece, index, lines, starts, kind)
        found = BlockFinds(kind)
        for part in parts:
            quote = _quote(piece, lines, starts, part.first, part.last, kind, verbatim=not part.pointer)
            header = part.header
            if not header and outside is not None:
                header, outside = outside, None
            if header:
                if quote is not None:
                    attach(header, quote, header[0].form if header[0].form in ("info", "attribute") else "inside")
                found.drafts.extend(header)
                if quote is not None:
                    found.drafts.extend(self._notes(piece, index, lines, starts, part, kind, header[0]))
            elif quote is not None:
                if kind in _SEARCHED and (kind or looks_like_code(lines[part.first : part.last])):
                    found.loose.append(quote)
                found.drafts.extend(self._notes(piece, index, lines, starts, part, kind, None))
        if outside:
            found.drafts.extend(outside)
        return found

    def _diagram(self, piece: Piece, index: int, word: str) -> BlockFinds:
        finds = self.reader.read(piece, index, lean=False)
        for draft in finds.drafts:
            if draft.form not in ("url", "link"):
                draft.form = "diagram"
        return BlockFinds("text", text_finds=finds)

    # Locations outside the code ----------------------------------------------------------------------------

    def _outside(self, piece: Piece, index: int) -> list[Draft] | None:
        """The location that the block's attributes or info string declare."""
        attributes = piece.attributes
        if attributes.get("data-source-path") or attributes.get("data-source-file"):
            draft = Draft(piece.span, index, 0, 0, None, "attribute", whole=True)
            apply_attributes(draft, attributes, self.reader.paths)
            _with_lines(draft, attributes)
            return [draft] if draft.path else None
        title = (
            attributes.get("data-title")
            or attributes.get("title")
            or attributes.get("data-file")
            or attributes.get("data-filename")
        )
        if title:
            made = self._from_text(title, Offsets.verbatim(piece.span.start, 0), piece, index, placed=False)
            if made:
                if len(made) == 1 and made[0].first is None:
                    _with_lines(made[0], attributes)
                return made
        if not piece.info:
            return None
        info = piece.info
        place = read_info(info)
        if place is None:
            return None
        offsets = piece.info_offsets
        text = info[place.path_start : place.path_end]
        if place.first is None:
            part = _slice(offsets, place.path_start, place.path_end) if offsets is not None else None
            made = self._from_text(
                text, part or Offsets.verbatim(piece.span.start, 0), piece, index, placed=part is not None
            )
            lines = info_lines(info)
            if made and len(made) == 1 and made[0].first is None and lines is not None:
                _numbered(made[0], info, lines, offsets)
            return made
        location = self.reader.urls.read(text)
        path, engine, rev, whole = (
            (location.path, location.engine, location.rev, True) if location else self.reader.paths.normalise(text)
        )
        draft = Draft(piece.span, index, 0, 0, path, "info", whole=whole, engine=engine, rev=rev)
        if path != text:
            draft.written_path = text
        if location is not None:
            draft.repository, draft.branch, draft.url = location.repository, location.branch, text
        draft.first = int(info[place.first[0] : place.first[1]])
        draft.last = int(info[place.last[0] : place.last[1]]) if place.last else draft.first
        if offsets is not None:
            draft.first_digits = offsets.span(*place.first)
            draft.last_digits = offsets.span(*place.last) if place.last else None
            draft.path_span = offsets.span(place.path_start, place.path_end)
            draft.span = offsets.span(0, place.path_end)
        return [draft]

    def _from_text(self, text: str, offsets: Offsets, piece: Piece, index: int, *, placed: bool) -> list[Draft] | None:
        small = Piece(
            Kind.HEADER, text, offsets if placed else Offsets.verbatim(piece.span.start, len(text)), piece.span
        )
        finds = self.reader.read(small, index, lean=False)
        drafts = finds.drafts
        if not drafts and finds.mentions and finds.mentions[0].engine is not None:
            mention = finds.mentions[0]
            drafts = [
                Draft(
                    small.located(0, len(text)),
                    index,
                    0,
                    0,
                    mention.path,
                    "info",
                    whole=mention.whole,
                    engine=mention.engine,
                    rev=mention.rev,
                )
            ]
        for draft in drafts:
            draft.form = "info"
            if not placed:
                draft.span, draft.path_span = piece.span, None
                draft.first_digits = draft.last_digits = None
        return drafts or None

    # Header lines inside -----------------------------------------------------------------------------------

    def _inside(self, piece: Piece, index: int, lines: Sequence[str], starts: Sequence[int], kind: str) -> list[_Part]:
        parts: list[_Part] = [_Part(0, len(lines))]
        for row, line in enumerate(lines):
            if ("." not in line and "Dockerfile" not in line) or (line.lstrip()[:1] not in _COMMENT_STARTS and row):
                continue
            body = comment_body(line)
            if body is None and not (kind == "text" and row == 0):
                continue
            a, b = body or (0, len(line))
            if row and _is_within(lines[parts[-1].first : row], line):
                continue  # A comment of the quoted code itself, which says where that was taken from.
            header = self._header(piece, index, line, starts[row], a, b, first=row == 0)
            if header is None:
                continue
            if all(not text.strip() for text in lines[parts[-1].first : row]) and not parts[-1].header:
                parts.pop()
            else:
                parts[-1].last = row
            parts.append(_Part(row + 1, len(lines), header, is_pointer(line)))
        if (
            len(parts) > 1
            and not parts[0].header
            and all(not text.strip() or comment_body(text) for text in lines[parts[0].first : parts[0].last])
        ):
            parts.pop(0)  # A title above the header.
        return parts

    def _header(
        self, piece: Piece, index: int, line: str, at: int, a: int, b: int, *, first: bool
    ) -> list[Draft] | None:
        """Drafts of a header line, or None if the line is a comment that happens to name a place."""
        text = line[a:b]
        reader = self.reader
        for start, end in reader.urls.find(text):
            location = reader.urls.read(text[start:end])
            if location is None or (location.first is None and not first):
                return None
            if not is_header(text[:start], text[min(start + location.end, end) :]):
                return None
            small = _piece(piece, at + a, at + b, text)
            finds = reader.read(small, index, lean=False)
            for draft in finds.drafts:
                draft.form = "block"
            if not finds.drafts:
                path, engine = reader._url_path(location)
                return [
                    Draft(
                        small.span,
                        index,
                        0,
                        0,
                        path,
                        "block",
                        whole=True,
                        engine=engine,
                        rev=location.rev,
                        repository=location.repository,
                        branch=location.branch,
                        url=text[start:end],
                    )
                ]
            return finds.drafts
        located, mentions, _ = reader.locations.find(text, [], [])
        if located:
            entry = located[0]
            after = text[located[-1].end :]
            if len(located) > 1 and not all(other.mention.path == entry.mention.path for other in located):
                after = text[entry.end :]
            if not is_header(text[: entry.start], after):
                return None
            if entry.symbol is not None and not entry.numbers and not first:
                return None
            return self._header_drafts(piece, index, at + a, text, located, after)
        if mentions and first:
            mention = mentions[0]
            if mention.end - mention.path_start < 4 or not is_header(text[: mention.start], text[mention.end :]):
                return None
            if mention.engine is None:
                return []  # A file of the reader's own (`# my_server.py`): no place, but no line of the code either.
            if " " in text[mention.end :].strip() and not re.match(r"\s*[·|—–(（:：,]", text[mention.end :]):
                return None
            place = piece.located(at + a + mention.start, at + a + mention.end)
            draft = Draft(
                place, index, 0, 0, mention.path, "block", whole=mention.whole, engine=mention.engine, rev=mention.rev
            )
            draft.path_span = piece.located(at + a + mention.path_start, at + a + mention.path_end)
            if mention.behind:
                draft.rev_span = piece.located(at + a + mention.behind[0], at + a + mention.behind[1])
            if mention.path != mention.written:
                draft.written_path = mention.written
            draft.symbol = _symbol_note(text[mention.end :])
            return [draft]
        return None

    def _header_drafts(
        self, piece: Piece, index: int, at: int, text: str, located: Sequence[Located], after: str
    ) -> list[Draft]:
        small = _piece(piece, at, at + len(text), text)
        drafts: list[Draft] = []
        for entry in located:
            base = self.reader._draft(entry.mention, small, index, entry.start, entry.end)
            base.form = "block"
            base.symbol = entry.symbol or _symbol_note(after)
            drafts.extend(numbered(base, entry.numbers, small) if entry.numbers else [base])
        return drafts

    # Notes inside ------------------------------------------------------------------------------------------

    def _notes(
        self,
        piece: Piece,
        index: int,
        lines: Sequence[str],
        starts: Sequence[int],
        part: _Part,
        kind: str,
        header: Draft | None,
    ) -> list[Draft]:
        """`# L2056` beside a quoted line, and locations in its comments."""
        made: list[Draft] = []
        signs = COMMENT_SIGNS.get(kind, ("#",))
        if not any(sign in piece.text for sign in signs):
            return made
        for row in range(part.first, part.last):
            line = lines[row]
            if not any(sign in line for sign in signs) or not _DIGIT.search(line):
                continue
            at = trailing_comment(line, kind)
            if at == -1:
                continue
            comment = line[at:]
            if not _NOTE_NUMBERS.search(comment) and "." not in comment and "://" not in comment:
                continue
            small = _piece(piece, starts[row] + at, starts[row] + len(line), comment)
            small.marks = (Mark("code", 0, len(comment)),)
            finds = self.reader.read(small, index)
            beside = line[:at].strip() or None
            for draft in finds.drafts:
                if draft.form == "symbol":
                    continue
                draft.form = "note"
                draft.beside = beside
                made.append(draft)
            if header is None or header.path is None:
                continue
            for entry in finds.bare:
                if entry.near and not re.fullmatch(r"[\s#/*(（\[:：,，L\d~≈–-]*[)）\]]?\s*", comment[: entry.end + 1]):
                    continue
                base = Draft(
                    small.located(entry.start, entry.end),
                    index,
                    entry.start,
                    entry.end,
                    header.path,
                    "note",
                    whole=header.whole,
                    engine=header.engine,
                    rev=header.rev,
                    beside=beside,
                    inherited_from="header",
                )
                made.extend(numbered(base, entry.numbers, small))
        return made


def _with_lines(draft: Draft, attributes: Mapping[str, str]) -> None:
    """Gives a citation the lines that its element declares beside the path."""
    text = (attributes.get("data-source-lines") or attributes.get("data-lines") or "").strip()
    lines = read_lines(text)
    if lines is not None:
        _numbered(draft, text, lines, None)


def _numbered(
    draft: Draft, text: str, lines: tuple[tuple[int, int], tuple[int, int] | None], offsets: Offsets | None
) -> None:
    first, last = lines
    draft.first = int(text[slice(*first)])
    draft.last = int(text[slice(*last)]) if last else draft.first
    if offsets is not None:
        draft.first_digits = offsets.span(*first)
        draft.last_digits = offsets.span(*last) if last else None


def attach(drafts: Sequence[Draft], quote: Quote, how: str) -> None:
    """Gives a quote to the first of the citations that stand in its header; further ranges of it are named.

    `how` is the value of `Quote.attached`.
    """
    first = drafts[0]
    first.quote = replace(quote, attached=how)
    if first.form in ("inline", "short", "symbol"):
        first.form = "block"
    if not quote.verbatim:
        first.form = "pointer"
    rest = [d.lines for d in drafts[1:] if d.path == first.path]
    first.further_lines = tuple(lines for lines in rest if lines is not None)


def split_points(quote: Quote) -> tuple[int, ...]:
    """Indexes of lines at which a block may fall into several quotes, in order.

    A block can be cut before a line that follows a blank one, and before a line whose indentation differs from the
    line before it at the block's outer level. Whoever knows the engine's files decides.
    """
    points: list[int] = []
    lines = quote.lines
    margin = min((_indent(line) for line in lines if line.strip()), default=0)
    blank = False
    previous: int | None = None
    for row, line in enumerate(lines):
        if not line.strip():
            blank = True
            continue
        indent = _indent(line)
        if row and (blank or (previous is not None and indent < previous and indent == margin)):
            points.append(row)
        blank, previous = False, indent
    return tuple(points)


def _indent(line: str) -> int:
    expanded = line.expandtabs(4)
    return len(expanded) - len(expanded.lstrip(" "))


def _lines(text: str) -> tuple[list[str], list[int]]:
    lines = text.split("\n") if "\r" not in text else re.split(r"\r\n|\n|\r", text)
    if "\r" in text:
        starts = [0]
        starts.extend(match.end() for match in re.finditer(r"\r\n|\n|\r", text))
        return lines, starts
    starts = list(map(add, accumulate(map(len, lines), initial=0), range(len(lines))))
    return lines, starts


def _quote(
    piece: Piece, lines: Sequence[str], starts: Sequence[int], first: int, last: int, kind: str, *, verbatim: bool
) -> Quote | None:
    """Lines `first` to `last` (excluded) without blank ones at either end."""
    while first < last and not lines[first].strip():
        first += 1
    while last > first and not lines[last - 1].strip():
        last -= 1
    if first == last:
        return None
    # The last line is not blank, so that every line begins inside of the text.
    offsets = piece.offsets.each(starts[first:last])
    span = piece.located(starts[first], max(starts[last - 1] + len(lines[last - 1]), starts[first] + 1))
    return Quote(tuple(lines[first:last]), span, offsets, kind, piece.fenced, verbatim=verbatim)


def _piece(piece: Piece, start: int, end: int, text: str) -> Piece:
    offsets = _slice(piece.offsets, start, end)
    return Piece(Kind.TEXT, text, offsets, offsets.span(0, max(end - start, 1)))


def _slice(offsets: Offsets, start: int, end: int) -> Offsets:
    from .pieces import through

    return through(Offsets.verbatim(start, end - start), offsets)


def _symbol_note(after: str) -> str | None:
    """`· Scheduler.schedule（note）` behind a header's location."""
    match = re.match(
        r"\s*[·|—–:：(（\-]\s*`?([A-Za-z_]\w*(?:\.\w+)*)`?(?:\(\))?\s*(?:[)）（(,，:：—–|].*)?$", after[:200]
    )
    if match is None:
        return None
    name = match.group(1)
    return name if "." in name or "_" in name or name[:1].isupper() else None
