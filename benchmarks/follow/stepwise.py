"""Follow ranges over a history of mutations, one to a commit, and compare with the truth (see `mutations`).

    python -m benchmarks.follow.stepwise 0.28.0 --seeds 1-8 [--steps 4] [--files 150]

TREE is as in `benchmarks.follow.mutated`. What two trees leave open is followed over the commits; printed is what came
of it, and each answer that is wrong over the commits and was not before. The exit code is then 1.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.follow.mutated import SIZES, Judged, Run, seeds_of
from benchmarks.follow.mutations import Line, World, mutate
from benchmarks.follow.trees import MemoryTree, blob_id, open_tree
from refcheck.locate.follow import Request, follow
from refcheck.locate.follow.path import Step, follow_path, is_open
from refcheck.model.source_text import SourceText


class Versions:
    """The contents of all states, by blob id; implements refcheck.locate.follow.path.Versions."""

    def __init__(self) -> None:
        self._data: dict[str, bytes] = {}

    def add(self, files: Iterable[bytes]) -> None:
        self._data.update((blob_id(data), data) for data in files)

    def text(self, path: str, blob: str) -> SourceText:
        return SourceText.from_bytes(path, blob, self._data[blob])

    def many(self, blobs: Sequence[str]) -> Iterator[bytes]:
        return iter([self._data[blob] for blob in blobs])

    def prefetch(self, blobs: Iterable[str]) -> None:
        pass


@dataclass(frozen=True, slots=True)
class Compared:
    """One open answer: from tree to tree, and over the commits."""

    trees: Judged
    commits: Judged

    @property
    def worse(self) -> bool:
        return self.commits.wrong and not self.trees.wrong


def run(whole: MemoryTree, seed: int, *, steps: int = 4, files: int = 150, ranges: int = 12) -> list[Compared]:
    """One seed: a sample of the tree's Python files, mutated `steps` times, and the answers that were open."""
    chooser = random.Random(seed)
    paths = sorted(path for path in whole.files if path.endswith(".py"))
    chosen = chooser.sample(paths, min(len(paths), 4 * files))
    paths = [path for path in chosen if len(whole.read(path).lines) > 30][:files]
    old = MemoryTree({path: whole.files[path] for path in paths}, "old")
    versions = Versions()
    versions.add(old.files.values())
    lines = {path: [Line(text, (path, at)) for at, text in enumerate(old.read(path).lines, 1)] for path in paths}
    applied: dict[str, list[str]] = collections.defaultdict(list)
    made: list[Step] = []
    now = old
    for number in range(steps):
        world = mutate(now, sorted(path for path in now.files if now.read(path).lines), seed * 100 + number, 1)
        for path, names in world.applied.items():
            applied[path] += names
        lines = {path: [_since(lines, line) for line in mutated] for path, mutated in world.files.items()}
        texts = {path: ("\n".join(line.text for line in some) + "\n").encode() for path, some in lines.items()}
        after = MemoryTree(texts, "new")
        versions.add(texts.values())
        before, later = now.paths(), after.paths()
        changed = {path for path, _ in before.items() ^ later.items()}
        made.append(Step(f"mutation {number}", {path: (before.get(path), later.get(path)) for path in changed}))
        now = after
    requests: list[Request] = []
    for path in paths:
        total = len(old.read(path).lines)
        for _ in range(ranges):
            size = min(total, chooser.choice(SIZES))
            first = chooser.randint(1, total - size + 1)
            if any(line.strip() for line in old.read(path).lines[first - 1 : first + size - 1]):
                requests.append(Request(path, first, first + size - 1))
    trees = follow(requests, old, now)
    commits = follow_path(trees, made, versions, old.paths(), now.paths())
    whole_world = World(lines, chooser, applied)
    pairs = zip(
        Run(old, whole_world, tuple(trees)).judged(), Run(old, whole_world, tuple(commits)).judged(), strict=True
    )
    return [Compared(*pair) for pair in pairs if is_open(pair[0].followed)]


def _since(lines: dict[str, list[Line]], line: Line) -> Line:
    """A line whose origins are lines of the last state, with those of the first instead."""

    def at(place: tuple[str, int] | None) -> Line:
        return lines[place[0]][place[1] - 1] if place is not None else Line("", None)

    same = at(line.origin)
    return Line(
        line.text,
        same.origin,
        at(line.or_this).origin or same.or_this,
        at(line.edited_from).origin or same.edited_from,
    )


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.follow.stepwise")
    parser.add_argument("tree")
    parser.add_argument("--engine", default="vllm")
    parser.add_argument("--cache", type=Path, default=None, help="the store's folder")
    parser.add_argument("--seeds", type=seeds_of, default=range(1, 2))
    parser.add_argument("--steps", type=int, default=4, help="mutations of one file, each a commit")
    parser.add_argument("--files", type=int, default=150)
    options = parser.parse_args()
    whole = open_tree(options.tree, options.engine, options.cache)
    counts: collections.Counter[str] = collections.Counter()
    worse = 0
    for seed in options.seeds:
        for one in run(whole, seed, steps=options.steps, files=options.files):
            truth = "intact" if one.trees.expected else "not intact"
            counts[f"{truth:12}{one.trees.verdict:40} -> {one.commits.verdict}"] += 1
            if one.worse:
                worse += 1
                print(
                    f"WRONG seed {seed}:", one.commits.followed, "truth:", one.commits.expected, *one.commits.mutations
                )
    for label, count in sorted(counts.items()):
        print(f"{label:100}{count:>7}")
    print(f"{worse} of {counts.total()} became wrong over the commits")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
