"""Contents of objects by one long-lived `git cat-file --batch`."""

from __future__ import annotations

import hashlib
import subprocess
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from .attempts import Unavailable
from .git_runner import call, start, stop

LARGEST_BLOB = 64 * 1024 * 1024
"""A file above this is not read: no source file is so long, and one blob must not fill the memory."""


IN_FLIGHT = 256
"""Requests that are sent ahead of their answers: together far below what a pipe holds, so that writing never waits."""


class Missing(Unavailable):
    """The repository does not have the object."""


class Corrupt(Unavailable):
    """The repository has the object, but not with the bytes that its id stands for."""


class TooLarge(Unavailable):
    """The object is above LARGEST_BLOB."""


def blob_id(data: bytes) -> str:
    """The git id (SHA-1) of a file with these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


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

    def blob(self, oid: str) -> bytes:
        """Raises Missing, Corrupt, TooLarge, Unavailable."""
        with self._lock:
            data = self._ask(oid)
        if blob_id(data) != oid:
            raise Corrupt(f"object {oid} in {self._git_dir} does not have the content of that id")
        return data

    def blobs(self, oids: Sequence[str]) -> Iterator[bytes]:
        """Many blobs in their order, without waiting for each answer before the next question. Raises as `blob`."""
        for start_ in range(0, len(oids), IN_FLIGHT):
            part = oids[start_ : start_ + IN_FLIGHT]
            with self._lock:
                found = self._ask_many(part)
            for oid, data in zip(part, found, strict=True):
                if blob_id(data) != oid:
                    raise Corrupt(f"object {oid} in {self._git_dir} does not have the content of that id")
                yield data

    def _ask_many(self, oids: Sequence[str]) -> list[bytes]:
        try:
            self._send(oids)
            return [self._answer(oid) for oid in oids]
        except BaseException:
            self.close()  # the rest of the answers is still in the pipe
            raise

    def _ask(self, oid: str) -> bytes:
        self._send([oid])
        return self._answer(oid)

    def _send(self, oids: Sequence[str]) -> None:
        process = self._process
        if process is None or process.poll() is not None:
            process = self._process = start(
                ["cat-file", "--batch"],
                self._git_dir,
                self._alternates,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        assert process.stdin is not None
        try:
            process.stdin.write("".join(f"{oid}\n" for oid in oids).encode())
            process.stdin.flush()
        except (OSError, ValueError):
            raise self._broken(oids[0]) from None

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
