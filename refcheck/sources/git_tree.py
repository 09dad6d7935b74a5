"""A tree whose contents are blobs of a git repository: our store, or a local clone that lends its objects."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import TYPE_CHECKING

from ..errors import PathNotInTree, SourceError
from ..model.source_text import SourceText
from ..model.tree import SourceRead
from .attempts import Unavailable
from .batch import Batch, Corrupt, Missing, commits_named, missing

if TYPE_CHECKING:
    from .listing import Listing
    from .supply import Received

KEPT_TEXT = 8 * 1024 * 1024
"""Decoded texts are kept up to this many characters, so that one file read for several checks is decoded once."""

Bring = Callable[[Sequence[str], bool], "Received"]
"""Brings blobs into the repository: their ids, and whether copies that are there are known to be broken."""


class TextCache:
    """The last texts that were read, bounded by their length."""

    def __init__(self, limit: int = KEPT_TEXT) -> None:
        self._limit = limit
        self._size = 0
        self._texts: OrderedDict[str, SourceText] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, path: str) -> SourceText | None:
        with self._lock:
            found = self._texts.get(path)
            if found is not None:
                self._texts.move_to_end(path)
            return found

    def put(self, text: SourceText) -> None:
        with self._lock:
            if text.path in self._texts or len(text.text) > self._limit // 2:
                return
            self._texts[text.path] = text
            self._size += len(text.text)
            while self._size > self._limit:
                _, dropped = self._texts.popitem(last=False)
                self._size -= len(dropped.text)


class GitTree:
    """Implements `refcheck.model.tree.Tree`. Use as a context manager, or call `close`.

    `bring` is None where nothing can be fetched (a local clone, or a run that is offline); `why_not` is then said
    with a content that is not there. `carries` is None for a commit, which has all that the engine has; `all_commits`
    says that the repository is the engine's with its history.
    """

    def __init__(
        self,
        source: SourceRead,
        listing: Listing,
        git_dir: Path,
        *,
        alternates: Sequence[Path] = (),
        bring: Bring | None = None,
        why_not: str = "",
        carries: Callable[[str], bool] | None = None,
        complete: bool = False,
        all_commits: bool = False,
        on_close: Callable[[], None] | None = None,
    ) -> None:
        self._source = source
        self._listing = listing
        self._git_dir = git_dir
        self._alternates = tuple(alternates)
        self._bring = bring
        self._why_not = why_not
        self._carries = carries
        self._complete = complete
        self._all_commits = all_commits
        self._on_close = on_close
        self._batch = Batch(git_dir, alternates)
        self._texts = TextCache()
        self._present: set[str] = set()
        self._lock = threading.Lock()

    @property
    def source(self) -> SourceRead:
        return self._source

    def paths(self) -> Mapping[str, str]:
        return MappingProxyType(self._listing.files)

    def has(self, path: str) -> bool:
        return path in self._listing.files

    def other(self, path: str) -> str | None:
        """ "symlink" or "submodule" where the tree has such an entry, which is never followed; else None."""
        return self._listing.others.get(path)

    def carries(self, path: str) -> bool:
        return path in self._listing.files or self._carries is None or self._carries(path)

    def abbreviates(self, prefix: str) -> bool:
        """Whether the prefix names the tree's commit and no other.

        False where that cannot be told: the store has the commits of a few runs, a shallow clone those of its end.
        """
        if not self._all_commits:
            return False
        try:
            return commits_named(prefix, self._git_dir, self._alternates) == [self._source.commit]
        except Unavailable:
            return False

    def read(self, path: str) -> SourceText:
        found = self._texts.get(path)
        if found is None:
            data = self.read_bytes(path)
            found = SourceText.from_bytes(path, self._listing.files[path], data)
            self._texts.put(found)
        return found

    def read_bytes(self, path: str) -> bytes:
        oid = self._listing.files.get(path)
        if oid is None:
            raise PathNotInTree(path)
        try:
            return self._blob(path, oid)
        except Unavailable as reason:
            raise SourceError(f"{self._source.engine}: the content of {path} cannot be had: {reason}") from reason

    def read_many(self, paths: Sequence[str]) -> Iterator[bytes]:
        """The bytes of many files in their order, which is faster than one after another. Raises as `read_bytes`."""
        self.prefetch(paths)
        files = self._listing.files
        done = 0
        try:
            for data in self._batch.blobs([files[path] for path in paths]):
                done += 1
                yield data
        except Unavailable:
            for path in paths[done:]:  # one by one, so that what can be brought again is
                yield self.read_bytes(path)

    def prefetch(self, paths: Iterable[str]) -> None:
        """As the protocol says. Raises SourceError where the source cannot be reached any more."""
        if self._complete or self._bring is None:
            return
        files = self._listing.files
        wanted = [files[path] for path in paths if path in files]
        wanted = [oid for oid in wanted if oid not in self._present]
        if not wanted:
            return
        try:
            absent = missing(wanted, self._git_dir, self._alternates)
            if absent:
                self._received(self._bring(absent, False))
        except Unavailable as reason:
            raise SourceError(f"{self._source.engine}: file contents cannot be had: {reason}") from reason
        self._present.update(wanted)

    def _blob(self, path: str, oid: str) -> bytes:
        try:
            return self._batch.blob(oid)
        except Missing:
            if self._bring is None:
                raise Unavailable(self._why_not or f"the blob {oid} is not in {self._git_dir}") from None
            self._received(self._bring([oid], False))
        except Corrupt as broken:
            if self._bring is None:
                raise Unavailable(f"{broken}; {self._why_not}" if self._why_not else str(broken)) from None
            self._received(self._bring([oid], True))
            self._batch.close()  # it may have the broken pack open
        try:
            return self._batch.blob(oid)
        except Missing:
            raise Unavailable(f"the source does not give the blob {oid}") from None

    def _received(self, received: Received) -> None:
        with self._lock:
            self._source = replace(
                self._source,
                received_bytes=(self._source.received_bytes or 0) + received.bytes,
                notes=tuple(dict.fromkeys((*self._source.notes, *received.notes))),
            )

    def forget(self) -> None:
        """In a copy of this process (a fork): leave the git process to the first one."""
        self._batch.forget()

    def close(self) -> None:
        """End the git process; the tree must not be read any more."""
        self._batch.close()
        if self._on_close is not None:
            self._on_close()
            self._on_close = None

    def __enter__(self) -> GitTree:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
