"""Code that a sentence repeats letter by letter, compared with the lines that it cites for it.

A name in the lines does not hold a whole statement: `return self._heap[0]`, a signature with another parameter, a
field with another default, a message in quotation marks. Three questions are asked of each such piece: does the cited
statement of the same name read otherwise, does it have another default, and does the piece stand elsewhere in the
file only. A piece that is shorter than the source's statement, with words left out, is the same statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..documents.code_words import CodeWord
from ..locate.outline import SymbolKind
from ..locate.reader import TreeReader
from ..locate.statement import statement_last
from ..model import codes
from ..model.document import Citation, Document
from ..model.evidence import Comparison, SourceLines
from ..model.place import LineRange, Place
from ..model.verdict import Changed, Holds, Imprecise
from .tied_words import TiedWords

FEWEST_TOKENS = 4
FEWEST_CHARACTERS = 10
"""Pieces that are shorter say nothing about a place."""
REPEATED = 5
"""A piece that a file has more often than this says nothing about a place."""

_CALLABLE = frozenset({SymbolKind.FUNCTION, SymbolKind.METHOD, SymbolKind.OVERLOAD, SymbolKind.PROPERTY})
_TOKEN = re.compile(r"\d[\w.]*|\w+|[^\w\s]")
_LEFT_OUT = re.compile(r"\.\.\.|…")
_HEADER = re.compile(r"(?:async\s+)?(?:def|class)\s+(?P<name>\w+)\s*(?=[(\[:]|\Z)")
_SETS = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*(?::[^=]{1,120})?=(?!=)\s*(?P<value>\S.*)\Z", re.DOTALL)
_LITERAL = re.compile(r"(?:True|False|None|[-+]?\d[\d_]*(?:\.\d+)?(?:e[-+]?\d+)?|\"[^\"\n]*\"|'[^'\n]*')\Z")
_FIELD = re.compile(r"(?:\w+\.)?[Ff]ield\(\s*(?:default\s*=\s*)?(?P<value>[^\s,()=]+)\s*[,)]")
_ASKS = re.compile(
    r"(?:\b(?:set|sets|setting|pass|passes|passing|use|uses|using|with|try|e\.g\.|like|such as|if|when|raise|lower|"
    r"increase|decrease|reduce|change|example|override|overrides)|设置|设为|例如|如果|传入|使用|当)[\s:,：]{0,2}[`'\"]?\Z",
    re.IGNORECASE,
)
"""What stands before a setting that the page gives to its readers, and not to the source."""
_DEFAULTS_TO = re.compile(
    r"[`\s]{0,3}(?:defaults\s(?:to|is)|is\s(?:set\s)?(?:to\s)?by\sdefault|by\sdefault\sis|的?默认值?[为是])\s?[:：]?\s?"
    r"`?(?P<value>[-+]?\d[\d_]*(?:\.\d+)?|True|False|None)`?(?![\w%])(?!\.\d)"
)
_GIVES = re.compile(
    r"(?:\b(?:returns?|returning|raises?|raising|yields?)|返回|抛出)[\s:：]{0,2}(?:the\s)?[`'\"“]{0,2}\Z"
)
"""What stands before what a definition gives back."""
_DEFAULT_OF = re.compile(r"\bdefault(?:\svalue)?\s(?:of|for)\s(?:the\s)?`?\Z", re.IGNORECASE)
_IS = re.compile(r"[`\s]{0,3}is\s`?(?P<value>[-+]?\d[\d_]*(?:\.\d+)?|True|False|None)`?(?![\w%])(?!\.\d)")


def other_default(
    document: Document, citation: Citation, tied: TiedWords, reader: TreeReader, found: Place
) -> Changed | None:
    """`name = literal`, or "`name` defaults to literal", where the cited field of that name has another default."""
    assert found.lines is not None
    if citation.prose is None:
        return None
    text = document.prose[citation.prose].text
    for word in tied.own:
        said = _said_default(text, word)
        if said is None or not word.name:
            continue
        for number, statement in _statements(reader, found, word.name):
            setting = _SETS.search(statement.strip())
            value = setting.group("value").partition("#")[0].strip() if setting else ""
            field = _FIELD.match(value)
            actual = field.group("value") if field else value
            if not _LITERAL.match(actual) or _same_value(actual, said):
                continue
            place = Place(found.path, LineRange(number, number), found.symbol)
            line = reader.text(found.path).lines[number - 1]
            return Changed(
                f"the page says {word.name} = {said}, and L{number} sets its default to {actual}",
                place,
                (Comparison(word.name, said, actual), SourceLines(place, (line,), "the cited line")),
            )
    return None


def _said_default(text: str, word: CodeWord) -> str | None:
    """The default that a sentence says a name has; None where it says none, or asks the reader to set one."""
    before = text[max(0, word.start - 40) : word.start]
    if word.kind == "assignment":
        return word.value if _LITERAL.match(word.value) and not _ASKS.search(before) else None
    after = text[word.end : word.end + 60]
    says = _DEFAULTS_TO.match(after) or (_IS.match(after) if _DEFAULT_OF.search(before) else None)
    return says.group("value") if says else None


def _same_value(one: str, other: str) -> bool:
    try:
        return float(one.replace("_", "")) == float(other.replace("_", ""))
    except ValueError:
        return one.replace("'", '"') == other.replace("'", '"')


def written_otherwise(
    document: Document, citation: Citation, tied: TiedWords, reader: TreeReader, found: Place
) -> Changed | Imprecise | None:
    """A whole statement or header in a code span where the cited lines have that statement with other words."""
    assert found.lines is not None
    if citation.prose is None:
        return None
    text = document.prose[citation.prose].text
    for piece in tied.written:
        name = _stated_name(piece)
        if name is None or _ASKS.search(text[max(0, piece.start - 40) : piece.start]):
            continue
        sources = list(_statements(reader, found, name, header=_HEADER.match(piece.value) is not None))
        if not sources or any(_is_part(_tokens(piece.value), _tokens(source)) for _, source in sources):
            continue
        number, source = sources[0]
        place = Place(found.path, LineRange(number, number), found.symbol)
        line = reader.text(found.path).lines[number - 1]
        says = f"the page writes {_short(piece.value)}, and L{number} has {_short(source)}"
        evidence = (
            Comparison(name, piece.value, " ".join(source.split())),
            SourceLines(place, (line,), "the cited line"),
        )
        if _HEADER.match(piece.value):  # signatures are written in short form, and with types of the page's own
            return Imprecise(says, codes.WRONG_AT_BIRTH, place, evidence)
        return Changed(says, place, evidence)
    return None


def judge_written(tied: TiedWords, reader: TreeReader, found: Place, shown: LineRange) -> Holds | Imprecise | None:
    """Whether a piece of code or a message stands in the lines, or only elsewhere in the file.

    `shown` are the lines that count as cited. None where the file has none of the pieces, or has them too often.
    """
    assert found.lines is not None
    lines = reader.text(found.path).lines
    missing: Imprecise | None = None
    for piece in tied.written:
        wanted = _tokens(piece.value)
        if len(wanted) < FEWEST_TOKENS - (not piece.in_code) or len(piece.value) < FEWEST_CHARACTERS:
            continue
        if _has(wanted, _tokens("\n".join(lines[shown.first - 1 : shown.last]))):
            return Holds(f"the lines have {_short(piece.text)}, which the sentence names", found)
        places = _places_of(wanted, lines)
        if not places or len(places) > REPEATED or missing is not None:
            continue
        first, last = found.lines.first, found.lines.last
        nearest = min(places, key=lambda p: (max(first - p.last, p.first - last, 0), p.first))
        place = Place(found.path, nearest, reader.symbol_at(found.path, nearest))
        missing = Imprecise(
            f"the lines do not have {_short(piece.text)}, which the sentence names; it stands at {nearest}",
            codes.WRONG_AT_BIRTH,
            place,
            (
                SourceLines(found, lines[first - 1 : min(last, first + 7)], "the cited lines"),
                SourceLines(place, lines[nearest.first - 1 : nearest.last], "the likely place"),
            ),
        )
    return missing


def returned_elsewhere(
    document: Document, citation: Citation, tied: TiedWords, reader: TreeReader, found: Place
) -> Imprecise | None:
    """`X (place) returns code` where that code stands in another definition only, not in those of the lines."""
    assert found.lines is not None
    if citation.prose is None:
        return None
    text = document.prose[citation.prose].text
    pieces = [p for p in tied.written if _GIVES.search(text[max(0, p.start - 40) : p.start])]
    if not pieces:
        return None
    around = found.lines
    for symbol in reader.outline(found.path).symbols:
        if symbol.kind in _CALLABLE and symbol.lines.overlaps(found.lines):
            around = LineRange(min(around.first, symbol.lines.first), max(around.last, symbol.lines.last))
    for piece in pieces:
        verdict = judge_written(TiedWords(written=(piece,)), reader, found, around)
        if isinstance(verdict, Imprecise):
            return verdict
    return None


def is_inside_written(word: CodeWord, tied: TiedWords) -> bool:
    """Whether a word is only a part of a piece of code that the sentence repeats."""
    return any(piece.start <= word.start and word.end <= piece.end for piece in tied.written)


def _stated_name(piece: CodeWord) -> str | None:
    """Whose header or statement a piece is; None for any other code, and for plain `name = literal`."""
    if (header := _HEADER.match(piece.value)) is not None:
        return header.group("name")
    setting = _SETS.match(piece.value)
    if setting is None or not piece.in_code or not re.search(r"[(\[]", setting.group("value")):
        return None
    return setting.group("name")


def _statements(reader: TreeReader, found: Place, name: str, *, header: bool = False) -> Iterator[tuple[int, str]]:
    """The cited statements that set a name, or the header of the cited definition of that name, with their lines."""
    assert found.lines is not None
    lines = reader.text(found.path).lines
    if header:
        for symbol in reader.outline(found.path).symbols_named(name):
            if symbol.short == name and LineRange(symbol.definition, symbol.signature_last).overlaps(found.lines):
                yield symbol.definition, "\n".join(lines[symbol.definition - 1 : symbol.signature_last])
        return
    sets = re.compile(rf"\s*{re.escape(name)}\s*(?::[^=#\n]{{1,120}})?=(?!=)")
    for number in range(found.lines.first, min(found.lines.last, len(lines)) + 1):
        if sets.match(lines[number - 1]):
            yield number, "\n".join(lines[number - 1 : statement_last(lines, number)])


def _tokens(text: str) -> list[str]:
    """Names, numbers and signs, without white space, commas before closing brackets, or the kind of quotation mark."""
    found = _TOKEN.findall(_LEFT_OUT.sub(" ", text).replace("'", '"'))
    return [a for a, b in pairwise([*found, ""]) if not (a == "," and b in (")", "]", "}"))]


def _is_part(piece: Sequence[str], source: Sequence[str]) -> bool:
    """Whether the tokens stand in the source's in their order, some left out."""
    rest = iter(source)
    return all(token in rest for token in piece)


def _has(piece: Sequence[str], source: Sequence[str]) -> bool:
    """Whether the tokens stand in the source's one behind the other."""
    return any(source[i : i + len(piece)] == piece for i, token in enumerate(source) if token == piece[0])


def _places_of(piece: list[str], lines: Sequence[str]) -> list[LineRange]:
    """Where the tokens stand one behind the other in a file, in at most three lines."""
    word = max((token for token in piece), key=len)
    places: list[LineRange] = []
    for number, line in enumerate(lines, 1):
        if word not in line:
            continue
        if _has(piece, _tokens(line)):
            places.append(LineRange(number, number))
            continue
        around = LineRange(max(1, number - 1), min(len(lines), number + 1))
        if not any(p.overlaps(around) for p in places) and _has(
            piece, _tokens("\n".join(lines[around.first - 1 : around.last]))
        ):
            places.append(around)
    return places


def _short(code: str) -> str:
    one = " ".join(code.split())
    return one if len(one) <= 80 else one[:77] + "..."
