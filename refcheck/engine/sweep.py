"""Many documents or revisions at once, on whatever `concurrent.futures.Executor` the caller has.

A task is small and can be sent to another process or machine: each worker opens its own trees, from its own store.
Processes of this machine share the user's store; workers elsewhere fill theirs at their first task. An executor of
threads works too, and gains little. Dask and Ray give executors: `dask.distributed.Client(...).get_executor()`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass
from pathlib import Path

from ..config.edition import Edition
from ..config.engines import Engine
from ..model.report import Report
from ..model.tree import Tree
from .request import VerifyRequest
from .trees import PinChoice, Trees
from .verify import verify


@dataclass(frozen=True)
class SweepTask:
    """One run: documents (paths, read by the worker) or an edition, at pins of different engines.

    `cache` is the store's folder on the worker; None is what it would choose itself.
    """

    pins: tuple[PinChoice, ...]
    documents: tuple[str, ...] = ()
    edition: Edition | None = None
    fail_on: str = "error"
    exact: bool = False
    offline: bool = False
    cache: Path | None = None


def check_task(task: SweepTask) -> Report:
    """Runs one task here. Raises what reading documents and opening trees raises (RefcheckError)."""
    from ..documents.read import ReadOptions, read_documents
    from ..sources.open import open_all
    from ..sources.wanted import Options, Wanted
    from .kept import open_kept

    options = Options(exact=task.exact, offline=task.offline, cache_dir=task.cache)
    known = tuple(pin.commit for pin in task.edition.pins) if task.edition else ()

    def opener(choices: Sequence[PinChoice]) -> Mapping[str, Tree]:
        wanted = [Wanted(c.engine, c.rev, c.nearest_release, pins=known, written=c.written) for c in choices]
        return open_all(wanted, options)

    engines: dict[str, Engine] = {pin.engine.name: pin.engine for pin in task.pins}
    kept = open_kept(task.cache)
    documents = read_documents(task.documents, engines=engines, options=ReadOptions(kept=kept))
    trees = Trees({pin.engine.name: pin for pin in task.pins}, opener)
    try:
        trees.open_pins()
        return verify(
            VerifyRequest(trees=trees, edition=task.edition, documents=documents, fail_on=task.fail_on, kept=kept)
        )
    finally:
        trees.close()


def sweep(tasks: Iterable[SweepTask], executor: Executor) -> Iterator[Report]:
    """The reports in the order of the tasks, each as soon as it and those before it are there.

    Raises what a task raised, when it is that task's turn; the tasks that did not begin by then are given up.
    """
    futures: list[Future[Report]] = [executor.submit(check_task, task) for task in tasks]
    try:
        for future in futures:
            yield future.result()
    finally:
        for future in futures:
            future.cancel()
