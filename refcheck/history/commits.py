"""Commits between two revisions as a timeline: one listing, then what each commit changed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..config.engines import Engine
from ..errors import UsageError
from ..model.history import Revision
from ..model.tree import SourceKind, SourceRead
from ..sources.history import CommitChanges, CommitInfo, open_history
from ..sources.wanted import Options
from .moments import Moment


class Commits:
    """A timeline (refcheck.history.moments) of the commits after `older` up to `newer`, along first parents.

    Raises UsageError where `newer` does not contain `older`; SourceError where the history cannot be had.
    """

    by = "commits"

    def __init__(
        self, engine: Engine, older: str, newer: str, options: Options | None = None, source: Path | None = None
    ) -> None:
        self.engine = engine
        self.history = open_history(engine, [older, newer], options, source)
        try:
            self._check(older, newer)
            self.start = self.history.info(older)
            self.commits: tuple[CommitChanges, ...] = self.history.commits_between(older, newer)
        except BaseException:
            self.history.close()
            raise
        self.place = self.history.place
        self.notes = self.history.notes

    def _check(self, older: str, newer: str) -> None:
        base = self.history.merge_base(older, newer)
        if base == older:
            return
        if base == newer:
            raise UsageError(f"{self.engine.name}: --from {older[:12]} is newer than --to {newer[:12]}: swap the two")
        tail = f"; their last common commit is {base}" if base else ""
        raise UsageError(
            f"{self.engine.name}: {newer[:12]} does not contain {older[:12]}, so there is no line of commits from one "
            f"to the other{tail}"
        )

    @property
    def revisions(self) -> tuple[Revision, ...]:
        return tuple(_revision(info) for info in (self.start, *(commit.info for commit in self.commits)))

    def moments(self) -> Iterator[Moment]:
        files = self._listing(self.start.commit)
        yield self._moment(self.start, files, None)
        for number, commit in enumerate(self.commits):
            if number == 0:
                # The first one's own parent need not be the commit that was named: a side branch may lie between.
                after = self._listing(commit.info.commit)
                changed = {path for path, _ in files.items() ^ after.items()}
                files = after
            else:
                changed = {change.path for change in commit.changes}
                for change in commit.changes:
                    if change.new is None:
                        files.pop(change.path, None)
                    else:
                        files[change.path] = change.new
            yield self._moment(commit.info, files, frozenset(changed))

    def _listing(self, commit: str) -> dict[str, str]:
        with self.history.tree(commit) as tree:
            return dict(tree.paths())

    def _moment(self, info: CommitInfo, files: dict[str, str], changed: frozenset[str] | None) -> Moment:
        def read(path: str) -> bytes:
            return self.history.content(path, files[path])

        def prefetch(paths: Iterable[str]) -> None:
            self.history.prefetch([files[path] for path in paths if path in files])

        def read_many(paths: Sequence[str]) -> Iterator[bytes]:
            return self.history.contents([files[path] for path in paths])

        source = SourceRead(
            engine=self.engine.name,
            pin=info.commit,
            read=info.commit,
            kind=SourceKind.COMMIT,
            exact=True,
            why=f"a commit of the history in {self.place}",
        )
        return Moment(_revision(info), source, files, changed, read, lambda path: True, read_many, prefetch)

    def versions_below(self, prefixes: tuple[str, ...]) -> int:
        return len(self._blobs_below(prefixes))

    def prefetch_below(self, prefixes: tuple[str, ...]) -> None:
        self.history.prefetch(sorted(self._blobs_below(prefixes)))

    def _blobs_below(self, prefixes: tuple[str, ...]) -> set[str]:
        return {
            change.new
            for commit in self.commits
            for change in commit.changes
            if change.new is not None and (not prefixes or change.path.startswith(prefixes))
        }

    def close(self) -> None:
        self.history.close()


def _revision(info: CommitInfo) -> Revision:
    return Revision(info.commit, info.date, info.subject)
