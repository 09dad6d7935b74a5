"""Releases of the package index: which archive, how it stands in the repository, and what a bad one gets."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from refcheck.config.engines import Engine
from refcheck.errors import SourceError
from refcheck.model.tree import SourceKind
from refcheck.sources.batch import blob_id
from refcheck.sources.open import open_tree
from refcheck.sources.wanted import Options

from .conftest import Index, sdist, wanted, wheel

STEP = b"def step(batch):\n    return batch\n"
WHEEL = "toy_engine-1.0-py3-none-any.whl"
SDIST = "toy_engine-1.0.tar.gz"


@pytest.fixture
def flat() -> Engine:
    """An engine whose package lies at the top of its repository."""
    return Engine("toy", "https://git.example/toy/toy.git", "toy-engine", (("toy/", "toy/"),), ("toy/",))


def test_a_wheel_stands_at_its_prefix(index: Index, engine: Engine, options: Options) -> None:
    index.archives[WHEEL] = data = wheel({"toy/run.py": STEP, "toy/lib.so": b"\0", "toy-1.0.dist-info/METADATA": b"x"})
    with open_tree(wanted(engine, "release:1.0"), options) as tree:
        assert dict(tree.paths()) == {"python/toy/run.py": blob_id(STEP)}
        assert tree.read("python/toy/run.py").lines[0] == "def step(batch):"
        source = tree.source
        assert tree.carries("python/toy/absent.py")
        assert tree.carries("python/toy/gone/absent.py")
        assert not tree.carries("python/toy/test/absent.py")  # builds often leave tests out
        assert not tree.carries("python/toy/table.json")
        assert not tree.carries("docs/guide.md")
    assert (source.read, source.kind, source.exact) == ("release:1.0", SourceKind.RELEASE, True)
    assert (source.archive, source.digest) == (WHEEL, f"sha256:{hashlib.sha256(data).hexdigest()}")
    assert source.received_bytes == len(data)
    assert source.commit is None


def test_a_source_archive_carries_whole_folders(index: Index, flat: Engine, options: Options) -> None:
    big = b"x" * (5 * 1024 * 1024)
    files = {
        "toy/run.py": STEP,
        "PKG-INFO": b"",
        "setup.cfg": b"",
        "toy.egg-info/x": b"",
        "docs/a.md": b"",
        "docs/b": big,
    }
    index.archives[SDIST] = sdist(files)
    index.archives[WHEEL] = wheel({"toy/run.py": b"other"})
    with open_tree(wanted(flat, "release:1.0"), options) as tree:
        assert sorted(tree.paths()) == ["docs/a.md", "toy/run.py"]
        assert tree.source.archive == SDIST
        for path, carried in {
            "toy/absent.py": True,
            "toy/sub/absent.json": True,
            "docs/a.md": True,
            "docs/b": False,  # too large to be kept
            "rust/lib.rs": False,
            "README.md": False,
            "toy.egg-info/y": False,
        }.items():
            assert tree.carries(path) is carried, path


def test_the_source_archive_of_a_project_in_a_subfolder(index: Index, engine: Engine, options: Options) -> None:
    index.archives[SDIST] = sdist({"toy/run.py": STEP, "pyproject.toml": b"[project]", "toy/data.json": b"{}"})
    with open_tree(wanted(engine, "release:1.0"), options) as tree:
        assert sorted(tree.paths()) == ["python/toy/data.json", "python/toy/run.py"]


def test_a_second_run_needs_no_index(index: Index, engine: Engine, options: Options) -> None:
    index.archives[WHEEL] = wheel({"toy/run.py": STEP})
    with open_tree(wanted(engine, "release:1.0"), options) as first:
        asked = len(index.requests)
    with open_tree(wanted(engine, "release:1.0"), Options(offline=True)) as tree:
        assert tree.read("python/toy/run.py").lines
        assert (tree.source.archive, tree.source.digest) == (first.source.archive, first.source.digest)
        assert tree.source.received_bytes == 0
    assert len(index.requests) == asked


@pytest.mark.usefixtures("unreachable")
def test_auto_falls_back_to_the_nearest_release(index: Index, engine: Engine, options: Options) -> None:
    index.archives[WHEEL] = wheel({"toy/run.py": STEP})
    with open_tree(wanted(engine, "a" * 40, nearest_release="1.0"), options) as tree:
        source = tree.source
    assert (source.pin, source.read, source.exact) == ("a" * 40, "release:1.0", False)
    assert "nearest release" in source.why
    assert any("nowhere.git" in note for note in source.notes)
    with open_tree(wanted(engine, "a" * 40, nearest_release="1.0"), Options(offline=True)) as tree:
        assert tree.source.read == "release:1.0"
    with pytest.raises(SourceError, match="exact"):
        open_tree(wanted(engine, "a" * 40, nearest_release="1.0"), Options(exact=True))


@pytest.mark.parametrize(
    ("names", "chosen"),
    [
        (["t-1.0-cp39-cp39-manylinux_2_28_x86_64.whl", "t-1.0-cp312-cp312-win_amd64.whl"], 1),
        (["t-1.0-cp312-cp312-manylinux_2_34_aarch64.whl", "t-1.0-cp312-cp312-manylinux_2_34_x86_64.whl"], 1),
        (["t-1.0-cp310-cp310-manylinux_2_34_x86_64.whl", "t-1.0-cp313-cp313-manylinux_2_34_aarch64.whl"], 1),
        (["t-1.0-cp312-cp312-manylinux_2_34_x86_64.whl", "t-1.0-py3-none-any.whl"], 1),
        (["t-1.0-1-cp312-cp312-macosx_11_0_arm64.whl", "t-1.0-cp312-cp312-musllinux_1_2_x86_64.whl"], 1),
    ],
)
def test_which_wheel_does_not_depend_on_their_order(
    index: Index, engine: Engine, tmp_path: Path, names: list[str], chosen: int
) -> None:
    for order in (names, names[::-1]):
        index.archives = {name.replace("t-", "toy_engine-"): wheel({"toy/run.py": name.encode()}) for name in order}
        with open_tree(wanted(engine, "release:1.0"), Options(cache_dir=tmp_path / order[0])) as tree:
            assert tree.source.archive == names[chosen].replace("t-", "toy_engine-")


def test_a_wrong_digest_is_refused(index: Index, engine: Engine, options: Options) -> None:
    index.archives[WHEEL] = wheel({"toy/run.py": STEP})
    index.digests[WHEEL] = "0" * 64
    with pytest.raises(SourceError, match=r"digest.*0000") as raised:
        open_tree(wanted(engine, "release:1.0"), options)
    assert raised.value.exit_code == 3
    with pytest.raises(SourceError, match="not in the store"):
        open_tree(wanted(engine, "release:1.0"), Options(offline=True))


def test_a_release_without_a_digest_is_taken_with_a_note(index: Index, engine: Engine, options: Options) -> None:
    index.archives[WHEEL] = wheel({"toy/run.py": STEP})
    index.digests[WHEEL] = ""
    for _ in range(2):
        with open_tree(wanted(engine, "release:1.0"), options) as tree:
            assert any("no digest" in note for note in tree.source.notes)


@pytest.mark.parametrize("digest", [None, ""])
def test_a_truncated_download_is_noticed(index: Index, engine: Engine, options: Options, digest: str | None) -> None:
    index.archives[WHEEL] = data = wheel({"toy/run.py": STEP * 100})
    index.cut[WHEEL] = len(data) // 2
    if digest is not None:
        index.digests[WHEEL] = digest
    with pytest.raises(SourceError, match="truncated"):
        open_tree(wanted(engine, "release:1.0"), options)
    del index.cut[WHEEL]
    with open_tree(wanted(engine, "release:1.0"), options) as tree:
        assert tree.read("python/toy/run.py").lines


def test_an_unknown_release_names_the_near_ones(index: Index, engine: Engine, options: Options) -> None:
    index.archives[WHEEL] = wheel({"toy/run.py": STEP})
    with pytest.raises(SourceError, match=r"no release 1\.1 of toy-engine.*near: 1\.0"):
        open_tree(wanted(engine, "release:1.1"), options)


def test_an_engine_without_a_distribution(options: Options) -> None:
    with pytest.raises(SourceError, match="no distribution"):
        open_tree(wanted(Engine("bare", "https://git.example/x.git"), "release:1.0"), options)


def test_an_index_that_is_not_there(engine: Engine, options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_INDEX_URL", "http://user:secret@127.0.0.1:9/simple")
    with pytest.raises(SourceError, match="connection refused") as raised:
        open_tree(wanted(engine, "release:1.0"), options)
    assert "secret" not in str(raised.value)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    with pytest.raises(SourceError, match="no-index"):
        open_tree(wanted(engine, "release:1.0"), options)


def test_credentials_go_to_the_index_only(
    index: Index, engine: Engine, options: Options, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Index()
    try:
        other.archives[WHEEL] = data = wheel({"toy/run.py": STEP})
        host = other.address.replace("127.0.0.1", "localhost").removesuffix("simple/")
        link = f'<a href="{host}files/{WHEEL}#sha256={hashlib.sha256(data).hexdigest()}">{WHEEL}</a>'.encode()
        monkeypatch.setattr(index, "page", lambda: link)
        monkeypatch.setenv("PIP_INDEX_URL", index.address.replace("http://", "http://user:secret@"))
        open_tree(wanted(engine, "release:1.0"), options).close()
        assert index.authorizations == ["Basic dXNlcjpzZWNyZXQ="]
        assert other.authorizations == [None]
    finally:
        other.close()


def test_an_index_in_a_folder(
    engine: Engine, options: Options, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = tmp_path / "index" / "simple" / "toy-engine"
    page.mkdir(parents=True)
    (tmp_path / "index" / WHEEL).write_bytes(wheel({"toy/run.py": STEP}))
    (page / "index.html").write_text(f'<a href="../../{WHEEL}">{WHEEL}</a>')
    monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "index" / "simple").as_uri())
    with open_tree(wanted(engine, "release:1.0"), options) as tree:
        assert tree.read("python/toy/run.py").lines


def test_a_corrupt_release_is_imported_again(index: Index, engine: Engine, options: Options, tmp_path: Path) -> None:
    index.archives[WHEEL] = wheel(
        {"toy/run.py": STEP, **{f"toy/p{i}.py": f"v = {i}\n".encode() * 50 for i in range(9)}}
    )
    open_tree(wanted(engine, "release:1.0"), options).close()
    (pack,) = (tmp_path / "cache").rglob("*.pack")
    data = bytearray(pack.read_bytes())
    data[100:-20:5] = bytes(len(data[100:-20:5]))
    pack.chmod(0o644)
    pack.write_bytes(data)
    with (
        open_tree(wanted(engine, "release:1.0"), Options(offline=True)) as tree,
        pytest.raises(SourceError, match="offline"),
    ):
        [tree.read(path) for path in tree.paths()]
    with open_tree(wanted(engine, "release:1.0"), options) as tree:
        assert all(tree.read(path).lines for path in tree.paths())


# ---- the real index


@pytest.mark.index
@pytest.mark.parametrize(
    ("name", "version", "archive", "files"),
    [
        (
            "vllm",
            "0.28.0",
            "vllm-0.28.0.tar.gz",
            {
                "vllm/v1/core/sched/scheduler.py": 3003,
                "vllm/v1/attention/backend.py": 1176,
                "vllm/model_executor/models/llama.py": 553,
                "docs/usage/v1_guide.md": 190,
            },
        ),
        (
            "sglang",
            "0.5.18",
            None,
            {
                "python/sglang/srt/model_executor/forward_batch_info.py": 1799,
                "python/sglang/srt/mem_cache/memory_pool.py": 5042,
            },
        ),
    ],
)
def test_real_releases(name: str, version: str, archive: str | None, files: dict[str, int], options: Options) -> None:
    from refcheck.config.engines import builtin_engines

    with open_tree(wanted(builtin_engines()[name], f"release:{version}"), options) as tree:
        assert tree.source.exact
        assert archive is None or tree.source.archive == archive
        for path, lines in files.items():
            text = tree.read(path)
            assert len(text.lines) == lines, path
            assert blob_id(tree.read_bytes(path)) == text.blob == tree.paths()[path]
        assert len(tree.paths()) > 4000
