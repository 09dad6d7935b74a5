"""The baseline ratchet: recorded findings do not fail a run, and recorded ones that are gone are named.

A finding is recognised by the document's words and the code's identity (refcheck.model.fingerprint), so that edits
above it change nothing. The file is JSON, sorted, one finding per line, made for review in version control.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from ..errors import ConfigurationError, UsageError
from ..model.fingerprint import fingerprints
from ..model.report import Report
from ..model.verdict import Holds, verdict_name

SCHEMA = "refcheck-baseline/1"


def baseline_text(report: Report) -> tuple[str, int]:
    """The file's text and how many findings it holds: everything that does not hold."""
    rows = [
        {
            "fingerprint": mark,
            "id": finding.id,
            "document": finding.document,
            "code": finding.verdict.code.id,
            "verdict": verdict_name(finding.verdict),
        }
        for finding, mark in zip(report.findings, fingerprints(report.findings), strict=True)
        if not isinstance(finding.verdict, Holds)
    ]
    rows.sort(key=lambda row: (row["document"] or "", row["id"] or "", row["fingerprint"] or ""))
    body = ",\n".join("  " + json.dumps(row, ensure_ascii=False) for row in rows)
    return f'{{"schema": "{SCHEMA}", "findings": [\n{body}\n]}}\n', len(rows)


def load_baseline(path: Path) -> Mapping[str, Mapping[str, str]]:
    """Fingerprint -> the recorded row. Raises UsageError or ConfigurationError naming the file."""
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise ConfigurationError(f"{path}: not a baseline: {error}") from error
    if not isinstance(raw, dict) or raw.get("schema") != SCHEMA or not isinstance(raw.get("findings"), list):
        raise ConfigurationError(f"{path}: not a baseline of schema {SCHEMA}; record it anew with `refcheck baseline`")
    rows = [row for row in raw["findings"] if isinstance(row, dict) and isinstance(row.get("fingerprint"), str)]
    return {row["fingerprint"]: row for row in rows}


def apply_baseline(report: Report, recorded: Mapping[str, Mapping[str, str]]) -> Report:
    """The report with recorded findings marked, and a note naming the recorded ones that are gone."""
    marks = fingerprints(report.findings)
    findings = tuple(
        replace(finding, baseline=True) if mark in recorded and not isinstance(finding.verdict, Holds) else finding
        for finding, mark in zip(report.findings, marks, strict=True)
    )
    live = {mark for finding, mark in zip(findings, marks, strict=True) if finding.baseline}
    gone = sorted(f"{row.get('id')} ({row.get('code')})" for mark, row in recorded.items() if mark not in live)
    notes = report.notes
    if gone:
        notes += (f"{len(gone)} recorded findings are gone from the baseline's documents: {', '.join(gone[:20])}",)
    return replace(report, findings=findings, notes=notes)
