"""Finding a pattern in one file, line by line: indentation as a block, blank lines and trailing space aside."""

from __future__ import annotations

import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ..model.place import LineRange
from ..model.source_text import SourceText
from .crossing import Crossing, crossing
from .fingerprint import line_hash
from .pattern import Pattern, PatternLine, indent_of

SHORT_KEY = 12
"""A line of fewer characters than this may stand everywhere in a file: it is looked up in the index of its lines."""


class FileLines:
    """A file's non-blank lines: found in its text one by one, or indexed by text or hash when they are asked for."""

    def __init__(self, source: SourceText) -> None:
        self.source = source

    @cached_property
    def numbers(self) -> list[int]:
        """The line number of each non-blank line."""
        return [number for number, line in enumerate(self.source.lines, 1) if line and not line.isspace()]

    @cached_property
    def texts(self) -> list[str]:
        """Each non-blank line without indentation and trailing space."""
        return [stripped for stripped in map(str.strip, self.source.lines) if stripped]

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

    def below(self, key: str, hashed: bool, after: int) -> Sequence[int]:
        """As `positions`, of the lines below line `after`."""
        positions = self.positions(key, hashed)
        return positions[bisect_left(positions, bisect_right(self.numbers, after)) :] if after else positions

    def with_text(self, key: str, after: int = 0) -> Iterator[int]:
        """The numbers of the lines below `after` that are `key` but for white space around it, in order."""
        text = self.source.text
        if after or len(key) < SHORT_KEY or "_by_text" in self.__dict__ or "\r" in text:
            numbers = self.numbers
            yield from (numbers[index] for index in self.below(key, False, after))
            return
        # Few lines of few quotes are looked for in most files: an index of all lines would cost more than it saves.
        at, counted, number = text.find(key), 0, 1
        while at >= 0:
            begin = text.rfind("\n", 0, at) + 1
            end = text.find("\n", at)
            end = len(text) if end < 0 else end
            if text[begin:end].strip() == key:
                number += text.count("\n", counted, begin)
                counted = begin
                yield number
            at = text.find(key, end)


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
    the file lacks. `indent` is how much deeper the file's first piece is indented than the pattern's. `uneven` says
    that the pieces are not indented against each other as in the pattern; `crossing` is a hidden line that ends what
    a shown line below it seems to belong to.
    """

    lines: LineRange
    pieces: tuple[LineRange, ...]
    elided: tuple[LineRange, ...] = ()
    dropped_blanks: tuple[int, ...] = ()
    added_blanks: int = 0
    indent: int = 0
    uneven: bool = False
    crossing: Crossing | None = None

    @property
    def exact(self) -> bool:
        """Verbatim but for block indentation and marked elisions."""
        return not (self.dropped_blanks or self.added_blanks or self.uneven or self.crossing)


def find_pattern(
    pattern: Pattern, lines: FileLines, within: LineRange | None = None, ending: int | None = None
) -> tuple[Match, ...]:
    """Every place of the pattern in the file, in order of lines.

    With elisions, each later piece is taken at its first place after the one before, and of two starts that end
    alike the later one is kept: the tightest reading. What an elision would carry from one definition into another
    is no place. `within` limits the lines that may be used; behind an elision, a place that ends with line `ending`
    goes before others.
    """
    chains: list[list[Sequence[int]]] = []
    single = len(pattern.pieces) == 1
    without: set[int] = set()
    for place in _piece_places(pattern.pieces[0], lines, pattern.hashed, within):
        if single:
            chains.append([place])
            continue
        chain = None
        # What has no place below a line has none below a later one.
        shift = _shift(pattern.pieces[0], place, pattern.depths[0], lines) if pattern.depths else 0
        if pattern.depths and shift not in without:
            chain = _chain(pattern, lines, within, place, ending, shift)
            if chain is None:
                without.add(shift)
        chain = chain or _chain(pattern, lines, within, place, ending, None)
        if chain is None:
            break
        while chains and chains[-1][-1] == chain[-1]:
            chains.pop()
        chains.append(chain)
    found = (_match(pattern, lines, chain) for chain in chains)
    return tuple(match for match in found if match.crossing is None or not match.crossing.defines)


def _chain(
    pattern: Pattern,
    lines: FileLines,
    within: LineRange | None,
    place: Sequence[int],
    ending: int | None,
    shift: int | None,
) -> list[Sequence[int]] | None:
    """A place of each piece, the first one given; None if one of them has no place below the one before.

    With `shift` only places count that are so much deeper than in the pattern, which keeps the pieces' indentation
    against each other.
    """
    chain = [place]
    depths = pattern.depths[1:] or (0,) * (len(pattern.pieces) - 1)
    for number, (piece, depth) in enumerate(zip(pattern.pieces[1:], depths, strict=True), 2):
        places = _piece_places(piece, lines, pattern.hashed, within, after=chain[-1][-1])
        if shift is not None:
            places = _indented(places, piece, depth, shift, lines)
        following = next(places, None)
        if following is None:
            return None
        if number == len(pattern.pieces) and ending is not None:
            near = itertools.takewhile(lambda one: one[-1] <= ending, itertools.chain([following], places))
            following = next((one for one in near if one[-1] == ending), following)
        chain.append(following)
    return chain


def _indented(
    places: Iterator[Sequence[int]], piece: tuple[PatternLine, ...], depth: int, shift: int, lines: FileLines
) -> Iterator[Sequence[int]]:
    return (one for one in places if _shift(piece, one, depth, lines) == shift)


def _shift(piece: tuple[PatternLine, ...], place: Sequence[int], depth: int, lines: FileLines) -> int:
    """How much deeper a piece is indented in the file than in the whole pattern."""
    first = next(line.indent for line in piece if not line.blank)
    return indent_of(lines.source.lines[place[0] - 1]) - first - depth


def _piece_places(
    piece: tuple[PatternLine, ...],
    lines: FileLines,
    hashed: bool,
    within: LineRange | None,
    after: int = 0,
) -> Iterator[Sequence[int]]:
    """The line numbers of a piece's non-blank lines, for each place of it below line `after`, in order."""
    solid = [line for line in piece if not line.blank]
    for place in _by_hashes(solid, lines, after) if hashed else _by_texts(solid, lines, after):
        if place[0] <= after or (within and not (within.first <= place[0] and place[-1] <= within.last)):
            continue
        text = lines.source.lines
        shift = indent_of(text[place[0] - 1]) - solid[0].indent
        if all(indent_of(text[n - 1]) - line.indent == shift for n, line in zip(place, solid, strict=True)):
            yield place


def _by_hashes(solid: Sequence[PatternLine], lines: FileLines, after: int) -> Iterator[Sequence[int]]:
    keys = lines.hashes
    # The rarest line is the cheapest to start from: a block may begin with a lone bracket or `else:`.
    rarest = min(range(len(solid)), key=lambda i: len(lines.positions(solid[i].key, True)))
    for position in lines.below(solid[rarest].key, True, after):
        start = position - rarest
        end = start + len(solid)
        if start >= 0 and end <= len(keys) and all(keys[start + i] == line.key for i, line in enumerate(solid)):
            yield lines.numbers[start:end]


def _by_texts(solid: Sequence[PatternLine], lines: FileLines, after: int) -> Iterator[Sequence[int]]:
    # The longest line is the rarest as a rule.
    longest = max(range(len(solid)), key=lambda i: len(solid[i].key))
    above = [line.key for line in reversed(solid[:longest])]
    below = [line.key for line in solid[longest + 1 :]]
    text = lines.source.lines
    for number in lines.with_text(solid[longest].key, after):
        upwards = _run(above, text, range(number - 2, -1, -1))
        downwards = _run(below, text, range(number, len(text))) if upwards is not None else None
        if upwards is not None and downwards is not None:
            yield [*reversed(upwards), number, *downwards]


def _run(keys: Sequence[str], text: Sequence[str], indices: Iterable[int]) -> list[int] | None:
    """The numbers of the lines that have these keys one after another, blank lines aside; None where they differ."""
    found: list[int] = []
    if not keys:
        return found
    for index in indices:
        stripped = text[index].strip()
        if stripped:
            if stripped != keys[len(found)]:
                return None
            found.append(index + 1)
            if len(found) == len(keys):
                return found
    return None


def _match(pattern: Pattern, lines: FileLines, chain: Sequence[Sequence[int]]) -> Match:
    ranges: list[LineRange] = []
    dropped: list[int] = []
    added = 0
    for piece, numbers in zip(pattern.pieces, chain, strict=True):
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
    first = indent_of(lines.source.lines[chain[0][0] - 1])
    shift = first - next(line.indent for line in pattern.pieces[0] if not line.blank)
    parts = zip(pattern.pieces, chain, pattern.depths, strict=bool(pattern.depths))
    shifts = {_shift(piece, place, depth, lines) for piece, place, depth in parts}
    python = elided and lines.source.path.endswith((".py", ".pyi"))
    return Match(
        LineRange(ranges[0].first, ranges[-1].last),
        tuple(ranges),
        elided,
        tuple(dropped),
        added,
        shift,
        len(shifts) > 1,
        crossing(lines.source.lines, chain) if python else None,
    )
