"""What torch, numpy and Triton all do element by element to tensors, numbers and nested lists."""

from __future__ import annotations

import math

import numpy as np

from refcheck.claims.evaluator.interpreter import Interpreter
from refcheck.claims.evaluator.operators import guarded
from refcheck.claims.evaluator.tensors import Tensor, from_data, from_values
from refcheck.claims.evaluator.values import Value


def as_tensor(interpreter: Interpreter, value: Value, library: str) -> Tensor:
    """The value itself if it is a tensor, else one made of its numbers."""
    if isinstance(value, Tensor):
        return value
    return from_values(interpreter.meter, value, None, library)


def where(interpreter: Interpreter, condition: Value, one: Value, other: Value, library: str) -> Value:
    """`one` where the condition holds, else `other`, element-wise."""
    tensors = [as_tensor(interpreter, value, library) for value in (condition, one, other)]
    shape = guarded(np.broadcast_shapes, *(tensor.shape for tensor in tensors))
    interpreter.meter.array(math.prod(shape))
    data = [tensor.values() for tensor in tensors]
    scalars = [
        value if isinstance(value, bool | int | float) else array
        for value, array in zip((one, other), data[1:], strict=True)
    ]
    result = guarded(lambda: np.where(data[0].astype(bool), *scalars))
    return from_data(interpreter.meter, np.asarray(result), library)
