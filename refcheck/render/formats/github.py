"""GitHub workflow commands: annotations on the changed files.

The escaping is that of the runner's `ActionCommand` (percent, carriage return, line feed; in properties also colon
and comma). A step shows ten of each kind, so the totals come last, as a notice.
"""

from __future__ import annotations

from refcheck.model.report import Finding, Report
from refcheck.model.verdict import Level, candidates_of, verdict_name
from refcheck.render.evidence_text import evidence_lines
from refcheck.render.options import RenderOptions, ReportFormat
from refcheck.render.places import file_of, path_and_lines, shown_place
from refcheck.render.untrusted import in_log, visible, visible_line


def render(report: Report, options: RenderOptions) -> str:
    lines = [_command(report, finding, options) for finding in report.problems()]
    totals = ", ".join(f"{name} {count}" for name, count in report.totals().items())
    lines.append(f"::notice title=refcheck::{_data(totals)}")
    return "\n".join(lines) + "\n"


def _data(text: str) -> str:
    return in_log(visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _command(report: Report, finding: Finding, options: RenderOptions) -> str:
    verdict = finding.verdict
    name = verdict_name(verdict)
    properties: list[tuple[str, str]] = []
    path = file_of(report, finding, options)
    properties.append(("file", _property(path.replace("\\", "/"))))
    if finding.document is not None and finding.line is not None:
        properties += _position(finding)
    properties.append(("title", _property(f"{verdict.code.id} {name}: {visible_line(finding.id)}")))
    kind = {Level.ERROR: "error", Level.WARNING: "warning", Level.NONE: "notice"}[finding.level]
    if finding.baseline:
        kind = "notice"
    return f"::{kind} {','.join(f'{key}={value}' for key, value in properties)}::{_data(_message(finding))}"


def _position(finding: Finding) -> list[tuple[str, str]]:
    """A column counts only where the annotation ends on the line it begins on."""
    line = finding.line or 1
    end = finding.end_line if finding.end_line is not None and finding.end_line > line else line
    out = [("line", str(line)), ("endLine", str(end))]
    if end == line and finding.column is not None:
        out.append(("col", str(finding.column)))
        if finding.end_column is not None and finding.end_column > finding.column:
            out.append(("endColumn", str(finding.end_column)))
    return out


def _message(finding: Finding) -> str:
    lines = [visible_line(finding.verdict.message) or finding.verdict.code.title]
    place = shown_place(finding)
    if place is not None:
        engine = f"{visible_line(finding.engine)} " if finding.engine else ""
        lines.append(f"{engine}{path_and_lines(place)}")
    lines += [f"candidate: {path_and_lines(candidate)}" for candidate in candidates_of(finding.verdict)]
    lines += [line.text for line in evidence_lines(finding.verdict.evidence, everything=False)]
    if finding.baseline:
        lines.append("recorded in the baseline")
    return "\n".join(lines)


FORMAT = ReportFormat("github", (), render)
