"""Pages as they would be after writing, verified: what is wrong there must be what the plan named, and no more.

A number that moves with its text takes nothing else along: a block without a location, or a name in the sentence, is
judged at the newer revision too from then on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..config.engines import Engine
from ..documents.read import read_text
from ..model.document import Citation, Document
from ..model.report import Finding, FindingKind, Report
from ..model.verdict import Level
from .plan import Plan
from .rewrite import apply
from .together import declared_revision, names_commit, names_version

_OF_PLACES = (FindingKind.QUOTE, FindingKind.LOCATION)


def pages_after(
    documents: Iterable[Document],
    plan: Plan,
    engines: Mapping[str, Engine],
    commits: Mapping[str, str | None],
    versions: Mapping[str, str],
    compared: Mapping[str, frozenset[int]],
) -> tuple[Document, ...]:
    """Each document that the plan changes, with its changes, as a page to be judged at the newer revisions.

    `compared` has the numbers of the citations, by document and counted from 0, beside which there is something to
    compare with: lines that were nothing but there before are the same lines after. What stands at another one
    afterwards (other engines, permalinks that are left, sections for a third) is taken out.
    """

    def newer(engine: str | None, rev: str | None) -> bool:
        if engine is None:
            return rev is None
        return engine in commits and (names_commit(rev, commits[engine]) or names_version(rev, versions.get(engine)))

    made: list[Document] = []
    for page in documents:
        edits = plan.edits(page.name)
        beside = compared.get(page.name, frozenset())
        if not edits or not (beside or page.quotes_by_content):
            continue
        after = read_text(page.name, apply(page, edits), page.format, engines)
        # Where a head is left above numbers that change, they are the newer revision's all the same.
        left = {head.engine for head in plan.heads if head.document == page.name and head.now is None}

        def stays(one: Citation, page: Document = after, left: set[str] = left) -> bool:
            if one.engine is not None and one.engine not in commits:
                return False
            if one.rev is not None and not one.unpinned:
                return newer(one.engine, one.rev)
            declared = declared_revision(page, one, one.engine) if one.engine else one.inherited_rev
            return declared is None or newer(one.engine, declared) or one.engine in left

        same = len(after.citations) == len(page.citations)
        heads_fit = all(newer(engine, rev) or engine in left for engine, rev in after.revisions)
        made.append(
            replace(
                after,
                citations=tuple(
                    replace(one, inherited_rev=None)
                    for number, one in enumerate(after.citations)
                    if (number in beside or not same) and stays(one)
                ),
                quotes_by_content=after.quotes_by_content if heads_fit else (),
                revisions=(),
            )
        )
    return tuple(made)


def not_named(documents: Sequence[Document], plan: Plan, before: Report, after: Report) -> tuple[Finding, ...]:
    """Errors of the pages after writing that were none before, at places that the plan leaves to nobody.

    Lines of a document are what tells a place, for edits change no line's number.
    """
    known = {(one.document, one.line, one.kind) for one in before.findings if one.level is Level.ERROR}
    left = {(item.document, item.line, item.column) for item in plan.for_a_human}
    for page in documents:
        for citation in page.citations:
            line, column = page.position(citation.span.start)
            if (page.name, line, column) in left:
                known |= {(page.name, line, kind) for kind in _OF_PLACES}
                if citation.quote is not None:
                    quoted = page.position(citation.quote.span.start)[0]
                    known |= {(page.name, quoted, kind) for kind in _OF_PLACES}
    return tuple(
        one
        for one in after.findings
        if one.level is Level.ERROR and one.kind in _OF_PLACES and (one.document, one.line, one.kind) not in known
    )
