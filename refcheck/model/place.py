"""Where something stands: lines of a file of an engine."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class LineRange:
    """Lines `first` to `last`, 1-based, both included.

    A reversed or zero range is not made here: readers keep such numbers as written and report them.
    """

    first: int
    last: int

    def __post_init__(self) -> None:
        if self.first < 1 or self.last < self.first:
            raise ValueError(f"not a range of lines: {self.first}-{self.last}")

    def __str__(self) -> str:
        return f"L{self.first}" if self.first == self.last else f"L{self.first}-L{self.last}"

    def __len__(self) -> int:
        return self.last - self.first + 1

    def shifted(self, by: int) -> LineRange:
        return LineRange(self.first + by, self.last + by)

    def contains(self, other: LineRange) -> bool:
        return self.first <= other.first and other.last <= self.last

    def overlaps(self, other: LineRange) -> bool:
        return self.first <= other.last and other.first <= self.last


@dataclass(frozen=True, slots=True, order=True)
class Place:
    """A path in a tree, with lines and the enclosing symbol where they are known."""

    path: str
    lines: LineRange | None = None
    symbol: str | None = None

    def __str__(self) -> str:
        return self.path if self.lines is None else f"{self.path}:{self.lines}"
