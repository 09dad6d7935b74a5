"""What `locate` says of blocks that it cannot place."""

from __future__ import annotations

import pytest

from refcheck.documents.read import read_text
from refcheck.engine.locating import NOWHERE, TOO_SHORT, locate_quotes
from refcheck.engine.trees import PinChoice, Trees
from tests.engine.pages import ENGINES
from tests.support.trees import TOY_COMMIT, MemoryTree

SOURCE = "def push(items, one):\n    items.append(one)\n    items.sort()\n    return items\n\n\ndef pop(items):\n    return items.pop()\n"


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("    items.sort()", TOO_SHORT),
        ("x = 1", TOO_SHORT),
        ("# ...\n    items.sort()\n# ...\n    return items.pop()", TOO_SHORT),
        ("def push(items, one):\n    items.append(two)\n    items.sort()", NOWHERE),
        ("def push(items, one):\n    items.append(one)\n    items.sort()", ""),
    ],
)
def test_why_a_block_has_no_place(code: str, why: str) -> None:
    trees = Trees(
        {"toy": PinChoice(ENGINES["toy"], TOY_COMMIT)}, lambda _: {"toy": MemoryTree({"toy/a.py": SOURCE}, "toy")}
    )
    trees.open_pins()
    document = read_text("page", f"Code:\n\n```python\n{code}\n```\n", "markdown", ENGINES)
    (row,) = locate_quotes([document], trees, lambda _: None)
    assert row.why == why
    assert (row.found is not None) == (why == "")
