"""Which documents were rewritten to which revisions: a second run of the same command must move nothing again.

A number without a revision of its own does not say where it stands. After writing, the new content's digest is
recorded with the revisions that it was written for, and which of its citations stayed behind; a document that still
has this content is not followed again.

    CACHE/regen-2/SHA256      {"revisions": {"ENGINE": "REVISION", …}, "left": [NUMBER, …]}

CACHE is the folder of the store (`REFCHECK_CACHE_DIR`, else the user's cache folder); numbers count the document's
citations from 0. The record is a help on one machine, not the truth: without it (another machine, a cleared cache, an
edited page) the page is read at the revision that the settings, the edition or the user name, which is why `regen`
raises those that it can write, and looks for evidence where it cannot (`ahead`).
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = "regen-2"
MOST = 4096


@dataclass(frozen=True, slots=True)
class Record:
    """Engine -> the revision that a document was written for, and the numbers of its citations that stayed behind."""

    revisions: Mapping[str, str] = field(default_factory=dict)
    left: frozenset[int] = frozenset()


class WrittenBefore:
    """The records of one cache folder. Nothing here raises for a folder that cannot be read or written."""

    def __init__(self, cache: Path) -> None:
        self._folder = cache / FOLDER

    def record_of(self, digest: str) -> Record:
        """What is known of a document of this digest; an empty record if nothing is."""
        try:
            value = json.loads((self._folder / digest).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return Record()
        if not isinstance(value, dict):
            return Record()
        revisions, left = value.get("revisions"), value.get("left")
        if not isinstance(revisions, dict) or not all(isinstance(item, str) for item in revisions.values()):
            return Record()
        if not isinstance(left, list) or not all(isinstance(item, int) for item in left):
            return Record()
        return Record(revisions, frozenset(left))

    def record(self, contents: Iterable[tuple[bytes, Iterable[int]]], revisions: Mapping[str, str]) -> None:
        """Remembers documents' new bytes, each with what stayed behind; the oldest records go if there are many."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            for data, left in contents:
                path = self._folder / hashlib.sha256(data).hexdigest()
                temporary = path.with_suffix(f".{os.getpid()}.tmp")
                value = {"revisions": dict(revisions), "left": sorted(left)}
                temporary.write_text(json.dumps(value, sort_keys=True), encoding="utf-8")
                os.replace(temporary, path)
            kept = sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime)
            for path in kept[: max(0, len(kept) - MOST)]:
                path.unlink(missing_ok=True)
        except OSError:
            return
