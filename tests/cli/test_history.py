"""`refcheck history` as users run it, and its result inside a report."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from tests.cli.conftest import CORE, SOURCE, Toy
from tests.sources.conftest import Index, git, sdist

CLAIMS = """\
- {id: set-quote, anchor: set-rows, check: quote, words: "def set_rows"}
- {id: set-lines, anchor: set-rows, check: location, words: "L16-L24"}
- id: size
  words: 16 rows
  check: {kind: default, engine: toy, path: toy/core.py, symbol: Pool.size, default: "16"}
- id: never
  words: 17 rows
  check: {kind: default, engine: toy, path: toy/core.py, symbol: Pool.size, default: "17"}
- id: no-engine
  words: anything
  check: {kind: outside, needs: nothing}
"""


@pytest.fixture
def commits(toy: Toy) -> list[str]:
    toy.edition(CLAIMS)
    return [
        toy.commit,
        toy.upstream.commit({CORE: b"\n\n" + SOURCE.encode()}, "two lines above"),
        toy.upstream.commit({CORE: SOURCE.replace("1.0", "0.5").encode()}, "another scale \x1b[31m"),
        toy.upstream.commit({"docs/guide.md": b"# More\n"}, "docs"),
        toy.upstream.commit({CORE: SOURCE.replace("16", "32").encode()}, "back, and more rows"),
    ]


def history(toy: Toy, *arguments: str, code: int = 0) -> dict[str, Any]:
    done = toy.run("history", "--engine", "toy", "--edition", "toy.yaml", *arguments, "--format", "json", code=code)
    value: dict[str, Any] = json.loads(done.stdout)
    jsonschema.validate(
        value, json.loads(files("refcheck.render").joinpath("schemas/refcheck-history-1.json").read_text())
    )
    return value


def verdicts(value: dict[str, Any], id_: str) -> list[str]:
    row = next(row for row in value["rows"] if row["id"] == id_)
    assert [cell["rev"] for cell in row["cells"]] == value["revisions"]
    return [cell["verdict"] for cell in row["cells"]]


def test_commits_of_a_clone(toy: Toy, commits: list[str]) -> None:
    clone = f"toy={toy.upstream.work}"
    value = history(toy, "--from", commits[0], "--to", commits[-1], "--source", clone)
    assert value["revisions"] == [commits[0], commits[2], commits[4]]
    assert value["looked_through"] == 5
    assert verdicts(value, "set-rows") == ["holds", "changed", "holds"]
    assert verdicts(value, "set-lines") == ["holds", "changed", "holds"]
    assert verdicts(value, "size") == ["holds", "holds", "contradicted"]
    assert verdicts(value, "never") == ["contradicted"] * 3
    by_id = {row["id"]: row for row in value["rows"]}
    assert "no-engine" not in by_id
    assert by_id["set-rows"]["broke_at"] == commits[2]
    assert by_id["set-rows"]["broke"]["subject"] == "another scale \x1b[31m"
    assert by_id["set-rows"]["broke"]["after"] == commits[1]
    assert by_id["never"]["broke_at"] is None
    assert by_id["never"]["ever_held"] is False
    first = by_id["set-rows"]["cells"][0]
    assert (first["path"], first["first"], first["last"]) == (CORE, 16, 24)


def test_the_same_from_the_server_and_by_names(toy: Toy, commits: list[str]) -> None:
    git(toy.upstream.work, "tag", "v1", commits[1])
    toy.upstream.publish()
    value = history(toy, "--from", "v1", "--to", "main")
    assert value["revisions"] == [commits[1], commits[2], commits[4]]
    assert verdicts(value, "set-lines") == ["moved", "changed", "holds"]


def test_the_table(toy: Toy, commits: list[str]) -> None:
    clone = ("--source", f"toy={toy.upstream.work}")
    arguments = (
        "history",
        "--engine",
        "toy",
        "--edition",
        "toy.yaml",
        "--from",
        commits[0],
        "--to",
        commits[-1],
        *clone,
    )
    text = toy.run(*arguments, code=0).stdout
    assert all(len(line) <= 80 for line in text.splitlines())
    assert "\x1b" not in text
    assert re.search(r"^set-rows +✓ ≠ ✓  Pool.set_rows$", text, re.MULTILINE)
    assert re.search(
        rf"^set-rows, set-lines at {commits[2][:10]} of 20\d\d-\d\d-\d\d: moved → changed$", text, re.MULTILINE
    )
    assert r"another scale \x1b[31m" in text
    assert f"holds again: holds at {commits[4][:10]}" in text
    assert "4 rows: 0 held throughout, 3 stopped, 1 never held" in text
    assert "set-quote" not in text
    quiet = toy.run(*arguments, "--quiet", "--only", "set-rows", "--only", "size", code=0).stdout
    assert "never" not in quiet.replace("never held", "")
    narrow = toy.run(*arguments, code=0)
    assert narrow.stdout == text


def test_signs_that_an_encoding_lacks(toy: Toy, commits: list[str]) -> None:
    toy.environment["PYTHONUTF8"] = "0"
    toy.environment["PYTHONIOENCODING"] = "ascii"
    clone = f"toy={toy.upstream.work}"
    done = toy.run(
        "history",
        "--engine",
        "toy",
        "--edition",
        "toy.yaml",
        "--from",
        commits[0],
        "--to",
        commits[-1],
        "--source",
        clone,
        code=0,
    )
    assert re.search(r"^set-rows +\+ ! \+", done.stdout, re.MULTILINE)
    assert "moved -> changed" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--engine", "nosuch", "--releases", "1.0..1.1"], 2, "unknown engine (known:"),
        (["--engine", "toy"], 2, "which revisions?"),
        (["--engine", "toy", "--from", "main"], 2, "which revisions?"),
        (["--engine", "toy", "--from", "main", "--to", "main"], 2, "no way between them"),
        (["--engine", "toy", "--from", "release:1.0", "--to", "main"], 2, "no line of commits"),
        (["--engine", "toy", "--from", "NEW", "--to", "OLD"], 2, "swap the two"),
        (["--engine", "toy", "--from", "OLD", "--to", "nosuch"], 2, "no tag or branch"),
        (["--engine", "toy", "--from", "OLD", "--to", "1" * 40], 3, "no readable"),
        (["--engine", "toy", "--releases", "1.0..1.1", "--to", "main"], 2, "either --releases"),
        (["--engine", "toy", "--from", "OLD", "--to", "NEW", "--only", "nosuch"], 2, "no anchor or claim nosuch"),
        (["--engine", "toy", "--from", "OLD", "--to", "NEW", "--only", "no-engine"], 2, "nothing to judge"),
        (["--engine", "toy", "--from", "OLD", "--to", "NEW", "--source", "toy=docs"], 3, "has no history"),
    ],
)
def test_what_cannot_be_answered(toy: Toy, commits: list[str], arguments: list[str], code: int, message: str) -> None:
    (toy.folder / "docs").mkdir()
    names = {"OLD": commits[0], "NEW": commits[-1]}
    done = toy.run("history", "--edition", "toy.yaml", *(names.get(a, a) for a in arguments), code=code)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert done.stdout == ""


def test_without_an_edition(toy: Toy) -> None:
    done = toy.run("history", "--engine", "toy", "--releases", "1.0..1.1", code=2)
    assert "--edition" in done.stderr


def test_releases_of_an_index(toy: Toy) -> None:
    toy.edition(CLAIMS)
    toy.write(
        "refcheck.yaml",
        "engines:\n  toy: {origin: https://git.example/toy/toy.git, distribution: toy-engine, source_roots: [toy/]}\n",
    )
    index = Index()
    try:
        toy.environment["PIP_INDEX_URL"] = index.address
        for version, text in (
            ("1.0", SOURCE),
            ("1.1", SOURCE.replace("16", "32")),
            ("1.2rc1", SOURCE),
            ("1.2", SOURCE),
        ):
            name = f"toy_engine-{version}"
            index.archives[f"{name}.tar.gz"] = sdist({CORE: text.encode()}, name)
        value = history(toy, "--releases", "1.0..1.2")
        assert value["revisions"] == ["release:1.0", "release:1.1", "release:1.2"]
        assert verdicts(value, "size") == ["holds", "contradicted", "holds"]
        assert next(row for row in value["rows"] if row["id"] == "size")["broke_at"] == "release:1.1"
        named = history(toy, "--releases", "1.0..1.1,1.2rc1")
        assert named["revisions"] == ["release:1.0", "release:1.1", "release:1.2rc1"]
        ends = history(toy, "--from", "release:1.1", "--to", "release:1.2")
        assert ends["revisions"] == ["release:1.1", "release:1.2"]
        missing = toy.run("history", "--engine", "toy", "--edition", "toy.yaml", "--releases", "1.0..1.7", code=2)
        assert "no release 1.7" in missing.stderr
    finally:
        index.close()
    again = history(toy, "--releases", "1.0..1.2", "--offline")
    assert verdicts(again, "size") == ["holds", "contradicted", "holds"]


def test_a_history_in_a_report(toy: Toy, commits: list[str]) -> None:
    clone = f"toy={toy.upstream.work}"
    value = history(toy, "--from", commits[0], "--to", commits[-1], "--source", clone)
    toy.write("history.json", json.dumps(value))
    done = toy.run(
        "verify", "--edition", "toy.yaml", "--history", "history.json", "--format", "json", "--fail-on", "never"
    )
    assert json.loads(done.stdout)["history"] == value
    page = toy.run(
        "verify", "--edition", "toy.yaml", "--history", "history.json", "--format", "html", "--fail-on", "never"
    )
    assert "History of toy" in page.stdout
    assert commits[2] in page.stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "not of schema refcheck-history/1"),
        ('{"schema": "refcheck-report/1"}', "not of schema refcheck-history/1"),
        ('{"schema": "refcheck-history/1", "revisions": [], "rows": [{}]}', "`rows` must be"),
    ],
)
def test_a_file_that_is_no_history(toy: Toy, text: str, message: str) -> None:
    toy.edition()
    toy.write("history.json", text)
    done = toy.run("verify", "--edition", "toy.yaml", "--history", "history.json", code=2)
    assert message in done.stderr
    assert "history.json" in done.stderr
    assert "cannot be read" in toy.run("verify", "--edition", "toy.yaml", "--history", "absent.json", code=2).stderr
