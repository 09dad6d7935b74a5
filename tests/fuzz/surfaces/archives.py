"""Release archives: damaged or made to harm, they are read within bounds or refused by name."""

from __future__ import annotations

import io
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from refcheck.sources.archive import LARGEST_MEMBER, Members
from refcheck.sources.attempts import Unavailable

from . import Surface, must, opened, seed

_FILES = {"toy-1.0/toy/a.py": b"x = 1\n" * 20, "toy-1.0/toy/b/c.py": b"", "toy-1.0/PKG-INFO": b"Name: toy\n"}


def _tar(compression: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=f"w:{compression}", format=tarfile.PAX_FORMAT) as archive:  # type: ignore[call-overload]
        for name, content in _FILES.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo("toy-1.0/toy/link.py")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
        long = tarfile.TarInfo("toy-1.0/toy/" + "n" * 150 + "/é.py")
        archive.addfile(long)
    return out.getvalue()


def _zip(compression: int) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compression) as archive:
        for name, content in _FILES.items():
            archive.writestr(name, content)
    return out.getvalue()


def seeds() -> Iterator[bytes]:
    for archive in (_tar(""), _tar("gz"), _zip(zipfile.ZIP_STORED), _zip(zipfile.ZIP_DEFLATED)):
        yield seed(archive)
        yield seed(archive, 1)


@cache
def _file() -> Path:
    return Path(tempfile.mkdtemp(prefix="archives-")) / "a.archive"


def check(data: bytes) -> None:
    choice, payload = opened(data)
    _file().write_bytes(payload)
    members = Members(_file(), lambda name: name, strip_top=choice % 2 == 1)
    read: dict[str, bytes] = {}
    try:
        for path, content in members.read():
            must(len(content) <= LARGEST_MEMBER, f"{len(content)} bytes of one member")
            must(not path.startswith("/") and "\\" not in path, f"{path!r} leaves the folder")
            must(all(part not in ("", ".", "..", ".git") for part in path.split("/")), f"{path!r} is no plain path")
            must(read.get(path, content) == content, f"{path!r} twice, with two contents")
            read[path] = content
    except Unavailable as refused:
        must(bool(str(refused)), "refused without a word")


SURFACE = Surface("archives", seeds, check)
