"""A release of the package index as a tree: its archive is imported into the store once, and recorded.

The record (releases/VERSION.json in the store) names the archive, its digest and the commit that stands for it in the
store; with it, no later run needs the network or the archive.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..config.engines import Engine
from . import layout
from .archive import Members
from .attempts import Unavailable
from .git_runner import start, stop
from .listing import Listing
from .package_index import Archive, PackageIndex
from .store import Store
from .supply import Patience

RECORD_FORMAT = 1


@dataclass(frozen=True, slots=True)
class Release:
    """A release in the store. `commit` is the store's own id for its files, not one of the engine's."""

    version: str
    archive: str
    sha256: str
    is_sdist: bool
    commit: str
    left_out: tuple[str, ...]
    checked: bool
    received_bytes: int

    @property
    def notes(self) -> tuple[str, ...]:
        return () if self.checked else (f"the index states no digest for {self.archive}: it is taken as it came",)

    def carries(self, engine: Engine, listing: Listing) -> Callable[[str], bool]:
        """See refcheck.model.tree.Tree.carries."""
        if self.is_sdist:
            return layout.sdist_carries(engine, listing.files, self.left_out)
        return layout.wheel_carries(engine, listing.files)


def recorded(store: Store, version: str) -> Release | None:
    """The release as an earlier run left it in the store."""
    raw = store.record("releases", version)
    try:
        if raw is None or raw["format"] != RECORD_FORMAT:
            return None
        return Release(
            version=version,
            archive=str(raw["archive"]),
            sha256=str(raw["sha256"]),
            is_sdist=bool(raw["is_sdist"]),
            commit=str(raw["commit"]),
            left_out=tuple(str(path) for path in raw["left_out"]),
            checked=bool(raw["checked"]),
            received_bytes=0,
        )
    except (KeyError, TypeError):
        return None


def bring(
    store: Store, version: str, patience: Patience, announce: Callable[[str], None], *, again: bool = False
) -> tuple[Release, Listing]:
    """Download a release and import it, unless another run just did (or `again`). Raises Unavailable."""
    engine = store.engine
    if engine.distribution is None:
        raise Unavailable(f"no distribution on the package index is configured for the engine {engine.name}")
    with store.writing(announce):
        known = recorded(store, version)
        if known is not None and not again:
            with contextlib.suppress(Unavailable):
                listing = store.listing(known.commit)
                if listing is not None:
                    return known, listing
        announce(f"{engine.name}: fetching the release archive of {version} from the package index")
        with store.scratch() as scratch, PackageIndex(engine.distribution, patience.cancel) as index:
            archive = index.download(version, scratch, patience.progress)
            release = _import(store, scratch, engine, version, archive)
        listing = store.listing(release.commit)
        if listing is None:
            raise Unavailable(f"the release {version} was imported, but is not in the store")
        try:
            store.put_record("releases", version, _as_record(release))
        except OSError as error:
            raise store.unwritable(error) from error
        return release, listing


def _import(store: Store, scratch: Any, engine: Engine, version: str, archive: Archive) -> Release:
    place = layout.of_sdist(engine) if archive.is_sdist else layout.of_wheel(engine)
    members = Members(archive.file, place, strip_top=archive.is_sdist)
    commit, count = import_files(scratch, members)
    if not count:
        raise Unavailable(f"the archive {archive.name} carries no file of the engine's repository")
    store.adopt(scratch)
    return Release(
        version=version,
        archive=archive.name,
        sha256=archive.sha256,
        is_sdist=archive.is_sdist,
        commit=commit,
        left_out=tuple(sorted(members.left_out)),
        checked=archive.checked,
        received_bytes=archive.size,
    )


def import_files(scratch: Any, members: Members) -> tuple[str, int]:
    """Write the members as one commit into an empty repository: (its id, number of files).

    The format is that of git-fast-import(1). Fast compression, no deltas: a release is imported once, but waited for.
    """
    import subprocess

    # A fixed author and date: the same archive becomes the same commit everywhere.
    head = b"commit refs/heads/release\ncommitter refcheck <> 0 +0000\ndata 0\n\n"
    count = 0
    process = start(
        ["-c", "pack.compression=1", "-c", "core.compression=1", "fast-import", "--quiet", "--depth=0", "--done"],
        scratch,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stderr is not None
    try:
        try:
            process.stdin.write(head)
            for path, data in members.read():
                name = b"M 100644 inline " + _fast_import_path(path)
                process.stdin.write(b"%s\ndata %d\n%s\n" % (name, len(data), data))
                count += 1
            process.stdin.write(b"\ndone\n")
            process.stdin.close()
        except OSError as error:  # git ended first: say why it did
            said = process.stderr.read().decode("utf-8", "replace").strip()
            raise Unavailable(f"the archive cannot be imported: {said or error}") from error
        said = process.stderr.read().decode("utf-8", "replace").strip()
        if process.wait():
            raise Unavailable(f"the archive cannot be imported: {said}")
    finally:
        stop(process)
    commit = (scratch / "refs/heads/release").read_text("ascii").strip()
    return commit, count


def _fast_import_path(path: str) -> bytes:
    raw = path.encode("utf-8", "surrogateescape")
    if raw.startswith(b'"') or b"\n" in raw:
        return b'"' + raw.replace(b"\\", b"\\\\").replace(b'"', b'\\"').replace(b"\n", b"\\n") + b'"'
    return raw


def _as_record(release: Release) -> dict[str, Any]:
    return {
        "format": RECORD_FORMAT,
        "archive": release.archive,
        "sha256": release.sha256,
        "is_sdist": release.is_sdist,
        "commit": release.commit,
        "left_out": list(release.left_out),
        "checked": release.checked,
    }
