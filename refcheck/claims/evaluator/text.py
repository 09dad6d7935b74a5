"""String literals read without Python's help, and values rendered by f-strings under bounds."""

from __future__ import annotations

import re
from collections.abc import Mapping

from refcheck.claims.evaluator.budget import Meter
from refcheck.claims.evaluator.failures import RaisedInSource, Unsupported
from refcheck.claims.evaluator.operators import kind_of, plain, weigh
from refcheck.claims.evaluator.tensors import Tensor
from refcheck.claims.evaluator.values import Dtype, Stub, Symbol, Value

_ESCAPE = re.compile(
    r"\\(?:(?P<newline>\n)|(?P<simple>[\\'\"abfnrtv])|x(?P<hex>[0-9a-fA-F]{2})|(?P<octal>[0-7]{1,3})"
    r"|u(?P<short>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8})|(?P<other>.))",
    re.DOTALL,
)
_SIMPLE: Mapping[str, str] = {
    "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
}  # fmt: skip
_PREFIX = re.compile(r"[A-Za-z]*")
#: Formats that an f-string may ask for: a few digits of width, thousands separators, decimals, and a type.
_FORMAT = re.compile(r"(?:[<>^+])?0?(?P<width>\d{1,2})?,?(?:\.\d{1,2})?[dfgesx%]?")


def literal_text(meter: Meter, token: str) -> str:
    """The text of a string literal, prefix and quotes included in `token`; bytes are `Unsupported`."""
    prefix = _PREFIX.match(token)
    assert prefix is not None
    letters = prefix.group().lower()
    if "b" in letters:
        raise Unsupported("bytes")
    body = token[prefix.end() :]
    quote = body[:3] if body[:3] in {'"""', "'''"} and len(body) >= 6 else body[:1]
    body = body[len(quote) : len(body) - len(quote)]
    meter.characters(len(body))
    return body if "r" in letters else _ESCAPE.sub(_unescape, body)


def _unescape(match: re.Match[str]) -> str:
    kind = match.lastgroup
    text = match.group(kind) if kind is not None else ""
    if kind == "newline":
        return ""
    if kind == "simple":
        return _SIMPLE[text]
    if kind == "octal":
        return chr(int(text, 8))
    if kind in {"hex", "short", "long"}:
        code = int(text, 16)
        if code > 0x10FFFF:
            raise Unsupported("such an escape in a string")
        return chr(code)
    if text == "N":
        raise Unsupported("a character by its name")
    return match.group()


def format_value(meter: Meter, value: Value, conversion: str | None, specification: str) -> str:
    """`value` as an f-string renders it; formats beyond a few digits of width and precision are refused."""
    if conversion == "r" or conversion == "a":
        text = render(meter, value, quoted=True)
    elif specification and conversion is None:
        return _formatted(meter, plain(value), specification)
    else:
        text = render(meter, value, quoted=False)
    if specification:
        return _formatted(meter, text, specification)
    return text


def _formatted(meter: Meter, value: Value, specification: str) -> str:
    if _FORMAT.fullmatch(specification) is None:
        raise Unsupported(f"format {specification!r}")
    if isinstance(value, Tensor):
        value = value.item()
    if value is None or isinstance(value, list | tuple | dict | set | frozenset | range):
        raise RaisedInSource("TypeError", f"unsupported format string passed to {kind_of(value)}")
    if not isinstance(value, bool | int | float | str):
        raise Unsupported(f"format of {kind_of(value)}")
    try:
        text = format(value, specification)
    except (ValueError, OverflowError) as error:
        raise RaisedInSource(type(error).__name__, str(error)) from None
    meter.characters(len(text))
    return text


def render(meter: Meter, value: Value, *, quoted: bool) -> str:
    """`str(value)`, or `repr(value)` if quoted, of plain values; objects show by their name."""
    weigh(meter, value)
    text = _render(meter, value, quoted)
    meter.characters(len(text))
    return text


def _render(meter: Meter, value: Value, quoted: bool) -> str:
    meter.step()
    if isinstance(value, str):
        return repr(value) if quoted else value
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    if isinstance(value, Symbol):
        return value.qualified
    if isinstance(value, Dtype):
        return f"torch.{value.name}"
    if isinstance(value, list | tuple | set | frozenset):
        parts = [_render(meter, item, True) for item in value]
        meter.characters(sum(len(part) + 2 for part in parts))
        inner = ", ".join(parts)
        if isinstance(value, tuple):
            return f"({inner},)" if len(parts) == 1 else f"({inner})"
        if isinstance(value, list):
            return f"[{inner}]"
        braces = f"{{{inner}}}" if parts else ""
        return f"frozenset({braces})" if isinstance(value, frozenset) else braces or "set()"
    if isinstance(value, dict):
        parts = [f"{_render(meter, key, True)}: {_render(meter, item, True)}" for key, item in value.items()]
        meter.characters(sum(len(part) + 2 for part in parts))
        return "{" + ", ".join(parts) + "}"
    if isinstance(value, Stub):
        return f"<{value.name}>"
    raise Unsupported(f"{kind_of(value)} as text")
