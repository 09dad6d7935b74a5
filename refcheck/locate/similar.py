"""How much of a pattern survives in a file whose text differs, and the difference line by line."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from ..model.evidence import DiffLine
from ..model.place import LineRange
from .match import FileLines
from .pattern import Pattern

_WINDOW = 4
"""A file's lines are compared in windows of this many times the pattern's length, around its rarest lines."""


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
    matcher = SequenceMatcher(None, keys, file_keys[start:stop], autojunk=False)
    blocks = [block for block in matcher.get_matching_blocks() if block.size]
    if not blocks:
        return None
    kept = sum(block.size for block in blocks)
    first = start + blocks[0].b
    last = start + blocks[-1].b + blocks[-1].size - 1
    lead = blocks[0].a
    tail = len(keys) - (blocks[-1].a + blocks[-1].size)
    first -= _extent([w.indent for w in wanted[:lead]][::-1], lines, first, -1, lo, wanted[blocks[0].a].indent)
    last += _extent(
        [w.indent for w in wanted[len(keys) - tail :]], lines, last, 1, hi, wanted[-tail - 1].indent if tail else 0
    )
    found = LineRange(lines.numbers[first], lines.numbers[last])
    diff = _diff([w.key for w in wanted], [w.indent for w in wanted], pattern.hashed, lines, first, last)
    return Survivors(found, kept / len(keys), kept, diff)


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
    """The pattern's lines against the file's from index `first` to `last`."""
    file_keys = lines.keys(hashed)[first : last + 1]
    out: list[DiffLine] = []
    base = min((lines.indent(i) for i in range(first, last + 1)), default=0)
    matcher = SequenceMatcher(None, keys, file_keys, autojunk=False)
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        if tag == "equal":
            out.extend(_file_line(" ", lines, first + b, base) for b in range(b1, b2))
            continue
        for a in range(a1, a2):
            text = "(a recorded line; its text is not kept)" if hashed else keys[a]
            out.append(DiffLine("-", " " * indents[a] + text))
        out.extend(_file_line("+", lines, first + b, base) for b in range(b1, b2))
    return tuple(out)


def _file_line(sign: str, lines: FileLines, index: int, base: int) -> DiffLine:
    return DiffLine(sign, " " * (lines.indent(index) - base) + lines.texts[index], lines.numbers[index])
