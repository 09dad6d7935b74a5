"""What must hold for any document: pieces may be wrapped, padded and put in another order, and nothing crashes."""

from __future__ import annotations

import textwrap

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from refcheck.config.engines import builtin_engines
from refcheck.documents.read import decode, read_text
from refcheck.engine.stated import DocumentWords
from tests.documents import render

ENGINES = builtin_engines()

# Each stands for itself: whole path, nothing inherited. (text, citations it gives)
PIECES = [
    ("The step is {vllm/v1/engine/core.py:566-575}, as it was.", [("vllm/v1/engine/core.py", "L566-L575")]),
    ("See {vllm/envs.py} (lines 63-300, 310) for the flags.", [("vllm/envs.py", "L63-L300"), ("vllm/envs.py", "L310")]),
    ("It is set at line 172 of {vllm/config/cache.py}, once.", [("vllm/config/cache.py", "L172")]),
    ("The arguments are {vllm/engine/arg_utils.py:5407}-{5408}.", [("vllm/engine/arg_utils.py", "L5407-L5408")]),
    (
        "A server's {python/sglang/srt/server_args.py#L12-L14} is long.",
        [("python/sglang/srt/server_args.py", "L12-L14")],
    ),
    ("Follow [it](https://github.com/vllm-project/vllm/blob/v0.24.0/vllm/x.py#L3-L4).", [("vllm/x.py", "L3-L4")]),
    ("The class is {vllm/v1/request.py::Request}, used there.", [("vllm/v1/request.py", "None")]),
    ("Nothing is cited in this one, at 10:30 on port 8000 of the L2 cache.", []),
    ("The figures are 16.06 GB and 2,224 times; no file at all.", []),
]
FILLER = [
    "So it goes.",
    "A word, and another; then a third.",
    "1. One thing.",
    "> Somebody said so.",
    "***",
    "- a\n- b",
]


def cited(text: str, form: str) -> list[tuple[str | None, str]]:
    return sorted((c.path, str(c.lines)) for c in read_text("x", text, form, ENGINES).citations)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    chosen=st.lists(st.sampled_from(range(len(PIECES))), min_size=1, max_size=6),
    fillers=st.lists(st.sampled_from(FILLER), max_size=4),
    width=st.integers(min_value=24, max_value=120),
    form=st.sampled_from(["markdown", "html", "rst", "plain"]),
    quoted=st.booleans(),
    data=st.data(),
)
def test_wrapping_padding_and_order(
    chosen: list[int], fillers: list[str], width: int, form: str, quoted: bool, data: st.DataObject
) -> None:
    parts: list[str] = []
    for index in chosen:
        text = render.inline(PIECES[index][0], form)
        wrapped = "\n".join(textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False))
        if form == "html":
            wrapped = f"<div><p>{wrapped}</p></div>" if quoted else f"<p>{wrapped}</p>"
        elif form == "markdown" and quoted:
            wrapped = textwrap.indent(wrapped, "> ")
        parts.append(wrapped)
    if form != "html":
        parts += [filler for filler in fillers if form == "markdown" or filler[0].isalnum()]
    parts = data.draw(st.permutations(parts))
    expected = sorted(pair for index in chosen for pair in PIECES[index][1])
    assert cited("\n\n".join(parts) + "\n", form) == expected


TOKENS = [
    "`", "``", "```", "```python\n", "~~~", "*", "**", "_", "[", "]", "(", ")", "](", "![", "<", ">", "</", "<!--", "-->",
    "<pre>", "</pre>", "<code>", "</code>", "<a href=\"", "\">", "<td>", "<table>", "&", "&amp;", "&#0;", "&#x110000;",
    "vllm/envs.py", ":", "L10", "-", "L20", "#L1", " (lines 1-2, 3)", "第 1 行", "https://github.com/vllm-project/vllm/blob/main/a.py",
    "line 3 of ", "\n", "\r\n", "\r", "\t", "    ", "\n\n", "> ", "- ", "1. ", "| a | b |\n|---|---|\n", "::", ".. code::\n", "\0",
    "\\", "$", "{/*", "*/}", "---\n", "===\n", "\ufeff", "\u2028", "\ud800", "é", "{\"cells\": [", "\"source\": \"", "]}", "\\u00", "INFO ",
    "refcheck: ignore[x]", "# vllm/envs.py:L1\n", "!!! note\n", "[^1]: ", "=", "+--+\n",
]  # fmt: skip


@settings(max_examples=250, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    tokens=st.lists(st.one_of(st.sampled_from(TOKENS), st.text(max_size=4)), max_size=40),
    form=st.sampled_from(render.FORMATS),
)
def test_no_text_crashes_a_reader(tokens: list[str], form: str) -> None:
    text = "".join(tokens)
    document = read_text("x", text, form, ENGINES)
    assert document.text == text
    for citation in document.citations:
        assert 0 <= citation.span.start <= citation.span.end <= len(text)
        for span in (citation.first_digits, citation.last_digits, *citation.twins, *citation.label_digits):
            if span is not None:
                assert text[span.start : span.end].isdigit()
        assert citation.path is not None or citation.candidates
    for prose in document.prose:
        assert len(prose.text) <= len(prose.offsets)
        for index in (0, len(prose.text) - 1):
            assert 0 <= prose.offsets[index] < len(text)
    DocumentWords(document).find(["L10"])


@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=64))
def test_any_bytes_decode_and_encode_back(data: bytes) -> None:
    text, encoding, _ = decode(data)
    assert text.encode(encoding, "surrogateescape") == data


@pytest.mark.parametrize("form", render.FORMATS)
def test_prose_stands_where_its_offsets_say(form: str) -> None:
    case = {"blocks": [{"h": "A title"}, {"p": "One {code_word} and [a link](https://example.org/x) here."}]}
    document = read_text("x", render.document(case, form), form, ENGINES)
    assert document.prose[0].is_heading
    text = document.prose[1].text
    at = text.index("code_word")
    span = document.prose[1].located(at, at + 9)
    assert document.text[span.start : span.end] == "code_word"
