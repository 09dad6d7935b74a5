"""What is refused rather than half-written: labels of other files, drawn tables, full refs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from refcheck.config.engines import builtin_engines
from refcheck.documents.read import read_text
from refcheck.model.document import Citation, Document, Span
from refcheck.model.place import LineRange
from refcheck.regen.numbers import Target, edits_for
from refcheck.regen.rewrite import apply

PATH = "vllm/v1/core/scheduler.py"
COMMIT = "b" * 40
LINK = f"https://github.com/vllm-project/vllm/blob/{'a' * 40}/{PATH}"


def page_of(text: str, format_name: str = "markdown") -> tuple[Document, Citation]:
    page = read_text("page", text, format_name, builtin_engines())
    return page, next(c for c in page.citations if c.path == PATH)


@pytest.mark.parametrize(
    ("label", "same"),
    [
        ("`scheduler.py:96`", True),
        ("core/scheduler.py:96", True),
        ("vllm-0.28.0/vllm/v1/core/scheduler.py:96", True),
        ("line 96", True),
        ("`vllm/v1/request.py:96`", False),
        ("my_scheduler.py:96", False),
    ],
)
def test_a_label_changes_with_its_address_only_if_it_names_the_same_file(label: str, same: bool) -> None:
    text = f"See [{label}]({LINK}#L96) there.\n"
    page, citation = page_of(text)
    # As a reader that takes every label's number for the address's would have read it.
    at = text.index("96")
    citation = replace(citation, twins=(Span(at, at + 2),), label_lines=None)
    page = replace(page, citations=(citation,))
    edits = edits_for(page, citation, Target(LineRange(98, 98), COMMIT))
    if same:
        assert apply(page, edits.edits) == text.replace("96", "98").replace("a" * 40, COMMIT)
    else:
        assert "its label names" in edits.refused
        assert not edits.edits


def test_a_drawn_table_keeps_its_lines() -> None:
    text = f"+----+{'-' * 33}+\n| a  | ``{PATH}:96`` |\n+----+{'-' * 33}+\n"
    page, citation = page_of(text, "rst")
    assert apply(page, edits_for(page, citation, Target(LineRange(98, 98), None)).edits) == text.replace("96", "98")
    edits = edits_for(page, citation, Target(LineRange(100, 100), None))
    assert "columns" in edits.refused
    text = f"| a | b |\n|---|---|\n| a | `{PATH}:96` |\n"
    page, citation = page_of(text)
    assert apply(page, edits_for(page, citation, Target(LineRange(100, 100), None)).edits) == text.replace("96", "100")


def test_a_full_ref_becomes_a_commit_or_stays() -> None:
    text = f"{LINK.replace('a' * 40, 'refs/heads/main')}#L96\n"
    page, citation = page_of(text)
    target = Target(LineRange(98, 98), COMMIT, pin_links=True)
    written = apply(page, edits_for(page, citation, target).edits)
    assert written == f"{LINK.replace('a' * 40, COMMIT)}#L98\n"
    at = text.index("main")
    edits = edits_for(page, replace(citation, rev_span=Span(at, at + 4)), target)
    assert "refs/heads" in edits.refused


def rewritten(text: str, lines: LineRange, format_name: str = "markdown", nth: int = 0) -> tuple[str, str]:
    """The text with the citation at other lines, and why it is left."""
    page = read_text("page", text, format_name, builtin_engines())
    citation = [one for one in page.citations if one.path == PATH][nth]
    edits = edits_for(page, citation, Target(lines, COMMIT))
    return apply(page, edits.edits), edits.refused


SIMPLE = """\
Where it is:

=========  ===========================  ==============================
what       where                        more
=========  ===========================  ==============================
choosing   `scheduler.py:96`            see `{path}:98`
dropping   `{path}:{one}`  nothing

see also   ``x``                        `{path}:99`
=========  ===========================  ==============================

And `{path}:97` below.
"""


@pytest.mark.parametrize(
    ("one", "number", "fits"),
    [("5", 96, False), ("55", 96, True), ("555", 96, False), ("5", 7, True)],
)
def test_a_simple_table_keeps_its_columns(one: str, number: int, fits: bool) -> None:
    text = SIMPLE.format(path=PATH, one=one)
    page = read_text("page", text, "rst", builtin_engines())
    nth = next(
        n for n, c in enumerate(c for c in page.citations if c.path == PATH) if c.lines == LineRange(int(one), int(one))
    )
    new, refused = rewritten(text, LineRange(number, number), "rst", nth)
    assert (refused == "") is fits
    assert new == (text.replace(f":{one}`", f":{number}`") if fits else text)
    if not fits:
        assert "table's columns" in refused


@pytest.mark.parametrize("old", [97, 98, 99])
def test_the_last_column_and_text_below_may_grow(old: int) -> None:
    text = SIMPLE.format(path=PATH, one=55)
    page = read_text("page", text, "rst", builtin_engines())
    mine = [c for c in page.citations if c.path == PATH]
    nth = next(n for n, c in enumerate(mine) if c.lines == LineRange(old, old))
    new, refused = rewritten(text, LineRange(1000, 1000), "rst", nth)
    assert refused == ""
    assert new == text.replace(f":{old}`", ":1000`")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            f"See [`{PATH}:160 and {PATH}:165`]({LINK}#L160-L165).",
            f"See [`{PATH}:170 and {PATH}:175`]({LINK}#L170-L175).",
        ),
        (f"See [lines 160 and 165]({LINK}#L160-L165).", f"See [lines 170 and 175]({LINK}#L170-L175)."),
        (f'See [it]({LINK}#L160-L165 "lines 160-165").', f'See [it]({LINK}#L170-L175 "lines 170-175").'),
        (f"See [it]({LINK}#L160-L165 'L160\u2013L165').", f"See [it]({LINK}#L170-L175 'L170\u2013L175')."),
        (f'See [it]({LINK}#L160-L165 "all 10 steps").', f'See [it]({LINK}#L170-L175 "all 10 steps").'),
        (f"| [it]({LINK}#L160-L165) | 3 | ten |", f"| [it]({LINK}#L170-L175) | 3 | ten |"),
        (f"See `{PATH}:160` (6 lines).", f"See `{PATH}:170` (6 lines)."),
        (f"See `{PATH}:160-165`: 2 of them.", f"See `{PATH}:170-175`: 2 of them."),
        # What may be the same lines or not, or is more than them.
        (f"See [lines 160, 162 and 165]({LINK}#L160-L165).", None),
        (f'See [it]({LINK}#L160-L165 "step 160").', None),
        (f'See [it]({LINK}#L160 "step 160").', None),
        (f"See `{PATH}:160` and 12 of them.", None),
        (f"See `{PATH}:160-165`: 170 to 180.", None),
    ],
)
def test_numbers_said_again_change_together_or_not_at_all(before: str, after: str | None) -> None:
    if before.startswith("|"):
        head = "| a | b | c |\n|---|---|---|\n"
        before, after = head + before, head + after if after else None
    first, last = (170, 175) if "165" in before else (170, 170)
    new, refused = rewritten(before + "\n", LineRange(first, last))
    assert new.replace(COMMIT, "a" * 40) == (after if after is not None else before) + "\n"
    assert bool(refused) is (after is None)


@pytest.mark.parametrize("title", ["title", "aria-label"])
def test_titles_of_html_links(title: str) -> None:
    text = f'<p>See <a class="x160" href="{LINK}#L160-L165" {title}="{PATH} L160-L165">it</a>.</p>\n'
    new, refused = rewritten(text, LineRange(170, 175), "html")
    assert refused == ""
    assert new == text.replace("L160", "L170").replace("L165", "L175").replace("a" * 40, COMMIT)
    text = text.replace('L160-L165">it', 'L160">it')
    new, refused = rewritten(text, LineRange(170, 175), "html")
    assert new == text
    assert "title" in refused


def test_cells_of_an_html_row() -> None:
    row = f'<tr><td><a href="{LINK}#L160-L165">it</a></td><td>160&ndash;165</td><td>{{}}</td></tr>'
    text = f"<table>{row.format('6')}<tr><td>160-165</td></tr></table>\n"
    new, refused = rewritten(text, LineRange(170, 175), "html")
    assert refused == ""
    assert new.count("160") == 1
    assert "170&ndash;175" in new
    wrong = f"<table>{row.format('160-162')}</table>\n"
    new, refused = rewritten(wrong, LineRange(170, 175), "html")
    assert new == wrong
    assert "a cell of its row" in refused


def test_a_count_holds_back_what_changed_its_length() -> None:
    text = f"See `{PATH}:160-165` (6 lines).\n"
    new, refused = rewritten(text, LineRange(170, 176))
    assert new == text
    assert "further number" in refused


@pytest.mark.parametrize(
    "before",
    [
        f"<a href='{LINK}#L160-L165'>L160-L165</a>",
        f'See <a href="{LINK}#L160-L165" title="L160 to L165"><b>it</b></a>',
        f"See <a href='{LINK}#L160-L165'>L160</a>",
        f"See <a href='{LINK}#L160-L165'>lines 160 to 165 of it</a>",
    ],
)
def test_html_links_inside_of_markdown(before: str) -> None:
    """A label may be a citation of its own there: whichever of the two writes it, it is written once."""
    page = read_text("page", before + "\n", "markdown", builtin_engines())
    edits = []
    for citation in page.citations:
        assert citation.lines is not None
        lines = LineRange(citation.lines.first + 10, citation.lines.last + 10)
        made = edits_for(page, citation, Target(lines, COMMIT))
        assert made.refused == ""
        edits += made.edits
    after = before.replace("160", "170").replace("165", "175").replace("a" * 40, COMMIT)
    assert apply(page, edits) == after + "\n"


def test_titles_in_a_notebook() -> None:
    source = f'See [it]({LINK}#L160-L165 \\"lines 160-165\\") and [it]({LINK}#L160-L165 \\"line 160\\").'
    text = '{"cells": [{"cell_type": "markdown", "metadata": {}, "source": ["' + source + '"]}], "metadata": {},'
    text += ' "nbformat": 4, "nbformat_minor": 5}\n'
    new, refused = rewritten(text, LineRange(170, 175), "notebook")
    assert refused == ""
    assert '#L170-L175 \\"lines 170-175\\")' in new
    same, refused = rewritten(text, LineRange(170, 175), "notebook", 1)
    assert same == text
    assert "title" in refused
