"""Finding patterns in a whole tree: one pass over its files, whatever the number of patterns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..model.tree import Tree
from .fingerprint import line_hash
from .match import Match, find_pattern
from .pattern import Pattern
from .reader import TreeReader

MAX_FILE_BYTES = 4 * 1024 * 1024
"""Larger files are generated data; they are not searched for quotes."""

_FEW = 8
"""So many texts are looked for one by one, which is faster than making a set of a file's lines."""

_SEARCHED = (
    *(".py", ".pyi", ".cu", ".cuh", ".cpp", ".cc", ".c", ".h", ".hpp", ".rs", ".md", ".rst", ".txt"),
    *(".yaml", ".yml", ".toml", ".json", ".jinja", ".sh", ".cfg", ".ini", ".proto", ".metal", ".hip"),
)


def searched_paths(tree: Tree, roots: Sequence[str]) -> list[str]:
    """The files of a tree below `roots` (all if empty) whose kind may be quoted."""
    wanted = tuple(roots)
    return [path for path in tree.paths() if path.endswith(_SEARCHED) and (not wanted or path.startswith(wanted))]


def search_tree(
    patterns: Sequence[Pattern],
    reader: TreeReader,
    paths: Iterable[str],
    announce: Callable[[str], None] | None = None,
) -> list[list[tuple[str, Match]]]:
    """For each pattern, every place in these files, by path and line.

    The longest line of a pattern's pieces is its probe: a file is looked at closely only if it has the probe of one.
    Many probes are compared with the set of a file's lines, which costs one split per file however many there are.
    """
    found: list[list[tuple[str, Match]]] = [[] for _ in patterns]
    text_probes: dict[bytes, list[int]] = {}
    hash_probes: dict[str, list[int]] = {}
    for index, pattern in enumerate(patterns):
        if pattern.hashed:
            hash_probes.setdefault(_hash_probe(pattern), []).append(index)
        else:
            probe = max((line.key for piece in pattern.pieces for line in piece), key=len)
            text_probes.setdefault(probe.encode("utf-8", "surrogateescape"), []).append(index)
    wanted = list(paths)
    reader.tree.prefetch(wanted)
    probes = frozenset(text_probes)
    few = len(probes) <= _FEW and not hash_probes
    for path, data in zip(wanted, reader.each(wanted), strict=True):
        if len(data) > MAX_FILE_BYTES:
            continue
        if few:
            hits = [index for probe in probes if probe in data for index in text_probes[probe]]
        else:
            lines = data.replace(b"\r", b"\n").split(b"\n")
            hits = [index for probe in probes.intersection(map(bytes.strip, lines)) for index in text_probes[probe]]
            if hash_probes:
                hashes = {line_hash(line.decode("utf-8", "surrogateescape").strip()) for line in set(lines)}
                hits += [index for probe in hash_probes.keys() & hashes for index in hash_probes[probe]]
        for index in hits:
            found[index].extend((path, match) for match in find_pattern(patterns[index], reader.lines_of(path, data)))
    return found


def _hash_probe(pattern: Pattern) -> str:
    # Any non-blank line will do; the deepest is the least likely to be a bracket or a common statement.
    return max((line for piece in pattern.pieces for line in piece if not line.blank), key=lambda x: x.indent).key
