"""Where the statement that begins on a line ends, by its brackets: no parse, any language that closes what it opens."""

from __future__ import annotations

import re
from collections.abc import Sequence

LONGEST = 400
"""A table of more lines than this is cited by its rows."""

_SET_ASIDE = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|(?:#|//).*")


def statement_last(lines: Sequence[str], first: int) -> int:
    """The last line of the statement that begins on line `first` (1-based); `first` itself if its brackets are closed.

    Brackets in strings of one line and in comments do not count. What is not closed within LONGEST lines has no end
    that a reader would look for: then it is `first` again.
    """
    depth = 0
    for number in range(first, min(first + LONGEST, len(lines)) + 1):
        bare = _SET_ASIDE.sub("", lines[number - 1])
        depth += sum(map(bare.count, "([{")) - sum(map(bare.count, ")]}"))
        if depth <= 0:
            return number if depth == 0 else first
    return first
