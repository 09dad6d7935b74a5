"""JUnit XML, as CI servers read it: one suite per document, one case per finding.

The format has no warning: a finding below `error` passes with its text as output, an undecided one is skipped.
There are no times and no host, so that the same findings make the same bytes.
"""

from __future__ import annotations

from xml.sax.saxutils import escape

from refcheck.model.report import Finding, Report
from refcheck.model.verdict import Holds, Level, Undecided, candidates_of, verdict_name
from refcheck.render.evidence_text import evidence_lines
from refcheck.render.options import RenderOptions, ReportFormat
from refcheck.render.places import document_position, file_of, path_and_lines, place_with_symbol, shown_place
from refcheck.render.untrusted import in_log, visible, visible_line, visible_name


def render(report: Report, options: RenderOptions) -> str:
    suites: dict[str, list[Finding]] = {}
    for finding in report.findings:
        suites.setdefault(file_of(report, finding, options), []).append(finding)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<testsuites {_counts('refcheck', report.findings)}>"]
    for name, findings in suites.items():
        lines.append(f"  <testsuite {_counts(name, findings)}>")
        lines += _properties(report)
        for finding in findings:
            lines += _case(finding, name)
        lines.append("  </testsuite>")
    lines.append("</testsuites>")
    return "\n".join(lines) + "\n"


def _attribute(text: str) -> str:
    return '"' + _text(visible_name(text)).replace('"', "&quot;") + '"'


def _text(text: str) -> str:
    """Escaped so that neither XML nor a CI log that prints the file reads a command in it."""
    shown = escape(in_log(visible(text)))
    return shown.replace("::", "&#58;:") if "::" in shown else shown


def _failed(finding: Finding) -> bool:
    return finding.level is Level.ERROR and not finding.baseline


def _skipped(finding: Finding) -> bool:
    return isinstance(finding.verdict, Undecided) and not _failed(finding)


def _counts(name: str, findings: tuple[Finding, ...] | list[Finding]) -> str:
    failures = sum(map(_failed, findings))
    skipped = sum(map(_skipped, findings))
    return (
        f'name={_attribute(name)} tests="{len(findings)}" failures="{failures}" errors="0" skipped="{skipped}" time="0"'
    )


def _properties(report: Report) -> list[str]:
    values = [(f"total.{name}", str(count)) for name, count in report.totals().items()]
    for source in report.sources:
        values.append((f"read.{source.engine}", f"{source.read} (pin {source.pin}): {source.why}"))
    rows = [f"      <property name={_attribute(name)} value={_attribute(value)}/>" for name, value in values]
    return ["    <properties>", *rows, "    </properties>"]


def _case(finding: Finding, suite: str) -> list[str]:
    verdict = finding.verdict
    name = verdict_name(verdict)
    attributes = [
        f"name={_attribute(finding.id)}",
        f"classname={_attribute(f'{suite}.{finding.kind.value}')}",
        'time="0"',
    ]
    if finding.document is not None:
        attributes.append(f"file={_attribute(finding.document)}")
    if finding.line is not None:
        attributes.append(f'line="{finding.line}"')
    head = f"    <testcase {' '.join(attributes)}"
    if isinstance(verdict, Holds):
        return [head + "/>"]
    message = _attribute(f"{verdict.code.id} {name}: {visible_line(verdict.message)}")
    body = _text(_body(finding))
    if _failed(finding):
        return [
            head + ">",
            f"      <failure type={_attribute(name)} message={message}>{body}</failure>",
            "    </testcase>",
        ]
    if _skipped(finding):
        return [head + ">", f"      <skipped message={message}/>", "    </testcase>"]
    recorded = " (recorded in the baseline)" if finding.baseline else ""
    return [
        head + ">",
        f"      <system-out>{_text(f'{verdict.code.id} {name}{recorded}: ')}{body}</system-out>",
        "    </testcase>",
    ]


def _body(finding: Finding) -> str:
    lines = [visible_line(finding.verdict.message)]
    where = document_position(finding)
    if where:
        lines.append(f"at {where}")
    if finding.cited is not None:
        lines.append(f"cited {path_and_lines(finding.cited)}")
    place = shown_place(finding)
    if place is not None:
        lines.append(f"found {place_with_symbol(place)}" if place != finding.cited else "")
    lines += [f"candidate {place_with_symbol(place)}" for place in candidates_of(finding.verdict)]
    lines += [line.text for line in evidence_lines(finding.verdict.evidence, everything=True)]
    return "\n".join(line for line in lines if line)


FORMAT = ReportFormat("junit", (".xml",), render)
