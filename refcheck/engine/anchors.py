"""The edition's anchors against the trees: one outcome for each, from which its quote and location are judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ..claims.cited import Cited, judge_location, judge_quote
from ..config.edition import Anchor, Edition
from ..locate.find import Outcome, find_text
from ..locate.fingerprint import parse_fingerprint
from ..locate.pattern import Pattern
from ..locate.reader import TreeReader
from ..model.report import Finding, FindingKind
from .findings import finding
from .searches import Searches, SearchNeeded
from .trees import Trees

Announce = Callable[[str], None]


def claim_ids(edition: Edition) -> Mapping[tuple[str, str], str]:
    """(anchor, "quote" | "location") -> the claim that stands for it."""
    return {
        (claim.anchor, str(claim.check["kind"])): claim.id
        for claim in edition.claims
        if claim.anchor is not None and claim.check["kind"] in ("quote", "location")
    }


def cited_of(anchor: Anchor) -> Cited:
    return Cited(anchor.place.path, anchor.lines, anchor.place.symbol, anchor.covers_symbol, anchor.cited_for_call)


def check_anchors(edition: Edition, trees: Trees, announce: Announce) -> list[Finding]:
    """Findings of every anchor whose engine has a tree: its location, and for a quoted block its text."""
    ids = claim_ids(edition)
    words = {claim.id: claim.words[0] for claim in edition.claims if claim.words}
    outcomes = locate_anchors(edition.anchors, trees, announce)
    found: list[Finding] = []
    for anchor in edition.anchors:
        if anchor.id not in outcomes:
            continue
        reader = trees.at(anchor.engine, None)
        outcome, pattern = outcomes[anchor.id]
        cited = cited_of(anchor)
        verdicts = [(FindingKind.LOCATION, judge_location(outcome, pattern, cited, reader))]
        if anchor.form == "block":
            verdicts.insert(0, (FindingKind.QUOTE, judge_quote(outcome, pattern, cited, reader)))
        for kind, verdict in verdicts:
            claim = ids.get((anchor.id, kind.value))
            found.append(
                finding(
                    claim or anchor.id,
                    kind,
                    verdict,
                    trees,
                    reader,
                    cited=anchor.place,
                    claim_kind=kind.value if claim else None,
                    words=words.get(claim) if claim else None,
                )
            )
    return found


def locate_anchors(anchors: Iterable[Anchor], trees: Trees, announce: Announce) -> dict[str, tuple[Outcome, Pattern]]:
    """Where each anchor's text stands in its engine's pinned tree."""
    outcomes: dict[str, tuple[Outcome, Pattern]] = {}
    searches = Searches(trees, announce)
    by_engine: dict[str, list[Anchor]] = {}
    for anchor in anchors:
        by_engine.setdefault(anchor.engine, []).append(anchor)
    waiting: list[Anchor] = []
    for engine, mine in by_engine.items():
        if engine not in trees.readers:
            continue
        reader = trees.at(engine, None)
        reader.tree.prefetch(sorted({anchor.place.path for anchor in mine}))
        for anchor in mine:
            try:
                _locate_anchor(anchor, reader, searches, outcomes)
            except SearchNeeded:
                waiting.append(anchor)
    searches.run()
    for anchor in waiting:
        _locate_anchor(anchor, trees.at(anchor.engine, None), searches, outcomes)
    return outcomes


def _locate_anchor(
    anchor: Anchor, reader: TreeReader, searches: Searches, outcomes: dict[str, tuple[Outcome, Pattern]]
) -> None:
    """Raises SearchNeeded."""
    pattern = anchor_pattern(anchor, reader)
    if pattern is not None:
        outcome = find_text(
            pattern,
            reader,
            anchor.place.path,
            symbol=anchor.place.symbol,
            lines=anchor.lines if reader.tree.source.exact else None,
            search=searches.of(reader),
        )
        outcomes[anchor.id] = (outcome, pattern)


def anchor_pattern(anchor: Anchor, reader: TreeReader) -> Pattern | None:
    """The recorded fingerprint; without one, the definition that the anchor names, as it stands."""
    from ..locate.pattern import literal_pattern

    if anchor.fingerprint is not None:
        return parse_fingerprint(anchor.fingerprint)
    if anchor.place.symbol is None or not reader.tree.has(anchor.place.path):
        return None
    symbols = reader.outline(anchor.place.path).symbols_named(anchor.place.symbol)
    if len(symbols) != 1:
        return None
    lines = symbols[0].lines
    return literal_pattern(reader.text(anchor.place.path).lines[lines.first - 1 : lines.last])
