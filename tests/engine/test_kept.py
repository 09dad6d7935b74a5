"""What a run keeps for the next is used only where everything that it depends on is the same."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from refcheck.config.engines import Engine
from refcheck.documents.read import ReadOptions, read_documents
from refcheck.engine import kept as kept_module
from refcheck.engine.kept import Kept
from refcheck.engine.request import VerifyRequest
from refcheck.engine.trees import PinChoice, Trees
from refcheck.engine.verify import verify
from refcheck.errors import SourceError
from refcheck.model.document import Document
from refcheck.model.report import Report
from refcheck.model.tree import Tree
from tests.engine.pages import ENGINES
from tests.support.trees import TOY_COMMIT, MemoryTree

SOURCE = "def first(rows):\n    total = rows * 3\n    return total + 17\n"
PAGE = f"See `toy/a.py:1-3`:\n\n```python\n{SOURCE}```\n" + "Words of no importance.\n\n" * 1000
OTHER = "https://git.example/toy/toy/blob/" + "9" * 40 + "/toy/a.py#L1-L3"


class Counted(MemoryTree):
    """Counts what is read."""

    reads = 0

    def read_bytes(self, path: str) -> bytes:
        Counted.reads += 1
        return super().read_bytes(path)


def run(
    page: Path,
    store: Kept | None,
    *,
    source: str = SOURCE,
    choice: PinChoice | None = None,
    exact: bool = True,
    readable: bool = False,
    engines: Mapping[str, Engine] = ENGINES,
) -> tuple[Report, int]:
    """The report and how many files were read. `readable`: whether other revisions than the pin can be read."""
    Counted.reads = 0
    tree = Counted({"toy/a.py": source}, exact=exact)

    def opener(choices: object) -> Mapping[str, Tree]:
        (one,) = choices  # type: ignore[misc]
        if one.rev != TOY_COMMIT and not readable:
            raise SourceError("not readable")
        return {"toy": tree}

    trees = Trees({"toy": choice or PinChoice(ENGINES["toy"], TOY_COMMIT)}, opener)
    trees.open_pins()
    documents = read_documents([str(page)], engines=engines, options=ReadOptions(kept=store))
    report = verify(VerifyRequest(trees=trees, documents=documents, kept=store))
    return report, Counted.reads


@pytest.fixture
def page(tmp_path: Path) -> Path:
    path = tmp_path / "page.md"
    path.write_text(PAGE)
    return path


@pytest.fixture
def store(tmp_path: Path) -> Kept:
    return Kept(tmp_path / "kept")


def test_the_second_run_reads_nothing_and_says_the_same(page: Path, store: Kept) -> None:
    first, reads = run(page, store)
    assert reads
    second, reads = run(page, store)
    assert not reads
    assert second == first == run(page, None)[0]


CHANGES: dict[str, Callable[[Path], dict[str, object]]] = {
    "another-tree": lambda page: {"source": SOURCE.replace("17", "18")},
    "another-pin": lambda page: {"choice": PinChoice(ENGINES["toy"], TOY_COMMIT, explicit=True)},
    "not-exact": lambda page: {"exact": False},
    "other-bytes": lambda page: (page.write_text(PAGE + "\n"), {})[1],
    "other-settings": lambda page: {
        "choice": PinChoice(Engine("toy", "https://elsewhere.example/toy.git"), TOY_COMMIT)
    },
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
def test_what_differs_is_judged_anew(page: Path, store: Kept, change: Callable[[Path], dict[str, object]]) -> None:
    run(page, store)
    options = change(page)
    report, reads = run(page, store, **options)  # type: ignore[arg-type]
    assert reads
    assert report == run(page, None, **options)[0]  # type: ignore[arg-type]


def test_another_program_keeps_its_own(page: Path, store: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    run(page, store)
    monkeypatch.setattr(kept_module, "program", lambda: "another")
    assert run(page, store)[1]


def test_a_revision_that_could_not_be_read_is_asked_for_again(page: Path, store: Kept) -> None:
    page.write_text(PAGE + f"\nAs [here]({OTHER}).\n")
    first, _ = run(page, store)
    assert run(page, store) == (first, 0)
    later, reads = run(page, store, readable=True)
    assert reads
    assert later == run(page, None, readable=True)[0] != first
    assert run(page, store, readable=True)[1]  # findings on another revision are not kept


def test_a_damaged_value_is_made_again(page: Path, store: Kept, tmp_path: Path) -> None:
    first, _ = run(page, store)
    for path in (tmp_path / "kept").iterdir():
        data = bytearray(path.read_bytes())
        data[len(data) // 2] ^= 255
        path.write_bytes(data)
    report, reads = run(page, store)
    assert reads
    assert report == first
    for path in (tmp_path / "kept").iterdir():
        path.write_bytes(path.read_bytes()[:-7])
    assert run(page, store)[0] == first


def test_a_folder_that_cannot_be_written_is_no_error(page: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Kept(tmp_path / "file" / "kept")
    assert run(page, store)[0] == run(page, store)[0]


def test_the_folder_is_bounded_and_what_was_not_used_goes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_module, "MOST_FILES", 3)
    folder = tmp_path / "kept"
    for number in range(6):
        Kept(folder).put(f"key{number}", ("value", number))
        os.utime(folder / f"key{number}", (number + 1, number + 1))
    assert Kept(folder).get("key3") == ("value", 3)  # used now: the youngest
    Kept(folder).put("key6", ("value", 6))
    assert sorted(path.name for path in folder.iterdir()) == ["key3", "key5", "key6"]


def test_a_document_is_kept_with_all_that_was_read_from_it(page: Path, store: Kept) -> None:
    def read(kept: Kept | None) -> Document:
        (document,) = read_documents([str(page)], engines=ENGINES, options=ReadOptions(kept=kept))
        return document

    first = read(store)
    again = read(store)
    assert again == first == read(None)
    assert again is not first
