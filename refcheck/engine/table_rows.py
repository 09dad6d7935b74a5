"""A location in a table's row: the row's other cells say what stands there.

A cell may name anything (a flag, a caller, what the code replaces). So a name counts against the lines only where it
is all that its cell says, its column's head speaks of no relation, and the cited file defines it elsewhere.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from ..documents.code_words import CodeWord, code_words
from ..locate.outline import Symbol
from ..locate.reader import TreeReader
from ..model.document import Citation, Document, Prose
from ..model.place import Place
from ..model.verdict import Holds, Imprecise
from .definitions import not_there, stands_in_code

_RELATION = re.compile(
    r"\b(?:call\w*|us(?:e|es|ed|ing|age)|flags?|options?|cli|arg\w*|param\w*|types?|defaults?|returns?|values?|replac\w*|"
    r"instead|old|new|before|after|depend\w*|tests?|tested|parents?|bases?|super\w*|inherits?|extends|env\w*|imports?|"
    r"related|see|also|previous|next|reads?|writes?|sets?|from|by|to|via|in)\b|调用|参数|默认|类型|返回|取代|相关|父类|基类",
    re.IGNORECASE,
)
_AROUND = re.compile(r"[\s,;、，()`]+|\b(?:and|class|def)\b")


@dataclass(frozen=True, slots=True)
class _Named:
    word: CodeWord
    symbols: tuple[Symbol, ...]
    alone: bool
    """Nothing but names stands in its cell, under a head that speaks of no relation."""


def judge_row(document: Document, citation: Citation, reader: TreeReader, found: Place) -> Holds | Imprecise | None:
    """What the other cells of the citation's row name, compared with the cited lines; None where that says nothing."""
    assert found.lines is not None
    if citation.prose is None or document.prose[citation.prose].table < 0:
        return None
    holds: list[_Named] = []
    missing: list[_Named] = []
    for named in _names(document, document.prose[citation.prose], reader, found):
        inside = any(symbol.lines.overlaps(found.lines) for symbol in named.symbols)
        if inside or stands_in_code(named.word.name, reader, found.path, found.lines):
            holds.append(named)
        elif named.alone:
            missing.append(named)
    if missing and _is_only_place(document, citation) and all(_contains(other, missing[0]) for other in holds):
        return not_there(missing[0].symbols, reader, found, "the table's row names")
    if holds:
        return Holds(f"the lines have {', '.join(n.word.name for n in holds[:4])}, which the table's row names", found)
    return None


def _names(document: Document, own: Prose, reader: TreeReader, found: Place) -> Iterator[_Named]:
    """The names of the row's other cells that the cited file defines."""
    heads = {document.prose[i].column: document.prose[i].text for i in document.rows.get((own.table, 0), ())}
    for index in document.rows.get((own.table, own.row), ()):
        cell = document.prose[index]
        if cell is own or own.row == 0:
            continue
        words = code_words(cell.text, cell.marks)
        rest = cell.text
        for word in reversed(words):
            rest = rest[: word.start] + rest[word.end :]
        alone = not _AROUND.sub("", rest) and not _RELATION.search(heads.get(cell.column, ""))
        for word in words:
            if word.kind not in ("identifier", "member", "call"):
                continue
            symbols = reader.outline(found.path).symbols_named(f"{word.owner}.{word.name}" if word.owner else word.name)
            if symbols:
                yield _Named(word, symbols, alone)


def _is_only_place(document: Document, citation: Citation) -> bool:
    """Whether the row cites no other lines of the file: it may show where a name is defined, and where it is used."""
    assert citation.prose is not None
    own = document.prose[citation.prose]
    cells = document.rows.get((own.table, own.row), (citation.prose,))
    low = bisect_left(document.citations, document.prose[cells[0]].span.start, key=lambda c: c.span.start)
    high = bisect_right(document.citations, document.prose[cells[-1]].span.end, key=lambda c: c.span.start)
    return not any(
        other.prose in cells and other.lines not in (None, citation.lines) and other.path == citation.path
        for other in document.citations[low:high]
    )


def _contains(outer: _Named, inner: _Named) -> bool:
    """Whether what a cell names is the class of what another names, so that it holds lines of any member."""
    return all(any(o.lines != i.lines and o.lines.contains(i.lines) for o in outer.symbols) for i in inner.symbols)
