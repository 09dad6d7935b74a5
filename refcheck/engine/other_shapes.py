"""A located quote that does not stand as it is: tried as the other things that people make of quotes."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..locate.loosely import LooseMatch, find_loosely, old_side, plain_lines
from ..locate.match import FileLines, find_pattern
from ..locate.outline import Symbol
from ..locate.pattern import literal_pattern
from ..locate.reader import TreeReader
from ..model.document import Quote
from ..model.place import LineRange, Place

_NOTE = re.compile(r"(?:#|//)\s*L(\d{1,7})\b")


def find_in_other_shapes(quote: Quote, reader: TreeReader, cited: Place, symbol: str | None) -> LooseMatch | None:
    """Looks in the cited lines, then in the definition, then in the file; None where the quote is in none of them.

    A cut without a mark is read into the quote only where the page itself cites more lines than it shows.
    """
    if not reader.tree.has(cited.path):
        return None
    file = reader.lines(cited.path)
    lines, taken_off = plain_lines(quote.lines, quote.language)
    shapes = [(lines, taken_off)]
    if any("diff" in how for how in taken_off):
        shapes.append((old_side(quote.lines), ("the old side of a diff",)))
    for shape, how in shapes:
        if not any(line.strip() for line in shape):
            continue
        if how:
            matches = find_pattern(literal_pattern(tuple(shape)), file)
            if len(matches) == 1:
                return LooseMatch(matches[0].lines, how)
        total = max(1, len(file.source.lines))
        own = cited.lines if cited.lines and cited.lines.first <= total else None
        longer = own is not None and len(own) > sum(bool(line.strip()) for line in shape)
        scopes: list[tuple[LineRange | None, bool]] = [(own, longer)] if own else []
        scopes += [(s.lines, False) for s in _definitions(reader, cited.path, symbol)]
        scopes.append((None, False))
        for scope, may_cut in scopes:
            loose = find_loosely(shape, file, scope, may_cut=may_cut)
            if loose is not None:
                return LooseMatch(loose.lines, (*how, *loose.how, *_wrong_notes(shape, file, loose.lines)), loose.cut)
    return None


def _wrong_notes(lines: Sequence[str], file: FileLines, found: LineRange) -> list[str]:
    """Line numbers that a quote notes behind its lines (`# L570`) and that are not those lines' own."""
    wrong: list[str] = []
    for line in lines:
        note = _NOTE.search(line)
        if note is None:
            continue
        code = line[: note.start()].strip()
        own = [
            number
            for number in range(found.first, found.last + 1)
            if code and file.source.lines[number - 1].strip().startswith(code)
        ]
        if own and int(note.group(1)) not in own:
            wrong.append(f"the note L{note.group(1)} stands beside L{own[0]}")
    return wrong


def _definitions(reader: TreeReader, path: str, symbol: str | None) -> tuple[Symbol, ...]:
    if symbol is None:
        return ()
    return reader.outline(path).symbols_named(symbol)
