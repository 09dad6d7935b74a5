"""Faults of an edition's file: each is refused with its file and line, and what is right is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from refcheck.config.edition import Edition, load_edition
from refcheck.errors import ConfigurationError

CLAIM = """\
claims:
  - id: Q1
    words: [it holds 4]
    check: {kind: default, engine: toy, path: toy/queue.py, symbol: Queue.limit, default: "4"}
"""


def load(folder: Path, date: str = "2026-01-02", claims: str = CLAIM) -> Edition:
    head = f'schema: refcheck-edition/1\nname: toy\ndate: {date}\npins:\n  toy: {{commit: "{"a" * 40}"}}\n'
    file = folder / "toy.yaml"
    file.write_text(head + claims, encoding="utf-8")
    return load_edition(file)


@pytest.mark.parametrize("date", ["2026-01-02", '"2026-01-02"'])
def test_a_day_is_read(tmp_path: Path, date: str) -> None:
    assert load(tmp_path, date).date == "2026-01-02"


@pytest.mark.parametrize("date", ["tomorrow", "2026", '"2026-02-30"', "2026-01-02 10:00:00", '"2026-1-2"', "[2026]"])
def test_what_is_no_day_is_refused(tmp_path: Path, date: str) -> None:
    with pytest.raises(ConfigurationError, match=r"toy\.yaml:3: edition: date must be a day"):
        load(tmp_path, date)


@pytest.mark.parametrize("words", ["[]", '[""]', '" "', "[3]"])
def test_words_that_say_nothing_are_refused(tmp_path: Path, words: str) -> None:
    with pytest.raises(ConfigurationError, match=r"toy\.yaml:8: claim Q1: .*words"):
        load(tmp_path, claims=CLAIM.replace("[it holds 4]", words))


def test_a_claim_without_words_is_read(tmp_path: Path) -> None:
    assert load(tmp_path, claims=CLAIM.replace("    words: [it holds 4]\n", "")).claims[0].words == ()


@pytest.mark.parametrize(
    "claims",
    [
        CLAIM.replace("engine: toy", "engine: tyo"),
        CLAIM + '    generous: {kind: default, engine: tyo, path: a.py, symbol: A.b, default: "4"}\n',
        CLAIM.replace("check: {", "check: {kind: all-of, checks: [{").replace('"4"}', '"4"}]}').replace("toy,", "tyo,"),
    ],
)
def test_an_engine_without_a_pin_is_refused(tmp_path: Path, claims: str) -> None:
    with pytest.raises(ConfigurationError, match=r"toy\.yaml:\d+: claim Q1: no pin for engine 'tyo'"):
        load(tmp_path, claims=claims)
