"""Where an elision takes a reader from one piece of code into another that does not belong to it.

Whoever reads a quote around its marks takes a line for a part of the last shown line that is indented less. Where the
marks hide a line that ends that part, it is not; where they hide the beginning of another definition, the pieces are
not of one place at all, whatever their lines are. Read from indentation, for Python alone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from .pattern import indent_of

_DEFINES = re.compile(r"(?:async\s+def|def|class)\s")
_NO_STATEMENT = (")", "]", "}", "#", '"""', "'''")
_TRIPLE = re.compile(r'"""|\'\'\'')


@dataclass(frozen=True, slots=True)
class Crossing:
    """The hidden line that ends what the line `parent` begins (0: what all pieces stand in)."""

    line: int
    parent: int
    defines: bool
    """Whether another definition begins on the hidden line."""


def crossing(text: Sequence[str], pieces: Sequence[Sequence[int]]) -> Crossing | None:
    """The first such line behind the elisions between the pieces (numbers of their lines), or None."""
    for index in range(1, len(pieces)):
        below = pieces[index][0]
        depth = indent_of(text[below - 1])
        shown = [n for piece in pieces[:index] for n in piece]
        parent = next((n for n in reversed(shown) if indent_of(text[n - 1]) < depth), 0)
        limit = indent_of(text[parent - 1]) if parent else depth - 1
        visible = set(shown)
        for number in range((parent or pieces[index - 1][-1]) + 1, below):
            line = text[number - 1]
            stripped = line.lstrip()
            if number in visible or not stripped or stripped.startswith(_NO_STATEMENT) or indent_of(line) > limit:
                continue
            defines = _DEFINES.match(stripped) is not None
            # Pieces without a line above them that is indented less may be of several branches of one definition.
            if (parent or defines) and not _in_string(text, number):
                return Crossing(number, parent, defines)
    return None


def _in_string(text: Sequence[str], number: int) -> bool:
    """Whether a line begins inside of a string of several lines."""
    inside = ""
    for line in text[: number - 1]:
        for mark in _TRIPLE.findall(line) if '"""' in line or "'''" in line else ():
            if not inside:
                inside = mark
            elif inside == mark:
                inside = ""
    return bool(inside)
