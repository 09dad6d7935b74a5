"""What became of a range within one file: the place, or why no place is certain.

No single observation is proof. An identical text may be a copy, a diff may align a copy, and a unique text may be
the copy of an original that was edited. A place is accepted where the definition, the line map and the
neighbouring lines agree, or where one is silent and nothing speaks against the others.
"""

from __future__ import annotations

from refcheck.locate.follow import symbols
from refcheck.locate.follow.against import belongs_to_others, neighbours_went_elsewhere, speaks_against
from refcheck.locate.follow.copies import (
    AROUND,
    displaced,
    far_ahead,
    owned,
    parted,
    repeated_around,
    side_by_side,
    under_new_name,
)
from refcheck.locate.follow.decision import Decision, Found, Lost, Unsure
from refcheck.locate.follow.departed import left_its_definition
from refcheck.locate.follow.edges import copied_edge, joined_edge
from refcheck.locate.follow.edited import copied_around, edited_bracket, edited_in_place
from refcheck.locate.follow.lines import places
from refcheck.locate.follow.pair import Pair
from refcheck.locate.follow.scopes import shown

ENOUGH = 3
"""Neighbouring lines that make a place credible on which the line map is silent."""
REST = 1 / 3
"""With a smaller share of its lines a definition is what is left of one that may have gone to another file."""
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
        return left_its_definition(pair, start, end, key, found, image)
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
            if other == decision.place or owned(pair, start, end, other, before):
                continue
            if under_new_name(pair, start, end, other):
                continue
            if side_by_side(pair, start, end, decision.place, other):
                return Unsure((decision.place, other), "the same lines stand twice, one directly after the other")
            if not parted(pair, start, end, decision.place, other):
                return Unsure((decision.place, other), "a copy stands there whose neighbours fit as well")
        if len(found) > len(before) and displaced(pair, start, end, decision.place):
            return Unsure(tuple(found), "what stood beside it stands on its other side, and the text elsewhere, too")
        if symbols.hides_header(pair, start, end, decision.place):
            return Unsure((decision.place,), f"more definitions than before stand within {shown(key)}, to a parser")
        if (edge := copied_edge(pair, start, end, decision.place)) is not None:
            return Unsure((decision.place,), f"the lines at its {edge} may be a copy of those that stand elsewhere")
        if (edge := joined_edge(pair, start, end, decision.place)) is not None:
            return Unsure((decision.place,), f"the lines at its {edge} may be those that stood elsewhere")
        if (twice := symbols.defined_more_often(pair, key, start, end)) is not None:
            return Unsure(tuple(same), f"{shown(twice)} is defined more often than before")
        if note:
            above, below = pair.neighbours(start, end, decision.place)
            if (
                len(found) > len(before)
                or pair.old_key(start, start + 1) != pair.old_key(end - 1, end)
                or repeated_around(pair, start, end, above, below)
                or symbols.signature_repeated(pair, start, end)
            ):
                return Unsure(tuple(found), f"{note}, and it is not alone, or its lines stand elsewhere too")
            return Found(decision.place, decision.why, note, True)
        if key and not signature and not symbols.still_holds(pair, pair.old_chain(start, end), key, REST):
            return Found(decision.place, decision.why, decision.note, True)
    return decision


def _only_one(pair: Pair, start: int, end: int, place: int, image: int | None, found: list[int]) -> Decision:
    """The text stands once in its definition, before and after."""
    if image == place:
        if not pair.telling_keys(pair.old, start, end) and edited_bracket(pair, start, end, place):
            return Unsure((place,), "brackets and the like could be any, and others stand beside them")
        if copied_around(pair, start, end, place):
            return Unsure((place,), "an edited copy of the surrounding lines stands beside it")
        return Found(place, "the only such text in its definition, and where the line map puts it")
    if speaks_against(pair, start, end, place):
        return Unsure((place,), "the line map puts these lines elsewhere")
    if symbols.is_signature(pair, start, end):
        chain = pair.old_chain(start, end)
        if symbols.still_holds(pair, chain, pair.old_scopes.key(chain)) or symbols.went_on_elsewhere(pair, chain):
            return Found(place, "the signature of the same definition")
        return Unsure((place,), "the signature stands there, over other lines")
    above, below = pair.neighbours(start, end, place)
    if not pair.telling_keys(pair.old, start, end):
        return Unsure((place,), "brackets and the like could be any, and the line map does not put them there")
    if belongs_to_others(pair, start, end, place):
        return Unsure((place,), "the line map puts other lines there")
    if neighbours_went_elsewhere(pair, start, end, place, above, below):
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
        if owned(pair, start, end, other, twins):
            continue
        if above > theirs[0] and below > theirs[1] and level >= pair.surroundings(start, end, other) + MARGIN:
            continue
        if not far_ahead(pair, start, end, image, other):
            rivals.append(other)
    if rivals:
        return Unsure((image, *rivals), "copies of the text stand there, and its neighbours do not part them")
    for other in twins:
        if other == start or pair.image(other, other + size) not in (None, image):
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


def _clear_winner(pair: Pair, start: int, end: int, same: list[int], twins: list[int]) -> int | None:
    """The one place with equal lines on both sides where every other has fewer on both, seen from either tree."""
    size = end - start
    scores = {place: pair.neighbours(start, end, place) for place in same}
    best = max(same, key=lambda place: min(scores[place]))
    above, below = scores[best]
    if min(above, below) < 1 or above + below < ENOUGH or speaks_against(pair, start, end, best):
        return None
    if neighbours_went_elsewhere(pair, start, end, best, above, below) or edited_in_place(pair, start, end):
        return None
    if belongs_to_others(pair, start, end, best):
        return None
    if symbols.repeated(pair, start - min(above, AROUND), end + min(below, AROUND)):
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
