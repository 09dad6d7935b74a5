"""The edition's anchors against the trees: one outcome for each, from which its quote and location are judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ..claims.cited import Cited, judge_location, judge_quote
from ..config.edition import Anchor, Edition
from ..locate.find import Outcome, find_text
from ..locate.fingerprint import parse_fingerprint
from ..locate.match import Match
from ..locate.pattern import Pattern
from ..locate.reader import TreeReader
from ..locate.search import search_tree, searched_paths
from ..model.report import Finding, FindingKind
from .findings import finding
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
    by_engine: dict[str, list[Anchor]] = {}
    for anchor in anchors:
        by_engine.setdefault(anchor.engine, []).append(anchor)
    for engine, mine in by_engine.items():
        if engine not in trees.readers:
            continue
        reader = trees.at(engine, None)
        reader.tree.prefetch(sorted({anchor.place.path for anchor in mine}))
        search = tree_search(reader, trees.engine(engine).source_roots, announce)
        for anchor in mine:
            pattern = anchor_pattern(anchor, reader)
            if pattern is not None:
                outcomes[anchor.id] = (
                    find_text(
                        pattern,
                        reader,
                        anchor.place.path,
                        symbol=anchor.place.symbol,
                        lines=anchor.lines if reader.tree.source.exact else None,
                        search=search,
                    ),
                    pattern,
                )
    return outcomes


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


def tree_search(
    reader: TreeReader, roots: tuple[str, ...], announce: Announce
) -> Callable[[Pattern], list[tuple[str, Match]]]:
    """A search of the engine's source folders, announced once: it may have to load them."""
    announced = False

    def search(pattern: Pattern) -> list[tuple[str, Match]]:
        nonlocal announced
        paths = searched_paths(reader.tree, roots)
        if not announced:
            announced = True
            announce(f"searching {len(paths)} files of {reader.tree.source.engine} for text that left its place")
        return search_tree([pattern], reader, paths)[0]

    return search
