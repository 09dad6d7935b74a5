"""What became of a range within one file: the place, or why no place is certain.

No single observation is proof. An identical text may be a copy, a diff may align a copy, and a unique text may be
the copy of an original that was edited. A place is accepted where the definition, the line map and the
neighbouring lines agree, or where one is silent and nothing speaks against the others.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from typing import TypeAlias

from refcheck.locate.follow import symbols
from refcheck.locate.follow.linemap import UNMAPPED
from refcheck.locate.follow.lines import places
from refcheck.locate.follow.pair import Pair
from refcheck.locate.follow.scopes import Key, shown


@dataclass(frozen=True, slots=True)
class Found:
    """The text is at index `place` of the newer file."""

    place: int
    why: str
    note: str = ""
    renamed: bool = False
    """Its lines are in a definition of another name, which is taken to be the same: unless another file has them."""


@dataclass(frozen=True, slots=True)
class Unsure:
    """The text stands at `places`, and the evidence does not make one of them certain."""

    places: tuple[int, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Lost:
    """The text does not go on in this file; `twins` are places that had it before, or are copies."""

    twins: tuple[int, ...]


Decision: TypeAlias = Found | Unsure | Lost

ENOUGH = 3
"""Neighbouring lines that make a place credible on which the line map is silent."""
LONG_RUN = 10
"""Lines in one piece that are taken to be the same code under another name."""
OWN = 2
"""Telling lines on each side that no copy has, beyond those that it has, by which a place is the original's."""
FAR = 8
"""So many of them in a row that the copy has ended."""
COPIED_AROUND = 0.4
COPIED_BESIDE = 0.6
COPIED_ITSELF = 0.5
"""Shares of the telling lines around a range, on one side of it, and in it, that make inserted lines a copy of them."""
NEAR = 2
"""So many of the nearest telling lines on each side, and of those of the range, make inserted lines a copy, too."""
COPY_REACH = 60
"""Inserted lines this far from one that repeats a line near the range belong to the same copy."""
AROUND = 10
"""Neighbouring lines on each side that are asked whether they were copied."""
MARGIN = 2
"""By how many shared lines of the surroundings a place has to lead over a copy."""


def judge(pair: Pair, start: int, end: int) -> Decision:
    """Follow the lines at old indexes `start` to `end` (excluded, at least one line)."""
    found = places(pair.old, start, end, pair.new)
    if not found:
        return Lost(())
    size = end - start
    key = pair.old_key(start, end)
    image = pair.image(start, end)
    if image is not None and image not in found:
        image = None
    ends = symbols.Ends.of(pair, start, end)
    same = [place for place in found if ends.fit(place, place + size)]
    note = ends.note
    if not same:
        return _left_its_definition(pair, start, end, key, found, image)
    before = places(pair.old, start, end, pair.old)
    twins = [at for at in before if pair.old_key(at, at + size) == key]
    if len(same) == 1 and len(twins) == 1:
        decision = _only_one(pair, start, end, same[0], image, found)
    else:
        decision = _among_copies(pair, start, end, same, twins, image)
    if isinstance(decision, Found):
        signature = symbols.is_signature(pair, start, end) and len(found) == len(before)
        if not signature and (taken := symbols.taken_over(pair, pair.old_chain(start, end))):
            return Unsure(tuple(same), f"more of {shown(taken)} is in another definition now than under its name")
        for other in found:
            if other == decision.place or _owned(pair, start, end, other, before):
                continue
            if _under_new_name(pair, start, end, other):
                continue
            if _side_by_side(pair, start, end, decision.place, other):
                return Unsure((decision.place, other), "the same lines stand twice, one directly after the other")
            if not _parted(pair, start, end, decision.place, other):
                return Unsure((decision.place, other), "a copy stands there whose neighbours fit as well")
        if (edge := _copied_edge(pair, start, end, decision.place)) is not None:
            return Unsure((decision.place,), f"the lines at its {edge} may be a copy of those that stand elsewhere")
        if (twice := symbols.defined_more_often(pair, key, start, end)) is not None:
            return Unsure(tuple(same), f"{shown(twice)} is defined more often than before")
        if note:
            above, below = pair.neighbours(start, end, decision.place)
            if (
                len(found) > len(before)
                or pair.old_key(start, start + 1) != pair.old_key(end - 1, end)
                or _repeated(pair, start, end, above, below)
                or symbols.signature_repeated(pair, start, end)
            ):
                return Unsure(tuple(found), f"{note}, and it is not alone, or its lines stand elsewhere too")
            return Found(decision.place, decision.why, note, True)
    return decision


def _only_one(pair: Pair, start: int, end: int, place: int, image: int | None, found: list[int]) -> Decision:
    """The text stands once in its definition, before and after."""
    if image == place:
        if not pair.telling_keys(pair.old, start, end) and _edited_bracket(pair, start, end, place):
            return Unsure((place,), "brackets and the like could be any, and others stand beside them")
        if copied_around(pair, start, end, place):
            return Unsure((place,), "an edited copy of the surrounding lines stands beside it")
        return Found(place, "the only such text in its definition, and where the line map puts it")
    if _speaks_against(pair, start, end, place):
        return Unsure((place,), "the line map puts these lines elsewhere")
    if symbols.is_signature(pair, start, end):
        chain = pair.old_chain(start, end)
        if symbols.still_holds(pair, chain, pair.old_scopes.key(chain)) or symbols.went_on_elsewhere(pair, chain):
            return Found(place, "the signature of the same definition")
        return Unsure((place,), "the signature stands there, over other lines")
    above, below = pair.neighbours(start, end, place)
    if not pair.telling_keys(pair.old, start, end):
        return Unsure((place,), "brackets and the like could be any, and the line map does not put them there")
    if _belongs_to_others(pair, start, end, place):
        return Unsure((place,), "the line map puts other lines there")
    if _neighbours_went_elsewhere(pair, start, end, place, above, below):
        return Unsure((place,), "the lines around it stayed where they were")
    if edited_in_place(pair, start, end):
        return Unsure((place,), "an edited form stands where the text was")
    if symbols.repeated(pair, start - min(above, AROUND), end + min(below, AROUND)):
        return Unsure((place,), "the lines around it stand there more often than before")
    if above + below >= ENOUGH:
        return Found(place, "the only such text in its definition, with its neighbours")
    inside = bool(pair.old_chain(start, end)) and above + below > 0
    if inside and len(found) == 1 and any(pair.telling(pair.old, index) for index in range(start, end)):
        return Found(place, "the only such text in the file, in the same definition")
    return Unsure((place,), "nothing around it is the same")


def _among_copies(pair: Pair, start: int, end: int, same: list[int], twins: list[int], image: int | None) -> Decision:
    """The text stands several times in its definition, before or after: it must fit better than every rival."""
    if image is None or image not in same:
        place = _clear_winner(pair, start, end, same, twins)
        if place is None:
            return Unsure(tuple(same), "the same text stands there more than once")
        return Found(place, "of several copies the only one between the same lines")
    size = end - start
    above, below = pair.neighbours(start, end, image)
    level = pair.surroundings(start, end, image)
    rivals: list[int] = []
    for other in same:
        if other == image:
            continue
        theirs = pair.neighbours(start, end, other)
        if _owned(pair, start, end, other, twins):
            continue
        if above > theirs[0] and below > theirs[1] and level >= pair.surroundings(start, end, other) + MARGIN:
            continue
        rivals.append(other)
    if rivals:
        return Unsure((image, *rivals), "copies of the text stand there, and its neighbours do not part them")
    for other in twins:
        if other == start or _image_of(pair, other, size) not in (None, image):
            continue
        theirs = pair.neighbours(other, other + size, image)
        if above > theirs[0] and below > theirs[1]:
            continue
        return Unsure((image,), "one of several copies is left, and its neighbours do not say which")
    if above + below == 0:
        return Unsure(tuple(same), "one of several copies, and nothing around it is the same")
    if copied_around(pair, start, end, image):
        return Unsure(tuple(same), "an edited copy of the surrounding lines stands beside it")
    return Found(image, "where the line map puts it, and its neighbours fit no other copy")


def _image_of(pair: Pair, at: int, size: int) -> int | None:
    return pair.image(at, at + size)


def _owner(pair: Pair, place: int, size: int, twins: list[int]) -> int | None:
    """The old copy whose lines the map puts at `place`."""
    at = pair.back.get(place)
    return at if at in twins and pair.image(at, at + size) == place else None


def _owned(pair: Pair, start: int, end: int, place: int, twins: list[int]) -> bool:
    """The line map puts another old copy there, whose neighbours fit at least as well as those of the range."""
    size = end - start
    owner = _owner(pair, place, size, twins)
    if owner is None or owner == start:
        return False
    held, ours = pair.neighbours(owner, owner + size, place), pair.neighbours(start, end, place)
    return held[0] >= ours[0] and held[1] >= ours[1]


def _side_by_side(pair: Pair, start: int, end: int, place: int, other: int) -> bool:
    """Everything between the two places is the same block, once more: either may be the inserted one."""
    first, second = min(place, other), max(place, other)
    _, below_first = pair.neighbours(start, end, first)
    above_second, _ = pair.neighbours(start, end, second)
    return below_first + (end - start) + above_second >= second - first


def _parted(pair: Pair, start: int, end: int, place: int, copy: int) -> bool:
    """Whether `place` is the original beyond doubt, where the text stands at `copy` too and did not before.

    It leads on both sides, with lines of its own: a copy that was inserted beside the original cuts its neighbours off
    on one. Or the copy
    is in another definition, and nothing around it is telling.
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


def _copied_edge(pair: Pair, start: int, end: int, place: int) -> str | None:
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
            free = free and not _under_new_name(pair, start, start + head, other)
            if free and pair.neighbours(start, start + head, other)[0] >= max(1, above):
                return "beginning"
    tail = grown[::-1].index(False)
    if any(pair.telling(pair.old, index) for index in range(end - tail, end)):
        for other in places(pair.old, end - tail, end, pair.new):
            free = other != place + size - tail and pair.back.get(other, end - tail) == end - tail
            free = free and not _under_new_name(pair, end - tail, end, other)
            if free and pair.neighbours(end - tail, end, other)[1] >= max(1, below):
                return "end"
    return None


def _under_new_name(pair: Pair, start: int, end: int, copy: int) -> bool:
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


def _clear_winner(pair: Pair, start: int, end: int, same: list[int], twins: list[int]) -> int | None:
    """The one place with equal lines on both sides where every other has fewer on both, seen from either tree."""
    size = end - start
    scores = {place: pair.neighbours(start, end, place) for place in same}
    best = max(same, key=lambda place: min(scores[place]))
    above, below = scores[best]
    if min(above, below) < 1 or above + below < ENOUGH or _speaks_against(pair, start, end, best):
        return None
    if _neighbours_went_elsewhere(pair, start, end, best, above, below) or edited_in_place(pair, start, end):
        return None
    if _belongs_to_others(pair, start, end, best):
        return None
    if any(p != best and (scores[p][0] >= above or scores[p][1] >= below) for p in same):
        return None
    level = pair.surroundings(start, end, best)
    if len(same) > len(twins) and any(p != best and 2 * pair.surroundings(start, end, p) > level for p in same):
        return None
    for other in twins:
        if other != start:
            theirs = pair.neighbours(other, other + size, best)
            if theirs[0] >= above or theirs[1] >= max(1, below):
                return None
    return best


def _left_its_definition(pair: Pair, start: int, end: int, key: Key, found: list[int], image: int | None) -> Decision:
    """The text stands in the file, in other definitions only."""
    size = end - start
    before = places(pair.old, start, end, pair.old)
    fresh = [place for place in found if _owner(pair, place, size, before) in (None, start)]
    if not fresh:
        return Lost(tuple(found))
    if len(before) > 1 or len(found) > 1:
        if len(before) > 1 and len(found) < len(before):
            return Lost(tuple(found))
        return Unsure(tuple(fresh), "the text stands in other definitions now")
    place = found[0]
    target = pair.new_key(place, place + size)
    if image is None and _speaks_against(pair, start, end, place):
        return Unsure((place,), "the line map puts these lines elsewhere")
    if image is None and _belongs_to_others(pair, start, end, place):
        return Unsure((place,), "the line map puts other lines there")
    if target in pair.old_scopes.all_keys():
        return Unsure((place,), f"the text stands in {shown(target) or 'the file itself'} now, which existed before")
    above, below = pair.neighbours(start, end, place)
    long = above + size + below >= LONG_RUN
    gone = bool(key) and key not in pair.new_scopes.all_keys()
    if not gone and symbols.touches_signature(pair, start, end):
        return Unsure((place,), f"the signature belongs to {shown(key)}, and the text stands in another definition")
    why = f"in one piece with its neighbours in {shown(target) or 'the file itself'}, which is new"
    note = f"from {shown(key) or 'the file itself'} to {shown(target) or 'the file itself'}"
    if not gone and symbols.held_again(pair, start - above, end + below, pair.old_chain(start, end)):
        return Lost((place,))
    if _repeated(pair, start, end, above, below):
        return Unsure((place,), f"the lines around it in {shown(target)} stand elsewhere too")
    if gone:
        if symbols.touches_signature(pair, start, end):
            return Unsure((place,), f"{shown(key)} is gone, and a signature belongs to its name")
        if symbols.header_remains(pair, pair.old_chain(start, end)):
            return Unsure((place,), f"the signature of {shown(key)} stands elsewhere")
        if image == place and long:
            return Found(place, why, note, True)
        return Unsure((place,), f"{shown(key)} is gone, and too little says that {shown(target)} is the same")
    if symbols.still_holds(pair, pair.old_chain(start, end), key):
        if not long or edited_in_place(pair, start, end):
            return Lost((place,))
        return Unsure((place,), f"{shown(key) or 'the file itself'} remains, and the text stands in a new definition")
    if long and image == place:
        return Found(place, why, note, True)
    return Unsure((place,), "the definition and the line map disagree")


def _repeated(pair: Pair, start: int, end: int, above: int, below: int) -> bool:
    """The range with its equal neighbours was copied: those near it, or those of a definition that it touches."""
    if symbols.repeated(pair, start - min(above, AROUND), end + min(below, AROUND)):
        return True
    chains = {pair.old_chain(start, end), pair.old_chain(start, start + 1), pair.old_chain(end - 1, end)}
    return any(symbols.repeated(pair, start - above, end + below, chain) for chain in chains)


def _speaks_against(pair: Pair, start: int, end: int, place: int) -> bool:
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


def _belongs_to_others(pair: Pair, start: int, end: int, place: int) -> bool:
    """The line map puts other lines than the range's at `place`: what stands there was there before, as a twin.

    Half of them, or one at an edge: what is beyond it is not the range's own, then.
    """
    size = end - start
    others = [pair.back.get(place + i, start + i) != start + i for i in range(size)]
    telling = [i for i in range(size) if pair.telling(pair.old, start + i)]
    at_edges = bool(telling) and (others[telling[0]] or others[telling[-1]])
    return at_edges or sum(others) * 2 > size


def _neighbours_went_elsewhere(pair: Pair, start: int, end: int, place: int, above: int, below: int) -> bool:
    """The equal lines around `place` are mapped to other lines: they are copies there, the originals stayed."""
    near_above = range(max(start - min(above, 6), 0), start)
    near_below = range(end, end + min(below, 6))
    return any(
        pair.mapped[index] not in (UNMAPPED, place + index - start)
        for near in (near_above, near_below)
        for index in near
        if pair.telling(pair.old, index)
    )


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
            window = {keys[i] for i in hits[at:] if i - index <= 2 * reach + size}
            if len(window) >= 2 and (
                len(window & wanted) >= COPIED_AROUND * len(wanted)
                or (not window.isdisjoint(beside) and len(window & (beside | itself)) >= NEAR)
                or len(window & itself) >= max(NEAR, COPIED_ITSELF * len(itself))
                or len(window & above) >= max(3, COPIED_BESIDE * len(above))
                or len(window & below) >= max(3, COPIED_BESIDE * len(below))
            ):
                near = [i for i in ours if abs(i - index) <= COPY_REACH + size]
                return not _between_its_own(pair, start, end, place, near)
    return False


def _nearest(pair: Pair, indexes: range) -> set[int]:
    """The first telling lines of the older file on the way."""
    found: set[int] = set()
    for index in indexes:
        if pair.telling(pair.old, index):
            found.add(pair.old.keys[index])
            if len(found) == NEAR:
                break
    return found


def _between_its_own(pair: Pair, start: int, end: int, place: int, copied: list[int]) -> bool:
    """Above and below, the equal neighbours reach beyond the copy, to lines of which it has no form.

    A copy that was put in beside the original stands between it and such lines on one side. Lines of the block that
    were edited in either are like each other.
    """
    keys = {pair.new.keys[i] for i in copied}
    texts = {pair.new.text(i).strip() for i in copied}
    above, below = pair.neighbours(start, end, place)
    for near in (range(start - 1, start - 1 - above, -1), range(end, end + below)):
        own = 0
        for index in near:
            if not pair.telling(pair.old, index):
                continue
            if pair.old.keys[index] in keys:
                own = 0
                continue
            line = symbols.Likeness(pair.old.text(index).strip())
            own = 0 if any(line.to(text) for text in texts) else own + 1
            if own == FAR:
                break
        if own < OWN:
            return False
    return True


def edited_in_place(pair: Pair, start: int, end: int) -> bool:
    """Between the mapped lines around the range stand new lines that resemble it."""
    low, high = gap(pair, start, end)
    candidates = [pair.new.text(i).strip() for i in range(low, min(high, low + 80)) if i not in pair.back]
    if not candidates:
        return False
    lines = [symbols.Likeness(pair.old.text(i).strip()) for i in range(start, min(end, start + 40))]
    return any(line.to(other) for line in lines for other in candidates)


def _edited_bracket(pair: Pair, start: int, end: int, place: int) -> bool:
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
