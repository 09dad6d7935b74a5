"""Files of one tree, prepared for looking things up, each once."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ..model.place import LineRange
from ..model.source_text import SourceText
from ..model.tree import Tree
from .match import FileLines

if TYPE_CHECKING:
    from .outline import Outline
    from .scope_by_text import PythonScopes


KEPT_FILES = 64
"""Files whose lines are kept at a time: whoever looks many things up does so file by file."""
KEPT_BYTES = 128 * 1024 * 1024
"""The sources of an engine are 35 to 60 MB; several searches of one run read them once."""


class TreeReader:
    """A tree with its files' lines and outlines kept by content, so that equal blobs are looked at once.

    Outlines are small and stay; of lines, those of the last KEPT_FILES files.
    """

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.keeps = False
        """Whether files that a search goes through are kept: more of them will be asked for in this run."""
        self._lines: OrderedDict[str, FileLines] = OrderedDict()
        self._scopes: OrderedDict[str, PythonScopes] = OrderedDict()
        self._outlines: dict[str, Outline] = {}
        self._bytes: dict[str, bytes] = {}
        self._kept = 0

    def data(self, path: str) -> bytes:
        """A file's bytes, kept for whoever else searches the tree in this run (up to KEPT_BYTES in all)."""
        found = self._bytes.get(path)
        return self._keep_bytes(path, self.tree.read_bytes(path)) if found is None else found

    def _keep_bytes(self, path: str, data: bytes) -> bytes:
        if path not in self._bytes and self._kept + len(data) <= KEPT_BYTES:
            self._bytes[path] = data
            self._kept += len(data)
        return data

    def each(self, paths: Sequence[str]) -> Iterator[bytes]:
        """The bytes of many files in their order: one request where the tree can do that. Kept only if `keeps`."""
        read_many = getattr(self.tree, "read_many", None)
        if read_many is None or all(path in self._bytes for path in paths):
            return map(self.data, paths)
        if self.keeps:
            return map(self._keep_bytes, paths, read_many(paths))
        return iter(read_many(paths))

    def load(self, paths: Sequence[str]) -> Iterator[str]:
        """Each path once its lines are at hand; the content of the next ones is on its way meanwhile."""
        for path, data in zip(paths, self.each(paths), strict=True):
            self.lines_of(path, data)
            yield path

    def lines_of(self, path: str, data: bytes) -> FileLines:
        """As `lines`, for a file whose bytes are at hand."""
        blob = self.tree.paths()[path]
        lines = self._lines.get(blob)
        if lines is None or lines.source.path != path:
            lines = self._keep(FileLines(SourceText.from_bytes(path, blob, data)))
        return lines

    def text(self, path: str) -> SourceText:
        return self.lines(path).source

    def lines(self, path: str) -> FileLines:
        blob = self.tree.paths().get(path)
        lines = self._lines.get(blob) if blob is not None else None
        if lines is None or lines.source.path != path:
            lines = self._keep(FileLines(self.tree.read(path)))
        return lines

    def _keep(self, lines: FileLines) -> FileLines:
        self._lines[lines.source.blob] = lines
        self._lines.move_to_end(lines.source.blob)
        if len(self._lines) > KEPT_FILES:
            self._lines.popitem(last=False)
        return lines

    def outline(self, path: str) -> Outline:
        from .outline import outline

        source = self.text(path)
        found = self._outlines.get(source.blob)
        if found is None:
            found = self._outlines[source.blob] = outline(source)
        return found

    def symbol_at(self, path: str, lines: LineRange) -> str | None:
        """The qualified name of the innermost definition around the lines, or that begins with them."""
        if path.endswith((".py", ".pyi")):
            from .scope_by_text import UNSURE

            name = self._python_scopes(path).around(lines.first, lines.last)
            if name is not UNSURE:
                return name
        symbol = self.outline(path).enclosing(lines.first, lines.last)
        return symbol.name if symbol else None

    def _python_scopes(self, path: str) -> PythonScopes:
        from .scope_by_text import PythonScopes

        source = self.text(path)
        scopes = self._scopes.get(source.blob)
        if scopes is None:
            scopes = self._scopes[source.blob] = PythonScopes(source)
            if len(self._scopes) > KEPT_FILES:
                self._scopes.popitem(last=False)
        return scopes

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
        unread = self.each([path for path in paths if path not in self._bytes])
        for path in paths:
            data = self._bytes.get(path)
            if data is None:
                data = self._keep_bytes(path, next(unread))
            if met(word in data for word in words):
                found.append(path)
        return found
