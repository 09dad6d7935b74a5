"""A commit from a server: what is asked, what is received, what is kept."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from refcheck.config.engines import Engine
from refcheck.errors import PathNotInTree, SourceError
from refcheck.model.tree import SourceKind, Tree
from refcheck.sources.open import open_all, open_tree
from refcheck.sources.wanted import Options

from .conftest import MODULE, ORIGIN, Index, Redirect, Upstream, git, wanted, wheel


def test_everything_of_a_commit_can_be_read(served: Upstream, head: str, engine: Engine, options: Options) -> None:
    with open_tree(wanted(engine, head), options) as tree:
        assert isinstance(tree, Tree)
        assert tree.read(MODULE).lines == ("def step(batch):", "    return batch")
        assert tree.paths()[MODULE] == git(served.work, "rev-parse", f"HEAD:{MODULE}")
        assert tree.read_bytes("python/toy/part_7.py") == (served.work / "python/toy/part_7.py").read_bytes()
        source = tree.source
    assert (source.kind, source.exact, source.read, source.pin) == (SourceKind.COMMIT, True, head, head)
    assert source.commit == head
    assert source.received_bytes


def test_odd_files_are_read_as_they_are(served: Upstream, head: str, engine: Engine, options: Options) -> None:
    with open_tree(wanted(engine, head), options) as tree:
        assert tree.read("python/toy/crlf.py").lines == ("first = 1", "second = 2")
        assert tree.read("python/toy/empty.py").lines == ()
        assert not tree.read("python/toy/latin.py").is_utf8
        assert tree.read_bytes("python/toy/crlf.py") == b"first = 1\r\nsecond = 2\r\n"


def test_links_are_no_files(served: Upstream, head: str, engine: Engine, options: Options) -> None:
    with open_tree(wanted(engine, head), options) as tree:
        for link in ("python/toy/link.py", "outside"):
            assert not tree.has(link)
            assert tree.other(link) == "symlink"
            with pytest.raises(PathNotInTree):
                tree.read(link)
        for path in ("../../etc/passwd", "/etc/passwd", "python/toy/../toy/run.py", ""):
            assert not tree.has(path)
            with pytest.raises(PathNotInTree):
                tree.read(path)


def test_contents_come_in_one_request(
    served: Upstream, head: str, engine: Engine, options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = tmp_path / "packets"
    monkeypatch.setenv("GIT_TRACE_PACKET", str(trace))
    needed = [f"python/toy/part_{i}.py" for i in range(10)]
    with open_tree(wanted(engine, head), options) as tree:
        tree.prefetch([*needed, "python/toy/not-there.py"])
        for path in needed:
            tree.read(path)
    requests = re.findall(r"fetch> command=fetch", trace.read_text(errors="replace"))
    assert len(requests) == 2  # the commit with its trees, then the contents


def test_a_missing_content_is_not_fetched_by_asking(
    served: Upstream, head: str, engine: Engine, options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_tree(wanted(engine, head), options).close()
    trace = tmp_path / "packets"
    monkeypatch.setenv("GIT_TRACE_PACKET", str(trace))
    with open_tree(wanted(engine, head), Options(offline=True)) as tree:
        assert tree.has(MODULE)
        with pytest.raises(SourceError, match="offline"):
            tree.read(MODULE)
    assert not trace.exists() or "command=fetch" not in trace.read_text(errors="replace")


def test_little_more_than_needed_is_received(
    served: Upstream, head: str, engine: Engine, options: Options, store_dir: Callable[[], Path]
) -> None:
    needed = [f"python/toy/part_{i}.py" for i in range(10)]
    with open_tree(wanted(engine, head), options) as tree:
        trees = tree.source.received_bytes or 0
        tree.prefetch(needed)
        received = (tree.source.received_bytes or 0) - trees
    blobs = [git(served.work, "rev-parse", f"HEAD:{path}") for path in needed]
    alone = git(served.work, "cat-file", "--batch-check=%(objectsize:disk)", given="\n".join(blobs).encode())
    assert received < 1.3 * sum(map(int, alone.split()))
    packs = sum(p.stat().st_size for p in store_dir().glob("objects/pack/*.pack"))
    assert packs == trees + received


def test_a_warm_store_needs_no_server(
    served: Upstream, head: str, engine: Engine, options: Options, redirect: Redirect, tmp_path: Path
) -> None:
    with open_tree(wanted(engine, head), options) as tree:
        tree.prefetch([MODULE])
    redirect(f"file://{tmp_path}/gone.git")
    with open_tree(wanted(engine, head), options) as tree:
        assert tree.read(MODULE).lines
        assert tree.source.received_bytes == 0
        assert "store" in tree.source.why


def test_a_server_that_ignores_the_filter_is_reported(
    served: Upstream, head: str, engine: Engine, options: Options
) -> None:
    served.publish(filters=False)
    with open_tree(wanted(engine, head), options) as tree:
        assert tree.read(MODULE).lines
        (note,) = tree.source.notes
    assert "ignored" in note
    assert f"{tree.source.received_bytes:,} bytes" in note


def test_a_mirror_on_this_machine_is_copied_from(
    upstream: Upstream, head: str, engine: Engine, options: Options, redirect: Redirect
) -> None:
    upstream.publish(filters=False)
    redirect(str(upstream.server))
    with open_tree(wanted(engine, head), options) as tree:
        assert tree.read(MODULE).lines
        assert tree.source.notes == ()
        assert (tree.source.received_bytes or 0) < 10_000  # not the 60 parts
    redirect("/nowhere")
    with open_tree(wanted(engine, head), options) as tree:
        assert tree.read(MODULE).lines


def test_an_address_is_rewritten_once(
    served: Upstream, head: str, engine: Engine, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "2")
    monkeypatch.setenv("GIT_CONFIG_KEY_1", "url.file:///nowhere/.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_1", f"file://{served.server}")
    with open_tree(wanted(engine, head), options) as tree:
        assert tree.source.notes == ()


def test_a_mirror_in_a_folder_with_odd_signs(
    upstream: Upstream, head: str, engine: Engine, options: Options, redirect: Redirect, tmp_path: Path
) -> None:
    odd = tmp_path / "a b:c\u00e4.git"
    upstream.publish(filters=False)
    upstream.server.rename(odd)
    for address in (str(odd), f"file://{tmp_path}/a%20b:c\u00e4.git"):
        redirect(address)
        with open_tree(wanted(engine, head), Options(cache_dir=tmp_path / address[:5])) as tree:
            assert tree.read(MODULE).lines
    with open_tree(wanted(engine, head, source=odd), options) as tree:
        assert tree.read(MODULE).lines


def test_a_mirror_that_lacks_contents_serves_the_rest(
    upstream: Upstream, head: str, engine: Engine, options: Options, redirect: Redirect, tmp_path: Path
) -> None:
    """A clone made with --filter=blob:limit cannot serve a full fetch; what it has is read all the same."""
    partial = tmp_path / "partial.git"
    git(tmp_path, "clone", "-q", "--bare", "--filter=blob:limit=200", f"file://{upstream.server}", str(partial))
    git(partial, "config", "--unset", "remote.origin.promisor")
    redirect(f"file://{partial}")
    with open_tree(wanted(engine, head), options) as tree:
        tree.prefetch([MODULE, "python/toy/part_1.py"])
        assert tree.read(MODULE).lines
        with pytest.raises(SourceError, match="part_1") as raised:
            tree.read("python/toy/part_1.py")
    assert "does not give" in str(raised.value)


def test_a_commit_that_the_remote_lacks(served: Upstream, engine: Engine, options: Options) -> None:
    absent = "1234567890" * 4
    with pytest.raises(SourceError) as raised:
        open_tree(wanted(engine, absent), options)
    assert raised.value.exit_code == 3
    store, remote, release = raised.value.attempts
    assert "store" in store
    assert "does not have the commit" in remote
    assert "nearest release" in release


def test_a_tag_or_blob_is_no_commit(served: Upstream, engine: Engine, options: Options) -> None:
    blob = git(served.work, "rev-parse", f"HEAD:{MODULE}")
    with pytest.raises(SourceError, match=r"not a commit|does not have"):
        open_tree(wanted(engine, blob), options)


@pytest.mark.usefixtures("unreachable")
def test_no_network_lists_what_was_tried_in_order(
    engine: Engine, options: Options, index: object, tmp_path: Path
) -> None:
    with pytest.raises(SourceError) as raised:
        open_tree(wanted(engine, "a" * 40, nearest_release="9.9"), options)
    kinds = [re.split(r": ", attempt)[1] for attempt in raised.value.attempts]
    assert kinds[0] == "store"
    assert "nowhere.git" in kinds[1]
    assert kinds[2] == "release 9.9"
    assert all(attempt.startswith("toy: ") for attempt in raised.value.attempts)
    left = [p for p in (tmp_path / "cache").rglob("*") if p.is_file() and p.name not in ("HEAD", "config")]
    assert [p for p in left if p.suffix != ".lock"] == []


def test_a_name_that_cannot_be_resolved_fails_fast(engine: Engine, options: Options, redirect: Redirect) -> None:
    redirect("https://unknown-host.invalid/toy.git")
    began = time.monotonic()
    with pytest.raises(SourceError, match=r"unknown-host\.invalid"):
        open_tree(wanted(engine, "a" * 40), options)
    assert time.monotonic() - began < 15


def test_a_silent_server_is_given_up(engine: Engine, redirect: Redirect) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        redirect(f"git://127.0.0.1:{silent.getsockname()[1]}/toy.git")
        began = time.monotonic()
        with pytest.raises(SourceError, match="no answer within 1 s"):
            open_tree(wanted(engine, "a" * 40), Options(silence=1))
        assert time.monotonic() - began < 10


def test_a_silent_server_is_not_waited_for_in_every_run(
    engine: Engine, redirect: Redirect, index: Index, monkeypatch: pytest.MonkeyPatch
) -> None:
    index.archives["toy_engine-1.0-py3-none-any.whl"] = wheel({"toy/run.py": b"x = 1\n"})
    pin = wanted(engine, "a" * 40, nearest_release="1.0")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        redirect(f"git://127.0.0.1:{silent.getsockname()[1]}/toy.git")
        open_tree(pin, Options(silence=1)).close()
        began = time.monotonic()
        with open_tree(pin, Options(silence=30)) as tree:
            assert any("not asked again: no answer" in note for note in tree.source.notes)
        assert time.monotonic() - began < 5
        with pytest.raises(SourceError, match="no answer within 1 s"):
            open_tree(pin, Options(silence=1, exact=True))
        monkeypatch.setattr("time.time", lambda: 0.0)  # the clock was set back: asked again
        with open_tree(pin, Options(silence=1)) as tree:
            assert not any("not asked again" in note for note in tree.source.notes)


def test_exact_and_offline_say_so(served: Upstream, engine: Engine) -> None:
    with pytest.raises(SourceError) as raised:
        open_tree(wanted(engine, "a" * 40, nearest_release="1.0"), Options(exact=True, offline=True))
    assert "offline" in raised.value.attempts[1]
    assert "exact" in raised.value.attempts[2]


def test_engines_are_opened_together(served: Upstream, head: str, engine: Engine, options: Options) -> None:
    other = Engine(name="twin", origin=ORIGIN)
    trees = open_all([wanted(engine, head), wanted(other, head)], options)
    assert list(trees) == ["toy", "twin"]
    assert all(tree.read(MODULE).lines for tree in trees.values())
    for tree in trees.values():
        tree.close()
    with pytest.raises(SourceError) as raised:
        open_all([wanted(engine, "a" * 40), wanted(other, "b" * 40)], options)
    assert {attempt.split(":")[0] for attempt in raised.value.attempts} == {"toy", "twin"}


RUN = """
import sys
from refcheck.config.engines import Engine
from refcheck.sources.open import Options, Wanted, open_tree
engine = Engine(name="toy", origin=sys.argv[1])
with open_tree(Wanted(engine, sys.argv[2]), Options(silence=60)) as tree:
    tree.prefetch(tree.paths())
    print(len([tree.read(path) for path in tree.paths()]))
"""


def run(head: str, *, wait: bool = True) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, ORIGIN, head], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    if wait:
        process.wait(60)
    return process


def test_runs_at_once_on_an_empty_store(served: Upstream, head: str, store_dir: Callable[[], Path]) -> None:
    runs = [run(head, wait=False) for _ in range(12)]
    outputs = [process.communicate(timeout=120) for process in runs]
    assert [out for out, _ in outputs] == ["65\n"] * 12, outputs
    assert len(list(store_dir().glob("objects/pack/*.pack"))) == 2  # each fetch was made once
    assert not list(store_dir().glob("tmp/*"))


def test_a_killed_fetch_leaves_the_store_usable(
    upstream: Upstream,
    head: str,
    engine: Engine,
    options: Options,
    redirect: Redirect,
    store_dir: Callable[[], Path],
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        redirect(f"git://127.0.0.1:{silent.getsockname()[1]}/toy.git")
        process = run(head, wait=False)
        silent.settimeout(30)
        connection, _ = silent.accept()
        process.kill()
        process.communicate()
        connection.close()
    left = list((store_dir() / "tmp").iterdir())
    assert left  # a killed run cannot tidy up; the next one does
    (left[0] / "objects/pack/tmp_pack_x").write_bytes(b"half")
    redirect(f"file://{upstream.server}")
    with open_tree(wanted(engine, head), options) as tree:
        assert tree.read(MODULE).lines
    assert not list(store_dir().glob("tmp/*"))


def test_cancelling_ends_a_transfer(engine: Engine, redirect: Redirect) -> None:
    from refcheck.sources.attempts import Interrupted

    options = Options(silence=60)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        redirect(f"git://127.0.0.1:{silent.getsockname()[1]}/toy.git")
        threading.Timer(0.5, options.cancel.set).start()
        began = time.monotonic()
        with pytest.raises(Interrupted):
            open_tree(wanted(engine, "a" * 40), options)
        assert time.monotonic() - began < 10


def _spoil(pack: Path, at: float) -> None:
    data = bytearray(pack.read_bytes())
    for i in range(int(len(data) * at), len(data) - 20, 7):
        data[i] ^= 0x5A
    pack.chmod(0o644)
    pack.write_bytes(data)


def test_a_corrupt_content_is_fetched_again(
    served: Upstream, head: str, engine: Engine, options: Options, store_dir: Callable[[], Path], heard: list[str]
) -> None:
    with open_tree(wanted(engine, head), options) as tree:
        tree.prefetch(["python/toy/part_1.py"])
        blob = tree.paths()["python/toy/part_1.py"]
    packs = sorted(store_dir().glob("objects/pack/*.pack"), key=lambda p: p.stat().st_mtime)
    _spoil(packs[-1], 0.1)
    with open_tree(wanted(engine, head), Options(offline=True)) as tree, pytest.raises(SourceError, match=blob):
        tree.read("python/toy/part_1.py")
    with open_tree(wanted(engine, head), options) as tree:
        assert tree.read_bytes("python/toy/part_1.py") == (served.work / "python/toy/part_1.py").read_bytes()
    assert any("corrupt" in message for message in heard)
    with open_tree(wanted(engine, head), Options(offline=True)) as tree:
        assert tree.read("python/toy/part_1.py").lines


def test_corrupt_trees_are_fetched_again(
    served: Upstream, head: str, engine: Engine, options: Options, store_dir: Callable[[], Path]
) -> None:
    open_tree(wanted(engine, head), options).close()
    (pack,) = store_dir().glob("objects/pack/*.pack")
    (store_dir() / "listings" / head).unlink()
    _spoil(pack, 0.2)
    with pytest.raises(SourceError, match=r"broken|does not have"):
        open_tree(wanted(engine, head), Options(offline=True))
    with open_tree(wanted(engine, head), options) as tree:
        assert tree.has(MODULE)


@pytest.mark.parametrize("spoiled", [b"", b"refcheck-listing", b"refcheck listing 1 " + b"0" * 40 + b"\nx y\n\0"])
def test_a_broken_listing_is_made_again(
    served: Upstream, head: str, engine: Engine, options: Options, store_dir: Callable[[], Path], spoiled: bytes
) -> None:
    open_tree(wanted(engine, head), options).close()
    listing = store_dir() / "listings" / head
    listing.write_bytes(spoiled)
    with open_tree(wanted(engine, head), Options(offline=True)) as tree:
        assert tree.has(MODULE)
        assert not tree.has("y")
    assert listing.read_bytes() != spoiled


def test_a_cache_that_cannot_be_written_is_named(
    served: Upstream, head: str, engine: Engine, options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("x")
    monkeypatch.setenv("REFCHECK_CACHE_DIR", str(tmp_path / "file" / "cache"))
    with pytest.raises(SourceError, match="REFCHECK_CACHE_DIR"):
        open_tree(wanted(engine, head), options)


def test_a_read_only_cache_can_be_read(
    served: Upstream,
    head: str,
    engine: Engine,
    options: Options,
    store_dir: Callable[[], Path],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with open_tree(wanted(engine, head), options) as tree:
        tree.prefetch([MODULE])
    (store_dir() / "listings" / head).unlink()

    def refuse(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr("refcheck.sources.store.write_new", refuse)
    with open_tree(wanted(engine, head), options) as tree:
        assert tree.read(MODULE).lines


def test_without_a_home_the_remedy_is_named(engine: Engine, options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("REFCHECK_CACHE_DIR")
    monkeypatch.setattr("platformdirs.user_cache_dir", lambda *_, **__: "~/.cache/refcheck")
    with pytest.raises(SourceError, match="REFCHECK_CACHE_DIR"):
        open_tree(wanted(engine, "a" * 40), options)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs file size limits")
def test_a_full_disk_is_named_and_leaves_the_store_usable(
    served: Upstream, head: str, engine: Engine, options: Options, tmp_path: Path
) -> None:
    """A limit on the size of files stands for a disk that is full: git's writes fail in the middle."""
    limited = "import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
    limited += "resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))\n" + RUN
    process = subprocess.run(
        [sys.executable, "-c", limited, ORIGIN, head], capture_output=True, text=True, timeout=60, check=False
    )
    assert process.returncode != 0
    assert re.search(r"File too large|signal 25|index-pack", process.stderr.splitlines()[-1])
    assert "SourceError" in process.stderr
    with open_tree(wanted(engine, head), options) as tree:
        assert tree.read(MODULE).lines


def test_the_import_is_light() -> None:
    heavy = ("git", "requests", "pypi_simple", "filelock", "platformdirs")
    code = f"import sys, refcheck.sources.open; print([m for m in {heavy} if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert out.strip() == "[]"


def test_blob_ids_are_gits() -> None:
    from refcheck.sources.batch import blob_id

    assert blob_id(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
    assert blob_id(b"a\n") == hashlib.sha1(b"blob 2\0a\n").hexdigest()
