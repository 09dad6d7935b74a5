"""Following over the path of commits: what it settles, confirms and takes back, and what it must leave open."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence

import pytest

from benchmarks.follow.stepwise import run
from benchmarks.follow.trees import MemoryTree as BenchmarkTree
from refcheck.locate.follow import Ambiguous, Followed, Gone, Moved, Outcome, Request, Same, follow
from refcheck.locate.follow.path import Step, follow_path, is_open
from refcheck.model.source_text import SourceText

from .memory_tree import MemoryTree
from .test_mutations import toy_file

Files = Mapping[str, str]
A, B = "engine/a.py", "engine/b.py"


class History:
    """States of a few files, one after the other; implements refcheck.locate.follow.path.Versions."""

    def __init__(self, *states: Files) -> None:
        self.states = [MemoryTree(files) for files in states]
        self.read: list[str] = []
        self.prefetched: list[list[str]] = []
        self._data = {
            hashlib.sha1(b"blob %d\0" % len(d) + d).hexdigest(): d for t in self.states for d in t.files.values()
        }

    def text(self, path: str, blob: str) -> SourceText:
        self.read.append(blob)
        return SourceText.from_bytes(path, blob, self._data[blob])

    def many(self, blobs: Sequence[str]) -> Iterator[bytes]:
        return iter([self._data[blob] for blob in blobs])

    def prefetch(self, blobs: Iterable[str]) -> None:
        self.prefetched.append(list(blobs))

    def steps(self) -> list[Step]:
        made = []
        for number, (before, after) in enumerate(zip(self.states, self.states[1:], strict=False), 1):
            old, new = before.paths(), after.paths()
            changed = {path for path, _ in old.items() ^ new.items()}
            made.append(Step(f"commit {number}", {path: (old.get(path), new.get(path)) for path in changed}))
        return made

    def outcomes(self, path: str, first: int, last: int) -> tuple[Outcome, Outcome]:
        """From tree to tree, and over the commits."""
        old, new = self.states[0], self.states[-1]
        trees = follow([Request(path, first, last)], old, new)
        (one,) = trees
        (other,) = follow_path(trees, self.steps(), self, old.paths(), new.paths())
        return one.outcome, other.outcome


def at(outcome: Outcome) -> tuple[str, int, int]:
    assert isinstance(outcome, Same | Moved), outcome
    assert outcome.place.lines is not None
    return outcome.place.path, outcome.place.lines.first, outcome.place.lines.last


def function(name: str, *lines: str) -> str:
    return "".join([f"def {name}(request, limit):\n", *(f"    {line}\n" for line in lines), "\n\n"])


BLOCK = ("need = request.total - request.done", "if need > limit:", "    request.hold(need)", "limit -= need")
START = function("begin", "request.open()", "request.mark('begun')")
ONCE = ("first = request.first()", "first.close(limit)")


def hold(*around: tuple[str, str]) -> str:
    """A function with the block as often as it is asked for, between the lines that are given."""
    lines = [line for above, below in around for line in (above, *BLOCK, below)]
    return START + function("hold", *lines, "return limit")


def line_of(text: str, line: str) -> int:
    """The last place of a line."""
    return max(number for number, one in enumerate(text.split("\n"), 1) if one.strip() == line)


# Two equal blocks, of which the second is followed. What stands around it changes line by line, then the first goes:
# between the two ends nothing says which of them is left.
WAY = (
    hold(ONCE, ("second = request.second()", "second.shut(limit)")),
    hold(ONCE, ("last = request.last_of(limit)", "second.shut(limit)")),
    hold(ONCE, ("last = request.last_of(limit)", "last.finish(limit, True)")),
    hold(("last = request.last_of(limit)", "last.finish(limit, True)")),
)
FIRST = line_of(WAY[0], BLOCK[0])
LAST = FIRST + len(BLOCK) - 1
END = line_of(WAY[-1], BLOCK[0])
BODY = hold(ONCE)
AT = line_of(BODY, BLOCK[0])


def way(*texts: str) -> History:
    return History(*({A: text} for text in texts))


def test_one_of_two_equal_blocks_is_settled_step_by_step() -> None:
    trees, commits = way(*WAY).outcomes(A, FIRST, LAST)
    assert isinstance(trees, Ambiguous)
    assert isinstance(commits, Moved)
    assert at(commits) == (A, END, END + 3)
    assert "followed over the 3 commits" in commits.evidence
    assert trees.reason in commits.evidence
    assert commits.place.symbol == "hold"


def test_and_the_other_way_round() -> None:
    first = line_of(WAY[2], BLOCK[0])
    trees, commits = way(*WAY[2::-1]).outcomes(A, first, first + 3)
    assert isinstance(trees, Ambiguous)
    assert at(commits) == (A, FIRST, LAST)


def test_a_block_that_comes_in_a_second_time_is_left_open_on_the_way_back() -> None:
    trees, commits = way(*WAY[::-1]).outcomes(A, END, END + 3)
    assert isinstance(trees, Ambiguous)
    assert isinstance(commits, Ambiguous)


def test_all_edits_in_one_commit_are_as_open_as_the_trees() -> None:
    trees, commits = way(WAY[0], WAY[3]).outcomes(A, FIRST, LAST)
    assert isinstance(trees, Ambiguous)
    assert isinstance(commits, Ambiguous)
    assert commits.candidates == trees.candidates
    assert "commit 1" in commits.reason


@pytest.mark.parametrize("above", [True, False])
def test_an_identical_block_inserted_next_to_it_stays_open(above: bool) -> None:
    block = "".join(f"    {line}\n" for line in BLOCK)
    doubled = BODY.replace(block, block + block)
    # The edits around it are the same for both, wherever the second one was put in.
    states = [{A: BODY}, {A: doubled}, {A: ("import math\n" if above else "") + doubled + "\nlimit = 3\n"}]
    trees, commits = History(*states).outcomes(A, AT, AT + 3)
    assert isinstance(trees, Ambiguous)
    assert isinstance(commits, Ambiguous)
    assert "commit 1" in commits.reason
    assert commits.candidates == trees.candidates


def test_a_copy_that_was_edited_apart_first_is_told_from_the_original() -> None:
    """The copy came as another text, and became equal later: the step that makes it equal leaves it open."""
    block = "".join(f"    {line}\n" for line in BLOCK)
    other = block.replace("need", "wanted")
    states = [{A: BODY}, {A: BODY.replace(block, block + other)}, {A: BODY.replace(block, block + block)}]
    trees, commits = History(*states).outcomes(A, AT, AT + 3)
    assert isinstance(trees, Ambiguous)
    assert isinstance(commits, Ambiguous)


HELPER = function(
    "release",
    "blocks = request.blocks_of(limit)",
    "for block in reversed(blocks):",
    "    request.pool.give_back(block)",
    "request.pool.compact(limit)",
    "return len(blocks)",
)
REST = "".join(function(f"part_{n}", f"request.call_{n}(limit)", f"return request.part_{n} * {n}") for n in range(6))
TARGET = "".join(function(f"other_{n}", f"request.use_{n}(limit)", f"return request.other_{n} - {n}") for n in range(6))


def test_a_move_to_another_file_in_one_commit_is_confirmed() -> None:
    states = [
        {A: HELPER + REST, B: TARGET},
        {A: REST, B: TARGET + HELPER},
        {A: REST, B: "import math\n" + TARGET + HELPER},
    ]
    trees, commits = History(*states).outcomes(A, 1, 6)
    assert at(trees)[0] == B
    assert at(commits) == at(trees)
    assert isinstance(commits, Moved)
    assert "moved there by commit 1" in commits.note


def test_a_copy_that_stood_there_before_the_original_went_is_no_move() -> None:
    """From tree to tree it looks like a move: the copy came first, the original was removed by a later commit."""
    states = [{A: HELPER + REST, B: TARGET}, {A: HELPER + REST, B: TARGET + HELPER}, {A: REST, B: TARGET + HELPER}]
    trees, commits = History(*states).outcomes(A, 1, 6)
    assert at(trees)[0] == B
    assert isinstance(commits, Ambiguous)
    assert "removed in engine/a.py by commit 2" in commits.reason
    assert [place.path for place in commits.candidates] == [B]


def test_a_fork_into_two_files_is_not_confirmed() -> None:
    """Both files got it from the commit that removed it, and one of them lost it again."""
    c = "engine/c.py"
    states = [
        {A: HELPER + REST, B: TARGET, c: TARGET.replace("other", "third")},
        {A: REST, B: TARGET + HELPER, c: TARGET.replace("other", "third") + HELPER},
        {A: REST, B: TARGET + HELPER, c: TARGET.replace("other", "third")},
    ]
    trees, commits = History(*states).outcomes(A, 1, 6)
    assert at(trees)[0] == B
    assert isinstance(commits, Ambiguous)


def test_a_twin_that_stood_there_stays_a_twin() -> None:
    states = [{A: HELPER + REST, B: TARGET + HELPER}, {A: REST, B: TARGET + HELPER}]
    trees, commits = History(*states).outcomes(A, 1, 6)
    assert isinstance(trees, Gone)
    assert commits == trees


def test_two_moves_are_named_both() -> None:
    c = "engine/c.py"
    third = TARGET.replace("other", "third")
    states = [
        {A: HELPER + REST, B: TARGET, c: third},
        {A: REST, B: TARGET + HELPER, c: third},
        {A: REST, B: TARGET, c: third + HELPER},
    ]
    _, commits = History(*states).outcomes(A, 1, 6)
    assert isinstance(commits, Moved)
    assert at(commits)[0] == c
    assert "moved to engine/b.py by commit 1; moved there by commit 2" in commits.note


def test_a_renamed_file_is_followed_on() -> None:
    states = [{A: HELPER + REST}, {B: HELPER + REST}, {B: "import math\n" + HELPER + REST}]
    trees, commits = History(*states).outcomes(A, 2, 5)
    assert at(trees) == (B, 3, 6)
    assert at(commits) == (B, 3, 6)
    assert isinstance(commits, Moved)
    assert "commit 1" in commits.note


def test_changed_then_restored_names_the_gap() -> None:
    """On the way the text was another one for a commit."""
    edited = WAY[2].replace("request.hold(need)", "request.hold(need, limit)")
    trees, commits = way(*WAY[:3], edited, *WAY[2:]).outcomes(A, FIRST, LAST)
    assert isinstance(trees, Ambiguous)
    assert isinstance(commits, Moved)
    assert at(commits) == (A, END, END + 3)
    assert commits.note == "it was another text from commit 3 to commit 4"


def test_restored_under_another_name_is_not_taken() -> None:
    renamed = WAY[3].replace("def hold", "def hold_again")
    edited = WAY[2].replace("request.hold(need)", "request.hold(need, limit)").replace("limit -= need", "limit = 0")
    _, commits = way(*WAY[:3], edited, renamed).outcomes(A, FIRST, LAST)
    assert not isinstance(commits, Same | Moved)


def test_versions_that_do_not_join_are_left_open() -> None:
    history = way(*WAY)
    old, new = history.states[0], history.states[-1]
    trees = follow([Request(A, FIRST, LAST)], old, new)
    for steps in (history.steps()[:-1], history.steps()[1:], history.steps()[:1] + history.steps()[2:], []):
        (one,) = follow_path(trees, steps, history, old.paths(), new.paths())
        assert isinstance(one.outcome, Ambiguous)


def test_what_is_certain_in_its_own_file_costs_nothing() -> None:
    history = History({A: BODY, B: TARGET}, {A: "import math\n" + BODY, B: TARGET})
    old, new = history.states[0], history.states[-1]
    trees = follow([Request(A, AT, AT + 3), Request(B, 1, 2)], old, new)
    assert not any(map(is_open, trees))
    assert follow_path(trees, history.steps(), history, old.paths(), new.paths()) == trees
    assert history.read == []
    assert history.prefetched == []


def test_contents_are_asked_for_in_one_batch() -> None:
    history = History(
        {A: HELPER + REST, B: TARGET}, {A: REST, B: TARGET + HELPER}, {A: REST, B: "\n" + TARGET + HELPER}
    )
    history.outcomes(A, 1, 6)
    first, *later = history.prefetched
    assert {blob for more in later for blob in more} <= set(first)


def test_edits_elsewhere_are_passed_over_without_parsing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commits to other parts of a long file are most of its history."""
    import refcheck.locate.follow.path as module

    asked: list[int] = []
    answers = module._answers
    monkeypatch.setattr(
        module, "_answers", lambda walks, *rest, **more: asked.append(1) or answers(walks, *rest, **more)
    )
    _, commits = way(*WAY, *(WAY[3] + REST * 3 + f"limit_{n} = {n}\n" for n in range(8))).outcomes(A, FIRST, LAST)
    assert at(commits) == (A, END, END + 3)
    assert len(asked) <= 4


@pytest.mark.parametrize("seed", range(6))
def test_many_small_edits_never_lead_to_another_text(seed: int) -> None:
    """Lines are edited, copied, moved and taken out at random, a commit each: what is found is the cited text."""
    chooser = random.Random(seed)
    states: list[dict[str, str]] = [{A: toy_file(seed), B: toy_file(seed + 100)}]
    for _ in range(8):
        files = {path: text.split("\n") for path, text in states[-1].items()}
        path, other = chooser.sample([A, B], 2)
        lines = files[path]
        start = chooser.randrange(len(lines) - 6)
        block = lines[start : start + chooser.randint(1, 6)]
        what = chooser.choice(["copy", "move", "edit", "drop", "beside"])
        if what in ("move", "drop"):
            del lines[start : start + len(block)]
        if what in ("copy", "move"):
            where = chooser.randrange(len(files[other]))
            files[other][where:where] = block
        if what == "beside":
            lines[start:start] = block
        if what == "edit":
            lines[start] += "  # edited"
        states.append({path: "\n".join(lines) for path, lines in files.items()})
    history = History(*states)
    old, new = history.states[0], history.states[-1]
    requests = [
        Request(path, first, first + size)
        for path, text in states[0].items()
        for first in range(1, len(text.split("\n")) - 7, 3)
        for size in (0, 4)
    ]
    trees = follow(requests, old, new)
    answers = follow_path(trees, history.steps(), history, old.paths(), new.paths())
    for before, after in zip(trees, answers, strict=True):
        if not is_open(before):
            assert after == before
        elif after.place is not None:
            assert _text(old, Followed(after.request, Same(after.place, "")), of_request=True) == _text(new, after)


def _text(tree: MemoryTree, one: Followed, *, of_request: bool = False) -> list[str]:
    place = one.place
    assert place is not None
    assert place.lines is not None
    path, first, last = (
        (one.request.path, one.request.first, one.request.last)
        if of_request
        else (place.path, place.lines.first, place.lines.last)
    )
    return [line.strip() for line in tree.read(path).lines[first - 1 : last] if line.strip()]


@pytest.mark.parametrize("seed", range(1, 4))
def test_no_answer_becomes_wrong_over_commits_whose_truth_is_known(seed: int) -> None:
    """Each commit is a mutation that copies, moves, edits, wraps or restores lines, of which every one is tracked."""
    whole = BenchmarkTree({f"engine/part_{n}.py": toy_file(100 * seed + n).encode() for n in range(12)}, "toy")
    compared = run(whole, seed, steps=4, files=12)
    assert compared
    assert [one for one in compared if one.worse] == []


LONG = [f"total_{n} = request.count_{n}(limit) + {n}" for n in range(20)]


@pytest.mark.parametrize("closing", [") -> int:", "):", "# a comment\n):"])
def test_a_header_that_is_renamed_far_above_is_no_edit_elsewhere(closing: str) -> None:
    """The bracket that closes a header stands as far out as the header, and ends nothing."""
    body = "".join(f"    {line}\n" for line in LONG)
    old = f"def total(\n    request,\n    limit,\n{closing}\n{body}\n\n{REST}"
    new = old.replace("def total(", "def total_new(")
    states = [{A: old, B: TARGET}, {A: new, B: TARGET + old.replace(REST, "")}]
    first = line_of(old, LONG[18])
    trees, commits = History(*states).outcomes(A, first, first + 1)
    assert isinstance(trees, Ambiguous)
    assert isinstance(commits, Ambiguous)


@pytest.mark.parametrize("above", [True, False])
def test_a_whole_block_that_came_in_twice_and_was_edited_once_stays_open(above: bool) -> None:
    """Whether the original was edited and its copy left, or the other way round, no reading of both can tell."""
    block = [f"    {line}" for line in LONG]
    edited = [line.replace("count_9", "sum_9").replace("count_10", "sum_10") for line in block]
    twice = edited + block if above else block + edited
    old = "\n".join(["def total(request, limit):", *block, "    return limit", "", "", REST])
    new = "\n".join(["def total(request, limit):", *twice, "    return limit", "", "", REST])
    first = line_of(old, LONG[9])
    trees, commits = way(old, new).outcomes(A, first, first + 1)
    assert isinstance(trees, Ambiguous)
    assert isinstance(commits, Ambiguous)
