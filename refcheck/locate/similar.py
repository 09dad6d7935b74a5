"""How much of a pattern survives in a file whose text differs, and the difference line by line."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from difflib import SequenceMatcher

from ..model.evidence import DiffLine
from ..model.place import LineRange
from .alike import alike_pairs, changed_at
from .match import FileLines
from .pattern import Pattern

_WINDOW = 4
"""A file's lines are compared in windows of this many times the pattern's length, around its rarest lines."""
_FULL_WEIGHT = 12
"""A line of this many characters or more counts fully; a lone bracket hardly does."""
_GAP = 0.2
"""The price of a line left out, on either side."""
_BREAK = 0.6
"""What a blank line in between costs besides: it mostly ends the thought that was quoted."""


_TAIL = 12
"""Lines behind the last that survives in which a changed one is looked for."""


@dataclass(frozen=True, slots=True)
class Survivors:
    """The pattern's lines that still stand in order. `lines` reaches from the first to the last place of it.

    `share` is survivors among the non-blank lines of the pattern. `diff` has the pattern's side as '-' (with the
    text where the pattern has it) and the file's as '+'.
    """

    lines: LineRange
    share: float
    solid_kept: int
    diff: tuple[DiffLine, ...]


def survivors(pattern: Pattern, lines: FileLines, within: LineRange) -> Survivors | None:
    """The best alignment of the pattern with the file's lines in `within`; None if no line survives."""
    wanted = [line for piece in pattern.pieces for line in piece if not line.blank]
    keys = [line.key for line in wanted]
    file_keys = lines.keys(pattern.hashed)
    lo, hi = _indices(lines, within)
    window = _best_window(keys, lines, pattern.hashed, lo, hi)
    if window is None:
        return None
    start, stop = window
    weights = [min(len(text), _FULL_WEIGHT) / _FULL_WEIGHT for text in lines.texts[start:stop]]
    numbers = lines.numbers[start:stop]
    breaks = [_GAP, *(_GAP + _BREAK * (b - a > 1) for a, b in itertools.pairwise(numbers))]
    pairs = [(a, start + b) for a, b in _align(keys, file_keys[start:stop], weights, breaks)]
    if not pairs:
        return None
    (lead, first), (last_key, last) = pairs[0], pairs[-1]
    first -= _extent([w.indent for w in wanted[:lead]][::-1], lines, first, -1, lo, wanted[lead].indent)
    last += _extent([w.indent for w in wanted[last_key + 1 :]], lines, last, 1, hi, wanted[last_key].indent)
    if not pattern.hashed:
        last = max(last, _changed_tail(keys[last_key + 1 :], lines, pairs[0][1], pairs[-1][1], hi))
    found = LineRange(lines.numbers[first], lines.numbers[last])
    diff = _diff([w.key for w in wanted], [w.indent for w in wanted], pattern.hashed, lines, first, last)
    return Survivors(found, len(pairs) / len(keys), len(pairs), diff)


def _align(keys: list[str], others: list[str], weights: list[float], prices: list[float]) -> list[tuple[int, int]]:
    """Pairs of equal lines in order, with the most weight after a price for every line left out in between.

    `weights` and `prices` are those of `others`: for an equal line, and for one that is left out.

    Local alignment (Smith and Waterman 1981): without the price, a lone bracket far below would be taken for the
    end of a block whose last statement was rewritten.
    """
    width = len(others) + 1
    above = [0.0] * width
    steps: list[bytearray] = []
    best = (0.0, 0, 0)
    for row, key in enumerate(keys, 1):
        current = [0.0] * width
        step = bytearray(width)
        for column in range(1, width):
            score, way = 0.0, 0
            if others[column - 1] == key:
                score, way = above[column - 1] + weights[column - 1], 1
            if above[column] - _GAP > score:
                score, way = above[column] - _GAP, 2
            if current[column - 1] - prices[column - 1] > score:
                score, way = current[column - 1] - prices[column - 1], 3
            current[column] = score
            step[column] = way
            if score > best[0]:
                best = (score, row, column)
        steps.append(step)
        above = current
    pairs: list[tuple[int, int]] = []
    _, row, column = best
    while row and column and steps[row - 1][column]:
        way = steps[row - 1][column]
        if way == 1:
            pairs.append((row - 1, column - 1))
        row, column = row - (way != 3), column - (way != 2)
    return pairs[::-1]


def _indices(lines: FileLines, within: LineRange) -> tuple[int, int]:
    from bisect import bisect_left, bisect_right

    return bisect_left(lines.numbers, within.first), bisect_right(lines.numbers, within.last)


def _best_window(keys: list[str], lines: FileLines, hashed: bool, lo: int, hi: int) -> tuple[int, int] | None:
    """The stretch of the file's lines in which most of the pattern's lines occur.

    Every occurrence of a line votes for the place where the pattern would begin; votes that lie close count
    together. Lines that occur very often (lone brackets) do not vote.
    """
    votes: dict[int, int] = {}
    for offset, key in enumerate(keys):
        places = [p for p in lines.positions(key, hashed) if lo <= p < hi]
        if len(places) > 50:
            continue
        for place in places:
            votes[place - offset] = votes.get(place - offset, 0) + 1
    if not votes:
        return None
    reach = max(8, len(keys))
    starts = sorted(votes)

    def weight(centre: int) -> int:
        return sum(votes[s] for s in starts if abs(s - centre) <= reach)

    best = max(starts, key=lambda s: (weight(s), votes[s], -s))
    start = max(lo, best - reach)
    stop = min(hi, best + len(keys) + reach * (_WINDOW - 2))
    return start, max(stop, start + 1)


def _changed_tail(missing: list[str], lines: FileLines, first: int, last: int, hi: int) -> int:
    """The index of the last line behind `last` that is a missing one, changed: a docstring may stand between.

    A blank line ends the thought, unless what follows is inside of what begins at `first`.
    """
    if not 0 < len(missing) <= _TAIL:
        return last
    behind: list[int] = []
    for index in range(last + 1, min(hi, last + 1 + len(missing) + _TAIL)):
        if lines.numbers[index] - lines.numbers[index - 1] > 1 and lines.indent(index) <= lines.indent(first):
            break
        behind.append(index)
    pairs = alike_pairs(missing, [lines.texts[index] for index in behind])
    return behind[pairs[-1][1]] if pairs else last


def changed_survivors(pattern: Pattern, lines: FileLines, cited: LineRange) -> Survivors | None:
    """As `survivors`, where no line needs to be the same: the cited lines are the pattern's, each changed a little."""
    ends = changed_at(pattern, lines, cited)
    if ends is None:
        return None
    wanted = [line for piece in pattern.pieces for line in piece if not line.blank]
    first, last = ends
    diff = _diff([w.key for w in wanted], [w.indent for w in wanted], pattern.hashed, lines, first, last)
    same = sum(line.sign == " " for line in diff)
    return Survivors(LineRange(lines.numbers[first], lines.numbers[last]), same / len(wanted), same, diff)


def _extent(missing: list[int], lines: FileLines, edge: int, step: int, limit: int, edge_indent: int) -> int:
    """How many lines beyond `edge` replace the missing ones: as long as their indentation goes the same way."""
    count = 0
    base = lines.indent(edge) - edge_indent
    for indent in missing:
        index = edge + step * (count + 1)
        if not (index >= limit if step < 0 else index < limit):
            break
        gap = abs(lines.numbers[index] - lines.numbers[index - step])
        if gap > 1 or lines.indent(index) - base != indent:
            break
        count += 1
    return count


def _diff(
    keys: list[str], indents: list[int], hashed: bool, lines: FileLines, first: int, last: int
) -> tuple[DiffLine, ...]:
    """The pattern's lines against the file's from index `first` to `last`, a changed line before its new form."""
    file_keys = lines.keys(hashed)[first : last + 1]
    out: list[DiffLine] = []
    base = min((lines.indent(i) for i in range(first, last + 1)), default=0)

    def gone(start: int, stop: int) -> None:
        for a in range(start, stop):
            text = "(a recorded line; its text is not kept)" if hashed else keys[a]
            out.append(DiffLine("-", " " * indents[a] + text))

    def new(start: int, stop: int) -> None:
        out.extend(_file_line("+", lines, first + b, base) for b in range(start, stop))

    matcher = SequenceMatcher(None, keys, file_keys, autojunk=False)
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        if tag == "equal":
            out.extend(_file_line(" ", lines, first + b, base) for b in range(b1, b2))
            continue
        pairs = [] if hashed or tag != "replace" or a2 - a1 == b2 - b1 else alike_pairs(keys[a1:a2], file_keys[b1:b2])
        for a, b in [(a1 + a, b1 + b) for a, b, _ in pairs]:  # before the two go on
            new(b1, b)
            gone(a1, a + 1)
            new(b, b + 1)
            a1, b1 = a + 1, b + 1
        gone(a1, a2)
        new(b1, b2)
    return tuple(out)


def _file_line(sign: str, lines: FileLines, index: int, base: int) -> DiffLine:
    return DiffLine(sign, " " * (lines.indent(index) - base) + lines.texts[index], lines.numbers[index])
