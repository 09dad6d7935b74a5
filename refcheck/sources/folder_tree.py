"""A plain folder as a tree: it stands for the pin on the user's word."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType

from ..config.engines import Engine
from ..errors import PathNotInTree, SourceError
from ..model.source_text import SourceText
from ..model.tree import SourceRead
from . import layout
from .attempts import Unavailable
from .batch import LARGEST_BLOB, blob_id
from .git_tree import TextCache


class FolderTree:
    """Implements `refcheck.model.tree.Tree`. Symbolic links are not followed, and nothing outside is read."""

    def __init__(self, source: SourceRead, engine: Engine, folder: Path) -> None:
        self._source = source
        self._files, mapped = _find(engine, folder)
        if not self._files:
            raise Unavailable(f"the folder {folder} has no files")
        self._ids = _Ids(self)
        carries = layout.wheel_carries if mapped else layout.folder_carries
        self._carries = carries(engine, self._ids)
        self._texts = TextCache()

    @property
    def source(self) -> SourceRead:
        return self._source

    def paths(self) -> Mapping[str, str]:
        """As the protocol says; a blob id is computed when it is asked for."""
        return self._ids

    def has(self, path: str) -> bool:
        return path in self._files

    def other(self, path: str) -> str | None:
        """Always None: what is not a regular file is not in the tree."""
        return None

    def carries(self, path: str) -> bool:
        return path in self._files or self._carries(path)

    def read(self, path: str) -> SourceText:
        found = self._texts.get(path)
        if found is None:
            data = self.read_bytes(path)
            found = SourceText.from_bytes(path, self._ids.note(path, data), data)
            self._texts.put(found)
        return found

    def read_bytes(self, path: str) -> bytes:
        file = self._files.get(path)
        if file is None:
            raise PathNotInTree(path)
        try:
            # The file may have been replaced since it was listed: by a link, or by something that blocks.
            handle = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
            with os.fdopen(handle, "rb") as stream:
                facts = os.fstat(handle)
                if not stat.S_ISREG(facts.st_mode):
                    raise SourceError(f"{self._source.engine}: {path} is not a regular file any more")
                if facts.st_size > LARGEST_BLOB:
                    raise SourceError(f"{self._source.engine}: {path} is too large ({facts.st_size:,} bytes)")
                return stream.read()
        except OSError as error:
            raise SourceError(f"{self._source.engine}: {file} cannot be read: {error.strerror}") from error

    def prefetch(self, paths: Iterable[str]) -> None:
        return

    def close(self) -> None:
        return

    def __enter__(self) -> FolderTree:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Ids(Mapping[str, str]):
    """path -> blob id, computed at the first question."""

    def __init__(self, tree: FolderTree) -> None:
        self._tree = tree
        self._known: dict[str, str] = {}

    def note(self, path: str, data: bytes) -> str:
        return self._known.setdefault(path, blob_id(data))

    def __getitem__(self, path: str) -> str:
        if path not in self._known:
            if path not in self._tree._files:
                raise KeyError(path)
            self.note(path, self._tree.read_bytes(path))
        return self._known[path]

    def __contains__(self, path: object) -> bool:
        return path in self._tree._files

    def __iter__(self) -> Iterator[str]:
        return iter(self._tree._files)

    def __len__(self) -> int:
        return len(self._tree._files)


def _find(engine: Engine, folder: Path) -> tuple[dict[str, str], bool]:
    """path in the repository -> file, and whether the folder is laid out as a wheel is, not as the repository.

    A wheel's layout: the package at the top where the repository has it elsewhere, or an installation (a
    `.dist-info` folder beside it).
    """
    try:
        names = set(os.listdir(folder))
    except OSError as error:
        raise Unavailable(f"the folder {folder} cannot be read: {error.strerror}") from error
    plain = (engine.distribution or engine.name).lower().replace("-", "_")
    installed = any(n.lower().startswith(f"{plain}-") and n.endswith(".dist-info") for n in names)
    for there, here in engine.wheel_prefixes:
        top, home = there.split("/", 1)[0], here.split("/", 1)[0]
        if top in names and (installed or (there != here and home not in names)):
            mapped: dict[str, str] = {}
            for member_prefix, repository_prefix in engine.wheel_prefixes:
                inside = folder / member_prefix.rstrip("/")
                if inside.is_dir() and not inside.is_symlink():
                    mapped.update((repository_prefix + path, file) for path, file in _walk(inside))
            return dict(sorted(mapped.items())), True
    return dict(sorted(_walk(folder))), False


def _walk(top: Path) -> Iterator[tuple[str, str]]:
    waiting = [(str(top), "")]
    while waiting:
        folder, prefix = waiting.pop()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    if entry.is_dir(follow_symlinks=False):
                        if entry.name not in (".git", "__pycache__"):
                            waiting.append((entry.path, f"{prefix}{entry.name}/"))
                    elif entry.is_file(follow_symlinks=False):
                        yield prefix + entry.name, entry.path
        except OSError:
            if not prefix:
                raise
