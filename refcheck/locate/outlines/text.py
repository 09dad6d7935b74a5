"""Headings of Markdown and reStructuredText, keys of YAML, TOML and JSON: read by text, roughly."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from refcheck.locate.outline import Symbol, SymbolKind
from refcheck.model.place import LineRange
from refcheck.model.source_text import SourceText

_FENCE = re.compile(r" {0,3}(```+|~~~+)")
_HEADING = re.compile(r" {0,3}(#{1,6})\s++(.*)$")
_YAML_KEY = re.compile(r"^(\s*)(?:- )?([\w.\-/]+|\"[^\"]*\"|'[^']*')\s*:(?:\s|$)")
_JSON_KEY = re.compile(r"^(\s*)\"((?:[^\"\\]|\\.)*)\"\s*:")
_TOML_TABLE = re.compile(r"^\s*+\[\[?([^\[\]]++)\]\]?\s*+(?:#.*)?$")
_TOML_KEY = re.compile(r"^(\s*)([\w.\-]+|\"[^\"]*\")\s*=")
_ADORNMENT = re.compile(r"([=\-~^\"'`#*+.])\1{2,}\s*$")

_Found = tuple[int, int, str]
"""(0-based row, depth, name)"""


def read(source: SourceText, suffix: str) -> tuple[tuple[Symbol, ...], bool]:
    """Symbols of a text file; a format without a reader has none."""
    readers: dict[str, Callable[[tuple[str, ...]], Iterator[_Found]]] = {
        ".md": _markdown,
        ".mdx": _markdown,
        ".rst": _rst,
        ".yaml": _yaml,
        ".yml": _yaml,
        ".json": _json,
        ".toml": _toml,
    }
    reader = readers.get(suffix)
    if reader is None:
        return (), True
    headings = suffix in (".md", ".mdx", ".rst")
    kind = SymbolKind.HEADING if headings else SymbolKind.KEY
    return _sections(list(reader(source.lines)), len(source.lines), kind, " / " if headings else "."), True


def _sections(found: list[_Found], total: int, kind: SymbolKind, joint: str) -> tuple[Symbol, ...]:
    """A section lasts until the next one that is not deeper."""
    last = [total - 1] * len(found)
    names: list[str] = []
    open_: list[int] = []
    for index, (row, depth, name) in enumerate(found):
        while open_ and found[open_[-1]][1] >= depth:
            last[open_.pop()] = row - 1
        names.append(names[open_[-1]] + joint + name if open_ else name)
        open_.append(index)
    return tuple(
        Symbol(names[i], kind, LineRange(row + 1, max(row, last[i]) + 1), row + 1, row + 1, depth)
        for i, (row, depth, _) in enumerate(found)
    )


def _markdown(lines: tuple[str, ...]) -> Iterator[_Found]:
    fence = ""
    for row, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark:
            if not fence:
                fence = mark[1]
            elif mark[1].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif not fence and (heading := _HEADING.match(line)):
            title = heading[2].rstrip().rstrip("#").rstrip()
            if title:
                yield row, len(heading[1]), title


def _rst(lines: tuple[str, ...]) -> Iterator[_Found]:
    order: list[str] = []
    for row in range(1, len(lines)):
        mark = _ADORNMENT.match(lines[row])
        title = lines[row - 1].strip()
        if mark and title and not _ADORNMENT.match(title) and len(lines[row].rstrip()) >= len(title):
            if mark[1] not in order:
                order.append(mark[1])
            yield row - 1, order.index(mark[1]) + 1, title


def _by_indent(lines: tuple[str, ...], pattern: re.Pattern[str]) -> Iterator[_Found]:
    for row, line in enumerate(lines):
        if (key := pattern.match(line)) and (name := key[2].strip("\"'")):
            yield row, len(key[1].expandtabs(4)), name


def _yaml(lines: tuple[str, ...]) -> Iterator[_Found]:
    return _by_indent(lines, _YAML_KEY)


def _json(lines: tuple[str, ...]) -> Iterator[_Found]:
    return _by_indent(lines, _JSON_KEY)


def _toml(lines: tuple[str, ...]) -> Iterator[_Found]:
    in_table = False
    for row, line in enumerate(lines):
        if (table := _TOML_TABLE.match(line)) and (name := table[1].strip()):
            in_table = True
            yield row, 0, name
        elif (key := _TOML_KEY.match(line)) and (name := key[2].strip('"')):
            yield row, 1 if in_table else 0, name
