"""What is refused rather than half-written: labels of other files, drawn tables, full refs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from refcheck.config.engines import builtin_engines
from refcheck.documents.read import read_text
from refcheck.model.document import Citation, Document, Span
from refcheck.model.place import LineRange
from refcheck.regen.numbers import Target, edits_for
from refcheck.regen.rewrite import apply

PATH = "vllm/v1/core/scheduler.py"
COMMIT = "b" * 40
LINK = f"https://github.com/vllm-project/vllm/blob/{'a' * 40}/{PATH}"


def page_of(text: str, format_name: str = "markdown") -> tuple[Document, Citation]:
    page = read_text("page", text, format_name, builtin_engines())
    return page, next(c for c in page.citations if c.path == PATH)


@pytest.mark.parametrize(
    ("label", "same"),
    [
        ("`scheduler.py:96`", True),
        ("core/scheduler.py:96", True),
        ("vllm-0.28.0/vllm/v1/core/scheduler.py:96", True),
        ("line 96", True),
        ("`vllm/v1/request.py:96`", False),
        ("my_scheduler.py:96", False),
    ],
)
def test_a_label_changes_with_its_address_only_if_it_names_the_same_file(label: str, same: bool) -> None:
    text = f"See [{label}]({LINK}#L96) there.\n"
    page, citation = page_of(text)
    # As a reader that takes every label's number for the address's would have read it.
    at = text.index("96")
    citation = replace(citation, twins=(Span(at, at + 2),), label_lines=None)
    page = replace(page, citations=(citation,))
    edits = edits_for(page, citation, Target(LineRange(98, 98), COMMIT))
    if same:
        assert apply(page, edits.edits) == text.replace("96", "98").replace("a" * 40, COMMIT)
    else:
        assert "its label names" in edits.refused
        assert not edits.edits


def test_a_drawn_table_keeps_its_lines() -> None:
    text = f"+----+{'-' * 33}+\n| a  | ``{PATH}:96`` |\n+----+{'-' * 33}+\n"
    page, citation = page_of(text, "rst")
    assert apply(page, edits_for(page, citation, Target(LineRange(98, 98), None)).edits) == text.replace("96", "98")
    edits = edits_for(page, citation, Target(LineRange(100, 100), None))
    assert "grid" in edits.refused
    text = f"| a | b |\n|---|---|\n| a | `{PATH}:96` |\n"
    page, citation = page_of(text)
    assert apply(page, edits_for(page, citation, Target(LineRange(100, 100), None)).edits) == text.replace("96", "100")


def test_a_full_ref_becomes_a_commit_or_stays() -> None:
    text = f"{LINK.replace('a' * 40, 'refs/heads/main')}#L96\n"
    page, citation = page_of(text)
    target = Target(LineRange(98, 98), COMMIT, pin_links=True)
    written = apply(page, edits_for(page, citation, target).edits)
    assert written == f"{LINK.replace('a' * 40, COMMIT)}#L98\n"
    at = text.index("main")
    edits = edits_for(page, replace(citation, rev_span=Span(at, at + 4)), target)
    assert "refs/heads" in edits.refused
