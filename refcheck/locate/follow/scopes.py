"""Which definitions enclose a line, fast enough to be asked of a thousand files.

Python is read by indentation: a full outline of every changed file would cost more than all the rest of following.
Strings that run over lines and closing brackets do not end a definition; decorators and signatures belong to
theirs. Other languages ask the outline. A key is the path of names, with `@setter`, `@deleter` or `@overload` where
one name has several definitions by design.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Protocol

from refcheck.model.source_text import SourceText

Key = tuple[str, ...]
"""Names from the outermost definition to the innermost; `()` is the file itself."""

_HEADER = re.compile(r"(?:async\s+)?(?:def|class)\s+(\w+)")
_STRINGS = re.compile(r"'''|\"\"\"|#|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'")
_ACCESSOR = re.compile(r"@(?:[\w.]+\.)?(setter|deleter|overload)\b")
_FAR = 1 << 30


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

    def named(self, key: Key) -> tuple[int, ...]:
        """Handles of all definitions with this key."""
        ...


def common(scopes: Scopes, first_row: int, last_row: int) -> tuple[int, ...]:
    """The chain of definitions that enclose both rows (one that ended between them does not)."""
    first = scopes.chain(first_row)
    if first_row == last_row:
        return first
    last = scopes.chain(last_row)
    shared = 0
    while shared < len(first) and shared < len(last) and first[shared] == last[shared]:
        shared += 1
    return first[:shared]


def scopes_of(source: SourceText) -> Scopes:
    if source.path.endswith((".py", ".pyi")):
        return PythonScopes(source)
    return OutlineScopes(source)


class PythonScopes:
    """Definitions of a Python file, by indentation."""

    def __init__(self, source: SourceText) -> None:
        lines = source.lines
        self._lines = lines
        bare = [line.lstrip() for line in lines]
        inside = _rows_inside_strings(source.text, bare)
        depths: list[int] = []
        headers: list[int] = []
        for row, text in enumerate(bare):
            if not text or text[0] in "#)]}" or row in inside:
                depths.append(_FAR)
                continue
            depths.append(len(lines[row]) - len(text))
            if text[0] in "dca" and text.startswith(("def ", "class ", "async def ")):
                headers.append(row)
        self._bare = bare
        self._depths = depths
        self._headers = headers
        self._firsts = [self._first(row) for row in headers]
        self._names = [self._name(index) for index in range(len(headers))]
        self._ends: dict[int, int] = {}
        self._parents: dict[int, tuple[int, ...]] = {}
        self._by_key: dict[Key, list[int]] | None = None

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

    def _name(self, index: int) -> str:
        match = _HEADER.match(self._bare[self._headers[index]])
        name = match[1] if match else ""
        for row in range(self._firsts[index], self._headers[index]):
            if accessor := _ACCESSOR.match(self._bare[row]):
                return f"{name}@{accessor[1]}"
        return name

    def chain(self, row: int) -> tuple[int, ...]:
        index = bisect_right(self._headers, row) - 1
        following = index + 1
        if following < len(self._headers) and self._firsts[following] <= row:
            return self._around(following)
        text = self._bare[row]
        own = len(self._lines[row]) - len(text) if text.startswith("#") else _FAR
        return self._walk(index, row, own)

    def _around(self, index: int) -> tuple[int, ...]:
        """The chain of a header itself, itself included."""
        if index not in self._parents:
            header = self._headers[index]
            self._parents[index] = (*self._walk(index - 1, header, _FAR), index)
        return self._parents[index]

    def _walk(self, index: int, row: int, least: int) -> tuple[int, ...]:
        """The chain of `row`, the nearest header above being `index`; `least` is the least indent seen so far."""
        depths = self._depths
        below = row + 1
        while index >= 0:
            header = self._headers[index]
            if header + 1 < below:
                least = min(least, *depths[header + 1 : below])
            indent = depths[header]
            if indent < least:
                return self._around(index)
            least = min(least, indent)
            if least == 0:
                break
            below = header
            index -= 1
        return ()

    def key(self, chain: tuple[int, ...]) -> Key:
        return tuple(self._names[index] for index in chain)

    def _all(self) -> dict[Key, list[int]]:
        if self._by_key is None:
            found: dict[Key, list[int]] = {}
            for index in range(len(self._headers)):
                found.setdefault(self.key(self._around(index)), []).append(index)
            self._by_key = found
        return self._by_key

    def all_keys(self) -> frozenset[Key]:
        return frozenset(self._all())

    def named(self, key: Key) -> tuple[int, ...]:
        return tuple(self._all().get(key, ()))

    def signature(self, handle: int) -> tuple[int, int]:
        header = self._headers[handle]
        indent = self._depths[header]
        row = header
        while row < len(self._bare) and not self._bare[row].partition("#")[0].rstrip().endswith(":"):
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
    if '"""' not in text and "'''" not in text:
        return inside
    open_: str = ""
    opened = 0
    for row, line in enumerate(bare):
        if '"""' not in line and "'''" not in line:
            continue
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
