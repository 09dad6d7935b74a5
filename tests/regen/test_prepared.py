"""A run's files are all prepared before one is written; a packaged edition becomes files of the user's."""

from __future__ import annotations

from pathlib import Path

import pytest

from refcheck.config.edition import Edition, load_edition
from refcheck.regen.plan import Plan
from refcheck.regen.prepared import Prepared, SettingsPins, prepare_all
from refcheck.regen.rewrite import RewriteError, write_all
from tests.regen.test_edition_file import NEW, OLD, OneFile

PLAIN = f"schema: refcheck-edition/1\nname: e\ndate: 2026-01-01\npins:\n  toy: {{commit: {OLD}}}\nanchors: []\n"
ALIASED = PLAIN.replace(f"{{commit: {OLD}}}", f"{{commit: &old {OLD}}}")


def packaged(folder: Path, text: str) -> Edition:
    place = folder / "package"
    place.mkdir()
    path = place / "e.yaml"
    path.write_text(text)
    path.chmod(0o444)
    return load_edition(path, packaged=True)


def prepared(edition: Edition, folder: Path, newer: str = NEW) -> Prepared:
    tree = OneFile()
    tree.source = type(tree.source)("toy", newer, newer, tree.source.kind, True, "a test")
    return prepare_all((), Plan(()), edition, (), {"toy": tree}, {}, folder)


def test_a_packaged_edition_is_copied_with_its_changes(tmp_path: Path) -> None:
    edition = packaged(tmp_path, PLAIN)
    ready = prepared(edition, tmp_path)
    assert not (tmp_path / "e.yaml").exists()
    assert write_all(ready.files) == (str(tmp_path / "e.yaml"),)
    assert (tmp_path / "e.yaml").read_text() == PLAIN.replace(OLD, NEW)
    # Read-only in the package, not for the user.
    assert (tmp_path / "e.yaml").stat().st_mode & 0o200
    assert edition.path is not None
    assert edition.path.read_text() == PLAIN
    assert any("copied to" in note for note in ready.notes)
    again = prepared(edition, tmp_path)
    assert again.files == ()
    assert any("exists" in note for note in again.notes)


def test_what_cannot_be_rewritten_leaves_no_copy(tmp_path: Path) -> None:
    with pytest.raises(RewriteError, match="YAML anchor"):
        prepared(packaged(tmp_path, ALIASED), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["package"]


def test_an_edition_that_is_there_already_is_not_copied(tmp_path: Path) -> None:
    ready = prepared(packaged(tmp_path, PLAIN), tmp_path, OLD)
    assert write_all(ready.files) == ()
    assert [path.name for path in tmp_path.iterdir()] == ["package"]


def test_a_file_that_came_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    ready = prepared(packaged(tmp_path, PLAIN), tmp_path)
    (tmp_path / "e.yaml").write_text("mine\n")
    with pytest.raises(RewriteError, match="exists meanwhile"):
        write_all(ready.files)
    assert (tmp_path / "e.yaml").read_text() == "mine\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["e.yaml", "package"]


@pytest.mark.parametrize("where", ["", "book"])
def test_settings_that_name_a_packaged_edition_name_its_copy_afterwards(tmp_path: Path, where: str) -> None:
    edition = packaged(tmp_path, PLAIN)
    folder = tmp_path / where
    folder.mkdir(exist_ok=True)
    settings = tmp_path / "refcheck.yaml"
    settings.write_text("edition: e  # of the package\nfail_on: error\n")
    tree = OneFile()
    tree.source = type(tree.source)("toy", NEW, NEW, tree.source.kind, True, "a test")
    ready = prepare_all(
        (), Plan(()), edition, (), {"toy": tree}, {}, folder, settings=SettingsPins(settings, {}, names_edition=True)
    )
    write_all(ready.files)
    copy = "/".join(part for part in (where, "e.yaml") if part)
    assert settings.read_text() == f"edition: {copy}  # of the package\nfail_on: error\n"
    assert (tmp_path / copy).exists()
    assert any("names the copy now" in note for note in ready.notes)
