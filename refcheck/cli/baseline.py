"""`refcheck baseline`: record today's findings, so that later runs fail on new ones only."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from ..errors import UsageError
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
)


@click.command(
    "baseline",
    help="""Record today's findings by what they are about, not by line number.

A later `refcheck verify --baseline FILE` shows them and fails only on others; it names those that are gone.

\b
Examples:
  refcheck baseline docs/ --pin vllm=release:0.28.0
  refcheck verify docs/ --pin vllm=release:0.28.0 \\
      --baseline refcheck-baseline.json""",
)
@click.argument("documents", nargs=-1, metavar="[DOC]...")
@source_options
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    default=Path("refcheck-baseline.json"),
    show_default=True,
    help="The file to write.",
)
def command(documents: tuple[str, ...], output: Path, **options: Any) -> int:
    """Exit code 0; the number of recorded findings goes to standard error."""
    from ..engine.baseline import baseline_text
    from ..engine.request import VerifyRequest
    from ..engine.verify import verify
    from .documents import configured_documents, read_given

    chosen = SourceOptions(**options)
    edition = choose_edition(chosen)
    if not documents and not chosen.sha and not chosen.edition:
        documents = configured_documents(project())
    read = read_given(documents, tell=True) if documents else ()
    if not read:
        edition = need_edition(edition, "baseline")
    elif edition is None and not chosen.pins:
        edition = edition_of_pages(read)
    trees = make_trees(chosen, edition, pages=read)
    if without_revision(read, trees):
        raise UsageError(NO_REVISION)
    try:
        trees.open_pins()
        report = verify(VerifyRequest(trees=trees, edition=edition, documents=read, announce=announce))
    finally:
        trees.close()
    text, count = baseline_text(report)
    from .files import write_whole

    write_whole(output, text)
    announce(f"{count} finding{'s' * (count != 1)} recorded in {output}")
    return 0
