"""Reading many files of a tree, each once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from refcheck.model.source_text import SourceText
from refcheck.model.tree import Tree


def each(tree: Tree, paths: Sequence[str]) -> Iterator[bytes]:
    """The bytes of many files in their order, none of them kept.

    Where the tree has `read_many` (a git repository), the next files are read while one is used. Raises as
    `Tree.read_bytes`.
    """
    read_many = getattr(tree, "read_many", None)
    return map(tree.read_bytes, paths) if read_many is None else iter(read_many(paths))


def each_text(tree: Tree, paths: Sequence[str]) -> Iterator[SourceText]:
    """As `each`, decoded."""
    blobs = tree.paths()
    for path, data in zip(paths, each(tree, paths), strict=True):
        yield SourceText.from_bytes(path, blobs[path], data)
