"""SARIF 2.1.0 (OASIS, errata 01), for code scanning and editors."""

from __future__ import annotations

from refcheck import __version__
from refcheck.model.codes import CODES, Code
from refcheck.model.place import Place
from refcheck.model.report import Finding, Report
from refcheck.model.verdict import Holds, Level, candidates_of, place_of, verdict_name
from refcheck.render.evidence_json import Json, evidence_json
from refcheck.render.evidence_text import evidence_lines
from refcheck.render.json_text import dumps
from refcheck.render.locations import browse_root, file_uri, web_link
from refcheck.render.options import Fix, RenderOptions, ReportFormat
from refcheck.render.places import file_of
from refcheck.render.untrusted import visible_line

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
ROOT = "%SRCROOT%"

# A code's usual level, where a viewer groups rules; each result says its own.
_ERRORS = {"RC101", "RC102", "RC103", "RC111", "RC301", "RC409"}


def render(report: Report, options: RenderOptions) -> str:
    """What does not hold; with `verbose` also what does, as results of kind "pass"."""
    findings = [
        (finding, fingerprint)
        for finding, fingerprint in zip(report.findings, options.fingerprints, strict=True)
        if options.verbose or not isinstance(finding.verdict, Holds)
    ]
    used = sorted({finding.verdict.code.id for finding, _ in findings})
    index = {code: number for number, code in enumerate(used)}
    bases = _bases(report)
    run: dict[str, Json] = {
        "tool": {
            "driver": {
                "name": "refcheck",
                "version": __version__,
                "semanticVersion": __version__,
                "rules": [_rule(CODES[code]) for code in used],
            }
        },
        "invocations": [
            {"executionSuccessful": report.exit_code in (0, 1), "exitCode": report.exit_code},
        ],
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": dict(bases.values()),
        "results": [
            _result(report, finding, fingerprint, index, options, {i: name for i, (name, _) in bases.items()})
            for finding, fingerprint in findings
        ],
        "properties": {
            "edition": report.edition,
            "totals": dict(report.totals()),
            "sources": [
                {"engine": s.engine, "pin": s.pin, "read": s.read, "exact": s.exact, "why": s.why}
                for s in report.sources
            ],
            "notJudged": [{"id": entry.id, "why": entry.why} for entry in report.not_judged],
        },
    }
    return dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, depth=4)


def _rule(code: Code) -> Json:
    example = f"\n\nExample:\n{code.example}" if code.example else ""
    example_md = f"\n\n```text\n{code.example}\n```" if code.example else ""
    return {
        "id": code.id,
        "name": "".join(word.capitalize() for word in code.title.replace(",", "").split()),
        "shortDescription": {"text": _sentence(code.title)},
        "fullDescription": {"text": code.meaning},
        "help": {
            "text": f"{code.meaning}\n\nWhat to do: {code.remedy}{example}",
            "markdown": f"{code.meaning}\n\n**What to do:** {code.remedy}{example_md}",
        },
        "defaultConfiguration": {
            "level": "error" if code.id in _ERRORS else "none" if code.id == "RC000" else "warning"
        },
        "properties": {"tags": ["documentation"]},
    }


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:] + "."


def _bases(report: Report) -> dict[int, tuple[str, Json]]:
    """Base ids of files: of the documents (-1), and of each source (`alpha`, or `alpha-1` for a second tree)."""
    root_text: Json = {"description": {"text": "The folder that refcheck was started in."}}
    out: dict[int, tuple[str, Json]] = {-1: (ROOT, root_text)}
    taken: set[str] = {ROOT}
    for index, source in enumerate(report.sources):
        name = source.engine if source.engine not in taken else f"{source.engine}-{index}"
        taken.add(name)
        root = browse_root(source)
        value: dict[str, Json] = {"uri": root} if root else {}
        value["description"] = {"text": f"The files of {visible_line(source.engine)} at {visible_line(source.read)}."}
        out[index] = (name, value)
    return out


def _result(
    report: Report,
    finding: Finding,
    fingerprint: str,
    index: dict[str, int],
    options: RenderOptions,
    bases: dict[int, str],
) -> Json:
    verdict = finding.verdict
    name = verdict_name(verdict)
    holds = isinstance(verdict, Holds)
    out: dict[str, Json] = {
        "ruleId": verdict.code.id,
        "ruleIndex": index[verdict.code.id],
        "kind": "pass" if holds else "fail",
        "level": "none" if holds else "note" if finding.level is Level.NONE else finding.level.value,
        "message": {"text": _message(finding)},
        "locations": [_location(report, finding, options)],
        "partialFingerprints": {
            "primaryLocationLineHash": f"{fingerprint[:16]}:{fingerprint.partition('-')[2] or 1}",
            "refcheck/v1": fingerprint,
        },
    }
    related = _related(finding, bases)
    if related:
        out["relatedLocations"] = related
    if finding.baseline:
        out["baselineState"] = "unchanged"
        out["suppressions"] = [{"kind": "external", "status": "accepted", "justification": "recorded in the baseline"}]
    fixes = options.fixes.get(finding.id, ())
    if fixes:
        out["fixes"] = [_fix(fixes)]
    link = web_link(finding.permalink)
    if link:
        out["hostedViewerUri"] = link
    out["properties"] = {
        "id": finding.id,
        "verdict": name,
        "kind": finding.kind.value,
        "claimKind": finding.claim_kind,
        "engine": finding.engine,
        "source": finding.source,
        "words": finding.words,
        "swhid": finding.swhid,
        "evidence": evidence_json(verdict.evidence),
    }
    return out


def _message(finding: Finding) -> str:
    """One paragraph, then the evidence in short. Brackets are escaped: SARIF reads `[text](1)` as a link (3.11.6)."""
    verdict = finding.verdict
    text = f"{verdict_name(verdict)}: {visible_line(verdict.message) or verdict.code.title}"
    shown = evidence_lines(verdict.evidence, everything=False)
    if shown and not isinstance(verdict, Holds):
        text += "\n" + "\n".join(line.text for line in shown)
    return text.replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")


def _location(report: Report, finding: Finding, options: RenderOptions) -> Json:
    """A physical location in every case: GitHub refuses a file in which one result has none."""
    logical = finding.id if report.edition is None else f"{report.edition}/{finding.id}"
    return {
        "physicalLocation": {
            "artifactLocation": _artifact(file_of(report, finding, options)),
            "region": _region(finding),
        },
        "logicalLocations": [{"name": finding.id, "fullyQualifiedName": logical}],
    }


def _artifact(path: str) -> Json:
    uri = file_uri(path)
    return {"uri": uri} if uri.startswith("file:") else {"uri": uri, "uriBaseId": ROOT}


def _region(finding: Finding) -> Json:
    if finding.document is None or finding.line is None:
        return {"startLine": 1}
    region: dict[str, Json] = {"startLine": finding.line}
    if finding.column is not None:
        region["startColumn"] = finding.column
    if finding.end_line is not None and finding.end_line >= finding.line:
        region["endLine"] = finding.end_line
        if finding.end_column is not None and (
            finding.end_line > finding.line or finding.end_column > (finding.column or 1)
        ):
            region["endColumn"] = finding.end_column
    return region


def _related(finding: Finding, bases: dict[int, str]) -> list[Json]:
    base = bases.get(finding.source) if finding.source is not None else None
    listed: list[tuple[str, Place | None]] = [("cited", finding.cited), ("found", place_of(finding.verdict))]
    listed += [("candidate", place) for place in candidates_of(finding.verdict)]
    out: list[Json] = []
    for what, place in listed:
        if place is None:
            continue
        artifact: dict[str, Json] = {"uri": file_uri(place.path.lstrip("/"))}
        if base is not None:
            artifact["uriBaseId"] = base
        physical: dict[str, Json] = {"artifactLocation": artifact}
        if place.lines is not None:
            physical["region"] = {"startLine": place.lines.first, "endLine": place.lines.last}
        location: dict[str, Json] = {
            "id": len(out) + 1,
            "physicalLocation": physical,
            "message": {"text": what if place.symbol is None else f"{what}: {visible_line(place.symbol)}"},
        }
        if place.symbol:
            location["logicalLocations"] = [{"fullyQualifiedName": place.symbol}]
        out.append(location)
    return out


def _fix(fixes: tuple[Fix, ...]) -> Json:
    """One SARIF fix: all the replacements together, by document."""
    changes: dict[str, list[Json]] = {}
    for fix in fixes:
        changes.setdefault(fix.document, []).append(
            {
                "deletedRegion": {
                    "startLine": fix.line,
                    "startColumn": fix.column,
                    "endLine": fix.end_line,
                    "endColumn": fix.end_column,
                },
                "insertedContent": {"text": fix.text},
            }
        )
    return {
        "description": {"text": "; ".join(dict.fromkeys(visible_line(fix.why) for fix in fixes))},
        "artifactChanges": [
            {"artifactLocation": _artifact(document), "replacements": list(replacements)}
            for document, replacements in changes.items()
        ],
    }


FORMAT = ReportFormat("sarif", (".sarif", ".sarif.json"), render, needs_fingerprints=True)
