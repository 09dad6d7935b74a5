"""A report format: one row of comma-separated values per finding."""

from __future__ import annotations

import csv
import io

from refcheck.model.report import Report
from refcheck.model.verdict import verdict_name
from refcheck.render.options import RenderOptions, ReportFormat


def render(report: Report, options: RenderOptions) -> str:
    """Findings come in order, and without engine code if that was asked for."""
    out = io.StringIO()
    rows = csv.writer(out, lineterminator="\n")
    rows.writerow(["id", "verdict", "code", "level", "message"])
    for finding in report.findings:
        verdict = finding.verdict
        rows.writerow([finding.id, verdict_name(verdict), verdict.code.id, finding.level.value, verdict.message])
    return out.getvalue()


FORMAT = ReportFormat("csv-rows", (".csv",), render)
