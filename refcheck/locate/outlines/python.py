"""Definitions of Python files."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING

from refcheck.locate.outline import Symbol, SymbolKind
from refcheck.locate.outlines.nesting import Definition, last_row, nest, node_text, parse_bytes, symbols
from refcheck.model.source_text import SourceText

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query

# A query is matched inside the library in one pass that does not recurse on the depth of the file, and sees
# definitions under `if`, `try`, `with` and inside what could not be parsed.
_QUERY = """
(function_definition) @function
(class_definition) @class
(decorated_definition definition: (_) @decorated) @decoration
(expression_statement (assignment left: (identifier) @name) @assignment)
(type_alias_statement left: (type) @alias_name) @alias
(expression_statement
  (assignment left: (attribute object: (identifier) @receiver attribute: (identifier) @attribute)) @member)
"""

_ENUM_BASES = ("Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum")


@cache
def _machinery() -> tuple[Parser, Query]:
    import tree_sitter_python
    from tree_sitter import Language, Parser, Query

    language = Language(tree_sitter_python.language())
    return Parser(language), Query(language, _QUERY)


def read(source: SourceText, suffix: str) -> tuple[tuple[Symbol, ...], bool]:
    """Symbols of a Python file, and whether all of it could be parsed."""
    from tree_sitter import QueryCursor

    parser, query = _machinery()
    root = parser.parse(parse_bytes(source)).root_node
    decorations: dict[int, Node] = {}
    headers: list[tuple[Node, SymbolKind]] = []
    values: list[Definition] = []
    for _, found in QueryCursor(query).matches(root):
        if "function" in found:
            headers.append((found["function"][0], SymbolKind.FUNCTION))
        elif "class" in found:
            headers.append((found["class"][0], SymbolKind.CLASS))
        elif "decorated" in found:
            decorations[found["decorated"][0].id] = found["decoration"][0]
        elif "name" in found:
            values.append(_value(found["name"][0], found["assignment"][0], SymbolKind.CONSTANT))
        elif "alias" in found:
            values.append(_value(found["alias_name"][0], found["alias"][0], SymbolKind.TYPE))
        elif found["receiver"][0].text == b"self":
            values.append(_value(found["attribute"][0], found["member"][0], SymbolKind.ATTRIBUTE))
    scopes = nest(_named(_scope(node, kind, decorations, source) for node, kind in headers))
    for scope in scopes:
        if scope.kind is SymbolKind.FUNCTION:
            scope.kind = _function_kind(scope)
    everything = nest(scopes + _named(values))
    kept = [d for d in everything if d.kind.is_scope or _belongs(d)]
    return symbols(_first_assignments(kept)), not root.has_error


def _named(made: Iterable[Definition]) -> list[Definition]:
    """Without those whose name is missing: the parser goes on with an empty one."""
    return [one for one in made if one.name.strip()]


def _scope(node: Node, kind: SymbolKind, decorations: dict[int, Node], source: SourceText) -> Definition:
    outer = decorations.get(node.id, node)
    signature_row = node.start_point[0]
    name = ""
    bases: tuple[str, ...] = ()
    for child in node.children:
        what = child.type
        if what == "identifier" and not name:
            name = node_text(child)
        elif what == ":":
            signature_row = child.start_point[0]
        elif what == "argument_list":
            bases = tuple(node_text(c) for c in child.named_children if c.type != "comment")
        elif what == "block":
            break
    decorators: tuple[str, ...] = ()
    if outer is not node:
        decorators = tuple(node_text(c)[1:].strip() for c in outer.children if c.type == "decorator")
    row, indent = node.start_point
    return Definition(
        outer.start_byte,
        outer.end_byte,
        name,
        kind,
        outer.start_point[0],
        _with_trailing_comments(source.lines, last_row(outer), indent),
        row,
        signature_row,
        indent,
        bases,
        decorators,
    )


def _with_trailing_comments(lines: tuple[str, ...], row: int, indent: int) -> int:
    """Comments after the last statement that are indented into the body; the grammar leaves them outside."""
    at = row + 1
    while at < len(lines):
        stripped = lines[at].lstrip()
        if stripped:
            if not stripped.startswith("#") or len(lines[at]) - len(stripped) <= indent:
                break
            row = at
        at += 1
    return row


def _function_kind(scope: Definition) -> SymbolKind:
    for decorator in scope.decorators:
        head = decorator.partition("(")[0].strip()
        last = head.rpartition(".")[2]
        if last == "overload":
            return SymbolKind.OVERLOAD
        if "." in head and last == "setter":
            return SymbolKind.SETTER
        if "." in head and last == "deleter":
            return SymbolKind.DELETER
        if last in ("property", "cached_property", "abstractproperty") or ("." in head and last == "getter"):
            return SymbolKind.PROPERTY
    if scope.parent is not None and scope.parent.kind is SymbolKind.CLASS:
        return SymbolKind.METHOD
    return SymbolKind.FUNCTION


def _value(name: Node, statement: Node, kind: SymbolKind) -> Definition:
    first, last = statement.start_point[0], last_row(statement)
    return Definition(
        statement.start_byte,
        statement.end_byte,
        node_text(name),
        kind,
        first,
        last,
        name.start_point[0],
        last,
        statement.start_point[1],
    )


def _belongs(value: Definition) -> bool:
    """Keep module constants, class fields and instance attributes; local variables are no symbols."""
    parent = value.parent
    if value.kind is SymbolKind.ATTRIBUTE:
        owner = parent.parent if parent is not None else None
        if parent is None or owner is None or owner.kind is not SymbolKind.CLASS:
            return False
        value.qualified_cached = f"{owner.qualified_cached}.{value.name}"
        return True
    if parent is None:
        return True
    if parent.kind is not SymbolKind.CLASS:
        return False
    if value.kind is SymbolKind.CONSTANT:
        last_names = {base.partition("[")[0].rpartition(".")[2] for base in parent.bases}
        value.kind = SymbolKind.ENUM_MEMBER if last_names & set(_ENUM_BASES) else SymbolKind.FIELD
    return True


def _first_assignments(definitions: list[Definition]) -> list[Definition]:
    """Of an instance attribute keep the assignments in `__init__`; without one there, all of them.

    One that is declared in the class's own body, or is a property, is defined there.
    """
    declared = {d.qualified_cached for d in definitions if d.kind is not SymbolKind.ATTRIBUTE}
    attributes = [d for d in definitions if d.kind is SymbolKind.ATTRIBUTE and d.qualified_cached not in declared]
    initialised = {d.qualified_cached for d in attributes if _in_constructor(d)}
    kept = {id(d) for d in attributes if d.qualified_cached not in initialised or _in_constructor(d)}
    return [d for d in definitions if d.kind is not SymbolKind.ATTRIBUTE or id(d) in kept]


def _in_constructor(attribute: Definition) -> bool:
    return attribute.parent is not None and attribute.parent.name == "__init__"
