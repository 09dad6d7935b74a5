"""What a verdict rests on: a closed set of shapes, so that every report can lay out every verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from .place import LineRange, Place


@dataclass(frozen=True, slots=True)
class SourceLines:
    """Lines that were read, as they stand in the tree."""

    place: Place
    text: tuple[str, ...]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Values:
    """Named values that were computed, in order."""

    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was stated against what was found."""

    what: str
    expected: str
    found: str


@dataclass(frozen=True, slots=True)
class CounterExamples:
    """Places that make a general statement false (or that it overlooks), with the total where it was cut."""

    places: tuple[tuple[Place, str], ...]
    total: int


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a difference: `sign` is ' ' (same), '-' (document or old) or '+' (tree or new)."""

    sign: str
    text: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Difference:
    """The document's lines against the tree's. `lines` is where the '+' side stands."""

    place: Place
    lines: tuple[DiffLine, ...]
    similarity: float | None = None


@dataclass(frozen=True, slots=True)
class Note:
    """One observation in plain words."""

    text: str
    lines: LineRange | None = None


Evidence: TypeAlias = SourceLines | Values | Comparison | CounterExamples | Difference | Note
