"""What is left of a range whose text is no longer in one piece."""

from __future__ import annotations

from dataclasses import dataclass

from refcheck.locate.follow import symbols
from refcheck.locate.follow.linemap import UNMAPPED
from refcheck.locate.follow.pair import Pair
from refcheck.locate.follow.rules import gap

_MAX_GAP = 60


@dataclass(frozen=True, slots=True)
class Survivors:
    """`first` to `last` are new indexes (None: nothing is left), `intact` lines are equal, `edited` alike.

    `similarity` counts an edited line by its likeness.
    """

    first: int | None
    last: int | None
    intact: int
    edited: int
    similarity: float


def survivors(pair: Pair, start: int, end: int) -> Survivors:
    """By the line map, and within its gaps by likeness of lines; only in the definition that the range stood in."""
    size = end - start
    chain = pair.old_chain(start, end)
    key = pair.old_scopes.key(chain)
    allowed = pair.new_spans(key)
    if not allowed:
        renamed = symbols.renamed(pair, chain)
        allowed = pair.new_spans(renamed) if renamed else [(0, len(pair.new))]
    kept: dict[int, tuple[int, float]] = {}
    for index in range(start, end):
        target = pair.mapped[index]
        if target != UNMAPPED and any(low <= target < high for low, high in allowed):
            kept[index] = (target, 1.0)
    if not any(pair.telling(pair.old, index) for index in kept):
        # A bracket or an `else:` that the map could place says nothing about the lines around it.
        kept.clear()
    intact = len(kept)
    _match_edited(pair, start, end, kept, allowed)
    if not kept:
        return Survivors(None, None, 0, 0, 0.0)
    targets = [target for target, _ in kept.values()]
    similarity = sum(share for _, share in kept.values()) / size
    return Survivors(min(targets), max(targets), intact, len(kept) - intact, similarity)


def _match_edited(
    pair: Pair, start: int, end: int, kept: dict[int, tuple[int, float]], allowed: list[tuple[int, int]]
) -> None:
    """Pair unmapped lines with new lines of the same gap that look like them, in order."""
    index = start
    while index < end:
        if index in kept or pair.mapped[index] != UNMAPPED:
            index += 1
            continue
        stop = index
        while stop < end and stop not in kept and pair.mapped[stop] == UNMAPPED:
            stop += 1
        low, high = gap(pair, index, stop)
        at = low
        tried = 0
        for line in range(index, stop):
            if not pair.telling(pair.old, line):
                continue
            text = symbols.Likeness(pair.old.text(line).strip())
            for candidate in range(at, min(high, at + _MAX_GAP)):
                tried += 1
                if tried > 400:
                    return
                if candidate in pair.back or not any(low <= candidate < high for low, high in allowed):
                    continue
                share = text.to(pair.new.text(candidate).strip())
                if share:
                    kept[line] = (candidate, share)
                    at = candidate + 1
                    break
        index = stop
