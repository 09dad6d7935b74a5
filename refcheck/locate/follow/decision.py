"""What one file says of a range: the three decisions that the rules come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias


@dataclass(frozen=True, slots=True)
class Found:
    """The text is at index `place` of the newer file."""

    place: int
    why: str
    note: str = ""
    renamed: bool = False
    """Its lines are in a definition of another name, which is taken to be the same, or in what is left of their own:
    unless another file has them."""


@dataclass(frozen=True, slots=True)
class Unsure:
    """The text stands at `places`, and the evidence does not make one of them certain."""

    places: tuple[int, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Lost:
    """The text does not go on in this file; `twins` are places that had it before, or are copies."""

    twins: tuple[int, ...]


Decision: TypeAlias = Found | Unsure | Lost
