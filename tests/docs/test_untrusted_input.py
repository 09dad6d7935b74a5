"""The list of attacks names tests that there are, and what happens, line by line."""

from __future__ import annotations

import ast
import re
from pathlib import Path

TESTS = Path(__file__).resolve().parents[1]
PAGE = TESTS.parent / "docs" / "untrusted-input.md"
_NAMED = re.compile(r"`([\w/]+\.py)::(\w+)`")


def rows() -> list[list[str]]:
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    cells = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines if line.startswith("| ")]
    return [row for row in cells if row[-1] != "tests"]


def _names_in(path: Path) -> set[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef) and node.name.startswith("test_")}


def test_every_named_test_exists() -> None:
    missing = [
        f"{path}::{name}"
        for path, name in _NAMED.findall(PAGE.read_text(encoding="utf-8"))
        if not (TESTS / path).is_file() or name not in _names_in(TESTS / path)
    ]
    assert missing == []


def test_every_line_says_what_happens_and_names_a_test() -> None:
    lines = rows()
    assert len(lines) > 40
    assert all(len(row) == 3 and row[0] and row[1] for row in lines), [row for row in lines if len(row) != 3]
    assert [row[0] for row in lines if not _NAMED.search(row[2])] == []


def test_no_test_of_an_attack_is_left_out() -> None:
    """What stands in the files that are about nothing else is on the page."""
    named = set(_NAMED.findall(PAGE.read_text(encoding="utf-8")))
    for path in ("cli/test_faults.py", "cli/test_untrusted_pages.py", "config/test_untrusted_editions.py"):
        assert {(path, name) for name in _names_in(TESTS / path)} <= named, path
