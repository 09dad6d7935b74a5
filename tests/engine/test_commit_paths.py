"""The commits between two trees, read from repositories of the tests' own."""

from __future__ import annotations

from pathlib import Path

import pytest

from refcheck.config.engines import Engine
from refcheck.engine.commit_paths import CommitPaths
from refcheck.locate.follow import Ambiguous, Followed, Moved, Request, follow
from refcheck.sources.open import open_tree
from refcheck.sources.wanted import Options, Wanted
from tests.locate.follow.test_path import FIRST, HELPER, LAST, REST, TARGET, WAY
from tests.sources.conftest import ORIGIN, Upstream, git, own_settings

__all__ = ["own_settings"]

A, B = "toy/a.py", "toy/b.py"
ENGINE = Engine(name="toy", origin=ORIGIN, source_roots=("toy/",))


@pytest.fixture
def upstream(tmp_path: Path) -> Upstream:
    return Upstream(tmp_path)


class Between:
    """Follows one range between two commits of a clone, from tree to tree and over the commits."""

    def __init__(self, clone: Path, older: str, newer: str, sources: dict[str, Path] | None = None) -> None:
        self.said: list[str] = []
        options = Options(offline=True)
        with (
            open_tree(Wanted(ENGINE, older, None, clone), options) as old,
            open_tree(Wanted(ENGINE, newer, None, clone), options) as new,
            CommitPaths(
                {"toy": ENGINE}, {"toy": clone} if sources is None else sources, options, self.said.append
            ) as way,
        ):
            self.trees: Followed
            self.commits: Followed
            path, first, last = (A, 1, 6) if old.read(A).text.startswith(HELPER[:20]) else (A, FIRST, LAST)
            asked = follow([Request(path, first, last)], old, new)
            (self.trees,) = asked
            (self.commits,) = way.settle("toy", asked, old, new)
            self.notes = way.notes


def put(upstream: Upstream, a: str | None, subject: str, b: str | None = None) -> str:
    files = {A: a, B: b}
    present = {p: t.encode() if t is not None else None for p, t in files.items() if t or (upstream.work / p).exists()}
    return upstream.commit(present, subject)


def test_a_doubt_is_settled_and_said(upstream: Upstream) -> None:
    older, *_, newer = [put(upstream, text, f"state {number}") for number, text in enumerate(WAY)]
    found = Between(upstream.work, older, newer)
    assert isinstance(found.trees.outcome, Ambiguous)
    assert isinstance(found.commits.outcome, Moved)
    assert found.notes == ("toy: over the commits between, 1 of 1 that the two trees leave in doubt are settled",)
    assert "looking at 1 place over 3 commits" in found.said[0]


def test_a_merge_counts_as_what_it_brought(upstream: Upstream) -> None:
    """What happened on the side branch is one step of the main line: the merge that brought it."""
    older = put(upstream, HELPER + REST, "begin", TARGET)
    git(upstream.work, "checkout", "-q", "-b", "side")
    put(upstream, HELPER + REST, "copy", TARGET + HELPER)
    put(upstream, REST, "remove", TARGET + HELPER)
    git(upstream.work, "checkout", "-q", "main")
    git(upstream.work, "merge", "-q", "--no-ff", "-m", "merge side", "side")
    newer = git(upstream.work, "rev-parse", "HEAD")
    found = Between(upstream.work, older, newer)
    assert isinstance(found.commits.outcome, Moved)
    assert "(merge side)" in found.commits.outcome.note
    # On the side branch's own line, the copy came before the removal.
    branch = Between(upstream.work, older, git(upstream.work, "rev-parse", "side"))
    assert isinstance(branch.trees.outcome, Moved)
    assert isinstance(branch.commits.outcome, Ambiguous)
    assert "(remove)" in branch.commits.outcome.reason
    assert "0 of 1 finds in other files are confirmed" in branch.notes[0]


def test_a_page_that_was_written_on_a_side_branch(upstream: Upstream) -> None:
    """Commits of the main line before the merge do not have what the page cites: they are no edits of it."""
    put(upstream, REST, "begin")
    git(upstream.work, "checkout", "-q", "-b", "side")
    older = put(upstream, WAY[0], "on the side")
    git(upstream.work, "checkout", "-q", "main")
    put(upstream, REST, "elsewhere", TARGET)
    git(upstream.work, "merge", "-q", "--no-ff", "-m", "merge side", "side")
    for number, text in enumerate(WAY[1:], 1):
        newer = put(upstream, text, f"state {number}", TARGET)
    found = Between(upstream.work, older, newer)
    assert isinstance(found.trees.outcome, Ambiguous)
    assert isinstance(found.commits.outcome, Moved)


def test_a_rename_is_named(upstream: Upstream) -> None:
    older = put(upstream, HELPER + REST, "begin")
    newer = put(upstream, None, "rename it", "import math\n" + HELPER + REST)
    found = Between(upstream.work, older, newer)
    assert isinstance(found.commits.outcome, Moved)
    assert found.commits.outcome.place.path == B
    assert "(rename it)" in found.commits.outcome.note


def test_where_history_does_not_lead_the_trees_have_the_word(upstream: Upstream, tmp_path: Path) -> None:
    root = put(upstream, WAY[0], "begin")
    newer = put(upstream, WAY[3], "all at once")
    # Backwards there is no way, nor between branches.
    back = Between(upstream.work, newer, root)
    assert back.commits == back.trees
    assert not back.notes or "does not contain" in back.notes[0]
    git(upstream.work, "checkout", "-q", "-b", "side", root)
    side = put(upstream, WAY[0] + "\nside = 1\n", "on the side")
    git(upstream.work, "checkout", "-q", "main")
    fork = Between(upstream.work, side, newer)
    assert isinstance(fork.trees.outcome, Ambiguous)
    assert fork.commits == fork.trees
    assert f"{newer[:12]} does not contain {side[:12]}" in fork.notes[0]
    # A clone without the older commits.
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth", "1", upstream.server.as_uri(), str(shallow))
    git(shallow, "fetch", "-q", "--depth", "1", upstream.server.as_uri(), root, newer)
    cut = Between(shallow, root, newer)
    assert cut.commits == cut.trees
    assert "does not contain" in cut.notes[0]
    # No clone, no mirror, nothing in the store.
    absent = Between(upstream.work, root, newer, {})
    assert absent.commits == absent.trees
    assert "their history is not at hand" in absent.notes[0]
    assert "--source toy=CLONE" in absent.notes[0]


def test_contents_that_are_not_there_are_no_failure(upstream: Upstream, tmp_path: Path) -> None:
    """A clone without the contents of old versions: what the trees say stands, and the run goes on."""
    older, *_, newer = [put(upstream, text, f"state {number}") for number, text in enumerate(WAY)]
    git(upstream.server, "config", "uploadpack.allowFilter", "true")
    partial = tmp_path / "partial"
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", upstream.server.as_uri(), str(partial))
    for commit in (older, newer):
        git(partial, "checkout", "-q", commit)
    found = Between(partial, older, newer)
    assert isinstance(found.trees.outcome, Ambiguous)
    assert found.commits == found.trees
    assert "could not be read" in found.notes[0]


def test_nothing_is_opened_where_nothing_is_open(upstream: Upstream, monkeypatch: pytest.MonkeyPatch) -> None:
    older = put(upstream, WAY[0], "begin")
    newer = put(upstream, "import math\n" + WAY[0], "an import")

    def refuse(*args: object, **more: object) -> None:
        raise AssertionError("the history was opened")

    monkeypatch.setattr("refcheck.sources.history.open_history", refuse)
    found = Between(upstream.work, older, newer)
    assert isinstance(found.commits.outcome, Moved)
    assert found.notes == ()
    assert found.said == []
