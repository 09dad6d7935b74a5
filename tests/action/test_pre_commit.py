"""The hooks with pre-commit itself, on a sample repository: installed from this one, as a user's would be."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.action.sample import BROKEN, FIXED, write_sample

ROOT = Path(__file__).parents[2]
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))}


def test_the_hooks_call_commands_with_options_that_exist() -> None:
    from refcheck.cli.verify import command

    words = HOOKS["refcheck-verify"]["entry"].split()
    known = {option for parameter in command.params for option in parameter.opts}
    assert words[:2] == ["refcheck", "verify"]
    assert set(words[2:]) <= known
    assert set(HOOKS) == {"refcheck-verify", "refcheck-regen"}


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=Sample", "-c", "user.email=sample@example.org", "-c", "commit.gpgsign=false")
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def hooks_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of this repository as one commit: what pre-commit clones."""
    if shutil.which("git") is None:
        pytest.skip("no git on this machine")
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("these tests need a checkout, to know which files belong to the repository")
    folder = tmp_path_factory.mktemp("hooks")
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=hooks")
    return folder


def run_hook(hook: str, folder: Path, home: Path) -> subprocess.CompletedProcess[str]:
    """`home` keeps what pre-commit installed, so that only the first run installs."""
    pytest.importorskip("pre_commit", reason="the hooks are run with the package pre-commit")
    return subprocess.run(
        [sys.executable, "-m", "pre_commit", "run", "--all-files", "--hook-stage", "manual", hook],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=900,
        check=False,
        env={**os.environ, "PRE_COMMIT_HOME": str(home), "REFCHECK_CACHE_DIR": str(folder / ".store")},
    )


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("pre-commit-home")


def sample(folder: Path, page: str, hooks: Path) -> Path:
    """The sample as a repository that uses the hooks."""
    write_sample(folder, page)
    commit = subprocess.run(["git", "rev-parse", "HEAD"], cwd=hooks, check=True, capture_output=True, text=True)
    entry = {"repo": str(hooks), "rev": commit.stdout.strip(), "hooks": [{"id": name} for name in HOOKS]}
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump({"repos": [entry]}), encoding="utf-8")
    git(folder, "init", "--quiet", "--initial-branch=main")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=pages")
    return folder


@pytest.mark.index
def test_verify_fails_on_a_broken_citation_and_passes_a_fixed_one(
    tmp_path: Path, hooks_repository: Path, home: Path
) -> None:
    folder = sample(tmp_path, BROKEN, hooks_repository)
    broken = run_hook("refcheck-verify", folder, home)
    assert broken.returncode == 1, broken.stdout + broken.stderr
    assert "stands 3 lines later: L5-L8 instead of L2-L5" in broken.stdout
    (folder / "docs" / "page.md").write_text(FIXED, encoding="utf-8")
    git(folder, "add", "--all")
    fixed = run_hook("refcheck-verify", folder, home)
    assert fixed.returncode == 0, fixed.stdout + fixed.stderr
    assert "Passed" in fixed.stdout


@pytest.mark.index
def test_verify_passes_a_changed_page_without_citations(tmp_path: Path, hooks_repository: Path, home: Path) -> None:
    folder = sample(tmp_path, "# A page without any\n", hooks_repository)
    result = run_hook("refcheck-verify", folder, home)
    assert result.returncode == 0, result.stdout + result.stderr
