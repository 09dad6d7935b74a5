"""A range whose own file does not settle it: what is said of it if the other files say nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from refcheck.locate.follow import symbols
from refcheck.locate.follow.elsewhere import Wanted, enclosing
from refcheck.locate.follow.outcome import Outcome
from refcheck.locate.follow.pair import Pair

_BODY = 8
_FEWEST = 4
"""Lines that a body needs to be recognised in another file by half of them."""
_DISTINCT = 16
"""Letters and digits that a text needs to be recognised in another file."""


@dataclass(frozen=True, slots=True)
class Pending:
    """`index` is the request's, `left` the share of its lines that survive in place.

    `confirmed_by_absence`: a definition was taken to go on under another name, which holds unless the old name
    turns up in another file.
    """

    index: int
    want: Wanted
    outcome: Outcome
    left: float
    confirmed_by_absence: bool = False

    @classmethod
    def lost(cls, pair: Pair, index: int, path: str, start: int, end: int, outcome: Outcome, left: float) -> Pending:
        """The text is not in its own file; it is looked for by content if it has enough of it."""
        chain = pair.old_chain(start, end)
        keys = enclosing(pair.old_scopes, pair.old.rows[start], pair.old.rows[end - 1])
        around = chain or pair.old_chain(start, start + 1) or pair.old_chain(end - 1, end)
        signature = symbols.header(pair, around) if around else ""
        want = Wanted.of(pair.old, path, keys, start, end, signature)
        body = _longest(pair, *(pair.old_body(chain[-1]) if chain else (start, end)))
        if len(body) >= _FEWEST:
            want.body = body
        if sum(sum(map(str.isalnum, line)) for line in want.lines) < _DISTINCT:
            want.needle = ""
        return cls(index, want, outcome, left)

    @classmethod
    def renamed(cls, pair: Pair, index: int, path: str, start: int, end: int, outcome: Outcome) -> Pending:
        chain = pair.old_chain(start, end)
        ends = (pair.old_chain(start, start + 1), pair.old_chain(end - 1, end))
        signature = next((s for c in (chain, *ends) if (s := symbols.header_of_gone(pair, c))), "")
        keys = enclosing(pair.old_scopes, pair.old.rows[start], pair.old.rows[end - 1])
        want = Wanted.of(pair.old, path, keys, start, end, signature)
        want.needle = ""
        if chain:
            want.body = _longest(pair, *pair.old_body(chain[-1]))
        if not signature and chain:
            # Its name is still here: only what has the name as well can be taken for it.
            want.signature = symbols.header(pair, chain)
            want.together = True
        return cls(index, want, outcome, 0.0, True)


def _longest(pair: Pair, low: int, high: int) -> tuple[str, ...]:
    lines = {pair.old.text(i).lstrip() for i in range(low, high) if pair.telling(pair.old, i)}
    return tuple(sorted(lines, key=lambda line: (-len(line), line))[:_BODY])
