"""Attributes and methods of tensors and arrays that interpreted code may use."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from refcheck.claims.evaluator.budget import Meter
from refcheck.claims.evaluator.failures import RaisedInSource, Unsupported
from refcheck.claims.evaluator.interpreter import Interpreter
from refcheck.claims.evaluator.parameters import take
from refcheck.claims.evaluator.tensors import (
    DTYPES,
    Tensor,
    allocate,
    as_int,
    assign,
    binary_tensor,
    cast,
    copied,
    cumulative_sum,
    dimension,
    from_data,
    from_values,
    permute,
    reduce,
    reshape,
    split,
    view_of,
)
from refcheck.claims.evaluator.values import BoundMethod, Dtype, Native, Opaque, Type, Value

_Method = Callable[[Interpreter, Tensor, Sequence[Value], Mapping[str, Value]], Value]
_DEVICE = Opaque("device")
#: Keyword arguments that say where and how something is stored or copied, but not what it is.
PLACEMENT = ("device", "non_blocking", "copy", "pin_memory", "requires_grad", "layout", "memory_format", "generator")


def attribute(meter: Meter, tensor: Tensor, name: str, missing: Value) -> Value:
    """`tensor.name`, or `missing`."""
    if name == "shape":
        return tensor.shape
    if name == "dtype":
        return tensor.dtype
    if name == "ndim":
        return len(tensor.shape)
    if name == "size" and tensor.library == "numpy":
        return tensor.numel
    if name == "itemsize":
        return tensor.dtype.itemsize
    if name == "nbytes":
        return tensor.numel * tensor.dtype.itemsize
    if name == "device":
        return _DEVICE
    if name == "T":
        return permute(tensor, list(range(len(tensor.shape)))[::-1])
    method = METHODS.get(name)
    return missing if method is None else BoundMethod(method, tensor)


def as_dtype(value: Value) -> Dtype | None:
    """An element type given as one, as the Python type, or not at all."""
    if value is None:
        return None
    if isinstance(value, Dtype):
        return value
    if isinstance(value, Type) and value.name in {"int", "float", "bool"}:
        return DTYPES[{"int": "int64", "float": "float64", "bool": "bool"}[value.name]]
    raise Unsupported("an element type given like that")


def as_shape(arguments: Sequence[Value]) -> Sequence[Value]:
    """The extents of `f(2, 3)` or `f((2, 3))`."""
    if len(arguments) == 1 and isinstance(arguments[0], list | tuple):
        return arguments[0]
    return arguments


def _drop_placement(keywords: Mapping[str, Value]) -> dict[str, Value]:
    return {key: value for key, value in keywords.items() if key not in PLACEMENT}


def _to(interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    kept = _drop_placement(keywords)
    dtype = as_dtype(kept.pop("dtype", None))
    if kept:
        raise Unsupported(f"argument {next(iter(kept))} of to")
    for argument in arguments:
        if isinstance(argument, Dtype | Type):
            dtype = as_dtype(argument)
        elif isinstance(argument, Tensor):
            dtype = argument.dtype
        elif not isinstance(argument, str | Opaque | bool):
            raise Unsupported("such an argument of to")
    return tensor if dtype is None else cast(interpreter.meter, tensor, dtype)


def _astype(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    (given,) = take("astype", arguments, _drop_placement(keywords), ("dtype",))
    dtype = as_dtype(given)
    if dtype is None:
        raise Unsupported("astype without an element type")
    return cast(interpreter.meter, tensor, dtype, copy=True)


def _cast_to(name: str) -> _Method:
    def method(
        interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
    ) -> Value:
        take(name, arguments, keywords, ())
        return cast(interpreter.meter, tensor, DTYPES[name])

    return method


def _same(interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    return tensor


def _as_numpy(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    return Tensor(tensor.shape, tensor.dtype, "numpy", tensor.data, tensor.allocation)


def _clone(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    if tensor.data is None:
        return allocate(tensor.shape, tensor.dtype, tensor.library)
    return from_data(interpreter.meter, tensor.data.copy(), tensor.library)


def _fill(interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    (value,) = take("fill", arguments, keywords, ("value",))
    assign(interpreter.meter, tensor, value)
    return tensor if tensor.library == "torch" else None


def _zero(interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    assign(interpreter.meter, tensor, 0)
    return tensor


def _copy_from(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    (value,) = take("copy_", arguments[:1], _drop_placement(keywords), ("src",))
    assign(interpreter.meter, tensor, value)
    return tensor


def _view(interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    if keywords:
        raise Unsupported("keyword arguments of view")
    if len(arguments) == 1 and isinstance(arguments[0], Dtype):
        return _reinterpret(tensor, arguments[0])
    return reshape(interpreter.meter, tensor, as_shape(arguments))


def _reinterpret(tensor: Tensor, dtype: Dtype) -> Tensor:
    """The same bytes as another element type: known by shape alone."""
    if not tensor.shape or (tensor.shape[-1] * tensor.dtype.itemsize) % dtype.itemsize:
        raise RaisedInSource("RuntimeError", "the last dimension does not divide into the new element size")
    last = tensor.shape[-1] * tensor.dtype.itemsize // dtype.itemsize
    return Tensor((*tensor.shape[:-1], last), dtype, tensor.library, None, tensor.allocation)


def _permute(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    return permute(tensor, as_shape(arguments))


def _transpose(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    if tensor.library == "numpy":
        return permute(tensor, as_shape(arguments) or list(range(len(tensor.shape)))[::-1])
    first, second = take("transpose", arguments, keywords, ("dim0", "dim1"))
    order = list(range(len(tensor.shape)))
    one, other = dimension(tensor, first), dimension(tensor, second)
    order[one], order[other] = order[other], order[one]
    return permute(tensor, order)


def _split(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    sizes, axis = take("split", arguments, keywords, ("split_size",), {"dim": 0})
    return split(interpreter.meter, tensor, sizes, axis)


def _chunk(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    given, axis = take("chunk", arguments, keywords, ("chunks",), {"dim": 0})
    chunks = as_int(given, "a number of chunks")
    extent = tensor.shape[dimension(tensor, axis)]
    if chunks <= 0:
        raise RaisedInSource("RuntimeError", "chunk expects a number of chunks greater than 0")
    return split(interpreter.meter, tensor, max(-(-extent // chunks), 1), axis)


def _size(interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    (axis,) = take("size", arguments, keywords, (), {"dim": None})
    return tensor.shape if axis is None else tensor.shape[dimension(tensor, axis)]


def _numel(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    return tensor.numel


def _element_size(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    return tensor.dtype.itemsize


def _dimensions(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    return len(tensor.shape)


def _item(interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
    return tensor.item()


def _to_list(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    interpreter.meter.items(tensor.numel)
    result: Value = tensor.values().tolist()
    return result


def _flatten(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    if tensor.library == "numpy":
        return _clone(interpreter, reshape(interpreter.meter, tensor, [-1]), (), {})
    first, last = take("flatten", arguments, keywords, (), {"start_dim": 0, "end_dim": -1})
    start, end = dimension(tensor, first), dimension(tensor, last)
    shape = [*tensor.shape[:start], math.prod(tensor.shape[start : end + 1]), *tensor.shape[end + 1 :]]
    return reshape(interpreter.meter, tensor, shape)


def _unflatten(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    axis, sizes = take("unflatten", arguments, keywords, ("dim", "sizes"))
    where = dimension(tensor, axis)
    if not isinstance(sizes, list | tuple):
        raise RaisedInSource("TypeError", "unflatten needs a sequence of sizes")
    given = [as_int(size, "a size") for size in sizes]
    if -1 in given:
        known = math.prod(size for size in given if size != -1)
        given[given.index(-1)] = tensor.shape[where] // known if known else 0
    return reshape(interpreter.meter, tensor, [*tensor.shape[:where], *given, *tensor.shape[where + 1 :]])


def _unsqueeze(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    (given,) = take("unsqueeze", arguments, keywords, ("dim",))
    count = len(tensor.shape) + 1
    axis = as_int(given, "a dimension") % count
    return reshape(interpreter.meter, tensor, [*tensor.shape[:axis], 1, *tensor.shape[axis:]])


def _squeeze(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    (given,) = take("squeeze", arguments, keywords, (), {"dim": None})
    if given is None:
        return reshape(interpreter.meter, tensor, [extent for extent in tensor.shape if extent != 1])
    axis = dimension(tensor, given)
    if tensor.shape[axis] != 1:
        return tensor
    return reshape(interpreter.meter, tensor, [*tensor.shape[:axis], *tensor.shape[axis + 1 :]])


def _narrow(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    axis, given_start, given_length = take("narrow", arguments, keywords, ("dim", "start", "length"))
    where = dimension(tensor, axis)
    start, length = as_int(given_start, "a start"), as_int(given_length, "a length")
    if start < 0 or length < 0 or start + length > tensor.shape[where]:
        raise RaisedInSource("RuntimeError", "narrow goes beyond the dimension")
    shape = (*tensor.shape[:where], length, *tensor.shape[where + 1 :])
    data = tensor.data
    return view_of(
        tensor, shape, None if data is None else data[(slice(None),) * where + (slice(start, start + length),)]
    )


def _reduction(name: str) -> _Method:
    def method(
        interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
    ) -> Value:
        (axis,) = take(name, arguments, keywords, (), {"axis" if tensor.library == "numpy" else "dim": None})
        if axis is not None and tensor.library == "torch" and name in {"max", "min"}:
            raise Unsupported(f"{name} along a dimension")
        return reduce(interpreter.meter, tensor, name, axis)

    return method


def _cumsum(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    axis, dtype = take(
        "cumsum",
        arguments,
        keywords,
        (),
        {"axis": None, "dtype": None} if tensor.library == "numpy" else {"dim": 0, "dtype": None},
    )
    return cumulative_sum(interpreter.meter, tensor, axis, as_dtype(dtype), tensor.library)


def clamp(meter: Meter, tensor: Tensor, least: Value, most: Value) -> Tensor:
    """The tensor with its values held between two bounds, either of which may be None."""
    result: Value = tensor
    for symbol, bound in (("maximum", least), ("minimum", most)):
        if bound is not None:
            result = binary_tensor(meter, symbol, result, bound)
    if not isinstance(result, Tensor):
        raise Unsupported("clamp of a plain number")
    return copied(result) if result is tensor else result


def _clamp(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    least, most = take("clamp", arguments, keywords, (), {"min": None, "max": None})
    return clamp(interpreter.meter, tensor, least, most)


def _clamp_in_place(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    assign(interpreter.meter, tensor, _clamp(interpreter, tensor, arguments, keywords))
    return tensor


def _in_place(symbol: str) -> _Method:
    def method(
        interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
    ) -> Value:
        (other,) = take(f"{symbol} in place", arguments, keywords, ("other",))
        assign(interpreter.meter, tensor, binary_tensor(interpreter.meter, symbol, tensor, other))
        return tensor

    return method


def repeat(meter: Meter, tensor: Tensor, counts: Value, library: str) -> Tensor:
    """Each element as often as `counts` says (one number, or one per element), in one dimension."""
    data = tensor.values().reshape(-1)
    if isinstance(counts, list | tuple):
        counts = from_values(meter, counts, DTYPES["int64"], "numpy")
    if isinstance(counts, Tensor):
        numbers = counts.values().reshape(-1)
        if counts.dtype.kind not in "iub":
            raise RaisedInSource("TypeError", "repeat counts must be integers")
    else:
        numbers = np.asarray([as_int(counts, "a repeat count")])
    if numbers.size not in {1, data.size}:
        raise RaisedInSource("ValueError", f"{numbers.size} repeat counts for {data.size} elements")
    if (numbers < 0).any():
        raise RaisedInSource("ValueError", "repeat counts may not be negative")
    total = sum(int(number) for number in numbers.tolist()) if numbers.size <= meter.budget.container else 0
    meter.items(numbers.size)
    meter.array(total if numbers.size == data.size else total * data.size)
    return from_data(meter, np.repeat(data, numbers), library)


def _repeat(
    interpreter: Interpreter, tensor: Tensor, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> Value:
    (counts,) = take("repeat", arguments, keywords, ("repeats",))
    return repeat(interpreter.meter, tensor, counts, tensor.library)


def _native(name: str, method: _Method) -> Native:
    def function(interpreter: Interpreter, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
        tensor = arguments[0]
        assert isinstance(tensor, Tensor)
        interpreter.meter.step()
        return method(interpreter, tensor, arguments[1:], keywords)

    return Native(f"tensor.{name}", function)


#: The methods of tensors, by name.
METHODS: Mapping[str, Native] = {
    name: _native(name, method)
    for name, method in {
        "to": _to,
        "astype": _astype,
        "type": _to,
        "long": _cast_to("int64"),
        "int": _cast_to("int32"),
        "float": _cast_to("float32"),
        "bool": _cast_to("bool"),
        "cpu": _same,
        "cuda": _same,
        "contiguous": _same,
        "detach": _same,
        "numpy": _as_numpy,
        "clone": _clone,
        "copy": _clone,
        "fill_": _fill,
        "fill": _fill,
        "zero_": _zero,
        "copy_": _copy_from,
        "view": _view,
        "reshape": _view,
        "permute": _permute,
        "transpose": _transpose,
        "split": _split,
        "chunk": _chunk,
        "size": _size,
        "numel": _numel,
        "element_size": _element_size,
        "dim": _dimensions,
        "item": _item,
        "tolist": _to_list,
        "flatten": _flatten,
        "unflatten": _unflatten,
        "unsqueeze": _unsqueeze,
        "squeeze": _squeeze,
        "narrow": _narrow,
        "sum": _reduction("sum"),
        "max": _reduction("max"),
        "min": _reduction("min"),
        "any": _reduction("any"),
        "all": _reduction("all"),
        "prod": _reduction("prod"),
        "cumsum": _cumsum,
        "clamp": _clamp,
        "clamp_": _clamp_in_place,
        "add_": _in_place("+"),
        "sub_": _in_place("-"),
        "mul_": _in_place("*"),
        "repeat_interleave": _repeat,
    }.items()
}

#: `torch.Tensor` and `numpy.ndarray` are told apart by `library`.
TENSOR_TYPES: Mapping[str, str] = {"torch.Tensor": "torch", "np.ndarray": "numpy"}
