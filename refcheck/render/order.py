"""The one order in which every format lists findings."""

from __future__ import annotations

from collections.abc import Iterable

from refcheck.model.place import LineRange
from refcheck.model.report import Finding


def _lines(lines: LineRange | None) -> tuple[int, int]:
    return (0, 0) if lines is None else (lines.first, lines.last)


def _key(finding: Finding) -> tuple[object, ...]:
    cited = finding.cited
    return (
        finding.document is None,
        finding.document or "",
        finding.line or 0,
        finding.column or 0,
        finding.engine or "",
        cited.path if cited else "",
        _lines(cited.lines if cited else None),
        finding.kind.value,
        finding.id,
    )


def in_order(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """By document (those without one last), place in it, engine, cited place, kind and id."""
    return tuple(sorted(findings, key=_key))
