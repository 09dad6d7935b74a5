"""Methods of text and containers that interpreted code may call, each within bounds; nothing else of them exists."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from refcheck.claims.evaluator.failures import RaisedInSource, Unsupported
from refcheck.claims.evaluator.interpreter import Interpreter
from refcheck.claims.evaluator.operators import (
    collect,
    contains,
    equal,
    guarded,
    hashable,
    iterate,
    kind_of,
    weigh,
)
from refcheck.claims.evaluator.tensors import as_int
from refcheck.claims.evaluator.values import Lazy, Native, Value

#: A method body: the run, the object, the other positional arguments.
_Method = Callable[[Interpreter, "Value", Sequence[Value]], Value]


def _native(owner: str, name: str, method: _Method, least: int, most: int) -> Native:
    def function(interpreter: Interpreter, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
        if keywords:
            raise Unsupported(f"keyword arguments of {owner}.{name}")
        if not least <= len(arguments) - 1 <= most:
            raise RaisedInSource("TypeError", f"{owner}.{name}() got {len(arguments) - 1} arguments")
        interpreter.meter.step()
        return method(interpreter, arguments[0], arguments[1:])

    return Native(f"{owner}.{name}", function)


# --- text ---


def _text(value: Value) -> str:
    if not isinstance(value, str):
        raise RaisedInSource("TypeError", f"a string is needed, not {kind_of(value)}")
    return value


def _simple_text(function: Callable[..., object]) -> _Method:
    """A method of str that takes strings and gives nothing longer than it was given."""

    def method(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
        text = _text(value)
        interpreter.meter.characters(len(text))
        return guarded(function, text, *(_text(argument) for argument in arguments))

    return method


def _affix(function: Callable[..., object]) -> _Method:
    """`startswith` and `endswith`: a string or a tuple of strings."""

    def method(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
        affix = arguments[0]
        if isinstance(affix, tuple):
            interpreter.meter.items(len(affix))
            return guarded(function, _text(value), tuple(_text(part) for part in affix))
        return guarded(function, _text(value), _text(affix))

    return method


def _split(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    text = _text(value)
    interpreter.meter.items(len(text) + 1)
    if not arguments or arguments[0] is None:
        return text.split()
    count = as_int(arguments[1], "a number of splits") if len(arguments) > 1 else -1
    return guarded(str.split, text, _text(arguments[0]), count)


def _join(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    parts = [_text(part) for part in collect(interpreter.meter, arguments[0])]
    glue = _text(value)
    interpreter.meter.characters(sum(len(part) for part in parts) + len(glue) * max(len(parts) - 1, 0))
    return glue.join(parts)


def _replace(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    text, old, new = _text(value), _text(arguments[0]), _text(arguments[1])
    count = text.count(old) if old else len(text) + 1
    interpreter.meter.characters(len(text) + count * len(new))
    return text.replace(old, new)


# --- lists, tuples ---


def _list(value: Value) -> list[Value]:
    assert isinstance(value, list)
    return value


def _append(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    items = _list(value)
    items.append(arguments[0])
    interpreter.meter.items(1)
    if len(items) > interpreter.meter.budget.container:
        interpreter.meter.items(len(items))
    return None


def _extend(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    items = collect(interpreter.meter, arguments[0])
    interpreter.meter.items(len(items) + len(_list(value)))
    _list(value).extend(items)
    return None


def _insert(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    items = _list(value)
    interpreter.meter.items(len(items) + 1)
    items.insert(as_int(arguments[0], "a position"), arguments[1])
    return None


def _pop_list(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    position = as_int(arguments[0], "a position") if arguments else -1
    return guarded(list.pop, _list(value), position)


def _index(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    for position, item in enumerate(iterate(interpreter.meter, value)):
        if item is arguments[0] or equal(interpreter.meter, item, arguments[0]):
            return position
    raise RaisedInSource("ValueError", "the value is not in the sequence")


def _count(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    meter = interpreter.meter
    return sum(1 for item in iterate(meter, value) if item is arguments[0] or equal(meter, item, arguments[0]))


def _remove(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    position = _index(interpreter, value, arguments)
    assert isinstance(position, int)
    del _list(value)[position]
    return None


def _clear(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    assert isinstance(value, list | dict | set)
    value.clear()
    return None


def _reverse(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    interpreter.meter.items(len(_list(value)))
    _list(value).reverse()
    return None


def _copy(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    assert isinstance(value, list | dict | set | frozenset)
    interpreter.meter.items(len(value))
    return value.copy()


# --- dicts, sets ---


def _dict(value: Value) -> dict[Value, Value]:
    assert isinstance(value, dict)
    return value


def _get(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    key = hashable(interpreter.meter, arguments[0])
    return _dict(value).get(key, arguments[1] if len(arguments) > 1 else None)


def _keys(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    interpreter.meter.items(len(_dict(value)))
    return list(_dict(value))


def _dict_values(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    interpreter.meter.items(len(_dict(value)))
    return list(_dict(value).values())


def _items(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    interpreter.meter.items(2 * len(_dict(value)))
    return list(_dict(value).items())


def _pop_dict(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    key = hashable(interpreter.meter, arguments[0])
    return guarded(dict.pop, _dict(value), key, *arguments[1:])


def _setdefault(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    key = hashable(interpreter.meter, arguments[0])
    interpreter.meter.items(1)
    if len(_dict(value)) >= interpreter.meter.budget.container:
        interpreter.meter.items(len(_dict(value)) + 1)
    return _dict(value).setdefault(key, arguments[1] if len(arguments) > 1 else None)


def _update(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    other = arguments[0]
    if isinstance(value, dict) and isinstance(other, dict):
        interpreter.meter.items(len(value) + len(other))
        value.update(other)
        return None
    if isinstance(value, set):
        items = [hashable(interpreter.meter, item) for item in collect(interpreter.meter, other)]
        interpreter.meter.items(len(value) + len(items))
        value.update(items)
        return None
    raise Unsupported(f"update with {kind_of(other)}")


def _set_of(interpreter: Interpreter, value: Value) -> set[Value]:
    return {hashable(interpreter.meter, item) for item in collect(interpreter.meter, value)}


def _combine(function: Callable[..., object]) -> _Method:
    def method(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
        assert isinstance(value, set | frozenset)
        others = [_set_of(interpreter, argument) for argument in arguments]
        interpreter.meter.items(len(value) + sum(len(other) for other in others))
        result = guarded(function, set(value), *others)
        return frozenset(result) if isinstance(result, set) and isinstance(value, frozenset) else result

    return method


def _add(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    assert isinstance(value, set)
    value.add(hashable(interpreter.meter, arguments[0]))
    interpreter.meter.items(1)
    if len(value) > interpreter.meter.budget.container:
        interpreter.meter.items(len(value))
    return None


def _discard(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    assert isinstance(value, set)
    value.discard(hashable(interpreter.meter, arguments[0]))
    return None


def _holds(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    return contains(interpreter.meter, arguments[0], value)


def _next(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
    for item in iterate(interpreter.meter, value):
        return item
    raise RaisedInSource("StopIteration")


def _number(function: Callable[..., object]) -> _Method:
    def method(interpreter: Interpreter, value: Value, arguments: Sequence[Value]) -> Value:
        weigh(interpreter.meter, value)
        return guarded(function, value)

    return method


def _table(owner: str, methods: Mapping[str, tuple[_Method, int, int]]) -> Mapping[str, Native]:
    return {name: _native(owner, name, method, least, most) for name, (method, least, most) in methods.items()}


_SET = {
    "union": (_combine(set.union), 0, 8),
    "intersection": (_combine(set.intersection), 0, 8),
    "difference": (_combine(set.difference), 0, 8),
    "symmetric_difference": (_combine(set.symmetric_difference), 1, 1),
    "issubset": (_combine(set.issubset), 1, 1),
    "issuperset": (_combine(set.issuperset), 1, 1),
    "isdisjoint": (_combine(set.isdisjoint), 1, 1),
    "copy": (_copy, 0, 0),
}

#: The methods of each plain type, by name.
METHODS: Mapping[type, Mapping[str, Native]] = {
    str: _table(
        "str",
        {
            "startswith": (_affix(str.startswith), 1, 1),
            "endswith": (_affix(str.endswith), 1, 1),
            "lower": (_simple_text(str.lower), 0, 0),
            "upper": (_simple_text(str.upper), 0, 0),
            "strip": (_simple_text(str.strip), 0, 1),
            "lstrip": (_simple_text(str.lstrip), 0, 1),
            "rstrip": (_simple_text(str.rstrip), 0, 1),
            "removeprefix": (_simple_text(str.removeprefix), 1, 1),
            "removesuffix": (_simple_text(str.removesuffix), 1, 1),
            "isdigit": (_simple_text(str.isdigit), 0, 0),
            "count": (_simple_text(str.count), 1, 1),
            "find": (_simple_text(str.find), 1, 1),
            "partition": (_simple_text(str.partition), 1, 1),
            "rpartition": (_simple_text(str.rpartition), 1, 1),
            "split": (_split, 0, 2),
            "join": (_join, 1, 1),
            "replace": (_replace, 2, 2),
        },
    ),
    list: _table(
        "list",
        {
            "append": (_append, 1, 1),
            "extend": (_extend, 1, 1),
            "insert": (_insert, 2, 2),
            "pop": (_pop_list, 0, 1),
            "index": (_index, 1, 1),
            "count": (_count, 1, 1),
            "remove": (_remove, 1, 1),
            "clear": (_clear, 0, 0),
            "reverse": (_reverse, 0, 0),
            "copy": (_copy, 0, 0),
        },
    ),
    tuple: _table("tuple", {"index": (_index, 1, 1), "count": (_count, 1, 1)}),
    dict: _table(
        "dict",
        {
            "get": (_get, 1, 2),
            "keys": (_keys, 0, 0),
            "values": (_dict_values, 0, 0),
            "items": (_items, 0, 0),
            "pop": (_pop_dict, 1, 2),
            "setdefault": (_setdefault, 1, 2),
            "update": (_update, 1, 1),
            "clear": (_clear, 0, 0),
            "copy": (_copy, 0, 0),
        },
    ),
    set: _table(
        "set",
        {
            **_SET,
            "add": (_add, 1, 1),
            "discard": (_discard, 1, 1),
            "update": (_update, 1, 1),
            "clear": (_clear, 0, 0),
        },
    ),
    frozenset: _table("frozenset", _SET),
    int: _table("int", {"bit_length": (_number(int.bit_length), 0, 0)}),
    float: _table("float", {"is_integer": (_number(float.is_integer), 0, 0)}),
    Lazy: {},
}

#: Names that these types have in Python: asking for one of them that is not in `METHODS` is `Unsupported`, asking for
#: any other is the AttributeError that Python would raise.
REAL_NAMES: Mapping[type, frozenset[str]] = {
    kind: frozenset(dir(kind)) for kind in (bool, int, float, str, list, tuple, dict, set, frozenset, type(None))
}
