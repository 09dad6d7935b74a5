"""Which paragraph of a document a span stands in."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate, pairwise

from ..model.document import Prose, Span


class ProseIndex:
    """The first prose, in the document's order, that contains a span; found without looking at all of it."""

    def __init__(self, prose: Sequence[Prose]) -> None:
        self._prose = prose
        self._in_order = all(a.span.start <= b.span.start for a, b in pairwise(prose))
        # Where the furthest end so far reaches a place for the first time, that prose itself ends there or later.
        self._reach = list(accumulate((one.span.end for one in prose), max))

    def around(self, span: Span) -> Prose | None:
        if not self._in_order:
            return next((one for one in self._prose if one.span.contains(span)), None)
        first = bisect_left(self._reach, span.end)
        if first == len(self._prose) or self._prose[first].span.start > span.start:
            return None
        return self._prose[first]
