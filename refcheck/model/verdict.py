"""Verdicts: what a check found. A closed union of frozen classes, to be matched exhaustively."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TypeAlias

from . import codes
from .codes import Code
from .evidence import Evidence
from .place import Place


class Level(Enum):
    """How much a finding counts for the exit code."""

    NONE = "none"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class Holds:
    """As stated. `found` is where, for a quote or a location."""

    message: str
    found: Place | None = None
    evidence: tuple[Evidence, ...] = ()
    code: Code = field(default=codes.HOLDS)


@dataclass(frozen=True, slots=True)
class Imprecise:
    """True only under a generous reading; `message` gives the reason."""

    message: str
    code: Code
    found: Place | None = None
    evidence: tuple[Evidence, ...] = ()


@dataclass(frozen=True, slots=True)
class Moved:
    """The code is intact at `found` and not where it is cited."""

    message: str
    found: Place
    evidence: tuple[Evidence, ...] = ()
    code: Code = field(default=codes.MOVED)


@dataclass(frozen=True, slots=True)
class Changed:
    """The place exists, the text differs."""

    message: str
    found: Place | None = None
    evidence: tuple[Evidence, ...] = ()
    code: Code = field(default=codes.CHANGED)


@dataclass(frozen=True, slots=True)
class Gone:
    """Nothing corresponds. `twins` are equal texts that stood elsewhere before and are not a move."""

    message: str
    evidence: tuple[Evidence, ...] = ()
    twins: tuple[Place, ...] = ()
    code: Code = field(default=codes.GONE)


@dataclass(frozen=True, slots=True)
class Contradicted:
    """The statement is false; the evidence holds the expected and the found."""

    message: str
    evidence: tuple[Evidence, ...]
    found: Place | None = None
    code: Code = field(default=codes.CONTRADICTED)


@dataclass(frozen=True, slots=True)
class Undecided:
    """Ambiguous, unreachable, not resolvable or not checkable; `message` says which and why."""

    message: str
    code: Code
    candidates: tuple[Place, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    found: Place | None = None


Verdict: TypeAlias = Holds | Imprecise | Moved | Changed | Gone | Contradicted | Undecided

VERDICT_NAMES: dict[type[Verdict], str] = {
    Holds: "holds",
    Imprecise: "imprecise",
    Moved: "moved",
    Changed: "changed",
    Gone: "gone",
    Contradicted: "contradicted",
    Undecided: "undecided",
}
"""The machine names, in the order in which summaries list them."""


CODES_OF: dict[type[Verdict], tuple[Code, ...]] = {
    Holds: (codes.HOLDS, codes.EXISTS),
    Imprecise: (
        codes.RANGE_WIDER,
        codes.QUOTE_UNMARKED,
        codes.RANGE_PARTIAL,
        codes.RANGE_OFF,
        codes.QUOTE_ELIDED,
        codes.WRONG_AT_BIRTH,
        codes.PARAPHRASE,
        codes.UNPINNED,
        codes.LABEL_DIFFERS,
        codes.IMPRECISE_CLAIM,
        codes.IMPRECISE_NUMBER,
    ),
    Moved: (codes.MOVED,),
    Changed: (codes.CHANGED,),
    Gone: (codes.GONE, codes.COPY_ELSEWHERE, codes.IMPOSSIBLE_RANGE),
    Contradicted: (codes.CONTRADICTED,),
    Undecided: (
        codes.REVISION_UNKNOWN,
        *(code for code in codes.CODES.values() if code.id.startswith("RC4")),
        codes.UNREAD_DOCUMENT,
    ),
}
"""The codes that a verdict usually comes with."""


def verdict_name(verdict: Verdict) -> str:
    return VERDICT_NAMES[type(verdict)]


def level_of(verdict: Verdict) -> Level:
    """The level of DESIGN's table: an author's slip is a warning, a false page is an error."""
    match verdict:
        case Holds():
            return Level.NONE
        case Imprecise() | Undecided():
            return Level.WARNING
        case Moved() | Changed() | Gone() | Contradicted():
            return Level.ERROR


def place_of(verdict: Verdict) -> Place | None:
    """Where the cited code was found, if it was."""
    match verdict:
        case Gone():
            return None
        case _:
            return verdict.found


def candidates_of(verdict: Verdict) -> tuple[Place, ...]:
    match verdict:
        case Undecided():
            return verdict.candidates
        case Gone():
            return verdict.twins
        case _:
            return ()
