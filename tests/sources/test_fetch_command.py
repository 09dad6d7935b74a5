"""`refcheck fetch`: what it prints, what it leaves in the store, how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from refcheck.cli.group import run
from refcheck.config.engines import builtin_engines
from refcheck.sources.open import open_tree
from refcheck.sources.wanted import Options, Wanted

from .conftest import Upstream, git

ENGINE = builtin_engines()["vllm"]


@pytest.fixture
def commit(upstream: Upstream, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.file://{upstream.server}.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", ENGINE.origin)
    return upstream.commit({"vllm/a.py": b"a = 1\n", "vllm/b.py": b"b = 1\n", "tests/c.py": b"c = 1\n"})


def test_source_folders_are_at_hand_offline(commit: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["fetch", "--pin", "vllm=main"]) == 0
    printed = capsys.readouterr()
    assert f"vllm: {commit}" in printed.out
    assert "branch main" in printed.out
    assert "files: 2 at hand" in printed.out
    assert "bytes received" in printed.out
    assert "fetching commit" in printed.err
    with open_tree(Wanted(ENGINE, commit), Options(offline=True)) as tree:
        assert tree.read("vllm/b.py").lines == ("b = 1",)
    assert run(["fetch", "--pin", f"vllm={commit[:10]}", "--offline"]) == 0
    assert "0 bytes received" in capsys.readouterr().out


def test_only_what_an_edition_cites(commit: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edition = tmp_path / "small.yaml"
    edition.write_text(
        "schema: refcheck-edition/1\nname: small\ndate: 2026-01-01\n"
        f"pins:\n  vllm: {{commit: {commit}}}\n"
        "anchors:\n  - {id: a, engine: vllm, path: vllm/a.py, lines: 1}\n"
        "claims:\n  - {id: C1, words: x, check: {kind: default, engine: vllm, path: tests/c.py, name: c}}\n"
    )
    assert run(["fetch", "--edition", str(edition), "--cited-only"]) == 0
    assert "files: 2 at hand" in capsys.readouterr().out


def test_what_cannot_be_fetched(
    upstream: Upstream, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GIT_CONFIG_COUNT", "1")
    monkeypatch.setenv("GIT_CONFIG_KEY_0", f"url.file://{tmp_path}/nowhere.git.insteadOf")
    monkeypatch.setenv("GIT_CONFIG_VALUE_0", ENGINE.origin)
    assert run(["fetch", "--pin", f"vllm={'a' * 40}"]) == 3
    assert "nowhere.git" in capsys.readouterr().err
    assert run(["fetch"]) == 2
    assert run(["fetch", "--pin", "vllm=main", "--cited-only"]) == 2
    assert run(["fetch", "--pin", "vllm=-x"]) == 2
    head = git(upstream.work, "rev-parse", "HEAD")
    assert run(["fetch", "--pin", f"vllm={head}", "--source", f"vllm={upstream.work}"]) == 0
