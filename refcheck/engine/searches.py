"""Texts that are looked for in whole trees: all of a run in one pass over each tree.

A search reads thousands of files, so it is not made for one text. Who needs one asks for it; where it has not been
made yet, `SearchNeeded` is raised and the text is noted. After `run` the same question is answered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ..locate.match import Match
from ..locate.pattern import Pattern
from ..locate.reader import TreeReader
from ..locate.search import search_tree, searched_paths
from .trees import Trees

Places = list[tuple[str, Match]]
"""(path, match) of every place, in order of path and line."""


class SearchNeeded(Exception):
    """A text was not looked for yet: ask again after `Searches.run`."""


class Searches:
    """The searches of a run, in the engines' source folders."""

    def __init__(self, trees: Trees, announce: Callable[[str], None]) -> None:
        self._trees = trees
        self._announce = announce
        self._wanted: dict[int, tuple[TreeReader, dict[Pattern, None]]] = {}
        self._found: dict[tuple[int, Pattern], Places] = {}

    def want(self, reader: TreeReader, patterns: Iterable[Pattern]) -> None:
        """Notes texts for the next pass over a tree."""
        wanted = self._wanted.setdefault(id(reader), (reader, {}))[1]
        wanted.update((pattern, None) for pattern in patterns if (id(reader), pattern) not in self._found)

    def found(self, reader: TreeReader, pattern: Pattern) -> Places:
        """Every place of a text in a tree. Raises SearchNeeded."""
        places = self._found.get((id(reader), pattern))
        if places is None:
            self.want(reader, [pattern])
            raise SearchNeeded
        return places

    def of(self, reader: TreeReader) -> Callable[[Pattern], Places]:
        """The question for one tree, as refcheck.locate.find asks it."""
        return lambda pattern: self.found(reader, pattern)

    def run(self) -> None:
        """Looks for everything that was noted."""
        for reader, wanted in self._wanted.values():
            if not wanted:
                continue
            patterns = list(wanted)
            engine = reader.tree.source.engine
            paths = searched_paths(reader.tree, self._trees.engine(engine).source_roots)
            texts = f"{len(patterns)} texts" if len(patterns) > 1 else "a text"
            self._announce(f"searching {len(paths)} files of {engine} for {texts}")
            for pattern, places in zip(patterns, search_tree(patterns, reader, paths), strict=True):
                self._found[id(reader), pattern] = places
        self._wanted.clear()
