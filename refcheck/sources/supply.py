"""Where the objects of a commit come from: a server over git's own protocol, or a repository on this machine.

A commit is brought without the contents of its files (`--filter=blob:none`, `--depth 1`); contents follow by their
ids, all that a caller named in one request. This is how git's own partial clones ask (git's
Documentation/technical/partial-clone.txt), but into a repository without a promisor remote: a content that is missing
is never fetched on the side, one at a time.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol
from urllib.parse import unquote

from .attempts import CommitLacking, Unavailable, redact
from .batch import has_commit, missing
from .git_runner import GitFailure, call, check_address, transfer
from .local_repository import LocalRepository, find_repository
from .store import Store

_FETCH = ("fetch", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules", "--progress", "--filter=blob:none")


@dataclass(frozen=True, slots=True)
class Received:
    """What one transfer brought: bytes as packed, and what the user should know of it."""

    bytes: int
    notes: tuple[str, ...] = ()


@dataclass(slots=True)
class Patience:
    """How transfers are watched: `silence` is how many seconds a server may say nothing."""

    silence: float = 60
    progress: Callable[[str], None] | None = None
    cancel: threading.Event | None = None


class Supply(Protocol):
    """A place that objects are brought from. The caller holds the store's lock."""

    @property
    def name(self) -> str:
        """The place for people, without credentials."""
        ...

    def commit(self, store: Store, commit: str) -> Received:
        """Bring a commit and its trees. Raises CommitLacking, Unavailable."""
        ...

    def blobs(self, store: Store, oids: Iterable[str]) -> Received:
        """Bring contents, as many as the place has. Raises Unavailable where it gives none of them."""
        ...

    def history(self, store: Store, commits: Sequence[str], since: datetime | None) -> tuple[Received, tuple[str, ...]]:
        """Bring the ancestors of commits that are not older than `since`, with their trees.

        Also the commits where what was brought ends, whose parents are not there. Raises Unavailable.
        """
        ...


class Remote:
    """A server, or a repository that the configuration addresses with file://."""

    def __init__(self, address: str, patience: Patience, shown: str | None = None) -> None:
        self._address = address
        self._patience = patience
        self.name = redact(shown or address)

    def commit(self, store: Store, commit: str) -> Received:
        check_address(self._address)
        with store.scratch() as scratch:
            try:
                _, said = self._fetch(scratch, "--depth=1", self._address, commit)
            except GitFailure as failure:
                if _refuses(failure.stderr):
                    raise CommitLacking(f"it does not have the commit {commit}") from failure
                raise
            if call(["cat-file", "-t", commit], scratch).strip() != b"commit":
                raise CommitLacking(f"{commit} is not a commit there")
            size = store.adopt(scratch)
        notes: tuple[str, ...] = ()
        if "filtering not recognized" in said:
            ignored = "ignored the request to leave out file contents: the whole commit was received"
            notes = (f"{self.name} {ignored} ({size:,} bytes)",)
        return Received(size, notes)

    def blobs(self, store: Store, oids: Iterable[str]) -> Received:
        check_address(self._address)
        wanted = list(dict.fromkeys(oids))
        with store.scratch() as scratch:
            # A server that lacks one of the objects refuses all of them, and names it.
            for _ in range(32):
                try:
                    self._fetch(scratch, "--stdin", self._address, given="".join(f"{o}\n" for o in wanted))
                    break
                except GitFailure as failure:
                    lacking = set(re.findall(r"(?:not our ref|unable to read) ([0-9a-f]{40})", failure.stderr))
                    if not lacking & set(wanted):
                        raise
                    wanted = [oid for oid in wanted if oid not in lacking]
                    if not wanted:
                        return Received(0)
            return Received(store.adopt(scratch))

    def history(self, store: Store, commits: Sequence[str], since: datetime | None) -> tuple[Received, tuple[str, ...]]:
        check_address(self._address)
        limit = [] if since is None else [f"--shallow-since={since.isoformat()}"]
        with store.scratch() as scratch:
            self._fetch(scratch, *limit, self._address, *commits)
            shallow = scratch / "shallow"
            ends = tuple(shallow.read_text("ascii").split()) if shallow.exists() else ()
            return Received(store.adopt(scratch)), ends

    def _fetch(self, scratch: Path, *args: str, given: str = "") -> tuple[bytes, str]:
        patience = self._patience
        return transfer(
            # No negotiation: a scratch repository has nothing to offer, and a server that believed we had a commit
            # would leave out the contents of it.
            ["-c", "fetch.negotiationAlgorithm=noop", *_FETCH, *args],
            scratch,
            input=given.encode(),
            silence=patience.silence,
            progress=patience.progress,
            cancel=patience.cancel,
        )


class Mirror:
    """A repository on this machine: what is needed is copied from its objects, whatever its own settings allow."""

    def __init__(self, repository: LocalRepository) -> None:
        self._repository = repository
        self.name = str(repository.path)

    def commit(self, store: Store, commit: str) -> Received:
        lent = (self._repository.objects,)
        with store.scratch() as scratch:
            if not has_commit(commit, scratch, lent):
                raise CommitLacking(f"it does not have the commit {commit}")
            listed = call(
                ["rev-list", "--objects", "--filter=blob:none", "--max-count=1", commit], scratch, alternates=lent
            )
            oids = [line.split(b" ", 1)[0] for line in listed.splitlines()]
            return Received(self._copy(store, scratch, oids))

    def blobs(self, store: Store, oids: Iterable[str]) -> Received:
        wanted = list(dict.fromkeys(oids))
        with store.scratch() as scratch:
            lacking = set(missing(wanted, scratch, (self._repository.objects,)))
            held = [oid.encode() for oid in wanted if oid not in lacking]
            return Received(self._copy(store, scratch, held) if held else 0)

    def history(self, store: Store, commits: Sequence[str], since: datetime | None) -> tuple[Received, tuple[str, ...]]:
        raise Unavailable(f"the history of {self.name} is read where it stands")

    def _copy(self, store: Store, scratch: Path, oids: list[bytes]) -> int:
        call(
            ["pack-objects", "--quiet", "--delta-base-offset", "--window=0", str(scratch / "objects/pack/pack")],
            scratch,
            input=b"\n".join(oids) + b"\n",
            alternates=(self._repository.objects,),
        )
        return store.adopt(scratch)


class FirstThatServes:
    """A file:// repository: asked as a server; what it cannot serve is copied from its objects."""

    def __init__(self, remote: Remote, mirror: Mirror) -> None:
        self._remote = remote
        self._mirror = mirror
        self.name = remote.name

    def commit(self, store: Store, commit: str) -> Received:
        try:
            return self._remote.commit(store, commit)
        except CommitLacking:
            raise
        except Unavailable as reason:
            try:
                received = self._mirror.commit(store, commit)
            except Unavailable as second:
                raise _both(reason, second) from second
            note = f"{self.name} could not serve the commit ({reason}); its trees were copied from its objects"
            return Received(received.bytes, (*received.notes, note))

    def blobs(self, store: Store, oids: Iterable[str]) -> Received:
        wanted = list(oids)
        try:
            return self._remote.blobs(store, wanted)
        except Unavailable as reason:
            try:
                return self._mirror.blobs(store, wanted)
            except Unavailable as second:
                raise _both(reason, second) from second

    def history(self, store: Store, commits: Sequence[str], since: datetime | None) -> tuple[Received, tuple[str, ...]]:
        return self._remote.history(store, commits, since)


def effective_address(address: str, git_dir: Path) -> str:
    """The address that git would use, after the user's `url.<base>.insteadOf`. Raises Unavailable."""
    check_address(address)
    # Unlike a fetch, this reads the address only: nothing is contacted.
    out = call(["ls-remote", "--get-url", address], git_dir)
    return out.decode("utf-8", "surrogateescape").rstrip("\n")


def supply_for(origin: str, store_dir: Path, patience: Patience) -> Supply:
    """The place that stands for an origin in the user's git configuration. Raises Unavailable."""
    address = effective_address(origin, store_dir)
    check_address(address)
    # git applies `insteadOf` itself: it is given the origin, since the address might be rewritten once more.
    remote = Remote(origin, patience, shown=address)
    path = local_path(address)
    if path is None:
        return remote
    if not address.startswith("file://"):
        return Mirror(find_repository(path))
    with contextlib.suppress(Unavailable):
        repository = find_repository(path)
        # Asked as a server, git reads the repository's own settings, and whatever other files they include.
        return FirstThatServes(remote, Mirror(repository)) if repository.own_settings_only else Mirror(repository)
    return remote


def local_path(address: str) -> Path | None:
    """The folder on this machine that an address names, None for a server's address."""
    if address.startswith("file://"):
        return Path(unquote(address[len("file://") :]))
    return Path(address) if "://" not in address and os.path.isdir(address) else None


def _both(asked: Unavailable, copied: Unavailable) -> Unavailable:
    if str(asked) == str(copied):
        return asked
    return Unavailable(f"{asked}; copying from its objects: {copied}")


def _refuses(stderr: str) -> bool:
    """Whether a server says that it has no such commit, or would not give it."""
    return bool(
        re.search(r"not our ref|couldn't find remote ref|unadvertised object|did not send all necessary", stderr)
    )
