"""A slice of engine source and its syntax tree: parsed by libcst, only after a scan that libcst can bear it.

libcst's parser is native and recursive: thousands of nested brackets end the process, and some chains take time
quadratic in their length. So the text is scanned first, and what no real source looks like is refused.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from refcheck.claims.evaluator.failures import BudgetExceeded, EvaluationError

if TYPE_CHECKING:
    import libcst as cst

_MAX_CHARACTERS = 250_000
_MAX_TOKENS = 15_000
_MAX_BRACKETS = 40
_MAX_CHAIN = 300
_MAX_ELIFS = 200
_MAX_LITERAL = 20_000

_TOKEN = re.compile(
    r"""
    (?P<comment>\#[^\n]*)
  | (?P<string>(?:\"\"\"(?:[^\\]|\\.)*?\"\"\" | '''(?:[^\\]|\\.)*?'''
      | "(?:[^"\\\n]|\\.)*" | '(?:[^'\\\n]|\\.)*'))
  | (?P<open>[(\[{])
  | (?P<close>[)\]}])
  | (?P<break>[,;\n])
  | (?P<chain>\*\*=?|//=?|<<=?|>>=?|[=!<>]=|[-+*/%@&|^~<>=.:]|\b(?:not|and|or|in|is|if|else|for|lambda|await)\b)
  | (?P<elif>\belif\b)
    """,
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Source:
    """Text of one definition (or some statements) with the place it stands at, for messages.

    `first_line` is the 1-based line of the text's first line in the file `path`; without a path, lines in messages
    are relative to the text.
    """

    text: str
    path: str = ""
    first_line: int = 1


@dataclass(slots=True, eq=False)
class Unit:
    """A parsed source. `lines_before` is 1 where the text had to be put under `if True:` to be parsed as it stands."""

    source: Source
    module: cst.Module
    lines_before: int
    _positions: dict[int, tuple[int, int]] | None = None

    @property
    def body(self) -> list[cst.CSTNode]:
        """The statements of the source."""
        import libcst as cst

        statements: list[cst.CSTNode] = list(self.module.body)
        if self.lines_before:
            wrapper = statements[0]
            assert isinstance(wrapper, cst.If)
            return list(wrapper.body.body)
        return statements

    def lines_of(self, node: object) -> tuple[int, int] | None:
        """First and last line of a node of this unit, in the file's counting; None if it is not a node of it."""
        if self._positions is None:
            self._positions = self._compute_positions()
        return self._positions.get(id(node))

    def where(self, node: object) -> str:
        """`path:line` or `line N` of a node; empty if it has no position."""
        lines = self.lines_of(node)
        if lines is None:
            return ""
        return f"{self.source.path}:{lines[0]}" if self.source.path else f"line {lines[0]}"

    def _compute_positions(self) -> dict[int, tuple[int, int]]:
        from libcst.metadata import MetadataWrapper, PositionProvider

        # The tree comes straight from the parser and is not changed by anyone, so it need not be copied.
        wrapper = MetadataWrapper(self.module, unsafe_skip_copy=True)
        shift = self.source.first_line - 1 - self.lines_before
        return {
            id(node): (span.start.line + shift, span.end.line + shift)
            for node, span in wrapper.resolve(PositionProvider).items()
        }


def parse(source: str | Source) -> Unit:
    """Parses statements or one definition, indented or not.

    Raises `BudgetExceeded` for a text that the parser cannot be trusted with, `EvaluationError` for one that is not
    Python.
    """
    return _parse(source if isinstance(source, Source) else Source(source))


@lru_cache(maxsize=256)
def _parse(source: Source) -> Unit:
    import libcst as cst

    text = source.text.expandtabs(8) if "\t" in source.text else source.text
    check_complexity(text)
    first = next((line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")), "")
    indented = first[:1] == " "
    try:
        module = cst.parse_module(f"if True:\n{text}\n" if indented else text)
    except cst.ParserSyntaxError as error:
        line = error.raw_line + source.first_line - 1 - (1 if indented else 0)
        place = f"{source.path}:{line}" if source.path else f"line {line} of the source"
        raise EvaluationError(f"{place} cannot be parsed: {_reason(error)}") from None
    except (cst.CSTValidationError, UnicodeError, ValueError) as error:
        # Text and bytes side by side, say, are refused when the tree is built, not by the grammar.
        place = source.path or "the source"
        raise EvaluationError(f"{place} cannot be parsed: {_first_line(error)}") from None
    except RecursionError:
        raise BudgetExceeded("levels of nesting in the source", _MAX_BRACKETS) from None
    return Unit(source, module, 1 if indented else 0)


def _reason(error: cst.ParserSyntaxError) -> str:
    """What the parser says, without the list of everything that it would have read there."""
    return error.message.partition("expected one of")[0].strip(" .:") or "a syntax error"


def _first_line(error: Exception) -> str:
    return next(iter(str(error).splitlines()), type(error).__name__)


def check_complexity(text: str) -> None:
    """Refuses a text that would exhaust the parser: too long, too deeply nested, or with endless operator chains."""
    if len(text) > _MAX_CHARACTERS:
        raise BudgetExceeded("characters of source", _MAX_CHARACTERS)
    tokens = elifs = 0
    chains = [0]
    for match in _TOKEN.finditer(text):
        kind = match.lastgroup
        if kind == "comment":
            continue
        tokens += 1
        if kind == "string":
            _check_literal(match.group())
            chains[-1] += 1
        elif kind == "open":
            chains.append(0)
            if len(chains) > _MAX_BRACKETS:
                raise BudgetExceeded("levels of nesting in the source", _MAX_BRACKETS)
        elif kind == "close":
            if len(chains) > 1:
                chains.pop()
            chains[-1] += 1
        elif kind == "break":
            # A line break inside brackets ends nothing; a comma or the end of a statement does.
            if match.group() != "\n" or len(chains) == 1:
                chains[-1] = 0
        elif kind == "chain":
            chains[-1] += 1
        else:
            elifs += 1
        if chains[-1] > _MAX_CHAIN:
            raise BudgetExceeded("operators in a row in the source", _MAX_CHAIN)
    if tokens > _MAX_TOKENS:
        raise BudgetExceeded("tokens of source", _MAX_TOKENS)
    if elifs > _MAX_ELIFS:
        raise BudgetExceeded("elif branches in the source", _MAX_ELIFS)


def _check_literal(text: str) -> None:
    """A string may be an f-string, or hide one from this scan: what stands in it is held to bounds as well."""
    if len(text) > _MAX_LITERAL:
        raise BudgetExceeded("characters of a literal in the source", _MAX_LITERAL)
    depth = deepest = 0
    for character in text:
        if character in "([{":
            depth += 1
            deepest = max(deepest, depth)
        elif character in ")]}":
            depth = max(depth - 1, 0)
    if deepest > _MAX_BRACKETS:
        raise BudgetExceeded("levels of nesting in the source", _MAX_BRACKETS)
