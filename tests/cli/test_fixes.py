"""New line numbers in SARIF: only the digits of a location that moved within its file, in label and address."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import CORE, ORIGIN, QUOTED, SOURCE, Toy

QUOTE = "\n".join(SOURCE.split("\n")[QUOTED[0] - 1 : QUOTED[1]])


def _fixed(toy: Toy, page: str) -> tuple[str, list[Any]]:
    """The page after the fixes of the SARIF report were applied as a viewer does."""
    path = toy.folder / "page.md"
    path.write_text(page, encoding="utf-8", newline="")
    toy.run("verify", "page.md", "--pin", f"toy={toy.commit}", "--report", "sarif=out.sarif")
    results = json.loads((toy.folder / "out.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    fixes = [fix for result in results for fix in result.get("fixes", [])]
    lines = page.split("\n")
    replacements = [
        (r["deletedRegion"], r["insertedContent"]["text"])
        for fix in fixes
        for change in fix["artifactChanges"]
        for r in change["replacements"]
    ]
    for region, text in sorted(replacements, key=lambda one: (-one[0]["startLine"], -one[0]["startColumn"])):
        assert region["startLine"] == region["endLine"]
        row = lines[region["startLine"] - 1]
        lines[region["startLine"] - 1] = row[: region["startColumn"] - 1] + text + row[region["endColumn"] - 1 :]
    return "\n".join(lines), fixes


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (f"`{CORE}:10-18`", f"`{CORE}:16-24`"),
        (f"`{CORE}#L10-L18`", f"`{CORE}#L16-L24`"),
        (f"`{CORE}:10`", f"`{CORE}:16`"),
        (f"`{CORE}:10-10`", f"`{CORE}:16-24`"),
    ],
    ids=["range", "anchors", "one-line", "a range of one line"],
)
def test_the_digits_are_replaced(toy: Toy, written: str, expected: str) -> None:
    page = f"# Page\n\n{written}\n\n```python\n{QUOTE}\n```\n"
    text, fixes = _fixed(toy, page)
    assert text == page.replace(written, expected)
    assert len(fixes) == 1


def test_label_and_address_of_a_link_change_together(toy: Toy) -> None:
    link = f"[`{CORE}#L{{0}}-L{{1}}`]({ORIGIN.removesuffix('.git')}/blob/{toy.commit}/{CORE}#L{{0}}-L{{1}})"
    page = f"# Page\n\n{link.format(10, 18)}\n\n```python\n{QUOTE}\n```\n"
    text, _ = _fixed(toy, page)
    assert text == page.replace(link.format(10, 18), link.format(16, 24))


def test_what_holds_or_cannot_be_certain_has_no_fix(toy: Toy) -> None:
    page = f"# Page\n\n`{CORE}:16-24`\n\n```python\n{QUOTE}\n```\n\n`{CORE}:3` and `toy/none.py:10`.\n"
    text, fixes = _fixed(toy, page)
    assert text == page
    assert fixes == []


def test_the_page_carries_plots_of_the_cost_model_with_claims_about_it(toy: Toy) -> None:
    toy.edition('- {id: n, words: "a prompt of 2048", check: {kind: number, quantity: prompt}}\n')
    done = toy.run("verify", "--edition", "toy.yaml", "--report", "html=with.html")
    assert (toy.folder / "with.html").is_file(), done.stderr
    assert "data:image/svg+xml;base64," in Path(toy.folder / "with.html").read_text(encoding="utf-8")
    toy.edition()
    toy.run("verify", "--edition", "toy.yaml", "--report", "html=without.html", code=0)
    assert "data:image/svg+xml;base64," not in Path(toy.folder / "without.html").read_text(encoding="utf-8")
