"""Whether an edited form of a range or of what surrounds it stands beside it: then the intact text may be a copy."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import islice, takewhile

from refcheck.locate.follow import symbols
from refcheck.locate.follow.linemap import UNMAPPED
from refcheck.locate.follow.pair import Pair

COPIED_AROUND = 0.4
COPIED_BESIDE = 0.6
COPIED_ITSELF = 0.5
"""Shares of the telling lines around a range, on one side of it, and in it, that make inserted lines a copy of them."""
NEAR = 2
"""So many of the nearest telling lines on each side, and of those of the range, make inserted lines a copy, too."""
NEARLY = 0.9
"""How much an inserted line has to be like one of the range to be its edited form, without anything else."""
COPY_REACH = 60
"""Inserted lines this far from one that repeats a line near the range belong to the same copy."""
OWN = 2
"""Telling lines on each side that no copy has, beyond those that it has, by which a place is the original's."""
FAR = 8
"""So many of them in a row that the copy has ended."""


def copied_around(pair: Pair, start: int, end: int, place: int, reach: int = 8) -> bool:
    """Lines that were inserted into the same definition repeat what surrounds the range.

    Then the original may be the edited one and the intact text the copy; the newer file alone cannot tell.
    """
    size = end - start
    inserted = pair.inserted
    if len(inserted) < 2:
        return False
    old = pair.old
    chain = pair.old_chain(start, end)
    first, last = pair.old_body(chain[-1]) if chain else (0, len(old))
    above = {old.keys[i] for i in range(max(first, start - reach), start) if pair.telling(old, i)}
    below = {old.keys[i] for i in range(end, min(last, end + reach)) if pair.telling(old, i)}
    wanted = above | below
    if len(wanted) < 2:
        return False
    itself = {old.keys[i] for i in range(start, end) if pair.telling(old, i)}
    beside = _nearest(pair, range(start - 1, first - 1, -1)) | _nearest(pair, range(end, last))
    spans = pair.new_spans(pair.new_scopes.key(pair.new_chain(place, place + size)))
    keys = pair.new.keys
    for low, high in spans:
        ours = inserted[bisect_left(inserted, low) : bisect_left(inserted, high)]
        hits = [index for index in ours if keys[index] in wanted or keys[index] in itself]
        # Enough of them close together, as around the range itself.
        for at, index in enumerate(hits):
            close = [i for i in hits[at:] if i - index <= 2 * reach + size]
            window = {keys[i] for i in close}
            if len(window) >= 2 and (
                len(window & wanted) >= COPIED_AROUND * len(wanted)
                or (not window.isdisjoint(beside) and len(window & (beside | itself)) >= NEAR)
                or len(window & itself) >= max(NEAR, COPIED_ITSELF * len(itself))
                or len(window & above) >= max(3, COPIED_BESIDE * len(above))
                or len(window & below) >= max(3, COPIED_BESIDE * len(below))
            ):
                forms = _Forms(pair, [i for i in ours if abs(i - index) <= COPY_REACH + size])
                if _between_its_own(pair, start, end, place, forms):
                    return False
                if not _apart(pair, start, end, place, close, forms):
                    return True
        if (form := _edited_form(pair, start, end, place, ours)) is not None:
            forms = _Forms(pair, [i for i in ours if abs(i - form) <= COPY_REACH + size])
            if not _between_its_own(pair, start, end, place, forms):
                return not _apart(pair, start, end, place, [form], forms)
    return False


def _edited_form(pair: Pair, start: int, end: int, place: int, inserted: list[int]) -> int | None:
    """An inserted line that is nearly the only telling line of the range, between lines as around that one.

    Of a longer range, or of what is around it, enough lines stand there unedited.
    """
    old, new = pair.old.keys, pair.new.keys
    telling = [index for index in range(start, end) if pair.telling(pair.old, index)]
    if len(telling) != 1:
        return None
    line = telling[0]
    text = symbols.Likeness(pair.old.text(line).strip())
    for index in inserted:
        if abs(index - place) > COPY_REACH or new[index] == old[line]:
            continue
        near = (step for step in (-3, -2, -1, 1, 2, 3) if 0 <= line + step < len(old) and 0 <= index + step < len(new))
        beside = any(old[line + step] == new[index + step] and pair.telling(pair.old, line + step) for step in near)
        if beside and text.to(pair.new.text(index).strip()) >= NEARLY:
            return index
    return None


class _Forms:
    """Whether lines have a form among inserted ones: the same text, or one that an edit leaves alike."""

    def __init__(self, pair: Pair, inserted: list[int]) -> None:
        self._pair = pair
        self._keys = {pair.new.keys[i] for i in inserted}
        self._texts = {pair.new.text(i).strip() for i in inserted}
        self._known: dict[int, bool] = {}

    def has(self, index: int) -> bool:
        """`index` is of the older file."""
        key = self._pair.old.keys[index]
        if key in self._keys:
            return True
        if key not in self._known:
            line = symbols.Likeness(self._pair.old.text(index).strip())
            self._known[key] = any(line.to(text) for text in self._texts)
        return self._known[key]


def _nearest(pair: Pair, indexes: range) -> set[int]:
    """The first telling lines of the older file on the way."""
    found: set[int] = set()
    for index in indexes:
        if pair.telling(pair.old, index):
            found.add(pair.old.keys[index])
            if len(found) == NEAR:
                break
    return found


def _between_its_own(pair: Pair, start: int, end: int, place: int, forms: _Forms) -> bool:
    """Above and below, the equal neighbours reach beyond the copy, to lines of which it has no form.

    A copy that was put in beside the original stands between it and such lines on one side. Lines of the block that
    were edited in either are like each other.
    """
    above, below = pair.neighbours(start, end, place)
    for near in (range(start - 1, start - 1 - above, -1), range(end, end + below)):
        own = 0
        for index in near:
            if pair.telling(pair.old, index):
                own = 0 if forms.has(index) else own + 1
                if own == FAR:
                    break
        if own < OWN:
            return False
    return True


def _apart(pair: Pair, start: int, end: int, place: int, copied: list[int], forms: _Forms) -> bool:
    """The range's original is not among the inserted lines: they have no form of it, or of a few lines at its near end.

    An original and its copy stand side by side, or lines of the older file that were between them are mapped nowhere:
    what is mapped there belongs to the copy, and the original has it as well.
    """
    size = end - start
    itself = [index for index in range(start, end) if pair.telling(pair.old, index)]
    if itself and not any(map(forms.has, itself)):
        return True
    if copied[-1] < place:
        between = range(place - 1, copied[-1], -1)
    elif copied[0] >= place + size:
        between = range(place + size, copied[0])
        itself.reverse()
    else:
        return False
    old = (pair.back[index] for index in between if index in pair.back)
    inwards = _before_a_form(itself, forms)
    outwards = _before_a_form((index for index in old if pair.telling(pair.old, index)), forms)
    return (inwards > 0 or not itself) and inwards + outwards > OWN


def _before_a_form(indexes: Iterable[int], forms: _Forms) -> int:
    """How many of these old lines come before one that has a form, at most `OWN` and one more."""
    return sum(1 for _ in islice(takewhile(lambda index: not forms.has(index), indexes), OWN + 1))


def edited_in_place(pair: Pair, start: int, end: int) -> bool:
    """Between the mapped lines around the range stand new lines that resemble it."""
    low, high = gap(pair, start, end)
    candidates = [pair.new.text(i).strip() for i in range(low, min(high, low + 80)) if i not in pair.back]
    if not candidates:
        return False
    lines = [symbols.Likeness(pair.old.text(i).strip()) for i in range(start, min(end, start + 40))]
    return any(line.to(other) for line in lines for other in candidates)


def edited_bracket(pair: Pair, start: int, end: int, place: int) -> bool:
    """Between `place` and what the nearest mapped lines map to, a line begins like one of the range."""
    low, high = gap(pair, start, end)
    texts = tuple({pair.old.text(index).strip() for index in range(start, end)})
    between = (range(low, place), range(place + end - start, high))
    return any(pair.new.text(index).strip().startswith(texts) for near in between for index in near)


def gap(pair: Pair, start: int, end: int) -> tuple[int, int]:
    """New indexes between what the nearest mapped lines above and below the range map to (the latter excluded)."""
    low = 0
    for index in range(start - 1, -1, -1):
        if pair.mapped[index] != UNMAPPED:
            low = pair.mapped[index] + 1
            break
    high = len(pair.new)
    for index in range(end, len(pair.old)):
        if pair.mapped[index] != UNMAPPED:
            high = pair.mapped[index]
            break
    return low, high
