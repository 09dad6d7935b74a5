"""A text that stands in its file still, but in other definitions than before."""

from __future__ import annotations

from refcheck.locate.follow import symbols
from refcheck.locate.follow.against import belongs_to_others, speaks_against
from refcheck.locate.follow.copies import owner, repeated_around
from refcheck.locate.follow.decision import Decision, Found, Lost, Unsure
from refcheck.locate.follow.edited import edited_in_place
from refcheck.locate.follow.lines import places
from refcheck.locate.follow.pair import Pair
from refcheck.locate.follow.scopes import Key, shown

LONG_RUN = 10
"""Lines in one piece that are taken to be the same code under another name."""


def left_its_definition(pair: Pair, start: int, end: int, key: Key, found: list[int], image: int | None) -> Decision:
    """The text stands in the file, in other definitions only."""
    size = end - start
    before = places(pair.old, start, end, pair.old)
    fresh = [place for place in found if owner(pair, place, size, before) in (None, start)]
    if not fresh:
        return Lost(tuple(found))
    if len(before) > 1 or len(found) > 1:
        if len(before) > 1 and len(found) < len(before) and image is None:
            return Lost(tuple(found))
        return Unsure(tuple(fresh), "the text stands in other definitions now")
    place = found[0]
    target = pair.new_key(place, place + size)
    if image is None and speaks_against(pair, start, end, place):
        return Unsure((place,), "the line map puts these lines elsewhere")
    if image is None and belongs_to_others(pair, start, end, place):
        return Unsure((place,), "the line map puts other lines there")
    if not target or target in pair.old_scopes.all_keys():
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
    if repeated_around(pair, start, end, above, below):
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
