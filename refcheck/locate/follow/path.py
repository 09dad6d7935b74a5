"""Following over the path of commits what a comparison of two trees left open.

Between trees that lie months apart many edits are seen as one, and their traces cover each other. From one commit to
the next there is one small edit, and the same rules, asked at each, leave less in doubt. Two kinds of answers are
looked at again: those that the trees alone could not decide, and finds in other files, which have to have come there
when they left.

The path can settle a doubt, confirm a find, or take a certain answer back; it never makes a place certain at which
the text is not intact, or which the trees do not offer.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Protocol

from refcheck.errors import PathNotInTree
from refcheck.locate.follow.elsewhere import enclosing, kind_of
from refcheck.locate.follow.follower import follow, found_at
from refcheck.locate.follow.kept import kept
from refcheck.locate.follow.linemap import common_prefix, common_suffix
from refcheck.locate.follow.lines import Lines, numbering, places
from refcheck.locate.follow.outcome import (
    Ambiguous,
    Changed,
    Followed,
    Gone,
    Moved,
    NotFollowed,
    Outcome,
    Request,
    Rewritten,
    Same,
)
from refcheck.locate.follow.pair import Pair
from refcheck.locate.follow.scopes import scopes_of
from refcheck.model.place import LineRange, Place
from refcheck.model.source_text import SourceText
from refcheck.model.tree import SourceKind, SourceRead

NEAR = 12
"""Lines on each side of a range that an edit elsewhere must not repeat, or it may be a copy of them."""
TELLING = 6
"""Letters and digits by which a line is recognised."""
_NO_STATEMENT = ("", "#", ")", "]", "}")
MOST_FILES = 2000
"""A commit that changes more files than this is not searched for texts that left theirs."""


@dataclass(frozen=True, slots=True)
class Step:
    """One commit: `name` is how people are told of it, `changes` path -> blob ids before and after (None: absent)."""

    name: str
    changes: Mapping[str, tuple[str | None, str | None]]


class Versions(Protocol):
    """The contents of the files at all steps."""

    def text(self, path: str, blob: str) -> SourceText:
        """Raises SourceError where the content cannot be had."""
        ...

    def many(self, blobs: Sequence[str]) -> Iterator[bytes]:
        """The bytes of many versions in their order, none of them kept. Raises SourceError."""
        ...

    def prefetch(self, blobs: Iterable[str]) -> None:
        """Bring these contents in one batch."""
        ...


def is_open(followed: Followed) -> bool:
    """Whether commits may say more: of a doubt between places, and of a find in another file."""
    match followed.outcome:
        case Ambiguous(candidates):
            return bool(candidates)
        case Moved(place):
            return place.path != followed.request.path
        case _:
            return False


def follow_path(
    followed: Sequence[Followed],
    steps: Sequence[Step],
    versions: Versions,
    old: Mapping[str, str],
    new: Mapping[str, str],
) -> list[Followed]:
    """The same answers in the same order, those that are open looked at again over the steps, oldest first.

    `old` and `new` are the blob ids by path in the trees at both ends. Raises SourceError where a content cannot be
    had.
    """
    walks = [
        _Walk(index, one, one.request.path, one.request.first, one.request.last, old[one.request.path])
        for index, one in enumerate(followed)
        if is_open(one) and one.request.path in old
    ]
    if not walks:
        return list(followed)
    versions.prefetch(_needed(walks, steps, old))
    for step in steps:
        _advance([walk for walk in walks if walk.doubt is None and walk.path in step.changes], step, versions)
    answers = list(followed)
    for walk in walks:
        answers[walk.index] = Followed(walk.asked.request, _concluded(walk, versions, old, new))
    return answers


def _needed(walks: Sequence[_Walk], steps: Sequence[Step], old: Mapping[str, str]) -> list[str]:
    """The contents that walking is sure to read: the versions of the files at both ends of each walk."""
    sources = {walk.path for walk in walks}
    paths = sources.union(*(_paths_offered(walk.asked.outcome) for walk in walks))
    wanted = dict.fromkeys(old[path] for path in paths if path in old)
    for step in steps:
        if paths.isdisjoint(step.changes):
            continue
        leaves = any(path in sources and blobs[1] is None for path, blobs in step.changes.items())
        kinds = frozenset[str]().union(*(kind_of(path) for path in paths)) if leaves else frozenset()
        for path, blobs in step.changes.items():
            if path in paths or path.endswith(tuple(kinds)):
                wanted.update(dict.fromkeys(blob for blob in blobs if blob is not None))
    return list(wanted)


def _paths_offered(outcome: Outcome) -> set[str]:
    match outcome:
        case Ambiguous(candidates):
            return {place.path for place in candidates}
        case Moved(place):
            return {place.path}
        case _:
            return set()


@dataclass(slots=True)
class _Walk:
    """One range on its way: `first` to `last` of `path`, whose content is `blob`, is where it last stood for certain.

    `lost` names the step since which it does not stand there, `doubt` says why it is not followed further.
    """

    index: int
    asked: Followed
    path: str
    first: int
    last: int
    blob: str
    steps: int = 0
    lost: str | None = None
    lost_how: str = ""
    doubt: str | None = None
    gaps: list[tuple[str, str]] = field(default_factory=list)
    hops: list[tuple[str, str]] = field(default_factory=list)
    """Name of the step and the file that the text went to."""
    held: bool = True
    """Every change of file was certain by the rules, not only by having left and come in one step."""

    @property
    def found_elsewhere(self) -> Place | None:
        """The place in another file that the trees give, if that is what has to be confirmed."""
        match self.asked.outcome:
            case Moved(place):
                return place
            case _:
                return None

    def at(self, path: str, lines: LineRange, blob: str) -> None:
        self.path, self.first, self.last, self.blob = path, lines.first, lines.last, blob


def _advance(walks: Sequence[_Walk], step: Step, versions: Versions) -> None:
    """Take each walk, all of whose files the step changed, to the step."""
    asked: list[_Walk] = []
    for walk in walks:
        before, after = step.changes[walk.path]
        walk.steps += 1
        if walk.lost is not None:
            if after is not None:
                _bridge(walk, step, after, versions)
        elif before != walk.blob:
            walk.doubt = f"{walk.path} is not in {step.name} what it was before"
        elif after is not None and (shift := _untouched(walk, versions, after)) is not None:
            walk.at(walk.path, LineRange(walk.first + shift, walk.last + shift), after)
        else:
            asked.append(walk)
    if not asked:
        return
    kinds = tuple(frozenset[str]().union(*(kind_of(walk.path) for walk in asked)))
    paths = {path for path in step.changes if path.endswith(kinds)}
    # The other files are read for a text that its own file lost, and for no other.
    sides = _sides(step, versions, paths)
    for walk, one in zip(asked, _answers(asked, sides, other_files=len(paths) <= MOST_FILES), strict=True):
        outcome = one.outcome
        if isinstance(outcome, Ambiguous):
            outcome = _kept(walk, step, versions) or outcome
        _take(walk, step, outcome, versions)


def _kept(walk: _Walk, step: Step, versions: Versions) -> Same | Moved | None:
    """The place in the same file where the step's edit left the range, if that is certain (see `kept`)."""
    after = step.changes[walk.path][1]
    if after is None:
        return None
    pair = Pair(versions.text(walk.path, walk.blob), versions.text(walk.path, after))
    start, end = pair.old.span(walk.first, walk.last)
    at = kept(pair, start, end) if start < end else None
    if at is None:
        return None
    return found_at(pair, Request(walk.path, walk.first, walk.last), at, walk.path)


def _answers(walks: Sequence[_Walk], sides: tuple[_Side, _Side], *, other_files: bool) -> list[Followed]:
    requests = [Request(walk.path, walk.first, walk.last) for walk in walks]
    return follow(requests, *sides, other_files=other_files)


def _take(walk: _Walk, step: Step, outcome: Outcome, versions: Versions) -> None:
    match outcome:
        case Same(place) | Moved(place):
            assert place.lines is not None
            blob = step.changes[place.path][1]
            assert blob is not None
            if place.path != walk.path:
                walk.hops.append((step.name, place.path))
            walk.at(place.path, place.lines, blob)
            return
        case Ambiguous(_, reason):
            how = reason
        case Changed():
            how = "changed"
        case Rewritten() | Gone():
            how = "removed"
        case NotFollowed(reason):
            how = reason
    if walk.found_elsewhere is not None and _came_in_the_same_step(walk, step, versions):
        return
    if isinstance(outcome, Ambiguous | NotFollowed):
        walk.doubt = f"{step.name}: {how}"
    else:
        walk.lost, walk.lost_how = step.name, how


def _came_in_the_same_step(walk: _Walk, step: Step, versions: Versions) -> bool:
    """The step took the text from its file and put it into one other, which did not have it."""
    source = versions.text(walk.path, walk.blob)
    after = step.changes[walk.path][1]
    if after is not None and _standing(source, walk.first, walk.last, versions.text(walk.path, after)):
        return False
    kinds = tuple(kind_of(walk.path))
    paths = [path for path in step.changes if path != walk.path and path.endswith(kinds)]
    if len(paths) > MOST_FILES:
        return False
    came: list[tuple[str, str, LineRange]] = []
    for path in paths:
        before, now = step.changes[path]
        if now is None:
            continue
        found = _standing(source, walk.first, walk.last, versions.text(path, now))
        if found and not (before and _standing(source, walk.first, walk.last, versions.text(path, before))):
            came += [(path, now, lines) for lines in found]
    if len(came) != 1:
        return False
    path, blob, lines = came[0]
    walk.hops.append((step.name, path))
    walk.held = False
    walk.at(path, lines, blob)
    return True


def _bridge(walk: _Walk, step: Step, after: str, versions: Versions) -> None:
    """A text that was lost, and stands there again as it last stood for certain, in the same definition: restored."""
    sides = _Side({walk.path: walk.blob}, versions), _Side({walk.path: after}, versions)
    (one,) = _answers([walk], sides, other_files=False)
    match one.outcome:
        case Same(place) | Moved(place):
            assert place.lines is not None
            assert walk.lost is not None
            before = enclosing(scopes_of(sides[0].read(walk.path)), walk.first - 1, walk.last - 1)
            now = enclosing(scopes_of(sides[1].read(walk.path)), place.lines.first - 1, place.lines.last - 1)
            if before != now:
                return
            walk.gaps.append((walk.lost, step.name))
            walk.lost = None
            walk.at(place.path, place.lines, after)
        case _:
            return


# ---- edits that do not concern a range


def _untouched(walk: _Walk, versions: Versions, after: str) -> int | None:
    """By how many lines an edit elsewhere in the file shifted the range, or None where it may concern it.

    It does not where the lines that were taken out and put in leave the range, its surroundings and the headers
    around it as they are, and repeat nothing of the range and its surroundings.
    """
    old, new = versions.text(walk.path, walk.blob).lines, versions.text(walk.path, after).lines
    most = min(len(old), len(new))
    head = common_prefix(old, 0, new, 0, most)
    tail = common_suffix(old, len(old), new, len(new), most - head)
    first, last = walk.first - 1, walk.last - 1
    if last + NEAR < head or (last < head and head == len(old)):
        shift = 0
    elif first - NEAR >= len(old) - tail:
        shift = len(new) - len(old)
    else:
        return None
    edited = [line for line in chain(old[head : len(old) - tail], new[head : len(new) - tail]) if line.strip()]
    around = {line.strip() for line in old[max(0, first - NEAR) : last + 1 + NEAR]} - {""}
    telling = {line for line in around if sum(map(str.isalnum, line)) >= TELLING}
    if telling.isdisjoint(line.strip() for line in old[first : last + 1]):
        telling = around
    if not telling.isdisjoint(line.strip() for line in edited):
        return None
    if first >= len(old) - tail:
        # A line further out than all that follows up to the range may be, or have been, a header around it. The
        # bracket that closes a header, and a comment, end no definition.
        between = (line for line in old[len(old) - tail : first + 1] if line.strip()[:1] not in _NO_STATEMENT)
        level = min(map(_indent, between), default=sys.maxsize)
        if any(_indent(line) < level for line in edited):
            return None
    return shift


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


# ---- what the walk says


def _concluded(walk: _Walk, versions: Versions, old: Mapping[str, str], new: Mapping[str, str]) -> Outcome:
    asked = walk.asked.outcome
    if walk.doubt is None and walk.lost is None and new.get(walk.path) != walk.blob:
        walk.doubt = f"the versions of {walk.path} do not join up"
    match asked:
        case Ambiguous():
            return _settled(walk, asked, versions, old)
        case Moved():
            return _confirmed(walk, asked, versions)
        case _:
            return asked


def _settled(walk: _Walk, asked: Ambiguous, versions: Versions, old: Mapping[str, str]) -> Outcome:
    if (open_still := _still_open(walk)) is not None:
        return replace(asked, reason=f"{asked.reason}; over the commits, {open_still}")
    request = walk.asked.request
    source = versions.text(request.path, old[request.path])
    target = versions.text(walk.path, walk.blob)
    here = _trimmed(target, LineRange(walk.first, walk.last))
    offered = next((place for place in asked.candidates if _is_offered(place, walk.path, here)), None)
    if here not in _standing(source, request.first, request.last, target) or offered is None:
        there = Place(walk.path, here)
        return replace(
            asked, reason=f"{asked.reason}; over the commits it would stand at {there}, which is none of them"
        )
    place = Place(walk.path, LineRange(walk.first, walk.last), offered.symbol)
    evidence = f"{_way(walk)}, and each leaves it certain; the two ends alone did not: {asked.reason}"
    note = "; ".join([*_moves(walk), *_gaps(walk)])
    if place.path == request.path and (walk.first, walk.last) == (request.first, request.last) and not note:
        return Same(place, evidence)
    return Moved(place, note, evidence)


def _confirmed(walk: _Walk, asked: Moved, versions: Versions) -> Outcome:
    if (open_still := _still_open(walk)) is not None:
        return Ambiguous((asked.place,), f"the text stands in another file now, and over the commits, {open_still}")
    here = _trimmed(versions.text(walk.path, walk.blob), LineRange(walk.first, walk.last))
    if not _is_offered(asked.place, walk.path, here):
        there = Place(walk.path, here)
        return Ambiguous((asked.place, there), f"the trees find it in one place, and the commits lead to {there}")
    note = "; ".join(part for part in (asked.note, *_moves(walk), *_gaps(walk)) if part)
    return replace(asked, note=note, evidence=f"{asked.evidence}; {_way(walk)}")


def _still_open(walk: _Walk) -> str | None:
    if walk.doubt is not None:
        return f"it is not certain either: {walk.doubt}"
    if walk.lost is not None:
        return f"it was {walk.lost_how} in {walk.path} by {walk.lost}"
    return None


def _way(walk: _Walk) -> str:
    return f"followed over the {walk.steps} commits that changed its file" if walk.steps != 1 else "one commit did it"


def _moves(walk: _Walk) -> list[str]:
    return [f"moved {'there' if path == walk.path else f'to {path}'} by {name}" for name, path in walk.hops]


def _gaps(walk: _Walk) -> list[str]:
    return [f"it was another text from {lost} to {restored}" for lost, restored in walk.gaps]


def _is_offered(place: Place, path: str, lines: LineRange) -> bool:
    if place.path != path:
        return False
    # Where whole files are the candidates, no lines are named.
    return place.lines is None or (place.lines.first <= lines.first and lines.last <= place.lines.last)


def _trimmed(source: SourceText, lines: LineRange) -> LineRange:
    """Without blank lines at either end."""
    rows = [row for row in range(lines.first, lines.last + 1) if source.lines[row - 1].strip()]
    return LineRange(rows[0], rows[-1]) if rows else lines


def _standing(source: SourceText, first: int, last: int, target: SourceText) -> list[LineRange]:
    """Where in `target` the lines `first` to `last` of `source` stand intact."""
    numbers = numbering()
    old, new = Lines(source, numbers), Lines(target, numbers)
    start, end = old.span(first, last)
    size = end - start
    return [LineRange(new.rows[at] + 1, new.rows[at + size - 1] + 1) for at in places(old, start, end, new)]


# ---- one side of a commit, as a tree


def _sides(step: Step, versions: Versions, paths: Iterable[str]) -> tuple[_Side, _Side]:
    """The files `paths` before and after a step."""
    chosen = [path for path in paths if path in step.changes]
    before = {path: blob for path in chosen if (blob := step.changes[path][0]) is not None}
    after = {path: blob for path in chosen if (blob := step.changes[path][1]) is not None}
    return _Side(before, versions), _Side(after, versions)


class _Side:
    """Implements refcheck.model.tree.Tree for files given by path and blob id."""

    def __init__(self, files: Mapping[str, str], versions: Versions) -> None:
        self._files = files
        self._versions = versions

    @property
    def source(self) -> SourceRead:
        return SourceRead("", "", "", SourceKind.COMMIT, True, "one side of a commit")

    def paths(self) -> Mapping[str, str]:
        return self._files

    def has(self, path: str) -> bool:
        return path in self._files

    def carries(self, path: str) -> bool:
        return True

    def read(self, path: str) -> SourceText:
        return self._versions.text(path, self._blob(path))

    def read_bytes(self, path: str) -> bytes:
        return next(self._versions.many([self._blob(path)]))

    def read_many(self, paths: Sequence[str]) -> Iterator[bytes]:
        return self._versions.many([self._blob(path) for path in paths])

    def prefetch(self, paths: Iterable[str]) -> None:
        self._versions.prefetch(self._files[path] for path in paths if path in self._files)

    def _blob(self, path: str) -> str:
        try:
            return self._files[path]
        except KeyError:
            raise PathNotInTree(path) from None
