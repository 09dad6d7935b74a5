"""The examples that the pages show are complete and do what the pages say."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from refcheck import registry
from refcheck.claims import kinds
from refcheck.claims.check import kind_named, run_check
from refcheck.claims.context import Context
from refcheck.claims.kind import PACKAGE as KINDS
from refcheck.config.edition import load_edition
from refcheck.config.engines import builtin_engines
from refcheck.config.fields import check_fields
from refcheck.config.project import find_project
from refcheck.config.yaml_lines import LinedYaml
from refcheck.documents import formats as document_formats
from refcheck.documents.read import read_documents
from refcheck.locate.reader import TreeReader
from refcheck.model.verdict import verdict_name
from refcheck.render import formats as report_formats
from refcheck.render.render import render
from tests.render import reports
from tests.support.trees import MemoryTree

ROOT = Path(__file__).resolve().parents[2]
EXTENDING = ROOT / "examples" / "extending"


@pytest.fixture
def installed(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Puts an example into a package, as its page says, for the time of a test."""

    def install(package: ModuleType, name: str) -> None:
        spec = importlib.util.spec_from_file_location(f"{package.__name__}.{name}", EXTENDING / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        # The folder is searched as if the file stood in the package; other examples of it are no plug-ins of this kind.
        monkeypatch.setattr(package, "__path__", [*package.__path__, str(EXTENDING)])
        monkeypatch.setattr(package.__spec__, "submodule_search_locations", package.__path__)
        registry.names.cache_clear()
        registry.load.cache_clear()

    yield install
    monkeypatch.undo()
    registry.names.cache_clear()
    registry.load.cache_clear()


def test_the_edition_loads_and_its_checks_fit_their_kinds() -> None:
    edition = load_edition(ROOT / "examples" / "edition" / "queue.yaml")
    assert [anchor.id for anchor in edition.anchors] == ["push", "limit"]
    assert [claim.id for claim in edition.claims] == ["C1", "C2", "C3", "C4"]
    for claim in edition.claims:
        kind = str(claim.check["kind"])
        if kind not in ("quote", "location"):
            params = {key: value for key, value in claim.check.items() if key != "kind"}
            assert check_fields(params, kind_named(kind).fields, (), LinedYaml("queue.yaml", params, {}), kind) == []


def test_the_number_of_the_edition_holds() -> None:
    claim = load_edition(ROOT / "examples" / "edition" / "queue.yaml").claims[-1]
    verdict = run_check(dict(claim.check), Context({}, words=claim.words[0]))
    assert verdict_name(verdict) == "holds", verdict.message


def test_the_engine_is_read_from_the_settings() -> None:
    project = find_project(EXTENDING)
    assert project.file == EXTENDING / "refcheck.yaml"
    assert set(project.engines) == {*builtin_engines(), "flashinfer"}
    assert project.pins == {"flashinfer": "v0.2.5"}
    (document,) = read_documents(["-"], engines=project.engines, stdin=lambda: b"See `flashinfer/decode.py:40-52`.\n")
    assert document.citations[0].engine == "flashinfer"


def test_the_claim_kind_has_the_verdicts_of_its_cases(installed: Any) -> None:
    installed(kinds, "line_count")
    assert "line-count" in registry.names(KINDS)
    kind = kind_named("line-count")
    assert kind.name == "line-count"
    for case in kind.cases:
        context = Context({"toy": TreeReader(MemoryTree(case.files))})
        verdict = run_check({"kind": "line-count", **case.params}, context)
        assert verdict_name(verdict) == case.verdict, case.title


def test_the_document_format_is_read(installed: Any, tmp_path: Path) -> None:
    installed(document_formats, "gemtext")
    # Only the example of this kind is a format; the folder holds others.
    form = registry.load("refcheck.documents.formats", "gemtext", "FORMAT")
    page = "# Queue\n\nSee vllm/v1/request.py:40-41\n\n```\ndef f():\n    return 1\n```\n"
    pieces = form.parse(page)
    assert [piece.kind.value for piece in pieces] == ["heading", "text", "code"]
    assert [page[p.span.start : p.span.end][:3] for p in pieces] == ["# Q", "See", "```"]
    from refcheck.documents.read import read_text

    document = read_text("page.gmi", page, "gemtext", builtin_engines())
    (citation,) = document.citations
    assert (citation.path, citation.lines and citation.lines.first) == ("vllm/v1/request.py", 40)
    assert page[citation.span.start : citation.span.end].startswith("vllm/v1/request.py:40")
    assert citation.quote is not None or document.quotes_by_content


def test_the_report_format_is_written(installed: Any) -> None:
    installed(report_formats, "csv_rows")
    text = render(reports.full_report(), "csv-rows")
    rows = text.splitlines()
    assert rows[0] == "id,verdict,code,level,message"
    assert len(rows) == 1 + len(reports.full_report().findings)
    assert any(row.startswith("queue-push,holds,RC000,none,") for row in rows)


def test_the_names_of_the_examples_are_those_of_their_files(installed: Any) -> None:
    installed(report_formats, "csv_rows")
    assert registry.load("refcheck.render.formats", "csv-rows", "FORMAT").name == "csv-rows"


def test_the_fingerprint_of_the_page_is_what_the_function_says(capsys: pytest.CaptureFixture[str]) -> None:
    import re

    text = (ROOT / "docs" / "edition.md").read_text(encoding="utf-8")
    code = next(block for block in re.findall(r"```python\n(.*?)```", text, re.DOTALL) if "fingerprint_lines" in block)
    exec(compile(code, "docs/edition.md", "exec"), {})  # our own page
    assert re.fullmatch(r"0:[0-9a-f]{8} 4:[0-9a-f]{8}\n", capsys.readouterr().out)
