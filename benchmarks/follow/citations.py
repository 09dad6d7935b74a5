"""Citations like those of real pages: a line, a few lines, or a whole definition of a file, from a fixed seed."""

from __future__ import annotations

import random

from refcheck.locate.follow import Request
from refcheck.locate.outline import outline
from refcheck.model.tree import Tree


def generate(tree: Tree, count: int, files: int, seed: int, suffix: str = ".py", under: str = "") -> list[Request]:
    """`count` ranges over at most `files` files: a third one line, a third 2 to 12, the rest longer or a definition."""
    chooser = random.Random(seed)
    paths = sorted(p for p in tree.paths() if p.endswith(suffix) and p.startswith(under))
    chooser.shuffle(paths)
    chosen = [path for path in paths if len(tree.read(path).lines) >= 10][:files]
    made: list[Request] = []
    while len(made) < count:
        path = chosen[len(made) % len(chosen)]
        source = tree.read(path)
        lines = source.lines
        kind = chooser.random()
        if kind > 0.85:
            scopes = [s for s in outline(source).symbols if s.kind.is_scope]
            if scopes:
                symbol = chooser.choice(scopes)
                made.append(Request(path, symbol.lines.first, symbol.lines.last))
                continue
        size = 1 if kind < 0.33 else chooser.randint(2, 12) if kind < 0.66 else chooser.randint(13, 60)
        size = min(size, len(lines))
        first = chooser.randint(1, len(lines) - size + 1)
        last = first + size - 1
        if any(line.strip() for line in lines[first - 1 : last]):
            made.append(Request(path, first, last))
    return made
