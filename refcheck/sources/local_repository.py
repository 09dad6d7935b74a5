"""A git repository on this machine that is not ours: a work tree, a linked work tree, a bare or mirror clone.

Only its objects are used, lent to a repository of our own; its configuration and hooks are never in force.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from .attempts import Unavailable


@dataclass(frozen=True, slots=True)
class LocalRepository:
    """`path` as the user named it, `git_dir` with the HEAD, `objects` the folder of its objects."""

    path: Path
    git_dir: Path
    objects: Path

    @property
    def shallow(self) -> Path | None:
        """The list of commits whose parents are not at hand, in a shallow clone."""
        file = self.objects.parent / "shallow"
        return file if file.is_file() else None


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
    return LocalRepository(path, git_dir.resolve(), objects.resolve())


def _named_in(marker: Path, base: Path) -> Path:
    """The folder that a `.git` file names (linked work trees, submodules)."""
    text = marker.read_text("utf-8", "surrogateescape")[:4096]
    if not text.startswith("gitdir: "):
        raise Unavailable(f"{marker} is not understood")
    return base / text.removeprefix("gitdir: ").splitlines()[0].strip()
