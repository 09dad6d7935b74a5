"""Evidence and places as JSON values."""

from __future__ import annotations

from typing import TypeAlias

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

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None


def place_json(place: Place | None) -> Json:
    """`{"path", "first", "last", "symbol"}`; null for no place."""
    if place is None:
        return None
    lines = place.lines
    return {
        "path": place.path,
        "first": lines.first if lines else None,
        "last": lines.last if lines else None,
        "symbol": place.symbol,
    }


def evidence_json(evidence: tuple[Evidence, ...]) -> dict[str, Json]:
    """One list per kind of evidence that there is, each in order; `{}` without any."""
    out: dict[str, list[Json]] = {}
    for piece in evidence:
        key, value = _piece(piece)
        out.setdefault(key, []).append(value)
    return {key: list(values) for key, values in out.items()}


def _piece(evidence: Evidence) -> tuple[str, Json]:
    match evidence:
        case SourceLines(place, text, note):
            return "lines", {"place": place_json(place), "text": list(text), "note": note or None}
        case Values(items):
            return "values", {"items": [{"name": name, "value": value} for name, value in items]}
        case Comparison(what, expected, found):
            return "comparisons", {"what": what, "expected": expected, "found": found}
        case CounterExamples(places, total):
            listed: list[Json] = [{"place": place_json(place), "text": text} for place, text in places]
            return "counter_examples", {"places": listed, "total": total}
        case Difference(place, lines, similarity):
            rows: list[Json] = [{"sign": row.sign, "text": row.text, "line": row.line} for row in lines]
            return "differences", {"place": place_json(place), "similarity": similarity, "lines": rows}
        case Note(text, lines):
            return "notes", {
                "text": text,
                "first": lines.first if lines else None,
                "last": lines.last if lines else None,
            }
