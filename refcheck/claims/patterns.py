"""Regular expressions that come from editions and pages, refused where matching them could take for ever.

Python's matcher backtracks: a repetition inside a repetition, or alternatives inside one, can take time exponential in
the text. Such patterns, references back and very long ones are refused; what is left is polynomial in short texts.
"""

from __future__ import annotations

import re
from re import _constants as constants  # type: ignore[attr-defined]
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

MAX_LENGTH = 400
MAX_OPEN = 10
"""So many unbounded repetitions, one after the other."""
MANY = 32
"""A repetition of more than this counts as unbounded."""


class UnboundedPattern(ValueError):
    """A pattern that is not tried, with the reason."""


def bounded_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """The compiled pattern. Raises re.error for one that is none, UnboundedPattern for one that is not tried."""
    if len(text) > MAX_LENGTH:
        raise UnboundedPattern(f"a pattern of {len(text)} characters is longer than {MAX_LENGTH}")
    compiled = re.compile(text, flags)
    count = _open_repeats(parser.parse(text, flags), inside=False)
    if count > MAX_OPEN:
        raise UnboundedPattern(f"more than {MAX_OPEN} unbounded repetitions")
    return compiled


def _open_repeats(tree: Any, *, inside: bool) -> int:
    count = 0
    for operation, argument in tree:
        if operation in (constants.MAX_REPEAT, constants.MIN_REPEAT, constants.POSSESSIVE_REPEAT):
            _, most, body = argument
            is_open = most > MANY
            if is_open and inside:
                raise UnboundedPattern("a repetition inside a repetition")
            count += is_open + _open_repeats(body, inside=inside or is_open)
        elif operation is constants.BRANCH:
            if inside:
                raise UnboundedPattern("alternatives inside a repetition")
            count += sum(_open_repeats(branch, inside=inside) for branch in argument[1])
        elif operation is constants.SUBPATTERN:
            count += _open_repeats(argument[3], inside=inside)
        elif operation in (constants.ASSERT, constants.ASSERT_NOT):
            count += _open_repeats(argument[1], inside=inside)
        elif operation is constants.ATOMIC_GROUP:
            count += _open_repeats(argument, inside=inside)
        elif operation in (constants.GROUPREF, constants.GROUPREF_EXISTS):
            raise UnboundedPattern("a reference back to a group")
    return count
