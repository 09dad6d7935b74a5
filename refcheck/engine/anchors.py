"""The edition's anchors against the trees: one outcome for each, from which its quote and location are judged."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from ..claims.cited import Cited, judge_location, judge_quote
from ..config.edition import Anchor, Edition
from ..locate.find import Outcome, find_text
from ..locate.fingerprint import parse_fingerprint
from ..locate.pattern import Pattern
from ..locate.reader import TreeReader
from ..model import codes
from ..model.place import Place
from ..model.report import Finding, FindingKind
from ..model.verdict import Gone, Holds, Imprecise, Moved, Undecided, Verdict
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
        if anchor.engine not in trees.readers:
            continue
        reader = trees.at(anchor.engine, None)
        verdicts = _verdicts(anchor, outcomes.get(anchor.id), reader)
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


def _verdicts(
    anchor: Anchor, located: tuple[Outcome, Pattern] | None, reader: TreeReader
) -> list[tuple[FindingKind, Verdict]]:
    """The verdict on a quoted block's text, where the anchor is one, and on the lines."""
    if located is None:
        verdicts = [(FindingKind.LOCATION, judge_without_record(anchor, reader))]
        if anchor.form == "block":
            unknown = Undecided("the anchor records no fingerprint of the quoted lines", codes.NOT_CHECKABLE)
            verdicts.insert(0, (FindingKind.QUOTE, unknown))
        return verdicts
    outcome, pattern = located
    cited = cited_of(anchor)
    verdicts = [(FindingKind.LOCATION, judge_location(outcome, pattern, cited, reader))]
    if anchor.form == "block":
        verdicts.insert(0, (FindingKind.QUOTE, judge_quote(outcome, pattern, cited, reader)))
    return verdicts


def judge_without_record(anchor: Anchor, reader: TreeReader) -> Verdict:
    """An anchor without a fingerprint: what its definition's name alone can say of the lines."""
    path, symbol = anchor.place.path, anchor.place.symbol
    source = reader.tree.source
    if not reader.tree.has(path):
        if not reader.tree.carries(path):
            return Undecided(f"{source.read} does not carry {path}", codes.NOT_CARRIED)
        return Gone(f"{path} does not exist")
    if symbol is None:
        return Undecided("the anchor records neither a fingerprint nor a definition", codes.NOT_CHECKABLE)
    symbols = reader.outline(path).symbols_named(symbol)
    places = tuple(Place(path, s.lines, s.name) for s in symbols)
    if not symbols:
        return Gone(f"{path} defines no {symbol}")
    if len(symbols) > 1:
        return Undecided(f"{symbol} is defined {len(symbols)} times", codes.AMBIGUOUS, candidates=places)
    if not source.exact:
        why = f"written for {source.pin[:12]}, and {source.read} was read; there {symbol} is {symbols[0].lines}"
        return Undecided(why, codes.NOT_AT_THIS_REVISION, found=places[0])
    own = symbols[0].lines
    if anchor.covers_symbol and own != anchor.lines:
        if own.first == anchor.lines.first:
            return Imprecise(f"{symbol} is {own}, not {anchor.lines}", codes.RANGE_OFF, places[0])
        return Moved(f"{symbol} stands at {own} instead of {anchor.lines}", places[0])
    if own.contains(anchor.lines):
        what = "exactly" if own == anchor.lines else "the lines are in"
        return Holds(f"{what} {symbol}; no text is recorded", places[0], code=codes.EXISTS)
    return Imprecise(f"the lines are not in {symbol}, which is {own}", codes.RANGE_OFF, places[0])


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
    if anchor.fingerprint is None:
        return
    pattern = parse_fingerprint(anchor.fingerprint)
    outcome = find_text(
        pattern,
        reader,
        anchor.place.path,
        symbol=anchor.place.symbol,
        lines=anchor.lines if reader.tree.source.exact else None,
        search=searches.of(reader),
    )
    outcomes[anchor.id] = (outcome, pattern)
