"""The report for a terminal or a pipe: readable at 80 columns, in any encoding, with or without colour."""

from __future__ import annotations

import re

from refcheck.model.evidence import Evidence, SourceLines, Values
from refcheck.model.report import Finding, FindingKind, Report
from refcheck.model.tree import SourceRead
from refcheck.model.verdict import VERDICT_NAMES, Gone, Holds, Level, Undecided, candidates_of, place_of, verdict_name
from refcheck.render.evidence_text import TextLine, evidence_lines
from refcheck.render.looks import LOOKS, counted, signs
from refcheck.render.not_judged import ReasonGroup, reason_groups, shown_apart
from refcheck.render.options import RenderOptions, ReportFormat
from refcheck.render.paper import Paper, cells, fit, pad
from refcheck.render.places import (
    document_position,
    engine_labels,
    line_numbers,
    path_and_lines,
    place_with_symbol,
    shown_place,
)
from refcheck.render.untrusted import in_log, visible_line, visible_name

LONGEST_ID = 24
LONGEST_WORDS = 240
"""Of the document's words beside a finding; `--verbose` shows all."""
SHOWN_IDS = 12
"""Ids of one reason for not judging that are listed; `--verbose` lists all."""


def render(report: Report, options: RenderOptions) -> str:
    """What holds first and what is wrong last, above the totals: where a reader's terminal stands when it is done."""
    paper = Paper(options.width, options.color, options.encoding)
    page = _Page(paper, options, signs(options.encoding), engine_labels(report))
    if not options.quiet:
        _head(paper, report)
        page.holding([f for f in report.findings if isinstance(f.verdict, Holds)])
    shown = [f for f in report.problems() if options.verbose or shown_apart(f)]
    _reasons(paper, report, options)
    recorded = [f for f in shown if f.baseline]
    page.section("Recorded in the baseline", recorded)
    for title, level in (("Noted", Level.NONE), ("Warnings", Level.WARNING), ("Errors", Level.ERROR)):
        page.section(title, [f for f in shown if f.level is level and not f.baseline])
    _foot(paper, report, hint=bool(shown) and not options.quiet)
    return paper.text()


def _name(text: str) -> str:
    return in_log(visible_name(text))


def _prose(text: str) -> str:
    return in_log(visible_line(text))


def _head(paper: Paper, report: Report) -> None:
    what = [f"edition {_name(report.edition)}"] if report.edition else []
    if report.documents:
        count = len(report.documents)
        what.append(_name(report.documents[0]) if count == 1 else f"{count} documents")
    if what:
        paper.prose(paper.paint("refcheck: ", "bold") + ", ".join(what))
    width = max((cells(_name(s.engine)) for s in report.sources), default=0)
    for source in report.sources:
        paper.prose(_read(source), first=f"  {pad(_name(source.engine), width)}  ")
        for note in source.notes:
            paper.prose(_prose(note), indent=width + 4, style="dim")
    if not all(source.exact for source in report.sources):
        paper.prose("Quotes and claims are judged on what was read; line numbers only on the pin itself.", indent=2)
    if what or report.sources:
        paper.raw()


def _read(source: SourceRead) -> str:
    read = _name(source.read)
    if source.exact:
        text = f"{read} (the pin)" if source.read == source.pin else f"{read} (stands for the pin {_name(source.pin)})"
    else:
        text = f"{read}, not the pin {_name(source.pin)}"
    why = _prose(source.why)
    return f"{text}: {why}" if why else text


class _Page:
    """Lays out findings, one line or one block each."""

    def __init__(self, paper: Paper, options: RenderOptions, signs_: dict[str, str], labels: dict[int | None, str]):
        self.paper = paper
        self.options = options
        self.signs = signs_
        self.labels = labels

    def holding(self, findings: list[Finding]) -> None:
        """A table of what holds; blocks when everything is asked for."""
        if not findings:
            return
        if self.options.verbose:
            for finding in findings:
                self.block(finding)
            return
        paper = self.paper
        paper.raw(paper.paint(f"Holds: {len(findings)}", "bold"))
        id_width = max(cells(_name(f.id)) for f in findings)
        if paper.width is not None:
            id_width = min(id_width, LONGEST_ID)
        mark = paper.paint(f"{self.signs['holds']} holds", LOOKS["holds"].sgr)
        for finding in findings:
            shown_id = pad(fit(_name(finding.id), id_width, paper.ellipsis), id_width)
            rest = None if paper.width is None else paper.width - id_width - 11
            paper.raw(f"{mark}  {shown_id}  {self._where(finding, rest)}")
        paper.raw()

    def section(self, title: str, findings: list[Finding]) -> None:
        """A heading with the count of each verdict, and the findings one after the other."""
        if not findings:
            return
        counts = dict.fromkeys(VERDICT_NAMES.values(), 0)
        for finding in findings:
            counts[verdict_name(finding.verdict)] += 1
        what = ", ".join(f"{count} {name}" for name, count in counts.items() if count)
        self.paper.prose(f"{title}: {what}", style="bold")
        self.paper.raw()
        for finding in findings:
            self.block(finding)

    def _engine(self, finding: Finding) -> str:
        return self.labels.get(finding.source) or (_name(finding.engine) if finding.engine else "")

    def _where(self, finding: Finding, width: int | None) -> str:
        """Engine, path, lines and symbol; where it is narrow the path loses folders, then the symbol its end."""
        ellipsis = self.paper.ellipsis
        place = shown_place(finding)
        engine = f"{self._engine(finding)} ".lstrip()
        if place is None:
            text = engine + _prose(finding.verdict.message)
            return text if width is None else fit(text, width, ellipsis)
        lines = f":{line_numbers(place.lines)}" if place.lines else ""
        symbol = f" {_name(place.symbol)}" if place.symbol else ""
        path = _name(place.path)
        full = f"{engine}{path}{lines}{symbol}"
        if width is None or cells(full) <= width:
            return full
        parts = path.split("/")
        for kept in range(len(parts) - 1, 0, -1):
            short = f"{engine}{ellipsis}/{'/'.join(parts[-kept:])}{lines}{symbol}"
            if cells(short) <= width:
                return short
        short = f"{engine}{ellipsis}/{parts[-1]}{lines}" if len(parts) > 1 else f"{engine}{path}{lines}"
        room = width - cells(short)
        if room > 4:
            return short + fit(symbol, room, ellipsis)
        return fit(short, width, ellipsis, keep_end=True)

    def block(self, finding: Finding) -> None:
        """Everything about one finding."""
        self._title(finding)
        self._places(finding)
        paper, verdict, everything = self.paper, finding.verdict, self.options.verbose
        if finding.words:
            words = _prose(" ".join(finding.words.split()))
            if not everything:
                words = fit(words, LONGEST_WORDS, paper.ellipsis)
            paper.prose(words, indent=4, first="the page: ", style="dim")
        message = _prose(verdict.message)
        if message:
            paper.prose(message, indent=4)
        if everything or not isinstance(verdict, Holds):
            for line in evidence_lines(self._evidence(finding), everything=everything):
                _evidence_line(paper, line)
        what = "twin: " if isinstance(verdict, Gone) else "candidate: "
        for candidate in candidates_of(verdict):
            paper.prose(place_with_symbol(candidate), indent=4, first=what)
        if everything:
            if not verdict.evidence:
                for text in finding.quoted:
                    _evidence_line(paper, TextLine(f"  | {in_log(visible_name(text))}", "same"))
            for link in (finding.permalink, finding.swhid):
                if link:
                    paper.raw("    " + paper.paint(in_log(visible_name(link)), "dim"))
        paper.raw()

    def _evidence(self, finding: Finding) -> tuple[Evidence, ...]:
        """Each piece once. Of claims that are no errors the message says enough, unless everything is asked for."""
        evidence = tuple(dict.fromkeys(finding.verdict.evidence))
        if self.options.verbose or finding.level is Level.ERROR:
            return evidence
        if finding.kind is FindingKind.CLAIM:
            return ()
        return tuple(piece for piece in evidence if not isinstance(piece, (SourceLines, Values)))

    def _title(self, finding: Finding) -> None:
        paper = self.paper
        name = verdict_name(finding.verdict)
        tags = [_name(finding.id)]
        if not isinstance(finding.verdict, Holds):
            tags.insert(0, finding.verdict.code.id)
        if finding.level is not Level.NONE:
            tags.append(finding.level.value)
        if finding.baseline:
            tags.append("recorded in the baseline")
        if not finding.counted:
            tags.append("a matter of judgement")
        mark = f"{self.signs[name]} {name}"
        rest = "  ".join(tags)
        head = f"{paper.paint(mark, LOOKS[name].sgr)}  {rest}"
        where = document_position(finding)
        if where == _name(finding.id):
            where = None
        if where and (paper.width is None or cells(mark) + cells(rest) + cells(where) + 4 <= paper.width):
            paper.raw(f"{head}  {paper.paint(where, 'bold')}")
            return
        if paper.width is None or cells(mark) + cells(rest) + 2 <= paper.width:
            paper.raw(head)
        else:
            paper.raw(paper.paint(mark, LOOKS[name].sgr))
            paper.prose(rest, indent=4)
        if where:
            paper.prose(where, indent=4, style="bold")

    def _places(self, finding: Finding) -> None:
        cited, found = finding.cited, place_of(finding.verdict)
        place = found or cited
        text = symbol = ""
        if cited is not None and found is not None and (cited.path, cited.lines) != (found.path, found.lines):
            same_file = cited.path == found.path and found.lines is not None
            target = line_numbers(found.lines) if same_file and found.lines else path_and_lines(found)
            text = f"{path_and_lines(cited)} → {target}"
        elif place is not None:
            text = path_and_lines(place)
        if place is not None and (known := place.symbol or (cited.symbol if cited else None)):
            symbol = f"in {_name(known)}"
        shown = " ".join(part for part in (self._engine(finding), text, symbol) if part)
        if shown:
            self.paper.prose(shown, indent=4)


def _evidence_line(paper: Paper, line: TextLine) -> None:
    if line.style in ("old", "new", "same"):
        paper.code(line.text, indent=4, style=line.style)
    else:
        paper.prose(line.text, indent=4, style=line.style)


def _reasons(paper: Paper, report: Report, options: RenderOptions) -> None:
    """What was not judged: by code, under it the reasons, under them the findings."""
    groups = reason_groups(report)
    if not groups:
        return
    paper.raw(paper.paint(f"Not judged: {sum(len(group.ids) for group in groups)}", "bold"))
    by_head: dict[str, list[ReasonGroup]] = {}
    for group in groups:
        head = "" if group.code is None else f"{group.code} {group.title or ''}".rstrip()
        by_head.setdefault(head, []).append(group)
    for head, of_code in sorted(by_head.items(), key=lambda item: -sum(len(g.ids) for g in item[1])):
        count = sum(len(group.ids) for group in of_code)
        paper.prose(head or "not among the findings", indent=2, first=f"{count:>3}  ")
        alone = max((cells(_name(g.ids[0])) for g in of_code if len(g.ids) == 1), default=0)
        for group in of_code:
            if len(group.ids) == 1:
                paper.prose(_prose(group.reason), indent=7, first=f"{pad(_name(group.ids[0]), min(alone, 12))}  ")
                continue
            paper.prose(_prose(group.reason), indent=7)
            ids = sorted((_name(i) for i in group.ids), key=_natural)
            if len(ids) > SHOWN_IDS and not options.verbose:
                ids = [*ids[:SHOWN_IDS], f"and {len(ids) - SHOWN_IDS} more"]
            paper.prose(", ".join(ids), indent=9, style="dim")
    paper.raw()


def _natural(text: str) -> list[tuple[int, str]]:
    """Sorts C9 before C10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split(r"(\d{1,9})", text) if part]


def _foot(paper: Paper, report: Report, *, hint: bool) -> None:
    for note in report.notes:
        paper.prose(_prose(note), first="note: ")
    if report.absent_words:
        paper.prose(f"{report.absent_words} claims of the edition are not in the words of these documents.")
    if hint:
        worst = report.worst()
        example = next((f.verdict.code.id for f in report.problems() if f.level is worst), "RC301")
        paper.prose(f"`refcheck explain {example}` says what a code means; --verbose shows all evidence.", style="dim")
    totals = report.totals()
    paper.prose(", ".join(f"{name} {count}" for name, count in totals.items() if count) or "nothing was checked")
    judged = [f for f in report.findings if not f.baseline]
    errors = sum(f.level is Level.ERROR for f in judged)
    warnings = [f for f in judged if f.level is Level.WARNING]
    undecided = sum(isinstance(f.verdict, Undecided) for f in warnings)
    recorded = len(report.findings) - len(judged)
    parts = [counted(len(report.findings), "finding"), counted(errors, "error"), counted(len(warnings), "warning")]
    if undecided:
        parts[-1] += f" ({undecided} of them not judged)"
    if recorded:
        parts.append(f"{recorded} recorded in the baseline")
    verdict = f"{', '.join(parts)}; exit {report.exit_code}"
    paper.prose(verdict, style="1;32" if report.exit_code == 0 else "1;31")


FORMAT = ReportFormat("terminal", (), render)
