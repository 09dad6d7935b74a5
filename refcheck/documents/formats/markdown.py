"""Markdown: CommonMark blocks by markdown-it-py, with tables, footnotes, front matter, MkDocs and MDX additions.

The block parser gives line numbers and no offsets, so that each line of a block is found again at the end of its
source line (a container's prefix stands before it, nothing behind). Inline markup is read here, because the
offsets of every character are needed; its time is linear for any input (brackets and code spans are paired in one
pass each).
"""

from __future__ import annotations

import html
import re
from bisect import bisect_left
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from ...model.document import Mark, Offsets, Span
from ..pieces import SPACE, Format, Kind, Piece, TextBuilder, code_piece, line_spans
from . import html as html_format

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_FRONT = re.compile(r"\ufeff?---[ \t]*\r?\n")
_FRONT_END = re.compile(r"^(?:---|\.\.\.)[ \t]*\r?$", re.MULTILINE)
# MkDocs content tabs look like a paragraph to CommonMark; as an admonition their indented body is read.
_TAB = re.compile(r'^([ \t]*)===[!+]?( ["\'].*)$', re.MULTILINE)
_DEFINITION = re.compile(r"[ ]{0,3}\[([^\[\]\n]{1,200})\]:[ \t]*<?([^\s<>]+)>?")
_TICKS = re.compile(r"`+")
_SPECIAL = re.compile(r"[\\`*_~\[\]!<&${]|https?://")
_DESTINATION = re.compile(
    r"\(\s*+(?:<([^<>\n]*+)>|((?:[^\s()\\]++|\\.|\((?:[^\s()\\]++|\\.)*+\))*+))"
    r"(?:\s++(?:\"(?:[^\"\\]++|\\.)*+\"|'(?:[^'\\]++|\\.)*+'|\([^()]*+\)))?\s*+\)",
    re.DOTALL,
)
_REFERENCE = re.compile(r"\[([^\[\]\n]{0,200})\]")
_AUTOLINK = re.compile(r"<((?:https?|ftp)://[^\s<>]*+)>", re.IGNORECASE)
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9.:-]*+(?:[^<>\"']++|\"[^\"\n]*+\"|'[^'\n]*+')*+>")
_TAG_NAME = re.compile(r"</?([A-Za-z][A-Za-z0-9.:-]*)")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});")
_URL = re.compile(r"https?://[^\s<>\"`]*+", re.IGNORECASE)
_MATH = re.compile(r"\$\$?[^$\s](?:[^$\\]++|\\.){0,60}?\$", re.DOTALL)
_DUNDER = re.compile(r"__\w+?__(?:\.|\()")
_CLOSING = re.compile(r"(?<=[^\s_])_+(?![A-Za-z0-9_])")
_PUNCTUATION = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


@cache
def _parser() -> MarkdownIt:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.admon import admon_plugin
    from mdit_py_plugins.footnote import footnote_plugin

    parser = MarkdownIt("commonmark", {"maxNesting": 60}).enable("table")
    parser.use(footnote_plugin, inline=False)
    parser.use(admon_plugin)
    # Link definitions are read with the inline markup, where their offsets are known.
    parser.disable("reference")
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


class _Inline:
    """The inline markup of one block: `text` is the block's content, `place(i)` its offsets."""

    def __init__(self, text: str, offsets: Offsets, targets: dict[str, tuple[str, Offsets]]) -> None:
        self.text = text
        self.offsets = offsets
        self.targets = targets
        self.builder = TextBuilder()
        self.comments: list[Piece] = []
        self.code_ends = self._code_spans()
        self.closers = self._brackets()

    def _code_spans(self) -> dict[int, tuple[int, int]]:
        """Start of each code span -> (start of its closing ticks, end)."""
        runs = [match.span() for match in _TICKS.finditer(self.text)]
        by_length: dict[int, list[int]] = {}
        for start, end in runs:
            by_length.setdefault(end - start, []).append(start)
        spans: dict[int, tuple[int, int]] = {}
        limit = 0
        for start, end in runs:
            if start < limit:
                continue
            if start and self.text[start - 1] == "\\" and not self._escaped(start - 1):
                # An escaped tick opens nothing; the rest of its run may.
                start += 1
                if start == end:
                    continue
            same = by_length.get(end - start, [])
            index = bisect_left(same, end)
            if index < len(same):
                spans[start] = (same[index], same[index] + end - start)
                limit = same[index] + end - start
            else:
                limit = end
        return spans

    def _escaped(self, at: int) -> bool:
        count = 0
        while at > 0 and self.text[at - 1] == "\\":
            at -= 1
            count += 1
        return count % 2 == 1

    def _brackets(self) -> dict[int, int]:
        """Each `[` that is closed -> its `]`."""
        text = self.text
        pairs: dict[int, int] = {}
        if "[" not in text:
            return pairs
        stack: list[int] = []
        position = 0
        bracket = re.compile(r"[\[\]\\`]")
        while True:
            match = bracket.search(text, position)
            if match is None:
                return pairs
            at = match.start()
            position = at + 1
            char = match.group()
            if char == "\\":
                position += 1
            elif char == "`":
                if at in self.code_ends:
                    position = self.code_ends[at][1]
                else:
                    ticks = _TICKS.match(text, at)
                    position = at + 1 if at + 1 in self.code_ends or ticks is None else ticks.end()
            elif char == "[":
                stack.append(at)
            elif stack:
                pairs[stack.pop()] = at

    def put(self, start: int, end: int) -> None:
        """Characters of the content as they stand, white space collapsed."""
        if start < end and self.text[start] == " " and self.builder.ends_in_space:
            start += 1
        position = start
        for match in SPACE.finditer(self.text, start, end):
            a, b = match.span()
            if a > position:
                self._verbatim(position, a)
            span = self.offsets.span(a, b)
            self.builder.space(span.start, span.end)
            position = b
        if position < end:
            self._verbatim(position, end)

    def _verbatim(self, start: int, end: int) -> None:
        span = self.offsets.span(start, end)
        if span.end - span.start == end - start:
            self.builder.put(self.text[start:end], span.start, span.end)
            return
        for index in range(start, end):  # Text of an HTML block, with entities in it.
            span = self.offsets.span(index, index + 1)
            self.builder.put(self.text[index], span.start, span.end)

    def decoded(self, value: str, start: int, end: int) -> None:
        span = self.offsets.span(start, end)
        for char in value:
            if char.isspace():
                self.builder.space(span.start, span.end)
            else:
                self.builder.put(char, span.start, span.end)

    def unescaped(self, start: int, end: int) -> tuple[str, Offsets]:
        """A link's address: escapes and entities decoded."""
        builder = TextBuilder()
        position = start
        while position < end:
            char = self.text[position]
            if char == "\\" and position + 1 < end and self.text[position + 1] in _PUNCTUATION:
                span = self.offsets.span(position, position + 2)
                builder.put(self.text[position + 1], span.start, span.end)
                position += 2
                continue
            entity = _ENTITY.match(self.text, position, end) if char == "&" else None
            if entity:
                span = self.offsets.span(position, entity.end())
                builder.put(html.unescape(entity.group()), span.start, span.end)
                position = entity.end()
                continue
            following = min(
                (
                    i
                    for i in (self.text.find("\\", position + 1, end), self.text.find("&", position + 1, end))
                    if i != -1
                ),
                default=end,
            )
            span = self.offsets.span(position, following)
            builder.put(self.text[position:following], span.start, span.end)
            position = following
        return builder.build()

    def read(self) -> TextBuilder:
        text = self.text
        end = len(text)
        links: list[tuple[int, int, int, str, Offsets | None]] = []  # (label end, resume, mark start, target, offsets)
        position = 0
        no_comment_end = no_expression_end = False
        html_code: list[int] = []
        while position < end:
            if links and position >= links[-1][0]:
                _, resume, start, target, offsets = links.pop()
                if target:
                    self.builder.marks.append(Mark("link", start, len(self.builder), target, offsets))
                position = max(position, resume)
                continue
            match = _SPECIAL.search(text, position, links[-1][0] if links else end)
            stop = match.start() if match else (links[-1][0] if links else end)
            if stop > position:
                self.put(position, stop)
                position = stop
            if match is None:
                continue
            char = match.group()
            if char == "\\":
                if position + 1 < end and text[position + 1] in _PUNCTUATION:
                    self.decoded(text[position + 1], position, position + 2)
                    position += 2
                else:
                    self.put(position, position + 1)
                    position += 1
            elif char == "`":
                position = self.code_span(position)
            elif char in "*~_":
                position = self.emphasis(position, char)
            elif char == "!":
                if text[position + 1 : position + 2] != "[":
                    self.put(position, position + 1)
                position += 1
            elif char == "[":
                position = self.bracket(position, links)
            elif char == "]":
                self.put(position, position + 1)
                position += 1
            elif char == "<":
                if text.startswith("<!--", position):
                    stop = -1 if no_comment_end else text.find("-->", position + 4)
                    if stop == -1:
                        no_comment_end = True
                        self.put(position, position + 1)
                        position += 1
                    else:
                        self.comment(position, position + 4, stop, stop + 3)
                        position = stop + 3
                else:
                    position = self.angle(position, html_code)
            elif char == "&":
                entity = _ENTITY.match(text, position)
                if entity and html.unescape(entity.group()) != entity.group():
                    self.decoded(html.unescape(entity.group()), position, entity.end())
                    position = entity.end()
                else:
                    self.put(position, position + 1)
                    position += 1
            elif char == "$":
                math = _MATH.match(text, position)
                stop = math.end() if math and "`" not in math.group() and "](" not in math.group() else position + 1
                self.put(position, stop)
                position = stop
            elif char == "{":
                stop = (
                    text.find("*/}", position + 3) if text.startswith("{/*", position) and not no_expression_end else -1
                )
                no_expression_end = no_expression_end or (stop == -1 and text.startswith("{/*", position))
                if stop != -1:
                    self.comment(position, position + 3, stop, stop + 3)
                    position = stop + 3
                else:
                    self.put(position, position + 1)
                    position += 1
            else:
                url = _URL.match(text, position)
                stop = url.end() if url else position + 1
                if links:
                    stop = min(stop, links[-1][0])
                # A closing bracket of Markdown ends an address that stands bare in a label or in parentheses.
                cut = text.find("](", position, stop)
                stop = cut if cut != -1 else stop
                self.put(position, stop)
                position = stop
        while links:
            _, _, start, target, offsets = links.pop()
            if target:
                self.builder.marks.append(Mark("link", start, len(self.builder), target, offsets))
        return self.builder

    @cached_property
    def _last_closing(self) -> int:
        """Where the last `_` stands that can close emphasis."""
        return max((match.start() for match in _CLOSING.finditer(self.text)), default=-1)

    def emphasis(self, position: int, char: str) -> int:
        """Emphasis delimiters are dropped, as they are in the words that people copy; other `*`, `~`, `_` stay."""
        text = self.text
        stop = position
        while stop < len(text) and text[stop] == char:
            stop += 1
        before, after = text[position - 1 : position] if position else "", text[stop : stop + 1]
        free = not before.strip() and not after.strip()
        if char == "~":
            keep = stop - position == 1
        elif char == "*":
            keep = free
        else:
            # `a_b`, `a/__init__.py`; but not the end of `_a/b.py:23_.`
            goes_on = after.isalnum() or (after in ("/", ".") and text[stop + 1 : stop + 2].isalnum())
            inside = goes_on and (before.isalnum() or before in ("/", ".", "\\"))
            # An opening `_` that nothing closes is a letter: `[_private.py](…)`.
            opens = not before.isalnum() and bool(after.strip()) and stop > self._last_closing
            keep = free or inside or opens or _DUNDER.match(text, position) is not None
        if keep:
            self.put(position, stop)
        return stop

    def code_span(self, position: int) -> int:
        found = self.code_ends.get(position)
        if found is None:
            ticks = _TICKS.match(self.text, position)
            stop = position + 1 if position + 1 in self.code_ends or ticks is None else ticks.end()
            self.put(position, stop)
            return stop
        close, after = found
        width = after - close
        a, b = position + width, close
        inner = self.text[a:b]
        if inner.startswith((" ", "\n")) and inner.endswith((" ", "\n")) and inner.strip():
            a, b = a + 1, b - 1
        start = len(self.builder)
        self.put(a, b)
        self.builder.marks.append(Mark("code", start, len(self.builder)))
        return after

    def bracket(self, position: int, links: list[tuple[int, int, int, str, Offsets | None]]) -> int:
        close = self.closers.get(position)
        text = self.text
        if close is not None and (not links or close <= links[-1][0]):
            following = text[close + 1 : close + 2]
            destination = _DESTINATION.match(text, close + 1) if following == "(" else None
            if destination:
                group = 1 if destination.group(1) is not None else 2
                target, offsets = self.unescaped(destination.start(group), destination.end(group))
                links.append((close, destination.end(), len(self.builder), target, offsets))
                return position + 1
            reference = _REFERENCE.match(text, close + 1) if following == "[" else None
            if close - position <= 200:
                label = (reference.group(1) if reference else "") or text[position + 1 : close]
                key = " ".join(label.split()).casefold()
                if key in self.targets:
                    target, _ = self.targets[key]
                    resume = reference.end() if reference else close + 1
                    # The address is read at its definition; the use names it without a place of its own.
                    links.append((close, resume, len(self.builder), target, None))
                    return position + 1
        self.put(position, position + 1)
        return position + 1

    def angle(self, position: int, html_code: list[int]) -> int:
        text = self.text
        link = _AUTOLINK.match(text, position)
        if link:
            start = len(self.builder)
            self.put(position + 1, link.end() - 1)
            target, offsets = self.unescaped(position + 1, link.end() - 1)
            self.builder.marks.append(Mark("link", start, len(self.builder), target, offsets))
            return link.end()
        tag = _TAG.match(text, position)
        if tag is None:
            self.put(position, position + 1)
            return position + 1
        name_match = _TAG_NAME.match(tag.group())
        name = name_match.group(1).lower() if name_match else ""
        span = self.offsets.span(position, tag.end())
        if name in ("br", "p", "div", "li", "td", "tr"):
            self.builder.space(span.start, span.end)
        elif name in ("code", "kbd", "tt", "samp"):
            if tag.group().startswith("</"):
                if html_code:
                    self.builder.marks.append(Mark("code", html_code.pop(), len(self.builder)))
            else:
                html_code.append(len(self.builder))
        elif name == "a" and not tag.group().startswith("</"):
            for key, (value, offsets) in html_format._attributes(text, position + 2, tag.end() - 1).items():
                if key == "href" and value:
                    placed = TextBuilder()
                    for index, char in enumerate(value):
                        at = self.offsets.span(offsets[index], offsets.end(index))
                        placed.put(char, at.start, at.end)
                    self.builder.marks.append(
                        Mark("link", len(self.builder), len(self.builder), value, placed.build()[1])
                    )
        return tag.end()

    def comment(self, outer: int, start: int, end: int, outer_end: int) -> None:
        inner = _Inline.__new__(_Inline)
        inner.text, inner.offsets, inner.builder = self.text, self.offsets, TextBuilder()
        inner.put(start, end)
        piece = inner.builder.prose(Kind.COMMENT, self.offsets.span(outer, outer_end))
        if piece is not None:
            self.comments.append(piece)


class _Blocks:
    """Walks the block tokens and finds each line of a block again in the source."""

    def __init__(self, text: str, start: int) -> None:
        self.text = text
        self.lines = line_spans(text, start)
        self.pieces: list[Piece] = []
        self.targets: dict[str, tuple[str, Offsets]] = {}
        self.tables = 0
        self.waiting: list[tuple[int, str, Offsets, Kind, Span, int, tuple[int, int, int]]] = []

    def content(self, token_lines: list[str], first: int, last: int) -> list[tuple[str, int]]:
        """Each line of a token's content with its place; `first` to `last` are the source lines it may stand in."""
        placed: list[tuple[str, int]] = []
        row = first
        for line in token_lines:
            while True:
                if row >= min(last, len(self.lines)):
                    at = self.lines[-1][1] if self.lines else len(self.text)
                    placed.append((line, at) if not line else ("", at))
                    break
                a, b = self.lines[row]
                row += 1
                source = self.text[a:b]
                if "\0" in source:
                    source = source.replace("\0", "\ufffd")
                bare = line.rstrip() if not source.endswith(line) else line
                if source.endswith(bare):
                    placed.append((self.text[b - len(bare) : b] if bare else "", b - len(bare)))
                    break
                stripped = bare.strip()
                at = source.rfind(stripped) if stripped else len(source)
                if at != -1:
                    # A tab that a container cut in two: its columns became spaces in the content.
                    placed.append((self.text[a + at : a + at + len(stripped)], a + at))
                    break
                if not line:
                    placed.append(("", b))
                    break
        return placed

    def read(self, tokens: list[Token]) -> None:
        level = 0
        table = row = column = -1
        cursor = 0
        for token in tokens:
            kind = token.type
            if kind == "heading_open":
                level = int(token.tag[1:])
            elif kind == "heading_close":
                level = 0
            elif kind == "table_open":
                self.tables += 1
                table, row = self.tables, -1
            elif kind == "table_close":
                table = -1
            elif kind == "tr_open":
                row += 1
                column = -1
                cursor = self.lines[token.map[0]][0] if token.map and token.map[0] < len(self.lines) else cursor
            elif kind in ("th_open", "td_open"):
                column += 1
            elif kind == "inline":
                if table != -1:
                    cursor = self.cell(token, cursor, (table, row, column))
                elif token.map:
                    self.paragraph(token, level)
            elif kind in ("fence", "code_block", "colon_fence"):
                self.code(token)
            elif kind == "html_block" and token.map:
                a = self.lines[token.map[0]][0]
                b = self.lines[min(token.map[1], len(self.lines)) - 1][1]
                self.html(a, b)

    def html(self, start: int, end: int) -> None:
        for piece in html_format.parse_part(self.text, start, end):
            if piece.kind is Kind.TEXT and ("`" in piece.text or "](" in piece.text or "{/*" in piece.text):
                # An unclosed or JSX tag opens an HTML block, with Markdown in its lines.
                self.waiting.append(
                    (len(self.pieces), piece.text, piece.offsets, piece.kind, piece.span, 0, (-1, -1, -1))
                )
                continue
            piece.table = piece.table + 100_000 if piece.table >= 0 else -1
            self.pieces.append(piece)

    def paragraph(self, token: Token, level: int) -> None:
        first, last = token.map or (0, 0)
        placed = self.content(token.content.split("\n"), first, last)
        rest: list[tuple[str, int]] = []
        for line, place in placed:
            definition = _DEFINITION.match(line) if not any(earlier.strip() for earlier, _ in rest) else None
            if definition is None or definition.group(1).startswith("^"):
                rest.append((line, place))
                continue
            a, b = definition.span(2)
            offsets = Offsets.verbatim(place + a, b - a)
            target = definition.group(2)
            key = " ".join(definition.group(1).split()).casefold()
            self.targets.setdefault(key, (target, offsets))
            self.pieces.append(Piece(Kind.LINK, target, offsets, Span(place, place + len(line))))
        if not rest:
            return
        content, offsets = _join(rest)
        kind = Kind.HEADING if level else Kind.TEXT
        span = Span(rest[0][1], rest[-1][1] + len(rest[-1][0]))
        self.waiting.append((len(self.pieces), content, offsets, kind, span, level, (-1, -1, -1)))

    def cell(self, token: Token, cursor: int, where: tuple[int, int, int]) -> int:
        content = token.content
        if not content:
            return cursor
        line_end = self.text.find("\n", cursor)
        line_end = len(self.text) if line_end == -1 else line_end
        at = self.text.find(content, cursor, line_end)
        if at == -1:
            content = content.replace("|", "\\|")
            at = self.text.find(content, cursor, line_end)
            if at == -1:
                return cursor
        offsets = Offsets.verbatim(at, len(content))
        self.waiting.append((len(self.pieces), content, offsets, Kind.CELL, Span(at, at + len(content)), 0, where))
        return at + len(content)

    def code(self, token: Token) -> None:
        if token.map is None:
            return
        first, last = token.map
        fenced = token.type != "code_block"
        body = token.content.split("\n")
        if body and body[-1] == "":
            body.pop()
        placed = self.content(body, first + 1 if fenced else first, last)
        a = self.lines[first][0]
        b = self.lines[min(last, len(self.lines)) - 1][1]
        info = token.info.strip() if fenced else ""
        if not fenced:
            inner = self.nested(placed)
            if inner is not None:
                self.pieces.extend(inner)
                return
        piece = code_piece(placed, Span(a, b), info, fenced)
        if info:
            at = self.text.find(info, a, self.lines[first][1])
            piece.info_offsets = Offsets.verbatim(at, len(info)) if at != -1 else None
        self.pieces.append(piece)

    def nested(self, placed: list[tuple[str, int]]) -> list[Piece] | None:
        """An indented block that holds fences: the body of an extension that CommonMark does not know."""
        if not any(line.lstrip().startswith(("```", "~~~")) for line, _ in placed):
            return None
        pieces: list[Piece] = []
        fence: str | None = None
        body: list[tuple[str, int]] = []
        info, info_place, start = "", 0, 0
        for line, place in placed:
            bare = line.strip()
            if fence is None:
                match = re.match(r"(`{3,}|~{3,})[ \t]*([^`]*)$", bare)
                if match:
                    fence, info = match.group(1), match.group(2).strip()
                    start = place
                    info_place = place + line.find(info) if info else 0
                    body = []
                elif bare:
                    offset = place + len(line) - len(line.lstrip())
                    self.waiting.append(
                        (
                            len(self.pieces) + len(pieces),
                            bare,
                            Offsets.verbatim(offset, len(bare)),
                            Kind.TEXT,
                            Span(offset, offset + len(bare)),
                            0,
                            (-1, -1, -1),
                        )
                    )
            elif bare.startswith(fence) and not bare.strip(fence[0]):
                piece = code_piece(body, Span(start, place + len(line)), info)
                piece.info_offsets = Offsets.verbatim(info_place, len(info)) if info else None
                pieces.append(piece)
                fence = None
            else:
                body.append((line, place))
        if fence is not None and body:
            pieces.append(code_piece(body, Span(start, body[-1][1] + len(body[-1][0])), info))
        return pieces

    def finish(self) -> list[Piece]:
        """Inline markup last: link definitions may stand below their use."""
        result: list[Piece] = []
        done = 0
        for index, content, offsets, kind, span, level, (table, row, column) in self.waiting:
            result.extend(self.pieces[done:index])
            done = index
            inline = _Inline(content, offsets, self.targets)
            piece = inline.read().prose(kind, span)
            if piece is not None:
                piece.level = level
                piece.table, piece.row, piece.column = table, row, column
                result.append(piece)
            elif inline.builder.marks:
                result.extend(
                    Piece(Kind.LINK, m.target, m.target_offsets, m.target_offsets.span(0, len(m.target)))
                    for m in inline.builder.marks
                    if m.target_offsets is not None and m.target
                )
            result.extend(inline.comments)
        result.extend(self.pieces[done:])
        return result


def _join(lines: list[tuple[str, int]]) -> tuple[str, Offsets]:
    builder = TextBuilder()
    for index, (line, place) in enumerate(lines):
        builder.put(line, place, place + len(line))
        if index + 1 < len(lines):
            builder.put("\n", place + len(line), max(place + len(line), lines[index + 1][1]))
    return builder.build()


def parse(text: str) -> list[Piece]:
    """The pieces of a Markdown text."""
    pieces: list[Piece] = []
    start = 0
    front = _FRONT.match(text)
    if front:
        close = _FRONT_END.search(text, front.end())
        if close:
            body = text[front.end() : close.start()]
            if body.strip():
                pieces.append(
                    Piece(
                        Kind.META,
                        body,
                        Offsets.verbatim(front.end(), len(body)),
                        Span(front.end(), close.start()),
                    )
                )
            start = close.end()
    body = text[start:]
    if "===" in body:
        body = _TAB.sub(r"\1!!! tab\2", body)
    blocks = _Blocks(text, start)
    environment: dict[str, Any] = {}
    blocks.read(_parser().parse(body, environment))
    return pieces + blocks.finish()


FORMAT = Format("markdown", (".md", ".markdown", ".mdx", ".mdown", ".mkd"), parse)
