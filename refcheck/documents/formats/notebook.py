"""Jupyter notebooks (nbformat 4 and 3): Markdown and code cells, placed in the raw JSON; outputs are left out.

The library's `json` gives no offsets, so that the strings of the cells' sources are found by an own scanner, which
reads the few things that JSON is made of. A notebook that is not valid JSON is read as far as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...model.document import Offsets, Span
from ..pieces import Format, Kind, Piece, TextBuilder, moved_piece
from . import markdown

_SPACE = re.compile(r"[\s\ufeff]*")
_PLAIN = re.compile(r'[^"\\]+')
_SCALAR = re.compile(r"[^\s,\]}:\"]+")
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "/": "/", "\\": "\\", '"': '"'}
_DEEPEST = 200


@dataclass(slots=True)
class _String:
    """A JSON string: its value with offsets, made when asked for."""

    text: str
    start: int
    end: int

    def put_into(self, builder: TextBuilder) -> None:
        source, position, stop = self.text, self.start + 1, self.end - 1
        while position < stop:
            plain = _PLAIN.match(source, position, stop)
            if plain:
                builder.put(plain.group(), position, plain.end())
                position = plain.end()
                continue
            letter = source[position + 1 : position + 2]
            if letter == "u":
                code = source[position + 2 : position + 6]
                width = 6
                try:
                    value = chr(int(code, 16))
                except ValueError:
                    value, width = "\ufffd", 2
                if "\ud800" <= value <= "\udbff" and source.startswith("\\u", position + 6):
                    try:
                        low = int(source[position + 8 : position + 12], 16)
                    except ValueError:
                        low = 0
                    if 0xDC00 <= low <= 0xDFFF:
                        value = chr(0x10000 + ((ord(value) - 0xD800) << 10) + low - 0xDC00)
                        width = 12
            else:
                value, width = _ESCAPES.get(letter, letter), 2
            builder.put(value, position, min(position + width, stop))
            position += width

    def value(self) -> str:
        builder = TextBuilder()
        self.put_into(builder)
        return builder.build()[0]


class _Broken(Exception):
    """The text ends or goes wrong inside a value."""


_Value = object


class _Scanner:
    """Reads values; objects become lists of (key, value), strings `_String`, and everything else None."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def space(self) -> str:
        match = _SPACE.match(self.text, self.at)
        if match:
            self.at = match.end()
        return self.text[self.at : self.at + 1]

    def string(self) -> _String:
        start = self.at
        position = start + 1
        while True:
            close = self.text.find('"', position)
            if close == -1:
                raise _Broken
            back = close
            while self.text[back - 1] == "\\" and back - 1 > start:
                back -= 1
            position = close + 1
            if (close - back) % 2 == 0:
                self.at = position
                return _String(self.text, start, position)

    def skip(self) -> None:
        """Passes a value without keeping it; no recursion, whatever its depth."""
        depth = 0
        while True:
            char = self.space()
            if char == "":
                raise _Broken
            if char == '"':
                self.string()
            elif char in "[{":
                depth += 1
                self.at += 1
            elif char in "]}":
                depth -= 1
                self.at += 1
            elif char in ",:":
                self.at += 1
                continue
            else:
                match = _SCALAR.match(self.text, self.at)
                if match is None:
                    raise _Broken
                self.at = match.end()
            if depth <= 0:
                return

    def members(self) -> Iterator[_String]:
        """The keys of the object that begins here; the caller reads or skips each value."""
        self.at += 1
        while True:
            char = self.space()
            if char == "}":
                self.at += 1
                return
            if char == ",":
                self.at += 1
                continue
            if char != '"':
                raise _Broken
            key = self.string()
            if self.space() != ":":
                raise _Broken
            self.at += 1
            self.space()
            yield key

    def items(self) -> Iterator[str]:
        """The first character of each item of the list that begins here; the caller reads or skips it."""
        self.at += 1
        while True:
            char = self.space()
            if char == "]":
                self.at += 1
                return
            if char == ",":
                self.at += 1
                continue
            if char == "":
                raise _Broken
            yield char


@dataclass(slots=True)
class _Cell:
    kind: str
    source: list[_String]
    start: int
    end: int


class _Notebook:
    def __init__(self, text: str) -> None:
        self.scanner = _Scanner(text)
        self.cells: list[_Cell] = []
        self.language = "python"
        self.fault: str | None = None
        """Why it is no whole notebook."""
        self.has_cells = False

    def read(self) -> None:
        try:
            if self.scanner.space() == "{":
                self.top()
            else:
                self.fault = "a notebook is a JSON object, and this is none"
        except _Broken:
            line = self.scanner.text.count("\n", 0, self.scanner.at) + 1
            self.fault = f"it is no valid JSON: a value ends or goes wrong at line {line}"
        if self.fault is None and not self.has_cells:
            self.fault = "it has no list of cells"

    def top(self, *, sheet: bool = False) -> None:
        """The notebook itself, or a `sheet` of it (nbformat 3). Of a key that stands twice the last one counts."""
        own = len(self.cells)
        for key in self.scanner.members():
            name, char = key.value(), self.scanner.text[self.scanner.at : self.scanner.at + 1]
            if name == "cells" and char == "[":
                self.has_cells = True
                del self.cells[own:]
                self.read_cells()
            elif name == "worksheets" and char == "[" and not sheet:
                self.has_cells = True
                for first in self.scanner.items():
                    if first == "{":
                        self.top(sheet=True)
                    else:
                        self.scanner.skip()
            elif name == "metadata" and char == "{":
                self.metadata(0)
            else:
                self.scanner.skip()

    def metadata(self, depth: int) -> None:
        for key in self.scanner.members():
            name, char = key.value(), self.scanner.text[self.scanner.at : self.scanner.at + 1]
            if name in ("language_info", "kernelspec") and char == "{" and depth < 2:
                self.metadata(depth + 1)
            elif char == '"':
                value = self.scanner.string()
                if (
                    depth
                    and name in ("name", "language")
                    and value.value().lower() in ("python", "c++", "rust", "bash")
                ):
                    self.language = {"c++": "cpp", "bash": "shell"}.get(value.value().lower(), value.value().lower())
            else:
                self.scanner.skip()

    def read_cells(self) -> None:
        for first in self.scanner.items():
            if first != "{":
                self.scanner.skip()
                continue
            cell = _Cell("", [], self.scanner.at, self.scanner.at)
            self.cells.append(cell)
            for key in self.scanner.members():
                name, char = key.value(), self.scanner.text[self.scanner.at : self.scanner.at + 1]
                if name == "cell_type" and char == '"':
                    cell.kind = self.scanner.string().value()
                elif name in ("source", "input") and char == '"':
                    cell.source = [self.scanner.string()]
                elif name in ("source", "input") and char == "[":
                    cell.source = []
                    for inner in self.scanner.items():
                        if inner == '"':
                            cell.source.append(self.scanner.string())
                        else:
                            self.scanner.skip()
                else:
                    self.scanner.skip()
            cell.end = self.scanner.at


def parse(text: str) -> list[Piece]:
    """The pieces of a notebook: those of its Markdown cells, and one code block for each code cell."""
    notebook = _Notebook(text)
    notebook.read()
    pieces: list[Piece] = []
    tables = 0
    for cell in notebook.cells:
        builder = TextBuilder()
        for string in cell.source:
            string.put_into(builder)
        source, offsets = builder.build()
        if not source.strip():
            continue
        if cell.kind == "markdown":
            for piece in markdown.parse(source):
                placed = moved_piece(piece, offsets)
                if placed.table >= 0:
                    placed.table += tables
                pieces.append(placed)
            tables += 1_000_000
        elif cell.kind == "code":
            pieces.append(_code(source, offsets, notebook.language))
    return pieces


def _code(source: str, offsets: Offsets, language: str) -> Piece:
    first = source.lstrip().split("\n", 1)[0].strip()
    if first.startswith("%%"):
        language = {"%%bash": "bash", "%%sh": "sh", "%%writefile": "text"}.get(first.split(" ")[0], language)
    elif first.startswith(("!", "%")):
        language = "shell"
    span = offsets.span(0, len(source))
    return Piece(Kind.CODE, source, offsets, Span(span.start, span.end), info=language)


def fault(text: str) -> str | None:
    """Why a text is no whole notebook; cells before the fault are read."""
    notebook = _Notebook(text)
    notebook.read()
    return notebook.fault


FORMAT = Format("notebook", (".ipynb",), parse, fault)
