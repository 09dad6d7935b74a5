"""The items of a list lean on the file that the paragraph before the list names."""

from __future__ import annotations

import pytest

from refcheck.config.engines import builtin_engines
from refcheck.documents.read import read_text

A, B = "vllm/v1/request.py", "vllm/config/cache.py"
ITEMS = "- `pop` L86-L90\n- `peek` :94\n- `push` (line 97)\n- L101-L109: `clear`\n"
ALL = [(86, 90), (94, 94), (97, 97), (101, 109)]

CASES = {
    "a path and a colon": (f"`{A}`:\n\n{ITEMS}", ALL),
    "right above": (f"`{A}`:\n{ITEMS}", ALL),
    "in words": (f"The queue is in `{A}`:\n\n{ITEMS}", ALL),
    "in Chinese": (f"队列在 `{A}`：\n\n{ITEMS}", ALL),
    "numbered": (f"`{A}`:\n\n1. `pop` L86-L90\n2. `peek` :94\n", ALL[:2]),
    "other words before the colon": (f"From `{A}` we take:\n\n{ITEMS}", [ALL[0], ALL[3]]),
}


@pytest.mark.parametrize(("text", "lines"), CASES.values(), ids=CASES.keys())
@pytest.mark.parametrize("before", ["", f"First `{B}:12`.\n\n", f"First `{B}:12` and `vllm/envs.py:3`.\n\n"])
def test_the_items_of_an_introduced_list(text: str, lines: list[tuple[int, int]], before: str) -> None:
    document = read_text("page", f"# vLLM\n\n{before}{text}", "markdown", builtin_engines())
    found = [(c.lines.first, c.lines.last) for c in document.citations if c.path == A and c.lines is not None]
    assert found == lines


@pytest.mark.parametrize(
    "text",
    [
        f"`{A}` and `{B}`:\n\n- `peek` :94\n- `push` (line 97)\n",
        f"`{A}` has it.\n\n- `peek` :94\n- `push` (line 97)\n",
        f"`{A}`:\n\nNothing of the kind.\n\n- `peek` :94\n",
        f"`{A}`:\n\n## Next\n\n- `peek` :94\n",
    ],
)
def test_lists_that_are_not_introduced_by_one_file(text: str) -> None:
    document = read_text("page", f"# vLLM\n\n{text}", "markdown", builtin_engines())
    assert all(c.lines is None for c in document.citations)
