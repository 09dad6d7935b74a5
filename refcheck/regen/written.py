"""Which documents were rewritten to which revisions: a second run of the same command must move nothing again.

A number without a revision of its own does not say where it stands. After writing, the new content's digest is
recorded with the revisions that it was written for; a document that still has this content is left alone.

    CACHE/regen-1/SHA256      {"ENGINE": "REVISION", …}

The record is a help, not the truth: without it (another machine, a cleared cache, an edited page) the page is read at
the revision that the user names.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path

FOLDER = "regen-1"
MOST = 4096


class WrittenBefore:
    """The records of one cache folder. Nothing here raises for a folder that cannot be read or written."""

    def __init__(self, cache: Path) -> None:
        self._folder = cache / FOLDER

    def revisions(self, digest: str) -> Mapping[str, str]:
        """Engine -> the revision that a document of this digest was written for; empty if none was."""
        try:
            value = json.loads((self._folder / digest).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
            return {}
        return value

    def record(self, contents: Iterable[bytes], revisions: Mapping[str, str]) -> None:
        """Remembers documents' new bytes; the oldest records go where there are too many."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for data in contents:
                path = self._folder / hashlib.sha256(data).hexdigest()
                temporary = path.with_suffix(f".{os.getpid()}.tmp")
                temporary.write_text(json.dumps(dict(revisions), sort_keys=True), encoding="utf-8")
                os.replace(temporary, path)
            kept = sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime)
            for path in kept[: max(0, len(kept) - MOST)]:
                path.unlink(missing_ok=True)
        except OSError:
            return
