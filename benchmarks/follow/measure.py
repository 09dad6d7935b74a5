"""Follow seeded citations between two trees and compare with what three diff algorithms agree on.

    python -m benchmarks.follow.measure 0.27.1 0.33.0 [--count 2000] [--files 1000] [--seed 1] [--show]
    python -m benchmarks.follow.measure 0.5.17 0.5.23 --engine sglang
    python -m benchmarks.follow.measure MIRROR@COMMIT MIRROR@COMMIT --under vllm/

OLD and NEW are releases (`0.27.1` or `release:0.27.1`, from the store or the package index), folders, or
REPOSITORY@COMMIT for a commit of a local clone or mirror. All files are brought into memory first, so that the time
printed is that of following alone; `benchmarks.follow.process` measures a whole process.
"""

from __future__ import annotations

import argparse
import collections
import sys
import time
from pathlib import Path

from benchmarks.follow import oracle
from benchmarks.follow.citations import generate
from benchmarks.follow.trees import open_tree
from refcheck.locate.follow import Moved, Same, follow
from refcheck.locate.follow.lines import Lines, numbering, places


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
            exact = place is not None and place.path == request.path and place.lines is not None
            if not exact or (place.lines.first, place.lines.last) != expected:
                name = "OTHER PLACE"
                print("OTHER PLACE", one, expected)
        elif expected and options.show:
            print("NOT TAKEN", expected, one)
        elif options.show and not expected and name not in ("Changed",):
            print(state.upper(), one)
        counts[f"{state:10} {name}"] += 1
    for label, count in sorted(counts.items()):
        print(f"{label:28} {count}")
    total = sum(count for label, count in counts.items() if label.startswith("agreed"))
    good = sum(count for label, count in counts.items() if label.startswith(("agreed     Same", "agreed     Moved")))
    print(f"agreed and taken: {good} of {total} ({good / max(1, total):.2%}); different text: {wrong}")
    print(f"{len(requests)} ranges in {len({r.path for r in requests})} files: {took:.2f} s of processor time")
    return 1 if wrong or any("OTHER" in label for label in counts) else 0


if __name__ == "__main__":
    sys.exit(main())
