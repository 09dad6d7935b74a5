"""Where cited text stands in one tree: in its file, in its symbol, elsewhere; never a guess.

`find_text` looks for a pattern near the place that is cited; what it answers is one of a closed set of outcomes
from which the verdicts on quotes and on locations are made (refcheck.claims.cited).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ..model.place import LineRange, Place
from .match import Match, find_pattern
from .outline import Symbol
from .pattern import Pattern
from .reader import TreeReader
from .similar import Survivors, changed_survivors, survivors


@dataclass(frozen=True, slots=True)
class Found:
    """The text stands at one place. `others` are further places that lost to the evidence `why`."""

    path: str
    match: Match
    symbol: str | None
    why: str = ""
    others: tuple[Place, ...] = ()

    @property
    def place(self) -> Place:
        return Place(self.path, self.match.lines, self.symbol)


@dataclass(frozen=True, slots=True)
class Several:
    """The text stands at several places that the evidence cannot part."""

    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Differs:
    """The place exists and its text is another. `survivors` are the lines that are still the same."""

    place: Place
    survivors: Survivors | None


@dataclass(frozen=True, slots=True)
class Absent:
    """Neither the text nor most of its lines nor its symbol stand anywhere that was looked at."""

    path_exists: bool
    searched_tree: bool


Outcome: TypeAlias = Found | Several | Differs | Absent

MOST = 0.5
"""This share of the lines in order makes a place recognisable by its text alone."""
FEW = 0.3
"""This share makes it recognisable together with the name of its definition."""
SHORT = 3
"""Texts of at most this many lines are recognised by their definition's name."""
TELLING = 40
"""So many characters make a short text known where no definition is named; `x = 1` stands somewhere by chance."""

Search = Callable[[Pattern], list[tuple[str, Match]]]


def find_text(
    pattern: Pattern,
    reader: TreeReader,
    path: str,
    *,
    symbol: str | None = None,
    lines: LineRange | None = None,
    search: Search | None = None,
) -> Outcome:
    """Looks in `path` first, then, where the text is not there, in the files that `search` covers.

    `lines` are the cited ones; they part equal texts only where the tree is the one that they were written for
    (the caller passes None elsewhere).
    """
    exists = reader.tree.has(path)
    if exists:
        matches = find_pattern(pattern, reader.lines(path), ending=lines.last if lines is not None else None)
        if matches:
            return _choose([(path, match) for match in matches], reader, symbol, lines)
    differing = _differing(pattern, reader, path, symbol, lines) if exists else None
    short = pattern.solid <= SHORT
    if differing is not None and (short or _recognisable(differing)):
        return differing
    if search is not None:
        elsewhere = [(p, m) for p, m in search(pattern) if p != path]
        same = [(p, m) for p, m in elsewhere if symbol and _is_named(reader, p, m.lines, symbol)]
        # A line or two stand in many places by chance: elsewhere they are the same thing only under the same name.
        known = not short or sum(len(line.key) for piece in pattern.pieces for line in piece) >= TELLING
        pool = same if short and (symbol or not known) else elsewhere
        if len(pool) == 1 or len(same) == 1:
            p, m = (same or pool)[0]
            others = tuple(_place(reader, q, n) for q, n in elsewhere if (q, n) != (p, m))
            return Found(p, m, reader.symbol_at(p, m.lines), "the only place", others)
        if len(pool) > 1 and pattern.solid >= 2:
            return Several(tuple(_place(reader, p, m) for p, m in pool))
    if differing is None and exists and lines is not None:
        kept = changed_survivors(pattern, reader.lines(path), lines)
        if kept is not None:
            differing = Differs(Place(path, kept.lines, reader.symbol_at(path, kept.lines)), kept)
    if differing is not None:
        return differing
    return Absent(exists, search is not None)


def _choose(
    matches: Sequence[tuple[str, Match]], reader: TreeReader, symbol: str | None, lines: LineRange | None
) -> Outcome:
    """One of several places in one file, by symbol, then by the cited lines; or all of them."""
    if len(matches) == 1:
        path, match = matches[0]
        return Found(path, match, reader.symbol_at(path, match.lines))
    in_symbol = [(p, m) for p, m in matches if symbol and _is_named(reader, p, m.lines, symbol)]
    for pool, why in ((in_symbol, f"the only one in {symbol}"), (in_symbol or list(matches), "")):
        if len(pool) == 1:
            return _found(pool[0], matches, reader, why)
    pool = in_symbol or list(matches)
    if lines is not None:
        # Around elisions one text stands from several beginnings on: the one that is cited wins.
        exactly = [(p, m) for p, m in pool if m.lines == lines]
        at_lines = exactly or [(p, m) for p, m in pool if m.lines.overlaps(lines)]
        if len(at_lines) == 1:
            return _found(at_lines[0], matches, reader, "the one at the cited lines")
    return Several(tuple(_place(reader, p, m) for p, m in pool))


def _found(chosen: tuple[str, Match], matches: Sequence[tuple[str, Match]], reader: TreeReader, why: str) -> Found:
    path, match = chosen
    others = tuple(_place(reader, p, m) for p, m in matches if (p, m) != chosen)
    return Found(path, match, reader.symbol_at(path, match.lines), why, others)


def _place(reader: TreeReader, path: str, match: Match) -> Place:
    return Place(path, match.lines, reader.symbol_at(path, match.lines))


def _is_named(reader: TreeReader, path: str, lines: LineRange, symbol: str) -> bool:
    """Whether the lines lie in the symbol or are its definition."""
    return any(s.lines.contains(lines) or lines.contains(s.lines) for s in _symbols(reader, path, symbol))


def _symbols(reader: TreeReader, path: str, symbol: str) -> tuple[Symbol, ...]:
    return reader.outline(path).symbols_named(symbol)


def _recognisable(differing: Differs) -> bool:
    """Whether the place is known by most of its lines, and not by its definition's name alone."""
    return differing.survivors is not None and differing.survivors.share >= MOST


def _differing(
    pattern: Pattern, reader: TreeReader, path: str, symbol: str | None, cited: LineRange | None
) -> Differs | None:
    """Where most lines of the pattern survive in the file, or else where its symbol stands."""
    lines = reader.lines(path)
    symbols = _symbols(reader, path, symbol) if symbol else ()
    whole = LineRange(1, max(1, len(lines.source.lines)))
    for scope in (*(s.lines for s in symbols), whole):
        kept = survivors(pattern, lines, scope)
        if kept is None or kept.share < MOST:
            continue
        # One line of two is a trace only where the page says that it stands.
        near = cited is not None and kept.lines.overlaps(cited)
        if kept.solid_kept >= 2 or (pattern.solid > 1 and near):
            return Differs(Place(path, kept.lines, reader.symbol_at(path, kept.lines)), kept)
    if len(symbols) == 1:
        only = symbols[0]
        kept = survivors(pattern, lines, only.lines)
        # A short text may change in every line and still be the same place (a flipped default); of a long one,
        # a few common lines under the same name are no trace.
        if pattern.solid <= SHORT or (kept is not None and kept.share >= FEW):
            return Differs(Place(path, only.lines, only.name), kept)
    return None
