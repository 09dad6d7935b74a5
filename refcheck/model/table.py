"""What the terminal and picture renderers are given: tables of text cells and plots of points.

Nothing here knows where the numbers come from, so that a renderer needs no other module.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Column:
    """A column's head; `numeric` cells are set flush right, `wrap` cells may be broken over lines."""

    name: str
    numeric: bool = False
    wrap: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of text, one cell per column, and notes that belong under the table.

    Raises ValueError when a row has another number of cells than there are columns.
    """

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                raise ValueError(f"row {number} has {len(row)} cells for {len(self.columns)} columns")


@dataclass(frozen=True, slots=True)
class Series:
    """One line of a plot, or single marks (`line=False`); points are (x, y) in axis units."""

    name: str
    points: tuple[tuple[float, float], ...]
    line: bool = True


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture of series over one pair of axes; `description` says in words what the picture shows."""

    title: str
    description: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    x_log: bool = False
    y_log: bool = False
