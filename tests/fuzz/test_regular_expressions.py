"""Every regular expression of the package, against texts that almost match it for thousands of characters.

The texts are made from the expression itself: up to each part that may repeat without bound, many of that part, and
then what cannot follow. An expression that tries all ways of dividing them needs years; one that is tried from every
place of the text, a moment.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import re
import signal
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import refcheck

parser: Any = importlib.import_module("re._parser")

LENGTH = 1_500
SECONDS = 1
_REPEATS = {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}
_NEVER = "\x00"


def compiled() -> Iterator[tuple[str, re.Pattern[Any]]]:
    """(where, expression): what modules hold, and what is written as a text where it is used."""
    met: set[tuple[str | bytes, int]] = set()
    for module in pkgutil.walk_packages(refcheck.__path__, "refcheck."):
        if module.name.endswith(("__main__", "with_transformers")):
            continue
        loaded = importlib.import_module(module.name)
        for name, value in vars(loaded).items():
            for pattern in _in(value):
                if (pattern.pattern, pattern.flags) not in met:
                    met.add((pattern.pattern, pattern.flags))
                    yield f"{module.name}.{name}", pattern
        for line, pattern in _written(Path(str(loaded.__file__))):
            if (pattern.pattern, pattern.flags) not in met:
                met.add((pattern.pattern, pattern.flags))
                yield f"{module.name}:{line}", pattern


def _in(value: object, depth: int = 0) -> Iterator[re.Pattern[Any]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, (tuple, list, dict)) and depth < 3:
        for item in value.values() if isinstance(value, dict) else value:
            yield from _in(item, depth + 1)


def _written(path: Path) -> Iterator[tuple[int, re.Pattern[Any]]]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.args
            and isinstance(node.args[0], ast.Constant)
            and isinstance(node.args[0].value, (str, bytes))
            and node.func.attr not in ("compile", "escape")
        ):
            yield node.lineno, re.compile(node.args[0].value)


def near_misses(pattern: re.Pattern[Any]) -> set[str]:
    """The texts for one expression; none if nothing in it repeats without bound."""
    source = pattern.pattern if isinstance(pattern.pattern, str) else pattern.pattern.decode("latin-1")
    found: set[str] = set()
    _walk(parser.parse(source, pattern.flags & ~re.UNICODE), "", found)
    return found


def _walk(parts: Any, before: str, found: set[str]) -> None:
    for operation, argument in parts:
        name = str(operation)
        if name in _REPEATS:
            low, high, inner = argument
            unit = _sample(inner)
            if int(high) > 100 and unit:
                found.add(before + unit * (LENGTH // len(unit)) + _NEVER)
            _walk(inner, before, found)
            before += unit * max(int(low), 1)
        elif name == "SUBPATTERN":
            _walk(argument[-1], before, found)
            before += _sample(argument[-1])
        elif name == "ATOMIC_GROUP":
            _walk(argument, before, found)
            before += _sample(argument)
        elif name == "BRANCH":
            for branch in argument[1]:
                _walk(branch, before, found)
            before += _sample(argument[1][0])
        else:
            before += _sample([(operation, argument)])


def _sample(parts: Any) -> str:
    out = ""
    for operation, argument in parts:
        name = str(operation)
        if name == "LITERAL":
            out += chr(argument)
        elif name == "NOT_LITERAL":
            out += "a" if argument != ord("a") else "b"
        elif name == "ANY":
            out += "a"
        elif name == "IN":
            out += _member(argument)
        elif name in _REPEATS:
            out += _sample(argument[2]) * max(int(argument[0]), 1)
        elif name == "SUBPATTERN":
            out += _sample(argument[-1])
        elif name == "ATOMIC_GROUP":
            out += _sample(argument)
        elif name == "BRANCH":
            out += _sample(argument[1][0])
    return out


def _member(members: Any) -> str:
    negated = str(members[0][0]) == "NEGATE"
    matches = re.compile(_class_of(members))
    preferred = "a1 -.,:/_\t()[]{}<>\"'`|#*=&;\\~+@%!?^$\n行·–é"
    return next((c for c in preferred if matches.fullmatch(c)), "a" if negated else chr(_first(members)))


def _class_of(members: Any) -> str:
    out = ""
    for operation, argument in members:
        name = str(operation)
        if name == "NEGATE":
            out = "^" + out
        elif name == "LITERAL":
            out += re.escape(chr(argument))
        elif name == "RANGE":
            out += f"{re.escape(chr(argument[0]))}-{re.escape(chr(argument[1]))}"
        elif name == "CATEGORY":
            short = {"DIGIT": "d", "WORD": "w", "SPACE": "s"}[str(argument).rpartition("_")[2]]
            out += "\\" + (short.upper() if "_NOT_" in str(argument) else short)
    return f"[{out}]"


def _first(members: Any) -> int:
    for operation, argument in members:
        if str(operation) == "LITERAL":
            return int(argument)
        if str(operation) == "RANGE":
            return int(argument[0])
    return ord("a")


class _TooLong(Exception):
    pass


def _alarm(number: int, frame: FrameType | None) -> None:
    raise _TooLong


def searched_in_time(pattern: re.Pattern[Any], text: str) -> bool:
    """Whether searching ends within the time."""
    subject: Any = text if isinstance(pattern.pattern, str) else text.encode("utf-8", "surrogateescape")
    before = signal.signal(signal.SIGVTALRM, _alarm)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        pattern.search(subject)
        pattern.match(subject)
    except _TooLong:
        return False
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
    return True


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers of processor time")
def test_no_expression_is_caught_in_a_near_miss() -> None:
    slow, texts = [], 0
    for where, pattern in compiled():
        for text in near_misses(pattern):
            texts += 1
            if not searched_in_time(pattern, text):
                slow.append((where, text[:60]))
    assert slow == []
    assert texts > 300


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="needs timers of processor time")
@pytest.mark.parametrize("expression", [r"(a+)+b", r"x(?:\s*,?\s*)*y", r"(?:\d+|\w)*-"])
def test_an_expression_that_is_caught_is_seen(expression: str) -> None:
    pattern = re.compile(expression)
    assert not all(searched_in_time(pattern, text) for text in near_misses(pattern))
