"""Values of the evaluator as plain Python data, for comparison and as evidence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from refcheck.claims.evaluator.failures import Unsupported
from refcheck.claims.evaluator.operators import kind_of
from refcheck.claims.evaluator.tensors import Allocation, Tensor
from refcheck.claims.evaluator.values import Dtype, Symbol, Value

_DEEPEST = 20


@dataclass(frozen=True, slots=True)
class TensorShape:
    """What is known of a tensor without values: shape and element type (as torch spells it)."""

    shape: tuple[int, ...]
    dtype: str


def to_plain(value: Value, depth: int = 0) -> object:
    """Numbers, text and None as they are; arrays as nested tuples; shapes as `TensorShape`; symbols by their name.

    Lists and tuples become tuples, dicts stay dicts. Raises `Unsupported` for objects that have no plain form.
    """
    if depth > _DEEPEST:
        raise Unsupported("so deep a result")
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, Tensor):
        if value.data is None:
            return TensorShape(value.shape, value.dtype.name)
        return _nested(value.data.tolist())
    if isinstance(value, list | tuple):
        return tuple(to_plain(item, depth + 1) for item in value)
    if isinstance(value, range):
        return tuple(value)
    if isinstance(value, set | frozenset):
        return frozenset(to_plain(item, depth + 1) for item in value)
    if isinstance(value, dict):
        return {to_plain(key, depth + 1): to_plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, Symbol):
        return value.qualified
    if isinstance(value, Dtype):
        return value.name
    raise Unsupported(f"{kind_of(value)} as plain data")


def _nested(value: object) -> object:
    return tuple(_nested(item) for item in value) if isinstance(value, list) else value


def shape_of(value: Value) -> tuple[int, ...]:
    """The shape of a tensor; `Unsupported` for anything else."""
    if isinstance(value, Tensor):
        return value.shape
    raise Unsupported(f"the shape of {kind_of(value)}")


def tensors_in(value: Value, depth: int = 0) -> Iterator[Tensor]:
    """Every tensor in a nest of lists, tuples and dicts, in order."""
    if depth > _DEEPEST:
        raise Unsupported("so deep a result")
    if isinstance(value, Tensor):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from tensors_in(item, depth + 1)
    elif isinstance(value, dict):
        for item in value.values():
            yield from tensors_in(item, depth + 1)


def nbytes(value: Value) -> int:
    """Bytes of all tensors in a nest, views of the same memory counted as often as they occur."""
    return sum(tensor.numel * tensor.dtype.itemsize for tensor in tensors_in(value))


def allocations(value: Value) -> tuple[Allocation, ...]:
    """The distinct reservations of memory that the tensors of a nest are views of, in order of first use."""
    found: dict[int, Allocation] = {}
    for tensor in tensors_in(value):
        found.setdefault(tensor.allocation.number, tensor.allocation)
    return tuple(found.values())
