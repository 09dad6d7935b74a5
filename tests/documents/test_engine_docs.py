"""The docs folder of a vLLM release, as found in its source archive: real pages, with 39 links to lines."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from refcheck.config.engines import builtin_engines
from refcheck.documents.read import read_text
from refcheck.model.document import Document
from refcheck.sources.open import Wanted, open_tree

pytestmark = pytest.mark.index
LINK = re.compile(r"https://github\.com/([\w.-]+/[\w.-]+)/blob/([\w.-]+)/([^#\s)\"]+)#L(\d+)(?:-L(\d+))?")


@pytest.fixture(scope="module")
def pages() -> Iterator[list[Document]]:
    engine = builtin_engines()["vllm"]
    tree = open_tree(Wanted(engine, "release:0.33.0"))
    try:
        names = sorted(path for path in tree.paths() if path.startswith("docs/") and path.endswith(".md"))
        tree.prefetch(names)
        yield [read_text(name, tree.read(name).text, "markdown", builtin_engines()) for name in names]
    finally:
        tree.close()


def test_every_line_link_is_read_with_its_revision(pages: list[Document]) -> None:
    total = 0
    for page in pages:
        written = sorted(
            (m.group(1), m.group(3), m.group(2), int(m.group(4)), int(m.group(5) or m.group(4)))
            for m in LINK.finditer(page.text)
        )
        read = sorted(
            (c.repository, c.path, c.rev or c.branch, c.lines.first, c.lines.last)
            for c in page.citations
            if c.repository is not None and c.lines is not None
        )
        assert read == written, page.name
        total += len(read)
    assert total == 39


def test_nothing_else_has_line_numbers(pages: list[Document]) -> None:
    """No log line, traceback, port, time or test id: these pages cite lines by links alone."""
    others = [
        (page.name, page.position(c.span.start)[0], page.text[c.span.start : c.span.end])
        for page in pages
        for c in page.citations
        if c.repository is None and (c.lines is not None or c.form not in ("block", "info"))
    ]
    assert others == []
    compiled = next(page for page in pages if page.name.endswith("torch_compile.md"))
    assert len(re.findall(r"\[\w+\.py:\d+\]", compiled.text)) > 20
    assert compiled.citations == ()


def test_headers_without_lines_are_paths_of_the_engine(pages: list[Document]) -> None:
    headers = {(page.name.rsplit("/", 1)[-1], c.path) for page in pages for c in page.citations if c.lines is None}
    assert headers
    assert all(path and path.startswith("vllm/") for _, path in headers)
