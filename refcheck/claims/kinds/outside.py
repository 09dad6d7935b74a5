"""A statement about something outside of the document, the trees and the reference."""

from __future__ import annotations

from ...config.fields import Field
from ...model import codes
from ...model.verdict import Undecided, Verdict
from ..context import Context
from ..kind import Case, Kind, Params


def check(params: Params, context: Context) -> Verdict:
    """Always undecided: the message names what a decision needs."""
    del context
    return Undecided(f"not checkable here: it needs {params['needs']}", codes.NOT_CHECKABLE)


KIND = Kind(
    name="outside",
    summary="Not checkable from the document, the trees and the reference; what it needs is named.",
    fields=(Field("needs", "str", "what would decide it", required=True),),
    check=check,
    cases=(Case("never judged", {"needs": "a stopwatch and the machine"}, "undecided"),),
)
