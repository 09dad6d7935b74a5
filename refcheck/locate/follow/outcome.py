"""What following a cited range can come to: a closed union of frozen classes, to be matched exhaustively."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from refcheck.model.place import LineRange, Place


@dataclass(frozen=True, slots=True)
class Request:
    """Lines `first` to `last` (1-based, included) of `path`, as they stand in the older tree."""

    path: str
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Same:
    """The text stands unchanged at the same lines of the same file."""

    place: Place
    evidence: str


@dataclass(frozen=True, slots=True)
class Moved:
    """The text is intact at `place`. `note` says what is not literally the same (indentation, blank lines, names)."""

    place: Place
    note: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Changed:
    """Half of the lines or more survive, in order; `place` runs from the first to the last of them.

    `similarity` is the share of the cited lines that survive, an edited line counting by its likeness. `twins` are
    places where the cited text itself stands and that are not its continuation.
    """

    place: Place
    similarity: float
    evidence: str
    twins: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Rewritten:
    """Fewer than half of the lines survive; `place` is what stands there now, where that is known."""

    place: Place | None
    similarity: float
    evidence: str
    twins: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Gone:
    """Nothing of the text continues. `twins` carry the same text and are not a move."""

    evidence: str
    twins: tuple[Place, ...] = ()


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """The evidence does not part the candidates, or speaks against the only one; none is guessed."""

    candidates: tuple[Place, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class NotFollowed:
    """The question itself cannot be answered: no such lines in the older tree, or files that were not carried."""

    reason: str
    not_carried: bool = False


Outcome: TypeAlias = Same | Moved | Changed | Rewritten | Gone | Ambiguous | NotFollowed


@dataclass(frozen=True, slots=True)
class Followed:
    """A request and what became of it."""

    request: Request
    outcome: Outcome

    @property
    def place(self) -> Place | None:
        """Where the intact text certainly is; None where that is not known."""
        match self.outcome:
            case Same(place) | Moved(place):
                return place
            case _:
                return None


def lines_of(request: Request) -> LineRange:
    """Raises ValueError for a reversed or zero range."""
    return LineRange(request.first, request.last)
