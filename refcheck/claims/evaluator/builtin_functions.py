"""Python's built-in functions and types, as far as interpreted code may use them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from refcheck.claims.evaluator import attributes
from refcheck.claims.evaluator.failures import RaisedInSource, Unsupported
from refcheck.claims.evaluator.interpreter import Interpreter
from refcheck.claims.evaluator.operators import (
    binary,
    collect,
    compare,
    guarded,
    hashable,
    iterate,
    kind_of,
    number,
    plain,
    truth,
    unary,
    weigh,
)
from refcheck.claims.evaluator.parameters import take
from refcheck.claims.evaluator.tensor_methods import TENSOR_TYPES
from refcheck.claims.evaluator.tensors import Tensor, as_int
from refcheck.claims.evaluator.text import render
from refcheck.claims.evaluator.values import (
    BoundMethod,
    EnumClass,
    Function,
    Lazy,
    Namespace,
    Native,
    Opaque,
    Recorder,
    Stub,
    Symbol,
    Type,
    Value,
)

_Arguments = Sequence[Value]
_Keywords = Mapping[str, Value]
_NOTHING = object()


def _len(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (value,) = take("len", arguments, keywords, ("value",))
    if isinstance(value, Tensor):
        if not value.shape:
            raise RaisedInSource("TypeError", "len() of a 0-d tensor")
        return value.shape[0]
    if isinstance(value, EnumClass):
        return len(value.members)
    if isinstance(value, str | list | tuple | dict | set | frozenset | range):
        return guarded(len, value)
    if value is None or isinstance(value, bool | int | float | Lazy | Function):
        raise RaisedInSource("TypeError", f"object of type {kind_of(value)} has no len()")
    if isinstance(value, Stub):
        method = attributes.find(interpreter, value, "__len__")
        if not attributes.is_missing(method):
            return interpreter.call(method, [], {})
    raise Unsupported(f"len of {kind_of(value)}")


def _range(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    if keywords or not 1 <= len(arguments) <= 3:
        raise RaisedInSource("TypeError", "range expected 1 to 3 arguments")
    bounds = [interpreter.meter.integer(as_int(argument, "an argument of range")) for argument in arguments]
    return guarded(range, *bounds)


def _extreme(name: str, symbol: str) -> Callable[[Interpreter, _Arguments, _Keywords], Value]:
    def function(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
        known = dict(keywords)
        key = known.pop("key", None)
        default = known.pop("default", _NOTHING)
        if known:
            raise RaisedInSource("TypeError", f"{name}() got an unexpected keyword argument")
        if len(arguments) == 1:
            items: Iterator[Value] | Sequence[Value] = iterate(interpreter.meter, arguments[0])
        elif arguments and default is _NOTHING:
            items = arguments
        else:
            raise RaisedInSource("TypeError", f"{name} expected at least 1 argument")
        best: Value = _NOTHING
        best_key: Value = None
        for item in items:
            weight = item if key is None else interpreter.call(key, [item], {})
            if best is _NOTHING or truth(compare(interpreter.meter, symbol, weight, best_key)):
                best, best_key = item, weight
        if best is not _NOTHING:
            return best
        if default is not _NOTHING:
            return default
        raise RaisedInSource("ValueError", f"{name}() arg is an empty sequence")

    return function


def _sum(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    values, total = take("sum", arguments, keywords, ("iterable",), {"start": 0})
    if isinstance(total, str):
        raise RaisedInSource("TypeError", "sum() can't sum strings [use ''.join(seq) instead]")
    for item in iterate(interpreter.meter, values):
        total = binary(interpreter.meter, "+", total, item)
    return total


def _any(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (values,) = take("any", arguments, keywords, ("iterable",))
    return any(truth(item) for item in iterate(interpreter.meter, values))


def _all(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (values,) = take("all", arguments, keywords, ("iterable",))
    return all(truth(item) for item in iterate(interpreter.meter, values))


def _abs(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (value,) = take("abs", arguments, keywords, ("value",))
    value = plain(value)
    if isinstance(value, bool | int | float):
        return abs(value)
    if isinstance(value, Tensor):
        return binary(interpreter.meter, "maximum", value, unary(interpreter.meter, "-", value))
    raise RaisedInSource("TypeError", f"bad operand type for abs(): {kind_of(value)}")


def _round(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    value, digits = take("round", arguments, keywords, ("number",), {"ndigits": None})
    value = plain(value)
    if not isinstance(value, bool | int | float):
        raise RaisedInSource("TypeError", f"round of {kind_of(value)}")
    if digits is None:
        return number(interpreter.meter, guarded(round, value))
    count = as_int(digits, "a number of digits")
    if isinstance(value, int) and not count >= -400:
        return 0
    return number(interpreter.meter, guarded(round, value, count))


def _divmod(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    one, other = take("divmod", arguments, keywords, ("x", "y"))
    return (binary(interpreter.meter, "//", one, other), binary(interpreter.meter, "%", one, other))


def _pow(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    base, exponent = take("pow", arguments, keywords, ("base", "exp"))
    return binary(interpreter.meter, "**", base, exponent)


def _cdiv(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    one, other = take("cdiv", arguments, keywords, ("a", "b"))
    meter = interpreter.meter
    return unary(meter, "-", binary(meter, "//", one, unary(meter, "-", other)))


def _getattr(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    owner, name, default = take("getattr", arguments, keywords, ("object", "name"), {"default": _NOTHING})
    if not isinstance(name, str):
        raise RaisedInSource("TypeError", "attribute name must be string")
    if default is _NOTHING:
        return attributes.read(interpreter, owner, name)
    if isinstance(owner, Opaque) or name.startswith("__"):
        raise Unsupported(f"attribute {name} of {kind_of(owner)}")
    found = attributes.find(interpreter, owner, name)
    return default if attributes.is_missing(found) else found


def _hasattr(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    owner, name = take("hasattr", arguments, keywords, ("object", "name"))
    if not isinstance(name, str):
        raise RaisedInSource("TypeError", "attribute name must be string")
    if isinstance(owner, Opaque) or name.startswith("__"):
        raise Unsupported(f"attribute {name} of {kind_of(owner)}")
    return attributes.has(interpreter, owner, name)


def _setattr(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    owner, name, value = take("setattr", arguments, keywords, ("object", "name", "value"))
    if not isinstance(name, str):
        raise RaisedInSource("TypeError", "attribute name must be string")
    attributes.write(owner, name, value)
    return None


def _isinstance(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    value, kinds = take("isinstance", arguments, keywords, ("object", "classinfo"))
    return any(is_instance(value, kind) for kind in (kinds if isinstance(kinds, tuple) else (kinds,)))


def is_instance(value: Value, kind: Value) -> bool:
    """Whether a value is an instance of a class, as far as both are known."""
    if isinstance(value, Opaque):
        raise Unsupported(f"isinstance of {value.name}")
    if isinstance(kind, EnumClass):
        return isinstance(value, Symbol) and value.class_name == kind.name
    if kind is None:
        raise RaisedInSource("TypeError", "isinstance() arg 2 must be a type")
    if not isinstance(kind, Type):
        raise Unsupported(f"isinstance with {kind_of(kind)}")
    if kind.name in TENSOR_TYPES:
        return isinstance(value, Tensor) and value.library == TENSOR_TYPES[kind.name]
    if isinstance(value, Symbol) and value.owner is not None and value.owner.mixin == kind.name:
        return True
    if kind.accepts:
        return isinstance(value, kind.accepts)
    return isinstance(value, Stub) and kind.name in value.class_names


def _callable(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (value,) = take("callable", arguments, keywords, ("object",))
    if isinstance(value, Opaque):
        raise Unsupported(f"callable of {value.name}")
    if isinstance(value, Stub):
        return value.call is not None
    return isinstance(value, Native | Function | BoundMethod | Recorder | Type)


def _sorted(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    values, key, reverse = take("sorted", arguments, keywords, ("iterable",), {"key": None, "reverse": False})
    meter = interpreter.meter
    items = collect(meter, values)
    if not isinstance(reverse, int):
        raise RaisedInSource("TypeError", f"reverse must be an integer, not {kind_of(reverse)}")
    weights = [plain(item if key is None else interpreter.call(key, [item], {})) for item in items]
    for weight in weights:
        if not isinstance(weight, bool | int | float | str | tuple | list):
            raise Unsupported(f"sorting by {kind_of(weight)}")
        weigh(meter, weight)
        # A comparison of two nested values costs as much as their size, and there are n log n of them.
        if isinstance(weight, tuple | list):
            meter.step(len(weight) * len(items).bit_length())
    meter.step(len(items) * max(len(items).bit_length(), 1) // 8)
    order = guarded(
        lambda: sorted(range(len(items)), key=weights.__getitem__, reverse=bool(reverse))  # type: ignore[arg-type]
    )
    return [items[position] for position in order]


def _reversed(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (values,) = take("reversed", arguments, keywords, ("sequence",))
    if isinstance(values, range):
        return Lazy("reversed", iter(values[::-1]))
    if isinstance(values, set | frozenset | Lazy):
        raise RaisedInSource("TypeError", f"'{kind_of(values)}' object is not reversible")
    return Lazy("reversed", iter(collect(interpreter.meter, values)[::-1]))


def _zip(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (strict,) = take("zip", (), keywords, (), {"strict": False})
    iterators = [iterate(interpreter.meter, argument) for argument in arguments]
    if truth(strict):
        return Lazy("zip", _strict_zip(iterators))
    return Lazy("zip", iter(zip(*iterators, strict=False)))


def _strict_zip(iterators: Sequence[Iterator[Value]]) -> Iterator[Value]:
    while iterators:
        items = [next(iterator, _NOTHING) for iterator in iterators]
        ended = [item is _NOTHING for item in items]
        if all(ended):
            return
        if any(ended):
            raise RaisedInSource("ValueError", "zip() arguments have different lengths")
        yield tuple(items)


def _enumerate(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    values, start = take("enumerate", arguments, keywords, ("iterable",), {"start": 0})
    return Lazy("enumerate", iter(enumerate(iterate(interpreter.meter, values), as_int(start, "a start"))))


def _map(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    if keywords or len(arguments) < 2:
        raise RaisedInSource("TypeError", "map() must have at least two arguments")
    function = arguments[0]
    iterators = [iterate(interpreter.meter, argument) for argument in arguments[1:]]
    return Lazy("map", (interpreter.call(function, items, {}) for items in zip(*iterators, strict=False)))


def _filter(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    function, values = take("filter", arguments, keywords, ("function", "iterable"))
    return Lazy(
        "filter",
        (
            item
            for item in iterate(interpreter.meter, values)
            if truth(item if function is None else interpreter.call(function, [item], {}))
        ),
    )


def _iter(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (values,) = take("iter", arguments, keywords, ("iterable",))
    return Lazy("iterator", iterate(interpreter.meter, values))


def _next(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    values, default = take("next", arguments, keywords, ("iterator",), {"default": _NOTHING})
    if not isinstance(values, Lazy):
        raise RaisedInSource("TypeError", f"{kind_of(values)} is not an iterator")
    for item in iterate(interpreter.meter, values):
        return item
    if default is _NOTHING:
        raise RaisedInSource("StopIteration")
    return default


def _int(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (value,) = take("int", arguments, keywords, (), {"value": 0})
    value = plain(value)
    if isinstance(value, Tensor):
        value = value.item()
    if isinstance(value, str):
        interpreter.meter.bits(len(value) * 3)
    if not isinstance(value, bool | int | float | str):
        raise RaisedInSource("TypeError", f"int() argument must be a string or a number, not {kind_of(value)}")
    return number(interpreter.meter, guarded(int, value))


def _float(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (value,) = take("float", arguments, keywords, (), {"value": 0.0})
    value = plain(value)
    if isinstance(value, Tensor):
        value = value.item()
    if not isinstance(value, bool | int | float | str):
        raise RaisedInSource("TypeError", f"float() argument must be a string or a number, not {kind_of(value)}")
    return guarded(float, value)


def _bool(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (value,) = take("bool", arguments, keywords, (), {"value": False})
    return truth(value)


def _str(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (value,) = take("str", arguments, keywords, (), {"object": ""})
    return render(interpreter.meter, value, quoted=False)


def _repr(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (value,) = take("repr", arguments, keywords, ("object",))
    return render(interpreter.meter, value, quoted=True)


def _list(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (values,) = take("list", arguments, keywords, (), {"iterable": ()})
    return collect(interpreter.meter, values)


def _tuple(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (values,) = take("tuple", arguments, keywords, (), {"iterable": ()})
    return tuple(collect(interpreter.meter, values))


def _set(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (values,) = take("set", arguments, keywords, (), {"iterable": ()})
    return {hashable(interpreter.meter, item) for item in collect(interpreter.meter, values)}


def _frozenset(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (values,) = take("frozenset", arguments, keywords, (), {"iterable": ()})
    return frozenset(hashable(interpreter.meter, item) for item in collect(interpreter.meter, values))


def _dict(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    result: dict[Value, Value] = {}
    if len(arguments) > 1:
        raise RaisedInSource("TypeError", "dict expected at most 1 argument")
    if arguments:
        given = arguments[0]
        if isinstance(given, dict):
            interpreter.meter.items(len(given))
            result.update(given)
        else:
            for pair in iterate(interpreter.meter, given):
                items = collect(interpreter.meter, pair)
                if len(items) != 2:
                    raise RaisedInSource("ValueError", "dictionary update sequence element has not length 2")
                result[hashable(interpreter.meter, items[0])] = items[1]
    result.update(keywords)
    interpreter.meter.items(len(result))
    return result


def _set_attribute_of_object(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    """`object.__setattr__(self, name, value)`, with which a frozen dataclass fills its own fields."""
    return _setattr(interpreter, arguments, keywords)


_FUNCTIONS: Mapping[str, Callable[[Interpreter, _Arguments, _Keywords], Value]] = {
    "len": _len,
    "range": _range,
    "min": _extreme("min", "<"),
    "max": _extreme("max", ">"),
    "sum": _sum,
    "any": _any,
    "all": _all,
    "abs": _abs,
    "round": _round,
    "divmod": _divmod,
    "pow": _pow,
    "cdiv": _cdiv,
    "getattr": _getattr,
    "hasattr": _hasattr,
    "setattr": _setattr,
    "isinstance": _isinstance,
    "callable": _callable,
    "sorted": _sorted,
    "reversed": _reversed,
    "zip": _zip,
    "enumerate": _enumerate,
    "map": _map,
    "filter": _filter,
    "iter": _iter,
    "next": _next,
    "repr": _repr,
}

#: What names mean that neither the source nor the claim binds.
BUILTINS: Mapping[str, Value] = {
    **{name: Native(name, function) for name, function in _FUNCTIONS.items()},
    "int": Type("int", (int,), _int),
    "float": Type("float", (float,), _float),
    "bool": Type("bool", (bool,), _bool),
    "str": Type("str", (str,), _str),
    "list": Type("list", (list,), _list),
    "tuple": Type("tuple", (tuple,), _tuple),
    "set": Type("set", (set,), _set),
    "frozenset": Type("frozenset", (frozenset,), _frozenset),
    "dict": Type("dict", (dict,), _dict),
    "object": Namespace("object", {"__setattr__": Native("object.__setattr__", _set_attribute_of_object)}),
}
