"""From definitions with byte spans to symbols with qualified names, in every language alike."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from refcheck.locate.outline import Symbol, SymbolKind
from refcheck.model.place import LineRange
from refcheck.model.source_text import SourceText

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(slots=True)
class Definition:
    """What a language's reader found: bytes for nesting, 0-based rows for the symbol.

    `name` may itself be dotted ("Engine.step" for a C++ member defined outside its class).
    """

    start: int
    end: int
    name: str
    kind: SymbolKind
    first_row: int
    last_row: int
    definition_row: int
    signature_row: int
    indent: int = 0
    bases: tuple[str, ...] = ()
    decorators: tuple[str, ...] = ()
    parent: Definition | None = field(default=None, repr=False)

    def qualified(self) -> str:
        return f"{self.parent.qualified_cached}.{self.name}" if self.parent is not None else self.name

    qualified_cached: str = ""


def nest(definitions: list[Definition]) -> list[Definition]:
    """Sort by position and set each definition's innermost enclosing scope and qualified name."""
    definitions.sort(key=lambda d: (d.start, -d.end))
    stack: list[Definition] = []
    for definition in definitions:
        while stack and stack[-1].end <= definition.start:
            stack.pop()
        definition.parent = stack[-1] if stack else None
        definition.qualified_cached = definition.qualified()
        if definition.kind.is_scope:
            stack.append(definition)
    return definitions


def symbols(definitions: Iterable[Definition]) -> tuple[Symbol, ...]:
    """Nested definitions as symbols, in the order of their first lines, outer before inner."""
    made = [
        Symbol(
            d.qualified_cached,
            d.kind,
            LineRange(d.first_row + 1, max(d.first_row, d.last_row) + 1),
            d.definition_row + 1,
            d.signature_row + 1,
            d.indent,
            d.bases,
            d.decorators,
        )
        for d in definitions
    ]
    made.sort(key=lambda s: (s.lines.first, -s.lines.last))
    return tuple(made)


def parse_bytes(source: SourceText) -> bytes:
    """The text for a parser that counts rows at LF alone, so that its rows are the rows of `source.lines`."""
    text = source.text
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.encode("utf-8", "replace")


def node_text(node: Node | None) -> str:
    """A node's source on one line."""
    if node is None or node.text is None:
        return ""
    return " ".join(node.text.decode("utf-8", "replace").split())


def last_row(node: Node) -> int:
    """The last row that a node really stands on (one that ends at column 0 ended on the row before)."""
    row, column = node.end_point
    return row - 1 if column == 0 and row > node.start_point[0] else row
