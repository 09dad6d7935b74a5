"""Strict and generous checks, faults of an edition, and texts taken out of the words."""

from __future__ import annotations

import pytest

from refcheck.claims.check import check_claim, paths_of, validate_claims
from refcheck.claims.context import Context
from refcheck.claims.stated_text import from_words
from refcheck.config.edition import ClaimEntry
from refcheck.errors import ConfigurationError
from refcheck.locate.reader import TreeReader
from refcheck.model.verdict import Undecided, verdict_name
from tests.support.trees import MemoryTree

FILES = {"toy/queue.py": "class Queue:\n    limit: int = 4\n    size: int = 2\n"}
AT = {"kind": "default", "engine": "toy", "path": "toy/queue.py"}
LIMIT = {**AT, "symbol": "Queue.limit", "default": "4"}
WRONG = {**LIMIT, "default": "5"}
OUTSIDE = {"kind": "outside", "needs": "a stopwatch"}


def claim(check: dict[str, object], generous: dict[str, object] | None = None, **more: str) -> ClaimEntry:
    return ClaimEntry("Q1", ("by default = 4",), check, generous, origin="toy.yaml:7", **more)


def context(words: str | None = "by default = 4", carried: tuple[str, ...] | None = None) -> Context:
    return Context({"toy": TreeReader(MemoryTree(FILES, carried=carried))}, words=words)


@pytest.mark.parametrize(
    ("strict", "generous", "verdict"),
    [
        (LIMIT, None, "holds"),
        (LIMIT, WRONG, "holds"),
        (WRONG, LIMIT, "imprecise"),
        (WRONG, {**WRONG, "default": "6"}, "contradicted"),
        (WRONG, None, "contradicted"),
        (WRONG, OUTSIDE, "undecided"),
        ({**LIMIT, "symbol": "Queue.lost"}, LIMIT, "gone"),
        (OUTSIDE, LIMIT, "undecided"),
    ],
)
def test_strict_and_generous(strict: dict[str, object], generous: dict[str, object] | None, verdict: str) -> None:
    assert verdict_name(check_claim(claim(strict, generous), context())) == verdict


def test_imprecise_says_why_and_shows_both() -> None:
    found = check_claim(claim(WRONG, LIMIT, because="only by half"), context())
    assert found.message.startswith("only by half; strictly: ")
    assert len(found.evidence) == 3


def test_an_engine_without_a_tree_is_undecided_with_the_reason() -> None:
    found = check_claim(claim(LIMIT), Context({}, missing={"toy": "the remote refused"}))
    assert isinstance(found, Undecided)
    assert "the remote refused" in found.message


def test_a_file_that_the_archive_does_not_carry_is_undecided_not_gone() -> None:
    docs = {"kind": "text", "engine": "toy", "path": "docs/guide.md", "says": ["x"]}
    assert verdict_name(check_claim(claim(docs), context())) == "gone"
    assert verdict_name(check_claim(claim(docs), context(carried=("toy/",)))) == "undecided"


def test_texts_out_of_the_words() -> None:
    stated = {**LIMIT, "default": {"words": "= (.+)"}}
    assert verdict_name(check_claim(claim(stated), context("by default = 4"))) == "holds"
    assert verdict_name(check_claim(claim(stated), context("by default = 3"))) == "contradicted"
    assert verdict_name(check_claim(claim(stated), context("by default 3"))) == "undecided"
    assert from_words({"a": [{"words": r"(\d+) of (\d+)", "as": r"\2-\1"}]}, "3 of 4") == {"a": ["4-3"]}


@pytest.mark.parametrize(
    ("check", "fault"),
    [
        ({"kind": "defualt"}, "defualt"),
        ({**LIMIT, "symbl": "x"}, "did you mean 'symbol'"),
        ({"kind": "default", "engine": "toy"}, "`path` is missing"),
        ({**LIMIT, "default": 4}, "default must be text"),
        ({"kind": "all-of", "checks": [{**LIMIT, "pth": "x"}]}, "did you mean 'path'"),
        ({"kind": "all-of", "checks": ["x"]}, "needs a `kind`"),
    ],
)
def test_an_ill_formed_check_is_an_error_with_its_place(check: dict[str, object], fault: str) -> None:
    with pytest.raises(ConfigurationError) as raised:
        validate_claims([claim(check)])
    assert "toy.yaml:7" in str(raised.value)
    assert "Q1" in str(raised.value)
    assert fault in str(raised.value)


@pytest.mark.parametrize(
    "check",
    [
        {**LIMIT, "default": "4 +"},
        {**AT, "symbol": "Queue.limit"},
        {**LIMIT, "default": {"words": "= (.+"}},
        {"kind": "universal", "engine": "toy", "scope": ["toy/"], "classes": "(", "names": ["x"]},
        {"kind": "universal", "engine": "toy", "scope": ["toy/"], "names": ["x"]},
        {"kind": "nothing", "engine": "toy", "mentions": ["x"]},
        {"kind": "evaluate", "engine": "toy", "given": {"x": 1}},
        {"kind": "signature", "engine": "toy", "path": "toy/queue.py", "symbol": "Queue", "present": ["a b"]},
    ],
)
def test_a_check_that_says_nothing_sensible_is_an_error_that_names_the_claim(check: dict[str, object]) -> None:
    validate_claims([claim(check)])
    with pytest.raises(ConfigurationError, match="Q1"):
        check_claim(claim(check), context())


def test_files_of_checks_inside_checks_are_named() -> None:
    universal = {"kind": "universal", "engine": "toy", "scope": ["toy/"], "classes": "Q.*", "names": ["limit"]}
    paths, scopes = paths_of([claim({"kind": "all-of", "checks": [LIMIT, universal]}, OUTSIDE)])
    assert paths == {"toy": {"toy/queue.py"}}
    assert scopes == {"toy": {"toy/"}}


def test_a_definition_that_cannot_be_parsed_is_named_by_the_file_s_own_line() -> None:
    files = {
        "toy/plan.py": "import x\n\n\ndef size(n):\n    # twice\n    return n * * 2\n\n\ndef other(n):\n    return n\n"
    }
    check = {
        "kind": "evaluate",
        "engine": "toy",
        "run": {"path": "toy/plan.py", "symbol": "size", "arguments": [3]},
        "expect": {"result": 6},
    }
    found = check_claim(claim(check), Context({"toy": TreeReader(MemoryTree(files))}))
    assert isinstance(found, Undecided)
    assert "toy/plan.py:6 cannot be parsed" in found.message
