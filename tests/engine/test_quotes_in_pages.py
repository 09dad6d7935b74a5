"""Quotes as people make them, each said by name; and blocks that are no quotes, which are not mentioned."""

from __future__ import annotations

import pytest

from tests.engine.pages import check_page, only, summary

FILE = "toy/core.py"
SOURCE = '''\
import os

class Pool:
    """Keeps rows.

    A long text.
    """

    def set_rows(
        self,
        rows: int,
        scale: float = 1.0,
    ) -> None:
        """Store the rows,
        all of them."""
        # Grow first.
        kept = rows + self.size
        if kept > self.limit:
            raise ValueError(kept)

        self.kept = kept
        self.scale = scale * 2
        self.notify(self.kept)

    def shape(self):
        """The shape."""
        rows = self.size + self.page
        return (rows, self.width, ...)
'''
LINES = SOURCE.split("\n")


def block(first: int, last: int, dedent: int = 0) -> str:
    return "\n".join(line[dedent:] for line in LINES[first - 1 : last])


def page(location: str, code: str, language: str = "python") -> str:
    return f"Words.\n\n`{FILE}:{location}`\n\n```{language}\n{code}\n```\n"


CASES = [
    ("as it stands", "L9-L13", block(9, 13), "holds", "holds", ""),
    ("dedented", "L17-L19", block(17, 19, 8), "holds", "holds", ""),
    ("blank line dropped", "L18-L21", block(18, 21).replace("\n\n", "\n"), "imprecise", "holds", "blank line L20"),
    ("a marked cut", "L17-L23", f"{block(17, 17)}\n        # ...\n{block(21, 23)}", "holds", "holds", "elision"),
    ("an ellipsis that is source", "L25-L28", block(25, 28), "holds", "holds", ""),
    ("an unmarked cut in a longer range", "L17-L23", f"{block(17, 17)}\n{block(22, 23)}", "imprecise", "holds", "without a mark"),
    ("a translated comment", "L16-L19", block(16, 19).replace("# Grow first.", "# 先扩容。"), "imprecise", "holds", "comments differ"),
    ("an added comment", "L17-L19", block(17, 19).replace("self.size", "self.size  # more"), "imprecise", "holds", "comments differ"),
    ("a note of a line's number", "L17-L19", block(17, 19).replace("self.size", "self.size  # L17"), "holds", "holds", "notes of line numbers"),
    ("re-wrapped", "L9-L13", "    def set_rows(self, rows: int,\n        scale: float = 1.0,) -> None:", "imprecise", "holds", "line breaks differ"),
    ("numbered lines", "L17-L19", "\n".join(f"{n}: {LINES[n - 1]}" for n in range(17, 20)), "holds", "holds", "line numbers"),
    ("one word changed", "L17-L19", block(17, 19).replace("limit", "bound"), "changed", "changed", ""),
    ("another place", "L21-L23", block(17, 19), "holds", "moved", ""),
    ("wider", "L16-L21", block(17, 19), "holds", "imprecise", ""),
    ("something else", "L17-L19", "completely = different\nfrom_it = everything\nhere = True", "gone", "gone", ""),
]  # fmt: skip


@pytest.mark.parametrize(("what", "location", "code", "quote", "lines", "says"), CASES, ids=[case[0] for case in CASES])
def test_shapes_of_quotes(what: str, location: str, code: str, quote: str, lines: str, says: str) -> None:
    del what
    report = check_page(page(location, code), {FILE: SOURCE})
    on_quote, on_lines = only(report, "quote"), only(report, "location")
    got = {row[0]: row[1] for row in summary(report)}
    assert got == {"quote": quote, "location": lines}, (on_quote.verdict.message, on_lines.verdict.message)
    assert says in on_quote.verdict.message


def test_a_diff_shows_its_new_side() -> None:
    code = "@@ -17,3 +17,3 @@\n-        kept = rows\n+        kept = rows + self.size\n         if kept > self.limit:\n             raise ValueError(kept)"
    report = check_page(page("L17-L19", code, "diff"), {FILE: SOURCE})
    assert {row[0]: row[1] for row in summary(report)} == {"quote": "holds", "location": "holds"}
    assert "new side of a diff" in only(report, "quote").verdict.message


def test_an_added_engine_line_is_no_cut() -> None:
    changed = SOURCE.replace("        rows: int,\n", "        rows: int,\n        mask: int,\n")
    report = check_page(page("L9-L13", block(9, 13)), {FILE: changed})
    assert {row[1] for row in summary(report)} == {"changed"}


def test_a_quote_without_location_is_found_by_content() -> None:
    text = f"Words.\n\n```python\n{block(17, 23)}\n```\n"
    report = check_page(text, {FILE: SOURCE, "toy/other.py": "x = 1\n"})
    assert summary(report) == [("quote", "holds", "RC000")]
    place = only(report, "quote").verdict
    assert "toy/core.py:L17-L23" in place.message


def test_twins_are_undecided_until_the_paragraph_names_one() -> None:
    files = {FILE: SOURCE, "toy/v2/core2.py": SOURCE}
    code = f"```python\n{block(17, 23)}\n```\n"
    report = check_page(f"Words.\n\n{code}", files)
    assert summary(report) == [("quote", "undecided", "RC401")]
    report = check_page(f"Words.\n\n{code}\nIn `toy/v2/core2.py:L4` the class begins.\n", files)
    assert [row for row in summary(report) if row[0] == "quote"] == [("quote", "holds", "RC000")]


@pytest.mark.parametrize(
    "code",
    [
        "```bash\npip install toy\ntoy serve --port 8000\n```",
        "```python\nfrom toy import Pool\n\npool = Pool(4)\npool.set_rows(3)\nprint(pool.shape())\n```",
        "```console\n$ python -m toy\nINFO core.py:17] kept\n```",
        "```yaml\nname: x\nsteps: 3\nmore: [1, 2, 3]\n```",
    ],
)
def test_examples_are_no_quotes(code: str) -> None:
    assert summary(check_page(f"Words.\n\n{code}\n", {FILE: SOURCE})) == []


def test_two_quotes_in_one_block_are_parted() -> None:
    code = f"{block(9, 13)}\n\n{block(25, 28)}"
    report = check_page(f"Words.\n\n```python\n{code}\n```\n", {FILE: SOURCE})
    assert summary(report) == [("quote", "holds", "RC000")] * 2


LONG = block(16, 22)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (LONG.replace("self.limit", "self.bound"), [("quote", "imprecise", "RC110")]),
        (LONG.replace("rows + self.size", "rows - self.size"), [("quote", "imprecise", "RC110")]),
        (LONG, [("quote", "holds", "RC000")]),
        ("pool = Pool()\nfor rows in range(3):\n    pool.set_rows(rows)\nshape = pool.shape()\nprint(shape, rows)", []),
    ],
)
def test_a_copy_with_a_slip_is_noticed_without_a_location(code: str, expected: list[tuple[str, str, str]]) -> None:
    report = check_page(f"Words.\n\n```python\n{code}\n```\n", {FILE: SOURCE})
    assert summary(report) == expected


def test_a_quote_whose_file_is_mistyped_says_where_it_stands() -> None:
    report = check_page(f"`toy/coer.py:L16-L22`\n\n```python\n{LONG}\n```\n", {FILE: SOURCE})
    assert {row[:2] for row in summary(report)} == {("quote", "moved"), ("location", "moved")}
    assert "toy/core.py:L16-L22" in only(report, "quote").verdict.message
    two = {FILE: SOURCE, "toy/other.py": SOURCE}
    report = check_page(f"`toy/coer.py:L16-L22`\n\n```python\n{LONG}\n```\n", two)
    assert [row[1] for row in summary(report)] == ["undecided"]


def test_notes_of_line_numbers_are_compared() -> None:
    right = "\n".join(f"{LINES[n - 1]}  # L{n}" for n in range(16, 20) if LINES[n - 1].strip())
    report = check_page(page("L16-L19", right), {FILE: SOURCE})
    assert "the note" not in only(report, "quote").verdict.message
    report = check_page(page("L16-L19", right.replace("# L18", "# L81")), {FILE: SOURCE})
    assert "the note L81 stands beside L18" in only(report, "quote").verdict.message


def test_a_range_that_runs_past_the_end_is_no_place() -> None:
    report = check_page(f"See `{FILE}:L20-L900`.\n", {FILE: SOURCE})
    assert summary(report) == [("location", "gone", "RC409")]


def test_an_engine_named_in_the_sentence_is_the_one_meant() -> None:
    files, others = {"toy/sched.py": "a = 1\nb = 2\n"}, {"other/sched.py": "c = 3\nd = 4\n"}
    text = "First `toy/sched.py:L1`. Then other's `sched.py:L2`.\n"
    report = check_page(text, files, others=others)
    assert [f.engine for f in report.findings] == ["toy", "other"]


def test_a_block_of_marks_shows_nothing() -> None:
    report = check_page(page("L16-L19", "# ..."), {FILE: SOURCE})
    assert [row[0] for row in summary(report)] == ["location"]


def test_an_altered_quote_after_a_sentence_is_no_example_where_it_is_as_long_as_its_range() -> None:
    code = block(17, 18).replace("self.limit", "self.bound").replace("rows + self.size", "rows - self.size")
    text = f"The start is at `{FILE}:L17-L18`:\n\n```python\n{code}\n```\n"
    report = check_page(text, {FILE: SOURCE})
    assert {row[1] for row in summary(report)} <= {"changed", "gone"}, summary(report)
    assert report.findings
    example = "pool = Pool()\npool.set_rows(3)\nprint(pool)\nprint(pool.shape())\n"
    text = f"See how it is used, after `{FILE}:L15-L16`:\n\n```python\n{example}\n```\n"
    assert {row[0] for row in summary(check_page(text, {FILE: SOURCE}))} == {"location"}


def content_page(code: str) -> str:
    return f"Words.\n\n```python\n{code}\n```\n"


INTERFACE = """\
def apply_weights(
    self,
    layer: Layer,
    rows: Rows,
    scale: float = 1.0,
) -> Rows:
    ...
"""


@pytest.mark.parametrize(
    ("what", "code", "files"),
    [
        ("imports", "from toy.sched.queue import Queue, Entry\nfrom toy.sched.steps import Step, StepOutput",
         {FILE: "from toy.sched.queue import Queue, Entry\nfrom toy.sched.steps import Step, StepOutput\n"}),
        ("an import among lines of one's own", "from toy.sched.queue import QueueRegistry, QueueEntry, Registered\n\nQueueRegistry.add(Mine())",
         {FILE: "from toy.sched.queue import QueueRegistry, QueueEntry, Registered\n"}),
        ("imports over several lines", "from toy.sched.queue import (\n    Queue,\n    Entry,\n)",
         {FILE: "from toy.sched.queue import (\n    Queue,\n    Entry,\n)\n"}),
        ("a signature that every implementation has", INTERFACE, {f"toy/layers/l{n}.py": INTERFACE for n in range(6)}),
        ("lines that several files share", INTERFACE.replace("    ...", "    return mine(layer, rows)"),
         {f"toy/layers/l{n}.py": INTERFACE.replace("...", f"return {n}") for n in range(3)}),
    ],
    ids=lambda value: value if isinstance(value, str) and "\n" not in value else "",
)  # fmt: skip
def test_what_examples_share_with_the_engine_is_no_quote(what: str, code: str, files: dict[str, str]) -> None:
    del what
    assert summary(check_page(content_page(code), files)) == []


def test_blank_lines_of_a_block_without_location_are_mentioned_and_nothing_more() -> None:
    report = check_page(content_page(block(17, 23).replace("\n\n", "\n")), {FILE: SOURCE})
    assert summary(report) == [("quote", "holds", "RC000")]
    assert "blank line L20" in only(report, "quote").verdict.message


def test_few_twins_are_shown() -> None:
    files = {f"toy/l{n}.py": SOURCE for n in range(4)}
    report = check_page(content_page(block(17, 23)), files)
    assert summary(report) == [("quote", "undecided", "RC401")]


def test_locations_in_comments_of_the_quoted_code_are_the_engines_own() -> None:
    source = SOURCE.replace("# Grow first.", "# Grow first, as in lib/other.py#L40.")
    code = source.split("\n")
    quoted = "\n".join(code[8:19])
    assert summary(check_page(page("L9-L19", quoted), {FILE: source})) == [
        ("location", "holds", "RC000"),
        ("quote", "holds", "RC000"),
    ]
    of_the_page = quoted.replace("# Grow first, as in lib/other.py#L40.", "# As in lib/another.py#L40.")
    kinds = [row[:2] for row in summary(check_page(page("L9-L19", of_the_page), {FILE: source}))]
    assert ("location", "undecided") in kinds
    # A comment of the code with an address of its own does not part the quote.
    linked = SOURCE.replace("# Grow first.", "# See https://git.example/elsewhere/lib/blob/main/src/grow.py#L40")
    quoted = "\n".join(linked.split("\n")[8:23])
    for location in ("L9-L23",):
        text = f"Words.\n\n```python\n# {FILE}:{location}\n{quoted}\n```\n"
        assert [row[1:] for row in summary(check_page(text, {FILE: linked}))] == [("holds", "RC000")] * 2


TALKING = '''\
class Pool:
    def get(self, size: int) -> Row:
        """Takes a row out.

        Raises:
            ValueError: If there is none.

        >>> pool.get(3)
        Row(3)
        WARNING: slow
        """
        if size > self.limit:
            raise ValueError(size)
        return self.rows.pop()
'''


@pytest.mark.parametrize("language", ["python", ""])
def test_what_docstrings_say_is_no_console_output(language: str) -> None:
    code = "\n".join(TALKING.split("\n")[1:14])
    report = check_page(page("L2-L14", code, language), {FILE: TALKING})
    assert [row[:2] for row in summary(report)] == [("location", "holds"), ("quote", "holds")]


def both(location: str, code: str, source: str = SOURCE, language: str = "python") -> dict[str, str]:
    return {row[0]: row[1] for row in summary(check_page(page(location, code, language), {FILE: source}))}


def test_indentation_is_a_part_of_the_code() -> None:
    out_of_the_if = block(17, 19).replace("            raise", "        raise")
    assert both("L17-L19", out_of_the_if) == {"quote": "changed", "location": "changed"}
    with_comment = out_of_the_if.replace("kept = rows + self.size", "kept = rows + self.size  # more")
    assert both("L17-L19", with_comment)["quote"] == "changed"
    # Inside of brackets it is not, which is said.
    report = check_page(page("L9-L13", block(9, 13).replace("        rows", "    rows")), {FILE: SOURCE})
    assert summary(report)[1][1] == "imprecise"
    assert "continued lines" in only(report, "quote").verdict.message


TWO = """\
class Pool:
    def first(self, rows):
        kept = rows + self.size
        self.count = kept
        self.notify(kept)
        return self.kept

    def second(self, rows):
        if rows > self.limit:
            self.notify(rows)
        else:
            self.other(rows)
        return self.total_of_rows

    def third(self, rows):
        return rows
"""
TWO_LINES = TWO.split("\n")


def of_two(*parts: tuple[int, int], mark: str = "        # ...", dedent: int = 0) -> str:
    return f"\n{mark}\n".join("\n".join(line[dedent:] for line in TWO_LINES[a - 1 : b]) for a, b in parts)


@pytest.mark.parametrize(
    ("what", "code", "location", "quote"),
    [
        ("within a definition", of_two((2, 3), (6, 6)), "L2-L6", "holds"),
        ("a mark at column 0", of_two((2, 3), (6, 6), mark="# ..."), "L2-L6", "holds"),
        ("dedented as a whole", of_two((2, 3), (6, 6), dedent=4), "L2-L6", "holds"),
        ("methods of a class", of_two((1, 3), (8, 10), (15, 16)), "L1-L16", "holds"),
        ("from one definition into another", of_two((2, 3), (13, 13)), "L2-L6", "changed"),
        ("into another, in the cited range", of_two((2, 3), (13, 13)), "L2-L13", "imprecise"),
        ("past an else", of_two((9, 9), (12, 12), mark="            # ..."), "L9-L12", "imprecise"),
        ("parts indented otherwise", of_two((2, 3)) + "\n# ...\n" + TWO_LINES[5][4:], "L2-L6", "imprecise"),
    ],
    ids=lambda value: value if isinstance(value, str) and "\n" not in value else "",
)
def test_what_an_elision_may_carry_over(what: str, code: str, location: str, quote: str) -> None:
    del what
    report = check_page(page(location, code), {FILE: TWO})
    assert {row[0]: row[1] for row in summary(report)}["quote"] == quote, only(report, "quote").verdict.message


def test_whole_definitions_and_docstrings_may_be_left_out_without_a_range() -> None:
    def quoted(code: str) -> tuple[str, str]:
        report = check_page(f"Words.\n\n```python\n# {FILE}\n{code}\n```\n", {FILE: TWO + DOCUMENTED})
        verdict = only(report, "quote").verdict
        return summary(report)[0][1], verdict.message

    lines = TWO_LINES
    skeleton = "\n".join([*lines[:6], *lines[14:16]])
    assert quoted(skeleton)[0] == "imprecise"
    assert "whole definitions left out" in quoted(skeleton)[1]
    # A line of a definition that is shown is no whole definition.
    assert quoted("\n".join([*lines[:4], lines[5], *lines[14:16]]))[0] == "changed"
    bare = "\n".join([DOCUMENTED.split("\n")[0], *DOCUMENTED.split("\n")[3:]]).rstrip()
    assert quoted(bare)[0] == "imprecise"
    assert "docstring left out" in quoted(bare)[1]
    assert quoted(bare.replace("rows + 1", "rows + 2"))[0] == "changed"


DOCUMENTED = '''\
def free_rows(rows, limit):
    """Says how many.
    """
    counted = rows + 1
    return limit - counted
'''


@pytest.mark.parametrize(
    ("listing", "says"),
    [
        ([f"{n:3d} | {{}}" for n in range(17, 20)], ""),
        ([f"{n}:{{}}" for n in range(17, 20)], ""),
        ([f"{n}  {{}}" for n in range(1, 4)], ""),
        ([f"{n:<4d}{{}}" for n in (9, 10, 11)], "stands beside"),
        ([f"{n:3d} | {{}}" for n in (17, 18, 29)], "the number 29 stands beside L19"),
        ([f"{n}  {{}}" for n in (1, 2, 4)], "the number 4"),
    ],
)
def test_listings_keep_their_indentation_and_their_numbers_are_compared(listing: list[str], says: str) -> None:
    code = "\n".join(form.format(LINES[n - 1]) for form, n in zip(listing, range(17, 20), strict=True))
    report = check_page(page("L17-L19", code), {FILE: SOURCE})
    verdict = only(report, "quote").verdict
    assert summary(report)[1][1] == ("imprecise" if says else "holds"), verdict.message
    assert says in verdict.message
    changed = code.replace("            raise", "        raise")
    assert {row[1] for row in summary(check_page(page("L17-L19", changed), {FILE: SOURCE}))} == {"changed"}


def test_dots_inside_a_line_stand_for_what_they_hide() -> None:
    code = "    def set_rows(...) -> None:\n" + block(14, 19)
    report = check_page(page("L9-L19", code), {FILE: SOURCE})
    assert [row[1] for row in summary(report)] == ["holds", "holds"]
    assert "elision inside a line" in only(report, "quote").verdict.message
    assert both("L9-L19", code.replace("-> None", "-> int"))["quote"] == "changed"
    assert both("L9-L19", code.replace("            raise", "        raise"))["quote"] == "changed"
    # What is hidden closes the brackets that it opens.
    assert both("L9-L13", "    def set_rows(self, ... -> None:")["quote"] != "holds"


def test_loose_twins_are_undecided_unless_the_lines_tell() -> None:
    twice = SOURCE + "\n\nclass Twin:\n" + "\n".join(LINES[8:23]) + "\n"
    code = block(16, 19).replace("# Grow first.", "# 先扩容。")
    assert both("L16-L19", code, twice) == {"quote": "imprecise", "location": "holds"}
    assert both("L14-L17", code, twice) == {"quote": "imprecise", "location": "moved"}
    report = check_page(f"Words.\n\n```python\n# {FILE}\n{code}\n```\n", {FILE: twice})
    assert summary(report) == [("quote", "undecided", "RC401")]


def test_every_hunk_of_a_diff_is_compared() -> None:
    code = (
        "@@ -9,3 +9,3 @@\n     def set_rows(\n         self,\n-        rows: float,\n+        rows: int,\n"
        "@@ -21,2 +21,2 @@\n         self.kept = kept\n         self.scale = scale * 2"
    )
    assert both("L9-L22", code, language="diff") == {"quote": "holds", "location": "holds"}
    assert both("L9-L22", code.replace("scale * 2", "scale * 3"), language="diff")["quote"] == "changed"
    after_a_sentence = f"It is in `{FILE}:L9-L22`:\n\n```diff\n{code}\n```\n"
    assert {row[1] for row in summary(check_page(after_a_sentence, {FILE: SOURCE}))} == {"holds"}


@pytest.mark.parametrize(
    ("symbol", "verdict"),
    [
        ("Pool.set_rows", "holds"),
        ("set_rows", "holds"),
        ("Pool", "holds"),
        ("Pool.shape", "imprecise"),
        ("Pool.put_rows", "imprecise"),
        ("Note", "holds"),
    ],
)
def test_a_definition_named_with_a_quote_is_the_one_that_it_stands_in(symbol: str, verdict: str) -> None:
    for first in (16, 17):
        text = f"Words.\n\n```python\n# {FILE}:L{first}-L19 · {symbol}\n{block(first, 19)}\n```\n"
        report = check_page(text, {FILE: SOURCE})
        assert {row[0]: row[1] for row in summary(report)} == {"quote": "holds", "location": verdict}
    bare = f"Words.\n\n```python\n# {FILE} · {symbol}\n{block(16, 19)}\n```\n"
    assert summary(check_page(bare, {FILE: SOURCE}))[0][1] == verdict


def headed(location: str, code: str, files: dict[str, str] | None = None) -> dict[str, str]:
    """Verdicts on the quote under a header, and on the header's location; those on notes are left out."""
    report = check_page(f"Words.\n\n```python\n# {FILE}{location}\n{code}\n```\n", files or {FILE: SOURCE})
    header = min(f.line or 0 for f in report.findings)
    return {
        row[0]: row[1]
        for row, f in zip(summary(report), report.findings, strict=True)
        if f.kind.value == "quote" or f.line == header
    }


NOTED = (
    "    def set_rows(  # L9\n    ...\n        kept = rows + self.size  # L17\n        self.notify(self.kept)  # L23"
)


def test_numbers_beside_lines_show_what_is_left_out_between_them() -> None:
    assert headed(":L9", NOTED) == {"location": "holds", "quote": "holds"}
    assert headed(":L9", NOTED.replace("  # L23", "")) != {"location": "holds", "quote": "holds"}
    assert headed(":L9", NOTED.replace("# L23", "# L22"))["quote"] != "holds"
    assert headed(":L9", NOTED.replace("rows + self", "rows - self"))["quote"] in ("changed", "gone")


def test_one_number_says_where_a_block_begins() -> None:
    assert headed(":L17", block(17, 23)) == {"location": "holds", "quote": "holds"}
    assert headed(":L18", block(17, 23)) == {"location": "imprecise", "quote": "holds"}
    assert headed(":L16", block(17, 23)) == {"location": "moved", "quote": "holds"}


@pytest.mark.parametrize("location", ["", ":L17"])
def test_a_text_that_stands_everywhere_moved_nowhere(location: str) -> None:
    files = {FILE: SOURCE, "toy/other.py": "y = 2\nx = 1\n"}
    assert "moved" not in headed(location, "x = 1", files).values()
    long = "self.maximum_of_rows = self.configured_limit_of_rows"
    files = {FILE: SOURCE, "toy/other.py": f"y = 2\n{long}\n"}
    assert headed(":L17", long, files) == {"location": "moved", "quote": "moved"}


def test_what_white_space_and_commas_say() -> None:
    source = 'def f(name: str):\n    message = "a b of the thing that is long"\n    pair = (message, "tail of it")\n    return pair\n'
    quoted = "\n".join(source.split("\n")[1:4])
    found = {
        what: both("L2-L4", quoted.replace(old, new), source)["quote"]
        for what, old, new in (
            ("as it stands", "", ""),
            ("spaces of code", "= (message", "=  (message"),
            ("spaces of a string", "a b of", "ab of"),
            ("a wrapped tuple", '(message, "tail of it")', '(\n        message,\n        "tail of it",\n    )'),
            ("a tuple of one", '(message, "tail of it")', "(message,)"),
            ("a comma more", '"tail of it")', '"tail of it",)'),
        )
    }
    assert found == {
        "as it stands": "holds",
        "spaces of code": "imprecise",
        "spaces of a string": "changed",
        "a wrapped tuple": "imprecise",
        "a tuple of one": "changed",
        "a comma more": "changed",
    }
    one_line = "    def set_rows(self, rows: int, scale: float = 1.0) -> None:"
    assert both("L9-L13", one_line) == {"quote": "imprecise", "location": "holds"}
    assert both("L9-L13", one_line.replace("1.0", "0.5"))["quote"] in ("changed", "gone")


def test_a_sign_of_a_comment_inside_a_string_begins_none() -> None:
    source = 'def f(url: str):\n    first = join(url, "a #1")  # one\n    second = join(first, "b")\n'
    quoted = "\n".join(source.split("\n")[1:3])
    assert both("L2-L3", quoted.replace("# one", "# 一"), source)["quote"] == "imprecise"
    assert both("L2-L3", quoted.replace("#1", "#2"), source)["quote"] == "changed"


def test_of_several_ends_behind_an_elision_the_cited_one_is_meant() -> None:
    source = (
        "def f(rows):\n    if rows:\n        go(rows)\n    stop()\n    for one in rows:\n        go(one)\n    stop()\n"
    )
    code = "def f(rows):\n    # ...\n    stop()"
    assert both("L1-L7", code, source) == {"quote": "holds", "location": "holds"}
    assert both("L1-L4", code, source) == {"quote": "holds", "location": "holds"}
    assert both("L1-L6", code, source)["location"] == "imprecise"


def test_a_diff_without_removed_lines_has_one_side() -> None:
    code = "@@ -17,2 +17,3 @@\n         kept = rows + self.size\n+        if kept > self.limit:\n+            raise KeyError(kept)"
    assert both("L17-L19", code, language="diff")["quote"] == "changed"


def test_a_slip_between_parts_that_stand_is_noticed() -> None:
    long = "\n\n".join(
        "\n".join(f"    value_{part}_{n} = self.compute(rows[{part}], {n})" for n in range(5)) for part in range(4)
    )
    source = f"def make_all(self, rows):\n{long}\n    return rows\n"
    slipped = source.replace("rows[1], 2", "rows[1], 3")
    rows = summary(check_page(content_page(slipped), {FILE: source}))
    assert ("quote", "imprecise", "RC110") in rows
    assert {row[1] for row in summary(check_page(content_page(source), {FILE: source}))} == {"holds"}
    # An example that was made from the engine's code, with more of its own.
    own = "\n\n".join("\n".join(f"    mine_{n} = other_thing({n}, {part})" for n in range(5)) for part in range(3))
    example = source.replace("    return rows\n", f"\n{own}\n\n    return mine_1\n")
    assert {row[1] for row in summary(check_page(content_page(example), {FILE: source}))} == {"holds"}


def test_a_block_without_location_says_how_it_was_changed() -> None:
    translated = block(16, 23).replace("# Grow first.", "# 先扩容。")
    report = check_page(content_page(translated), {FILE: SOURCE})
    assert ("quote", "imprecise", "RC105") in summary(report)
    assert any("comments differ" in f.verdict.message for f in report.findings)


def test_of_several_beginnings_around_an_elision_the_cited_one_is_meant() -> None:
    source = "".join(f"def f{n}(rows):\n    go(rows)\n    keep(rows, {n})\n    stop(rows)\n\n\n" for n in range(3))
    code = "    go(rows)\n    # ...\n    stop(rows)"
    assert both("L8-L10", code, source) == {"quote": "holds", "location": "holds"}
    assert both("L20-L22", code, source)["location"] == "undecided"


def test_dots_that_are_source_hide_no_line() -> None:
    source = "def f(\n    first: Callable[..., None],\n    second: Callable[..., None],\n    third: int,\n):\n    return first\n"
    code = "\n".join(line for line in source.split("\n")[:6] if "second" not in line)
    assert both("L1-L6", code, source)["quote"] != "holds"
    assert both("L1-L6", "\n".join(source.split("\n")[:6]), source) == {"quote": "holds", "location": "holds"}


@pytest.mark.parametrize(
    ("numbers", "verdict", "says"),
    [
        # The code stands in one column, and the numbers grow by a digit inside of the body.
        ((9, 10, 11, 12), "imprecise", "the number 9 stands beside L25"),
        ((25, 26, 27, 28), "holds", ""),
        ((97, 98, 99, 100), "imprecise", "the number 97 stands beside L25"),
        ((98, 99, 100, 101), "imprecise", "the number 98 stands beside L25"),
    ],
)
def test_numbers_of_a_listing_that_grow_by_a_digit(numbers: tuple[int, ...], verdict: str, says: str) -> None:
    shown = block(25, 28, 4).split("\n")
    code = "\n".join(f"{number:<4d}{line}" for number, line in zip(numbers, shown, strict=True))
    report = check_page(page("L25-L28", code), {FILE: SOURCE})
    found = only(report, "quote").verdict
    assert summary(report)[1][1] == verdict, found.message
    assert says in found.message


def test_lines_that_are_only_indented_otherwise_are_said_to_be() -> None:
    code = block(25, 28, 4).replace("    rows", "        rows")
    report = check_page(page("L25-L28", code), {FILE: SOURCE})
    assert "every line is there, indented otherwise" in only(report, "quote").verdict.message


DOCUMENTED_USE = '''\
def usage(self) -> float:
    """Says how full it is.

    Returns:
        A share (0.0 to 1.0).
    """
    return self.pool.get_usage()
'''


@pytest.mark.parametrize(
    ("code", "found"),
    [
        # Three telling lines and the header among them, one line changed.
        (DOCUMENTED_USE.replace("get_usage()", "get_usage() * 100"), True),
        # Too little of the rest stands, or the header is another.
        ('def usage(self) -> float:\n    """Says how full it is.\n\n    A share (0.0 to 1.0).\n    """\n    x = 1\n    y = 2\n', False),
        (DOCUMENTED_USE.replace("def usage", "def fullness").replace("get_usage()", "get_usage() * 100"), False),
    ],
)  # fmt: skip
def test_a_short_documented_definition_with_a_slip_is_noticed(code: str, found: bool) -> None:
    rows = summary(check_page(f"Words.\n\n```python\n{code}```\n", {FILE: f"import os\n\n\n{DOCUMENTED_USE}"}))
    assert rows == ([("quote", "imprecise", "RC110")] if found else [])
