"""Releases of the package index as a timeline, and what the user writes to name them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from ..config.engines import Engine
from ..errors import UsageError
from ..model.history import Revision
from ..sources.folder_tree import FolderTree
from ..sources.git_tree import GitTree
from ..sources.history import version_key
from ..sources.open import open_tree
from ..sources.wanted import RELEASE, Options, Wanted
from .moments import Moment

FORM = "write A..B, A.. or versions with commas between them, for instance 0.27.1..0.33.0"


def choose_releases(text: str, known: Sequence[str], engine: str) -> tuple[str, ...]:
    """The versions that `A..B` (or `A..`, or a list with commas) means among `known`, oldest first.

    Pre-releases stand in no range, and are taken where they are named. Raises UsageError for a version that the
    index does not have, a reversed range, or another form.
    """
    if not known:
        raise UsageError(f"{engine} has no releases here")
    chosen: dict[str, None] = {}
    released = [version for version in known if not _is_pre_release(version)]
    for part in (part.strip() for part in text.split(",")):
        first, dots, last = part.partition("..")
        if not first or (dots and last.startswith(".")):
            raise UsageError(f"--releases {text!r}: {FORM}")
        first = _known(first, known, engine)
        if not dots:
            chosen[first] = None
            continue
        last = _known(last, known, engine) if last else (released or known)[-1]
        low, high = version_key(first), version_key(last)
        if low > high:
            raise UsageError(f"--releases {text!r}: {first} is newer than {last}; the older one comes first")
        chosen[first] = chosen[last] = None
        chosen.update(dict.fromkeys(version for version in released if low <= version_key(version) <= high))
    return tuple(sorted(chosen, key=version_key))


def _is_pre_release(version: str) -> bool:
    from packaging.version import InvalidVersion, Version

    try:
        return Version(version).is_prerelease
    except InvalidVersion:
        return True


def _known(version: str, known: Sequence[str], engine: str) -> str:
    from packaging.version import InvalidVersion, Version

    version = version.strip().removeprefix(RELEASE)
    try:
        wanted = Version(version)
    except InvalidVersion:
        raise UsageError(f"--releases: {version!r} is no version; {FORM}") from None
    for one in known:
        if version_key(one) == version_key(version):
            return one
    if wanted.is_prerelease:
        return version  # not in the list, which leaves pre-releases out: whether there is one shows when it is read
    near = difflib.get_close_matches(version, known, n=3) or list(known[-3:])
    raise UsageError(f"{engine} has no release {version} (near: {', '.join(near)})")


@dataclass
class Releases:
    """A timeline (refcheck.history.moments) of releases; each archive is read from the store, or brought there."""

    engine: Engine
    versions: tuple[str, ...]
    options: Options
    by: str = "releases"
    place: str = "releases of the package index"
    notes: tuple[str, ...] = ()
    _trees: list[GitTree | FolderTree] = field(default_factory=list)

    @property
    def revisions(self) -> tuple[Revision, ...]:
        return tuple(Revision(RELEASE + version) for version in self.versions)

    def moments(self) -> Iterator[Moment]:
        before: dict[str, str] | None = None
        for revision in self.revisions:
            tree = open_tree(Wanted(self.engine, revision.rev), self.options)
            self._trees.append(tree)
            files = dict(tree.paths())
            changed = None if before is None else _changed(before, files)
            # A release is read from the store, whatever is named with --source: its tree is a GitTree.
            assert isinstance(tree, GitTree)
            yield Moment(
                revision, tree.source, files, changed, tree.read_bytes, tree.carries, tree.read_many, tree.prefetch
            )
            before = files
            self.close()

    def versions_below(self, prefixes: tuple[str, ...]) -> int:
        """Releases are few: nothing is left out."""
        return 0

    def prefetch_below(self, prefixes: tuple[str, ...]) -> None:
        """An archive is at hand as a whole."""

    def close(self) -> None:
        for tree in self._trees:
            tree.close()
        self._trees.clear()


def _changed(before: dict[str, str], files: dict[str, str]) -> frozenset[str]:
    return frozenset(path for path, _ in before.items() ^ files.items())
