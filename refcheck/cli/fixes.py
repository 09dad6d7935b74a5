"""Replacements of line numbers for formats that can carry them (SARIF): only the digits, only where a place is
certain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..model.document import Citation, Document, Span
from ..model.report import Finding, FindingKind, Report
from ..model.verdict import Moved
from ..regen.numbers import Target, number_edits

if TYPE_CHECKING:
    from ..render.options import Fix


def fixes_of(report: Report, documents: Sequence[Document]) -> Mapping[str, tuple[Fix, ...]]:
    """By finding id: the new numbers of locations whose code stands at other lines of the same file.

    A location that moved to another file has none: its path is for an author to write.
    """
    wanted = [one for one in report.findings if one.kind is FindingKind.LOCATION and isinstance(one.verdict, Moved)]
    if not wanted:
        return {}
    by_name = {document.name: document for document in documents}
    out: dict[str, tuple[Fix, ...]] = {}
    for finding in wanted:
        document = by_name.get(finding.document or "")
        citation = _citation(document, finding) if document else None
        if document is not None and citation is not None and (fixes := _fixes(document, citation, finding)):
            out[finding.id] = fixes
    return out


def _citation(document: Document, finding: Finding) -> Citation | None:
    at = (finding.line, finding.column)
    fitting = [c for c in document.citations if document.position(c.span.start) == at and c.lines is not None]
    cited = finding.cited.lines if finding.cited else None
    return next((c for c in fitting if c.lines == cited), None)


def _fixes(document: Document, citation: Citation, finding: Finding) -> tuple[Fix, ...]:
    verdict = finding.verdict
    assert isinstance(verdict, Moved)
    if verdict.found.lines is None or finding.cited is None or verdict.found.path != finding.cited.path:
        return ()
    edits = number_edits(document, citation, Target(verdict.found.lines, None)).edits
    return tuple(_fix(document, edit.span, edit.text, finding) for edit in edits)


def _fix(document: Document, span: Span, text: str, finding: Finding) -> Fix:
    from ..render.options import Fix

    line, column = document.position(span.start)
    end_line, end_column = document.position(span.end)
    return Fix(document.name, line, column, end_line, end_column, text, finding.verdict.message)
