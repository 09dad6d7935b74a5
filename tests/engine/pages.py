"""Checking a page against small trees, without git or a command line."""

from __future__ import annotations

from collections.abc import Mapping

from refcheck.config.edition import Edition
from refcheck.config.engines import Engine
from refcheck.documents.read import read_text
from refcheck.engine.request import VerifyRequest
from refcheck.engine.trees import PinChoice, Trees
from refcheck.engine.verify import verify
from refcheck.model.report import Finding, Report
from refcheck.model.verdict import verdict_name
from tests.support.trees import TOY_COMMIT, MemoryTree

ENGINES = {
    "toy": Engine("toy", "https://git.example/toy/toy.git", source_roots=("toy/",), names=("toy/toy",)),
    "other": Engine("other", "https://git.example/other/other.git", source_roots=("other/",), names=("other/other",)),
}


def check_page(
    text: str,
    files: Mapping[str, str],
    *,
    format_name: str = "markdown",
    others: Mapping[str, str] | None = None,
    edition: Edition | None = None,
    exact: bool = True,
) -> Report:
    """The report on a page; `others` are the files of a second engine."""
    trees_of = {"toy": MemoryTree(files, "toy", exact=exact)}
    if others is not None:
        trees_of["other"] = MemoryTree(others, "other", exact=exact)
    pins = {name: PinChoice(ENGINES[name], TOY_COMMIT) for name in trees_of}
    trees = Trees(pins, lambda choices: {c.engine.name: trees_of[c.engine.name] for c in choices})
    trees.open_pins()
    document = read_text("page", text, format_name, ENGINES)
    return verify(VerifyRequest(trees=trees, documents=(document,), edition=edition))


def summary(report: Report) -> list[tuple[str, str, str]]:
    """(kind, verdict, code) of each finding, in order."""
    return [(f.kind.value, verdict_name(f.verdict), f.verdict.code.id) for f in report.findings]


def only(report: Report, kind: str) -> Finding:
    """The one finding of a kind."""
    (found,) = [f for f in report.findings if f.kind.value == kind]
    return found
