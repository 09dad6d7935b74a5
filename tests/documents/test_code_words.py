"""The code words of a sentence."""

from __future__ import annotations

import pytest

from refcheck.config.engines import builtin_engines
from refcheck.documents.code_words import code_words
from refcheck.documents.read import read_text


def kinds(text: str, form: str = "markdown") -> list[tuple[str, str, str]]:
    document = read_text("x", text, form, builtin_engines())
    (prose,) = document.prose
    words = code_words(prose.text, prose.marks)
    for word in words:
        assert prose.text[word.start : word.end] == word.text
    return [(word.kind, word.name, word.value or word.owner) for word in words]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("The flag `enable_x` is read.", [("identifier", "enable_x", "")]),
        ("It has `causal = True` there.", [("assignment", "causal", "True")]),
        ("It has `causal: bool = True` there.", [("assignment", "causal", "True")]),
        ("`Scheduler.schedule` runs.", [("member", "schedule", "Scheduler")]),
        ("Then `step()` and run_loop() are called.", [("call", "step", ""), ("call", "run_loop", "")]),
        ('It says `"not ready"` then.', [("string", "", "not ready")]),
        (
            "The default of block_size is 16 and the class BlockPool keeps it.",
            [("identifier", "block_size", ""), ("identifier", "BlockPool", "")],
        ),
        ("It stands in `vllm/envs.py:L10` and scheduler.py.", []),
        ("A sentence that names nothing, e.g. this one.", []),
        ("Run `vllm serve x --port 1`.", None),
    ],
)
def test_code_words(text: str, expected: list[tuple[str, str, str]] | None) -> None:
    words = kinds(text)
    if expected is not None:
        assert words == expected
