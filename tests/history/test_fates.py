"""What the table says of rows that moved, and that its numbers add up."""

from __future__ import annotations

import re
from itertools import pairwise

import pytest

from refcheck.model import codes
from refcheck.model.history import Cell, EngineHistory, HistoryRow, Revision, Turn, is_at_home
from refcheck.model.place import LineRange, Place
from refcheck.model.verdict import Changed, Gone, Holds, Moved, Undecided, Verdict
from refcheck.render.history import history_text

CITED = Place("toy/pool.py", LineRange(4, 6), "Pool.step")
HELD = Holds("as cited", CITED)
LOWER = Moved("at L9-L11", Place("toy/pool.py", LineRange(9, 11), "Pool.step"))
ELSEWHERE = Moved("in toy/other.py", Place("toy/other.py", LineRange(4, 6), "Pool.step"))
RENAMED = Moved("in Basin.step", Place("toy/pool.py", LineRange(4, 6), "Basin.step"))
REVISIONS = [Revision(f"release:{number}.0") for number in range(3)]


def row(id_: str, *verdicts: Verdict) -> HistoryRow:
    cells = tuple(Cell(revision, verdict) for revision, verdict in zip(REVISIONS, verdicts, strict=True))
    turns = tuple(
        Turn(here.revision, before.verdict, here.verdict, before.revision)
        for before, here in pairwise(cells)
        if type(before.verdict) is not type(here.verdict)
    )
    return HistoryRow(id_, "anchor", cells, turns, cited=CITED)


ROWS = {
    "held": row("held", HELD, HELD, HELD),
    "lower": row("lower", HELD, LOWER, LOWER),
    "elsewhere": row("elsewhere", HELD, ELSEWHERE, LOWER),
    "renamed": row("renamed", RENAMED, RENAMED, RENAMED),
    "doubt": row("doubt", HELD, Undecided("two places", codes.AMBIGUOUS), HELD),
    "stopped": row("stopped", HELD, Changed("edited", CITED), HELD),
    "there": row("there", *[Holds("no text is recorded", CITED, code=codes.EXISTS)] * 3),
    "never": row("never", Gone("gone"), Gone("gone"), Gone("gone")),
}


def shown(*names: str, quiet: bool = False) -> str:
    rows = tuple(ROWS[name] for name in names)
    history = EngineHistory("toy", "toy", "releases", tuple(REVISIONS), rows, 3, "releases")
    return history_text(history, quiet=quiet, width=200)


@pytest.mark.parametrize(
    ("name", "fate"),
    [
        ("held", "1 held throughout"),
        ("lower", "1 moved and intact"),
        ("elsewhere", "1 moved and intact"),
        ("renamed", "1 moved and intact"),
        ("doubt", "1 undecided at times"),
        ("stopped", "1 stopped"),
        ("there", "1 only known to be there (no fingerprint)"),
        ("never", "1 never held"),
    ],
)
def test_each_row_has_one_fate(name: str, fate: str) -> None:
    assert fate in shown(name).splitlines()[-1]


def test_the_numbers_add_up() -> None:
    last = shown(*ROWS).splitlines()[-1]
    assert last.startswith("8 rows: ")
    assert sum(map(int, re.findall(r"\d+", last.partition(": ")[2]))) == 8


def test_moved_lines_have_the_sign_of_moved() -> None:
    (line,) = [line for line in shown("lower").splitlines() if line.startswith("lower")]
    assert "✓ → →" in line


def test_what_is_only_there_has_no_sign_of_holding() -> None:
    lines = shown("there", "held").splitlines()
    assert any(line.startswith("there · · ·") for line in lines)
    assert any(line.startswith("held  ✓ ✓ ✓") for line in lines)
    assert any(line.endswith("· there") for line in lines)
    assert "· there" not in shown("held")
    # Once it is gone, that is said as of any other.
    there = ROWS["there"].verdicts[0]
    gone = EngineHistory("toy", "toy", "releases", tuple(REVISIONS), (row("x", there, Gone("gone"), there),), 3, "r")
    assert "1 stopped" in history_text(gone, width=200)


def test_quiet_leaves_out_what_only_moved_within_its_definition() -> None:
    text = shown(*ROWS, quiet=True)
    for name in ("elsewhere", "renamed", "doubt", "stopped", "never"):
        assert re.search(rf"^{name}\b", text, re.MULTILINE)
    for name in ("held", "lower", "there"):
        assert not re.search(rf"^{name}\b", text, re.MULTILINE)


@pytest.mark.parametrize(
    ("verdict", "home"), [(HELD, True), (LOWER, True), (ELSEWHERE, False), (RENAMED, False), (Gone("gone"), False)]
)
def test_home_is_the_file_and_the_definition(verdict: Verdict, home: bool) -> None:
    assert is_at_home(verdict, CITED) is home
