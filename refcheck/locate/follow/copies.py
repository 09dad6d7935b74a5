"""Which of several equal texts is the cited one, where copies stand in the older or the newer file."""

from __future__ import annotations

from bisect import bisect_left

from refcheck.locate.follow import symbols
from refcheck.locate.follow.pair import Pair

AROUND = 10
"""Neighbouring lines on each side that are asked whether they were copied."""
HABIT = 2
"""Telling lines near a copy that, if they stand near the range as well, say that more than a line was copied."""
AHEAD = 3
"""How many times the lines around a copy, and one more, the place has to share."""
REACH = 8
NEAREST = 3
"""So many telling lines within so many lines have to be on their side of the range."""


def owner(pair: Pair, place: int, size: int, twins: list[int]) -> int | None:
    """The old copy whose lines the map puts at `place`."""
    at = pair.back.get(place)
    return at if at in twins and pair.image(at, at + size) == place else None


def owned(pair: Pair, start: int, end: int, place: int, twins: list[int]) -> bool:
    """The line map puts another old copy there, whose neighbours fit at least as well as those of the range."""
    size = end - start
    other = owner(pair, place, size, twins)
    if other is None or other == start:
        return False
    held, ours = pair.neighbours(other, other + size, place), pair.neighbours(start, end, place)
    return held[0] >= ours[0] and held[1] >= ours[1]


def far_ahead(pair: Pair, start: int, end: int, place: int, copy: int) -> bool:
    """What surrounds the range surrounds `place`, but for a line beside it that was edited, and not `copy`."""
    above, below = pair.neighbours(start, end, place)
    theirs = pair.neighbours(start, end, copy)
    if above < theirs[0] or below < theirs[1] or above + below <= sum(theirs):
        return False
    return pair.surroundings(start, end, place) >= AHEAD * (pair.surroundings(start, end, copy) + 1)


def side_by_side(pair: Pair, start: int, end: int, place: int, other: int) -> bool:
    """Everything between the two places is the same block, once more: either may be the inserted one.

    The lines that both have in common with the older file fill the distance, half of those near the range stand near
    the other place as well, and so many lines were inserted: any line that stands again in a long unchanged part has
    the first of these.
    """
    size = end - start
    first, second = min(place, other), max(place, other)
    _, below_first = pair.neighbours(start, end, first)
    above_second, _ = pair.neighbours(start, end, second)
    distance = second - first
    if below_first + size + above_second < distance:
        return False
    if 2 * pair.surroundings(start, end, other) < min(distance - size, REACH):
        return False
    low, high = first - distance, second + size + distance
    return 2 * (bisect_left(pair.inserted, high) - bisect_left(pair.inserted, low)) >= distance


def parted(pair: Pair, start: int, end: int, place: int, copy: int) -> bool:
    """Whether `place` is the original beyond doubt, where the text stands at `copy` too and did not before.

    It leads on both sides, with lines of its own: a copy that was inserted beside the original cuts its neighbours off
    on one. Or the copy is in another definition, and nothing around it is telling.
    """
    size = end - start
    above, below = pair.neighbours(start, end, place)
    theirs = pair.neighbours(start, end, copy)
    if above > theirs[0] and below > theirs[1]:
        own_above = pair.telling_keys(pair.old, start - above, start - theirs[0])
        own_below = pair.telling_keys(pair.old, end + theirs[1], end + below)
        grown = pair.inserted_at.keys()
        if own_above - grown and own_below - grown:
            return True
    if far_ahead(pair, start, end, place, copy):
        return True
    low, high = copy - theirs[0], copy + size + theirs[1]
    if any(pair.telling(pair.new, index) for near in ((low, copy), (copy + size, high)) for index in range(*near)):
        return False
    if len(pair.shared_around(start, end, copy)) >= HABIT:
        return False
    return pair.new_key(copy, copy + size) != pair.new_key(place, place + size)


def displaced(pair: Pair, start: int, end: int, place: int) -> bool:
    """What stood directly on one side of the range is on the other side of `place` now, in the same definition.

    Where the text stands elsewhere, too, the one at `place` may be a copy that was put in on the wrong side of it.
    """
    size = end - start
    chain = pair.new_chain(place, place + size)
    low, high = pair.new_body(chain[-1]) if chain else (0, len(pair.new))
    above, below = pair.neighbours(start, end, place)
    for near, right, wrong in (
        (range(start - 1, max(-1, start - 1 - REACH), -1), (low, place), (place + size, high)),
        (range(end, min(len(pair.old), end + REACH)), (place + size, high), (low, place)),
    ):
        equal = above if near.step < 0 else below
        if any(pair.telling(pair.old, index) for index in near[:equal]):
            continue
        lines = [pair.old.keys[index] for index in near if pair.telling(pair.old, index)][:NEAREST]
        here, there = set(pair.new.keys[slice(*right)]), set(pair.new.keys[slice(*wrong)])
        if any(line in there for line in lines) and not any(line in here for line in lines):
            return True
    return False


def under_new_name(pair: Pair, start: int, end: int, copy: int) -> bool:
    """The copy and its equal neighbours lie wholly in one definition of a name that is new.

    A method of the same name is under a new one if its class is.
    """
    size = end - start
    chain = pair.new_chain(copy, copy + size)
    if not chain:
        return False
    key = pair.new_scopes.key(chain)
    if key in pair.old_scopes.all_keys() or len(pair.new_scopes.named(key)) > 1:
        return False
    mine = pair.old_key(start, end)
    if mine[-1:] == key[-1:] and key[:-1] in {(), *pair.old_scopes.all_keys()}:
        return False
    _, last = pair.new_body(chain[-1])
    name_row = pair.new_scopes.name_row(chain[-1])
    first = pair.new.span(name_row + 1, name_row + 1)[0]
    above, below = pair.neighbours(start, end, copy)
    return first <= copy - above and copy + size + below <= last


def repeated_around(pair: Pair, start: int, end: int, above: int, below: int) -> bool:
    """The range with its equal neighbours was copied: those near it, or those of a definition that it touches."""
    if symbols.repeated(pair, start - min(above, AROUND), end + min(below, AROUND)):
        return True
    chains = {pair.old_chain(start, end), pair.old_chain(start, start + 1), pair.old_chain(end - 1, end)}
    return any(symbols.repeated(pair, start - above, end + below, chain) for chain in chains)
