"""Whether the ends of a range that stands in one piece may be lines of something else.

Where a block is put in or taken out whose first lines are also those that follow it, two readings leave the very same
text: the lines at the seam may be the block's or those that were there. A range that ends at such a seam is in one
piece in one of the readings only.
"""

from __future__ import annotations

from collections.abc import Sequence

from refcheck.locate.follow.copies import under_new_name
from refcheck.locate.follow.linemap import UNMAPPED, common_prefix, common_suffix
from refcheck.locate.follow.pair import Pair

BEGINNING = "beginning"
END = "end"


def copied_edge(pair: Pair, start: int, end: int, place: int) -> str | None:
    """The end of the range whose lines were put in elsewhere too, with more of what was beyond them.

    A copy that was inserted into the range, or beside it, makes the rest of the range whole with its own edge.
    """
    old, new = pair.old.keys, pair.new.keys
    size = end - start
    above, below = pair.neighbours(start, end, place)
    for at in _put_in(pair, start):
        if at == place:
            continue
        edge = common_prefix(old, start, new, at, min(size, len(new) - at))
        beyond = common_suffix(old, start, new, at, min(start, at))
        if edge == size or beyond < max(1, above):
            continue
        if not _says(pair, range(start, start + edge), range(start - beyond, start)):
            continue
        if not under_new_name(pair, start, start + edge, at):
            return BEGINNING
    for at in _put_in(pair, end - 1):
        if at == place + size - 1:
            continue
        edge = common_suffix(old, end, new, at + 1, min(size, at + 1))
        beyond = common_prefix(old, end, new, at + 1, min(len(old) - end, len(new) - at - 1))
        if edge == size or beyond < max(1, below):
            continue
        if not _says(pair, range(end - edge, end), range(end, end + beyond)):
            continue
        if not under_new_name(pair, end - edge, end, at + 1 - edge):
            return END
    return None


def joined_edge(pair: Pair, start: int, end: int, place: int) -> str | None:
    """The end of the range whose lines stood elsewhere too, before what is beyond them now, and stand there no more.

    What was between the two was taken out together with the one or with the other.
    """
    old, new = pair.old.keys, pair.new.keys
    size = end - start
    above, below = pair.neighbours(start, end, place)
    for at in _lost(pair, old[start], place):
        if start <= at < end:
            continue
        edge = common_prefix(old, start, old, at, min(size, len(old) - at))
        beyond = common_suffix(old, at, new, place, min(at, place))
        if beyond > above and _says(pair, range(start, start + edge), range(at - beyond, at)):
            return BEGINNING
    last = place + size - 1
    for at in _lost(pair, old[end - 1], last):
        if start <= at < end:
            continue
        edge = common_suffix(old, end, old, at + 1, min(size, at + 1))
        beyond = common_prefix(old, at + 1, new, last + 1, min(len(old) - at - 1, len(new) - last - 1))
        if beyond > below and _says(pair, range(end - edge, end), range(at + 1, at + 1 + beyond)):
            return END
    return None


def _put_in(pair: Pair, index: int) -> Sequence[int]:
    """New indexes of an old line's text that no other old line is mapped to."""
    found = pair.inserted_at.get(pair.old.keys[index], [])
    mapped = pair.mapped[index]
    return found if mapped == UNMAPPED else [*found, mapped]


def _lost(pair: Pair, key: int, place: int) -> Sequence[int]:
    """Old indexes of a text that are mapped nowhere, or to `place`."""
    mapped = pair.back.get(place, UNMAPPED)
    others = pair.lost_at.get(key, [])
    return [*others, mapped] if mapped != UNMAPPED and pair.old.keys[mapped] == key else others


def _says(pair: Pair, edge: range, beyond: range) -> bool:
    """Whether old lines say where they are from: a telling one, or a word such as `else:` next to a telling one.

    A bracket has no owner.
    """
    if any(pair.telling(pair.old, index) for index in edge):
        return True
    worded = any(any(map(str.isalnum, pair.old.text(index))) for index in edge)
    return worded and any(pair.telling(pair.old, index) for index in beyond)
