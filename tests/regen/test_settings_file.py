"""Pins of the settings: the value alone changes, in whatever way it is written, or nothing does."""

from __future__ import annotations

from pathlib import Path

import pytest

from refcheck.config.project import find_project
from refcheck.errors import UsageError
from refcheck.regen.rewrite import RewriteError, write_all
from refcheck.regen.settings_file import rewrite_settings

OLD, NEW = "v0.28.0", "v0.33.0"
COMMIT = "1" * 40
"""Digits alone: YAML would read them as a number."""

YAML = {
    "flow": f"documents: [docs]\npins: {{vllm: {OLD}}}  # at {OLD}\n",
    "block": f"# {OLD}\npins:\n  # {OLD} it is\n  sglang: v0.5.18\n  vllm: {OLD} # {OLD}\nfail_on: error\n",
    "double": f'pins:\n  vllm: "{OLD}"\n',
    "single": f"pins:\r\n  vllm: '{OLD}'\r\nfail_on: error\r\n",
    "twice": f"pins: {{sglang: {OLD}, vllm: {OLD}}}\n",
    "no newline": f"pins: {{vllm: {OLD}}}",
    "folded": f"pins:\n  vllm: >-\n    {OLD}\n",
}
TOML = {
    "table": f'[project]\nversion = "{OLD}"\n\n[tool.refcheck]\ndocuments = ["docs"]\n\n[tool.refcheck.pins]\nvllm = "{OLD}"\n',
    "inline": f"[tool.refcheck]\npins = {{ sglang = \"{OLD}\", vllm = '{OLD}' }} # {OLD}\n",
    "dotted": f'[tool]\nrefcheck.pins.vllm = "{OLD}"\n',
    "windows": f'[tool.refcheck.pins]\r\nvllm = "{OLD}"\r\n',
    "other table": f'[tool.other.pins]\nvllm = "{OLD}"\n[tool.refcheck.pins]\nvllm = "{OLD}"\n',
}
CASES = [("refcheck.yaml", text) for text in YAML.values()] + [("pyproject.toml", text) for text in TOML.values()]


def rewritten(folder: Path, name: str, text: str, value: str) -> tuple[str, str]:
    path = folder / name
    path.write_bytes(text.encode())
    one = rewrite_settings(path, {"vllm": value})
    write_all([one])
    return path.read_bytes().decode(), find_project(folder).pins["vllm"]


@pytest.mark.parametrize("value", [NEW, "release:0.33.0", "a" * 40, COMMIT])
@pytest.mark.parametrize(("name", "text"), CASES, ids=[*YAML, *TOML])
def test_the_value_alone_changes(tmp_path: Path, name: str, text: str, value: str) -> None:
    after, read = rewritten(tmp_path, name, text, value)
    assert read == value
    # One stretch of the file is another one, and only the value and at most its quotes are in it.
    places = [at for at in range(len(text)) if text.startswith(OLD, at)]
    fitting = [at for at in places for new in (value, f'"{value}"') if text[:at] + new + text[at + len(OLD) :] == after]
    assert len(fitting) == 1


@pytest.mark.parametrize(("name", "text"), CASES, ids=[*YAML, *TOML])
def test_the_same_value_is_no_change(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_bytes(text.encode())
    one = rewrite_settings(path, {"vllm": OLD})
    assert not one.changed
    assert one.data == text.encode()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("refcheck.yaml", f"pins: {{sglang: &both {OLD}, vllm: *both}}\n"),
        ("refcheck.yaml", 'pins: {vllm: "v0.2\\u0038.0"}\n'),
        ("pyproject.toml", '[tool.refcheck.pins]\nvllm = "v0.2\\u0038.0"\n'),
    ],
)
def test_what_cannot_change_alone_is_refused(tmp_path: Path, name: str, text: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(RewriteError, match=r"by hand.*nothing was written"):
        rewrite_settings(path, {"vllm": NEW})
    assert path.read_text() == text


def test_several_pins_and_a_file_that_lost_one(tmp_path: Path) -> None:
    path = tmp_path / "refcheck.yaml"
    path.write_text(f"pins: {{sglang: v0.5.18, vllm: {OLD}}}\n")
    write_all([rewrite_settings(path, {"vllm": NEW, "sglang": "v0.5.23"})])
    assert path.read_text() == f"pins: {{sglang: v0.5.23, vllm: {NEW}}}\n"
    with pytest.raises(RewriteError, match="run the command again"):
        rewrite_settings(path, {"toy": "1"})
    path.chmod(0o444)
    with pytest.raises(UsageError, match="write-protected"):
        rewrite_settings(path, {"vllm": OLD})
