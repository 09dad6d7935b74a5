"""The public call: a batch of cited ranges, an older tree, a newer tree."""

from __future__ import annotations

from collections.abc import Iterable

from refcheck.locate.follow import elsewhere
from refcheck.locate.follow.elsewhere import Lookup, Wanted
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
from refcheck.locate.follow.rules import LONG_RUN, Found, Lost, Unsure, judge
from refcheck.locate.follow.scopes import shown
from refcheck.locate.follow.survivors import Survivors, survivors
from refcheck.model.place import LineRange, Place
from refcheck.model.source_text import SourceText
from refcheck.model.tree import Tree

_RENAME_SHARE = 0.5
_RUNNER_UP = 0.6
_FORKED = 0.2
_DISTINCT = 16
"""Letters and digits that a text needs to be recognised in another file."""


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
    run = _Run(asked, outcomes, old, new)
    for path in changed:
        if new_paths[path] == old_paths[path]:
            run.unchanged(path, by_path[path])
        else:
            run.changed(path, by_path[path])
    run.gone(gone, by_path, other_files)
    return [Followed(request, outcomes[index]) for index, request in enumerate(asked)]


def _all(outcomes: dict[int, Outcome], indexes: list[int], outcome: Outcome) -> None:
    for index in indexes:
        outcomes[index] = outcome


class _Pending:
    """A range that its own file lost: what is said of it if no other file has it."""

    __slots__ = ("index", "left", "outcome", "want")

    def __init__(self, index: int, want: Wanted, outcome: Outcome, left: float) -> None:
        self.index = index
        self.want = want
        self.outcome = outcome
        self.left = left
        """Share of the lines that survive in place."""


class _Run:
    """One call's work: outcomes are filled in file by file, then what was lost is looked for in one pass."""

    def __init__(self, asked: list[Request], outcomes: dict[int, Outcome], old: Tree, new: Tree) -> None:
        self.asked = asked
        self.outcomes = outcomes
        self.old = old
        self.new = new
        self.pending: list[_Pending] = []

    def _problem(self, request: Request, total: int) -> Outcome | None:
        if request.first < 1 or request.last < request.first:
            return NotFollowed(f"{request.first}-{request.last} is not a range of lines")
        if request.last > total:
            return NotFollowed(f"{request.path} has {total} lines in the older revision")
        return None

    def unchanged(self, path: str, indexes: list[int]) -> None:
        total = len(self.old.read(path).lines)
        for index in indexes:
            request = self.asked[index]
            place = Place(path, LineRange(max(1, request.first), max(1, request.first, request.last)))
            self.outcomes[index] = self._problem(request, total) or Same(place, "the file is the same")

    def changed(self, path: str, indexes: list[int]) -> None:
        self._within(Pair(self.old.read(path), self.new.read(path)), path, path, indexes, "")

    def _within(self, pair: Pair, path: str, new_path: str, indexes: list[int], renamed: str) -> None:
        total = len(pair.old.source.lines)
        for index in indexes:
            request = self.asked[index]
            problem = self._problem(request, total)
            self.outcomes[index] = problem or self._one(pair, index, request, new_path, renamed)

    def _one(self, pair: Pair, index: int, request: Request, path: str, renamed: str) -> Outcome:
        start, end = pair.old.span(request.first, request.last)
        if start == end:
            return _blank(pair, request, start, path, renamed)
        decision = judge(pair, start, end)
        match decision:
            case Found(at, why, note):
                return _found(pair, request, start, end, at, path, _joined(renamed, note), why)
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
                    want = _wanted(pair, request.path, start, end)
                    if _distinct(want.lines):
                        # Where its definition is still here, the text is named elsewhere, never taken.
                        self.pending.append(_Pending(index, want, outcome, 1.0 if still else left.similarity))
                return outcome

    def gone(self, paths: list[str], by_path: dict[str, list[int]], other_files: bool) -> None:
        """Files that are not there any more: renamed, or their texts stand elsewhere, or all is gone."""
        old_paths, new_paths = self.old.paths(), self.new.paths()
        by_blob: dict[str, list[str]] = {}
        if paths:
            wanted_blobs = {old_paths[path] for path in paths}
            for path, blob in new_paths.items():
                if blob in wanted_blobs and old_paths.get(path) != blob:
                    by_blob.setdefault(blob, []).append(path)
        unpaired: list[str] = []
        for path in paths:
            same = by_blob.get(old_paths[path], [])
            others = [p for p in old_paths if p != path and old_paths[p] == old_paths[path] and p not in new_paths]
            if len(same) == 1 and not others and len(self.old.read(path).lines):
                self._renamed_whole(path, same[0], by_path[path])
            else:
                unpaired.append(path)
        samples: dict[str, list[str]] = {}
        for path in unpaired:
            source = self.old.read(path)
            for line in elsewhere.sample_lines(source):
                samples.setdefault(line, []).append(path)
        lookup = Lookup([p.want for p in self.pending], {line: tuple(p) for line, p in samples.items()})
        for path in unpaired:
            lookup.wanted.extend(self._all_wanted(path, by_path[path]))
        if other_files and (lookup.wanted or lookup.samples):
            elsewhere.search(lookup, self.old, self.new)
        for path in unpaired:
            self._pair_up(path, by_path[path], lookup)
        if other_files:
            for pending in self.pending:
                self.outcomes[pending.index] = self._taken_elsewhere(pending)

    def _renamed_whole(self, path: str, target: str, indexes: list[int]) -> None:
        total = len(self.old.read(path).lines)
        for index in indexes:
            request = self.asked[index]
            problem = self._problem(request, total)
            if problem is not None:
                self.outcomes[index] = problem
                continue
            place = Place(target, LineRange(request.first, request.last))
            self.outcomes[index] = Moved(place, f"the file is now {target}", "the same file under another name")

    def _all_wanted(self, path: str, indexes: list[int]) -> list[Wanted]:
        source = self.old.read(path)
        pair = Pair(source, SourceText(path, "", ""))
        made: list[Wanted] = []
        for index in indexes:
            request = self.asked[index]
            problem = self._problem(request, len(source.lines))
            if problem is not None:
                self.outcomes[index] = problem
                continue
            start, end = pair.old.span(request.first, request.last)
            if start == end:
                self.outcomes[index] = Gone("the file is gone; the lines were blank")
                continue
            want = _wanted(pair, path, start, end)
            self.outcomes[index] = Gone("the file is gone")
            if _distinct(want.lines):
                outcome = Gone("the file is gone, and no other is certain to have its text")
                self.pending.append(_Pending(index, want, outcome, 0.0))
                made.append(want)
        return made

    def _pair_up(self, path: str, indexes: list[int], lookup: Lookup) -> None:
        """Take the one added file that carries half of the samples and resembles the gone one, if there is one."""
        hits = sorted(lookup.sample_hits.get(path, {}).items(), key=lambda item: (-item[1], item[0]))
        sampled = lookup.telling_samples.get(path, 0)
        waiting = {index for index in indexes if not isinstance(self.outcomes.get(index), NotFollowed)}
        if not hits or not waiting or hits[0][1] < max(3, _RENAME_SHARE * sampled):
            return
        target, best = hits[0]
        if len(hits) > 1 and hits[1][1] > _RUNNER_UP * best:
            candidates = tuple(Place(p) for p, count in hits[:5] if count > _RUNNER_UP * best)
            outcome = Ambiguous(candidates, "the file was taken apart into several, or copied")
            self.pending = [pending for pending in self.pending if pending.index not in waiting]
            self.outcomes.update(dict.fromkeys(waiting, outcome))
            return
        source = self.new.read(target)
        forward, backward = elsewhere.resemblance(self.old.read(path), source)
        if forward < _RENAME_SHARE or backward < _RENAME_SHARE:
            return
        pair = Pair(self.old.read(path), source)
        keep = [pending for pending in self.pending if pending.index not in waiting]
        self.pending = keep
        self._within(pair, path, target, sorted(waiting), f"the file is now {target}")

    def _forked(self, want: Wanted, target: str) -> bool:
        """`target` carries much of what the file itself still has: a copy of it, not a place that took code over."""
        pair = Pair(self.old.read(want.path), self.new.read(want.path))
        cited = set(want.lines)
        old = {
            text
            for index in range(len(pair.old))
            if pair.telling(pair.old, index)
            and not (text := pair.old.text(index).lstrip()).startswith(("import ", "from ", "#include"))
        }
        kept = (old - cited) & {pair.new.text(index).lstrip() for index in range(len(pair.new))}
        theirs = {line.lstrip() for line in self.new.read(target).lines}
        return len(kept & theirs) > max(3, _FORKED * len(kept))

    def _taken_elsewhere(self, pending: _Pending) -> Outcome:
        want, outcome = pending.want, pending.outcome
        outside = [s for s in want.new if s.path != want.path]
        fresh = [s for s in outside if all(before.path != s.path for before in want.old)]
        named = tuple(s.place for s in outside[:10])
        if pending.left >= 0.5 or not fresh or want.common:
            return _with_twins(outcome, named)
        mine = [s for s in want.old if s.path == want.path]
        if len(mine) != 1 or len(want.old) > 1:
            # It was not the only one: what stands elsewhere may be the continuation of another.
            return _with_twins(outcome, named)
        if len(want.new) > 1:
            return Ambiguous(tuple(s.place for s in want.new[:10]), "the text stands in several places now")
        target = fresh[0]
        if want.path in self.new.paths() and self._forked(want, target.path):
            return _with_twins(outcome, named)
        key = target.key(self.new)
        place = Place(target.path, LineRange(target.first, target.last), shown(key))
        note = f"from {want.path}"
        if key == want.key and key and want.signature_in <= {target.path}:
            return Moved(place, note, "the only such text in either tree, in the same definition")
        run = len(want.lines) + target.neighbours
        if target.path not in self.old.paths() and run >= LONG_RUN:
            note = f"{note}, {shown(want.key) or 'the file itself'} to {shown(key) or 'the file itself'}"
            return Moved(place, note, "the only such text in either tree, in one piece with its neighbours")
        return Ambiguous((place,), "the text stands in one other file now, and too little says it is this one")


def _with_twins(outcome: Outcome, twins: tuple[Place, ...]) -> Outcome:
    match outcome:
        case Gone(evidence, known):
            return Gone(evidence, known or twins)
        case Changed(place, similarity, evidence, known):
            return Changed(place, similarity, evidence, known or twins)
        case Rewritten(place, similarity, evidence, known):
            return Rewritten(place, similarity, evidence, known or twins)
        case _:
            return outcome


def _wanted(pair: Pair, path: str, start: int, end: int) -> Wanted:
    chain = pair.old_chain(start, end)
    signature = ""
    if chain:
        _, last = pair.old_scopes.signature(chain[-1])
        first, _ = pair.old_scopes.signature(chain[-1])
        heads = [pair.old.source.lines[row].lstrip() for row in range(first, last + 1)]
        signature = next((line for line in heads if line.startswith(("def ", "class ", "async def "))), heads[0])
    return Wanted.of(pair.old, path, pair.old_scopes.key(chain), start, end, signature)


def _distinct(lines: list[str]) -> bool:
    return sum(sum(map(str.isalnum, line)) for line in lines) >= _DISTINCT


def _joined(*notes: str) -> str:
    return "; ".join(note for note in notes if note)


def _place(pair: Pair, at: int, size: int, path: str) -> Place:
    lines = LineRange(pair.new.rows[at] + 1, pair.new.rows[at + size - 1] + 1)
    return Place(path, lines, shown(pair.new_key(at, at + size)))


def _found(pair: Pair, request: Request, start: int, end: int, at: int, path: str, note: str, why: str) -> Outcome:
    size = end - start
    old, new = pair.old, pair.new
    first, last = new.rows[at] + 1, new.rows[at + size - 1] + 1
    before = old.rows[start] + 1 - request.first
    after = request.last - old.rows[end - 1] - 1
    # Blank lines at the edges of the range are kept as far as they are still there.
    room_before = first - 1 - (new.rows[at - 1] + 1 if at else 0)
    room_after = (new.rows[at + size] if at + size < len(new) else len(new.source.lines)) - last
    notes = [note]
    if old.full[start:end] != new.full[at : at + size]:
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
