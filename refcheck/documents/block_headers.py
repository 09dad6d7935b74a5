"""The location that a code block carries: in its info string, its attributes, or a header line inside."""

from __future__ import annotations

import re
from dataclasses import dataclass

_CURSOR = re.compile(r"^(?P<a>\d{1,7}):(?P<b>\d{1,7}):(?P<path>\S+)")
_ATTRIBUTE = re.compile(r"(?P<key>[\w-]{1,40})\s*=\s*(?:\"(?P<d>[^\"]*)\"|'(?P<s>[^']*)'|(?P<u>[^\s}\"']+))")
_COLON = re.compile(r"^[\w+#-]{0,30}:(?P<path>\S+)")
_COMMENT = re.compile(r"^\s*(?P<open>#+|//+|/\*+|<!--|--|;+|\*|%+|\"\"\"|''')\s?(?P<body>.*)$")
_TITLE_KEYS = frozenset(["title", "file", "filename", "name", "path", "src", "source", "caption"])
# What may stand around a location on a header line, without making it a sentence.
_LEAD = re.compile(
    r"^[\s\-–—=>»▶*·•【\[(（]*(?:(?:source|src|from|file|path|see|excerpt|code|ref(?:erence)?|location|adapted from|"
    r"taken from|"
    r"来源|出处|源码|源文件|文件|位置|代码|摘自|引自|参考|定位(?:骨架)?|出自|原文|対象|出典)[\w\s]{0,12}?)?[\s:：=\-–—>（(「『【\[`据]*$",
    re.IGNORECASE,
)
_POINTER = re.compile(r"定位|骨架|skeleton|sketch|simplified|pseudo|paraphras|简化|伪代码|示意|概念", re.IGNORECASE)
_TRAIL = re.compile(r"^[\s`)\]）】」』.。,，;；:：*/=\-–—>#]*$")
_NOTE = re.compile(r"^[\s`]*(?:[·|—–\-:：,，(（\[【#@→]|\(|（|`|\*)")


@dataclass(frozen=True, slots=True)
class InfoLocation:
    """A location in an info string: positions index the string."""

    path_start: int
    path_end: int
    first: tuple[int, int] | None = None
    last: tuple[int, int] | None = None
    rest: bool = False
    """The path may be followed by its own lines (`title="x.py:L1-L5"`)."""


def read_info(info: str) -> InfoLocation | None:
    """Where an info string names a file: Cursor's `207:213:path`, `python:path`, `title="path"`."""
    info = info[:2000]
    cursor = _CURSOR.match(info)
    if cursor:
        return InfoLocation(*cursor.span("path"), cursor.span("a"), cursor.span("b"))
    for match in _ATTRIBUTE.finditer(info):
        if match.group("key").lower().removeprefix("data-") in _TITLE_KEYS:
            for group in ("d", "s", "u"):
                if match.group(group):
                    return InfoLocation(*match.span(group), rest=True)
    colon = _COLON.match(info)
    if colon and ("." in colon.group("path") or "/" in colon.group("path")):
        return InfoLocation(*colon.span("path"), rest=True)
    bare = re.match(r"^(?:[\w+#-]{1,30}\s+)?(?P<path>[\w./\\-]+/[\w.-]+\.\w{1,5}\S*)\s*$", info)
    if bare:
        return InfoLocation(*bare.span("path"), rest=True)
    return None


_LINES_KEYS = frozenset(["lines", "data-lines", "data-source-lines", "line", "data-line-range", "line-range"])
_LINES = re.compile(r"L?(\d{1,7})(?:\s?[-–:,]\s?L?(\d{1,7}))?\Z")


def read_lines(text: str) -> tuple[tuple[int, int], tuple[int, int] | None] | None:
    """Where the digits of an attribute's one line or range stand (`282-284`); None for anything else."""
    match = _LINES.match(text.rstrip()) if len(text) <= 40 else None
    if match is None:
        return None
    return match.span(1), match.span(2) if match.group(2) else None


def info_lines(info: str) -> tuple[tuple[int, int], tuple[int, int] | None] | None:
    """As `read_lines`, for the attribute of an info string that says lines (`title="P" lines="282-284"`)."""
    for match in _ATTRIBUTE.finditer(info[:2000]):
        if match.group("key").lower() not in _LINES_KEYS:
            continue
        group = next((group for group in ("d", "s", "u") if match.group(group)), None)
        found = read_lines(match.group(group)) if group else None
        if group and found:
            at = match.start(group)
            first, last = found
            return (first[0] + at, first[1] + at), (last[0] + at, last[1] + at) if last else None
    return None


def language_of(info: str) -> str:
    """The language word of an info string, lower case; "" where it has none."""
    if _CURSOR.match(info):
        return ""
    match = re.match(r"^\s*\{?\s*\.?([A-Za-z][\w+#.-]{0,30})", info[:100])
    if match is None or ("/" in info.split(" ", 1)[0] and ":" not in info):
        return ""
    word = match.group(1).lower().rstrip(".")
    if info[match.end() : match.end() + 1] == "=":
        return ""
    return {
        "py": "python",
        "python3": "python",
        "c++": "cpp",
        "cc": "cpp",
        "cu": "cuda",
        "rs": "rust",
        "yml": "yaml",
    }.get(word, word)


def comment_body(line: str) -> tuple[int, int] | None:
    """Where the text of a line that is nothing but a comment begins and ends."""
    if len(line) > 400:
        return None
    match = _COMMENT.match(line)
    if match is None:
        return None
    start, text = match.start("body"), line.rstrip()
    closing = next((mark for mark in ("*/", "-->") if text.endswith(mark) and len(text) - len(mark) >= start), "")
    end = len(text.removesuffix(closing).rstrip())
    return (start, end) if end > start else None


def is_header(before: str, after: str) -> bool:
    """Whether a comment of which a location is cut out is a header: nothing but marks, a lead word, a note."""
    if not _LEAD.match(before[-80:]) or len(before) > 80:
        return False
    return _TRAIL.match(after) is not None or (_NOTE.match(after) is not None and len(after) <= 160)


def is_pointer(line: str) -> bool:
    """Whether a header says itself that the block is a sketch of the place, not its text."""
    return _POINTER.search(line) is not None


COMMENT_SIGNS = dict.fromkeys(("c", "cpp", "cuda", "rust", "go", "java", "javascript", "typescript"), ("//", "/*"))
"""What begins a comment at the end of a line, by language; `#` in every other."""


def trailing_comment(line: str, language: str) -> int:
    """Where a comment at the end of a line of code begins, or -1. Signs inside simple strings do not count."""
    if len(line) > 2000:
        return -1
    signs = COMMENT_SIGNS.get(language, ("#",))
    quote = ""
    position = 0
    while position < len(line):
        char = line[position]
        if quote:
            if char == "\\":
                position += 1
            elif char == quote:
                quote = ""
        elif char in "\"'" and not (char == "'" and position and line[position - 1].isalnum()):
            quote = char
        elif line.startswith(signs, position):
            return position
        position += 1
    return -1
