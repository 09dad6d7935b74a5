"""Options and writing of reports: standard output in one format, files in any number of them."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..errors import UsageError
from ..model.report import Report
from .files import write_whole

if TYPE_CHECKING:
    from ..config.edition import Edition
    from ..model.document import Document
    from ..render.options import Plot, RenderOptions

_F = TypeVar("_F", bound=Callable[..., Any])


def report_options(function: _F) -> _F:
    """`--format`, `--report` and how much is shown."""
    for option in reversed(
        (
            click.option(
                "--format",
                "format_name",
                default="terminal",
                show_default=True,
                metavar="FORMAT",
                help="What goes to standard output: terminal, json, line, markdown, html, sarif, junit, github.",
            ),
            click.option(
                "--report",
                "reports",
                multiple=True,
                metavar="KIND=FILE",
                help="Write a report to a file as well; any number of times.",
            ),
            click.option("--quiet", "-q", is_flag=True, help="Leave out what holds and what was read."),
            click.option("--verbose", "-v", is_flag=True, help="Show all evidence."),
            click.option(
                "--color",
                type=click.Choice(["auto", "always", "never"]),
                default="auto",
                show_default=True,
                help="Colour on standard output (NO_COLOR is honoured).",
            ),
            click.option("--without-code", is_flag=True, help="Leave the engines' code out of every report."),
            click.option(
                "--reproducible",
                is_flag=True,
                help="Leave out what differs from run to run, for reports that are committed.",
            ),
        )
    ):
        function = option(function)
    return function


def render_options(
    *, quiet: bool, verbose: bool, color: str, without_code: bool, reproducible: bool, edition_file: str | None
) -> RenderOptions:
    """For standard output: width and colour only where it is a terminal."""
    from ..render.options import RenderOptions

    terminal = sys.stdout.isatty()
    colored = color == "always" or (
        color == "auto" and terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
    return RenderOptions(
        without_code=without_code,
        reproducible=reproducible,
        quiet=quiet,
        verbose=verbose,
        width=_terminal_width() if terminal else None,
        color=colored,
        encoding=sys.stdout.encoding or "utf-8",
        edition_file=edition_file,
    )


def with_extras(
    options: RenderOptions,
    report: Report,
    documents: Sequence[Document],
    edition: Edition | None,
    formats: Collection[str],
) -> RenderOptions:
    """The options with what single formats show besides: new line numbers in SARIF, plots of the cost model in HTML."""
    from dataclasses import replace

    if "sarif" in formats and documents:
        from .fixes import fixes_of

        options = replace(options, fixes=fixes_of(report, documents))
    if "html" in formats and edition is not None and any(_of_cost_model(claim.check) for claim in edition.claims):
        options = replace(options, plots=_cost_plots())
    return options


def _of_cost_model(check: Mapping[str, Any]) -> bool:
    return check.get("kind") in ("number", "relation", "formula", "growth")


def _cost_plots() -> tuple[Plot, ...]:
    """Of the model, prompt and steps that `refcheck cost` takes without options."""
    from ..reference.cost import setting
    from ..reference.plots import flop_plot, roofline
    from ..render.options import Plot
    from ..render.plot import svg

    chosen = [setting()]
    drawn = (roofline(chosen), flop_plot(chosen))
    return tuple(Plot(plot.title, svg([plot]), plot.description) for plot in drawn)


def _terminal_width() -> int:
    import shutil

    return shutil.get_terminal_size((80, 24)).columns


def parse_reports(reports: Sequence[str]) -> list[tuple[str, Path]]:
    """`KIND=FILE` pairs, kinds checked before any work is done. Raises UsageError."""
    from ..render.render import format_names

    known = format_names()
    pairs: list[tuple[str, Path]] = []
    for entry in reports:
        kind, equals, name = entry.partition("=")
        if not equals or not name:
            raise UsageError(f"--report {entry!r}: want KIND=FILE, for instance --report html=report.html")
        if kind not in known:
            raise UsageError(f"--report {entry!r}: no format {kind!r} (known: {', '.join(known)})")
        pairs.append((kind, Path(name)))
    return pairs


def write_reports(report: Report, pairs: Sequence[tuple[str, Path]], options: RenderOptions) -> None:
    """Writes each file whole or not at all. Raises UsageError for a place that cannot be written."""
    from dataclasses import replace

    from ..render.render import render

    for kind, path in pairs:
        text = render(report, kind, replace(options, width=None, color=False, encoding="utf-8", quiet=False))
        write_whole(path, text)
