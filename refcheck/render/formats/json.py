"""`refcheck-report/1`: the machine form of a report. Its schema is `schemas/refcheck-report-1.json`."""

from __future__ import annotations

from collections.abc import Mapping

from refcheck.model.report import Finding, Report
from refcheck.model.tree import SourceRead
from refcheck.model.verdict import candidates_of, place_of, verdict_name
from refcheck.render.evidence_json import Json, evidence_json, place_json
from refcheck.render.json_text import dumps
from refcheck.render.options import RenderOptions, ReportFormat

SCHEMA = "refcheck-report/1"


def render(report: Report, options: RenderOptions) -> str:
    return dumps(report_json(report, options.fingerprints), depth=2)


def report_json(report: Report, fingerprints: tuple[str, ...]) -> dict[str, Json | Mapping[str, object]]:
    """The report as JSON values, keys in the published order."""
    return {
        "schema": SCHEMA,
        "edition": report.edition,
        "documents": list(report.documents),
        "sources": [_source(source) for source in report.sources],
        "findings": [_finding(f, p) for f, p in zip(report.findings, fingerprints, strict=True)],
        "not_judged": [{"id": entry.id, "why": entry.why} for entry in report.not_judged],
        "absent_words": report.absent_words,
        "notes": list(report.notes),
        "totals": dict(report.totals()),
        "exit": report.exit_code,
        "history": report.history,
    }


def _source(source: SourceRead) -> Json:
    return {
        "engine": source.engine,
        "pin": source.pin,
        "read": source.read,
        "kind": source.kind.value,
        "exact": source.exact,
        "why": source.why,
        "origin": source.origin,
        "archive": source.archive,
        "digest": source.digest,
        "received_bytes": source.received_bytes,
        "notes": list(source.notes),
    }


def _finding(finding: Finding, fingerprint: str) -> Json:
    verdict = finding.verdict
    return {
        "id": finding.id,
        "kind": finding.kind.value,
        "claim_kind": finding.claim_kind,
        "source": finding.source,
        "verdict": verdict_name(verdict),
        "code": verdict.code.id,
        "level": finding.level.value,
        "document": finding.document,
        "line": finding.line,
        "column": finding.column,
        "end_line": finding.end_line,
        "end_column": finding.end_column,
        "engine": finding.engine,
        "cited": place_json(finding.cited),
        "found": place_json(place_of(verdict)),
        "candidates": [place_json(place) for place in candidates_of(verdict)],
        "message": verdict.message,
        "words": finding.words,
        "quoted": list(finding.quoted),
        "evidence": evidence_json(verdict.evidence),
        "permalink": finding.permalink,
        "swhid": finding.swhid,
        "fingerprint": fingerprint,
        "counted": finding.counted,
        "baseline": finding.baseline,
    }


FORMAT = ReportFormat("json", (".json",), render, needs_fingerprints=True)
