"""What three of git's diff algorithms say of a range: its new place where all agree that it is unchanged."""

from __future__ import annotations

import re
import subprocess
import tempfile
from bisect import bisect_right
from collections.abc import Iterable
from pathlib import Path

from benchmarks.follow.trees import MemoryTree
from refcheck.locate.follow import Request

ALGORITHMS = ("myers", "patience", "histogram")
_HUNK = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")

Hunks = list[tuple[int, int, int]]
"""(first old line touched, first old line after it, shift from there on)"""


def write(tree: MemoryTree, paths: Iterable[str], root: Path) -> None:
    for path in paths:
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(tree.files[path])


def diffs(old: MemoryTree, new: MemoryTree, paths: Iterable[str]) -> dict[str, dict[str, Hunks]]:
    """algorithm -> path -> hunks, for files that both trees have."""
    wanted = [p for p in paths if p in new.files and old.files[p] != new.files[p]]
    found: dict[str, dict[str, Hunks]] = {}
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        write(old, wanted, root / "a")
        write(new, wanted, root / "b")
        for algorithm in ALGORITHMS:
            git = [
                "git",
                "-c",
                "core.quotePath=false",
                "diff",
                "--no-index",
                "--no-prefix",
                "--no-renames",
                "-U0",
                "--no-color",
            ]
            answer = subprocess.run(
                [*git, f"--diff-algorithm={algorithm}", "a", "b"], cwd=root, capture_output=True, check=False
            )
            found[algorithm] = _parse(answer.stdout)
    return found


def _parse(text: bytes) -> dict[str, Hunks]:
    found: dict[str, Hunks] = {}
    hunks: Hunks = []
    for line in text.split(b"\n"):
        if line.startswith(b"diff --git a/"):
            path = line[13 : 13 + (len(line) - 13 - 3) // 2].decode()
            hunks = found.setdefault(path, [])
        elif match := _HUNK.match(line):
            old_at, old_count = int(match[1]), int(match[2] or 1)
            new_at, new_count = int(match[3]), int(match[4] or 1)
            start = old_at if old_count else old_at + 1
            end = start + old_count
            new_end = new_at + new_count if new_count else new_at + 1
            hunks.append((start, end, new_end - end))
    return found


def agreed(request: Request, diffs: dict[str, dict[str, Hunks]]) -> tuple[int, int] | None:
    """The new lines where every algorithm leaves the range in one piece, at one place."""
    places: set[tuple[int, int] | None] = set()
    for per_path in diffs.values():
        hunks = per_path.get(request.path)
        if hunks is None:
            places.add((request.first, request.last))
            continue
        at = bisect_right(hunks, (request.last, 1 << 60, 0)) - 1
        if at < 0:
            places.add((request.first, request.last))
            continue
        _, end, shift = hunks[at]
        # An insertion inside the range (start == end) cuts it too.
        if end > request.first:
            places.add(None)
        else:
            places.add((request.first + shift, request.last + shift))
    return places.pop() if len(places) == 1 else None
