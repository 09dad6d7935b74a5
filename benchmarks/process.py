"""One process from start to end: wall time, processor time, and the most memory that it or a child of it held."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Usage:
    """Seconds, seconds of all processes, MiB of the largest process; what was printed, and the exit code."""

    wall: float
    cpu: float
    peak: float
    code: int
    output: str = ""
    errors: str = ""


def run(command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None) -> Usage:
    """Runs a command in a folder."""
    with tempfile.TemporaryDirectory() as scratch:
        out, err, facts = (os.path.join(scratch, name) for name in ("out", "err", "facts"))
        # A new process begins with the memory of the one that starts it: a bare interpreter starts and waits for it.
        starter = [sys.executable, "-I", "-S", "-c", _STARTER, out, err, facts, *command]
        subprocess.run(starter, cwd=folder, env=dict(environment or os.environ), check=True)
        wall, cpu, peak, code = json.loads(Path(facts).read_text("utf-8"))
        texts = [Path(name).read_text("utf-8", "replace") for name in (out, err)]
    return Usage(wall, cpu, peak / 1024, code, *texts)


_STARTER = """
import os, sys, time
out, err, facts, *command = sys.argv[1:]
flags = os.O_WRONLY | os.O_CREAT
actions = [(os.POSIX_SPAWN_OPEN, fd, name, flags, 0o600) for fd, name in ((1, out), (2, err))]
began = time.perf_counter()
pid = os.posix_spawnp(command[0], command, os.environ, file_actions=actions)
_, status, used = os.wait4(pid, 0)
wall = time.perf_counter() - began
code = os.waitstatus_to_exitcode(status)
with open(facts, "w") as file:
    file.write(f"[{wall}, {used.ru_utime + used.ru_stime}, {used.ru_maxrss}, {code}]")
"""


def median(usages: Sequence[Usage]) -> Usage:
    """The medians of times and memory; code and texts are the last run's."""
    last = usages[-1]
    return Usage(
        statistics.median(u.wall for u in usages),
        statistics.median(u.cpu for u in usages),
        statistics.median(u.peak for u in usages),
        last.code,
        last.output,
        last.errors,
    )
