"""How the paths of an archive or folder stand in the engine's repository, and which absences mean something."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping

from ..config.engines import Engine

_GENERATED = re.compile(r"(PKG-INFO|setup\.cfg|[^/]+\.egg-info/.*)")
# Folders inside a package that build configurations commonly leave out of wheels.
_OFTEN_LEFT_OUT = frozenset({"test", "tests", "testing", "benchmark", "benchmarks", "docs", "examples", "assets"})


def of_wheel(engine: Engine) -> Callable[[str], str | None]:
    """Maps a wheel's member to its place in the repository, None where it has none (metadata, libraries)."""

    def place(member: str) -> str | None:
        for there, here in engine.wheel_prefixes:
            if member.startswith(there):
                return here + member[len(there) :]
        return None

    return place


def of_sdist(engine: Engine) -> Callable[[str], str | None]:
    """Maps a source archive's member, without the archive's own top folder.

    The archive of a project that lies in a subfolder of its repository has the package at its top, as a wheel has
    it; its other files then stand nowhere certain.
    """
    shifted = any(there != here for there, here in engine.wheel_prefixes)
    wheel = of_wheel(engine)

    def place(member: str) -> str | None:
        return None if _GENERATED.fullmatch(member) else member

    return wheel if shifted else place


def wheel_carries(engine: Engine, files: Mapping[str, str]) -> Callable[[str], bool]:
    """Whether a wheel with these files would have `path` if the engine had it.

    Packages carry all their Python modules; of other files only what the build names.
    """
    folders = _folders(files)

    def carries(path: str) -> bool:
        for _, here in engine.wheel_prefixes:
            if path.startswith(here) and path.endswith((".py", ".pyi")):
                inner = path[len(here) :].split("/")[:-1]
                return path.rpartition("/")[0] in folders or not _OFTEN_LEFT_OUT.intersection(inner)
        return False

    return carries


def sdist_carries(engine: Engine, files: Mapping[str, str], left_out: Collection[str]) -> Callable[[str], bool]:
    """As `wheel_carries`: a source archive has whole top-level folders; of the top-level files only some."""
    if any(there != here for there, here in engine.wheel_prefixes):
        return wheel_carries(engine, files)
    tops = {path.split("/", 1)[0] for path in files if "/" in path}
    excluded = frozenset(left_out)

    def carries(path: str) -> bool:
        top, slash, _ = path.partition("/")
        return bool(slash) and top in tops and path not in excluded

    return carries


def folder_carries(engine: Engine, files: Mapping[str, str]) -> Callable[[str], bool]:
    """As `sdist_carries`, for a folder that is laid out as the repository: its owner may have left parts out."""
    tops = {path.partition("/")[0] if "/" in path else "" for path in files}
    return lambda path: (path.partition("/")[0] if "/" in path else "") in tops


def _folders(files: Collection[str]) -> frozenset[str]:
    return frozenset(path.rpartition("/")[0] for path in files)
