"""Contents of objects by one long-lived `git cat-file --batch`."""

from __future__ import annotations

import hashlib
import subprocess
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from .attempts import Unavailable
from .git_runner import call, start, stop

LARGEST_BLOB = 64 * 1024 * 1024
"""A file above this is not read: no source file is so long, and one blob must not fill the memory."""


IN_FLIGHT = 256
"""Requests that are sent ahead of their answers: together far below what a pipe holds, so that writing never waits."""
PIPE_BYTES = 1024 * 1024
LARGEST_EARLY = 256 * 1024
"""An answer is kept for later up to this size, where another one is wanted before it."""


class Missing(Unavailable):
    """The repository does not have the object."""


class Corrupt(Unavailable):
    """The repository has the object, but not with the bytes that its id stands for."""


class TooLarge(Unavailable):
    """The object is above LARGEST_BLOB."""


def blob_id(data: bytes) -> str:
    """The git id (SHA-1) of a file with these bytes."""
    digest = hashlib.sha1(b"blob %d\0" % len(data), usedforsecurity=False)
    digest.update(data)
    return digest.hexdigest()


def _is(oid: str, data: bytes) -> bool:
    return blob_id(data) == oid


def missing(oids: Iterable[str], git_dir: Path, alternates: Sequence[Path] = ()) -> list[str]:
    """Those of `oids` that the repository lacks, in their order. Nothing is fetched."""
    wanted = list(dict.fromkeys(oids))
    if not wanted:
        return []
    out = call(
        ["cat-file", "--batch-check=%(objecttype)", "--buffer"],
        git_dir,
        input="".join(f"{oid}\n" for oid in wanted).encode(),
        alternates=alternates,
    )
    return [oid for oid, line in zip(wanted, out.split(b"\n"), strict=False) if line.endswith(b" missing")]


def has_commit(oid: str, git_dir: Path, alternates: Sequence[Path] = ()) -> bool:
    """Whether the repository has this commit itself (its trees and contents are another matter)."""
    asked = ["cat-file", "--batch-check=%(objecttype)"]
    return call(asked, git_dir, input=f"{oid}\n".encode(), alternates=alternates).strip() == b"commit"


def commits_named(prefix: str, git_dir: Path, alternates: Sequence[Path] = ()) -> list[str]:
    """The commits of the repository whose ids begin so."""
    found = call(["rev-parse", f"--disambiguate={prefix}"], git_dir, alternates=alternates).decode("ascii").split()
    if not found:
        return []
    asked = ["cat-file", "--batch-check=%(objectname) %(objecttype)"]
    out = call(asked, git_dir, input="".join(f"{oid}\n" for oid in found).encode(), alternates=alternates)
    return [line.split()[0] for line in out.decode("ascii").splitlines() if line.endswith(" commit")]


def _widen(process: subprocess.Popen[bytes]) -> None:
    """Let git write whole files ahead, where the system can (Linux): it would wait at every 64 KB otherwise."""
    assert process.stdout is not None
    try:
        import fcntl

        fcntl.fcntl(process.stdout.fileno(), fcntl.F_SETPIPE_SZ, PIPE_BYTES)
    except (ImportError, AttributeError, OSError):
        return


class Batch:
    """Reads blobs, one after another, from one process that is started at the first read.

    Every content is compared with its id: git itself checks only the compression of what it reads from a pack.
    May be used from several threads.
    """

    def __init__(self, git_dir: Path, alternates: Sequence[Path] = ()) -> None:
        self._git_dir = git_dir
        self._alternates = tuple(alternates)
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._outstanding: deque[str] = deque()
        """What git was asked for and did not answer yet, in order."""
        self._early: dict[str, bytes | Unavailable] = {}

    def blob(self, oid: str) -> bytes:
        """Raises Missing, Corrupt, TooLarge, Unavailable."""
        with self._lock:
            data = self._take(oid)
        if not _is(oid, data):
            raise Corrupt(f"object {oid} in {self._git_dir} does not have the content of that id")
        return data

    def blobs(self, oids: Sequence[str]) -> Iterator[bytes]:
        """Many blobs in their order; git reads the next ones while the caller uses one. Raises as `blob`.

        Other blobs may be asked for in between.
        """
        asked = 0
        for index, oid in enumerate(oids):
            with self._lock:
                if asked <= index + IN_FLIGHT // 2 and asked < len(oids):
                    self._send(oids[asked : index + IN_FLIGHT])
                    asked = min(index + IN_FLIGHT, len(oids))
                data = self._take(oid)
            if not _is(oid, data):
                raise Corrupt(f"object {oid} in {self._git_dir} does not have the content of that id")
            yield data

    def _take(self, oid: str) -> bytes:
        """The content of an object: from an answer that came before it was wanted, or from one that git gives now."""
        answer: bytes | Unavailable | None = self._early.pop(oid, None)
        while answer is None:
            if not self._outstanding:
                self._send([oid])
            answered = self._outstanding.popleft()
            answer = self._answer_to(answered)
            if answered != oid:
                if isinstance(answer, Unavailable) or len(answer) <= LARGEST_EARLY:  # a larger one is asked for again
                    self._early[answered] = answer
                answer = self._early.pop(oid, None)
        if isinstance(answer, Unavailable):
            raise answer
        return answer

    def _answer_to(self, oid: str) -> bytes | Unavailable:
        try:
            return self._answer(oid)
        except Missing as reason:
            return reason
        except Unavailable as reason:
            self.close()  # what else was asked for is asked again
            return reason

    def _send(self, oids: Sequence[str]) -> None:
        process = self._process
        if process is None or process.poll() is not None:
            self.close()  # answers that it still owes will not come
            process = self._process = start(
                ["cat-file", "--batch"],
                self._git_dir,
                self._alternates,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
            _widen(process)
        assert process.stdin is not None
        try:
            process.stdin.write("".join(f"{oid}\n" for oid in oids).encode())
            process.stdin.flush()
        except (OSError, ValueError):
            raise self._broken(oids[0]) from None
        self._outstanding.extend(oids)

    def _answer(self, oid: str) -> bytes:
        process = self._process
        if process is None:
            raise self._broken(oid)
        assert process.stdout is not None
        try:
            header = process.stdout.readline().split()
            if len(header) == 2 and header[1] == b"missing":
                raise Missing(f"object {oid} is not in {self._git_dir}")
            if len(header) != 3:
                raise self._broken(oid)
            size = int(header[2])
            if header[1] != b"blob":
                raise Corrupt(f"object {oid} in {self._git_dir} is a {header[1].decode()}, not a file")
            if size > LARGEST_BLOB:
                raise TooLarge(f"a file of {size:,} bytes is not read (the limit is {LARGEST_BLOB:,})")
            data = process.stdout.read(size + 1)
        except (OSError, ValueError):
            raise self._broken(oid) from None
        except Missing:
            raise
        except BaseException:
            self.close()  # the rest of an answer may still be in the pipe
            raise
        if len(data) != size + 1:
            raise self._broken(oid)
        return data[:-1]

    def _broken(self, oid: str) -> Corrupt:
        """The process ended in the middle of an answer: ask once more, alone, for the reason."""
        self.close()
        try:
            call(["cat-file", "blob", oid], self._git_dir, alternates=self._alternates)
        except Unavailable as reason:
            return Corrupt(f"object {oid} in {self._git_dir} cannot be read: {reason}")
        return Corrupt(f"object {oid} in {self._git_dir} could not be read")

    def close(self) -> None:
        """May be called at any time; a later read starts a new process."""
        if self._process is not None:
            stop(self._process)
            self._process = None
        self._outstanding.clear()
        self._early.clear()

    def forget(self) -> None:
        """In a copy of the process that reads from git: git is the other's, and a later read starts another one."""
        self._process = None
        self._outstanding.clear()
        self._early.clear()
