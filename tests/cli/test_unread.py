"""Documents that cannot be read are visible in every command, whatever else was given."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from refcheck.config.engines import builtin_engines
from refcheck.documents.read import read_documents
from tests.cli.conftest import CORE, Toy

CELL = '{"cell_type": "markdown", "metadata": {}, "source": ["`toy/core.py:14` is `causal`"]}'
WHOLE = f'{{"cells": [{CELL}], "metadata": {{}}, "nbformat": 4, "nbformat_minor": 5}}'
BROKEN = {
    "list.ipynb": '{"cells": [',
    "string.ipynb": '{"cells": [{"cell_type": "mark',
    "half.ipynb": '{"cells": [' + CELL + ', {"cell_type": "code", "source": ["x',
    "other.ipynb": '["a"]',
    "cells.ipynb": '{"nbformat": 4}',
}
EMPTY = {
    "zero.html": "",
    "zero.md": "",
    "zero.ipynb": "",
    "blank.txt": " \n\n",
    "mark.rst": "\ufeff\n",
    "script.html": "<html><head><script>var a = 1;</script></head><body></body></html>",
}
FINE = {
    "whole.ipynb": WHOLE,
    "words.md": "Nothing is cited here.\n",
    "code.md": "```python\nx = 1\n```\n",
    "page.html": "<p>Words.</p>",
}


@pytest.mark.parametrize("name", [*BROKEN, *EMPTY])
@pytest.mark.parametrize("beside", [False, True])
def test_what_cannot_be_read_is_a_finding(toy: Toy, name: str, beside: bool) -> None:
    toy.write(name, BROKEN.get(name) or EMPTY[name])
    toy.write("fine.md", f"`causal` is at `{CORE}:14`.\n")
    arguments = [name, "fine.md"] if beside else [name]
    # A notebook that is cut off is a fault; a page without a word is remarked.
    checked = beside or name == "half.ipynb"
    code = 2 if not checked else 1 if name in BROKEN else 0
    done = toy.run("verify", *arguments, "--pin", f"toy={toy.commit}", "--format", "json", code=code)
    value = json.loads(done.stdout)
    (finding,) = [f for f in value["findings"] if f["document"] == name and f["kind"] == "document"]
    assert finding["code"] == "RC501"
    assert finding["level"] == ("error" if name in BROKEN else "warning")
    strict = toy.run("verify", *arguments, "--pin", f"toy={toy.commit}", "--strict")
    assert strict.returncode != 0
    assert name in strict.stdout
    assert f"not read: {name}" in toy.run("scan", *arguments).stdout.replace("a part of ", "")
    assert name in toy.run("baseline", *arguments, "--pin", f"toy={toy.commit}").stderr


@pytest.mark.parametrize("name", FINE)
def test_what_is_whole_is_not_remarked(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_text(FINE[name], encoding="utf-8")
    (document,) = read_documents([str(path)], engines=builtin_engines())
    assert document.unread == ()


def test_in_a_folder_empty_pages_are_noted_and_broken_ones_are_findings(toy: Toy) -> None:
    for name, text in {**BROKEN, **EMPTY, **FINE}.items():
        toy.write(f"pages/{name}", text)
    done = toy.run("verify", "pages", "--pin", f"toy={toy.commit}", "--format", "json", code=1)
    value = json.loads(done.stdout)
    found = {f["document"] for f in value["findings"] if f["kind"] == "document"}
    assert found == {f"pages/{name}" for name in BROKEN}
    text = toy.run("verify", "pages", "--pin", f"toy={toy.commit}", code=1).stdout
    for name in EMPTY:
        assert f"pages/{name}" in " ".join(text.split())
    assert f"{len(BROKEN) + len(EMPTY) + len(FINE)} documents" in text


def test_cells_before_the_cut_are_read(tmp_path: Path) -> None:
    path = tmp_path / "half.ipynb"
    path.write_text(BROKEN["half.ipynb"], encoding="utf-8")
    (document,) = read_documents([str(path)], engines=builtin_engines())
    assert [str(one.lines) for one in document.citations] == ["L14"]
    (unread,) = document.unread
    assert unread.what == f"a part of {path}"
