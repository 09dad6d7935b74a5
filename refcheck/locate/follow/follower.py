"""The public call: a batch of cited ranges, an older tree, a newer tree."""

from __future__ import annotations

from collections.abc import Iterable

from refcheck.locate.follow import others
from refcheck.locate.follow.contents import each_text
from refcheck.locate.follow.decision import Found, Lost, Unsure
from refcheck.locate.follow.linemap import UNMAPPED
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
from refcheck.locate.follow.pending import Pending
from refcheck.locate.follow.rules import judge
from refcheck.locate.follow.scopes import shown
from refcheck.locate.follow.survivors import Survivors, survivors
from refcheck.model.place import LineRange, Place
from refcheck.model.source_text import SourceText
from refcheck.model.tree import Tree


def follow(requests: Iterable[Request], old: Tree, new: Tree, *, other_files: bool = True) -> list[Followed]:
    """What became of each range, in the order of the requests.

    Each file is looked at once for all of its ranges; an identical blob needs no look. With `other_files`, texts
    that their own file lost are searched for in all files of the same kind of both trees, which reads them all:
    leave it out where contents are far away. Raises SourceError where a content cannot be had.
    """
    asked = list(requests)
    outcomes: dict[int, Outcome] = {}
    by_path: dict[str, list[int]] = {}
    for index, request in enumerate(asked):
        by_path.setdefault(request.path, []).append(index)
    old_paths, new_paths = old.paths(), new.paths()
    changed: list[str] = []
    gone: list[str] = []
    for path, indexes in by_path.items():
        if path not in old_paths:
            reason = f"{path} is not a file of the older revision"
            _all(outcomes, indexes, NotFollowed(reason, not old.carries(path)))
        elif path in new_paths:
            changed.append(path)
        elif not new.carries(path):
            reason = f"the archive of the newer revision does not carry {path}"
            _all(outcomes, indexes, NotFollowed(reason, True))
        else:
            gone.append(path)
    # Ranges are checked against the file's length even where the blob is the same.
    old.prefetch([*changed, *gone])
    new.prefetch(path for path in changed if new_paths[path] != old_paths[path])
    run = Run(asked, outcomes, old, new)
    same = [path for path in changed if new_paths[path] == old_paths[path]]
    edited = [path for path in changed if new_paths[path] != old_paths[path]]
    for path, source in zip(same, each_text(old, same), strict=True):
        run.unchanged(source, by_path[path])
    for path, before, after in zip(edited, each_text(old, edited), each_text(new, edited), strict=True):
        run.within(Pair(before, after), path, path, by_path[path], "")
    others.settle(run, {path: by_path[path] for path in gone}, other_files)
    return [Followed(request, outcomes[index]) for index, request in enumerate(asked)]


def _all(outcomes: dict[int, Outcome], indexes: list[int], outcome: Outcome) -> None:
    for index in indexes:
        outcomes[index] = outcome


class Run:
    """One call's work: outcomes are filled in file by file, then what was lost is looked for in one pass."""

    def __init__(self, asked: list[Request], outcomes: dict[int, Outcome], old: Tree, new: Tree) -> None:
        self.asked = asked
        self.outcomes = outcomes
        self.old = old
        self.new = new
        self.pending: list[Pending] = []

    def problem(self, request: Request, total: int) -> Outcome | None:
        if request.first < 1 or request.last < request.first:
            return NotFollowed(f"{request.first}-{request.last} is not a range of lines")
        if request.last > total:
            return NotFollowed(f"{request.path} has {total} lines in the older revision")
        return None

    def unchanged(self, source: SourceText, indexes: list[int]) -> None:
        path, total = source.path, len(source.lines)
        for index in indexes:
            request = self.asked[index]
            place = Place(path, LineRange(max(1, request.first), max(1, request.first, request.last)))
            self.outcomes[index] = self.problem(request, total) or Same(place, "the file is the same")

    def within(self, pair: Pair, path: str, new_path: str, indexes: list[int], renamed: str) -> None:
        total = len(pair.old.source.lines)
        for index in indexes:
            request = self.asked[index]
            problem = self.problem(request, total)
            self.outcomes[index] = problem or self._one(pair, index, request, new_path, renamed)

    def _one(self, pair: Pair, index: int, request: Request, path: str, renamed: str) -> Outcome:
        start, end = pair.old.span(request.first, request.last)
        if start == end:
            return _blank(pair, request, start, path, renamed)
        decision = judge(pair, start, end)
        match decision:
            case Found(at, why, note, under_other_name):
                outcome: Outcome = found_at(pair, request, at, path, _joined(renamed, note), why)
                if under_other_name:
                    self.pending.append(Pending.renamed(pair, index, request.path, start, end, outcome))
                return outcome
            case Unsure(candidates, why):
                shown_places = tuple(_place(pair, at, end - start, path) for at in candidates[:10])
                return Ambiguous(shown_places, why)
            case Lost(twins):
                left = survivors(pair, start, end)
                twin_places = tuple(_place(pair, at, end - start, path) for at in twins[:10])
                outcome = _lost(pair, start, end, path, left, twin_places)
                chain = pair.old_chain(start, end)
                key = pair.old_scopes.key(chain)
                still = bool(key) and key in pair.new_scopes.all_keys()
                if not twins and left.similarity < 0.5:
                    # Where its definition is still here, the text is named elsewhere, never taken.
                    share = 1.0 if still else left.similarity
                    self.pending.append(Pending.lost(pair, index, request.path, start, end, outcome, share))
                return outcome


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)


def _place(pair: Pair, at: int, size: int, path: str) -> Place:
    lines = LineRange(pair.new.rows[at] + 1, pair.new.rows[at + size - 1] + 1)
    return Place(path, lines, shown(pair.new_key(at, at + size)))


def found_at(pair: Pair, request: Request, at: int, path: str, note: str = "", why: str = "") -> Same | Moved:
    """The answer for a range whose non-blank lines stand intact at new index `at`."""
    start, end = pair.old.span(request.first, request.last)
    size = end - start
    old, new = pair.old, pair.new
    first, last = new.rows[at] + 1, new.rows[at + size - 1] + 1
    before = old.rows[start] + 1 - request.first
    after = request.last - old.rows[end - 1] - 1
    # Blank lines at the edges of the range are kept as far as they are still there.
    room_before = first - 1 - (new.rows[at - 1] + 1 if at else 0)
    room_after = (new.rows[at + size] if at + size < len(new) else len(new.source.lines)) - last
    notes = [note]
    if any(old.text(start + i) != new.text(at + i) for i in range(size)):
        notes.append("indented differently")
    inner = [row - old.rows[start] for row in old.rows[start:end]]
    if inner != [row - new.rows[at] for row in new.rows[at : at + size]] or room_before < before or room_after < after:
        notes.append("blank lines differ")
    lines = LineRange(first - min(before, room_before), last + min(after, room_after))
    place = Place(path, lines, shown(pair.new_key(at, at + size)))
    said = _joined(*notes)
    if path == request.path and (lines.first, lines.last) == (request.first, request.last) and not said:
        return Same(place, why)
    return Moved(place, said, why)


def _blank(pair: Pair, request: Request, at: int, path: str, renamed: str) -> Outcome:
    """A range of blank lines is where its neighbours put it, if the same number of them is still there."""
    old, new = pair.old, pair.new
    if 0 < at < len(old):
        above, below = pair.mapped[at - 1], pair.mapped[at]
        if above != UNMAPPED and below == above + 1:
            room = old.rows[at] - old.rows[at - 1]
            if new.rows[below] - new.rows[above] == room and pair.old.counts[old.keys[at]] == 1:
                shift = new.rows[above] - old.rows[at - 1]
                lines = LineRange(request.first + shift, request.last + shift)
                if path == request.path and not shift:
                    return Same(Place(path, lines), "blank lines between the same lines")
                return Moved(Place(path, lines), renamed, "blank lines between the same lines")
    return Ambiguous((), "the range holds blank lines only")


def _lost(pair: Pair, start: int, end: int, path: str, left: Survivors, twins: tuple[Place, ...]) -> Outcome:
    size = end - start
    if left.first is None or left.last is None:
        return Gone(f"none of the {size} lines is left in {path}", twins)
    place = _place(pair, left.first, left.last - left.first + 1, path)
    said = f"{left.intact} of {size} lines are intact, {left.edited} were edited"
    if left.similarity >= 0.5:
        return Changed(place, left.similarity, said, twins)
    return Rewritten(place, left.similarity, said, twins)
