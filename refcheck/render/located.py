"""The answers of `refcheck locate`, as text and as JSON (schema `refcheck-locate/1`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ..model.located import EnginePlace, LocatedQuote
from ..model.tree import SourceRead
from .untrusted import visible

SHOWN = 40
"""Candidates that the text form lists; the JSON has all."""


def located_json(located: Sequence[LocatedQuote], sources: Sequence[SourceRead]) -> str:
    """Pretty-printed JSON with stable keys."""
    value = {
        "schema": "refcheck-locate/1",
        "sources": [
            {"engine": s.engine, "pin": s.pin, "read": s.read, "exact": s.exact, "why": s.why} for s in sources
        ],
        "quotes": [
            {
                "document": one.document,
                "line": one.line,
                "lines": one.lines,
                "found": _as_json(one.found) if one.found else None,
                "candidates": [_as_json(candidate) for candidate in one.candidates],
                "why": one.why or None,
            }
            for one in located
        ],
    }
    return json.dumps(value, indent=1, ensure_ascii=False)


def _as_json(place: EnginePlace) -> dict[str, Any]:
    lines = place.place.lines
    return {
        "engine": place.engine,
        "path": place.place.path,
        "first": lines.first if lines else None,
        "last": lines.last if lines else None,
        "symbol": place.place.symbol,
        "permalink": place.permalink,
        "swhid": place.swhid,
    }


def located_text(located: Sequence[LocatedQuote], sources: Sequence[SourceRead]) -> str:
    """A few lines for each block, fit for 80 columns but for permalinks."""
    out = [f"{visible(s.engine)}: read {visible(s.read)} ({visible(s.why)})" for s in sources]
    out.append("")
    for one in located:
        out.append(f"{visible(one.document)}:{one.line}: {one.lines} lines, {visible(one.first_words)}")
        if one.found is not None:
            out.append(f"  {_place(one.found)}")
            if one.found.permalink:
                out.append(f"  {visible(one.found.permalink)}")
            if one.why:
                out.append(f"  {visible(one.why)}")
        elif one.candidates:
            out.append(f"  undecided between {len(one.candidates)} places:")
            out.extend(f"    {_place(candidate)}" for candidate in one.candidates[:SHOWN])
            if len(one.candidates) > SHOWN:
                out.append(f"    and {len(one.candidates) - SHOWN} more")
        else:
            out.append(f"  {visible(one.why)}")
    found = sum(one.found is not None for one in located)
    out += ["", f"{len(located)} blocks: {found} located, {len(located) - found} not"]
    return "\n".join(out)


def _place(place: EnginePlace) -> str:
    symbol = f" in {visible(place.place.symbol)}" if place.place.symbol else ""
    return f"{visible(place.engine)} {visible(str(place.place))}{symbol}"
