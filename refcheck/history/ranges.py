"""Questions about a whole part of a tree, kept up to date from moment to moment by what changed."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .contents import Contents
from .moments import Moment

PORTION = 256
"""Files that are read at once."""


@dataclass(frozen=True, slots=True)
class Query:
    """Which files below `prefixes` (all if empty) whose names end so have the words, or lines of all these hashes.

    With `every`, each of the words; else one of them.
    """

    prefixes: tuple[str, ...]
    suffixes: tuple[str, ...]
    words: tuple[bytes, ...] = ()
    every: bool = True
    hashes: frozenset[str] = frozenset()

    def covers(self, path: str) -> bool:
        return path.endswith(self.suffixes) and (not self.prefixes or path.startswith(self.prefixes))


@dataclass(frozen=True, slots=True)
class Answer:
    """path -> blob of the files that fit at a moment; good until the next. `digest` tells answers apart for good."""

    files: Mapping[str, str]
    digest: bytes


@dataclass(slots=True)
class _Known:
    position: int
    files: dict[str, str]
    answer: Answer | None = None


class Ranges:
    """Answers for the current moment. Files that did not change since the last answer are not looked at again."""

    def __init__(self, contents: Contents, bring: Callable[[tuple[str, ...]], None]) -> None:
        self._contents = contents
        self._bring = bring
        self._brought: set[tuple[str, ...]] = set()
        self._changed: list[frozenset[str]] = []
        self._known: dict[Query, _Known] = {}
        self._moment: Moment | None = None

    def advance(self, moment: Moment) -> None:
        """Makes `moment` the current one; to be called for each in order."""
        self._changed.append(moment.changed or frozenset())
        self._moment = moment

    def answer(self, query: Query) -> Answer:
        """The files that fit at the current moment."""
        moment = self._moment
        assert moment is not None
        now = len(self._changed) - 1
        known = self._known.get(query)
        if known is None:
            if query.prefixes not in self._brought:
                self._brought.add(query.prefixes)
                self._bring(query.prefixes)
            paths = [path for path in moment.files if query.covers(path)]
            known = self._known[query] = _Known(now, self._fitting(query, paths, moment))
        elif known.position < now:
            since = frozenset().union(*self._changed[known.position + 1 :])
            known.position = now
            touched = [path for path in since if query.covers(path)]
            if touched:
                known.answer = None
            for path in touched:
                known.files.pop(path, None)
            known.files |= self._fitting(query, [path for path in touched if path in moment.files], moment)
        if known.answer is None:
            known.answer = Answer(known.files, _digest(known.files))
        return known.answer

    def _fitting(self, query: Query, paths: Sequence[str], moment: Moment) -> dict[str, str]:
        """path -> blob of those that fit, read in portions that the contents can keep."""
        found: dict[str, str] = {}
        for start in range(0, len(paths), PORTION):
            portion = paths[start : start + PORTION]
            files = [(path, moment.files[path]) for path in portion]
            unknown = [f for f in files if not self._contents.answered(f[1], query.words, query.hashes)]
            self._contents.load(unknown, moment.read_many)
            found.update((path, blob) for path, blob in files if self._fits(query, path, moment))
        return found

    def _fits(self, query: Query, path: str, moment: Moment) -> bool:
        blob = moment.files[path]
        if query.hashes:
            return query.hashes <= self._contents.hashes_in(path, blob, moment.read)
        met = all if query.every else any
        return met(self._contents.has_word(word, path, blob, moment.read) for word in query.words)


def _digest(files: Mapping[str, str]) -> bytes:
    listed = "\0".join(f"{path}\0{files[path]}" for path in sorted(files))
    return hashlib.blake2b(listed.encode("utf-8", "surrogateescape"), digest_size=16).digest()
