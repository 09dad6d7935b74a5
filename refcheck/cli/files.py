"""Writing a result file whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import UsageError


def write_whole(path: Path, text: str) -> None:
    """UTF-8 with LF line ends, put in place by a rename. Raises UsageError naming the file and the reason."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            temporary.write_text(text, encoding="utf-8", newline="\n")
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from error
