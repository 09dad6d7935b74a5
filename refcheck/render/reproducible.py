"""A report that says the same wherever and whenever it is made from the same trees, for pages that are committed."""

from __future__ import annotations

import re
from dataclasses import replace

from refcheck.model.evidence import (
    Comparison,
    CounterExamples,
    Difference,
    Evidence,
    Note,
    SourceLines,
    Values,
)
from refcheck.model.report import Finding, Report
from refcheck.model.tree import SourceKind, SourceRead
from refcheck.model.verdict import Changed, Contradicted, Gone, Holds, Imprecise, Moved, Undecided, Verdict

_ROUNDING = re.compile(r"(?<![\w.-])-?\d(?:\.\d{1,17})?e-(?:0[7-9]|[1-9]\d{1,2})(?!\w)")
"""A figure below 1e-6: what is left of a comparison of floating-point numbers, which differs between processors."""


def settle(report: Report) -> Report:
    """The same findings, verdicts, places and totals, without how the trees were reached, without how much was
    received, and with figures below 1e-6 written as `<1e-06`."""
    return replace(
        report,
        sources=tuple(_source(source) for source in report.sources),
        findings=tuple(_finding(finding) for finding in report.findings),
        not_judged=tuple(replace(entry, why=_text(entry.why)) for entry in report.not_judged),
    )


def _source(source: SourceRead) -> SourceRead:
    why = "as asked for" if source.exact else "the nearest release" if source.kind is SourceKind.RELEASE else "another"
    return replace(source, why=why, notes=(), received_bytes=None)


def _finding(finding: Finding) -> Finding:
    return replace(finding, verdict=_verdict(finding.verdict))


def _verdict(verdict: Verdict) -> Verdict:
    message = _text(verdict.message)
    evidence = tuple(_evidence(piece) for piece in verdict.evidence)
    match verdict:
        case Holds() | Imprecise() | Moved() | Changed() | Gone() | Contradicted() | Undecided():
            return replace(verdict, message=message, evidence=evidence)


def _evidence(evidence: Evidence) -> Evidence:
    match evidence:
        case Comparison(what, expected, found):
            return Comparison(what, _text(expected), _text(found))
        case Values(items):
            return Values(tuple((name, _text(value)) for name, value in items))
        case Note():
            return replace(evidence, text=_text(evidence.text))
        case SourceLines() | Difference() | CounterExamples():
            return evidence


def _text(text: str) -> str:
    return _ROUNDING.sub("<1e-06", text) if "e-" in text else text
