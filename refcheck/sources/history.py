"""Commits between two revisions of an engine, what each changed, and the releases of the package index.

A clone or mirror on this machine is read where it stands. From a server, the commits of the range and their trees are
brought into the store without the contents of files (a few megabytes for thousands of commits); contents follow when
they are asked for.

Commits are looked up and compared with GitPython. The changes of a whole range come from one `git log --raw`: a
process for each commit, or a diff object for each change, would cost minutes where this costs a second.
"""

from __future__ import annotations

import contextlib
import hashlib
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from ..config.engines import Engine
from ..errors import SourceError
from ..model.source_text import SourceText
from ..model.tree import SourceKind, SourceRead
from .attempts import Unavailable, redact
from .batch import Batch, Missing, has_commit, missing
from .git_runner import call, environment, scrub_process, settings
from .git_tree import Bring, GitTree
from .listing import Listing, of_tree
from .local_repository import LocalRepository, repository_at
from .store import Store, bare_repository, cache_folder, write_new
from .wanted import FULL_COMMIT, Options

if TYPE_CHECKING:
    import git

    from .supply import Received, Supply

_ABSENT = "0" * 40
_MARGINS = (timedelta(days=2), timedelta(days=90), None)
"""How far before the older commit a fetched history begins; None: with the first commit."""


@dataclass(frozen=True, slots=True)
class CommitInfo:
    """A commit for people: `date` is the committer's, ISO 8601 with its zone; `subject` the message's first line."""

    commit: str
    date: str
    subject: str


@dataclass(frozen=True, slots=True)
class Change:
    """A file that a commit changed: blob ids before and after, None where it is absent or no regular file."""

    path: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class CommitChanges:
    """A commit and what it changed against its first parent. A renamed file is one path gone and one come."""

    info: CommitInfo
    changes: tuple[Change, ...]


def open_history(
    engine: Engine,
    commits: Sequence[str],
    options: Options | None = None,
    source: Path | None = None,
    *,
    at_hand: bool = False,
) -> History:
    """The history that holds these full commits and what lies between them; close it after use.

    With `at_hand`, no commits are fetched: it is on this machine, or there is none. Raises SourceError where a commit
    cannot be had.
    """
    options = options or Options()
    for commit in commits:
        if not FULL_COMMIT.fullmatch(commit):
            raise SourceError(f"{engine.name}: {commit!r} is not a full commit; resolve it first")
    attempts: list[str] = []
    try:
        return _Finding(engine, tuple(dict.fromkeys(commits)), options, attempts, at_hand).find(source)
    except Unavailable as reason:
        attempts.append(f"{engine.name}: {reason}")
    except OSError as error:
        attempts.append(f"{engine.name}: {error}")
    raise SourceError(f"{engine.name}: no readable history for {' and '.join(commits)}", tuple(attempts))


def releases(engine: Engine, options: Options | None = None) -> tuple[str, ...]:
    """The versions on the package index, oldest first, without pre-releases and yanked ones.

    Offline, those in the store. Raises SourceError.
    """
    from .package_index import PackageIndex

    options = options or Options()
    store = Store(engine, cache_folder(options.cache_dir), options.cancel)
    try:
        if options.offline:
            return tuple(sorted(store.records("releases"), key=version_key))
        if engine.distribution is None:
            raise Unavailable("no distribution on the package index is configured")
        with PackageIndex(engine.distribution, options.cancel) as index:
            return tuple(index.versions())
    except Unavailable as reason:
        message = f"{engine.name}: the releases cannot be listed"
        raise SourceError(message, (f"{engine.name}: {reason}",)) from reason


def version_key(version: str) -> tuple[bool, object]:
    """Sorts versions as the package index orders them (PEP 440); what is no version comes last."""
    from packaging.version import InvalidVersion, Version

    try:
        return (False, Version(version))
    except InvalidVersion:
        return (True, version)


class History:
    """Read-only; use as a context manager. Made by `open_history`."""

    def __init__(
        self,
        engine: Engine,
        place: str,
        git_dir: Path,
        *,
        alternates: Sequence[Path] = (),
        shallow: Path | None = None,
        bring: Bring | None = None,
        notes: tuple[str, ...] = (),
        empty: tempfile.TemporaryDirectory[str] | None = None,
    ) -> None:
        self.engine = engine
        self.place = place
        self.notes = notes
        self._git_dir = git_dir
        self._alternates = tuple(alternates)
        self._shallow = shallow
        self._bring = bring
        self._empty = empty
        self._batch = Batch(git_dir, alternates)
        self._listings: dict[str, Listing] = {}

    # ---- commits

    @cached_property
    def _repository(self) -> git.Repo:
        import git

        # GitPython hands this process's environment on to git, and can add to it only.
        scrub_process()
        repository = git.Repo(self._git_dir, odbt=git.GitCmdObjectDB)
        repository.git.update_environment(**environment(self._git_dir, self._alternates, self._shallow))
        repository.git.set_persistent_git_options(c=list(settings()))
        return repository

    def info(self, commit: str) -> CommitInfo:
        """Raises SourceError for a commit that the history does not hold."""
        import git

        try:
            found = self._repository.commit(commit)
            subject = str(found.message).partition("\n")[0]
            return CommitInfo(found.hexsha, found.committed_datetime.isoformat(), subject)
        except (git.GitError, ValueError, LookupError, OSError) as error:
            raise SourceError(f"{self.engine.name}: {self.place} does not have the commit {commit}") from error

    def merge_base(self, one: str, other: str) -> str | None:
        """The newest common ancestor, None where none is at hand. Raises SourceError."""
        import git

        try:
            found = self._repository.merge_base(one, other)
        except git.GitError as error:
            raise SourceError(f"{self.engine.name}: {one} and {other} cannot be compared in {self.place}") from error
        return str(found[0]) if found else None

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Whether `newer` contains `older`. Raises SourceError."""
        return self.merge_base(older, newer) == older

    def commits_between(self, older: str, newer: str, paths: Iterable[str] = ()) -> tuple[CommitChanges, ...]:
        """The commits after `older` up to `newer` along first parents, oldest first, each with what it changed.

        With `paths` (files or folders), only commits that touch them, and their changes there. A few folders cost
        less than many files: git compares every commit with each of them. Where `older` is not an ancestor, the
        commits are those after the merge base. Raises SourceError.
        """
        # %x01 begins a commit and %x02 parts its fields: a subject may hold anything but a line end.
        args = ["log", "--first-parent", "-m", "--raw", "--no-renames", "--no-abbrev", "-z", "--no-ext-diff"]
        args += ["--no-color", "--no-notes", "--format=%x01%H%x02%cI%x02%s", f"{older}..{newer}", "--"]
        args += [f":(literal){path}" for path in paths]
        try:
            raw = call(args, self._git_dir, alternates=self._alternates, shallow=self._shallow)
        except Unavailable as reason:
            message = f"{self.engine.name}: the commits {older}..{newer} cannot be listed"
            raise SourceError(message, (f"{self.place}: {reason}",)) from reason
        return tuple(reversed(parse_raw_log(raw)))

    # ---- files

    def tree(self, commit: str) -> GitTree:
        """The files of a commit of this history; close it after use. Raises SourceError."""
        source = SourceRead(
            engine=self.engine.name,
            pin=commit,
            read=commit,
            kind=SourceKind.COMMIT,
            exact=True,
            why=f"a commit of the history in {self.place}",
            origin=redact(self.engine.web),
            received_bytes=0,
        )
        why_not = f"{self.place} does not have it"
        listing = self._listing(commit)
        return GitTree(source, listing, self._git_dir, alternates=self._alternates, bring=self._bring, why_not=why_not)

    def blob_at(self, commit: str, path: str) -> str | None:
        """The blob id of a file at a commit, None where it is absent. Raises SourceError."""
        return self._listing(commit).files.get(path)

    def _listing(self, commit: str) -> Listing:
        if commit not in self._listings:
            try:
                self._listings[commit] = of_tree(commit, self._git_dir, self._alternates)
            except Unavailable as reason:
                raise SourceError(f"{self.engine.name}: the files of {commit} cannot be listed: {reason}") from reason
        return self._listings[commit]

    def text(self, path: str, blob: str) -> SourceText:
        """A version of a file. Raises SourceError."""
        return SourceText.from_bytes(path, blob, self.content(path, blob))

    def content(self, path: str, blob: str) -> bytes:
        """As `text`, without decoding."""
        try:
            try:
                return self._batch.blob(blob)
            except Missing:
                if self._bring is None:
                    raise
                self._bring([blob], False)
                return self._batch.blob(blob)
        except Unavailable as reason:
            raise SourceError(f"{self.engine.name}: a version of {path} cannot be had: {reason}") from reason

    def contents(self, blobs: Sequence[str]) -> Iterator[bytes]:
        """Many versions in their order, which is faster than one after another. Raises SourceError."""
        self.prefetch(blobs)
        try:
            yield from self._batch.blobs(blobs)
        except Unavailable as reason:
            raise SourceError(f"{self.engine.name}: file contents cannot be had: {reason}") from reason

    def prefetch(self, blobs: Iterable[str]) -> None:
        """Bring contents in one batch. Raises SourceError."""
        if self._bring is None:
            return
        try:
            absent = missing(blobs, self._git_dir, self._alternates)
            if absent:
                self._bring(absent, False)
        except Unavailable as reason:
            raise SourceError(f"{self.engine.name}: file contents cannot be had: {reason}") from reason

    def close(self) -> None:
        """End the git processes."""
        self._batch.close()
        if "_repository" in self.__dict__:
            self._repository.close()
        if self._empty is not None:
            self._empty.cleanup()

    def __enter__(self) -> History:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def parse_raw_log(raw: bytes) -> list[CommitChanges]:
    """What `commits_between` asks git for: NUL-terminated tokens (git-diff(1), "Raw output format", with -z)."""
    found: list[CommitChanges] = []
    info: CommitInfo | None = None
    changes: list[Change] = []
    tokens = iter(raw.decode("utf-8", "surrogateescape").split("\0"))
    for token in tokens:
        token = token.removeprefix("\n")
        if token.startswith("\x01"):
            if info is not None:
                found.append(CommitChanges(info, tuple(changes)))
            commit, date, subject = token[1:].split("\x02", 2)
            info, changes = CommitInfo(commit, date, subject), []
        elif token.startswith(":"):
            old_mode, new_mode, old, new, _ = token[1:].split(" ", 4)
            old_blob, new_blob = _regular(old_mode, old), _regular(new_mode, new)
            path = next(tokens)
            if old_blob != new_blob:
                changes.append(Change(path, old_blob, new_blob))
    if info is not None:
        found.append(CommitChanges(info, tuple(changes)))
    return found


def _regular(mode: str, blob: str) -> str | None:
    return blob if mode.startswith("100") and blob != _ABSENT else None


class _Finding:
    """Where a history is read: the user's clone, a mirror that stands for the origin, or the store."""

    def __init__(
        self, engine: Engine, commits: tuple[str, ...], options: Options, attempts: list[str], at_hand: bool = False
    ) -> None:
        self.engine = engine
        self.commits = commits
        self.options = options
        self.attempts = attempts
        self.at_hand = at_hand
        self.store = Store(engine, cache_folder(options.cache_dir), options.cancel)

    def find(self, source: Path | None) -> History:
        if source is not None:
            repository = repository_at(source) if source.is_dir() else None
            if repository is None:
                raise Unavailable(f"{source} is not a git repository: a folder has no history")
            return self._in_place(repository)
        mirror = self._mirror()
        if mirror is not None:
            try:
                return self._in_place(mirror)
            except Unavailable as reason:
                self.attempts.append(f"{self.engine.name}: {reason}")
        return self._in_store()

    def _mirror(self) -> LocalRepository | None:
        from .supply import effective_address, local_path

        empty = _empty_repository()
        try:
            path = local_path(effective_address(self.engine.origin, Path(empty.name)))
            return repository_at(path) if path is not None and path.is_dir() else None
        except (Unavailable, OSError):
            return None
        finally:
            empty.cleanup()

    def _in_place(self, repository: LocalRepository) -> History:
        empty = _empty_repository()
        git_dir, lent = Path(empty.name), (repository.objects,)
        absent = [commit for commit in self.commits if not has_commit(commit, git_dir, lent)]
        if absent:
            empty.cleanup()
            raise Unavailable(f"{repository.path} does not have the commit {' and '.join(absent)}")
        place = str(repository.path)
        return History(self.engine, place, git_dir, alternates=lent, shallow=repository.shallow, empty=empty)

    def _in_store(self) -> History:
        name = hashlib.sha256("-".join(sorted(self.commits)).encode()).hexdigest()[:40]
        folder = self.store.path / "histories"
        record = self.store.record("histories", name)
        shallow = folder / f"{name}.shallow"
        notes: tuple[str, ...] = ()
        if record is None or not shallow.is_file():
            if self.options.offline or self.at_hand:
                why = "the run is offline" if self.options.offline else "it is not to be fetched"
                raise Unavailable(f"the store does not have this history, and {why}")
            notes = self._fetch(name, shallow)
        place = f"the store (from {redact(self.engine.origin)})"
        bring = None if self.options.offline else self._bring
        return History(self.engine, place, self.store.path, shallow=shallow, bring=bring, notes=notes)

    def _supply(self) -> Supply:
        from .supply import Patience, supply_for

        patience = Patience(self.options.silence, self.options.progress, self.options.cancel)
        return supply_for(self.engine.origin, self.store.path, patience)

    def _fetch(self, name: str, shallow: Path) -> tuple[str, ...]:
        """Bring the commits' history, from shortly before the oldest of them on."""
        with self.store.writing(self.options.announce):
            supply = self._supply()
            for commit in self.commits:
                if not self.store.has_commit(commit):
                    supply.commit(self.store, commit)
            self.options.announce(f"{self.engine.name}: fetching commits without contents from {supply.name}")
            for margin in _MARGINS:
                since = None if margin is None else self._oldest() - margin
                received, ends = supply.history(self.store, self.commits, since)
                shallow.parent.mkdir(exist_ok=True)
                write_new(shallow, "".join(f"{commit}\n" for commit in ends).encode())
                if self._joined(shallow):
                    break
            self.store.put_record("histories", name, {"commits": list(self.commits)})
        return received.notes

    def _oldest(self) -> datetime:
        given = "".join(f"{commit}\n" for commit in self.commits).encode()
        out = call(["rev-list", "--no-walk", "--format=%ct", "--stdin"], self.store.path, input=given)
        seconds = [int(line) for line in out.split() if line.isdigit()]
        return datetime.fromtimestamp(min(seconds), UTC)

    def _joined(self, shallow: Path) -> bool:
        """Whether the commits have a common ancestor in what is at hand."""
        if len(self.commits) == 1:
            return True
        with contextlib.suppress(Unavailable):
            return bool(call(["merge-base", *self.commits], self.store.path, shallow=shallow).strip())
        return False

    def _bring(self, oids: Sequence[str], broken: bool) -> Received:
        from .supply import Received

        with self.store.writing(self.options.announce):
            wanted = list(oids) if broken else missing(oids, self.store.path)
            return self._supply().blobs(self.store, wanted) if wanted else Received(0)


def _empty_repository() -> tempfile.TemporaryDirectory[str]:
    empty = tempfile.TemporaryDirectory(prefix="refcheck-", suffix=".git", ignore_cleanup_errors=True)
    bare_repository(Path(empty.name))
    return empty
