"""A quote against a file's lines where whole definitions and docstrings of the file may be left out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Line: TypeAlias = tuple[str, int]
"""A line's text without white space around it, and its indentation."""

_HEADER = re.compile(r"(?:async\s+def|def|class)\s")
_BEGINS = re.compile(r"@|(?:async\s+def|def|class)\s")
_DOCSTRING = re.compile(r"[rRuUbB]{0,2}(\"\"\"|''')")


@dataclass(frozen=True, slots=True)
class Walked:
    """Indices of the file's lines: where the quote begins and ends, and each run of lines that it leaves out."""

    first: int
    last: int
    left_out: tuple[tuple[int, int], ...]
    what: str


def walk(wanted: Sequence[Line], own: Sequence[Line], start: int) -> Walked | None:
    """The quote from `own[start]` on: line by line, and past definitions and docstrings that it does not show.

    A definition is left out with its decorators and its whole body, a docstring from its first to its last line.
    """
    if own[start][0] != wanted[0][0]:
        return None
    shift = own[start][1] - wanted[0][1]
    left_out: list[tuple[int, int]] = []
    what: dict[str, None] = {}
    i, at = 0, start
    while i < len(wanted) and at < len(own):
        text, indent = own[at]
        shown = (text, indent - shift) == tuple(wanted[i])
        if i and _BEGINS.match(text) and not (shown and _same_head(wanted, i, own, at, shift)):
            end = _definition_end(own, at)
            what["whole definitions"] = None
        elif shown:
            i, at = i + 1, at + 1
            continue
        elif i and wanted[i - 1][0].endswith(":") and (mark := _DOCSTRING.match(text)):
            end = _docstring_end(own, at, mark)
            what["the docstring"] = None
        else:
            return None
        left_out.append((at, end - 1))
        at = end
    if i < len(wanted):
        return None
    return Walked(start, at - 1, tuple(left_out), " and ".join(what))


def _head(lines: Sequence[Line], at: int) -> list[Line]:
    """The decorators and the first line of a definition."""
    found: list[Line] = []
    for line in lines[at : at + 40]:
        found.append(line)
        if _HEADER.match(line[0]):
            break
    return found


def _same_head(wanted: Sequence[Line], i: int, own: Sequence[Line], at: int, shift: int) -> bool:
    theirs = _head(own, at)
    mine = list(wanted[i : i + len(theirs)])
    return mine == [(text, indent - shift) for text, indent in theirs[: len(mine)]]


def _definition_end(own: Sequence[Line], at: int) -> int:
    """The index behind the definition that begins at `at`."""
    depth = own[at][1]
    index = at
    while index < len(own) and not _HEADER.match(own[index][0]):
        index += 1
    index += 1
    while index < len(own) and (own[index][1] > depth or own[index][0].startswith((")", "]", "}"))):
        index += 1
    return min(index, len(own))


def _docstring_end(own: Sequence[Line], at: int, mark: re.Match[str]) -> int:
    if own[at][0].count(mark.group(1)) > 1:
        return at + 1
    index = at + 1
    while index < len(own) and mark.group(1) not in own[index][0]:
        index += 1
    return min(index + 1, len(own))
