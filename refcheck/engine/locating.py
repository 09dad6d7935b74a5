"""Where the quoted code of documents stands, whatever they say about it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from ..model.document import Document, Quote
from ..model.located import EnginePlace, LocatedQuote
from .content import (
    MIN_CHARACTERS,
    MIN_SOLID,
    ContentQuote,
    ContentSearch,
    Hit,
    by_neighbouring_paths,
    may_be_engine_code,
)
from .findings import identifiers
from .searches import Searches
from .trees import Trees

NOWHERE = "stands in no engine"
TOO_SHORT = f"was not looked for: it has fewer than {MIN_SOLID} lines of code and {MIN_CHARACTERS} characters"


def locate_quotes(
    documents: Iterable[Document], trees: Trees, announce: Callable[[str], None]
) -> tuple[LocatedQuote, ...]:
    """Every block that may be an engine's code, in order; a block with several quotes gives several."""
    located: list[LocatedQuote] = []
    searches = Searches(trees, announce)
    blocks: list[tuple[Document, ContentSearch]] = []
    for document in documents:
        cited = [c.quote for c in document.citations if c.quote is not None and may_be_engine_code(c.quote)]
        everything = replace(document, quotes_by_content=(*document.quotes_by_content, *cited))
        blocks.append((document, ContentSearch(everything, trees.for_page(document), searches)))
    searches.run()
    for document, search in blocks:
        found, unfound = search.result()
        rows = [_located(document, one, trees) for one in found]
        rows += [_nowhere(document, quote, TOO_SHORT if quote in search.too_short else NOWHERE) for quote in unfound]
        located += sorted(rows, key=lambda row: row.line)
    return tuple(located)


def _located(document: Document, one: ContentQuote, trees: Trees) -> LocatedQuote:
    hits, why = one.hits, ""
    if len(hits) > 1:
        hits, why = by_neighbouring_paths(document, one)
    candidates = tuple(_place(hit, trees) for hit in one.hits) if len(one.hits) > 1 else ()
    return LocatedQuote(
        document.name,
        document.position(one.quote.offsets[0])[0],
        len(one.quote.lines),
        _first_words(one.quote),
        _place(hits[0], trees) if len(hits) == 1 else None,
        candidates,
        why,
    )


def _nowhere(document: Document, quote: Quote, why: str) -> LocatedQuote:
    line = document.position(quote.offsets[0])[0]
    return LocatedQuote(document.name, line, len(quote.lines), _first_words(quote), None, (), why)


def _place(hit: Hit, trees: Trees) -> EnginePlace:
    place = hit.place
    link, swhid = identifiers(trees, hit.reader, place)
    return EnginePlace(hit.reader.tree.source.engine, place, link, swhid)


def _first_words(quote: Quote) -> str:
    line = next((line.strip() for line in quote.lines if line.strip()), "")
    return line if len(line) <= 48 else line[:45] + "..."
