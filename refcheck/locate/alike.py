"""Lines that were changed a little: which line of a text became which, by how alike they are."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher

from ..model.place import LineRange
from .match import FileLines
from .pattern import Pattern

ALIKE = 0.66
"""Two lines of which this share of characters is the same, in order, may be one line before and after a change."""
MEANT = 0.75
"""With this share over all of its lines, a text is that of the cited lines, changed."""
MOST_PAIRS = 2000
"""Pairs of lines that are compared at most: a long block is known by the lines that it keeps."""
LONGEST = 300
BESIDE = 2
"""Lines before and after the cited ones that are looked at too: numbers are often off by one."""


def likeness(one: str, other: str) -> float:
    """The share of characters that two lines have in common, in order; 0 below ALIKE."""
    if one == other:
        return 1.0
    if max(len(one), len(other)) > LONGEST:
        return 0.0
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    if matcher.real_quick_ratio() < ALIKE or matcher.quick_ratio() < ALIKE:
        return 0.0
    ratio = matcher.ratio()
    return ratio if ratio >= ALIKE else 0.0


def alike_pairs(lines: Sequence[str], others: Sequence[str]) -> list[tuple[int, int, float]]:
    """Pairs of indexes in order, with the most likeness in all; nothing where there are too many lines."""
    if not lines or not others or len(lines) * len(others) > MOST_PAIRS:
        return []
    width = len(others) + 1
    likes = [[likeness(line, other) for other in others] for line in lines]
    best = [[0.0] * width for _ in range(len(lines) + 1)]
    for row in range(len(lines) - 1, -1, -1):
        for column in range(len(others) - 1, -1, -1):
            like = likes[row][column]
            taken = like + best[row + 1][column + 1] if like else 0.0
            best[row][column] = max(taken, best[row + 1][column], best[row][column + 1])
    pairs: list[tuple[int, int, float]] = []
    row = column = 0
    while row < len(lines) and column < len(others):
        like = likes[row][column]
        if like and best[row][column] == like + best[row + 1][column + 1]:
            pairs.append((row, column, like))
            row, column = row + 1, column + 1
        elif best[row][column] == best[row][column + 1]:
            column += 1
        else:
            row += 1
    return pairs


def changed_at(pattern: Pattern, lines: FileLines, cited: LineRange) -> tuple[int, int] | None:
    """Indexes of the first and the last of the file's lines that are the pattern's, changed, at the cited place.

    None where they are not alike enough, and for hashes, which are not like anything.
    """
    wanted = [line.key for piece in pattern.pieces for line in piece if not line.blank]
    if pattern.hashed or not wanted:
        return None
    inside = [i for i, n in enumerate(lines.numbers) if cited.first - BESIDE <= n <= cited.last + BESIDE]
    pairs = alike_pairs(wanted, [lines.texts[i] for i in inside])
    weight = sum(len(wanted[row]) * like for row, _, like in pairs)
    if not pairs or weight < MEANT * sum(map(len, wanted)):
        return None
    return inside[pairs[0][1]], inside[pairs[-1][1]]
