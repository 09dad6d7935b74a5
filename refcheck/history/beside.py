"""The other engines that an edition's claims name, at its pins."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from ..config.edition import Edition
from ..config.engines import Engine
from ..errors import SourceError
from ..locate.reader import TreeReader
from ..sources.open import open_tree
from ..sources.wanted import Options, Wanted
from .units import Beside, engines_of


def engines_beside(edition: Edition, engine: str) -> tuple[str, ...]:
    """The engines that claims about `engine` also name."""
    named: set[str] = set()
    for claim in edition.claims:
        engines = engines_of(claim)
        if engine in engines:
            named |= engines
    return tuple(sorted(named - {engine}))


def open_beside(
    edition: Edition, names: tuple[str, ...], engines: Mapping[str, Engine], local: Mapping[str, Path], options: Options
) -> Beside:
    """Their trees. One that cannot be read is no error: what needs it is undecided, with the reason."""
    readers: dict[str, TreeReader] = {}
    missing: dict[str, str] = {}
    for name in names:
        pin = edition.pin(name)
        if pin is None or name not in engines:
            missing[name] = "the edition does not pin it"
            continue
        wanted = Wanted(engines[name], pin.commit, pin.nearest_release, local.get(name))
        try:
            readers[name] = TreeReader(open_tree(wanted, options))
        except SourceError as error:
            missing[name] = str(error).splitlines()[0]
    return Beside(readers, missing)
