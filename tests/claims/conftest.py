"""Releases of the engines, for tests that are marked `index`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator

import pytest

from refcheck.config.engines import builtin_engines
from refcheck.errors import SourceError
from refcheck.locate.reader import TreeReader
from refcheck.sources.open import open_tree
from refcheck.sources.wanted import Options, Wanted


@pytest.fixture(scope="session")
def open_releases() -> Iterator[Callable[..., dict[str, TreeReader]]]:
    """Readers of releases by engine and version. Skips where they cannot be had, unless the index is required."""
    opened = []

    def opener(**versions: str) -> dict[str, TreeReader]:
        readers = {}
        for name, version in versions.items():
            try:
                tree = open_tree(Wanted(builtin_engines()[name], f"release:{version}"), Options())
            except SourceError as error:
                if os.environ.get("REFCHECK_REQUIRE_INDEX"):
                    raise
                pytest.skip(f"{name} {version} cannot be had: {error}")
            opened.append(tree)
            tree.prefetch([path for path in tree.paths() if path.endswith((".py", ".md"))])
            readers[name] = TreeReader(tree)
        return readers

    yield opener
    for tree in opened:
        tree.close()
