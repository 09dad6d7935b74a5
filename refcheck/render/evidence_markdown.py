"""Evidence as Markdown blocks."""

from __future__ import annotations

from refcheck.model.evidence import (
    Comparison,
    CounterExamples,
    Difference,
    Evidence,
    Note,
    SourceLines,
    Values,
)
from refcheck.model.place import Place

from .evidence_text import SHORT, near_changes
from .markdown_text import block, clipped, code, inline
from .places import line_numbers, path_and_lines

LONGEST_LINE = 200
LONGEST_TEXT = 600


def place_markdown(place: Place) -> str:
    symbol = f" in {code(clipped(place.symbol, LONGEST_LINE))}" if place.symbol else ""
    return code(clipped(path_and_lines(place), LONGEST_LINE)) + symbol


def evidence_markdown(evidence: tuple[Evidence, ...]) -> list[str]:
    """Lines of Markdown; every piece begins after a blank line. Long pieces are cut, and the cut is said."""
    out: list[str] = []
    for piece in evidence[:SHORT]:
        out += ["", *_piece(piece)]
    if len(evidence) > SHORT:
        out += ["", f"… {len(evidence) - SHORT} more pieces of evidence"]
    return out


def _piece(evidence: Evidence) -> list[str]:
    match evidence:
        case SourceLines(place, text, note):
            first = place.lines.first if place.lines else 1
            rows = [f"{first + i:>6} | {_line(line)}" for i, line in enumerate(text)]
            head = place_markdown(place) + (f" ({_text(note)})" if note else "")
            return [head, *(["", *block(_cut(rows))] if rows else [])]
        case Difference(place, lines, similarity):
            alike = "" if similarity is None else f", {similarity:.0%} alike"
            rows = [
                f"{line.sign if line.sign in '-+' else ' '}{'' if line.line is None else line.line:>6} | "
                f"{_line(line.text)}"
                for line in near_changes(lines)
            ]
            return [f"The page (−) against {place_markdown(place)} (+){alike}:", "", *block(_cut(rows), "diff")]
        case Comparison(what, expected, found):
            return [f"{_text(what)}: stated {_value(expected)}, found {_value(found)}"]
        case Values(items):
            shown = [f"{_text(name)} = {_value(value)}" for name, value in items[:SHORT]]
            if len(items) > SHORT:
                shown.append(f"… {len(items) - SHORT} more")
            return [", ".join(shown)]
        case CounterExamples(places, total):
            rows = [
                f"- against: {place_markdown(place)}{' ' + _value(text) if text.strip() else ''}"
                for place, text in places[:3]
            ]
            if total > 3:
                rows.append(f"- … and {total - min(3, len(places))} more")
            return rows
        case Note(text, lines):
            where = f"{line_numbers(lines)}: " if lines else ""
            return [f"Note: {where}{_text(text)}"]


def _cut(rows: list[str]) -> list[str]:
    return rows if len(rows) <= SHORT else [*rows[:SHORT], f"       … {len(rows) - SHORT} more lines"]


def _line(text: str) -> str:
    return clipped(text.replace("\t", "    "), LONGEST_LINE)


def _text(text: str) -> str:
    return inline(clipped(text, LONGEST_TEXT))


def _value(text: str) -> str:
    return code(clipped(text, LONGEST_LINE))
