"""Histories of an invented engine that live in memory: a folder's files at each of many revisions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from refcheck.config.edition import Edition, load_edition
from refcheck.history.judge import Judged, Task, judge
from refcheck.history.moments import Moment
from refcheck.history.units import units_of
from refcheck.model.history import Revision
from refcheck.model.tree import SourceKind, SourceRead
from refcheck.model.verdict import verdict_name
from refcheck.sources.batch import blob_id

State = Mapping[str, str]
"""path -> text."""


@dataclass
class Story:
    """A timeline over states. `reads` counts how often each blob was read."""

    states: Sequence[State]
    first: int = 0
    by: str = "commits"
    place: str = "memory"
    notes: tuple[str, ...] = ()
    reads: Counter[str] = field(default_factory=Counter)
    closed: bool = False

    @property
    def revisions(self) -> tuple[Revision, ...]:
        return tuple(
            Revision(f"{self.first + n:040x}", f"2026-01-{1 + n % 28:02d}", f"commit {self.first + n}")
            for n in range(len(self.states))
        )

    def moments(self) -> Iterator[Moment]:
        before: dict[str, str] | None = None
        for revision, state in zip(self.revisions, self.states, strict=True):
            files = {path: blob_id(text.encode()) for path, text in state.items()}
            changed = None if before is None else frozenset(path for path, _ in before.items() ^ files.items())

            def read(path: str, state: State = state, files: Mapping[str, str] = files) -> bytes:
                self.reads[files[path]] += 1
                return state[path].encode()

            def read_many(paths: Sequence[str], read=read) -> Iterator[bytes]:  # type: ignore[no-untyped-def]
                return (read(path) for path in paths)

            source = SourceRead("toy", revision.rev, revision.rev, SourceKind.COMMIT, True, "a test")
            yield Moment(revision, source, files, changed, read, lambda path: True, read_many, lambda paths: None)
            before = files

    def versions_below(self, prefixes: tuple[str, ...]) -> int:
        seen = {
            blob_id(text.encode())
            for state in self.states[1:]
            for path, text in state.items()
            if not prefixes or path.startswith(prefixes)
        }
        return len(seen)

    def prefetch_below(self, prefixes: tuple[str, ...]) -> None:
        return

    def close(self) -> None:
        self.closed = True


def edition_of(folder: Path, text: str) -> Edition:
    """An edition of the engine `toy` with the anchors and claims of a YAML text."""
    file = folder / "toy.yaml"
    pin = "0" * 40
    head = f'schema: refcheck-edition/1\nname: toy\ndate: 2026-01-01\npins:\n  toy: {{commit: "{pin}"}}\n'
    file.write_text(head + text, encoding="utf-8")
    return load_edition(file)


def task_of(edition: Edition, story: Story, **more: object) -> Task:
    return Task(units_of(edition, "toy", ("toy/",)), lambda: story, **more)  # type: ignore[arg-type]


def names(judged: Judged) -> dict[str, list[str]]:
    """The verdict's name of each row at each revision."""
    return {
        track.head.id: [verdict_name(track.at(position)) for position in range(len(judged.revisions))]
        for track in judged.tracks
    }


def judged_one_by_one(edition: Edition, states: Sequence[State], pin: str | None = None) -> dict[str, list[str]]:
    """Each revision judged by itself, with nothing kept from another: what `judge` must agree with."""
    found: dict[str, list[str]] = {}
    for number, state in enumerate(states):
        alone = judge(task_of(edition, Story([state], first=number), pin=pin))
        for id_, verdicts in names(alone).items():
            found.setdefault(id_, []).extend(verdicts)
    return found
