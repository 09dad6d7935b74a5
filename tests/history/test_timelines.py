"""Commits of a repository and releases of an index as timelines, and the words that name releases."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import pytest

from refcheck.config.edition import Edition
from refcheck.config.engines import Engine
from refcheck.errors import SourceError, UsageError
from refcheck.history.commits import Commits
from refcheck.history.judge import Task, judge, table
from refcheck.history.releases import Releases, choose_releases
from refcheck.history.units import units_of
from refcheck.model.verdict import verdict_name
from refcheck.sources.wanted import Options
from tests.sources.conftest import Index, Upstream, git, sdist

from .timelines import edition_of

PATH = "python/toy/pool.py"
GOOD = b"class Pool:\n    size: int = 16\n"
BAD = b"class Pool:\n    size: int = 32\n"
CLAIM = f"""\
claims:
  - id: size
    check: {{kind: default, engine: toy, path: {PATH}, symbol: Pool.size, default: "16"}}
  - id: none
    check: {{kind: nothing, engine: toy, scope: [python/toy/], constructs: Old}}
"""


@pytest.fixture
def edition(tmp_path: Path) -> Edition:
    return edition_of(tmp_path, CLAIM)


@pytest.fixture
def line(upstream: Upstream) -> list[str]:
    """good, a side branch merged that breaks, unrelated, good again, a new maker of Old."""
    made = [upstream.commit({PATH: GOOD}, "good")]
    git(upstream.work, "checkout", "-q", "-b", "side")
    upstream.commit({PATH: BAD}, "on the side")
    git(upstream.work, "checkout", "-q", "main")
    upstream.commit({"docs/guide.md": b"# More\n"}, "docs")
    git(upstream.work, "merge", "-q", "--no-ff", "-m", "merge the side", "side")
    upstream.publish()
    made.append(git(upstream.work, "rev-parse", "HEAD"))
    made.append(upstream.commit({"docs/guide.md": b"# Most\n"}, "more docs"))
    made.append(upstream.commit({PATH: GOOD}, "good again"))
    made.append(upstream.commit({"python/toy/new.py": b"x = Old()\n"}, "an Old"))
    return made


def units(edition: Edition, engine: Engine):  # type: ignore[no-untyped-def]
    return units_of(edition, "toy", engine.source_roots)


def test_commits_are_judged_along_first_parents(
    upstream: Upstream, line: list[str], engine: Engine, edition: Edition
) -> None:
    opened = partial(Commits, engine, line[0], line[-1], None, upstream.work)
    judged = judge(Task(units(edition, engine), opened))
    history = table(judged, "toy", "toy")
    size, none = history.rows
    assert [(turn.revision.subject, verdict_name(turn.now)) for turn in size.turns] == [
        ("merge the side", "contradicted"),
        ("good again", "holds"),
    ]
    assert size.broke is not None
    assert size.broke.revision.rev == line[1]
    assert size.broke.revision.date is not None
    assert none.broke is not None
    assert none.broke.revision.rev == line[4]
    assert history.revisions[0].subject == "good"
    assert history.looked_through == 6
    with ProcessPoolExecutor(2, get_context("spawn")) as processes:
        assert judge(Task(units(edition, engine), opened), processes) == judged


def test_a_start_beside_the_main_line(upstream: Upstream, line: list[str], engine: Engine, edition: Edition) -> None:
    side = git(upstream.work, "rev-parse", "side")
    judged = judge(Task(units(edition, engine), partial(Commits, engine, side, line[-1], None, upstream.work)))
    size = table(judged, "toy", "toy").rows[0]
    assert verdict_name(size.cells[0].verdict) == "contradicted"
    # Seen along the main line, the docs commit before the merge still has the good one.
    assert [verdict_name(turn.now) for turn in size.turns] == ["holds", "contradicted", "holds"]


def test_ends_that_are_no_line(upstream: Upstream, line: list[str], engine: Engine) -> None:
    with pytest.raises(UsageError, match="swap the two"):
        Commits(engine, line[-1], line[0], None, upstream.work)
    git(upstream.work, "checkout", "-q", "-b", "fork", line[1])
    fork = upstream.commit({"docs/guide.md": b"# Fork\n"}, "a fork")
    with pytest.raises(UsageError, match=f"does not contain .* last common commit is {line[1]}"):
        Commits(engine, line[-1], fork, None, upstream.work)
    with pytest.raises(SourceError):
        Commits(engine, "1" * 40, line[0], None, upstream.work)


def test_from_a_server(
    served: Upstream, line: list[str], engine: Engine, edition: Edition, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the commits' trees and the contents that the checks look at are fetched."""
    monkeypatch.setattr("refcheck.sources.history._Finding._mirror", lambda self: None)
    heard: list[str] = []
    options = Options(announce=heard.append)
    judged = judge(
        Task(units(edition, engine), partial(Commits, engine, line[0], line[-1], options)), announce=heard.append
    )
    size, none = table(judged, "toy", "toy").rows
    assert size.broke is not None
    assert size.broke.revision.rev == line[1]
    assert none.broke is not None
    assert any("versions of files below python/toy/" in line for line in heard)


def test_releases(index: Index, engine: Engine, edition: Edition) -> None:
    for version, data in (("1.0", GOOD), ("1.1", BAD), ("1.2", GOOD)):
        name = f"toy_engine-{version}"
        index.archives[f"{name}.tar.gz"] = sdist({"toy/pool.py": data, "pyproject.toml": b"[project]"}, name)
    judged = judge(Task(units(edition, engine), partial(Releases, engine, ("1.0", "1.1", "1.2"), Options())))
    history = table(judged, "toy", "toy")
    assert [revision.rev for revision in history.revisions] == ["release:1.0", "release:1.1", "release:1.2"]
    assert [verdict_name(cell.verdict) for cell in history.rows[0].cells] == ["holds", "contradicted", "holds"]
    broke = history.rows[0].broke
    assert broke is not None
    assert broke.revision.label == "1.1"
    asked = len(index.requests)
    judge(Task(units(edition, engine), partial(Releases, engine, ("1.0", "1.1", "1.2"), Options())))
    assert len(index.requests) == asked


KNOWN = ("0.9", "1.0", "1.1", "1.1.post1", "1.2", "1.10")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("1.0..1.2", ("1.0", "1.1", "1.1.post1", "1.2")),
        ("1.2..", ("1.2", "1.10")),
        ("1.0.0..1.1", ("1.0", "1.1")),
        ("0.9,1.2", ("0.9", "1.2")),
        ("1.2", ("1.2",)),
        ("1.2..1.10,0.9", ("0.9", "1.2", "1.10")),
        ("1.1..1.2rc1", ("1.1", "1.1.post1", "1.2rc1")),
        ("release:1.1..release:1.2", ("1.1", "1.1.post1", "1.2")),
        ("1.10..1.10", ("1.10",)),
    ],
)
def test_ranges_of_releases(text: str, wanted: tuple[str, ...]) -> None:
    assert choose_releases(text, KNOWN, "toy") == wanted


def test_a_pre_release_that_is_known_stands_in_no_range() -> None:
    known = ("1.0", "1.1rc1", "1.1", "1.2rc1")
    assert choose_releases("1.0..", known, "toy") == ("1.0", "1.1")
    assert choose_releases("1.0..1.2rc1", known, "toy") == ("1.0", "1.1", "1.2rc1")
    with pytest.raises(UsageError, match="no releases"):
        choose_releases("1.0..", (), "toy")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1.2..1.0", "1.2 is newer than 1.0"),
        ("1.3..1.10", "no release 1.3 .*near"),
        ("1.0...1.2", "A..B"),
        ("..1.2", "A..B"),
        ("", "A..B"),
        ("main..1.2", "'main' is no version"),
    ],
)
def test_ranges_that_are_none(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        choose_releases(text, KNOWN, "toy")
