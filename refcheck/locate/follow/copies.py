"""Which of several equal texts is the cited one, where copies stand in the older or the newer file."""

from __future__ import annotations

from refcheck.locate.follow import symbols
from refcheck.locate.follow.pair import Pair

AROUND = 10
"""Neighbouring lines on each side that are asked whether they were copied."""


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


def side_by_side(pair: Pair, start: int, end: int, place: int, other: int) -> bool:
    """Everything between the two places is the same block, once more: either may be the inserted one."""
    first, second = min(place, other), max(place, other)
    _, below_first = pair.neighbours(start, end, first)
    above_second, _ = pair.neighbours(start, end, second)
    return below_first + (end - start) + above_second >= second - first


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
        if own_above - pair.inserted_keys and own_below - pair.inserted_keys:
            return True
    low, high = copy - theirs[0], copy + size + theirs[1]
    if not any(pair.telling(pair.new, index) for near in ((low, copy), (copy + size, high)) for index in range(*near)):
        return pair.new_key(copy, copy + size) != pair.new_key(place, place + size)
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
