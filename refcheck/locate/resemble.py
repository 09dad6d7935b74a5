"""Blocks that stand nowhere as they are and have most of their lines in one file: copies with a slip in them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ..model.place import LineRange
from .pattern import literal_pattern
from .reader import TreeReader
from .search import MAX_FILE_BYTES
from .similar import Survivors, survivors

TELLING = 12
"""A shorter line (a bracket, `else:`, `return x`) says nothing about where a block is from."""
LEAST = 4
SHARE = 0.7
"""With fewer of its lines, in order, a block is code of its own that resembles the engine's."""
SHORT = 3
"""So many telling lines are enough where the header of a definition is one of them, and nearly all else stands too."""
SHORT_LINES, SHORT_SHARE = 5, 0.8
AHEAD = 0.75
"""Where another file has this share of the best one's lines, they are a habit of the engine and tell no file."""


@dataclass(frozen=True, slots=True)
class Resemblance:
    """The file that has the most of a block's lines, far ahead of every other."""

    path: str
    survivors: Survivors


def resembling(blocks: Sequence[Sequence[str]], reader: TreeReader, paths: Iterable[str]) -> list[Resemblance | None]:
    """For each block (its lines), the one file it nearly stands in, or None. One pass over the files."""
    keys = [{_key(line) for line in block if len(line.strip()) >= TELLING} for block in blocks]
    wanted = set().union(*keys) if keys else set()
    best: list[list[tuple[int, str]]] = [[] for _ in blocks]
    searched = [path for path in paths if path.endswith((".py", ".pyi", ".cu", ".cuh", ".cpp", ".cc", ".h", ".rs"))]
    if not any(len(key) >= SHORT for key in keys):
        return [None] * len(blocks)
    reader.tree.prefetch(searched)
    for path, data in zip(searched, reader.each(searched), strict=True):
        if len(data) > MAX_FILE_BYTES:
            continue
        present = wanted.intersection(map(bytes.strip, data.replace(b"\r", b"\n").split(b"\n")))
        if len(present) < SHORT:
            continue
        for index, key in enumerate(keys):
            count = len(key & present)
            headed = count >= LEAST or (count == SHORT and any(map(_HEADER.match, key & present)))
            if headed and count * 2 >= len(key):
                best[index].append((count, path))
    return [_nearest(block, found, reader) for block, found in zip(blocks, best, strict=True)]


_HEADER = re.compile(rb"(?:async\s+)?def\s+\w+\(|class\s+\w+|(?:pub\s+)?fn\s+\w+")


def _key(line: str) -> bytes:
    return line.strip().encode("utf-8", "surrogateescape")


def _nearest(block: Sequence[str], found: list[tuple[int, str]], reader: TreeReader) -> Resemblance | None:
    found.sort(key=lambda item: (-item[0], item[1]))
    if not found or (len(found) > 1 and found[1][0] > AHEAD * found[0][0]):
        return None
    path = found[0][1]
    lines = reader.lines(path)
    kept = survivors(literal_pattern(tuple(block)), lines, LineRange(1, max(1, len(lines.source.lines))))
    if kept is None or kept.share < SHARE or kept.solid_kept < LEAST:
        return None
    if found[0][0] < LEAST and (kept.share < SHORT_SHARE or kept.solid_kept < SHORT_LINES):
        return None
    return Resemblance(path, kept)
