"""What is judged at every revision: an anchor with the claims that are its quote or location, or a claim."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from ..claims.check import check_claim, kind_named, validate_claims
from ..claims.cited import judge_location, judge_quote
from ..claims.context import Context
from ..config.edition import Anchor, ClaimEntry, Edition
from ..engine.anchors import cited_of, claim_ids, judge_without_record
from ..engine.claims import own_claims
from ..locate.find import find_text
from ..locate.fingerprint import parse_fingerprint
from ..locate.match import Match, find_pattern
from ..locate.pattern import Pattern
from ..locate.reader import TreeReader
from ..model import codes
from ..model.place import Place
from ..model.verdict import Holds, Imprecise, Moved, Undecided, Verdict
from .ranges import Query
from .watched import WatchedReader


@dataclass(frozen=True, slots=True)
class Head:
    """What names a row of the table."""

    id: str
    kind: str
    claim_kind: str | None = None
    anchor: str | None = None
    words: str | None = None
    cited: Place | None = None


@dataclass(frozen=True)
class Beside:
    """The engines that the history is not about, at the edition's pins; `missing` says why one cannot be read."""

    readers: Mapping[str, TreeReader] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AnchorUnit:
    """An anchor: its text wherever it stands, its quote, and whether the cited lines name it."""

    anchor: Anchor
    heads: tuple[Head, ...]
    roots: tuple[str, ...]

    @property
    def paths(self) -> tuple[str, ...]:
        return (self.anchor.place.path,)

    def judge(self, reader: WatchedReader, _beside: Beside) -> tuple[Verdict, ...]:
        """One verdict for each head, in their order.

        The text's verdict is `moved` where it is intact, and not where the edition says: in another file, under another
        definition, or at other lines. What moved by lines alone is found in the definition that the edition names
        (refcheck.model.history.is_at_home).
        """
        anchor = self.anchor
        if anchor.fingerprint is None:
            return self._without_record(reader)
        pattern = parse_fingerprint(anchor.fingerprint)
        outcome = find_text(
            pattern,
            reader,
            anchor.place.path,
            symbol=anchor.place.symbol,
            lines=anchor.lines if reader.at_pin() else None,
            search=self._search(reader),
        )
        cited = cited_of(anchor)
        quote = judge_quote(outcome, pattern, cited, reader)
        location = judge_location(outcome, pattern, cited, reader)
        verdicts: list[Verdict] = []
        for head in self.heads:
            if head.kind == "anchor":
                verdicts.append(_at_other_lines(_in_other_symbol(quote, anchor, reader), location, anchor))
            elif head.claim_kind == "quote":
                verdicts.append(quote)
            else:
                verdicts.append(location)
        return tuple(verdicts)

    def _without_record(self, reader: WatchedReader) -> tuple[Verdict, ...]:
        """Without a fingerprint, the definition's name alone is followed, and nothing is said of a quote."""
        lines = judge_without_record(self.anchor, reader)
        named: Verdict = lines
        if isinstance(lines, Imprecise):
            named = Holds("the definition is there; no text is recorded", lines.found, code=codes.EXISTS)
        unknown = Undecided("the anchor records no fingerprint of the quoted lines", codes.NOT_CHECKABLE)
        by_kind = {None: named, "quote": unknown, "location": lines}
        return tuple(by_kind[head.claim_kind] for head in self.heads)

    def _search(self, reader: WatchedReader) -> Callable[[Pattern], list[tuple[str, Match]]]:
        def search(pattern: Pattern) -> list[tuple[str, Match]]:
            if not pattern.hashed:
                return []
            # Code does not move into files of another kind; an engine's folders are full of tables of numbers.
            suffix = "." + self.anchor.place.path.rpartition(".")[2]
            paths = reader.ask(Query(self.roots, (suffix,), hashes=line_hashes(pattern)))
            return [(path, match) for path in paths for match in find_pattern(pattern, reader.lines(path))]

        return search


def line_hashes(pattern: Pattern) -> frozenset[str]:
    """The hashes of its lines: a file that lacks one of them need not be looked at closely."""
    return frozenset(line.key for piece in pattern.pieces for line in piece if not line.blank)


def _in_other_symbol(verdict: Verdict, anchor: Anchor, reader: TreeReader) -> Verdict:
    """Intact text that left the definition which the edition names is `moved`."""
    symbol = anchor.place.symbol
    if not isinstance(verdict, Holds | Imprecise) or symbol is None:
        return verdict
    found = verdict.found
    if found is None or found.lines is None or found.symbol == symbol:
        return verdict
    named = reader.outline(found.path).symbols_named(symbol)
    if any(s.lines.contains(found.lines) or found.lines.contains(s.lines) for s in named):
        return verdict
    where = f"in {found.symbol}" if found.symbol else "outside of any definition"
    return Moved(f"the text stands {where} instead of {symbol}", found, verdict.evidence)


def _at_other_lines(verdict: Verdict, location: Verdict, anchor: Anchor) -> Verdict:
    """Intact text that is not at the lines that the edition names is `moved`, as the location says."""
    if not isinstance(verdict, Holds | Imprecise) or not isinstance(location, Moved):
        return verdict
    return replace(location, found=replace(location.found, symbol=anchor.place.symbol))


@dataclass(frozen=True, slots=True)
class ClaimUnit:
    """A claim that is not an anchor's own."""

    claim: ClaimEntry
    heads: tuple[Head, ...]
    paths: tuple[str, ...]
    engine: str
    anchors: Mapping[str, Anchor]

    def judge(self, reader: WatchedReader, beside: Beside) -> tuple[Verdict, ...]:
        """One verdict, by the edition's words."""
        context = Context(
            readers={**beside.readers, self.engine: reader},
            words=self.heads[0].words,
            missing=beside.missing,
            anchors=self.anchors,
        )
        return (check_claim(self.claim, context),)


Unit: TypeAlias = AnchorUnit | ClaimUnit


def units_of(edition: Edition, engine: str, roots: tuple[str, ...]) -> tuple[Unit, ...]:
    """Every anchor of the engine, and every claim whose check reads it, in the edition's order.

    `roots` are the engine's source folders, where text that left its file is looked for. Raises ConfigurationError
    for an ill-formed claim.
    """
    validate_claims(own_claims(edition))
    ids = claim_ids(edition)
    by_id = {claim.id: claim for claim in edition.claims}
    units: list[Unit] = []
    for anchor in edition.anchors:
        if anchor.engine != engine:
            continue
        heads = [Head(anchor.id, "anchor", cited=anchor.place)]
        for kind in ("quote", "location"):
            claim = by_id.get(ids.get((anchor.id, kind), ""))
            if claim is not None:
                heads.append(Head(claim.id, "claim", kind, anchor.id, _words(claim), anchor.place))
        units.append(AnchorUnit(anchor, tuple(heads), roots))
    for claim in own_claims(edition):
        if engine not in engines_of(claim):
            continue
        kind_name = str(claim.check["kind"])
        head = Head(claim.id, "claim", kind_name, claim.anchor, _words(claim))
        paths = tuple(sorted({path for named, path in _paths(claim) if named == engine}))
        units.append(ClaimUnit(claim, (head,), paths, engine, edition.by_id))
    return tuple(units)


def engines_of(claim: ClaimEntry) -> frozenset[str]:
    """The engines that a claim's checks name, the checks inside them included."""
    found: set[str] = set()

    def walk(value: Any) -> None:
        if isinstance(value, Mapping):
            engine = value.get("engine")
            if isinstance(engine, str):
                found.add(engine)
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list | tuple):
            for inner in value:
                walk(inner)

    for table in (claim.check, claim.generous):
        walk(table)
    return frozenset(found)


def _paths(claim: ClaimEntry) -> Iterable[tuple[str, str]]:
    for table in (claim.check, claim.generous):
        if table is not None:
            yield from kind_named(str(table["kind"])).paths(table)


def _words(claim: ClaimEntry) -> str | None:
    return " … ".join(claim.words) or None
