"""Whether a definition goes on under another name, still holds its lines, or was copied."""

from __future__ import annotations

from difflib import SequenceMatcher

from refcheck.locate.follow.pair import Pair
from refcheck.locate.follow.scopes import Key

SAME_DEFINITION = 0.6
"""Share of telling lines by which a definition is recognised under another name."""
LEAD = 0.2
"""By how much the best such definition has to lead over the next."""
HALF = 0.5
COPIED = 0.2
LIKE = 0.75


def alike(a: str, b: str) -> bool:
    """Whether two lines look like one line before and after an edit."""
    if not a or not b or min(len(a), len(b)) * 2 < max(len(a), len(b)):
        return False
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    return matcher.real_quick_ratio() >= LIKE and matcher.quick_ratio() >= LIKE and matcher.ratio() >= LIKE


def likeness(a: str, b: str) -> float:
    return SequenceMatcher(None, a, b, autojunk=False).ratio()


def renamed(pair: Pair, chain: tuple[int, ...]) -> Key | None:
    """The new key of a definition whose old key is gone: most of its lines, in one new definition alone."""
    if not chain:
        return None
    key = pair.old_scopes.key(chain)
    if key in pair.new_scopes.all_keys():
        return None
    cache: dict[int, Key | None] = pair.__dict__.setdefault("_renamed", {})
    if chain[-1] not in cache:
        cache[chain[-1]] = _find_renamed(pair, chain, key)
    return cache[chain[-1]]


def _find_renamed(pair: Pair, chain: tuple[int, ...], key: Key) -> Key | None:
    start, end = pair.old_body(chain[-1])
    wanted = _telling_keys(pair, start, end)
    if len(wanted) < 2:
        return None
    fresh = [k for k in pair.new_scopes.all_keys() - pair.old_scopes.all_keys() if len(k) == len(key)]
    scores: list[tuple[float, float, Key]] = []
    for candidate in fresh:
        spans = pair.new_spans(candidate)
        if len(spans) != 1:
            continue
        theirs = {pair.new.keys[i] for i in range(*spans[0]) if pair.telling(pair.new, i)}
        shared = len(wanted & theirs)
        if shared:
            scores.append((shared / len(wanted), shared / max(1, len(theirs)), candidate))
    if not scores:
        return None
    scores.sort(reverse=True)
    best = scores[0]
    if best[0] < SAME_DEFINITION or best[1] < HALF:
        return None
    if len(scores) > 1 and scores[1][0] > best[0] - LEAD:
        return None
    return best[2]


def _telling_keys(pair: Pair, start: int, end: int) -> set[int]:
    return {pair.old.keys[i] for i in range(start, end) if pair.telling(pair.old, i)}


def still_holds(pair: Pair, chain: tuple[int, ...], key: Key) -> bool:
    """The definition of the same name still has half of its telling lines."""
    start, end = pair.old_body(chain[-1]) if chain else (0, len(pair.old))
    wanted = _telling_keys(pair, start, end)
    if not wanted:
        return True
    theirs = {pair.new.keys[i] for span in pair.new_spans(key) for i in range(*span)}
    return len(wanted & theirs) >= HALF * len(wanted)


def held_again(pair: Pair, low: int, high: int, start: int, end: int, key: Key) -> bool:
    """The definition of the same name still has lines of the run around the range: the run is a copy of it."""
    around = _telling_keys(pair, low, start) | _telling_keys(pair, end, high)
    if not around:
        return False
    theirs = {pair.new.keys[i] for span in pair.new_spans(key) for i in range(*span)} if key else set()
    return len(around & theirs) > COPIED * len(around)


def is_signature(pair: Pair, start: int, end: int) -> bool:
    """The range is a part of its own definition's signature, which belongs to the name."""
    chain = pair.old_chain(start, end)
    if not chain:
        return False
    first, last = pair.old_scopes.signature(chain[-1])
    return first <= pair.old.rows[start] and pair.old.rows[end - 1] <= last
