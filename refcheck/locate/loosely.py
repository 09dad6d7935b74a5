"""Quotes as people make them: with comments changed, cut without a mark, re-wrapped, numbered, or shown as a diff.

Tried only where the text does not stand as it is. What was set aside to make it fit is said by name; a text that fits
in none of these ways is no quote.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..model.place import LineRange
from .match import FileLines
from .pattern import is_elision

_NUMBERED = re.compile(r"\s{0,8}(\d{1,6})(?:\s?[|:│]\s?|\t|\s{2,})(.*)\Z")
_BARE_NUMBER = re.compile(r"\s{0,8}(\d{1,6})\s?[|:│]?\s*\Z")
_HASH = re.compile(r"(?:^|\s)#(?![!{]).*\Z")
_SLASHES = re.compile(r"(?:^|\s)//.*\Z|/\*.*?\*/")
_ARROW_NOTE = re.compile(r"\s*(?:←|<-{1,2}|⬅|①|②|③|④|⑤|⑥|⑦|⑧|⑨)[^\n]{0,200}\Z")
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class LooseMatch:
    """Where a quote stands, and what was set aside (`how`, one word group each)."""

    lines: LineRange
    how: tuple[str, ...]
    cut: tuple[LineRange, ...] = ()
    """Lines that the quote leaves out without a mark."""


def plain_lines(lines: Sequence[str], language: str = "") -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The lines without a listing's numbers or a diff's signs (the new side), and what was taken off."""
    how: list[str] = []
    out = list(lines)
    if language in ("diff", "patch") or _is_diff(out):
        out = [line[1:] if line[:1] in "+ " else line for line in out if not _is_diff_mark(line) and line[:1] != "-"]
        how.append("the new side of a diff")
    solid = [line for line in out if line.strip()]
    numbers = [int(m.group(1)) for line in solid if (m := _NUMBERED.match(line) or _BARE_NUMBER.match(line))]
    if len(solid) >= 2 and len(numbers) == len(solid) and all(a < b for a, b in itertools.pairwise(numbers)):
        out = [m.group(2) if (m := _NUMBERED.match(line)) else "" for line in out]
        how.append("a listing with line numbers")
    return tuple(out), tuple(how)


def old_side(lines: Sequence[str]) -> tuple[str, ...]:
    """The removed side of a diff."""
    return tuple(
        line[1:] if line[:1] in "- " else line for line in lines if not _is_diff_mark(line) and line[:1] != "+"
    )


def _is_diff(lines: Sequence[str]) -> bool:
    return any(line.startswith("@@ ") for line in lines)


def _is_diff_mark(line: str) -> bool:
    return line.startswith(("@@", "+++ ", "--- ", "diff --git ", "index "))


def find_loosely(
    lines: Sequence[str], file: FileLines, within: LineRange | None, *, may_cut: bool
) -> LooseMatch | None:
    """The quote in the file with comments aside, re-wrapped, or (`may_cut`) with lines left out; None if none fits.

    `within` is where to look (the cited range or the enclosing definition; None: the whole file). A cut is only read
    into it where the caller has a reason to: otherwise a line that was added to the engine would pass for one.
    """
    scope = within or LineRange(1, max(1, len(file.source.lines)))
    for strip, name in ((None, None), (_comment_stripper(file.source.path), "comments differ")):
        wanted = _keys(lines, strip)
        if sum(map(len, wanted)) < 12:
            continue
        theirs = _file_keys(file, scope, strip)
        whole = _contiguous(wanted, theirs)
        if whole is not None and name is not None:
            return LooseMatch(whole, (name,))
        if may_cut and (cut := _in_order(wanted, theirs)) is not None:
            span, gaps = cut
            return LooseMatch(span, (*((name,) if name else ()), "lines left out without a mark"), gaps)
        if (rewrapped := _rewrapped(wanted, theirs)) is not None:
            return LooseMatch(rewrapped, (*((name,) if name else ()), "line breaks differ"))
    return None


def _comment_stripper(path: str) -> Callable[[str], str]:
    comment = _SLASHES if path.endswith((".cu", ".cuh", ".cpp", ".cc", ".c", ".h", ".hpp", ".rs")) else _HASH

    def strip(line: str) -> str:
        return _ARROW_NOTE.sub("", comment.sub("", line))

    return strip


def _keys(lines: Sequence[str], strip: Callable[[str], str] | None) -> list[str]:
    kept = [line for line in lines if not is_elision(line)]
    return [key for line in kept if (key := (strip(line) if strip else line).strip())]


def _file_keys(file: FileLines, scope: LineRange, strip: Callable[[str], str] | None) -> list[tuple[int, str]]:
    pairs = zip(file.numbers, file.texts, strict=True)
    inside = ((number, text) for number, text in pairs if scope.first <= number <= scope.last)
    return [(number, key) for number, text in inside if (key := (strip(text) if strip else text).strip())]


def _contiguous(wanted: Sequence[str], theirs: Sequence[tuple[int, str]]) -> LineRange | None:
    """The one run of lines that equals the quote; None if there is none or several."""
    keys = [key for _, key in theirs]
    size = len(wanted)
    places = [i for i in range(len(keys) - size + 1) if keys[i] == wanted[0] and keys[i : i + size] == list(wanted)]
    if len(places) != 1:
        return None
    return LineRange(theirs[places[0]][0], theirs[places[0] + size - 1][0])


def _in_order(
    wanted: Sequence[str], theirs: Sequence[tuple[int, str]]
) -> tuple[LineRange, tuple[LineRange, ...]] | None:
    """Every line of the quote in order, tightly from the last backwards, with the gaps between."""
    if len(wanted) < 2:
        return None
    at = 0
    for key in wanted:
        while at < len(theirs) and theirs[at][1] != key:
            at += 1
        if at == len(theirs):
            return None
        at += 1
    numbers: list[int] = []
    position = at - 1
    for key in reversed(wanted):
        while theirs[position][1] != key:
            position -= 1
        numbers.append(position)
        position -= 1
    numbers.reverse()
    gaps = tuple(LineRange(theirs[a + 1][0], theirs[b - 1][0]) for a, b in itertools.pairwise(numbers) if b - a > 1)
    return LineRange(theirs[numbers[0]][0], theirs[numbers[-1]][0]), gaps


def _rewrapped(wanted: Sequence[str], theirs: Sequence[tuple[int, str]]) -> LineRange | None:
    """The quote's characters in the file with all white space aside, at one place, from line to line."""
    text = _SPACE.sub("", "".join(wanted))
    if len(text) < 24:
        return None
    starts: list[int] = []
    parts: list[str] = []
    length = 0
    for _, key in theirs:
        part = _SPACE.sub("", key)
        starts.append(length)
        parts.append(part)
        length += len(part)
    whole = "".join(parts)
    first = whole.find(text)
    if first < 0 or whole.find(text, first + 1) >= 0:
        return None
    from bisect import bisect_right

    a = bisect_right(starts, first) - 1
    b = bisect_right(starts, first + len(text) - 1) - 1
    return LineRange(theirs[a][0], theirs[b][0])
