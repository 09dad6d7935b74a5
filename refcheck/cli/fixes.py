"""Replacements of line numbers for formats that can carry them (SARIF): only the digits, only where a place is
certain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from ..model.document import Citation, Document, Span
from ..model.report import Finding, FindingKind, Report
from ..model.verdict import Moved

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
    old, new = citation.lines, verdict.found.lines
    if old is None or new is None or finding.cited is None or verdict.found.path != finding.cited.path:
        return ()
    if citation.first_digits is None:
        return ()
    numbers = {citation.first_digits: new.first}
    if citation.last_digits is not None:
        numbers[citation.last_digits] = new.last
    # A link's label says the same numbers as its address; where both ends are one number, which it is cannot be told.
    by_value = {old.first: new.first, old.last: new.last if citation.last_digits else new.first}
    for span in citation.twins:
        written = document.text[span.start : span.end]
        if not written.isdecimal() or int(written) not in by_value:
            return ()
        numbers.setdefault(span, by_value[int(written)])
    return tuple(_fix(document, span, str(numbers[span]), finding) for span in sorted(numbers))


def _fix(document: Document, span: Span, text: str, finding: Finding) -> Fix:
    from ..render.options import Fix

    line, column = document.position(span.start)
    end_line, end_column = document.position(span.end)
    return Fix(document.name, line, column, end_line, end_column, text, finding.verdict.message)
