"""The edition's anchors: where each stands at the newer revision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..claims.cited import judge_location
from ..config.edition import Anchor, Edition
from ..engine.anchors import cited_of, judge_without_record, locate_anchors
from ..engine.commit_paths import CommitPaths
from ..engine.trees import Trees
from ..locate.find import Found
from ..locate.follow import Changed, Followed, Request, Same, follow
from ..locate.follow import Moved as MovedThere
from ..locate.reader import TreeReader
from ..model import codes
from ..model.place import LineRange, Place
from ..model.tree import Tree
from ..model.verdict import Changed as ChangedThere
from ..model.verdict import Holds, Imprecise, Moved, Undecided, Verdict
from .plan import verdict_of


@dataclass(frozen=True, slots=True)
class AnchorItem:
    """One anchor. `new` is None where no place is certain; `at_birth` says that it is wrong at its own pin.

    `accepted` is the reason for which a changed place is taken: its text is to be recorded anew.
    """

    anchor: Anchor
    old: Place
    new: Place | None
    verdict: Verdict
    at_birth: bool = False
    accepted: str | None = None

    @property
    def moved(self) -> bool:
        return self.new is not None and (self.new.path, self.new.lines) != (self.old.path, self.anchor.lines)


def plan_anchors(
    edition: Edition,
    older: Trees,
    newer: Mapping[str, Tree],
    accepted: Mapping[str, str],
    commits_between: CommitPaths | None = None,
) -> tuple[AnchorItem, ...]:
    """Each anchor of an engine that has a newer tree, in the edition's order; none is passed over.

    `commits_between` looks at what the two trees leave open.
    """
    wanted = [anchor for anchor in edition.anchors if anchor.engine in newer]
    outcomes = locate_anchors(wanted, older, lambda _: None)
    readers = {engine: TreeReader(tree) for engine, tree in newer.items()}
    items: dict[str, AnchorItem] = {}
    starts: dict[str, list[tuple[Anchor, LineRange, str]]] = {}
    for anchor in wanted:
        reader = older.at(anchor.engine, None)
        if anchor.id not in outcomes:
            items[anchor.id] = _by_name(anchor, reader, readers[anchor.engine])
            continue
        outcome, pattern = outcomes[anchor.id]
        said = judge_location(outcome, pattern, cited_of(anchor), reader)
        exact = reader.tree.source.exact
        if not isinstance(outcome, Found) or (exact and not isinstance(said, Holds | Imprecise)):
            items[anchor.id] = _wrong_already(anchor, said, reader.tree, newer[anchor.engine], accepted)
            continue
        lines = anchor.lines if exact and outcome.path == anchor.place.path else outcome.match.lines
        starts.setdefault(anchor.engine, []).append((anchor, lines, outcome.path))
    for engine, mine in starts.items():
        tree = older.at(engine, None).tree
        answers = follow([Request(path, lines.first, lines.last) for _, lines, path in mine], tree, newer[engine])
        if commits_between is not None:
            answers = commits_between.settle(engine, answers, tree, newer[engine])
        for (anchor, lines, path), answer in zip(mine, answers, strict=True):
            items[anchor.id] = _item(anchor, Place(path, lines, anchor.place.symbol), answer, tree, newer, accepted)
    return tuple(items[anchor.id] for anchor in wanted)


def _wrong_already(anchor: Anchor, said: Verdict, older: Tree, newer: Tree, accepted: Mapping[str, str]) -> AnchorItem:
    """An anchor that does not fit its own pin. One that stayed behind when its pin was raised can be taken there."""
    reason = accepted.get(anchor.id)
    same = older.source.exact and older.source.commit is not None and older.source.commit == newer.source.commit
    found = said.found if isinstance(said, ChangedThere) else None
    if reason is not None and same and found is not None and found.lines is not None:
        return AnchorItem(anchor, anchor.place, found, said, accepted=reason)
    return AnchorItem(anchor, anchor.place, None, said, at_birth=True)


def _by_name(anchor: Anchor, older: TreeReader, newer: TreeReader) -> AnchorItem:
    """An anchor without a recorded text: only one that stands for a whole definition can be found again, by name."""
    path, symbol = anchor.place.path, anchor.place.symbol
    if not anchor.covers_symbol or symbol is None:
        nothing = Undecided("records no fingerprint: nothing can be followed", codes.NOT_CHECKABLE)
        return AnchorItem(anchor, anchor.place, None, nothing)
    before = _definition(older, path, symbol)
    said = judge_without_record(anchor, older)
    if before is None or (older.tree.source.exact and not isinstance(said, Holds)):
        return AnchorItem(anchor, anchor.place, None, said, at_birth=True)
    old = Place(path, before, symbol)
    after = _definition(newer, path, symbol)
    if after is None:
        return AnchorItem(anchor, old, None, judge_without_record(anchor, newer))
    new = Place(path, after, symbol)
    was = older.text(path).lines[before.first - 1 : before.last]
    same = was == newer.text(path).lines[after.first - 1 : after.last]
    how = f"{symbol} is {after}, found by its name" + ("" if same else "; its text is another one now")
    verdict = Holds(how, new, code=codes.EXISTS) if after == before else Moved(how, new)
    return AnchorItem(anchor, old, new, verdict)


def _definition(reader: TreeReader, path: str, symbol: str) -> LineRange | None:
    """The lines of the only definition of that name in the file."""
    symbols = reader.outline(path).symbols_named(symbol) if reader.tree.has(path) else ()
    return symbols[0].lines if len(symbols) == 1 else None


def _item(
    anchor: Anchor, old: Place, answer: Followed, tree: Tree, newer: Mapping[str, Tree], accepted: Mapping[str, str]
) -> AnchorItem:
    said = verdict_of(answer, tree, newer[anchor.engine])
    reason = accepted.get(anchor.id)
    match answer.outcome:
        case Same(place) | MovedThere(place):
            return AnchorItem(anchor, old, place, said)
        case Changed(place) if reason is not None:
            return AnchorItem(anchor, old, place, said, accepted=reason)
        case _:
            return AnchorItem(anchor, old, None, said)
