"""A tree given as a mapping of path to text."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

from refcheck.errors import PathNotInTree
from refcheck.model.source_text import SourceText
from refcheck.model.tree import SourceKind, SourceRead


class MemoryTree:
    def __init__(self, files: Mapping[str, str | bytes], not_carried: tuple[str, ...] = ()) -> None:
        self.files = {p: t.encode() if isinstance(t, str) else t for p, t in files.items()}
        self.not_carried = not_carried
        self.read_paths: list[str] = []
        self._paths = {p: hashlib.sha1(b"blob %d\0" % len(d) + d).hexdigest() for p, d in self.files.items()}

    @property
    def source(self) -> SourceRead:
        return SourceRead("vllm", "memory", "memory", SourceKind.FOLDER, True, "given by a test")

    def paths(self) -> Mapping[str, str]:
        return self._paths

    def has(self, path: str) -> bool:
        return path in self._paths

    def carries(self, path: str) -> bool:
        return not path.startswith(self.not_carried) if self.not_carried else True

    def read_bytes(self, path: str) -> bytes:
        self.read_paths.append(path)
        try:
            return self.files[path]
        except KeyError:
            raise PathNotInTree(path) from None

    def read(self, path: str) -> SourceText:
        return SourceText.from_bytes(path, self._paths.get(path, ""), self.read_bytes(path))

    def prefetch(self, paths: Iterable[str]) -> None:
        pass
