"""A table of text cells for a terminal or a pipe."""

from __future__ import annotations

from refcheck.model.table import Table
from refcheck.render.looks import can_encode

#: What stands for a character that the output's encoding does not have.
_ASCII = str.maketrans(
    {
        "·": "*",
        "²": "^2",
        "Σ": "sum ",
        "≤": "<=",
        "×": "x",
        "≈": "~",
        "…": "...",
        "–": "-",
        "—": "-",
        "≥": ">=",
        "→": "->",
    }
)


def table_text(table: Table, *, width: int = 80, color: bool = False, encoding: str = "utf-8") -> str:
    """The table as lines of at most `width` columns, as far as its unbreakable cells allow.

    With `color` the title and heads carry ANSI styles; without, the text is plain. Characters that the
    encoding lacks are written out in ASCII.
    """
    import io

    from rich import box
    from rich.console import Console
    from rich.padding import Padding
    from rich.table import Table as RichTable
    from rich.text import Text

    fancy = can_encode("·²Σ≤─×≈", encoding)

    def text(cell: str) -> Text:
        return Text(cell if fancy else cell.translate(_ASCII).encode("ascii", "replace").decode())

    stream = io.StringIO()
    console = Console(
        file=stream, width=max(width, 20), force_terminal=color, no_color=not color, highlight=False, emoji=False,
        markup=False, legacy_windows=False, color_system="standard" if color else None,
    )  # fmt: skip
    grid = RichTable(
        box=box.SIMPLE_HEAD if fancy else box.ASCII2,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
        header_style="bold",
        show_header=any(column.name for column in table.columns),
    )
    for index, column in enumerate(table.columns):
        lines = [line for row in table.rows for line in row[index].splitlines()]
        widest = max(map(len, [column.name, *lines]))
        grid.add_column(
            text(column.name),
            justify="right" if column.numeric else "left",
            no_wrap=not column.wrap,
            overflow="fold",
            min_width=widest if column.numeric else None,  # digits are never folded: a wide table rather runs over
        )
    for row in table.rows:
        grid.add_row(*(text(cell) for cell in row))
    if table.title:
        title = text(table.title)
        title.stylize("bold")
        console.print(title, soft_wrap=False)
    least = console.measure(grid, options=console.options.update(width=10_000)).minimum
    console.print(grid, width=max(width, least), crop=False, no_wrap=False)
    for note in table.notes:
        console.print(Padding(text(note), (0, 0, 0, 0)))
    return "\n".join(line.rstrip() for line in stream.getvalue().splitlines()) + "\n"
