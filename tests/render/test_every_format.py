"""What holds for every format: the same totals, the same bytes, and no text of strangers that does anything."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from refcheck.errors import UsageError
from refcheck.model.report import Report
from refcheck.render.options import RenderOptions
from refcheck.render.render import format_names, load_format, render
from tests.render import reports

FORMATS = ("github", "html", "json", "junit", "line", "markdown", "sarif", "terminal")
NAMES = ("holds", "imprecise", "moved", "changed", "gone", "contradicted", "undecided")


def test_the_formats_are_found_by_the_registry() -> None:
    assert format_names() == FORMATS
    assert [load_format(name).name for name in FORMATS] == list(FORMATS)
    with pytest.raises(UsageError, match="known: github, html"):
        render(reports.empty_report(), "pdf")


def _from_json(text: str) -> list[int]:
    return list(json.loads(text)["totals"].values())


def _from_sarif(text: str) -> list[int]:
    run = json.loads(text)["runs"][0]
    counted = Counter(result["properties"]["verdict"] for result in run["results"])
    assert {name: counted[name] for name in NAMES} == run["properties"]["totals"]
    return list(run["properties"]["totals"].values())


def _from_junit(text: str) -> list[int]:
    root = ElementTree.fromstring(text)
    first = root.find("testsuite/properties")
    assert first is not None
    values = {p.get("name"): int(p.get("value") or "") for p in first if (p.get("name") or "").startswith("total.")}
    assert int(root.get("tests") or "") == sum(values.values()) == len(root.findall(".//testcase"))
    return [values[f"total.{name}"] for name in NAMES]


def _from_html(text: str) -> list[int]:
    counted = Counter(re.findall(r'<article class="finding v-(\w+)"', text))
    stated = dict(re.findall(r'<a href="#\?verdict=(\w+)"><span class="count">(\d+)</span>', text))
    assert stated == {name: str(counted[name]) for name in NAMES}
    return [counted[name] for name in NAMES]


def _from_terminal(text: str) -> list[int]:
    """The last line but one: the verdicts that there are."""
    stated = dict(part.split(" ") for part in text.splitlines()[-2].split(", "))
    assert set(stated) <= set(NAMES)
    assert "0" not in stated.values()
    return [int(stated.get(name, 0)) for name in NAMES]


def _from_words(text: str) -> list[int]:
    found = re.findall(
        r"holds (\d+), imprecise (\d+), moved (\d+), changed (\d+), gone (\d+), contradicted (\d+), undecided (\d+)",
        text,
    )
    assert len(found) == 1
    return [int(number) for number in found[0]]


def _from_markdown(text: str) -> list[int]:
    row = next(line for line in text.splitlines() if re.fullmatch(r"\| \d+( \| \d+){6} \|", line))
    return [int(number) for number in re.findall(r"\d+", row)]


def _from_line(text: str) -> list[int]:
    counted = Counter(re.findall(r": RC\d{3} (\w+): ", text))
    return [counted[name] for name in NAMES]


TOTALS: dict[str, Callable[[str], list[int]]] = {
    "github": _from_words,
    "html": _from_html,
    "json": _from_json,
    "junit": _from_junit,
    "line": _from_line,
    "markdown": _from_markdown,
    "sarif": _from_sarif,
    "terminal": _from_terminal,
}


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "report",
    [reports.full_report(), reports.strict_report(), reports.many_findings(40)],
    ids=["full", "strict", "many"],
)
def test_the_same_totals(name: str, report: Report) -> None:
    text = render(report, name, RenderOptions(verbose=True))
    assert TOTALS[name](text) == list(report.totals().values())


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_bytes_whatever_the_order_of_the_findings(name: str) -> None:
    report = reports.full_report()
    backwards = replace(report, findings=tuple(reversed(report.findings)))
    assert render(report, name) == render(backwards, name) == render(report, name)


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("report", [reports.full_report(), reports.empty_report()], ids=["full", "empty"])
def test_every_line_ends_with_one_line_feed(name: str, report: Report) -> None:
    text = render(report, name)
    assert "\r" not in text
    assert text.endswith("\n") or text == ""
    assert not text.endswith("\n\n") or name == "markdown"


@pytest.mark.parametrize("name", FORMATS)
def test_without_code_there_is_none(name: str) -> None:
    text = render(reports.full_report(), name, RenderOptions(without_code=True, verbose=True))
    for code in ("self.items", "self.budget", "queue.push(item)", "max_items: int", "raise Full"):
        assert code not in text


UNSEEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffe\uffff]")


@pytest.mark.parametrize("options", [RenderOptions(), RenderOptions(verbose=True)], ids=["default", "verbose"])
@pytest.mark.parametrize("text", reports.HOSTILE)
@pytest.mark.parametrize("name", FORMATS)
def test_hostile_text_stays_text(name: str, text: str, options: RenderOptions) -> None:
    out = render(reports.hostile_report(reports.HOSTILE[text]), name, options)
    out.encode("utf-8")
    assert not UNSEEN.search(out), "a control came through"
    # The runner reads `::command` at the start of a line (white space aside), `##[command]` anywhere in it.
    if name != "github":
        assert not [line for line in out.splitlines() if line.lstrip().startswith("::")]
    else:
        assert all(re.match(r"::(error|warning|notice) [^:]*::", line) for line in out.splitlines())
    assert not re.search(r"##\w*\[", out)


@pytest.mark.parametrize("text", reports.HOSTILE)
def test_hostile_text_is_well_formed_xml(text: str) -> None:
    root = ElementTree.fromstring(render(reports.hostile_report(reports.HOSTILE[text]), "junit"))
    assert len(root.findall(".//testcase")) == 8
    assert {element.tag for element in root.iter()} <= {
        "testsuites", "testsuite", "properties", "property", "testcase", "failure", "skipped", "system-out",
    }  # fmt: skip


def test_a_terminal_gets_no_escape_sequence_but_its_own() -> None:
    for text in reports.HOSTILE.values():
        out = render(reports.hostile_report(text), "terminal", RenderOptions(color=True, width=80))
        assert not UNSEEN.search(re.sub(r"\x1b\[[0-9;]+m", "", out))


def test_rich_markup_is_not_interpreted() -> None:
    out = render(reports.hostile_report(reports.HOSTILE["rich markup"]), "terminal", RenderOptions(color=True))
    assert "[bold red]owned[/]" in out
