"""How a check that cannot go on says so."""

from __future__ import annotations

from ..model.verdict import Verdict


class Unanswerable(Exception):
    """Raised inside a check that cannot go on; carries the verdict (usually `undecided` or `gone`)."""

    def __init__(self, verdict: Verdict) -> None:
        self.verdict = verdict
        super().__init__(verdict.message)
