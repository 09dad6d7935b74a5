"""What stands in a part of a tree: classes, functions and values of a name, found by text before anything is parsed.

A general statement ranges over thousands of files. A file is looked at only if its bytes contain a word of the
statement; a class is cut out of it by its first and last line; libcst sees single statements.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from ..model.place import LineRange, Place
from ..model.source_text import SourceText
from .context import Context
from .source_facts import wanted_pattern
from .structure import Statement, statement_at

if TYPE_CHECKING:
    import libcst as cst

_CLASS = re.compile(r"^([ \t]*)class[ \t]+(\w+)[ \t]*(?:\(([^:]*?)\))?[ \t]*:", re.MULTILINE)
_TOP = re.compile(r"^[A-Za-z_@]", re.MULTILINE)
_INDENTED_CLASS = re.compile(r"^[ \t]+class[ \t]", re.MULTILINE)
_HEADER = re.compile(r"^([ \t]*)(?:(class|def|async)\b|[a-z]+\b[^\n]*:[ \t]*(?:#[^\n]*)?$)", re.MULTILINE)
"""The headers of blocks; what stands in a string looks like one at times, and only makes a class be left out."""
_NO_CODE = re.compile(
    r'"""(?:[^"\\]|\\.|"(?!""))*"""|\'\'\'(?:[^\'\\]|\\.|\'(?!\'\'))*\'\'\'|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)*\'|#[^\n]*',
    re.DOTALL,
)
_WORD = re.compile(r"\w+")


@dataclass(frozen=True)
class ClassText:
    """A class of the module as text, also one under `if` or `try`. `bases` are names without modules and parameters."""

    path: str
    name: str
    bases: tuple[str, ...]
    lines: LineRange
    text: str
    source: SourceText

    @property
    def place(self) -> Place:
        return Place(self.path, LineRange(self.lines.first, self.lines.first), self.name)


def files_with(context: Context, engine: str, scope: Iterable[str], words: Sequence[str]) -> Iterator[SourceText]:
    """The Python files below the prefixes whose bytes contain each of the words, in order of paths."""
    reader = context.reader(engine)
    for path in reader.paths_with(tuple(scope), ".py", [word.encode() for word in words]):
        yield reader.text(path)


def longest_word(pattern: str) -> str:
    """The longest run of letters that every match of a simple regular expression contains ("" if none is sure)."""
    if re.search(r"[|?*{\[(]", pattern.replace(".*", "")):
        return ""
    plain = re.sub(r"\\.|\.\*|\.", " ", pattern)
    return max(_WORD.findall(plain), key=len, default="")


@lru_cache(maxsize=1024)
def _classes(blob: str, path: str, source: SourceText) -> tuple[ClassText, ...]:
    del blob
    text = source.text if "\r" not in source.text else "\n".join(source.lines) + "\n"
    found: list[ClassText] = []
    inner = _inner_classes(text) if _INDENTED_CLASS.search(text) else frozenset()
    for match in _CLASS.finditer(text):
        if match.start() in inner:
            continue
        end = len(text)
        margin = len(match.group(1))
        code = re.compile(rf"^[ \t]{{0,{margin}}}[A-Za-z_@]", re.MULTILINE) if margin else _TOP
        quotes, counted = 0, match.start()
        for following in code.finditer(text, match.end()):
            # A docstring may have text in the first column: an odd number of quotes means that one is open.
            quotes += text.count('"""', counted, following.start())
            counted = following.start()
            if quotes % 2 == 0:
                end = following.start()
                break
        body = text[match.start() : end].rstrip()
        first = text.count("\n", 0, match.start()) + 1
        bases = tuple(
            base.strip().partition("[")[0].rpartition(".")[2]
            for base in re.sub(r"\[[^\]]*\]", "", match.group(3) or "").split(",")
            if base.strip() and "=" not in base
        )
        found.append(ClassText(path, match.group(2), bases, LineRange(first, first + body.count("\n")), body, source))
    return tuple(found)


def _inner_classes(text: str) -> frozenset[int]:
    """Where the classes begin that stand inside of a class or a function, by the headers around them."""
    inner: set[int] = set()
    around: list[tuple[int, bool]] = []
    for match in _HEADER.finditer(text):
        margin = len(match.group(1))
        while around and around[-1][0] >= margin:
            around.pop()
        if match.group(2) == "class" and any(holds for _, holds in around):
            inner.add(match.start())
        around.append((margin, match.group(2) is not None))
    return frozenset(inner)


def classes(context: Context, engine: str, scope: Iterable[str], name: str) -> list[ClassText]:
    """The module's classes whose whole name matches a regular expression."""
    pattern = wanted_pattern(name, "classes")
    word = longest_word(name)
    found: list[ClassText] = []
    for source in files_with(context, engine, scope, ["class ", *([word] if word else [])]):
        found.extend(c for c in _classes(source.blob, source.path, source) if pattern.fullmatch(c.name))
    return found


@lru_cache(maxsize=4096)
def reads(text: str, name: str) -> bool:
    """Whether code (not a comment or a string) contains the name as a word."""
    if name not in text:
        return False
    return re.search(rf"\b{re.escape(name)}\b", _NO_CODE.sub(" ", text)) is not None


def word_lines(source: SourceText, lines: LineRange, name: str) -> list[int]:
    """The lines of part of a file whose code contains the name as a word."""
    text = source.slice(lines.first, lines.last)
    if name not in text:
        return []
    blanked = _NO_CODE.sub(lambda m: "\n" * m.group().count("\n"), text)
    pattern = re.compile(rf"\b{re.escape(name)}\b")
    return [lines.first + n for n, line in enumerate(blanked.split("\n")) if pattern.search(line)]


def enclosing_class(source: SourceText, line: int) -> ClassText | None:
    """The module's class that a line stands in."""
    for one in _classes(source.blob, source.path, source):
        if one.lines.first <= line <= one.lines.last:
            return one
    return None


@dataclass(frozen=True)
class FunctionText:
    """The header of a function in a scope."""

    source: SourceText
    header: Statement
    owner: ClassText | None

    @property
    def place(self) -> Place:
        name = self.header.text.partition("(")[0].split()[-1]
        return Place(
            self.source.path,
            LineRange(self.header.lines.first, self.header.lines.first),
            f"{self.owner.name}.{name}" if self.owner else name,
        )


def functions(context: Context, engine: str, scope: Iterable[str], name: str) -> list[FunctionText]:
    """The functions and methods of exactly this name."""
    pattern = re.compile(rf"^[ \t]*(?:async[ \t]+)?def[ \t]+{re.escape(name)}[ \t]*[(\[]", re.MULTILINE)
    found: list[FunctionText] = []
    for source in files_with(context, engine, scope, [f"def {name}"]):
        text = "\n".join(source.lines)
        for match in pattern.finditer(text):
            first = text.count("\n", 0, match.start()) + 1
            # A header longer than this is not one; the cut only bounds the scan.
            last = min(first + 80, len(source.lines))
            header = statement_at(source, first, last)
            assert header is not None
            found.append(FunctionText(source, header, enclosing_class(source, first)))
    return found


@dataclass(frozen=True)
class ValueText:
    """A value given to a name: by assignment, as a keyword argument, or as a default."""

    source: SourceText
    line: int
    value: cst.BaseExpression
    how: str
    """"assignment", "keyword" or "default"."""
    keywords: tuple[tuple[str, cst.BaseExpression], ...] = ()
    """The keywords beside it, where it is a keyword argument."""

    @property
    def place(self) -> Place:
        owner = enclosing_class(self.source, self.line)
        return Place(self.source.path, LineRange(self.line, self.line), owner.name if owner else None)


_LOOK_BACK = 60
"""How many lines above a keyword its statement is looked for."""


def values(context: Context, engine: str, scope: Iterable[str], name: str) -> list[ValueText]:
    """Every value that code in the scope gives to a name (attributes of that name included)."""
    found: list[ValueText] = []
    for source in files_with(context, engine, scope, [name]):
        found.extend(_values_of(source, name))
    return found


@lru_cache(maxsize=1024)
def _values_of(source: SourceText, name: str) -> tuple[ValueText, ...]:
    """The values in one version of a file: over many revisions, most files of a scope are the same."""
    pattern = re.compile(rf"\b{re.escape(name)}\b[ \t]*(?::[^=\n]+)?=(?!=)")
    found: list[ValueText] = []
    text = "\n".join(source.lines)
    done: set[int] = set()
    for match in pattern.finditer(text):
        if "#" in text[text.rfind("\n", 0, match.start()) + 1 : match.start()]:
            continue
        line = text.count("\n", 0, match.start()) + 1
        if line in done:
            continue
        statement = _statement_around(source, line)
        if statement is None:
            continue
        done.update(range(statement.lines.first, statement.lines.last + 1))
        found.extend(_values_in(source, statement, name))
    return tuple(found)


def _statement_around(source: SourceText, line: int) -> Statement | None:
    """The logical line that holds a line: of the starts above it, the farthest whose statement reaches it.

    Scanning from the top of the file would be exact and slow; from a line that begins a statement (one that opens
    with a word and is not indented deeper than the line) it is the same.
    """
    lines = source.lines
    indent = len(lines[line - 1]) - len(lines[line - 1].lstrip())
    for first in range(line, max(0, line - _LOOK_BACK), -1):
        candidate = lines[first - 1]
        stripped = candidate.lstrip()
        if not stripped or len(candidate) - len(stripped) > indent or stripped[0] in ")]}#,":
            continue
        one = statement_at(source, first, min(line + _LOOK_BACK, len(lines)))
        if one is not None and one.lines.first <= line <= one.lines.last and one.module is not None:
            if first == line and _is_argument(one):
                continue
            return one
    return None


def _is_argument(statement: Statement) -> bool:
    """A keyword argument on a line of its own reads as an assignment to a tuple: `name=value,`."""
    return statement.text.rstrip().endswith(",")


def _values_in(source: SourceText, statement: Statement, name: str) -> Iterator[ValueText]:
    import libcst as cst

    from .structure import nodes

    def wanted(node: cst.CSTNode) -> bool:
        match node:
            case cst.Arg(keyword=cst.Name(value=given)):
                return given == name
            case cst.Param(name=cst.Name(value=given), default=default):
                return given == name and default is not None
            case cst.AnnAssign(target=target, value=value):
                return value is not None and _named(target, name)
            case cst.Assign(targets=targets):
                return any(_named(t.target, name) for t in targets)
            case _:
                return False

    calls = nodes([statement], name, lambda node: isinstance(node, cst.Call))
    for hit in nodes([statement], name, wanted):
        node = hit.node
        if isinstance(node, cst.Arg):
            beside = next((c.node for c in calls if isinstance(c.node, cst.Call) and node in c.node.args), None)
            keywords = (
                tuple((a.keyword.value, a.value) for a in beside.args if a.keyword is not None)
                if isinstance(beside, cst.Call)
                else ()
            )
            yield ValueText(source, hit.line, node.value, "keyword", keywords)
        elif isinstance(node, cst.Param) and node.default is not None:
            yield ValueText(source, hit.line, node.default, "default")
        elif isinstance(node, (cst.Assign, cst.AnnAssign)) and node.value is not None:
            yield ValueText(source, hit.line, node.value, "assignment")


def _named(target: cst.CSTNode, name: str) -> bool:
    import libcst as cst

    if isinstance(target, cst.Attribute):
        return target.attr.value == name
    return isinstance(target, cst.Name) and target.value == name
