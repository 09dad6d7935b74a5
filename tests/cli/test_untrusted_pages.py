"""Pages of strangers: whatever they cite or are, only the engine's own files are read and only the page is written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cli.conftest import CORE, SOURCE, Toy, toy

__all__ = ["toy"]

SECRET = "hunter2"
CLIMBING = (
    "../../secret.py",
    "toy/../../secret.py",
    "/secret.py",
    "toy/link.py",
    "toy/folder/secret.py",
    "..\\..\\secret.py",
)


@pytest.fixture
def checkout(toy: Toy) -> Path:
    """The engine as a plain folder, with links that lead out of it, beside a file that is nobody's business."""
    folder = toy.folder.parent / "checkout"
    (folder / "toy").mkdir(parents=True)
    (folder / CORE).write_text(SOURCE)
    outside = toy.folder.parent / "outside"
    outside.mkdir()
    for place in (toy.folder.parent / "secret.py", outside / "secret.py"):
        place.write_text(f"password = '{SECRET}'\n")
    (folder / "toy/link.py").symlink_to(toy.folder.parent / "secret.py")
    (folder / "toy/folder").symlink_to(outside)
    return folder


@pytest.mark.parametrize("form", ["terminal", "json", "html", "markdown"])
@pytest.mark.parametrize("command", ["verify", "locate", "affected"])
def test_a_path_that_climbs_reads_nothing(toy: Toy, checkout: Path, command: str, form: str) -> None:
    text = "# Rows\n\n" + "".join(
        f"See `{path}:L1`.\n\n```python\n# {path}:L1\npassword = 'x'\n```\n\n" for path in CLIMBING
    )
    toy.write("page.md", text)
    if command == "affected":
        new = toy.upstream.commit({CORE: b"\n" + SOURCE.encode()}, "one line")
        done = toy.run("affected", "page.md", "--engine", "toy", "--from", toy.commit, "--to", new)
    else:
        shown = ("--format", form) if command == "verify" else ()
        done = toy.run(command, "page.md", "--source", f"toy={checkout}", *shown)
    assert "Traceback" not in done.stderr
    assert SECRET not in done.stdout + done.stderr


def test_rewriting_touches_the_page_alone(toy: Toy) -> None:
    """Links, names that climb and a folder's other files: nothing but the pages that were given is written."""
    new = toy.upstream.commit({CORE: b"\n" * 200 + SOURCE.encode()}, "blank lines")
    page = toy.write("page.md", "`toy/core.py:16-24`, as ../outside.md and page2.md say\n")
    other = toy.write("page2.md", "`toy/core.py:16-24`\n")
    outside = toy.folder.parent / "outside.md"
    outside.write_text("`toy/core.py:16-24`\n")
    (toy.folder / "pages").mkdir()
    (toy.folder / "pages/link.md").symlink_to(outside)
    (toy.folder / "pages/inner.md").write_text("`toy/core.py:16-24`\n")
    before = {path: path.read_bytes() for path in (other, outside)}
    arguments = ("--pin", f"toy={toy.commit}", "--to", f"toy={new}", "--write")
    toy.run("regen", "page.md", "pages", *arguments)
    assert "`toy/core.py:216-224`" in page.read_text()
    assert "216-224" in (toy.folder / "pages/inner.md").read_text()
    assert {path: path.read_bytes() for path in (other, outside)} == before
    assert (toy.folder / "pages/link.md").is_symlink()
    assert sorted(os.listdir(toy.folder)) == ["page.md", "page2.md", "pages", "refcheck.yaml"]
