"""The steps of examples/docs-ci/drift.yml, week after week, each on a fresh machine with a fresh clone."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cli.conftest import CORE, SOURCE, Toy, toy
from tests.sources.conftest import ORIGIN, git

__all__ = ["toy"]

ROOT = Path(__file__).parents[2]
WORKFLOW = yaml.safe_load((ROOT / "examples/docs-ci/drift.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = WORKFLOW["jobs"]["drift"]["steps"]
ABOVE = "# One more line.\n# And another.\n"
ROWS, MODES = f"`set_rows` is at `{CORE}:16-24`.", f"The modes are at `{CORE}:4-7`."
GH = """#!/bin/bash
echo "$@" >> "$GH_LOG"
case "$1 $2" in
  "pr create") [ -e "$GH_LOG.open" ] && exit 1; touch "$GH_LOG.open" ;;
  "pr edit") [ -e "$GH_LOG.open" ] ;;
esac
"""


class Docs:
    """A repository of pages with its server, and the week's run of the workflow on a clone of it."""

    def __init__(self, toy: Toy, tmp_path: Path, pages: dict[str, str], settings: str) -> None:
        self.toy, self.base = toy, tmp_path
        self.server = tmp_path / "docs-server"
        self.work = tmp_path / "docs-work"
        git(tmp_path, "init", "-q", "--bare", "-b", "main", str(self.server))
        git(tmp_path, "init", "-q", "-b", "main", str(self.work))
        git(self.work, "remote", "add", "origin", str(self.server))
        self.write("refcheck.yaml", f"engines:\n  toy: {{origin: {ORIGIN}, source_roots: [toy/]}}\n{settings}")
        for name, text in pages.items():
            self.write(name, text)
        self.publish("begin")
        self.weeks = 0
        self.log = tmp_path / "gh.log"
        self.bin = tmp_path / "bin"
        self.bin.mkdir()
        for name, text in {
            "gh": GH,
            "refcheck": f'#!/bin/bash\nexec {sys.executable} -m refcheck "$@"\n',
        }.items():
            (self.bin / name).write_text(text)
            (self.bin / name).chmod(0o755)

    def write(self, name: str, text: str) -> None:
        path = self.work / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def publish(self, message: str) -> None:
        git(self.work, "add", "-A")
        git(self.work, "commit", "-q", "-m", message)
        git(self.work, "push", "-q", "origin", "HEAD:main")

    def week(self, **values: str) -> tuple[int, str]:
        """One run on a fresh clone with nothing kept; its exit code and what it printed."""
        self.weeks += 1
        clone, temp = self.base / f"week-{self.weeks}", self.base / f"temp-{self.weeks}"
        temp.mkdir()
        git(self.base, "clone", "-q", str(self.server), str(clone))
        output = temp / "output"
        output.write_text("")
        environment = {
            **self.toy.environment,
            **WORKFLOW["env"],
            "ENGINE": "toy",
            "ORIGIN": ORIGIN,
            "REFCHECK_CACHE_DIR": str(temp / "cache"),
            "PATH": f"{self.bin}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_OUTPUT": str(output),
            "GH_LOG": str(self.log),
            **values,
        }
        said = ""
        for step in STEPS:
            script = step.get("run", "")
            if not script or "pip install" in script:
                continue
            if step.get("if"):
                assert step["if"] == "env.EDITION != ''"
                if not environment["EDITION"]:
                    continue
            tag = output.read_text().partition("tag=")[2].strip()
            given = {
                name: re.sub(r"\$\{\{ steps.newest.outputs.tag \}\}", tag, str(value)).replace(
                    "${{ runner.temp }}", str(temp)
                )
                for name, value in step.get("env", {}).items()
            }
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script],
                cwd=clone, env={**environment, **given}, capture_output=True, text=True, timeout=120, check=False,
            )  # fmt: skip
            said += done.stdout + done.stderr
            if done.returncode:
                return done.returncode, said
        return 0, said

    def merge(self) -> None:
        git(self.work, "fetch", "-q", "origin")
        git(self.work, "merge", "-q", "--ff-only", "origin/refcheck/drift")
        git(self.work, "push", "-q", "origin", "HEAD:main")
        git(self.work, "push", "-q", "origin", ":refcheck/drift")
        self.log.with_suffix(".log.open").unlink(missing_ok=True)

    def proposed(self) -> dict[str, str]:
        """The files of the branch, with what it changed in the last commit."""
        git(self.work, "fetch", "-q", "origin")
        names = git(self.work, "diff", "--name-only", "origin/main", "origin/refcheck/drift").split()
        return {name: git(self.work, "show", f"origin/refcheck/drift:{name}") for name in names}


def tag(toy: Toy, name: str, source: str | None = None) -> str:
    if source is not None:
        toy.upstream.commit({CORE: source.encode()}, name)
    git(toy.upstream.work, "tag", name)
    toy.upstream.publish()
    return git(toy.upstream.work, "rev-parse", "HEAD")


def test_a_pull_request_is_reached_although_places_are_left_and_the_next_run_begins_there(
    toy: Toy, tmp_path: Path
) -> None:
    tag(toy, "v1.2.0")
    pages = {"docs/a.md": f"{ROWS}\n\n{MODES}\n", "docs/b.md": f"# toy v1.2.0\n\n{ROWS}\n"}
    docs = Docs(toy, tmp_path, pages, "documents: [docs]\npins: {toy: v1.2.0}\n")
    assert docs.week()[0] == 0
    assert not docs.log.exists()
    tag(toy, "v1.3.0", ABOVE + SOURCE.replace("DECODE = auto()", "DECODE = 2"))
    code, said = docs.week()
    assert code == 0, said
    assert "To read by hand: 1" in said
    first = docs.proposed()
    assert set(first) == {"docs/a.md", "docs/b.md", "refcheck.yaml"}
    assert "18-26" in first["docs/a.md"]
    assert "4-7" in first["docs/a.md"]
    assert first["docs/b.md"].startswith("# toy v1.3.0")
    assert "toy: v1.3.0" in first["refcheck.yaml"]
    # The week after, with nobody having looked: the same pull request again.
    assert docs.week()[0] == 0
    assert docs.proposed() == first
    assert [line.split()[1] for line in docs.log.read_text().splitlines()] == ["create", "create", "edit"]
    docs.merge()
    code, said = docs.week()
    assert code == 0, said
    assert "nothing moved" in said
    tag(toy, "v1.4.0", ABOVE * 2 + SOURCE.replace("DECODE = auto()", "DECODE = 2"))
    assert docs.week()[0] == 0
    assert "20-28" in docs.proposed()["docs/a.md"]
    assert "toy: v1.4.0" in docs.proposed()["refcheck.yaml"]


def test_an_edition_goes_along_with_its_history(toy: Toy, tmp_path: Path) -> None:
    tag(toy, "v1.2.0")
    edition = toy.edition().read_text()
    pages = {"docs/a.md": f"{ROWS}\n", "toy.yaml": edition}
    docs = Docs(toy, tmp_path, pages, "documents: [docs]\nedition: toy.yaml\n")
    newer = tag(toy, "v1.3.0", ABOVE + SOURCE)
    code, said = docs.week(EDITION="toy.yaml")
    assert code == 0, said
    first = docs.proposed()
    assert set(first) == {"docs/a.md", "toy.yaml"}
    assert newer in first["toy.yaml"]
    assert "18-26" in first["toy.yaml"]
    docs.merge()
    code, said = docs.week(EDITION="toy.yaml")
    assert code == 0, said
    assert "nothing moved" in said


def test_a_failure_of_the_run_is_one_of_the_step(toy: Toy, tmp_path: Path) -> None:
    tag(toy, "v1.2.0")
    docs = Docs(toy, tmp_path, {"docs/a.md": f"{ROWS}\n"}, "documents: [nowhere]\npins: {toy: v1.2.0}\n")
    code, said = docs.week()
    assert code != 0
    assert "fits no file" in said
    assert not docs.log.exists()


@pytest.mark.skipif(shutil.which("bash") is None, reason="the steps are written for bash")
def test_no_revision_is_written_into_the_workflow() -> None:
    text = (ROOT / "examples/docs-ci/drift.yml").read_text("utf-8")
    assert not re.search(r"\bv?\d+\.\d+\.\d+\b", text)
    assert "--from" not in text
