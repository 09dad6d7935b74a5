"""Triton kernels: interpreted once per instance of the grid, over arrays that carry values.

Pointers are arrays with an offset (a number or a block of numbers); an access outside of its array, where Triton
would read or write foreign memory, is an error here. Instances run one after the other, which is right for kernels
whose instances do not wait for each other.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence

import libcst as cst
import numpy as np

from refcheck.claims.evaluator.builtin_functions import BUILTINS
from refcheck.claims.evaluator.elementwise import where
from refcheck.claims.evaluator.failures import BudgetExceeded, EvaluationError, RaisedInSource, Unsupported
from refcheck.claims.evaluator.interpreter import Interpreter, KernelInstance
from refcheck.claims.evaluator.operators import truth
from refcheck.claims.evaluator.parameters import take
from refcheck.claims.evaluator.source import parse
from refcheck.claims.evaluator.tensors import (
    DTYPES,
    Pointer,
    Tensor,
    as_int,
    binary_tensor,
    filled,
    from_data,
    load,
    pointer_to,
    reduce,
    store,
)
from refcheck.claims.evaluator.values import Dtype, Function, KernelLaunch, Namespace, Native, Scope, Value

_Arguments = Sequence[Value]
_Keywords = Mapping[str, Value]
#: Options of a launch that say how a kernel is run, not what it computes.
_OPTIONS = frozenset({"num_warps", "num_stages", "num_ctas", "launch_pdl"})


def launch(interpreter: Interpreter, call: KernelLaunch, arguments: _Arguments, keywords: _Keywords) -> Value:
    """Runs `kernel[grid](*arguments, **keywords)`: tensors become pointers to their first element."""
    constants = {key: value for key, value in keywords.items() if key not in _OPTIONS}
    grid = _grid(interpreter, call.grid, constants)
    with interpreter.meter.not_counted():
        function = kernel_function(call)
    pointers = [pointer_to(value) if isinstance(value, Tensor) else value for value in arguments]
    named = {key: pointer_to(value) if isinstance(value, Tensor) else value for key, value in constants.items()}
    if interpreter.kernel is not None:
        raise Unsupported("a kernel launched by a kernel")
    try:
        for index in itertools.product(*(range(extent) for extent in grid)):
            interpreter.meter.step()
            interpreter.kernel = KernelInstance(index, grid)
            interpreter.call(function, pointers, named)
    finally:
        interpreter.kernel = None
    return None


def _grid(interpreter: Interpreter, grid: Value, constants: _Keywords) -> tuple[int, ...]:
    if isinstance(grid, Function):
        grid = interpreter.call(grid, [dict(constants)], {})
    extents = tuple(
        as_int(extent, "an extent of the grid") for extent in (grid if isinstance(grid, tuple) else (grid,))
    )
    if len(extents) > 3 or any(extent < 0 for extent in extents):
        raise RaisedInSource("ValueError", "a grid has one to three extents, none negative")
    if math.prod(extents) > interpreter.meter.budget.grid:
        raise BudgetExceeded("instances of a kernel's grid", interpreter.meter.budget.grid)
    return extents


def kernel_function(call: KernelLaunch) -> Function:
    """The kernel's function definition, in the scope of its globals."""
    unit = parse(call.kernel.source)
    for statement in unit.body:
        if isinstance(statement, cst.FunctionDef):
            return Function(statement.name.value, statement, unit, Scope(dict(call.kernel.globals), None, unit))
    raise EvaluationError("the source holds no function definition to be run as a kernel")


def _instance(interpreter: Interpreter, axis: Value) -> tuple[int, int]:
    """Index and extent along one axis of the grid."""
    if interpreter.kernel is None:
        raise Unsupported("a Triton function outside of a kernel")
    number = as_int(axis, "an axis")
    if not 0 <= number < 3:
        raise RaisedInSource("ValueError", "axis must be 0, 1 or 2")
    if number >= len(interpreter.kernel.grid):
        return 0, 1
    return interpreter.kernel.index[number], interpreter.kernel.grid[number]


def _program_id(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (axis,) = take("program_id", arguments, keywords, ("axis",))
    return _instance(interpreter, axis)[0]


def _num_programs(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (axis,) = take("num_programs", arguments, keywords, ("axis",))
    return _instance(interpreter, axis)[1]


def _range(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    bounds = [as_int(argument, "an argument of range") for argument in arguments]
    if not 1 <= len(bounds) <= 3 or (len(bounds) == 3 and bounds[2] == 0):
        raise RaisedInSource("ValueError", "range needs one to three arguments, the step not zero")
    return range(*bounds)


def _arange(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    given, end = take("arange", arguments, keywords, ("start", "end"))
    start, stop = as_int(given, "a start"), as_int(end, "an end")
    count = stop - start
    if count <= 0 or count & (count - 1):
        raise RaisedInSource("ValueError", "arange's range must be a power of 2")
    interpreter.meter.array(count)
    return from_data(interpreter.meter, np.arange(start, stop, dtype=np.int32), "torch")


def _load(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    kept = {
        key: value for key, value in keywords.items() if key not in {"cache_modifier", "eviction_policy", "volatile"}
    }
    pointer, mask, other = take("load", arguments, kept, ("pointer",), {"mask": None, "other": None})
    if not isinstance(pointer, Pointer):
        raise RaisedInSource("TypeError", "load needs a pointer")
    return load(interpreter.meter, pointer, mask, other)


def _store(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    kept = {key: value for key, value in keywords.items() if key not in {"cache_modifier", "eviction_policy"}}
    pointer, value, mask = take("store", arguments, kept, ("pointer", "value"), {"mask": None})
    if not isinstance(pointer, Pointer):
        raise RaisedInSource("TypeError", "store needs a pointer")
    store(interpreter.meter, pointer, value, mask)
    return None


def _where(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    condition, one, other = take("where", arguments, keywords, ("condition", "x", "y"))
    if not any(isinstance(value, Tensor) for value in (condition, one, other)):
        return one if truth(condition) else other
    return where(interpreter, condition, one, other, "torch")


def _extreme(symbol: str, function: Callable[..., Value]) -> Callable[..., Value]:
    def call(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
        one, other = take(symbol, arguments, keywords, ("x", "y"))
        if isinstance(one, Tensor) or isinstance(other, Tensor):
            return binary_tensor(interpreter.meter, symbol, one, other)
        if isinstance(one, bool | int | float) and isinstance(other, bool | int | float):
            return function(one, other)
        raise Unsupported(f"{symbol} of something that is neither number nor tensor")

    return call


def _reduction(name: str) -> Callable[..., Value]:
    def call(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
        given, axis = take(name, arguments, keywords, ("input",), {"axis": None})
        if not isinstance(given, Tensor):
            raise RaisedInSource("TypeError", f"{name} needs a block")
        return reduce(interpreter.meter, given, name, axis)

    return call


def _zeros(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    shape, dtype = take("zeros", arguments, keywords, ("shape", "dtype"))
    if not isinstance(shape, list | tuple) or not isinstance(dtype, Dtype):
        raise Unsupported("zeros given like that")
    return filled(interpreter.meter, shape, 0, dtype, "torch")


def _constant(interpreter: Interpreter, arguments: _Arguments, keywords: _Keywords) -> Value:
    (value,) = take("constexpr", arguments, keywords, ("value",))
    return value


def language() -> Namespace:
    """`triton.language`, usually imported as `tl`."""
    functions: dict[str, Callable[..., Value]] = {
        "program_id": _program_id,
        "num_programs": _num_programs,
        "range": _range,
        "static_range": _range,
        "arange": _arange,
        "load": _load,
        "store": _store,
        "where": _where,
        "maximum": _extreme("maximum", max),
        "minimum": _extreme("minimum", min),
        "sum": _reduction("sum"),
        "max": _reduction("max"),
        "min": _reduction("min"),
        "zeros": _zeros,
        "constexpr": _constant,
    }
    names = {"int1": "bool", "int8": "int8", "int16": "int16", "int32": "int32", "int64": "int64", "float32": "float32"}
    return Namespace(
        "tl",
        {
            **{name: Native(f"tl.{name}", function) for name, function in functions.items()},
            **{name: DTYPES[torch_name] for name, torch_name in names.items()},
            "cdiv": BUILTINS["cdiv"],
        },
    )
