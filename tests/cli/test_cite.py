"""`refcheck cite`: paths by their end, definitions, and what cannot be told; `explain` by verdict."""

from __future__ import annotations

import json

import pytest

from refcheck.cli.explain import codes_of_verdict
from refcheck.model.codes import CODES
from refcheck.model.verdict import CODES_OF, VERDICT_NAMES
from tests.cli.conftest import CORE, SOURCE, Toy
from tests.engine.pages import check_page


@pytest.fixture
def wide(toy: Toy) -> Toy:
    """Files of one name within and beside the source folder, and one name twice within."""
    toy.commit = toy.upstream.commit(
        {
            "tests/core.py": b"a = 1\n",
            "toy/a/pool.py": b"class A:\n    def go(self) -> int:\n        return 1\n",
            "toy/b/pool.py": b"class B:\n    def go(self) -> int:\n        return 2\n",
        }
    )
    return toy


@pytest.mark.parametrize(
    ("written", "place"),
    [
        (f"{CORE}:16-24", (CORE, 16, 24)),
        (f"{CORE}#L16-L24", (CORE, 16, 24)),
        ("core.py:14", (CORE, 14, 14)),
        ("core.py::Pool.set_rows", (CORE, 16, 25)),
        (f"{CORE}#Pool.set_rows", (CORE, 16, 25)),
        ("core.py::Mode", (CORE, 4, 7)),
        ("a/pool.py:2", ("toy/a/pool.py", 2, 2)),
        ("pool.py::A.go", ("toy/a/pool.py", 2, 3)),
        ("pool.py::B", ("toy/b/pool.py", 1, 3)),
        ("core.py", (CORE, 1, len(SOURCE.splitlines()))),
    ],
)
def test_what_a_location_means(wide: Toy, written: str, place: tuple[str, int, int]) -> None:
    done = wide.run("cite", written, "--pin", f"toy={wide.commit}", "--format", "json", code=0)
    (one,) = json.loads(done.stdout)["citations"]
    assert (one["path"], one["first"], one["last"]) == place
    assert one["permalink"].endswith(f"{place[0]}#L{place[1]}" + (f"-L{place[2]}" if place[2] != place[1] else ""))


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("pool.py:2", "2 files fit"),
        ("pool.py::go", "2 files fit"),
        ("pool.py::C", "2 files fit"),
        ("toy/coer.py:3", f"did you mean {CORE}?"),
        ("toy/other/core.py:3", "no engine has this path"),
        ("core.py::Pool.nosuch", "defines no Pool.nosuch"),
        ("core.py:9000", "it has 25"),
        ("core.py:", "want PATH:LINES"),
    ],
)
def test_what_cannot_be_told_is_said(wide: Toy, written: str, said: str) -> None:
    done = wide.run("cite", written, "--pin", f"toy={wide.commit}", code=2)
    assert said in done.stderr


FILES = {"toy/v1/request.py": "a = 1\n", "toy/v1/scheduler.py": "b = 1\n", "toy/x/util.py": "", "toy/y/util.py": ""}


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("toy/v1/reqest.py:1", "toy/v1/request.py"),
        ("toy/v1/requests.py:1", "toy/v1/request.py"),
        ("toy/core/request.py:1", "toy/v1/request.py"),
        ("shceduler.py:1", "toy/v1/scheduler.py"),
        ("toy/z/util.py:1", None),
        ("toy/x/utils.py:1", "toy/x/util.py"),
        ("utils.py:1", None),
        ("toy/v1/banana.py:1", None),
        ("toy/v1/request.rs:1", None),
    ],
)
def test_a_misspelt_path_in_a_page(written: str, meant: str | None) -> None:
    report = check_page(f"It is at `{written}`.\n", FILES)
    message = report.findings[0].verdict.message
    assert ("did you mean" in message) == (meant is not None), message
    if meant:
        assert f"(did you mean {meant}?)" in message


def test_every_code_belongs_to_a_verdict() -> None:
    assert {code.id for some in CODES_OF.values() for code in some} == set(CODES)
    assert set(CODES_OF) == set(VERDICT_NAMES)
    for verdict, some in CODES_OF.items():
        assert codes_of_verdict(f" {VERDICT_NAMES[verdict].upper()} ") == list(some)


def test_explain_lists_the_codes_of_a_verdict(toy: Toy) -> None:
    text = toy.run("explain", "gone", code=0).stdout
    assert [line.split()[0] for line in text.splitlines() if line.startswith("RC")] == ["RC103", "RC111", "RC409"]
    done = toy.run("explain", "moves", code=2)
    assert "did you mean 'moved'?" in done.stderr


def test_all_wrong_keys_of_an_edition_are_named(toy: Toy) -> None:
    path = toy.edition(claims="- id: one\n  wrods: x\n  check: {kind: text}\n")
    text = (
        path.read_text()
        .replace("anchors:", "anchor:")
        .replace("form: block", "frm: block")
        .replace("claims:", "claim:")
    )
    path.write_text(text)
    done = toy.run("verify", "--edition", str(path), code=2)
    for wrong in ("'anchor'", "'frm'", "'claim'", "'wrods'"):
        assert f"unknown key {wrong} (did you mean" in done.stderr, done.stderr


@pytest.mark.parametrize("other", ["refcheck.yml", "pyproject.toml"])
def test_settings_in_two_files_are_refused(toy: Toy, other: str) -> None:
    toy.write("page.md", f"`{CORE}:14`\n")
    toy.write(other, '[tool.refcheck]\nfail_on = "never"\n' if other.endswith("toml") else "fail_on: never\n")
    done = toy.run("scan", "page.md", code=2)
    assert "refcheck.yaml" in done.stderr
    assert other in done.stderr
    toy.write(other, "[tool.other]\nx = 1\n" if other.endswith("toml") else "fail_on: never\n")
    assert toy.run("scan", "page.md").returncode == (0 if other.endswith("toml") else 2)


def test_offline_is_said_where_a_revision_is_missing(toy: Toy) -> None:
    toy.write("page.md", f"For toy at commit {'1a' * 20}.\n\n`{CORE}:14`\n")
    done = toy.run("verify", "page.md", "--offline", code=3)
    assert "--offline" in done.stdout


@pytest.mark.parametrize("command", ["scan", "locate", "baseline", "affected"])
def test_the_documents_of_the_settings(toy: Toy, command: str) -> None:
    block = "\n".join(SOURCE.split("\n")[15:24])
    toy.write("pages/page.md", f"See `{CORE}:L16-L24`:\n\n```python\n{block}\n```\n")
    arguments = {
        "scan": [],
        "affected": ["--engine", "toy", "--from", toy.commit, "--to", toy.commit],
    }.get(command, ["--pin", f"toy={toy.commit}"])
    none = toy.run(command, *arguments, code=2)
    assert "documents" in none.stderr
    toy.write("refcheck.yaml", (toy.folder / "refcheck.yaml").read_text() + "documents: [pages]\n")
    toy.run(command, *arguments, code=0)
