"""Follow ranges into mutated copies of a tree and compare with the truth (see `mutations`).

    python -m benchmarks.follow.mutated 0.28.0 --seeds 1-10 [--show]
    python -m benchmarks.follow.mutated 0.5.18 --engine sglang --seeds 30-33
    python -m benchmarks.follow.mutated FOLDER --under src/ --files 300 --ranges 12

TREE is a release (`0.28.0` or `release:0.28.0`, from the store or the package index), a folder, or
REPOSITORY@COMMIT for a commit of a local clone or mirror. `--show` prints each range that was missed.

An answer is wrong if it names as certain any place but the true one; the exit code is then 1. Ambiguous is never
wrong, only less useful: how many of the intact ranges are found is printed too.
"""

from __future__ import annotations

import argparse
import collections
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from benchmarks.follow.mutations import World, index, mutate, truth
from benchmarks.follow.trees import MemoryTree, open_tree
from refcheck.locate.follow import Changed, Followed, Moved, Request, Same, follow
from refcheck.model.source_text import SourceText

SIZES = (1, 1, 1, 2, 3, 4, 6, 9, 14, 25)
Where = tuple[str, int, int]


@dataclass(frozen=True, slots=True)
class Judged:
    """An answer beside the truth: where the text is intact, or None."""

    followed: Followed
    expected: Where | None
    verdict: str
    mutations: tuple[str, ...]

    @property
    def wrong(self) -> bool:
        return self.verdict == "WRONG"

    @property
    def missed(self) -> bool:
        return self.expected is not None and not isinstance(self.followed.outcome, Same | Moved | Changed)


def run(whole: MemoryTree, seed: int, *, under: str = "", files: int = 300, ranges: int = 12, most: int = 4) -> Run:
    """One seed: a sample of the tree's Python files, its mutated copy, and the judged answers."""
    chooser = random.Random(seed)
    paths = sorted(p for p in whole.files if p.endswith(".py") and p.startswith(under))
    paths = [p for p in chooser.sample(paths, min(len(paths), 3 * files)) if len(whole.read(p).lines) > 30][:files]
    old = MemoryTree({p: whole.files[p] for p in paths}, "old")
    world = mutate(old, paths, seed, most)
    texts = {p: ("\n".join(x.text for x in lines) + "\n").encode("utf-8") for p, lines in world.files.items()}
    requests: list[Request] = []
    for path in paths:
        lines = old.read(path).lines
        for _ in range(ranges):
            size = min(len(lines), chooser.choice(SIZES))
            first = chooser.randint(1, len(lines) - size + 1)
            if any(line.strip() for line in lines[first - 1 : first + size - 1]):
                requests.append(Request(path, first, first + size - 1))
    return Run(old, world, tuple(follow(requests, old, MemoryTree(texts, "new"))))


@dataclass(frozen=True, slots=True)
class Run:
    """What was followed into one mutated tree."""

    old: MemoryTree
    world: World
    followed: tuple[Followed, ...]

    def _moved_by_copying(self, one: Followed, answer: Where, left: set[tuple[str, int] | None]) -> bool:
        """Nothing is left of the cited lines, not even edited, and one copy stands: to any reader they moved there.

        A copy is made and then the original deleted: that is how a text is moved by hand. Where that was in its own
        file, copies of the file do not count: the file that has its name is the file.
        """
        cited = self.old.read(one.request.path).lines[one.request.first - 1 : one.request.last]
        numbers = [one.request.first + at for at, text in enumerate(cited) if text.strip()]
        if any((one.request.path, number) in left for number in numbers):
            return False
        texts = [text.strip() for text in cited if text.strip()]
        own = {path: lines for path, lines in self.world.files.items() if path == one.request.path}
        copies = 0
        for lines in (own if answer[0] in own else self.world.files).values():
            bare = [line.text.strip() for line in lines if line.text.strip()]
            copies += sum(bare[at : at + len(texts)] == texts for at in range(len(bare) - len(texts) + 1))
        return copies == 1

    def _one_reading(self, one: Followed, answer: Where) -> bool:
        """Each line of the answer is the cited one, or the copy of it that stands beside it."""
        path, first, last = answer
        there = [line for line in self.world.files[path][first - 1 : last] if line.text.strip()]
        old = self.old.read(one.request.path).lines
        cited = [n for n in range(one.request.first, one.request.last + 1) if old[n - 1].strip()]
        return len(there) == len(cited) and all(
            (one.request.path, number) in (line.origin, line.or_this) for line, number in zip(there, cited, strict=True)
        )

    def _same_file(self, one: Followed, answer: Where) -> bool:
        """The answer is where the cited lines were, in a file that has the same lines as before, but for blank ones."""
        lines = self.old.read(one.request.path).lines
        rows = [n for n, line in enumerate(lines, 1) if line.strip()]
        there = self.world.files[answer[0]]
        now = [n for n, line in enumerate(there, 1) if line.text.strip()]
        if [lines[n - 1] for n in rows] != [there[n - 1].text for n in now]:
            return False
        cited = [now[at] for at, n in enumerate(rows) if one.request.first <= n <= one.request.last]
        return answer[1:] == (cited[0], cited[-1])

    def judged(self) -> Iterator[Judged]:
        where = index(self.world)
        left = {line.origin or line.edited_from for lines in self.world.files.values() for line in lines}
        for one in self.followed:
            source = self.old.read(one.request.path)
            expected = truth(self.world, where, source, one.request)
            verdict = type(one.outcome).__name__
            if isinstance(one.outcome, Same | Moved):
                place = one.outcome.place
                assert place.lines is not None
                lines = self.world.files[place.path]
                rows = [r for r in range(place.lines.first, place.lines.last + 1) if lines[r - 1].text.strip()]
                answer = (place.path, rows[0], rows[-1])
                if expected == answer:
                    verdict = "right"
                elif (expected is None or expected[0] != one.request.path == answer[0]) and self._one_reading(
                    one, answer
                ):
                    # The copy and its original are interchangeable here, and one reading has the text in one piece; or
                    # one of them left the file, and that is not the one that any reader takes for the cited text.
                    verdict = "right in the one reading that keeps it"
                elif self._same_file(one, answer):
                    # What a mutation took away another one put back: no reading can see that anything happened.
                    verdict = "right in a file that is the same again"
                elif expected is None and self._moved_by_copying(one, answer, left):
                    verdict = "right: copied and deleted, which is moved"
                elif expected is None and _but_for_brackets(self.world, source, one.request, answer):
                    verdict = "right but for whose bracket it is"
                else:
                    verdict = "WRONG"
            yield Judged(one, expected, verdict, tuple(self.world.applied[one.request.path]))


def _but_for_brackets(world: World, old: SourceText, request: Request, answer: Where) -> bool:
    """Every line of the answer that has a letter or digit is the cited one; the others are brackets or quotes.

    A bracket has no identity: where a block behind it was taken out and the next one ends in the same bracket, any
    reader finds the text intact, whichever of the two brackets was kept.
    """
    path, first, last = answer
    there = [line for line in world.files[path][first - 1 : last] if line.text.strip()]
    cited = [n for n in range(request.first, request.last + 1) if old.lines[n - 1].strip()]
    if len(there) != len(cited):
        return False
    telling = [(line, n) for line, n in zip(there, cited, strict=True) if any(map(str.isalnum, line.text))]
    return bool(telling) and all(line.origin == (request.path, n) for line, n in telling)


def seeds_of(text: str) -> range:
    """`7`, or `20-27` with both ends."""
    first, _, last = text.partition("-")
    return range(int(first), int(last or first) + 1)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.follow.mutated")
    parser.add_argument("tree")
    parser.add_argument("--engine", default="vllm")
    parser.add_argument("--cache", type=Path, default=None, help="the store's folder")
    parser.add_argument("--under", default="")
    parser.add_argument("--files", type=int, default=300)
    parser.add_argument("--ranges", type=int, default=12)
    parser.add_argument("--seeds", type=seeds_of, default=range(1, 2))
    parser.add_argument("--most", type=int, default=4, help="mutations of one file")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    whole = open_tree(options.tree, options.engine, options.cache)
    counts: collections.Counter[str] = collections.Counter()
    for seed in options.seeds:
        done = run(whole, seed, under=options.under, files=options.files, ranges=options.ranges, most=options.most)
        wrong = 0
        for one in done.judged():
            counts[f"{'intact' if one.expected else 'not intact':12}{one.verdict}"] += 1
            wrong += one.wrong
            if one.wrong or (options.show and one.missed):
                label = "WRONG" if one.wrong else "MISSED"
                print(label, f"seed {seed}:", one.followed, "truth:", one.expected, *one.mutations)
        print(f"seed {seed}: {wrong} wrong of {len(done.followed)}", flush=True)
    for label, count in sorted(counts.items()):
        print(f"{label:52}{count:>7}")
    intact = sum(count for label, count in counts.items() if label.startswith("intact"))
    wrong = sum(count for label, count in counts.items() if label.endswith("WRONG"))
    print(f"{wrong} wrong of {counts.total()}; {counts['intact      right'] / max(1, intact):.1%} of the intact found")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
