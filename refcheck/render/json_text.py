"""JSON that any reader takes and that is safe to look at."""

from __future__ import annotations

import json
import re

from .untrusted import LOG_COMMAND, escape_of

_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


def dumps(value: object) -> str:
    """ASCII JSON with two spaces of indentation, keys in the order given, a line feed at the end.

    ASCII, so that a terminal never meets a control and a Windows pipe never meets a character that it lacks. Lone
    surrogates (bytes that were not UTF-8) become visible escapes first: strict readers refuse them. What a CI log
    would take for a command is written with a JSON escape, which changes no value.
    """
    text = json.dumps(_valid(value), indent=2, ensure_ascii=True, allow_nan=False)
    return LOG_COMMAND.sub(r"\\u0023", text) + "\n" if "##" in text else text + "\n"


def _valid(value: object) -> object:
    if isinstance(value, str):
        return value if value.isascii() else _LONE_SURROGATE.sub(lambda m: escape_of(m.group()), value)
    if isinstance(value, dict):
        return {_valid(key): _valid(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_valid(item) for item in value]
    return value
