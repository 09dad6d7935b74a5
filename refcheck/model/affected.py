"""What of a document has to be read again because the code that it cites changed between two revisions."""

from __future__ import annotations

from dataclasses import dataclass

from .evidence import DiffLine
from .place import Place
from .report import FindingKind
from .tree import SourceRead
from .verdict import Verdict


@dataclass(frozen=True, slots=True)
class Passage:
    """A citation, quote or claim of a document, with the paragraph that depends on it."""

    document: str
    line: int
    column: int
    id: str
    kind: FindingKind
    paragraph: str = ""
    paragraph_line: int | None = None
    paragraph_at: int = 0
    """The character of the paragraph where the passage stands, 0 where it stands beside it."""
    heading: str = ""
    """The heading of the section around a block."""


@dataclass(frozen=True, slots=True)
class AffectedItem:
    """A passage whose code changed: `was` where it stood at the older revision, `verdict` what became of it.

    `diff` has the old lines against those that stand there now, where there are such; it may be cut, and `diff_cut`
    counts the lines that were left out.
    """

    passage: Passage
    was: Place | None
    verdict: Verdict
    diff: tuple[DiffLine, ...] = ()
    diff_cut: int = 0
    before: Verdict | None = None
    """A claim's verdict at the older revision."""


@dataclass(frozen=True, slots=True)
class Aside:
    """A passage that was not followed: wrong at the older revision already, or not to be placed there."""

    passage: Passage
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Affected:
    """The whole answer. `same` and `moved` count the passages whose code is intact."""

    engine: str
    older: SourceRead
    newer: SourceRead
    documents: tuple[str, ...]
    items: tuple[AffectedItem, ...]
    wrong: tuple[Aside, ...] = ()
    not_followed: tuple[Aside, ...] = ()
    same: int = 0
    moved: int = 0
    checked: int = 0
    """Passages in all."""
    astray: int = 0
    """Those of `wrong` that could not be followed, and are counted nowhere else."""

    @property
    def exit_code(self) -> int:
        """1 where something has to be read again."""
        return 1 if self.items else 0
