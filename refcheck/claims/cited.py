"""Verdicts on quotes and locations: what `refcheck.locate.find` found, against what is cited."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..locate.find import Absent, Differs, Found, Outcome, Several
from ..locate.loosely import LooseMatch
from ..locate.match import Match
from ..locate.pattern import Pattern
from ..locate.reader import TreeReader
from ..model import codes
from ..model.evidence import Comparison, Difference, Evidence, Note, SourceLines
from ..model.place import LineRange, Place
from ..model.tree import SourceKind
from ..model.verdict import Changed, Gone, Holds, Imprecise, Moved, Undecided, Verdict

_ASSIGNED = re.compile(r"\s*(?:self\.)?([A-Za-z_]\w*)(?:\s*:[^=]{1,80})?\s*=(?!=)")


EDITED = 0.9
"""With this share of its recorded lines a definition is the recorded one, edited; with less it is another version."""


@dataclass(frozen=True, slots=True)
class Cited:
    """What a page says about a place: where, and for what."""

    path: str
    lines: LineRange | None
    symbol: str | None = None
    covers_symbol: bool = False
    call: str | None = None
    """The page cites the lines for a call of this name."""


def judge_quote(outcome: Outcome, pattern: Pattern, cited: Cited, reader: TreeReader) -> Verdict:
    """Whether the quoted text is the engine's, wherever in the cited file it stands now."""
    match outcome:
        case Found():
            evidence = _elision_evidence(outcome, pattern, reader) + _other_places(outcome)
            if outcome.path != cited.path:
                return Moved(f"the text stands in {outcome.path} instead of {cited.path}", outcome.place, evidence)
            return _judge_shape(outcome, evidence, reader)
        case Several():
            return _ambiguous(outcome)
        case Differs():
            return _changed(outcome)
        case Absent():
            return _absent(outcome, cited, reader)


def judge_loosely(loose: LooseMatch, cited: Cited, reader: TreeReader) -> tuple[Verdict, Verdict | None]:
    """Verdicts on a quote that fits only with something set aside, and on its lines where they are judged."""
    symbol = reader.symbol_at(cited.path, loose.lines)
    place = Place(cited.path, loose.lines, symbol)
    source = reader.text(cited.path)
    evidence: list[Evidence] = [
        SourceLines(Place(cited.path, gap, symbol), source.lines[gap.first - 1 : gap.last], "left out without a mark")
        for gap in loose.cut
    ]
    shown = f", shown as {', '.join(loose.marked)}" if loose.marked else ""
    if loose.others:
        places = tuple(
            Place(cited.path, one, reader.symbol_at(cited.path, one)) for one in (loose.lines, *loose.others)
        )
        but = f", where {', '.join(loose.how)}" if loose.how else shown
        several = Undecided(f"the text stands at {len(places)} places{but}", codes.AMBIGUOUS, places)
        return several, several if cited.lines is not None else None
    on_quote: Verdict = Holds(f"verbatim at {place}{shown}", place, tuple(evidence))
    if loose.how:
        message = f"stands at {place}{shown}, but {', '.join(loose.how)}"
        on_quote = Imprecise(message, codes.QUOTE_UNMARKED, place, tuple(evidence))
    if cited.lines is None:
        return on_quote, None
    if not reader.tree.source.exact:
        note = f"written for {reader.tree.source.pin[:12]}, and {reader.tree.source.read} was read"
        return on_quote, Undecided(f"{note}; there the text stands at {place}", codes.NOT_AT_THIS_REVISION, found=place)
    lines = _with_comments_beside(loose.lines, cited.lines, source.lines)
    found = Found(cited.path, Match(lines, (lines,)), symbol)
    return on_quote, _judge_range(found, cited, reader)


def _with_comments_beside(lines: LineRange, within: LineRange, text: Sequence[str]) -> LineRange:
    """The lines, and comments and blank lines next to them in the cited range: they were set aside when matching."""
    first, last = lines.first, lines.last
    while first > within.first and _is_comment(text[first - 2]):
        first -= 1
    while last < min(within.last, len(text)) and _is_comment(text[last]):
        last += 1
    return LineRange(first, last)


def _is_comment(line: str) -> bool:
    return not line.strip() or line.lstrip().startswith(("#", "//"))


def judge_location(outcome: Outcome, pattern: Pattern | None, cited: Cited, reader: TreeReader) -> Verdict:
    """Whether the cited lines are the lines of the text. Judged only where the tree is the pinned one."""
    assert cited.lines is not None
    source = reader.tree.source
    if not source.exact:
        return _not_judged(outcome, cited, reader)
    match outcome:
        case Found():
            if outcome.path != cited.path:
                return Moved(f"the text stands in {outcome.path} now", outcome.place, _other_places(outcome))
            return _judge_range(outcome, cited, reader)
        case Several():
            return _ambiguous(outcome)
        case Differs():
            return _judge_symbol_range(outcome, cited, reader) or _changed(outcome)
        case Absent():
            return _absent(outcome, cited, reader)


def _judge_shape(found: Found, evidence: tuple[Evidence, ...], reader: TreeReader) -> Verdict:
    match = found.match
    hidden = f", {len(match.elided)} marked elision{'s' * (len(match.elided) > 1)}" if match.elided else ""
    if match.exact:
        return Holds(f"verbatim at {found.place}{hidden}", found.place, evidence)
    parts = []
    if match.dropped_blanks:
        lines = ", ".join(f"L{n}" for n in match.dropped_blanks)
        parts.append(f"the blank line {lines} is dropped without a mark")
    if match.added_blanks:
        parts.append(f"{match.added_blanks} blank line(s) added that the source lacks")
    if match.uneven:
        parts.append("its parts are not indented against each other as they are there")
    if (hides := match.crossing) is not None:
        ended = f"what L{hides.parent} begins" if hides.parent else "the definition"
        parts.append(f"an elision hides L{hides.line}, where {ended} ends: what is shown below does not belong to it")
    code = codes.QUOTE_ELIDED if match.crossing else codes.QUOTE_UNMARKED
    return Imprecise(f"matches {found.place}{hidden}, but {' and '.join(parts)}", code, found.place, evidence)


def _elision_evidence(found: Found, pattern: Pattern, reader: TreeReader) -> tuple[Evidence, ...]:
    """What each elision hides; names that are set there and used in lines that are shown."""
    evidence: list[Evidence] = []
    source = reader.text(found.path)
    for hidden in found.match.elided:
        lines = source.lines[hidden.first - 1 : hidden.last]
        evidence.append(SourceLines(Place(found.path, hidden, found.symbol), lines, "hidden by an elision"))
        later = "\n".join(
            source.slice(piece.first, piece.last) for piece in found.match.pieces if piece.first > hidden.last
        )
        names = [m.group(1) for line in lines if (m := _ASSIGNED.match(line))]
        used = sorted({name for name in names if re.search(rf"\b{re.escape(name)}\b", later)})
        if used:
            evidence.append(Note(f"the elision hides where {', '.join(used)} is set, which is used below", hidden))
    return tuple(evidence)


def _other_places(found: Found) -> tuple[Evidence, ...]:
    if not found.others:
        return ()
    shown = ", ".join(str(place) for place in found.others[:5])
    more = f" and {len(found.others) - 5} more" if len(found.others) > 5 else ""
    return (Note(f"chosen as {found.why}; the same text stands at {shown}{more}"),)


def _judge_range(found: Found, cited: Cited, reader: TreeReader) -> Verdict:
    """The text stands in the cited file: do the cited lines name it?"""
    lines = found.match.lines
    want = cited.lines
    assert want is not None
    if want == lines:
        return _covers_call(found, cited, reader) or Holds(f"exactly {found.place}", found.place)
    source = reader.text(found.path)
    total = len(source.lines)
    if want.contains(lines):
        extra = [n for n in range(want.first, want.last + 1) if not lines.first <= n <= lines.last]
        if want.last > total:
            past = f"{want} runs past the end of the file ({total} lines); the text is {lines}"
            return Imprecise(past, codes.RANGE_WIDER, found.place)
        solid = [n for n in extra if source.lines[n - 1].strip()]
        if not solid:
            return Holds(f"{found.place}; the cited range takes in blank lines beside it", found.place)
        return Imprecise(
            f"the range has {len(want)} lines, the text is {len(lines)} ({lines}): "
            f"{_numbers(extra)} {'is' if len(extra) == 1 else 'are'} not part of it",
            codes.RANGE_WIDER,
            found.place,
            (_beside(found.path, solid, reader),),
        )
    if want.last > total:
        return Moved(f"cited {want}, past the end of the file ({total} lines); the text stands at {lines}", found.place)
    if want == LineRange(lines.first, lines.first) and not cited.covers_symbol:
        # One number before a block says where it begins (`path.py:566`, `#L566`).
        return _covers_call(found, cited, reader) or Holds(f"begins {found.place}", found.place)
    if lines.contains(want):
        return Imprecise(
            f"the range names {len(want)} of the {len(lines)} lines ({lines})", codes.RANGE_PARTIAL, found.place
        )
    by = lines.first - want.first
    way = "later" if by > 0 else "earlier"
    message = f"stands {abs(by)} line{'s' * (abs(by) != 1)} {way}: {lines} instead of {want}"
    partial = _covers_call(found, cited, reader)
    notes: tuple[Evidence, ...] = (Note(partial.message),) if partial is not None else ()
    return Moved(message, found.place, (*notes, *_other_places(found)))


def _covers_call(found: Found, cited: Cited, reader: TreeReader) -> Imprecise | None:
    """Lines that are cited for a call must contain it."""
    if cited.call is None:
        return None
    call = re.compile(rf"(?<![\w.])(?:\w+\.)*{re.escape(cited.call)}\s*\(")
    source = reader.text(found.path)

    def calls(first: int, last: int) -> list[int]:
        return [
            n
            for n in range(first, last + 1)
            if call.search(source.lines[n - 1].partition("#")[0])
            and not source.lines[n - 1].lstrip().startswith(("def ", "async def "))
        ]

    if calls(found.match.lines.first, found.match.lines.last):
        return None
    where = ""
    evidence: tuple[Evidence, ...] = ()
    symbols = reader.outline(found.path).symbols_named(found.symbol or "")
    for symbol in symbols:
        if inside := calls(symbol.lines.first, symbol.lines.last):
            where = f"; it is called at L{inside[0]}"
            at = LineRange(inside[0], inside[0])
            evidence = (SourceLines(Place(found.path, at, symbol.name), (source.lines[inside[0] - 1],), "the call"),)
    covered = "only the signature" if symbols and _is_signature(found.match, symbols[0].signature_last) else "lines"
    return Imprecise(
        f"covers {covered} of {found.symbol}, without the call of {cited.call} that it is cited for{where}",
        codes.RANGE_PARTIAL,
        found.place,
        evidence,
    )


def _is_signature(match: Match, signature_last: int) -> bool:
    return match.lines.last <= signature_last


def _judge_symbol_range(differs: Differs, cited: Cited, reader: TreeReader) -> Verdict | None:
    """The lines are to be a whole definition, and its text is not the recorded one: is the range still its own?

    A range that begins with the definition and runs past its end is wrong about the lines whatever the text is,
    so that is what is said; unless nearly all recorded lines stand, which is an edit of them.
    """
    if not cited.covers_symbol or cited.symbol is None or cited.lines is None:
        return None
    symbols = reader.outline(cited.path).symbols_named(cited.symbol) if reader.tree.has(cited.path) else ()
    if len(symbols) != 1:
        return None
    own = symbols[0].lines
    if not (cited.lines.first == own.first and cited.lines.last > own.last):
        return None
    kept = differs.survivors
    if kept is not None and kept.share >= EDITED:
        return None
    beyond = list(range(own.last + 1, cited.lines.last + 1))
    return Imprecise(
        f"{cited.symbol} is {own}, {len(own)} lines: the range runs {len(beyond)} lines past its end",
        codes.RANGE_WIDER,
        Place(cited.path, own, symbols[0].name),
        (
            _beside(cited.path, beyond, reader),
            Note("its text is not the one that was recorded for the range"),
            *_difference(differs),
        ),
    )


def _not_judged(outcome: Outcome, cited: Cited, reader: TreeReader) -> Undecided:
    source = reader.tree.source
    note = f"written for {source.pin[:12]}, and {source.read} was read"
    match outcome:
        case Found():
            where = f"; there the text stands at {outcome.place}"
            return Undecided(note + where, codes.NOT_AT_THIS_REVISION, found=outcome.place)
        case Several():
            return Undecided(
                note + "; there the text stands at several places", codes.NOT_AT_THIS_REVISION, outcome.places
            )
        case Differs():
            return Undecided(
                note + f"; there the text of {outcome.place} differs",
                codes.NOT_AT_THIS_REVISION,
                evidence=_difference(outcome),
                found=outcome.place,
            )
        case Absent():
            if not outcome.path_exists and not reader.tree.carries(cited.path):
                return Undecided(f"{cited.path} is not carried by {source.read}", codes.NOT_CARRIED)
            return Undecided(note + "; there nothing corresponds", codes.NOT_AT_THIS_REVISION)


def _ambiguous(several: Several) -> Undecided:
    return Undecided(
        f"the text stands at {len(several.places)} places and nothing parts them", codes.AMBIGUOUS, several.places
    )


def _changed(differs: Differs) -> Changed:
    kept = differs.survivors
    if kept is None or not kept.share:
        how = "none of the lines is the same" if kept is None or len(kept.diff) > 2 else "the line is another"
    elif kept.share < 1:
        how = f"{kept.share:.0%} of the lines are the same"
    else:
        added = sum(line.sign == "+" for line in kept.diff)
        how = (
            f"every line is there, with {added} more between them"
            if added
            else "every line is there, indented otherwise"
        )
    return Changed(f"the text at {differs.place} differs: {how}", differs.place, _difference(differs))


def _difference(differs: Differs) -> tuple[Evidence, ...]:
    kept = differs.survivors
    return (Difference(differs.place, kept.diff, kept.share),) if kept else ()


def _absent(absent: Absent, cited: Cited, reader: TreeReader) -> Verdict:
    source = reader.tree.source
    if not absent.path_exists:
        if not reader.tree.carries(cited.path):
            what = "archive" if source.kind is SourceKind.RELEASE else "source"
            return Undecided(f"the {what} {source.read} does not carry {cited.path}", codes.NOT_CARRIED)
        tail = ", and its text stands nowhere else" if absent.searched_tree else ""
        return Gone(f"{cited.path} does not exist{tail}")
    what = f"{cited.symbol} and " if cited.symbol else ""
    return Gone(f"{what}the text no longer stand{'' if what else 's'} in {cited.path}")


def _beside(path: str, numbers: list[int], reader: TreeReader) -> Evidence:
    source = reader.text(path)
    first, last = numbers[0], min(numbers[-1], len(source.lines))
    if last - first + 1 == len(numbers):
        return SourceLines(
            Place(path, LineRange(first, last)), source.lines[first - 1 : last], "in the range, beside the text"
        )
    return Comparison("lines beside the text", "none", _numbers(numbers))


def _numbers(numbers: list[int]) -> str:
    """`L607-L608` or `L5, L9-L10`."""
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(LineRange(a, b)) for a, b in runs)
