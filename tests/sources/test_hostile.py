"""Repositories, addresses and archives that were made to harm: each with what happens."""

from __future__ import annotations

import gzip
import io
import struct
import tarfile
import time
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from refcheck.config.engines import Engine
from refcheck.errors import SourceError
from refcheck.sources import archive
from refcheck.sources.archive import Members
from refcheck.sources.attempts import Unavailable, redact
from refcheck.sources.git_runner import check_address, environment
from refcheck.sources.open import open_tree
from refcheck.sources.wanted import Options

from .conftest import MODULE, ORIGIN, Index, Redirect, Upstream, git, sdist, wanted, wheel

# ---- git


@pytest.fixture
def trap(tmp_path: Path) -> tuple[Path, str]:
    """A command that leaves a mark, and where the mark would stand."""
    mark = tmp_path / "ran"
    script = tmp_path / "trap.sh"
    script.write_text(f"#!/bin/sh\necho ran >> {mark}\n")
    script.chmod(0o755)
    return mark, str(script)


def make_hostile(repository: Path, script: str) -> None:
    """Everything that makes git run a command, in the repository's own settings."""
    for key, value in {
        "core.fsmonitor": script,
        "core.hooksPath": str(Path(script).parent / "hooks"),
        "core.sshCommand": script,
        "core.gitProxy": script,
        "core.askPass": script,
        "core.pager": script,
        "core.editor": script,
        "core.alternateRefsCommand": script,
        "credential.helper": f"!{script}",
        "diff.external": script,
        "diff.evil.textconv": script,
        "filter.evil.smudge": script,
        "filter.evil.clean": script,
        "filter.evil.process": script,
        "alias.cat-file": f"!{script}",
        "alias.ls-tree": f"!{script}",
        "uploadpack.packObjectsHook": script,
        "extensions.partialClone": "evil",
        "remote.evil.url": f"ext::{script}",
        "remote.evil.promisor": "true",
        "remote.evil.uploadpack": script,
        "protocol.ext.allow": "always",
        "url.ext::x.insteadOf": ORIGIN,
    }.items():
        git(repository, "config", key, value)
    hooks = repository / "hooks" if (repository / "HEAD").exists() else repository / ".git" / "hooks"
    for folder in (hooks, Path(script).parent / "hooks"):
        folder.mkdir(exist_ok=True)
        for name in ("post-checkout", "pre-auto-gc", "reference-transaction", "post-index-change", "pre-receive"):
            (folder / name).write_text(Path(script).read_text())
            (folder / name).chmod(0o755)


@pytest.mark.parametrize("bare", [False, True])
def test_nothing_of_a_local_repository_runs(
    upstream: Upstream, engine: Engine, options: Options, trap: tuple[Path, str], bare: bool
) -> None:
    mark, script = trap
    head = upstream.commit({".gitattributes": b"* filter=evil diff=evil\n", "a.bin": b"version https://git-lfs\n"})
    git(upstream.work, "tag", "v1.0")
    upstream.publish()
    place = upstream.server if bare else upstream.work
    make_hostile(place, script)
    for rev in (head, head[:10], "main", "v1.0", "release:1.0"):
        with open_tree(wanted(engine, rev, source=place), options) as tree:
            tree.prefetch(tree.paths())
            assert [tree.read(path) for path in tree.paths()]
    assert not mark.exists()


def test_a_missing_object_of_a_local_repository_is_not_fetched(
    upstream: Upstream, head: str, engine: Engine, options: Options, trap: tuple[Path, str], tmp_path: Path
) -> None:
    mark, script = trap
    partial = tmp_path / "partial.git"
    git(tmp_path, "clone", "-q", "--bare", "--filter=blob:none", f"file://{upstream.server}", str(partial))
    make_hostile(partial, script)
    with open_tree(wanted(engine, head, source=partial), options) as tree, pytest.raises(SourceError):
        tree.read(MODULE)
    assert not mark.exists()


@pytest.mark.parametrize("scheme", ["file://", ""])
def test_nothing_of_a_served_repository_runs(
    upstream: Upstream,
    head: str,
    engine: Engine,
    options: Options,
    redirect: Redirect,
    trap: tuple[Path, str],
    scheme: str,
) -> None:
    mark, script = trap
    make_hostile(upstream.server, script)
    redirect(f"{scheme}{upstream.server}")
    with open_tree(wanted(engine, head), options) as tree:
        tree.prefetch(tree.paths())
        assert [tree.read(path) for path in tree.paths()]
    with open_tree(wanted(engine, "main"), options) as tree:
        assert tree.source.read == head
    assert not mark.exists()


def test_settings_of_the_repository_around_do_not_count(
    served: Upstream,
    head: str,
    engine: Engine,
    options: Options,
    trap: tuple[Path, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A book's repository may be hostile too, and git sets these variables for its hooks."""
    mark, script = trap
    book = tmp_path / "book"
    book.mkdir()
    git(book, "init", "-q")
    make_hostile(book, script)
    monkeypatch.chdir(book)
    for name, value in {
        "GIT_DIR": str(book / ".git"),
        "GIT_WORK_TREE": str(book),
        "GIT_INDEX_FILE": str(book / ".git/index"),
        "GIT_OBJECT_DIRECTORY": str(book / ".git/objects"),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(served.work / ".git/objects"),
        "GIT_NAMESPACE": "x",
        "GIT_EXTERNAL_DIFF": script,
        "GIT_PAGER": script,
        "GIT_SHALLOW_FILE": "/nowhere",
        "GIT_TRACE": "1",
    }.items():
        monkeypatch.setenv(name, value)
    with open_tree(wanted(engine, head), options) as tree:
        assert tree.read(MODULE).lines
        assert tree.source.received_bytes
    assert not mark.exists()
    assert not list((book / ".git/objects/pack").iterdir())


SECRET = "hunter2"


def _include(git_dir: Path, secret: Path) -> None:
    git(git_dir, "config", "include.path", str(secret))


def _include_if(git_dir: Path, secret: Path) -> None:
    with (git_dir / "config").open("a") as file:
        file.write(f'[core][includeIf "gitdir:/"] path = {secret}\n')


def _in_place_of(name: str) -> Callable[[Path, Path], None]:
    def link(git_dir: Path, secret: Path) -> None:
        (git_dir / name).parent.mkdir(parents=True, exist_ok=True)
        (git_dir / name).unlink(missing_ok=True)
        (git_dir / name).symlink_to(secret)

    return link


FOREIGN_FILES = {
    "include": _include,
    "conditional include": _include_if,
    **{name: _in_place_of(name) for name in ("config", "packed-refs", "shallow", "HEAD", "objects/info/alternates")},
    "branch": _in_place_of("refs/heads/main"),
}


@pytest.mark.parametrize("way", ["source", "file://", ""])
@pytest.mark.parametrize("foreign", FOREIGN_FILES.values(), ids=FOREIGN_FILES.keys())
def test_no_file_beside_a_repository_of_this_machine_is_quoted(
    upstream: Upstream,
    head: str,
    engine: Engine,
    options: Options,
    heard: list[str],
    redirect: Redirect,
    tmp_path: Path,
    foreign: Callable[[Path, Path], None],
    way: str,
) -> None:
    """Settings that include another file, and links in place of git's own lists: git would name and quote what it
    finds there, and the message would stand beside the engine's public address."""
    secret = tmp_path / "secret"
    secret.write_text(f"root:{SECRET}:0:0\n[core]\n\tbare = {SECRET}\n")
    foreign(upstream.server, secret)
    place = upstream.server if way == "source" else None
    if place is None:
        redirect(f"{way}{upstream.server}")
    said: list[str] = []
    for rev in (head, "main", "no-such-name", "f" * 40):
        try:
            with open_tree(wanted(engine, rev, source=place), options) as tree:
                tree.prefetch(tree.paths())
                said.extend((tree.source.why, *tree.source.notes))
                assert tree.read(MODULE).lines
        except SourceError as error:
            said.extend((str(error), *error.attempts))
    text = "\n".join([*said, *heard])
    assert SECRET not in text
    assert "bad config" not in text


@pytest.mark.parametrize("foreign", [_include, _include_if, _in_place_of("config")], ids=["one", "conditional", "link"])
@pytest.mark.parametrize("way", ["source", "file://", ""])
def test_settings_that_are_not_read_keep_nobody_from_reading(
    upstream: Upstream,
    head: str,
    engine: Engine,
    options: Options,
    redirect: Redirect,
    tmp_path: Path,
    foreign: Callable[[Path, Path], None],
    way: str,
) -> None:
    (tmp_path / "other").write_text("[uploadpack\n")
    foreign(upstream.server, tmp_path / "other")
    place = upstream.server if way == "source" else None
    if place is None:
        redirect(f"{way}{upstream.server}")
    for rev in (head, "main"):
        with open_tree(wanted(engine, rev, source=place), options) as tree:
            assert tree.source.read == head
            assert tree.read(MODULE).lines


def test_submodules_are_not_followed(
    served: Upstream, engine: Engine, options: Options, trap: tuple[Path, str]
) -> None:
    mark, script = trap
    (served.work / ".gitmodules").write_text(f'[submodule "s"]\n\tpath = s\n\turl = ext::{script}\n')
    git(served.work, "update-index", "--add", "--cacheinfo", f"160000,{'1' * 40},s")
    head = git(served.work, "write-tree")
    head = git(served.work, "commit-tree", "-m", "sub", head)
    git(served.work, "reset", "-q", "--soft", head)
    served.publish()
    with open_tree(wanted(engine, head), options) as tree:
        assert tree.other("s") == "submodule"
        assert not tree.has("s")
    assert not mark.exists()


@pytest.mark.parametrize(
    "address",
    ["ext::sh -c touch% /x", "-oProxyCommand=x", "--upload-pack=x", "fd::17", "http://plain.example/x.git", "ftp://x/y",
     "transport::address", "ext://x", ""],
)  # fmt: skip
def test_addresses_that_are_refused(engine: Engine, options: Options, redirect: Redirect, address: str) -> None:
    with pytest.raises(Unavailable, match="refused"):
        check_address(address)
    with pytest.raises(SourceError):
        open_tree(wanted(Engine("toy", address or "-"), "a" * 40), options)
    if address:
        redirect(address)
        with pytest.raises(SourceError, match=r"refused|not allowed|no readable"):
            open_tree(wanted(engine, "a" * 40), options)


def test_a_users_narrower_protocols_stay_narrow(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert environment(tmp_path)["GIT_ALLOW_PROTOCOL"] == "https:ssh:git:file"
    monkeypatch.setenv("GIT_ALLOW_PROTOCOL", "https:ext")
    assert environment(tmp_path)["GIT_ALLOW_PROTOCOL"] == "https"


def test_credentials_are_never_shown(engine: Engine, options: Options, redirect: Redirect, heard: list[str]) -> None:
    redirect("https://user:secret@unknown-host.invalid/toy.git")
    with pytest.raises(SourceError) as raised:
        open_tree(wanted(engine, "a" * 40), options)
    with pytest.raises(SourceError) as named:
        open_tree(wanted(engine, "v1"), options)
    for text in (str(raised.value), str(named.value), *heard):
        assert "secret" not in text
    own = Engine("own", "https://user:secret@unknown-host.invalid/toy.git")
    with pytest.raises(SourceError) as raised:
        open_tree(wanted(own, "v1"), options)
    assert "secret" not in str(raised.value)
    assert redact("fatal: https://a:b@h/x and ssh://t@h/y") == "fatal: https://***@h/x and ssh://***@h/y"


def test_control_characters_of_a_server_are_dropped() -> None:
    assert redact("remote: \x1b[31mred\u202e") == "remote: [31mred"


def test_a_huge_file_is_not_read(
    served: Upstream, engine: Engine, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    head = served.commit({"python/toy/big.py": b"#\n" * 5000})
    monkeypatch.setattr("refcheck.sources.batch.LARGEST_BLOB", 9_999)
    with open_tree(wanted(engine, head), options) as tree:
        with pytest.raises(SourceError, match="10,000 bytes"):
            tree.read("python/toy/big.py")
        assert tree.read(MODULE).lines


# ---- archives


def place(path: str) -> str | None:
    return path


def members(tmp_path: Path, data: bytes, *, strip_top: bool = False) -> list[tuple[str, bytes]]:
    file = tmp_path / "archive"
    file.write_bytes(data)
    return list(Members(file, place, strip_top).read())


def tar_of(*entries: tarfile.TarInfo | tuple[str, bytes]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for entry in entries:
            info, data = (entry, b"") if isinstance(entry, tarfile.TarInfo) else (tarfile.TarInfo(entry[0]), entry[1])
            if not isinstance(entry, tarfile.TarInfo):
                info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = kind, target
    return info


OUTSIDE = ["/etc/passwd", "../up.py", "a/../../up.py", "C:/x.py", "a\\..\\x.py", ".git/config", "a/.GIT/hooks/x"]


@pytest.mark.parametrize("name", OUTSIDE)
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_names_that_leave_the_folder(tmp_path: Path, name: str, kind: str) -> None:
    data = tar_of(("a.py", b""), (name, b"x")) if kind == "tar" else wheel({"a.py": b"", name: b"x"})
    with pytest.raises(Unavailable, match=r"refused: the member name"):
        members(tmp_path, data)


def test_links_and_devices_are_left_out(tmp_path: Path) -> None:
    entries = [
        special("l.py", tarfile.SYMTYPE, "/etc/passwd"),
        special("h.py", tarfile.LNKTYPE, "a.py"),
        special("d.py", tarfile.CHRTYPE),
        special("b.py", tarfile.BLKTYPE),
        special("f.py", tarfile.FIFOTYPE),
    ]
    file = tmp_path / "archive"
    file.write_bytes(tar_of(("a.py", b"x"), *entries))
    found = Members(file, place, strip_top=False)
    assert list(found.read()) == [("a.py", b"x")]
    assert found.left_out == ["l.py", "h.py", "d.py", "b.py", "f.py"]


def test_a_link_of_a_zip_is_left_out(tmp_path: Path) -> None:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as made:
        info = zipfile.ZipInfo("l.py")
        info.external_attr = 0o120777 << 16
        made.writestr(info, "/etc/passwd")
    assert members(tmp_path, out.getvalue()) == []


def test_duplicates(tmp_path: Path) -> None:
    assert members(tmp_path, tar_of(("a.py", b"x"), ("./a.py", b"x"))) == [("a.py", b"x")]
    with pytest.raises(Unavailable, match="twice"):
        members(tmp_path, tar_of(("a.py", b"x"), ("a.py", b"y")))
    with pytest.raises(Unavailable, match="a file and a folder"):
        members(tmp_path, tar_of(("a", b"x"), ("a/b.py", b"y")))


def zeros(size: int) -> bytes:
    """gzip of `size` zero bytes, made without holding them."""
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb") as stream:
        for _ in range(size >> 20):
            stream.write(bytes(1 << 20))
    return out.getvalue()


def test_a_member_of_10_gigabytes_in_a_small_tar(tmp_path: Path) -> None:
    info = tarfile.TarInfo("big.py")
    info.size = 10 << 30
    data = gzip.compress(info.tobuf(tarfile.GNU_FORMAT)) + zeros(32 << 20)
    began = time.monotonic()
    with pytest.raises(Unavailable, match="unpacks to more than"):
        members(tmp_path, data)
    assert time.monotonic() - began < 5


def test_a_member_of_10_gigabytes_in_a_small_zip(tmp_path: Path) -> None:
    """The table of contents states 10 bytes; the data unpacks to far more."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("big.py", bytes(300 << 20))
    data = bytearray(out.getvalue())
    at = data.rfind(b"PK\x01\x02")
    struct.pack_into("<I", data, at + 24, 10)
    tracemalloc.start()
    with pytest.raises(Unavailable):
        members(tmp_path, bytes(data))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 64 << 20


def test_a_large_member_is_left_out_without_being_unpacked(tmp_path: Path) -> None:
    file = tmp_path / "archive"
    file.write_bytes(wheel({"big.py": bytes(300 << 20), "a.py": b"x"}))
    found = Members(file, place, strip_top=False)
    assert list(found.read()) == [("a.py", b"x")]
    assert found.left_out == ["big.py"]


def test_a_header_that_states_an_impossible_length(tmp_path: Path) -> None:
    """tarfile reads an extended header whole: its stated length must not fill the memory."""
    info = tarfile.TarInfo("././@LongLink")
    info.type, info.size = tarfile.GNUTYPE_LONGNAME, 1 << 40
    for data in (info.tobuf(tarfile.GNU_FORMAT), special("p", tarfile.XHDTYPE).tobuf(tarfile.USTAR_FORMAT)):
        with pytest.raises(Unavailable):
            members(tmp_path, gzip.compress(data) + zeros(8 << 20))


def test_many_members(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_MEMBERS", 1000)
    block = tarfile.TarInfo("a.py").tobuf(tarfile.GNU_FORMAT)
    folder = special("a", tarfile.DIRTYPE).tobuf(tarfile.GNU_FORMAT)
    for one in (block, folder):
        with pytest.raises(Unavailable, match="more than 1,000 members"):
            members(tmp_path, gzip.compress(one * 100_000))


def test_a_million_members_in_a_zip_are_refused_before_they_are_listed(tmp_path: Path) -> None:
    entry = (
        b"PK\x01\x02" + struct.pack("<HHHHHHIIIHHHHHII", 20, 20, 0, 0, 0, 0, 0, 0, 0, 6, 0, 0, 0, 0, 0, 0) + b"abc.py"
    )
    count = 1_000_000
    directory = entry * count
    wide = struct.pack("<4sQHHIIQQQQ", b"PK\x06\x06", 44, 45, 45, 0, 0, count, count, len(directory), 0)
    locator = struct.pack("<4sIQI", b"PK\x06\x07", 0, len(directory), 1)
    end = struct.pack("<4sHHHHIIH", b"PK\x05\x06", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    began = time.monotonic()
    with pytest.raises(Unavailable, match="table of contents"):
        members(tmp_path, directory + wide + locator + end)
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    "spoil",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:-4],
        lambda data: b"not an archive at all" * 50,
        lambda data: data[:200] + bytes(40) + data[240:],
    ],
    ids=["empty", "half", "tail", "text", "hole"],
)
@pytest.mark.parametrize("kind", ["tar", "zip"])
def test_damaged_archives(tmp_path: Path, spoil: Callable[[bytes], bytes], kind: str) -> None:
    files = {f"a/{i}.py": bytes(range(256)) * i for i in range(1, 40)}
    with pytest.raises(Unavailable, match="archive"):
        members(tmp_path, spoil(sdist(files) if kind == "tar" else wheel(files)))


def test_nested_headers_end(tmp_path: Path) -> None:
    pax = special("p", tarfile.XHDTYPE)
    pax.size = 512
    block = pax.tobuf(tarfile.USTAR_FORMAT) + b"12 path=abc\n" + bytes(500)
    with pytest.raises(Unavailable):
        members(tmp_path, gzip.compress(block * 5000))


def test_a_hostile_archive_leaves_nothing(index: Index, engine: Engine, options: Options, tmp_path: Path) -> None:
    index.archives["toy_engine-1.0-py3-none-any.whl"] = wheel({"toy/a.py": b"", "toy/../../../../escaped.py": b"x"})
    with pytest.raises(SourceError, match="does not stay inside"):
        open_tree(wanted(engine, "release:1.0"), options)
    assert not list(tmp_path.rglob("escaped*"))
    assert not list((tmp_path / "cache").rglob("*.pack"))
    assert not list((tmp_path / "cache").rglob("*.whl"))


@pytest.mark.parametrize("name", ['toy/"quoted".py', "toy/new\nline.py", "toy/\udcff.py", "toy/ä b.py", "toy/-x.py"])
def test_odd_names_survive(index: Index, engine: Engine, options: Options, name: str) -> None:
    if "\udcff" in name:
        index.archives["toy_engine-1.0.tar.gz"] = sdist({name: b"x\n"})
    else:
        index.archives["toy_engine-1.0-py3-none-any.whl"] = wheel({name: b"x\n"})
    with open_tree(wanted(engine, "release:1.0"), options) as tree:
        assert list(tree.paths()) == [f"python/{name}"]
        assert tree.read(f"python/{name}").lines == ("x",)
