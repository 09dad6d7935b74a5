"""The paragraph that is shown for a place: its own, a block's introduction, a row; never a neighbour's."""

from __future__ import annotations

import pytest

from refcheck.config.engines import builtin_engines
from refcheck.documents.read import read_text
from refcheck.history.paragraphs import Paragraph, Paragraphs

A, B = "vllm/v1/request.py", "vllm/v1/core/block_pool.py"
FENCE = "```python\n# {path}:10-12\ndef f():\n    pass\n```\n"


def shown(text: str, place: str, format_name: str = "markdown") -> Paragraph | None:
    page = read_text("page", text, format_name, builtin_engines())
    at = text.index(place)
    return Paragraphs(page).at(*page.position(at))


@pytest.mark.parametrize(
    ("text", "place", "paragraph", "heading"),
    [
        # Short as it is, it is the place's own.
        (f"# A\n\nThis: `{A}:1-2`.\n\nThe other paragraph has many more words, `{B}:3-4`.\n", f"{A}:1-2", "This:", ""),
        (f"# A\n\nMany words before it are of another, `{B}:3-4`.\n\n`X` is `{A}:1-2`.\n", f"{A}:1-2", "X is", ""),
        (f"- one `{A}:1-2`\n- two words `{B}:3-4`\n", f"{B}:3-4", "two words", ""),
        (f"# It is at `{A}:1-2`\n\nNothing.\n", f"{A}:1-2", "It is at", ""),
        # A block's own introduction, and the heading.
        (f"# A\n\nThe function is this one:\n\n{FENCE.format(path=A)}", f"{A}:10", "The function is", "A"),
        (f"# A\n\nAs `{B}:1-2` has it:\n\n{FENCE.format(path=A)}", f"{A}:10", "As ", "A"),
        (f"# A\n\nIt asks, `{A}:1-2`.\n\n{FENCE.format(path=A)}", f"{A}:10", "It asks", "A"),
        (f"# A\n\nWhat is free is kept.\n\n`{A}:10-12`\n\n```python\ndef f():\n    pass\n```\n", f"{A}:10", "What is", "A"),
        # The paragraph before is of another file: what is behind, or the heading alone.
        (f"# A\n\nSecond, `{B}:1-2` is `g`.\n\n{FENCE.format(path=A)}\nSo it passes.\n", f"{A}:10", "So it passes", "A"),
        (f"# A\n\nSecond, `{B}:1-2` is `g`.\n\n{FENCE.format(path=A)}", f"{A}:10", "A", ""),
        (f"Above all.\n\n## Own\n\n{FENCE.format(path=A)}\n## Next\n\nOf the next.\n", f"{A}:10", "Own", ""),
        # A row of a table, whole.
        (f"| what | where |\n|---|---|\n| budget | `{A}:1-2` |\n| x | y |\n", f"{A}:1-2", f"budget | {A}:1-2", ""),
    ],
)  # fmt: skip
def test_the_paragraph_of_a_place(text: str, place: str, paragraph: str, heading: str) -> None:
    found = shown(text, place)
    assert found is not None
    assert found.text.startswith(paragraph)
    assert found.heading == heading


def test_a_row_of_html() -> None:
    text = f"<h1>A</h1><table><tr><td>budget</td><td><code>{A}:11-12</code></td></tr><tr><td>x</td></tr></table><p>More.</p>"
    found = shown(text, f"{A}:11", "html")
    assert found is not None
    assert found.text == f"budget | {A}:11-12"
    assert found.text[found.at :].startswith(A)
    after = shown(text, "More", "html")
    assert after is not None
    assert after.text == "More."


def test_a_page_without_any_text_has_no_paragraph() -> None:
    assert shown(FENCE.format(path=A), f"{A}:10") is None
