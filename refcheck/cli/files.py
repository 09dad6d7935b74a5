"""Writing a result file whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import UsageError

_OF_THE_SYSTEM = ("/dev/", "/proc/")


def write_whole(path: Path, text: str) -> None:
    """UTF-8 with LF line ends, put in place by a rename; a symbolic link stays one. A device or a pipe
    (`/dev/stdout`) is written to as it is: it cannot be replaced, and must not be.

    Raises UsageError naming the file and the reason.
    """
    data = text.encode("utf-8")
    try:
        if _is_no_file(path):
            path.write_bytes(data)
        else:
            _replace(Path(os.path.realpath(path)), data)
    except OSError as error:
        raise UsageError(f"{path}: cannot be written: {error.strerror or error}") from error


def _is_no_file(path: Path) -> bool:
    return path.exists() and (not path.is_file() or str(path.absolute()).startswith(_OF_THE_SYSTEM))


def _replace(path: Path, data: bytes) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        temporary.write_bytes(data)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
