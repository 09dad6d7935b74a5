"""Finding a fragment of words whatever markup stands in it, and the code words of a sentence."""

from __future__ import annotations

import pytest

from refcheck.config.engines import builtin_engines
from refcheck.documents.code_words import code_words
from refcheck.documents.read import read_text
from refcheck.documents.words import find_words


def found(form: str, text: str, words: str) -> list[str]:
    document = read_text("x", text, form, builtin_engines())
    return [document.text[span.start : span.end] for span in find_words(document, words)]


@pytest.mark.parametrize(
    ("form", "text", "words", "expected"),
    [
        ("plain", "It holds 16.06 GB\nof weights.", "16.06 GB of weights", ["16.06 GB\nof weights"]),
        ("markdown", "It *holds* `16.06` GB.", "holds 16.06 GB", ["holds* `16.06` GB"]),
        (
            "html",
            "<p>It holds&nbsp;<b>16.06</b>&thinsp;GB.</p>",
            "holds 16.06 GB",
            ["holds&nbsp;<b>16.06</b>&thinsp;GB"],
        ),
        ("plain", r"so $41{,}943{,}040$ of them", "41,943,040 of", [r"41{,}943{,}040$ of"]),
        ("plain", r"about $2.7\times10^{3}$ each", "2.7×10^3 each", [r"2.7\times10^{3}$ each"]),
        ("markdown", "a – b “c”", 'a - b "c"', ["a – b “c”"]),
        ("plain", "a is 116.06 and 16.063, 16.06.", "16.06", ["16.06"]),
        ("plain", "1,234 or 234", "234", ["234"]),
        ("markdown", "```sh\nvllm serve a --port 1\n```\n", "serve a --port 1", ["serve a --port 1"]),
        ("markdown", "```python\nx = f(1)\n```\n", "x = f(1)", ["x = f(1)"]),
        ("plain", "nothing here", "elsewhere", []),
        ("plain", "twice a, twice a", "twice a", ["twice a", "twice a"]),
        ("plain", "anything", "  ", []),
    ],
)
def test_words(form: str, text: str, words: str, expected: list[str]) -> None:
    assert found(form, text, words) == expected


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
