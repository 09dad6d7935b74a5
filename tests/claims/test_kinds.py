"""Every kind's own cases, its schema, and the errors of an ill-formed check."""

from __future__ import annotations

import pytest

from refcheck import registry
from refcheck.claims.check import kind_named, run_check
from refcheck.claims.context import Context
from refcheck.claims.kind import PACKAGE, Case, Kind
from refcheck.config.fields import check_fields
from refcheck.config.yaml_lines import LinedYaml
from refcheck.locate.reader import TreeReader
from refcheck.model.verdict import VERDICT_NAMES, verdict_name
from tests.support.trees import MemoryTree

KINDS = registry.names(PACKAGE)
CASES = [pytest.param(name, case, id=f"{name}-{case.title}") for name in KINDS for case in kind_named(name).cases]


@pytest.mark.parametrize(("name", "case"), CASES)
def test_case_has_its_verdict(name: str, case: Case) -> None:
    context = Context({"toy": TreeReader(MemoryTree(case.files))}, words=case.words)
    verdict = run_check({"kind": name, **case.params}, context)
    assert verdict_name(verdict) == case.verdict, verdict.message


@pytest.mark.parametrize(("name", "case"), CASES)
def test_case_fits_the_schema(name: str, case: Case) -> None:
    at = LinedYaml("case", dict(case.params), {})
    assert check_fields(case.params, kind_named(name).fields, (), at, name) == []


@pytest.mark.parametrize("name", KINDS)
def test_kind_is_described_and_has_a_case_that_fails(name: str) -> None:
    kind = kind_named(name)
    assert isinstance(kind, Kind)
    assert kind.name == name
    assert kind.summary
    assert all(field.doc for field in kind.fields)
    verdicts = {case.verdict for case in kind.cases}
    assert verdicts <= set(VERDICT_NAMES.values())
    if name not in ("outside", "judgement", "link", "transformers"):
        assert {"holds", "contradicted"} <= verdicts


@pytest.mark.parametrize("name", KINDS)
def test_kind_names_the_files_of_its_cases(name: str) -> None:
    kind = kind_named(name)
    for case in kind.cases:
        named = {path for _, path in kind.paths(case.params)}
        scopes = tuple(prefix for _, prefix in kind.scopes(case.params))
        if case.files and not scopes:
            assert named & set(case.files) or case.verdict in ("gone", "undecided")
