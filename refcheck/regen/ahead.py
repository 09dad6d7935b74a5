"""Evidence that a page was written for the newer revision already, though nothing on it says so.

A number says nothing of where it stands. What stands beside it does: a quote, or a name, that fits the place at the
newer revision and not at the older one. Moving such a page's numbers would move them a second time.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..model.document import Document
from ..model.verdict import Undecided
from .standing import Standing
from .together import declared_revision

FEW = 2
"""Where more than so many places speak for the older revision to one for the newer, that one is an author's slip."""


@dataclass(frozen=True, slots=True)
class Together:
    """Citations of a document that stand at one revision: those of an engine below one declaration, or none."""

    document: str
    engine: str
    declared: str | None


def group_of(one: Standing) -> Together | None:
    """The group of a citation; None for one that carries its revision itself, or is of no engine."""
    if one.engine is None or (one.citation.rev is not None and not one.citation.unpinned):
        return None
    return Together(one.document.name, one.engine, declared_revision(one.document, one.citation, one.engine))


def in_doubt(cited: Iterable[Standing]) -> frozenset[str]:
    """The documents of which a place is wrong at the older revision: only those can be ahead."""
    return frozenset(one.document.name for one in cited if _fails(one) and group_of(one) is not None)


def doubted(cited: Iterable[Standing]) -> tuple[Standing, ...]:
    """The citations that something beside them speaks against at the older revision."""
    return tuple(one for one in cited if _fails(one))


def proved(cited: Iterable[Standing]) -> tuple[Standing, ...]:
    """The citations that something beside them speaks for at the older revision."""
    return tuple(one for one in cited if one.proved)


def without_revisions(document: Document, wanted: Iterable[Standing]) -> Document:
    """The page with these citations alone, as if it named no revision, to be judged at another one."""
    spans = {one.citation.span for one in wanted if one.document.name == document.name}
    citations = tuple(
        replace(one, inherited_rev=None)
        for one in document.citations
        if one.span in spans and (one.rev is None or one.unpinned)
    )
    return replace(document, citations=citations, revisions=(), quotes_by_content=())


def groups_ahead(older: Sequence[Standing], newer: Sequence[Standing]) -> Mapping[Together, str]:
    """Why the places of a group are not moved, for each group that seems to be of the newer revision already.

    `newer` are the same citations (see `without_revisions`) as they stand at the newer revision, judged in the same
    way: an edition that knows one of the revisions would speak for it.
    """
    there = {(one.document.name, one.citation.span): one for one in newer}
    ahead: dict[Together, int] = {}
    behind: dict[Together, int] = {}
    for one in older:
        group = group_of(one)
        other = there.get((one.document.name, one.citation.span))
        if group is None or other is None:
            continue
        if _fails(one) and other.proved:
            ahead[group] = ahead.get(group, 0) + 1
        elif one.proved and not other.proved and not isinstance(other.problem, Undecided):
            behind[group] = behind.get(group, 0) + 1
    return {
        group: f"it seems to be of the newer revision already: {_counted(count)} there and not at the older one"
        for group, count in ahead.items()
        if count * FEW >= behind.get(group, 0)
    }


def _fails(one: Standing) -> bool:
    """Whether something beside the numbers speaks against the place."""
    return one.problem is not None and not isinstance(one.problem, Undecided)


def _counted(count: int) -> str:
    return f"{count} place{'s' * (count != 1)} fit{'s' * (count == 1)}"
