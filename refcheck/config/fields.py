"""Declared keys of a table: types, needs and documentation, checked with all faults at once."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .yaml_lines import KeyPath, LinedYaml


@dataclass(frozen=True, slots=True)
class Field:
    """One key. `type` is one of str, int, number, bool, list, map, any, or several parted by `|`."""

    name: str
    type: str
    doc: str
    required: bool = False
    choices: tuple[str, ...] = ()


_TYPES: dict[str, tuple[type, ...]] = {
    "str": (str,),
    "int": (int,),
    "number": (int, float),
    "bool": (bool,),
    "list": (list,),
    "map": (dict,),
}


def _fits(value: object, type_: str) -> bool:
    for part in type_.split("|"):
        part = part.strip()
        if part == "any":
            return True
        if isinstance(value, bool) and part != "bool":
            continue
        if isinstance(value, _TYPES[part]):
            return True
    return False


def check_fields(raw: object, fields: Sequence[Field], path: KeyPath, file: LinedYaml, what: str) -> list[str]:
    """The problems of one table, each with file and line; an empty list if it is well formed."""
    if not isinstance(raw, Mapping):
        return [f"{file.where(path)}: {what} must be a table of keys, not {type(raw).__name__}"]
    known: dict[str, Field] = {field.name: field for field in fields}
    problems: list[str] = []
    for key, value in raw.items():
        field = known.get(str(key))
        where = file.where((*path, key))
        if field is None:
            near = difflib.get_close_matches(str(key), known, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else f" (known: {', '.join(known)})"
            problems.append(f"{where}: {what}: unknown key {key!r}{hint}")
        elif not _fits(value, field.type):
            problems.append(f"{where}: {what}: {key} must be {_words(field.type)}, not {_shown(value)}")
        elif field.choices and value not in field.choices:
            problems.append(f"{where}: {what}: {key} must be one of {', '.join(field.choices)}, not {_shown(value)}")
    problems.extend(
        f"{file.where(path)}: {what}: `{field.name}` is missing ({field.doc})"
        for field in fields
        if field.required and field.name not in raw
    )
    return problems


def _words(type_: str) -> str:
    names = {"str": "text", "int": "a whole number", "number": "a number", "bool": "true or false"}
    names |= {"list": "a list", "map": "a table of keys"}
    return " or ".join(names.get(part.strip(), part.strip()) for part in type_.split("|"))


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."
