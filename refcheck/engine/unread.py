"""What of the given documents was not read: said, so that a green run is not taken for more than it is."""

from __future__ import annotations

from collections.abc import Iterable

from ..model import codes
from ..model.document import Document, Span
from ..model.report import Finding, FindingKind
from ..model.verdict import Level, Undecided

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
                    # What is no document is mentioned; one that is there and cannot be read is a fault of the page's.
                    level_override=Level.ERROR if unread.broken else None,
                )
            )
    return found


def ignored_passages(documents: Iterable[Document]) -> tuple[str, ...]:
    """A sentence for each document with `refcheck: ignore[reason]` comments: what was not looked at, and why."""
    notes: list[str] = []
    for document in documents:
        if document.ignored:
            shown = "; ".join(f"{reason} ({_lines(document, span)})" for span, reason in document.ignored[:SHOWN])
            count = f"{len(document.ignored)} passage{'s' * (len(document.ignored) > 1)}"
            more = f"; and {len(document.ignored) - SHOWN} more" if len(document.ignored) > SHOWN else ""
            notes.append(f"{document.name}: {count} left out by comments: {shown}{more}")
    return tuple(notes)


def _lines(document: Document, span: Span) -> str:
    first, last = document.position(span.start)[0], document.position(max(span.start, span.end - 1))[0]
    return f"line {first}" if first == last else f"lines {first}-{last}"


def unread_in_folders(documents: Iterable[Document]) -> tuple[str, ...]:
    """A sentence for each folder with files that are no documents."""
    notes: list[str] = []
    for document in documents:
        if document.format == "folder" and document.unread:
            by_reason: dict[str, list[str]] = {}
            for unread in document.unread:
                if unread.what == document.name:
                    notes.append(f"{document.name}: {unread.why}")
                    continue
                empty = unread.why if unread.why.startswith(("it is empty", "no text", "cannot")) else ""
                by_reason.setdefault(empty, []).append(unread.what)
            for reason, names in by_reason.items():
                more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
                shown = f"not read as documents: {', '.join(names[:SHOWN])}{more}"
                notes.append(f"{document.name}: {shown}{f' ({reason})' if reason else ''}")
    return tuple(notes)
