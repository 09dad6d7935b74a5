"""What of the given documents was not read: said, so that a green run is not taken for more than it is."""

from __future__ import annotations

from collections.abc import Iterable

from ..model import codes
from ..model.document import Document
from ..model.report import Finding, FindingKind
from ..model.verdict import Undecided

SHOWN = 8


def unread_documents(documents: Iterable[Document]) -> list[Finding]:
    """A finding for each given file that is no document, and for each that could be read in part only."""
    found: list[Finding] = []
    for document in documents:
        if document.format == "folder":
            continue
        for unread in document.unread:
            line, column = document.position(unread.span.start) if unread.span else (1, 1)
            verdict = Undecided(f"{unread.what} was not read: {unread.why}", codes.UNREAD_DOCUMENT)
            found.append(
                Finding(
                    f"{document.name}:{line}:{column}",
                    FindingKind.DOCUMENT,
                    verdict,
                    document=document.name,
                    line=line,
                    column=column,
                )
            )
    return found


def ignored_passages(documents: Iterable[Document]) -> tuple[str, ...]:
    """A sentence for each document with `refcheck: ignore[reason]` comments: what was not looked at, and why."""
    notes: list[str] = []
    for document in documents:
        reasons = [reason for _, reason in document.ignored]
        if reasons:
            shown = "; ".join(dict.fromkeys(reasons[:SHOWN]))
            count = f"{len(reasons)} passage{'s' * (len(reasons) > 1)}"
            notes.append(f"{document.name}: {count} left out by comments: {shown}")
    return tuple(notes)


def unread_in_folders(documents: Iterable[Document]) -> tuple[str, ...]:
    """A sentence for each folder with files that are no documents."""
    notes: list[str] = []
    for document in documents:
        if document.format == "folder" and document.unread:
            names = ", ".join(unread.what for unread in document.unread[:SHOWN])
            more = f" and {len(document.unread) - SHOWN} more" if len(document.unread) > SHOWN else ""
            notes.append(f"{document.name}: not read as documents: {names}{more}")
    return tuple(notes)
