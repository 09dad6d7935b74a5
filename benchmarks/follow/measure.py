"""Follow seeded citations between two trees and compare with what three diff algorithms agree on.

    python -m benchmarks.follow.measure 0.27.1 0.33.0 [--count 2000] [--files 1000] [--seed 1] [--show]
    python -m benchmarks.follow.measure 0.5.17 0.5.23 --engine sglang
    python -m benchmarks.follow.measure MIRROR@COMMIT MIRROR@COMMIT --under vllm/

Where both are commits of one repository, what the two trees leave open is followed over the commits between as well,
and the shares are printed before and after. OLD and NEW are releases (`0.27.1` or `release:0.27.1`, from the store or the package index), folders, or
REPOSITORY@COMMIT for a commit of a local clone or mirror. All files are brought into memory first, so that the time
printed is that of following alone; `benchmarks.follow.process` measures a whole process.
"""

from __future__ import annotations

import argparse
import collections
import re
import resource
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.follow import oracle
from benchmarks.follow.citations import generate
from benchmarks.follow.trees import MemoryTree, open_tree
from refcheck.config.engines import builtin_engines
from refcheck.engine.commit_paths import CommitPaths
from refcheck.locate.follow import Followed, Moved, Same, follow
from refcheck.locate.follow.lines import Lines, numbering, places
from refcheck.model.tree import SourceKind, SourceRead
from refcheck.sources.wanted import Options


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.follow.measure")
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--engine", default="vllm")
    parser.add_argument("--cache", type=Path, default=None, help="the store's folder")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--under", default="")
    parser.add_argument("--show", action="store_true")
    options = parser.parse_args()
    old = open_tree(options.old, options.engine, options.cache)
    new = open_tree(options.new, options.engine, options.cache)
    requests = generate(old, options.count, options.files, options.seed, under=options.under)
    began = time.process_time()
    followed = follow(requests, old, new)
    took = time.process_time() - began
    diffs = oracle.diffs(old, new, sorted({r.path for r in requests}))
    repository, _, newest = options.new.rpartition("@")
    if not repository or options.old.rpartition("@")[0] != repository or not re.fullmatch(r"[0-9a-f]{40}", newest):
        faults = _report(followed, old, new, diffs, show=options.show)
    else:
        print("-- from tree to tree")
        _report(followed, old, new, diffs)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        began, clock = _used(), time.perf_counter()
        ends = AtCommit(old, options.old.rpartition("@")[2]), AtCommit(new, newest)
        with CommitPaths(builtin_engines(), {options.engine: Path(repository)}, Options(), print) as commits:
            followed = commits.settle(options.engine, followed, *ends)
            print("-- over the commits as well:", "; ".join(commits.notes) or "nothing was open")
        more = f"{_used() - began:.2f} s of processor time, git's included, {time.perf_counter() - clock:.2f} s by the clock"
        grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        faults = _report(followed, old, new, diffs, show=options.show)
        print(f"the commits took {more}, and the greatest memory grew by {grown / 1024:.0f} MB")
    print(f"{len(requests)} ranges in {len({r.path for r in requests})} files: {took:.2f} s of processor time")
    return 1 if faults else 0


def _used() -> float:
    """Seconds of processor time of this process and of those that it waited for."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, kinds))


class AtCommit(MemoryTree):
    """A tree in memory that says which commit it is of."""

    def __init__(self, tree: MemoryTree, commit: str) -> None:
        super().__init__(tree.files, commit)

    @property
    def source(self) -> SourceRead:
        return SourceRead("", self.name, self.name, SourceKind.COMMIT, True, "for measuring")


def _report(
    followed: Sequence[Followed],
    old: MemoryTree,
    new: MemoryTree,
    diffs: dict[str, dict[str, oracle.Hunks]],
    *,
    show: bool = False,
) -> int:
    """Prints how the answers compare with what the diff algorithms agree on; the number of those that differ."""
    counts: collections.Counter[str] = collections.Counter()
    wrong = 0
    for one in followed:
        request, outcome = one.request, one.outcome
        name = type(outcome).__name__
        expected = oracle.agreed(request, diffs) if request.path in new.files else None
        state = "agreed" if expected else "changed" if request.path in new.files else "file gone"
        place = one.place
        if place is not None and place.lines is not None:
            numbers = numbering()
            before, after = Lines(old.read(request.path), numbers), Lines(new.read(place.path), numbers)
            start, end = before.span(request.first, request.last)
            if after.span(place.lines.first, place.lines.last)[0] not in places(before, start, end, after):
                wrong += 1
                print("DIFFERENT TEXT", one)
        if expected and isinstance(outcome, Same | Moved):
            lines = place.lines if place is not None and place.path == request.path else None
            if lines is None or (lines.first, lines.last) != expected:
                name = "OTHER PLACE"
                print("OTHER PLACE", one, expected)
        elif expected and show:
            print("NOT TAKEN", expected, one)
        elif show and not expected and name not in ("Changed",):
            print(state.upper(), one)
        counts[f"{state:10} {name}"] += 1
    for label, count in sorted(counts.items()):
        print(f"{label:28} {count}")
    total = sum(count for label, count in counts.items() if label.startswith("agreed"))
    good = sum(count for label, count in counts.items() if label.startswith(("agreed     Same", "agreed     Moved")))
    print(f"agreed and taken: {good} of {total} ({good / max(1, total):.2%}); different text: {wrong}")
    return wrong + sum(count for label, count in counts.items() if "OTHER" in label)


if __name__ == "__main__":
    sys.exit(main())
