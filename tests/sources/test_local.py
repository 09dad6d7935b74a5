"""Clones, mirrors and plain folders that the user names."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from refcheck.config.engines import Engine
from refcheck.errors import PathNotInTree, SourceError
from refcheck.model.tree import SourceKind, Tree
from refcheck.sources.batch import blob_id
from refcheck.sources.git_tree import GitTree
from refcheck.sources.open import open_tree
from refcheck.sources.wanted import UNKNOWN_PIN, Options

from .conftest import MODULE, Upstream, git, wanted


def test_a_clone_is_asked_for_the_commit(upstream: Upstream, head: str, engine: Engine, options: Options) -> None:
    (upstream.work / MODULE).write_text("def edited(): ...\n")
    later = upstream.commit({MODULE: b"def later(): ...\n"})
    assert later != head
    with open_tree(wanted(engine, head, source=upstream.work), options) as tree:
        assert tree.read(MODULE).lines[0] == "def step(batch):"
        assert (tree.source.kind, tree.source.read, tree.source.exact) == (SourceKind.COMMIT, head, True)


def test_where_a_repository_may_lie(
    upstream: Upstream, head: str, engine: Engine, options: Options, tmp_path: Path
) -> None:
    linked = tmp_path / "linked"
    git(upstream.work, "worktree", "add", "-q", str(linked), head)
    borrowing = tmp_path / "borrowing"
    git(tmp_path, "clone", "-q", "--shared", str(upstream.work), str(borrowing))
    for place in (upstream.work, upstream.server, linked, borrowing, upstream.work / ".git"):
        with open_tree(wanted(engine, head, source=place), options) as tree:
            assert tree.read(MODULE).lines, place


def test_a_clone_that_lacks_the_commit_says_so(upstream: Upstream, engine: Engine, options: Options) -> None:
    with pytest.raises(SourceError, match="does not have the commit") as raised:
        open_tree(wanted(engine, "a" * 40, source=upstream.work), options)
    assert raised.value.exit_code == 3
    assert str(upstream.work) in str(raised.value)


def test_a_partial_clone_says_what_it_lacks(
    upstream: Upstream, head: str, engine: Engine, options: Options, tmp_path: Path
) -> None:
    partial = tmp_path / "partial.git"
    git(tmp_path, "clone", "-q", "--bare", "--filter=blob:none", f"file://{upstream.server}", str(partial))
    with open_tree(wanted(engine, head, source=partial), options) as tree:
        assert tree.has(MODULE)
        with pytest.raises(SourceError, match="partial clone"):
            tree.read(MODULE)
    assert not list((partial / "objects").glob("[0-9a-f][0-9a-f]/*"))  # nothing was fetched on the side


def test_names_are_resolved_in_the_clone(upstream: Upstream, head: str, engine: Engine, options: Options) -> None:
    git(upstream.work, "tag", "-a", "-m", "one", "v1.0")
    upstream.commit({MODULE: b"later = 1\n"})
    cases = {"v1.0": head, "main": git(upstream.work, "rev-parse", "main"), head[:9]: head, "release:1.0": head}
    for rev, commit in cases.items():
        with open_tree(wanted(engine, rev, source=upstream.work), options) as tree:
            assert tree.source.read == commit, rev
            assert tree.source.exact
    with open_tree(wanted(engine, UNKNOWN_PIN, source=upstream.work), options) as tree:
        assert tree.source.pin == tree.source.read == cases["main"]
        assert "HEAD" in tree.source.why


def test_names_of_every_kind_are_read_as_git_reads_them(
    upstream: Upstream, head: str, engine: Engine, options: Options, tmp_path: Path
) -> None:
    """Loose and packed, annotated tags peeled, a tag before a branch of its name, a remote's branch, a linked tree."""
    git(upstream.work, "tag", "light")
    git(upstream.work, "tag", "-a", "-m", "one", "v1.0")
    git(upstream.work, "branch", "both")
    packed = git(upstream.work, "rev-parse", "v1.0^{}")
    git(upstream.work, "pack-refs", "--all")
    later = upstream.commit({MODULE: b"later = 1\n"})
    git(upstream.work, "tag", "-a", "-m", "two", "v2.0")
    git(upstream.work, "tag", "both")
    git(upstream.work, "update-ref", "refs/remotes/origin/theirs", head)
    git(upstream.work, "worktree", "add", "-q", "--detach", str(tmp_path / "linked"), head)
    names = {"light": head, "v1.0": packed, "v2.0": later, "main": later, "both": later, "theirs": head, "HEAD": later}
    for name, commit in names.items():
        with open_tree(wanted(engine, name, source=upstream.work), options) as tree:
            assert tree.source.read == commit, name
    for name, commit in {"HEAD": head, "v2.0": later, "refs/tags/v1.0": packed}.items():
        with open_tree(wanted(engine, name, source=tmp_path / "linked"), options) as tree:
            assert tree.source.read == commit, name


@pytest.mark.parametrize("rev", ["main", "v1.0", UNKNOWN_PIN, "a" * 40])
def test_a_clone_that_cannot_be_used_says_why(upstream: Upstream, engine: Engine, options: Options, rev: str) -> None:
    """Whatever was asked for: a name, no revision at all, a commit."""
    git(upstream.work, "config", "extensions.objectFormat", "sha256")
    with pytest.raises(SourceError, match="SHA-256"):
        open_tree(wanted(engine, rev, source=upstream.work), options)


def copy(upstream: Upstream, folder: Path) -> Path:
    folder.mkdir()
    archive = git(upstream.work, "rev-parse", "HEAD")
    git(upstream.work, "archive", "--format=tar", "-o", str(folder / "a.tar"), archive)
    import tarfile

    with tarfile.open(folder / "a.tar") as tar:
        tar.extractall(folder, filter="fully_trusted")
    (folder / "a.tar").unlink()
    return folder


def test_a_plain_folder_stands_for_the_pin(
    upstream: Upstream, engine: Engine, options: Options, tmp_path: Path
) -> None:
    folder = copy(upstream, tmp_path / "plain")
    with open_tree(wanted(engine, "a" * 40, source=folder), options) as tree:
        assert isinstance(tree, Tree)
        source = tree.source
        assert (source.kind, source.read, source.exact, source.pin) == (
            SourceKind.FOLDER,
            "folder:plain",
            True,
            "a" * 40,
        )
        assert source.commit is None
        assert tree.read("python/toy/crlf.py").lines == ("first = 1", "second = 2")
        assert tree.paths()[MODULE] == git(upstream.work, "rev-parse", f"HEAD:{MODULE}") == tree.read(MODULE).blob
        assert MODULE in tree.paths()
        assert "nothing" not in tree.paths()
        assert tree.carries("python/toy/absent.py")
        assert not tree.carries("rust/absent.rs")


def test_links_and_special_files_of_a_folder_are_not_read(engine: Engine, options: Options, tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    (folder / "python/toy").mkdir(parents=True)
    (folder / MODULE).write_bytes(b"x = 1\n")
    (tmp_path / "secret").write_text("secret")
    (folder / "python/toy/link.py").symlink_to(tmp_path / "secret")
    (folder / "python/away").symlink_to(tmp_path)
    os.mkfifo(folder / "python/toy/pipe.py")
    with open_tree(wanted(engine, "a" * 40, source=folder), options) as tree:
        assert list(tree.paths()) == [MODULE]
        for path in ("python/toy/link.py", "python/away/secret", "../secret", str(tmp_path / "secret")):
            with pytest.raises(PathNotInTree):
                tree.read(path)
        (folder / MODULE).unlink()
        (folder / MODULE).symlink_to(tmp_path / "secret")
        with pytest.raises(SourceError):
            tree.read(MODULE)


@pytest.mark.parametrize("layout", ["wheel", "installed", "repository"])
def test_layouts_of_a_folder(engine: Engine, options: Options, tmp_path: Path, layout: str) -> None:
    folder = tmp_path / "site"
    top = folder / ("python/toy" if layout == "repository" else "toy")
    top.mkdir(parents=True)
    (top / "run.py").write_bytes(b"x = 1\n")
    if layout == "installed":
        (folder / "toy_engine-1.0.dist-info").mkdir()
        (folder / "other").mkdir()
        (folder / "other/big.py").write_bytes(b"y = 1\n")
    with open_tree(wanted(engine, "a" * 40, source=folder), options) as tree:
        assert dict(tree.paths()) == {MODULE: blob_id(b"x = 1\n")}


@pytest.mark.parametrize("kind", ["absent", "file", "empty"])
def test_what_is_no_folder(engine: Engine, options: Options, tmp_path: Path, kind: str) -> None:
    place = tmp_path / "place"
    if kind == "file":
        place.write_text("x")
    elif kind == "empty":
        place.mkdir()
    with pytest.raises(SourceError, match=r"no such folder|not a folder|has no files"):
        open_tree(wanted(engine, "a" * 40, source=place), options)


def test_an_abbreviated_commit_is_looked_up_where_the_history_is(
    upstream: Upstream, head: str, engine: Engine, options: Options, tmp_path: Path
) -> None:
    with open_tree(wanted(engine, head, source=upstream.work), options) as tree:
        assert isinstance(tree, GitTree)
        parent = git(upstream.work, "rev-parse", "HEAD^")
        assert tree.abbreviates(head[:12])
        assert tree.abbreviates(head)
        assert not tree.abbreviates(parent[:12])
        assert tree.abbreviates(head[:4])
    # Another commit that begins with the same four digits, the fewest that git looks up.
    plain = git(upstream.work, "cat-file", "commit", head) + "\n"
    texts = (f"{plain}{number}\n".encode() for number in range(1 << 22))
    alike = next(t for t in texts if hashlib.sha1(b"commit %d\0" % len(t) + t).hexdigest().startswith(head[:4]))
    other = git(upstream.work, "hash-object", "-t", "commit", "-w", "--stdin", given=alike)
    assert (other[:4], other == head) == (head[:4], False)
    with open_tree(wanted(engine, head, source=upstream.work), options) as tree:
        assert isinstance(tree, GitTree)
        assert not tree.abbreviates(head[:4])
        assert tree.abbreviates(head[:20])
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "-q", "--depth", "1", upstream.server.as_uri(), str(shallow))
    with open_tree(wanted(engine, head, source=shallow), options) as tree:
        assert isinstance(tree, GitTree)
        assert not tree.abbreviates(head[:12])
