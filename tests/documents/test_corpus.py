"""The corpus: one small document for each form in each format, with the citations expected and none besides."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from refcheck.config.engines import builtin_engines
from refcheck.documents.read import read_text
from refcheck.model.document import Citation, Document, Span
from tests.documents import render

CASES = [
    (case, form)
    for file in sorted((Path(__file__).parent / "corpus").glob("*.yaml"))
    for case in yaml.safe_load(file.read_text(encoding="utf-8"))
    for form in case.get("formats", render.FORMATS)
]
IDS = [f"{case['id']}-{form}" for case, form in CASES]
FLAGS = ("approximate", "open_ended", "unpinned")


def read(case: dict[str, Any], form: str) -> Document:
    return read_text("page", render.document(case, form), form, builtin_engines())


def shown(citation: Citation, wanted: dict[str, Any]) -> dict[str, Any]:
    """A citation as a corpus entry; `label`, `twins`, `repository` and `page_rev` only where the case asks."""
    entry: dict[str, Any] = {
        "path": citation.path,
        "lines": str(citation.lines).replace("L", "") if citation.lines else None,
        "engine": citation.engine,
        "form": citation.form,
        "rev": citation.rev or citation.branch,
        "symbol": citation.symbol,
        "problem": citation.problem,
        "from": citation.inherited_from,
        "quote": len(citation.quote.lines) if citation.quote else None,
        "candidates": list(citation.candidates) or None,
        "flags": [flag for flag in FLAGS if getattr(citation, flag)] or None,
    }
    if "written" in wanted:
        entry["written"] = citation.written_path
    if "label" in wanted:
        entry["label"] = str(citation.label_lines).replace("L", "")
    if "twins" in wanted:
        entry["twins"] = len(citation.twins)
    if "repository" in wanted:
        entry["repository"] = citation.repository
    if "page_rev" in wanted:
        entry["page_rev"] = citation.inherited_rev
    return {key: value for key, value in entry.items() if value is not None}


@pytest.mark.parametrize(("case", "form"), CASES, ids=IDS)
def test_citations_and_none_besides(case: dict[str, Any], form: str) -> None:
    document = read(case, form)
    wanted = [
        {k: (str(v) if k in ("lines", "rev", "label") else v) for k, v in entry.items()} for entry in case["cites"]
    ]
    wants = wanted + [{}] * len(document.citations)
    assert [shown(c, w) for c, w in zip(document.citations, wants, strict=False)] == wanted
    if "content" in case or not any("quote" in entry for entry in wanted):
        assert [len(quote.lines) for quote in document.quotes_by_content] == case.get("content", [])
    if "revisions" in case or not case.get("any_revisions"):
        assert dict(document.revisions) == case.get("revisions", {})


def edits_of(document: Document, new: dict[Span, str]) -> str:
    text = document.text
    for span in sorted(new, reverse=True):
        text = text[: span.start] + new[span] + text[span.end :]
    return text


@pytest.mark.parametrize(("case", "form"), CASES, ids=IDS)
def test_every_number_is_rewritten_and_read_back(case: dict[str, Any], form: str) -> None:
    document = read(case, form)
    new: dict[Span, str] = {}
    for citation in document.citations:
        digits = {citation.first_digits, citation.last_digits, *citation.twins, *citation.label_digits} - {None}
        for span in digits:
            assert span is not None
            assert document.text[span.start : span.end].isdigit()
            new[span] = str(int(document.text[span.start : span.end]) + 1111)
        if citation.lines is not None and citation.form != "attribute":
            assert (citation.first_digits is None) == case.get("no_digits", False)
    again = read_text("page", edits_of(document, new), form, builtin_engines())
    assert len(again.citations) == len(document.citations)
    for before, after in zip(document.citations, again.citations, strict=True):
        moved = before.lines.shifted(1111) if before.lines and before.first_digits else before.lines
        if before.problem == "zero":
            continue
        assert (after.path, after.lines, after.form, after.symbol) == (before.path, moved, before.form, before.symbol)
        assert len(after.twins) == len(before.twins)


@pytest.mark.parametrize(("case", "form"), CASES, ids=IDS)
def test_line_ends_of_windows_change_nothing(case: dict[str, Any], form: str) -> None:
    text = render.document(case, form)
    lf = read_text("page", text, form, builtin_engines())
    crlf = read_text("page", text.replace("\n", "\r\n"), form, builtin_engines())
    assert [(c.path, c.lines, c.form) for c in crlf.citations] == [(c.path, c.lines, c.form) for c in lf.citations]
    assert [q.lines for q in crlf.quotes_by_content] == [q.lines for q in lf.quotes_by_content]
    for citation in crlf.citations:
        if citation.first_digits is not None:
            assert crlf.text[citation.first_digits.start : citation.first_digits.end].isdigit()
