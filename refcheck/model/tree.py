"""The read-only files of an engine at a revision, and what is known of where they came from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Protocol, runtime_checkable

from .source_text import SourceText


class SourceKind(Enum):
    """How the files of a tree were obtained."""

    COMMIT = "commit"
    """A commit of a git repository: every file of it can be asked for."""
    RELEASE = "release"
    """An archive of the package index: it carries only what was packaged."""
    FOLDER = "folder"
    """A plain folder, taken as the pin on the user's word."""


@dataclass(frozen=True, slots=True)
class SourceRead:
    """What was really read for one engine.

    `pin` is what the run asked for (a full commit, or `release:VERSION`); `read` what the verdicts rest on
    (a full commit, `release:VERSION` or `folder:NAME`). `exact` says that the two are the same, so that line
    numbers are judged. `why` is one sentence for people. `origin` is the engine's public repository.
    """

    engine: str
    pin: str
    read: str
    kind: SourceKind
    exact: bool
    why: str
    origin: str | None = None
    archive: str | None = None
    digest: str | None = None
    received_bytes: int | None = None
    notes: tuple[str, ...] = ()

    stands_for_tag: bool = False
    """A release that is read because the commit of its own tag, which a page names, could not be had."""

    @property
    def commit(self) -> str | None:
        """The full commit when the files are a commit's, else None (there is no permalink then)."""
        return self.read if self.kind is SourceKind.COMMIT else None


@runtime_checkable
class Tree(Protocol):
    """The files of one engine at one revision.

    Nothing is written. `paths` is complete without reading contents. Implementations may load contents in
    batches: callers name what they are about to read with `prefetch`, so that a partial clone asks once.
    """

    @property
    def source(self) -> SourceRead: ...

    def paths(self) -> Mapping[str, str]:
        """Every regular file's path -> git blob id (symlinks and submodules excluded)."""
        ...

    def has(self, path: str) -> bool: ...

    def carries(self, path: str) -> bool:
        """Whether the absence of `path` would mean that the engine does not have it.

        False for a release archive that does not package that part of the repository.
        """
        ...

    def read(self, path: str) -> SourceText:
        """Raises refcheck.errors.PathNotInTree; SourceError where the content cannot be had."""
        ...

    def read_bytes(self, path: str) -> bytes:
        """As `read`, without decoding."""
        ...

    def prefetch(self, paths: Iterable[str]) -> None:
        """Load these files' contents in one batch; paths that the tree lacks are ignored."""
        ...
