"""A location in a table: the row's other cells name what stands there, or something else."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.engine.pages import check_page, summary

FILE = "toy/q.py"
SOURCE = """\
class Queue:
    limit: int = 8

    def pop_one(self):
        return self.first()

    def peek(self):
        return self.limit


def register(name):
    table["late"] = name
"""


def _markdown(heads: list[str], row: list[str]) -> str:
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (heads, ["---"] * len(heads), row)) + "\n"


def _html(heads: list[str], row: list[str]) -> str:
    cells = [cell.replace("`", "<code>", 1).replace("`", "</code>", 1) for cell in row]
    return (
        f"<table><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr>"
        f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr></table>\n"
    )


@pytest.mark.parametrize(("format_name", "table"), [("markdown", _markdown), ("html", _html)])
@pytest.mark.parametrize(
    ("heads", "row", "verdict", "says"),
    [
        (["symbol", "place"], ["`peek`", "`toy/q.py:4-5`"], "imprecise", "it stands at L7-L8"),
        (["symbol", "place"], ["`Queue.peek`", "`toy/q.py:4-5`"], "imprecise", "it stands at L7-L8"),
        (["symbol", "place"], ["`peek()`", "`toy/q.py:4-5`"], "imprecise", "it stands at L7-L8"),
        (["file", "line", "symbol"], ["toy/q.py", "7", "pop_one"], "imprecise", "it stands at L4-L5"),
        (["class", "method", "place"], ["`Queue`", "`peek`", "`toy/q.py:4-5`"], "imprecise", "not in Queue.peek"),
        # Right ones.
        (["symbol", "place"], ["`peek`", "`toy/q.py:7-8`"], "holds", "peek"),
        (["file", "line", "symbol"], ["toy/q.py", "4", "pop_one"], "holds", "pop_one"),
        (["class", "method", "place"], ["`Queue`", "`peek`", "`toy/q.py:7`"], "holds", "peek"),
        (["class", "place"], ["`Queue`", "`toy/q.py:7-8`"], "holds", "Queue"),
        (["field", "place"], ["`limit`", "`toy/q.py:8`"], "holds", "limit"),
        # Names that may be something else.
        (["called by", "place"], ["`peek`", "`toy/q.py:4-5`"], "holds", "nothing is named"),
        (["flag", "place"], ["`limit`", "`toy/q.py:4-5`"], "holds", "nothing is named"),
        (["what", "place"], ["waits as `peek` does", "`toy/q.py:4-5`"], "holds", "nothing is named"),
        (["symbol", "place"], ["`nowhere_here`", "`toy/q.py:4-5`"], "holds", "nothing is named"),
        (["symbol", "place", "used"], ["`peek`", "`toy/q.py:7-8`", "`toy/q.py:11-12`"], "holds", "peek"),
    ],
)  # fmt: skip
def test_what_a_row_names(
    format_name: str,
    table: Callable[[list[str], list[str]], str],
    heads: list[str],
    row: list[str],
    verdict: str,
    says: str,
) -> None:
    report = check_page(table(heads, row), {FILE: SOURCE}, format_name=format_name)
    assert summary(report)[0][1] == verdict, report.findings[0].verdict.message
    assert says in report.findings[0].verdict.message


def test_another_rows_name_says_nothing() -> None:
    page = _markdown(["symbol", "place"], ["`peek`", "`toy/q.py:7-8`"]) + "| | `toy/q.py:4-5` |\n"
    assert [row[1:] for row in summary(check_page(page, {FILE: SOURCE}))] == [("holds", "RC000"), ("holds", "RC001")]
