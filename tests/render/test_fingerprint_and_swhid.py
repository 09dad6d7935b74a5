"""Identities that outlive edits and hosts."""

from __future__ import annotations

from dataclasses import replace

import pytest

from refcheck.model import codes
from refcheck.model.fingerprint import finding_fingerprint, fingerprints
from refcheck.model.place import LineRange, Place
from refcheck.model.report import Finding
from refcheck.model.swhid import content_swhid
from refcheck.model.verdict import Moved
from tests.render import reports

BY_ID: dict[str, Finding] = {f.id: f for f in reports.full_report().findings}
DRAIN = BY_ID["queue-drain"]
assert isinstance(DRAIN.verdict, Moved)
assert DRAIN.cited is not None

SAME = {
    "lines above were added to the page": replace(DRAIN, line=99, column=3, end_line=99, end_column=30),
    "the cited numbers were rewritten": replace(
        DRAIN,
        cited=replace(DRAIN.cited, lines=LineRange(44, 47)),
        words="It is drained in queue.py:L44-L47 before the worker stops.",
    ),
    "numbers without an L": replace(DRAIN, words="It is drained in queue.py:44-47 before the worker stops."),
    "the engine's code moved on": replace(
        DRAIN, verdict=replace(DRAIN.verdict, message="other", found=Place("alpha/other.py", LineRange(1, 4), "Q.d"))
    ),
    "the paragraph was wrapped anew": replace(
        DRAIN, words="It is drained in\n  queue.py:L40-L43 before the worker stops."
    ),
    "the block was indented": replace(DRAIN, quoted=tuple(f"    {line}" for line in DRAIN.quoted)),
    "the page was renamed": replace(DRAIN, document="docs/other.html"),
    "its id is a place": replace(DRAIN, id="docs/chapter.html:99:3"),
    "another tree of the run": replace(DRAIN, source=1, permalink=None),
}
OTHER = {
    "other words": replace(DRAIN, words="It is emptied in queue.py:L40-L43 before the worker stops."),
    "another figure in the words": replace(DRAIN, words="It is drained in 3 steps"),
    "other quoted lines": replace(DRAIN, quoted=("while True:",)),
    "another file": replace(DRAIN, cited=replace(DRAIN.cited, path="alpha/sched/list.py")),
    "another engine": replace(DRAIN, engine="beta"),
    "another code": replace(DRAIN, verdict=replace(DRAIN.verdict, code=codes.CHANGED)),
}


@pytest.mark.parametrize("name", SAME)
def test_the_same_finding(name: str) -> None:
    assert finding_fingerprint(SAME[name]) == finding_fingerprint(DRAIN)


@pytest.mark.parametrize("name", OTHER)
def test_another_finding(name: str) -> None:
    assert finding_fingerprint(OTHER[name]) != finding_fingerprint(DRAIN)


def test_claims_with_the_same_words_are_told_apart_by_id() -> None:
    claim = BY_ID["C010"]
    assert finding_fingerprint(claim) != finding_fingerprint(replace(claim, id="C099"))


def test_repeats_in_a_document_are_numbered_and_other_documents_are_not() -> None:
    again = replace(DRAIN, line=200)
    elsewhere = replace(DRAIN, document="docs/other.html")
    first, second, third = fingerprints([DRAIN, again, elsewhere])
    assert second == f"{first}-2"
    assert third == first


def test_swhid_in_the_order_of_the_specification() -> None:
    assert content_swhid(
        reports.BLOB,
        path="alpha/sched/queue.py",
        lines=LineRange(20, 23),
        origin="https://example.org/alpha/alpha.git",
        commit=reports.COMMIT,
    ) == (
        f"swh:1:cnt:{reports.BLOB};origin=https://example.org/alpha/alpha.git;anchor=swh:1:rev:{reports.COMMIT};"
        "path=/alpha/sched/queue.py;lines=20-23"
    )


def test_swhid_forms() -> None:
    blob = reports.BLOB
    assert content_swhid(blob) == f"swh:1:cnt:{blob}"
    assert content_swhid(blob, lines=LineRange(9, 9)) == f"swh:1:cnt:{blob};lines=9"
    assert content_swhid(blob, path="a;b %.py", commit=reports.COMMIT).endswith(";path=/a%3Bb%20%25.py")
    assert content_swhid(blob, path="ä.py", tree=reports.OTHER).endswith(
        f";anchor=swh:1:dir:{reports.OTHER};path=/%C3%A4.py"
    )
    assert "path" not in content_swhid(blob, path="a.py")
    assert content_swhid(blob, origin="https://example.org/a;b").endswith(";origin=https://example.org/a%3Bb")


@pytest.mark.parametrize("blob", ["", "abc", "C0FFEE" + "0" * 34, "0" * 64])
def test_swhid_refuses_what_is_no_sha1(blob: str) -> None:
    with pytest.raises(ValueError, match="SHA-1"):
        content_swhid(blob)
