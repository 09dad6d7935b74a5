"""A git repository on this machine that is not ours: a work tree, a linked work tree, a bare or mirror clone.

Only its objects are used, lent to a repository of our own, and the commits that its names stand for, read here; its
configuration and hooks are never in force. Whatever stands in its files is a stranger's: a file that is not what git
writes there (a link to another file, say) is named, and never quoted.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from .attempts import Unavailable


@dataclass(frozen=True, slots=True)
class LocalRepository:
    """`path` as the user named it, `git_dir` with the HEAD, `common` with the refs, `objects` the folder of its
    objects."""

    path: Path
    git_dir: Path
    common: Path
    objects: Path

    @property
    def shallow(self) -> Path | None:
        """The list of commits whose parents are not at hand, in a shallow clone. Raises Unavailable if it is none."""
        file = self.objects.parent / "shallow"
        if not file.is_file():
            return None
        for _ in _lines(file, _OID):
            pass
        return file

    @property
    def own_settings_only(self) -> bool:
        """Whether git, started in it, reads no file but its own: no settings of another one, no list in its place."""
        settings = (self.common / "config", self.common / "config.worktree", self.git_dir / "config.worktree")
        others = (self.common / "packed-refs", self.common / "shallow", self.git_dir / "HEAD")
        if any(file.is_symlink() for file in (*settings, *others)):
            return False
        return not any(_INCLUDE.search(_text(file)) for file in settings if file.is_file())

    def named(self, refs: Sequence[str]) -> tuple[str, str] | None:
        """The first of these refs that there is, and the object that it names. Raises Unavailable."""
        if (self.common / "reftable").is_dir():
            raise Unavailable(f"the names of {self.path} are kept in a reftable; give a full commit")
        packed: dict[str, str] = {}
        if (self.common / "packed-refs").is_file():
            for line in _lines(self.common / "packed-refs", _PACKED):
                if line[0] not in "#^":
                    oid, _, ref = line.partition(" ")
                    packed[ref] = oid
        for ref in refs:
            found = self._object(ref, packed)
            if found is not None:
                return ref, found
        return None

    def _object(self, ref: str, packed: Mapping[str, str]) -> str | None:
        for _ in range(_DEEPEST):
            if not _REF.fullmatch(ref) or ".." in ref:
                return None
            file = (self.git_dir if ref == "HEAD" else self.common) / ref
            if not file.is_file():
                return packed.get(ref)
            text = next(_lines(file, _LOOSE), "")
            if not text.startswith("ref:"):
                return text or None
            ref = text.removeprefix("ref:").strip()
        raise Unavailable(f"{self.path}: {ref} names itself")


_OID = re.compile(r"[0-9a-f]{40}")
_PACKED = re.compile(r"#[^\n]{0,200}|\^?[0-9a-f]{40}|[0-9a-f]{40} refs/[^\x00-\x20\x7f]{1,1000}")
_LOOSE = re.compile(r"[0-9a-f]{40}|ref:\s{0,4}refs/[^\x00-\x20\x7f]{1,1000}")
_REF = re.compile(r"HEAD|refs/[^\x00-\x20\x7f~^:?*\[\\]{1,1000}")
_INCLUDE = re.compile(r"\[\s*include", re.IGNORECASE)
_DEEPEST = 5


def _lines(file: Path, kind: re.Pattern[str]) -> Iterator[str]:
    """The lines of a file, each of which must be of a kind. Raises Unavailable, which names the file only."""
    for number, line in enumerate(_text(file).splitlines(), 1):
        if not kind.fullmatch(line.strip()):
            raise Unavailable(f"{file} is not what git writes there (line {number})")
        yield line.strip()


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "surrogateescape")
    except OSError as error:
        raise Unavailable(f"{file} cannot be read: {error.strerror or error}") from error


def find_repository(path: Path) -> LocalRepository:
    """The repository whose top folder (or bare folder) is `path`. Raises Unavailable if it is none."""
    found = repository_at(path)
    if found is None:
        raise Unavailable(f"{path} is not a git repository" if path.is_dir() else f"there is no folder {path}")
    return found


def repository_at(path: Path) -> LocalRepository | None:
    """As `find_repository`, but None for a folder that is none. Nothing is looked for in parent folders."""
    path = path.absolute()
    marker = path / ".git"
    if marker.is_dir():
        git_dir = marker
    elif marker.is_file():
        git_dir = _named_in(marker, path)
    elif (path / "objects").is_dir() and (path / "HEAD").exists():
        git_dir = path
    else:
        return None
    common = git_dir
    if (git_dir / "commondir").is_file():
        text = (git_dir / "commondir").read_text("utf-8", "surrogateescape").strip()
        common = git_dir / text
    objects = common / "objects"
    if not objects.is_dir():
        raise Unavailable(f"{path} looks like a git repository, but has no objects")
    config = common / "config"
    if config.is_file() and "objectformat = sha256" in config.read_text("utf-8", "replace").lower():
        raise Unavailable(f"{path} uses SHA-256 object names, which cannot be compared with the engine's")
    _check_alternates(objects)
    return LocalRepository(path, git_dir.resolve(), common.resolve(), objects.resolve())


def _check_alternates(objects: Path) -> None:
    """git quotes a line that names no folder in its messages. Raises Unavailable, which does not."""
    file = objects / "info" / "alternates"
    if not file.is_file():
        return
    for number, line in enumerate(_text(file).splitlines(), 1):
        # A line in quotes is rare, and git reads it as a C string.
        if line and not line.startswith(("#", '"')) and not (objects / line).is_dir():
            raise Unavailable(f"{file} names a folder that is not there (line {number})")


def _named_in(marker: Path, base: Path) -> Path:
    """The folder that a `.git` file names (linked work trees, submodules)."""
    text = marker.read_text("utf-8", "surrogateescape")[:4096]
    if not text.startswith("gitdir: "):
        raise Unavailable(f"{marker} is not understood")
    return base / text.removeprefix("gitdir: ").splitlines()[0].strip()
