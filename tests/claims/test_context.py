"""Where a definition is looked for that its file does not have, and files that cannot be parsed."""

from __future__ import annotations

import pytest

from refcheck.claims.context import Context, may_be_renamed
from refcheck.claims.kind import Unanswerable
from refcheck.config.edition import Anchor
from refcheck.locate.fingerprint import fingerprint
from refcheck.locate.pattern import literal_pattern
from refcheck.locate.reader import TreeReader
from refcheck.model import codes
from refcheck.model.place import LineRange, Place
from refcheck.model.verdict import Gone, Undecided
from tests.support.trees import MemoryTree

QUEUE = "class Queue:\n    def push(self, item):\n        self.items.append(item)\n        self.count += 1\n"
OTHER = "class Queue:\n    def push(self):\n        pass\n"
HELPER = "def size_of_queue(queue):\n    return len(queue)\n\n\ndef size(queue):\n    return len(queue)\n"


def context(files: dict[str, str], anchors: dict[str, Anchor] | None = None) -> Context:
    return Context({"toy": TreeReader(MemoryTree(files))}, anchors=anchors or {})


def test_a_class_of_the_same_name_elsewhere_is_another_class() -> None:
    with pytest.raises(Unanswerable) as raised:
        context({"toy/models/pixel.py": OTHER}).symbol("toy", "toy/layers/queue/queue.py", "Queue.push")
    assert isinstance(raised.value.verdict, Gone)


@pytest.mark.parametrize(
    "there",
    ["toy/layers/queue/core.py", "toy/layers/lists/queue.py", "toy/queue/queue.py", "toy/layers/queue/core/queue.py"],
)
def test_a_file_that_was_renamed_or_moved_is_followed(there: str) -> None:
    files = {there: QUEUE, "toy/models/pixel.py": OTHER}
    found = context(files).symbol("toy", "toy/layers/queue/queue.py", "Queue.push")
    assert (found.path, found.moved) == (there, True)


def test_two_files_that_may_be_it_are_none() -> None:
    files = {"toy/layers/queue/a.py": QUEUE, "toy/layers/queue/b.py": QUEUE}
    with pytest.raises(Unanswerable):
        context(files).symbol("toy", "toy/layers/queue/queue.py", "Queue.push")


def test_recorded_lines_say_where_a_definition_went() -> None:
    recorded = fingerprint(literal_pattern(tuple(QUEUE.splitlines())))
    place = Place("toy/layers/queue/queue.py", LineRange(1, 4))
    anchors = {"push": Anchor("push", "toy", place, form="block", fingerprint=recorded)}
    files = {"toy/models/pixel.py": OTHER, "toy/far/away.py": "import x\n\n\n" + QUEUE}
    assert context(files, anchors).symbol("toy", place.path, "Queue.push").path == "toy/far/away.py"
    with pytest.raises(Unanswerable):
        context(files).symbol("toy", place.path, "Queue.push")


def test_a_function_with_a_name_of_its_own_is_followed_and_a_common_one_is_not() -> None:
    files = {"toy/far/away.py": HELPER}
    assert context(files).symbol("toy", "toy/queue.py", "size_of_queue").path == "toy/far/away.py"
    with pytest.raises(Unanswerable):
        context(files).symbol("toy", "toy/queue.py", "size")
    with pytest.raises(Unanswerable):
        context({**files, "toy/deep/er.py": HELPER}).symbol("toy", "toy/queue.py", "size_of_queue")


@pytest.mark.parametrize(
    ("path", "there", "may_be"),
    [
        ("a/b/c.py", "a/b/d.py", True),
        ("a/b/c.py", "a/x/c.py", True),
        ("a/b/c.py", "a/c.py", True),
        ("a/c.py", "a/b/c.py", True),
        ("a/b/c.py", "a/x/d.py", False),
        ("a/b/c.py", "a/d.py", False),
        ("a/b/c.py", "a/b/c.py", False),
    ],
)
def test_paths_that_may_be_one_file(path: str, there: str, may_be: bool) -> None:
    assert may_be_renamed(path, there) is may_be


@pytest.mark.parametrize("before", ["import x\ndef f(a, (((\n", 'import x\nx = f"{(((\n'])
def test_what_a_file_that_cannot_be_parsed_may_have_is_undecided_and_says_where(before: str) -> None:
    broken = context({"toy/queue.py": before + QUEUE})
    assert not broken.defines("toy", "toy/queue.py", "Queue.push")
    with pytest.raises(Unanswerable) as raised:
        broken.symbol("toy", "toy/queue.py", "Queue.push")
    verdict = raised.value.verdict
    assert isinstance(verdict, Undecided)
    assert verdict.code is codes.UNSUPPORTED
    assert "toy/queue.py:" in verdict.message
    assert "cannot be parsed" in verdict.message


def test_what_such_a_file_does_not_mention_is_gone() -> None:
    with pytest.raises(Unanswerable) as raised:
        context({"toy/queue.py": "def f(a, (((\n" + QUEUE}).symbol("toy", "toy/queue.py", "Queue.pop")
    assert isinstance(raised.value.verdict, Gone)


def test_a_fault_beside_it_does_no_harm() -> None:
    found = context({"toy/queue.py": "(((\n" + QUEUE}).symbol("toy", "toy/queue.py", "Queue.push")
    assert found.symbol.lines == LineRange(3, 5)


def test_a_long_file_that_no_parser_should_see_names_the_open_bracket() -> None:
    filler = "".join(f"x{n} = a and b or not c\n" for n in range(400))
    broken = context({"toy/queue.py": "import x\ndef f(a, (((\n" + filler + QUEUE})
    with pytest.raises(Unanswerable) as raised:
        broken.symbol("toy", "toy/queue.py", "Queue.push")
    assert "toy/queue.py:2 cannot be parsed: a bracket that is never closed" in raised.value.verdict.message
