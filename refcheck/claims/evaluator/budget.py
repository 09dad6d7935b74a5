"""Bounds of one evaluation: steps, time, nesting, and the size of everything that interpreted code can make."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from refcheck.claims.evaluator.failures import BudgetExceeded


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one run. The defaults leave two orders of magnitude above what the published claims need.

    `steps` counts evaluated syntax nodes and items that are iterated over; `depth` counts nested evaluations, calls
    included (two Python frames each, so it must stay well below the interpreter's own recursion limit).
    """

    steps: int = 50_000
    seconds: float = 0.8
    depth: int = 150
    int_bits: int = 2_048
    #: Items of one list, tuple, dict or set, and characters of one string.
    container: int = 16_384
    string: int = 16_384
    #: Items and characters made in the whole run.
    cells: int = 1_000_000
    #: Elements of one array that carries values, and of all of them together.
    array_elements: int = 262_144
    array_total: int = 4_194_304
    #: Instances of a kernel's grid.
    grid: int = 4_096


class Meter:
    """What one run has used of its budget. Every check raises `BudgetExceeded` and clamps nothing."""

    __slots__ = ("_array_total", "_cells", "_deadline", "budget", "depth", "steps")

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.steps = 0
        self.depth = 0
        self._cells = 0
        self._array_total = 0
        self._deadline = time.thread_time() + budget.seconds

    def step(self, count: int = 1) -> None:
        """Charges `count` steps; looks at the clock every 32nd time, for that is cheap enough and often enough."""
        before = self.steps
        self.steps = before + count
        if self.steps > self.budget.steps:
            raise BudgetExceeded("steps", self.budget.steps)
        if (before >> 5) != (self.steps >> 5) and time.thread_time() > self._deadline:
            raise BudgetExceeded("seconds", self.budget.seconds)

    @contextmanager
    def not_counted(self) -> Iterator[None]:
        """Time spent within (parsing, which is bounded by itself) does not count against the run."""
        started = time.thread_time()
        try:
            yield
        finally:
            self._deadline += time.thread_time() - started

    def integer(self, value: int) -> int:
        """`value`, if its bit length is within bounds."""
        if value.bit_length() > self.budget.int_bits:
            raise BudgetExceeded("bits of an integer", self.budget.int_bits)
        return value

    def bits(self, count: int) -> None:
        """Refuses an operation whose result would have `count` bits, before it is computed."""
        if count > self.budget.int_bits:
            raise BudgetExceeded("bits of an integer", self.budget.int_bits)

    def items(self, count: int) -> None:
        """Charges a container of `count` items, before it is built."""
        if count > self.budget.container:
            raise BudgetExceeded("items of a container", self.budget.container)
        self._charge(count)

    def characters(self, count: int) -> None:
        """Charges a string of `count` characters, before it is built."""
        if count > self.budget.string:
            raise BudgetExceeded("characters of a string", self.budget.string)
        self._charge(count)

    def _charge(self, count: int) -> None:
        self._cells += count
        if self._cells > self.budget.cells:
            raise BudgetExceeded("items and characters in all", self.budget.cells)

    def array(self, count: int) -> None:
        """Charges an array of `count` elements that carries values, before it is built."""
        if count > self.budget.array_elements:
            raise BudgetExceeded("elements of an array", self.budget.array_elements)
        self._array_total += count
        if self._array_total > self.budget.array_total:
            raise BudgetExceeded("elements of all arrays", self.budget.array_total)
        self.step(1 + count // 1024)
