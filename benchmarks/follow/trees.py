"""Trees for measuring, all of them in memory: a release, a folder, a commit, a mapping of path to bytes."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterable, Mapping
from pathlib import Path

from refcheck.errors import PathNotInTree
from refcheck.model.source_text import SourceText
from refcheck.model.tree import SourceKind, SourceRead


def blob_id(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class MemoryTree:
    """Files given as a mapping of path to bytes."""

    def __init__(self, files: Mapping[str, bytes], name: str = "memory") -> None:
        self.files = dict(files)
        self.name = name
        self._paths = {path: blob_id(data) for path, data in self.files.items()}

    @property
    def source(self) -> SourceRead:
        return SourceRead("vllm", self.name, self.name, SourceKind.FOLDER, True, "for measuring")

    def paths(self) -> Mapping[str, str]:
        return self._paths

    def has(self, path: str) -> bool:
        return path in self._paths

    def carries(self, path: str) -> bool:
        return True

    def read_bytes(self, path: str) -> bytes:
        try:
            return self.files[path]
        except KeyError:
            raise PathNotInTree(path) from None

    def read(self, path: str) -> SourceText:
        return SourceText.from_bytes(path, self._paths[path], self.read_bytes(path))

    def prefetch(self, paths: Iterable[str]) -> None:
        pass


def folder(root: Path, under: str = "") -> MemoryTree:
    """Every regular file of a folder, in memory; `under` limits it to a part."""
    files: dict[str, bytes] = {}
    for place, folders, names in os.walk(root / under):
        folders[:] = sorted(f for f in folders if f != ".git")
        for name in names:
            path = Path(place) / name
            if path.is_file() and not path.is_symlink():
                files[path.relative_to(root).as_posix()] = path.read_bytes()
    return MemoryTree(files, root.name)


def commit(repository: Path, revision: str, suffixes: tuple[str, ...] = (".py",)) -> MemoryTree:
    """The files of a commit with these suffixes, through one `git cat-file --batch`."""
    git = ["git", "-C", str(repository)]
    listing = subprocess.run([*git, "ls-tree", "-r", "-z", revision], capture_output=True, check=True).stdout
    wanted: list[tuple[str, str]] = []
    for entry in listing.split(b"\0"):
        if not entry:
            continue
        head, _, path = entry.partition(b"\t")
        mode, kind, blob = head.split()
        name = path.decode()
        if kind == b"blob" and mode != b"120000" and name.endswith(suffixes):
            wanted.append((name, blob.decode()))
    asked = "".join(f"{blob}\n" for _, blob in wanted).encode()
    answer = subprocess.run([*git, "cat-file", "--batch"], input=asked, capture_output=True, check=True).stdout
    files: dict[str, bytes] = {}
    at = 0
    for name, blob in wanted:
        end = answer.index(b"\n", at)
        head = answer[at:end].split()
        if head[0].decode() != blob or head[1] != b"blob":
            raise RuntimeError(f"{blob} of {name} is not in {repository}")
        size = int(head[2])
        files[name] = answer[end + 1 : end + 1 + size]
        at = end + 2 + size
    return MemoryTree(files, revision)


def release(engine: str, revision: str, cache: Path | None = None, suffixes: tuple[str, ...] = (".py",)) -> MemoryTree:
    """The files of a release with these suffixes, as `refcheck.sources` gives them."""
    from refcheck.config.engines import builtin_engines
    from refcheck.sources.open import open_tree
    from refcheck.sources.wanted import Options, Wanted

    with open_tree(Wanted(builtin_engines()[engine], revision), Options(cache_dir=cache)) as tree:
        paths = [path for path in tree.paths() if path.endswith(suffixes)]
        tree.prefetch(paths)
        return MemoryTree({path: tree.read_bytes(path) for path in paths}, revision)


def open_tree(where: str, engine: str = "vllm", cache: Path | None = None) -> MemoryTree:
    """`where` is `release:0.28.0`, `0.28.0`, a folder, or REPOSITORY@COMMIT."""
    if "@" in where:
        repository, _, revision = where.rpartition("@")
        return commit(Path(repository), revision)
    if where.startswith("release:"):
        return release(engine, where, cache)
    if Path(where).is_dir():
        return folder(Path(where))
    return release(engine, f"release:{where}", cache)
