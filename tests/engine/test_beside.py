"""Work in a copy of the process gives what the work gives here, whatever happens to the copy."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from refcheck.engine.beside import beside, can_fork
from refcheck.errors import ConfigurationError
from refcheck.model import codes
from refcheck.model.place import Place
from refcheck.model.verdict import Holds, Undecided
from refcheck.sources.batch import Batch, blob_id
from refcheck.sources.store import bare_repository

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs fork")
VERDICTS = [Holds("yes", Place("a.py")), Undecided("who knows", codes.JUDGEMENT)] * 400


def test_the_values_come_back_and_codes_are_the_same_objects() -> None:
    answer = beside(lambda: VERDICTS)
    found = answer()
    assert list(found) == VERDICTS
    assert found[1].code is codes.JUDGEMENT


def test_an_error_of_the_work_is_raised_here() -> None:
    def work() -> list[Holds]:
        raise ConfigurationError(["claim C1: nonsense"])

    with pytest.raises(ConfigurationError, match="nonsense"):
        beside(work)()


def test_a_copy_that_dies_is_replaced_by_the_work_here() -> None:
    first = os.getpid()

    def work() -> list[Holds]:
        if os.getpid() != first:
            os.kill(os.getpid(), 9)
        return [Holds("yes")]

    assert beside(work)() == (Holds("yes"),)


def test_a_process_with_threads_is_not_copied() -> None:
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        assert not can_fork()
    finally:
        stop.set()
        thread.join()


def test_the_copy_reads_from_a_git_of_its_own(tmp_path: Path) -> None:
    path = tmp_path / "r.git"
    bare_repository(path)
    contents = [f"{number}\n".encode() * 2000 for number in range(60)]
    stream = b"".join(b"blob\ndata %d\n%s\n" % (len(data), data) for data in contents)
    subprocess.run(["git", "--git-dir", str(path), "fast-import", "--quiet"], input=stream, check=True)
    oids = [blob_id(data) for data in contents]
    batch = Batch(path)
    answers = batch.blobs(oids)
    assert next(answers) == contents[0]  # git was asked for more than was read

    def work() -> list[str]:
        batch.forget()
        return [str(batch.blob(oid) == data) for oid, data in zip(oids, contents, strict=True)]

    answer = beside(work)
    assert list(answers) == contents[1:]
    assert answer() == ("True",) * len(oids)
    batch.close()
