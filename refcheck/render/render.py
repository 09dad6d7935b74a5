"""From a report to text in a named format."""

from __future__ import annotations

from dataclasses import replace

from refcheck import registry
from refcheck.model.fingerprint import fingerprints
from refcheck.model.report import Report

from .options import RenderOptions, ReportFormat
from .order import in_order

FORMATS = "refcheck.render.formats"


def format_names() -> tuple[str, ...]:
    """The known formats; none is imported."""
    return registry.names(FORMATS)


def load_format(name: str) -> ReportFormat:
    """Raises refcheck.errors.UsageError, with the known names, for an unknown format."""
    found = registry.load(FORMATS, name, "FORMAT")
    assert isinstance(found, ReportFormat)
    return found


def render(report: Report, format_name: str, options: RenderOptions | None = None) -> str:
    """The report as text, the same bytes for the same report and options.

    Findings are put in one order for every format, and engine code is taken out here if the options ask for it, so
    that no format can forget it. Raises refcheck.errors.UsageError for an unknown format.
    """
    options = options or RenderOptions()
    fmt = load_format(format_name)
    ordered = replace(report, findings=in_order(report.findings))
    if fmt.needs_fingerprints:
        options = replace(options, fingerprints=fingerprints(ordered.findings))
    if options.reproducible:
        from .reproducible import settle

        ordered = settle(ordered)
    if options.without_code:
        from .without_code import strip_code

        ordered = strip_code(ordered)
    return fmt.render(ordered, options)
