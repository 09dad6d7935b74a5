"""What to rewrite: each citation's old place, its new one, the verdict, and the edits where the place is certain."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from ..documents.rows import BETWEEN, cells_of_row
from ..engine.commit_paths import CommitPaths
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
from ..locate.outline import outline
from ..model import codes, verdict
from ..model.document import Document, Span
from ..model.evidence import Difference, DiffLine, Evidence, Note
from ..model.place import LineRange, Place
from ..model.tree import Tree
from ..model.verdict import Verdict
from .ahead import Together, group_of
from .beside import spans_of_numbers
from .links import BranchLink, stands
from .numbers import NO_COMMIT, Target, edits_for, on_full_ref, revision_span
from .rewrite import Edit
from .standing import Standing
from .together import (
    KEPT,
    Decision,
    HeadPlan,
    Member,
    decide,
    declared_revision,
    is_commit,
    names_commit,
    names_version,
)


@dataclass(frozen=True, slots=True)
class PlanItem:
    """One citation. `new` is None where no place is certain; `left` says why nothing is written although it is.

    `paragraph` is the text that depends on it. `edits` are empty where nothing is written or nothing differs.
    """

    id: str
    document: str
    line: int
    column: int
    engine: str | None
    old: Place | None
    new: Place | None
    verdict: Verdict
    candidates: tuple[Place, ...] = ()
    edits: tuple[Edit, ...] = ()
    left: str = ""
    paragraph: str = ""
    at_birth: bool = False
    """The verdict is about the citation at its own revision: it was not followed."""
    accepted: str | None = None

    @property
    def rewritten(self) -> bool:
        return bool(self.edits)


@dataclass(frozen=True, slots=True)
class Head:
    """A declared revision: what it says, and from now on; `now` is None where it is left, and `why` says why.

    `behind` are the items that stay those of the older revision.
    """

    document: str
    line: int
    engine: str
    says: str
    now: str | None
    why: str = ""
    behind: tuple[PlanItem, ...] = ()

    @property
    def for_a_human(self) -> bool:
        """Whether numbers and head are of two revisions, and nobody asked for that."""
        return self.now is None and self.why != KEPT


@dataclass(frozen=True, slots=True)
class Plan:
    """The items in the order of the documents."""

    items: tuple[PlanItem, ...]
    heads: tuple[Head, ...] = ()
    """What pages say of their own revision, where numbers below it change."""

    def edits(self, document: str) -> tuple[Edit, ...]:
        return tuple(sorted({edit for item in self.items if item.document == document for edit in item.edits}))

    @property
    def for_a_human(self) -> tuple[PlanItem, ...]:
        """What somebody has to read: changed, gone, undecided, wrong from the start, or certain and not writable."""
        return tuple(item for item in self.items if _for_a_human(item))


def _for_a_human(item: PlanItem) -> bool:
    certain = isinstance(item.verdict, verdict.Holds | verdict.Moved) or item.accepted is not None
    return bool(item.left) or item.at_birth or not certain


def make_plan(
    cited: Sequence[Standing],
    old: Mapping[int, Tree],
    new: Mapping[str, Tree],
    *,
    pin_links: bool = False,
    accepted: Mapping[str, str] | None = None,
    other_files: bool = True,
    partly: bool = False,
    keep_head: bool = False,
    commits_between: CommitPaths | None = None,
    links: Iterable[BranchLink] = (),
    versions: Mapping[str, str] | None = None,
    ahead: Mapping[Together, str] | None = None,
    written: Mapping[str, frozenset[int]] | None = None,
) -> Plan:
    """Follow every citation from its own tree (`old`, by source index) to the engine's newer one (`new`, by name).

    `accepted` maps ids of changed places to the reason for which they are taken. An engine without a newer tree is
    left alone. Citations without a revision of their own are written together or not at all, but for `partly`; the
    revision that a page declares for them is replaced with them, but for `keep_head` (see `together.decide`).
    `commits_between` looks at what the two trees leave open; `links` are the branch links without lines that are to
    be pinned. `versions` names the newer revisions that are releases. `ahead` gives the groups that seem to be of
    the newer revision already, each with the reason; `written` the documents that an earlier run wrote for it, each
    with the numbers of the citations that stayed behind. Raises SourceError where a content cannot be had.
    """
    accepted = accepted or {}
    there = _there_already(cited, new, versions or {}, written or {})
    followed: dict[int, Followed] = {}
    groups: dict[tuple[int, str], list[int]] = {}
    for index, one in enumerate(cited):
        if index in there or _ahead(one, ahead) is not None or said_of_version(one) is not None:
            continue
        if _can_follow(one, old, new) and one.place is not None and one.place.lines is not None:
            assert one.source is not None
            assert one.engine is not None
            groups.setdefault((one.source, one.engine), []).append(index)
    for (source, engine), indexes in groups.items():
        requests = [_request(cited[index]) for index in indexes]
        answers = follow(requests, old[source], new[engine], other_files=other_files)
        if commits_between is not None:
            answers = commits_between.settle(engine, answers, old[source], new[engine])
        followed.update(zip(indexes, answers, strict=True))
    read = {id(one.document): one.document for one in cited}
    numbers = {key: spans_of_numbers(document) for key, document in read.items()}
    items: list[PlanItem] = []
    sharing: dict[tuple[int, Span], list[int]] = {}
    members: dict[int, Member] = {}
    for index, one in enumerate(cited):
        # A place whose revision cannot be had is of the engine that the page names for it.
        named = one.engine or one.citation.engine
        if named is not None and named not in new:
            continue
        before = len(items)
        if (why := there.get(index)) is not None:
            items.append(item_of(one, verdict.Holds(why, found=one.place), one.place))
            continue
        if one.problem is None and (version := said_of_version(one)) is not None:
            items.append(item_of(one, verdict.Holds(f"it is of {version}, and stays", found=one.place), one.place))
            continue
        if (doubt := _ahead(one, ahead)) is not None:
            items.append(item_of(one, verdict.Undecided(doubt, codes.AMBIGUOUS), None))
            continue
        if one.problem is not None:
            items.append(item_of(one, one.problem, None, at_birth=True))
        elif index in followed:
            assert one.source is not None
            assert one.engine is not None
            trees = (old[one.source], new[one.engine])
            beside = numbers[id(one.document)]
            items.append(_followed(one, followed[index], *trees, pin_links, accepted.get(one.id), beside))
        elif _can_follow(one, old, new) and one.place is not None and one.engine is not None:
            items.append(_whole_file(one, one.place, new[one.engine], pin_links))
        if len(items) > before and (span := revision_span(one.document, one.citation)) is not None:
            sharing.setdefault((id(one.document), span), []).append(before)
        if len(items) > before and one.engine is not None and _counts(one):
            certain = items[-1].new is not None and not items[-1].left and not items[-1].at_birth
            read_at = old[one.source].source.commit if one.source is not None and one.source in old else None
            members[before] = Member(one.document, one.citation, one.engine, certain, read_at)
    _all_or_none(items, sharing.values())
    commits = {name: tree.source.commit for name, tree in new.items()}
    decisions = decide(members, commits, pin_links=pin_links, partly=partly, keep_head=keep_head, versions=versions)
    for position, decision in decisions.items():
        item = items[position]
        if decision.left and item.edits:
            items[position] = replace(item, edits=(), left=decision.left)
        elif decision.edits:
            items[position] = replace(item, edits=(*item.edits, *decision.edits))
    heads = _heads(items, decisions)
    items += [pinned_link(link, new[link.engine]) for link in links if link.engine in new]
    return Plan(tuple(items), heads)


def _heads(items: Sequence[PlanItem], decisions: Mapping[int, Decision]) -> tuple[Head, ...]:
    """Each once; one that is left counts where a number below it is written."""
    plans: dict[int, HeadPlan] = {}
    written: set[int] = set()
    for position, decision in decisions.items():
        if (head := decision.head) is not None:
            plans[id(head)] = head
            if items[position].edits:
                written.add(id(head))
    return tuple(
        Head(
            one.document.name,
            one.line,
            one.engine,
            one.says,
            one.now,
            one.why,
            tuple(items[position] for position in one.behind),
        )
        for key, one in plans.items()
        if one.now is not None or key in written
    )


def pinned_link(link: BranchLink, new: Tree) -> PlanItem:
    """A branch link without lines: it names the revision of the tree if what it leads to is there."""
    document, span, place = link.document, link.rev_span, Place(link.path)
    said: Verdict
    left = ""
    edits: tuple[Edit, ...] = ()
    if stands(link.path, new):
        said = verdict.Holds(f"{link.path} is in {new.source.read}", found=place)
        if new.source.commit is None:
            left = NO_COMMIT
        elif (refused := on_full_ref(document, span)) is not None:
            left = refused
        else:
            edits = (Edit(span, new.source.commit),)
    elif new.carries(link.path):
        said = verdict.Gone(f"{link.path} is not in {new.source.read}")
    else:
        said = verdict.Undecided(f"{new.source.read} does not carry {link.path}", codes.NOT_CARRIED)
    return _of_link(link, said, left, edits)


def unread_link(link: BranchLink, why: str) -> PlanItem:
    """A branch link whose revision cannot be had."""
    return _of_link(link, verdict.Undecided(why.splitlines()[0], codes.REVISION_UNKNOWN))


def _of_link(link: BranchLink, said: Verdict, left: str = "", edits: tuple[Edit, ...] = ()) -> PlanItem:
    document, place = link.document, Place(link.path)
    line, column = document.position(link.rev_span.start)
    return PlanItem(
        id=f"{document.name}:{line}:{column}",
        document=document.name,
        line=line,
        column=column,
        engine=link.engine,
        old=place,
        new=place if isinstance(said, verdict.Holds) else None,
        verdict=said,
        edits=edits,
        left=left,
        paragraph=_paragraph(document, link.prose),
    )


def _all_or_none(items: list[PlanItem], sharing: Iterable[Sequence[int]]) -> None:
    """A revision that is written once for several places is replaced only if each of them is certain and writable."""
    for group in sharing:
        if all(items[index].new is not None and not items[index].left for index in group):
            continue
        for index in group:
            if items[index].edits:
                left = "other places that have their revision from here are not certain or cannot be written"
                items[index] = replace(items[index], edits=(), left=left)


def _counts(one: Standing) -> bool:
    """Whether a citation has a part in what its page says of a revision: lines do, and what a declared one leans on."""
    if one.citation.lines is not None:
        return True
    return one.engine is not None and declared_revision(one.document, one.citation, one.engine) is not None


def said_of_version(one: Standing) -> str | None:
    """The version that a sentence says a citation is of: that is history, and stays what it is."""
    citation = one.citation
    if citation.rev is None or citation.unpinned or citation.url is not None or is_commit(citation.rev):
        return None
    return citation.rev


def _ahead(one: Standing, ahead: Mapping[Together, str] | None) -> str | None:
    group = group_of(one) if ahead else None
    return ahead.get(group) if ahead and group is not None else None


def _there_already(
    cited: Sequence[Standing],
    new: Mapping[str, Tree],
    versions: Mapping[str, str],
    written: Mapping[str, frozenset[int]],
) -> dict[int, str]:
    """Why the numbers of a citation are those of the newer revision as they stand, by its index."""
    orders: dict[int, dict[int, int]] = {}
    found: dict[int, str] = {}
    for index, one in enumerate(cited):
        if one.engine is None or one.engine not in new:
            continue
        read = new[one.engine].source.read
        declared = declared_revision(one.document, one.citation, one.engine)
        if names_commit(declared, new[one.engine].source.commit) or names_version(declared, versions.get(one.engine)):
            if one.problem is not None:
                continue  # Wrong at the revision that it is of.
            found[index] = f"its page or section is for {read} already"
        elif one.document.name in written and group_of(one) is not None:
            order = orders.setdefault(
                id(one.document), {id(citation): number for number, citation in enumerate(one.document.citations)}
            )
            if order.get(id(one.citation)) not in written[one.document.name]:
                found[index] = f"written for {read} before"
    return found


def _can_follow(one: Standing, old: Mapping[int, Tree], new: Mapping[str, Tree]) -> bool:
    return one.problem is None and one.source in old and one.engine in new


def _request(one: Standing) -> Request:
    assert one.place is not None
    assert one.place.lines is not None
    return Request(one.place.path, one.place.lines.first, one.place.lines.last)


def item_of(
    one: Standing,
    said: Verdict,
    new: Place | None,
    *,
    edits: tuple[Edit, ...] = (),
    left: str = "",
    at_birth: bool = False,
    accepted: str | None = None,
) -> PlanItem:
    """The row of a citation: what was said of it, where it stands, and what is written."""
    line, column = one.document.position(one.citation.span.start)
    return PlanItem(
        id=one.id,
        document=one.document.name,
        line=line,
        column=column,
        engine=one.engine,
        old=one.place,
        new=new,
        verdict=said,
        candidates=verdict.candidates_of(said),
        edits=edits,
        left=left,
        paragraph=_depends(one),
        at_birth=at_birth,
        accepted=accepted,
    )


def _depends(one: Standing) -> str:
    """The text that depends on a citation: of a table, its whole row."""
    cells = cells_of_row(one.document, one.citation.span.start) if one.citation.quote is None else ()
    if cells:
        return BETWEEN.join(cell.text for cell in cells)
    return _paragraph(one.document, one.citation.prose)


def _paragraph(document: Document, index: int | None) -> str:
    return document.prose[index].text if index is not None and index < len(document.prose) else ""


def _followed(
    one: Standing,
    followed: Followed,
    old: Tree,
    new: Tree,
    pin_links: bool,
    accepted: str | None,
    numbers: frozenset[Span],
) -> PlanItem:
    outcome = followed.outcome
    said = verdict_of(followed, old, new)
    place = followed.place
    if accepted is not None and isinstance(outcome, Changed):
        place = outcome.place
    if place is None:
        shown = outcome.place if isinstance(outcome, Changed | Rewritten) else None
        left = f"what stands there now: {shown}" if shown is not None else ""
        return item_of(one, said, None, left=left)
    if one.place is not None and place.path != one.place.path:
        # A path is an author's wording; the plan names the new one.
        return item_of(one, said, place, left=f"it stands in {place.path} now: the path is for an author to write")
    reindented = isinstance(outcome, Moved) and "indented" in outcome.note
    target = Target(place.lines, new.source.commit, pin_links, reindented, _abbreviations(new))
    edits = edits_for(one.document, one.citation, target, numbers)
    taken = accepted if isinstance(outcome, Changed) else None
    return item_of(one, said, place, edits=edits.edits, left=edits.refused, accepted=taken)


def _whole_file(one: Standing, place: Place, new: Tree, pin_links: bool) -> PlanItem:
    """A citation of a file, or of a symbol in it, without lines: its revision is replaced if that is still there."""
    if not new.has(place.path):
        if new.carries(place.path):
            return item_of(one, verdict.Gone(f"{place.path} is not in {new.source.read}"), None)
        said = verdict.Undecided(f"{new.source.read} does not carry {place.path}", codes.NOT_CARRIED)
        return item_of(one, said, None)
    symbol = one.citation.symbol
    if symbol and not outline(new.read(place.path)).symbols_named(symbol):
        return item_of(one, verdict.Gone(f"{place.path} has no {symbol} in {new.source.read}"), None)
    target = Target(None, new.source.commit, pin_links, abbreviates=_abbreviations(new))
    edits = edits_for(one.document, one.citation, target)
    what = f"{symbol} in {place.path}" if symbol else place.path
    said_there = verdict.Holds(f"{what} is in {new.source.read}", found=place)
    return item_of(one, said_there, place, edits=edits.edits, left=edits.refused)


def _abbreviations(tree: Tree) -> Callable[[str], bool]:
    """Whether a prefix names the tree's commit and no other, as far as its repository can tell: else it does not."""
    told: Callable[[str], bool] = getattr(tree, "abbreviates", _cannot_tell)
    return told


def _cannot_tell(prefix: str) -> bool:
    return False


def verdict_of(followed: Followed, old: Tree, new: Tree) -> Verdict:
    """The verdict on a followed citation, with the difference where the text changed."""
    outcome = followed.outcome
    read = new.source.read
    match outcome:
        case Same(place, evidence):
            return verdict.Holds(f"the same lines in {read}: {evidence}", found=place)
        case Moved(place, note, evidence):
            tail = f" ({note})" if note else ""
            return verdict.Moved(f"stands at {place} in {read}{tail}", found=place, evidence=(Note(evidence),))
        case Changed(place, similarity, evidence, twins):
            return verdict.Changed(
                f"changed in {read}; {place} now",
                found=place,
                evidence=(_difference(followed.request, place, similarity, old, new), Note(evidence), *_named(twins)),
            )
        case Rewritten(place, similarity, evidence, twins):
            shown = () if place is None else (_difference(followed.request, place, similarity, old, new),)
            return verdict.Changed(
                f"rewritten in {read}", found=place, evidence=(*shown, Note(evidence), *_named(twins))
            )
        case Gone(evidence, twins):
            code = codes.COPY_ELSEWHERE if twins else codes.GONE
            return verdict.Gone(f"gone in {read}: {evidence}", evidence=_named(twins), twins=twins, code=code)
        case Ambiguous(candidates, reason):
            return verdict.Undecided(f"not certain in {read}: {reason}", codes.AMBIGUOUS, candidates=candidates)
        case NotFollowed(reason, not_carried):
            code = codes.NOT_CARRIED if not_carried else codes.IMPOSSIBLE_RANGE
            return verdict.Undecided(reason, code)


def _named(twins: Sequence[Place]) -> tuple[Evidence, ...]:
    return tuple(Note(f"the same text stands at {twin}, and is not its continuation", twin.lines) for twin in twins)


def _difference(request: Request, place: Place, similarity: float, old: Tree, new: Tree) -> Difference:
    assert place.lines is not None
    before = old.read(request.path).lines[request.first - 1 : request.last]
    after = new.read(place.path).lines[place.lines.first - 1 : place.lines.last]
    return Difference(place, diff_lines(before, after, request.first, place.lines), similarity)


def diff_lines(
    before: Sequence[str], after: Sequence[str], old_first: int, new_lines: LineRange
) -> tuple[DiffLine, ...]:
    """Removed lines with their old numbers, added and equal ones with their new numbers."""
    shown: list[DiffLine] = []
    for what, a_low, a_high, b_low, b_high in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if what == "equal":
            shown.extend(DiffLine(" ", after[at], new_lines.first + at) for at in range(b_low, b_high))
            continue
        shown.extend(DiffLine("-", before[at], old_first + at) for at in range(a_low, a_high))
        shown.extend(DiffLine("+", after[at], new_lines.first + at) for at in range(b_low, b_high))
    return tuple(shown)
