"""JSON that any reader takes and that is safe to look at."""

from __future__ import annotations

import json
import re

from .untrusted import LOG_COMMAND, decoded, escape_of

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def dumps(value: object, depth: int) -> str:
    """ASCII JSON, keys in the order given, a line feed at the end.

    Values down to `depth` are spread over lines, what lies deeper stands on one: a finding is a line, so that two
    reports can be compared by lines, and the encoder in C does the work. ASCII, so that a terminal never meets a
    control and a Windows pipe never meets a character that it lacks. Lone surrogates (bytes that were not UTF-8)
    become visible escapes: strict readers refuse them. What a CI log would take for a command is written with a
    JSON escape, which changes no value.
    """
    text = _spread(value, depth, "\n")
    if "\\ud" in text:
        text = _spread(_valid(value), depth, "\n")
    return LOG_COMMAND.sub(r"\\u0023", text) + "\n" if "##" in text else text + "\n"


def _spread(value: object, depth: int, margin: str) -> str:
    if depth and value and isinstance(value, (dict, list)):
        inner = margin + "  "
        if isinstance(value, dict):
            rows = [f"{json.dumps(key)}: {_spread(item, depth - 1, inner)}" for key, item in value.items()]
            return "{" + inner + f",{inner}".join(rows) + margin + "}"
        return "[" + inner + f",{inner}".join(_spread(item, depth - 1, inner) for item in value) + margin + "]"
    return json.dumps(value, ensure_ascii=True, allow_nan=False)


def _valid(value: object) -> object:
    if isinstance(value, str):
        return value if value.isascii() else _LONE_SURROGATE.sub(lambda m: escape_of(m.group()), decoded(value))
    if isinstance(value, dict):
        return {_valid(key): _valid(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_valid(item) for item in value]
    return value
