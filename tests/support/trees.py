"""Trees made of a mapping or of a folder, for tests that need no git."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from pathlib import Path

from refcheck.errors import PathNotInTree
from refcheck.model.source_text import SourceText
from refcheck.model.tree import SourceKind, SourceRead

TOY_COMMIT = "0123456789abcdef0123456789abcdef01234567"


def blob_id(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class MemoryTree:
    """A tree whose files are given as text or bytes."""

    def __init__(
        self,
        files: Mapping[str, str | bytes],
        engine: str = "toy",
        *,
        exact: bool = True,
        carried: tuple[str, ...] | None = None,
    ) -> None:
        self._data = {path: f.encode() if isinstance(f, str) else f for path, f in files.items()}
        self._ids = {path: blob_id(data) for path, data in self._data.items()}
        self._carried = carried
        kind = SourceKind.COMMIT if exact else SourceKind.RELEASE
        read = TOY_COMMIT if exact else "release:1.0"
        self.source = SourceRead(engine, TOY_COMMIT, read, kind, exact, "given by the test")

    def paths(self) -> Mapping[str, str]:
        return self._ids

    def has(self, path: str) -> bool:
        return path in self._data

    def carries(self, path: str) -> bool:
        return self._carried is None or path.startswith(self._carried)

    def read_bytes(self, path: str) -> bytes:
        if path not in self._data:
            raise PathNotInTree(path)
        return self._data[path]

    def read(self, path: str) -> SourceText:
        return SourceText.from_bytes(path, self._ids.get(path, ""), self.read_bytes(path))

    def prefetch(self, paths: Iterable[str]) -> None:
        del paths


def folder_tree(folder: Path, engine: str = "toy", **options: bool) -> MemoryTree:
    """A tree of a folder's files, read at once."""
    files = {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    return MemoryTree(files, engine, **options)
