"""Files that are gone, and texts that their own files lost: what the other files of the newer tree say of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from refcheck.locate.follow import elsewhere, symbols
from refcheck.locate.follow.copies import AROUND
from refcheck.locate.follow.departed import LONG_RUN
from refcheck.locate.follow.edges import copied_edge, joined_edge
from refcheck.locate.follow.elsewhere import Lookup, Sighting, Wanted
from refcheck.locate.follow.outcome import Ambiguous, Changed, Gone, Moved, NotFollowed, Outcome, Rewritten, Same
from refcheck.locate.follow.pair import Pair
from refcheck.locate.follow.pending import Pending
from refcheck.locate.follow.scopes import Key, scopes_of, shown
from refcheck.model.place import LineRange, Place
from refcheck.model.source_text import SourceText

if TYPE_CHECKING:
    from refcheck.locate.follow.follower import Run

_RENAME_SHARE = 0.5
"""Share of a gone file's telling lines that another has to carry to be the same file, seen from both."""
_RIVAL = 0.2
"""Share of the best file's sample lines that, if a second file has them as well, makes it doubtful."""
_FEWEST = 3
_FORKED = 0.2


def settle(run: Run, gone: Mapping[str, list[int]], other_files: bool) -> None:
    """Fill in what the files themselves left open. `gone` maps a path to the indexes of its requests."""
    samples: dict[str, list[str]] = {}
    for path, indexes in gone.items():
        for line in elsewhere.sample_lines(run.old.read(path)):
            samples.setdefault(line, []).append(path)
        _expect_nothing(run, path, indexes)
    lookup = Lookup([p.want for p in run.pending], {line: tuple(paths) for line, paths in samples.items()})
    if other_files:
        elsewhere.search(lookup, run.old, run.new)
    whole = _same_contents(run, gone)
    for path, indexes in gone.items():
        waiting = {index for index in indexes if not isinstance(run.outcomes.get(index), NotFollowed)}
        if waiting:
            _pair_up(run, path, whole.get(path), waiting, lookup)
    if other_files:
        for pending in run.pending:
            run.outcomes[pending.index] = _decided(run, pending)


def _same_contents(run: Run, paths: Iterable[str]) -> dict[str, str]:
    """Gone path -> the one added path that has the very same content, where no other gone path had it too."""
    wanted = set(paths)
    if not wanted:
        return {}
    old_paths, new_paths = run.old.paths(), run.new.paths()
    sources: dict[str, list[str]] = {}
    for path in old_paths:
        if path not in new_paths:
            sources.setdefault(old_paths[path], []).append(path)
    targets: dict[str, list[str]] = {}
    for path in new_paths:
        if path not in old_paths:
            targets.setdefault(new_paths[path], []).append(path)
    return {
        paths[0]: targets[blob][0]
        for blob, paths in sources.items()
        if len(paths) == 1 and paths[0] in wanted and len(targets.get(blob, ())) == 1
    }


def _expect_nothing(run: Run, path: str, indexes: list[int]) -> None:
    """Until something is found, the ranges of a gone file are gone."""
    source = run.old.read(path)
    pair = Pair(source, SourceText(path, "", ""))
    for index in indexes:
        request = run.asked[index]
        problem = run.problem(request, len(source.lines))
        run.outcomes[index] = problem or Gone("the file is gone")
        start, end = pair.old.span(request.first, request.last)
        if problem is None and start < end:
            outcome = Gone("the file is gone, and no other is certain to have its text")
            run.pending.append(Pending.lost(pair, index, path, start, end, outcome, 0.0))


def _pair_up(run: Run, path: str, whole: str | None, waiting: set[int], lookup: Lookup) -> None:
    """Take the one added file that is the gone one under another name, if there is one.

    It has the same content (`whole`), or carries half of the samples and resembles the gone file from both sides.
    """
    hits = lookup.sample_hits.get(path, {})
    ranked = sorted(hits, key=lambda p: (-len(hits[p]), p))
    target = whole or next(iter(ranked), None)
    if target is None:
        return
    best = hits.get(target, set())
    # Parts of a file that was split have no line in common; copies of it have.
    rivals = [p for p in ranked if p != target and len(hits[p] & best) > _RIVAL * len(best)]
    if rivals and (whole or len(best) >= _FEWEST):
        candidates = tuple(Place(p) for p in (target, *rivals[:9]))
        outcome = Ambiguous(candidates, "the file is gone, and several new ones are copies of it")
        _drop(run, waiting)
        run.outcomes.update(dict.fromkeys(waiting, outcome))
        return
    note = f"the file is now {target}"
    if whole is not None:
        _drop(run, waiting)
        for index in waiting:
            request = run.asked[index]
            place = Place(whole, LineRange(request.first, request.last))
            run.outcomes[index] = Moved(place, note, "the same file under another name")
        return
    if len(best) < max(_FEWEST, _RENAME_SHARE * lookup.telling_samples.get(path, 0)):
        return
    source = run.new.read(target)
    forward, backward = elsewhere.resemblance(run.old.read(path), source)
    if forward >= _RENAME_SHARE and backward >= _RENAME_SHARE:
        _drop(run, waiting)
        run.within(Pair(run.old.read(path), source), path, target, sorted(waiting), note)


def _drop(run: Run, indexes: set[int]) -> None:
    run.pending[:] = [pending for pending in run.pending if pending.index not in indexes]


def _decided(run: Run, pending: Pending) -> Outcome:
    want, outcome = pending.want, pending.outcome
    if pending.confirmed_by_absence:
        return _unless_named_elsewhere(want, outcome)
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
    return _taken_over(run, pending, fresh[0], named)


def _unless_named_elsewhere(want: Wanted, outcome: Outcome) -> Outcome:
    """A definition that another file has now did not go on here under a new name, or as the rest of it that is left."""
    if not isinstance(outcome, Same | Moved) or not (want.signature_in - {want.path, outcome.place.path}):
        return outcome
    names = ", ".join(sorted(want.signature_in - {want.path, outcome.place.path})[:3])
    return Ambiguous((outcome.place,), f"{shown(want.key)} stands in {names} now, and its lines here as well")


def _taken_over(run: Run, pending: Pending, target: Sighting, named: tuple[Place, ...]) -> Outcome:
    """The text stood once in either tree, and stands in another file now: moved there, if more than that says so."""
    want = pending.want
    if want.path in run.new.paths() and _forked(run, want, target.path):
        return _with_twins(pending.outcome, named)
    keys = target.keys(run.new)
    place = Place(target.path, LineRange(target.first, target.last), shown(keys[0]))
    request = run.asked[pending.index]
    pair = Pair(run.old.read(want.path), run.new.read(target.path))
    start, end = pair.old.span(request.first, request.last)
    at, _ = pair.new.span(target.first, target.last)
    above, below = pair.neighbours(start, end, at)
    if symbols.repeated(pair, start - min(above, AROUND), end + min(below, AROUND)):
        return Ambiguous((place,), "the lines around it stand there more than once")
    if (edge := copied_edge(pair, start, end, at) or joined_edge(pair, start, end, at)) is not None:
        return Ambiguous((place,), f"the lines at its {edge} may be others that are equal")
    rivals = sorted(want.signature_in - {target.path})
    if rivals:
        return Ambiguous((place,), f"the lines around it stand in {', '.join(rivals[:3])} too")
    note = f"from {want.path}"
    if keys == want.keys and keys[0]:
        return Moved(place, note, "the only such text in either tree, in the same definition")
    alike = keys == want.keys or (
        _under_another_name(run, want, keys, target.path) and not symbols.touches_signature(pair, start, end)
    )
    if alike and target.path not in run.old.paths() and above + end - start + below >= LONG_RUN:
        if want.key != keys[0]:
            note = f"{note}, {shown(want.key) or 'the file itself'} to {shown(keys[0]) or 'the file itself'}"
        return Moved(place, note, "the only such text in either tree, in one piece with its neighbours")
    return Ambiguous((place,), "the text stands in one other file now, and too little says it is this one")


def _under_another_name(run: Run, want: Wanted, keys: tuple[Key, Key, Key], target: str) -> bool:
    """The text stood in one definition, whose name neither its own file nor `target` has, and stands in one now."""
    if len(set(want.keys)) > 1 or len(set(keys)) > 1 or not want.key or not keys[0]:
        return False
    files = [path for path in (want.path, target) if path in run.new.paths()]
    return not any(want.key in scopes_of(run.new.read(path)).all_keys() for path in files)


def _forked(run: Run, want: Wanted, target: str) -> bool:
    """`target` carries much of what the file itself still has: a copy of it, not a place that took code over."""
    pair = Pair(run.old.read(want.path), run.new.read(want.path))
    cited = set(want.lines)
    old = {
        text
        for index in range(len(pair.old))
        if pair.telling(pair.old, index)
        and not (text := pair.old.text(index).lstrip()).startswith(("import ", "from ", "#include"))
    }
    kept = (old - cited) & {pair.new.text(index).lstrip() for index in range(len(pair.new))}
    theirs = {line.lstrip() for line in run.new.read(target).lines}
    return len(kept & theirs) > max(_FEWEST, _FORKED * len(kept))


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
