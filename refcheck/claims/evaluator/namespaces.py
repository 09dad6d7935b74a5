"""`np`, `torch`, `math` and `triton`, as far as interpreted code may use them: every member is listed here."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache

import numpy as np

from refcheck.claims.evaluator import kernels
from refcheck.claims.evaluator.builtin_functions import BUILTINS
from refcheck.claims.evaluator.elementwise import as_tensor, where
from refcheck.claims.evaluator.failures import RaisedInSource, Unsupported
from refcheck.claims.evaluator.interpreter import Interpreter
from refcheck.claims.evaluator.operators import collect, guarded, number, plain
from refcheck.claims.evaluator.parameters import take
from refcheck.claims.evaluator.tensor_methods import PLACEMENT, as_dtype, as_shape, clamp, repeat
from refcheck.claims.evaluator.tensors import (
    DTYPES,
    Tensor,
    allocate,
    as_int,
    assign,
    binary_tensor,
    cumulative_sum,
    dimension,
    filled,
    from_data,
    from_values,
    reduce,
)
from refcheck.claims.evaluator.values import Namespace, Native, Opaque, Type, Value

_Arguments = Sequence[Value]
_Keywords = Mapping[str, Value]
_Function = Callable[[Interpreter, _Arguments, _Keywords], Value]


def _kept(keywords: _Keywords) -> dict[str, Value]:
    """Keyword arguments without those that only say where something is stored."""
    return {key: value for key, value in keywords.items() if key not in PLACEMENT}


def _full_of(name: str, library: str, value: int) -> _Function:
    def function(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
        kept = _kept(keywords)
        dtype = as_dtype(kept.pop("dtype", None))
        if library == "numpy":
            shape, positional = take(name, arguments, kept, ("shape",), {"dtype": None})
            dtype = dtype or as_dtype(positional)
            extents: Sequence[Value] = shape if isinstance(shape, list | tuple) else [shape]
        else:
            if "size" in kept:
                arguments = [kept.pop("size")]
            take(name, (), kept, ())
            extents = as_shape(arguments)
        default = DTYPES["float64" if library == "numpy" else "float32"]
        return filled(interpreter.meter, extents, value, dtype or default, library)

    return function


def _empty(library: str) -> _Function:
    """Memory whose content nobody knows: the shape alone."""

    def function(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
        kept = _kept(keywords)
        dtype = as_dtype(kept.pop("dtype", None)) or DTYPES["float64" if library == "numpy" else "float32"]
        if "size" in kept or "shape" in kept:
            arguments = [kept.pop("size", None) or kept.pop("shape")]
        take("empty", (), kept, ())
        return allocate(as_shape(arguments), dtype, library)

    return function


def _full(library: str) -> _Function:
    def function(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
        shape, value, given = take("full", arguments, _kept(keywords), ("size", "fill_value"), {"dtype": None})
        value = plain(value)
        if not isinstance(value, bool | int | float):
            raise Unsupported("full of something that is no number")
        floats = isinstance(value, float)
        default = "bool" if isinstance(value, bool) else "int64"
        if floats:
            default = "float64" if library == "numpy" else "float32"
        extents = shape if isinstance(shape, list | tuple) else [shape]
        return filled(interpreter.meter, extents, value, as_dtype(given) or DTYPES[default], library)

    return function


def _like(value: int | None) -> _Function:
    def function(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
        given, dtype = take("like", arguments, _kept(keywords), ("input",), {"dtype": None})
        if not isinstance(given, Tensor):
            raise RaisedInSource("TypeError", "a tensor is needed")
        kind = as_dtype(dtype) or given.dtype
        if value is None:
            return allocate(given.shape, kind, given.library)
        return filled(interpreter.meter, given.shape, value, kind, given.library)

    return function


def _arange(library: str) -> _Function:
    def function(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
        kept = _kept(keywords)
        dtype = as_dtype(kept.pop("dtype", None))
        one, two, step = take("arange", arguments, kept, ("start",), {"end": None, "step": 1})
        start, stop = (0, one) if two is None else (one, two)
        bounds = [as_int(bound, "a bound of arange") for bound in (start, stop, step)]
        if bounds[2] == 0:
            raise RaisedInSource("ValueError", "step must not be zero")
        numbers = range(*bounds)
        interpreter.meter.array(guarded(len, numbers))
        data = guarded(lambda: np.arange(*bounds, dtype=np.int64))
        tensor = from_data(interpreter.meter, data, library)
        return tensor if dtype is None else from_values(interpreter.meter, tensor, dtype, library)

    return function


def _array(library: str) -> _Function:
    def function(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
        values, dtype = take("array", arguments, _kept(keywords), ("object",), {"dtype": None})
        return from_values(interpreter.meter, values, as_dtype(dtype), library)

    return function


def _cumsum(library: str) -> _Function:
    def function(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
        names = {"axis": None, "dtype": None, "out": None} if library == "numpy" else {
            "dim": 0, "dtype": None, "out": None
        }  # fmt: skip
        given, axis, dtype, out = take("cumsum", arguments, keywords, ("a" if library == "numpy" else "input",), names)
        tensor = as_tensor(interpreter, given, library)
        return _into(interpreter, out, cumulative_sum(interpreter.meter, tensor, axis, as_dtype(dtype), library))

    return function


def _into(interpreter: Interpreter, out: Value, result: Value) -> Value:
    """The result of a function with `out=`: written there, and `out` itself returned."""
    if out is None:
        return result
    if not isinstance(out, Tensor):
        raise Unsupported("out of something that is no tensor")
    assign(interpreter.meter, out, result)
    return out


def _binary(symbol: str, library: str) -> _Function:
    def function(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
        one, other, out = take(symbol, arguments, keywords, ("input", "other"), {"out": None})
        if not isinstance(one, Tensor) and not isinstance(other, Tensor):
            one = as_tensor(interpreter, one, library)
        if isinstance(one, list | tuple):
            one = as_tensor(interpreter, one, library)
        if isinstance(other, list | tuple):
            other = as_tensor(interpreter, other, library)
        return _into(interpreter, out, binary_tensor(interpreter.meter, symbol, one, other))

    return function


def _concatenate(library: str) -> _Function:
    def function(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
        name = "axis" if library == "numpy" else "dim"
        given, axis = take("concatenate", arguments, keywords, ("tensors",), {name: 0})
        parts = [as_tensor(interpreter, part, library) for part in collect(interpreter.meter, given)]
        if not parts:
            raise RaisedInSource("ValueError", "need at least one array to concatenate")
        where = dimension(parts[0], axis)
        rest = {(*part.shape[:where], *part.shape[where + 1 :]) for part in parts}
        if len(rest) > 1 or any(not part.shape for part in parts):
            raise RaisedInSource("ValueError", "all the input array dimensions must match")
        if any(part.data is None for part in parts):
            if len({part.dtype.name for part in parts}) > 1:
                raise Unsupported("a concatenation of different element types")
            extent = sum(part.shape[where] for part in parts)
            shape = (*parts[0].shape[:where], extent, *parts[0].shape[where + 1 :])
            return allocate(shape, parts[0].dtype, library)
        interpreter.meter.array(sum(part.numel for part in parts))
        return from_data(interpreter.meter, np.concatenate([part.values() for part in parts], axis=where), library)

    return function


def _where(library: str) -> _Function:
    def function(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
        condition, one, other = take("where", arguments, keywords, ("condition", "x", "y"))
        return where(interpreter, condition, one, other, library)

    return function


def _repeat(library: str) -> _Function:
    def function(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
        given, counts = take("repeat", arguments, _kept(keywords), ("input", "repeats"))
        return repeat(interpreter.meter, as_tensor(interpreter, given, library), counts, library)

    return function


def _clamp(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    given, least, most = take("clamp", arguments, keywords, ("input",), {"min": None, "max": None})
    if not isinstance(given, Tensor):
        raise RaisedInSource("TypeError", "clamp needs a tensor")
    return clamp(interpreter.meter, given, least, most)


def _from_numpy(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (given,) = take("from_numpy", arguments, keywords, ("array",))
    if not isinstance(given, Tensor):
        raise RaisedInSource("TypeError", "from_numpy needs an array")
    return Tensor(given.shape, given.dtype, "torch", given.data, given.allocation)


def _reduce(name: str, library: str) -> _Function:
    def function(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
        axis_name = "axis" if library == "numpy" else "dim"
        given, axis = take(name, arguments, keywords, ("input",), {axis_name: None})
        return reduce(interpreter.meter, as_tensor(interpreter, given, library), name, axis)

    return function


def _device(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    return Opaque("device")


def _tensor_namespace(name: str, library: str, members: Mapping[str, Value]) -> Namespace:
    functions: dict[str, _Function] = {
        "zeros": _full_of("zeros", library, 0),
        "ones": _full_of("ones", library, 1),
        "full": _full(library),
        "empty": _empty(library),
        "zeros_like": _like(0),
        "ones_like": _like(1),
        "empty_like": _like(None),
        "arange": _arange(library),
        "cumsum": _cumsum(library),
        "add": _binary("+", library),
        "subtract": _binary("-", library),
        "sub": _binary("-", library),
        "multiply": _binary("*", library),
        "mul": _binary("*", library),
        "floor_divide": _binary("//", library),
        "maximum": _binary("maximum", library),
        "minimum": _binary("minimum", library),
        "where": _where(library),
        "sum": _reduce("sum", library),
        "max": _reduce("max", library),
        "min": _reduce("min", library),
        "prod": _reduce("prod", library),
        "any": _reduce("any", library),
        "all": _reduce("all", library),
    }
    if library == "numpy":
        functions |= {
            "array": _array(library),
            "asarray": _array(library),
            "concatenate": _concatenate(library),
            "repeat": _repeat(library),
        }
    else:
        functions |= {
            "tensor": _array(library),
            "as_tensor": _array(library),
            "cat": _concatenate(library),
            "repeat_interleave": _repeat(library),
            "clamp": _clamp,
            "from_numpy": _from_numpy,
            "device": _device,
        }
    natives = {key: Native(f"{name}.{key}", function) for key, function in functions.items()}
    return Namespace(name, {**natives, **members})


_NUMPY_DTYPES = {
    name: DTYPES[name]
    for name in (
        "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float16", "float32", "float64",
    )
}  # fmt: skip


def _math(function: Callable[..., object]) -> _Function:
    def call(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
        if keywords:
            raise Unsupported("keyword arguments of a function of math")
        values = [plain(argument) for argument in arguments]
        for value in values:
            if not isinstance(value, bool | int | float):
                raise RaisedInSource("TypeError", "must be a real number")
        return number(interpreter.meter, guarded(function, *values))

    return call


def _math_prod(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    values, total = take("prod", arguments, keywords, ("iterable",), {"start": 1})
    for item in collect(interpreter.meter, values):
        item = plain(item)
        if not isinstance(item, bool | int | float) or not isinstance(total, bool | int | float):
            raise Unsupported("prod of something that is no number")
        total = number(interpreter.meter, guarded(lambda a, b: a * b, total, item))
    return total


@lru_cache(maxsize=1)
def modules() -> Mapping[str, Value]:
    """The namespaces by the names that engines import them under."""
    numpy = _tensor_namespace(
        "np",
        "numpy",
        {
            **_NUMPY_DTYPES,
            "bool_": DTYPES["bool"],
            "ndarray": Type("np.ndarray"),
            "dtype": Type("np.dtype"),
            "inf": math.inf,
        },
    )
    aliases = {"half": "float16", "float": "float32", "double": "float64", "int": "int32", "long": "int64"}
    torch = _tensor_namespace(
        "torch",
        "torch",
        {
            **DTYPES,
            **{alias: DTYPES[name] for alias, name in aliases.items()},
            "Tensor": Type("torch.Tensor"),
            "dtype": Type("torch.dtype"),
            "Size": BUILTINS["tuple"],
            "inf": math.inf,
        },
    )
    functions = ("ceil", "floor", "sqrt", "log", "log2", "log10", "exp", "gcd", "isqrt", "trunc", "isinf", "isnan")
    mathematics = Namespace(
        "math",
        {
            **{name: Native(f"math.{name}", _math(getattr(math, name))) for name in functions},
            "prod": Native("math.prod", _math_prod),
            "inf": math.inf,
            "pi": math.pi,
            "e": math.e,
        },
    )
    return {
        "np": numpy,
        "numpy": numpy,
        "torch": torch,
        "math": mathematics,
        "tl": kernels.language(),
        "triton": Namespace("triton", {"cdiv": BUILTINS["cdiv"], "next_power_of_2": Native("next_power_of_2", _power)}),
    }


def _power(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (value,) = take("next_power_of_2", arguments, keywords, ("n",))
    count = interpreter.meter.integer(as_int(value, "n"))
    return 1 << max(count - 1, 0).bit_length()
