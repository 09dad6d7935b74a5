"""Quotes of which a line was changed: the difference is shown at the cited place, each line beside its new form."""

from __future__ import annotations

import pytest

from refcheck.model.evidence import Difference
from tests.engine.pages import check_page, only, summary

FILE = "toy/core.py"
SOURCE = '''\
class Pool:
    share: float = Field(default=0.92, gt=0, le=1)
    limit: int = Field(default=7, gt=0)

    def is_ready(self, request):
        """Whether a request may be taken.

        It may where the pool is open.
        """
        return self.is_open and not request.is_closed

    def take(self):
        """Takes one, with everything.

        Returns rows.
        """
        # First look, then take.
        if not self.queue.has_rows():
            return {}, False
        return self.queue.first(), True
'''


def _page(place: str, code: str) -> str:
    return f"```python\n# {FILE}:{place}\n{code}\n```\n"


@pytest.mark.parametrize(
    ("place", "code", "lines", "pairs"),
    [
        # One line, in its place or one off.
        ("2", "share: float = Field(default=0.9, gt=0, le=1)", "L2", [("default=0.9,", "default=0.92,")]),
        ("2-2", "share: float = Field(default=0.92, gt=0, lt=1)", "L2", [("lt=1", "le=1")]),
        ("3", "share: float = Field(default=0.9, gt=0, le=1)", "L2", [("default=0.9,", "default=0.92,")]),
        # A docstring left out, an elision.
        (
            "5-10",
            "def is_ready(self, request):\n    return self.is_open or not request.is_closed",
            "L5-L10",
            [("is_open or not", "is_open and not")],
        ),
        (
            "12-19",
            "def take(self):\n    # ...\n    if not self.queue.has_rows():\n        return {}, True",
            "L12-L19",
            [("return {}, True", "return {}, False")],
        ),
        # Every line a little.
        (
            "2-3",
            "share: float = Field(default=0.9, gt=0, le=1)\nlimit: int = Field(default=8, gt=0)",
            "L2-L3",
            [("default=0.9,", "default=0.92,"), ("default=8", "default=7")],
        ),
    ],
)
def test_a_changed_line_stands_before_its_new_form(
    place: str, code: str, lines: str, pairs: list[tuple[str, str]]
) -> None:
    report = check_page(_page(place, code), {FILE: SOURCE})
    assert [row[1:] for row in summary(report)] == [("changed", "RC102")] * 2
    verdict = only(report, "quote").verdict
    assert f"toy/core.py:{lines} differs" in verdict.message
    (difference,) = [one for one in verdict.evidence if isinstance(one, Difference)]
    shown = [(line.sign, line.text) for line in difference.lines]
    for number, (old, new) in enumerate(pairs):
        at = next(i for i, (sign, text) in enumerate(shown) if sign == "-" and old in text)
        # Lines that follow each other without a gap stand together, the old ones first.
        sign, text = shown[at + len(pairs)]
        assert sign == "+", (number, shown)
        assert new in text, (number, shown)


@pytest.mark.parametrize(
    ("place", "code"),
    [
        ("2", "engine = start(model, size=4)"),
        ("2-3", "for row in rows:\n    row.free()"),
        ("20", "share: float = Field(default=0.9, gt=0, le=1)"),
    ],
)
def test_another_text_is_not_the_cited_one_changed(place: str, code: str) -> None:
    report = check_page(_page(place, code), {FILE: SOURCE})
    assert {row[1] for row in summary(report)} == {"gone"}


def test_nothing_is_alike_on_another_revision() -> None:
    report = check_page(_page("2", "share: float = Field(default=0.9, gt=0, le=1)"), {FILE: SOURCE}, exact=False)
    assert "changed" not in {row[1] for row in summary(report)}


@pytest.mark.parametrize(
    ("code", "verdicts"),
    [
        ("def take(self):\n    if not self.queue.has_rows():\n        return {}, True", {"changed"}),
        ("pool = Pool()\npool.start()\nprint(pool)", {"holds"}),
        ("pool = Pool()\npool.start()\nprint(pool)\npool.stop()\n" * 2, {"holds"}),
    ],
)
def test_below_a_title_an_example_is_no_misquote(code: str, verdicts: set[str]) -> None:
    report = check_page(f"Taking, `{FILE}:12-19`\n\n```python\n{code}\n```\n", {FILE: SOURCE})
    assert {row[1] for row in summary(report)} == verdicts
