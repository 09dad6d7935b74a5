"""The spans of a citation that say where it points, and the edits that make them say another place."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ..model.document import Citation, Document, Span
from ..model.place import LineRange
from .beside import further_number, spans_of_numbers
from .echoes import echoes
from .rewrite import Edit

_HEX = re.compile(r"[0-9a-fA-F]{7,40}")
_FILE = re.compile(r"[\w.+\-/]*\w\.[A-Za-z]\w{0,5}\b(?!/)")
_GRID_LINE = re.compile(r"[ \t]*(?:\||\+[-=+])")
_REF_FOLDERS = ("refs/heads/", "refs/tags/")


@dataclass(frozen=True, slots=True)
class Edits:
    """What to write; or, in `refused`, why the citation is left as it is (then `edits` is empty)."""

    edits: tuple[Edit, ...] = ()
    refused: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """Where a citation points now. `commit` is None where the newer revision is not known as a commit.

    `reindented` says that columns of the lines are not what they were.
    """

    lines: LineRange | None
    commit: str | None
    pin_links: bool = False
    reindented: bool = False


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
    return Edits((*(edit for edit in revision.edits if _changes(document, edit)), *numbers.edits))


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
    return replace(numbers, edits=tuple(edit for edit in edits if _changes(document, edit)))


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
            return Edits(refused="the newer revision is not known as a commit, so that there is no permalink")
        if document.text[: citation.rev_span.start].endswith(_REF_FOLDERS):
            return Edits(refused="its branch is written as a full ref (refs/heads/…), which a commit cannot stand in")
        return Edits((Edit(citation.rev_span, target.commit),))
    if citation.rev is None:
        return Edits()
    if citation.rev_span is None:
        return Edits(refused=f"its revision {citation.rev} is written where it cannot be replaced")
    written = _text(document, citation.rev_span)
    if not _HEX.fullmatch(written):
        return Edits(refused=f"it names {written}, which is not a commit")
    if target.commit is None:
        return Edits(refused="the newer revision is not known as a commit, so that permalinks are left")
    return Edits((Edit(citation.rev_span, target.commit[: len(written)]),))


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
        if len(written) != len(str(number)) and _in_grid(document, span):
            return Edits(refused=f"{number} in place of {written} would break the table's grid")
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


def _in_grid(document: Document, span: Span) -> bool:
    """Whether the digits stand in a table of reStructuredText that is drawn with lines (in Markdown, none need fit)."""
    if document.format != "rst":
        return False
    start = document.text.rfind("\n", 0, span.start) + 1
    return _GRID_LINE.match(document.text, start) is not None
