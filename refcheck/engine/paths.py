"""Which file of which engine a citation's path means; never the first that fits."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Set
from dataclasses import dataclass

from ..locate.reader import TreeReader

MOST_FILES = 40
"""A name that more files have (`__init__.py`) is no abbreviation: none of them is read to tell which is meant."""

MOST_LOOKS = 50
"""Like names are looked for this often per page: a page of thousands of wrong paths needs no more hints."""
ALIKE = 0.75


@dataclass(frozen=True, slots=True)
class Resolved:
    """One file."""

    engine: str
    path: str
    why: str = ""


@dataclass(frozen=True, slots=True)
class Ambiguous:
    """Several files fit; (engine, path) of each."""

    candidates: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Unknown:
    """No file fits. `engine` is set where the path is complete, so that its absence says something."""

    engine: str | None


class PathIndex:
    """The files of one tree by their base name."""

    def __init__(self, reader: TreeReader) -> None:
        self.reader = reader
        self._looked_for = 0
        self._by_name: dict[str, list[str]] = {}
        for path in reader.tree.paths():
            self._by_name.setdefault(path.rpartition("/")[2], []).append(path)

    def near(self, path: str) -> str | None:
        """The one file that a path which is none most likely means: of that name in another folder, or of a like name
        in that folder or the only one."""
        folder, _, name = path.rpartition("/")
        same = self._by_name.get(name, ())
        if same:
            return same[0] if len(same) == 1 else None
        self._looked_for += 1
        if self._looked_for > MOST_LOOKS:
            return None
        names = difflib.get_close_matches(name, self._names_like(name), n=3, cutoff=ALIKE)
        fitting = [one for known in names for one in self._by_name[known]]
        beside = [one for one in fitting if one.rpartition("/")[0].endswith(folder)] if folder else fitting
        return beside[0] if len(beside) == 1 else fitting[0] if len(fitting) == 1 else None

    def _names_like(self, name: str) -> list[str]:
        """File names of the same suffix and about the same length: comparing is the costly part."""
        suffix = name.rpartition(".")[2]
        return [one for one in self._by_name if abs(len(one) - len(name)) <= 3 and one.endswith(suffix)]

    def ending(self, path: str) -> list[str]:
        """The files whose path is `path` or ends with it at a folder."""
        suffix = "/" + path
        return [p for p in self._by_name.get(path.rpartition("/")[2], ()) if p == path or p.endswith(suffix)]


def resolve_path(
    path: str,
    engine: str | None,
    indexes: Mapping[str, PathIndex],
    source_roots: Mapping[str, Iterable[str]],
    mentioned: Set[tuple[str, str]] = frozenset(),
) -> Resolved | Ambiguous | Unknown:
    """The file that `path` means among the trees `indexes`.

    `mentioned` are files that the page names elsewhere in full (engine, path): an abbreviation that fits exactly one
    of them means that one. A complete path is one that stands in a tree, or begins with an engine's source folder.
    """
    engines = [engine] if engine is not None else list(indexes)
    exact = [(e, path) for e in engines if e in indexes and indexes[e].reader.tree.has(path)]
    if len(exact) == 1:
        return Resolved(*exact[0])
    if exact:
        return Ambiguous(tuple(exact))
    rooted = [e for e in engines if any(path.startswith(root) for root in source_roots.get(e, ()))]
    fitting = [(e, p) for e in engines if e in indexes for p in indexes[e].ending(path)]
    if len(fitting) == 1:
        return Resolved(*fitting[0], why=f"the only file that ends with {path}")
    if len(fitting) > 1:
        named = [pair for pair in fitting if pair in mentioned]
        if len(named) == 1:
            return Resolved(*named[0], why="the page names it in full elsewhere")
        return Ambiguous(tuple(fitting))
    return Unknown(engine or (rooted[0] if len(rooted) == 1 else None))


def defining(symbol: str, ambiguous: Ambiguous, readers: Mapping[str, TreeReader]) -> Resolved | Ambiguous:
    """The one of several files that defines the symbol a page names with the path; else those that do, else all."""
    if len(ambiguous.candidates) > MOST_FILES:
        return ambiguous
    last = symbol.replace("::", ".").removesuffix("()").rpartition(".")[2].encode()
    holding = [(e, p) for e, p in ambiguous.candidates if last in readers[e].data(p)]
    own = tuple((e, p) for e, p in holding if readers[e].outline(p).symbols_named(symbol))
    if len(own) == 1:
        return Resolved(*own[0], why=f"the only one of {len(ambiguous.candidates)} such files that defines {symbol}")
    return Ambiguous(own) if own else ambiguous
