"""Time and memory of following as one whole process: opening the trees, reading from the store, and following.

    python -m benchmarks.follow.process 0.27.1 0.33.0 [--engine vllm] [--cache DIR] [--count 2000] [--files 1000]

The citations are made first, in a process of their own, and written to a file. The measured process starts Python,
opens both releases with `refcheck.sources` (they should be in the store already), follows, and ends; what is printed
is the time by the clock, its user and system time with that of the git processes that it started, and its own greatest
memory.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def _make(options: argparse.Namespace, target: Path) -> None:
    from benchmarks.follow.citations import generate
    from benchmarks.follow.trees import open_tree

    tree = open_tree(options.old, options.engine, options.cache)
    requests = generate(tree, options.count, options.files, options.seed)
    target.write_text(json.dumps([(r.path, r.first, r.last) for r in requests]), encoding="utf-8")


def _follow(options: argparse.Namespace, citations: Path) -> None:
    from refcheck.config.engines import builtin_engines
    from refcheck.locate.follow import Request, follow
    from refcheck.sources.open import open_tree
    from refcheck.sources.wanted import RELEASE, Options, Wanted

    requests = [Request(*one) for one in json.loads(citations.read_text(encoding="utf-8"))]
    engine = builtin_engines()[options.engine]
    given = Options(offline=True, cache_dir=options.cache)
    revisions = [RELEASE + revision.removeprefix(RELEASE) for revision in (options.old, options.new)]
    with open_tree(Wanted(engine, revisions[0]), given) as old, open_tree(Wanted(engine, revisions[1]), given) as new:
        print(sum(one.place is not None for one in follow(requests, old, new)), "of", len(requests), "have a place")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.follow.process")
    parser.add_argument("old")
    parser.add_argument("new")
    parser.add_argument("--engine", default="vllm")
    parser.add_argument("--cache", type=Path, default=None, help="the store's folder")
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--citations", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make is not None:
        _make(options, options.make)
        return 0
    if options.citations is not None:
        _follow(options, options.citations)
        return 0
    again = [sys.executable, "-m", "benchmarks.follow.process", *sys.argv[1:]]
    with tempfile.TemporaryDirectory() as folder:
        citations = Path(folder) / "citations.json"
        subprocess.run([*again, "--make", str(citations)], check=True)
        began = time.perf_counter()
        process = subprocess.Popen([*again, "--citations", str(citations)])
        _, status, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - began
    processor = f"{used.ru_utime:.2f} s user, {used.ru_stime:.2f} s system"
    print(f"{wall:.2f} s by the clock, {processor}, {_mebibytes(used):.0f} MB at most")
    return os.waitstatus_to_exitcode(status)


def _mebibytes(used: resource.struct_rusage) -> float:
    # Kilobytes on Linux, bytes on macOS (getrusage(2)).
    return used.ru_maxrss / (1024 if sys.platform != "darwin" else 1024 * 1024)


if __name__ == "__main__":
    sys.exit(main())
