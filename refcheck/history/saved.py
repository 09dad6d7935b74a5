"""A history that was kept as JSON, read back for a report."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from ..errors import ConfigurationError, UsageError

SCHEMA = "refcheck-history/1"


def load_history(path: Path) -> Mapping[str, object]:
    """The value of `refcheck history --format json`. Raises UsageError or ConfigurationError naming the file."""
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise ConfigurationError(f"{path}: not JSON: {error}") from error
    if not isinstance(value, dict) or value.get("schema") != SCHEMA:
        raise ConfigurationError(f"{path}: not of schema {SCHEMA}; make it with `refcheck history --format json`")
    revisions, rows = value.get("revisions"), value.get("rows")
    problems: list[str] = []
    if not isinstance(revisions, list) or not revisions or not all(isinstance(rev, str) for rev in revisions):
        problems.append(f"{path}: `revisions` must be a list of revisions")
    if not isinstance(rows, list) or not all(_is_row(row) for row in rows):
        problems.append(f"{path}: `rows` must be a list of rows, each with an `id` and `cells`")
    if problems:
        raise ConfigurationError(problems)
    return value


def _is_row(row: object) -> bool:
    return isinstance(row, dict) and isinstance(row.get("id"), str) and isinstance(row.get("cells"), list)
