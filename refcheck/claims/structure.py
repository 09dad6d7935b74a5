"""Statements of a definition, each parsed by libcst alone and only when it is looked at.

A claim speaks of a few statements of a function that may have a thousand lines, so that parsing the function as a
whole would cost far more than the claim. `statements` cuts the lines of a definition into logical lines (brackets,
strings and continuations kept together) with their indentation, which needs no parser; `Statement.nodes` parses one
of them. A line number is thus known for every statement in the FILE, and blocks are read from the indentation.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

from ..locate.pattern import indent_of
from ..model.place import LineRange
from ..model.source_text import SourceText

if TYPE_CHECKING:
    import libcst as cst

_TOKEN = re.compile(
    r"""(?P<triple>(?:\b[rbfuRBFU]{0,2})?(?:\"\"\"|'''))"""
    r"""|(?P<string>(?:\b[rbfuRBFU]{0,2})?["'])|(?P<comment>\#)|(?P<open>[(\[{])|(?P<close>[)\]}])"""
    r"""|(?P<joined>\\\n)|(?P<newline>\n)"""
)
_STRING_END = {
    '"""': re.compile(r'(?:[^"\\]|\\.|"(?!""))*"""', re.DOTALL),
    "'''": re.compile(r"(?:[^'\\]|\\.|'(?!''))*'''", re.DOTALL),
    '"': re.compile(r'(?:[^"\\\n]|\\.)*"', re.DOTALL),
    "'": re.compile(r"(?:[^'\\\n]|\\.)*'", re.DOTALL),
}
_COMMENT = re.compile(r"[^\n]*")
_INNER_COMMENT = re.compile(r"\s+#[^\n\"']*\n")

_CLAUSE = re.compile(r"(elif|else|except|finally|case)\b")
_HEADER = re.compile(
    r"(if|elif|else|while|for|try|except|finally|with|match|case|def|class|async\s+(?:def|for|with))(?=[\s(:\[{\"'~-])"
)


@dataclass(frozen=True)
class Statement:
    """One logical line: a simple statement (or several parted by `;`), or the header of a compound one.

    `lines` are those of the file. `text` is without the first line's indentation and without a comment at its end.
    """

    lines: LineRange
    indent: int
    text: str

    @property
    def module(self) -> cst.Module | None:
        """The statement as a module of its own, a header with an empty body; None where it cannot be parsed."""
        return _parse(self.text)[0]

    @property
    def node(self) -> cst.CSTNode | None:
        """The statement's own node (for `else` and its kin, that of the statement they belong to)."""
        return self.module.body[0] if self.module is not None and self.module.body else None

    @cached_property
    def keyword(self) -> str:
        """`if`, `elif`, `for`, `def` … where the statement is the header of a block, else an empty string."""
        match = _HEADER.match(self.text)
        return match.group(1).split()[-1] if match and ":" in self.text else ""

    @property
    def small(self) -> list[cst.BaseSmallStatement]:
        """The simple statements on this line: its own, or those behind the colon of a header."""
        import libcst as cst

        if self.module is None:
            return []
        node = self.node
        if isinstance(node, cst.SimpleStatementLine):
            return list(node.body)
        suites = (one for one in walk(self.module) if isinstance(one, cst.SimpleStatementSuite))
        return [one for suite in suites for one in suite.body]

    @property
    def header(self) -> str:
        """The test of `if`, `elif` or `while`, on one line."""
        test = getattr(self.node, "test", None)
        return code_of(test) if test is not None else " ".join(self.text.split())

    @property
    def line_offset(self) -> int:
        """How many lines were put before the text to make it parse."""
        return _parse(self.text)[1]


def statements(source: SourceText, lines: LineRange) -> tuple[Statement, ...]:
    """The logical lines of part of a file. Comment lines and blank lines are left out."""
    return _statements(source.blob, source.slice(lines.first, lines.last), lines.first)


@lru_cache(maxsize=512)
def _statements(blob: str, text: str, first: int) -> tuple[Statement, ...]:
    del blob
    return tuple(_scan(text, first))


def statement_at(source: SourceText, first: int, last: int) -> Statement | None:
    """The logical line that begins at line `first` (or below it), looking no further than line `last`."""
    return next(_scan(source.slice(first, last), first), None)


def _scan(text: str, first: int) -> Iterator[Statement]:
    depth = 0
    start = 0
    start_line = line = first
    at = 0
    cut = -1
    text += "\n"
    code = False
    while match := _TOKEN.search(text, at):
        if not code and text[at : match.start()].strip():
            code = True
        at = match.end()
        what = match.lastgroup
        if what in ("triple", "string"):
            code = True
            quote = match.group().lstrip("rbfuRBFU")
            end = _STRING_END[quote].match(text, at)
            if end is not None:
                line += text.count("\n", at, end.end())
                at = end.end()
        elif what == "comment":
            cut = match.start()
            end = _COMMENT.match(text, at)
            assert end is not None
            at = end.end()
        elif what == "open":
            code = True
            depth += 1
        elif what == "close":
            depth = max(0, depth - 1)
        elif what == "joined":
            line += 1
        else:
            if depth == 0:
                if code:
                    piece = text[start : match.start() if cut < 0 else cut].rstrip()
                    yield Statement(LineRange(start_line, line), indent_of(piece), piece.lstrip())
                start, start_line, code = at, line + 1, False
            cut = -1
            line += 1


def unclosed_bracket(text: str) -> int | None:
    """The line, from 1, of the first bracket that is never closed; strings and comments aside."""
    opened: list[int] = []
    at = 0
    while match := _TOKEN.search(text, at):
        at = match.end()
        end = None
        if match.lastgroup in ("triple", "string"):
            end = _STRING_END[match.group().lstrip("rbfuRBFU")].match(text, at)
        elif match.lastgroup == "comment":
            end = _COMMENT.match(text, at)
        elif match.lastgroup == "open":
            opened.append(match.start())
        elif match.lastgroup == "close" and opened:
            opened.pop()
        at = end.end() if end is not None else at
    return text.count("\n", 0, opened[0]) + 1 if opened else None


@lru_cache(maxsize=8192)
def _parse(text: str) -> tuple[cst.Module | None, int]:
    """The module and how many lines were put before the text; no module for a text that the parser could die of."""
    import libcst as cst

    from .evaluator.failures import BudgetExceeded
    from .evaluator.source import check_complexity

    try:
        check_complexity(text)
    except BudgetExceeded:
        return None, 0
    for code, before in _readings(text.rstrip()):
        try:
            return cst.parse_module(code + "\n"), before
        except (cst.ParserSyntaxError, cst.CSTValidationError, RecursionError):
            continue
    return None, 0


def _readings(code: str) -> Iterator[tuple[str, int]]:
    """Texts that may parse: a header needs a body, a clause the statement that it belongs to."""
    opens = code.endswith(":")
    clause = _CLAUSE.match(code)
    if code.startswith("@"):
        yield code + "\ndef _(): pass", 0
    elif clause is None:
        if opens and code.startswith("try"):
            yield code + "\n pass\nfinally: pass", 0
        if opens and code.startswith("match"):
            yield code + "\n case _: pass", 0
        yield (code + "\n pass" if opens else code), 0
    else:
        body = "\n pass" if opens else ""
        if clause.group(1) == "elif":
            yield code[2:] + body, 0
        elif clause.group(1) == "case":
            yield "match _:\n " + code + ("\n  pass" if opens else ""), 1
        else:
            lead = "try: pass\n" if clause.group(1) in ("except", "finally") else "if _: pass\n"
            yield lead + code + body, 1
        yield code, 0


def walk(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """The node and everything below it but formatting, outer before inner."""
    import libcst as cst

    stack: list[cst.CSTNode] = [node]
    while stack:
        one = stack.pop()
        yield one
        below: list[cst.CSTNode] = []
        for name in _fields(type(one)):
            value = getattr(one, name)
            if isinstance(value, cst.CSTNode):
                below.append(value)
            elif isinstance(value, (list, tuple)):
                below.extend(item for item in value if isinstance(item, cst.CSTNode))
        stack.extend(reversed(below))


# --- canonical forms -------------------------------------------------------------------------------------------

Form: TypeAlias = tuple[Any, ...] | str
"""A node without its formatting: nested tuples of the node's type and its parts."""

_FORMAT_FIELDS = frozenset(
    {
        *("lpar", "rpar", "comma", "semicolon", "header", "footer", "leading_lines", "lines_after_decorators"),
        *("trailing_whitespace", "leading_whitespace", "lbracket", "rbracket", "lbrace", "rbrace", "indent", "dot"),
        *("equal", "colon", "first_colon", "second_colon", "whitespace", "start", "end", "lines_after_module"),
    }
)
ANY: Form = ("Ellipsis",)
"""In an expected form `...` stands for any expression (or slice); as the only argument of a call, for any arguments."""


@lru_cache(maxsize=4096)
def expression_form(code: str) -> Form:
    """The form of an expression given as text. Raises ValueError for text that is none."""
    import libcst as cst

    from .evaluator.failures import BudgetExceeded
    from .evaluator.source import check_complexity

    try:
        check_complexity(code)
        return form(cst.parse_expression(code.strip()))
    except BudgetExceeded as error:
        raise ValueError(f"too long or too deeply nested: {code[:60]}…") from error
    except (cst.ParserSyntaxError, cst.CSTValidationError, RecursionError) as error:
        raise ValueError(f"not an expression: {code!r}") from error


def form(node: cst.CSTNode) -> Form:
    """Whitespace, comments, parentheses, quote style, trailing commas and line breaks do not count."""
    import libcst as cst

    if isinstance(node, cst.Name):
        return node.value
    if isinstance(node, (cst.SimpleString, cst.ConcatenatedString)):
        value = node.evaluated_value
        return ("String", repr(value)) if value is not None else ("String", _pieces(node))
    if isinstance(node, (cst.Integer, cst.Float)):
        return ("Number", repr(node.evaluated_value))
    if isinstance(node, cst.Ellipsis):
        return ANY
    if isinstance(node, cst.FormattedString):
        return ("String", _pieces(node))
    parts: list[Any] = [type(node).__name__]
    for name in _fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, cst.CSTNode):
            parts.append(form(value))
        elif isinstance(value, (list, tuple)):
            parts.append(tuple(form(v) for v in value if isinstance(v, cst.CSTNode)))
        elif isinstance(value, str):
            parts.append(value)
        else:
            parts.append(None)
    return tuple(parts)


@lru_cache(maxsize=256)
def _fields(kind: type) -> tuple[str, ...]:
    names: tuple[str, ...] = tuple(kind.__dataclass_fields__)  # type: ignore[attr-defined]
    return tuple(n for n in names if n not in _FORMAT_FIELDS and not n.startswith(("whitespace", "_")))


def _pieces(node: cst.CSTNode) -> Any:
    """The text and replacement parts of formatted strings, joined ones run together."""
    import libcst as cst

    if isinstance(node, cst.ConcatenatedString):
        return (*_pieces(node.left), *_pieces(node.right))
    if isinstance(node, cst.SimpleString):
        return (repr(node.evaluated_value),)
    if isinstance(node, cst.FormattedString):
        return tuple(
            repr(part.value)
            if isinstance(part, cst.FormattedStringText)
            else (form(part.expression), part.conversion, code_of(part.format_spec[0]) if part.format_spec else "")
            for part in node.parts
            if isinstance(part, (cst.FormattedStringText, cst.FormattedStringExpression))
        )
    return (form(node),)


def annotation_form(node: cst.CSTNode | str) -> Form:
    """The form of an annotation: quotes around it or around a part of it do not count, nor the order of a union.

    Raises ValueError for text that is no expression.
    """
    return _annotation(expression_form(node) if isinstance(node, str) else form(node))


def _annotation(found: Form) -> Form:
    if not isinstance(found, tuple) or not found:
        return found
    if found[0] == "String" and isinstance(found[1], str):
        from ast import literal_eval

        try:
            return _annotation(expression_form(str(literal_eval(found[1]))))
        except ValueError:
            return found
    if found[0] == "Subscript" and _last_name(found[1]) in ("Literal", "Annotated"):
        return found  # their strings are values
    if members := _union(found):
        return ("Union", *sorted(map(_annotation, members), key=repr))
    return tuple(_annotation(part) if isinstance(part, tuple) else part for part in found)


def _union(found: Form) -> tuple[Form, ...]:
    """The members of `a | b | c`, quoted or bracketed parts of it taken apart as well; none for anything else."""
    if not isinstance(found, tuple) or found[0] != "BinaryOperation":
        return ()
    _, left, operator, right = found
    if operator[0] != "BitOr":
        return ()
    return (*(_union(left) or (left,)), *(_union(right) or (right,)))


def _last_name(found: Form) -> str:
    """`Literal` of `Literal` and of `typing.Literal`."""
    return found if isinstance(found, str) else str(found[2]) if found[0] == "Attribute" else ""


def fits(expected: Form | None, found: Form | None) -> bool:
    """Whether a form is the expected one, `...` in the expected one standing for anything."""
    if expected == ANY:
        return True
    if not isinstance(expected, tuple) or not isinstance(found, tuple):
        return expected == found
    if expected[:2] == ("Index", ANY):
        return True
    if len(expected) != len(found):
        return False
    if expected[:1] == ("Call",) and found[:1] == ("Call",) and _any_arguments(expected):
        return fits(expected[1], found[1])
    return all(fits(e, f) for e, f in zip(expected, found, strict=True))


def _any_arguments(call: tuple[Any, ...]) -> bool:
    arguments = call[2]
    return len(arguments) == 1 and arguments[0][1] == ANY


def code_of(node: cst.CSTNode) -> str:
    """The node's source on one line, without the comments and the trailing comma that several lines needed."""
    import libcst as cst

    code = _INNER_COMMENT.sub("\n", cst.Module([]).code_for_node(node)).replace("\\\n", " ")
    code = re.sub(r"\s+", " ", code).strip()
    return re.sub(r"([(\[{]) ", r"\1", re.sub(r",? ([)\]}])", r"\1", code))


# --- what claims look for --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hit:
    """A node, the statement that it stands in and its line."""

    node: cst.CSTNode
    statement: Statement
    line: int

    @property
    def code(self) -> str:
        return code_of(self.node)


def nodes(found: Sequence[Statement], hint: str, wanted: Callable[[cst.CSTNode], bool]) -> list[Hit]:
    """The nodes for which `wanted` is true in statements whose text contains `hint`."""
    hits: list[Hit] = []
    for statement in found:
        if hint in statement.text and statement.module is not None:
            chosen = [node for node in walk(statement.module) if wanted(node)]
            hits.extend(Hit(node, statement, _line(node, statement)) for node in chosen)
    return hits


def _line(node: cst.CSTNode, statement: Statement) -> int:
    """The line of the file that a node of a statement begins on."""
    import libcst as cst

    first = statement.lines.first
    if len(statement.lines) == 1:
        return first
    # Where the node's text stands only once, its place is known without positions, which cost a rendering each.
    bare = node.with_changes(lpar=(), rpar=()) if getattr(node, "lpar", ()) else node
    code = cst.Module([]).code_for_node(bare)
    at = statement.text.find(code)
    if at >= 0 and statement.text.find(code, at + 1) < 0:
        return first + statement.text.count("\n", 0, at)
    assert statement.module is not None
    lines = _line_numbers(statement.module)
    return first - 1 - statement.line_offset + lines[id(node)] if id(node) in lines else first


def _line_numbers(module: cst.Module) -> dict[int, int]:
    """Node identity -> line in the statement (from 1)."""
    from libcst.metadata import MetadataWrapper, PositionProvider

    wrapper = MetadataWrapper(module, unsafe_skip_copy=True)
    return {id(node): place.start.line for node, place in wrapper.resolve(PositionProvider).items()}


@dataclass(frozen=True)
class Conditions:
    """The blocks around a statement inside its definition, outermost first, as text (`if x`, `not (x)`, `for …`)."""

    items: tuple[str, ...]
    lines: tuple[int, ...]


def conditions(found: Sequence[Statement], statement: Statement) -> Conditions:
    """What must hold for a statement to run, read from the headers around it (loops and `with` are named too)."""
    items: list[str] = []
    lines: list[int] = []
    index = found.index(statement)
    depth = statement.indent
    if statement.keyword not in ("", "def", "class") and not statement.text.endswith(":"):
        items.append(_condition(found, index))
        lines.append(statement.lines.first)
    while index >= 0 and depth > found[0].indent:
        header = found[index]
        if header.indent < depth and header.keyword and header.keyword not in ("def", "class"):
            depth = header.indent
            items.append(_condition(found, index))
            lines.append(header.lines.first)
        elif header.indent < depth and header is not statement:
            depth = min(depth, header.indent)
        index -= 1
    return Conditions(tuple(reversed(items)), tuple(reversed(lines)))


def exclusive(found: Sequence[Statement], one: Statement, other: Statement) -> bool:
    """Whether two statements stand in different branches of one `if`, so that never both run."""
    first, second = conditions(found, one), conditions(found, other)
    both = zip(first.items, first.lines, second.items, second.lines, strict=False)
    for left, left_line, right, right_line in both:
        if left_line != right_line:
            return f"not ({_own_test(left)})" in right or f"not ({_own_test(right)})" in left
    return False


def _own_test(condition: str) -> str:
    """The test of the branch itself: of `not (a) and (b)`, which an `elif b` is under, `b`."""
    if not condition.startswith("not (") or not condition.endswith(")"):
        return condition
    return condition.rpartition(") and (")[2][:-1] if ") and (" in condition else condition


def _condition(found: Sequence[Statement], index: int) -> str:
    header = found[index]
    if header.keyword in ("else", "elif"):
        tests = []
        for before in reversed(found[:index]):
            if before.indent < header.indent:
                break
            if before.indent == header.indent:
                if before.keyword in ("if", "elif"):
                    tests.append(before.header)
                if before.keyword not in ("elif",):
                    break
        parts = [f"not ({test})" for test in reversed(tests)]
        if header.keyword == "elif":
            parts.append(f"({header.header})")
        return " and ".join(parts) if parts else "else"
    if header.keyword in ("if", "while"):
        return header.header
    return header.text.strip().rstrip(":")


def block(found: Sequence[Statement], index: int) -> Sequence[Statement]:
    """The statements below the header at `index`."""
    end = index + 1
    while end < len(found) and found[end].indent > found[index].indent:
        end += 1
    return found[index + 1 : end]
