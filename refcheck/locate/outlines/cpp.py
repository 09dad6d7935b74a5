"""Definitions of C, C++ and CUDA files."""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from refcheck.locate.outline import Symbol, SymbolKind
from refcheck.locate.outlines.nesting import Definition, last_row, nest, node_text, parse_bytes, symbols
from refcheck.model.source_text import SourceText

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

_QUERY = """
(function_definition) @function
(class_specifier name: (_) body: (_)) @class
(struct_specifier name: (_) body: (_)) @class
(union_specifier name: (_) body: (_)) @class
(enum_specifier name: (_) body: (_)) @class
(namespace_definition) @namespace
(template_declaration) @template
(enumerator name: (_) @member_name) @member
(field_declaration declarator: (_) @field_name) @field
(preproc_def name: (_) @macro_name) @macro
(preproc_function_def name: (_) @macro_name) @macro
(alias_declaration name: (_) @type_name) @type
(type_definition declarator: (type_identifier) @type_name) @type
(translation_unit (declaration declarator: (init_declarator declarator: (_) @constant_name)) @constant)
(namespace_definition body: (declaration_list
  (declaration declarator: (init_declarator declarator: (_) @constant_name)) @constant))
"""

_WRAPPERS = frozenset(
    {
        "pointer_declarator",
        "reference_declarator",
        "parenthesized_declarator",
        "array_declarator",
        "init_declarator",
    }
)
_TEMPLATE_ARGUMENTS = re.compile(r"<[^<>]*>")


@cache
def _machinery(cuda: bool) -> tuple[Parser, Query]:
    from tree_sitter import Language, Parser, Query

    grammar = import_module("tree_sitter_cuda" if cuda else "tree_sitter_cpp")
    language = Language(grammar.language())
    return Parser(language), Query(language, _QUERY)


def read(source: SourceText, suffix: str) -> tuple[tuple[Symbol, ...], bool]:
    """Symbols of a C-family file, and whether all of it could be parsed (macros often prevent that)."""
    from tree_sitter import QueryCursor

    parser, query = _machinery(suffix in (".cu", ".cuh", ".hip"))
    root = parser.parse(parse_bytes(source)).root_node
    found = QueryCursor(query).captures(root)
    # The template line belongs to the definition that directly follows it.
    templates = {child.end_byte: outer for outer in found.get("template", ()) for child in outer.children[-1:]}
    made: list[Definition] = []
    for node in found.get("function", ()):
        name = _declared_name(node.child_by_field_name("declarator"))
        if name:
            made.append(_scope(node, name, SymbolKind.FUNCTION, templates, source))
    for node in found.get("class", ()):
        made.append(_scope(node, node_text(node.child_by_field_name("name")), SymbolKind.CLASS, templates, source))
    for node in found.get("namespace", ()):
        name = node_text(node.child_by_field_name("name"))
        made.append(_scope(node, name or "(anonymous)", SymbolKind.NAMESPACE, {}, source))
    for key, kind in (
        ("member", SymbolKind.ENUM_MEMBER),
        ("field", SymbolKind.FIELD),
        ("macro", SymbolKind.MACRO),
        ("type", SymbolKind.TYPE),
        ("constant", SymbolKind.CONSTANT),
    ):
        made += _values(source, _by_span(found.get(key, [])), found.get(f"{key}_name", []), kind)
    for definition in nest(made):
        parent = definition.parent
        if definition.kind is SymbolKind.FUNCTION and (
            (parent is not None and parent.kind is SymbolKind.CLASS) or "." in definition.name
        ):
            definition.kind = SymbolKind.METHOD
    return symbols(made), not root.has_error


def _plain(name: str) -> str:
    """`A<T>::b` as `A.b`: the way people name it."""
    if not name.startswith("operator"):
        shorter = _TEMPLATE_ARGUMENTS.sub("", name)
        while shorter != name:
            name, shorter = shorter, _TEMPLATE_ARGUMENTS.sub("", shorter)
    return name.replace("::", ".").replace(" ", "").strip(".")


def _declared_name(node: Node | None) -> str:
    while node is not None:
        inner = node.child_by_field_name("declarator")
        if inner is None and node.type in _WRAPPERS and node.named_children:
            inner = node.named_children[-1]
        if inner is None:
            return _plain(node_text(node))
        node = inner
    return ""


def _scope(node: Node, name: str, kind: SymbolKind, templates: dict[int, Node], source: SourceText) -> Definition:
    outer = templates.get(node.end_byte, node)
    first_row = outer.start_point[0]
    row = node.start_point[0]
    body = node.child_by_field_name("body")
    signature_row = body.start_point[0] if body is not None else last_row(node)
    bases = tuple(
        node_text(base)
        for child in node.children
        if child.type == "base_class_clause"
        for base in child.named_children
        if base.type != "access_specifier"
    )
    line = source.lines[row] if row < len(source.lines) else ""
    return Definition(
        outer.start_byte,
        outer.end_byte,
        _plain(name),
        kind,
        first_row,
        last_row(outer),
        row,
        signature_row,
        len(line) - len(line.lstrip()),
        bases,
    )


def _by_span(nodes: list[Node]) -> list[Node]:
    """Each once (one with several declarators is captured per declarator), in file order."""
    return sorted({node.id: node for node in nodes}.values(), key=lambda n: n.start_byte)


def _values(source: SourceText, statements: list[Node], names: list[Node], kind: SymbolKind) -> list[Definition]:
    made = []
    ordered = sorted(names, key=lambda n: n.start_byte)
    at = 0
    for name in ordered:
        while at + 1 < len(statements) and statements[at + 1].start_byte <= name.start_byte:
            at += 1
        if at >= len(statements) or statements[at].end_byte <= name.start_byte:
            continue
        statement = statements[at]
        text = _declared_name(name) if kind in (SymbolKind.FIELD, SymbolKind.CONSTANT) else _plain(node_text(name))
        if not text:
            continue
        first = statement.start_point[0]
        last = last_row(statement)
        line = source.lines[first] if first < len(source.lines) else ""
        indent = len(line) - len(line.lstrip())
        made.append(
            Definition(name.start_byte, name.end_byte, text, kind, first, last, name.start_point[0], last, indent)
        )
    return made
