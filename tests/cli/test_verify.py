"""`refcheck verify` as users run it: verdicts, output, exit codes, and what bad input gets."""

from __future__ import annotations

import json
from importlib.resources import files

import jsonschema
import pytest

from tests.cli.conftest import CORE, SOURCE, Toy
from tests.sources.conftest import ORIGIN
from tests.support.commits import short

PAGE = """\
# Rows

The pool has a default (`toy/core.py:L13`).

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
"""


def report(toy: Toy, *arguments: str, code: int) -> dict:  # type: ignore[type-arg]
    done = toy.run("verify", *arguments, "--format", "json", code=code)
    value = json.loads(done.stdout)
    schema = json.loads(files("refcheck.render").joinpath("schemas/refcheck-report-1.json").read_text())
    jsonschema.validate(value, schema)
    assert value["exit"] == code
    return value


def test_an_edition_holds_at_its_pin(toy: Toy) -> None:
    value = report(toy, "--edition", str(toy.edition()), code=0)
    assert [(f["kind"], f["verdict"], f["code"]) for f in value["findings"]] == [
        ("location", "holds", "RC000"),
        ("quote", "holds", "RC000"),
    ]
    found = value["findings"][0]["found"]
    assert (found["path"], found["first"], found["last"], found["symbol"]) == (CORE, 16, 24, "Pool.set_rows")
    assert value["sources"][0]["read"] == toy.commit
    assert value["sources"][0]["exact"] is True


def test_a_new_commit_moves_and_changes(toy: Toy) -> None:
    edition = str(toy.edition())
    moved = toy.upstream.commit({CORE: b"\n" * 200 + SOURCE.encode()}, "blank lines")
    value = report(toy, "--edition", edition, "--pin", f"toy={moved}", code=1)
    assert [(f["kind"], f["verdict"]) for f in value["findings"]] == [("location", "moved"), ("quote", "holds")]
    changed = toy.upstream.commit({CORE: SOURCE.replace("1.0", "0.5").encode()}, "another default")
    value = report(toy, "--edition", edition, "--pin", f"toy={changed}", code=1)
    assert {f["verdict"] for f in value["findings"]} == {"changed"}
    text = toy.run("verify", "--edition", edition, "--pin", f"toy={changed}", code=1).stdout
    assert "+" in text
    assert "scale: float = 0.5" in text
    branch = report(toy, "--edition", edition, "--pin", "toy=main", code=1)
    assert branch["sources"][0]["read"] == changed


def test_documents_are_checked_at_their_places(toy: Toy) -> None:
    toy.write("page.md", PAGE)
    value = report(toy, "page.md", "--pin", f"toy={toy.commit}", code=0)
    kinds = [(f["kind"], f["verdict"], f["line"]) for f in value["findings"]]
    assert ("location", "holds", 3) in kinds
    assert ("quote", "holds", 8) in kinds or ("quote", "holds", 7) in kinds
    toy.write("page.md", PAGE.replace("1.0", "1.5"))
    value = report(toy, "page.md", "--pin", f"toy={toy.commit}", code=1)
    assert "changed" in {f["verdict"] for f in value["findings"]}
    toy.write("page.md", PAGE.replace("L16-L24", "L17-L25"))
    value = report(toy, "page.md", "--pin", f"toy={toy.commit}", code=1)
    assert "moved" in {f["verdict"] for f in value["findings"] if f["kind"] == "location"}


def test_a_page_from_standard_input(toy: Toy) -> None:
    done = toy.run("verify", "-", "--pin", f"toy={toy.commit}", "--format", "line", given=PAGE)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (["--sha", "ffffffff"], 2, ["no edition pins such a commit", "hosts cannot resolve abbreviated commits", "a556f3fccb"]),
        (["--sha", "xyz"], 2, ["hexadecimal"]),
        (["--edition", "nosuch"], 2, ["no edition 'nosuch'", "decode-loop"]),
        ([], 2, ["needs documents, or an edition", "decode-loop"]),
        (["page.md", "--pin", "nosuch=abc"], 2, ["unknown engine 'nosuch'", "vllm"]),
        (["page.md", "--pin", "toy"], 2, ["ENGINE=VALUE"]),
        (["page.md", "--pin", "toy=-rf"], 2, ["not a revision"]),
        (["nosuch.md"], 2, ["nosuch.md", "no such file"]),
        (["--format", "nosuch", "--edition", "decode-loop"], 2, ["nosuch", "terminal"]),
        (["--report", "html", "--edition", "decode-loop"], 2, ["KIND=FILE"]),
        (["--fial-on", "error"], 2, ["--fail-on"]),
    ],
)  # fmt: skip
def test_bad_arguments_name_the_remedy(toy: Toy, arguments: list[str], code: int, says: list[str]) -> None:
    toy.write("page.md", PAGE)
    done = toy.run("verify", *arguments, code=code)
    for words in says:
        assert words in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
    assert not done.stdout


def test_every_fault_of_an_edition_at_once(toy: Toy) -> None:
    path = toy.edition(
        claims="""\
        - id: one
          words: [3]
          check: {kind: nosuch}
        - id: one
          chek: {kind: default}
        """
    )
    text = path.read_text().replace("lines: 16-24", "lines: 24-16").replace("name: toy", "nam: toy")
    path.write_text(text)
    done = toy.run("verify", "--edition", str(path), code=2)
    for words in ("unknown key 'nam' (did you mean 'name'?)", "24-16", "unknown key 'chek' (did you mean 'check'?)"):
        assert words in done.stderr, done.stderr
    assert f"{path}:" in done.stderr


def test_nothing_to_check_is_no_success(toy: Toy) -> None:
    toy.write("empty.md", "# Nothing here\n\nNo code.\n")
    done = toy.run("verify", "empty.md", "--pin", f"toy={toy.commit}", code=2)
    assert "--allow-empty" in done.stderr
    toy.run("verify", "empty.md", "--pin", f"toy={toy.commit}", "--allow-empty", code=0)


def test_no_source_is_exit_3_with_every_attempt(toy: Toy) -> None:
    toy.environment["GIT_CONFIG_VALUE_0"] = "https://nothing.example/"
    edition = str(toy.edition())
    done = toy.run("verify", "--edition", edition, code=3)
    assert ORIGIN in done.stderr
    assert "Traceback" not in done.stderr
    toy.run("verify", "--edition", edition, "--offline", code=3)
    lacking = "1" * 40
    toy.environment["GIT_CONFIG_VALUE_0"] = ORIGIN
    done = toy.run("verify", "--edition", edition, "--pin", f"toy={lacking}", code=3)
    assert lacking[:12] in done.stderr
    toy.run("verify", "--edition", edition, code=0)
    toy.run("verify", "--edition", edition, "--offline", code=0)


def test_only_one_anchor_and_an_unknown_one(toy: Toy) -> None:
    edition = str(toy.edition())
    value = report(toy, "--edition", edition, "--only", "set-rows", code=0)
    assert {f["id"] for f in value["findings"]} == {"set-rows"}
    done = toy.run("verify", "--edition", edition, "--only", "nosuch", code=2)
    assert "nosuch" in done.stderr


@pytest.mark.parametrize(
    ("lines", "verdict", "level"),
    [
        ("16-25", "imprecise", "warning"),
        ("14-24", "imprecise", "warning"),
        ("16-99", "imprecise", "warning"),
        ("900-908", "moved", "error"),
    ],
)
def test_ranges_and_strictness(toy: Toy, lines: str, verdict: str, level: str) -> None:
    edition = str(toy.edition(lines=lines))
    value = report(toy, "--edition", edition, code=1 if level == "error" else 0)
    (location,) = [f for f in value["findings"] if f["kind"] == "location"]
    assert (location["verdict"], location["level"]) == (verdict, level)
    toy.run("verify", "--edition", edition, "--strict", code=1)
    toy.run("verify", "--edition", edition, "--fail-on", "never", code=0)


def test_a_source_folder_stands_for_the_pin(toy: Toy) -> None:
    folder = toy.folder / "copy"
    (folder / "toy").mkdir(parents=True)
    (folder / CORE).write_text("# shifted\n" + SOURCE)
    value = report(toy, "--edition", str(toy.edition()), "--source", f"toy={folder}", code=1)
    assert [(f["kind"], f["verdict"]) for f in value["findings"]] == [("location", "moved"), ("quote", "holds")]
    assert value["sources"][0]["read"] == "folder:copy"


def test_the_baseline_ratchet(toy: Toy) -> None:
    toy.write("page.md", PAGE.replace("1.0", "1.5"))
    pin = f"toy={toy.commit}"
    toy.run("verify", "page.md", "--pin", pin, code=1)
    toy.run("baseline", "page.md", "--pin", pin, "-o", "base.json", code=0)
    toy.run("verify", "page.md", "--pin", pin, "--baseline", "base.json", code=0)
    toy.write("page.md", "# Unrelated words above\n\nMore of them.\n\n" + PAGE.replace("1.0", "1.5"))
    toy.run("verify", "page.md", "--pin", pin, "--baseline", "base.json", code=0)
    toy.write("page.md", PAGE.replace("1.0", "1.5").replace("rows: int", "rows: float"))
    toy.run("verify", "page.md", "--pin", pin, "--baseline", "base.json", code=1)
    toy.write("page.md", PAGE)
    done = toy.run("verify", "page.md", "--pin", pin, "--baseline", "base.json", code=0)
    assert "gone from the baseline" in done.stdout
    done = toy.run("verify", "page.md", "--pin", pin, "--baseline", "nosuch.json", code=2)
    assert "nosuch.json" in done.stderr


def test_settings_of_the_project(toy: Toy) -> None:
    toy.write("page.md", PAGE)
    settings = (toy.folder / "refcheck.yaml").read_text() + f"pins: {{toy: {toy.commit}}}\ndocuments: ['*.md']\n"
    toy.write("refcheck.yaml", settings)
    assert "2" in toy.run("verify", code=0).stdout
    toy.write("refcheck.yaml", settings + "severty: {}\nfail_on: sometimes\n")
    done = toy.run("verify", code=2)
    assert "did you mean 'severity'?" in done.stderr
    assert "sometimes" in done.stderr


def test_a_closed_pipe_is_no_fault(toy: Toy) -> None:
    import subprocess
    import sys

    process = subprocess.Popen(
        [sys.executable, "-m", "refcheck", "verify", "--edition", str(toy.edition()), "--verbose"],
        cwd=toy.folder,
        env=toy.environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.close()
    errors = process.stderr.read().decode()
    process.wait(timeout=60)
    process.stderr.close()
    assert "Traceback" not in errors
    assert "Exception" not in errors


def test_a_page_may_name_its_revision_itself(toy: Toy) -> None:
    toy.write(
        "page.html",
        f"<html><body><p>toy <b>{short(toy.commit)}</b></p><p>At <code>{CORE}:L13</code>.</p></body></html>",
    )
    done = toy.run("verify", "page.html", "--format", "json")
    assert done.returncode in (0, 2, 3), done.stderr
    toy.write("none.md", f"At `{CORE}:L13`.\n")
    done = toy.run("verify", "none.md", code=2)
    assert "no revision is known" in done.stderr
    link = f"{ORIGIN.removesuffix('.git')}/blob/{toy.commit}/{CORE}#L14"
    toy.write("link.md", f"`causal` is [here]({link}).\n")
    value = report(toy, "link.md", code=0)
    assert [f["verdict"] for f in value["findings"]] == ["holds"]
    assert value["sources"][0]["read"] == toy.commit


def test_the_exit_code_of_the_report_is_the_process_s(toy: Toy) -> None:
    toy.write("empty.md", "# Nothing\n")
    done = toy.run("verify", "empty.md", "--pin", f"toy={toy.commit}", "--format", "json", code=2)
    assert json.loads(done.stdout)["exit"] == 2


def test_what_cannot_be_written_is_said(toy: Toy) -> None:
    import subprocess
    import sys

    command = [sys.executable, "-m", "refcheck", "verify", "--edition", str(toy.edition())]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            command, cwd=toy.folder, env=toy.environment, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert "cannot be written" in done.stderr
    assert "Traceback" not in done.stderr
    toy.write("x.md", "x")
    done = subprocess.run(["sh", "-c", f"{sys.executable} -m refcheck scan - <&-"], cwd=toy.folder, env=toy.environment, capture_output=True, text=True, check=False)  # fmt: skip
    assert "Traceback" not in done.stderr
    assert done.returncode == 2
