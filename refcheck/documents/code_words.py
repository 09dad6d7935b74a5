"""The words of a sentence that are code: what the cited lines should speak of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..model.document import Mark
from .paths import CODE_SUFFIXES

_IDENTIFIER = r"[A-Za-z_][A-Za-z0-9_]{0,120}"
_DOTTED = rf"{_IDENTIFIER}(?:\.{_IDENTIFIER}){{0,6}}"
_ASSIGNMENT = re.compile(
    rf"(?P<name>{_DOTTED})\s?(?:(?::\s?[\w.\[\] |]{{1,60}})?=(?!=)\s?)"
    r"(?P<value>\"[^\"]{0,80}\"|'[^']{0,80}'|[-\w.]{1,60})"
)
_CALL = re.compile(rf"(?P<name>{_DOTTED})\((?P<arguments>[^()]{{0,80}})\)")
_STRING = re.compile(r"\"([^\"\n]{2,80})\"|'([^'\n]{2,80})'")
_MEMBER = re.compile(rf"(?<![\w./]){_IDENTIFIER}(?:\.{_IDENTIFIER}){{1,6}}(?![\w/])")
_PLAIN_IDENTIFIER = re.compile(
    r"(?<![\w./\\-])(?:[A-Za-z]+_[A-Za-z0-9_]+|_[A-Za-z0-9_]+|[a-z]+[A-Z]\w+|[A-Z][a-z0-9]+[A-Z]\w+|[A-Z]{2,}_[A-Z0-9_]+)(?![\w/\\])"
)
_FULL = re.compile(rf"{_DOTTED}$")
_FILE = re.compile(r"\.(?:" + "|".join(sorted(CODE_SUFFIXES)) + r"|md|rst|txt|ya?ml|toml|json|sh|cfg|ini)(?:[:#]|$)")
_ORDINARY = frozenset(
    {
        "true",
        "false",
        "none",
        "null",
        "self",
        "cls",
        "if",
        "else",
        "for",
        "in",
        "is",
        "not",
        "and",
        "or",
        "return",
        "def",
        "class",
        "import",
        "from",
        "as",
        "with",
    }
)


@dataclass(frozen=True, slots=True)
class CodeWord:
    """One word of code at characters `start` to `end` of the prose.

    `kind` is "identifier", "call" (`name` is what is called), "assignment" (`name`, `value`), "member" (`name` is
    the last part, `owner` what stands before it) or "string" (`value`). `in_code` says that it is marked as code.
    """

    kind: str
    text: str
    start: int
    end: int
    name: str = ""
    value: str = ""
    owner: str = ""
    in_code: bool = False


def code_words(text: str, marks: Sequence[Mark] = (), start: int = 0, end: int | None = None) -> tuple[CodeWord, ...]:
    """The code words of prose between `start` and `end`, in order, without overlaps.

    `marks` are the prose's marks (`Prose.marks`). Inside code spans every identifier counts; outside, only what
    could be nothing else: names with an underscore or inner capitals, calls, members, `name = value`. Paths and
    file names are left out.
    """
    stop = len(text) if end is None else end
    found: list[CodeWord] = []
    spans = sorted(
        (max(m.start, start), min(m.end, stop)) for m in marks if m.kind == "code" and m.end > start and m.start < stop
    )
    position = start
    for a, b in spans:
        if a > position:
            _outside(text, position, a, found)
        if b > max(a, position):
            _inside(text, max(a, position), b, found)
        position = max(position, b)
    if position < stop:
        _outside(text, position, stop, found)
    found.sort(key=lambda word: word.start)
    return tuple(found)


def _is_path(text: str) -> bool:
    return "/" in text or "\\" in text or "://" in text or _FILE.search(text) is not None


def _inside(text: str, start: int, end: int, found: list[CodeWord]) -> None:
    body = text[start:end]
    if _is_path(body.split(" ", 1)[0]) or body.startswith(("-", "$")):
        return
    taken: list[tuple[int, int]] = []
    _structured(text, start, end, found, taken, in_code=True)
    for match in re.finditer(_IDENTIFIER, body):
        a, b = match.start() + start, match.end() + start
        name = match.group()
        if any(x <= a < y for x, y in taken) or name.lower() in _ORDINARY or len(name) < 2:
            continue
        if text[a - 1 : a].isdigit():
            continue
        found.append(CodeWord("identifier", name, a, b, name, in_code=True))


def _outside(text: str, start: int, end: int, found: list[CodeWord]) -> None:
    taken: list[tuple[int, int]] = []
    _structured(text, start, end, found, taken, in_code=False)
    for match in _PLAIN_IDENTIFIER.finditer(text, start, end):
        a, b = match.span()
        if any(x <= a < y for x, y in taken[-50:]) or _is_path(text[a : b + 8].split(" ", 1)[0]):
            continue
        found.append(CodeWord("identifier", match.group(), a, b, match.group()))


def _structured(
    text: str, start: int, end: int, found: list[CodeWord], taken: list[tuple[int, int]], *, in_code: bool
) -> None:
    def free(a: int) -> bool:
        return not any(x <= a < y for x, y in taken[-50:])

    for match in _ASSIGNMENT.finditer(text, start, end):
        name, value = match.group("name"), match.group("value")
        if in_code or "_" in name or "." in name or match.group().count(" ") in (0, 2):
            if not in_code and not _nameish(name):
                continue
            owner, _, last = name.rpartition(".")
            found.append(CodeWord("assignment", match.group(), *match.span(), last, value.rstrip("."), owner, in_code))
            taken.append(match.span())
    for match in _CALL.finditer(text, start, end):
        if not free(match.start()) or text[match.start() - 1 : match.start()] in ("/", "\\"):
            continue
        name = match.group("name")
        if not in_code and match.group("arguments") and not _nameish(name):
            continue
        if not in_code and not match.group("arguments") and text[match.end("name") : match.end("name") + 2] != "()":
            continue
        owner, _, last = name.rpartition(".")
        found.append(CodeWord("call", match.group(), *match.span(), last, "", owner, in_code))
        taken.append((match.start(), match.end("name")))
    for match in _MEMBER.finditer(text, start, end):
        if not free(match.start()) or _is_path(match.group()) or match.group().lower() in ("e.g", "i.e", "a.k.a"):
            continue
        if not in_code and not (_nameish(match.group())):
            continue
        owner, _, last = match.group().rpartition(".")
        found.append(CodeWord("member", match.group(), *match.span(), last, "", owner, in_code))
        taken.append(match.span())
    if in_code:
        for match in _STRING.finditer(text, start, end):
            if free(match.start()):
                found.append(
                    CodeWord("string", match.group(), *match.span(), "", match.group(1) or match.group(2), "", in_code)
                )
                taken.append(match.span())


def _nameish(name: str) -> bool:
    """Whether a word outside of code marks can be nothing but a name."""
    return "_" in name or re.search(r"[a-z][A-Z]", name) is not None or re.match(r"[A-Z]\w*\.\w", name) is not None
