"""Blobs by one git process: in order, out of order, missing, and while others are on their way."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from refcheck.sources.batch import IN_FLIGHT, Batch, Missing, blob_id
from refcheck.sources.store import bare_repository

COUNT = 2 * IN_FLIGHT + 7


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str], list[bytes]]:
    path = tmp_path_factory.mktemp("blobs") / "r.git"
    bare_repository(path)
    contents = [f"file {number}\n".encode() * (number % 50 + 1) for number in range(COUNT)]
    stream = b"".join(b"blob\ndata %d\n%s\n" % (len(data), data) for data in contents)
    subprocess.run(["git", "--git-dir", str(path), "fast-import", "--quiet"], input=stream, check=True)
    return path, [blob_id(data) for data in contents], contents


def test_many_blobs_come_in_their_order(repository: tuple[Path, list[str], list[bytes]]) -> None:
    path, oids, contents = repository
    batch = Batch(path)
    assert list(batch.blobs(oids)) == contents
    assert list(batch.blobs([oids[3], oids[3], oids[1]])) == [contents[3], contents[3], contents[1]]
    batch.close()


def test_others_may_be_asked_for_in_between(repository: tuple[Path, list[str], list[bytes]]) -> None:
    path, oids, contents = repository
    batch = Batch(path)
    for number, data in enumerate(batch.blobs(oids)):
        assert data == contents[number]
        other = (number * 37) % COUNT
        assert batch.blob(oids[other]) == contents[other]
    batch.close()


def test_an_abandoned_request_disturbs_no_later_one(repository: tuple[Path, list[str], list[bytes]]) -> None:
    path, oids, contents = repository
    batch = Batch(path)
    assert next(iter(batch.blobs(oids))) == contents[0]
    assert batch.blob(oids[-1]) == contents[-1]
    assert list(batch.blobs(oids[5:9])) == contents[5:9]
    batch.close()


def test_a_missing_one_is_named_and_the_rest_is_read(repository: tuple[Path, list[str], list[bytes]]) -> None:
    path, oids, contents = repository
    batch = Batch(path)
    absent = "0" * 39 + "1"
    answers = batch.blobs([oids[0], absent, oids[1]])
    assert next(answers) == contents[0]
    with pytest.raises(Missing, match=absent):
        next(answers)
    assert batch.blob(oids[1]) == contents[1]
    batch.close()


def test_a_process_that_ended_is_started_again(repository: tuple[Path, list[str], list[bytes]]) -> None:
    path, oids, contents = repository
    batch = Batch(path)
    answers = batch.blobs(oids)
    assert next(answers) == contents[0]
    batch.close()
    assert list(answers) == contents[1:]
    batch.close()
