"""The files of an engine at one revision after the other, whatever they are read from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ..model.history import Revision
from ..model.tree import SourceRead


@dataclass(frozen=True, slots=True)
class Moment:
    """The files at one revision; good until the next one is asked for.

    `files` maps path -> blob id. `changed` are the paths that differ from the moment before (None for the first).
    `read` gives the bytes of a file that `files` has, `read_many`
    those of several together; `carries` is that of refcheck.model.tree.Tree.
    """

    revision: Revision
    source: SourceRead
    files: Mapping[str, str]
    changed: frozenset[str] | None
    read: Callable[[str], bytes]
    carries: Callable[[str], bool]
    read_many: Callable[[Sequence[str]], Iterator[bytes]]
    prefetch: Callable[[Iterable[str]], None]


class Timeline(Protocol):
    """Revisions of one engine, oldest first."""

    by: str
    place: str
    notes: tuple[str, ...]

    @property
    def revisions(self) -> tuple[Revision, ...]: ...

    def moments(self) -> Iterator[Moment]:
        """One moment for each revision, in order. Raises SourceError."""
        ...

    def versions_below(self, prefixes: tuple[str, ...]) -> int:
        """How many versions of files below the prefixes there are besides those of the first moment."""
        ...

    def prefetch_below(self, prefixes: tuple[str, ...]) -> None:
        """Brings all of those contents in one batch."""
        ...

    def close(self) -> None: ...
