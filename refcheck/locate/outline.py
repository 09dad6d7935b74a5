"""The definitions of a source file and the lines they take, without a full parse into a typed tree.

tree-sitter reads Python, C, C++, CUDA and Rust, and recovers what it can from a file that does not parse; headings
of Markdown and keys of YAML, TOML and JSON are read by text. No parser object leaves this module.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from importlib import import_module

from refcheck.model.place import LineRange
from refcheck.model.source_text import SourceText


class SymbolKind(Enum):
    """What a definition is; `is_scope` ones contain code and can enclose a citation."""

    FUNCTION = "function"
    METHOD = "method"
    OVERLOAD = "overload"
    PROPERTY = "property"
    SETTER = "setter"
    DELETER = "deleter"
    CLASS = "class"
    NAMESPACE = "namespace"
    HEADING = "heading"
    FIELD = "field"
    ENUM_MEMBER = "enum member"
    CONSTANT = "constant"
    ATTRIBUTE = "attribute"
    TYPE = "type"
    MACRO = "macro"
    KEY = "key"

    @property
    def is_scope(self) -> bool:
        return self in _SCOPES


_SCOPES = frozenset(
    {
        SymbolKind.FUNCTION,
        SymbolKind.METHOD,
        SymbolKind.OVERLOAD,
        SymbolKind.PROPERTY,
        SymbolKind.SETTER,
        SymbolKind.DELETER,
        SymbolKind.CLASS,
        SymbolKind.NAMESPACE,
        SymbolKind.HEADING,
    }
)


@dataclass(frozen=True, slots=True)
class Symbol:
    """One definition.

    `name` is qualified with dots in every language ("Scheduler.schedule", "outer.inner"); headings are joined by
    " / ". `lines` runs from the first decorator, attribute or template line to the last line of the body (a
    comment that is indented into the body belongs to it). `definition` is the line of the `def` or name,
    `signature_last` the last line before the body (equal to `lines.last` where there is no body). `indent` is the
    width of white space before the definition line, in characters. `bases` and `decorators` are source text.
    """

    name: str
    kind: SymbolKind
    lines: LineRange
    definition: int
    signature_last: int
    indent: int = 0
    bases: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()

    @property
    def short(self) -> str:
        return self.name.rpartition(" / " if self.kind is SymbolKind.HEADING else ".")[2]

    @property
    def body(self) -> LineRange | None:
        """The lines after the signature; None where the whole definition stands on its signature's lines."""
        if self.signature_last >= self.lines.last:
            return None
        return LineRange(self.signature_last + 1, self.lines.last)


@dataclass(frozen=True)
class Outline:
    """The definitions of one file, in the order of their first lines, outer before inner.

    `complete` is False where the parser met code that it could not read: definitions may be missing there.
    """

    path: str
    symbols: tuple[Symbol, ...]
    complete: bool = True

    @cached_property
    def _by_short(self) -> dict[str, tuple[Symbol, ...]]:
        found: dict[str, list[Symbol]] = {}
        for symbol in self.symbols:
            found.setdefault(symbol.short, []).append(symbol)
        return {name: tuple(symbols) for name, symbols in found.items()}

    @cached_property
    def _scopes(self) -> tuple[Symbol, ...]:
        return tuple(symbol for symbol in self.symbols if symbol.kind.is_scope)

    @cached_property
    def _parents(self) -> tuple[int, ...]:
        """For each scope, the index of the scope around it (-1 at the top)."""
        parents: list[int] = []
        stack: list[int] = []
        for index, scope in enumerate(self._scopes):
            while stack and self._scopes[stack[-1]].lines.last < scope.lines.first:
                stack.pop()
            while stack and not self._scopes[stack[-1]].lines.contains(scope.lines):
                stack.pop()
            parents.append(stack[-1] if stack else -1)
            stack.append(index)
        return tuple(parents)

    @cached_property
    def _firsts(self) -> tuple[int, ...]:
        return tuple(scope.lines.first for scope in self._scopes)

    def symbols_named(self, name: str) -> tuple[Symbol, ...]:
        """Every definition whose qualified name is `name` or ends with it at a dot.

        `::` and a leading dot or trailing call brackets are read as people write them ("Scheduler::schedule",
        "schedule()"). Overloads, accessors of one property and redefinitions are all returned, in file order.
        """
        wanted = name.strip().replace("::", ".").removesuffix("()").strip(".")
        if not wanted:
            return ()
        exact = tuple(s for s in self._by_short.get(wanted, ()) if s.name == wanted)
        if "." not in wanted:
            return self._by_short.get(wanted, ()) or exact
        short = wanted.rpartition(".")[2]
        suffix = "." + wanted
        return tuple(s for s in self._by_short.get(short, ()) if s.name == wanted or s.name.endswith(suffix))

    def enclosing(self, first: int, last: int) -> Symbol | None:
        """The innermost function, class, namespace or section that holds both lines; None at file level.

        A nested definition that has ended before `last` does not count. Decorators and the signature's brackets
        belong to their definition.
        """
        index = bisect_right(self._firsts, first) - 1
        while index >= 0:
            scope = self._scopes[index]
            if scope.lines.first <= first and last <= scope.lines.last:
                return scope
            index = self._parents[index]
        return None

    def chain(self, line: int) -> tuple[Symbol, ...]:
        """The scopes around one line, outermost first."""
        innermost = self.enclosing(line, line)
        if innermost is None:
            return ()
        index = bisect_right(self._firsts, line) - 1
        while self._scopes[index] is not innermost:
            index = self._parents[index]
        found: list[Symbol] = []
        while index >= 0:
            found.append(self._scopes[index])
            index = self._parents[index]
        return tuple(reversed(found))

    def at(self, first: int, last: int) -> Symbol | None:
        """As `enclosing`, but a field, member, constant or key that holds both lines is more exact, and wins."""
        best = self.enclosing(first, last)
        for symbol in self.symbols:
            lines = symbol.lines
            if lines.first > first:
                break
            if last <= lines.last and (best is None or best.lines.contains(lines)):
                best = symbol
        return best


_LANGUAGES = {
    **dict.fromkeys((".py", ".pyi"), "python"),
    **dict.fromkeys((".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".inl"), "cpp"),
    **dict.fromkeys((".cu", ".cuh", ".hip"), "cpp"),
    ".rs": "rust",
}
"""Suffix -> the module that reads it, imported (with its grammar) when a file needs it."""


def outline(source: SourceText) -> Outline:
    """The definitions of `source`, by its path's suffix; an unknown language gives an empty outline."""
    suffix = "." + source.path.rpartition("/")[2].rpartition(".")[2].lower()
    module = import_module(f"refcheck.locate.outlines.{_LANGUAGES.get(suffix, 'text')}")
    symbols, complete = module.read(source, suffix)
    return Outline(source.path, symbols, complete)
