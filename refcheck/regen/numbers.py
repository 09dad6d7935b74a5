"""The spans of a citation that say where it points, and the edits that make them say another place."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from ..model.document import Citation, Document, Span
from ..model.place import LineRange
from .beside import further_number, spans_of_numbers
from .drawn import breaks_table
from .echoes import echoes
from .rewrite import Edit

_HEX = re.compile(r"[0-9a-fA-F]{7,40}")
_FILE = re.compile(r"[\w.+\-/]*\w\.[A-Za-z]\w{0,5}\b(?!/)")
_REF_FOLDERS = ("refs/heads/", "refs/tags/")


NO_COMMIT = "the newer revision is not known as a commit, so that there is no permalink"


@dataclass(frozen=True, slots=True)
class Edits:
    """What to write; or, in `refused`, why the citation is left as it is (then `edits` is empty)."""

    edits: tuple[Edit, ...] = ()
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a citation points now. `commit` is None where the newer revision is not known as a commit.

    `reindented` says that columns of the lines are not what they were. `abbreviates` tells of a prefix of `commit`
    whether it names no other commit of the repository; a short one that cannot be told is written in full.
    """

    lines: LineRange | None
    commit: str | None
    pin_links: bool = False
    reindented: bool = False
    abbreviates: Callable[[str], bool] = lambda prefix: False


def edits_for(document: Document, citation: Citation, target: Target, read: frozenset[Span] | None = None) -> Edits:
    """Numbers and revision of one citation change together or not at all.

    A link to the old revision with the new lines, or the other way round, would be worse than an old link. `read`
    is `spans_of_numbers(document)`, for a caller that has many citations of one document.
    """
    revision = _revision(document, citation, target)
    if revision.refused:
        return revision
    numbers = number_edits(document, citation, target, read)
    if numbers.refused:
        return numbers
    changed = tuple(edit for edit in revision.edits if _changes(document, edit))
    return _fitting(document, (*changed, *numbers.edits))


def number_edits(document: Document, citation: Citation, target: Target, read: frozenset[Span] | None = None) -> Edits:
    """The numbers alone, where the revision stays; every one of the citation, or none (see `edits_for`)."""
    numbers = _numbers(document, citation, target)
    edits = numbers.edits
    if edits and target.lines is not None and citation.lines is not None and target.lines != citation.lines:
        read = spans_of_numbers(document) if read is None else read
        resized = len(target.lines) != len(citation.lines)
        further = further_number(document, (edit.span for edit in edits), read, counts_too=resized)
        if further is not None:
            return Edits(refused=f"a further number stands beside it that was not read as part of it: {further!r}")
        again = echoes(document, citation, target.lines, read)
        if again.refused:
            return Edits(refused=again.refused)
        edits = (*edits, *again.edits)
    if numbers.refused:
        return numbers
    return _fitting(document, tuple(edit for edit in edits if _changes(document, edit)))


def _fitting(document: Document, edits: tuple[Edit, ...]) -> Edits:
    """The edits, unless one would break the table that it is in."""
    for edit in edits:
        if breaks_table(document, edit.span, edit.text):
            written = _text(document, edit.span)
            return Edits(refused=f"{edit.text} in place of {written} would break the table's columns")
    return Edits(edits)


def _changes(document: Document, edit: Edit) -> bool:
    """Whether an edit says something else: a number that stays keeps its zeros, too."""
    written = _text(document, edit.span)
    if written.isascii() and written.isdecimal() and edit.text.isdecimal():
        return int(written) != int(edit.text)
    return written != edit.text


def _text(document: Document, span: Span) -> str:
    return document.text[span.start : span.end]


def _revision(document: Document, citation: Citation, target: Target) -> Edits:
    if citation.unpinned:
        if not target.pin_links:
            return Edits()
        if citation.rev_span is None:
            return Edits(refused="the link's branch cannot be told from its path")
        if target.commit is None:
            return Edits(refused=NO_COMMIT)
        if (refused := on_full_ref(document, citation.rev_span)) is not None:
            return Edits(refused=refused)
        return Edits((Edit(citation.rev_span, target.commit),))
    if citation.rev is None:
        return Edits()
    span = revision_span(document, citation)
    if span is None:
        return Edits(refused=f"its revision {citation.rev} is written where it cannot be replaced")
    written = _text(document, span)
    if not _HEX.fullmatch(written):
        return Edits(refused=f"it names {written}, a tag, which keeps its lines: link to a commit to have it follow")
    if target.commit is None:
        return Edits(refused="the newer revision is not known as a commit, so that permalinks are left")
    short = target.commit[: len(written)]
    # A host that finds two commits for it answers with neither.
    full = len(written) < len(target.commit) and not target.commit.startswith(written)
    full = full and (short.isdecimal() or not target.abbreviates(short))
    return Edits((Edit(span, target.commit if full else short),))


def on_full_ref(document: Document, span: Span) -> str | None:
    """Why a commit cannot stand in the place of a branch, or None where it can."""
    if document.text.endswith(_REF_FOLDERS, 0, span.start):
        return "its branch is written as a full ref (refs/heads/…), which a commit cannot stand in"
    return None


def revision_span(document: Document, citation: Citation) -> Span | None:
    """Where the revision of a citation is written: in it, or in the nearest one from which it has path and revision.

    Citations with one span between them are rewritten all or none (see `plan`).
    """
    if citation.rev is None or citation.rev_span is not None:
        return citation.rev_span
    same = [
        other
        for other in document.citations
        if other.rev_span is not None and (other.rev, other.path) == (citation.rev, citation.path)
    ]
    before = [other for other in same if other.span.start <= citation.span.start]
    nearest = (
        max(before, key=lambda other: other.span.start)
        if before
        else min(same, key=lambda other: other.span.start, default=None)
    )
    return nearest.rev_span if nearest is not None else None


def _numbers(document: Document, citation: Citation, target: Target) -> Edits:
    old, new = citation.lines, target.lines
    if old is None or new is None:
        return Edits()
    if citation.columns and target.reindented:
        return Edits(refused="it names columns, and the code is indented differently now")
    if citation.first_digits is None:
        return Edits() if new == old else Edits(refused="its numbers are not written as digits")
    if citation.last_digits is None and len(new) != len(old):
        return Edits(refused=f"it names one line, and the code takes {new} now")
    wanted: dict[Span, int] = {citation.first_digits: new.first}
    if citation.last_digits is not None:
        if citation.last_digits == citation.first_digits and new.first != new.last:
            return Edits(refused="both ends are one number")
        wanted[citation.last_digits] = new.last
    by_value = {old.first: new.first, old.last: new.last if citation.last_digits is not None else new.first}
    for span in citation.twins:
        other = _other_file(document, citation, span)
        if other is not None:
            return Edits(refused=f"its label names {other} and its address {citation.path}")
        written = _text(document, span)
        if not written.isascii() or not written.isdecimal() or int(written) not in by_value:
            return Edits(refused=f"its label says {written!r}, which is neither end")
        wanted.setdefault(span, by_value[int(written)])
    if citation.label_lines is not None and new != old:
        return Edits(refused=f"its label names {citation.label_lines} and its address {old}")
    edits: list[Edit] = []
    for span, number in sorted(wanted.items()):
        written = _text(document, span)
        if not written.isascii() or not written.isdecimal():
            return Edits(refused=f"{written!r} is not written in digits")
        edits.append(Edit(span, str(number)))
    return Edits(tuple(edits))


def _other_file(document: Document, citation: Citation, span: Span) -> str | None:
    """The file that the link's label around `span` names, if it is not the cited one."""
    if citation.path is None or citation.prose is None or citation.prose >= len(document.prose):
        return None
    prose = document.prose[citation.prose]
    name = citation.path.rsplit("/", 1)[-1]
    for mark in prose.marks:
        if mark.kind != "link" or not prose.located(mark.start, mark.end).contains(span):
            continue
        for match in _FILE.finditer(prose.text[mark.start : mark.end]):
            file = match.group()
            same = f"/{citation.path}".endswith("/" + file.lstrip("./")) or f"/{file}".endswith(f"/{name}")
            if not same:
                return file
    return None
