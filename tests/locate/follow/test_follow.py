"""What following says of a citation: it finds what moved, and does not guess."""

from __future__ import annotations

import pytest

from refcheck.locate.follow import (
    Ambiguous,
    Changed,
    Gone,
    Moved,
    NotFollowed,
    Outcome,
    Request,
    Rewritten,
    Same,
    follow,
)

from .memory_tree import MemoryTree

SCHEDULER = '''\
import heapq
from engine.queue import Queue


class Scheduler:
    """Chooses what runs next."""

    def __init__(self, limit):
        self.limit = limit
        self.waiting = Queue()
        self.running = []

    def schedule(self, budget):
        chosen = []
        for request in self.waiting:
            need = request.total - request.done
            if need > budget:
                break
            budget -= need
            chosen.append(request)
        return chosen

    def finish(self, request):
        self.running.remove(request)
        request.release_blocks()
        return request.output


def estimate(request, width):
    blocks = request.total // width
    if request.total % width:
        blocks += 1
    return blocks
'''


def line_of(text: str, part: str, nth: int = 0) -> int:
    return [i for i, line in enumerate(text.split("\n"), 1) if part in line][nth]


def ask(
    old: str | dict[str, str], new: str | dict[str, str], first: int, last: int, path: str = "engine/sched.py"
) -> Outcome:
    old_tree = MemoryTree({path: old} if isinstance(old, str) else old)
    new_tree = MemoryTree({path: new} if isinstance(new, str) else new)
    (followed,) = follow([Request(path, first, last)], old_tree, new_tree)
    return followed.outcome


def lines(outcome: Outcome) -> tuple[str, int, int]:
    assert isinstance(outcome, Same | Moved | Changed), outcome
    assert outcome.place.lines is not None
    return outcome.place.path, outcome.place.lines.first, outcome.place.lines.last


def test_identical_file_is_the_same_place() -> None:
    assert isinstance(ask(SCHEDULER, SCHEDULER, 13, 21), Same)


def test_edit_below_leaves_it_in_place() -> None:
    outcome = ask(SCHEDULER, SCHEDULER.replace("blocks += 1", "blocks += 2"), 13, 21)
    assert isinstance(outcome, Same)
    assert outcome.place.symbol == "Scheduler.schedule"


def test_insertion_above_moves_it() -> None:
    outcome = ask(SCHEDULER, SCHEDULER.replace("import heapq\n", "import heapq\nimport math\nimport os\n"), 15, 20)
    assert isinstance(outcome, Moved)
    assert lines(outcome) == ("engine/sched.py", 17, 22)
    assert outcome.note == ""


def test_blank_lines_at_the_edges_are_kept() -> None:
    outcome = ask(SCHEDULER, "# new\n" + SCHEDULER, 12, 22)
    assert lines(outcome) == ("engine/sched.py", 13, 23)


def test_reindented_is_moved_and_said_so() -> None:
    body = SCHEDULER[SCHEDULER.index("        for request") : SCHEDULER.index("        return chosen")]
    deeper = "".join("    " + line for line in body.splitlines(keepends=True))
    new = SCHEDULER.replace(body, "        if self.running is not None:\n" + deeper)
    outcome = ask(SCHEDULER, new, 15, 20)
    assert isinstance(outcome, Moved)
    assert lines(outcome) == ("engine/sched.py", 16, 21)
    assert "indented differently" in outcome.note


def test_unevenly_reindented_is_not_moved() -> None:
    new = SCHEDULER.replace(
        "                break\n            budget -= need", "                break\n                budget -= need"
    )
    outcome = ask(SCHEDULER, new, 16, 20)
    assert isinstance(outcome, Changed)


def test_edited_blank_lines_are_moved_and_said_so() -> None:
    new = SCHEDULER.replace("        chosen = []\n", "        chosen = []\n\n\n")
    outcome = ask(SCHEDULER, new, 13, 16)
    assert isinstance(outcome, Moved)
    assert lines(outcome) == ("engine/sched.py", 13, 18)
    assert "blank lines differ" in outcome.note


def test_edited_line_is_changed_with_its_range() -> None:
    outcome = ask(SCHEDULER, "# new\n" + SCHEDULER.replace("if need > budget:", "if need >= budget:"), 15, 20)
    assert isinstance(outcome, Changed)
    assert lines(outcome) == ("engine/sched.py", 16, 21)
    assert 0.8 < outcome.similarity < 1


def test_deleted_is_gone() -> None:
    new = SCHEDULER.replace("        self.running.remove(request)\n        request.release_blocks()\n", "")
    assert isinstance(ask(SCHEDULER, new, 24, 25), Gone)


def test_rewritten() -> None:
    old = SCHEDULER
    start = old.index("        chosen = []")
    end = old.index("        return chosen")
    new = old[:start] + "        chosen = self.policy.pick(budget)\n        self.trace(chosen)\n" + old[end:]
    outcome = ask(old, new, 14, 21)
    assert isinstance(outcome, Rewritten)
    assert outcome.similarity < 0.5


def test_function_that_moved_within_the_file() -> None:
    body = SCHEDULER[SCHEDULER.index("def estimate") :]
    new = SCHEDULER.replace("class Scheduler", body + "\n\nclass Scheduler").removesuffix("\n\n" + body)
    first = line_of(SCHEDULER, "blocks = request")
    outcome = ask(SCHEDULER, new, first, first + 3)
    assert lines(outcome)[1] == line_of(new, "blocks = request")


def test_renamed_function() -> None:
    outcome = ask(SCHEDULER, SCHEDULER.replace("def schedule(", "def pick_requests("), 14, 20)
    assert isinstance(outcome, Moved)
    assert "Scheduler.schedule is now Scheduler.pick_requests" in outcome.note


def test_renamed_class() -> None:
    outcome = ask(SCHEDULER, SCHEDULER.replace("class Scheduler", "class Planner"), 14, 20)
    assert isinstance(outcome, Moved)
    assert outcome.place.symbol == "Planner.schedule"


def test_identical_block_inserted_beside_it_is_ambiguous() -> None:
    block = "            budget -= need\n            chosen.append(request)\n"
    outcome = ask(SCHEDULER, SCHEDULER.replace(block, block + block), 19, 20)
    assert isinstance(outcome, Ambiguous)
    assert {(p.lines.first, p.lines.last) for p in outcome.candidates if p.lines} == {(19, 20), (21, 22)}


def test_block_inserted_beside_it_across_definitions_is_ambiguous() -> None:
    # The copy opens a docstring, so that the original's lines stand in another definition to any parser.
    doc = SCHEDULER.replace(
        "    def finish(self, request):\n", '    def finish(self, request):\n        """Ends\n        it."""\n'
    )
    first, last = line_of(doc, "            chosen.append"), line_of(doc, '"""Ends')
    block = "".join(f"{line}\n" for line in doc.split("\n")[first - 1 : last])
    assert isinstance(ask(doc, doc.replace(block, block + block), first, first), Ambiguous)


def test_copy_of_a_whole_function_is_ambiguous() -> None:
    body = SCHEDULER[SCHEDULER.index("def estimate") :]
    assert isinstance(ask(SCHEDULER, SCHEDULER + "\n\n" + body, 30, 32), Ambiguous)


def test_copy_under_another_name_does_not_take_it() -> None:
    body = SCHEDULER[SCHEDULER.index("def estimate") :]
    new = SCHEDULER.replace(body, body.replace("estimate", "estimate_padded") + "\n\n" + body)
    outcome = ask(SCHEDULER, new, 30, 32)
    assert isinstance(outcome, Moved)
    assert outcome.place.symbol == "estimate"


def test_copied_for_a_new_name_while_the_original_was_edited_is_changed() -> None:
    body = SCHEDULER[SCHEDULER.index("def estimate") :]
    edited = body.replace("request.total // width", "request.total // (width + 1)")
    new = SCHEDULER.replace(body, edited + "\n\n" + body.replace("estimate", "estimate_old"))
    first = line_of(SCHEDULER, "blocks = request")
    outcome = ask(SCHEDULER, new, first, first + 3)
    assert isinstance(outcome, Changed)
    assert outcome.place.symbol == "estimate"
    assert [p.symbol for p in outcome.twins] == ["estimate_old"]


WRAPPED = """\
def load(path, limit):
    found = open_all(path)
    kept = [one for one in found if one.size < limit]
    kept.sort(key=lambda one: one.size)
    total = sum(one.size for one in kept)
    report(total)
    for one in kept:
        one.read_header()
        one.check_digest()
        one.close_later()
    return kept
"""


@pytest.mark.parametrize("below", [True, False])
def test_body_that_went_under_a_wrapper(below: bool) -> None:
    body = WRAPPED.partition("\n")[2]
    wrapper = "def load(path, limit):\n    return _load(path, limit)\n"
    inner = "def _load(place, most):\n" + body
    new = wrapper + "\n\n" + inner if below else inner + "\n\n" + wrapper
    outcome = ask(WRAPPED, new, 2, 11)
    assert isinstance(outcome, Moved | Ambiguous)
    if isinstance(outcome, Moved):
        assert outcome.place.symbol == "_load"
    signature = ask(WRAPPED, new, 1, 1)
    assert isinstance(signature, Same | Moved)
    assert signature.place.symbol == "load"
    assert isinstance(ask(WRAPPED, new, 1, 3), Changed | Gone | Rewritten)


def test_restored_text_is_the_same() -> None:
    removed = SCHEDULER.replace("            budget -= need\n", "")
    assert isinstance(ask(SCHEDULER, removed, 19, 19), Gone | Changed | Rewritten)
    assert isinstance(
        ask(
            SCHEDULER,
            removed.replace("                break\n", "                break\n            budget -= need\n"),
            19,
            19,
        ),
        Same,
    )


TWINS = "def a():\n    setup()\n    run(1)\n    close()\n\n\ndef b():\n    setup()\n    run(2)\n    close()\n"


def test_twin_in_another_function_is_named_and_not_taken() -> None:
    new = TWINS.replace("def a():\n    setup()\n    run(1)\n    close()\n", "def a():\n    pass\n")
    outcome = ask(TWINS, new, 2, 2)
    assert isinstance(outcome, Gone)
    assert [p.symbol for p in outcome.twins] == ["b"]


def test_one_of_two_equal_lines_left_is_ambiguous() -> None:
    old = "def f():\n    step()\n    step()\n"
    assert isinstance(ask(old, "def f():\n    step()\n", 2, 2), Ambiguous)


def test_property_and_setter_are_not_mixed_up() -> None:
    old = (
        "class C:\n    @property\n    def x(self):\n        self.check()\n        return 1\n\n"
        "    @x.setter\n    def x(self, v):\n        self.check()\n        self.v = v\n"
    )
    new = old.replace("    @property\n    def x(self):\n        self.check()\n", "    @property\n    def x(self):\n")
    assert isinstance(ask(old, new, 4, 4), Gone)
    outcome = ask(old, new, 9, 9)
    assert lines(outcome) == ("engine/sched.py", 8, 8)


def test_renamed_file() -> None:
    new = {"engine/planner.py": SCHEDULER.replace("blocks += 1", "blocks += 2")}
    outcome = ask({"engine/sched.py": SCHEDULER}, new, 14, 20)
    assert isinstance(outcome, Moved)
    assert lines(outcome) == ("engine/planner.py", 14, 20)
    assert "the file is now engine/planner.py" in outcome.note


def test_renamed_file_with_the_same_content() -> None:
    outcome = ask({"engine/sched.py": SCHEDULER}, {"engine/x.py": SCHEDULER}, 12, 22)
    assert lines(outcome) == ("engine/x.py", 12, 22)


def test_file_that_became_two_copies_is_ambiguous() -> None:
    new = {"engine/a.py": SCHEDULER, "engine/b.py": SCHEDULER.replace("blocks += 1", "blocks += 2")}
    assert isinstance(ask({"engine/sched.py": SCHEDULER}, new, 14, 20), Ambiguous)
    same = {"engine/a.py": SCHEDULER, "engine/b.py": SCHEDULER}
    assert isinstance(ask({"engine/sched.py": SCHEDULER}, same, 14, 20), Ambiguous)


def test_function_that_went_to_another_file() -> None:
    body = SCHEDULER[SCHEDULER.index("def estimate") :]
    new = {"engine/sched.py": SCHEDULER.replace("\n\n" + body, ""), "engine/sizes.py": "import math\n\n\n" + body}
    outcome = ask({"engine/sched.py": SCHEDULER}, new, 30, 33)
    assert isinstance(outcome, Moved)
    assert outcome.place.path == "engine/sizes.py"
    assert outcome.place.symbol == "estimate"
    assert outcome.place.lines is not None
    assert outcome.place.lines.first == 5


def test_twin_that_stood_in_another_file_before_is_named_and_not_taken() -> None:
    body = SCHEDULER[SCHEDULER.index("def estimate") :]
    other = "import math\n\n\n" + body
    new = {"engine/sched.py": SCHEDULER.replace("\n\n" + body, ""), "engine/sizes.py": other + "\n# more\n"}
    outcome = ask({"engine/sched.py": SCHEDULER, "engine/sizes.py": other}, new, 30, 33)
    assert isinstance(outcome, Gone)
    assert [p.path for p in outcome.twins] == ["engine/sizes.py"]


def test_copy_in_a_new_file_while_the_original_was_edited_is_not_taken() -> None:
    edited = SCHEDULER.replace("need = request.total - request.done", "need = request.missing()")
    new = {"engine/sched.py": edited, "engine/sched_next.py": SCHEDULER}
    first = line_of(SCHEDULER, "need = request.total")
    outcome = ask({"engine/sched.py": SCHEDULER}, new, first, first)
    assert not isinstance(outcome, Same | Moved)


def test_several_requests_keep_their_order_and_share_the_file() -> None:
    old, new = MemoryTree({"m.py": SCHEDULER}), MemoryTree({"m.py": "# one\n" + SCHEDULER})
    requests = [Request("m.py", 30, 31), Request("m.py", 14, 14), Request("m.py", 30, 31)]
    followed = follow(requests, old, new)
    assert [one.request for one in followed] == requests
    assert [one.place.lines.first for one in followed if one.place and one.place.lines] == [31, 15, 31]
    assert new.read_paths.count("m.py") == 1


@pytest.mark.parametrize(
    ("path", "first", "last", "said"),
    [
        ("engine/none.py", 1, 1, "not a file of the older revision"),
        ("engine/sched.py", 1, 999, "lines in the older revision"),
        ("engine/sched.py", 9, 3, "not a range"),
        ("engine/sched.py", 0, 3, "not a range"),
    ],
)
@pytest.mark.parametrize("change", ["", "# new\n"])
def test_impossible_questions_are_said_to_be_so(path: str, first: int, last: int, said: str, change: str) -> None:
    old, new = MemoryTree({"engine/sched.py": SCHEDULER}), MemoryTree({"engine/sched.py": change + SCHEDULER})
    (followed,) = follow([Request(path, first, last)], old, new)
    assert isinstance(followed.outcome, NotFollowed)
    assert said in followed.outcome.reason


def test_what_an_archive_does_not_carry_is_not_gone() -> None:
    old = MemoryTree({"docs/a.md": "# A\n", "m.py": "x = 1\n"})
    new = MemoryTree({"m.py": "x = 1\n"}, not_carried=("docs/",))
    (followed,) = follow([Request("docs/a.md", 1, 1)], old, new)
    assert isinstance(followed.outcome, NotFollowed)
    assert followed.outcome.not_carried


def test_without_other_files_nothing_else_is_read() -> None:
    old = MemoryTree({"m.py": SCHEDULER, "other.py": "x = 1\n"})
    new = MemoryTree({"m.py": "# empty\n", "other.py": "x = 2\n"})
    (followed,) = follow([Request("m.py", 14, 20)], old, new, other_files=False)
    assert isinstance(followed.outcome, Gone)
    assert "other.py" not in old.read_paths + new.read_paths


@pytest.mark.parametrize("ending", ["\r\n", "\r"])
def test_line_ends_are_not_content(ending: str) -> None:
    outcome = ask(SCHEDULER, ("# new\n" + SCHEDULER).replace("\n", ending), 15, 20)
    assert lines(outcome) == ("engine/sched.py", 16, 21)


def test_a_range_that_is_blank() -> None:
    assert lines(ask(SCHEDULER, "# new\n" + SCHEDULER, 12, 12))[1] == 13
    assert isinstance(ask(SCHEDULER, SCHEDULER.replace("    def finish", "\n    def finish"), 22, 22), Ambiguous)


def test_cuda_and_plain_text() -> None:
    code = "__global__ void copy(float* out, const float* in) {\n  int i = threadIdx.x;\n  out[i] = in[i];\n}\n"
    outcome = ask(code, "// new\n" + code, 2, 3, path="csrc/k.cu")
    assert lines(outcome) == ("csrc/k.cu", 3, 4)
    assert isinstance(outcome, Moved)
    assert outcome.place.symbol == "copy"
    assert lines(ask("a\nb\nsome words\n", "x\na\nb\nsome words\n", 3, 3, path="a.txt"))[1] == 4
