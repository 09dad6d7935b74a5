"""Files of one tree, prepared for looking things up, each once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..model.place import LineRange
from ..model.source_text import SourceText
from ..model.tree import Tree
from .match import FileLines

if TYPE_CHECKING:
    from .outline import Outline


KEPT_BYTES = 128 * 1024 * 1024
"""The sources of an engine are 35 to 60 MB; several searches of one run read them once."""


class TreeReader:
    """A tree with its files' lines and outlines kept by content, so that equal blobs are looked at once."""

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self._lines: dict[str, FileLines] = {}
        self._outlines: dict[str, Outline] = {}
        self._bytes: dict[str, bytes] = {}
        self._kept = 0

    def data(self, path: str) -> bytes:
        """A file's bytes, kept for whoever else searches the tree in this run (up to KEPT_BYTES in all)."""
        found = self._bytes.get(path)
        if found is None:
            found = self.tree.read_bytes(path)
            if self._kept + len(found) <= KEPT_BYTES:
                self._bytes[path] = found
                self._kept += len(found)
        return found

    def text(self, path: str) -> SourceText:
        return self.tree.read(path)

    def lines(self, path: str) -> FileLines:
        source = self.tree.read(path)
        lines = self._lines.get(source.blob)
        if lines is None:
            lines = self._lines[source.blob] = FileLines(source)
        return lines

    def outline(self, path: str) -> Outline:
        from .outline import outline

        source = self.tree.read(path)
        found = self._outlines.get(source.blob)
        if found is None:
            found = self._outlines[source.blob] = outline(source)
        return found

    def symbol_at(self, path: str, lines: LineRange) -> str | None:
        """The qualified name of the innermost definition around the lines, or that begins with them."""
        symbol = self.outline(path).enclosing(lines.first, lines.last)
        return symbol.name if symbol else None

    def paths_with(
        self, prefixes: Sequence[str], suffix: str, words: Sequence[bytes], *, every: bool = True
    ) -> list[str]:
        """The files below the prefixes, of one kind, whose bytes contain each of the words (or one of them), in order.

        A search of its own, and not a loop of whoever asks, so that a reader of many revisions can answer it from
        what changed between them.
        """
        below = tuple(prefixes)
        paths = sorted(path for path in self.tree.paths() if path.endswith(suffix) and path.startswith(below))
        self.tree.prefetch(paths)
        met = all if every else any
        found: list[str] = []
        for path in paths:
            data = self.data(path)
            if met(word in data for word in words):
                found.append(path)
        return found
