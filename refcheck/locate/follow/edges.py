"""Whether the ends of a range that stands in one piece may be lines of something else."""

from __future__ import annotations

from refcheck.locate.follow.copies import under_new_name
from refcheck.locate.follow.lines import places
from refcheck.locate.follow.pair import Pair


def copied_edge(pair: Pair, start: int, end: int, place: int) -> str | None:
    """The end of the range whose lines stand elsewhere too, with more of what was beyond them, if there is one.

    A copy that was inserted into the range, or beside it, makes the rest of the range whole with its own edge.
    """
    size = end - start
    grown = [key in pair.inserted_keys for key in pair.old.keys[start:end]]
    if all(grown) or not any(grown):
        return None
    above, below = pair.neighbours(start, end, place)
    head = grown.index(False)
    if any(pair.telling(pair.old, index) for index in range(start, start + head)):
        for other in places(pair.old, start, start + head, pair.new):
            free = other != place and pair.back.get(other, start) == start
            free = free and not under_new_name(pair, start, start + head, other)
            if free and pair.neighbours(start, start + head, other)[0] >= max(1, above):
                return "beginning"
    tail = grown[::-1].index(False)
    if any(pair.telling(pair.old, index) for index in range(end - tail, end)):
        for other in places(pair.old, end - tail, end, pair.new):
            free = other != place + size - tail and pair.back.get(other, end - tail) == end - tail
            free = free and not under_new_name(pair, end - tail, end, other)
            if free and pair.neighbours(end - tail, end, other)[1] >= max(1, below):
                return "end"
    return None
