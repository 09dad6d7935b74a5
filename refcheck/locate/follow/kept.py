"""Whether one commit's edit left a range where it was, though its text could also be taken for a copy of it.

Between two trees that lie far apart an edited copy beside a range makes it doubtful which of them is the original.
Within one commit, an insertion beside lines that every line map keeps in one piece, in the same definition and below
the same block headers, is an insertion. What stays open is a block that was inserted a second time, word for word.
"""

from __future__ import annotations

from refcheck.locate.follow.linemap import align
from refcheck.locate.follow.lines import Lines, places
from refcheck.locate.follow.pair import Pair
from refcheck.locate.follow.scopes import Key

BESIDE = 3
"""Lines on each side by which one of several equal blocks is recognised."""

AROUND = 10
MOST_REPEATED = 0.35
"""Share of the telling lines in and around a range, so many lines on each side, that a variant may repeat."""


def kept(pair: Pair, start: int, end: int) -> int | None:
    """The new index where the old lines `start` to `end` (excluded) were kept, or None where that is not certain."""
    place = pair.image(start, end)
    if place is None or place != _image_from_below(pair, start, end):
        return None
    size = end - start
    found = places(pair.old, start, end, pair.new)
    if place not in found:
        return None
    old, new = _Settings(pair, older=True), _Settings(pair, older=False)
    if not new.alike(place, size, old, start):
        return None
    before = sum(old.alike(at, size, old, start) for at in places(pair.old, start, end, pair.old))
    now = sum(new.alike(at, size, old, start) for at in found)
    if now != before or _defined_again(pair, start, end) or _copied(pair, start, end):
        return None
    # One of several may have gone while another one came: then what stands around it is another block's.
    return place if before == 1 or _between_the_same(pair, start, end, place) else None


def _copied(pair: Pair, start: int, end: int) -> bool:
    """Most of the lines in and around the range stand more often than before: a whole block came in twice.

    A variant that was written beside it repeats fewer. Which of two whole blocks is the edited original is open.
    """
    around = pair.telling_keys(pair.old, max(0, start - AROUND), min(len(pair.old), end + AROUND))
    grown = sum(pair.new.counts[key] > pair.old.counts[key] for key in around)
    return grown > MOST_REPEATED * len(around)


def _between_the_same(pair: Pair, start: int, end: int, place: int) -> bool:
    """On both sides the equal lines that adjoin reach a telling line that stands as often as before."""
    above, below = pair.neighbours(start, end, place)
    sides = (range(start - min(above, BESIDE), start), range(end, end + min(below, BESIDE)))
    return all(any(_as_often(pair, index) for index in side) for side in sides)


def _as_often(pair: Pair, index: int) -> bool:
    key = pair.old.keys[index]
    return pair.telling(pair.old, index) and pair.old.counts[key] == pair.new.counts[key]


def _image_from_below(pair: Pair, start: int, end: int) -> int | None:
    """As `Pair.image`, by the line map that is made from the ends of the files upwards.

    Where a block could be the one before or the one after an insertion, the two maps take different ones.
    """
    old, new = len(pair.old), len(pair.new)
    known: list[int] | None = pair.__dict__.get("_from_below")
    if known is None:
        known = pair.__dict__["_from_below"] = align(pair.old.keys[::-1], pair.new.keys[::-1])
    image = [known[old - 1 - index] for index in range(start, end)]
    if min(image) < 0:
        return None
    rows = [new - 1 - at for at in image]
    return rows[0] if rows == list(range(rows[0], rows[0] + end - start)) else None


def _defined_again(pair: Pair, start: int, end: int) -> bool:
    """A definition around either end has more namesakes in the same place than before."""
    keys = {pair.old_key(start, start + 1), pair.old_key(end - 1, end)}
    around = {key[:depth] for key in keys for depth in range(1, len(key) + 1)}
    return any(len(pair.new_scopes.named(key)) > len(pair.old_scopes.named(key)) for key in around)


class _Settings:
    """What blocks of one side of a pair stand in: definitions, and the headers of the blocks around them."""

    def __init__(self, pair: Pair, *, older: bool) -> None:
        self.lines: Lines = pair.old if older else pair.new
        self._key_of = pair.old_key if older else pair.new_key
        name = "_old_parents" if older else "_new_parents"
        self._parents: list[int] = pair.__dict__.get(name) or pair.__dict__.setdefault(name, _parents(self.lines))

    def alike(self, at: int, size: int, other: _Settings, theirs: int) -> bool:
        """Whether blocks of one size, one of either side, stand in the same definitions and below the same headers."""
        return (
            self.headers(at) == other.headers(theirs)
            and self._key_at(at) == other._key_at(theirs)
            and self._key_at(at + size - 1) == other._key_at(theirs + size - 1)
        )

    def headers(self, at: int) -> list[int]:
        """The texts of the nearest line above that is less indented, of the next such line above that, and so on."""
        found: list[int] = []
        while (at := self._parents[at]) >= 0:
            found.append(self.lines.keys[at])
        return found

    def _key_at(self, index: int) -> Key:
        return self._key_of(index, index + 1)


def _parents(lines: Lines) -> list[int]:
    """For each line the nearest one above that is less indented, or -1."""
    found: list[int] = []
    levels: list[tuple[int, int]] = []
    for index in range(len(lines)):
        text = lines.text(index)
        indent = len(text) - len(text.lstrip())
        while levels and levels[-1][0] >= indent:
            levels.pop()
        found.append(levels[-1][1] if levels else -1)
        levels.append((indent, index))
    return found
