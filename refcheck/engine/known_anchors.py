"""Which of an edition's anchors a citation or a quoted block of a document is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from ..config.edition import Anchor
from ..locate.fingerprint import fingerprint
from ..model.document import Citation, Quote
from .content import patterns_of
from .meant_files import Resolution
from .paths import Resolved


class KnownAnchors:
    """The anchors beside one document's citations, each with what its path means; no anchors without an edition."""

    def __init__(
        self, anchors: Sequence[Anchor], citations: Sequence[Citation], resolved: Sequence[Resolution]
    ) -> None:
        self._anchors = anchors
        self._citations = citations
        self._resolved = resolved
        self._by_print = {a.fingerprint: a for a in anchors if a.fingerprint and a.form == "block"}

    def of(self, citation: Citation, where: Resolved) -> Anchor | None:
        """The edition's anchor that this citation is: same file and lines, and the same form of citation."""
        if not self._anchors or citation.lines is None:
            return None
        fitting = [
            a
            for a in self._anchors
            if a.engine == where.engine and a.place.path == where.path and a.lines == citation.lines
        ]
        block = citation.quote is not None
        if fitting:
            return next((a for a in fitting if (a.form == "block") == block), fitting[0])
        return None if block else self._by_elimination.get(id(citation))

    @cached_property
    def _by_elimination(self) -> Mapping[int, Anchor]:
        """On the edition's own chapter: citations of a file whose lines fit no anchor, and the anchors left over.

        A number that was changed would otherwise take the citation out of the edition's sight. It is the chapter if
        most of the edition's citations in running text stand in it as they are.
        """
        inline = [anchor for anchor in self._anchors if anchor.form == "inline"]
        places: dict[str, list[Citation]] = {}
        for citation, resolved in zip(self._citations, self._resolved, strict=True):
            if isinstance(resolved, tuple) and citation.quote is None and citation.lines is not None:
                places.setdefault(f"{resolved[1].engine}:{resolved[1].path}", []).append(citation)
        key = {anchor.id: f"{anchor.engine}:{anchor.place.path}" for anchor in self._anchors}
        lost = [a for a in inline if all(c.lines != a.lines for c in places.get(key[a.id], ()))]
        if not inline or len(lost) * 2 > len(inline):
            return {}
        pairs: dict[int, Anchor] = {}
        for anchor in lost:
            known = {a.lines for a in self._anchors if key[a.id] == key[anchor.id]}
            left = [c for c in places.get(key[anchor.id], ()) if c.lines not in known]
            rivals = [a for a in lost if key[a.id] == key[anchor.id]]
            if len(left) == len(rivals):
                pairs[id(left[rivals.index(anchor)])] = anchor
        return pairs

    def like(self, quote: Quote) -> Anchor | None:
        """The anchor whose recorded lines these are."""
        if not self._by_print:
            return None
        prints = [fingerprint(pattern) for pattern in patterns_of(quote.lines)]
        for text in prints:
            if text in self._by_print:
                return self._by_print[text]
        return None
