"""The report for a terminal or a pipe: readable at 80 columns, in any encoding, with or without colour."""

from __future__ import annotations

from refcheck.model.report import Finding, Report
from refcheck.model.tree import SourceRead
from refcheck.model.verdict import Gone, Holds, Level, candidates_of, place_of, verdict_name
from refcheck.render.evidence_text import TextLine, evidence_lines
from refcheck.render.looks import LOOKS, counted, signs
from refcheck.render.not_judged import reason_groups, shown_apart
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


def render(report: Report, options: RenderOptions) -> str:
    paper = Paper(options.width, options.color, options.encoding)
    page = _Page(paper, options, signs(options.encoding), engine_labels(report))
    if not options.quiet:
        _head(paper, report)
        page.holding([f for f in report.findings if isinstance(f.verdict, Holds)])
    for finding in report.problems():
        if options.verbose or shown_apart(finding):
            page.block(finding)
    _reasons(paper, report)
    _foot(paper, report)
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
        id_width = max(cells(_name(f.id)) for f in findings)
        if paper.width is not None:
            id_width = min(id_width, LONGEST_ID)
        mark = paper.paint(f"{self.signs['holds']} holds", LOOKS["holds"].sgr)
        for finding in findings:
            shown_id = pad(fit(_name(finding.id), id_width, paper.ellipsis), id_width)
            rest = None if paper.width is None else paper.width - id_width - 11
            paper.raw(f"{mark}  {shown_id}  {self._where(finding, rest)}")
        paper.raw()

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
        message = _prose(verdict.message)
        if message:
            paper.prose(message, indent=4)
        if everything and finding.words:
            paper.prose(_prose(finding.words), indent=4, first="the page: ", style="dim")
        if everything or not isinstance(verdict, Holds):
            for line in evidence_lines(verdict.evidence, everything=everything):
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


def _reasons(paper: Paper, report: Report) -> None:
    groups = reason_groups(report)
    if not groups:
        return
    count = sum(len(group.ids) for group in groups)
    paper.raw(paper.paint(f"Not judged: {count}", "bold"))
    for group in groups:
        title = f"{group.head}: " if group.head else ""
        paper.prose(f"{title}{_prose(group.why)}", indent=2, first=f"{len(group.ids):>3}  ")
        ids = [_name(i) for i in group.ids]
        if len(ids) > 12:
            ids = [*ids[:12], f"and {len(ids) - 12} more"]
        paper.prose(", ".join(ids), indent=7, style="dim")
    paper.raw()


def _foot(paper: Paper, report: Report) -> None:
    for note in report.notes:
        paper.prose(_prose(note), first="note: ")
    if report.absent_words:
        paper.prose(f"{report.absent_words} claims of the edition are not in the words of these documents.")
    totals = report.totals()
    paper.prose(", ".join(f"{name} {count}" for name, count in totals.items()))
    judged = [f for f in report.findings if not f.baseline]
    errors = sum(f.level is Level.ERROR for f in judged)
    warnings = sum(f.level is Level.WARNING for f in judged)
    recorded = len(report.findings) - len(judged)
    parts = [counted(len(report.findings), "finding"), counted(errors, "error"), counted(warnings, "warning")]
    if recorded:
        parts.append(f"{recorded} recorded in the baseline")
    verdict = f"{', '.join(parts)}; exit {report.exit_code}"
    paper.prose(verdict, style="1;32" if report.exit_code == 0 else "1;31")


FORMAT = ReportFormat("terminal", (), render)
