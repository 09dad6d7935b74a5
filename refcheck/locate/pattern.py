"""What is looked for: lines of code, in pieces that elisions part."""

from __future__ import annotations

import re
from dataclasses import dataclass

TAB = 8

_ELISION_LINE = re.compile(
    r"""(?:\#|//|--|;|<!--|/\*|"\"\"|''')?\s*+
        (?:\(|\[|\{|<|【)?\s*+
        (?:\.{3,6}|…{1,2}|⋯|snip(?:ped)?|omitted|elided|truncated|省略[^\n]{0,40}|略|此处省略[^\n]{0,40}|以下省略|中略|中間省略|중략|생략)
        (?:\s*+(?:\.{3,6}|…{1,2}|snip(?:ped)?|omitted|省略))?
        [^\w\n]{0,12}\Z""",
    re.VERBOSE | re.IGNORECASE,
)
_WORDED_ELISION = re.compile(
    r"(?:#|//|/\*)\s*(?:\.{3}|…)\s*[^\n]{0,80}?(?:\.{3}|…)\s*(?:\*/)?\Z"
    r"|(?:#|//|/\*)\s*(?:\.{3}|…{1,2})\s{0,3}[（(:：]?[^\n]{0,80}\Z"
    r"|(?:#|//|/\*)\s{0,3}(?:<snip>|\[snip\]|\[\.\.\.\]|省略|中略|略)[^\n]{0,80}\Z",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class PatternLine:
    """One line: `key` is its text without indentation and trailing space (or the hash of that); "" is blank."""

    key: str
    indent: int

    @property
    def blank(self) -> bool:
        return not self.key


@dataclass(frozen=True, slots=True)
class Pattern:
    """Pieces to be found in this order, each as one run of lines; any run of lines may stand between two.

    `hashed` says that the keys are hashes (an anchor's) and not text (a document's). `opens` and `closes` say that
    an elision stands before the first or after the last piece. `depths` are how much deeper each piece is indented
    than the whole block; a fingerprint does not keep that, and has none.
    """

    pieces: tuple[tuple[PatternLine, ...], ...]
    hashed: bool = False
    opens: bool = False
    closes: bool = False
    depths: tuple[int, ...] = ()

    @property
    def line_count(self) -> int:
        """Lines shown, elisions included as one line each."""
        return sum(len(p) for p in self.pieces) + len(self.pieces) - 1

    @property
    def solid(self) -> int:
        """Non-blank lines."""
        return sum(not line.blank for piece in self.pieces for line in piece)


def indent_of(line: str) -> int:
    """Columns of leading white space, tabs to the next multiple of 8 (as the Python tokenizer counts)."""
    column = len(line) - len(line.lstrip(" "))
    if line[column : column + 1] != "\t":
        return column
    for char in line[column:]:
        if char == " ":
            column += 1
        elif char == "\t":
            column += TAB - column % TAB
        else:
            break
    return column


def is_elision(line: str) -> bool:
    """Whether a line marks a cut (`# ...`, `...`, `<snip>`, `// …`, their kin in other languages)."""
    stripped = line.strip()
    if not stripped or len(stripped) > 120:
        return False
    return bool(_ELISION_LINE.match(stripped) or _WORDED_ELISION.match(stripped))


def _pattern_lines(lines: list[str]) -> tuple[PatternLine, ...]:
    solid = [indent_of(line) for line in lines if line.strip()]
    base = min(solid, default=0)
    out = [PatternLine(line.strip(), indent_of(line) - base) if line.strip() else PatternLine("", 0) for line in lines]
    while out and out[0].blank:
        out.pop(0)
    while out and out[-1].blank:
        out.pop()
    return tuple(out)


def literal_pattern(lines: tuple[str, ...]) -> Pattern:
    """The lines as one piece: what looks like an elision is taken as source. ValueError if all are blank."""
    piece = _pattern_lines(list(lines))
    if not piece:
        raise ValueError("no line to look for")
    return Pattern((piece,))


def has_bare_dots(lines: tuple[str, ...]) -> bool:
    """Whether `...` stands alone on a line beside marks of other kinds: it is a statement of Python too."""
    marks = [line.strip() for line in lines if is_elision(line)]
    return "..." in marks and any(mark != "..." for mark in marks)


def elided_pattern(lines: tuple[str, ...], *, dots_are_source: bool = False) -> Pattern | None:
    """The lines in pieces at their elision marks, or None if no mark (or nothing but marks) stands there."""
    pieces: list[list[str]] = [[]]
    marks = 0
    opens = closes = False
    for line in lines:
        if is_elision(line) and not (dots_are_source and line.strip() == "..."):
            marks += 1
            opens = opens or not any(part.strip() for piece in pieces for part in piece)
            pieces.append([])
            closes = True
        else:
            pieces[-1].append(line)
            closes = closes and not line.strip()
    if not marks:
        return None
    built = tuple(piece for piece in map(_pattern_lines, pieces) if piece)
    if not built:
        return None
    bases = [min(indent_of(line) for line in piece if line.strip()) for piece in pieces if any(map(str.strip, piece))]
    return Pattern(built, opens=opens, closes=closes, depths=tuple(base - min(bases) for base in bases))
