"""Opening the files of an engine at a revision: the store, a mirror, the remote, or the nearest release.

What cannot be had is an error that lists every way that was tried, in order, each with its reason.
"""

from __future__ import annotations

import re
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from ..config.engines import Engine
from ..errors import SourceError, UsageError
from ..model.tree import SourceKind, SourceRead
from .attempts import CommitLacking, Interrupted, Unavailable
from .git_tree import GitTree

if TYPE_CHECKING:
    from .folder_tree import FolderTree
    from .listing import Listing
    from .local_repository import LocalRepository
    from .release import Release
    from .store import Store
    from .supply import Patience, Received, Supply

RELEASE = "release:"
LARGE_FETCH = 200
"""Bringing more files than this at once is announced."""

_FULL = re.compile(r"[0-9a-f]{40}")


@dataclass(frozen=True, slots=True)
class Wanted:
    """One engine of a run. `rev` is a full commit or `release:VERSION` (see `resolve` for anything else).

    `source` is a clone, mirror or folder that the user names instead; `nearest_release` is what `auto` falls back to.
    """

    engine: Engine
    rev: str
    nearest_release: str | None = None
    source: Path | None = None


def _quiet(_: str) -> None:
    return


@dataclass(slots=True)
class Options:
    """How sources are opened.

    `exact` refuses the nearest release; `offline` uses the store and local sources only. `announce` is told of what
    takes time, in sentences; `progress` gets short lines that replace one another. `silence` is how many seconds a
    server may say nothing before it counts as unreachable. `cancel` ends what runs in other threads.
    """

    exact: bool = False
    offline: bool = False
    cache_dir: Path | None = None
    announce: Callable[[str], None] = _quiet
    progress: Callable[[str], None] = _quiet
    silence: float = 30
    cancel: threading.Event = field(default_factory=threading.Event)


def open_tree(wanted: Wanted, options: Options | None = None) -> GitTree | FolderTree:
    """The files of an engine at a revision; close it after use.

    Raises SourceError with everything that was tried; UsageError for a revision that is neither a full commit nor a
    release.
    """
    options = options or Options()
    if not wanted.rev.startswith(RELEASE) and not _FULL.fullmatch(wanted.rev):
        raise UsageError(f"{wanted.engine.name}: {wanted.rev!r} is not a full commit; resolve it first")
    try:
        if wanted.source is not None:
            return _open_path(wanted, wanted.source)
        return _Opening(wanted, options).open()
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        message = f"{wanted.engine.name}: the source cannot be read or stored: {error.strerror}{where}"
        raise SourceError(message) from error


def open_all(wanted: Sequence[Wanted], options: Options | None = None) -> dict[str, GitTree | FolderTree]:
    """Open every engine of a run, all at once; the trees by the engines' names.

    Raises SourceError where at least one has no readable source: the attempts of all that have none.
    """
    options = options or Options()
    if len(wanted) == 1:
        return {wanted[0].engine.name: open_tree(wanted[0], options)}
    opened: dict[str, GitTree | FolderTree] = {}
    failed: dict[str, BaseException] = {}

    def work(one: Wanted) -> None:
        try:
            opened[one.engine.name] = open_tree(one, options)
        except BaseException as error:  # noqa: BLE001 - carried to the caller's thread and raised there
            failed[one.engine.name] = error

    threads = [threading.Thread(target=work, args=(one,), daemon=True) for one in wanted]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            while thread.is_alive():
                thread.join(0.5)
    except BaseException:
        options.cancel.set()
        for thread in threads:
            thread.join(5)
        failed.clear()
        raise
    finally:
        if failed or options.cancel.is_set():
            for tree in opened.values():
                tree.close()
    if failed:
        raise _combined([failed[one.engine.name] for one in wanted if one.engine.name in failed])
    return {one.engine.name: opened[one.engine.name] for one in wanted}


def _combined(errors: list[BaseException]) -> BaseException:
    if len(errors) == 1 or not all(isinstance(e, SourceError) for e in errors):
        return next((e for e in errors if not isinstance(e, SourceError | Interrupted)), errors[0])
    attempts = [attempt for error in errors if isinstance(error, SourceError) for attempt in error.attempts]
    messages = [str(error).splitlines()[0] for error in errors]
    return SourceError("; ".join(messages), tuple(attempts))


class _Opening:
    """One engine, its store, and what was tried so far."""

    def __init__(self, wanted: Wanted, options: Options) -> None:
        from .store import Store, cache_folder

        self.wanted = wanted
        self.engine = wanted.engine
        self.options = options
        self.store: Store = Store(wanted.engine, cache_folder(options.cache_dir), options.cancel)
        self.attempts: list[str] = []
        self._supply: Supply | None = None

    def open(self) -> GitTree:
        rev = self.wanted.rev
        if rev.startswith(RELEASE):
            tree = self.release(rev.removeprefix(RELEASE), "the release that was asked for", exact=True)
        else:
            tree = self.commit(rev) or self.fallback(rev)
        if tree is None:
            raise SourceError(
                f"{self.engine.name}: no readable source for {rev}",
                tuple(f"{self.engine.name}: {attempt}" for attempt in self.attempts),
            )
        return tree

    # ---- commits

    def commit(self, commit: str) -> GitTree | None:
        broken = False
        try:
            listing = self.store.listing(commit)
            if listing is not None:
                return self._commit_tree(commit, listing, "the pinned commit, from the store", 0, ())
            self.attempts.append("store: it does not have the commit")
        except Unavailable as reason:
            broken = True
            self.attempts.append(f"store {self.store.path}: broken ({reason})")
        if self.options.offline:
            self.attempts.append("mirror and remote: not asked (offline)")
            return None
        return self._fetched(commit, broken)

    def _fetched(self, commit: str, broken: bool) -> GitTree | None:
        place = "remote"
        try:
            with self.store.writing(self.options.announce):
                listing = None if broken else self.store.listing(commit)
                if listing is not None:
                    return self._commit_tree(commit, listing, "the pinned commit, from the store", 0, ())
                supply = self.supply()
                place = supply.name
                self.options.announce(f"{self.engine.name}: fetching commit {commit[:12]} from {place}")
                received = supply.commit(self.store, commit)
            listing = self.store.listing(commit)
            if listing is None:
                raise Unavailable("it was received, but is not in the store")
        except Unavailable as reason:
            self.attempts.append(f"{place}: {reason}")
            return None
        return self._commit_tree(
            commit, listing, f"the pinned commit, fetched from {place}", received.bytes, received.notes
        )

    def _commit_tree(self, commit: str, listing: Listing, why: str, received: int, notes: tuple[str, ...]) -> GitTree:
        source = SourceRead(
            engine=self.engine.name,
            pin=self.wanted.rev,
            read=commit,
            kind=SourceKind.COMMIT,
            exact=True,
            why=why,
            origin=self.engine.web,
            received_bytes=received,
            notes=notes,
        )
        return GitTree(
            source,
            listing,
            self.store.path,
            bring=None if self.options.offline else self._bring,
            why_not="it is not in the store, and the run is offline (refcheck fetch fills the store)",
        )

    def _bring(self, oids: Sequence[str], broken: bool) -> Received:
        from .batch import missing
        from .supply import Received

        with self.store.writing(self.options.announce):
            wanted = list(oids) if broken else missing(oids, self.store.path)
            if not wanted:
                return Received(0)
            supply = self.supply()
            if len(wanted) > LARGE_FETCH:
                self.options.announce(f"{self.engine.name}: fetching {len(wanted):,} files from {supply.name}")
            if broken:
                self.options.announce(f"{self.engine.name}: a stored file is corrupt; fetching it again")
            try:
                return supply.blobs(self.store, wanted)
            except Unavailable as reason:
                raise Unavailable(f"{supply.name}: {reason}") from reason

    def supply(self) -> Supply:
        """Where the engine's objects come from; the store's folder exists when this is called."""
        from .supply import supply_for

        if self._supply is None:
            self._supply = supply_for(self.engine.origin, self.store.path, self.patience())
        return self._supply

    def patience(self) -> Patience:
        from .supply import Patience

        def progress(line: str) -> None:
            self.options.progress(f"{self.engine.name}: {line}")

        return Patience(self.options.silence, progress, self.options.cancel)

    # ---- releases

    def fallback(self, commit: str) -> GitTree | None:
        version = self.wanted.nearest_release
        if version is None:
            self.attempts.append("nearest release: none is named for this pin")
            return None
        if self.options.exact:
            self.attempts.append(f"nearest release {version}: not used (exact)")
            return None
        why = f"the pinned commit could not be had; {version} is the nearest release"
        return self.release(version, why, exact=False)

    def release(self, version: str, why: str, *, exact: bool) -> GitTree | None:
        from . import release as releases

        try:
            found = releases.recorded(self.store, version)
            listing = None
            if found is not None:
                try:
                    listing = self.store.listing(found.commit)
                except Unavailable as reason:
                    self.attempts.append(f"release {version} in the store: broken ({reason})")
            if found is None or listing is None:
                if self.options.offline:
                    raise Unavailable("not in the store, and the index is not asked (offline)")
                found, listing = releases.bring(
                    self.store, version, self.patience(), self.options.announce, again=found is not None
                )
        except Unavailable as reason:
            self.attempts.append(f"release {version}: {reason}")
            return None
        return self._release_tree(found, listing, why, exact)

    def _release_tree(self, release: Release, listing: Listing, why: str, exact: bool) -> GitTree:
        from . import release as releases
        from .supply import Received

        def again(_: Sequence[str], __: bool) -> Received:
            found, _listing = releases.bring(
                self.store, release.version, self.patience(), self.options.announce, again=True
            )
            return Received(found.received_bytes)

        source = SourceRead(
            engine=self.engine.name,
            pin=self.wanted.rev,
            read=f"{RELEASE}{release.version}",
            kind=SourceKind.RELEASE,
            exact=exact,
            why=why,
            origin=self.engine.web,
            archive=release.archive,
            digest=f"sha256:{release.sha256}",
            received_bytes=release.received_bytes,
            notes=(*release.notes, *(() if exact else self.attempts)),
        )
        return GitTree(
            source,
            listing,
            self.store.path,
            bring=None if self.options.offline else again,
            why_not="it is not in the store, and the run is offline (refcheck fetch fills the store)",
            carries=release.carries(self.engine, listing),
            complete=True,
        )


# ---- what the user names with --source


def _open_path(wanted: Wanted, path: Path) -> GitTree | FolderTree:
    from .local_repository import repository_at

    name = wanted.engine.name
    try:
        if not path.exists():
            raise Unavailable("there is no such folder")
        repository = repository_at(path) if path.is_dir() else None
        if repository is not None:
            return _open_clone(wanted, repository)
        if not path.is_dir():
            raise Unavailable("it is not a folder")
        return _open_folder(wanted, path)
    except Unavailable as reason:
        raise SourceError(f"{name}: no readable source for {wanted.rev}", (f"{name}: {path}: {reason}",)) from reason


def _open_folder(wanted: Wanted, path: Path) -> FolderTree:
    from .folder_tree import FolderTree

    source = SourceRead(
        engine=wanted.engine.name,
        pin=wanted.rev,
        read=f"folder:{path.resolve().name}",
        kind=SourceKind.FOLDER,
        exact=True,
        why="a plain folder, which stands for the pin on the user's word",
        origin=wanted.engine.web,
        received_bytes=0,
    )
    return FolderTree(source, wanted.engine, path)


def _open_clone(wanted: Wanted, repository: LocalRepository) -> GitTree:
    from . import listing as listings
    from .batch import has_commit
    from .store import bare_repository

    lent = (repository.objects,)
    # The clone's own configuration must not count: its objects are lent to an empty repository of ours.
    empty = tempfile.TemporaryDirectory(prefix="refcheck-", suffix=".git", ignore_cleanup_errors=True)
    try:
        git_dir = Path(empty.name)
        bare_repository(git_dir)
        commit, why = wanted.rev, "the pinned commit"
        if commit.startswith(RELEASE):
            from .revisions import named_revision

            tag = wanted.engine.tag.format(version=commit.removeprefix(RELEASE))
            found = named_revision(str(repository.path), tag, git_dir)
            if found is None:
                raise CommitLacking(f"it has no tag {tag}")
            commit, why = found.commit, f"the tag {tag}"
        if not has_commit(commit, git_dir, lent):
            raise CommitLacking(f"it does not have the commit {commit} (fetch it there, or leave out --source)")
        listing = listings.of_tree(commit, git_dir, lent)
    except BaseException:
        empty.cleanup()
        raise
    source = SourceRead(
        engine=wanted.engine.name,
        pin=wanted.rev,
        read=commit,
        kind=SourceKind.COMMIT,
        exact=True,
        why=f"{why}, read in {repository.path}",
        origin=wanted.engine.web,
        received_bytes=0,
    )
    return GitTree(
        source,
        listing,
        git_dir,
        alternates=lent,
        why_not=f"{repository.path} does not have it (a partial clone?)",
        on_close=empty.cleanup,
    )
