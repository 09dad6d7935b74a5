"""Where the user's pip would look."""

from __future__ import annotations

from pathlib import Path

import pytest

from refcheck.sources.pip_configuration import read_configuration


@pytest.fixture
def user_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("PIP_CONFIG_FILE")
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(tmp_path / "xdg"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    file = tmp_path / "config" / "pip" / "pip.conf"
    file.parent.mkdir(parents=True)
    return file


def test_nothing_set() -> None:
    found = read_configuration()
    assert found.index is None
    assert not found.no_index


def test_files_and_environment(user_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    user_file.write_text("[global]\nindex-url = https://one.example/simple\ncert = /c.pem\ntimeout = 7\n")
    assert read_configuration().index == "https://one.example/simple"
    assert read_configuration().certificates == "/c.pem"
    assert read_configuration().timeout == 7.0
    user_file.write_text(
        "[global]\nindex_url = https://one.example/simple\nextra-index-url =\n  https://a.example\n  https://b.example\n"
        "[download]\nindex-url = https://two.example/%(user)s\n[install]\nindex-url = https://three.example\n"
    )
    assert read_configuration().index == "https://two.example/%(user)s"
    assert read_configuration().extra_indexes == ("https://a.example", "https://b.example")
    named = tmp_path / "named.conf"
    named.write_text("[global]\nindex-url = https://named.example\n")
    monkeypatch.setenv("PIP_CONFIG_FILE", str(named))
    user_file.write_text("[global]\nindex-url = https://one.example/simple\n")
    assert read_configuration().index == "https://named.example"
    monkeypatch.setenv("PIP_INDEX_URL", "https://env.example")
    assert read_configuration().index == "https://env.example"


@pytest.mark.parametrize("text", ["[global\n", "index-url = x\n", "[global]\n\xff", "[global]\na=1\na=2\n"])
def test_files_that_cannot_be_parsed_are_passed_over(user_file: Path, text: str) -> None:
    user_file.write_bytes(text.encode("latin-1"))
    assert read_configuration().index is None
