"""`refcheck scan`: output for people and machines, exit codes."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import pytest

from refcheck.cli.group import run

SCHEMA = json.loads(files("refcheck.cli").joinpath("schemas/refcheck-scan-1.json").read_text(encoding="utf-8"))
PAGE = """---
source_baseline: vLLM v0.24.0
---
See `vllm/envs.py:L10-L12`, [it](https://github.com/vllm-project/vllm/blob/main/vllm/x.py#L3) and `vllm/y.py:9-5`.

```python
# vllm/z.py:L1-L2
a = f(1)
```

Then:

```python
def g(self):
    return self.a
```
"""


def test_json_follows_the_published_schema(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "a.md").write_text(PAGE)
    (tmp_path / "b.xyz").write_text("")
    assert run(["scan", str(tmp_path), "--format", "json"]) == 0
    value = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(SCHEMA).validate(value)
    page, folder = value["documents"]
    rows = [(c["form"], c["path"], c["first"], c["last"], c["rev"], c["unpinned"]) for c in page["citations"]]
    assert rows == [
        ("inline", "vllm/envs.py", 10, 12, "v0.24.0", False),
        ("url", "vllm/x.py", 3, 3, "main", True),
        ("inline", "vllm/y.py", 5, 9, "v0.24.0", False),
        ("block", "vllm/z.py", 1, 2, "v0.24.0", False),
        ("content", None, None, None, None, False),
    ]
    assert page["citations"][2]["problem"] == "reversed 9-5"
    assert page["citations"][3]["quote"] == "a = f(1)"
    assert page["citations"][4]["quote"] == "def g(self):\n    return self.a"
    assert (page["citations"][0]["line"], page["citations"][0]["column"]) == (4, 6)
    assert folder["unread"][0]["what"].endswith("b.xyz")


def test_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "a.md"
    page.write_text(PAGE)
    assert run(["scan", str(page)]) == 0
    shown = capsys.readouterr().out
    assert "vllm/envs.py:L10-L12 at v0.24.0" in shown
    assert "at main (unpinned)" in shown
    assert "1 document: 4 citations, 2 quoted blocks" in shown


def test_nothing_found_is_no_success(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "a.md"
    page.write_text("Nothing here.\n")
    assert run(["scan", str(page)]) == 2
    assert "--allow-empty" in capsys.readouterr().err
    assert run(["scan", str(page), "--allow-empty"]) == 0


def test_a_missing_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["scan", str(tmp_path / "a.md")]) == 2
    assert "a.md: no such file" in capsys.readouterr().err


def test_foreign_text_is_shown_harmless(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "a.md"
    page.write_bytes(b"`vllm/envs.py:L10`\n\n```python\nx\x1b[31m = f(\xff)\n```\n")
    assert run(["scan", str(page)]) == 0
    assert "\x1b" not in capsys.readouterr().out
    assert run(["scan", str(page), "--format", "json"]) == 0
    json.loads(capsys.readouterr().out)


def test_only_commits_are_shortened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "a.md"
    commit = "0123456789abcdef0123456789abcdef01234567"
    page.write_text(
        "`vendor/vllm-0.24.0.post12/vllm/envs.py:L1`\n\n"
        f"[a](https://github.com/vllm-project/vllm/blob/{commit}/vllm/x.py#L3)\n\n"
        "[b](https://github.com/vllm-project/vllm/blob/releases/v0.24.0/vllm/x.py#L4)\n"
    )
    assert run(["scan", str(page)]) == 0
    shown = capsys.readouterr().out
    assert "at release:0.24.0.post12" in shown
    assert "at 0123456789ab\n" in shown
    assert "at releases/v0.24.0" in shown


def test_json_of_many_documents_and_citations_is_one_value(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The output is written in parts: commas between citations, parts and documents, none behind the last."""
    for name, count in (("a.md", 0), ("b.md", 1), ("c.md", 500), ("d.md", 1201)):
        (tmp_path / name).write_text("Text.\n\n" + "".join(f"`vllm/envs.py:L{n + 1}`\n\n" for n in range(count)))
    assert run(["scan", str(tmp_path), "--format", "json"]) == 0
    value = json.loads(capsys.readouterr().out)
    jsonschema.Draft202012Validator(SCHEMA).validate(value)
    assert [[c["first"] for c in d["citations"]] for d in value["documents"]] == [
        list(range(1, count + 1)) for count in (0, 1, 500, 1201)
    ]
