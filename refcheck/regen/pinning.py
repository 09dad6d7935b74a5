"""Branch links become permalinks as they stand: to the revision that the page is read at, else to the branch's own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from ..errors import SourceError
from ..model import codes, verdict
from ..model.document import Document
from ..model.tree import Tree
from .links import BranchLink
from .numbers import Target, edits_for
from .plan import Plan, PlanItem, item_of, pinned_link, unread_link
from .standing import Standing


def on_their_branch(document: Document, engines: Iterable[str]) -> Document:
    """The page with the links of these engines read at the branch that each names, as if it were a tag."""
    wanted = frozenset(engines)
    citations = tuple(
        replace(one, rev=one.branch, unpinned=False) if one.unpinned and one.engine in wanted and one.branch else one
        for one in document.citations
    )
    return replace(document, citations=citations)


def pinning_plan(
    documents: Sequence[Document],
    cited: Sequence[Standing],
    old: Mapping[int, Tree],
    links: Iterable[BranchLink],
    tree_of: Callable[[BranchLink], Tree],
) -> Plan:
    """The plan that changes the branches of links and nothing else.

    `cited` may be of `on_their_branch`, `documents` are as they were read; `old` gives the trees by source index.
    `tree_of` raises SourceError for a link whose revision cannot be had.
    """
    as_read = {(page.name, one.span): (page, one) for page in documents for one in page.citations if one.unpinned}
    items: list[PlanItem] = []
    for one in cited:
        found = as_read.get((one.document.name, one.citation.span))
        if found is None or one.engine is None:
            continue
        one = replace(one, document=found[0], citation=found[1])
        if one.problem is not None or one.source is None:
            # Its lines are not what it is cited for: a permalink would keep that for ever.
            items.append(item_of(one, one.problem or _unread(), None, at_birth=True))
            continue
        tree = old[one.source]
        edits = edits_for(one.document, one.citation, Target(None, tree.source.commit, pin_links=True))
        said = verdict.Holds(f"as it stands in {tree.source.read}", found=one.place)
        items.append(item_of(one, said, one.place, edits=edits.edits, left=edits.refused))
    for link in links:
        try:
            items.append(pinned_link(link, tree_of(link)))
        except SourceError as error:
            items.append(unread_link(link, str(error)))
    return Plan(tuple(items))


def _unread() -> verdict.Verdict:
    return verdict.Undecided("its revision was not read", codes.REVISION_UNKNOWN)
