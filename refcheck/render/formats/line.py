"""One line per finding, `path:line:column: CODE message`, for editors and grep."""

from __future__ import annotations

from refcheck.model.report import Finding, Report
from refcheck.model.verdict import Holds, verdict_name
from refcheck.render.options import RenderOptions, ReportFormat
from refcheck.render.paper import Paper
from refcheck.render.places import file_of
from refcheck.render.untrusted import in_log, not_at_start, visible_line, visible_name


def render(report: Report, options: RenderOptions) -> str:
    """What does not hold; with `verbose` also what does."""
    paper = Paper(None, False, options.encoding)
    for finding in report.findings:
        if options.verbose or not isinstance(finding.verdict, Holds):
            paper.raw(_line(report, finding, options))
    return paper.text()


def _line(report: Report, finding: Finding, options: RenderOptions) -> str:
    path = file_of(report, finding, options)
    verdict = finding.verdict
    recorded = " (recorded in the baseline)" if finding.baseline else ""
    text = (
        f"{visible_name(path)}:{finding.line or 1}:{finding.column or 1}: {verdict.code.id} "
        f"{verdict_name(verdict)}: {visible_line(verdict.message)} [{visible_name(finding.id)}]{recorded}"
    )
    return not_at_start(in_log(text))


FORMAT = ReportFormat("line", (), render)
