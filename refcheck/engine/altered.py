"""Quotes that an edition recorded, where a page shows most of their lines and not all of them."""

from __future__ import annotations

from collections.abc import Iterable

from ..config.edition import Anchor
from ..locate.fingerprint import parse_fingerprint
from ..locate.match import FileLines, find_pattern
from ..locate.similar import survivors
from ..model.document import Quote
from ..model.place import LineRange
from ..model.source_text import SourceText
from .content import part_of

ENOUGH = 0.6
"""This share of the recorded lines, in order, says that the block is meant to be the recorded quote."""


def altered_quotes(block: Quote, anchors: Iterable[Anchor]) -> list[tuple[Anchor, Quote]]:
    """The parts of a block that are nearly an anchor's lines; exact ones are found by content and are left out."""
    lines = FileLines(SourceText("", "", block.text))
    if not lines.numbers:
        return []
    whole = LineRange(1, len(block.lines))
    found: list[tuple[float, Anchor, LineRange]] = []
    for anchor in anchors:
        if anchor.fingerprint is None or anchor.form != "block":
            continue
        pattern = parse_fingerprint(anchor.fingerprint)
        if find_pattern(pattern, lines):
            continue
        kept = survivors(pattern, lines, whole)
        if kept is not None and kept.share >= ENOUGH and kept.solid_kept >= 2:
            found.append((kept.share, anchor, kept.lines))
    chosen: list[tuple[Anchor, Quote]] = []
    taken: list[LineRange] = []
    for _, anchor, span in sorted(found, key=lambda item: -item[0]):
        if not any(span.overlaps(other) for other in taken):
            taken.append(span)
            chosen.append((anchor, part_of(block, (span.first - 1, span.last))))
    return chosen
