"""Every revision has the verdict that it has by itself; every version is looked at once; turns are where they are."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from refcheck.config.edition import Edition
from refcheck.history.judge import SAMPLE, Judged, Task, judge, table
from refcheck.history.units import units_of
from refcheck.locate.fingerprint import fingerprint_lines
from refcheck.model.history import EngineHistory, HistoryRow
from refcheck.model.verdict import place_of, verdict_name

from .timelines import State, Story, edition_of, judged_one_by_one, names, task_of

STEP = ["    def step(self, batch):", "        rows = self.plan(batch)", "        return self.run(rows)"]
POOL = """\
class Pool:
    size: int = 16

    def plan(self, batch):
        return batch[: self.size]

{step}

    def run(self, rows):
        return [row + 1 for row in rows]
"""
FULL = POOL.format(step="\n".join(STEP))
FASTER = FULL.replace("self.run(rows)", "self.run(rows, fast=True)")
MARK = fingerprint_lines(STEP)
EDITION = f"""\
anchors:
  - {{id: step, engine: toy, path: toy/pool.py, lines: 7-9, form: block, symbol: Pool.step, fingerprint: "{MARK}"}}
claims:
  - {{id: step-quote, anchor: step, check: quote, words: "def step"}}
  - {{id: step-lines, anchor: step, check: location, words: "L7-L9"}}
  - id: size
    words: sixteen rows
    check: {{kind: default, engine: toy, path: toy/pool.py, symbol: Pool.size, default: "16"}}
  - id: no-old
    words: nobody makes an Old
    check: {{kind: nothing, engine: toy, scope: [toy/], constructs: Old}}
  - id: elsewhere
    words: helpers double
    check: {{kind: expression, engine: toy, path: toy/help.py, symbol: double, returns: 2 * value}}
"""
HELP = "def double(value):\n    return 2 * value\n"


@pytest.fixture
def edition(tmp_path: Path) -> Edition:
    return edition_of(tmp_path, EDITION)


def history_of(edition: Edition, states: list[State], **more: object) -> EngineHistory:
    return table(judge(task_of(edition, Story(states), **more)), "toy", edition.name)


def row(history: EngineHistory, id_: str) -> HistoryRow:
    return next(one for one in history.rows if one.id == id_)


def test_what_breaks_holds_again_and_breaks_again_is_told_in_order(edition: Edition) -> None:
    good: State = {"toy/pool.py": FULL, "toy/help.py": HELP}
    bad: State = {**good, "toy/pool.py": FASTER}
    other: State = {**good, "README.md": "x"}
    states = [good, other, bad, {**bad, "README.md": "y"}, other, good, bad, good, good]
    history = history_of(edition, states)
    step = row(history, "step")
    assert [(turn.revision.subject, verdict_name(turn.now)) for turn in step.turns] == [
        ("commit 2", "changed"),
        ("commit 4", "holds"),
        ("commit 6", "changed"),
        ("commit 7", "holds"),
    ]
    assert step.broke is not None
    assert step.broke.revision.subject == "commit 2"
    assert step.broke.before.subject == "commit 1"
    assert step.broke.exact
    # The ends agree, so that a bisection between them would have found nothing.
    assert verdict_name(step.cells[0].verdict) == verdict_name(step.cells[-1].verdict) == "holds"
    assert row(history, "size").turns == ()
    assert row(history, "step-quote").broke is not None
    assert [revision.subject for revision in history.revisions] == [
        "commit 0", "commit 2", "commit 4", "commit 6", "commit 7", "commit 8",
    ]  # fmt: skip
    assert history.looked_through == 9


def test_each_version_is_read_and_judged_once(edition: Edition) -> None:
    good: State = {"toy/pool.py": FULL, "toy/help.py": HELP, "toy/more.py": "x = 1\n"}
    states: list[State] = [{**good, "README.md": str(n)} for n in range(40)]
    states[20:] = [{**state, "toy/pool.py": FASTER} for state in states[20:]]
    story = Story(states)
    judged = judge(task_of(edition, story))
    assert set(story.reads.values()) == {1}
    assert len(story.reads) == 4  # three files of the engine's folder, one of them in two versions
    counts = {track.head.id: track.judged for track in judged.tracks}
    assert counts == {"step": 2, "step-quote": 2, "step-lines": 2, "size": 2, "no-old": 1, "elsewhere": 1}
    assert story.closed


def test_moves(edition: Edition) -> None:
    shifted = "import this\n\n\n" + FULL
    renamed = FULL.replace("class Pool", "class Basin")
    cut = POOL.format(step="")
    states: list[State] = [
        {"toy/pool.py": FULL},
        {"toy/pool.py": shifted},
        {"toy/pool.py": renamed},
        {"toy/pool.py": cut, "toy/other.py": "class Pool:\n" + "\n".join(STEP) + "\n"},
        {"toy/pool.py": cut},
        {"toy/other.py": FULL},
        {},
    ]
    verdicts = names(judge(task_of(edition, Story(states))))
    assert verdicts["step"] == ["holds", "moved", "moved", "moved", "gone", "moved", "gone"]
    assert verdicts["step-quote"] == ["holds", "holds", "holds", "moved", "gone", "moved", "gone"]
    assert verdicts["step-lines"] == ["holds", "moved", "holds", "moved", "gone", "moved", "gone"]
    history = history_of(edition, states)
    broke = row(history, "step").broke
    assert broke is not None
    assert broke.revision.subject == "commit 4"
    places = [place_of(track.at(3)) for track in judge(task_of(edition, Story(states))).tracks[:1]]
    assert str(places[0]) == "toy/other.py:L2-L4"


def test_shifted_lines_alone_make_no_column(edition: Edition) -> None:
    states: list[State] = [{"toy/pool.py": "\n" * n + FULL} for n in range(12)]
    history = history_of(edition, states)
    assert [revision.subject for revision in history.revisions] == ["commit 0", "commit 11"]
    assert [verdict_name(cell.verdict) for cell in row(history, "step-lines").cells] == ["holds", "moved"]
    place = place_of(row(history, "step").cells[-1].verdict)
    assert str(place) == "toy/pool.py:L18-L20"


def test_never_held_is_no_break(edition: Edition) -> None:
    states: list[State] = [{}, {"toy/pool.py": FASTER}, {}]
    history = history_of(edition, states)
    assert row(history, "step").broke is None
    assert not row(history, "step").ever_held
    late = history_of(edition, [{}, {"toy/pool.py": FULL}, {}])
    broke = row(late, "step").broke
    assert broke is not None
    assert broke.revision.subject == "commit 2"


def test_a_range_follows_what_enters_and_leaves_it(edition: Edition) -> None:
    base: State = {"toy/pool.py": FULL, "toy/help.py": HELP}
    makes = "def make():\n    return Old(3)\n"
    states: list[State] = [
        base,
        {**base, "docs/old.py": makes},
        {**base, "toy/new.py": makes},
        {**base, "toy/new.py": makes.replace("Old(", "New(")},
        {**base, "toy/deep/new.py": makes},
        base,
    ]
    verdicts = names(judge(task_of(edition, Story(states))))
    assert verdicts["no-old"] == ["holds", "holds", "contradicted", "holds", "contradicted", "holds"]


def test_a_definition_that_left_its_file_is_followed(edition: Edition) -> None:
    base: State = {"toy/pool.py": FULL, "toy/help.py": HELP}
    gone: State = {"toy/pool.py": FULL, "toy/help.py": "pass\n"}
    states: list[State] = [
        base,
        gone,
        {**gone, "toy/new_help.py": HELP},
        {**gone, "toy/new_help.py": HELP.replace("2 *", "3 *")},
        {**gone, "toy/new_help.py": HELP, "toy/second.py": HELP},
    ]
    verdicts = names(judge(task_of(edition, Story(states))))
    assert verdicts["elsewhere"] == judged_one_by_one(edition, states)["elsewhere"]
    assert verdicts["elsewhere"][0] == "holds"
    assert verdicts["elsewhere"][1] == "gone"
    assert verdicts["elsewhere"][3] == "contradicted"


TWICE = "class Twins:\n    def one(self):\n        use(self)\n        use(self)\n"


def test_lines_part_equal_texts_at_the_pin_alone(tmp_path: Path) -> None:
    mark = fingerprint_lines(["        use(self)"])
    entry = f'{{id: twin, engine: toy, path: toy/t.py, lines: 4, symbol: Twins.one, fingerprint: "{mark}"}}'
    edition = edition_of(tmp_path, f"anchors:\n  - {entry}\n")
    states: list[State] = [{"toy/t.py": TWICE}, {"toy/t.py": TWICE}, {"toy/t.py": TWICE + "\n"}]
    pin = Story(states).revisions[1].rev
    assert names(judge(task_of(edition, Story(states), pin=pin)))["twin"] == ["undecided", "holds", "undecided"]


def test_an_anchor_without_a_record_is_followed_by_its_name(tmp_path: Path) -> None:
    entry = "{id: bare, engine: toy, path: toy/pool.py, lines: 7-9, form: block, symbol: Pool.step}"
    claims = "claims:\n  - {id: bare-lines, anchor: bare, check: location, words: L7}\n"
    edition = edition_of(tmp_path, f"anchors:\n  - {entry}\n{claims}")
    states: list[State] = [{"toy/pool.py": FULL}, {"toy/pool.py": "\n" + FASTER}, {"toy/pool.py": HELP}, {}]
    verdicts = names(judge(task_of(edition, Story(states))))
    assert verdicts["bare"] == ["holds", "holds", "gone", "gone"]
    assert verdicts["bare-lines"][0] == "holds"
    assert verdicts["bare-lines"][1] != "holds"


def random_states(seed: int, count: int) -> list[State]:
    """Edits of all sorts, chosen at random: the texts come, go, move, return and are copied."""
    pick = random.Random(seed)
    texts = {
        "toy/pool.py": [FULL, FASTER, POOL.format(step="    step = 1"), FULL.replace("16", "32"), "\n" + FULL, ""],
        "toy/help.py": [HELP, HELP.replace("2 *", "3 *"), "def other():\n    pass\n", "class Old:\n    pass\n"],
        "toy/a.py": ["x = Old()\n", "x = 1\n", HELP, "class Pool:\n" + "\n".join(STEP) + "\n", FULL],
        "toy/b/c.py": ["# Old()\n", "y = make(Old(1))\n", HELP, "\n".join(STEP) + "\n"],
        "docs/d.py": ["Old()\n", FULL],
    }
    state: dict[str, str] = {"toy/pool.py": FULL, "toy/help.py": HELP}
    states: list[State] = [dict(state)]
    for _ in range(count - 1):
        for _ in range(pick.randint(1, 2)):
            path = pick.choice(list(texts))
            if path in state and pick.random() < 0.3:
                del state[path]
            else:
                state[path] = pick.choice(texts[path])
        states.append(dict(state))
    return states


@pytest.mark.parametrize("seed", range(6))
def test_what_is_kept_changes_no_verdict(edition: Edition, seed: int) -> None:
    states = random_states(seed, 40)
    story = Story(states)
    pin = story.revisions[7].rev
    together = names(judge(task_of(edition, story, pin=pin)))
    assert together == judged_one_by_one(edition, states, pin)
    assert len({tuple(verdicts) for verdicts in together.values()}) > 2


def test_too_much_to_follow_is_sampled_and_said_to_be(edition: Edition) -> None:
    base: State = {"toy/pool.py": FULL, "toy/help.py": HELP}
    states: list[State] = [{**base, "toy/noise.py": f"n = {n}\n"} for n in range(200)]
    for n in range(101, 200):
        states[n] = {**states[n], "toy/new.py": "Old()\n"}
    heard: list[str] = []
    judged = judge(task_of(edition, Story(states), most_versions=50), announce=heard.append)
    history = table(judged, "toy", "toy")
    no_old = row(history, "no-old")
    assert no_old.sampled == (SAMPLE, 200)
    (turn,) = no_old.turns
    assert not turn.exact
    assert int(turn.before.rev, 16) < 101 <= int(turn.revision.rev, 16)
    assert any("200" in line or "revisions only" in line for line in heard)
    # What names its files is judged at every revision all the same.
    assert row(history, "size").sampled is None
    full = table(judge(task_of(edition, Story(states))), "toy", "toy")
    (exact,) = row(full, "no-old").turns
    assert exact.exact
    assert int(exact.revision.rev, 16) == 101


def test_threads_give_the_same_answer(edition: Edition) -> None:
    states = random_states(3, 25)
    # Each worker has a timeline of its own.
    task = Task(units_of(edition, "toy", ("toy/",)), lambda: Story(states))
    with ThreadPoolExecutor(2) as threads:
        same(judge(task, threads), judge(task))


def same(one: Judged, other: Judged) -> None:
    assert [track.head for track in one.tracks] == [track.head for track in other.tracks]
    assert [track.marks for track in one.tracks] == [track.marks for track in other.tracks]
    assert one.revisions == other.revisions
