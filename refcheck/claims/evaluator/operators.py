"""Operators on plain values, each held to bounds before it is computed; arrays go to `tensors`."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from refcheck.claims.evaluator.budget import Meter
from refcheck.claims.evaluator.failures import BudgetExceeded, RaisedInSource, Unsupported
from refcheck.claims.evaluator.tensors import (
    Pointer,
    Tensor,
    binary_tensor,
    compare_tensor,
    move_pointer,
    unary_tensor,
)
from refcheck.claims.evaluator.values import (
    BoundMethod,
    Dtype,
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

T = TypeVar("T")

#: Python's own errors when an operation is applied: to interpreted code they are what the line raises.
PYTHON_ERRORS = (ArithmeticError, LookupError, TypeError, ValueError, StopIteration, RuntimeError)

_BINARY: dict[str, Callable[[object, object], object]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
}
_ORDER: dict[str, Callable[[Any, Any], object]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

_NUMBERS = (bool, int, float)
_SETS = (set, frozenset)
_PLAIN = (bool, int, float, str, list, tuple, dict, set, frozenset, range, slice)


def guarded(function: Callable[..., T], *arguments: object) -> T:
    """`function(*arguments)`, with Python's own errors turned into what the source raises."""
    try:
        return function(*arguments)
    except RecursionError:
        raise BudgetExceeded("levels of nesting", 0) from None
    except PYTHON_ERRORS as error:
        raise RaisedInSource(type(error).__name__, str(error)[:200]) from None


def kind_of(value: Value) -> str:
    """How messages call a value: 'Scheduler', 'a tensor', 'int'."""
    if isinstance(value, Stub):
        return value.name
    if isinstance(value, Tensor):
        return "a tensor"
    if isinstance(value, Symbol):
        return value.qualified
    if isinstance(value, Namespace | EnumClass | Type | Opaque | Recorder | Lazy | Native | Function | Dtype):
        return value.name
    if isinstance(value, BoundMethod):
        return f"method {value.function.name}"
    return type(value).__name__


def weigh(meter: Meter, value: Value) -> None:
    """Charges one step for every item that a comparison, hash or rendering of `value` would visit.

    A tuple of tuples that share their parts has few objects and an exponential number of items; one that contains
    itself has no end. Both run into the budget here.
    """
    stack: list[tuple[Value, int]] = [(value, 0)]
    while stack:
        current, depth = stack.pop()
        if isinstance(current, list | tuple | set | frozenset):
            items: list[Value] = list(current)
        elif isinstance(current, dict):
            items = [*current.keys(), *current.values()]
        else:
            continue
        if depth > 60:
            raise BudgetExceeded("levels of nesting of a value", 60)
        meter.step(1 + len(items))
        stack.extend((item, depth + 1) for item in items)


def plain(value: Value) -> Value:
    """A symbol of an int or str enumeration as that int or str; any other value as it is."""
    return value.plain() if isinstance(value, Symbol) else value


def binary(meter: Meter, symbol: str, left: Value, right: Value) -> Value:
    """`left symbol right`. Raises `RaisedInSource` where Python would, `Unsupported` for operands without values."""
    left, right = plain(left), plain(right)
    if isinstance(left, Pointer) or isinstance(right, Pointer):
        return move_pointer(meter, symbol, left, right)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return binary_tensor(meter, symbol, left, right)
    function = _BINARY.get(symbol)
    if function is None:
        raise Unsupported(f"operator {symbol}")
    if isinstance(left, _NUMBERS) and isinstance(right, _NUMBERS):
        _bound_numbers(meter, symbol, left, right)
        return number(meter, guarded(function, left, right))
    if symbol == "%" and isinstance(left, str):
        raise Unsupported("string formatting with %")
    if symbol == "*":
        return _repeat(meter, left, right)
    if symbol == "+" and type(left) is type(right) and isinstance(left, str | list | tuple):
        assert isinstance(right, str | list | tuple)
        charge_size(meter, left, len(left) + len(right))
        return guarded(function, left, right)
    if symbol in {"-", "&", "|", "^"} and isinstance(left, _SETS) and isinstance(right, _SETS):
        meter.items(len(left) + len(right))
        return guarded(function, left, right)
    if symbol == "|" and isinstance(left, dict) and isinstance(right, dict):
        meter.items(len(left) + len(right))
        return guarded(function, left, right)
    if (left is None or isinstance(left, _PLAIN)) and (right is None or isinstance(right, _PLAIN)):
        # No operation is left for these two: Python's own error is what the line raises.
        return guarded(function, left, right)
    raise Unsupported(f"{kind_of(left)} {symbol} {kind_of(right)}")


def _bound_numbers(meter: Meter, symbol: str, left: float, right: float) -> None:
    if not (isinstance(left, int) and isinstance(right, int)):
        if symbol == "**" and (isinstance(left, int) and left.bit_length() > 1024):
            raise RaisedInSource("OverflowError", "int too large to convert to float")
        return
    if symbol == "**" and right > 0 and left not in (-1, 0, 1):
        meter.bits(left.bit_length() * right)
    elif symbol == "<<" and right > 0 and left:
        meter.bits(left.bit_length() + right)
    elif symbol == "*":
        meter.bits(left.bit_length() + right.bit_length())


def number(meter: Meter, value: Value) -> Value:
    """A number that an operation gave, held to bounds; complex results are refused."""
    if isinstance(value, int):
        return value if isinstance(value, bool) else meter.integer(value)
    if isinstance(value, complex):
        raise Unsupported("complex numbers")
    return value


def charge_size(meter: Meter, kind: Value, count: int) -> None:
    """Charges a sequence of the kind of `kind` with `count` items."""
    if isinstance(kind, str):
        meter.characters(count)
    else:
        meter.items(count)


def _repeat(meter: Meter, left: Value, right: Value) -> Value:
    sequence, count = (left, right) if isinstance(left, str | list | tuple) else (right, left)
    if isinstance(sequence, str | list | tuple) and isinstance(count, int):
        if len(sequence) > 0 and count > 0:
            charge_size(meter, sequence, len(sequence) * count)
            return sequence * count
        return sequence[:0]
    known = all(value is None or isinstance(value, _PLAIN) for value in (left, right))
    if known:
        return guarded(operator.mul, left, right)
    raise Unsupported(f"{kind_of(left)} * {kind_of(right)}")


def unary(meter: Meter, symbol: str, value: Value) -> Value:
    """`-`, `+` or `~`; `not` is `truth`."""
    value = plain(value)
    if isinstance(value, Tensor):
        return unary_tensor(meter, symbol, value)
    if isinstance(value, _NUMBERS):
        if symbol == "-":
            return -value
        if symbol == "+":
            return +value
        if symbol == "~" and isinstance(value, int):
            return -1 - value
        raise RaisedInSource("TypeError", f"bad operand type for unary {symbol}: {kind_of(value)}")
    if value is None or isinstance(value, _PLAIN):
        raise RaisedInSource("TypeError", f"bad operand type for unary {symbol}: {kind_of(value)}")
    raise Unsupported(f"{symbol} {kind_of(value)}")


def truth(value: Value) -> bool:
    """Whether a value counts as true. Objects without a known truth are refused, arrays need a single element."""
    value = plain(value)
    if value is None or isinstance(value, _PLAIN):
        return bool(value)
    if isinstance(value, Tensor):
        return value.truth()
    if isinstance(value, Stub | Native | Function | BoundMethod | Recorder | Type | Dtype | Symbol | Namespace):
        return True
    raise Unsupported(f"truth of {kind_of(value)}")


def compare(meter: Meter, symbol: str, left: Value, right: Value) -> Value:
    """One comparison of a chain: `==`, `!=`, order, `is`, `is not`, `in`, `not in`."""
    if symbol == "is":
        return is_same(left, right)
    if symbol == "is not":
        return not is_same(left, right)
    if symbol in {"in", "not in"}:
        found = contains(meter, left, right)
        return found if symbol == "in" else not found
    left, right = plain(left), plain(right)
    if isinstance(left, Tensor) or isinstance(right, Tensor):
        return compare_tensor(meter, symbol, left, right)
    if symbol in {"==", "!="}:
        same = equal(meter, left, right)
        return same if symbol == "==" else not same
    function = _ORDER.get(symbol)
    if function is None:
        raise Unsupported(f"comparison {symbol}")
    for value in (left, right):
        if not (value is None or isinstance(value, _PLAIN)):
            raise Unsupported(f"{kind_of(left)} {symbol} {kind_of(right)}")
        weigh(meter, value)
    return guarded(function, left, right)


def is_same(left: Value, right: Value) -> bool:
    """`is`: identity for objects, name for symbols and element types, value for None, bools and `...`.

    Identity of numbers and strings is an accident of the Python implementation; it is answered as equality of type
    and value.
    """
    if isinstance(left, Symbol | Dtype) and isinstance(right, Symbol | Dtype):
        return _key(left) == _key(right)
    if isinstance(left, int | float | str) and type(left) is type(right):
        return left == right
    return left is right


def _key(value: Symbol | Dtype) -> tuple[str, str]:
    return (value.class_name, value.name) if isinstance(value, Symbol) else ("dtype", value.name)


def equal(meter: Meter, left: Value, right: Value) -> bool:
    """`==` of anything but arrays. Objects are equal to themselves alone; what is opaque cannot be compared."""
    left, right = plain(left), plain(right)
    if isinstance(left, Dtype) and isinstance(right, Dtype):
        return left.name == right.name
    for value in (left, right):
        if isinstance(value, Opaque | Lazy) and left is not right and left is not None and right is not None:
            raise Unsupported(f"comparison of {kind_of(value)}")
    if isinstance(left, list | tuple | dict | set | frozenset) and isinstance(
        right, list | tuple | dict | set | frozenset
    ):
        weigh(meter, left)
        weigh(meter, right)
        return _equal_containers(meter, left, right)
    return bool(guarded(operator.eq, left, right))


def _equal_containers(meter: Meter, left: Value, right: Value) -> bool:
    if isinstance(left, list | tuple) and type(left) is type(right):
        assert isinstance(right, list | tuple)
        return len(left) == len(right) and all(
            one is other or equal(meter, one, other) for one, other in zip(left, right, strict=True)
        )
    if isinstance(left, dict) and isinstance(right, dict):
        return len(left) == len(right) and all(
            key in right and (value is right[key] or equal(meter, value, right[key])) for key, value in left.items()
        )
    return bool(left == right)


def contains(meter: Meter, item: Value, container: Value) -> bool:
    """`item in container`"""
    item = plain(item)
    if isinstance(container, str):
        if not isinstance(item, str):
            raise RaisedInSource("TypeError", "'in <string>' requires string as left operand")
        return item in container
    if isinstance(container, set | frozenset) and isinstance(item, set):
        item = frozenset(item)  # the one case in which Python looks a set up by its value
    if isinstance(container, dict | set | frozenset):
        return hashable(meter, item) in container
    if isinstance(container, range) and isinstance(item, int):
        return item in container
    if isinstance(container, EnumClass):
        return isinstance(item, Symbol) and item.class_name == container.name and item.name in container.members
    if isinstance(container, list | tuple | range | Lazy):
        return any(item is other or equal(meter, item, other) for other in iterate(meter, container))
    if container is None or isinstance(container, _NUMBERS):
        raise RaisedInSource("TypeError", f"argument of type '{kind_of(container)}' is not iterable")
    raise Unsupported(f"in {kind_of(container)}")


#: Integers and floats beyond these share their hash with small ones (the hash is a remainder), so that a dict of
#: them can be made to take quadratic time.
_LARGEST_KEY = 2**61 - 2


def hashable(meter: Meter, key: Value) -> Value:
    """`key`, checked to be usable in a set or as a key of a dict."""
    key = plain(key)
    weigh(meter, key)
    _check_key(key)
    guarded(hash, key)
    return key


def _check_key(key: Value) -> None:
    if isinstance(key, tuple | frozenset):
        for part in key:
            _check_key(part)
    elif isinstance(key, int | float) and not -_LARGEST_KEY <= key <= _LARGEST_KEY:
        raise Unsupported("a key beyond 61 bits")
    elif isinstance(key, Tensor):
        raise Unsupported("a tensor as a key")


def iterate(meter: Meter, value: Value) -> Iterator[Value]:
    """The items of a value, each charged as a step. What is not iterable fails at once, not at the first item."""
    if isinstance(value, Tensor):
        return _metered(meter, value.iterate(meter))
    if isinstance(value, EnumClass):
        return _metered(meter, iter(list(value.members.values())))
    if isinstance(value, Lazy):
        return _metered(meter, value.items)
    if isinstance(value, str | list | tuple | dict | set | frozenset | range):
        return _metered(meter, iter(value))
    if value is None or isinstance(value, _NUMBERS):
        raise RaisedInSource("TypeError", f"'{kind_of(value)}' object is not iterable")
    raise Unsupported(f"iteration over {kind_of(value)}")


def _metered(meter: Meter, iterator: Iterator[Value]) -> Iterator[Value]:
    while True:
        try:
            item = next(iterator)
        except StopIteration:
            return
        except RuntimeError as error:  # a dict or set that changes while it is iterated over
            if isinstance(error, RecursionError):
                raise BudgetExceeded("levels of nesting", 0) from None
            raise RaisedInSource("RuntimeError", str(error)) from None
        meter.step()
        yield item


def collect(meter: Meter, value: Value) -> list[Value]:
    """The items of a value as a list within bounds."""
    if isinstance(value, str | list | tuple | dict | set | frozenset | range):
        meter.items(guarded(len, value))
    items: list[Value] = []
    for item in iterate(meter, value):
        items.append(item)
        if len(items) > meter.budget.container:
            raise BudgetExceeded("items of a container", meter.budget.container)
    return items
