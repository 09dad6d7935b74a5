"""Where a quoted block of a document stands."""

from __future__ import annotations

from dataclasses import dataclass

from .place import Place


@dataclass(frozen=True, slots=True)
class EnginePlace:
    """A place in an engine's tree with what a reader needs to go there."""

    engine: str
    place: Place
    permalink: str | None = None
    swhid: str | None = None


@dataclass(frozen=True, slots=True)
class LocatedQuote:
    """One quoted block. `found` is set where it stands in one place, or where `why` says what decides for one of
    the `candidates`; without candidates the text stands nowhere."""

    document: str
    line: int
    lines: int
    first_words: str
    found: EnginePlace | None
    candidates: tuple[EnginePlace, ...] = ()
    why: str = ""
