"""The definition around lines of a Python file, read from indentation: what the outline says, without parsing the file.

A parse of a large file takes tens of milliseconds, and a page of many citations needs one name for each. A block of
Python ends where a statement is indented less, so the lines near the cited ones are enough, once it is known which
lines begin inside a string. Where the text leaves a doubt (tabs, form feeds, carriage returns, strings that are not
closed, a line that may be in the middle of brackets) the answer is `Unsure`, and the outline is asked instead.
"""

from __future__ import annotations

import re
from enum import Enum

from ..model.source_text import SourceText

_TRIPLE = re.compile("\"\"\"|'''")
_LITERAL = re.compile(
    r"#[^\n]*|\"\"\"(?:[^\\\"]|\\.|\"(?!\"\"))*\"\"\"|'''(?:[^\\']|\\.|'(?!''))*'''"
    r"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'",
    re.DOTALL,
)
_HEADER = re.compile(r"(?:async\s+def|def|class)\s+([^\W\d]\w*)")
_STATEMENT = re.compile(
    r"(?:async|def|class|import|return|raise|with|while|try|except|finally|assert|del|pass|break|continue|global"
    r"|nonlocal)\b"
)
"""Words that stand at the beginning of statements and nowhere inside an expression."""


_UNFINISHED = tuple("([{,+-*/%|&^=<>~")
_BEGINS_NOTHING = frozenset(",.:;=+-*/%|&^<>!~")
"""Signs that statements rarely or never begin with."""
_CLAUSE = re.compile(r"(?:if|else|for|and|or|in|is|not)\b")
"""Words that stand in the middle of an expression, or begin one or a block."""


class Unsure(Enum):
    """The text alone does not say."""

    UNSURE = 0


UNSURE = Unsure.UNSURE


class PythonScopes:
    """One file's definitions by indentation."""

    def __init__(self, source: SourceText) -> None:
        self._lines = source.lines
        text = source.text
        odd = "\t" in text or "\f" in text or "\r" in text
        self._in_string = None if odd else _string_lines(text, len(self._lines))

    def around(self, first: int, last: int) -> str | Unsure | None:
        """The qualified name of the innermost function or class that holds both lines; None at file level."""
        if self._in_string is None or not 0 < first <= last <= len(self._lines):
            return UNSURE
        try:
            return self._around(first, last)
        except _InDoubt:
            return UNSURE

    def _around(self, first: int, last: int) -> str | None:
        names: list[str] = []
        at, bound = first, 1 << 30
        while at > 0:
            line = self._lines[at - 1]
            body = line.lstrip()
            indent = len(line) - len(body)
            if indent < bound and self._is_statement_line(at, body) and not self._goes_on(at, body):
                header = _HEADER.match(body)
                if header is not None:
                    if names or self._holds(at, indent, max(first, at), last):
                        names.append(header[1])
                    bound = indent
                elif body[0] == "@" and not names:
                    return self._around_decorator(at, first, last)
                else:
                    if (bound < 1 << 30 and not self._may_open(at, body)) or self._continues(at, indent, body):
                        raise _InDoubt
                    bound = indent
                if bound == 0:
                    break
            at -= 1
        return ".".join(reversed(names)) or None

    def _around_decorator(self, at: int, first: int, last: int) -> str | None:
        """The lines begin in a decorator: its definition holds them if it reaches so far."""
        below = at
        indent = len(self._lines[at - 1]) - len(self._lines[at - 1].lstrip())
        while below < min(len(self._lines), at + 200):
            below += 1
            line = self._lines[below - 1]
            body = line.lstrip()
            if body and len(line) - len(body) == indent and _HEADER.match(body):
                return self._around(below, max(below, last))
        raise _InDoubt

    def _is_statement_line(self, at: int, body: str) -> bool:
        """Whether something of a statement begins on a line: not blank, no comment, no string, no closing bracket."""
        assert self._in_string is not None
        if not body or body[0] in "#)]}" or self._in_string[at]:
            return False
        return at < 2 or not self._lines[at - 2].endswith("\\")

    def _continues(self, at: int, indent: int, body: str) -> bool:
        """Whether a line may stand inside brackets that were opened on a line that is indented more."""
        assert self._in_string is not None
        if _STATEMENT.match(body):
            return False
        for above in range(at - 1, 0, -1):
            line = self._lines[above - 1]
            before = line.lstrip()
            if not before or before[0] == "#":
                continue
            deeper = len(line) - len(before) > indent
            if not deeper and before[0] in "\"'" and not self._in_string[above]:
                continue
            return deeper and before.partition("  #")[0].rstrip().endswith(_UNFINISHED)
        return False

    def _goes_on(self, at: int, body: str) -> bool:
        """Whether a line looks like the middle of an expression, and brackets are open where it begins.

        They are counted from the last line that begins a statement for sure.
        """
        assert self._in_string is not None
        code = _LITERAL.sub("", body)
        if not (body[0] in _BEGINS_NOTHING or _closes(code) or (_CLAUSE.match(body) and ":" not in code)):
            return False
        start = at - 1
        while start > 1 and (self._in_string[start] or not _STATEMENT.match(self._lines[start - 1].lstrip())):
            start -= 1
        return _depth(_LITERAL.sub("", "\n".join(self._lines[start - 1 : at - 1]))) > 0

    def _may_open(self, at: int, body: str) -> bool:
        """Whether lines that are indented more may follow: a block, open brackets, a string or a continuation."""
        assert self._in_string is not None
        if body.rstrip().endswith((":", "\\", "(", "[", "{", ",")) or self._in_string[at + 1]:
            return True
        code = _LITERAL.sub("", body)
        return code.rstrip().endswith(":") or _depth(code) > 0

    def _holds(self, header: int, indent: int, first: int, last: int) -> bool:
        """Whether the definition at `header`, whose body reaches to `first` at least, reaches to `last`."""
        for at in range(first if first > header else header + 1, last + 1):
            if self._ends(header, at, indent):
                return False
        body = self._lines[last - 1].lstrip()
        assert self._in_string is not None
        if last == header or self._in_string[last] or (body and body[0] != "#"):
            return True
        # A blank line or a comment: it belongs to the body if more of it follows.
        for at in range(last + 1, len(self._lines) + 1):
            following = self._lines[at - 1].lstrip()
            if following and following[0] in ")]}":
                return True
            if self._is_statement_line(at, following):
                if not self._ends(header, at, indent):
                    return True
                break
        return last <= self._last_comment(header, last, indent)

    def _ends(self, header: int, at: int, indent: int) -> bool:
        """Whether a line is a statement behind the definition. Raises _InDoubt if it may stand inside brackets."""
        line = self._lines[at - 1]
        body = line.lstrip()
        if len(line) - len(body) > indent or not self._is_statement_line(at, body):
            return False
        if _STATEMENT.match(body) or body[0] == "@":
            return True
        if _depth(_LITERAL.sub("", "\n".join(self._lines[header - 1 : at - 1]))):
            raise _InDoubt
        return True

    def _last_comment(self, header: int, last: int, indent: int) -> int:
        """The last line of the body, comments behind its last statement included that are indented into it."""
        end = last
        assert self._in_string is not None
        while end > header:
            body = self._lines[end - 1].lstrip()
            if self._in_string[end] or (body and body[0] != "#"):
                break
            end -= 1
        at = end + 1
        while at <= len(self._lines):
            body = self._lines[at - 1].lstrip()
            if body:
                if body[0] != "#" or len(self._lines[at - 1]) - len(body) <= indent:
                    break
                end = at
            at += 1
        return end


class _InDoubt(Exception):
    """The text alone does not say."""


def _depth(code: str) -> int:
    """Opening brackets minus closing ones in code without strings and comments."""
    return sum(code.count(sign) for sign in "([{") - sum(code.count(sign) for sign in ")]}")


def _closes(code: str) -> bool:
    """Whether code without strings and comments closes a bracket that it does not open."""
    if _depth(code) < 0:
        return True
    depth = 0
    for sign in code:
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0:
            return True
    return False


def _string_lines(text: str, total: int) -> bytearray | None:
    """For each line (from 1) whether it begins inside a string of several lines; None where a string is not closed."""
    inside = bytearray(total + 2)
    at, line = 0, 1
    while (opening := _TRIPLE.search(text, at)) is not None:
        start = opening.start()
        begin = text.rfind("\n", at, start) + 1 or at
        before = text[begin:start]
        closing = text.find(opening[0], start + 3)
        doubtful = "#" in before or '"' in before or "'" in before or text[begin - 2 : begin - 1] == "\\"
        if closing < 0 or doubtful or text[closing - 1] == "\\":
            return _string_lines_exactly(text, total)
        line += text.count("\n", at, start)
        more = text.count("\n", start, closing)
        if more:
            inside[line + 1 : line + more + 1] = b"\1" * more
            line += more
        at = closing + 3
    return inside


def _string_lines_exactly(text: str, total: int) -> bytearray | None:
    """As `_string_lines`, by reading every string and comment: quotes may stand inside either."""
    inside = bytearray(total + 2)
    at, line = 0, 1
    for literal in _LITERAL.finditer(text):
        start, end = literal.span()
        line += text.count("\n", at, start)
        more = text.count("\n", start, end)
        if more:
            inside[line + 1 : line + more + 1] = b"\1" * more
            line += more
        at = end
    rest = _LITERAL.sub("", text)
    return None if '"' in rest or "'" in rest else inside
