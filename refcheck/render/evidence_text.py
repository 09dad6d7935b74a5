"""Evidence as lines of plain text, for the terminal and for JUnit."""

from __future__ import annotations

from dataclasses import dataclass

from refcheck.model.evidence import (
    Comparison,
    CounterExamples,
    Difference,
    DiffLine,
    Evidence,
    Note,
    SourceLines,
    Values,
)

from .places import line_numbers, path_and_lines
from .untrusted import in_log, visible, visible_line

SHORT = 12
"""Lines of one piece of evidence that are shown unless everything is asked for."""
SHORT_SOURCE = 5
"""As SHORT, of source lines that are there to look at, not to compare."""
ONE_LINE = 70
"""A comparison that is no longer stands on one line."""


@dataclass(frozen=True, slots=True)
class TextLine:
    """`style` is "", "dim", "old", "new" or "same"; code lines (the last three) are never wrapped."""

    text: str
    style: str = ""


def evidence_lines(evidence: tuple[Evidence, ...], *, everything: bool) -> list[TextLine]:
    """Each piece in order. Without `everything`, long pieces are cut, and the cut is said."""
    return [line for piece in evidence for line in _piece(piece, everything)]


def _piece(evidence: Evidence, everything: bool) -> list[TextLine]:
    limit = None if everything else SHORT
    match evidence:
        case SourceLines(place, text, note):
            first = place.lines.first if place.lines else 1
            rows = [TextLine(f"{first + i:>6} | {_code(line)}", "same") for i, line in enumerate(text)]
            head = path_and_lines(place) + (f" ({_prose(note)})" if note else "")
            return [TextLine(head, "dim"), *_cut(rows, None if everything else SHORT_SOURCE)]
        case Difference(place, lines, similarity):
            alike = "" if similarity is None else f" ({similarity:.0%} alike)"
            rows = [_diff_line(line) for line in (lines if everything else near_changes(lines))]
            return [TextLine(f"- the page, + {path_and_lines(place)}{alike}", "dim"), *_cut(rows, limit)]
        case Comparison(what, expected, found):
            line = f"{_prose(what)}: stated {_prose(expected)}, found {_prose(found)}"
            if len(line) <= ONE_LINE:
                return [TextLine(line)]
            return [
                TextLine(f"{_prose(what)}:"),
                TextLine(f"  stated: {_prose(expected)}", "old"),
                TextLine(f"  found:  {_prose(found)}", "new"),
            ]
        case Values(items):
            return _cut([TextLine(f"{_prose(name)} = {_prose(value)}", "dim") for name, value in items], limit)
        case CounterExamples(places, total):
            shown = places if everything else places[:3]
            rows = [
                TextLine(f"against: {path_and_lines(place)}{': ' + _prose(text) if text.strip() else ''}")
                for place, text in shown
            ]
            if total > len(shown):
                rows.append(TextLine(f"… and {total - len(shown)} more", "dim"))
            return rows
        case Note(text, lines):
            where = f"{line_numbers(lines)}: " if lines else ""
            return [TextLine(f"note: {where}{_prose(text)}")]


def near_changes(lines: tuple[DiffLine, ...], context: int = 1) -> tuple[DiffLine, ...]:
    """The changed lines with a little of what stands around them."""
    changed = [i for i, line in enumerate(lines) if line.sign != " "]
    keep = {j for i in changed for j in range(i - context, i + context + 1)}
    return tuple(line for i, line in enumerate(lines) if i in keep)


def _diff_line(line: DiffLine) -> TextLine:
    number = "" if line.line is None else str(line.line)
    style = {"-": "old", "+": "new"}.get(line.sign, "same")
    sign = line.sign if line.sign in ("-", "+") else "|"
    return TextLine(f"{number:>6} {sign} {_code(line.text)}", style)


def _cut(rows: list[TextLine], limit: int | None) -> list[TextLine]:
    if limit is None or len(rows) <= limit:
        return rows
    return [*rows[:limit], TextLine(f"… {len(rows) - limit} more lines", "dim")]


def _code(text: str) -> str:
    return in_log(visible(text.rstrip("\r\n")).replace("\n", "\\x0a").replace("\t", "    "))


def _prose(text: str) -> str:
    return in_log(visible_line(text))
