"""Replacements in SARIF are those that `regen` would make: all of a citation's numbers, or none."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import CORE, SOURCE, Toy


@pytest.mark.parametrize(("location", "fixed"), [("L15-L23", ["16", "24"]), ("15-23-30", [])])
def test_fixes_of_moved_lines(toy: Toy, location: str, fixed: list[str]) -> None:
    body = "\n".join(SOURCE.split("\n")[15:24])
    toy.write("page.md", f"`{CORE}:{location}`\n\n```python\n{body}\n```\n")
    done = toy.run("verify", "page.md", "--pin", f"toy={toy.commit}", "--format", "sarif")
    results = json.loads(done.stdout)["runs"][0]["results"]
    texts = [
        replacement["insertedContent"]["text"]
        for result in results
        for fix in result.get("fixes", ())
        for change in fix["artifactChanges"]
        for replacement in change["replacements"]
    ]
    assert texts == fixed
