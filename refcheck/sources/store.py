"""The object store: one bare git repository per engine below the cache folder.

    CACHE/store-1/NAME-HASH.git/     HASH: of the engine's origin, for two projects may name an engine alike
        objects/pack/                only packs; written in tmp/ and renamed into place, the index last
        listings/COMMIT              what the tree of a commit holds (see listing.py); a cache, safe to delete
        releases/VERSION.json        which archive a release was imported from (see release.py)
        names/NAME.json              what a tag or branch last resolved to
        tmp/                         of the run that holds the lock; whatever a killed run left is removed by the next
    CACHE/store-1/NAME-HASH.lock

Reading takes no lock. Writing takes the engine's: look, lock, look again, write under tmp/, rename. The store has no
promisor remote, so that git never fetches by itself: an object that is not there is simply missing.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import re
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..config.engines import Engine
from ..errors import SourceError
from . import listing as listings
from .attempts import Interrupted, Unavailable
from .batch import has_commit
from .git_runner import call
from .listing import Listing

if TYPE_CHECKING:
    import filelock

FORMAT = "store-1"
MOST_PACKS = 40
_FULL = re.compile(r"[0-9a-f]{40}")


def cache_folder(given: Path | None = None) -> Path:
    """Where the stores lie: `given`, else REFCHECK_CACHE_DIR, else the platform's cache folder.

    Raises SourceError where the platform has none (no home folder).
    """
    if given is not None:
        return given
    named = os.environ.get("REFCHECK_CACHE_DIR")
    if named:
        return Path(named)
    import platformdirs

    found = Path(platformdirs.user_cache_dir("refcheck", appauthor=False))
    if not found.is_absolute():
        raise SourceError("no folder for the cache: this user has no home folder; set REFCHECK_CACHE_DIR to one")
    return found


def bare_repository(path: Path) -> None:
    """Make an empty bare repository. No template is copied, as `git init` would do, so there are no hooks."""
    (path / "objects" / "pack").mkdir(parents=True, exist_ok=True)
    (path / "objects" / "info").mkdir(exist_ok=True)
    (path / "refs").mkdir(exist_ok=True)
    write_new(path / "config", b"[core]\n\trepositoryformatversion = 0\n\tbare = true\n[gc]\n\tauto = 0\n")
    write_new(path / "HEAD", b"ref: refs/heads/none\n")  # last: git takes the folder for a repository from now on


def write_new(path: Path, data: bytes) -> None:
    """Write a file under a temporary name and rename it, so that nobody sees half of it."""
    import tempfile

    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}-")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


class Store:
    """One engine's repository. Making one touches nothing; what writes calls `writing` first."""

    def __init__(self, engine: Engine, cache: Path, cancel: threading.Event | None = None) -> None:
        safe = re.sub(r"[^A-Za-z0-9_.-]", "_", engine.name).strip(".") or "engine"
        digest = hashlib.sha256(engine.origin.encode()).hexdigest()[:8]
        self.engine = engine
        self.path = cache / FORMAT / f"{safe}-{digest}.git"
        self.cancel = cancel

    @property
    def exists(self) -> bool:
        return (self.path / "HEAD").is_file()

    # ---- reading

    def listing(self, commit: str) -> Listing | None:
        """The paths of a commit that the store has; None if it has not got it. Raises Unavailable if it is broken."""
        if not self.exists:
            return None
        cached = self.path / "listings" / commit
        try:
            found = listings.load(cached.read_bytes())
        except OSError:
            found = None
        if found is not None:
            return found
        if not self.has_commit(commit):
            return None
        found = listings.of_tree(commit, self.path)
        with contextlib.suppress(OSError):  # a read-only cache is as good, only slower
            cached.parent.mkdir(exist_ok=True)
            write_new(cached, listings.dump(found))
        return found

    def has_commit(self, commit: str) -> bool:
        """Whether the commit itself is in the store."""
        if not self.exists:
            return False
        return has_commit(commit, self.path)

    def commits(self) -> tuple[str, ...]:
        """The commits that were read before (those with a listing)."""
        try:
            names = os.listdir(self.path / "listings")
        except OSError:
            return ()
        releases = {str(record.get("commit")) for record in self.records("releases").values()}
        return tuple(sorted(n for n in names if _FULL.fullmatch(n) and n not in releases))

    def record(self, folder: str, name: str) -> dict[str, Any] | None:
        """A small JSON record, None if there is none that can be read."""
        try:
            value = json.loads((self.path / folder / _record_name(name)).read_bytes())
        except (OSError, ValueError):
            return None
        return value if isinstance(value, dict) and value.get("name") == name else None

    def records(self, folder: str) -> dict[str, dict[str, Any]]:
        """All records of a folder by their names."""
        try:
            files = sorted((self.path / folder).glob("*.json"))
        except OSError:
            return {}
        found: dict[str, dict[str, Any]] = {}
        for file in files:
            with contextlib.suppress(OSError, ValueError):
                value = json.loads(file.read_bytes())
                found[str(value["name"])] = value
        return found

    # ---- writing

    def put_record(self, folder: str, name: str, value: dict[str, Any]) -> None:
        """Write a record; the caller holds the lock or does not mind who comes last. Raises OSError."""
        (self.path / folder).mkdir(parents=True, exist_ok=True)
        text = json.dumps({"name": name, **value}, indent=1, sort_keys=True)
        write_new(self.path / folder / _record_name(name), text.encode())

    @contextlib.contextmanager
    def writing(self, announce: Callable[[str], None] | None = None) -> Iterator[None]:
        """Hold the engine's lock; the repository exists inside, and no other run writes to it.

        Raises Unavailable if the cache cannot be written, Interrupted if the run is given up while waiting.
        """
        import shutil

        import filelock

        lock = filelock.FileLock(self.path.with_suffix(".lock"))
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._acquire(lock, announce)
        except (OSError, NotImplementedError) as error:
            raise self.unwritable(error) from error
        try:
            try:
                if not self.exists:
                    bare_repository(self.path)
                shutil.rmtree(self.path / "tmp", ignore_errors=True)
            except OSError as error:
                raise self.unwritable(error) from error
            yield
            self.compact()
        finally:
            lock.release()

    def _acquire(self, lock: filelock.BaseFileLock, announce: Callable[[str], None] | None) -> None:
        """Wait for the lock, asking less and less often: hundreds of runs may wait for the same one."""
        import random

        import filelock

        began, delay, told = time.monotonic(), 0.02, announce is None
        while True:
            try:
                lock.acquire(timeout=0)
                return
            except filelock.Timeout:
                pause = delay * random.uniform(0.7, 1.3)
                if self.cancel is None:
                    time.sleep(pause)
                elif self.cancel.wait(pause):
                    raise Interrupted from None
                delay = min(delay * 1.5, 1.0)
                if announce is not None and not told and time.monotonic() - began > 2:
                    announce(f"{self.engine.name}: waiting for another run that is filling the store")
                    told = True

    @contextlib.contextmanager
    def scratch(self) -> Iterator[Path]:
        """An empty repository below tmp/, removed at the end; call `adopt` with it before. Needs the lock."""
        import shutil
        import tempfile

        try:
            (self.path / "tmp").mkdir(exist_ok=True)
            path = Path(tempfile.mkdtemp(dir=self.path / "tmp", suffix=".git"))
            bare_repository(path)
        except OSError as error:
            raise self.unwritable(error) from error
        try:
            yield path
        finally:
            shutil.rmtree(path, ignore_errors=True)

    def adopt(self, scratch: Path) -> int:
        """Move the finished packs of a scratch repository into the store; their size in bytes.

        The index goes last, since git looks for packs by their index. Raises Unavailable.
        """
        total = 0
        try:
            for index in sorted((scratch / "objects" / "pack").glob("pack-*.idx")):
                pack = index.with_suffix(".pack")
                total += pack.stat().st_size
                for part in (pack, index.with_suffix(".rev"), index):
                    if part.exists():
                        os.replace(part, self.path / "objects" / "pack" / part.name)
        except OSError as error:
            raise self.unwritable(error) from error
        return total

    def compact(self) -> None:
        """Put all packs into one once there are many, for git looks into each. Needs the lock; loses nothing.

        Runs that read meanwhile are not disturbed: git looks for new packs when one is gone.
        """
        old = sorted((self.path / "objects" / "pack").glob("pack-*.idx"))
        if len(old) <= MOST_PACKS:
            return
        objects = self.path / "objects"
        with contextlib.suppress(Unavailable, OSError), self.scratch() as scratch:  # a broken pack is kept as it is
            listed = ["cat-file", "--batch-all-objects", "--unordered", "--batch-check=%(objectname)"]
            oids = call(listed, self.path)
            target = str(scratch / "objects/pack/pack")
            packing = ["pack-objects", "--quiet", "--delta-base-offset", "--window=0", target]
            packed = call(packing, scratch, input=oids, alternates=[objects]).decode("ascii").strip()
            self.adopt(scratch)
            for index in old:
                if index.stem != f"pack-{packed}":
                    for part in (index, index.with_suffix(".rev"), index.with_suffix(".pack")):
                        part.unlink(missing_ok=True)

    def unwritable(self, error: Exception) -> Unavailable:
        """The reason for people: the folder, what the system said, and the remedy."""
        reason = getattr(error, "strerror", None) or str(error)
        return Unavailable(
            f"the cache folder {self.path.parent} cannot be written ({reason}); free it or set REFCHECK_CACHE_DIR"
        )


def _record_name(name: str) -> str:
    """A file name for any name: readable where it is plain, a digest in it where it is not."""
    if re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,80}", name):
        return f"{name}.json"
    plain = re.sub(r"[^A-Za-z0-9._-]", "_", name)[:60]
    return f"{plain}-{hashlib.sha256(name.encode('utf-8', 'replace')).hexdigest()[:10]}.json"
