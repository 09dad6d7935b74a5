"""Attribute access: answered from explicit tables only, never by asking a Python object for an attribute."""

from __future__ import annotations

from collections.abc import Mapping

from refcheck.claims.evaluator import containers, tensor_methods
from refcheck.claims.evaluator.failures import RaisedInSource, Unsupported
from refcheck.claims.evaluator.interpreter import Interpreter
from refcheck.claims.evaluator.operators import kind_of
from refcheck.claims.evaluator.tensors import Tensor
from refcheck.claims.evaluator.values import (
    BoundMethod,
    Dtype,
    EnumClass,
    Function,
    Namespace,
    Native,
    Recorder,
    Scope,
    SourceClass,
    Stub,
    Super,
    Symbol,
    Type,
    Value,
)

_MISSING = object()


def read(interpreter: Interpreter, value: Value, name: str) -> Value:
    """`value.name`; `Unsupported` ("attribute X of Y") where nothing was given or allowed under that name."""
    found = find(interpreter, value, name)
    if found is _MISSING:
        if value is None or isinstance(value, bool | int | float | str | list | tuple | dict | set | frozenset):
            if name in containers.REAL_NAMES.get(type(value), ()):
                raise Unsupported(f"attribute {name} of {kind_of(value)}")
            if not name.startswith("__"):
                raise RaisedInSource("AttributeError", f"{kind_of(value)} has no attribute {name!r}")
        raise Unsupported(f"attribute {name} of {kind_of(value)}")
    return found


def has(interpreter: Interpreter, value: Value, name: str) -> bool:
    """Whether `value.name` exists, as `hasattr` asks: for a stub, whether it was given."""
    if isinstance(value, Stub):
        return (
            name in value.attributes
            or name in value.properties
            or name in value.methods
            or any(name in cls.functions or name in cls.defaults for cls in value.classes)
        )
    return find(interpreter, value, name) is not _MISSING


def find(interpreter: Interpreter, value: Value, name: str) -> Value:
    """`value.name`, or a marker that is no value (see `is_missing`)."""
    if isinstance(value, Stub):
        return _of_stub(interpreter, value, name)
    if isinstance(value, Namespace):
        return value.members.get(name, _MISSING)
    if isinstance(value, Super):
        return _of_classes(interpreter, value.instance, value.instance.classes, name, value.start)
    if name.startswith("__"):
        return _MISSING
    if isinstance(value, Tensor):
        return tensor_methods.attribute(interpreter.meter, value, name, _MISSING)
    if isinstance(value, EnumClass):
        return _of_enumeration(value, name)
    if isinstance(value, Symbol):
        return _of_symbol(interpreter, value, name)
    if isinstance(value, Dtype):
        return _of_dtype(value, name)
    if isinstance(value, Type):
        return value.members.get(name, _MISSING)
    if isinstance(value, Recorder | Function | Native | BoundMethod):
        return _MISSING
    if isinstance(value, range) and name in {"start", "stop", "step"}:
        return {"start": value.start, "stop": value.stop, "step": value.step}[name]
    method = containers.METHODS.get(type(value), _NO_METHODS).get(name)
    return _MISSING if method is None else BoundMethod(method, value)


_NO_METHODS: Mapping[str, Native] = {}


def is_missing(value: Value) -> bool:
    """Whether `find` found nothing."""
    return value is _MISSING


def _of_stub(interpreter: Interpreter, stub: Stub, name: str) -> Value:
    if name in stub.attributes:
        return stub.attributes[name]
    if name in stub.properties:
        return interpreter.call(BoundMethod(stub.properties[name], stub, -1), [], {})
    if name in stub.methods:
        return _bound(stub.methods[name], stub, -1)
    return _of_classes(interpreter, stub, stub.classes, name, 0)


def _bound(function: Function | Native, instance: Value, index: int) -> Value:
    if isinstance(function, Function) and function.kind == "static":
        return function
    return BoundMethod(function, instance, index)


def _of_classes(
    interpreter: Interpreter, instance: Value, classes: tuple[SourceClass, ...], name: str, start: int
) -> Value:
    for index in range(start, len(classes)):
        cls = classes[index]
        function = cls.functions.get(name)
        if function is not None:
            if function.kind == "property":
                return interpreter.call(BoundMethod(function, instance, index), [], {})
            if function.kind == "class":
                raise Unsupported(f"class method {name} of {cls.name}")
            return _bound(function, instance, index)
        if name in cls.defaults:
            value = default_of(interpreter, cls, name)
            if isinstance(instance, Stub):
                # A mutable default (default_factory) must be the same object the next time.
                instance.attributes.setdefault(name, value)
            return value
    return _MISSING


def default_of(interpreter: Interpreter, cls: SourceClass, name: str) -> Value:
    """A class's default for a field, evaluated with `dataclasses.field` understood."""
    scope = Scope(dict(cls.globals), None, cls.unit)
    scope.names.setdefault("field", Native("field", _field))
    node = cls.defaults[name]
    return interpreter.evaluate(node, scope)  # type: ignore[arg-type]


def _field(interpreter: Interpreter, arguments: object, keywords: Mapping[str, Value]) -> Value:
    if "default" in keywords:
        return keywords["default"]
    if "default_factory" in keywords:
        return interpreter.call(keywords["default_factory"], [], {})
    raise Unsupported("a field without a default")


def _of_enumeration(value: EnumClass, name: str) -> Value:
    if name in value.members:
        return value.members[name]
    if value.open:
        symbol = Symbol(value.name, name, None, value)
        value.members[name] = symbol
        return symbol
    return _MISSING


def _of_symbol(interpreter: Interpreter, symbol: Symbol, name: str) -> Value:
    if name == "name":
        return symbol.name
    if name == "value" and (symbol.value is not None or symbol.owner is None or not symbol.owner.open):
        return symbol.value
    owner = symbol.owner
    if owner is None:
        return _MISSING
    if name in owner.members:
        return owner.members[name]
    found = _of_classes(interpreter, symbol, owner.classes, name, 0)
    if found is _MISSING and owner.mixin == "str" and isinstance(symbol.value, str):
        return find(interpreter, symbol.value, name)
    return found


def _of_dtype(dtype: Dtype, name: str) -> Value:
    table: dict[str, Value] = {
        "itemsize": dtype.itemsize,
        "is_floating_point": dtype.kind == "f",
        "is_complex": dtype.kind == "c",
        "is_signed": dtype.kind in "if",
    }
    return table.get(name, _MISSING)


def write(owner: Value, name: str, value: Value) -> None:
    """`owner.name = value`: stubs alone can be written to."""
    if name.startswith("__"):
        raise Unsupported(f"assignment to attribute {name}")
    if not isinstance(owner, Stub):
        raise Unsupported(f"assignment to an attribute of {kind_of(owner)}")
    if name in owner.properties or any(
        name in cls.functions and cls.functions[name].kind == "property" for cls in owner.classes[:1]
    ):
        raise Unsupported(f"assignment to the property {name} of {owner.name}")
    owner.attributes[name] = value
