"""A number that stands beside a citation's own and was not read: half a range is not rewritten."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from refcheck.config.engines import builtin_engines
from refcheck.documents.read import read_text
from refcheck.model.document import Document
from refcheck.model.place import LineRange
from refcheck.regen.beside import further_number
from refcheck.regen.numbers import Target, edits_for

PATH = "vllm/v1/core/toy.py"
BESIDE = [
    "160 - 165",
    "160 to 165",
    "160 through `165`",
    "160` to `165`",
    "L160:L165",
    "160-165",
    "160 行至 165 行",
    "160 行到 165 行",
    "160&shy;-165",
    "160\u00ad\u200b-165",
    "160, 165",
    "160, and 165",
    "160 and 165",
    "160 (also 165)",
    "160 → 165",
    "160..165",
    "160</code>&ndash;<code>165",
    "160,\n165",
    "**160**\u2013**165**",
]
APART = [
    "160.\n\n165",
    "160 | 165",
    "160, 2.5 times",
    "160 and 8x as much",
    "160\n165",
    "160\n- 165",
    "160, see 165",
    "160 165",
    "160",
    "160 and vllm 165",
]


def _span(text: str, number: str = "160") -> tuple[Document, list]:  # type: ignore[type-arg]
    from refcheck.model.document import Span

    at = re.search(number, text)
    assert at
    return Document("page", "plain", text), [Span(at.start(), at.end())]


@pytest.mark.parametrize("text", BESIDE)
def test_a_number_beside_is_found_from_both_sides(text: str) -> None:
    document, span = _span(f"see P:{text} here")
    found = further_number(document, span, frozenset())
    assert found is not None
    assert found.endswith("165")
    if "\n" not in text:
        document, last = _span(f"see {text} here", "165")
        assert further_number(document, last, frozenset()) is not None
    # A number that is read as some citation's is rewritten with that one.
    document, span = _span(f"see P:{text} here")
    assert further_number(document, span, frozenset(_span(f"see P:{text} here", "165")[1])) is None


@pytest.mark.parametrize("text", APART)
def test_a_number_apart_is_none(text: str) -> None:
    document, span = _span(f"see P:{text} here")
    assert further_number(document, span, frozenset()) is None


@pytest.mark.parametrize(
    "text",
    [f"`{PATH}:160`/`{PATH}:165`", f"`{PATH}:160-165`", f"`{PATH}:160,165`", f"`{PATH}:160:5`", f"1. `{PATH}:160`"],
)
def test_what_was_read_is_rewritten(text: str) -> None:
    page = read_text("page", text + "\n", "markdown", builtin_engines())
    assert page.citations
    for citation in page.citations:
        assert citation.lines is not None
        moved = LineRange(citation.lines.first + 10, citation.lines.last + 10)
        edits = edits_for(page, citation, Target(moved, None))
        assert not edits.refused
        assert edits.edits


def test_half_a_range_is_refused() -> None:
    text = f"At {PATH}:160 through 165.\n"
    page = read_text("page", text, "markdown", builtin_engines())
    # As a reader that knows no such range would have read it.
    one = replace(page.citations[0], lines=LineRange(160, 160), last_digits=None)
    page = replace(page, citations=(one,))
    edits = edits_for(page, one, Target(LineRange(170, 170), None))
    assert edits.refused.startswith("a further number stands beside it")
    assert "160 through 165" in edits.refused
    assert not edits.edits
    assert not edits_for(page, one, Target(LineRange(160, 160), None)).refused
