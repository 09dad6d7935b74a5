"""Finding a pattern in one file, line by line: indentation as a block, blank lines and trailing space aside."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..model.place import LineRange
from ..model.source_text import SourceText
from .fingerprint import line_hash
from .pattern import Pattern, PatternLine, indent_of


class FileLines:
    """A file's non-blank lines, indexed by text and, on demand, by hash."""

    def __init__(self, source: SourceText) -> None:
        self.source = source
        self.numbers: list[int] = []
        self.texts: list[str] = []
        for number, line in enumerate(source.lines, 1):
            stripped = line.strip()
            if stripped:
                self.numbers.append(number)
                self.texts.append(stripped)

    @cached_property
    def hashes(self) -> list[str]:
        return [line_hash(text) for text in self.texts]

    @cached_property
    def _by_text(self) -> dict[str, list[int]]:
        return _index(self.texts)

    @cached_property
    def _by_hash(self) -> dict[str, list[int]]:
        return _index(self.hashes)

    def keys(self, hashed: bool) -> list[str]:
        return self.hashes if hashed else self.texts

    def positions(self, key: str, hashed: bool) -> Sequence[int]:
        """Indices (into `numbers`) of the lines with this key, in order."""
        return (self._by_hash if hashed else self._by_text).get(key, ())

    def indent(self, index: int) -> int:
        return indent_of(self.source.lines[self.numbers[index] - 1])


def _index(keys: list[str]) -> dict[str, list[int]]:
    index: dict[str, list[int]] = {}
    for position, key in enumerate(keys):
        index.setdefault(key, []).append(position)
    return index


@dataclass(frozen=True, slots=True)
class Match:
    """One place where a pattern stands.

    `pieces` are the lines of each piece. `elided` are the ranges that elisions hide. `dropped_blanks` are blank
    lines of the file inside a piece that the pattern lacks; `added_blanks` counts blank lines of the pattern that
    the file lacks. `indent` is how much deeper the file's first piece is indented than the pattern's.
    """

    lines: LineRange
    pieces: tuple[LineRange, ...]
    elided: tuple[LineRange, ...] = ()
    dropped_blanks: tuple[int, ...] = ()
    added_blanks: int = 0
    indent: int = 0

    @property
    def exact(self) -> bool:
        """Verbatim but for block indentation and marked elisions."""
        return not self.dropped_blanks and not self.added_blanks


def find_pattern(pattern: Pattern, lines: FileLines, within: LineRange | None = None) -> tuple[Match, ...]:
    """Every place of the pattern in the file, in order of lines.

    With elisions, each later piece is taken at its first place after the one before, and of two starts that end
    alike the later one is kept: the tightest reading. `within` limits the lines that may be used.
    """
    matches: list[Match] = []
    chains: list[list[tuple[int, int]]] = []
    for start, end in _piece_places(pattern.pieces[0], lines, pattern.hashed, within):
        chain = [(start, end)]
        for piece in pattern.pieces[1:]:
            following = next((p for p in _piece_places(piece, lines, pattern.hashed, within, after=chain[-1][1])), None)
            if following is None:
                break
            chain.append(following)
        else:
            while chains and len(pattern.pieces) > 1 and chains[-1][-1] == chain[-1]:
                chains.pop()
            chains.append(chain)
    for chain in chains:
        matches.append(_match(pattern, lines, chain))
    return tuple(matches)


def _piece_places(
    piece: tuple[PatternLine, ...],
    lines: FileLines,
    hashed: bool,
    within: LineRange | None,
    after: int = -1,
) -> Iterator[tuple[int, int]]:
    """(first, last) indices of the non-blank lines where a piece stands, after index `after`."""
    solid = [line for line in piece if not line.blank]
    keys = lines.keys(hashed)
    # The rarest line is the cheapest to start from: a block may begin with a lone bracket or `else:`.
    rarest = min(range(len(solid)), key=lambda i: len(lines.positions(solid[i].key, hashed)))
    for position in lines.positions(solid[rarest].key, hashed):
        start = position - rarest
        end = start + len(solid)
        if start <= after or start < 0 or end > len(keys):
            continue
        if within and not (within.first <= lines.numbers[start] and lines.numbers[end - 1] <= within.last):
            continue
        if any(keys[start + i] != line.key for i, line in enumerate(solid)):
            continue
        shift = lines.indent(start) - solid[0].indent
        if all(lines.indent(start + i) - line.indent == shift for i, line in enumerate(solid)):
            yield start, end - 1


def _match(pattern: Pattern, lines: FileLines, chain: list[tuple[int, int]]) -> Match:
    ranges: list[LineRange] = []
    dropped: list[int] = []
    added = 0
    for piece, (start, end) in zip(pattern.pieces, chain, strict=True):
        numbers = lines.numbers[start : end + 1]
        ranges.append(LineRange(numbers[0], numbers[-1]))
        gap = 0
        index = -1
        for line in piece:
            if line.blank:
                gap += 1
                continue
            index += 1
            if index:
                missing = numbers[index] - numbers[index - 1] - 1
                if missing > gap:
                    dropped.extend(range(numbers[index] - (missing - gap), numbers[index]))
                added += max(0, gap - missing)
            gap = 0
    elided = tuple(LineRange(a.last + 1, b.first - 1) for a, b in itertools.pairwise(ranges) if b.first - a.last > 1)
    first = chain[0][0]
    shift = lines.indent(first) - next(line.indent for line in pattern.pieces[0] if not line.blank)
    return Match(LineRange(ranges[0].first, ranges[-1].last), tuple(ranges), elided, tuple(dropped), added, shift)
