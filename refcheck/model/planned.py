"""What rewriting plans for one citation or anchor, as reports show it."""

from __future__ import annotations

from dataclasses import dataclass

from .place import Place
from .tree import SourceRead
from .verdict import Verdict


@dataclass(frozen=True, slots=True)
class Planned:
    """One row. `document` is None for an anchor of the edition; `left` says why nothing is written.

    `at_birth` says that the citation is wrong at its own revision and was not followed.
    """

    id: str
    document: str | None
    line: int | None
    column: int | None
    engine: str | None
    old: Place | None
    new: Place | None
    verdict: Verdict
    candidates: tuple[Place, ...] = ()
    rewritten: bool = False
    left: str = ""
    paragraph: str = ""
    at_birth: bool = False
    accepted: str | None = None


@dataclass(frozen=True, slots=True)
class PlannedHead:
    """What a page or section says of its revision, where numbers below it change.

    `now` is what it says from now on, None where it is left, and `why` says why. `behind` are the places
    (`PAGE:LINE:COLUMN`) that stay those of the older revision.
    """

    document: str
    line: int
    engine: str
    says: str
    now: str | None
    why: str = ""
    behind: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PlannedRun:
    """Every row, what was read, and which files were written."""

    rows: tuple[Planned, ...]
    older: tuple[SourceRead, ...]
    newer: tuple[SourceRead, ...]
    written: tuple[str, ...] = ()
    wrote: bool = False
    """Whether writing was asked for."""
    notes: tuple[str, ...] = ()
    heads: tuple[PlannedHead, ...] = ()
