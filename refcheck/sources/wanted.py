"""What a run asks of the sources."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from ..config.engines import Engine
from ..errors import SourceError

RELEASE = "release:"
UNKNOWN_PIN = "folder"
"""As a revision: whatever the user's `--source` holds (a folder's files, a clone's HEAD)."""
FULL_COMMIT = re.compile(r"[0-9a-f]{40}")


class UnknownRevision(SourceError):
    """What was given as a revision is none, or names nothing that is known here. A usage error of the user's."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class Wanted:
    """One engine of a run.

    `rev` is a full commit, `release:VERSION`, a tag, a branch, or an abbreviated commit, which may mean one of `pins`
    (full commits) beside what the store and mirrors know. `source` is a clone, mirror or folder that the user names
    instead of the engine's origin; `nearest_release` (a version) is what `auto` falls back to. `written` says that a
    page names `rev`: a version means its tag, and a tag that cannot be had the release of that very version.
    """

    engine: Engine
    rev: str
    nearest_release: str | None = None
    source: Path | None = None
    pins: tuple[str, ...] = ()
    written: bool = False


def _quiet(_: str) -> None:
    return


@dataclass(slots=True)
class Options:
    """How sources are opened.

    `exact` refuses the nearest release; `offline` uses the store and local sources only. `announce` is told of what
    takes time, in sentences; `progress` gets short lines that replace one another. `silence` is how many seconds a
    server may say nothing before it counts as unreachable. `cancel` ends what runs in other threads.
    """

    exact: bool = False
    offline: bool = False
    cache_dir: Path | None = None
    announce: Callable[[str], None] = _quiet
    progress: Callable[[str], None] = _quiet
    silence: float = 20
    cancel: threading.Event = field(default_factory=threading.Event)
