"""The commits between the two trees of a run, for what the trees alone leave open.

Only history that is at hand is used: a clone or mirror that stands for the engine's origin, or one that the store
has. Nothing is opened where the trees leave nothing open.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from ..config.engines import Engine
from ..errors import SourceError
from ..locate.follow import Ambiguous, Followed
from ..locate.follow.path import Step, follow_path, is_open
from ..model.source_text import SourceText
from ..model.tree import Tree

if TYPE_CHECKING:
    from ..sources.history import CommitInfo, History
    from ..sources.wanted import Options

SUBJECT = 50
"""Characters of a commit's subject that are shown with it."""
KEPT_TEXT = 8 * 1024 * 1024
"""Characters of decoded versions that are kept: one file's neighbouring versions, and those of a large commit."""


class CommitPaths:
    """Looks again at what following between two trees left open. Use as a context manager, or call `close`.

    `sources` are the user's clones by engine. `notes` say what came of it, for the user.
    """

    def __init__(
        self,
        engines: Mapping[str, Engine],
        sources: Mapping[str, Path],
        options: Options,
        announce: Callable[[str], None] = lambda message: None,
    ) -> None:
        self._engines = engines
        self._sources = sources
        self._options = options
        self._announce = announce
        self._known: dict[tuple[str, str, str], _Between | str] = {}
        self._counts: dict[str, list[int]] = {}
        self._why_not: dict[str, str] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """One sentence for each engine of which something was open."""
        said: list[str] = []
        for engine, (doubts, settled, finds, confirmed) in self._counts.items():
            parts = []
            if doubts:
                parts.append(f"{settled} of {doubts} that the two trees leave in doubt are settled")
            if finds:
                parts.append(f"{confirmed} of {finds} finds in other files are confirmed")
            said.append(f"{engine}: over the commits between, {' and '.join(parts)}")
        said += [f"{engine}: {why}" for engine, why in self._why_not.items()]
        return tuple(said)

    def settle(self, engine: str, followed: Sequence[Followed], old: Tree, new: Tree) -> list[Followed]:
        """The same answers, those that are open judged over the commits between the trees.

        Where the trees are not two commits of one line of history that is at hand, the answers are as they were,
        and `notes` say so.
        """
        answers = list(followed)
        older, newer = old.source.commit, new.source.commit
        chosen = [index for index, one in enumerate(answers) if is_open(one)]
        if not chosen or older is None or newer is None or older == newer or engine not in self._engines:
            return answers
        between = self._between(engine, older, newer)
        if isinstance(between, str):
            self._why_not[engine] = (
                f"{len(chosen)} that the commits between could tell more about are as they were: {between}"
            )
            return answers
        try:
            steps = between.steps(old, new)
            self._announce(
                f"{engine}: looking at {_counted(len(chosen), 'place')} over {_counted(len(steps), 'commit')}"
            )
            again = follow_path([answers[index] for index in chosen], steps, between, old.paths(), new.paths())
        except SourceError as error:
            self._why_not[engine] = f"the commits between could not be read: {str(error).splitlines()[0]}"
            return answers
        counts = self._counts.setdefault(engine, [0, 0, 0, 0])
        for index, one in zip(chosen, again, strict=True):
            doubt = isinstance(answers[index].outcome, Ambiguous)
            counts[0 if doubt else 2] += 1
            counts[1 if doubt else 3] += one.place is not None
            answers[index] = one
        return answers

    def _between(self, engine: str, older: str, newer: str) -> _Between | str:
        key = (engine, older, newer)
        if key not in self._known:
            self._known[key] = self._open(self._engines[engine], older, newer)
        return self._known[key]

    def _open(self, engine: Engine, older: str, newer: str) -> _Between | str:
        from ..sources.history import open_history

        try:
            history = open_history(engine, [older, newer], self._options, self._sources.get(engine.name), at_hand=True)
        except SourceError:
            return f"their history is not at hand (--source {engine.name}=CLONE reads it from a clone)"
        try:
            if history.is_ancestor(older, newer):
                return _Between(history, older, newer)
            reason = f"{newer[:12]} does not contain {older[:12]} in the history of {history.place}"
        except SourceError as error:
            reason = str(error).splitlines()[0]
        history.close()
        return reason

    def close(self) -> None:
        """End the git processes."""
        for one in self._known.values():
            if not isinstance(one, str):
                one.close()
        self._known.clear()

    def __enter__(self) -> CommitPaths:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Between:
    """Two commits, of which the newer contains the older; implements refcheck.locate.follow.path.Versions."""

    def __init__(self, history: History, older: str, newer: str) -> None:
        self._history = history
        self._older = older
        self._newer = newer
        self._steps: list[Step] | None = None
        self._texts: OrderedDict[tuple[str, str], SourceText] = OrderedDict()
        self._size = 0

    def steps(self, old: Tree, new: Tree) -> list[Step]:
        """The commits along first parents from the first that contains the older one, oldest first."""
        if self._steps is None:
            commits = self._history.commits_between(self._older, self._newer)
            start = self._first_containing([commit.info.commit for commit in commits])
            self._steps = []
            if start < len(commits):
                # What else came with it has no commit on this line: the first step is all that differs.
                first = commits[start].info
                after = new.paths() if first.commit == self._newer else self._paths(first.commit)
                self._steps.append(Step(_name(first), _differences(old.paths(), after)))
            for commit in commits[start + 1 :]:
                changes = {change.path: (change.old, change.new) for change in commit.changes}
                self._steps.append(Step(_name(commit.info), changes))
        return self._steps

    def _paths(self, commit: str) -> Mapping[str, str]:
        with self._history.tree(commit) as tree:
            return dict(tree.paths())

    def _first_containing(self, commits: Sequence[str]) -> int:
        """Index of the first commit that contains the older one: what a side branch does not have is no edit."""
        low, high = 0, len(commits)
        if commits and self._history.is_ancestor(self._older, commits[0]):
            return 0
        while low < high:
            middle = (low + high) // 2
            if self._history.is_ancestor(self._older, commits[middle]):
                high = middle
            else:
                low = middle + 1
        return low

    def text(self, path: str, blob: str) -> SourceText:
        found = self._texts.get((path, blob))
        if found is None:
            found = self._history.text(path, blob)
            self._texts[path, blob] = found
            self._size += len(found.text)
            while self._size > KEPT_TEXT and len(self._texts) > 2:
                _, dropped = self._texts.popitem(last=False)
                self._size -= len(dropped.text)
        else:
            self._texts.move_to_end((path, blob))
        return found

    def many(self, blobs: Sequence[str]) -> Iterator[bytes]:
        return self._history.contents(blobs)

    def prefetch(self, blobs: Iterable[str]) -> None:
        self._history.prefetch(blobs)

    def close(self) -> None:
        self._history.close()


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def _differences(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, tuple[str | None, str | None]]:
    paths = {path for path, _ in before.items() ^ after.items()}
    return {path: (before.get(path), after.get(path)) for path in paths}


def _name(info: CommitInfo) -> str:
    subject = info.subject if len(info.subject) <= SUBJECT else info.subject[: SUBJECT - 3] + "..."
    return f"{info.commit[:12]} of {info.date[:10]} ({subject})"
