"""Two versions of a line, word by word."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from refcheck.model.evidence import Difference, DiffLine

_TOKEN = re.compile(r"\w+|\s+|[^\w\s]")
MOST_TOKENS = 400
"""Longer lines are marked whole: the comparison takes time that grows with the product of both lengths."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A part of a line; `changed` where the other line has something else."""

    text: str
    changed: bool


@dataclass(frozen=True, slots=True)
class Row:
    """The page's line beside the engine's. `kind` is "same", "changed", "removed" (page alone) or "added".

    `left_number` counts the quoted lines from 1, `right_number` is the line in the engine's file.
    """

    kind: str
    left_number: int | None
    left: tuple[Piece, ...] | None
    right_number: int | None
    right: tuple[Piece, ...] | None


def by_words(old: str, new: str) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """The pieces of both lines, in order; joined they are the lines."""
    a, b = _TOKEN.findall(old), _TOKEN.findall(new)
    if len(a) > MOST_TOKENS or len(b) > MOST_TOKENS:
        return (Piece(old, True),), (Piece(new, True),)
    left: list[Piece] = []
    right: list[Piece] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        changed = tag != "equal"
        if i2 > i1:
            left.append(Piece("".join(a[i1:i2]), changed))
        if j2 > j1:
            right.append(Piece("".join(b[j1:j2]), changed))
    return tuple(left), tuple(right)


def side_by_side(difference: Difference) -> tuple[Row, ...]:
    """The rows of a difference: runs of removed lines are paired with the added lines that follow them."""
    rows: list[Row] = []
    removed: list[DiffLine] = []
    added: list[DiffLine] = []
    quoted = 0

    def flush() -> None:
        nonlocal quoted
        for old, new in zip_longest(removed, added):
            number = None
            if old is not None:
                quoted += 1
                number = quoted
            if old is not None and new is not None:
                left, right = by_words(old.text, new.text)
                rows.append(Row("changed", number, left, new.line, right))
            elif old is not None:
                rows.append(Row("removed", number, (Piece(old.text, True),), None, None))
            elif new is not None:
                rows.append(Row("added", None, None, new.line, (Piece(new.text, True),)))
        removed.clear()
        added.clear()

    for line in difference.lines:
        if line.sign == "-":
            if added:
                flush()
            removed.append(line)
        elif line.sign == "+":
            added.append(line)
        else:
            flush()
            quoted += 1
            same = (Piece(line.text, False),)
            rows.append(Row("same", quoted, same, line.line, same))
    flush()
    return tuple(rows)
