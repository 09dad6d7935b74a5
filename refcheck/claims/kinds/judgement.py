"""A statement whose truth depends on how its words are read."""

from __future__ import annotations

from ...config.fields import Field
from ...model import codes
from ...model.verdict import Undecided, Verdict
from ..context import Context
from ..kind import Case, Kind, Params


def check(params: Params, context: Context) -> Verdict:
    """Listed and not counted; the message gives the two readings."""
    del context
    return Undecided(f"a matter of judgement: {params['readings']}", codes.JUDGEMENT)


KIND = Kind(
    name="judgement",
    summary="A matter of how the words are read: listed, not counted.",
    fields=(Field("readings", "str", "how it may be read, and what follows", required=True),),
    check=check,
    cases=(Case("never judged", {"readings": "“simple” may mean short or easy"}, "undecided"),),
)
