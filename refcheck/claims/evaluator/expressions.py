"""What each kind of expression node evaluates to."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import libcst as cst

from refcheck.claims.evaluator import attributes, subscripts
from refcheck.claims.evaluator.calls import evaluated_defaults
from refcheck.claims.evaluator.failures import BudgetExceeded, EvaluatorFailure, RaisedInSource, Unsupported
from refcheck.claims.evaluator.interpreter import Interpreter
from refcheck.claims.evaluator.operators import (
    binary,
    collect,
    compare,
    hashable,
    iterate,
    kind_of,
    truth,
    unary,
)
from refcheck.claims.evaluator.text import format_value, literal_text
from refcheck.claims.evaluator.values import Function, Lazy, Scope, Super, Value

_OPERATORS: Mapping[type[cst.CSTNode], str] = {
    cst.Add: "+",
    cst.Subtract: "-",
    cst.Multiply: "*",
    cst.Divide: "/",
    cst.FloorDivide: "//",
    cst.Modulo: "%",
    cst.Power: "**",
    cst.LeftShift: "<<",
    cst.RightShift: ">>",
    cst.BitAnd: "&",
    cst.BitOr: "|",
    cst.BitXor: "^",
    cst.MatrixMultiply: "@",
    cst.AddAssign: "+",
    cst.SubtractAssign: "-",
    cst.MultiplyAssign: "*",
    cst.DivideAssign: "/",
    cst.FloorDivideAssign: "//",
    cst.ModuloAssign: "%",
    cst.PowerAssign: "**",
    cst.LeftShiftAssign: "<<",
    cst.RightShiftAssign: ">>",
    cst.BitAndAssign: "&",
    cst.BitOrAssign: "|",
    cst.BitXorAssign: "^",
    cst.MatrixMultiplyAssign: "@",
    cst.Minus: "-",
    cst.Plus: "+",
    cst.BitInvert: "~",
    cst.LessThan: "<",
    cst.LessThanEqual: "<=",
    cst.GreaterThan: ">",
    cst.GreaterThanEqual: ">=",
    cst.Equal: "==",
    cst.NotEqual: "!=",
    cst.Is: "is",
    cst.IsNot: "is not",
    cst.In: "in",
    cst.NotIn: "not in",
}
_MAX_DIGITS = 650
_CONSTANTS: Mapping[str, Value] = {"None": None, "True": True, "False": False}


def operator_symbol(node: cst.CSTNode) -> str:
    """The operator as it is written."""
    symbol = _OPERATORS.get(type(node))
    if symbol is None:
        raise Unsupported(describe(node))
    return symbol


def describe(node: cst.CSTNode) -> str:
    """How a message calls a syntax node: 'try', 'yield', 'set comprehension'."""
    name = type(node).__name__
    known = {"TryStar": "try", "ClassDef": "class", "ImportFrom": "import", "Del": "del", "Imaginary": "complex number"}
    return known.get(name, re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower())


def _name(interpreter: Interpreter, node: cst.Name, scope: Scope) -> Value:
    if node.value in _CONSTANTS:
        return _CONSTANTS[node.value]
    return interpreter.lookup(node.value, scope)


def _integer(interpreter: Interpreter, node: cst.Integer, scope: Scope) -> Value:
    text = node.value.replace("_", "")
    if len(text) > _MAX_DIGITS:
        raise BudgetExceeded("digits of a number", _MAX_DIGITS)
    return interpreter.meter.integer(int(text, 10 if text.isdecimal() else 0))


def _float(interpreter: Interpreter, node: cst.Float, scope: Scope) -> Value:
    return float(node.value.replace("_", ""))


def _simple_string(interpreter: Interpreter, node: cst.SimpleString, scope: Scope) -> Value:
    return literal_text(interpreter.meter, node.value)


def _concatenated(interpreter: Interpreter, node: cst.ConcatenatedString, scope: Scope) -> Value:
    left = interpreter.evaluate(node.left, scope)
    return binary(interpreter.meter, "+", left, interpreter.evaluate(node.right, scope))


def _formatted(interpreter: Interpreter, node: cst.FormattedString, scope: Scope) -> Value:
    prefix = node.start
    parts: list[str] = []
    for part in node.parts:
        if isinstance(part, cst.FormattedStringText):
            text = part.value.replace("{{", "{").replace("}}", "}")
            parts.append(literal_text(interpreter.meter, f"{prefix}{text}{node.end}"))
            continue
        assert isinstance(part, cst.FormattedStringExpression)
        value = interpreter.evaluate(part.expression, scope)
        specification = ""
        for piece in part.format_spec or ():
            if not isinstance(piece, cst.FormattedStringText):
                raise Unsupported("a format that is computed")
            specification += piece.value
        rendered = format_value(interpreter.meter, value, part.conversion, specification)
        if part.equal is not None:
            raise Unsupported("f-string with =")
        parts.append(rendered)
    interpreter.meter.characters(sum(len(part) for part in parts))
    return "".join(parts)


def _ellipsis(interpreter: Interpreter, node: cst.Ellipsis, scope: Scope) -> Value:
    return ...


def _binary(interpreter: Interpreter, node: cst.BinaryOperation, scope: Scope) -> Value:
    left = interpreter.evaluate(node.left, scope)
    right = interpreter.evaluate(node.right, scope)
    return binary(interpreter.meter, operator_symbol(node.operator), left, right)


def _unary(interpreter: Interpreter, node: cst.UnaryOperation, scope: Scope) -> Value:
    value = interpreter.evaluate(node.expression, scope)
    if isinstance(node.operator, cst.Not):
        return not truth(value)
    return unary(interpreter.meter, operator_symbol(node.operator), value)


def _boolean(interpreter: Interpreter, node: cst.BooleanOperation, scope: Scope) -> Value:
    left = interpreter.evaluate(node.left, scope)
    stops = truth(left) is isinstance(node.operator, cst.Or)
    return left if stops else interpreter.evaluate(node.right, scope)


def _comparison(interpreter: Interpreter, node: cst.Comparison, scope: Scope) -> Value:
    left = interpreter.evaluate(node.left, scope)
    result: Value = True
    for position, target in enumerate(node.comparisons):
        if position and not truth(result):
            break
        right = interpreter.evaluate(target.comparator, scope)
        result = compare(interpreter.meter, operator_symbol(target.operator), left, right)
        left = right
    return result


def _conditional(interpreter: Interpreter, node: cst.IfExp, scope: Scope) -> Value:
    chosen = node.body if truth(interpreter.evaluate(node.test, scope)) else node.orelse
    return interpreter.evaluate(chosen, scope)


def _walrus(interpreter: Interpreter, node: cst.NamedExpr, scope: Scope) -> Value:
    value = interpreter.evaluate(node.value, scope)
    home = scope
    while home.is_comprehension and home.outer is not None:
        home = home.outer
    assert isinstance(node.target, cst.Name)
    home.names[node.target.value] = value
    return value


def _elements(interpreter: Interpreter, elements: Any, scope: Scope) -> list[Value]:
    items: list[Value] = []
    for element in elements:
        if isinstance(element, cst.StarredElement):
            items.extend(collect(interpreter.meter, interpreter.evaluate(element.value, scope)))
        else:
            items.append(interpreter.evaluate(element.value, scope))
    interpreter.meter.items(len(items))
    return items


def _tuple(interpreter: Interpreter, node: cst.Tuple, scope: Scope) -> Value:
    return tuple(_elements(interpreter, node.elements, scope))


def _list(interpreter: Interpreter, node: cst.List, scope: Scope) -> Value:
    return _elements(interpreter, node.elements, scope)


def _set(interpreter: Interpreter, node: cst.Set, scope: Scope) -> Value:
    return {hashable(interpreter.meter, item) for item in _elements(interpreter, node.elements, scope)}


def _dict(interpreter: Interpreter, node: cst.Dict, scope: Scope) -> Value:
    result: dict[Value, Value] = {}
    # As in Python, keys are hashed only when all of the pairs before the next `**` have been evaluated.
    pairs: list[tuple[Value, Value]] = []
    for element in node.elements:
        if isinstance(element, cst.DictElement):
            pairs.append((interpreter.evaluate(element.key, scope), interpreter.evaluate(element.value, scope)))
            continue
        _insert(interpreter, result, pairs)
        other = interpreter.evaluate(element.value, scope)
        result.update(_mapping(other))
    _insert(interpreter, result, pairs)
    interpreter.meter.items(len(result))
    return result


def _insert(interpreter: Interpreter, target: dict[Value, Value], pairs: list[tuple[Value, Value]]) -> None:
    for key, value in pairs:
        target[hashable(interpreter.meter, key)] = value
    pairs.clear()


def _mapping(value: Value) -> dict[Value, Value]:
    """What stands after `**`: a dict. Plain values of other kinds raise, as in Python; objects are refused."""
    if isinstance(value, dict):
        return value
    if value is None or isinstance(value, bool | int | float | str | list | tuple | set | frozenset):
        raise RaisedInSource("TypeError", f"{kind_of(value)} is not a mapping")
    raise Unsupported(f"** of {kind_of(value)}")


def _bindings(interpreter: Interpreter, clause: cst.CompFor, scope: Scope, source: Value) -> Iterator[None]:
    """Binds a comprehension's targets in `scope`, once for every item that its conditions let through."""
    if clause.asynchronous is not None:
        raise Unsupported("asynchronous comprehension")
    for item in iterate(interpreter.meter, source):
        bind_target(interpreter, clause.target, item, scope)
        if not all(truth(interpreter.evaluate(condition.test, scope)) for condition in clause.ifs):
            continue
        inner = clause.inner_for_in
        if inner is None:
            yield
        else:
            yield from _bindings(interpreter, inner, scope, interpreter.evaluate(inner.iter, scope))


def _comprehension(interpreter: Interpreter, clause: cst.CompFor, scope: Scope) -> tuple[Scope, Iterator[None]]:
    # The first iterable belongs to the enclosing scope, everything else to the comprehension's own.
    source = interpreter.evaluate(clause.iter, scope)
    own = Scope({}, scope, scope.unit, is_comprehension=True)
    return own, _bindings(interpreter, clause, own, source)


def _list_comprehension(interpreter: Interpreter, node: cst.ListComp, scope: Scope) -> Value:
    own, bindings = _comprehension(interpreter, node.for_in, scope)
    items: list[Value] = []
    for _ in bindings:
        items.append(interpreter.evaluate(node.elt, own))
        _check_growth(interpreter, len(items))
    interpreter.meter.items(len(items))
    return items


def _set_comprehension(interpreter: Interpreter, node: cst.SetComp, scope: Scope) -> Value:
    own, bindings = _comprehension(interpreter, node.for_in, scope)
    items: set[Value] = set()
    for _ in bindings:
        items.add(hashable(interpreter.meter, interpreter.evaluate(node.elt, own)))
        _check_growth(interpreter, len(items))
    interpreter.meter.items(len(items))
    return items


def _dict_comprehension(interpreter: Interpreter, node: cst.DictComp, scope: Scope) -> Value:
    own, bindings = _comprehension(interpreter, node.for_in, scope)
    items: dict[Value, Value] = {}
    for _ in bindings:
        key, value = interpreter.evaluate(node.key, own), interpreter.evaluate(node.value, own)
        items[hashable(interpreter.meter, key)] = value
        _check_growth(interpreter, len(items))
    interpreter.meter.items(len(items))
    return items


def _check_growth(interpreter: Interpreter, count: int) -> None:
    limit = interpreter.meter.budget.container
    if count > limit:
        raise BudgetExceeded("items of a container", limit)


def _generator(interpreter: Interpreter, node: cst.GeneratorExp, scope: Scope) -> Value:
    own, bindings = _comprehension(interpreter, node.for_in, scope)

    def items() -> Iterator[Value]:
        try:
            for _ in bindings:
                yield interpreter.evaluate(node.elt, own)
        except RaisedInSource as failure:
            if failure.exception == "StopIteration":
                # Inside of a generator Python lets it not pass for the generator's own end.
                raise RaisedInSource("RuntimeError", "generator raised StopIteration") from None
            raise

    return Lazy("generator", items())


def _lambda(interpreter: Interpreter, node: cst.Lambda, scope: Scope) -> Value:
    assert scope.unit is not None
    return Function("lambda", node, scope.unit, scope, defaults=evaluated_defaults(interpreter, node.params, scope))


def _attribute(interpreter: Interpreter, node: cst.Attribute, scope: Scope) -> Value:
    return attributes.read(interpreter, interpreter.evaluate(node.value, scope), node.attr.value)


def _subscript(interpreter: Interpreter, node: cst.Subscript, scope: Scope) -> Value:
    value = interpreter.evaluate(node.value, scope)
    return subscripts.get(interpreter, value, index_of(interpreter, node, scope))


def index_of(interpreter: Interpreter, node: cst.Subscript, scope: Scope) -> Value:
    """The value between the brackets: one index, slice, or a tuple of them."""
    parts: list[Value] = []
    is_tuple = len(node.slice) > 1
    for element in node.slice:
        inner = element.slice
        if isinstance(inner, cst.Index):
            if inner.star is not None:
                is_tuple = True
                parts.extend(collect(interpreter.meter, interpreter.evaluate(inner.value, scope)))
            else:
                parts.append(interpreter.evaluate(inner.value, scope))
        else:
            assert isinstance(inner, cst.Slice)
            bounds = [
                None if bound is None else interpreter.evaluate(bound, scope)
                for bound in (inner.lower, inner.upper, inner.step)
            ]
            parts.append(slice(*bounds))
        if isinstance(element.comma, cst.Comma):
            is_tuple = True
    return tuple(parts) if is_tuple else parts[0]


def _call(interpreter: Interpreter, node: cst.Call, scope: Scope) -> Value:
    if isinstance(node.func, cst.Name) and node.func.value == "super":
        shadowed = _shadowed_super(interpreter, scope)
        if not shadowed:
            return _super(node, scope)
    callee = interpreter.evaluate(node.func, scope)
    arguments: list[Value] = []
    keywords: dict[str, Value] = {}
    for argument in node.args:
        value = interpreter.evaluate(argument.value, scope)
        if argument.star == "*":
            arguments.extend(collect(interpreter.meter, value))
        elif argument.star == "**":
            for key, item in _mapping(value).items():
                _add_keyword(keywords, key, item)
        elif argument.keyword is not None:
            _add_keyword(keywords, argument.keyword.value, value)
        else:
            arguments.append(value)
    interpreter.meter.items(len(arguments) + len(keywords))
    return interpreter.call(callee, arguments, keywords)


def _add_keyword(keywords: dict[str, Value], key: Value, value: Value) -> None:
    if not isinstance(key, str):
        raise RaisedInSource("TypeError", "keywords must be strings")
    if key in keywords:
        raise RaisedInSource("TypeError", f"multiple values for keyword argument {key!r}")
    keywords[key] = value


def _shadowed_super(interpreter: Interpreter, scope: Scope) -> bool:
    try:
        interpreter.lookup("super", scope)
    except EvaluatorFailure:
        return False
    return True


def _super(node: cst.Call, scope: Scope) -> Value:
    if node.args:
        raise Unsupported("super with arguments")
    current: Scope | None = scope
    while current is not None:
        if current.method is not None:
            instance, index = current.method
            return Super(instance, index + 1)
        current = current.outer
    raise Unsupported("super outside of a method of a known class")


def bind_target(interpreter: Interpreter, target: cst.CSTNode, value: Value, scope: Scope) -> None:
    """Assigns to a name, attribute, subscript, or tuple or list of targets (one of them starred at most)."""
    if isinstance(target, cst.Name):
        scope.names[target.value] = value
    elif isinstance(target, cst.Attribute):
        owner = interpreter.evaluate(target.value, scope)
        attributes.write(owner, target.attr.value, value)
    elif isinstance(target, cst.Subscript):
        owner = interpreter.evaluate(target.value, scope)
        subscripts.put(interpreter, owner, index_of(interpreter, target, scope), value)
    elif isinstance(target, cst.Tuple | cst.List):
        _unpack(interpreter, target, value, scope)
    else:
        raise Unsupported(f"assignment to {describe(target)}")


def _unpack(interpreter: Interpreter, target: cst.Tuple | cst.List, value: Value, scope: Scope) -> None:
    elements = target.elements
    stars = [index for index, element in enumerate(elements) if isinstance(element, cst.StarredElement)]
    items: list[Value] = []
    for item in iterate(interpreter.meter, value):
        items.append(item)
        if not stars and len(items) > len(elements):
            raise RaisedInSource("ValueError", f"too many values to unpack (expected {len(elements)})")
        _check_growth(interpreter, len(items))
    if len(items) < len(elements) - len(stars):
        raise RaisedInSource("ValueError", f"not enough values to unpack (expected {len(elements)})")
    if stars:
        first = stars[0]
        after = len(elements) - first - 1
        middle = items[first : len(items) - after]
        interpreter.meter.items(len(middle))
        items = [*items[:first], middle, *items[len(items) - after :]]
    for element, item in zip(elements, items, strict=True):
        bind_target(interpreter, element.value, item, scope)


#: The expressions that are interpreted; every other kind of node is `Unsupported` by its name.
HANDLERS: Mapping[type[cst.CSTNode], Callable[[Interpreter, Any, Scope], Value]] = {
    cst.Name: _name,
    cst.Integer: _integer,
    cst.Float: _float,
    cst.SimpleString: _simple_string,
    cst.ConcatenatedString: _concatenated,
    cst.FormattedString: _formatted,
    cst.Ellipsis: _ellipsis,
    cst.BinaryOperation: _binary,
    cst.UnaryOperation: _unary,
    cst.BooleanOperation: _boolean,
    cst.Comparison: _comparison,
    cst.IfExp: _conditional,
    cst.NamedExpr: _walrus,
    cst.Tuple: _tuple,
    cst.List: _list,
    cst.Set: _set,
    cst.Dict: _dict,
    cst.ListComp: _list_comprehension,
    cst.SetComp: _set_comprehension,
    cst.DictComp: _dict_comprehension,
    cst.GeneratorExp: _generator,
    cst.Lambda: _lambda,
    cst.Attribute: _attribute,
    cst.Subscript: _subscript,
    cst.Call: _call,
}
