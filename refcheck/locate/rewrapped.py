"""A quote's characters in a file with line breaks aside: wrapped otherwise, or with dots in the middle of a line."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import TypeAlias

Line: TypeAlias = tuple[str, int]
"""A line's text without white space around it, and its indentation."""

LEAST = 24
"""Fewer characters stand in other lines by chance."""
HIDDEN = 1200
"""Dots inside a line stand for at most so many characters."""
TRIED = 200
"""A beginning that stands more often in a file is not looked at any further."""

_SPACE = re.compile(r"\s+")
_DOTS = re.compile(r"(?:\.{3}|…)")
_OPENS = re.compile(r"""[\s#/*rRbBuU"']*\Z""")
_CLOSES = re.compile(r"""["',;:.)\]}\s*/]*\Z""")
_COMMA = re.compile(r",(?=[)\]}])")
_TRIPLE = re.compile(r"\"{3}|'{3}")


class Stream:
    """Lines as one text without white space, with the way back."""

    def __init__(self, lines: Sequence[Line]) -> None:
        self.lines = lines
        self.parts = _joinable(lines)
        self.starts = [0, *accumulate(map(len, self.parts))]
        self.text = "".join(self.parts)

    def line_at(self, position: int) -> int:
        return bisect_right(self.starts, position, 0, len(self.parts)) - 1


@dataclass(frozen=True, slots=True)
class Streamed:
    """Indices of the file's lines. `broken`: line breaks differ; `elided`: dots inside a line stand for something.

    `uneven`: lines inside of brackets or strings are not indented as in the file; `spaced`: lines have other white
    space in them. `parts` are the pieces' first and
    last lines.
    """

    parts: tuple[tuple[int, int], ...]
    broken: bool
    elided: bool
    uneven: bool
    spaced: bool


Spans: TypeAlias = list[tuple[int, int]]
"""Where the parts of a piece between its dots stand in the stream."""


def _joinable(lines: Sequence[Line]) -> list[str]:
    """Each line without white space, and without the comma that a formatter puts before a bracket on the next line."""
    bare = [_COMMA.sub("", "".join(text.split())) for text, _ in lines]
    for index, text in enumerate(bare[:-1]):
        if text.endswith(",") and bare[index + 1].startswith((")", "]", "}")):
            bare[index] = text[:-1]
    return bare


def find_in_stream(pieces: Sequence[Sequence[Line]], stream: Stream) -> Streamed | None:
    """The one place of the pieces in order, from the beginning of a line to the end of one; None if none or several.

    Statements keep their indentation against each other; what stands inside brackets and strings need not.
    """
    texts = ["".join(_joinable(piece)) for piece in pieces]
    if sum(map(len, texts)) < LEAST:
        return None
    for parted in ([[text] for text in texts], [_parts(piece) for piece in pieces]):
        if any(len("".join(parts)) < LEAST // 2 for parts in parted if len(parts) > 1):
            return None
        found = _places(pieces, parted, stream)
        if found:
            return found[0] if len(found) == 1 else None
    return None


def _parts(piece: Sequence[Line]) -> list[str]:
    """The piece's characters between dots inside of lines; dots that are a line of their own are no cut in one."""
    parts = [""]
    for text in _joinable(piece):
        first, *others = [text] if text == "..." else _DOTS.split(text)
        parts[-1] += first
        parts += others
    return parts


def _places(pieces: Sequence[Sequence[Line]], parted: Sequence[Sequence[str]], stream: Stream) -> list[Streamed]:
    """Two of the places at most."""
    found: list[Streamed] = []
    ends: list[int] = []
    at = 0
    for _ in range(TRIED):
        spans = _search(parted[0], stream.text, at)
        if spans is None or len(found) > 1:
            break
        at = spans[0][0] + 1
        fits = _fits(pieces[0], spans, stream)
        broken = uneven = spaced = elided = False
        lines: list[tuple[int, int]] = []
        shifts: set[int] = set()
        for piece, parts in zip(pieces, parted, strict=True):
            if piece is not pieces[0]:
                spans = _search(parts, stream.text, spans[-1][1]) if fits else None
                fits = _fits(piece, spans, stream) if spans else None
            if fits is None or spans is None:
                break
            broken, uneven, spaced = broken or fits.broken, uneven or fits.uneven, spaced or fits.spaced
            shifts |= fits.shifts
            hidden = [stream.text[a[1] : b[0]] for a, b in pairwise(spans)]
            elided = elided or any(_DOTS.fullmatch(text) is None for text in hidden)
            lines.append((stream.line_at(spans[0][0]), stream.line_at(max(spans[-1][1] - 1, 0))))
        if fits is not None and spans is not None and len(shifts) <= 1:
            if found and ends and ends[-1] == spans[-1][1]:
                found.pop()  # Of two beginnings with one end the later one is the tightest reading.
            ends.append(spans[-1][1])
            found.append(Streamed(tuple(lines), broken, elided, uneven, spaced))
    return found


def _search(parts: Sequence[str], text: str, at: int) -> Spans | None:
    """The first place of the parts, each at its first place behind the one before that leaves no bracket open."""
    for _ in range(TRIED):
        start = text.find(parts[0], at)
        if start < 0:
            return None
        spans = [(start, start + len(parts[0]))]
        for part in parts[1:]:
            end = spans[-1][1]
            place = text.find(part, end)
            while 0 <= place <= end + HIDDEN and not _balanced(text[end:place]):
                place = text.find(part, place + 1)
            if not 0 <= place <= end + HIDDEN:
                break
            spans.append((place, place + len(part)))
        else:
            return spans
        at = start + 1
    return None


def _balanced(hidden: str) -> bool:
    """Whether every bracket of a text closes one that was opened in it, and none stays open."""
    open_: list[str] = []
    for char in hidden:
        if char in "([{":
            open_.append(char)
        elif char in ")]}" and (not open_ or open_.pop() + char not in ("()", "[]", "{}")):
            return False
    return not open_


@dataclass(frozen=True, slots=True)
class _Fit:
    """As in `Streamed`; `shifts` are how much deeper the file's statements are indented."""

    broken: bool
    uneven: bool
    spaced: bool
    shifts: frozenset[int]


def _fits(piece: Sequence[Line], spans: Spans, stream: Stream) -> _Fit | None:
    """How the piece stands there; None where it does not, or its statements are indented otherwise."""
    begin, end = spans[0][0], spans[-1][1]
    first, last = stream.line_at(begin), stream.line_at(max(end - 1, begin))
    before = stream.text[stream.starts[first] : begin]
    after = stream.text[end : stream.starts[last] + len(stream.parts[last])]
    if not _OPENS.match(before) or not _CLOSES.match(after):
        return None
    mine = _line_starts(piece, spans)
    # What begins right behind dots does so in the middle of what they hide: the quote cannot show that.
    theirs = {one for one in stream.starts[first : last + 1] if one == begin or any(a < one < b for a, b in spans)}
    shifts: set[int] = set()
    inside: set[int] = set()
    for start, line, free in zip(mine, piece, _begins_statement(piece), strict=True):
        if start in theirs:
            (shifts if free else inside).add(stream.lines[stream.line_at(start)][1] - line[1])
    if len(shifts) > 1:
        return None
    broken = not set(mine) - {begin} <= theirs or not theirs <= {*mine, begin}
    spaced = _spaces_differ(piece, [*mine, end], stream, theirs)
    if spaced is None:
        return None
    return _Fit(broken, len(inside | shifts) > 1, spaced, frozenset(shifts))


def _spaces_differ(piece: Sequence[Line], mine: Sequence[int], stream: Stream, theirs: set[int]) -> bool | None:
    """Whether white space inside of lines differs; None where that is in a string, or a comma is added or missing.

    Where either side breaks a line the other may have white space or none.
    """
    differ = False
    for (text, _), start, following in zip(piece, mine, mine[1:], strict=False):
        if start not in theirs:
            continue
        line = stream.line_at(start)
        own = stream.lines[line][0]
        same = stream.starts[line] == start and stream.starts[line + 1] == following
        if same and len(_SPACE.sub("", text)) != len(_SPACE.sub("", own)) and not _DOTS.search(text):
            return None
        mine_at, theirs_at = _spaces(text), _spaces(own)
        reach = min(len(_SPACE.sub("", text.rstrip(","))), len(_SPACE.sub("", own.rstrip(","))))
        if dots := _DOTS.search(text):
            reach = min(reach, len(_SPACE.sub("", text[: dots.start()])))
        wrong = {at for at in mine_at.keys() | theirs_at.keys() if at < reach and mine_at.get(at) != theirs_at.get(at)}
        if any((mine_at.get(at) or theirs_at[at])[1] for at in wrong):
            return None
        differ = differ or bool(wrong)
    return differ


def _spaces(text: str) -> dict[int, tuple[str, bool]]:
    """The characters (white space not counted) that have white space before them: which, and whether in a string."""
    found: dict[int, tuple[str, bool]] = {}
    count, quote, before = 0, "", ""
    for char in text:
        if char.isspace():
            before += char
            continue
        if before:
            found[count] = before, bool(quote)
        if char in "\"'" and quote in ("", char):
            quote = "" if quote else char
        before = ""
        count += 1
    return found


def _line_starts(piece: Sequence[Line], spans: Spans) -> list[int]:
    """Where each line of the piece begins in the stream."""
    begins: list[tuple[int, int]] = []
    at = 0
    for start, end in spans:
        begins.append((at, start))
        at += end - start + 3
    found: list[int] = []
    at = 0
    for text in _joinable(piece):
        mine, theirs = next(one for one in reversed(begins) if one[0] <= at)
        found.append(theirs + at - mine)
        at += len(_DOTS.sub("...", text) if len(spans) > 1 else text)
    return found


def _begins_statement(piece: Sequence[Line]) -> list[bool]:
    """Whether each line begins outside of brackets and of strings of several lines."""
    found: list[bool] = []
    depth, inside = 0, ""
    for text, _ in piece:
        found.append(depth <= 0 and not inside)
        for mark in _TRIPLE.findall(text):
            inside = mark if not inside else "" if mark == inside else inside
        if not inside:
            depth += sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))
    return found
