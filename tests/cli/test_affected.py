"""`refcheck affected` as users run it: which paragraphs, what changed, and what was wrong before."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from tests.cli.conftest import CORE, SOURCE, Toy

PAGE = """\
# Rows

The pool keeps sixteen rows unless it is told otherwise, see `toy/core.py:L13`, and each has a scale.

`toy/core.py:L16-L24`

```python
    def set_rows(
        self,
        rows: int,
        scale: float = 1.0,
    ) -> None:
        \"\"\"Store the rows.\"\"\"
        kept = rows + self.size
        if kept > self.limit:
            raise ValueError(kept)
```

The two modes are explained in the enumeration at the top of the file (`toy/core.py:L4-L7`), which has a comment.
"""


def affected(toy: Toy, *arguments: str, code: int) -> dict[str, Any]:
    done = toy.run("affected", *arguments, "--engine", "toy", "--format", "json", code=code)
    value: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(
        value, json.loads(files("refcheck.render").joinpath("schemas/refcheck-affected-1.json").read_text())
    )
    assert value["exit"] == code
    return value


def test_only_what_changed_is_listed(toy: Toy) -> None:
    toy.write("page.md", PAGE)
    text = "import os\n\n" + SOURCE.replace("scale: float = 1.0", "scale: float = 0.5")
    later = toy.upstream.commit({CORE: text.encode()}, "another scale")
    value = affected(toy, "page.md", "--from", toy.commit, "--to", later, code=1)
    (item,) = value["items"]
    assert item["verdict"] == "changed"
    assert item["kind"] == "quote"
    assert item["line"] in (5, 7, 8)
    assert (item["old"]["first"], item["old"]["last"]) == (16, 24)
    assert (item["new"]["first"], item["new"]["last"]) == (18, 26)
    assert [(d["sign"], d["text"].strip()) for d in item["diff"] if d["sign"] != " "] == [
        ("-", "scale: float = 1.0,"),
        ("+", "scale: float = 0.5,"),
    ]
    assert item["paragraph"]["text"].startswith("The pool keeps sixteen rows")
    assert value["totals"] == {"affected": 1, "same": 0, "moved": 2, "wrong": 0, "not_followed": 0}
    shown = toy.run("affected", "page.md", "--engine", "toy", "--from", toy.commit, "--to", later, code=1).stdout
    assert "toy/core.py:L16-L24 → L18-L26" in shown
    assert "page.md:" in shown
    assert "1 to read again, 2 moved intact" in shown
    assert "0.5" in shown
    hidden = toy.run(
        "affected", "page.md", "--engine", "toy", "--from", toy.commit, "--to", later, "--without-code", code=1
    ).stdout
    assert "0.5" not in hidden


def test_nothing_changed(toy: Toy) -> None:
    toy.write("page.md", PAGE)
    later = toy.upstream.commit({CORE: b"\n\n" + SOURCE.encode(), "docs/guide.md": b"x\n"}, "blank lines")
    value = affected(toy, "page.md", "--from", toy.commit, "--to", later, code=0)
    assert value["items"] == []
    assert value["totals"]["moved"] == 3
    same = affected(toy, "page.md", "--from", toy.commit, "--to", toy.commit, code=0)
    assert same["totals"] == {"affected": 0, "same": 3, "moved": 0, "wrong": 0, "not_followed": 0}


def test_gone_and_moved_to_another_file(toy: Toy) -> None:
    toy.write("page.md", PAGE)
    lines = SOURCE.split("\n")
    top, pool = "\n".join(lines[:8]), "\n".join(lines[8:])
    later = toy.upstream.commit({CORE: top.encode(), "toy/pool.py": pool.encode()}, "split")
    value = affected(toy, "page.md", "--from", toy.commit, "--to", later, code=1)
    # The block is found in the other file; `size: int = 16` is too common a line to be recognised there.
    assert value["totals"] == {"affected": 1, "same": 1, "moved": 1, "wrong": 0, "not_followed": 0}
    assert [(item["line"], item["verdict"]) for item in value["items"]] == [(3, "gone")]
    lost = toy.upstream.commit({CORE: top.encode(), "toy/pool.py": None}, "removed")
    value = affected(toy, "page.md", "--from", toy.commit, "--to", lost, code=1)
    assert {item["verdict"] for item in value["items"]} == {"gone"}
    assert all(item["new"] is None for item in value["items"])


def test_wrong_at_its_own_pin_is_said_first(toy: Toy) -> None:
    toy.write("page.md", PAGE.replace("L16-L24", "L10-L18").replace("L4-L7", "L400-L407"))
    later = toy.upstream.commit({CORE: SOURCE.replace("1.0", "0.5").encode()}, "another scale")
    value = affected(toy, "page.md", "--from", toy.commit, "--to", later, code=1)
    wrong = {aside["verdict"] for aside in value["wrong"]}
    assert "moved" in wrong
    # What is past the end of the file has no place to be followed from.
    assert len(value["wrong"]) + len(value["not_followed"]) == 2
    # What only stood at other lines is followed from where it really is.
    (item,) = value["items"]
    assert (item["old"]["first"], item["old"]["last"]) == (16, 24)
    shown = toy.run("affected", "page.md", "--engine", "toy", "--from", toy.commit, "--to", later, code=1).stdout
    assert shown.index("already:") < shown.index("To read again:")
    # Each passage is counted once: the block stood elsewhere and was followed all the same.
    (last,) = [line for line in shown.splitlines() if re.match(r"\d+ passages?:", line)]
    numbers, _, beside = last.partition("; ")
    total, *parts = map(int, re.findall(r"\d+", numbers))
    assert total == sum(parts)
    assert beside == "of those followed, 1 wrong already too"


@pytest.mark.parametrize("lines", ["L16-L24", "L10-L18", "L400-L407"])
@pytest.mark.parametrize("modes", ["L4-L7", "L2-L5", "L400-L407"])
def test_the_numbers_add_up(toy: Toy, lines: str, modes: str) -> None:
    toy.write("page.md", PAGE.replace("L16-L24", lines).replace("L4-L7", modes))
    later = toy.upstream.commit({CORE: ("\n\n" + SOURCE.replace("1.0", "0.5")).encode()}, "another scale")
    text = toy.run("affected", "page.md", "--engine", "toy", "--from", toy.commit, "--to", later).stdout
    (last,) = [line for line in text.splitlines() if re.match(r"\d+ passages?:", line)]
    total, *parts = map(int, re.findall(r"\d+", last.partition("; ")[0]))
    assert total == sum(parts)


def test_a_claim_whose_verdict_turns(toy: Toy) -> None:
    toy.edition(
        """\
        - id: size
          words: keeps sixteen rows
          check: {kind: default, engine: toy, path: toy/core.py, symbol: Pool.size, default: "16"}
        - id: causal
          words: each has a scale
          check: {kind: default, engine: toy, path: toy/core.py, symbol: Pool.causal, default: "True"}
        """
    )
    toy.write("page.md", "# Rows\n\nThe pool keeps sixteen rows unless it is told otherwise, and each has a scale.\n")
    later = toy.upstream.commit({CORE: SOURCE.replace("16", "32").encode()}, "more rows")
    arguments = ("page.md", "--edition", "toy.yaml", "--from", toy.commit, "--to", later)
    value = affected(toy, *arguments, code=1)
    (item,) = value["items"]
    assert (item["id"], item["kind"], item["before"], item["verdict"]) == ("size", "claim", "holds", "contradicted")
    assert value["totals"]["same"] == 1
    back = affected(toy, "page.md", "--edition", "toy.yaml", "--from", later, "--to", toy.commit, code=1)
    assert [aside["id"] for aside in back["wrong"]] == ["size"]
    assert back["items"][0]["before"] == "contradicted"


def test_a_citation_with_a_revision_of_its_own(toy: Toy) -> None:
    """The link's lines are those of its own commit; it is followed to --from, then to --to."""
    shifted = toy.upstream.commit({CORE: b"\n\n\n" + SOURCE.encode()}, "shifted")
    changed = toy.upstream.commit({CORE: b"\n\n\n" + SOURCE.replace("1.0", "0.5").encode()}, "changed")
    link = f"https://git.example/toy/toy/blob/{toy.commit}/toy/core.py#L16-L24"
    toy.write("page.md", f"# Rows\n\nThe rows are kept as it is shown in [the source]({link}) of the pool.\n")
    value = affected(toy, "page.md", "--from", shifted, "--to", changed, code=1)
    (item,) = value["items"]
    assert (item["old"]["first"], item["old"]["last"]) == (19, 27)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["page.md", "--engine", "nosuch", "--from", "main", "--to", "main"], 2, "unknown engine"),
        (["page.md", "--engine", "toy", "--from", "nosuch", "--to", "main"], 2, "no tag or branch"),
        (["page.md", "--engine", "toy", "--from", "main", "--to", "1" * 40], 3, "no readable source"),
        (["absent.md", "--engine", "toy", "--from", "main", "--to", "main"], 2, "absent.md"),
        (["empty.md", "--engine", "toy", "--from", "main", "--to", "main"], 2, "no citation of toy"),
        (["page.md", "--engine", "toy", "--from", "main"], 2, "--to"),
    ],
)
def test_what_cannot_be_answered(toy: Toy, arguments: list[str], code: int, message: str) -> None:
    toy.write("page.md", PAGE)
    toy.write("empty.md", "# Nothing\n\nNo code is cited here, in none of the words.\n")
    done = toy.run("affected", *arguments, code=code)
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_an_empty_page_may_be_allowed(toy: Toy) -> None:
    toy.write("empty.md", "# Nothing\n\nNo code is cited here, in none of the words.\n")
    toy.run("affected", "empty.md", "--engine", "toy", "--from", "main", "--to", "main", "--allow-empty", code=0)
