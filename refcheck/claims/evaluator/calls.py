"""Calling values: interpreted functions with their parameters bound, methods, recorders, classes, kernels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import libcst as cst

from refcheck.claims.evaluator import kernels
from refcheck.claims.evaluator.failures import RaisedInSource, Unsupported
from refcheck.claims.evaluator.interpreter import Interpreter
from refcheck.claims.evaluator.operators import kind_of
from refcheck.claims.evaluator.tensors import Tensor, copied
from refcheck.claims.evaluator.values import (
    BoundMethod,
    Call,
    Function,
    KernelLaunch,
    Native,
    Recorder,
    Scope,
    Stub,
    Type,
    Value,
)


def call(interpreter: Interpreter, callee: Value, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    """The result of calling `callee`. What cannot be called is `Unsupported` by name."""
    if isinstance(callee, Native):
        return callee.function(interpreter, arguments, keywords)
    if isinstance(callee, BoundMethod):
        if isinstance(callee.function, Native):
            return callee.function.function(interpreter, [callee.instance, *arguments], keywords)
        method = (callee.instance, callee.class_index) if isinstance(callee.instance, Stub) else None
        return call_function(interpreter, callee.function, [callee.instance, *arguments], keywords, method)
    if isinstance(callee, Function):
        return call_function(interpreter, callee, arguments, keywords)
    if isinstance(callee, Recorder):
        return _record(interpreter, callee, arguments, keywords)
    if isinstance(callee, Type) and callee.construct is not None:
        return callee.construct(interpreter, arguments, keywords)
    if isinstance(callee, Stub):
        if callee.call is not None:
            return call(interpreter, callee.call, arguments, keywords)
        found = next(
            (
                (index, cls.functions["__call__"])
                for index, cls in enumerate(callee.classes)
                if "__call__" in cls.functions
            ),
            None,
        )
        if found is not None:
            return call(interpreter, BoundMethod(found[1], callee, found[0]), arguments, keywords)
    if isinstance(callee, KernelLaunch):
        return kernels.launch(interpreter, callee, arguments, keywords)
    if callee is None or isinstance(callee, bool | int | float | str | list | tuple | dict | set | Tensor):
        raise RaisedInSource("TypeError", f"{kind_of(callee)} is not callable")
    raise Unsupported(f"call of {kind_of(callee)}")


def _record(
    interpreter: Interpreter, recorder: Recorder, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    for argument in (*arguments, *keywords.values()):
        if isinstance(argument, Tensor) and argument.data is not None:
            interpreter.meter.array(argument.numel)
    recorder.calls.append(
        Call(
            tuple(_as_it_is(argument) for argument in arguments),
            {name: _as_it_is(value) for name, value in keywords.items()},
        )
    )
    if recorder.answer is not None:
        return recorder.answer(interpreter, arguments, keywords)
    return recorder.returns


def _as_it_is(value: Value) -> Value:
    return copied(value) if isinstance(value, Tensor) else value


def call_function(
    interpreter: Interpreter,
    function: Function,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
    method: tuple[Stub, int] | None = None,
) -> Value:
    """Runs an interpreted function or lambda with its parameters bound; None without a `return`."""
    node = function.node
    assert isinstance(node, cst.FunctionDef | cst.Lambda)
    names = bind(interpreter, function, node.params, arguments, keywords)
    if isinstance(node, cst.Lambda):
        scope = Scope(names, function.scope, function.unit)
        return interpreter.evaluate(node.body, scope)
    if node.asynchronous is not None:
        raise Unsupported(f"the asynchronous function {function.name}")
    body = node.body.body
    scope = Scope(names, function.scope, function.unit, assigned=assigned_names(body), method=method)
    left = interpreter.execute(body, scope)
    if left is None:
        return None
    if left.kind != "return":
        raise Unsupported(f"{left.kind} outside of a loop")
    return left.value


def bind(
    interpreter: Interpreter,
    function: Function,
    parameters: cst.Parameters,
    arguments: Sequence[Value],
    keywords: Mapping[str, Value],
) -> dict[str, Value]:
    """Parameter names and their values, by Python's rules; a default is evaluated only if no argument replaces it."""
    name = function.name
    names: dict[str, Value] = {}
    only_positional = [parameter.name.value for parameter in parameters.posonly_params]
    positional = [*parameters.posonly_params, *parameters.params]
    left_over = list(arguments[len(positional) :])
    for parameter, value in zip(positional, arguments, strict=False):
        names[parameter.name.value] = value
    if isinstance(parameters.star_arg, cst.Param):
        interpreter.meter.items(len(left_over))
        names[parameters.star_arg.name.value] = tuple(left_over)
    elif left_over:
        raise RaisedInSource("TypeError", f"{name}() takes {len(positional)} positional arguments")
    extra: dict[str, Value] = {}
    by_name = {parameter.name.value for parameter in (*parameters.params, *parameters.kwonly_params)}
    for key, value in keywords.items():
        if key not in by_name:
            extra[key] = value
        elif key in names:
            raise RaisedInSource("TypeError", f"{name}() got multiple values for argument {key!r}")
        else:
            names[key] = value
    if parameters.star_kwarg is not None:
        names[parameters.star_kwarg.name.value] = extra
    elif extra:
        unknown = next(iter(extra))
        kind = "positional-only" if unknown in only_positional else "an unexpected keyword"
        raise RaisedInSource("TypeError", f"{name}() got {kind} argument {unknown!r}")
    for parameter in (*positional, *parameters.kwonly_params):
        key = parameter.name.value
        if key in names:
            continue
        if function.defaults is not None and key in function.defaults:
            names[key] = function.defaults[key]
        elif parameter.default is not None:
            names[key] = interpreter.evaluate(parameter.default, function.scope)
        else:
            raise RaisedInSource("TypeError", f"{name}() missing argument {key!r}")
    return names


def evaluated_defaults(interpreter: Interpreter, parameters: cst.Parameters, scope: Scope) -> dict[str, Value]:
    """Defaults of a definition that is executed: they belong to that moment."""
    return {
        parameter.name.value: interpreter.evaluate(parameter.default, scope)
        for parameter in (*parameters.posonly_params, *parameters.params, *parameters.kwonly_params)
        if parameter.default is not None
    }


def assigned_names(body: Sequence[cst.CSTNode]) -> frozenset[str]:
    """Names that statements bind, nested functions and classes aside; `Unsupported` for a generator's `yield`."""
    found: set[str] = set()
    pending: list[cst.CSTNode] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, cst.SimpleStatementLine | cst.SimpleStatementSuite | cst.IndentedBlock | cst.Else):
            pending.extend(_children(node))
        elif isinstance(node, cst.If | cst.While):
            pending.append(node.body)
            if node.orelse is not None:
                pending.append(node.orelse)
        elif isinstance(node, cst.For):
            _add_targets(node.target, found)
            pending.append(node.body)
            if node.orelse is not None:
                pending.append(node.orelse)
        elif isinstance(node, cst.With):
            pending.append(node.body)
            for item in node.items:
                if item.asname is not None:
                    _add_targets(item.asname.name, found)
        elif isinstance(node, cst.Assign):
            for target in node.targets:
                _add_targets(target.target, found)
            _refuse_yield(node.value)
        elif isinstance(node, cst.AnnAssign | cst.AugAssign):
            _add_targets(node.target, found)
        elif isinstance(node, cst.FunctionDef):
            found.add(node.name.value)
        elif isinstance(node, cst.Expr):
            _refuse_yield(node.value)
    return frozenset(found)


def _children(node: cst.CSTNode) -> list[cst.CSTNode]:
    if isinstance(node, cst.Else):
        return [node.body]
    assert isinstance(node, cst.SimpleStatementLine | cst.SimpleStatementSuite | cst.IndentedBlock)
    return list(node.body)


def _add_targets(target: cst.CSTNode, found: set[str]) -> None:
    if isinstance(target, cst.Name):
        found.add(target.value)
    elif isinstance(target, cst.Tuple | cst.List):
        for element in target.elements:
            _add_targets(element.value, found)


def _refuse_yield(value: cst.CSTNode) -> None:
    if isinstance(value, cst.Yield):
        raise Unsupported("yield")
