"""What each kind of statement does; a handler answers how its block is left, None if it goes on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import libcst as cst

from refcheck.claims.evaluator import attributes, subscripts
from refcheck.claims.evaluator.calls import evaluated_defaults
from refcheck.claims.evaluator.expressions import bind_target, describe, index_of, operator_symbol
from refcheck.claims.evaluator.failures import EvaluatorFailure, RaisedInSource, Unsupported
from refcheck.claims.evaluator.interpreter import Interpreter, Left
from refcheck.claims.evaluator.operators import binary, collect, hashable, iterate, kind_of, truth
from refcheck.claims.evaluator.tensors import Tensor, in_place
from refcheck.claims.evaluator.text import render
from refcheck.claims.evaluator.values import Function, Opaque, Scope, Stub, Value

#: Decorators that do not change what a function computes, by the last part of their name.
HARMLESS_DECORATORS = frozenset(
    {
        "property",
        "cached_property",
        "staticmethod",
        "classmethod",
        "override",
        "abstractmethod",
        "no_grad",
        "inference_mode",
        "jit",
        "cache",
        "lru_cache",
    }
)


def _line(interpreter: Interpreter, node: cst.SimpleStatementLine, scope: Scope) -> Left | None:
    return interpreter.execute(node.body, scope)


def _expression(interpreter: Interpreter, node: cst.Expr, scope: Scope) -> None:
    interpreter.evaluate(node.value, scope)


def _pass(interpreter: Interpreter, node: cst.Pass, scope: Scope) -> None:
    return None


def _assign(interpreter: Interpreter, node: cst.Assign, scope: Scope) -> None:
    value = interpreter.evaluate(node.value, scope)
    for target in node.targets:
        bind_target(interpreter, target.target, value, scope)


def _annotated(interpreter: Interpreter, node: cst.AnnAssign, scope: Scope) -> None:
    if node.value is not None:
        bind_target(interpreter, node.target, interpreter.evaluate(node.value, scope), scope)


def _augmented(interpreter: Interpreter, node: cst.AugAssign, scope: Scope) -> None:
    symbol = operator_symbol(node.operator)
    target = node.target
    if isinstance(target, cst.Name):
        if scope.outer is not None and target.value in scope.assigned and target.value not in scope.names:
            raise RaisedInSource("UnboundLocalError", f"local variable {target.value!r} is not bound yet")
        old = interpreter.lookup(target.value, scope)
        scope.names[target.value] = _combined(interpreter, symbol, old, node.value, scope)
    elif isinstance(target, cst.Attribute):
        owner = interpreter.evaluate(target.value, scope)
        old = attributes.read(interpreter, owner, target.attr.value)
        attributes.write(owner, target.attr.value, _combined(interpreter, symbol, old, node.value, scope))
    elif isinstance(target, cst.Subscript):
        owner = interpreter.evaluate(target.value, scope)
        index = index_of(interpreter, target, scope)
        old = subscripts.get(interpreter, owner, index)
        subscripts.put(interpreter, owner, index, _combined(interpreter, symbol, old, node.value, scope))
    else:
        raise Unsupported(f"assignment to {describe(target)}")


def _combined(interpreter: Interpreter, symbol: str, old: Value, node: cst.BaseExpression, scope: Scope) -> Value:
    """`old symbol= node`: lists, sets, dicts and tensors are changed where they are, as Python does."""
    meter = interpreter.meter
    value = interpreter.evaluate(node, scope)
    if isinstance(old, Tensor) and old.shape:
        in_place(meter, symbol, old, value)
        return old
    if isinstance(old, list) and symbol == "+":
        items = collect(meter, value)
        meter.items(len(old) + len(items))
        old.extend(items)
        return old
    if isinstance(old, set) and symbol == "|" and isinstance(value, set | frozenset):
        meter.items(len(old) + len(value))
        old.update(value)
        return old
    if isinstance(old, dict) and symbol == "|" and isinstance(value, dict):
        meter.items(len(old) + len(value))
        old.update({hashable(meter, key): item for key, item in value.items()})
        return old
    new = binary(meter, symbol, old, value)
    if isinstance(old, list) and isinstance(new, list):
        old[:] = new
        return old
    if isinstance(old, set) and isinstance(new, set):
        old.intersection_update(new)
        old.update(new)
        return old
    return new


def _if(interpreter: Interpreter, node: cst.If, scope: Scope) -> Left | None:
    current: cst.If | cst.Else | None = node
    while isinstance(current, cst.If):
        if truth(interpreter.evaluate(current.test, scope)):
            return interpreter.execute(current.body.body, scope)
        current = current.orelse
    return None if current is None else interpreter.execute(current.body.body, scope)


def _for(interpreter: Interpreter, node: cst.For, scope: Scope) -> Left | None:
    if node.asynchronous is not None:
        raise Unsupported("asynchronous for")
    for item in iterate(interpreter.meter, interpreter.evaluate(node.iter, scope)):
        bind_target(interpreter, node.target, item, scope)
        left = interpreter.execute(node.body.body, scope)
        if left is None or left.kind == "continue":
            continue
        return None if left.kind == "break" else left
    return None if node.orelse is None else interpreter.execute(node.orelse.body.body, scope)


def _while(interpreter: Interpreter, node: cst.While, scope: Scope) -> Left | None:
    while truth(interpreter.evaluate(node.test, scope)):
        left = interpreter.execute(node.body.body, scope)
        if left is None or left.kind == "continue":
            continue
        return None if left.kind == "break" else left
    return None if node.orelse is None else interpreter.execute(node.orelse.body.body, scope)


def _return(interpreter: Interpreter, node: cst.Return, scope: Scope) -> Left:
    return Left("return", None if node.value is None else interpreter.evaluate(node.value, scope))


def _break(interpreter: Interpreter, node: cst.Break, scope: Scope) -> Left:
    return Left("break")


def _continue(interpreter: Interpreter, node: cst.Continue, scope: Scope) -> Left:
    return Left("continue")


def _assert(interpreter: Interpreter, node: cst.Assert, scope: Scope) -> None:
    if truth(interpreter.evaluate(node.test, scope)):
        return
    raise RaisedInSource("AssertionError", _message(interpreter, [node.msg] if node.msg else [], scope))


def _raise(interpreter: Interpreter, node: cst.Raise, scope: Scope) -> None:
    exception = node.exc
    if exception is None:
        raise Unsupported("raise without an exception")
    arguments: list[cst.BaseExpression] = []
    if isinstance(exception, cst.Call):
        arguments = [argument.value for argument in exception.args]
        exception = exception.func
    name = dotted_name(exception)
    if name is None:
        raise Unsupported(f"raise of {describe(exception)}")
    raise RaisedInSource(name.rpartition(".")[2], _message(interpreter, arguments[:1], scope))


def _message(interpreter: Interpreter, arguments: Sequence[cst.BaseExpression], scope: Scope) -> str:
    """The text of an exception; empty where it cannot be rendered, for the exception itself is what counts."""
    try:
        return " ".join(
            render(interpreter.meter, interpreter.evaluate(argument, scope), quoted=False) for argument in arguments
        )[:200]
    except EvaluatorFailure:
        return ""


def dotted_name(node: cst.CSTNode) -> str | None:
    """`a.b.c` of a name or of attributes of a name; None for any other expression."""
    parts: list[str] = []
    current = node
    while isinstance(current, cst.Attribute):
        parts.append(current.attr.value)
        current = current.value
    if not isinstance(current, cst.Name):
        return None
    return ".".join([current.value, *reversed(parts)])


def _function(interpreter: Interpreter, node: cst.FunctionDef, scope: Scope) -> None:
    if node.decorators:
        raise Unsupported("a decorator of a nested function")
    if node.asynchronous is not None:
        raise Unsupported("an asynchronous function")
    assert scope.unit is not None
    name = node.name.value
    scope.names[name] = Function(
        name, node, scope.unit, scope, defaults=evaluated_defaults(interpreter, node.params, scope)
    )


def _with(interpreter: Interpreter, node: cst.With, scope: Scope) -> Left | None:
    """Contexts are entered only where they are declared to be without effect: opaque values."""
    if node.asynchronous is not None:
        raise Unsupported("asynchronous with")
    for item in node.items:
        context = interpreter.evaluate(item.item, scope)
        if not isinstance(context, Opaque):
            raise Unsupported(f"with {kind_of(context)}")
        if item.asname is not None:
            bind_target(interpreter, item.asname.name, context, scope)
    return interpreter.execute(node.body.body, scope)


def _import(interpreter: Interpreter, node: cst.Import | cst.ImportFrom, scope: Scope) -> None:
    """Nothing is ever imported: the names must have been given."""
    if isinstance(node.names, cst.ImportStar):
        raise Unsupported("import *")
    for alias in node.names:
        if alias.asname is not None and isinstance(alias.asname.name, cst.Name):
            name = alias.asname.name.value
        else:
            name = (dotted_name(alias.name) or "").partition(".")[0]
        try:
            interpreter.lookup(name, scope)
        except EvaluatorFailure:
            raise Unsupported(f"import of {name}, for which no value was given") from None


def _delete(interpreter: Interpreter, node: cst.Del, scope: Scope) -> None:
    target = node.target
    if isinstance(target, cst.Name) and target.value in scope.names:
        del scope.names[target.value]
        return
    if isinstance(target, cst.Attribute):
        owner = interpreter.evaluate(target.value, scope)
        if isinstance(owner, Stub) and target.attr.value in owner.attributes:
            del owner.attributes[target.attr.value]
            return
    raise Unsupported(f"del of {describe(target)}")


#: The statements that are interpreted; every other kind of node is `Unsupported` by its name.
HANDLERS: Mapping[type[cst.CSTNode], Callable[[Interpreter, Any, Scope], Left | None]] = {
    cst.SimpleStatementLine: _line,
    cst.Expr: _expression,
    cst.Pass: _pass,
    cst.Assign: _assign,
    cst.AnnAssign: _annotated,
    cst.AugAssign: _augmented,
    cst.If: _if,
    cst.For: _for,
    cst.While: _while,
    cst.Return: _return,
    cst.Break: _break,
    cst.Continue: _continue,
    cst.Assert: _assert,
    cst.Raise: _raise,
    cst.FunctionDef: _function,
    cst.With: _with,
    cst.Import: _import,
    cst.ImportFrom: _import,
    cst.Del: _delete,
}
