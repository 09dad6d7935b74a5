"""Links to a whole file or folder on a branch: no lines are cited, so that nothing else reads them.

Asked to pin links, a page that keeps some of them on the branch would be half pinned.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..config.engines import Engine
from ..documents.urls import UrlLocation, UrlReader
from ..model.document import Document, Span
from ..model.tree import Tree


@dataclass(frozen=True, slots=True)
class BranchLink:
    """`rev_span` is where the branch is written; `prose` the index of the paragraph."""

    document: Document
    engine: str
    path: str
    branch: str
    rev_span: Span
    prose: int


def branch_links(document: Document, engines: Mapping[str, Engine]) -> Iterator[BranchLink]:
    """Each link of an engine's repository that names a branch and no lines, in the order of the text."""
    reader = UrlReader(engines)
    read = {citation.rev_span for citation in document.citations if citation.rev_span is not None}
    found: dict[Span, BranchLink] = {}
    for index, prose in enumerate(document.prose):
        for mark in prose.marks:
            if mark.kind == "link" and mark.target_offsets is not None:
                location = reader.read(mark.target)
                if location is not None and _names_branch(location):
                    assert location.rev_span is not None
                    assert location.engine is not None
                    span = mark.target_offsets.span(*location.rev_span)
                    found[span] = BranchLink(
                        document, location.engine, location.path, location.branch or "", span, index
                    )
        for start, end in reader.find(prose.text):
            location = reader.read(prose.text[start:end])
            if location is not None and _names_branch(location):
                assert location.rev_span is not None
                assert location.engine is not None
                span = prose.located(start + location.rev_span[0], start + location.rev_span[1])
                found[span] = BranchLink(document, location.engine, location.path, location.branch or "", span, index)
    for span in sorted(found.keys() - read):
        if document.ignored_because(span) is None:
            yield found[span]


def _names_branch(location: UrlLocation) -> bool:
    whole = location.first is None and not location.placeholder and not location.unreadable
    return whole and location.branch is not None and location.engine is not None and location.rev_span is not None


def stands(path: str, tree: Tree) -> bool:
    """Whether the tree has the file, or a folder of that name."""
    path = path.rstrip("/")
    return tree.has(path) or any(name.startswith(path + "/") for name in tree.paths())
