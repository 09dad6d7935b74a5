"""The main job: everything that a run has to check, one report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..model.document import Document
from ..model.report import Finding, NotJudged, Report
from ..model.verdict import Level, Undecided
from .anchors import check_anchors
from .baseline import apply_baseline
from .claims import check_claims, prepare_claims
from .exit_code import exit_code
from .request import VerifyRequest
from .unread import ignored_passages, unread_documents, unread_in_folders


def verify(request: VerifyRequest) -> Report:
    """Raises ConfigurationError for an ill-formed edition; the trees of the pins are open already."""
    trees = request.trees
    findings: list[Finding] = []
    absent = 0
    notes: tuple[str, ...] = ()
    if request.edition is not None and not request.documents:
        if request.claims:
            prepare_claims(request.edition, trees)
        findings += check_anchors(request.edition, trees, request.announce)
        if request.claims:
            findings += check_claims(
                request.edition,
                trees,
                with_transformers=request.with_transformers,
                check_links=request.check_links,
            )
    elif request.documents:
        from .documents import check_documents

        checked = check_documents(request)
        findings += checked.findings + unread_documents(request.documents)
        absent = checked.absent_words
        notes = (*checked.notes, *unread_in_folders(request.documents), *ignored_passages(request.documents))
    findings = [_with_level(one, request.severity) for one in findings]
    report = Report(
        edition=request.edition.name if request.edition else None,
        sources=trees.sources,
        findings=tuple(findings),
        exit_code=0,
        not_judged=not_judged(findings),
        documents=_names(request.documents),
        absent_words=absent,
        notes=notes,
    )
    if request.baseline is not None:
        report = apply_baseline(report, request.baseline)
    return replace(report, exit_code=exit_code(report.worst(), request.fail_on))


def _names(documents: Sequence[Document]) -> tuple[str, ...]:
    """What was looked at: a folder is named for itself only where nothing in it was."""
    pages = [document.name for document in documents if document.format != "folder"]
    return tuple(pages or [document.name for document in documents])


def not_judged(findings: list[Finding]) -> tuple[NotJudged, ...]:
    """Every undecided finding with its reason: what the run leaves to a human adds up with the rest to the total."""
    return tuple(
        NotJudged(f.id, f.verdict.message.partition(";")[0]) for f in findings if isinstance(f.verdict, Undecided)
    )


def _with_level(one: Finding, severity: Mapping[str, str]) -> Finding:
    wanted = severity.get(one.verdict.code.id)
    return replace(one, level_override=Level(wanted)) if wanted else one
