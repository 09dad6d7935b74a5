"""What a committed report leaves out, and what it must keep."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from refcheck.model import codes
from refcheck.model.evidence import Comparison, Note, Values
from refcheck.model.report import Finding, FindingKind
from refcheck.model.verdict import Holds, Imprecise
from refcheck.render.options import RenderOptions
from refcheck.render.render import format_names, render
from tests.render import reports

OPTIONS = RenderOptions(reproducible=True, verbose=True)


@pytest.mark.parametrize("name", format_names())
def test_how_the_trees_were_reached_changes_nothing(name: str) -> None:
    report = reports.full_report()
    other = replace(
        report,
        sources=tuple(
            replace(s, why="from the store", received_bytes=7, notes=("mirror: not asked",)) for s in report.sources
        ),
    )
    assert render(report, name, OPTIONS) == render(other, name, OPTIONS)
    assert render(report, name, replace(OPTIONS, reproducible=False)) != render(
        other, name, replace(OPTIONS, reproducible=False)
    ) or name in ("line", "github")


def test_what_was_read_stays() -> None:
    text = render(reports.full_report(), "json", OPTIONS)
    assert "release:0.5.18" in text
    assert [source["why"] for source in json.loads(text)["sources"]] == ["as asked for", "the nearest release"]
    assert "beta-0.5.18.tar.gz" in text
    assert "sha256:" + "ab" * 32 in text


def test_rounding_noise_is_the_same_on_every_processor() -> None:
    def report(noise: str) -> str:
        finding = Finding(
            "C1",
            FindingKind.CLAIM,
            Holds(
                f"differ by {noise} at most, not 1.5e-03",
                evidence=(Comparison("error", "0", noise), Values((("worst", noise),)), Note(f"at most {noise}")),
            ),
        )
        return render(replace(reports.full_report(), findings=(finding,)), "json", OPTIONS)

    assert report("5.2e-16") == report("1.0e-15") == report("4.4e-07")
    assert report("5.2e-16") != report("5.2e-06")
    assert "differ by <1e-06 at most, not 1.5e-03" in report("5.2e-16")


@pytest.mark.parametrize("kept", ["1e-6", "3.2e-03", "a1.5e-16", "1.23e-05", "8.03e9", "release-0.1e-100x"])
def test_other_figures_and_names_stay(kept: str) -> None:
    finding = Finding("C1", FindingKind.CLAIM, Imprecise(f"it is {kept} here", codes.IMPRECISE_NUMBER))
    assert f"it is {kept} here" in render(replace(reports.full_report(), findings=(finding,)), "line", OPTIONS)


def test_totals_and_verdicts_are_the_same() -> None:
    totals = re.compile(r'"totals": \{[^}]*\}')
    report = reports.full_report()
    assert totals.findall(render(report, "json")) == totals.findall(render(report, "json", OPTIONS)) != []
