"""Parameters of built-in functions: positional and keyword arguments put in order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from refcheck.claims.evaluator.failures import RaisedInSource, Unsupported
from refcheck.claims.evaluator.values import Value


def take(
    name: str,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    required: tuple[str, ...],
    optional: Mapping[str, Value] | None = None,
) -> list[Value]:
    """The values of the required and then the optional parameters, in order.

    Raises `RaisedInSource` (TypeError) for missing or surplus arguments, `Unsupported` for a keyword that the
    evaluator's version of the function does not know.
    """
    optional = optional or {}
    names = [*required, *optional]
    if len(arguments) > len(names):
        raise RaisedInSource("TypeError", f"{name}() takes {len(names)} arguments, {len(arguments)} were given")
    given: dict[str, Value] = dict(zip(names, arguments, strict=False))
    for key, value in keywords.items():
        if key not in names:
            raise Unsupported(f"argument {key} of {name}")
        if key in given:
            raise RaisedInSource("TypeError", f"{name}() got multiple values for argument {key!r}")
        given[key] = value
    missing = [key for key in required if key not in given]
    if missing:
        raise RaisedInSource("TypeError", f"{name}() misses argument {missing[0]!r}")
    return [given[key] if key in given else optional[key] for key in names]
