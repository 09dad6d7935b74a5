"""`refcheck locate`: where the quoted code of documents stands."""

from __future__ import annotations

from typing import Any

import click

from ..errors import UsageError
from .setup import (
    SourceOptions,
    announce,
    choose_edition,
    format_option,
    make_trees,
    source_options,
    without_revision,
    write_output,
)


@click.command(
    "locate",
    help="""Say where each quoted block of documents stands: engine, path, lines, symbol, permalink.

A text that stands in several places is shown with all of them; the path that a neighbouring paragraph names decides.
Without DOC, the documents of the project's settings.

\b
Examples:
  refcheck locate chapter.txt --sha a556f3f
  refcheck locate snippet.py --pin vllm=release:0.28.0
  pbpaste | refcheck locate - --pin sglang=main --format json""",
)
@click.argument("documents", nargs=-1, metavar="[DOC]...")
@source_options
@format_option
def command(documents: tuple[str, ...], format_name: str, **options: Any) -> int:
    """Exit code 0 when every block was found in one place, else 1; 2 where there is none."""
    from ..engine.locating import locate_quotes
    from ..render.located import located_json, located_text
    from .documents import given_or_configured, read_given

    chosen = SourceOptions(**options)
    edition = choose_edition(chosen)
    read = read_given(given_or_configured(documents), snippets=True, tell=True)
    trees = make_trees(chosen, edition, pages=read)
    if without_revision(read, trees):
        raise UsageError("locate needs an engine: --sha PREFIX, --edition NAME, or --pin ENGINE=REV")
    try:
        trees.open_pins()
        located = locate_quotes(read, trees, announce)
        sources = trees.sources
    finally:
        trees.close()
    write_output(located_json(located, sources) if format_name == "json" else located_text(located, sources))
    if not located:
        announce("no quoted block was found in the documents")
        return 2
    return 0 if all(one.found is not None for one in located) else 1
