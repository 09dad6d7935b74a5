"""What a report format is, and what it may be told."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from refcheck.model.report import Report


@dataclass(frozen=True, slots=True)
class Fix:
    """A replacement in a document, for formats that can carry one (SARIF).

    Lines and columns are 1-based; the end column is the one after the last character that is replaced.
    """

    document: str
    line: int
    column: int
    end_line: int
    end_column: int
    text: str
    why: str


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture for the HTML report. `alt` says in words what it shows."""

    title: str
    svg: str
    alt: str


@dataclass(frozen=True, slots=True)
class RenderOptions:
    """How a report is laid out; never what it says.

    `width` is in terminal cells (None: nothing is cut or wrapped, for pipes). `encoding` is what the text will be
    written in: signs that it lacks are replaced by ASCII ones. `max_bytes` bounds formats that have to fit
    somewhere (Markdown: 60,000 unless given). `fixes` are by finding id. `edition_file` is the path of the
    edition's file, where findings that stand in no document are shown; an absolute one (a packaged edition) is left
    out of reports, which say the same on every machine. `reproducible` leaves out what differs from run to run over the
    same trees (see `reproducible.settle`).
    """

    without_code: bool = False
    reproducible: bool = False
    quiet: bool = False
    verbose: bool = False
    width: int | None = None
    color: bool = False
    encoding: str = "utf-8"
    max_bytes: int | None = None
    edition_file: str | None = None
    fixes: Mapping[str, tuple[Fix, ...]] = field(default_factory=dict)
    plots: tuple[Plot, ...] = ()
    fingerprints: tuple[str, ...] = ()
    """Of the findings, in order, for formats that need them: filled in by `render.render`, from the report as it was
    before code was left out."""


@dataclass(frozen=True, slots=True)
class ReportFormat:
    """One report format. `suffixes` are the file name endings that stand for it."""

    name: str
    suffixes: tuple[str, ...]
    render: Callable[[Report, RenderOptions], str]
    needs_fingerprints: bool = False
