"""From what was found to the process's exit code."""

from __future__ import annotations

from ..model.report import FindingKind, Report
from ..model.verdict import Level

OK, FINDINGS, USAGE, NO_SOURCE, INTERRUPTED = 0, 1, 2, 3, 130

FAIL_ON = ("error", "warning", "never")


def exit_code(worst: Level, fail_on: str) -> int:
    """0, or 1 if a finding is at or above `fail_on`."""
    match fail_on:
        case "never":
            return OK
        case "warning":
            return FINDINGS if worst in (Level.WARNING, Level.ERROR) else OK
        case _:
            return FINDINGS if worst is Level.ERROR else OK


def nothing_checked(report: Report) -> bool:
    """A run that looked at nothing is never a success; a document that was not read is nothing."""
    return all(finding.kind is FindingKind.DOCUMENT for finding in report.findings)
