"""Rewriting: of any page only digits and commits change, each number to where its line went; a second run changes
nothing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from refcheck.config.engines import builtin_engines
from refcheck.documents.read import decode, read_text
from refcheck.model.document import Document
from refcheck.model.place import Place
from refcheck.regen.plan import Plan, make_plan
from refcheck.regen.rewrite import apply
from refcheck.regen.standing import Standing
from tests.documents import render
from tests.regen.test_plan import FORMS
from tests.support.trees import MemoryTree

from . import Surface, must, opened, seed

ENGINES = builtin_engines()
PATH = "vllm/v1/core/toy.py"
_OLD_COMMIT, _NEW_COMMIT = "a" * 40, "b" * 40
_LINES = tuple(f"value_{number} = compute({number * number}, {number + 7})" for number in range(1, 61))
_PAGES = (
    (
        f"The head is vLLM `{_OLD_COMMIT[:9]}`.\n\nSee `{PATH}:11-12`, [it](https://github.com/vllm-project/vllm/blob/"
        f"{_OLD_COMMIT}/{PATH}#L20-L22) and {PATH} (lines 3-5, 9).\n"
    ),
    f"# Title\n\n```python\n# {PATH}:L13-L14\n{_LINES[12]}\n{_LINES[13]}\n```\n\n| `{PATH}` | 40-41 |\n|---|---|\n",
    (
        f"<p>See <code>{PATH}:L7&#45;9</code> and <a href='https://github.com/vllm-project/vllm/blob/{_OLD_COMMIT}/{PATH}"
        "#L1-L2'>toy.py:1-2</a>.</p>"
    ),
)
_CHANGES = re.compile(r"[0-9]+|[0-9a-f]{7,40}")


def seeds() -> Iterator[bytes]:
    for page in (*_PAGES, *(before for before, _ in FORMS.values())):
        for choice in range(len(render.FORMATS)):
            yield seed(page, choice + 5 * 9)


def check(data: bytes) -> None:
    choice, payload = opened(data)
    form = render.FORMATS[choice % len(render.FORMATS)]
    text, _, _ = decode(payload)
    page = read_text("page", text, form, ENGINES)
    shift, at = 1 + choice // 5 % 10, choice % 40
    moved = (*_LINES[:at], *(f"added_{number} = {number}" for number in range(shift)), *_LINES[at:])
    old, new = _tree(_LINES, _OLD_COMMIT), _tree(moved, _NEW_COMMIT)
    pin_links = bool(choice & 64)
    plan = _plan(page, old, new, pin_links)
    written = apply(page, plan.edits("page"))
    _check_only_numbers(text, written, plan)
    again = read_text("page", written, form, ENGINES)
    must(len(again.citations) == len(page.citations), "rewritten, the page has other citations")
    _check_places(page, again, plan, at, shift)
    rest = _plan(again, new, new, pin_links).edits("page")
    must(apply(again, rest) == written, "a second run changes something")


def _tree(lines: Sequence[str], commit: str) -> MemoryTree:
    tree = MemoryTree({PATH: "\n".join(lines) + "\n"}, "vllm")
    tree.source = replace(tree.source, pin=commit, read=commit)
    return tree


def _plan(page: Document, old: MemoryTree, new: MemoryTree, pin_links: bool) -> Plan:
    cited = [
        Standing(str(index), page, citation, "vllm", 0, Place(PATH, citation.lines))
        for index, citation in enumerate(page.citations)
        if citation.path is not None and citation.path.endswith("toy.py")
    ]
    return make_plan(cited, {0: old}, {"vllm": new}, pin_links=pin_links)


def _check_only_numbers(text: str, written: str, plan: Plan) -> None:
    at, shift = 0, 0
    for edit in sorted(set(plan.edits("page"))):
        start, end = edit.span.start, edit.span.end
        must(text[at:start] == written[at + shift : start + shift], "something beside the numbers changed")
        must(bool(_CHANGES.fullmatch(edit.text)), f"{edit.text!r} was written")
        must(text[start:end] != "" and bool(re.fullmatch(r"[\w.\-/+%]+", text[start:end])), "what was replaced is more")
        shift += len(edit.text) - (end - start)
        at = end
    must(text[at:] == written[at + shift :], "something beside the numbers changed")


def _check_places(page: Document, again: Document, plan: Plan, at: int, shift: int) -> None:
    """What was rewritten names the lines that the old text has in the new file; what was not keeps its numbers."""
    rewritten = {item.id for item in plan.items if item.edits}
    for index, (before, after) in enumerate(zip(page.citations, again.citations, strict=True)):
        if before.lines is None:
            continue
        must(after.lines is not None, "rewritten, a citation lost its lines")
        assert after.lines is not None
        first, last = before.lines.first, before.lines.last
        if str(index) not in rewritten:
            same_digits = any(edit.span in (before.first_digits, before.last_digits) for edit in plan.edits("page"))
            must(same_digits or after.lines == before.lines, f"{before.lines} became {after.lines} unasked")
            continue
        must(last <= len(_LINES), "a range that ends nowhere was rewritten")
        expected = (first + shift * (first > at), last + shift * (last > at))
        must((after.lines.first, after.lines.last) == expected, f"{before.lines} became {after.lines}, not {expected}")


SURFACE = Surface("rewriting", seeds, check)
