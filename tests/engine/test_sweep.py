"""A sweep gives the same reports on any executor, in the order of its tasks."""

from __future__ import annotations

import multiprocessing
import subprocess
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path

import pytest

from refcheck.config.engines import Engine
from refcheck.engine.sweep import SweepTask, check_task, sweep
from refcheck.engine.trees import PinChoice
from refcheck.errors import DocumentError, SourceError
from refcheck.model.report import Report

SOURCE = "def first(rows):\n    total = rows * 3\n    return total + {}\n"


class OneByOne(Executor):
    """The least that an executor is: runs a task when it is submitted."""

    def submit(self, fn, /, *args, **kwargs):  # type: ignore[no-untyped-def]
        future: Future[object] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - carried to whoever asks for the result
            future.set_exception(error)
        return future


@pytest.fixture(scope="module")
def tasks(tmp_path_factory: pytest.TempPathFactory) -> list[SweepTask]:
    """One page at three commits of a repository: it holds at the second."""
    folder = tmp_path_factory.mktemp("sweep")
    repository = folder / "toy"

    def git(*arguments: str) -> str:
        identity = ("-c", "user.name=n", "-c", "user.email=e@example.org")
        called = ["git", "-C", str(repository), *identity, *arguments]
        return subprocess.run(called, check=True, capture_output=True, text=True).stdout.strip()

    repository.mkdir()
    git("init", "-q")
    commits = []
    for number in (16, 17, 18):
        (repository / "toy").mkdir(exist_ok=True)
        (repository / "toy" / "a.py").write_text(SOURCE.format(number))
        git("add", "-A")
        git("commit", "-q", "-m", f"{number}")
        commits.append(git("rev-parse", "HEAD"))
    page = folder / "page.md"
    page.write_text(f"See `toy/a.py:1-3`:\n\n```python\n{SOURCE.format(17)}```\n")
    engine = Engine("toy", repository.as_uri(), source_roots=("toy/",))
    return [SweepTask((PinChoice(engine, one),), (str(page),), cache=folder / "cache") for one in commits]


def levels(reports: list[Report]) -> list[int]:
    return [report.exit_code for report in reports]


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda: nullcontext(OneByOne()), id="bare"),
        pytest.param(lambda: ThreadPoolExecutor(2), id="threads"),
        pytest.param(lambda: ProcessPoolExecutor(2, multiprocessing.get_context("spawn")), id="processes"),
    ],
)
def test_any_executor_gives_the_same_reports(tasks: list[SweepTask], make) -> None:  # type: ignore[no-untyped-def]
    with make() as executor:
        reports = list(sweep(tasks, executor))
    assert levels(reports) == [1, 0, 1]
    assert [report.findings for report in reports] == [check_task(task).findings for task in tasks]


def test_an_error_comes_at_its_tasks_turn(tasks: list[SweepTask], tmp_path: Path) -> None:
    absent = SweepTask(tasks[0].pins, (str(tmp_path / "absent.md"),), cache=tasks[0].cache)
    engine = tasks[0].pins[0].engine
    unknown = SweepTask((PinChoice(engine, "9" * 40),), tasks[0].documents, cache=tasks[0].cache)
    reports = sweep([tasks[1], absent], OneByOne())
    assert next(reports).exit_code == 0
    with pytest.raises(DocumentError):
        next(reports)
    with pytest.raises(SourceError):
        list(sweep([unknown], OneByOne()))
