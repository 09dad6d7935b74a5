"""`exclude` leaves out what a person means by it, from wherever the documents are named."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refcheck.documents.exclusions import Exclusions
from tests.cli.conftest import CORE, Toy

PAGES = ("docs/a.md", "docs/drafts/b.md", "docs/drafts/deep/c.md", "docs/guide/drafts/d.md", "docs/undrafts/e.md")
OUT = {"docs/drafts/b.md", "docs/drafts/deep/c.md"}
EVERYWHERE = OUT | {"docs/guide/drafts/d.md"}
PATTERNS = {
    "docs/drafts/*": OUT,
    "./docs/drafts/*": OUT,
    "docs/drafts": OUT,
    "docs/drafts/": OUT,
    "docs/drafts/**": OUT,
    "**/drafts/*": EVERYWHERE,
    "**/drafts/**": EVERYWHERE,
    "drafts": EVERYWHERE,
    "drafts/": EVERYWHERE,
    "**/b.md": {"docs/drafts/b.md"},
    "b.md": {"docs/drafts/b.md"},
    "docs/**/d.md": {"docs/guide/drafts/d.md"},
    "docs/**/a.md": {"docs/a.md"},
    "draft": set(),
    "a/drafts/*": set(),
}


def scanned(toy: Toy, *arguments: str, code: int | None = None) -> set[str]:
    done = toy.run("scan", *arguments, "--format", "json", code=code)
    return {d["document"] for d in json.loads(done.stdout)["documents"] if d["format"] != "folder"}


@pytest.fixture
def site(toy: Toy) -> Toy:
    for name in PAGES:
        toy.write(name, f"`causal` is at `{CORE}:14`.\n")
    return toy


def configure(site: Toy, documents: str, pattern: str) -> None:
    base = (site.folder / "refcheck.yaml").read_text().partition("documents:")[0]
    site.write("refcheck.yaml", base + f"documents: {json.dumps([documents])}\nexclude: {json.dumps([pattern])}\n")


@pytest.mark.parametrize("pattern", PATTERNS)
def test_the_same_files_are_left_out_however_the_documents_are_named(site: Toy, pattern: str) -> None:
    left = set(PAGES) - PATTERNS[pattern]
    for documents in ("docs", ".", "docs/**/*.md"):
        configure(site, documents, pattern)
        assert scanned(site) == left, documents
    for named in ("./docs/", str(site.folder / "docs")):
        shown = {os.path.relpath(name, site.folder) for name in map(site.folder.joinpath, scanned(site, named))}
        assert shown == left, named


def test_a_folder_of_that_folder_and_a_file_that_is_named(site: Toy) -> None:
    for documents in ("docs", "./docs/", "docs/**/*.md"):
        configure(site, documents, "drafts/*")
        assert scanned(site) == set(PAGES) - OUT, documents
    configure(site, "docs", "docs/drafts/*")
    assert scanned(site, "docs/drafts/b.md") == {"docs/drafts/b.md"}
    done = site.run("scan", "docs/drafts", code=2)
    assert "left out by `exclude`" in done.stdout
    configure(site, "docs/drafts/*.md", "docs/drafts/*")
    done = site.run("scan", code=2)
    assert "all of them are left out" in done.stderr


def test_from_a_folder_below_the_settings(site: Toy) -> None:
    configure(site, "docs", "docs/drafts/*")
    below = Toy(site.folder / "docs", site.upstream, site.commit, site.environment)
    assert scanned(below) == {name.removeprefix("docs/") for name in set(PAGES) - OUT}
    assert scanned(below, ".") == {name.removeprefix("docs/") for name in set(PAGES) - OUT}


def test_folders_above_the_project_are_not_its_own(site: Toy) -> None:
    above = site.folder / "drafts" / "project"
    for name in PAGES:
        (above / name).parent.mkdir(parents=True, exist_ok=True)
        (above / name).write_text(f"`causal` is at `{CORE}:14`.\n")
    (above / "refcheck.yaml").write_text((site.folder / "refcheck.yaml").read_text())
    project = Toy(above, site.upstream, site.commit, site.environment)
    configure(project, "docs", "**/drafts/*")
    assert scanned(project) == set(PAGES) - EVERYWHERE


@pytest.mark.parametrize("page", ["README.md", "docs/settings.md", "examples/docs-ci/refcheck.yaml"])
def test_the_shown_form_works(site: Toy, page: str) -> None:
    text = (Path(__file__).parents[2] / page).read_text(encoding="utf-8")
    line = next(line for line in text.splitlines() if line.startswith("exclude:"))
    configure(site, "docs", json.loads(line.partition(":")[2])[0])
    assert scanned(site) == set(PAGES) - OUT


NAMES = st.sampled_from(["a", "b", "drafts", "x.md", "[x].md", "y z"])


@given(st.lists(NAMES, min_size=2, max_size=5), st.data())
@settings(max_examples=150, deadline=None)
def test_a_path_and_its_folders_leave_it_out_seen_from_anywhere(parts: list[str], data: st.DataObject) -> None:
    base = Path("/project")
    cut = data.draw(st.integers(1, len(parts) - 1))
    folder, inner = base.joinpath(*parts[:cut]), "/".join(parts[cut:])
    plain = [part.replace("[", "[[]") for part in parts]
    upto = data.draw(st.integers(2, len(parts)))
    begin = data.draw(st.integers(0, upto - 2))
    for pattern in ("/".join(plain[:upto]), "./" + "/".join(plain[:upto]), "**/" + "/".join(plain[begin:upto])):
        for form in (pattern, pattern + "/", pattern + "/**"):
            assert Exclusions([form], base).leave_out(folder, inner), form
    assert not Exclusions(["/".join([*plain[:-1], "other.md"])], base).leave_out(folder, inner)
    assert not Exclusions(["project/*", "**/project/*"], base).leave_out(folder, inner)
