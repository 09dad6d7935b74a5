"""Markdown for a pull-request comment: folded, bounded in size, and foreign text is text.

The first line is a comment by which an earlier report can be found and replaced.
"""

from __future__ import annotations

from refcheck.errors import UsageError
from refcheck.model.report import Finding, Report
from refcheck.model.tree import SourceRead
from refcheck.model.verdict import Gone, Holds, Level, candidates_of, place_of, verdict_name
from refcheck.render.evidence_markdown import evidence_markdown, place_markdown
from refcheck.render.locations import web_link
from refcheck.render.looks import LOOKS, counted
from refcheck.render.markdown_text import block, clipped, code, html_inline, inline
from refcheck.render.not_judged import reason_groups, shown_apart
from refcheck.render.options import RenderOptions, ReportFormat
from refcheck.render.places import document_position, path_and_lines, shown_place

MARKER = "<!-- refcheck-report -->"
MAX_BYTES = 60_000
"""A comment on GitHub may have 65,536 characters; an action may add a line of its own."""
LEAST_BYTES = 2_000
LONGEST_NAME = 120
MOST_PLACES = 10


def render(report: Report, options: RenderOptions) -> str:
    """Raises refcheck.errors.UsageError where `max_bytes` leaves no room for the totals."""
    limit = options.max_bytes if options.max_bytes is not None else MAX_BYTES
    if limit < LEAST_BYTES:
        raise UsageError(f"a Markdown report needs {LEAST_BYTES:,} bytes at least, not {limit:,}")
    comment = _Comment(limit)
    comment.add(_head(report))
    for source in report.sources:
        comment.add(_source(source))
    problems = [f for f in report.problems() if options.verbose or shown_apart(f)]
    problems.sort(key=lambda f: (f.baseline, f.level is not Level.ERROR))
    left_out = sum(not comment.add(_problem(finding)) for finding in problems)
    if left_out:
        comment.add_last(f"\n**{left_out} more findings are left out here for their length.**\n")
    for text in (_reasons(report), _notes(report), "" if options.quiet else _holding(report)):
        if text and not comment.add(text):
            comment.add_last("\nThe rest of the report is left out here for its length.\n")
            break
    return comment.text()


class _Comment:
    """Collects pieces as long as they fit; what says that something did not fit has room kept for it."""

    RESERVE = 200

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.size = 0
        self.parts: list[str] = []

    def add(self, text: str) -> bool:
        return self._add(text, self.limit - self.RESERVE)

    def add_last(self, text: str) -> None:
        self._add(text, self.limit)

    def _add(self, text: str, limit: int) -> bool:
        size = len(text.encode("utf-8", "surrogatepass"))
        if self.size + size > limit:
            return False
        self.size += size
        self.parts.append(text)
        return True

    def text(self) -> str:
        return "".join(self.parts)


def _head(report: Report) -> str:
    judged = [f for f in report.findings if not f.baseline]
    errors = sum(f.level is Level.ERROR for f in judged)
    warnings = sum(f.level is Level.WARNING for f in judged)
    recorded = len(report.findings) - len(judged)
    counts = [counted(errors, "error"), counted(warnings, "warning")]
    if recorded:
        counts.append(f"{recorded} recorded in the baseline")
    edition = f", edition {code(clipped(report.edition, LONGEST_NAME))}" if report.edition else ""
    totals = report.totals()
    return "\n".join(
        [
            MARKER,
            f"### refcheck: {', '.join(counts)} in {counted(len(report.findings), 'finding')}{edition}",
            "",
            "| " + " | ".join(f"{LOOKS[name].sign} {name}" for name in totals) + " |",
            "|" + " ---: |" * len(totals),
            "| " + " | ".join(str(count) for count in totals.values()) + " |",
            "",
            "",
        ]
    )


def _source(source: SourceRead) -> str:
    read, pin = code(clipped(source.read, LONGEST_NAME)), code(clipped(source.pin, LONGEST_NAME))
    if source.exact:
        what = f"read at {read}" + (", the pin" if source.read == source.pin else f", which stands for the pin {pin}")
    else:
        what = f"**read at {read}, not at the pin {pin}**"
    why = f": {inline(clipped(source.why, 300))}" if source.why else ""
    return f"- {inline(clipped(source.engine, LONGEST_NAME))} {what}{why}\n"


def _summary(finding: Finding) -> str:
    name = verdict_name(finding.verdict)
    parts = [
        f"{LOOKS[name].sign} <b>{name}</b>",
        finding.verdict.code.id,
        html_inline(clipped(finding.id, LONGEST_NAME)),
    ]
    where = document_position(finding)
    if where:
        parts.append(html_inline(clipped(where, LONGEST_NAME)))
    place = shown_place(finding)
    if place is not None:
        parts.append(f"<code>{html_inline(clipped(path_and_lines(place), LONGEST_NAME))}</code>")
    if finding.baseline:
        parts.append("recorded in the baseline")
    return " · ".join(parts)


def _problem(finding: Finding) -> str:
    verdict = finding.verdict
    lines = ["", f"<details><summary>{_summary(finding)}</summary>", ""]
    if finding.words:
        lines += [f"> {inline(clipped(finding.words, 500))}", ""]
    lines.append(inline(clipped(verdict.message, 1000)) or verdict.code.title)
    cited, found = finding.cited, place_of(verdict)
    if cited is not None:
        lines += ["", f"Cited: {place_markdown(cited)}"]
    if found is not None and found != cited:
        lines += ["", f"Found: {place_markdown(found)}"]
    candidates = candidates_of(verdict)
    if candidates:
        what = "Twin" if isinstance(verdict, Gone) else "Candidate"
        lines += ["", *(f"- {what}: {place_markdown(place)}" for place in candidates[:MOST_PLACES])]
        if len(candidates) > MOST_PLACES:
            lines.append(f"- … and {len(candidates) - MOST_PLACES} more")
    lines += evidence_markdown(verdict.evidence)
    if finding.quoted and not verdict.evidence:
        lines += ["", *block([f"       | {clipped(line, 200)}" for line in finding.quoted[:12]])]
    link = web_link(finding.permalink)
    if link and len(link) < 500:
        lines += ["", f"[The code]({link.replace('(', '%28').replace(')', '%29')})"]
    lines += ["", f"What to do: {verdict.code.remedy}", "", "</details>", ""]
    return "\n".join(lines)


def _reasons(report: Report) -> str:
    groups = reason_groups(report)
    if not groups:
        return ""
    count = sum(len(group.ids) for group in groups)
    lines = ["", f"<details><summary>? not judged: {count}</summary>", ""]
    for group in groups[:50]:
        ids = ", ".join(code(clipped(i, LONGEST_NAME)) for i in group.ids[:20])
        more = f" and {len(group.ids) - 20} more" if len(group.ids) > 20 else ""
        title = f"{inline(group.head)}: " if group.head else ""
        lines.append(f"- {len(group.ids)} × {title}{inline(clipped(group.why, 300))} ({ids}{more})")
    if len(groups) > 50:
        lines.append(f"- … and {len(groups) - 50} more reasons")
    return "\n".join([*lines, "", "</details>", ""])


def _notes(report: Report) -> str:
    lines = [f"- {inline(clipped(note, 500))}" for note in report.notes[:20]]
    if report.absent_words:
        lines.append(f"- {report.absent_words} claims of the edition are not in the words of these documents")
    return "\n".join(["", *lines, ""]) if lines else ""


def _holding(report: Report) -> str:
    findings = [f for f in report.findings if isinstance(f.verdict, Holds)]
    if not findings:
        return ""
    lines = ["", f"<details><summary>{LOOKS['holds'].sign} holds: {len(findings)}</summary>", ""]
    for finding in findings[:200]:
        place = shown_place(finding)
        where = place_markdown(place) if place is not None else inline(clipped(finding.verdict.message, 120))
        lines.append(f"- {code(clipped(finding.id, LONGEST_NAME))} {where}")
    if len(findings) > 200:
        lines.append(f"- … and {len(findings) - 200} more")
    return "\n".join([*lines, "", "</details>", ""])


FORMAT = ReportFormat("markdown", (".md", ".markdown"), render)
