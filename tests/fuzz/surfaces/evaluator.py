"""The evaluator: text of an engine is never run by Python, and ends in a value of the closed set or its own failures."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from types import BuiltinFunctionType, CodeType, FrameType, FunctionType, GeneratorType, MethodType, ModuleType
from typing import Any

from refcheck.claims.evaluator.budget import Budget
from refcheck.claims.evaluator.failures import BudgetExceeded, EvaluationError, RaisedInSource, Unsupported
from refcheck.claims.evaluator.run import call_function, evaluate_expression, launch_kernel, run_statements
from refcheck.claims.evaluator.stubs import Builder
from refcheck.claims.evaluator.values import Value

from . import Fault, Surface, must, opened, seed, text_of

OWN = (Unsupported, BudgetExceeded, RaisedInSource, EvaluationError)
BUDGET = Budget(steps=5_000, seconds=0.4, array_total=1_000_000)
_PYTHONS_OWN = (
    BuiltinFunctionType,
    CodeType,
    FrameType,
    FunctionType,
    GeneratorType,
    MethodType,
    ModuleType,
    type,
    BaseException,
)
_FORBIDDEN = (
    "os.",
    "subprocess.",
    "socket.",
    "shutil.",
    "ctypes.",
    "pty.",
    "webbrowser.",
    "urllib.",
    "compile",
    "exec",
)
_EXPRESSIONS = (
    "a + 2 * b - len(c)",
    "[x * 2 for x in c if x > 1]",
    "f'{a:>8}' + s.upper()",
    "np.arange(6).reshape(2, 3)[:, 1:].sum()",
    "torch.zeros(2, 3, dtype=torch.int32).shape[1]",
    "max(c) if a else sorted(c, key=lambda v: -v)",
    "cdiv(a, b) and {1: [2], 'x': (3,)}['x'][0]",
    "().__class__.__mro__",
    "self.block_size * getattr(self, 'other', 3)",
)
_STATEMENTS = (
    "total = 0\nfor i in range(a):\n    total += i\n    if total > 9:\n        break\nelse:\n    total = -1\n",
    "def f(n, *rest, k=2, **more):\n    return n if n < 2 else f(n - 1) + k\nx = f(5, 1, k=3)\n",
    "x, *y = c\nwhile x:\n    x -= 1\nz = {k: v for k, v in zip('ab', c)}\nassert z\n",
    "n = np.array([1, 2, 3])\nn[1:] = 7\nm = np.repeat(n, 2)\nmask = m > 2\nk = m[mask]\n",
    "with nullcontext() as q:\n    x = 1\ndel x\nraise ValueError(a)\n",
    "class A:\n    size: int = 3\n    def get(self):\n        return self.size\nx = A().get()\n",
)
_FUNCTIONS = (
    "def f(a, b=2, *, c=3):\n    return a * b + c\n",
    "def f(x):\n    y = torch.empty(4, dtype=torch.int64)\n    y[:2] = x\n    return y\n",
)
_KERNELS = (
    (
        "@triton.jit\ndef k(p, n, BLOCK: tl.constexpr):\n    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
        "    tl.store(p + i, tl.load(p + i, mask=i < n, other=0) + 1, mask=i < n)\n"
    ),
)


class _Watch:
    """Whether what Python reports of itself is looked at now. A hook cannot be taken off again."""

    hooked = False
    armed = False


def _watch(event: str, arguments: tuple[Any, ...]) -> None:
    if not _Watch.armed:
        return
    writes = event == "open" and isinstance(arguments[1], str) and set(arguments[1]) & set("wax+")
    if (event.startswith(_FORBIDDEN) or writes) and not _importing():
        raise Fault(f"the source reached {event} {arguments[:1]!r}")


def _importing() -> bool:
    """Whether the tool's own import of a module is under way, which compiles and executes that module's code."""
    frame = sys._getframe(2)
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back  # type: ignore[assignment]
    return False


def seeds() -> Iterator[bytes]:
    for choice, texts in enumerate((_STATEMENTS, _EXPRESSIONS, _FUNCTIONS, _KERNELS)):
        for text in texts:
            yield seed(text, choice)


def _environment() -> dict[str, Value]:
    builder = Builder()
    array = builder.build({"zeros": [4], "dtype": "int32"})
    return {"a": 5, "b": 2, "c": [1, 2, 3], "s": "text", "p": array, "d": {"k": 1}}


def check(data: bytes) -> None:
    choice, payload = opened(data)
    text = text_of(payload)
    if not _Watch.hooked:
        _Watch.hooked = True
        sys.addaudithook(_watch)
    environment = _environment()
    _Watch.armed = True
    try:
        results = _run(choice % 4, text, environment)
    except OWN:
        return
    finally:
        _Watch.armed = False
    for value in results:
        _check_value(value, set())


def _run(choice: int, text: str, environment: Mapping[str, Value]) -> list[Value]:
    if choice == 0:
        return list(run_statements(text, environment, budget=BUDGET).bindings.values())
    if choice == 1:
        return [evaluate_expression(text, environment, BUDGET)]
    if choice == 2:
        return [call_function(text, [3], budget=BUDGET)]
    launch_kernel(text, (2,), [environment["p"], 3], {"BLOCK": 2}, budget=BUDGET)
    return [environment["p"]]


def _check_value(value: Value, met: set[int]) -> None:
    """No object of Python's own machinery among the results, at any depth."""
    if id(value) in met or len(met) > 1000:
        return
    met.add(id(value))
    must(not isinstance(value, _PYTHONS_OWN), f"{type(value).__name__} came out")
    if isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            _check_value(item, met)
    elif isinstance(value, dict):
        for key, item in value.items():
            _check_value(key, met)
            _check_value(item, met)


SURFACE = Surface("evaluator", seeds, check)
