"""A citation's own revision in running text: behind its path, or said of it by the sentence."""

from __future__ import annotations

import pytest

from refcheck.config.engines import builtin_engines
from refcheck.documents.read import read_text

A = "vllm/v1/request.py"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
SHORT = "71de97b2"

CASES = [
    # (text, lines and revision of each citation)
    (f"It is `{A}@{SHORT}:L87-L91` there.", [((87, 91), SHORT)]),
    (f"It is {A}@{COMMIT}:87 there.", [((87, 87), COMMIT)]),
    (f"It is `{A}@{SHORT}#L87-L91`.", [((87, 91), SHORT)]),
    (f"It is `{A}@v0.8.0:87`.", [((87, 87), "v0.8.0")]),
    (f"`{A}@{SHORT}:10,20`", [((10, 10), SHORT), ((20, 20), SHORT)]),
    (f"```python\n# {A}@{SHORT}:L87-L88\ndef f():\n    pass\n```", [((87, 88), SHORT)]),
    (f"`{A}:100` in v0.8.0 was another.", [((100, 100), "v0.8.0")]),
    (f"It was `{A}:100` (in vLLM 0.6.3).", [((100, 100), "0.6.3")]),
    (f"It was, in vLLM 0.6.3 at `{A}:200`, so.", [((200, 200), "0.6.3")]),
    (f"As of vLLM 0.6.3 (`{A}:201`) it was; now `{A}:20`.", [((201, 201), "0.6.3"), ((20, 20), None)]),
    (f"In the release v0.8.0, `{A}:100` is so.", [((100, 100), "v0.8.0")]),
    # What is no revision of the lines.
    (f"`{A}@282` is a line.", [((282, 282), None)]),
    (f"`{A}@1234567:87` is neither.", None),
    (f"Added in v0.8.0, `{A}:100` is so.", [((100, 100), None)]),
    (f"Since v0.8.0 `{A}:100` is so.", [((100, 100), None)]),
    (f"`{A}:100` in v0.8.0 or later.", [((100, 100), None)]),
    (f"`{A}:100` was new in v0.8.0.", [((100, 100), None)]),
    (f"The change of v0.8.0 is nice. See `{A}:100`.", [((100, 100), None)]),
    (f"At 0.9.1 of memory, `{A}:100` says.", [((100, 100), None)]),
    (f"In torch 2.8.0, `{A}:100` fails.", [((100, 100), None)]),
]


@pytest.mark.parametrize("head", ["", f"Written for vLLM at commit {'a' * 40}.\n\n"])
@pytest.mark.parametrize(("text", "expected"), CASES, ids=[text[:50] for text, _ in CASES])
def test_the_revision_of_a_citation(
    text: str, expected: list[tuple[tuple[int, int], str | None]] | None, head: str
) -> None:
    page = read_text("page", f"{head}# A\n\n{text}\n", "markdown", builtin_engines())
    found = [((c.lines.first, c.lines.last), c.rev) for c in page.citations if c.lines is not None]
    if expected is None:
        assert all(rev is None for _, rev in found)
        return
    assert found == expected
    for citation in page.citations:
        if citation.rev is not None:
            assert citation.rev_span is not None
            assert page.text[citation.rev_span.start : citation.rev_span.end] == citation.rev
            assert citation.inherited_rev is None
            if citation.path_span is not None:
                assert page.text[citation.path_span.start : citation.path_span.end] == A
