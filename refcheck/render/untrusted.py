"""Text of documents, engines and file names made harmless to look at.

Such text comes from strangers: it may hold terminal escapes, bidirectional controls that show code in another
order than it runs (CVE-2021-42574), zero-width characters, undecodable bytes and commands for CI log readers. Here
those become visible ASCII escapes; each format then adds the escaping of its own syntax.
"""

from __future__ import annotations

import re

# Everything that moves the cursor, reorders, hides or cannot be encoded; tab and line feed are layout.
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\ufffe\uffff\U000e0000-\U000e007f\ud800-\udfff]"
)
_BYTES = re.compile("[\udc80-\udcff]+")
_SPACE = re.compile(r"\s+")

# `##[error]`, `##vso[…]` and `##teamcity[…]` are commands anywhere in a line of a CI log.
LOG_COMMAND = re.compile(r"#(?=\w{0,40}\[)(?<=##)")


def escape_of(character: str) -> str:
    """`\\x1b`, `\\u202e` …; a byte that was not UTF-8 (a surrogate escape) as `\\x80` … `\\xff`."""
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        code -= 0xDC00
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def decoded(text: str) -> str:
    """The text with bytes that are UTF-8 after all as characters: so come file names where there is no locale."""
    return _BYTES.sub(lambda m: m.group().encode("ascii", "surrogateescape").decode("utf-8", "surrogateescape"), text)


def unseen_parts(text: str) -> list[tuple[str, bool]]:
    """The text in pieces: (plain text, False) or (one character that cannot be seen, True)."""
    text = decoded(text)
    parts: list[tuple[str, bool]] = []
    at = 0
    for match in _UNSEEN.finditer(text):
        if match.start() > at:
            parts.append((text[at : match.start()], False))
        parts.append((match.group(), True))
        at = match.end()
    if at < len(text):
        parts.append((text[at:], False))
    return parts


def visible(text: str) -> str:
    """The text with unseen characters as escapes; tabs and line feeds stay."""
    if text.isascii() and text.isprintable():
        return text
    return _UNSEEN.sub(lambda m: escape_of(m.group()), decoded(text))


def visible_line(text: str) -> str:
    """As `visible`, on one line: runs of white space become one space. For prose and messages."""
    return visible(_SPACE.sub(" ", text).strip())


def visible_name(text: str) -> str:
    """As `visible`, on one line with white space kept apart: for paths, where a line feed is part of the name."""
    return visible(text).replace("\t", "\\x09").replace("\n", "\\x0a")


def in_log(text: str) -> str:
    """Visible text that a CI log takes for no command (`::` counts at a line's start: see `not_at_start`)."""
    return LOG_COMMAND.sub(r"\\x23", text) if "##" in text else text


def not_at_start(line: str) -> str:
    """A line of output whose first characters are foreign, so that it is no `::error …` workflow command."""
    return f"./{line}" if line.lstrip().startswith("::") else line
