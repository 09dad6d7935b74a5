"""Following cited lines from one tree to another, never guessing.

`follow` takes ranges of an older tree and says what became of each in a newer one; see `outcome` for the answers
and `rules` for what makes a place certain.
"""

from refcheck.locate.follow.follower import follow
from refcheck.locate.follow.outcome import (
    Ambiguous,
    Changed,
    Followed,
    Gone,
    Moved,
    NotFollowed,
    Outcome,
    Request,
    Rewritten,
    Same,
)

__all__ = [
    "Ambiguous",
    "Changed",
    "Followed",
    "Gone",
    "Moved",
    "NotFollowed",
    "Outcome",
    "Request",
    "Rewritten",
    "Same",
    "follow",
]
