"""A location without a quote: whether its lines speak of what its sentence names.

The sentence's own code words are looked for in the cited lines, in the enclosing definition and near by. Where the
sentence names nothing, only the existence of the lines is checked, and that is what is said. The check is on the
page's side: it reports only where nothing that the sentence names stands in the lines, and something of it stands
elsewhere in the file.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from keyword import iskeyword

from ..documents.code_words import CodeWord, code_words
from ..documents.inherit import sentence
from ..locate.code_text import code_lines
from ..locate.outline import Symbol
from ..locate.reader import TreeReader
from ..locate.statement import statement_last
from ..model import codes
from ..model.document import Citation, Document
from ..model.evidence import Comparison, Evidence, SourceLines
from ..model.place import LineRange, Place
from ..model.verdict import Changed, Gone, Holds, Imprecise, Undecided, Verdict
from .definitions import is_plain, judge_definitions
from .table_rows import judge_row
from .tied_words import position_in, tied_words
from .written_code import is_inside_written, judge_written, other_default, returned_elsewhere, written_otherwise

NEAR = 3
"""Lines above and below the cited ones that a reader sees with them."""
COMMON = 40
"""A name that stands on more lines of a file than this says nothing about a place."""
SHORTEST = 4

OTHER_ENGINES = frozenset({"vllm", "sglang", "pytorch", "cuda", "triton", "flashinfer", "flashattention", "tensorrt"})
"""Names of projects, which sentences mention without meaning a line."""

_LITERAL = re.compile(r"(?:True|False|None|[-+]?\d[\d_]*(?:\.\d+)?(?:e[-+]?\d+)?|\"[^\"\n]*\"|'[^'\n]*')\Z")
_CLAUSE_END = re.compile(r"[,;:()（），；：。—–]\s?|\.\s")
_CALLS = re.compile(
    r"\b(?:calls?|called|calling|invokes?|invoking|dispatches? to|delegates? to|runs?)\b|→|->|调用", re.IGNORECASE
)


def judge_bare_location(document: Document, citation: Citation, reader: TreeReader, cited: Place) -> Verdict:
    """The verdict on a citation of which only the place is known."""
    source = reader.tree.source
    if cited.lines is None:
        return _judge_symbol(citation, reader, cited)
    if not source.exact:
        return Undecided(
            f"written for {source.pin[:12]}, and {source.read} was read; no text is known for {cited.lines}",
            codes.NOT_AT_THIS_REVISION,
        )
    text = reader.text(cited.path)
    lines = LineRange(cited.lines.first, min(cited.lines.last, max(len(text.lines), cited.lines.first)))
    found = Place(cited.path, lines, reader.symbol_at(cited.path, lines))
    if not any(line.strip() for line in text.lines[lines.first - 1 : lines.last]):
        blank = "the cited line is blank" if len(lines) == 1 else "the cited lines are blank"
        return Imprecise(blank, codes.WRONG_AT_BIRTH, found)
    if citation.symbol is not None and (verdict := judge_named(citation.symbol, reader, found)) is not None:
        return verdict
    tied = tied_words(document, citation)
    other = _other_value(tied.own, reader, found) or other_default(document, citation, tied, reader, found)
    if other is not None:
        return other
    if (otherwise := written_otherwise(document, citation, tied, reader, found)) is not None:
        return otherwise
    if (returned := returned_elsewhere(document, citation, tied, reader, found)) is not None:
        return returned
    defined = judge_definitions(tied, reader, found)
    if defined.strict and defined.wrong is not None:
        return defined.wrong
    if defined.holds is not None:
        inside = _symbols_around(reader, found)
        return _call_not_shown(document, citation, tied.all, reader, found, inside) or defined.holds
    own = tuple(word for word in tied.own if word not in defined.resolved)
    words = own or tuple(word for word in tied.free if word not in defined.resolved)
    names = _names(words, reader.tree.source.engine)
    if not names:
        return (
            defined.wrong
            or (judge_written(tied, reader, found, _begun_at(reader, found)) if tied.written else None)
            or judge_row(document, citation, reader, found)
            or Holds("the lines exist; nothing is named that they could be compared with", found, code=codes.EXISTS)
        )
    inside = _symbols_around(reader, found)
    shown = "\n".join(text.lines[lines.first - 1 : lines.last])
    present = [name for name in names if _speaks_of(name, shown, reader, found.path, lines)]
    missing = [word.name.rpartition(".")[2] for word in own if word.kind == "assignment" and word.name]
    begun = _begun_at(reader, found) if missing or not present else lines
    whole = "\n".join(text.lines[begun.first - 1 : begun.last])
    if missing and not any(_stands_in(name, whole) for name in missing):
        # `name = value` says what stands in the lines; a class around them is no answer to it.
        stated = _elsewhere([name for name in missing if len(name) >= SHORTEST], reader, found)
        if stated is not None:
            return stated
    # Names of one statement do not hold the lines where the whole of it stands on another one.
    parts = bool(present) and all(is_inside_written(word, tied) for word in own)
    written = judge_written(tied, reader, found, _begun_at(reader, found)) if parts else None
    if isinstance(written, Imprecise):
        return written
    if present:
        partial = _call_not_shown(document, citation, tied.all, reader, found, inside)
        return partial or Holds(f"the lines have {', '.join(present[:4])}, which the sentence names", found)
    if any(name.rpartition(".")[2] == symbol.short for name in names for symbol in inside):
        return Holds(f"the lines are in {found.symbol}, which the sentence names", found)
    outline = reader.outline(found.path)
    for symbol in (s for name in names for s in outline.symbols_named(name) if not s.kind.is_scope):
        if symbol.lines.overlaps(lines):
            return Holds(f"the lines are in {symbol.name}, which the sentence names", found)
    within = [name for name in names if _speaks_of(name, whole, reader, found.path, begun)]
    if within:
        return Holds(f"what begins there ({begun}) has {', '.join(within[:4])}, which the sentence names", found)
    free = [word for word in tied.free if word not in defined.resolved]
    others = [name for name in _names(free, reader.tree.source.engine) if name not in names]
    if any(name == symbol.short for name in others for symbol in inside):
        return Holds(f"the lines are in {found.symbol}, which the sentence names", found)
    others = [name for name in others if _speaks_of(name, shown, reader, found.path, lines)]
    if others:
        return Holds(f"the lines have {', '.join(others[:4])}, which the sentence names", found)
    telling = _meant_by_link(document, citation, own, _names(own, reader.tree.source.engine), reader, found)
    return (
        defined.wrong
        or _elsewhere(telling, reader, found)
        or judge_written(tied, reader, found, _begun_at(reader, found))
        or judge_row(document, citation, reader, found)
        or Holds(
            "the lines exist; nothing that the sentence names for them stands in this file", found, code=codes.EXISTS
        )
    )


def _begun_at(reader: TreeReader, found: Place) -> LineRange:
    """What a reader of one cited line sees as cited: the definition or the statement that begins there."""
    assert found.lines is not None
    if len(found.lines) > 1:
        return found.lines
    first = found.lines.first
    for symbol in reader.outline(found.path).symbols:
        if symbol.lines.first == first or symbol.definition == first:
            return LineRange(first, max(first, symbol.lines.last))
    return LineRange(first, statement_last(reader.text(found.path).lines, first))


def _meant_by_link(
    document: Document,
    citation: Citation,
    words: Iterable[CodeWord],
    names: list[str],
    reader: TreeReader,
    found: Place,
) -> list[str]:
    """The names that may be looked for elsewhere.

    A link with words of prose on it (`[here](…)`, `[its registry](…)`) says what stands behind it in those words
    and in their clause; what the rest of the sentence speaks of is meant only where the file defines it.
    """
    clause = _clause_of_link(document, citation)
    if clause is None:
        return names
    near = set(_names([w for w in words if clause[0] <= w.start and w.end <= clause[1]], reader.tree.source.engine))
    outline = reader.outline(found.path)
    return [name for name in names if name in near or any(s.short == name for s in outline.symbols_named(name))]


def _clause_of_link(document: Document, citation: Citation) -> tuple[int, int] | None:
    """Where the clause around a link stands whose text names no code and no place; None for any other citation."""
    if citation.prose is None or citation.url is None:
        return None
    prose = document.prose[citation.prose]
    at = position_in(prose, citation.span.start)
    link = next((m for m in prose.marks if m.kind == "link" and m.start <= at <= m.end + 1 and m.target), None)
    if link is None:
        return None
    label = prose.text[link.start : link.end]
    if re.search(r"[\d/_]|\.\w", label) or code_words(prose.text, prose.marks, link.start, link.end):
        return None
    start, end = sentence(prose.text, at)
    before = [m.end() for m in _CLAUSE_END.finditer(prose.text, start, link.start)]
    after = _CLAUSE_END.search(prose.text, link.end, end)
    return (before[-1] if before else start), (after.start() if after else end)


def _judge_symbol(citation: Citation, reader: TreeReader, cited: Place) -> Verdict:
    """A path alone, or a path with a definition's name."""
    if citation.symbol is None:
        return Holds("the file exists; no line or text is given", Place(cited.path), code=codes.EXISTS)
    symbols = reader.outline(cited.path).symbols_named(citation.symbol)
    places = tuple(Place(cited.path, s.lines, s.name) for s in symbols)
    if not places:
        if _stands_in(citation.symbol.rpartition(".")[2], reader.text(cited.path).text):
            return Holds(
                f"{citation.symbol} stands in {cited.path}, defined elsewhere", Place(cited.path), code=codes.EXISTS
            )
        if reader.outline(cited.path).complete:
            return Gone(f"{cited.path} defines no {citation.symbol} and does not mention it")
        return Undecided(f"{cited.path} cannot be parsed whole; no {citation.symbol} was found", codes.NOT_LOCATED)
    if len({place.symbol for place in places}) > 1:
        return Undecided(f"{citation.symbol} is defined {len(places)} times", codes.AMBIGUOUS, candidates=places)
    return Holds(f"{cited.path} defines {places[0].symbol}", places[0])


def judge_named(symbol: str, reader: TreeReader, found: Place) -> Holds | Imprecise | None:
    """Lines that are cited together with a definition's name: do they lie in it?"""
    assert found.lines is not None
    symbols = reader.outline(found.path).symbols_named(symbol)
    if not symbols:
        return None
    if any(s.lines.overlaps(found.lines) for s in symbols):
        return Holds(f"the lines are in {symbols[0].name}", found)
    where = Place(found.path, symbols[0].lines, symbols[0].name)
    return Imprecise(
        f"the lines are not in {symbols[0].name}, which stands at {symbols[0].lines}", codes.WRONG_AT_BIRTH, where
    )


def no_such_name(symbol: str, reader: TreeReader, found: Place) -> Imprecise | None:
    """A name that can be nothing but code, named with a place whose file does not have it."""
    if not re.search(r"[._]", symbol) or _stands_in(symbol.rpartition(".")[2], reader.text(found.path).text):
        return None
    return Imprecise(f"{found.path} defines no {symbol} and does not mention it", codes.WRONG_AT_BIRTH, found)


def _names(words: Iterable[CodeWord], engine: str) -> list[str]:
    """What to look for: distinctive names and strings, each once, in order; the engine's own name is none."""
    found: dict[str, None] = {}
    common = {engine.lower(), *OTHER_ENGINES}
    for word in words:
        for name in (word.name or word.text if word.kind != "string" else word.value,):
            clean = name.removesuffix("()").strip()
            last = clean.rpartition(".")[2]
            if last.lower() in common or iskeyword(last):
                continue
            if word.kind == "identifier" and not word.in_code and "_" not in last:
                # In running text inner capitals are names of products and methods more often than of code (RoPE).
                continue
            if len(last) >= SHORTEST and not last.isdigit() and "/" not in clean:
                found[last if word.kind != "string" else clean] = None
    return list(found)


def _other_value(words: tuple[CodeWord, ...], reader: TreeReader, found: Place) -> Changed | None:
    """`name = literal` in the sentence where the cited lines set that name to another literal."""
    assert found.lines is not None
    text = reader.text(found.path)
    for word in words:
        if word.kind != "assignment" or not _LITERAL.match(word.value):
            continue
        name = word.name.rpartition(".")[2]
        setting = re.compile(rf"(?<!\w){re.escape(name)}\s*(?::[^=#\n]{{1,120}})?=(?!=)\s*([^#\n]+?)\s*,?\s*(?:#.*)?\Z")
        values: list[tuple[int, str]] = []
        for number in range(found.lines.first, found.lines.last + 1):
            match = setting.search(text.lines[number - 1]) if number <= len(text.lines) else None
            if match:
                values.append(
                    (number, match.group(1).rstrip(")").strip() if "(" not in match.group(1) else match.group(1))
                )
        literals = [(number, value) for number, value in values if _LITERAL.match(value)]
        wanted = _value_of(word.value)
        if not literals or len(literals) != len(values) or any(_value_of(v) == wanted for _, v in literals):
            continue
        number, value = literals[0]
        place = Place(found.path, LineRange(number, number), found.symbol)
        return Changed(
            f"the page says {word.text.strip()}, and L{number} sets {name} to {value}",
            place,
            (
                Comparison(name, word.value, value),
                SourceLines(place, (text.lines[number - 1],), "the cited line"),
            ),
        )
    return None


def _value_of(literal: str) -> int | str:
    """What a literal stands for (`0.60` is 0.6); a whole number is none with a point, and words are themselves."""
    digits = literal.replace("_", "")
    if not digits.lstrip("+-")[:1].isdigit():
        return literal.replace("'", '"')
    return f"{float(digits)!r} with a point" if re.search(r"[.e]", digits) else int(digits[:4000])


def _stands_in(name: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None


def _speaks_of(name: str, shown: str, reader: TreeReader, path: str, lines: LineRange) -> bool:
    """Whether lines have a name; a word of English only where it is code."""
    if not _stands_in(name, shown):
        return False
    if not is_plain(name):
        return True
    code = "\n".join(code_lines(reader.text(path))[lines.first - 1 : lines.last])
    return _stands_in(name, code)


def _symbols_around(reader: TreeReader, place: Place) -> tuple[Symbol, ...]:
    """The definitions around the lines, innermost last, by their qualified name's parts."""
    assert place.lines is not None
    outline = reader.outline(place.path)
    return tuple(s for s in outline.symbols if s.kind.is_scope and s.lines.contains(place.lines))


def _call_not_shown(
    document: Document,
    citation: Citation,
    words: tuple[CodeWord, ...],
    reader: TreeReader,
    found: Place,
    inside: tuple[Symbol, ...],
) -> Imprecise | None:
    """`X calls Y` with lines that show X's signature and not the call."""
    assert found.lines is not None
    if citation.prose is None or not inside:
        return None
    own = inside[-1]
    prose = document.prose[citation.prose]
    at = position_in(prose, citation.span.start)
    callers = [w for w in words if (w.name or w.text).rpartition(".")[2] == own.short]
    if not callers:
        return None
    text = reader.text(found.path)
    shown = "\n".join(text.lines[found.lines.first - 1 : found.lines.last])
    body = "\n".join(text.lines[own.lines.first - 1 : own.lines.last])
    for word in words:
        name = (word.name or word.text).removesuffix("()").rpartition(".")[2]
        between = prose.text[min(at, callers[-1].end) : word.start] if word.start > callers[-1].end else ""
        if word.kind != "call" or name == own.short or not _CALLS.search(between):
            continue
        call = re.compile(rf"(?<!\w){re.escape(name)}\s*\(")
        if call.search(shown) or not call.search(body):
            continue
        line = next(n for n in range(own.lines.first, own.lines.last + 1) if call.search(text.lines[n - 1]))
        only = "only the signature" if found.lines.last <= own.signature_last else "lines"
        evidence: tuple[Evidence, ...] = (
            SourceLines(Place(found.path, LineRange(line, line), own.name), (text.lines[line - 1],), "the call"),
        )
        return Imprecise(
            f"covers {only} of {own.name}, without the call of {name}, which stands at L{line}",
            codes.RANGE_PARTIAL,
            found,
            evidence,
        )
    return None


def _elsewhere(names: list[str], reader: TreeReader, found: Place) -> Imprecise | None:
    """Where in the file the named things stand, if they do: the likely place, nearest to the cited lines."""
    assert found.lines is not None
    text = reader.text(found.path)
    first, last = found.lines.first, found.lines.last
    outline = reader.outline(found.path)
    for name in names:
        defined = [s for s in outline.symbols_named(name) if s.short == name]
        searched = code_lines(text) if is_plain(name) else text.lines
        at = [n for n, line in enumerate(searched, 1) if name in line and _stands_in(name, line)]
        if not at or len(at) > COMMON:
            continue
        nearest = min(at, key=lambda n: (max(first - n, n - last, 0), n))
        away = max(first - nearest, nearest - last, 0)
        likely = LineRange(nearest, nearest)
        if away > NEAR and len(defined) == 1:
            likely = LineRange(defined[0].definition, defined[0].definition)
        place = Place(found.path, likely, reader.symbol_at(found.path, likely))
        where = f"{away} line{'s' * (away != 1)} away, at" if away <= NEAR else "at"
        return Imprecise(
            f"the lines do not have {name}, which the sentence names; it stands {where} {likely}",
            codes.WRONG_AT_BIRTH,
            place,
            (
                SourceLines(found, text.lines[first - 1 : min(last, first + 7)], "the cited lines"),
                SourceLines(place, text.lines[likely.first - 1 : likely.last], "the likely place"),
            ),
        )
    return None
