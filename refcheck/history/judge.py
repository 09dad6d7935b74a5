"""Judging units at every revision in order, each distinct version of what they look at once.

A verdict stands wherever everything that the check looked at is the same; so every revision has a verdict, and none
is guessed from its neighbours. Bisection would be no faster and wrong: what broke may hold again, and break again.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace

from ..locate.fingerprint import parse_fingerprint
from ..model.history import Cell, EngineHistory, HistoryRow, Revision, Turn, holds, is_at_home
from ..model.verdict import Verdict, place_of, verdict_name
from .contents import Contents
from .moments import Moment, Timeline
from .ranges import Ranges
from .units import AnchorUnit, Beside, Head, Unit, line_hashes
from .watched import Fact, PartSeen, Present, WatchedReader

MOST_VERSIONS = 20_000
"""Checks that range over a part of the tree are judged at a sample of the revisions where it has more versions."""

SAMPLE = 25
"""Revisions of such a sample, the first and the last included."""

PATIENCE = 15.0
"""Seconds between two words on how far the judging is."""

Announce = Callable[[str], None]


@dataclass(frozen=True)
class Task:
    """What to judge. `opened` opens the timeline: a worker in another process opens its own, so both are picklable."""

    units: tuple[Unit, ...]
    opened: Callable[[], Timeline]
    beside: Callable[[], Beside] = Beside
    """Opens the other engines that claims name; called once by each worker."""
    pin: str | None = None
    """The edition's pin: there, cited lines may part equal texts."""
    most_versions: int = MOST_VERSIONS


@dataclass(slots=True)
class Track:
    """One row while it is judged: `marks` are the revisions where its verdict or its place became another."""

    head: Head
    marks: list[tuple[int, Verdict]] = field(default_factory=list)
    judged: int = 0
    sampled: tuple[int, int] | None = None
    positions: tuple[int, ...] = ()
    """The revisions that were judged, where not all were."""

    def at(self, position: int) -> Verdict:
        return next(verdict for start, verdict in reversed(self.marks) if start <= position)


@dataclass(frozen=True, slots=True)
class Judged:
    """The tracks of all rows, and the revisions that they count."""

    tracks: tuple[Track, ...]
    revisions: tuple[Revision, ...]
    place: str
    notes: tuple[str, ...]
    by: str


def judge(
    task: Task, executor: Executor | None = None, workers: int = 2, announce: Announce = lambda message: None
) -> Judged:
    """Judges every unit at every revision.

    With an executor, the units are dealt out to `workers` calls, each of which goes through the revisions on its
    own; the answer is the same. Raises SourceError where a revision cannot be read.
    """
    if executor is None or len(task.units) < 2:
        return _judge(task, announce)
    futures = [executor.submit(_judge, part) for part in _dealt(task, workers)]
    parts = [future.result() for future in futures]
    order = {head: number for number, head in enumerate(head for unit in task.units for head in unit.heads)}
    tracks = sorted((track for part in parts for track in part.tracks), key=lambda track: order[track.head])
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    return Judged(tuple(tracks), parts[0].revisions, parts[0].place, notes, parts[0].by)


def _dealt(task: Task, workers: int) -> list[Task]:
    """Units that name the same first file go together, so that it is read by one worker."""
    groups: dict[str, list[Unit]] = {}
    for unit in task.units:
        groups.setdefault(unit.paths[0] if unit.paths else "", []).append(unit)
    hands: list[list[Unit]] = [[] for _ in range(max(1, workers))]
    for group in sorted(groups.values(), key=len, reverse=True):
        min(hands, key=len).extend(group)
    return [replace(task, units=tuple(hand)) for hand in hands if hand]


def _judge(task: Task, announce: Announce = lambda message: None) -> Judged:
    timeline = task.opened()
    run = None
    try:
        run = _Run(task, timeline, announce)
        for moment in timeline.moments():
            run.at(moment)
            run.say_how_far()
        return Judged(
            tuple(track for state in run.states for track in state.tracks),
            timeline.revisions,
            timeline.place,
            (*timeline.notes, *run.notes),
            timeline.by,
        )
    finally:
        timeline.close()
        if run is not None:
            run.close()


@dataclass(frozen=True, slots=True)
class _Known:
    """A judgement and all that it looked at; `read` is the revision that its messages name."""

    facts: tuple[Fact, ...]
    verdicts: tuple[Verdict, ...]
    ranges: bool


class _State:
    """One unit on its way through the revisions."""

    def __init__(self, unit: Unit) -> None:
        self.unit = unit
        self.tracks = [Track(head) for head in unit.heads]
        self.known: list[_Known] = []
        self.positions: list[int] = []

    def take(self, position: int, verdicts: Iterable[Verdict]) -> None:
        self.positions.append(position)
        for track, verdict in zip(self.tracks, verdicts, strict=True):
            if not track.marks or _differ(track.marks[-1][1], verdict):
                track.marks.append((position, verdict))


class _Run:
    def __init__(self, task: Task, timeline: Timeline, announce: Announce) -> None:
        self.timeline = timeline
        self.announce = announce
        self.total = len(timeline.revisions)
        self.most = task.most_versions
        self.beside = task.beside()
        hashes: set[str] = set()
        for unit in task.units:
            if isinstance(unit, AnchorUnit) and unit.anchor.fingerprint is not None:
                hashes |= line_hashes(parse_fingerprint(unit.anchor.fingerprint))
        contents = Contents(hashes)
        self.sample: frozenset[int] | None = None
        self.ranges = Ranges(contents, self.bring)
        self.present = Present(contents, self.ranges, task.pin)
        self.states = [_State(unit) for unit in task.units]
        self.position = -1
        self.said = time.monotonic()

    @property
    def notes(self) -> tuple[str, ...]:
        """Which other engines took part, and what was read of them."""
        read = [reader.tree.source for reader in self.beside.readers.values()]
        found = [f"beside it, {source.engine}: {source.read} ({source.why})" for source in read]
        return (*found, *(f"{name} was not read: {why}" for name, why in self.beside.missing.items()))

    def close(self) -> None:
        for reader in self.beside.readers.values():
            close = getattr(reader.tree, "close", None)
            if close is not None:
                close()

    def say_how_far(self) -> None:
        """Now and then, for whoever waits for thousands of commits."""
        now = time.monotonic()
        if now - self.said >= PATIENCE and self.position + 1 < self.total:
            self.said = now
            self.announce(f"{self.position + 1:,} of {self.total:,} revisions judged")

    def bring(self, prefixes: tuple[str, ...]) -> None:
        """A check ranges over a part of the tree for the first time: is that too much to follow at every revision?"""
        versions = self.timeline.versions_below(prefixes)
        where = ", ".join(prefixes) or "the whole tree"
        if versions > self.most:
            if self.sample is None:
                last = self.total - 1
                self.sample = frozenset(round(last * k / (SAMPLE - 1)) for k in range(SAMPLE))
            self.announce(f"{versions:,} versions of files below {where}: judged at {len(self.sample)} revisions only")
        elif versions:
            self.announce(f"following {versions:,} versions of files below {where}")
            self.timeline.prefetch_below(prefixes)

    def at(self, moment: Moment) -> None:
        self.position += 1
        self.present.moment = moment
        self.ranges.advance(moment)
        if self.position == 0:
            moment.prefetch(sorted({path for state in self.states for path in state.unit.paths}))
        for state in self.states:
            self._judge(state)
        if self.position == self.total - 1:
            for state in self.states:
                self._finish(state)

    def _judge(self, state: _State) -> None:
        if state.known and self._left_out(state.known[0]):
            return
        for number, known in enumerate(state.known):
            if all(self.present.still(fact) for fact in known.facts):
                # The one that fits now is the likeliest to fit the next revision too.
                state.known.insert(0, state.known.pop(number))
                state.take(self.position, known.verdicts)
                return
        reader = WatchedReader(self.present)
        verdicts = tuple(_bare(verdict) for verdict in state.unit.judge(reader, self.beside))
        facts = reader.watched.facts
        state.known.insert(0, _Known(facts, verdicts, any(isinstance(fact, PartSeen) for fact in facts)))
        state.take(self.position, verdicts)

    def _left_out(self, known: _Known) -> bool:
        """Whether this revision is none of the sample, for a check that is judged at a sample."""
        if self.sample is None or self.position in self.sample or not known.ranges:
            return False
        return all(self.present.still(fact) for fact in known.facts if not isinstance(fact, PartSeen))

    def _finish(self, state: _State) -> None:
        for track in state.tracks:
            track.judged = len(state.known)
            if len(state.positions) < self.total:
                track.sampled = (len(state.positions), self.total)
                track.positions = tuple(state.positions)


def _bare(verdict: Verdict) -> Verdict:
    """Without its evidence, which no history shows and which would be kept for every version."""
    return replace(verdict, evidence=())


def _differ(one: Verdict, other: Verdict) -> bool:
    return verdict_name(one) != verdict_name(other) or place_of(one) != place_of(other)


def table(judged: Judged, engine: str, edition: str) -> EngineHistory:
    """The rows with a cell for each column.

    Releases have a column each. Of commits, the first and the last have one, and every commit where a verdict
    became another; where only lines moved, no column says so.
    """
    last = len(judged.revisions) - 1
    columns = set(range(last + 1)) if judged.by == "releases" else {0, last}
    turns = {id(track): _turns(track, judged.revisions) for track in judged.tracks}
    for track in judged.tracks:
        columns.update(position for position, turn in turns[id(track)] if not _of_lines_alone(turn, track.head))
    shown = sorted(columns)
    rows = tuple(
        HistoryRow(
            id=track.head.id,
            kind=track.head.kind,
            cells=tuple(Cell(judged.revisions[position], track.at(position)) for position in shown),
            turns=tuple(turn for _, turn in turns[id(track)]),
            judged=track.judged,
            claim_kind=track.head.claim_kind,
            anchor=track.head.anchor,
            words=track.head.words,
            cited=track.head.cited,
            sampled=track.sampled,
        )
        for track in judged.tracks
    )
    return EngineHistory(
        engine=engine,
        edition=edition,
        by=judged.by,
        revisions=tuple(judged.revisions[position] for position in shown),
        rows=rows,
        looked_through=last + 1,
        place=judged.place,
        notes=judged.notes,
    )


def _of_lines_alone(turn: Turn, head: Head) -> bool:
    if head.claim_kind == "location":
        return holds(turn.was) == holds(turn.now)
    return head.kind == "anchor" and is_at_home(turn.was, head.cited) and is_at_home(turn.now, head.cited)


def _turns(track: Track, revisions: Sequence[Revision]) -> list[tuple[int, Turn]]:
    found: list[tuple[int, Turn]] = []
    for (_, was), (position, now) in zip(track.marks, track.marks[1:], strict=False):
        if verdict_name(was) == verdict_name(now):
            continue
        before = position - 1
        if track.positions:
            before = max(p for p in track.positions if p < position)
        found.append((position, Turn(revisions[position], was, now, revisions[before], before == position - 1)))
    return found
