"""External references: looked up only when asked, undecided where they cannot be reached."""

from __future__ import annotations

import pytest

from refcheck.claims.check import run_check
from refcheck.claims.context import Context
from refcheck.claims.kinds import link
from refcheck.model import codes
from refcheck.model.verdict import Undecided, verdict_name

CLAIM = {"kind": "link", "url": "https://toy.org/1", "title": "The Queue: A “Second” Life"}
PAGE = "<html><title>\n [1] The Queue: A &#8220;Second&#8221; Life\n</title><body>…</body></html>"


def answer(monkeypatch: pytest.MonkeyPatch, page: str | Exception) -> None:
    def fetch(url: str) -> str:
        assert url == CLAIM["url"]
        if isinstance(page, Exception):
            raise page
        return page

    monkeypatch.setattr(link, "_fetch", fetch)


def test_nothing_is_looked_up_unless_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, AssertionError("looked up"))
    verdict = run_check(CLAIM, Context({}))
    assert isinstance(verdict, Undecided)
    assert verdict.code is codes.OPTIONAL


@pytest.mark.parametrize(
    ("page", "verdict"),
    [
        (PAGE, "holds"),
        (PAGE.replace("Second", "Third"), "contradicted"),
        ("<html></html>", "contradicted"),
        (TimeoutError("no answer"), "undecided"),
        (OSError("no route"), "undecided"),
    ],
)
def test_the_title_is_compared(monkeypatch: pytest.MonkeyPatch, page: str | Exception, verdict: str) -> None:
    answer(monkeypatch, page)
    assert verdict_name(run_check(CLAIM, Context({}, check_links=True))) == verdict


def test_what_a_look_up_does_not_decide_stays_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    answer(monkeypatch, PAGE)
    verdict = run_check({**CLAIM, "by_hand": "Section 2 is about life"}, Context({}, check_links=True))
    assert isinstance(verdict, Undecided)
    assert verdict.code is codes.NOT_CHECKABLE
    assert "Section 2" in verdict.message


def test_only_https_is_looked_up() -> None:
    verdict = run_check({**CLAIM, "url": "file:///etc/passwd"}, Context({}, check_links=True))
    assert isinstance(verdict, Undecided)
    assert "https" in verdict.message
