"""`refcheck explain`."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from refcheck.cli.explain import command, find_code
from refcheck.errors import UsageError
from refcheck.model.codes import CODES


@pytest.mark.parametrize("code", CODES)
def test_every_code_says_what_it_means_and_what_to_do(code: str) -> None:
    result = CliRunner().invoke(command, [code])
    assert result.exit_code == 0
    assert result.output.startswith(f"{code}: {CODES[code].title}\n")
    assert "What to do: " in result.output
    assert ("Example:" in result.output) == (code != "RC000")
    assert max(map(len, result.output.splitlines())) <= 80 or code in {
        c.id for c in CODES.values() if any(len(line) > 76 for line in c.example.splitlines())
    }


@pytest.mark.parametrize("written", ["RC104", "rc104", "104", " RC104 "])
def test_a_code_may_be_written_in_several_ways(written: str) -> None:
    assert find_code(written).id == "RC104"


@pytest.mark.parametrize("written", ["RC199", "banana", "", "1044"])
def test_an_unknown_code_names_the_known(written: str) -> None:
    with pytest.raises(UsageError, match="RC101"):
        find_code(written)


def test_all_are_listed_without_an_argument() -> None:
    lines = CliRunner().invoke(command, []).output.splitlines()
    assert [line.split()[0] for line in lines[: len(CODES)]] == list(CODES)


def test_json_has_every_code() -> None:
    value = json.loads(CliRunner().invoke(command, ["--format", "json"]).output)
    assert value["schema"] == "refcheck-codes/1"
    assert [entry["id"] for entry in value["codes"]] == list(CODES)
    assert all(entry["meaning"] and entry["remedy"] for entry in value["codes"])


def test_markdown_pages() -> None:
    text = CliRunner().invoke(command, ["--format", "markdown", "RC101", "RC102"]).output
    assert text.count("\n## RC") == 1
    assert text.startswith("## RC101: moved\n")
