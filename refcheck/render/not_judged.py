"""Undecided findings by reason, so that fifty of one cause are one entry."""

from __future__ import annotations

from dataclasses import dataclass

from refcheck.model.report import Finding, Report
from refcheck.model.verdict import Level, Undecided, candidates_of


@dataclass(frozen=True, slots=True)
class ReasonGroup:
    """What was not judged for one reason. `code` and `title` are None for a check that made no finding."""

    code: str | None
    title: str | None
    why: str
    ids: tuple[str, ...]

    @property
    def head(self) -> str:
        """The code, and its title where the reason does not begin with it."""
        if self.code is None:
            return ""
        return self.code if self.title is None or self.why.startswith(self.title) else f"{self.code} {self.title}"

    @property
    def reason(self) -> str:
        """The reason without the title that it may begin with, for a list under that title."""
        if self.title and self.why.startswith(self.title):
            return self.why[len(self.title) :].lstrip(":; ") or self.why
        return self.why


def reason_groups(report: Report) -> tuple[ReasonGroup, ...]:
    """Every undecided finding and every entry of `not_judged`, once, by code and reason: largest group first.

    What counts as an error is shown as one, and not here.
    """
    whys = {entry.id: entry.why for entry in report.not_judged}
    groups: dict[tuple[str, str, str], list[str]] = {}
    seen: set[str] = set()
    for finding in report.findings:
        if finding.level is Level.ERROR:
            seen.add(finding.id)  # it has its place among the errors
            continue
        match finding.verdict:
            case Undecided(message, code):
                why = whys.get(finding.id, message)
                groups.setdefault((code.id, code.title, why), []).append(finding.id)
                seen.add(finding.id)
            case _:
                pass
    for entry in report.not_judged:
        if entry.id not in seen:
            groups.setdefault(("", "", entry.why), []).append(entry.id)
    ordered = sorted(groups.items(), key=lambda item: (-len(item[1]), item[0]))
    return tuple(ReasonGroup(code or None, title or None, why, tuple(ids)) for (code, title, why), ids in ordered)


def shown_apart(finding: Finding) -> bool:
    """Whether a finding needs an entry of its own: what an author can act on, not only a reason."""
    if not isinstance(finding.verdict, Undecided) or finding.level is Level.ERROR:
        return True
    return bool(candidates_of(finding.verdict) or finding.verdict.evidence)
