"""Where refcheck keeps what it found, so that a run can start without it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

KEPT = "kept-1"


def kept_folder(environment: Mapping[str, str]) -> Path:
    """Where refcheck keeps what it found, with these variables."""
    found = environment.get("REFCHECK_CACHE_DIR")
    if found:
        return Path(found) / KEPT
    import platformdirs

    return Path(platformdirs.user_cache_dir("refcheck", appauthor=False)) / KEPT
