"""Commits between two revisions, in place and from a server; releases of the index."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from refcheck.config.engines import Engine
from refcheck.errors import SourceError
from refcheck.sources.history import Change, History, open_history, parse_raw_log, releases
from refcheck.sources.wanted import Options

from .conftest import MODULE, Index, Redirect, Upstream, git, wheel

OTHER = "python/toy/other.py"


@pytest.fixture
def line(upstream: Upstream, head: str) -> list[str]:
    """Commits on main: the starting one, an edit, a rename, a merge, a removal."""
    made = [head]
    made.append(
        upstream.commit({MODULE: b"def step(batch):\n    return None\n"}, "edit \x02 step: a \U0001f600 subject")
    )
    made.append(upstream.commit({MODULE: None, OTHER: b"def step(batch):\n    return None\n"}, "rename"))
    git(upstream.work, "checkout", "-q", "-b", "side")
    upstream.commit({"python/toy/side.py": b"side = 1\n"}, "on the side")
    git(upstream.work, "checkout", "-q", "main")
    git(upstream.work, "merge", "-q", "--no-ff", "-m", "merge side", "side")
    upstream.publish()
    made.append(git(upstream.work, "rev-parse", "HEAD"))
    made.append(upstream.commit({OTHER: None}, "remove"))
    return made


@pytest.fixture(params=["clone", "mirror", "server"])
def opened(
    request: pytest.FixtureRequest,
    upstream: Upstream,
    line: list[str],
    engine: Engine,
    options: Options,
    redirect: Redirect,
) -> History:
    if request.param == "clone":
        return open_history(engine, [line[0], line[-1]], options, upstream.work)
    redirect(f"file://{upstream.server}")
    if request.param == "server":
        request.getfixturevalue("monkeypatch").setattr("refcheck.sources.history._Finding._mirror", lambda self: None)
    return open_history(engine, [line[0], line[-1]], options)


def test_commits_between(opened: History, line: list[str]) -> None:
    with opened as history:
        found = history.commits_between(line[0], line[-1])
        assert [c.info.commit for c in found] == line[1:]
        assert [c.info.subject for c in found] == [
            "edit \x02 step: a \U0001f600 subject",
            "rename",
            "merge side",
            "remove",
        ]
        edit, rename, merge, remove = (c.changes for c in found)
        (change,) = edit
        assert change.path == MODULE
        assert history.text(MODULE, change.new or "").lines == ("def step(batch):", "    return None")
        assert rename == (Change(OTHER, None, change.new), Change(MODULE, change.new, None))
        assert [c.path for c in merge] == ["python/toy/side.py"]
        assert remove == (Change(OTHER, change.new, None),)
        assert [c.info.commit for c in history.commits_between(line[0], line[-1], [OTHER])] == [line[2], line[4]]
        assert [len(c.changes) for c in history.commits_between(line[0], line[-1], ["python"])] == [1, 2, 1, 1]
        assert history.commits_between(line[-1], line[0]) == ()


def test_ancestry_and_facts(opened: History, line: list[str]) -> None:
    with opened as history:
        assert history.merge_base(line[0], line[-1]) == line[0]
        assert history.is_ancestor(line[1], line[3])
        assert not history.is_ancestor(line[3], line[1])
        info = history.info(line[2])
        assert (info.commit, info.subject) == (line[2], "rename")
        assert info.date[:10] == history.commits_between(line[1], line[2])[0].info.date[:10]
        with pytest.raises(SourceError):
            history.info("1" * 40)
        with pytest.raises(SourceError):
            history.merge_base("1" * 40, line[0])
        with pytest.raises(SourceError):
            history.commits_between("1" * 40, line[0])


def test_trees_of_a_history(opened: History, line: list[str]) -> None:
    with opened as history:
        assert history.blob_at(line[0], MODULE)
        assert history.blob_at(line[-1], MODULE) is None
        with history.tree(line[2]) as tree:
            tree.prefetch([OTHER])
            assert tree.read(OTHER).lines
            assert not tree.has(MODULE)
        blobs = [c.new for commit in history.commits_between(line[0], line[-1]) for c in commit.changes if c.new]
        history.prefetch(blobs)
        assert all(history.text("x", blob).lines for blob in blobs)


def test_a_fetched_history_is_kept(
    upstream: Upstream,
    line: list[str],
    engine: Engine,
    options: Options,
    redirect: Redirect,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("refcheck.sources.history._Finding._mirror", lambda self: None)
    redirect(f"file://{upstream.server}")
    ends = [line[0], line[-1]]
    with pytest.raises(SourceError, match="offline"):
        open_history(engine, ends, Options(offline=True))
    open_history(engine, ends, options).close()
    with open_history(engine, ends, Options(offline=True)) as history:
        assert len(history.commits_between(*ends)) == 4
        with pytest.raises(SourceError):
            history.text(MODULE, history.blob_at(line[1], MODULE) or "")


def test_a_history_is_fetched_as_far_back_as_needed(
    upstream: Upstream, engine: Engine, options: Options, redirect: Redirect, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A release branch may have left main long before its tag was made."""
    monkeypatch.setattr("refcheck.sources.history._Finding._mirror", lambda self: None)
    for i in range(4):
        date = f"2020-0{i + 1}-01T00:00:00Z"
        monkeypatch.setenv("GIT_COMMITTER_DATE", date)
        fork = upstream.commit({"a.py": f"a = {i}\n".encode()}, f"old {i}")
    monkeypatch.setenv("GIT_COMMITTER_DATE", "2021-06-01T00:00:00Z")
    newest = upstream.commit({"a.py": b"a = 9\n"}, "new")
    git(upstream.work, "checkout", "-q", "-b", "release", fork)
    git(upstream.work, "commit", "-q", "--allow-empty", "-m", "release")
    release = git(upstream.work, "rev-parse", "HEAD")
    git(upstream.work, "push", "-q", str(upstream.server), "HEAD:refs/heads/release")
    redirect(f"file://{upstream.server}")
    with open_history(engine, [release, newest], options) as history:
        assert history.merge_base(release, newest) == fork
        assert [c.info.commit for c in history.commits_between(release, newest)] == [newest]


@pytest.mark.parametrize("kind", ["folder", "absent", "lacking"])
def test_what_has_no_history(
    upstream: Upstream, head: str, engine: Engine, options: Options, tmp_path: Path, kind: str
) -> None:
    (tmp_path / "folder").mkdir()
    source = upstream.work if kind == "lacking" else tmp_path / kind
    with pytest.raises(SourceError, match=r"not a git repository|does not have the commit") as raised:
        open_history(engine, [head, "1" * 40], options, source)
    assert raised.value.exit_code == 3
    with pytest.raises(SourceError, match="resolve"):
        open_history(engine, ["main"], options, upstream.work)


def test_a_shallow_clone_ends_where_it_ends(
    upstream: Upstream, line: list[str], engine: Engine, options: Options, tmp_path: Path
) -> None:
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth=2", f"file://{upstream.server}", str(shallow))
    with open_history(engine, [line[-1]], options, shallow) as history:
        assert [c.info.subject for c in history.commits_between(line[-2], line[-1])] == ["remove"]


def test_the_environment_of_a_hook_does_not_count(
    upstream: Upstream,
    line: list[str],
    engine: Engine,
    options: Options,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    git(tmp_path, "init", "-q", str(tmp_path / "book"))
    for name in ("GIT_DIR", "GIT_COMMON_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "book" / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "book"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(tmp_path / "book" / ".git" / "objects"))
    with open_history(engine, [line[0], line[-1]], options, upstream.work) as history:
        assert history.merge_base(line[0], line[-1]) == line[0]


def test_an_empty_log() -> None:
    assert parse_raw_log(b"") == []


def test_releases_in_order(index: Index, engine: Engine, options: Options) -> None:
    from refcheck.sources.open import open_tree
    from refcheck.sources.wanted import Wanted

    for version in ("0.9.0", "0.10.0", "0.10.0.post1", "1.0rc1", "0.2"):
        index.archives[f"toy_engine-{version}-py3-none-any.whl"] = wheel({"toy/run.py": version.encode()})
    assert releases(engine, options) == ("0.2", "0.9.0", "0.10.0", "0.10.0.post1")
    for version in ("0.10.0", "0.9.0"):
        open_tree(Wanted(engine, f"release:{version}"), options).close()
    assert releases(engine, Options(offline=True)) == ("0.9.0", "0.10.0")


def test_many_packs_become_one(
    served: Upstream,
    head: str,
    engine: Engine,
    options: Options,
    store_dir: Callable[[], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from refcheck.sources.open import open_tree
    from refcheck.sources.wanted import Wanted

    monkeypatch.setattr("refcheck.sources.store.MOST_PACKS", 5)
    with open_tree(Wanted(engine, head), options) as tree:
        texts = {f"python/toy/part_{i}.py": b"" for i in range(12)}
        for path in texts:
            texts[path] = tree.read_bytes(path)
        assert len(list(store_dir().glob("objects/pack/*.pack"))) < 6
        for path, data in texts.items():
            assert tree.read_bytes(path) == data == (served.work / path).read_bytes()
    with open_tree(Wanted(engine, head), Options(offline=True)) as tree:
        assert all(tree.read_bytes(path) == data for path, data in texts.items())
