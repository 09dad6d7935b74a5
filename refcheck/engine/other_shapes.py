"""A located quote that does not stand as it is: tried as the other things that people make of quotes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from ..locate.loosely import (
    COMMENTS,
    UNMARKED,
    LooseMatch,
    find_loosely,
    listing_numbers,
    old_side,
    plain_lines,
)
from ..locate.match import FileLines, find_pattern
from ..locate.outline import Symbol
from ..locate.reader import TreeReader
from ..model.document import Quote
from ..model.place import LineRange, Place
from .content import patterns_of

_NOTE = re.compile(r"(?:#|//)\s*L(\d{1,7})\b")
_NOTE_ALONE = re.compile(r"\s*(?:#|//)\s*L\d{1,7}(?:\s?[-–]\s?L?\d{1,7})?\s*\Z")


def find_in_other_shapes(quote: Quote, reader: TreeReader, cited: Place, symbol: str | None) -> LooseMatch | None:
    """Looks in the cited lines, then in the definition, then in the file; None where the quote is in none of them.

    A cut without a mark is read into the quote only where the page itself cites more lines than it shows.
    """
    if not reader.tree.has(cited.path):
        return None
    file = reader.lines(cited.path)
    lines, taken_off = plain_lines(quote.lines, quote.language)
    shapes = [(lines, taken_off)]
    if any("diff" in how for how in taken_off) and any(line[:1] == "-" and line[:3] != "---" for line in quote.lines):
        shapes.append((old_side(quote.lines), ("the old side of a diff",)))
    for shape, marked in shapes:
        if not any(line.strip() for line in shape):
            continue
        total = max(1, len(file.source.lines))
        own = cited.lines if cited.lines and cited.lines.first <= total else None
        noted = _noted(shape, file) if own and len(own) == 1 else []
        if own and noted:
            own = LineRange(min(own.first, noted[0]), max(own.last, noted[-1]))
        # A diff's old side is what stood there before: what it lacks is no cut.
        longer = own is not None and shape is lines and len(own) > sum(bool(line.strip()) for line in shape)
        scopes: list[tuple[LineRange | None, bool]] = [(own, longer)] if own else []
        scopes += [(s.lines, False) for s in _definitions(reader, cited.path, symbol)]
        scopes.append((None, False))
        for dots_are_source in (True, False) if "..." in map(str.strip, shape) else (False,):
            for scope, may_cut in scopes:
                loose = _as_it_stands(shape, file, scope) if marked else None
                loose = loose or find_loosely(
                    shape, file, scope, may_cut=may_cut, near=own, dots_are_source=dots_are_source
                )
                if loose is not None:
                    return _with_numbers(loose, quote.lines, shape, marked, noted, file)
    return None


def _as_it_stands(shape: Sequence[str], file: FileLines, scope: LineRange | None) -> LooseMatch | None:
    """What is left of a listing or a diff, where that stands in one place of the file as any other quote."""
    for pattern in patterns_of(shape):
        matches = find_pattern(pattern, file, scope)
        if len(matches) == 1:
            how = () if matches[0].exact else ("blank lines or indentation differ",)
            return LooseMatch(matches[0].lines, how)
    return None


def _noted(lines: Sequence[str], file: FileLines) -> list[int]:
    """The line numbers that the quote notes beside lines of code (`# L570`), where each is that line's own."""
    found: list[int] = []
    for line in lines:
        if note := _NOTE.search(line):
            number, code = int(note.group(1)), line[: note.start()].strip()
            if (
                not code
                or number > len(file.source.lines)
                or not file.source.lines[number - 1].strip().startswith(code)
            ):
                return []
            found.append(number)
    return sorted(found)


def _ends_at_note(gap: LineRange, noted: Sequence[int], file: FileLines) -> bool:
    """Whether the next line of code below a cut has its number noted, which shows the cut."""
    after = next((number for number in noted if number > gap.last), 0)
    between = [line.strip() for line in file.source.lines[gap.last : after - 1]]
    return after > 0 and all(not line or line.startswith(("#", "//")) for line in between)


def _with_numbers(
    loose: LooseMatch,
    quoted: Sequence[str],
    shape: Sequence[str],
    marked: Sequence[str],
    noted: Sequence[int],
    file: FileLines,
) -> LooseMatch:
    """The match with what was taken off, and the line numbers of the quote that are not those lines' own.

    Below a location of one line, the numbers `noted` beside lines show what is left out before them.
    """
    wrong = [*_wrong_notes(shape, file, loose.lines), *_wrong_listing(quoted, shape, file, loose.lines)]
    how = [one for one in loose.how if one != COMMENTS or not _only_notes(shape, file, loose.lines)]
    cuts = loose.cut
    if cuts and UNMARKED in how and all(_ends_at_note(gap, noted, file) for gap in cuts):
        how.remove(UNMARKED)
        cuts = ()
    notes = ["notes of line numbers"] if len(how) < len(loose.how) and not wrong else []
    return replace(loose, how=(*how, *wrong), cut=cuts, marked=(*marked, *notes, *loose.marked))


def _only_notes(lines: Sequence[str], file: FileLines, found: LineRange) -> bool:
    """Whether the comments differ in nothing but notes such as `# L570` behind lines that are quoted as they stand."""
    bare = tuple(_NOTE_ALONE.sub("", line).rstrip() for line in lines)
    if bare == tuple(line.rstrip() for line in lines):
        return False
    again = find_loosely(bare, file, found, may_cut=True)
    return again is not None and COMMENTS not in again.how


def _wrong_listing(quoted: Sequence[str], shape: Sequence[str], file: FileLines, found: LineRange) -> list[str]:
    """A listing's first number that stands beside another line; one that counts from 1 counts its own lines."""
    numbers = listing_numbers(quoted)
    solid = [(number, line.strip()) for number, line in zip(numbers, shape, strict=False) if number and line.strip()]
    if not solid:
        return []
    shift = found.first - 1 if solid[0][0] == 1 else 0
    for number, text in solid:
        place = number + shift
        if place > len(file.source.lines) or not file.source.lines[place - 1].strip().startswith(text[:20]):
            at = next((n for n in range(found.first, found.last + 1) if file.source.lines[n - 1].strip() == text), 0)
            if shift and at:
                return [f"the number {number} stands beside line {at - shift} of the listing"]
            return [f"the number {number} stands beside {f'L{at}' if at else 'another line'}"]
    return []


def _wrong_notes(lines: Sequence[str], file: FileLines, found: LineRange) -> list[str]:
    """Line numbers that a quote notes behind its lines (`# L570`) and that are not those lines' own."""
    wrong: list[str] = []
    own_lines = {text.strip() for text in file.source.lines[found.first - 1 : found.last]}
    for line in lines:
        note = _NOTE.search(line)
        if note is None or line.strip() in own_lines:
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
