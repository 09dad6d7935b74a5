"""From what a user writes (tag, branch, abbreviated or full commit, release) to a full commit or a release."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ..config.engines import Engine
from ..errors import SourceError
from .attempts import Unavailable, redact
from .git_runner import GitFailure, call, transfer
from .wanted import FULL_COMMIT, RELEASE, Options, UnknownRevision

if TYPE_CHECKING:
    from .local_repository import LocalRepository

_SHORT = re.compile(r"[0-9a-f]{4,39}")
# git-check-ref-format(1): what no tag or branch name can have. `^` and `~` would be expressions, not names.
_NO_NAME = re.compile(r"[\x00-\x20\x7f~^:?*\[\\]|\.\.|@\{|//|^[-/]|[/.]$|\.lock$|^@$")


@dataclass(frozen=True, slots=True)
class Resolved:
    """`rev` is a full commit or `release:VERSION`; `why` says how `given` led to it ("tag v0.28.0")."""

    given: str
    rev: str
    why: str


@dataclass(frozen=True, slots=True)
class Named:
    """A tag or branch of a repository and the commit that it stands for."""

    kind: str
    commit: str


def resolve(
    engine: Engine,
    rev: str,
    options: Options | None = None,
    *,
    pins: Iterable[str] = (),
    source: Path | None = None,
) -> Resolved:
    """Resolve `rev` for an engine.

    `pins` are full commits that an abbreviation may mean; `source` is the user's clone.

    Raises UnknownRevision for what cannot be a revision, or is unknown or ambiguous; SourceError where the remote
    cannot be asked.
    """
    options = options or Options()
    given = rev
    rev = rev.strip()
    if rev.startswith(RELEASE):
        version = rev.removeprefix(RELEASE)
        if not re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9.!+_-]*", version):
            raise UnknownRevision(f"{engine.name}: {given!r} is not a release (write release:0.28.0)")
        return Resolved(given, rev, f"release {version}")
    if FULL_COMMIT.fullmatch(rev.lower()):
        return Resolved(given, rev.lower(), "full commit")
    if not rev or rev.startswith("-") or _NO_NAME.search(rev):
        raise UnknownRevision(
            f"{engine.name}: {given!r} is not a revision: give a full commit, a tag, a branch, or release:VERSION"
        )
    return _Resolving(engine, options, source).resolve(given, rev, [p for p in pins if FULL_COMMIT.fullmatch(p)])


class _Resolving:
    def __init__(self, engine: Engine, options: Options, source: Path | None) -> None:
        from .store import Store, cache_folder

        self.engine = engine
        self.options = options
        self.source = source
        self.store = Store(engine, cache_folder(options.cache_dir), options.cancel)

    def resolve(self, given: str, rev: str, pins: list[str]) -> Resolved:
        if _SHORT.fullmatch(rev.lower()):
            found = self._abbreviated(rev.lower(), pins)
            if len(found) == 1:
                return Resolved(given, found[0], "abbreviated commit")
            if found:
                raise UnknownRevision(
                    f"{self.engine.name}: {rev!r} is ambiguous: it may be {' or '.join(found)}; write more digits"
                )
        named = self._named(rev)
        if named is not None:
            return Resolved(given, named.commit, f"{named.kind} {rev}")
        if _SHORT.fullmatch(rev.lower()):
            known = f" (known here: {', '.join(p[:12] for p in pins)})" if pins else ""
            raise UnknownRevision(
                f"{self.engine.name}: no commit that is known here begins with {rev!r}, and no tag or branch has that "
                f"name{known}. Hosts cannot resolve abbreviated commits: write all 40 digits."
            )
        raise UnknownRevision(
            f"{self.engine.name}: {rev!r} is no tag or branch of {redact(self.engine.web)}; "
            "give a full commit, a tag, a branch, or release:VERSION"
        )

    def _abbreviated(self, short: str, pins: list[str]) -> list[str]:
        """Full commits that begin so: the given pins first, then the store, then a clone or mirror here."""
        for known in (pins, self.store.commits()):
            found = sorted({commit for commit in known if commit.startswith(short)})
            if found:
                return found
        from .local_repository import repository_at
        from .supply import effective_address, local_path

        with contextlib.suppress(Unavailable, OSError, SourceError), self._git_dir() as git_dir:
            path = self.source or local_path(effective_address(self.engine.origin, git_dir))
            repository = repository_at(path) if path is not None and path.is_dir() else None
            if repository is not None:
                lent = (repository.objects,)
                listed = call(["rev-parse", f"--disambiguate={short}"], git_dir, alternates=lent).split()
                kinds = call(
                    ["cat-file", "--batch-check=%(objecttype) %(objectname)"],
                    git_dir,
                    input=b"\n".join(listed) + b"\n",
                    alternates=lent,
                )
                return sorted(line[7:].decode() for line in kinds.splitlines() if line.startswith(b"commit "))
        return []

    def _named(self, name: str) -> Named | None:
        if self.source is not None:
            place = str(self.source)
        elif self.options.offline:
            return self._remembered(name, "the run is offline")
        else:
            place = self.engine.origin
        try:
            with self._git_dir() as git_dir:
                found = named_revision(place, name, git_dir, self.options)
        except Unavailable as reason:
            return self._remembered(name, str(reason))
        if found is not None and self.source is None:
            with contextlib.suppress(OSError):  # a cache that cannot be written only forgets
                self.store.put_record("names", name, {"kind": found.kind, "commit": found.commit})
        return found

    def _remembered(self, name: str, reason: str) -> Named | None:
        """What the name stood for when it was last asked, since it cannot be asked now."""
        record = self.store.record("names", name)
        if record is not None and FULL_COMMIT.fullmatch(str(record.get("commit"))):
            self.options.announce(f"{self.engine.name}: {name} is taken as last resolved, for {reason}")
            return Named(str(record.get("kind", "name")), str(record["commit"]))
        before, _, after = self.engine.tag.partition("{version}")
        hint = ""
        if name.startswith(before) and name.endswith(after) and len(name) > len(before) + len(after):
            hint = f"; the release itself may be read instead: release:{name[len(before) : len(name) - len(after)]}"
        raise SourceError(
            f"{self.engine.name}: the tag or branch {name!r} cannot be resolved{hint}",
            (f"{self.engine.name}: {redact(str(self.source or self.engine.origin))}: {reason}",),
        )

    @contextlib.contextmanager
    def _git_dir(self) -> Iterator[Path]:
        """The store, or an empty repository where there is none yet."""
        import tempfile

        from .store import bare_repository

        if self.store.exists:
            yield self.store.path
            return
        with tempfile.TemporaryDirectory(prefix="refcheck-", suffix=".git", ignore_cleanup_errors=True) as folder:
            bare_repository(Path(folder))
            yield Path(folder)


def named_revision(place: str, name: str, git_dir: Path, options: Options | None = None) -> Named | None:
    """Ask a repository for a tag or branch; a tag wins over a branch of its name. Raises Unavailable."""
    from .git_runner import check_address

    check_address(place)
    options = options or Options()
    wanted = [f"refs/tags/{name}", f"refs/tags/{name}^{{}}", f"refs/heads/{name}", f"refs/remotes/origin/{name}"]
    if name.startswith("refs/") or name == "HEAD":
        wanted = [name, f"{name}^{{}}"]
    repository = _on_this_machine(place, git_dir)
    if repository is not None:
        return _named_here(repository, wanted, git_dir)
    out, _ = transfer(["ls-remote", place, *wanted], git_dir, silence=options.silence, cancel=options.cancel)
    lines = (line.split("\t", 1) for line in out.decode("utf-8", "surrogateescape").splitlines() if "\t" in line)
    found = {ref: oid for oid, ref in lines if FULL_COMMIT.fullmatch(oid)}
    for ref in (wanted[1], wanted[0], *wanted[2:]):
        if ref in found:
            return Named(_kind(ref), found[ref])
    return None


def _kind(ref: str) -> str:
    return "tag" if ref.startswith("refs/tags/") else "branch" if "refs/heads/" in ref else "ref"


def _on_this_machine(place: str, git_dir: Path) -> LocalRepository | None:
    """The repository of this machine that a place is in the user's configuration; None for a server."""
    from .local_repository import repository_at
    from .supply import effective_address, local_path

    path = local_path(effective_address(place, git_dir))
    return repository_at(path) if path is not None and path.is_dir() else None


def _named_here(repository: LocalRepository, wanted: Iterable[str], git_dir: Path) -> Named | None:
    """As a server would answer, without starting git in a repository that is not ours."""
    found = repository.named([ref for ref in wanted if not ref.endswith("^{}")])
    if found is None:
        return None
    ref, oid = found
    with contextlib.suppress(GitFailure):
        peeled = call(["rev-parse", "--verify", "--quiet", f"{oid}^{{}}"], git_dir, alternates=(repository.objects,))
        oid = peeled.decode("ascii").strip()
    return Named(_kind(ref), oid)
