"""Quotes as people make them: with comments changed, cut without a mark, re-wrapped, numbered, or shown as a diff.

Tried only where the text does not stand as it is. What was set aside to make it fit is said by name; a text that fits
in none of these ways is no quote. Indentation is never set aside: it is a part of what Python code says.
"""

from __future__ import annotations

import itertools
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from ..model.place import LineRange
from .crossing import crossing
from .match import FileLines
from .pattern import TAB, indent_of, is_elision
from .rewrapped import Stream, find_in_stream
from .skeleton import walk

_NUMBERED = re.compile(r"\s{0,8}(\d{1,6})(?:\s?[|:│]\s?|\t|\s{2,})(.*)\Z")
_NUMBER = re.compile(r"\s{0,8}\d{1,6}(?:\s?[|:│])?")
_BARE_NUMBER = re.compile(r"\s{0,8}(\d{1,6})\s?[|:│]?\s*\Z")
_HASH = re.compile(r"(?:^|\s)#(?![!{]).*\Z")
_SLASHES = re.compile(r"(?:^|\s)//.*\Z|/\*.*?\*/")
_TOKENS = re.compile(r"""\"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|/\*.*?\*/|//|#""")
"""Strings, which hide what looks like a comment in them, and the beginnings of comments."""
_IN_WORD = re.compile(r"\S\Z")
_ARROW_NOTE = re.compile(r"\s*(?:←|<-{1,2}|⬅|①|②|③|④|⑤|⑥|⑦|⑧|⑨)[^\n]{0,200}\Z")


@dataclass(frozen=True, slots=True)
class LooseMatch:
    """Where a quote stands, and what was set aside (`how`, one word group each).

    `marked` are differences that the quote shows for what they are: a listing's numbers, a cut inside a line.
    """

    lines: LineRange
    how: tuple[str, ...]
    cut: tuple[LineRange, ...] = ()
    """Lines that the quote leaves out without a mark."""
    marked: tuple[str, ...] = ()
    others: tuple[LineRange, ...] = ()
    """Further places that it fits as well."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A line that counts: without its white space and what is set aside. `number` is 0 in a quote."""

    key: str
    indent: int
    number: int = 0


def plain_lines(lines: Sequence[str], language: str = "") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines without a listing's numbers or a diff's signs (the new side), and what was taken off."""
    how: list[str] = []
    out = list(lines)
    if language in ("diff", "patch") or _is_diff(out):
        out = _side(out, "-")
        how.append("the new side of a diff")
    solid = [line for line in out if line.strip()]
    numbers = [int(m.group(1)) for line in solid if (m := _NUMBERED.match(line) or _BARE_NUMBER.match(line))]
    if len(solid) >= 2 and len(numbers) == len(solid) and all(a < b for a, b in itertools.pairwise(numbers)):
        out = _without_numbers(out)
        how.append("a listing with line numbers")
    return tuple(out), tuple(how)


def _without_numbers(lines: Sequence[str]) -> list[str]:
    """A listing's code: taken off is what all its lines have before it, so that the code's own indentation stays.

    Numbers stand flush right, or flush left with the code in one column, or with the same distance to the code.
    """
    rests: list[tuple[int, str]] = []
    for line in lines:
        match = _NUMBER.match(line)
        rests.append((match.end(), line[match.end() :]) if match else (0, ""))
    solid = [(end, rest) for end, rest in rests if rest.strip()]
    gap = min((indent_of(rest) for _, rest in solid), default=0)
    column = min((end + indent_of(rest) for end, rest in solid), default=0)
    by_width = {end: min(indent_of(rest) for other, rest in solid if other == end) for end, _ in solid}
    columns = {end + least - column for end, least in by_width.items()}
    # Where the numbers grow by a digit inside of a body, no line of theirs is at the margin: indentation is even.
    uneven = any((least - gap) % 2 for least in by_width.values())
    padded = len(columns) == 1 or (uneven and not any(deeper % 2 for deeper in columns))
    return [(" " * end + rest.expandtabs(TAB))[column:] if padded else rest[gap:] for end, rest in rests]


def listing_numbers(lines: Sequence[str]) -> tuple[int, ...]:
    """The number before each line of a listing (0 before a blank one); () where the lines are none."""
    if not any("listing" in how for how in plain_lines(lines)[1]):
        return ()
    return tuple(int(m.group(1)) if (m := _NUMBERED.match(x) or _BARE_NUMBER.match(x)) else 0 for x in lines)


def old_side(lines: Sequence[str]) -> tuple[str, ...]:
    """The removed side of a diff."""
    return tuple(_side(lines, "+"))


def _side(lines: Sequence[str], other: str) -> list[str]:
    """A diff's lines but for those of its other side; one hunk follows another behind a mark."""
    kept = [
        _HUNK if line.startswith("@@") else line for line in lines if line.startswith("@@") or not _is_diff_mark(line)
    ]
    return [line if line == _HUNK else line[1:] if line[:1] in "+- " else line for line in kept if line[:1] != other]


_HUNK = "# ..."


def _is_diff(lines: Sequence[str]) -> bool:
    return any(line.startswith("@@ ") for line in lines)


def _is_diff_mark(line: str) -> bool:
    return line.startswith(("@@", "+++ ", "--- ", "diff --git ", "index "))


def find_loosely(
    lines: Sequence[str],
    file: FileLines,
    within: LineRange | None,
    *,
    may_cut: bool,
    near: LineRange | None = None,
    dots_are_source: bool = False,
) -> LooseMatch | None:
    """The quote in the file with comments aside, re-wrapped, or with lines left out; None if none fits.

    `within` is where to look (the cited range or the enclosing definition; None: the whole file). Whole definitions
    may be left out anywhere; single lines only where the caller has a reason to read a cut into it (`may_cut`):
    otherwise a line that was added to the engine would pass for one. Of several places the only one that overlaps
    `near` is taken. `dots_are_source`: `...` alone on a line is a statement, and no mark of a cut.
    """
    scope = within or LineRange(1, max(1, len(file.source.lines)))
    strip = _comment_stripper(file.source.path)
    read: list[tuple[tuple[str, ...], list[list[_Line]], list[_Line]]] = []
    without_comments: tuple[tuple[str, ...], Callable[[str], str]] = ((COMMENTS,), strip)
    for how, stripped in (((), None), without_comments):
        pieces = _pieces(lines, stripped, dots_are_source)
        if sum(len(line.key) for piece in pieces for line in piece) >= LEAST_CHARACTERS:
            read.append((how, pieces, _file_lines(file, scope, stripped)))
    ways = (_in_pieces, _rewrapped, _skeleton, *((_in_order,) if may_cut else ()))
    for way, (how, pieces, theirs) in itertools.product(ways, read):
        found = _one_of(way(pieces, theirs, file, may_cut), near)
        if found is not None:
            return replace(found, how=(*how, *found.how))
    return None


def _one_of(found: Sequence[LooseMatch], near: LineRange | None) -> LooseMatch | None:
    close = [one for one in found if near is not None and one.lines.overlaps(near)]
    if len(close) == 1:
        return close[0]
    return replace(found[0], others=tuple(one.lines for one in found[1:])) if found else None


LEAST_CHARACTERS = 12
TRIED = 200
"""A first line that stands more often in a file is looked at so many times."""
SHIFTS = 20
COMMENTS = "comments differ"
UNMARKED = "lines left out without a mark"


def _comment_stripper(path: str) -> Callable[[str], str]:
    cpp = path.endswith((".cu", ".cuh", ".cpp", ".cc", ".c", ".h", ".hpp", ".rs"))

    def strip(line: str) -> str:
        return _ARROW_NOTE.sub("", _without_comment(line, cpp))

    return strip


def _without_comment(line: str, cpp: bool) -> str:
    """A line without its comment; a sign inside a string begins none."""
    if (_SLASHES if cpp else _HASH).search(line) is None:
        return line
    bare, at = [], 0
    for match in _TOKENS.finditer(line):
        token = match.group()
        if cpp and token.startswith("/*"):
            bare.append(line[at : match.start()])
            at = match.end()
        elif token == ("//" if cpp else "#") and not _IN_WORD.search(line[: match.start()]):
            return "".join(bare) + line[at : match.start()]
    return "".join(bare) + line[at:]


def _pieces(lines: Sequence[str], strip: Callable[[str], str] | None, dots_are_source: bool) -> list[list[_Line]]:
    """The quote's lines that count, parted at its elision marks."""
    pieces: list[list[_Line]] = [[]]
    for line in lines:
        if is_elision(line) and not (dots_are_source and line.strip() == "..."):
            pieces.append([])
        elif key := (strip(line) if strip else line).strip():
            pieces[-1].append(_Line(key, indent_of(line)))
    return [piece for piece in pieces if piece]


def _file_lines(file: FileLines, scope: LineRange, strip: Callable[[str], str] | None) -> list[_Line]:
    found: list[_Line] = []
    text = file.source.lines
    begin, end = bisect_left(file.numbers, scope.first), bisect_right(file.numbers, scope.last)
    for number, stripped in zip(file.numbers[begin:end], file.texts[begin:end], strict=True):
        if key := (strip(stripped) if strip else stripped).strip():
            found.append(_Line(key, indent_of(text[number - 1]), number))
    return found


def _in_pieces(pieces: list[list[_Line]], theirs: list[_Line], file: FileLines, may_cut: bool) -> list[LooseMatch]:
    """The places where the pieces stand in order, each as one run of lines."""
    chains: list[list[int]] = []
    by_key: dict[str, list[int]] = {}
    for index, line in enumerate(theirs):
        by_key.setdefault(line.key, []).append(index)
    for start in by_key.get(pieces[0][0].key, [])[:TRIED]:
        shift = theirs[start].indent - pieces[0][0].indent
        chain: list[int] = []
        for piece in pieces:
            at = chain[-1] + 1 if chain else start
            places = by_key.get(piece[0].key, [])
            following = itertools.islice(places, bisect_left(places, at), None) if chain else (start,)
            place = next((p for p in following if _stands(piece, theirs, p, shift)), None)
            if place is None:
                break
            chain += range(place, place + len(piece))
        else:
            while chains and len(pieces) > 1 and chains[-1][-1] == chain[-1]:
                chains.pop()
            chains.append(chain)
    found: list[LooseMatch] = []
    for chain in chains:
        numbers = iter(theirs[index].number for index in chain)
        parts = [list(itertools.islice(numbers, len(piece))) for piece in pieces]
        crossed = _crossed(parts, file, may_cut)
        if crossed is not None:
            found.append(LooseMatch(LineRange(parts[0][0], parts[-1][-1]), crossed))
    return found


def _crossed(parts: Sequence[Sequence[int]], file: FileLines, may_cut: bool) -> tuple[str, ...] | None:
    """What is to be said of the elisions between the lines of the parts; None where they are of no one place."""
    hides = crossing(file.source.lines, parts) if file.source.path.endswith((".py", ".pyi")) else None
    if hides is None:
        return ()
    if not hides.defines:
        return (f"an elision hides L{hides.line}, which ends what is shown above it",)
    return (f"an elision hides L{hides.line}, where another definition begins",) if may_cut else None


def _stands(piece: list[_Line], theirs: list[_Line], at: int, shift: int) -> bool:
    if at + len(piece) > len(theirs):
        return False
    return all(_same(line, theirs[at + index], shift) for index, line in enumerate(piece))


def _skeleton(pieces: list[list[_Line]], theirs: list[_Line], file: FileLines, may_cut: bool) -> list[LooseMatch]:
    """The quote with whole definitions and docstrings of the file left out without a mark."""
    if len(pieces) != 1 or not file.source.path.endswith((".py", ".pyi")):
        return []
    wanted = [(line.key, line.indent) for line in pieces[0]]
    own = [(line.key, line.indent) for line in theirs]
    starts = [index for index, line in enumerate(own) if line[0] == wanted[0][0]][:TRIED]
    found = [walked for start in starts if (walked := walk(wanted, own, start)) is not None]
    return [
        LooseMatch(
            LineRange(theirs[one.first].number, theirs[one.last].number),
            (f"{one.what} left out without a mark",),
            tuple(LineRange(theirs[a].number, theirs[b].number) for a, b in one.left_out),
        )
        for one in found
        if one.left_out
    ]


def _in_order(pieces: list[list[_Line]], theirs: list[_Line], file: FileLines, may_cut: bool) -> list[LooseMatch]:
    """Every line of the quote in order, tightly from the last backwards, with the gaps between."""
    wanted = [line for piece in pieces for line in piece]
    if len(wanted) < 2:
        return []
    shifts = dict.fromkeys(line.indent - wanted[0].indent for line in theirs if line.key == wanted[0].key)
    for shift in itertools.islice(shifts, SHIFTS):
        at = 0
        for line in wanted:
            while at < len(theirs) and not _same(line, theirs[at], shift):
                at += 1
            if at == len(theirs):
                break
            at += 1
        else:
            numbers: list[int] = []
            position = at - 1
            for line in reversed(wanted):
                while not _same(line, theirs[position], shift):
                    position -= 1
                numbers.append(position)
                position -= 1
            numbers.reverse()
            # Behind an elision something may be left out: there it has a mark.
            marked = set(itertools.accumulate(map(len, pieces)))
            gaps = tuple(
                LineRange(theirs[a + 1].number, theirs[b - 1].number)
                for index, (a, b) in enumerate(itertools.pairwise(numbers), 1)
                if b - a > 1 and index not in marked
            )
            span = LineRange(theirs[numbers[0]].number, theirs[numbers[-1]].number)
            return [LooseMatch(span, (UNMARKED,), gaps)]
    return []


def _same(line: _Line, own: _Line, shift: int) -> bool:
    return own.key == line.key and own.indent - line.indent == shift


def _rewrapped(pieces: list[list[_Line]], theirs: list[_Line], file: FileLines, may_cut: bool) -> list[LooseMatch]:
    """The quote's characters in the file with line breaks aside, and any text for dots inside a line (`f(...)`)."""
    stream = Stream([(line.key, line.indent) for line in theirs])
    found = find_in_stream([[(line.key, line.indent) for line in piece] for piece in pieces], stream)
    if found is None:
        return []
    parts = [[line.number for line in theirs[first : last + 1]] for first, last in found.parts]
    crossed = _crossed(parts, file, may_cut)
    if crossed is None:
        return []
    how = (
        *(
            ["line breaks differ"]
            if found.broken
            else ["continued lines are indented otherwise"]
            if found.uneven
            else []
        ),
        *(["spaces differ"] if found.spaced else []),
        *crossed,
    )
    marked = ("an elision inside a line",) if found.elided else ()
    return [LooseMatch(LineRange(parts[0][0], parts[-1][-1]), how, (), marked)]
