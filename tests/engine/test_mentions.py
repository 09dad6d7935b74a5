"""Locations without a quote: the cited lines must speak of what their sentence names."""

from __future__ import annotations

import pytest

from refcheck.model import codes
from refcheck.model.verdict import Level
from tests.engine.pages import check_page, summary

FILE = "toy/sched.py"
SOURCE = '''\
BLOCK_SIZE = 16


class Scheduler:
    """Chooses what runs."""

    max_tokens: int = 512

    def schedule(self, budget: int) -> int:
        """One step."""
        new_tokens = min(self.waiting, budget)
        self._record(new_tokens)
        return new_tokens

    def _record(self, count: int) -> None:
        self.total_recorded += count


def free_blocks(pool):
    return pool.free()
'''


@pytest.mark.parametrize(
    ("sentence", "verdict", "says"),
    [
        ("`new_tokens` is a minimum (`toy/sched.py:L11`).", "holds", "new_tokens"),
        ("The default `max_tokens = 512` stands at `toy/sched.py:L7`.", "holds", "max_tokens"),
        ("`Scheduler.schedule` returns it (`toy/sched.py:L13`).", "holds", "which the sentence names"),
        ("`free_blocks()` asks the pool (`toy/sched.py:L11-L13`).", "imprecise", "L19"),
        ("`total_recorded` grows at `toy/sched.py:L7`.", "imprecise", "L16"),
        ("`Scheduler.schedule()` calls `_record()` (`toy/sched.py:L9`).", "imprecise", "only the signature"),
        ("`Scheduler.schedule()` calls `_record()` (`toy/sched.py:L9-L12`).", "holds", ""),
        ("See `toy/sched.py:L11` for more.", "holds", "nothing is named"),
        ("`no_such_thing_at_all` is at `toy/sched.py:L11`.", "holds", "stands in this file"),
        ("`toy/sched.py:L400` has it.", "gone", "20 lines"),
    ],
)
def test_what_a_sentence_names(sentence: str, verdict: str, says: str) -> None:
    report = check_page(sentence + "\n", {FILE: SOURCE})
    (finding,) = report.findings
    assert summary(report)[0][1] == verdict, finding.verdict.message
    assert says in finding.verdict.message


def test_symbols_are_citations() -> None:
    report = check_page("See `toy/sched.py::Scheduler.schedule`.\n", {FILE: SOURCE})
    (finding,) = report.findings
    assert summary(report) == [("location", "holds", "RC000")]
    assert finding.verdict.message == "toy/sched.py defines Scheduler.schedule"
    report = check_page("See `toy/sched.py::Scheduler.no_such`.\n", {FILE: SOURCE})
    assert summary(report)[0][1] == "gone"


def test_nothing_is_said_of_lines_on_another_revision() -> None:
    report = check_page("`free_blocks()` is at `toy/sched.py:L11`.\n", {FILE: SOURCE}, exact=False)
    assert summary(report) == [("location", "undecided", "RC402")]


def test_an_abbreviated_path_is_resolved_only_where_one_file_fits() -> None:
    two = {FILE: SOURCE, "toy/v1/sched.py": SOURCE}
    assert summary(check_page("At `sched.py:L11`.\n", {FILE: SOURCE})) == [("location", "holds", "RC001")]
    assert summary(check_page("At `sched.py:L11`.\n", two)) == [("location", "undecided", "RC401")]
    named = "First `toy/v1/sched.py:L11`.\n\nThen `sched.py:L12`.\n"
    assert [row[1] for row in summary(check_page(named, two))] == ["holds", "holds"]
    assert summary(check_page("At `nosuch.py:L11`.\n", two)) == [("location", "undecided", "RC412")]
    assert summary(check_page("At `toy/nosuch.py:L11`.\n", two)) == [("location", "gone", "RC103")]


@pytest.mark.parametrize("written", ["`toy/sched.py:L13-L11`", "`toy/sched.py:L0`", "`toy/sched.py:L?`"])
def test_numbers_that_are_no_place(written: str) -> None:
    ((_, verdict, code),) = summary(check_page(f"At {written}.\n", {FILE: SOURCE}))
    assert (verdict, code) in {("undecided", "RC408"), ("undecided", "RC409")}


TOTAL = len(SOURCE.splitlines())


@pytest.mark.parametrize(
    ("lines", "wrong"),
    [
        (f"L{TOTAL}", False),
        (f"L1-L{TOTAL}", False),
        (f"L{TOTAL + 1}", True),
        (f"L{TOTAL}-L{TOTAL + 1}", True),
        ("L9000", True),
        ("L9000-L9010", True),
        ("L13-L11", True),
        ("L0", True),
        ("L?", False),
    ],
)
@pytest.mark.parametrize("exact", [True, False])
def test_numbers_that_no_file_has_are_wrong_at_their_own_pin(lines: str, wrong: bool, exact: bool) -> None:
    report = check_page(f"At `toy/sched.py:{lines}`.\n", {FILE: SOURCE}, exact=exact)
    (finding,) = report.findings
    # On another tree than the pin's it cannot be told how long the file was; reversed lines are so anywhere.
    wrong = wrong and (exact or lines in ("L13-L11", "L0"))
    assert (finding.level is Level.ERROR) == wrong
    assert report.exit_code == (1 if wrong else 0)
    if wrong:
        assert finding.verdict.code is codes.IMPOSSIBLE_RANGE
        assert f"has {TOTAL} lines" in finding.verdict.message


def test_a_branch_link_is_a_finding_of_its_own() -> None:
    page = "See [it](https://git.example/toy/toy/blob/main/toy/sched.py#L11).\n"
    report = check_page(page, {FILE: SOURCE})
    assert ("link", "imprecise", "RC201") in summary(report)


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("The default `max_tokens = 512` stands at `toy/sched.py:L7`.", "holds"),
        ("The default `max_tokens: int = 512` stands at `toy/sched.py:L7`.", "holds"),
        ("The default `max_tokens = 256` stands at `toy/sched.py:L7`.", "changed"),
        ("The default `max_tokens: int = 256` stands at `toy/sched.py:L7`.", "changed"),
        ("`BLOCK_SIZE = 32` at `toy/sched.py:L1`.", "changed"),
        ("`BLOCK_SIZE = 1_6` at `toy/sched.py:L1`.", "holds"),
        ("`BLOCK_SIZE = 16.0` at `toy/sched.py:L1`.", "changed"),
        # What a run computes is no default, and the lines do not set a literal.
        ("It computes `new_tokens = 1` for our request (`toy/sched.py:L11`).", "holds"),
        ("The field of `Scheduler`, `max_tokens = 512`, is at `toy/sched.py:L16`.", "imprecise"),
        ("vLLM and SGLang keep it at `toy/sched.py:L11`.", "holds"),
    ],
)
def test_a_stated_value_is_compared_with_the_lines(sentence: str, verdict: str) -> None:
    report = check_page(sentence + "\n", {FILE: SOURCE})
    assert [row[1] for row in summary(report)] == [verdict], report.findings[0].verdict.message


def test_comments_leave_passages_out_and_say_so() -> None:
    wrong = "`free_blocks()` asks the pool (`toy/sched.py:L11-L13`)."
    assert [row[1] for row in summary(check_page(wrong + "\n", {FILE: SOURCE}))] == ["imprecise"]
    page = f"<!-- refcheck: ignore[an old example] -->\n{wrong}\n\n{wrong}\n"
    report = check_page(page, {FILE: SOURCE})
    assert [(f.line, row[1]) for f, row in zip(report.findings, summary(report), strict=True)] == [(4, "imprecise")]
    assert any("an old example" in note for note in report.notes)
    bare = check_page(f"<!-- refcheck: ignore -->\n{wrong}\n", {FILE: SOURCE})
    assert {row[1] for row in summary(bare)} == {"imprecise", "undecided"}


def test_a_blank_line_says_nothing() -> None:
    assert summary(check_page("See `toy/sched.py:L2`.\n", {FILE: SOURCE})) == [("location", "imprecise", "RC109")]
    assert summary(check_page("See `toy/sched.py:L1-L2`.\n", {FILE: SOURCE})) == [("location", "holds", "RC001")]


@pytest.mark.parametrize("label", ["toy/other.py:11", "toy/sched.py:12"])
def test_a_link_whose_text_says_something_else(label: str) -> None:
    page = f"See [`{label}`](https://git.example/toy/toy/blob/0123456789abcdef0123456789abcdef01234567/toy/sched.py#L11).\n"
    report = check_page(page, {FILE: SOURCE, "toy/other.py": SOURCE})
    assert ("link", "imprecise", "RC203") in summary(report)


LINKED = "https://git.example/toy/toy/blob/0123456789abcdef0123456789abcdef01234567/toy/sched.py#L{}"


@pytest.mark.parametrize(
    ("sentence", "line", "verdict"),
    [
        # The words on the link and their clause say what stands behind it, not the rest of the sentence.
        ("There are `new_tokens` for everyone; see [here]({}) for the size.", 1, "holds"),
        ("It counts `new_tokens` of a step, as it keeps the pool in [its class]({}).", 4, "holds"),
        # What the file defines is meant wherever the sentence names it, and a name beside the link always.
        ("The pool is asked by `free_blocks`; see [here]({}).", 7, "imprecise"),
        ("It counts `new_tokens` [here]({}).", 1, "imprecise"),
        ("The step counts `new_tokens`; see [`sched.py`]({}).", 1, "imprecise"),
        ("The step counts `new_tokens`, see {}.", 1, "imprecise"),
    ],
)
def test_a_link_says_what_stands_behind_it_in_its_own_clause(sentence: str, line: int, verdict: str) -> None:
    report = check_page(sentence.format(LINKED.format(line)) + "\n", {FILE: SOURCE})
    assert [row[1] for row in summary(report)] == [verdict], report.findings[0].verdict.message


TABLES = """\
HANDLERS = {
    "first": 1,
    "ready": make_ready(")]}"),  # ) no end
}


def build(config):
    check_first(config)
    return Model(
        config=config,
        quant_config=None,
    )


def unrelated():
    return other_name
"""


@pytest.mark.parametrize(
    ("sentence", "verdict"),
    [
        ("`make_ready` is in the table at `toy/tables.py:L1`.", "holds"),
        ("`quant_config` is passed at `toy/tables.py:L9`.", "holds"),
        ("`check_first` is asked in `toy/tables.py:L7`.", "holds"),
        # Neither a range nor a line within means more than it names.
        ("`quant_config` is passed at `toy/tables.py:L8`.", "imprecise"),
        ("`make_ready` is in the table at `toy/tables.py:L1-L2`.", "imprecise"),
        ("`other_name` is in the table at `toy/tables.py:L1`.", "imprecise"),
        ("`other_name` is built in `toy/tables.py:L7`.", "imprecise"),
    ],
)
def test_one_line_stands_for_what_begins_on_it(sentence: str, verdict: str) -> None:
    report = check_page(sentence + "\n", {"toy/tables.py": TABLES})
    assert [row[1] for row in summary(report)] == [verdict], report.findings[0].verdict.message


def test_a_symbol_tells_which_of_several_files_is_meant() -> None:
    files = {FILE: SOURCE, "toy/v1/sched.py": TABLES, "toy/v2/sched.py": "x = build\n"}
    report = check_page("See `sched.py::build`.\n", files)
    assert summary(report) == [("location", "holds", "RC000")]
    assert "toy/v1/sched.py defines build" in report.findings[0].verdict.message
    twins = check_page("See `sched.py::build`.\n", {**files, "toy/v3/sched.py": TABLES})
    assert summary(twins) == [("location", "undecided", "RC401")]
    assert summary(check_page("See `sched.py::nowhere`.\n", files)) == [("location", "undecided", "RC401")]


LONG_VALUE = """\
NAMES = (
    "one",
    "two",
    "three",
)


def first():
    return NAMES
"""


def test_lines_inside_of_a_long_value_are_its_own() -> None:
    (finding,) = check_page("See `toy/q.py:3` for `NAMES`.\n", {"toy/q.py": LONG_VALUE}).findings
    assert finding.verdict.message == "the lines are in NAMES, which the sentence names"
    (finding,) = check_page("See `toy/q.py:8` for `NAMES`.\n", {"toy/q.py": LONG_VALUE}).findings
    assert finding.verdict.message == "what begins there (L8-L9) has NAMES, which the sentence names"


CLASSES = '''\
"""Waits for a step of the run."""


class Queue:
    def __init__(self):
        self.limit = 8

    def pop_one(self):
        # Another step is not taken here.
        return self.first()

    def step(self):
        return self.pop_one()


class Sorted(Queue):
    width: int = 4

    @property
    def size(self):
        return self.width

    def pop_one(self):
        return self.step() or self.limit

    def peek(self):
        return "the run of pop_one"


def register(name):
    table["late"] = name
'''


@pytest.mark.parametrize(
    ("sentence", "verdict", "says"),
    [
        # Another class's member of the name, a word in a comment, the name in a string.
        ("`Sorted.pop_one` is defined in `toy/q.py:8-10`.", "imprecise", "L23-L24"),
        ("`Sorted.pop_one` (`toy/q.py:8-10`) pops.", "imprecise", "not in Sorted.pop_one"),
        ("`Queue.step` is defined in `toy/q.py:8-10`.", "imprecise", "L12-L13"),
        ("`Queue.step` (`toy/q.py:8-10`) does it.", "imprecise", "L12-L13"),
        ("`Queue.pop_one` (`toy/q.py:27`) does it.", "imprecise", "L8-L10"),
        # Its own lines, and lines that use it.
        ("`Sorted.pop_one` is defined in `toy/q.py:23-24`.", "holds", "the definition of Sorted.pop_one"),
        ("`Queue.step` (`toy/q.py:13`) does it.", "holds", "in Queue.step"),
        ("`Queue.step` is called at `toy/q.py:24`.", "holds", "have step"),
        ("`Sorted.step` is defined in `toy/q.py:12-13`.", "holds", "the definition of Queue.step"),
        ("`Sorted.size` is defined at `toy/q.py:19`.", "holds", "Sorted.size"),
        ("`Sorted.width` is declared in `toy/q.py:17`.", "holds", ""),
        ("`Queue.limit` is defined in `toy/q.py:6`.", "holds", ""),
        ("`Table.late` is defined in `toy/q.py:31`.", "holds", "late"),
        ("`toy/q.py:23-24` defines `Sorted.pop_one`.", "holds", "the definition of Sorted.pop_one"),
        ("`toy/q.py:8-10` defines `Sorted.pop_one`.", "imprecise", "L23-L24"),
        # Defined in: the header, and not some line of the body; approximate numbers ask for less.
        ("`Sorted` is defined in `toy/q.py:20-24`.", "imprecise", "begins at L16"),
        ("`Sorted` is defined in `toy/q.py:16-24`.", "holds", "the definition of Sorted"),
        ("The class `Sorted` is used in `toy/q.py:20-24`.", "holds", ""),
        ("The `width` of `Sorted` is defined in `toy/q.py:17`.", "holds", ""),
        ("`Other.first` is defined in `toy/q.py:10`.", "imprecise", "defines no Other.first; the lines only mention"),
        ("`Other.first` is called in `toy/q.py:10`.", "holds", "have first"),
        ("`Sorted.pop_one` starts at line 8 of `toy/q.py`.", "imprecise", "L23-L24"),
        ("`Sorted.pop_one` starts at line 23 of `toy/q.py`.", "holds", "the definition of"),
        ("`Sorted.pop_one` begins at line 24 of `toy/q.py`.", "imprecise", "begins at L23"),
        ("`Sorted.pop_one` is not defined in `toy/q.py:8-10`.", "holds", ""),
        # What stands there is only related to it.
        ("The loop at `toy/q.py:20-21` is called by `Queue.step`.", "holds", ""),
        ("The value of `toy/q.py:17` is passed to `Queue.step`.", "holds", ""),
        ("The loop at `toy/q.py:17` is `Queue.step`.", "imprecise", "L12-L13"),
        ("There is `return` in `toy/q.py:6`.", "holds", "nothing is named"),
        ("All of `regis*` (`toy/q.py:8-10`) wait.", "holds", ""),
        # A word of English in a comment proves nothing; it proves nothing wrong either where no code has it.
        ("It is `taken` (`toy/q.py:9`).", "holds", "nothing that the sentence names"),
        ("The `step` is taken at `toy/q.py:9-10`.", "imprecise", "L12"),
        ("The `step` is taken at `toy/q.py:12`.", "holds", "have step"),
    ],
)
def test_a_definition_is_compared_with_itself(sentence: str, verdict: str, says: str) -> None:
    report = check_page(sentence + "\n", {"toy/q.py": CLASSES})
    (finding,) = report.findings
    assert summary(report)[0][1] == verdict, finding.verdict.message
    assert says in finding.verdict.message


@pytest.mark.parametrize(
    ("sentence", "verdicts"),
    [
        # Each place its own names.
        ("[queue](toy/q.py#L8-L10) and `toy/q.py:26-27` (`peek`).", ["holds", "holds"]),
        ("`toy/q.py:8-10` calls what `toy/q.py:26-27` (`peek`) returns.", ["holds", "holds"]),
        ("`toy/q.py:8-10` calls what `toy/q.py:29-31` (`peek`) returns.", ["holds", "imprecise"]),
        ("`pop_one` (`toy/q.py:8-10`) and `peek` (`toy/q.py:26-27`) differ.", ["holds", "holds"]),
        ("`register` (`toy/q.py:26`) and `peek` (`toy/q.py:5-6`) differ.", ["imprecise", "imprecise"]),
        ("`toy/q.py:26-27` defines `peek`, and `toy/q.py:30-31` defines `register`.", ["holds", "holds"]),
        ("`pop_one` and `step` are at `toy/q.py:8-10` and `toy/q.py:12-13`.", ["holds", "holds"]),
        ("`toy/q.py:30`: `register`; `toy/q.py:26`: `peek`.", ["holds", "holds"]),
        ("`toy/q.py:26`: `register`; `toy/q.py:30`: `peek`.", ["imprecise", "imprecise"]),
        # What is named in contrast is not there.
        ("Unlike `peek`, the method at `toy/q.py:8-10` removes.", ["holds"]),
        ("The method at `toy/q.py:8-10` removes, rather than `peek`.", ["holds"]),
        ("Use `toy/q.py:8-10` instead of `peek`.", ["holds"]),
        ("Compare `toy/q.py:8-10` with `peek`.", ["holds"]),
        ("`toy/q.py:8-10` does not call `peek`.", ["holds"]),
        ("`toy/q.py:8-10` differs from `peek`.", ["holds"]),
        ("It is `toy/q.py:8-10`, not `peek`.", ["holds"]),
        ("`peek` is not in `toy/q.py:8-10`.", ["holds"]),
        # The mirror image: no contrast.
        ("Like `peek`, the method at `toy/q.py:8-10` removes.", ["imprecise"]),
        ("Not only `peek` is at `toy/q.py:8-10`.", ["imprecise"]),
    ],
)
def test_a_name_belongs_to_the_nearest_place(sentence: str, verdicts: list[str]) -> None:
    report = check_page(sentence + "\n", {"toy/q.py": CLASSES})
    assert [row[1] for row in summary(report)] == verdicts, [f.verdict.message for f in report.findings]


def test_the_name_that_is_reported_is_the_one_of_the_place() -> None:
    page = "`register` (`toy/q.py:8-10`) is called as `Sorted` and `peek` are.\n"
    (finding,) = check_page(page, {"toy/q.py": CLASSES}).findings
    assert "do not have register" in finding.verdict.message
