"""What the HTML report shows, computed before the template lays it out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from refcheck.model.codes import EXISTS
from refcheck.model.evidence import (
    Comparison,
    CounterExamples,
    Difference,
    DiffLine,
    Evidence,
    Note,
    SourceLines,
    Values,
)
from refcheck.model.place import Place
from refcheck.model.report import Finding, FindingKind, Report
from refcheck.model.tree import SourceRead
from refcheck.model.verdict import VERDICT_NAMES, Gone, Holds, Level, candidates_of, place_of, verdict_name

from .locations import browse_root, file_uri, web_link
from .looks import LOOKS
from .places import document_position, line_numbers, source_of
from .untrusted import visible_line, visible_name
from .word_difference import Row, side_by_side

OPEN_UP_TO = 25
"""Problems are unfolded at first sight if there are at most this many."""


@dataclass(frozen=True, slots=True)
class PlaceView:
    path: str
    lines: str
    symbol: str
    link: str | None = None

    @property
    def text(self) -> str:
        return f"{self.path}:{self.lines}" if self.lines else self.path


@dataclass(frozen=True, slots=True)
class CodeBlock:
    """Lines with numbers. `caption` says what they are."""

    place: PlaceView | None
    caption: str
    first: int
    lines: tuple[str, ...]
    kind: str = "code"

    @property
    def numbers(self) -> str:
        return "\n".join(map(str, range(self.first, self.first + len(self.lines))))

    @property
    def text(self) -> str:
        return "\n".join(line.replace("\n", "\\x0a") for line in self.lines)


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The page's lines beside the engine's."""

    place: PlaceView
    caption: str
    rows: tuple[Row, ...]
    kind: str = "sides"


@dataclass(frozen=True, slots=True)
class Pairs:
    """Names and values."""

    items: tuple[tuple[str, str], ...]
    kind: str = "pairs"


@dataclass(frozen=True, slots=True)
class Stated:
    """What was stated against what was found."""

    what: str
    expected: str
    found: str
    kind: str = "stated"


@dataclass(frozen=True, slots=True)
class Places:
    """Places with a word on each, and how many were left out."""

    items: tuple[tuple[PlaceView, str], ...]
    more: int
    kind: str = "places"


@dataclass(frozen=True, slots=True)
class Remark:
    where: str
    text: str
    kind: str = "remark"


Block: TypeAlias = CodeBlock | SideBySide | Pairs | Stated | Places | Remark


@dataclass(frozen=True, slots=True)
class FindingView:
    anchor: str
    id: str
    verdict: str
    sign: str
    code: str
    code_title: str
    remedy: str
    level: str
    kind: str
    document: int
    engine: int
    engine_name: str
    position: str
    place: PlaceView | None
    cited: PlaceView | None
    found: PlaceView | None
    candidates: tuple[PlaceView, ...]
    candidates_word: str
    message: str
    words: str
    blocks: tuple[Block, ...]
    read: str
    read_exact: bool
    permalink: str | None
    swhid: str | None
    swhid_link: str | None
    fingerprint: str
    baseline: bool
    counted: bool
    open: bool


@dataclass(frozen=True, slots=True)
class GroupView:
    """The findings of one document, or of the edition alone. `link` is relative to the folder of the run."""

    index: int
    name: str
    findings: tuple[FindingView, ...]
    counts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class EngineView:
    index: int
    name: str
    counts: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class SourceView:
    source: SourceRead
    browse: str | None
    origin: str | None


@dataclass(frozen=True, slots=True)
class HeatCell:
    verdict: str
    sign: str
    title: str


@dataclass(frozen=True, slots=True)
class HeatRow:
    id: str
    anchor: str | None
    cells: tuple[HeatCell | None, ...]
    broke_at: str


@dataclass(frozen=True, slots=True)
class HeatView:
    engine: str
    revisions: tuple[str, ...]
    rows: tuple[HeatRow, ...]


def place_view(place: Place | None, root: str | None = None) -> PlaceView | None:
    return None if place is None else _place(place, root)


def _place(place: Place, root: str | None = None) -> PlaceView:
    link = None
    if root is not None:
        fragment = ""
        if place.lines is not None:
            first, last = place.lines.first, place.lines.last
            fragment = f"#L{first}" if first == last else f"#L{first}-L{last}"
        link = web_link(f"{root}{file_uri(place.path.lstrip('/'))}{fragment}")
    return PlaceView(place.path, line_numbers(place.lines) if place.lines else "", place.symbol or "", link)


def anchors(findings: tuple[Finding, ...], fingerprints: tuple[str, ...]) -> tuple[str, ...]:
    """A name for each finding to be linked by, so that a shared link outlives a later run.

    From its id, or from its fingerprint where the id is only its position in the document.
    """
    taken: set[str] = set()
    out = []
    for finding, fingerprint in zip(findings, fingerprints, strict=True):
        own = finding.id if visible_name(finding.id) != document_position(finding) else fingerprint[:12]
        base = "f-" + (re.sub(r"[^A-Za-z0-9_.-]+", "-", own).strip("-")[:80] or "finding")
        name = base
        number = 2
        while name in taken:
            name = f"{base}-{number}"
            number += 1
        taken.add(name)
        out.append(name)
    return tuple(out)


def groups_of(report: Report, fingerprints: tuple[str, ...]) -> tuple[tuple[GroupView, ...], tuple[EngineView, ...]]:
    """Findings by document, in the report's order, and the engines that they are about."""
    names = anchors(report.findings, fingerprints)
    engine_names = list(dict.fromkeys(f.engine or "" for f in report.findings))
    engine_names.sort(key=lambda name: (name == "", name))
    engine_index = {name: index for index, name in enumerate(engine_names)}
    documents = list(dict.fromkeys(f.document for f in report.findings))
    document_index = {name: index for index, name in enumerate(documents)}
    unfold = len(report.problems()) <= OPEN_UP_TO
    views: dict[str | None, list[FindingView]] = {name: [] for name in documents}
    for finding, anchor, fingerprint in zip(report.findings, names, fingerprints, strict=True):
        views[finding.document].append(
            _finding(
                report,
                finding,
                anchor,
                fingerprint,
                document_index[finding.document],
                engine_index[finding.engine or ""],
                unfold,
            )
        )
    groups = tuple(
        GroupView(
            document_index[name],
            name if name is not None else (f"edition {report.edition}" if report.edition else "in no document"),
            tuple(found),
            _counts(found),
        )
        for name, found in views.items()
    )
    everything = [view for found in views.values() for view in found]
    engines = tuple(
        EngineView(engine_index[name], name, _counts([v for v in everything if v.engine == engine_index[name]]))
        for name in engine_names
    )
    return groups, engines


def _counts(views: list[FindingView]) -> tuple[tuple[str, int], ...]:
    counts = dict.fromkeys(VERDICT_NAMES.values(), 0)
    for view in views:
        counts[view.verdict] += 1
    return tuple(counts.items())


def _finding(
    report: Report, finding: Finding, anchor: str, fingerprint: str, document: int, engine: int, unfold: bool
) -> FindingView:
    verdict = finding.verdict
    name = verdict_name(verdict)
    source = source_of(report, finding)
    root = browse_root(source) if source is not None else None
    found = place_of(verdict)
    permalink = web_link(finding.permalink)
    return FindingView(
        anchor=anchor,
        id=finding.id,
        verdict=name,
        sign=LOOKS[name].sign,
        code=verdict.code.id,
        code_title=verdict.code.title,
        remedy=verdict.code.remedy,
        level=finding.level.value if finding.level is not Level.NONE else "",
        kind=finding.claim_kind + " claim"
        if finding.kind is FindingKind.CLAIM and finding.claim_kind
        else finding.kind.value,
        document=document,
        engine=engine,
        engine_name=finding.engine or "",
        position=document_position(finding) or "",
        place=place_view(found or finding.cited),
        cited=place_view(finding.cited),
        found=place_view(found, root),
        candidates=tuple(_place(place, root) for place in candidates_of(verdict)),
        candidates_word="Twins" if isinstance(verdict, Gone) else "Candidates",
        message=verdict.message,
        words=finding.words or "",
        blocks=tuple(_blocks(finding, root)),
        read=source.read if source else "",
        read_exact=source.exact if source else True,
        permalink=permalink,
        swhid=finding.swhid,
        swhid_link=web_link(f"https://archive.softwareheritage.org/{finding.swhid}") if finding.swhid else None,
        fingerprint=fingerprint,
        baseline=finding.baseline,
        counted=finding.counted,
        open=unfold and not isinstance(verdict, Holds) and finding.level is Level.ERROR and not finding.baseline,
    )


def _blocks(finding: Finding, root: str | None) -> list[Block]:
    """The quote beside what was found, then the other evidence in order."""
    evidence = list(finding.verdict.evidence)
    out: list[Block] = []
    if finding.quoted and not any(isinstance(piece, Difference) for piece in evidence):
        found = place_of(finding.verdict)
        source = next((e for e in evidence if isinstance(e, SourceLines) and e.text and _within(e.place, found)), None)
        if source is None:
            out.append(CodeBlock(None, "quoted in the document", 1, finding.quoted))
        else:
            evidence.remove(source)
            out.append(_beside(finding.quoted, source, root))
    out += [_block(piece, root) for piece in evidence]
    return out


def _within(place: Place, found: Place | None) -> bool:
    """Whether evidence of lines shows (a part of) the place that was found."""
    if found is None or place.path != found.path:
        return False
    return place.lines is None or found.lines is None or found.lines.overlaps(place.lines)


def _beside(quoted: tuple[str, ...], source: SourceLines, root: str | None) -> Block:
    """One block where the texts are the same (indentation as a block and trailing space aside), else both sides."""
    left, right = _dedented(quoted), _dedented(source.text)
    first = source.place.lines.first if source.place.lines else 1
    note = f" ({source.note})" if source.note else ""
    if left == right:
        caption = f"quoted and found, the same {len(right)} line{'' if len(right) == 1 else 's'}{note}"
        return CodeBlock(_place(source.place, root), caption, first, source.text)
    from difflib import SequenceMatcher

    lines: list[DiffLine] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            lines += [DiffLine(" ", right[j], first + j) for j in range(j1, j2)]
        else:
            lines += [DiffLine("-", left[i]) for i in range(i1, i2)]
            lines += [DiffLine("+", right[j], first + j) for j in range(j1, j2)]
    difference = Difference(source.place, tuple(lines))
    return SideBySide(_place(source.place, root), f"the page beside the engine{note}", side_by_side(difference))


def _dedented(lines: tuple[str, ...]) -> list[str]:
    expanded = [line.expandtabs(4).rstrip() for line in lines]
    margin = min((len(line) - len(line.lstrip()) for line in expanded if line), default=0)
    return [line[margin:] for line in expanded]


def _block(evidence: Evidence, root: str | None) -> Block:
    match evidence:
        case SourceLines(place, text, note):
            return CodeBlock(_place(place, root), note, place.lines.first if place.lines else 1, text)
        case Difference(place, _, similarity):
            alike = "" if similarity is None else f", {similarity:.0%} alike"
            return SideBySide(_place(place, root), f"the page beside the engine{alike}", side_by_side(evidence))
        case Comparison(what, expected, found):
            return Stated(what, expected, found)
        case Values(items):
            return Pairs(items)
        case CounterExamples(places, total):
            return Places(tuple((_place(place, root), text) for place, text in places), max(0, total - len(places)))
        case Note(text, lines):
            return Remark(f"lines {line_numbers(lines)}" if lines else "", text)


def sources_of(report: Report) -> tuple[SourceView, ...]:
    return tuple(SourceView(source, browse_root(source), web_link(source.origin)) for source in report.sources)


def heat_of(report: Report, fingerprints: tuple[str, ...]) -> HeatView | None:
    """The history as a grid. What has not the published shape (`refcheck-history/1`) is left out."""
    history = report.history
    if history is None:
        return None
    revisions = tuple(str(revision) for revision in _list(history.get("revisions")))
    by_id = dict(zip((f.id for f in report.findings), anchors(report.findings, fingerprints), strict=True))
    rows = []
    for row in _list(history.get("rows")):
        if not isinstance(row, Mapping):
            continue
        cells = {str(cell.get("rev")): cell for cell in _list(row.get("cells")) if isinstance(cell, Mapping)}
        name = str(row.get("id"))
        broke = row.get("broke_at")
        rows.append(
            HeatRow(
                name,
                by_id.get(name),
                tuple(_heat_cell(cells.get(revision), revision) for revision in revisions),
                "" if broke is None else str(broke),
            )
        )
    return HeatView(str(history.get("engine") or ""), revisions, tuple(rows)) if revisions and rows else None


def _heat_cell(cell: Mapping[str, object] | None, revision: str) -> HeatCell | None:
    verdict = str(cell.get("verdict")) if cell is not None else ""
    if cell is None or verdict not in LOOKS:
        return None
    where = ""
    if cell.get("path"):
        first, last = cell.get("first"), cell.get("last")
        lines = "" if first is None else f":{first}" if first == last else f":{first}-{last}"
        where = f", {visible_name(str(cell['path']))}{lines}"
    if verdict == "holds" and cell.get("code") == EXISTS.id:
        return HeatCell("undecided", "·", f"there at {visible_line(revision)}{where}; no text is recorded")
    return HeatCell(verdict, LOOKS[verdict].sign, f"{verdict} at {visible_line(revision)}{where}")


def _list(value: object) -> list[object]:
    return list(value) if isinstance(value, (list, tuple)) else []
