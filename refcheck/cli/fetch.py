"""`refcheck fetch`: fill the store, so that everything else works without a network."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .setup import SourceOptions, announce, choose_edition, pin_choices, source_options, split_pairs, write_output

if TYPE_CHECKING:
    from ..config.edition import Edition
    from ..config.engines import Engine
    from ..model.tree import SourceRead, Tree


@click.command(
    "fetch",
    help="""Fill the store with the engines' files, for work without a network.

By default all source folders of the engines are brought, so that quotes without a location can be found offline too;
with --cited-only just the files that the edition names, which is much less.

\b
Examples:
  refcheck fetch --sha a556f3f
  refcheck fetch --edition decode-loop --cited-only
  refcheck fetch --pin vllm=v0.28.0 --pin sglang=release:0.5.18""",
)
@source_options
@click.option("--cited-only", is_flag=True, help="Only the files that the edition's anchors and claims name.")
def command(
    sha: str | None,
    edition: str | None,
    pins: tuple[str, ...],
    sources: tuple[str, ...],
    exact: bool,
    offline: bool,
    cited_only: bool,
) -> int:
    """See the help; returns the exit code."""
    from ..config.editions import describe_editions, packaged_editions
    from ..config.engines import builtin_engines
    from ..errors import UsageError
    from ..sources.open import Options, Wanted, open_all

    options = SourceOptions(sha, edition, pins, sources, exact, offline)
    chosen = choose_edition(options)
    engines = builtin_engines()
    choices = pin_choices(options, chosen, engines)
    if not choices:
        raise UsageError(
            "`refcheck fetch` needs an edition (--edition NAME, --sha PREFIX) or a revision (--pin ENGINE=REV); "
            + describe_editions(packaged_editions())
        )
    if cited_only and chosen is None:
        raise UsageError("--cited-only needs an edition: --edition NAME or --sha PREFIX")
    local = {name: Path(path) for name, path in split_pairs(sources, "--source", engines).items()}
    wanted = [
        Wanted(choice.engine, choice.rev, choice.nearest_release, local.get(name)) for name, choice in choices.items()
    ]
    line = _Line()
    trees = open_all(wanted, Options(exact=exact, offline=offline, announce=line.announce, progress=line.show))
    try:
        for name, tree in trees.items():
            paths = set(_cited(chosen, name, tree)) if chosen else set()
            if not cited_only:
                paths.update(_in_source_folders(engines[name], tree))
            tree.prefetch(sorted(paths))
            line.clear()
            write_output(_summary(tree.source, len(paths)))
    finally:
        line.clear()
        for tree in trees.values():
            tree.close()
    return 0


def _cited(edition: Edition, engine: str, tree: Tree) -> Iterator[str]:
    """The files that an edition's anchors and checks name: every text of a check that is a path of the tree."""
    for anchor in edition.anchors:
        if anchor.engine == engine:
            yield anchor.place.path
    for claim in edition.claims:
        for text in _texts([claim.check, claim.generous]):
            if tree.has(text):
                yield text


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, Iterable):
        for item in value:
            yield from _texts(item)


def _in_source_folders(engine: Engine, tree: Tree) -> Iterator[str]:
    roots = engine.source_roots or ("",)
    return (path for path in tree.paths() if path.startswith(roots))


def _summary(source: SourceRead, files: int) -> str:
    lines = [f"{source.engine}: {source.read}", f"  pin: {source.pin}", f"  {source.why}"]
    if source.archive:
        lines.append(f"  archive: {source.archive} ({source.digest})")
    lines.append(f"  files: {files:,} at hand, {source.received_bytes or 0:,} bytes received")
    lines += [f"  note: {note}" for note in source.notes]
    return "\n".join(lines)


class _Line:
    """One line of progress on a terminal's standard error, replaced in place; nothing where it is not a terminal."""

    def __init__(self) -> None:
        self._shown = 0

    def show(self, text: str) -> None:
        if sys.stderr.isatty():
            text = text[:100]
            click.echo("\r" + text.ljust(self._shown), err=True, nl=False)
            self._shown = len(text)

    def clear(self) -> None:
        if self._shown:
            click.echo("\r" + " " * self._shown + "\r", err=True, nl=False)
            self._shown = 0

    def announce(self, message: str) -> None:
        self.clear()
        announce(message)
