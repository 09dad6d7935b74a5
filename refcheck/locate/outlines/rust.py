"""Definitions of Rust files."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from refcheck.locate.outline import Symbol, SymbolKind
from refcheck.locate.outlines.nesting import Definition, last_row, nest, node_text, parse_bytes, symbols
from refcheck.model.source_text import SourceText

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

_KINDS = {
    "function_item": SymbolKind.FUNCTION,
    "function_signature_item": SymbolKind.FUNCTION,
    "struct_item": SymbolKind.CLASS,
    "enum_item": SymbolKind.CLASS,
    "union_item": SymbolKind.CLASS,
    "trait_item": SymbolKind.CLASS,
    "impl_item": SymbolKind.CLASS,
    "mod_item": SymbolKind.NAMESPACE,
    "const_item": SymbolKind.CONSTANT,
    "static_item": SymbolKind.CONSTANT,
    "type_item": SymbolKind.TYPE,
    "macro_definition": SymbolKind.MACRO,
    "field_declaration": SymbolKind.FIELD,
    "enum_variant": SymbolKind.ENUM_MEMBER,
}
_QUERY = "\n".join(f"({kind}) @item" for kind in _KINDS) + "\n(attribute_item) @attribute"


@cache
def _machinery() -> tuple[Parser, Query]:
    import tree_sitter_rust
    from tree_sitter import Language, Parser, Query

    language = Language(tree_sitter_rust.language())
    return Parser(language), Query(language, _QUERY)


def read(source: SourceText, suffix: str) -> tuple[tuple[Symbol, ...], bool]:
    """Symbols of a Rust file; methods are named by the type that an `impl` is for."""
    from tree_sitter import QueryCursor

    parser, query = _machinery()
    data = parse_bytes(source)
    root = parser.parse(data).root_node
    found = QueryCursor(query).captures(root)
    attributes = {node.end_byte: node for node in found.get("attribute", ())}
    made = [d for node in found.get("item", ()) if (d := _definition(node, attributes, data, source)) is not None]
    for definition in nest(made):
        parent = definition.parent
        if definition.kind is SymbolKind.FUNCTION and parent is not None and parent.kind is SymbolKind.CLASS:
            definition.kind = SymbolKind.METHOD
    return symbols(made), not root.has_error


def _definition(node: Node, attributes: dict[int, Node], data: bytes, source: SourceText) -> Definition | None:
    named = node.child_by_field_name("type" if node.type == "impl_item" else "name")
    name = node_text(named).partition("<")[0].replace("::", ".").strip(". ")
    if not name:
        return None
    start, first_row = node.start_byte, node.start_point[0]
    decorators: list[str] = []
    # Attributes stand before the item as siblings; only white space may lie between.
    while True:
        window = max(0, start - 4096)
        attribute = attributes.get(window + len(data[window:start].rstrip()))
        if attribute is None:
            break
        decorators.append(node_text(attribute))
        start, first_row = attribute.start_byte, attribute.start_point[0]
    body = node.child_by_field_name("body")
    bases: tuple[str, ...] = ()
    trait = node.child_by_field_name("trait")
    if trait is not None:
        bases = (node_text(trait),)
    row = node.start_point[0]
    line = source.lines[row] if row < len(source.lines) else ""
    last = last_row(node)
    return Definition(
        start,
        node.end_byte,
        name,
        _KINDS[node.type],
        first_row,
        last,
        row,
        body.start_point[0] if body is not None else last,
        len(line) - len(line.lstrip()),
        bases,
        tuple(reversed(decorators)),
    )
