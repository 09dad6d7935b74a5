"""Which line of an older text is which line of a newer one.

Lines are compared by interned numbers. Where the texts differ, lines that stand once on both sides are put in
order first (patience: B. Cohen, 2005), gaps between them are filled by the rarest common lines (histogram, as in
JGit), and a gap without any common line is left open. The result is one account of the change, monotone and
one-to-one; whether to believe it is for the rules to say.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

UNMAPPED = -1


def common_prefix(a: Sequence[object], a_at: int, b: Sequence[object], b_at: int, limit: int) -> int:
    """How many of `a[a_at:]` and `b[b_at:]` are equal, at most `limit`; slices are compared whole."""
    done = 0
    step = 8
    while done < limit:
        size = min(step, limit - done)
        if a[a_at + done : a_at + done + size] == b[b_at + done : b_at + done + size]:
            done += size
            step *= 4
        elif size == 1:
            break
        else:
            step = max(1, size // 4)
            limit = done + size - 1
    return done


def common_suffix(a: Sequence[object], a_end: int, b: Sequence[object], b_end: int, limit: int) -> int:
    """As `common_prefix`, for what stands before `a_end` and `b_end` (excluded)."""
    done = 0
    step = 8
    while done < limit:
        size = min(step, limit - done)
        if a[a_end - done - size : a_end - done] == b[b_end - done - size : b_end - done]:
            done += size
            step *= 4
        elif size == 1:
            break
        else:
            step = max(1, size // 4)
            limit = done + size - 1
    return done


def align(old: Sequence[int], new: Sequence[int]) -> list[int]:
    """For each line of `old` its line in `new`, or `UNMAPPED`; increasing where mapped."""
    mapped = [UNMAPPED] * len(old)
    _fill(old, new, mapped, [(0, len(old), 0, len(new))])
    return mapped


def _fill(old: Sequence[int], new: Sequence[int], mapped: list[int], gaps: list[tuple[int, int, int, int]]) -> None:
    while gaps:
        a_lo, a_hi, b_lo, b_hi = gaps.pop()
        size = common_prefix(old, a_lo, new, b_lo, min(a_hi - a_lo, b_hi - b_lo))
        if size:
            mapped[a_lo : a_lo + size] = range(b_lo, b_lo + size)
            a_lo += size
            b_lo += size
        size = common_suffix(old, a_hi, new, b_hi, min(a_hi - a_lo, b_hi - b_lo))
        if size:
            mapped[a_hi - size : a_hi] = range(b_hi - size, b_hi)
            a_hi -= size
            b_hi -= size
        if a_lo >= a_hi or b_lo >= b_hi:
            continue
        anchors = _anchors(old[a_lo:a_hi], new[b_lo:b_hi])
        if not anchors:
            continue
        a_base, b_base = a_lo, b_lo
        for a_at, b_at in anchors:
            a_at += a_base
            b_at += b_base
            if a_at > a_lo and b_at > b_lo:
                gaps.append((a_lo, a_at, b_lo, b_at))
            mapped[a_at] = b_at
            a_lo, b_lo = a_at + 1, b_at + 1
        if a_lo < a_hi and b_lo < b_hi:
            gaps.append((a_lo, a_hi, b_lo, b_hi))


def _anchors(a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int]]:
    """Pairs of positions that are in order on both sides: the lines unique on both, else one rarest line."""
    a_counts = Counter(a)
    b_counts = Counter(b)
    b_at = {line: at for at, line in enumerate(b) if b_counts[line] == 1}
    pairs = [(at, b_at[line]) for at, line in enumerate(a) if line in b_at and a_counts[line] == 1]
    if pairs:
        return _longest_increasing(pairs)
    common = a_counts.keys() & b_counts.keys()
    if not common:
        return []
    return [_rarest(a, b, a_counts, b_counts, common)]


def _longest_increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest subsequence whose second numbers increase (the first ones do)."""
    targets = [target for _, target in pairs]
    if targets == sorted(targets):
        return pairs
    tails: list[int] = []
    tail_at: list[int] = []
    before: list[int] = []
    for index, (_, target) in enumerate(pairs):
        if not tails or target > tails[-1]:
            slot = len(tails)
            tails.append(target)
            tail_at.append(index)
        else:
            slot = bisect_left(tails, target)
            tails[slot] = target
            tail_at[slot] = index
        before.append(tail_at[slot - 1] if slot else -1)
    chosen: list[tuple[int, int]] = []
    index = tail_at[-1]
    while index >= 0:
        chosen.append(pairs[index])
        index = before[index]
    chosen.reverse()
    return chosen


_MAX_PAIRS = 64


def _rarest(
    a: Sequence[int], b: Sequence[int], a_counts: Counter[int], b_counts: Counter[int], common: set[int]
) -> tuple[int, int]:
    """Of the pairs of the rarest common line, one inside the longest equal run (the first such)."""
    # Ties go to the line that stands first, so that the result does not depend on the numbering.
    rarity = min(a_counts[line] * b_counts[line] for line in common)
    line = next(x for x in a if x in common and a_counts[x] * b_counts[x] == rarity)
    a_places = [at for at, x in enumerate(a) if x == line]
    b_places = [at for at, x in enumerate(b) if x == line]
    best = (a_places[0], b_places[0])
    best_run = -1
    tried = 0
    for a_at in a_places:
        for b_at in b_places:
            if tried >= _MAX_PAIRS:
                return best
            tried += 1
            run = common_prefix(a, a_at, b, b_at, min(len(a) - a_at, len(b) - b_at))
            run += common_suffix(a, a_at, b, b_at, min(a_at, b_at))
            if run > best_run:
                best_run = run
                best = (a_at, b_at)
    return best
