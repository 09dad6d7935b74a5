"""Reading and writing `value[index]`."""

from __future__ import annotations

import operator

from refcheck.claims.evaluator.failures import RaisedInSource, Unsupported
from refcheck.claims.evaluator.interpreter import Interpreter
from refcheck.claims.evaluator.operators import (
    charge_size,
    collect,
    guarded,
    hashable,
    kind_of,
    plain,
)
from refcheck.claims.evaluator.tensors import Tensor, as_int, get_item, plain_slice, set_item
from refcheck.claims.evaluator.values import BoundMethod, EnumClass, Kernel, KernelLaunch, Stub, Type, Value


def get(interpreter: Interpreter, value: Value, index: Value) -> Value:
    """`value[index]`"""
    meter = interpreter.meter
    index = plain(index)
    if isinstance(value, Tensor):
        return get_item(meter, value, _plain_parts(index))
    if isinstance(value, dict):
        key = hashable(meter, index)
        return guarded(operator.getitem, value, key)
    if isinstance(value, str | list | tuple | range):
        if isinstance(index, slice):
            part = guarded(operator.getitem, value, _slice(index))
            if not isinstance(part, range):
                charge_size(meter, value, len(part))
            return part
        return guarded(operator.getitem, value, _position(index))
    if isinstance(value, Stub):
        return _method(interpreter, value, "__getitem__", [index])
    if isinstance(value, Kernel):
        return KernelLaunch(value, index)
    if isinstance(value, EnumClass) and isinstance(index, str) and index in value.members:
        return value.members[index]
    if isinstance(value, Type):
        return value  # list[int] and its kin, in an annotation or as a call: the parameters say nothing
    if value is None or isinstance(value, bool | int | float | set | frozenset):
        raise RaisedInSource("TypeError", f"{kind_of(value)} is not subscriptable")
    raise Unsupported(f"index of {kind_of(value)}")


def put(interpreter: Interpreter, owner: Value, index: Value, value: Value) -> None:
    """`owner[index] = value`"""
    meter = interpreter.meter
    index = plain(index)
    if isinstance(owner, Tensor):
        set_item(meter, owner, _plain_parts(index), value)
    elif isinstance(owner, dict):
        owner[hashable(meter, index)] = value
        meter.items(1)
        if len(owner) > meter.budget.container:
            meter.items(len(owner))
    elif isinstance(owner, list):
        if isinstance(index, slice):
            items = collect(meter, value)
            meter.items(len(owner) + len(items))
            guarded(operator.setitem, owner, _slice(index), items)
        else:
            guarded(operator.setitem, owner, _position(index), value)
    elif isinstance(owner, Stub):
        _method(interpreter, owner, "__setitem__", [index, value])
    elif owner is None or isinstance(owner, bool | int | float | str | tuple | range | set | frozenset):
        raise RaisedInSource("TypeError", f"{kind_of(owner)} does not support item assignment")
    else:
        raise Unsupported(f"assignment to an item of {kind_of(owner)}")


def _method(interpreter: Interpreter, stub: Stub, name: str, arguments: list[Value]) -> Value:
    if name in stub.methods:
        return interpreter.call(BoundMethod(stub.methods[name], stub, -1), arguments, {})
    for position, cls in enumerate(stub.classes):
        if name in cls.functions:
            return interpreter.call(BoundMethod(cls.functions[name], stub, position), arguments, {})
    raise Unsupported(f"index of {stub.name}")


def _plain_parts(index: Value) -> Value:
    return tuple(plain(part) for part in index) if isinstance(index, tuple) else index


def _slice(index: slice) -> slice:
    if isinstance(index.step, int) and index.step == 0:
        raise RaisedInSource("ValueError", "slice step cannot be zero")
    for bound in (index.start, index.stop, index.step):
        if not (bound is None or isinstance(bound, int | Tensor)):
            raise RaisedInSource("TypeError", "slice indices must be integers or None")
    return plain_slice(index)


def _position(index: Value) -> int:
    return as_int(index, "an index")
