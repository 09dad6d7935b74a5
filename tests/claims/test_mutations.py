"""Claims about source on real releases: each change of the table does to the verdict what it must."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import cache

import pytest

from refcheck.claims.check import check_claim
from refcheck.claims.context import Context
from refcheck.config.edition import ClaimEntry, Edition
from refcheck.config.editions import find_edition
from refcheck.locate.reader import TreeReader
from refcheck.model.source_text import SourceText
from refcheck.model.tree import SourceRead, Tree
from refcheck.model.verdict import verdict_name
from tests.claims.mutations import BREAKS, SAME, WORDS, Mutation, Restated
from tests.support.trees import blob_id


@cache
def edition() -> Edition:
    return find_edition("decode-loop")


@cache
def claims() -> Mapping[str, ClaimEntry]:
    return {claim.id: claim for claim in edition().claims}


class Changed:
    """A tree with one file changed, and maybe renamed."""

    def __init__(self, tree: Tree, path: str, text: str, moved_to: str | None) -> None:
        self._tree = tree
        self._gone = path if moved_to else None
        self._path = moved_to or path
        self._data = text.encode("utf-8", "surrogateescape")
        self._paths = {p: blob for p, blob in tree.paths().items() if p != self._gone}
        self._paths[self._path] = blob_id(self._data)

    @property
    def source(self) -> SourceRead:
        return self._tree.source

    def paths(self) -> Mapping[str, str]:
        return self._paths

    def has(self, path: str) -> bool:
        return path in self._paths

    def carries(self, path: str) -> bool:
        return self._tree.carries(path)

    def read_bytes(self, path: str) -> bytes:
        return self._data if path == self._path else self._tree.read_bytes(path)

    def read(self, path: str) -> SourceText:
        if path == self._path:
            return SourceText.from_bytes(path, self._paths[path], self._data)
        return self._tree.read(path)

    def prefetch(self, paths: Iterable[str]) -> None:
        self._tree.prefetch(p for p in paths if p != self._path)


@pytest.fixture(scope="session")
def readers(open_releases: Callable[..., dict[str, TreeReader]]) -> dict[str, TreeReader]:
    return open_releases(vllm="0.28.0", sglang="0.5.18")


def verdict_of(claim: ClaimEntry, readers: Mapping[str, TreeReader]) -> tuple[str, str]:
    context = Context(readers, words=" … ".join(claim.words) or None, anchors=edition().by_id)
    verdict = check_claim(claim, context)
    return verdict_name(verdict), verdict.message


def changed(mutation: Mutation, readers: Mapping[str, TreeReader]) -> dict[str, TreeReader]:
    """The readers with the mutation applied. Fails where its pattern matches nothing, or changes nothing."""
    name = next(n for n, reader in readers.items() if reader.tree.has(mutation.path))
    reader = readers[name]
    source = reader.text(mutation.path)
    first, last = 1, len(source.lines)
    if mutation.symbol is not None:
        symbols = reader.outline(mutation.path).symbols_named(mutation.symbol)
        assert len(symbols) == 1, f"{mutation.symbol}: {len(symbols)} definitions"
        first, last = symbols[0].lines.first, symbols[0].lines.last
    before, old, after = source.lines[: first - 1], source.slice(first, last) + "\n", source.lines[last:]
    new, count = re.subn(mutation.pattern, mutation.replacement, old)
    assert count, "the pattern matches nothing"
    assert new != old or mutation.moved_to
    text = "".join(line + "\n" for line in before) + new + "".join(line + "\n" for line in after)
    tree = Changed(reader.tree, mutation.path, text, mutation.moved_to)
    return {**readers, name: TreeReader(tree)}


def label(entry: Mutation | Restated) -> str:
    return f"{entry.claim}-{entry.what if isinstance(entry, Mutation) else entry.replacement}"


@pytest.mark.index
@pytest.mark.parametrize("mutation", BREAKS, ids=label)
def test_a_change_that_matters(mutation: Mutation, readers: dict[str, TreeReader]) -> None:
    found, message = verdict_of(claims()[mutation.claim], changed(mutation, readers))
    assert found == mutation.verdict, message


@pytest.mark.index
@pytest.mark.parametrize("mutation", SAME, ids=label)
def test_a_change_that_does_not(mutation: Mutation, readers: dict[str, TreeReader]) -> None:
    claim = claims()[mutation.claim]
    before, _ = verdict_of(claim, readers)
    found, message = verdict_of(claim, changed(mutation, readers))
    assert found == before, message


@pytest.mark.index
@pytest.mark.parametrize("restated", WORDS, ids=label)
def test_other_words(restated: Restated, readers: dict[str, TreeReader]) -> None:
    claim = claims()[restated.claim]
    words = tuple(re.sub(restated.pattern, restated.replacement, fragment) for fragment in claim.words)
    assert words != claim.words
    found, message = verdict_of(replace(claim, words=words), readers)
    assert found == restated.verdict, message


def test_the_table_is_large_enough() -> None:
    assert len({m.claim for m in BREAKS} | {m.claim for m in WORDS}) >= 60
    assert len({m.claim for m in SAME}) >= 20


@pytest.mark.index
@pytest.mark.parametrize("claim", sorted({m.claim for m in (*BREAKS, *WORDS)}))
def test_the_table_changes_verdicts(claim: str, readers: dict[str, TreeReader]) -> None:
    """A claim's row must say something else than what holds without it."""
    before, message = verdict_of(claims()[claim], readers)
    rows = [m.verdict for m in (*BREAKS, *WORDS) if m.claim == claim]
    assert any(verdict != before for verdict in rows) or before == "contradicted", message
