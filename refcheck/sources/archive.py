"""The members of a release archive, read one by one and never unpacked to disk.

Archives come from an index, and may be made to harm: names that leave the folder, links, devices, members that
unpack to more than they should, more members than anyone can hold. A name that leaves the folder, or a name that
stands twice with different contents, refuses the archive; links and devices are left out; sizes are bounded.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import lzma
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from .attempts import Unavailable

LARGEST_MEMBER = 4 * 1024 * 1024
"""Members above this are left out: libraries, pictures, recorded data."""
MOST_BEHIND = 64 * 1024 * 1024
"""Zeros that may follow the end of a tar archive (writers pad to a block of some kilobytes)."""
MOST_MEMBERS = 200_000
MOST_BYTES = 2 * 1024 * 1024 * 1024
"""Of unpacked data that is gone through, members that are left out included where they must be unpacked too."""
_DIRECTORY_BYTES = 32 * 1024 * 1024
_BINARY_SUFFIXES = (".so", ".pyd", ".dll", ".dylib", ".a", ".o", ".exe", ".whl", ".bin", ".cubin", ".fatbin")

_UNREADABLE = (
    *(tarfile.TarError, zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(EOFError, OSError, ValueError),
    # What the archive modules themselves stumble over: a member without a name, one that is encrypted.
    *(LookupError, RuntimeError),
)


@dataclass(slots=True)
class Members:
    """Iterate once over `read`: (path in the repository, bytes). `left_out` is complete afterwards."""

    file: Path
    place: Callable[[str], str | None]
    strip_top: bool
    left_out: list[str] = field(default_factory=list)
    _seen: dict[str, bytes] = field(default_factory=dict)
    _bytes: int = 0
    _count: int = 0

    def read(self) -> Iterator[tuple[str, bytes]]:
        """Raises Unavailable, naming the archive, for one that is damaged or not acceptable."""
        try:
            members = self._zip() if zipfile.is_zipfile(self.file) else self._tar()
            for name, size, open_member in members:
                self._count += 1
                if self._count > MOST_MEMBERS:
                    raise Unavailable(f"it has more than {MOST_MEMBERS:,} members")
                yield from self._member(name, size, open_member)
            self._no_folder_is_a_file()
        except Unavailable as refused:
            raise Unavailable(f"the archive {self.file.name} is refused: {refused}") from refused
        except NotImplementedError as error:
            raise Unavailable(f"the archive {self.file.name} cannot be read: {error}") from error
        except _UNREADABLE as error:
            raise Unavailable(
                f"the archive {self.file.name} cannot be read: {str(error) or type(error).__name__}"
            ) from error

    def _member(
        self, name: str, size: int, open_member: Callable[[], io.BufferedIOBase | None] | None
    ) -> Iterator[tuple[str, bytes]]:
        inner = safe_name(name)
        if self.strip_top:
            inner = inner.partition("/")[2]
        path = self.place(inner) if inner else None
        if path is None:
            return
        if open_member is None or size > LARGEST_MEMBER or path.endswith(_BINARY_SUFFIXES):
            self.left_out.append(path)
            return
        stream = open_member()
        if stream is None:
            self.left_out.append(path)
            return
        with stream:
            data = stream.read(LARGEST_MEMBER + 1)
        if len(data) != size:
            raise Unavailable(f"{name!r} has not the size that the archive states for it")
        self._bytes += size
        if self._bytes > MOST_BYTES:
            raise Unavailable(f"it unpacks to more than {MOST_BYTES:,} bytes")
        digest = hashlib.sha1(data, usedforsecurity=False).digest()
        known = self._seen.setdefault(path, digest)
        if known is digest:
            yield path, data
        elif known != digest:
            raise Unavailable(f"{path!r} stands in it twice, with different contents")

    def _no_folder_is_a_file(self) -> None:
        for path in self._seen:
            parent = path.rpartition("/")[0]
            while parent:
                if parent in self._seen:
                    raise Unavailable(f"{parent!r} is a file and a folder in it")
                parent = parent.rpartition("/")[0]

    def _tar(self) -> Iterator[tuple[str, int, Callable[[], io.BufferedIOBase | None] | None]]:
        with gzip.open(self.file) as unpacked, tarfile.TarFile(fileobj=_Bounded(unpacked)) as tar:
            declared = 0
            while (info := tar.next()) is not None:
                tar.members = []  # type: ignore[attr-defined]  # it keeps every header otherwise
                declared += info.size
                if declared > MOST_BYTES:
                    raise Unavailable(f"it unpacks to more than {MOST_BYTES:,} bytes")
                if info.isdir():
                    safe_name(info.name)
                    self._count += 1
                    if self._count > MOST_MEMBERS:
                        raise Unavailable(f"it has more than {MOST_MEMBERS:,} members")
                elif info.isreg() and not info.issparse():
                    yield info.name, info.size, lambda info=info: tar.extractfile(info)  # type: ignore[misc]
                else:
                    yield info.name, info.size, None
            # TarFile takes a damaged header for the end; and gzip's checksum stands behind the end.
            behind = 0
            while rest := unpacked.read(1 << 20):
                behind += len(rest)
                if rest.strip(b"\0"):
                    raise Unavailable("it is damaged in the middle")
                if behind > MOST_BEHIND:
                    raise Unavailable(f"more than {MOST_BEHIND:,} bytes stand behind its end")

    def _zip(self) -> Iterator[tuple[str, int, Callable[[], io.BufferedIOBase | None] | None]]:
        _check_directory(self.file)
        with zipfile.ZipFile(self.file) as archive:
            for info in archive.infolist():
                kind = (info.external_attr >> 16) & 0o170000
                if info.is_dir():
                    safe_name(info.filename)
                elif kind in (0, 0o100000) and not info.flag_bits & 1:
                    yield info.filename, info.file_size, lambda info=info: archive.open(info)  # type: ignore[misc]
                else:
                    yield info.filename, info.file_size, None


def safe_name(name: str) -> str:
    """A member's name with `./` removed. Raises Unavailable for one that is absolute or leaves its folder."""
    parts = [part for part in name.split("/") if part not in ("", ".")]
    absolute = name.startswith("/") or "\\" in name or (len(name) > 1 and name[1] == ":")
    if absolute or ".." in parts or "\0" in name or len(name) > 4096:
        raise Unavailable(f"the member name {name[:200]!r} does not stay inside")
    if any(part.lower() == ".git" for part in parts):
        raise Unavailable(f"the member name {name[:200]!r} is git's own")
    return "/".join(parts)


class _Bounded(io.RawIOBase):
    """A forward-only view of unpacked data. No single read may be large: a header's stated length is not trusted."""

    def __init__(self, stream: gzip.GzipFile) -> None:
        self._stream = stream

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._stream.tell()

    def seek(self, offset: int, whence: int = 0) -> int:
        if whence or offset > MOST_BYTES + (1 << 20):
            raise Unavailable(f"it unpacks to more than {MOST_BYTES:,} bytes")
        return self._stream.seek(offset)

    def read(self, size: int = -1) -> bytes:
        if size < 0 or size > 2 * LARGEST_MEMBER:
            raise Unavailable("a header of it states an impossible length")
        return self._stream.read(size)

    def readinto(self, buffer: bytearray) -> int:  # type: ignore[override]
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)


def _check_directory(file: Path) -> None:
    """Refuse a zip whose table of contents is enormous before it is loaded (zipfile loads all of it).

    The record at the end of the file: PKWARE APPNOTE.TXT, 4.3.16 (and 4.3.14 for archives above its limits).
    """
    with file.open("rb") as stream:
        end = stream.seek(0, io.SEEK_END)
        stream.seek(max(0, end - 65_557 - 76))
        tail = stream.read()
    at = tail.rfind(b"PK\x05\x06")
    if at < 0 or at + 22 > len(tail):
        raise Unavailable("its table of contents is missing (truncated?)")
    (size,) = struct.unpack_from("<I", tail, at + 12)
    wide = tail.rfind(b"PK\x06\x06", 0, at)
    if wide >= 0 and wide + 56 <= len(tail):
        size = max(size if size != 0xFFFFFFFF else 0, struct.unpack_from("<Q", tail, wide + 40)[0])
    if size > _DIRECTORY_BYTES:
        raise Unavailable(f"its table of contents has {size:,} bytes (more than {MOST_MEMBERS:,} members?)")
