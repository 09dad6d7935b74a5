"""Verdicts on quotes and locations, from a tree that is changed on purpose."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from refcheck.claims.cited import Cited, judge_location, judge_quote
from refcheck.locate.find import find_text
from refcheck.locate.fingerprint import fingerprint, parse_fingerprint
from refcheck.locate.pattern import Pattern, literal_pattern
from refcheck.locate.reader import TreeReader
from refcheck.locate.search import search_tree
from refcheck.model.place import LineRange
from refcheck.model.verdict import Verdict, place_of, verdict_name
from tests.support.trees import MemoryTree

PATH = "toy/core.py"
SOURCE = '''\
import os


class Pool:
    """Keeps rows."""

    size: int = 16
    causal: bool = True

    def set_rows(
        self,
        rows: int,
        scale: float = 1.0,
    ) -> None:
        """Store the rows."""
        kept = rows + self.size
        if kept > self.limit:
            raise ValueError(kept)
        self.kept = kept

    def shape(self) -> tuple[int, int]:
        rows = self.size + self.page
        return (rows, self.width)
'''
OTHER = "def unrelated():\n    return 1\n"
QUOTED = LineRange(10, 18)


def quoted_pattern(hashed: bool) -> Pattern:
    lines = tuple(SOURCE.split("\n")[QUOTED.first - 1 : QUOTED.last])
    pattern = literal_pattern(lines)
    return parse_fingerprint(fingerprint(pattern)) if hashed else pattern


def judge(
    files: dict[str, str | bytes], cited: Cited, pattern: Pattern, *, exact: bool = True
) -> tuple[Verdict, Verdict]:
    tree = MemoryTree(files, exact=exact)
    reader = TreeReader(tree)
    outcome = find_text(
        pattern,
        reader,
        cited.path,
        symbol=cited.symbol,
        lines=cited.lines if exact else None,
        search=lambda p: search_tree([p], reader, list(tree.paths()))[0],
    )
    return judge_quote(outcome, pattern, cited, reader), judge_location(outcome, pattern, cited, reader)


Change = Callable[[str], str]
CASES: list[tuple[str, Change, str, str, tuple[int, int] | None]] = [
    ("nothing", lambda s: s, "holds", "holds", (10, 18)),
    ("200 blank lines above", lambda s: "\n" * 200 + s, "holds", "moved", (210, 218)),
    ("a comment above", lambda s: "# hello\n" + s, "holds", "moved", (11, 19)),
    ("a line edited", lambda s: s.replace("kept = rows + self.size", "kept = rows - self.size"), "changed", "changed", (10, 18)),
    ("a default flipped", lambda s: s.replace("scale: float = 1.0", "scale: float = 0.5"), "changed", "changed", (10, 18)),
    ("a parameter added", lambda s: s.replace("rows: int,\n", "rows: int,\n        mask: int,\n"), "changed", "changed", (10, 19)),
    ("a quoted line deleted", lambda s: s.replace("            raise ValueError(kept)\n", ""), "changed", "changed", (10, 17)),
    ("the function renamed", lambda s: s.replace("def set_rows(", "def put_rows("), "changed", "changed", (10, 18)),
    ("the signature on one line",
     lambda s: s.replace("\n        self,\n        rows: int,\n        scale: float = 1.0,\n    ", "self, rows: int, scale: float = 1.0"),
     "changed", "changed", (10, 15)),
    ("the class indented deeper", lambda s: "if True:\n" + "\n".join("    " + x if x else x for x in s.split("\n")), "holds", "moved", (11, 19)),
    ("trailing space", lambda s: s.replace("self,\n", "self,   \n"), "holds", "holds", (10, 18)),
    ("CRLF", lambda s: s.replace("\n", "\r\n"), "holds", "holds", (10, 18)),
    ("a blank line inside", lambda s: s.replace("        kept = rows", "\n        kept = rows"), "imprecise", "imprecise", (10, 19)),
    ("the function copied into another class",
     lambda s: s + "\n\nclass Twin:\n" + "\n".join(s.split("\n")[9:19]) + "\n", "holds", "holds", (10, 18)),
    ("all of it gone", lambda s: "import os\n", "gone", "gone", None),
]  # fmt: skip


@pytest.mark.parametrize("hashed", [False, True], ids=["quoted text", "fingerprint"])
@pytest.mark.parametrize(("what", "change", "quote", "location", "lines"), CASES, ids=[case[0] for case in CASES])
def test_verdicts_follow_the_tree(
    what: str, change: Change, quote: str, location: str, lines: tuple[int, int] | None, hashed: bool
) -> None:
    cited = Cited(PATH, QUOTED, "Pool.set_rows")
    on_quote, on_location = judge({PATH: change(SOURCE), "toy/other.py": OTHER}, cited, quoted_pattern(hashed))
    assert (verdict_name(on_quote), verdict_name(on_location)) == (quote, location), (what, on_quote.message)
    found = place_of(on_quote)
    assert (found and found.lines and (found.lines.first, found.lines.last)) == lines


@pytest.mark.parametrize("hashed", [False, True])
def test_a_moved_file_is_found_and_a_deleted_one_is_gone(hashed: bool) -> None:
    cited = Cited(PATH, QUOTED, "Pool.set_rows")
    on_quote, on_location = judge({"toy/new/core.py": SOURCE}, cited, quoted_pattern(hashed))
    assert (verdict_name(on_quote), verdict_name(on_location)) == ("moved", "moved")
    assert str(place_of(on_location)) == "toy/new/core.py:L10-L18"
    on_quote, on_location = judge({"toy/other.py": OTHER}, cited, quoted_pattern(hashed))
    assert (verdict_name(on_quote), verdict_name(on_location)) == ("gone", "gone")


def test_two_equal_places_are_never_chosen_between() -> None:
    body = "\n".join(SOURCE.split("\n")[9:18])
    files: dict[str, str | bytes] = {"toy/a.py": f"class A:\n{body}\n", "toy/b.py": f"class B:\n{body}\n"}
    on_quote, _ = judge(files, Cited(PATH, QUOTED), quoted_pattern(False))
    assert verdict_name(on_quote) == "undecided"
    assert "2 places" in on_quote.message


@pytest.mark.parametrize(
    ("lines", "verdict", "says"),
    [
        (LineRange(10, 18), "holds", "exactly"),
        (LineRange(10, 20), "imprecise", "L19-L20 are not part of it"),
        (LineRange(11, 18), "imprecise", "names 8 of the 9 lines"),
        (LineRange(9, 18), "holds", "blank lines beside it"),
        (LineRange(9, 17), "moved", "1 line later"),
        (LineRange(500, 508), "moved", "past the end of the file"),
    ],
)
def test_ranges(lines: LineRange, verdict: str, says: str) -> None:
    _, on_location = judge({PATH: SOURCE}, Cited(PATH, lines, "Pool.set_rows"), quoted_pattern(True))
    assert verdict_name(on_location) == verdict
    assert says in on_location.message


def test_lines_cited_for_a_call_must_contain_it() -> None:
    source = SOURCE.replace("kept = rows + self.size", "kept = self._grow(rows)")
    signature = literal_pattern(tuple(source.split("\n")[9:14]))
    cited = Cited(PATH, LineRange(10, 14), "Pool.set_rows", call="_grow")
    _, on_location = judge({PATH: source}, cited, signature)
    assert verdict_name(on_location) == "imprecise"
    assert "only the signature" in on_location.message
    assert "L16" in on_location.message
    whole = literal_pattern(tuple(source.split("\n")[9:18]))
    _, on_location = judge({PATH: source}, Cited(PATH, LineRange(10, 18), "Pool.set_rows", call="_grow"), whole)
    assert verdict_name(on_location) == "holds"


def test_a_range_that_runs_past_its_symbol() -> None:
    recorded = quoted_pattern(True)
    shorter = SOURCE.replace("        if kept > self.limit:\n            raise ValueError(kept)\n", "")
    cited = Cited(PATH, LineRange(10, 19), "Pool.set_rows", covers_symbol=True)
    _, on_location = judge({PATH: shorter}, cited, recorded)
    assert verdict_name(on_location) == "imprecise"
    assert "2 lines past its end" in on_location.message


def test_lines_are_not_judged_on_another_revision() -> None:
    _, on_location = judge(
        {PATH: "\n" + SOURCE}, Cited(PATH, QUOTED, "Pool.set_rows"), quoted_pattern(True), exact=False
    )
    assert verdict_name(on_location) == "undecided"
    assert "L11-L19" in on_location.message


def test_what_an_archive_does_not_carry_is_not_gone() -> None:
    tree = MemoryTree({PATH: SOURCE}, carried=("toy/",))
    reader = TreeReader(tree)
    pattern = literal_pattern(("See the guide.",))
    cited = Cited("docs/guide.md", LineRange(3, 3))
    outcome = find_text(pattern, reader, cited.path)
    assert verdict_name(judge_quote(outcome, pattern, cited, reader)) == "undecided"
    assert verdict_name(judge_location(outcome, pattern, cited, reader)) == "undecided"
