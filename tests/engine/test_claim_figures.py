"""A page that changes a figure of a claim is judged by its own figure, or not at all: never by the recorded one."""

from __future__ import annotations

import pytest

from refcheck.config.edition import ClaimEntry, Edition
from refcheck.model.verdict import verdict_name
from tests.engine.pages import check_page

FILE = "toy/queue.py"
SOURCE = "class Queue:\n    limit: int = 4\n    size: int = 2\n"
CHECK = {"kind": "default", "engine": "toy", "path": FILE, "symbol": "Queue.limit", "default": "4"}
WORDS = "each queue of 2 places has a limit, which is the usual one since 2024"


def verdict_on(page: str) -> tuple[str, str]:
    edition = Edition("toy", "Toy", "2024-01-01", (), (), (ClaimEntry("Q1", (WORDS,), CHECK, origin="toy.yaml:1"),))
    report = check_page(page + "\n", {FILE: SOURCE}, edition=edition)
    (finding,) = report.findings
    return verdict_name(finding.verdict), finding.verdict.message


def test_the_recorded_words_are_judged() -> None:
    assert verdict_on(WORDS)[0] == "holds"


@pytest.mark.parametrize("page", [WORDS.replace("2 places", "3 places"), WORDS.replace("2024", "2023")])
def test_a_figure_that_the_check_does_not_look_at_is_not_said_to_hold(page: str) -> None:
    verdict, message = verdict_on(page)
    assert verdict == "undecided"
    assert "does not look at that figure" in message


def test_the_same_figure_in_other_digits_is_the_same() -> None:
    assert verdict_on(WORDS.replace("2 places", "2.0 places"))[0] == "holds"
