"""Citations that carry no revision of their own stand at one revision together: a page's, or the run's.

Where a page says which revision that is, its words change with its numbers, and the places that stay behind are named:
a head above numbers of another revision would be read for all of them, and silently. A permalink says where it stands
and is written whatever becomes of the others.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from ..model.document import Citation, Document, Span
from .rewrite import Edit

_COMMIT = re.compile(r"[0-9a-f]{7,40}")

HEAD = 12
"""Paragraphs of a page in which its revision is sought."""

KEPT = "--keep-head"
NO_COMMIT = "the newer revision is not known as a commit"
OTHERS_LEFT = "not written (--together): other citations of this page have no certain place"


@dataclass(frozen=True, slots=True)
class Member:
    """One citation of an engine as planned.

    `certain` says that its place is known and can be written; `read` is the commit that it was followed from, if known.
    """

    document: Document
    citation: Citation
    engine: str
    certain: bool
    read: str | None = None


@dataclass(frozen=True, slots=True)
class HeadPlan:
    """What becomes of the words by which a page or section declares its revision.

    `now` is what they say from now on; None where they are left although numbers below change, and `why` says why.
    `behind` are the members that stay those of `says`.
    """

    document: Document
    engine: str
    line: int
    says: str
    now: str | None
    why: str = ""
    behind: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a citation's edits: they stay out where `left` says why; `edits` come with them."""

    left: str = ""
    edits: tuple[Edit, ...] = ()
    head: HeadPlan | None = None


def declared_revision(document: Document, citation: Citation, engine: str) -> str | None:
    """The revision that the section or the page declares for a citation without one of its own."""
    if citation.rev is not None:
        return None
    return citation.inherited_rev or next((rev for name, rev in document.revisions if name == engine), None)


def is_commit(rev: str) -> bool:
    """Whether a revision is written as a commit, in full or abbreviated."""
    return _COMMIT.fullmatch(rev.lower()) is not None


def names_version(rev: str | None, version: str | None) -> bool:
    """Whether a declared revision is the release of this version."""
    return rev is not None and version is not None and rev.removeprefix("v") == version


def names_commit(rev: str | None, commit: str | None) -> bool:
    """Whether a declared revision is the commit, abbreviated or not."""
    return rev is not None and commit is not None and bool(_COMMIT.fullmatch(rev)) and commit.startswith(rev)


def decide(
    members: Mapping[int, Member],
    commits: Mapping[str, str | None],
    *,
    pin_links: bool = False,
    partly: bool = False,
    keep_head: bool = False,
    versions: Mapping[str, str] | None = None,
) -> dict[int, Decision]:
    """For the members (by any key): what is left, and the edits of the declarations that change with their numbers.

    `commits` are the newer revisions by engine, `versions` those that are releases. With `partly` a page is written as
    far as it is certain, and the revision that it declares is replaced with its numbers; else all of them are written
    or none. A declared commit whose newer one is not known stays, and that is said; a declaration that cannot be
    replaced for another reason keeps its numbers. With `keep_head` it is left to its author.
    """
    groups: dict[tuple[int, str, str | None], list[int]] = {}
    for key, one in members.items():
        own = one.citation.rev is not None or (one.citation.unpinned and pin_links)
        if not own:
            declared = declared_revision(one.document, one.citation, one.engine)
            groups.setdefault((id(one.document), one.engine, declared), []).append(key)
    made: dict[int, Decision] = {}
    for (_, engine, declared), keys in groups.items():
        newer = commits.get(engine), (versions or {}).get(engine)
        decision = _of_group({key: members[key] for key in keys}, declared, newer, partly, keep_head)
        for key in keys:
            made[key] = decision
    return made


def _of_group(
    members: Mapping[int, Member],
    declared: str | None,
    newer: tuple[str | None, str | None],
    partly: bool,
    keep_head: bool,
) -> Decision:
    behind = tuple(key for key, member in members.items() if not member.certain)
    some = len(behind) < len(members)
    if declared is None:
        return Decision() if not behind or partly else Decision(OTHERS_LEFT)
    first = next(iter(members.values()))
    document, engine = first.document, first.engine
    head = _declaration(document, declared)
    line = document.position(head.start)[0] if head is not None else 1
    if keep_head:
        kept = HeadPlan(document, engine, line, declared, None, KEPT, behind)
        return Decision(head=kept if some else None) if not behind or partly else Decision(OTHERS_LEFT)
    for member in members.values():
        # Where what the page names cannot be had, another revision was read: nothing is followed from the wrong one.
        if member.read is not None and _COMMIT.fullmatch(declared) and not member.read.startswith(declared):
            return Decision(
                f"not written: the page says it is for {declared}, and {member.read[:12]} was read; without --pin "
                "it is followed from what it says"
            )
    if behind and not partly:
        return Decision(
            f"not written (--together): the page says it is for {declared}, and other citations of it have no certain "
            "place"
        )
    text = _in_its_place(document, head, *newer) if head is not None else None
    if head is None or text is None:
        if head is not None and partly and newer[0] is None and _COMMIT.fullmatch(declared):
            # A release without a commit: there are lines to write, and nothing to write in the commit's place.
            return Decision(head=HeadPlan(document, engine, line, declared, None, NO_COMMIT, behind) if some else None)
        # Numbers of one revision below the name of another would be read at the wrong one ever after.
        how = "which is not written in one place" if head is None else _remedy(declared)
        return Decision(f"not written: the page says it is for {declared}, {how}; --keep-head writes the numbers alone")
    if not some:
        return Decision()
    return Decision(edits=(Edit(head, text),), head=HeadPlan(document, engine, line, declared, text, behind=behind))


def _in_its_place(document: Document, head: Span, commit: str | None, version: str | None) -> str | None:
    """A commit for a commit and a version for a version; None where the newer revision is not known as such."""
    written = document.text[head.start : head.end]
    if _COMMIT.fullmatch(written):
        return _abbreviated(commit, len(written)) if commit is not None else None
    return f"{'v' if written.startswith('v') else ''}{version}" if version is not None else None


def _remedy(declared: str) -> str:
    if _COMMIT.fullmatch(declared):
        return "and the newer revision is not known as a commit"
    return "which only a release can take the place of (--to ENGINE=release:VERSION)"


def _abbreviated(commit: str, length: int) -> str:
    """As long as what it replaces, or as long as it takes not to look like a number, which no reader takes for one."""
    while length < len(commit) and commit[:length].isdecimal():
        length += 1
    return commit[:length]


def _declaration(document: Document, rev: str) -> Span | None:
    """Where the page writes the commit or version that it declares; None where that is not one certain place."""
    cited = [citation.span for citation in document.citations]
    found: list[Span] = []
    commit = _COMMIT.fullmatch(rev) is not None
    whole = rf"{rev}[0-9a-f]*(?![0-9A-Za-z])" if commit else rf"{re.escape(rev)}(?![0-9A-Za-z]|[.+-][0-9A-Za-z])"
    for match in re.finditer(rf"(?<![0-9A-Za-z]){whole}", document.text):
        span = Span(*match.span())
        if any(one.contains(span) for one in cited) or _in_address(document.text, span):
            continue
        found.append(span)
    if len(found) != 1 or (commit and not _COMMIT.fullmatch(document.text[found[0].start : found[0].end])):
        return None
    return found[0]


def _in_address(text: str, span: Span) -> bool:
    """Whether the word around a span is an address or a path."""
    start = max(text.rfind(sign, 0, span.start) for sign in " \t\r\n\"'<>()[]`")
    word = text[start + 1 : span.start]
    return "/" in word or "://" in word


def mentioned(document: Document, engine: str, version: str) -> tuple[int, str] | None:
    """Line and words where a page's first paragraphs name the older version, though not as the page's own revision.

    It may be what the numbers below are of ("all lines at v0.28.0"), or only a story about it.
    """
    if any(name == engine for name, _ in document.revisions):
        return None
    for prose in document.prose[:HEAD]:
        found = re.search(
            rf"(?<![\w.]){re.escape(version)}(?![\w]|\.\d)|(?<!\w)v{re.escape(version)}(?![\w]|\.\d)", prose.text
        )
        if found:
            line, _ = document.position(prose.located(found.start(), found.end()).start)
            return line, found.group()
    return None
