"""The 2,000 citations at the newest releases: one after another, on a process pool, and on a local Dask cluster.

    python -m benchmarks.sweep [--releases 8] [--workers 2] [--folder DIR]

Needs benchmarks/requirements-sweep.txt beside refcheck. The cluster is an example: anything that gives a
`concurrent.futures.Executor` will do (`Client("scheduler:8786").get_executor()`, Ray's `RayExecutor`, an MPI pool), and
refcheck knows none of them by name. Every way must give the same reports.
"""

from __future__ import annotations

import argparse
import multiprocessing
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from pathlib import Path

from refcheck.config.engines import builtin_engines
from refcheck.engine.kept import FOLDER
from refcheck.engine.sweep import SweepTask, check_task, sweep
from refcheck.engine.trees import PinChoice
from refcheck.model.report import Report
from refcheck.sources.history import releases
from refcheck.sources.store import cache_folder

from .pages import open_release, write_pages
from .run import table


def main() -> int:
    options = _options()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="refcheck-sweep-"))
    engine = builtin_engines()["vllm"]
    versions = releases(engine)[-options.releases :]
    for version in versions:  # the store is filled once, by this process: workers on this machine share it
        print(f"sweep: {version}", file=sys.stderr)
        open_release(version, None).close()
    write_pages(folder, open_release("0.28.0", None))
    page = str(folder / "2000.md")
    tasks = [SweepTask((PinChoice(engine, f"release:{v}"),), (page,), fail_on="never", offline=True) for v in versions]
    ways: list[tuple[str, Callable[[], list[Report]]]] = [
        ("one after another", lambda: [check_task(task) for task in tasks]),
        (f"process pool, {options.workers} workers", lambda: _on_a_pool(tasks, options.workers)),
        (
            f"local Dask cluster, {options.workers} workers (its start included)",
            lambda: _on_dask(tasks, options.workers),
        ),
    ]
    reports: list[list[Report]] = []
    rows: list[list[str]] = []
    for name, way in ways:
        shutil.rmtree(cache_folder() / FOLDER, ignore_errors=True)
        began = time.perf_counter()
        reports.append(way())
        rows.append([name, f"{time.perf_counter() - began:.1f}"])
    print(table([f"2,000 citations at {len(versions)} releases", "seconds"], rows), end="\n\n")
    names = list(reports[0][0].totals())
    totals = [
        [v, *(str(count) for count in report.totals().values())] for v, report in zip(versions, reports[0], strict=True)
    ]
    print(table(["release", *names], totals))
    same = all([r.findings for r in one] == [r.findings for r in reports[0]] for one in reports)
    print(f"\nEvery way gives the same findings: {'yes' if same else 'NO'}.")
    if options.folder is None:
        shutil.rmtree(folder, ignore_errors=True)
    return 0 if same else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sweep")
    parser.add_argument("--releases", type=int, default=8, help="how many of the newest")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--folder", type=Path, help="where the pages are kept from one call to the next")
    return parser.parse_args()


def _on_a_pool(tasks: Sequence[SweepTask], workers: int) -> list[Report]:
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as executor:
        return list(sweep(tasks, executor))


def _on_dask(tasks: Sequence[SweepTask], workers: int) -> list[Report]:
    from distributed import Client, LocalCluster

    cluster = LocalCluster(n_workers=workers, threads_per_worker=1, processes=True, dashboard_address=None)
    with cluster, Client(cluster) as client:
        executor: Executor = client.get_executor()
        return list(sweep(tasks, executor))


if __name__ == "__main__":
    sys.exit(main())
