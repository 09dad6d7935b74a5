"""What an experiment measures, and from where a difference of logits is no rounding any more."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Scalar = float | int | bool | tuple[int, ...] | tuple[float, ...]

#: Whether the behaviour shows, the figures, and a sentence.
Result = tuple[bool, dict[str, Scalar], str]

#: An error above this at every step is no rounding but a wrong computation; below it nothing is said.
CORRUPTED = 1e-3
#: The same for the steps after one wrong step, whose trace is one row of many.
TRACE = 1e-4


@dataclass(frozen=True, slots=True)
class Measurement:
    """What an experiment found: whether the behaviour that it is named for shows, the figures, and a
    sentence."""

    name: str
    holds: bool
    values: Mapping[str, Scalar]
    summary: str
    parameters: Mapping[str, Any]

    def number(self, name: str) -> float:
        """A figure that is one number. Raises KeyError for an unknown name, TypeError for a tuple."""
        value = self.values[name]
        if isinstance(value, tuple):
            raise TypeError(f"{name} is a tuple")
        return float(value)
