"""Fingerprints of lines: what an anchor keeps instead of the code itself.

A fingerprint is one token per non-blank line, `INDENT:HASH`, separated by spaces; `~` stands for an elision and
`_` for a blank line. INDENT is the line's indentation relative to the block's smallest, in columns; HASH is the
first 8 hexadecimal digits of BLAKE2b over the line without its indentation and trailing space. Eight digits tell
lines of one file apart; a block of several lines is told apart in a whole tree.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from functools import lru_cache

from .pattern import Pattern, PatternLine

_TOKEN = re.compile(r"(\d{1,4}):([0-9a-f]{8})\Z")
_SPACE = b" \t\x0b\x0c\x1c\x1d\x1e\x1f"
"""What `str.strip` takes off, as far as it is ASCII and no line end."""
ELISION = "~"
BLANK = "_"


@lru_cache(maxsize=65536)
def line_hash(stripped: str) -> str:
    """The hash of one line, given without indentation and trailing space."""
    return hashlib.blake2b(stripped.encode("utf-8", "surrogateescape"), digest_size=4).hexdigest()


def lines_in(data: bytes) -> set[bytes]:
    """The different lines of a file's bytes, without indentation and trailing space."""
    return {line.strip(_SPACE) for line in data.replace(b"\r", b"\n").split(b"\n")}


def hash_of(line: bytes) -> str:
    """As `line_hash` of such a line, without decoding what is ASCII."""
    if line.isascii():
        return hashlib.blake2b(line, digest_size=4).hexdigest()
    return line_hash(line.decode("utf-8", "surrogateescape").strip())


def fingerprint(pattern: Pattern) -> str:
    """The fingerprint of a pattern of text lines."""
    if pattern.hashed:
        raise ValueError("this pattern is a fingerprint already")
    tokens: list[str] = []
    for index, piece in enumerate(pattern.pieces):
        if index:
            tokens.append(ELISION)
        tokens.extend(BLANK if line.blank else f"{line.indent}:{line_hash(line.key)}" for line in piece)
    return " ".join(tokens)


def parse_fingerprint(text: str) -> Pattern:
    """The pattern that a fingerprint stands for. Raises ValueError naming the first token that is none."""
    pieces: list[list[PatternLine]] = [[]]
    for token in text.split():
        if token == ELISION:
            pieces.append([])
        elif token == BLANK:
            pieces[-1].append(PatternLine("", 0))
        elif match := _TOKEN.match(token):
            pieces[-1].append(PatternLine(match.group(2), int(match.group(1))))
        else:
            raise ValueError(f"not a fingerprint token: {token!r} (want INDENT:HASH, `~` or `_`)")
    filled = tuple(tuple(piece) for piece in pieces if any(not line.blank for line in piece))
    if not filled:
        raise ValueError("a fingerprint needs at least one line")
    return Pattern(filled, hashed=True)


def fingerprint_lines(lines: Iterable[str]) -> str:
    """The fingerprint of lines as they stand in a file (no elisions)."""
    from .pattern import literal_pattern

    return fingerprint(literal_pattern(tuple(lines)))
