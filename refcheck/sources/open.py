"""Opening the files of an engine at a revision: the store, a mirror, the remote, or the nearest release.

What cannot be had is an error that lists every way that was tried, in order, each with its reason.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..config.engines import version_named
from ..errors import SourceError
from ..model.tree import SourceKind, SourceRead
from .attempts import CommitLacking, Interrupted, Silent, Unavailable, redact
from .git_tree import GitTree
from .wanted import FULL_COMMIT, RELEASE, UNKNOWN_PIN, Options, UnknownRevision, Wanted

if TYPE_CHECKING:
    from .folder_tree import FolderTree
    from .listing import Listing
    from .local_repository import LocalRepository
    from .release import Release
    from .store import Store
    from .supply import Patience, Received, Supply

LARGE_FETCH = 200
"""Bringing more files than this at once is announced."""

SILENT_SECONDS = 300
"""A remote that did not answer is not asked again for so long, where a release can stand in."""

__all__ = ["Options", "UnknownRevision", "Wanted", "open_all", "open_tree"]


def open_tree(wanted: Wanted, options: Options | None = None) -> GitTree | FolderTree:
    """The files of an engine at a revision; close it after use.

    A tag, branch or abbreviated commit is resolved first; `source.pin` is then what it stands for, and `source.why`
    says so. Raises SourceError with everything that was tried; UnknownRevision, which is one, for a revision that
    nothing here knows.
    """
    options = options or Options()
    if wanted.written:
        version = version_named(wanted.engine, wanted.rev)
        if version is not None and wanted.engine.distribution is not None:
            return _open_version(replace(wanted, written=False), version, options)
    try:
        wanted, named = _resolved(wanted, options)
        if wanted.source is not None:
            return _open_path(wanted, wanted.source, named)
        return _Opening(wanted, options, named).open()
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        message = f"{wanted.engine.name}: the source cannot be read or stored: {error.strerror}{where}"
        raise SourceError(message) from error


def _open_version(wanted: Wanted, version: str, options: Options) -> GitTree | FolderTree:
    """A version that a page names: the commit of its tag, else the release of that very version."""
    tag = wanted.engine.tag.format(version=version)
    reason: SourceError | None = None
    why = "the release that was asked for"
    if not wanted.rev.startswith(RELEASE):
        try:
            return open_tree(replace(wanted, rev=tag), options)
        except SourceError as error:
            if options.exact and wanted.rev == tag:
                raise
            reason = error
            why = f"the release of that version, for the commit of its tag {tag} could not be had"
    try:
        opening = _Opening(replace(wanted, rev=f"{RELEASE}{version}"), options, "")
        tree = opening.release(version, why, exact=True, stands_for_tag=reason is not None)
    except OSError as error:
        raise SourceError(f"{wanted.engine.name}: the store cannot be used: {error.strerror}") from error
    if tree is None:
        tried = [f"tag {tag}: {str(reason).splitlines()[0]}", *reason.attempts] if reason else []
        tried += [f"{wanted.engine.name}: {attempt}" for attempt in opening.attempts]
        raise SourceError(
            f"{wanted.engine.name}: neither the tag {tag} nor the release {version} can be had", tuple(tried)
        ) from reason
    return tree


def _resolved(wanted: Wanted, options: Options) -> tuple[Wanted, str]:
    """`wanted` with a full commit or a release, and what the user's name for it was ("" if it was that already)."""
    rev = wanted.rev
    if FULL_COMMIT.fullmatch(rev) or (rev == UNKNOWN_PIN and wanted.source is not None):
        return wanted, ""
    from .revisions import resolve

    if wanted.source is not None and not rev.startswith(RELEASE):
        from .local_repository import repository_at

        try:
            if not wanted.source.is_dir() or repository_at(wanted.source) is None:
                return wanted, ""  # a folder stands for whatever was asked for
        except Unavailable as reason:
            raise SourceError(f"{wanted.engine.name}: {wanted.source} cannot be read", (str(reason),)) from reason
    found = resolve(wanted.engine, rev, options, pins=wanted.pins, source=wanted.source)
    named = "" if found.rev.startswith(rev.lower()) else found.why
    return replace(wanted, rev=found.rev), named


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

    def __init__(self, wanted: Wanted, options: Options, named: str) -> None:
        from .store import Store, cache_folder

        self.wanted = wanted
        self.pinned = f"the commit of {named}" if named else "the pinned commit"
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
                return self._commit_tree(commit, listing, f"{self.pinned}, from the store", 0, ())
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
        silent = None if self.options.exact or broken else self._silent_before()
        if silent is not None:
            self.attempts.append(silent)
            return None
        try:
            with self.store.writing(self.options.announce):
                listing = None if broken else self.store.listing(commit)
                if listing is not None:
                    return self._commit_tree(commit, listing, f"{self.pinned}, from the store", 0, ())
                supply = self.supply()
                place = supply.name
                self.options.announce(f"{self.engine.name}: fetching commit {commit[:12]} from {place}")
                received = supply.commit(self.store, commit)
            listing = self.store.listing(commit)
            if listing is None:
                raise Unavailable("it was received, but is not in the store")
        except Silent as reason:
            self.attempts.append(f"{place}: {reason}")
            with contextlib.suppress(OSError):
                self.store.put_record("silent", "remote", {"at": time.time(), "place": place, "reason": str(reason)})
            return None
        except Unavailable as reason:
            self.attempts.append(f"{place}: {reason}")
            return None
        return self._commit_tree(
            commit, listing, f"{self.pinned}, fetched from {place}", received.bytes, received.notes
        )

    def _silent_before(self) -> str | None:
        """Why the remote is not asked: a moment ago it let us wait in vain, and a release is at hand instead.

        A firewall that drops packets would otherwise cost every run the whole time-out.
        """
        from . import release as releases

        record = self.store.record("silent", "remote")
        version = self.wanted.nearest_release
        if record is None or version is None or releases.recorded(self.store, version) is None:
            return None
        try:
            ago = time.time() - float(record["at"])
        except (KeyError, TypeError, ValueError):
            return None
        if not 0 <= ago < SILENT_SECONDS:  # a clock that was set back means nothing
            return None
        return f"{record.get('place')}: not asked again: {record.get('reason')} {ago:.0f} s ago (--exact asks)"

    def _commit_tree(self, commit: str, listing: Listing, why: str, received: int, notes: tuple[str, ...]) -> GitTree:
        source = SourceRead(
            engine=self.engine.name,
            pin=self.wanted.rev,
            read=commit,
            kind=SourceKind.COMMIT,
            exact=True,
            why=why,
            origin=redact(self.engine.web),
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
        why = f"{self.pinned} could not be had; {version} is the nearest release"
        return self.release(version, why, exact=False)

    def release(self, version: str, why: str, *, exact: bool, stands_for_tag: bool = False) -> GitTree | None:
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
        return self._release_tree(found, listing, why, exact, stands_for_tag)

    def _release_tree(self, release: Release, listing: Listing, why: str, exact: bool, stands_for_tag: bool) -> GitTree:
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
            origin=redact(self.engine.web),
            archive=release.archive,
            digest=f"sha256:{release.sha256}",
            received_bytes=release.received_bytes,
            notes=(*release.notes, *(() if exact else self.attempts)),
            stands_for_tag=stands_for_tag,
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


def _open_path(wanted: Wanted, path: Path, named: str) -> GitTree | FolderTree:
    from .local_repository import repository_at

    name = wanted.engine.name
    try:
        if not path.exists():
            raise Unavailable("there is no such folder")
        repository = repository_at(path) if path.is_dir() else None
        if repository is not None:
            return _open_clone(wanted, repository, named)
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
        origin=redact(wanted.engine.web),
        received_bytes=0,
    )
    return FolderTree(source, wanted.engine, path)


def _open_clone(wanted: Wanted, repository: LocalRepository, named: str) -> GitTree:
    import tempfile

    from . import listing as listings
    from .batch import has_commit
    from .store import bare_repository

    lent = (repository.objects,)
    # The clone's own configuration must not count: its objects are lent to an empty repository of ours.
    empty = tempfile.TemporaryDirectory(prefix="refcheck-", suffix=".git", ignore_cleanup_errors=True)
    try:
        git_dir = Path(empty.name)
        bare_repository(git_dir)
        commit, why = wanted.rev, f"the commit of {named}" if named else "the pinned commit"
        asked = None
        if commit == UNKNOWN_PIN:
            asked, why = "HEAD", "its HEAD, since no revision was named"
        elif commit.startswith(RELEASE):
            asked = wanted.engine.tag.format(version=commit.removeprefix(RELEASE))
            why = f"the tag {asked}"
        if asked is not None:
            from .revisions import named_revision

            found = named_revision(str(repository.path), asked, git_dir)
            if found is None:
                raise CommitLacking(f"it has no {asked}")
            commit = found.commit
        if not has_commit(commit, git_dir, lent):
            raise CommitLacking(f"it does not have the commit {commit} (fetch it there, or leave out --source)")
        listing = listings.of_tree(commit, git_dir, lent)
    except BaseException:
        empty.cleanup()
        raise
    source = SourceRead(
        engine=wanted.engine.name,
        pin=commit if wanted.rev == UNKNOWN_PIN else wanted.rev,
        read=commit,
        kind=SourceKind.COMMIT,
        exact=True,
        why=f"{why}, read in {repository.path}",
        origin=redact(wanted.engine.web),
        received_bytes=0,
    )
    return GitTree(
        source,
        listing,
        git_dir,
        alternates=lent,
        why_not=f"{repository.path} does not have it (a partial clone?)",
        all_commits=repository.shallow is None,
        on_close=empty.cleanup,
    )
