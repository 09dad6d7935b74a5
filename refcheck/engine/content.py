"""Blocks without a location: where their text stands in the engines, in one pass over each tree."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..locate.match import Match
from ..locate.pattern import Pattern, elided_pattern, has_bare_dots, is_elision, literal_pattern
from ..locate.reader import TreeReader
from ..model.document import Document, Quote, Span
from ..model.place import Place
from .searches import Searches
from .trees import Trees

MAX_SEGMENTS = 10
"""A block with more gaps than this is looked for whole and in single parts, not in every run of parts."""
MIN_SOLID = 3
MIN_CHARACTERS = 60
"""A shorter text stands in many places by chance; it is not taken for a quote on its content alone."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One place of a quote's text."""

    reader: TreeReader
    path: str
    match: Match

    @property
    def place(self) -> Place:
        return Place(self.path, self.match.lines, self.reader.symbol_at(self.path, self.match.lines))


@dataclass(frozen=True, slots=True)
class ContentQuote:
    """A quote that was found by its content: the part of the block, its pattern, and every place."""

    quote: Quote
    pattern: Pattern
    hits: tuple[Hit, ...]
    whole: bool = True
    """Whether it is the block as the document shows it, and not a part that was cut out of it."""


class ContentSearch:
    """The blocks of a document that have no location, on their way through the trees.

    A block may hold several quotes: it is cut at blank lines and at changes of indentation, and the cut with the
    fewest parts that all stand somewhere is taken. A text that looks like an elision is first tried as source.
    """

    def __init__(self, document: Document, trees: Trees, searches: Searches) -> None:
        self._trees = trees
        self._searches = searches
        blocks = [quote for quote in document.quotes_by_content if may_be_engine_code(quote)]
        self._plans = [(block, _plan(block)) for block in blocks]
        self.too_short = [block for block in blocks if not all(map(_is_distinctive, patterns_of(block.lines)))]
        """Blocks of which a reading was not looked for: so few words stand in many places by chance."""
        self.in_part: list[Quote] = []
        """Blocks of which parts were found, and not all of it."""
        for reader in trees.readers.values():
            searches.want(reader, (pattern for _, plan in self._plans for _, pattern in plan))

    def result(self) -> tuple[list[ContentQuote], list[Quote]]:
        """The quotes that stand in some engine, and the blocks that do not; once the searches were made."""
        found: list[ContentQuote] = []
        unfound: list[Quote] = []
        for block, plan in self._plans:
            chosen = _choose(plan, [self._hits(pattern) for _, pattern in plan])
            if chosen:
                covered = sum(cut[1] - cut[0] for cut, _, _ in chosen)
                if covered < len(block.lines):
                    self.in_part.append(block)
                found += [
                    ContentQuote(part_of(block, cut), pattern, tuple(hits), cut == (0, len(block.lines)))
                    for cut, pattern, hits in chosen
                ]
            else:
                unfound.append(block)
        return found, unfound

    def _hits(self, pattern: Pattern) -> list[Hit]:
        return [
            Hit(reader, path, match)
            for reader in self._trees.readers.values()
            for path, match in self._searches.found(reader, pattern)
        ]


def by_neighbouring_paths(document: Document, found: ContentQuote) -> tuple[tuple[Hit, ...], str]:
    """The one hit in a file that the paragraph before or after the quote names, and that as a sentence; else all."""
    for index in (found.quote.before, found.quote.after):
        if index is None:
            continue
        for path in [c.path for c in document.citations if c.prose == index and c.path is not None]:
            fitting = tuple(h for h in found.hits if h.path == path or h.path.endswith("/" + path))
            if len(fitting) == 1:
                why = f"the same text stands at {len(found.hits)} places; the paragraph next to it names {path}"
                return fitting, why
    return found.hits, ""


def may_be_engine_code(quote: Quote) -> bool:
    """Shell sessions, console output and data are no quotes of an engine."""
    return quote.language not in NOT_CODE


NOT_CODE = frozenset(
    {"shell", "console", "bash", "sh", "zsh", "text", "output", "log", "diff-stat", "mermaid", "powershell"}
)

_IMPORT = re.compile(r"(?:from\s+\S+\s+)?import\b|#include\b|use\s+[\w:]+")

Cut = tuple[int, int]


def _plan(block: Quote) -> list[tuple[Cut, Pattern]]:
    """The runs of lines to look for, each with its patterns (literal first, then around its elisions)."""
    plan: list[tuple[Cut, Pattern]] = []
    for cut in _cuts(block.lines):
        lines = block.lines[cut[0] : cut[1]]
        for pattern in patterns_of(lines):
            if _is_distinctive(pattern):
                plan.append((cut, pattern))
    return plan


def patterns_of(lines: Sequence[str]) -> Iterator[Pattern]:
    """The patterns that a quote's lines may mean: as they stand, then with marks as gaps; dots alone may be source."""
    try:
        yield literal_pattern(tuple(lines))
    except ValueError:
        return
    if any(is_elision(line) for line in lines):
        for dots_are_source in (True, False) if has_bare_dots(tuple(lines)) else (False,):
            elided = elided_pattern(tuple(lines), dots_are_source=dots_are_source)
            if elided is not None:
                yield elided


def _is_distinctive(pattern: Pattern) -> bool:
    lines = [line.key for piece in pattern.pieces for line in piece if not line.blank]
    return len(lines) >= MIN_SOLID or sum(map(len, lines)) >= MIN_CHARACTERS


def only_imports(pattern: Pattern) -> bool:
    """Whether a text does nothing but import: every example of an engine's use begins like that."""
    inside = False
    for line in (line for piece in pattern.pieces for line in piece if not line.blank):
        if not inside and not _IMPORT.match(line.key):
            return False
        inside = (inside or line.key.endswith("(")) and not line.key.endswith(")")
    return not inside


def _cuts(lines: tuple[str, ...]) -> list[Cut]:
    """Every run of parts of the block, the whole first, longer before shorter."""
    bounds = [0]
    for index in range(1, len(lines)):
        if lines[index].strip() and not lines[index - 1].strip():
            bounds.append(index)
    bounds.append(len(lines))
    parts = len(bounds) - 1
    cuts = [(0, len(lines))]
    widths = range(parts - 1, 0, -1) if parts <= MAX_SEGMENTS else (1,)
    for width in widths:
        for start in range(parts - width + 1):
            cuts.append((bounds[start], bounds[start + width]))
    return cuts


def _choose(plan: Sequence[tuple[Cut, Pattern]], hits: Sequence[list[Hit]]) -> list[tuple[Cut, Pattern, list[Hit]]]:
    """The found cuts that cover the block with the fewest, longest parts; no two overlap."""
    chosen: list[tuple[Cut, Pattern, list[Hit]]] = []
    for (cut, pattern), places in zip(plan, hits, strict=True):
        if places and all(cut[1] <= other[0] or other[1] <= cut[0] for other, _, _ in chosen):
            chosen.append((cut, pattern, places))
    return sorted(chosen, key=lambda item: item[0])


def part_of(block: Quote, cut: Cut) -> Quote:
    """The lines of a cut as a quote of its own, blank edges trimmed."""
    first, last = cut
    while first < last and not block.lines[first].strip():
        first += 1
    while last > first and not block.lines[last - 1].strip():
        last -= 1
    if (first, last) == (0, len(block.lines)):
        return block
    start = block.offsets[first]
    end = block.offsets[last] if last < len(block.lines) else block.span.end
    return replace(block, lines=block.lines[first:last], offsets=block.offsets[first:last], span=Span(start, end))
