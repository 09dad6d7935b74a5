"""Every input that once broke a promise, and every seed, kept to it ever since.

An input's file name says what it is; its surface is its folder. `tests.fuzz.run` finds further ones.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from .judged import judge
from .surfaces import HEADER, NAMES, opened, surface

SLACK = 3.0
"""A first use imports what it needs; what was slow took many times as long."""
FINDINGS = sorted(path for path in (Path(__file__).parent / "findings").glob("*/*") if path.is_file())


@pytest.mark.parametrize("path", FINDINGS, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_was_found_once_holds(path: Path) -> None:
    data = path.read_bytes()
    found = judge(surface(path.parent.name), data, len(opened(data)[1]) + HEADER, SLACK)
    assert found is None, found.text


@pytest.mark.parametrize("name", NAMES)
def test_seeds_hold(name: str) -> None:
    """What the fuzzer begins with: whole documents, files and logs, of which each surface has some."""
    seeds = list(surface(name).seeds())
    assert seeds
    for data in seeds:
        found = judge(surface(name), data, len(data), SLACK)
        assert found is None, found.text


@pytest.mark.parametrize("name", NAMES)
def test_a_broken_promise_is_seen(name: str) -> None:
    """The judge says what escapes a surface, and for how long it ran."""
    from dataclasses import replace

    def broken(data: bytes) -> None:
        raise KeyError(len(data))

    found = judge(replace(surface(name), check=broken), b"abc", 3)
    assert found is not None
    assert found.kind.startswith("KeyError-test_findings.py")
