"""Writing tables, JSON and pictures from the commands of the reference to where they belong."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from refcheck.errors import UsageError
from refcheck.model.table import Plot, Table


def show(tables: Sequence[Table]) -> None:
    """Prints the tables: in colour to a terminal unless NO_COLOR is set, plain into a pipe."""
    from refcheck.render.table import table_text

    terminal = sys.stdout.isatty()
    width = shutil.get_terminal_size().columns if terminal else int(os.environ.get("COLUMNS") or 80)
    color = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    texts = [table_text(table, width=width, color=color, encoding=encoding) for table in tables]
    click.echo("\n".join(texts), nl=False, color=color)


def show_json(document: Mapping[str, Any]) -> None:
    """Prints one JSON document."""
    click.echo(json.dumps(document, indent=2, ensure_ascii=False))


def write_plot(path: Path, plots: Sequence[Plot]) -> None:
    """Writes the plots as SVG. Raises UsageError where the file cannot be written or is named otherwise."""
    from refcheck.render.plot import svg

    if path.suffix.lower() != ".svg":
        raise UsageError(f"--plot {path}: plots are SVG; name the file with .svg")
    try:
        path.write_text(svg(plots), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"--plot {path}: cannot be written: {error.strerror or error}") from error
    click.echo(f"wrote {path}", err=True)
