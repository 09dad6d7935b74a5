"""Arrays and tensors: shape and element type always, values where there are few enough of them and numpy has the type.

One class stands for numpy arrays and torch tensors (`library` tells which): what is known of a tensor that carries
no values (`data` is None) is its shape, element type and the allocation that it is a view of. An operation computes
values if all of its operands carry them, else the result's shape.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from refcheck.claims.evaluator.budget import Meter
from refcheck.claims.evaluator.failures import RaisedInSource, Unsupported
from refcheck.claims.evaluator.values import Dtype, Value

if TYPE_CHECKING:
    from numpy.typing import NDArray

_counter = itertools.count(1)

#: Element types by their torch name: size in bytes and kind.
DTYPES: Mapping[str, Dtype] = {
    name: Dtype(name, size, kind)
    for name, size, kind in (
        ("bool", 1, "b"),
        ("uint8", 1, "u"),
        ("uint16", 2, "u"),
        ("uint32", 4, "u"),
        ("uint64", 8, "u"),
        ("int8", 1, "i"),
        ("int16", 2, "i"),
        ("int32", 4, "i"),
        ("int64", 8, "i"),
        ("float16", 2, "f"),
        ("bfloat16", 2, "f"),
        ("float32", 4, "f"),
        ("float64", 8, "f"),
        ("float8_e4m3fn", 1, "f"),
        ("float8_e4m3fnuz", 1, "f"),
        ("float8_e5m2", 1, "f"),
        ("float8_e5m2fnuz", 1, "f"),
    )
}
_NUMPY: Mapping[str, Any] = {
    name: np.dtype("bool" if name == "bool" else name) for name in DTYPES if not name.startswith(("bfloat", "float8"))
}
_MAX_DIMENSIONS = 16
_MAX_EXTENT = 2**48


@dataclass(frozen=True, slots=True, eq=False)
class Allocation:
    """One reservation of memory: views share it. Its size is that of the tensor that was allocated."""

    number: int
    shape: tuple[int, ...]
    dtype: Dtype

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return math.prod(self.shape) * self.dtype.itemsize


@dataclass(frozen=True, slots=True, eq=False)
class Tensor:
    """An array (`library` "numpy") or tensor ("torch") of `shape`; `data`, if not None, holds its values.

    `data` has the numpy counterpart of `dtype` and is never handed to interpreted code.
    """

    shape: tuple[int, ...]
    dtype: Dtype
    library: str
    data: NDArray[Any] | None = None
    allocation: Allocation = field(default_factory=lambda: Allocation(0, (), DTYPES["int64"]))

    @property
    def numel(self) -> int:
        """Number of elements."""
        return math.prod(self.shape)

    def values(self) -> NDArray[Any]:
        """The values; `Unsupported` if only the shape is known."""
        if self.data is None:
            raise Unsupported(f"the values of a tensor of which only the shape {self.shape} is known")
        return self.data

    def item(self) -> bool | int | float:
        """The only element as a plain number."""
        if self.numel != 1:
            raise RaisedInSource("ValueError", f"a tensor with {self.numel} elements is not a single number")
        return plain_number(self.values().reshape(-1)[0])

    def truth(self) -> bool:
        """Whether the only element counts as true."""
        return bool(self.item())

    def iterate(self, meter: Meter) -> Iterator[Value]:
        """Items along the first dimension."""
        if not self.shape:
            raise RaisedInSource("TypeError", "iteration over a 0-d array")
        for index in range(self.shape[0]):
            yield get_item(meter, self, index)


def plain_number(value: Any) -> bool | int | float:
    """A numpy scalar as the plain number of its kind."""
    number = value.item()
    if isinstance(number, bool | int | float):
        return number
    raise Unsupported("an element that is not a number")


def check_shape(shape: Sequence[Value]) -> tuple[int, ...]:
    """A shape given by interpreted code, checked: non-negative plain integers, not absurdly many or large."""
    extents = tuple(as_int(extent, "an extent of a shape") for extent in shape)
    if len(extents) > _MAX_DIMENSIONS:
        raise Unsupported(f"a shape of {len(extents)} dimensions")
    if any(extent < 0 for extent in extents):
        raise RaisedInSource("ValueError", "negative dimensions are not allowed")
    if any(extent > _MAX_EXTENT for extent in extents) or math.prod(extents) > 2**60:
        raise Unsupported("a shape of absurd size")
    return extents


def as_int(value: Value, what: str) -> int:
    """A plain integer, also from an integer tensor of one element; `RaisedInSource` TypeError for anything else."""
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Tensor) and value.numel == 1 and value.dtype.kind in "iub":
        return int(value.item())
    raise RaisedInSource("TypeError", f"{what} must be an integer")


def numpy_dtype(dtype: Dtype) -> Any:
    """numpy's counterpart of an element type; None for those that numpy does not have."""
    return _NUMPY.get(dtype.name)


def known_dtype(data: NDArray[Any]) -> Dtype:
    """The element type of numpy data; `Unsupported` for any beyond bools, integers and floats."""
    dtype = DTYPES.get(data.dtype.name)
    if dtype is None:
        raise Unsupported(f"arrays of {data.dtype.name}")
    return dtype


def allocate(shape: Sequence[Value], dtype: Dtype, library: str) -> Tensor:
    """A new tensor of which only shape and type are known."""
    extents = check_shape(shape)
    return Tensor(extents, dtype, library, None, Allocation(next(_counter), extents, dtype))


def from_data(meter: Meter, data: NDArray[Any], library: str, owner: Tensor | None = None) -> Tensor:
    """A tensor around numpy data, charged; with `owner`, a view of the same allocation (charged as one step)."""
    dtype = known_dtype(data)
    if owner is not None:
        meter.step()
        return Tensor(data.shape, dtype, library, data, owner.allocation)
    meter.array(data.size)
    return Tensor(data.shape, dtype, library, data, Allocation(next(_counter), data.shape, dtype))


def filled(meter: Meter, shape: Sequence[Value], value: bool | int | float, dtype: Dtype, library: str) -> Tensor:
    """A new tensor full of `value`.

    A torch tensor beyond the budget of one array, or of a type that numpy lacks, is known by its shape alone; a numpy
    array of that size is refused.
    """
    extents = check_shape(shape)
    kind = numpy_dtype(dtype)
    count = math.prod(extents)
    if library == "torch" and (kind is None or count > meter.budget.array_elements):
        return allocate(extents, dtype, library)
    if kind is None:
        raise Unsupported(f"numpy arrays of {dtype.name}")
    meter.array(count)
    data = _guard(lambda: np.full(extents, value, dtype=kind))
    return Tensor(extents, dtype, library, data, Allocation(next(_counter), extents, dtype))


def from_values(meter: Meter, values: Value, dtype: Dtype | None, library: str) -> Tensor:
    """A new tensor with the values of a number, a (nested) list or tuple of numbers, or a tensor."""
    if isinstance(values, Tensor):
        return cast(meter, values, dtype or values.dtype, copy=True, library=library)
    flat: list[bool | int | float] = []
    shape = _flatten(meter, values, flat)
    if dtype is None:
        dtype = _default_dtype(flat, library)
    kind = numpy_dtype(dtype)
    if kind is None:
        return allocate(shape, dtype, library)
    return from_data(meter, _guard(lambda: np.array(flat, dtype=kind).reshape(shape)), library)


def _default_dtype(flat: Sequence[bool | int | float], library: str) -> Dtype:
    if any(isinstance(value, float) for value in flat) or not flat:
        return DTYPES["float32" if library == "torch" else "float64"]
    return DTYPES["bool"] if all(isinstance(value, bool) for value in flat) else DTYPES["int64"]


def _flatten(meter: Meter, values: Value, flat: list[bool | int | float], depth: int = 0) -> tuple[int, ...]:
    meter.step()
    if isinstance(values, bool | int | float):
        flat.append(values)
        return ()
    if isinstance(values, Tensor) and not values.shape:
        flat.append(values.item())
        return ()
    if not isinstance(values, list | tuple | range):
        raise Unsupported(f"an array of {type(values).__name__}")
    if depth >= _MAX_DIMENSIONS:
        raise Unsupported("an array of so many dimensions")
    meter.items(len(values))
    shapes = {_flatten(meter, value, flat, depth + 1) for value in values}
    if len(shapes) > 1:
        raise RaisedInSource("ValueError", "the array has an inhomogeneous shape")
    return (len(values), *(shapes.pop() if shapes else ()))


def _guard(function: Callable[[], Any]) -> Any:
    """Runs numpy code; what it raises is what the line of the source would raise."""
    try:
        with np.errstate(all="ignore"):
            return function()
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        name = next(
            cls.__name__ for cls in type(error).__mro__ if cls.__module__ == "builtins"
        )  # numpy's own subclasses are of no interest
        raise RaisedInSource(name, str(error)[:200]) from None


def cast(meter: Meter, tensor: Tensor, dtype: Dtype, *, copy: bool = False, library: str | None = None) -> Tensor:
    """The tensor with another element type (and library); itself if nothing changes, unless a copy is asked for."""
    library = library or tensor.library
    if dtype.name == tensor.dtype.name and library == tensor.library and not copy:
        return tensor
    kind = numpy_dtype(dtype)
    if tensor.data is None or kind is None:
        return allocate(tensor.shape, dtype, library)
    data = tensor.data
    return from_data(meter, _guard(lambda: data.astype(kind)), library)


# --- operators ------------------------------------------------------------------------------------------------------

_UFUNCS: Mapping[str, Any] = {
    "+": np.add,
    "-": np.subtract,
    "*": np.multiply,
    "/": np.true_divide,
    "//": np.floor_divide,
    "%": np.remainder,
    "**": np.power,
    "<<": np.left_shift,
    ">>": np.right_shift,
    "&": np.bitwise_and,
    "|": np.bitwise_or,
    "^": np.bitwise_xor,
    "==": np.equal,
    "!=": np.not_equal,
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "maximum": np.maximum,
    "minimum": np.minimum,
}
_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})


def ufunc(symbol: str) -> Any:
    """numpy's function for an operator; `Unsupported` if there is none."""
    function = _UFUNCS.get(symbol)
    if function is None:
        raise Unsupported(f"operator {symbol} on tensors")
    return function


def broadcast(*shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that operands of these shapes are stretched to."""
    result: tuple[int, ...] = _guard(lambda: np.broadcast_shapes(*shapes))
    return result


def promote(symbol: str, left: Tensor | float, right: Tensor | float, library: str) -> Dtype:
    """The element type of a result, by torch's rules; plain numbers only raise the kind, never the size."""
    if symbol in _COMPARISONS:
        return DTYPES["bool"]
    tensors = [operand for operand in (left, right) if isinstance(operand, Tensor)]
    numbers = [operand for operand in (left, right) if not isinstance(operand, Tensor)]
    dtype = tensors[0].dtype
    for other in tensors[1:]:
        # A tensor without dimensions counts like a plain number.
        dtype = _wider(dtype, other.dtype)
    default = "float32" if library == "torch" else "float64"
    if dtype.kind in "iub" and (symbol == "/" or any(isinstance(number, float) for number in numbers)):
        return DTYPES[default]
    if dtype.kind == "b" and (symbol in {"+", "-", "*", "//", "%", "**"} or _raises_bool(numbers)):
        if not numbers or _raises_bool(numbers):
            return DTYPES["bool"] if not numbers and symbol in {"+", "*"} else DTYPES["int64"]
        return DTYPES["int64"]
    return dtype


def _raises_bool(numbers: Sequence[float]) -> bool:
    return any(not isinstance(number, bool) for number in numbers)


_KIND_ORDER = "buif"


def _wider(one: Dtype, other: Dtype) -> Dtype:
    if one.name == other.name:
        return one
    kinds = {one.kind, other.kind}
    if len(kinds) == 2 and kinds != {"i", "u"}:
        return one if _KIND_ORDER.index(one.kind) > _KIND_ORDER.index(other.kind) else other
    if kinds == {"i", "u"}:
        signed, unsigned = (one, other) if one.kind == "i" else (other, one)
        if signed.itemsize > unsigned.itemsize:
            return signed
        raise Unsupported(f"{one.name} with {other.name}")
    if one.itemsize == other.itemsize:
        if {one.name, other.name} == {"float16", "bfloat16"}:
            return DTYPES["float32"]
        raise Unsupported(f"{one.name} with {other.name}")
    return one if one.itemsize > other.itemsize else other


def _operand(value: Value, symbol: str) -> Tensor | float:
    if isinstance(value, Tensor | bool | int | float):
        return value
    raise Unsupported(f"a tensor {symbol} {type(value).__name__}")


def binary_tensor(meter: Meter, symbol: str, left: Value, right: Value) -> Value:
    """An element-wise operation, at least one operand being a tensor; shapes broadcast."""
    one, other = _operand(left, symbol), _operand(right, symbol)
    function = ufunc(symbol)
    operands = [operand for operand in (one, other) if isinstance(operand, Tensor)]
    library = "torch" if any(operand.library == "torch" for operand in operands) else "numpy"
    shape = broadcast(*(operand.shape for operand in operands))
    if any(operand.data is None for operand in operands):
        return allocate(shape, promote(symbol, one, other, library), library)
    meter.array(math.prod(shape))
    if symbol in {"**", "<<"}:
        _check_exponent(one, other)
    arguments = [operand.values() if isinstance(operand, Tensor) else operand for operand in (one, other)]
    if library == "torch":
        # torch keeps the element type where numpy would widen it (int64 with float32 gives float32).
        dtype = promote(symbol, one, other, library)
        kind = numpy_dtype(dtype)
        common = kind if symbol not in _COMPARISONS else None
        if common is not None:
            arguments = [
                argument.astype(common) if isinstance(argument, np.ndarray) else argument for argument in arguments
            ]
        result = np.asarray(_guard(lambda: function(*arguments)))
        if common is not None and result.dtype != common:
            result = result.astype(common)
    else:
        result = np.asarray(_guard(lambda: function(*arguments)))
    return _numpy_result(from_data(meter, result, library))


def _check_exponent(*operands: Tensor | float) -> None:
    if any(isinstance(operand, int) and abs(operand) > 2**31 for operand in operands):
        raise Unsupported("such an exponent on tensors")


def _numpy_result(tensor: Tensor) -> Value:
    """numpy hands out plain numbers where torch hands out tensors without dimensions."""
    if tensor.library == "numpy" and not tensor.shape and tensor.data is not None:
        return tensor.item()
    return tensor


def compare_tensor(meter: Meter, symbol: str, left: Value, right: Value) -> Value:
    """An element-wise comparison; with None or text, `==` is False and `!=` True as a whole."""
    if symbol in {"==", "!="} and not (
        isinstance(left, Tensor | bool | int | float) and isinstance(right, Tensor | bool | int | float)
    ):
        if left is None or right is None or isinstance(left, str) or isinstance(right, str):
            return symbol == "!="
        raise Unsupported("comparison of a tensor with something that is neither tensor nor number")
    return binary_tensor(meter, symbol, left, right)


def unary_tensor(meter: Meter, symbol: str, tensor: Tensor) -> Value:
    """`-`, `+` or `~`, element-wise."""
    function = {"-": np.negative, "+": np.positive, "~": np.invert}[symbol]
    if tensor.data is None:
        return allocate(tensor.shape, tensor.dtype, tensor.library)
    meter.array(tensor.numel)
    data = tensor.data
    return from_data(meter, np.asarray(_guard(lambda: function(data))), tensor.library)


def in_place(meter: Meter, symbol: str, target: Tensor, value: Value) -> None:
    """`target symbol= value`: writes into the memory that views share. The shape must not grow."""
    result = binary_tensor(meter, symbol, target, value)
    assign(meter, target, result)


def assign(meter: Meter, target: Tensor, value: Value) -> None:
    """Writes a number, list or tensor over all elements of `target`, stretched to its shape."""
    if isinstance(value, list | tuple):
        value = from_values(meter, value, None, target.library)
    if not isinstance(value, Tensor | bool | int | float):
        raise Unsupported(f"a tensor filled with {type(value).__name__}")
    if isinstance(value, Tensor):
        stretched = broadcast(target.shape, value.shape)
        if stretched != target.shape:
            raise RaisedInSource("ValueError", f"could not broadcast shape {value.shape} into shape {target.shape}")
    if target.data is None:
        return
    data = target.data
    source = value.values() if isinstance(value, Tensor) else value
    meter.step(1 + target.numel // 1024)

    def write() -> None:
        data[...] = source

    _guard(write)


# --- indexing -------------------------------------------------------------------------------------------------------


def get_item(meter: Meter, tensor: Tensor, index: Value) -> Value:
    """`tensor[index]` for integers, slices, None, `...`, integer or bool arrays and tuples of them."""
    parts = index if isinstance(index, tuple) else (index,)
    if tensor.data is None or any(isinstance(part, Tensor) and part.data is None for part in parts):
        return _shape_item(tensor, parts)
    key, advanced = _index(meter, tensor, parts)
    data = tensor.data
    if advanced:
        meter.array(_advanced_size(tensor, parts))
    result = _guard(lambda: data[key])
    view = from_data(meter, np.asarray(result), tensor.library, None if advanced else tensor)
    return _numpy_result(view)


def set_item(meter: Meter, tensor: Tensor, index: Value, value: Value) -> None:
    """`tensor[index] = value`, written through to every view of the same memory."""
    parts = index if isinstance(index, tuple) else (index,)
    if tensor.data is None:
        target = _shape_item(tensor, parts)
        assert isinstance(target, Tensor)
        assign(meter, target, value)
        return
    if isinstance(value, list | tuple):
        value = from_values(meter, value, None, tensor.library)
    if not isinstance(value, Tensor | bool | int | float):
        raise Unsupported(f"a tensor item of {type(value).__name__}")
    key, advanced = _index(meter, tensor, parts)
    if advanced:
        meter.array(_advanced_size(tensor, parts))
    data = tensor.data
    source = value.values() if isinstance(value, Tensor) else value
    meter.step(1 + tensor.numel // 1024)

    def write() -> None:
        data[key] = source

    _guard(write)


def _index(meter: Meter, tensor: Tensor, parts: Sequence[Value]) -> tuple[Any, bool]:
    """A numpy index, and whether it copies (arrays and lists among its parts)."""
    if len(parts) > _MAX_DIMENSIONS:
        raise Unsupported("an index of so many parts")
    key: list[Any] = []
    advanced = False
    for part in parts:
        if isinstance(part, Tensor) and (part.shape or part.dtype.kind == "b"):
            if part.dtype.kind not in "iub":
                raise RaisedInSource("IndexError", "arrays used as indices must be of integer or bool type")
            key.append(part.values())
            advanced = True
        elif isinstance(part, list):
            key.append(from_values(meter, part, None if part else DTYPES["int64"], "numpy").values())
            advanced = True
        elif part is None or part is ...:
            key.append(part)
        elif isinstance(part, slice):
            key.append(plain_slice(part))
        else:
            key.append(as_int(part, "an index"))
    return tuple(key), advanced


def _advanced_size(tensor: Tensor, parts: Sequence[Value]) -> int:
    """An upper bound of the elements that an index with arrays selects."""
    rest = list(tensor.shape)
    size = 1
    for position, part in enumerate(parts):
        if isinstance(part, Tensor) and part.shape:
            size = max(size, part.numel)
            for extra in range(len(part.shape) if part.dtype.kind == "b" else 1):
                if position + extra < len(rest):
                    rest[position + extra] = 1
        elif isinstance(part, list):
            size = max(size, len(part))
            if position < len(rest):
                rest[position] = 1
    return size * math.prod(max(extent, 1) for extent in rest)


def plain_slice(part: slice) -> slice:
    """A slice with its bounds as plain integers."""
    bounds = [None if bound is None else as_int(bound, "a slice index") for bound in (part.start, part.stop, part.step)]
    if bounds[2] == 0:
        raise RaisedInSource("ValueError", "slice step cannot be zero")
    return slice(*bounds)


def _shape_item(tensor: Tensor, parts: Sequence[Value]) -> Value:
    """The shape that an index leaves; integers, slices, None, `...` and at most one integer array."""
    given = sum(1 for part in parts if part is not None and part is not ...)
    if given > len(tensor.shape):
        raise RaisedInSource("IndexError", f"too many indices for a tensor of {len(tensor.shape)} dimensions")
    rest = list(tensor.shape)
    shape: list[int] = []
    copies = False
    for part in parts:
        if part is None:
            shape.append(1)
        elif part is ...:
            skipped = len(rest) - sum(1 for p in parts[list(parts).index(...) + 1 :] if p is not None)
            shape.extend(rest[:skipped])
            del rest[:skipped]
        elif isinstance(part, slice):
            shape.append(len(range(*plain_slice(part).indices(rest.pop(0)))))
        elif isinstance(part, Tensor) and part.shape:
            if copies or part.dtype.kind not in "iu":
                raise Unsupported("such an index of a tensor without values")
            rest.pop(0)
            shape.extend(part.shape)
            copies = True
        else:
            extent = rest.pop(0)
            number = as_int(part, "an index")
            if not -extent <= number < extent:
                raise RaisedInSource("IndexError", f"index {number} is out of bounds for a dimension of {extent}")
    shape.extend(rest)
    if copies:
        return allocate(shape, tensor.dtype, tensor.library)
    return view_of(tensor, tuple(shape))


def view_of(tensor: Tensor, shape: tuple[int, ...], data: NDArray[Any] | None = None) -> Tensor:
    """A view with another shape of the same memory."""
    return Tensor(shape, tensor.dtype, tensor.library, data, tensor.allocation)


def reshape(meter: Meter, tensor: Tensor, shape: Sequence[Value]) -> Tensor:
    """The tensor in another shape of as many elements; one extent may be -1."""
    extents = [as_int(extent, "an extent of a shape") for extent in shape]
    if extents.count(-1) > 1 or any(extent < -1 for extent in extents):
        raise RaisedInSource("ValueError", "only one extent can be inferred")
    if -1 in extents:
        known = math.prod(extent for extent in extents if extent != -1)
        if known == 0 or tensor.numel % known:
            raise RaisedInSource("ValueError", f"cannot reshape {tensor.shape} into {tuple(extents)}")
        extents[extents.index(-1)] = tensor.numel // known
    target = check_shape(extents)
    if math.prod(target) != tensor.numel:
        raise RaisedInSource("ValueError", f"cannot reshape {tensor.shape} into {target}")
    if tensor.data is None:
        return view_of(tensor, target)
    meter.step(1 + tensor.numel // 1024)
    return view_of(tensor, target, tensor.data.reshape(target))


def dimension(tensor: Tensor, value: Value) -> int:
    """A dimension number, negative ones counted from the end."""
    number = as_int(value, "a dimension")
    count = max(len(tensor.shape), 1)
    if not -count <= number < count:
        raise RaisedInSource("IndexError", f"dimension {number} out of range")
    return number % count


def permute(tensor: Tensor, order: Sequence[Value]) -> Tensor:
    """The tensor with its dimensions in another order."""
    axes = [dimension(tensor, axis) for axis in order]
    if sorted(axes) != list(range(len(tensor.shape))):
        raise RaisedInSource("ValueError", "axes don't match tensor")
    shape = tuple(tensor.shape[axis] for axis in axes)
    return view_of(tensor, shape, None if tensor.data is None else tensor.data.transpose(axes))


def split(meter: Meter, tensor: Tensor, sizes: Value, axis: Value) -> tuple[Tensor, ...]:
    """torch's `split`: pieces of one size or of the listed sizes, which must add up."""
    where = dimension(tensor, axis)
    extent = tensor.shape[where] if tensor.shape else 0
    if isinstance(sizes, list | tuple):
        pieces = [as_int(size, "a size") for size in sizes]
        if sum(pieces) != extent or any(piece < 0 for piece in pieces):
            raise RaisedInSource("RuntimeError", f"split sizes {pieces} do not add up to {extent}")
    else:
        size = as_int(sizes, "a size")
        if size <= 0:
            raise RaisedInSource("RuntimeError", "split size must be positive")
        meter.items(extent // size + 1)
        pieces = [min(size, extent - start) for start in range(0, extent, size)]
    meter.items(len(pieces))
    parts: list[Tensor] = []
    start = 0
    for piece in pieces:
        shape = (*tensor.shape[:where], piece, *tensor.shape[where + 1 :])
        data = None
        if tensor.data is not None:
            data = tensor.data[(slice(None),) * where + (slice(start, start + piece),)]
        parts.append(view_of(tensor, shape, data))
        start += piece
    return tuple(parts)


def reduce(meter: Meter, tensor: Tensor, name: str, axis: Value = None) -> Value:
    """`sum`, `max`, `min`, `any`, `all`, `prod` over everything or one dimension (numpy), values needed."""
    data = tensor.values()
    where = None if axis is None else dimension(tensor, axis)
    function: Any = {"sum": np.sum, "max": np.max, "min": np.min, "any": np.any, "all": np.all, "prod": np.prod}[name]
    meter.step(1 + tensor.numel // 1024)
    return _numpy_result(from_data(meter, np.asarray(_guard(lambda: function(data, axis=where))), tensor.library))


def cumulative_sum(meter: Meter, tensor: Tensor, axis: Value, dtype: Dtype | None, library: str) -> Tensor:
    """Running sums along one dimension (flattened if `axis` is None, as numpy does)."""
    data = tensor.values()
    kind = None if dtype is None else numpy_dtype(dtype)
    where = None if axis is None else dimension(tensor, axis)
    if library == "torch" and kind is None:
        kind = np.dtype("int64") if tensor.dtype.kind in "iub" else None
    return from_data(meter, _guard(lambda: np.cumsum(data, axis=where, dtype=kind)), library)


@dataclass(frozen=True, slots=True, eq=False)
class Pointer:
    """A kernel's pointer: an array in memory order and the element (or block of elements) that it points to."""

    memory: NDArray[Any]
    dtype: Dtype
    offset: int | Tensor = 0


def pointer_to(tensor: Tensor) -> Pointer:
    """A pointer to the first element of a contiguous tensor that carries values."""
    data = tensor.values()
    if not data.flags.c_contiguous:
        raise Unsupported("a pointer to a tensor that is not contiguous")
    return Pointer(data.reshape(-1), tensor.dtype)


def move_pointer(meter: Meter, symbol: str, left: Value, right: Value) -> Value:
    """`pointer + n`, `n + pointer` or `pointer - n`, for a number or a block of numbers."""
    pointer, distance = (left, right) if isinstance(left, Pointer) else (right, left)
    if not isinstance(pointer, Pointer) or symbol not in {"+", "-"} or (symbol == "-" and pointer is right):
        raise Unsupported(f"operator {symbol} on pointers")
    if not isinstance(distance, int | Tensor):
        raise Unsupported("a pointer moved by something that is neither integer nor tensor")
    if isinstance(pointer.offset, int) and isinstance(distance, int):
        moved: int | Tensor = pointer.offset + (distance if symbol == "+" else -distance)
    else:
        result = binary_tensor(meter, symbol, pointer.offset, distance)
        assert isinstance(result, Tensor)
        moved = result
    return Pointer(pointer.memory, pointer.dtype, moved)


def load(meter: Meter, pointer: Pointer, mask: Value, other: Value) -> Value:
    """What a pointer points to; where `mask` is false, `other` (0 if None) and no memory is touched."""
    if isinstance(pointer.offset, int):
        if mask is not None and not _mask_bit(mask):
            return other if isinstance(other, bool | int | float) else 0
        _check_bounds(pointer.memory, np.asarray([pointer.offset]))
        return plain_number(pointer.memory[pointer.offset])
    offsets, chosen = _block(meter, pointer.offset, mask)
    _check_bounds(pointer.memory, offsets[chosen])
    result = np.full(offsets.shape, other if isinstance(other, bool | int | float) else 0, pointer.memory.dtype)
    result[chosen] = pointer.memory[offsets[chosen]]
    return from_data(meter, result, "torch")


def store(meter: Meter, pointer: Pointer, value: Value, mask: Value) -> None:
    """Writes a number or block to where a pointer points, except where `mask` is false."""
    if not isinstance(value, Tensor | bool | int | float):
        raise Unsupported("a store of something that is neither number nor tensor")
    if isinstance(pointer.offset, int):
        if mask is not None and not _mask_bit(mask):
            return
        _check_bounds(pointer.memory, np.asarray([pointer.offset]))
        number = value.item() if isinstance(value, Tensor) else value
        memory, offset = pointer.memory, pointer.offset
        _guard(lambda: memory.__setitem__(offset, number))
        return
    offsets, chosen = _block(meter, pointer.offset, mask)
    _check_bounds(pointer.memory, offsets[chosen])
    block = _guard(lambda: np.broadcast_to(value.values() if isinstance(value, Tensor) else value, offsets.shape))
    memory = pointer.memory
    _guard(lambda: memory.__setitem__(offsets[chosen], block[chosen]))


def _mask_bit(mask: Value) -> bool:
    if isinstance(mask, Tensor):
        return mask.truth()
    if isinstance(mask, bool | int):
        return bool(mask)
    raise Unsupported("such a mask")


def _block(meter: Meter, offset: Tensor, mask: Value) -> tuple[NDArray[Any], NDArray[Any]]:
    offsets = offset.values()
    meter.array(offset.numel)
    if mask is None:
        return offsets, np.ones(offsets.shape, dtype=bool)
    if isinstance(mask, Tensor):
        bits = mask.values()
        return offsets, _guard(lambda: np.broadcast_to(bits, offsets.shape)).astype(bool)
    return offsets, np.full(offsets.shape, _mask_bit(mask))


def _check_bounds(memory: NDArray[Any], offsets: NDArray[Any]) -> None:
    """A kernel's access outside of its array has no meaning: it is an error here, not a wrap-around."""
    if offsets.size and (int(offsets.min()) < 0 or int(offsets.max()) >= memory.size):
        raise RaisedInSource("IndexError", f"a pointer outside of its array of {memory.size} elements")


def copied(tensor: Tensor) -> Tensor:
    """The tensor as it is now, safe from later writes; not charged (records of calls are bounded by their number)."""
    if tensor.data is None:
        return tensor
    return Tensor(tensor.shape, tensor.dtype, tensor.library, tensor.data.copy(), tensor.allocation)
