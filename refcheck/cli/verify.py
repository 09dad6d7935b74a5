"""`refcheck verify`: the main job."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from .documents import configured_documents, read_given
from .reports import parse_reports, render_options, report_options, with_extras, write_reports
from .setup import (
    NO_REVISION,
    SourceOptions,
    announce,
    choose_edition,
    edition_of_pages,
    make_trees,
    need_edition,
    project,
    source_options,
    without_revision,
    write_output,
)

if TYPE_CHECKING:
    from ..config.edition import Edition
    from ..model.document import Document


@click.command(
    "verify",
    help="""Check documents, or an edition's anchors and claims, against the engines.

Without DOC the edition is checked. With DOC (files, folders, or - for standard input) the documents' own citations
and quotes are, and the edition's claims that their words carry.

\b
Examples:
  refcheck verify --sha a556f3f
  refcheck verify chapter.html --sha a556f3f
  refcheck verify docs/ --pin vllm=release:0.28.0 --report html=report.html
  refcheck verify --sha a556f3f --source vllm=~/src/vllm --format json

\b
Exit codes:
  0    nothing at or above --fail-on
  1    findings
  2    usage or configuration, or nothing to check
  3    a pin has no readable source
  130  interrupted""",
)
@click.argument("documents", nargs=-1, metavar="[DOC]...")
@source_options
@click.option(
    "--against",
    multiple=True,
    metavar="ENGINE=REV",
    help="As --pin, also for pages that name another revision: what of them is still so there.",
)
@report_options
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "never"]),
    default=None,
    help="What exits 1: findings of this level or above.  [default: error]",
)
@click.option("--strict", is_flag=True, help="The same as --fail-on warning.")
@click.option("--allow-empty", is_flag=True, help="Succeed where nothing is there to check.")
@click.option("--only", multiple=True, metavar="ID", help="Only this anchor or claim; any number of times.")
@click.option("--with-transformers", is_flag=True, help="Also the claims that need the extra `transformers`.")
@click.option(
    "--baseline",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Fail only on findings that `refcheck baseline` did not record in this file.",
)
@click.option(
    "--history",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Put this result of `refcheck history --format json` into the reports (a heatmap in HTML).",
)
@click.option("--check-links", is_flag=True, help="Also the titles behind external links.")
def command(
    documents: tuple[str, ...],
    sha: str | None,
    edition: str | None,
    pins: tuple[str, ...],
    sources: tuple[str, ...],
    exact: bool,
    offline: bool,
    against: tuple[str, ...],
    format_name: str,
    reports: tuple[str, ...],
    quiet: bool,
    verbose: bool,
    color: str,
    without_code: bool,
    reproducible: bool,
    fail_on: str | None,
    strict: bool,
    allow_empty: bool,
    only: tuple[str, ...],
    with_transformers: bool,
    baseline: Path | None,
    history: Path | None,
    check_links: bool,
) -> int:
    """See the help."""
    from ..engine.baseline import load_baseline
    from ..engine.exit_code import NO_SOURCE, USAGE, nothing_checked
    from ..engine.kept import open_kept
    from ..engine.request import VerifyRequest
    from ..engine.verify import verify
    from ..history.saved import load_history
    from ..model.codes import REVISION_UNKNOWN
    from ..render.render import load_format, render

    if strict and fail_on not in (None, "warning"):
        raise click.UsageError("--strict says --fail-on warning; give one of the two")
    load_format(format_name)
    pairs = parse_reports(reports)
    options = SourceOptions(sha, edition, pins, sources, exact, offline, against)
    settings = project()
    chosen = choose_edition(options)
    if not documents and not sha and not edition:
        documents = configured_documents(settings)
    baseline = baseline or settings.baseline
    read: tuple[Document, ...] = ()
    if documents:
        read = read_given(documents)
    else:
        chosen = need_edition(chosen, "verify")
    if chosen is None and read and not pins and not against:
        chosen = edition_of_pages(read)
    if only:
        if chosen is None:
            raise click.UsageError("--only names anchors and claims of an edition: give --edition or --sha too")
        chosen = chosen.only(frozenset(only))
    kept = load_history(history) if history else None
    trees = make_trees(options, chosen, pages=read)
    if without_revision(read, trees):
        raise UsageError(NO_REVISION)
    try:
        trees.open_pins()
        if sys.stderr.isatty():
            announce(f"checking {_what(read, chosen)}")
        report = verify(
            VerifyRequest(
                trees=trees,
                edition=chosen,
                documents=read,
                fail_on="warning" if strict else fail_on or settings.fail_on or "error",
                severity=settings.severity,
                with_transformers=with_transformers,
                check_links=check_links,
                baseline=load_baseline(baseline) if baseline else None,
                kept=open_kept(),
                announce=announce,
            )
        )
    finally:
        trees.close()
    empty = nothing_checked(report) and not allow_empty
    unread = not trees.opened and not empty and any(one.verdict.code is REVISION_UNKNOWN for one in report.findings)
    code = USAGE if empty else NO_SOURCE if unread else report.exit_code
    report = replace(report, history=kept, exit_code=code)
    shown = render_options(
        quiet=quiet,
        verbose=verbose,
        color=color,
        without_code=without_code,
        reproducible=reproducible,
        edition_file=str(chosen.path) if chosen and chosen.path else None,
    )
    shown = with_extras(shown, report, read, chosen, {format_name, *(kind for kind, _ in pairs)})
    write_reports(report, pairs, shown)
    write_output(render(report, format_name, shown))
    if empty:
        announce("no citation, quote or claim was found; that is no success (--allow-empty accepts it)")
    if unread:
        announce("no revision that the documents name could be read: nothing was judged")
    return report.exit_code


def _what(documents: Sequence[Document], edition: Edition | None) -> str:
    """What a run is about to check: it may take some seconds."""
    if documents:
        return documents[0].name if len(documents) == 1 else f"{len(documents)} documents"
    assert edition is not None
    return f"{len(edition.anchors)} anchors and {len(edition.claims)} claims of edition {edition.name}"
