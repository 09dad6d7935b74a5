"""What the line map says against a place where the text stands."""

from __future__ import annotations

from refcheck.locate.follow.linemap import UNMAPPED
from refcheck.locate.follow.pair import Pair


def speaks_against(pair: Pair, start: int, end: int, place: int) -> bool:
    """The line map puts a telling part of the range somewhere else than `place`."""
    elsewhere = telling = 0
    for index in range(start, end):
        if end - start > 1 and not pair.telling(pair.old, index):
            continue
        telling += 1
        target = pair.mapped[index]
        if target not in (UNMAPPED, place + index - start):
            elsewhere += 1
    return elsewhere * 3 > telling


def belongs_to_others(pair: Pair, start: int, end: int, place: int) -> bool:
    """The line map puts other lines than the range's at `place`: what stands there was there before, as a twin.

    Half of them, or one at an edge: what is beyond it is not the range's own, then. A bracket has no owner.
    """
    size = end - start
    others = [pair.back.get(place + i, start + i) != start + i for i in range(size)]
    worded = [i for i in range(size) if any(map(str.isalnum, pair.old.text(start + i)))]
    at_edges = bool(worded) and (others[worded[0]] or others[worded[-1]])
    return at_edges or sum(others) * 2 > size


def neighbours_went_elsewhere(pair: Pair, start: int, end: int, place: int, above: int, below: int) -> bool:
    """The equal lines around `place` are mapped to other lines: they are copies there, the originals stayed."""
    near_above = range(max(start - min(above, 6), 0), start)
    near_below = range(end, end + min(below, 6))
    return any(
        pair.mapped[index] not in (UNMAPPED, place + index - start)
        for near in (near_above, near_below)
        for index in near
        if pair.telling(pair.old, index)
    )
