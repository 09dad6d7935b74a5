"""The terminal report and the one-line format."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from refcheck.model import codes
from refcheck.model.evidence import Comparison
from refcheck.model.report import Finding, FindingKind
from refcheck.model.verdict import VERDICT_NAMES, Contradicted, Imprecise, Level, Undecided
from refcheck.render.options import RenderOptions
from refcheck.render.paper import cells, fit, wrap
from refcheck.render.render import render
from tests.render import reports


def lines_of(report: object, **options: object) -> list[str]:
    return render(report, "terminal", RenderOptions(**options)).splitlines()  # type: ignore[arg-type]


def test_what_was_read_stands_at_the_top() -> None:
    text = "\n".join(lines_of(reports.full_report())[:6])
    assert reports.COMMIT in text
    assert f"release:0.5.18, not the pin {reports.OTHER}" in text
    assert "nearest release" in text


def test_what_holds_is_one_line_each() -> None:
    lines = lines_of(reports.full_report())
    assert "✓ holds  queue-push  alpha alpha/sched/queue.py:20-23 Queue.push" in lines


def test_a_problem_shows_where_what_and_the_difference() -> None:
    text = "\n".join(lines_of(reports.full_report()))
    assert "alpha/sched/queue.py:40-41 → 52-53 in Queue.drain" in text
    assert "-     limit = self.budget - self.used" in text
    assert "71 +     limit = max(0, self.budget - self.used)" in text
    assert "default of Config.max_items: stated 64, found 128" in text
    assert "candidate: beta/b.py:33 in B.get" in text
    assert "twin: beta/cpu/worker.py:90-99 in CpuWorker.wake" in text


@pytest.mark.parametrize("width", [40, 80, 100])
@pytest.mark.parametrize("verbose", [False, True], ids=["default", "verbose"])
def test_nothing_but_links_is_wider_than_the_terminal(width: int, verbose: bool) -> None:
    for line in lines_of(reports.full_report(), width=width, verbose=verbose):
        assert cells(line) <= width or "https://" in line or "swh:1:" in line, line


def test_a_pipe_cuts_nothing() -> None:
    report = reports.full_report()
    long = replace(report.findings[0], id="x" * 100)
    assert any("x" * 100 in line for line in lines_of(replace(report, findings=(long,))))


def test_quiet_leaves_out_what_holds_and_verbose_adds_links() -> None:
    quiet = "\n".join(lines_of(reports.full_report(), quiet=True))
    assert "queue-push" not in quiet
    assert "queue-drain" in quiet
    verbose = "\n".join(lines_of(reports.full_report(), verbose=True))
    assert f"swh:1:cnt:{reports.BLOB}" in verbose
    assert "The queue refuses an item when it is full:" in verbose


def test_reasons_are_grouped_and_counted() -> None:
    lines = lines_of(reports.full_report())
    at = lines.index("Not judged: 3")
    assert lines[at + 1] == "    2  RC410 needs an optional part"
    assert lines[at + 2].strip() == "needs the optional extra `transformers`"
    assert lines[at + 3].strip() == "C061, C062"


def test_reasons_of_one_code_stand_together_and_do_not_repeat_its_title() -> None:
    def undecided(name: str, why: str, code: codes.Code) -> Finding:
        return Finding(name, FindingKind.CLAIM, Undecided(why, code))

    findings = (
        undecided("C9", "not checkable here: it needs a trained model", codes.NOT_CHECKABLE),
        undecided("C10", "written for a1b2, and release:1 was read", codes.NOT_AT_THIS_REVISION),
        undecided("C2", "written for a1b2, and release:1 was read", codes.NOT_AT_THIS_REVISION),
        undecided("C1", "written for c3d4, and release:2 was read", codes.NOT_AT_THIS_REVISION),
    )
    lines = lines_of(replace(reports.full_report(), findings=findings, not_judged=()))
    at = lines.index("Not judged: 4")
    assert lines[at + 1 : at + 7] == [
        "    3  RC402 not judged on this revision",
        "       written for a1b2, and release:1 was read",
        "         C2, C10",
        "       C1  written for c3d4, and release:2 was read",
        "    1  RC406 not checkable here",
        "       C9  it needs a trained model",
    ]
    assert lines[-1] == "4 findings, 0 errors, 4 warnings (4 of them not judged); exit 1"


def test_what_is_wrong_stands_last_above_the_totals_and_what_holds_first() -> None:
    lines = lines_of(reports.full_report())
    heads = [line for line in lines if re.match(r"(Holds|Not judged|Warnings|Errors): ", line)]
    assert [head.split(":")[0] for head in heads] == ["Holds", "Not judged", "Warnings", "Errors"]
    assert heads[-1] == "Errors: 1 moved, 1 changed, 1 gone, 1 contradicted"
    last_title = [line for line in lines if re.match(r"\S \w+  RC\d{3}  ", line)][-1]
    assert "  error" in last_title


def test_the_words_of_the_page_stand_beside_what_is_wrong() -> None:
    report = reports.full_report()
    finding = next(f for f in report.findings if isinstance(f.verdict, Contradicted))
    text = "\n".join(lines_of(replace(report, findings=(replace(finding, words="so it\n says " * 60),))))
    assert "the page: so it says so it says" in text
    assert max(len(line) for line in text.splitlines() if "so it says" in line) < 300


def test_evidence_of_claims_that_are_no_errors_is_for_verbose() -> None:
    finding = Finding(
        "C5",
        FindingKind.CLAIM,
        Imprecise("the figure is cut off", codes.IMPRECISE_NUMBER, evidence=(Comparison("size", "7", "7.6"),) * 2),
    )
    report = replace(reports.full_report(), findings=(finding,), not_judged=())
    assert "found 7.6" not in "\n".join(lines_of(report))
    assert "\n".join(lines_of(report, verbose=True)).count("found 7.6") == 1
    wrong = replace(finding, level_override=Level.ERROR)
    assert "\n".join(lines_of(replace(report, findings=(wrong,)))).count("found 7.6") == 1


def test_colour_only_when_asked_for() -> None:
    assert "\x1b" not in render(reports.full_report(), "terminal")
    painted = render(reports.full_report(), "terminal", RenderOptions(color=True))
    assert re.sub(r"\x1b\[[0-9;]*m", "", painted) == render(reports.full_report(), "terminal")
    assert "\x1b[32m✓ holds\x1b[0m" in painted


@pytest.mark.parametrize("encoding", ["cp1252", "cp437", "ascii", "shift_jis", "no-such-encoding"])
def test_code_pages_without_the_signs_get_ascii_ones(encoding: str) -> None:
    text = render(reports.full_report(), "terminal", RenderOptions(encoding=encoding))
    assert "+ holds  queue-push" in text
    assert ":40-41 -> 52-53" in text or encoding in ("cp437", "shift_jis")
    if encoding != "no-such-encoding":
        assert text.encode(encoding)
    else:
        assert text.isascii()


def test_the_verdict_is_a_word_not_only_a_colour_or_sign() -> None:
    text = render(reports.full_report(), "terminal")
    for name in VERDICT_NAMES.values():
        assert re.search(rf"^\S {name}  ", text, re.MULTILINE), name


def test_wide_characters_take_two_columns() -> None:
    assert cells("漢字x") == 5
    assert fit("漢字漢字", 5, "…") == "漢字…"
    assert fit("abcdef", 4, "…", keep_end=True) == "…def"
    assert wrap("aa bb cc", 5) == ["aa bb", "cc"]
    assert wrap("abcdefgh", 3) == ["abc", "def", "gh"]


def test_two_trees_of_one_engine_are_told_apart() -> None:
    report = reports.full_report()
    second = replace(report.sources[0], pin=reports.OTHER, read=reports.OTHER)
    text = render(replace(report, sources=(report.sources[0], second)), "terminal")
    assert "alpha@0123456789 alpha/sched/queue.py:20-23" in text


def test_line_format_is_what_editors_parse() -> None:
    lines = render(reports.full_report(), "line").splitlines()
    assert lines[0] == ("docs/chapter.html:30:1: RC101 moved: the text is intact 12 lines further down [queue-drain]")
    assert all(re.match(r"[^:]+:\d+:\d+: RC\d{3} \w+: .+ \[.+\]", line) for line in lines)
    assert len(lines) == len(reports.full_report().problems())


def test_line_format_names_the_edition_file_where_there_is_no_document() -> None:
    text = render(reports.full_report(), "line", RenderOptions(edition_file="anchors/decode-loop.yaml"))
    assert "anchors/decode-loop.yaml:1:1: RC410 undecided:" in text


@pytest.mark.parametrize("path", ["/srv/site-packages/anchors/decode-loop.yaml", "C:\\x\\decode-loop.yaml"])
def test_the_place_of_an_installed_edition_is_not_told(path: str) -> None:
    for name in ("line", "sarif", "junit", "github"):
        text = render(reports.full_report(), name, RenderOptions(edition_file=path))
        assert "site-packages" not in text
        assert "C:" not in text
        assert "decode-loop.yaml" in text
