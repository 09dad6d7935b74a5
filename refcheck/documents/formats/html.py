"""HTML pages, taken apart by the tokeniser of the HTML standard (section 13.2.5), with every character's offset.

Why an own tokeniser: the library's `html.parser` gives no offsets of attribute values and takes quadratic time
on unclosed comments and declarations, and the tree-sitter grammar took 56 s for 200,000 nested elements. Neither
matters to a well-made page; both matter to a page from a stranger. No tree is built: a page is read as a sequence
of blocks, which is all that citations need, so that nesting costs nothing.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...model.document import Mark, Offsets, Span
from ..pieces import Format, Kind, Piece, TextBuilder

_NAME = re.compile(r"[A-Za-z][^\s/>]*+")
# After the name: anything up to `>`, where `>` inside a quoted value does not count.
_REST = re.compile(r"""(?:[^>=]++|=\s*+(?:"[^"]*+"|'[^']*+'|(?=[^"'])))*+>""")
_ATTRIBUTE = re.compile(r"""([^\s=/>"'][^\s=/>]*+)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"'][^\s>]*+)))?""")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7};?|#[xX][0-9a-fA-F]{1,6};?|[A-Za-z][A-Za-z0-9]{1,31};?)")

_RAW = frozenset({"script", "style", "xmp", "iframe", "noembed", "noframes", "textarea", "title"})
_BLOCKS = frozenset(
    {
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "button",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "head",
        "header",
        "hgroup",
        "hr",
        "html",
        "legend",
        "li",
        "link",
        "main",
        "menu",
        "meta",
        "nav",
        "ol",
        "option",
        "p",
        "pre",
        "search",
        "section",
        "select",
        "summary",
        "table",
        "tbody",
        "td",
        "template",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    }
)
_VOID = frozenset(
    {
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
    }
)
_CODE = frozenset({"code", "tt", "kbd", "samp"})
_HEADINGS = {f"h{n}": n for n in range(1, 7)}
# The title line of a code block, by the class that pages give it.
_HEADER_CLASS = re.compile(
    r"(?:^|[-_])(?:hd|head|header|title|filename|file-name|filepath|file|caption|codehead)$", re.IGNORECASE
)
_SOURCE_CLASS = frozenset({"src", "source", "filename", "file-name", "filepath", "path", "code-file__src"})
# How many enclosing elements count, so that nesting does not cost quadratic time.
_NESTED = 12
# Line numbers beside a listing, buttons: shown, but no part of the code.
_GUTTER_CLASS = re.compile(
    r"^(?:linenos?|linenodiv|line-?numbers?(?:-rows)?|lineno|ln-num|hljs-ln-(?:n|numbers)|gutter|copy(?:-?btn|-?button)?)$",
    re.IGNORECASE,
)
_LANGUAGE_CLASS = re.compile(r"^(?:language|lang|highlight-source|highlight|brush:?)-?([A-Za-z0-9+#]*)$")


@dataclass(slots=True)
class _Open:
    """An open element, and what its end undoes."""

    name: str
    start: int
    mark: int = -1
    skips: bool = False
    header: bool = False
    source: bool = False
    target: str = ""
    target_offsets: Offsets | None = None
    attributes: tuple[tuple[str, str], ...] = ()


def decode(builder: TextBuilder, text: str, start: int, end: int, keep_space: bool) -> None:
    """Characters `start` to `end` with their character references decoded."""
    position = start
    while position < end:
        at = text.find("&", position, end)
        stop = end if at == -1 else at
        if stop > position:
            if keep_space:
                builder.put(text[position:stop], position, stop)
            else:
                builder.put_prose(text, position, stop)
        if at == -1:
            return
        match = _ENTITY.match(text, at, end)
        value = html.unescape(match.group()) if match else "&"
        close = match.end() if match else at + 1
        if match and value.startswith("&") and value == match.group():
            close, value = at + 1, "&"
        elif match and not match.group().endswith(";"):
            # `&ltx` is read as `<x` by browsers: only the reference itself is decoded here.
            tail = 0
            while tail < len(value) and match.group().endswith(value[len(value) - tail - 1 :]):
                tail += 1
            close -= tail
            value = value[: len(value) - tail] if tail else value
        if keep_space:
            builder.put(value, at, close)
        else:
            for char in value:
                if char.isspace():
                    builder.space(at, close)
                else:
                    builder.put(char, at, close)
        position = close


def _attributes(text: str, start: int, end: int) -> dict[str, tuple[str, Offsets]]:
    found: dict[str, tuple[str, Offsets]] = {}
    for match in _ATTRIBUTE.finditer(text, start, end):
        name = match.group(1).lower()
        for group in (2, 3, 4):
            if match.group(group) is not None:
                builder = TextBuilder()
                decode(builder, text, match.start(group), match.end(group), keep_space=True)
                found.setdefault(name, builder.build())
                break
        else:
            found.setdefault(name, ("", Offsets.verbatim(match.end(1), 0)))
    return found


@dataclass(slots=True)
class _Token:
    kind: str
    start: int
    end: int
    name: str = ""
    inner: int = 0


def _tokens(text: str, start: int, end: int) -> Iterator[_Token]:
    position = start
    while position < end:
        at = text.find("<", position, end)
        if at == -1:
            yield _Token("text", position, end)
            return
        following = text[at + 1 : at + 2]
        closing = following == "/"
        name = _NAME.match(text, at + 2 if closing else at + 1, end)
        if name is None and following not in ("!", "?", "/"):
            yield _Token("text", position, at + 1)
            position = at + 1
            continue
        if at > position:
            yield _Token("text", position, at)
        if name is None:
            if text.startswith("<!--", at):
                stop = text.find("-->", at + 2, end)
                yield _Token("comment", at, end if stop == -1 else stop + 3)
                position = end if stop == -1 else stop + 3
            else:
                stop = text.find(">", at, end)
                position = end if stop == -1 else stop + 1
            continue
        rest = _REST.match(text, name.end(), end)
        if rest is None:
            # The tag never ends. A browser drops the rest of the page; here it is still read as text, without
            # looking for tags again, so that a page of such beginnings does not cost quadratic time.
            yield _Token("text", name.end(), end)
            return
        tag = name.group().lower()
        yield _Token("end" if closing else "start", at, rest.end(), tag, name.end())
        position = rest.end()
        if not closing and tag in _RAW:
            stop_match = re.compile(rf"</{tag}(?=[\s/>])", re.IGNORECASE).search(text, position, end)
            position = end if stop_match is None else stop_match.start()


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces: list[Piece] = []
        self.inline = TextBuilder()
        self.code: TextBuilder | None = None
        self.code_start = 0
        self.code_info = ""
        self.code_attributes: dict[str, str] = {}
        self.open: list[_Open] = []
        self.marked: list[_Open] = []
        self.counts: dict[str, int] = {}
        self.skipping = 0
        self.level = 0
        self.headers = 0
        self.tables: list[list[int]] = []
        self.table_count = 0
        self.captions = 0
        self.figcaptions = 0
        self.cells = 0

    def read(self, start: int, end: int) -> list[Piece]:
        for token in _tokens(self.text, start, end):
            if token.kind == "text":
                self.on_text(token.start, token.end)
            elif token.kind == "start":
                self.on_start(token)
            elif token.kind == "end":
                self.on_end(token.name, token.start, token.end)
            else:
                self.on_comment(token)
        while self.open:
            self.close(end)
        self.flush()
        return self.pieces

    def on_text(self, start: int, end: int) -> None:
        if self.skipping:
            return
        if self.code is not None:
            if len(self.code) == 0 and start == self.code_start:
                # The standard drops a line end that follows `<pre>` at once.
                start += 2 if self.text.startswith("\r\n", start) else 1 if self.text.startswith("\n", start) else 0
            decode(self.code, self.text, start, end, keep_space=True)
        else:
            decode(self.inline, self.text, start, end, keep_space=False)

    def on_comment(self, token: _Token) -> None:
        if self.skipping or self.code is not None:
            return
        builder = TextBuilder()
        stop = token.end - 3 if self.text.endswith("-->", token.start + 4, token.end) else token.end
        builder.put_prose(self.text, min(token.start + 4, stop), stop)
        piece = builder.prose(Kind.COMMENT, Span(token.start, token.end))
        if piece is not None:
            self.pieces.append(piece)

    def flush(self) -> None:
        for element in self.marked[-_NESTED:]:
            # Inline elements that a block boundary cuts go on in the next block.
            self.mark(element)
            element.mark = 0
        kind = Kind.TEXT
        if self.level:
            kind = Kind.HEADING
        elif self.captions:
            kind = Kind.CAPTION
        elif self.headers or self.figcaptions:
            kind = Kind.HEADER
        elif self.cells and self.tables:
            kind = Kind.CELL
        piece = self.inline.prose(kind)
        marks = self.inline.marks
        self.inline = TextBuilder()
        if piece is None:
            for mark in marks:
                if mark.target_offsets is not None and mark.target_offsets.length:
                    place = mark.target_offsets.span(0, mark.target_offsets.length)
                    self.pieces.append(Piece(Kind.LINK, mark.target, mark.target_offsets, place))
            return
        piece.level = self.level
        if self.tables and kind in (Kind.CELL, Kind.CAPTION):
            piece.table, piece.row, piece.column = self.tables[-1]
        self.pieces.append(piece)

    def mark(self, element: _Open) -> None:
        end = len(self.inline)
        if end <= element.mark and element.name != "a":
            return
        if element.name == "a":
            if element.target:
                self.inline.marks.append(
                    Mark("link", element.mark, end, element.target, element.target_offsets, element.attributes)
                )
        elif element.source:
            self.inline.marks.append(Mark("src", element.mark, end, attributes=element.attributes))
        else:
            self.inline.marks.append(Mark("code", element.mark, end, attributes=element.attributes))

    def on_start(self, token: _Token) -> None:
        name = token.name
        if name == "br":
            if self.code is not None:
                self.code.put("\n", token.start, token.end)
            else:
                self.inline.space(token.start, token.end)
            return
        attributes = _attributes(self.text, token.inner, token.end - 1) if token.end - token.inner > 2 else {}
        if name in ("p", "li", "td", "th", "tr", "dt", "dd", "option"):
            self.imply_end(name, token.start)
        if name in _BLOCKS and self.code is None and not self.skipping:
            self.flush()
        if name in _VOID:
            return
        if self.text[token.end - 2] == "/" and name not in _BLOCKS and "href" not in attributes:
            return  # `<a name="x"/>`, `<Tab/>`: written for XML readers, and empty.
        element = _Open(name, token.start)
        classes = attributes["class"][0].split() if "class" in attributes else []
        data = tuple((key, value[0]) for key, value in attributes.items() if key.startswith("data-") or key == "title")
        element.attributes = data
        if name in ("script", "style", "template", "button", "noscript") or any(
            _GUTTER_CLASS.match(word) for word in classes
        ):
            element.skips = True
            self.skipping += 1
        elif self.skipping:
            pass
        elif name == "pre" and self.code is None:
            self.code = TextBuilder()
            self.code_start = token.end
            self.code_info = self.language(classes)
            self.code_attributes = {key: value for opened in self.open[-_NESTED:] for key, value in opened.attributes}
            self.code_attributes.update(data)
        elif self.code is not None:
            if name in _CODE:
                self.code_info = self.language(classes) or self.code_info
                self.code_attributes.update(data)
                if len(self.code) == 0:
                    self.code_start = token.end
        else:
            self.open_prose(element, name, classes, attributes)
        self.open.append(element)
        if element.mark >= 0:
            self.marked.append(element)
        self.counts[name] = self.counts.get(name, 0) + 1

    def open_prose(
        self, element: _Open, name: str, classes: list[str], attributes: dict[str, tuple[str, Offsets]]
    ) -> None:
        if name in _HEADINGS:
            self.level = _HEADINGS[name]
        elif name == "figcaption":
            self.figcaptions += 1
        elif name == "table":
            self.table_count += 1
            self.tables.append([self.table_count, -1, -1])
        elif name == "caption":
            self.captions += 1
        elif name == "tr" and self.tables:
            self.tables[-1][1] += 1
            self.tables[-1][2] = -1
        elif name in ("td", "th") and self.tables:
            self.tables[-1][2] += 1
            self.cells += 1
        elif name == "a" and "href" in attributes:
            element.mark = len(self.inline)
            element.target, element.target_offsets = attributes["href"]
        elif name in _CODE:
            element.mark = len(self.inline)
        elif any(word in _SOURCE_CLASS for word in classes):
            element.mark = len(self.inline)
            element.source = True
        elif name in ("div", "header", "figure", "span", "p", "summary") and any(
            _HEADER_CLASS.search(word) for word in classes
        ):
            element.header = True
            self.headers += 1

    @staticmethod
    def language(classes: list[str]) -> str:
        for word in classes:
            match = _LANGUAGE_CLASS.match(word)
            if match and match.group(1):
                return match.group(1).lower()
        for index, word in enumerate(classes):
            if word in ("sourceCode", "highlight", "hljs", "brush:", "code") and index + 1 < len(classes):
                return classes[index + 1].lower()
        return ""

    def imply_end(self, name: str, place: int) -> None:
        """End tags that the standard lets pages leave out."""
        if self.code is not None or self.skipping or not self.open:
            return
        closes = {
            "td": ("td", "th"),
            "th": ("td", "th"),
            "tr": ("td", "th", "tr"),
            "dt": ("dd", "dt"),
            "dd": ("dd", "dt"),
        }
        allowed = closes.get(name, (name,))
        while self.open and self.open[-1].name in allowed:
            self.close(place)

    def on_end(self, name: str, start: int, end: int) -> None:
        if not self.counts.get(name):
            if name == "p" and self.code is None:
                self.flush()
            return
        while self.open[-1].name != name:
            self.close(start)
        self.close(start, end)

    def close(self, place: int, end: int | None = None) -> None:
        element = self.open.pop()
        name = element.name
        self.counts[name] -= 1
        if element.skips:
            self.skipping -= 1
            return
        if self.skipping:
            return
        if self.code is not None:
            if name == "pre":
                self.finish_code(element, end if end is not None else place)
            return
        if element.mark >= 0:
            self.mark(element)
            if element.source:
                # What stands beside it (a tag with the engine's name) is set apart by the page's style alone.
                self.inline.space(place, end if end is not None else place)
            self.marked.pop()
            return
        if name in _BLOCKS:
            self.flush()
        if element.header:
            self.flush()
            self.headers -= 1
        if name in _HEADINGS:
            self.level = 0
        elif name == "figcaption":
            self.figcaptions -= 1
        elif name == "caption":
            self.captions -= 1
        elif name == "table" and self.tables:
            self.tables.pop()
        elif name in ("td", "th") and self.cells:
            self.cells -= 1

    def finish_code(self, element: _Open, end: int) -> None:
        builder, self.code = self.code, None
        if builder is None:
            return
        text, offsets = builder.build()
        self.pieces.append(
            Piece(
                Kind.CODE, text, offsets, Span(element.start, end), info=self.code_info, attributes=self.code_attributes
            )
        )


def parse(text: str) -> list[Piece]:
    """The pieces of a page. Scripts, styles, buttons and line-number gutters are left out."""
    return _Reader(text).read(0, len(text))


def parse_part(text: str, start: int, end: int) -> list[Piece]:
    """The pieces of characters `start` to `end`, placed in the whole text."""
    return _Reader(text).read(start, end)


FORMAT = Format("html", (".html", ".htm", ".xhtml"), parse)
