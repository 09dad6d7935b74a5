"""Texts that left their place are looked for together: one pass over a tree, however many texts and pages there are."""

from __future__ import annotations

from refcheck.documents.read import read_text
from refcheck.engine.prose_index import ProseIndex
from refcheck.engine.request import VerifyRequest
from refcheck.engine.trees import PinChoice, Trees
from refcheck.engine.verify import verify
from refcheck.model.document import Prose, Span
from refcheck.model.verdict import verdict_name
from tests.engine.pages import ENGINES
from tests.support.trees import TOY_COMMIT, MemoryTree

FIRST = "def first(rows):\n    total = rows * 3\n    return total + 17\n"
SECOND = "def second(rows):\n    width = rows - 3\n    return width // 17\n"
FILES = {"toy/old.py": "x = 1\n", "toy/new.py": FIRST + "\n\n" + SECOND, "toy/third.py": "y = 2\n"}


def cite(path: str, text: str) -> str:
    return f"See `{path}:1-3`:\n\n```python\n{text}```\n"


def test_each_tree_is_searched_once_for_all_pages() -> None:
    tree = MemoryTree(FILES, "toy")
    trees = Trees({"toy": PinChoice(ENGINES["toy"], TOY_COMMIT)}, lambda choices: {"toy": tree})
    trees.open_pins()
    pages = [
        cite("toy/old.py", FIRST) + cite("toy/old.py", SECOND),
        cite("toy/third.py", SECOND) + "\nIt does:\n\n```python\n" + FIRST + "```\n",
    ]
    documents = tuple(read_text(f"{n}.md", page, "markdown", ENGINES) for n, page in enumerate(pages))
    said: list[str] = []
    report = verify(VerifyRequest(trees=trees, documents=documents, announce=said.append))
    assert said == ["searching 3 files of toy for 2 texts"]
    assert [(f.document, f.line, verdict_name(f.verdict)) for f in report.findings if f.kind.value == "quote"] == [
        ("0.md", 4, "moved"),
        ("0.md", 11, "moved"),
        ("1.md", 4, "moved"),
        ("1.md", 12, "holds"),
    ]


def test_nothing_is_searched_where_every_text_stands_in_its_file() -> None:
    tree = MemoryTree(FILES, "toy")
    trees = Trees({"toy": PinChoice(ENGINES["toy"], TOY_COMMIT)}, lambda choices: {"toy": tree})
    trees.open_pins()
    said: list[str] = []
    page = read_text("p.md", cite("toy/new.py", FIRST), "markdown", ENGINES)
    verify(VerifyRequest(trees=trees, documents=(page,), announce=said.append))
    assert not said


def prose(start: int, end: int) -> Prose:
    return Prose("x" * (end - start), range(start, end), Span(start, end))


def test_the_first_prose_that_contains_a_span_is_found_in_any_nesting() -> None:
    nested = [prose(0, 50), prose(5, 20), prose(6, 8), prose(30, 40), prose(60, 70), prose(60, 65), prose(80, 80)]
    for pieces in (nested, nested[::-1], [], nested[4:]):
        index = ProseIndex(pieces)
        for start in range(90):
            for end in range(start, 91, 3):
                span = Span(start, end)
                assert index.around(span) is next((p for p in pieces if p.span.contains(span)), None)
