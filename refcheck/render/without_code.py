"""A report without the engines' code, for pages that may not carry it."""

from __future__ import annotations

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
from refcheck.model.verdict import Changed, Contradicted, Gone, Holds, Imprecise, Moved, Undecided, Verdict

LONGEST_VALUE = 80
"""A single value of up to this many characters (a default, a number, a name) is a fact, not a passage of code."""


def strip_code(report: Report) -> Report:
    """The same findings, verdicts, places and totals, without source lines, differences and quoted blocks."""
    return replace(report, findings=tuple(_finding(f) for f in report.findings))


def _finding(finding: Finding) -> Finding:
    words = finding.words
    if words is not None and finding.quoted and words.strip() == "\n".join(finding.quoted).strip():
        words = None
    return replace(finding, quoted=(), words=words, verdict=_verdict(finding.verdict))


def _verdict(verdict: Verdict) -> Verdict:
    evidence = tuple(_evidence(e) for e in verdict.evidence)
    match verdict:
        case Holds() | Imprecise() | Moved() | Changed() | Gone() | Contradicted() | Undecided():
            return replace(verdict, evidence=evidence)


def _evidence(evidence: Evidence) -> Evidence:
    match evidence:
        case SourceLines():
            left_out = _left_out(len(evidence.text))
            note = f"{evidence.note}, {left_out}" if evidence.note else left_out
            return replace(evidence, text=(), note=note)
        case Difference():
            added = sum(line.sign == "+" for line in evidence.lines)
            removed = sum(line.sign == "-" for line in evidence.lines)
            return Note(f"{evidence.place}: {removed} lines of the page against {added} of the engine (code left out)")
        case CounterExamples():
            return replace(evidence, places=tuple((place, "") for place, _ in evidence.places))
        case Comparison():
            return replace(evidence, expected=_value(evidence.expected), found=_value(evidence.found))
        case Values():
            return replace(evidence, items=tuple((name, _value(value)) for name, value in evidence.items))
        case Note():
            return evidence


def _left_out(count: int) -> str:
    return f"{count} line{'' if count == 1 else 's'} of code left out"


def _value(value: str) -> str:
    if "\n" in value or len(value) > LONGEST_VALUE:
        return f"({_left_out(value.count(chr(10)) + 1)})"
    return value
