"""What a sentence says of a definition, compared with that definition and not with a name that happens to be there.

`Owner.member` beside a place means that member: another class's member of the same name, or the word in a comment,
does not hold it. Where the sentence says "is defined in", the lines have to show the definition's header.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..documents.code_words import CodeWord
from ..locate.code_text import code_lines
from ..locate.outline import Symbol
from ..locate.reader import TreeReader
from ..model import codes
from ..model.evidence import SourceLines
from ..model.place import LineRange, Place
from ..model.verdict import Holds, Imprecise
from .tied_words import TiedWords

_OWN = frozenset({"self", "cls", "this", "super"})
_PLAIN = re.compile(r"[a-z]+\Z")


@dataclass(frozen=True, slots=True)
class Definitions:
    """What was found for the words that name a definition: `wrong` stands where nothing else speaks for the lines."""

    holds: Holds | None = None
    wrong: Imprecise | None = None
    strict: bool = False
    """The sentence says that it is defined there: nothing else that stands in the lines makes it right."""
    resolved: frozenset[CodeWord] = frozenset()
    """The words that are answered with that."""


def is_plain(name: str) -> bool:
    """Whether a name is a word of English as well (`step`, `run`), which comments are full of."""
    return _PLAIN.match(name) is not None


def stands_in_code(name: str, reader: TreeReader, path: str, lines: LineRange) -> bool:
    """Whether a name stands in lines outside of comments and strings, and not as the header of a definition."""
    use = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
    header = re.compile(rf"\b(?:def|class|fn|struct)\s+{re.escape(name)}(?!\w)")
    shown = code_lines(reader.text(path))[lines.first - 1 : lines.last]
    return any(use.search(header.sub(" ", line)) for line in shown)


def judge_definitions(tied: TiedWords, reader: TreeReader, found: Place) -> Definitions:
    """The citation's own words that name a definition, by the outline of the cited file."""
    assert found.lines is not None
    holds: Holds | None = None
    wrong: Imprecise | None = None
    resolved: set[CodeWord] = set()
    for word in tied.own:
        strict = word in tied.defined
        owner = word.owner if word.kind in ("member", "call") and word.owner.split(".")[0] not in _OWN else ""
        if word.kind == "string" or not word.name or not (owner or strict):
            continue
        name = f"{owner}.{word.name}" if owner else word.name
        verdict = _defined(name, word, reader, found) if strict else _named(name, word, reader, found)
        if verdict is None:
            continue
        if strict and isinstance(verdict, Imprecise):
            return Definitions(wrong=verdict, strict=True)
        resolved.add(word)
        if isinstance(verdict, Holds):
            holds = holds or verdict
        elif word not in tied.related:
            wrong = wrong or verdict
    return Definitions(holds, wrong, resolved=frozenset(resolved))


def _named(name: str, word: CodeWord, reader: TreeReader, found: Place) -> Holds | Imprecise | None:
    """`Owner.member` beside lines: they lie in it, use it, or are those of something else."""
    assert found.lines is not None
    symbols = reader.outline(found.path).symbols_named(name)
    if not symbols:
        return None
    inside = next((s for s in symbols if s.lines.overlaps(found.lines)), None)
    if inside is not None:
        return Holds(f"the lines are in {inside.name}, which the sentence names", found)
    if stands_in_code(word.name, reader, found.path, found.lines):
        return Holds(f"the lines have {word.name}, which the sentence names", found)
    return not_there(symbols, reader, found)


def _defined(name: str, word: CodeWord, reader: TreeReader, found: Place) -> Holds | Imprecise | None:
    """`… is defined in` lines: they show the header of the definition."""
    assert found.lines is not None
    outline = reader.outline(found.path)
    named = outline.symbols_named(name)
    symbols = named or outline.symbols_named(word.name)
    headed = next((s for s in symbols if LineRange(s.lines.first, s.signature_last).overlaps(found.lines)), None)
    if headed is not None:
        return Holds(f"the lines have the definition of {headed.name}, which the sentence names", found)
    text = reader.text(found.path)
    shown = text.lines[found.lines.first - 1 : found.lines.last]
    # A name that no outline lists may be written there all the same; another class's member is no answer.
    owners = outline.symbols_named(word.owner) if named and word.owner else ()
    elsewhere = bool(named and word.owner) and not any(s.lines.overlaps(found.lines) for s in owners)
    if not elsewhere and _writes_definition(word.name, shown):
        return Holds(f"the lines have {word.name}, which the sentence names", found)
    inside = next((s for s in symbols if s.lines.overlaps(found.lines)), None)
    if inside is not None:
        place = Place(found.path, LineRange(inside.definition, inside.definition), inside.name)
        return Imprecise(
            f"the lines are in {inside.name}, and its definition begins at L{inside.definition}",
            codes.RANGE_PARTIAL,
            place,
            (_shown(reader, found, "the cited lines"), _shown(reader, place, "the definition")),
        )
    if symbols:
        return not_there(symbols, reader, found)
    if not word.owner or not found.path.endswith(".py") or not outline.complete:
        return None
    return Imprecise(
        f"{found.path} defines no {name}; the lines only mention {word.name}"
        if any(re.search(rf"(?<!\w){re.escape(word.name)}(?!\w)", line) for line in shown)
        else f"{found.path} defines no {name}",
        codes.WRONG_AT_BIRTH,
        found,
        (_shown(reader, found, "the cited lines"),),
    )


def _writes_definition(name: str, shown: Sequence[str]) -> bool:
    """Whether lines define a name in a way that no outline lists: as a variable, a key, a registered name."""
    written = re.escape(name)
    sign = re.compile(
        rf"\b(?:def|class|fn|struct|enum|type|define)\s+{written}(?!\w)|[\"']{written}[\"']|"
        rf"(?<!\w){written}\s*(?::|=(?!=)|,[^()]{{0,80}}=(?!=))"
    )
    return any(sign.search(line) for line in shown)


def not_there(
    symbols: Sequence[Symbol], reader: TreeReader, found: Place, who: str = "the sentence names"
) -> Imprecise:
    """The lines are not those of any of the definitions of one name: the nearest one is the likely place."""
    assert found.lines is not None
    cited = found.lines
    symbol = min(symbols, key=lambda s: (max(s.lines.first - cited.last, cited.first - s.lines.last), s.lines.first))
    place = Place(found.path, LineRange(symbol.definition, symbol.definition), symbol.name)
    return Imprecise(
        f"the lines are not in {symbol.name}, which {who}; it stands at {symbol.lines}",
        codes.WRONG_AT_BIRTH,
        place,
        (_shown(reader, found, "the cited lines"), _shown(reader, place, "the likely place")),
    )


def _shown(reader: TreeReader, place: Place, label: str) -> SourceLines:
    assert place.lines is not None
    first = place.lines.first
    return SourceLines(place, reader.text(place.path).lines[first - 1 : min(place.lines.last, first + 7)], label)
