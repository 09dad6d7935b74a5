"""Places as people read them."""

from __future__ import annotations

from collections import Counter

from refcheck.model.place import LineRange, Place
from refcheck.model.report import Finding, Report
from refcheck.model.tree import SourceRead
from refcheck.model.verdict import place_of

from .options import RenderOptions
from .untrusted import in_log, visible_name


def line_numbers(lines: LineRange) -> str:
    return str(lines.first) if lines.first == lines.last else f"{lines.first}-{lines.last}"


def path_and_lines(place: Place) -> str:
    """`path:558-567`, made visible."""
    path = in_log(visible_name(place.path))
    return path if place.lines is None else f"{path}:{line_numbers(place.lines)}"


def place_with_symbol(place: Place) -> str:
    symbol = f" in {in_log(visible_name(place.symbol))}" if place.symbol else ""
    return f"{path_and_lines(place)}{symbol}"


def shown_place(finding: Finding) -> Place | None:
    """Where the code is: as found, else as cited."""
    return place_of(finding.verdict) or finding.cited


def document_position(finding: Finding) -> str | None:
    """`chapter.html:120:5`, or None for what stands in no document."""
    if finding.document is None:
        return None
    name = in_log(visible_name(finding.document))
    if finding.line is None:
        return name
    return f"{name}:{finding.line}" if finding.column is None else f"{name}:{finding.line}:{finding.column}"


def engine_labels(report: Report) -> dict[int | None, str]:
    """What stands for the engine of each source: its name, and what was read where several trees of it were."""
    count = Counter(source.engine for source in report.sources)
    return {
        index: in_log(visible_name(source.engine))
        + (f"@{in_log(visible_name(_short(source.read)))}" if count[source.engine] > 1 else "")
        for index, source in enumerate(report.sources)
    }


def _short(revision: str) -> str:
    return revision[:10] if len(revision) == 40 else revision


def file_of(report: Report, finding: Finding, options: RenderOptions) -> str:
    """The file that a finding is shown at: its document, else the edition's file, else the edition's name as one."""
    if finding.document is not None:
        return finding.document
    edition_file = options.edition_file
    if edition_file is not None and not edition_file.startswith(("/", "\\")) and ":" not in edition_file:
        return edition_file
    return f"{report.edition or 'refcheck'}.yaml"


def source_of(report: Report, finding: Finding) -> SourceRead | None:
    """The tree that the verdict was computed on."""
    if finding.source is None or not 0 <= finding.source < len(report.sources):
        return None
    return report.sources[finding.source]
