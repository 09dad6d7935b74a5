"""The passages of documents whose code changed between two revisions.

Every citation and quote is located at the older revision first, as `verify` does it, since a document's numbers alone
are not to be trusted; what was found there is followed to the newer one (refcheck.locate.follow). A claim that the
document carries is affected where its verdict becomes another.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from ..config.edition import Edition
from ..engine.claims import check_claims, own_claims, prepare_claims
from ..engine.commit_paths import CommitPaths
from ..engine.request import VerifyRequest
from ..engine.trees import Trees
from ..engine.verify import verify
from ..locate.follow import (
    Ambiguous,
    Changed,
    Followed,
    Gone,
    Moved,
    NotFollowed,
    Request,
    Rewritten,
    Same,
    follow,
)
from ..model import codes, verdict
from ..model.affected import Affected, AffectedItem, Aside, Passage
from ..model.document import Document
from ..model.evidence import DiffLine
from ..model.history import holds
from ..model.place import LineRange, Place
from ..model.report import Finding, FindingKind
from ..model.tree import Tree
from ..model.verdict import Holds, Imprecise, Undecided, Verdict, place_of, verdict_name
from .paragraphs import Paragraphs
from .units import engines_of

MOST_DIFF = 14
"""Lines of a difference that are kept: enough to see what changed, the rest is a click away."""


@dataclass(frozen=True)
class AffectedRequest:
    """`older` and `newer` have the engine's pin at the two revisions, open already."""

    engine: str
    documents: tuple[Document, ...]
    older: Trees
    newer: Trees
    edition: Edition | None = None
    foreign: tuple[str, ...] = ()
    """The source folders of other engines: a path below one of them is not this engine's."""
    announce: Callable[[str], None] = field(default=lambda message: None)
    commits_between: CommitPaths | None = None
    """Looks at what the two trees leave open."""


@dataclass(frozen=True, slots=True)
class _Cited:
    """A passage that was located: its lines, in the tree that it was located in."""

    finding: Finding
    place: Place
    lines: LineRange
    source: int


def find_affected(request: AffectedRequest) -> Affected:
    """Raises SourceError where contents cannot be had."""
    edition = _about(request.edition, request.engine)
    documents = tuple(_own_citations(document, request) for document in request.documents)
    report = verify(VerifyRequest(request.older, edition, documents, announce=request.announce))
    by_name = {document.name: Paragraphs(document) for document in request.documents}
    main = request.older.at(request.engine, None)
    newer = request.newer.at(request.engine, None).tree
    cited: list[_Cited] = []
    wrong: list[Aside] = []
    lost: list[Aside] = []
    claims: list[Finding] = []
    for one in report.findings:
        if one.kind is FindingKind.CLAIM:
            claims.append(one)
        elif one.kind is not FindingKind.LINK and one.verdict.code is not codes.UNKNOWN_PATH:
            match _standing(one):
                case Place(_, LineRange() as lines) as place if one.source is not None:
                    cited.append(_Cited(one, place, lines, one.source))
                case Undecided() | None:
                    lost.append(Aside(_passage(one, by_name), one.verdict))
                case _:
                    wrong.append(Aside(_passage(one, by_name), one.verdict))
    astray = len(wrong)
    # A location whose lines are wrong is told of also where its quote stands for the passage.
    moved_here = [mark.finding for mark in cited if isinstance(mark.finding.verdict, verdict.Moved)]
    cited = _without_doubles(cited)
    quoted = {(one.document, one.cited) for one in moved_here if one.kind is FindingKind.QUOTE}
    wrong += [
        Aside(_passage(one, by_name), one.verdict)
        for one in moved_here
        if one.kind is FindingKind.QUOTE or (one.document, one.cited) not in quoted
    ]
    checked = len(cited) + astray + len(lost) + len(claims)
    start, unplaced = _at_older(cited, request.older, main.tree)
    lost += [Aside(_passage(mark.finding, by_name), why) for mark, why in unplaced]
    items: list[AffectedItem] = []
    same = moved = 0
    request.announce(f"following {len(start)} places from {main.tree.source.read[:20]} to {newer.source.read[:20]}")
    outcomes = follow([asked for _, asked in start], main.tree, newer)
    if request.commits_between is not None:
        outcomes = request.commits_between.settle(request.engine, outcomes, main.tree, newer)
    for (mark, asked), followed in zip(start, outcomes, strict=True):
        was = Place(asked.path, LineRange(asked.first, asked.last), mark.place.symbol)
        match followed.outcome:
            case Same():
                same += 1
            case Moved():
                moved += 1
            case outcome:
                diff, cut = _difference(followed, main.tree, newer)
                items.append(AffectedItem(_passage(mark.finding, by_name), was, _verdict(outcome), diff, cut))
    turned, steady = _turned_claims(claims, edition, request)
    items += [
        AffectedItem(_passage(one, by_name), place_of(one.verdict), now, before=one.verdict) for one, now in turned
    ]
    wrong += [Aside(_passage(one, by_name), one.verdict) for one in claims if holds(one.verdict) is False]
    order = {document.name: number for number, document in enumerate(request.documents)}
    return Affected(
        engine=request.engine,
        older=main.tree.source,
        newer=newer.source,
        documents=tuple(document.name for document in request.documents),
        items=tuple(sorted(items, key=lambda item: _key(item.passage, order))),
        wrong=tuple(sorted(wrong, key=lambda aside: _key(aside.passage, order))),
        not_followed=tuple(sorted(lost, key=lambda aside: _key(aside.passage, order))),
        same=same + steady,
        moved=moved,
        checked=checked,
        astray=astray,
    )


def _key(passage: Passage, order: dict[str, int]) -> tuple[int, int, int]:
    return order.get(passage.document, 0), passage.line, passage.column


def _about(edition: Edition | None, engine: str) -> Edition | None:
    """The edition without what is about other engines, which are not read here."""
    if edition is None:
        return None
    anchors = tuple(anchor for anchor in edition.anchors if anchor.engine == engine)
    ids = {anchor.id for anchor in anchors}
    own = {claim.id for claim in own_claims(edition)}
    claims = tuple(
        claim
        for claim in edition.claims
        if (claim.id in own and engines_of(claim) == {engine}) or (claim.id not in own and claim.anchor in ids)
    )
    return replace(edition, anchors=anchors, claims=claims)


def _own_citations(document: Document, request: AffectedRequest) -> Document:
    """The document without citations that are certainly of other engines."""
    own = tuple(
        citation
        for citation in document.citations
        if citation.engine in (None, request.engine)
        and not (citation.engine is None and citation.path is not None and citation.path.startswith(request.foreign))
    )
    return replace(document, citations=own)


def _standing(one: Finding) -> Place | Undecided | Verdict | None:
    """Where the cited code stands in the tree that the finding was computed on; else the verdict that says why not.

    Where only the range is inexact, the cited lines are what the page is about.
    """
    match one.verdict:
        case Holds() | Imprecise() as given:
            if isinstance(given, Imprecise) and given.code is codes.WRONG_AT_BIRTH:
                return given
            found = given.found
            if one.kind is FindingKind.LOCATION and one.cited is not None and one.cited.lines is not None:
                return replace(found or one.cited, path=one.cited.path, lines=one.cited.lines)
            return found if found is not None and found.lines is not None else None
        case verdict.Moved() as moved:
            return moved.found
        case Undecided() as undecided:
            # On a tree that is not the page's own, lines are not judged, and the text may still have been found.
            found = undecided.found
            if undecided.code is codes.NOT_AT_THIS_REVISION and found is not None and found.lines is not None:
                return found
            return undecided
        case other:
            return other


def _without_doubles(cited: Sequence[_Cited]) -> list[_Cited]:
    """A quote and its location are one passage: the location goes where the quote has all of its lines."""
    quotes = [one for one in cited if one.finding.kind is FindingKind.QUOTE]

    def doubled(one: _Cited) -> bool:
        return one.finding.kind is FindingKind.LOCATION and any(
            quote.source == one.source
            and quote.finding.document == one.finding.document
            and quote.finding.cited == one.finding.cited
            and quote.place.path == one.place.path
            and quote.lines.contains(one.lines)
            for quote in quotes
        )

    return [one for one in cited if not doubled(one)]


def _at_older(
    cited: Sequence[_Cited], trees: Trees, main: Tree
) -> tuple[list[tuple[_Cited, Request]], list[tuple[_Cited, Verdict]]]:
    """Each passage's lines at the older revision; those of revisions that citations name themselves are followed."""
    start: list[tuple[_Cited, Request]] = []
    unplaced: list[tuple[_Cited, Verdict]] = []
    by_source: dict[int, list[_Cited]] = {}
    for one in cited:
        by_source.setdefault(one.source, []).append(one)
    for source, mine in by_source.items():
        tree = trees.tree(source)
        requests = [Request(one.place.path, one.lines.first, one.lines.last) for one in mine]
        if tree is main:
            start += zip(mine, requests, strict=True)
            continue
        for one, followed in zip(mine, follow(requests, tree, main), strict=True):
            place = followed.place
            if place is not None and place.lines is not None:
                start.append((one, Request(place.path, place.lines.first, place.lines.last)))
            else:
                why = f"cited at {tree.source.read[:12]}, and not intact at {main.source.read[:20]}"
                unplaced.append((one, Undecided(why, codes.NOT_AT_THIS_REVISION)))
    return start, unplaced


def _verdict(outcome: Changed | Rewritten | Gone | Ambiguous | NotFollowed) -> Verdict:
    """What following found, as a verdict of reports."""
    match outcome:
        case Changed(place, similarity, evidence, _):
            return verdict.Changed(f"{similarity:.0%} of the lines survive: {evidence}", place)
        case Rewritten(place, similarity, evidence, twins):
            if place is None:
                return verdict.Gone(evidence, twins=twins)
            return verdict.Changed(f"rewritten, {similarity:.0%} of the lines survive: {evidence}", place)
        case Gone(evidence, twins):
            return verdict.Gone(evidence, twins=twins)
        case Ambiguous(candidates, reason):
            return Undecided(reason, codes.AMBIGUOUS, candidates=candidates)
        case NotFollowed(reason, not_carried):
            return Undecided(reason, codes.NOT_CARRIED if not_carried else codes.NOT_LOCATED)


def _difference(followed: Followed, older: Tree, newer: Tree) -> tuple[tuple[DiffLine, ...], int]:
    """The old lines against what stands there now, with one line around each change; and how many were left out."""
    match followed.outcome:
        case Changed(Place(path, LineRange(first, last))) | Rewritten(Place(path, LineRange(first, last))):
            new = newer.read(path).lines[first - 1 : last]
        case _:
            return (), 0
    request = followed.request
    old = older.read(request.path).lines[request.first - 1 : request.last]
    lines: list[DiffLine] = []
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for group in matcher.get_grouped_opcodes(1):
        for tag, i, i_end, j, j_end in group:
            if tag == "equal":
                lines += [DiffLine(" ", text, first + j + n) for n, text in enumerate(new[j:j_end])]
                continue
            lines += [DiffLine("-", text, request.first + i + n) for n, text in enumerate(old[i:i_end])]
            lines += [DiffLine("+", text, first + j + n) for n, text in enumerate(new[j:j_end])]
    return tuple(lines[:MOST_DIFF]), max(0, len(lines) - MOST_DIFF)


def _turned_claims(
    claims: Sequence[Finding], edition: Edition | None, request: AffectedRequest
) -> tuple[list[tuple[Finding, Verdict]], int]:
    """The claims whose verdict is another at the newer revision, with that one; and how many stayed."""
    if edition is None or not claims:
        return [], 0
    ids = {one.id for one in claims}
    chosen = replace(edition, claims=tuple(claim for claim in own_claims(edition) if claim.id in ids))
    prepare_claims(chosen, request.newer)
    turned: list[tuple[Finding, Verdict]] = []
    for document in request.documents:
        mine = {one.id: one for one in claims if one.document == document.name}
        some = replace(chosen, claims=tuple(claim for claim in chosen.claims if claim.id in mine))
        stated = {one.id: one.words or "" for one in mine.values()}
        for after in check_claims(some, request.newer, stated=stated):
            if verdict_name(after.verdict) != verdict_name(mine[after.id].verdict):
                turned.append((mine[after.id], after.verdict))
    return turned, len(claims) - len(turned)


def _passage(one: Finding, by_name: dict[str, Paragraphs]) -> Passage:
    line, column = one.line or 1, one.column or 1
    found = by_name[one.document].at(line, column) if one.document in by_name else None
    if found is None:
        return Passage(one.document or "", line, column, one.id, one.kind)
    return Passage(one.document or "", line, column, one.id, one.kind, found.text, found.line, found.at, found.heading)
