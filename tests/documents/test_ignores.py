"""What a `refcheck: ignore[why]` comment covers: the whole block behind it, and nothing further."""

from __future__ import annotations

import json
import re
import time

import pytest

from refcheck.config.engines import builtin_engines
from refcheck.documents.read import read_text
from refcheck.engine.unread import ignored_passages
from refcheck.model.document import Document


def cite(number: int, form: str) -> str:
    return {
        "markdown": f"`vllm/envs.py:L{number}`",
        "notebook": f"`vllm/envs.py:L{number}`",
        "rst": f"``vllm/envs.py:L{number}``",
        "html": f"<code>vllm/envs.py:L{number}</code>",
        "plain": f"vllm/envs.py:L{number}",
    }[form]


COMMENT = {
    "markdown": "<!-- refcheck: ignore[why] -->",
    "notebook": "<!-- refcheck: ignore[why] -->",
    "rst": ".. refcheck: ignore[why]",
    "html": "<!-- refcheck: ignore[why] -->",
    "plain": "# refcheck: ignore[why]",
}

# `?` a citation that is covered, `!` one that is not.
TEXTS = {
    "markdown": [
        "@\n? words\n? more\n\n! after\n",
        "! before\n\n@\n? words\n\n! after\n",
        "@\n\n- ?\n- ?\n  - ?\n\n    ?\n- ?\n\n! after\n\n- ! another list\n",
        "@\n1. ?\n2. ?\n\n3. ?\n\n! after\n",
        "* !\n* !\n\n@\n* ? the next alone\n  ? and its second line\n* !\n",
        "@\n\n| a | b |\n|---|---|\n| ? | ? |\n| ? | x |\n\n! after\n\n| a |\n|---|\n| ! |\n",
        "@\n\n| a | b |\n|---|---|\n| ? | x |\n\n@\n\n| a |\n|---|\n| ? |\n\n! after\n",
        "@\n> ?\n>\n> ?\n\n! after\n",
        "@\n\n!!! note\n    ?\n\n    ?\n\n! after\n",
        "@\n\n## A heading, ?\n\n! its section is not covered\n",
        "?  @\n\n! after\n",
        "@\n\n<details>\n<summary>x</summary>\n\n?\n\n- ?\n\n</details>\n\n! after\n",
        "- !\n- ? @\n- !\n",
        "@\n@\n\n- ?\n- ?\n\n! after\n",
    ],
    "rst": [
        "@\n\n? words\n? more\n\n! after\n",
        "@\n\n- ?\n- ?\n\n  ?\n\n- ?\n\n! after\n",
        "@\n\n#. ?\n#. ?\n\n! after\n",
        "@\n\n.. note::\n\n   ?\n\n   ?\n\n! after\n",
        "@\n\n.. list-table::\n\n   * - ?\n     - ?\n   * - ?\n     - x\n\n! after\n",
    ],
    "html": [
        "<p>!</p>\n@\n<p>? ?</p>\n<p>!</p>\n",
        "@\n<ul>\n<li>?</li>\n<li>? <ul><li>?</li></ul></li>\n</ul>\n<p>!</p>\n<ul><li>!</li></ul>\n",
        "@\n<table>\n<tr><td>?</td></tr>\n<tr><td>?</td></tr>\n</table>\n<p>!</p>\n",
        "<ol>\n<li>!</li>\n@\n<li>?</li>\n<li>!</li>\n</ol>\n",
        "<table>\n<tr><td>!</td></tr>\n@\n<tr><td>?</td><td>?</td></tr>\n<tr><td>!</td></tr>\n</table>\n",
        "@\n<div>\n<p>?</p>\n<p>?</p>\n</div>\n<p>!</p>\n",
        "<p>!</p><p>@ ?</p><p>!</p>\n",
        "<ul><li>!</li><li>? @</li><li>!</li></ul>\n",
        "@<ul><li>?</li><li>?</li></ul>\n<p>!</p>\n",
    ],
    "plain": [
        "@\n? here\n? and here\n\n! after\n",
        "@\n\n? here\n? and here\n\n! after\n",
        "! before\n\n@\n? here\n\n! after\n\n! after\n",
        "@\n- ?\n- ?\n\n- !\n",
    ],
}
CASES = [(form, text) for form, texts in TEXTS.items() for text in texts]
CASES += [("notebook", text) for text in TEXTS["markdown"][:11]]


def filled(form: str, text: str) -> tuple[str, dict[int, bool]]:
    """The text with a citation for each sign, and whether the citation of each number is to be covered."""
    expected: dict[int, bool] = {}

    def put(match: re.Match[str]) -> str:
        if match.group() == "@":
            return COMMENT[form]
        number = 10 + len(expected)
        expected[number] = match.group() == "?"
        return cite(number, form)

    return re.sub(r"@|\?|(?<!!)!(?!!)", put, text), expected


def document_of(form: str, text: str, *, whole: bool = False) -> Document:
    if form == "notebook":
        source: object = text if whole else text.splitlines(keepends=True)
        cells = [{"cell_type": "markdown", "metadata": {}, "source": source}]
        book = {"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
        text = json.dumps(book, indent=None if whole else 1, ensure_ascii=False)
    return read_text("page", text, form, builtin_engines())


def covered(document: Document) -> dict[int, bool]:
    return {
        citation.lines.first: any(span.contains(citation.span) for span, _ in document.ignored)
        for citation in document.citations
        if citation.lines is not None
    }


@pytest.mark.parametrize(("form", "text"), CASES)
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_the_whole_block_and_no_more(form: str, text: str, ending: str) -> None:
    page, expected = filled(form, text)
    if form == "notebook" and ending == "\r\n":
        assert covered(document_of(form, page, whole=True)) == expected, page
        return
    assert covered(document_of(form, page.replace("\n", ending))) == expected, page


@pytest.mark.parametrize(("form", "text"), CASES)
def test_without_the_comment_nothing_is_covered(form: str, text: str) -> None:
    page, expected = filled(form, text)
    document = document_of(form, page.replace(COMMENT[form], COMMENT[form].replace("refcheck: ignore", "note")))
    assert covered(document) == dict.fromkeys(expected, False)
    assert document.unread == ()


def test_the_note_says_which_lines() -> None:
    page, _ = filled("markdown", "! a\n\n@\n\n- ?\n- ?\n\n! b <!-- refcheck: ignore[again] -->\n")
    (note,) = ignored_passages([document_of("markdown", page)])
    assert note == "page: 2 passages left out by comments: why (lines 3-6); again (line 8)"


@pytest.mark.parametrize(
    "written",
    [
        "refcheck: ignor[x]", "refcheck: ingore[x]", "refcheck: Ignored[x]", "refcheck ignore[x]", "refcheck: ignore(x)",
        "refchek: ignore[x]", "ref-check: ignore[x]", "refcheck: disable[x]", "refcheck: skip[x]", "refcheck: noqa[x]",
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", list(COMMENT))
def test_a_misspelt_comment_is_remarked_and_covers_nothing(form: str, written: str) -> None:
    comment = COMMENT[form].replace("refcheck: ignore[why]", written)
    document = document_of(form, f"{comment}\n\n{cite(10, form)}\n")
    assert covered(document) == {10: False}
    assert any("ignores nothing" in note.why or "no reason" in note.why for note in document.unread)


@pytest.mark.parametrize(
    "words",
    [
        "Run `refcheck verify [DOC]` first.", "`refcheck explain (CODE)`", "See refcheck (the tool).",
        "`refcheck scan [DOC]...`", "refcheck: a tool (small)", "refcount: ignore[x]", "The refcheck ignores nothing.",
    ],
)  # fmt: skip
def test_words_about_the_tool_are_no_comments(words: str) -> None:
    assert document_of("markdown", words + "\n").unread == ()


@pytest.mark.parametrize(
    "piece",
    [
        "<!-- refcheck: ignore[x] -->\n- a\n\n", "- a\n<!-- refcheck: ignore[x] -->\n", "<ul><!-- refcheck: ignore[x] -->",
        "<!-- refcheck: ignore[x] -->\n", "refcheck: ignor[x] ", "  <!-- refcheck: ignore[x] -->\n  - a\n",
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["markdown", "html", "plain", "rst", "notebook"])
def test_the_time_is_linear(form: str, piece: str) -> None:
    def seconds(count: int) -> float:
        start = time.process_time()
        document_of(form, piece * count)
        return time.process_time() - start

    seconds(20)
    small, large = seconds(500), seconds(4000)
    assert large < 40 * small + 1.0, (small, large)
