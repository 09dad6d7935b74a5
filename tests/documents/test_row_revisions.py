"""What is said of one row, one column, one section or one sentence is no revision of the page."""

from __future__ import annotations

import pytest

from refcheck.config.engines import builtin_engines
from refcheck.documents.read import read_text

A = "vllm/v1/request.py"
OLD, NEW = f"`{A}:271-273`", f"`{A}:274-276`"
COMMIT = "0123456789abcdef0123456789abcdef01234567"

CASES = {
    "rows that name the engine": (
        f"| When | place |\n|---|---|\n| vLLM 0.27.1 | {OLD} |\n| vLLM 0.28.0 | {NEW} |\n",
        ["0.27.1", "0.28.0"],
        None,
    ),
    "rows under a head": (
        f"| Version | place |\n|---|---|\n| v0.27.1 | {OLD} |\n| `{COMMIT}` | {NEW} |\n",
        ["v0.27.1", COMMIT],
        None,
    ),
    "columns": (f"| vLLM 0.27.1 | vLLM 0.28.0 |\n|---|---|\n| {OLD} | {NEW} |\n", ["0.27.1", "0.28.0"], None),
    "versions in which something came": (
        f"| Added in | place |\n|---|---|\n| 0.27.1 | {OLD} |\n| 0.28.0 | {NEW} |\n",
        [None, None],
        None,
    ),
    "numbers that are no versions": (
        f"| Score | place |\n|---|---|\n| 0.27.1 | {OLD} |\n| 0.28.0 | {NEW} |\n",
        [None, None],
        None,
    ),
    "another engine's rows": (
        f"| When | place |\n|---|---|\n| SGLang 0.5.17 | {OLD} |\n| SGLang 0.5.18 | {NEW} |\n",
        [None, None],
        None,
    ),
    "one table of one revision is the page's": (
        f"| What | vLLM 0.28.0 |\n|---|---|\n| here | {OLD} |\n\nAnd {NEW}.\n",
        ["0.28.0", "0.28.0"],
        "0.28.0",
    ),
    "a sentence on what was": (
        f"In vLLM 0.27.1, `num_tokens` was at {OLD}.\n\nNow it is at {NEW}.\n",
        ["0.27.1", None],
        None,
    ),
    "a sentence on what was read": (
        f"In vLLM 0.27.1 the code was read.\n\nIt is at {NEW}.\n",
        ["0.27.1"],
        "0.27.1",
    ),
    "sections": (
        f"First {NEW}.\n\n## vLLM 0.27.1\n\nIt is {OLD}.\n\n## vLLM 0.28.0\n\nIt is {NEW}.\n",
        [None, "0.27.1", "0.28.0"],
        None,
    ),
    "a section below cited places": (f"First {NEW}.\n\n## vLLM 0.27.1\n\nIt is {OLD}.\n", [None, "0.27.1"], None),
    "a heading above all places": (f"## vLLM 0.28.0\n\n## Requests\n\nIt is {NEW}.\n", ["0.28.0"], "0.28.0"),
}


@pytest.mark.parametrize(("text", "revisions", "page"), CASES.values(), ids=CASES.keys())
def test_whose_revision_it_is(text: str, revisions: list[str | None], page: str | None) -> None:
    document = read_text("page", f"# Over time\n\n{text}", "markdown", builtin_engines())
    assert [c.rev or c.inherited_rev for c in document.citations] == revisions
    assert dict(document.revisions).get("vllm") == page


def test_a_rows_revision_is_its_own_where_the_table_has_several() -> None:
    text, _, _ = CASES["rows that name the engine"]
    document = read_text("page", text, "markdown", builtin_engines())
    for citation, rev in zip(document.citations, ("0.27.1", "0.28.0"), strict=True):
        assert citation.rev == rev
        assert citation.rev_span is not None
        assert text[citation.rev_span.start : citation.rev_span.end] == rev


def test_cells_of_other_formats() -> None:
    html = (
        "<table><tr><th>Version</th><th>place</th></tr>"
        f"<tr><td>v0.27.1</td><td><code>{A}:271</code></td></tr>"
        f"<tr><td>v0.28.0</td><td><code>{A}:274</code></td></tr></table>"
    )
    document = read_text("page", html, "html", builtin_engines())
    assert [c.rev for c in document.citations] == ["v0.27.1", "v0.28.0"]
