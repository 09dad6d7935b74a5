"""`refcheck-report/1` against its schema and the published example's key order."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import jsonschema
import pytest

from refcheck.model.report import Report
from refcheck.render.options import RenderOptions
from refcheck.render.render import render
from tests.render import reports

SCHEMA = json.loads((files("refcheck.render") / "schemas" / "refcheck-report-1.json").read_text("utf-8"))


def as_json(report: Report, **options: Any) -> Any:
    return json.loads(render(report, "json", RenderOptions(**options)))


def check(value: object) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    jsonschema.Draft202012Validator(SCHEMA).validate(value)


@pytest.mark.parametrize(
    "report",
    [reports.full_report(), reports.strict_report(), reports.empty_report(), reports.many_findings(50)],
    ids=["full", "strict", "empty", "many"],
)
@pytest.mark.parametrize("without_code", [False, True], ids=["code", "without-code"])
def test_valid(report: Report, without_code: bool) -> None:
    check(as_json(report, without_code=without_code))


@pytest.mark.parametrize("name", reports.HOSTILE)
def test_valid_with_hostile_text(name: str) -> None:
    check(as_json(reports.hostile_report(reports.HOSTILE[name])))


@pytest.mark.parametrize(
    ("key", "value"),
    [("verdict", "ok"), ("code", "E1"), ("found", {"path": "x"}), ("level", None), ("evidence", {"other": []})],
)
def test_the_schema_refuses_what_it_should(key: str, value: object) -> None:
    report = as_json(reports.full_report())
    report["findings"][0][key] = value
    with pytest.raises(jsonschema.ValidationError):
        check(report)


def test_what_a_consumer_relies_on() -> None:
    report = as_json(reports.full_report())
    assert report["schema"] == "refcheck-report/1"
    assert report["totals"] == {
        "holds": 2,
        "imprecise": 2,
        "moved": 1,
        "changed": 1,
        "gone": 1,
        "contradicted": 2,
        "undecided": 3,
    }
    assert list(report["totals"]) == ["holds", "imprecise", "moved", "changed", "gone", "contradicted", "undecided"]
    assert report["exit"] == 1
    by_id = {f["id"]: f for f in report["findings"]}
    moved = by_id["queue-drain"]
    assert (moved["verdict"], moved["code"], moved["level"]) == ("moved", "RC101", "error")
    assert moved["cited"] == {"path": "alpha/sched/queue.py", "first": 40, "last": 41, "symbol": None}
    assert moved["found"] == {"path": "alpha/sched/queue.py", "first": 52, "last": 53, "symbol": "Queue.drain"}
    assert by_id["C061"]["cited"] is None
    assert by_id["C061"]["source"] is None
    assert by_id["C061"]["evidence"] == {}
    assert by_id["C010"]["evidence"]["comparisons"] == [
        {"what": "default of Config.max_items", "expected": "64", "found": "128"}
    ]
    assert by_id["limit-line"]["evidence"]["differences"][0]["lines"][2] == {
        "sign": "+",
        "text": "    limit = max(0, self.budget - self.used)",
        "line": 71,
    }
    assert {"id": "C061", "why": "needs the optional extra `transformers`"} in report["not_judged"]


def test_values_come_through_unchanged_but_for_bytes_that_are_no_text() -> None:
    for name, text in reports.HOSTILE.items():
        message = as_json(reports.hostile_report(text))["findings"][0]["message"]
        if name == "not utf-8":
            assert message == "caf\\xe9"
        else:
            assert message == text


def test_the_file_is_ascii_without_log_commands() -> None:
    for text in reports.HOSTILE.values():
        out = render(reports.hostile_report(text), "json")
        assert out.isascii()
        assert out.replace("\n", "").isprintable()
        assert "##[" not in out
        assert "##vso" not in out


def test_without_code_there_is_none() -> None:
    report = reports.full_report()
    text = render(report, "json", RenderOptions(without_code=True))
    for code in ("self.items", "self.budget", "queue.push(item)", "max_items: int", "raise Full", "return self"):
        assert code in render(report, "json")
        assert code not in text
    kept = json.loads(text)
    assert kept["totals"] == report.totals()
    assert [f["fingerprint"] for f in kept["findings"]] == [f["fingerprint"] for f in as_json(report)["findings"]]
