"""Which definitions enclose a line, fast enough to be asked of a thousand files.

Python is read by indentation: a full outline of every changed file would cost more than all the rest of following.
Strings that run over lines and closing brackets do not end a definition; decorators and signatures belong to
theirs. Other languages ask the outline. A key is the path of names, with `@setter`, `@deleter` or `@overload` where
one name has several definitions by design.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import compress
from operator import itemgetter, sub
from typing import Protocol

from refcheck.model.source_text import SourceText

Key = tuple[str, ...]
"""Names from the outermost definition to the innermost; `()` is the file itself."""

_HEADER = re.compile(r"(?:async\s+)?(?:def|class)\s+(\w+)")
_STRINGS = re.compile(r"'''|\"\"\"|#|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
_ACCESSOR = re.compile(r"@(?:[\w.]+\.)?(setter|deleter|overload)\b")
_FAR = 1 << 30
_FIRST_CHARACTER = itemgetter(slice(0, 1))
_NO_STATEMENT = frozenset(("", "#", ")", "]", "}"))
"""First characters of rows that do not end a definition."""
_MAY_BE_HEADER = frozenset("dca")


class Scopes(Protocol):
    """The definitions of one file. Rows are 0-based."""

    def chain(self, row: int) -> tuple[int, ...]:
        """Handles of the definitions around a row, outermost first."""
        ...

    def key(self, chain: tuple[int, ...]) -> Key: ...

    def all_keys(self) -> frozenset[Key]:
        """Every definition's key."""
        ...

    def rows(self, handle: int) -> tuple[int, int]:
        """First and last row of a definition, decorators included."""
        ...

    def signature(self, handle: int) -> tuple[int, int]:
        """First row (decorators included) and last row of a definition's signature."""
        ...

    def name_row(self, handle: int) -> int:
        """The row of a definition's name."""
        ...

    def named(self, key: Key) -> tuple[int, ...]:
        """Handles of all definitions with this key."""
        ...


def common(scopes: Scopes, first_row: int, last_row: int) -> tuple[int, ...]:
    """The chain of definitions that enclose both rows (one that ended between them does not)."""
    first = scopes.chain(first_row)
    return first if first_row == last_row else shared(first, scopes.chain(last_row))


def shared(first: tuple[int, ...], last: tuple[int, ...]) -> tuple[int, ...]:
    """The definitions that two chains have in common."""
    if first == last:
        return first
    depth = 0
    while depth < len(first) and depth < len(last) and first[depth] == last[depth]:
        depth += 1
    return first[:depth]


def scopes_of(source: SourceText, bare: list[str] | None = None) -> Scopes:
    """`bare` are the lines without leading white space, where the caller has them already."""
    if source.path.endswith((".py", ".pyi")):
        return PythonScopes(source, bare)
    return OutlineScopes(source)


class PythonScopes:
    """Definitions of a Python file, by indentation."""

    def __init__(self, source: SourceText, bare: list[str] | None = None) -> None:
        lines = source.lines
        bare = list(map(str.lstrip, lines)) if bare is None else bare
        depths = list(map(sub, map(len, lines), map(len, bare)))
        # The loops over all rows run inside the interpreter: this is the larger part of following a file.
        heads = list(map(_FIRST_CHARACTER, bare))
        for row in compress(range(len(bare)), map(_NO_STATEMENT.__contains__, heads)):
            depths[row] = _FAR
        headers = [
            row
            for row in compress(range(len(bare)), map(_MAY_BE_HEADER.__contains__, heads))
            if bare[row].startswith(("def ", "class ", "async def "))
        ]
        inside = _rows_inside_strings(source.text, bare)
        if inside:
            for row in inside:
                depths[row] = _FAR
            headers = [row for row in headers if row not in inside]
        self._lines = lines
        self._bare = bare
        self._depths = depths
        self._headers = headers
        self._firsts = [self._first(row) if row and bare[row - 1] else row for row in headers]
        names = [match[1] if (match := _HEADER.match(bare[row])) else "" for row in headers]
        self._names = names
        for index, first in enumerate(self._firsts):
            if first != headers[index]:
                names[index] += self._accessor(first, headers[index])
        self._chains = self._nest()
        self._ends: dict[int, int] = {}
        self._by_key: dict[Key, list[int]] | None = None

    def _nest(self) -> list[tuple[int, ...]]:
        """For each header the chain of definitions around it, itself included."""
        depths, headers = self._depths, self._headers
        chains: list[tuple[int, ...]] = []
        stack: list[int] = []
        before = 0
        for index, header in enumerate(headers):
            least = min(depths[before : header + 1])
            before = header + 1
            while stack and depths[headers[stack[-1]]] >= least:
                stack.pop()
            stack.append(index)
            chains.append(tuple(stack))
        return chains

    def _first(self, header: int) -> int:
        """The row of a header's first decorator."""
        indent = self._depths[header]
        first = header
        row = header - 1
        while row >= 0:
            text = self._bare[row]
            if text.startswith("@") and self._depths[row] == indent:
                first = row
            elif self._depths[row] <= indent or (not text and row == first - 1 == header - 1):
                break
            row -= 1
        return first

    def _accessor(self, first: int, header: int) -> str:
        """What tells the definitions of one property or overloaded function apart."""
        for row in range(first, header):
            if accessor := _ACCESSOR.match(self._bare[row]):
                return f"@{accessor[1]}"
        return ""

    def chain(self, row: int) -> tuple[int, ...]:
        index = bisect_right(self._headers, row) - 1
        following = index + 1
        if following < len(self._headers) and self._firsts[following] <= row:
            return self._chains[following]
        if index < 0:
            return ()
        header = self._headers[index]
        if header == row:
            return self._chains[index]
        text = self._bare[row]
        least = min(self._depths[header + 1 : row + 1])
        if text.startswith("#") and self._depths[row] == _FAR:
            least = min(least, len(self._lines[row]) - len(text))
        chain = self._chains[index]
        depth = len(chain)
        while depth and self._depths[self._headers[chain[depth - 1]]] >= least:
            depth -= 1
        return chain[:depth]

    def key(self, chain: tuple[int, ...]) -> Key:
        return tuple(self._names[index] for index in chain)

    def _all(self) -> dict[Key, list[int]]:
        if self._by_key is None:
            found: dict[Key, list[int]] = {}
            for index in range(len(self._headers)):
                found.setdefault(self.key(self._chains[index]), []).append(index)
            self._by_key = found
        return self._by_key

    def all_keys(self) -> frozenset[Key]:
        return frozenset(self._all())

    def named(self, key: Key) -> tuple[int, ...]:
        return tuple(self._all().get(key, ()))

    def name_row(self, handle: int) -> int:
        return self._headers[handle]

    def signature(self, handle: int) -> tuple[int, int]:
        header = self._headers[handle]
        indent = self._depths[header]
        row = header
        while row < len(self._bare) and not self._bare[row].partition("#")[0].rstrip().endswith((":", ": ...")):
            row += 1
            if row < len(self._bare) and self._depths[row] <= indent:
                return self._firsts[handle], header
        return self._firsts[handle], min(row, len(self._bare) - 1)

    def rows(self, handle: int) -> tuple[int, int]:
        if handle not in self._ends:
            header = self._headers[handle]
            indent = self._depths[header]
            row = header + 1
            depths = self._depths
            total = len(depths)
            while row < total and depths[row] > indent:
                row += 1
            row -= 1
            while row > header and (not self._bare[row] or self._outside_comment(row, indent)):
                row -= 1
            self._ends[handle] = row
        return self._firsts[handle], self._ends[handle]

    def _outside_comment(self, row: int, indent: int) -> bool:
        text = self._bare[row]
        return text.startswith("#") and len(self._lines[row]) - len(text) <= indent


def _rows_inside_strings(text: str, bare: list[str]) -> set[int]:
    """Rows that begin inside a triple-quoted string."""
    inside: set[int] = set()
    marked: set[int] = set()
    for mark in ('"""', "'''"):
        if mark in text:
            marked.update(row for row, line in enumerate(bare) if mark in line)
    open_: str = ""
    opened = 0
    for row in sorted(marked):
        line = bare[row]
        at = 0
        while True:
            if open_:
                end = line.find(open_, at)
                if end < 0:
                    break
                inside.update(range(opened + 1, row + 1))
                at = end + 3
                open_ = ""
            match = _STRINGS.search(line, at)
            if match is None or match[0] == "#":
                break
            at = match.end()
            if match[0] in ('"""', "'''"):
                open_ = match[0]
                opened = row
    if open_:
        inside.update(range(opened + 1, len(bare)))
    return inside


class OutlineScopes:
    """Definitions of a file in any other language, from its outline."""

    def __init__(self, source: SourceText) -> None:
        from refcheck.locate.outline import outline

        self._outline = outline(source)
        self._symbols = self._outline.symbols
        self._index = {id(symbol): index for index, symbol in enumerate(self._symbols)}

    def chain(self, row: int) -> tuple[int, ...]:
        return tuple(self._index[id(symbol)] for symbol in self._outline.chain(row + 1))

    def key(self, chain: tuple[int, ...]) -> Key:
        return (self._symbols[chain[-1]].name,) if chain else ()

    def all_keys(self) -> frozenset[Key]:
        return frozenset((symbol.name,) for symbol in self._symbols)

    def rows(self, handle: int) -> tuple[int, int]:
        lines = self._symbols[handle].lines
        return lines.first - 1, lines.last - 1

    def name_row(self, handle: int) -> int:
        return self._symbols[handle].definition - 1

    def signature(self, handle: int) -> tuple[int, int]:
        symbol = self._symbols[handle]
        return symbol.lines.first - 1, symbol.signature_last - 1

    def named(self, key: Key) -> tuple[int, ...]:
        if not key:
            return ()
        return tuple(index for index, symbol in enumerate(self._symbols) if symbol.name == key[0])


def shown(key: Key) -> str | None:
    """A key as people write it."""
    return ".".join(name.partition("@")[0] for name in key) if key else None


__all__ = ["Key", "OutlineScopes", "PythonScopes", "Scopes", "common", "scopes_of", "shown"]
