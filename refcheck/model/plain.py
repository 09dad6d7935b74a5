"""Values of the model as JSON and back: what one run keeps for the next.

Only the frozen classes that are named here are made from a text, from their fields alone; anything else is refused.
A sequence comes back as a tuple, which is what the model has everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import fields
from enum import Enum
from operator import attrgetter
from typing import Any

from . import codes, evidence, verdict
from .document import Citation, Mark, Offsets, Prose, Quote, Span, Unread
from .place import LineRange, Place
from .report import Finding, FindingKind

_CLASSES: tuple[type, ...] = (
    *(Span, Mark, Prose, Quote, Citation, Unread, LineRange, Place, Finding),
    *(evidence.SourceLines, evidence.Values, evidence.Comparison, evidence.CounterExamples),
    *(evidence.DiffLine, evidence.Difference, evidence.Note),
    *(verdict.Holds, verdict.Imprecise, verdict.Moved, verdict.Changed, verdict.Gone),
    *(verdict.Contradicted, verdict.Undecided),
)
_ENUMS: tuple[type[Enum], ...] = (FindingKind, verdict.Level)
_BY_NAME = {one.__name__: one for one in _CLASSES}
_ENUM_BY_NAME = {one.__name__: one for one in _ENUMS}
_FIELDS: dict[type, Callable[[Any], Any]] = {one: attrgetter(*(f.name for f in fields(one))) for one in _CLASSES}
_SINGLE = frozenset(one for one in _CLASSES if len(fields(one)) == 1)


def dump(value: object) -> str:
    """Raises TypeError for a value that holds something else than the model's values, tuples and plain ones."""
    return json.dumps(value, default=_plain, ensure_ascii=False, separators=(",", ":"), check_circular=False)


def load(text: str) -> Any:
    """What `dump` wrote. Raises ValueError for any other text."""
    try:
        return _frozen(json.loads(text, object_hook=_made))
    except (TypeError, KeyError, RecursionError) as error:
        raise ValueError(f"not kept values: {error}") from error


def _plain(value: Any) -> dict[str, Any]:
    kind = type(value)
    get = _FIELDS.get(kind)
    if get is not None:
        return {kind.__name__: (get(value),) if kind in _SINGLE else get(value)}
    if kind is Offsets:
        return {"Offsets": (list(value.starts), list(value.places), list(value.ends), value.length)}
    if kind is codes.Code:
        return {"Code": value.id}
    if kind in _ENUMS:
        return {kind.__name__: value.value}
    raise TypeError(f"{kind.__name__} is not kept")


def _made(found: dict[str, Any]) -> Any:
    ((name, values),) = found.items()
    made = _BY_NAME.get(name)
    if made is not None:
        return made(*[_frozen(one) if type(one) is list else one for one in values])
    if name == "Offsets":
        starts, places, ends, length = values
        return Offsets(tuple(starts), tuple(places), tuple(ends), length)
    if name == "Code":
        return codes.CODES[values]
    return _ENUM_BY_NAME[name](values)


def _frozen(value: Any) -> Any:
    return tuple([_frozen(one) if type(one) is list else one for one in value]) if type(value) is list else value
