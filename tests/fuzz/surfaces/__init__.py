"""What strangers can hand to the tool, one file per surface: seeds, and a check that holds for any bytes at all.

A check takes bytes and returns nothing. It raises `Fault`, or whatever escaped, where a promise is broken; the same
checks run under the coverage-guided fuzzer (`tests.fuzz.run`) and, on every input that once broke one, in the tests.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module

NAMES = (
    "readers",
    "quotes",
    "numbers",
    "formulas",
    "evaluator",
    "rewriting",
    "editions",
    "outlines",
    "logs",
    "archives",
)

HEADER = 3
"""Bytes before the payload: what is chosen, how the payload is stretched, and how long the stretched unit is."""
_STRETCHED = 16 * 1024
_STRETCHES = 0xE0


class Fault(AssertionError):
    """A promise that an input breaks."""


@dataclass(frozen=True, slots=True)
class Surface:
    """One surface. `seeds` are small inputs to begin with."""

    name: str
    seeds: Callable[[], Iterator[bytes]]
    check: Callable[[bytes], None]


def surface(name: str) -> Surface:
    """The surface of that name, imported when it is asked for."""
    found: Surface = import_module(f"tests.fuzz.surfaces.{name}").SURFACE
    return found


def must(condition: bool, what: str) -> None:
    """Raises Fault, saying what does not hold."""
    if not condition:
        raise Fault(what)


def seed(payload: str | bytes, choice: int = 0) -> bytes:
    """A payload with a header that chooses and stretches nothing."""
    return bytes((choice % 256, 0, 0)) + (payload.encode() if isinstance(payload, str) else payload)


def opened(data: bytes) -> tuple[int, bytes]:
    """The choice and the payload. An eighth of all headers ask for a payload in which one stretch stands hundreds of
    times: what takes time that grows faster than the text shows there, and not in a few hundred bytes."""
    header, payload = data[:HEADER].ljust(HEADER, b"\0"), data[HEADER:]
    if header[1] >= _STRETCHES and payload:
        start = len(payload) * (header[1] - _STRETCHES) // 32
        unit = payload[start : start + header[2] + 1]
        payload = payload[:start] + unit * (_STRETCHED // len(unit)) + payload[start + len(unit) :]
    return header[0], payload


def text_of(payload: bytes) -> str:
    """Bytes as the tool reads a file of an engine: what is not UTF-8 stays as surrogates."""
    return payload.decode("utf-8", "surrogateescape")
