"""The result of a run: one value that every format is made from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

from .place import Place
from .tree import SourceRead
from .verdict import VERDICT_NAMES, Holds, Level, Verdict, level_of, verdict_name


class FindingKind(Enum):
    QUOTE = "quote"
    LOCATION = "location"
    CLAIM = "claim"
    LINK = "link"
    DOCUMENT = "document"


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was checked, and the verdict.

    `source` indexes `Report.sources`: the tree that the verdict was computed on (None where no tree was
    needed). `counted` is False for what is listed but is a matter of judgement.
    `words` are the document's words or the edition's that it is about; `quoted` the quoted lines.
    """

    id: str
    kind: FindingKind
    verdict: Verdict
    engine: str | None = None
    source: int | None = None
    claim_kind: str | None = None
    document: str | None = None
    line: int | None = None
    column: int | None = None
    end_line: int | None = None
    end_column: int | None = None
    cited: Place | None = None
    words: str | None = None
    quoted: tuple[str, ...] = ()
    permalink: str | None = None
    swhid: str | None = None
    counted: bool = True
    baseline: bool = False
    """Recorded earlier by `refcheck baseline`: shown, and no reason to fail."""
    level_override: Level | None = None

    @property
    def level(self) -> Level:
        return self.level_override or level_of(self.verdict)


@dataclass(frozen=True, slots=True)
class NotJudged:
    """A check that was left out of judgement, and why. Its finding is `undecided`."""

    id: str
    why: str


@dataclass(frozen=True)
class Report:
    """Everything that one run found, sorted and reproducible."""

    edition: str | None
    sources: tuple[SourceRead, ...]
    findings: tuple[Finding, ...]
    exit_code: int
    not_judged: tuple[NotJudged, ...] = ()
    documents: tuple[str, ...] = ()
    absent_words: int = 0
    """Claims of the edition whose words the given documents do not carry."""
    notes: tuple[str, ...] = ()
    history: Mapping[str, object] | None = field(default=None)

    def totals(self) -> dict[str, int]:
        """Findings per verdict, in the order of the verdicts' table."""
        counts = dict.fromkeys(VERDICT_NAMES.values(), 0)
        for finding in self.findings:
            counts[verdict_name(finding.verdict)] += 1
        return counts

    def worst(self) -> Level:
        levels = {finding.level for finding in self.findings if finding.counted and not finding.baseline}
        for level in (Level.ERROR, Level.WARNING):
            if level in levels:
                return level
        return Level.NONE

    def problems(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if not isinstance(f.verdict, Holds))
