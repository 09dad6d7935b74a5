"""Values of the model as JSON and back: what one run keeps for the next.

Only the frozen classes that are named here are made from a text, from their fields alone; anything else is refused.
A sequence comes back as a tuple, which is what the model has everywhere.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
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


PIECE = 256
"""Elements of a long sequence that are written to one line: all of a large value as one text would take its memory
several times over."""


def dump(values: Iterable[object]) -> Iterator[str]:
    """The values in lines. Raises TypeError for one that holds other things than the model's and plain ones."""
    for value in values:
        if isinstance(value, tuple) and len(value) > PIECE:
            yield _line(len(value))
            for start in range(0, len(value), PIECE):
                yield _line(value[start : start + PIECE])
        else:
            yield _line((value,))


def load(lines: Iterable[str]) -> tuple[Any, ...]:
    """What `dump` wrote. Raises ValueError for anything else."""
    values: list[Any] = []
    rest = iter(lines)
    try:
        for line in rest:
            head = _read(line)
            if type(head) is int:
                whole: list[Any] = []
                while len(whole) < head:
                    whole += _read(next(rest))
                values.append(tuple(whole))
            else:
                (value,) = head
                values.append(value)
    except (TypeError, KeyError, StopIteration, RecursionError) as error:
        raise ValueError(f"not kept values: {error}") from error
    return tuple(values)


def _line(value: object) -> str:
    return json.dumps(value, default=_plain, ensure_ascii=False, separators=(",", ":"), check_circular=False) + "\n"


def _read(line: str) -> Any:
    return _frozen(json.loads(line, object_hook=_made))


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
