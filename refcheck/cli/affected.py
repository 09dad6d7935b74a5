"""`refcheck affected`: the paragraphs to read again because the code that they cite changed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import SourceError, UsageError
from .documents import given_or_configured, read_given
from .setup import (
    SourceOptions,
    Terminal,
    announce,
    choose_edition,
    commit_paths,
    edition_options,
    format_option,
    local_sources,
    place_options,
    project,
    write_output,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ..config.edition import Edition
    from ..config.engines import Engine
    from ..engine.trees import PinChoice, Trees
    from ..model.document import Document
    from ..model.tree import Tree


@click.command(
    "affected",
    help="""List the paragraphs of documents to read again: those whose cited code changed between two revisions.

Each citation and quote is located at --from first; what is wrong there already is said before anything else. What
moved intact is not listed. Citations that name a revision of their own are located there.

\b
Examples:
  refcheck affected docs/ --engine vllm --from v0.27.1 --to main
  refcheck affected page.md --engine vllm --from release:0.28.0 --to v0.33.0

\b
Exit codes: 0 nothing to read again; 1 something is; 2 usage, or no citation
of the engine; 3 unreachable.""",
)
@click.argument("documents", nargs=-1, metavar="[DOC]...")
@click.option("--engine", required=True, metavar="ENGINE", help="The engine whose code is followed.")
@click.option("--from", "older", required=True, metavar="REV", help="The revision that the documents were read at.")
@click.option("--to", "newer", required=True, metavar="REV", help="The revision to compare with.")
@edition_options
@place_options("Read the engine's files from a clone or mirror.")
@format_option
@click.option("--without-code", is_flag=True, help="Leave the engine's code out of the answer.")
@click.option("--allow-empty", is_flag=True, help="Succeed where no citation of the engine is there to follow.")
def command(
    documents: tuple[str, ...],
    engine: str,
    older: str,
    newer: str,
    sha: str | None,
    edition: str | None,
    sources: tuple[str, ...],
    offline: bool,
    format_name: str,
    without_code: bool,
    allow_empty: bool,
) -> int:
    """Returns the exit code."""
    from ..history.affected import AffectedRequest, find_affected
    from ..render.affected import affected_json, affected_text

    engines = project().engines
    if engine not in engines:
        raise UsageError(f"--engine {engine!r}: unknown engine (known: {', '.join(engines)})")
    source = local_sources(sources).get(engine)
    chosen = choose_edition(SourceOptions(sha, edition))
    read = read_given(given_or_configured(documents), tell=True)
    make = _Trees(engines[engine], chosen, source, offline)
    before, after = make.at(older), make.at(newer)
    between = commit_paths(sources, offline=offline)
    try:
        for trees in (before, after):
            trees.open_pins()
        before = make.for_pages(before, older, read)
        foreign = tuple(root for name, one in engines.items() if name != engine for root in one.source_roots)
        affected = find_affected(AffectedRequest(engine, read, before, after, chosen, foreign, announce, between))
        for note in between.notes:
            announce(note)
    finally:
        between.close()
        before.close()
        after.close()
    if format_name == "json":
        write_output(affected_json(affected, without_code=without_code))
    else:
        layout = Terminal.of_output()
        write_output(
            affected_text(
                affected,
                width=layout.width,
                color=layout.color,
                encoding=layout.encoding,
                without_code=without_code,
            )
        )
    if not affected.checked and not allow_empty:
        sys.stdout.flush()
        announce(f"no citation of {engine} was found in the documents (--allow-empty accepts it)")
        return 2
    return affected.exit_code


class _Trees:
    """Opens the engine at the revisions of the run."""

    def __init__(self, engine: Engine, edition: Edition | None, source: Path | None, offline: bool) -> None:
        self.engine = engine
        self.edition = edition
        self.source = source
        self.offline = offline

    def at(self, rev: str, *, explicit: bool = False) -> Trees:
        """Not yet opened. With `explicit`, the page's own revision does not count."""
        from ..engine.trees import PinChoice, Trees

        pin = self.edition.pin(self.engine.name) if self.edition else None
        nearest = pin.nearest_release if pin is not None and len(rev) >= 7 and pin.commit.startswith(rev) else None
        choice = PinChoice(self.engine, rev, nearest, explicit=explicit)
        return Trees({self.engine.name: choice}, self._open)

    def _open(self, choices: Sequence[PinChoice]) -> Mapping[str, Tree]:
        from ..sources.open import Options, Wanted, open_all

        pins = tuple(pin.commit for pin in self.edition.pins) if self.edition else ()
        wanted = [
            Wanted(self.engine, one.rev, one.nearest_release, self.source, pins=pins, written=one.written)
            for one in choices
        ]
        return open_all(wanted, Options(offline=self.offline, announce=announce))

    def for_pages(self, trees: Trees, rev: str, documents: tuple[Document, ...]) -> Trees:
        """The same trees, or, where a page's own revision cannot be read, such that pages are read at `rev`."""
        for document in documents:
            for engine, own in document.revisions:
                if engine != self.engine.name:
                    continue
                try:
                    trees.at(engine, own)
                except SourceError:
                    announce(f"{document.name} is for {own[:12]}, which cannot be read: it is located at {rev[:20]}")
                    trees.close()
                    again = self.at(rev, explicit=True)
                    again.open_pins()
                    return again
        return trees
