"""What became of an edition's anchors and claims over the revisions of an engine."""

from __future__ import annotations

from dataclasses import dataclass

from . import codes
from .place import Place
from .verdict import Changed, Contradicted, Gone, Holds, Imprecise, Moved, Undecided, Verdict


@dataclass(frozen=True, slots=True)
class Revision:
    """`rev` is a full commit or `release:VERSION`; `date` (ISO 8601) and `subject` are a commit's."""

    rev: str
    date: str | None = None
    subject: str | None = None

    @property
    def label(self) -> str:
        """The short form for people: a version, or the first digits of a commit."""
        version = self.rev.removeprefix("release:")
        return version if version != self.rev else self.rev[:10]


@dataclass(frozen=True, slots=True)
class Cell:
    """The verdict at one revision."""

    revision: Revision
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Turn:
    """A revision where the verdict became another. `exact` is False where revisions between were left out."""

    revision: Revision
    was: Verdict
    now: Verdict
    before: Revision
    """The last revision that was judged before."""
    exact: bool = True


@dataclass(frozen=True, slots=True)
class HistoryRow:
    """One anchor or claim.

    `judged` counts the distinct versions of what it reads that were judged; `sampled` is (judged, all) revisions
    where it ranges over too much for all of them to be judged. `turns` are in order of time.
    """

    id: str
    kind: str
    """ "anchor" (its text, wherever it stands) or "claim"."""
    cells: tuple[Cell, ...]
    turns: tuple[Turn, ...] = ()
    judged: int = 1
    claim_kind: str | None = None
    anchor: str | None = None
    words: str | None = None
    cited: Place | None = None
    """Where the edition says that it stands."""
    sampled: tuple[int, int] | None = None

    @property
    def broke(self) -> Turn | None:
        """The first turn from what held to what does not; None where it never held, or never stopped."""
        held = self.cells[0].verdict if self.cells else None
        was_held = held is not None and holds(held) is True
        for turn in self.turns:
            now = holds(turn.now)
            if now is False and was_held:
                return turn
            was_held = was_held or now is True
        return None

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        """Those that are shown or turned to."""
        return (*(cell.verdict for cell in self.cells), *(turn.now for turn in self.turns))

    @property
    def unrecorded(self) -> bool:
        """Only that the lines or the definition are there is known: no text is recorded that could have changed."""
        return any(only_there(verdict) for verdict in self.verdicts)

    @property
    def ever_held(self) -> bool:
        return any(holds(verdict) for verdict in self.verdicts)

    @property
    def held_throughout(self) -> bool:
        """It never was anything but intact where the edition says, or true as stated."""
        return all(isinstance(verdict, Holds | Imprecise) for verdict in self.verdicts)

    @property
    def intact_throughout(self) -> bool:
        """As `held_throughout`, at whatever place."""
        return all(isinstance(verdict, Holds | Imprecise | Moved) for verdict in self.verdicts)

    @property
    def stayed_put(self) -> bool:
        """As `held_throughout`, at whatever lines of the file and definition that the edition says."""
        return all(is_at_home(verdict, self.cited) for verdict in self.verdicts)


@dataclass(frozen=True, slots=True)
class EngineHistory:
    """The table. `looked_through` counts all revisions between the ends, `revisions` those that have a column."""

    engine: str
    edition: str
    by: str
    """ "releases" or "commits"."""
    revisions: tuple[Revision, ...]
    rows: tuple[HistoryRow, ...]
    looked_through: int
    place: str
    """Where the revisions were read."""
    notes: tuple[str, ...] = ()


def holds(verdict: Verdict) -> bool | None:
    """Whether what was written is still so (intact code elsewhere included); None where that is undecided."""
    match verdict:
        case Holds() | Imprecise() | Moved():
            return True
        case Changed() | Gone() | Contradicted():
            return False
        case Undecided():
            return None


def only_there(verdict: Verdict) -> bool:
    """Whether a place exists, and nothing was compared with it."""
    return isinstance(verdict, Holds) and verdict.code is codes.EXISTS


def is_at_home(verdict: Verdict, cited: Place | None) -> bool:
    """Whether what was written is still so, or has moved to other lines of its own file and definition alone."""
    match verdict:
        case Holds() | Imprecise():
            return True
        case Moved(found=found):
            return cited is not None and (found.path, found.symbol) == (cited.path, cited.symbol)
        case _:
            return False
