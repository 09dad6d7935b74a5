"""What claims call: run statements, call a function, evaluate an expression, launch a kernel.

Every entry takes source text (a `Source` carries its place for messages), values for the names it refers to, and a
budget; each raises `Unsupported`, `BudgetExceeded`, `RaisedInSource` or `EvaluationError` with the line, and nothing
else. The stubs and arrays that are handed in are changed in place by the interpreted code, as the engine's own
objects would be.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

import libcst as cst

from refcheck.claims.evaluator import calls, expressions, statements
from refcheck.claims.evaluator.attributes import read
from refcheck.claims.evaluator.budget import Budget
from refcheck.claims.evaluator.builtin_functions import BUILTINS
from refcheck.claims.evaluator.definitions import function_from
from refcheck.claims.evaluator.failures import BudgetExceeded, EvaluationError, EvaluatorFailure
from refcheck.claims.evaluator.interpreter import Interpreter, Rules
from refcheck.claims.evaluator.namespaces import modules
from refcheck.claims.evaluator.selection import StatementSelection
from refcheck.claims.evaluator.selection import select as select_statements
from refcheck.claims.evaluator.source import Source, Unit, parse
from refcheck.claims.evaluator.values import Kernel, KernelLaunch, Native, Opaque, Scope, Value

DEFAULT_BUDGET = Budget()


@dataclass(frozen=True, slots=True)
class Outcome:
    """What running statements left behind.

    `bindings` are the names at the end (those handed in included). `left` says how the statements were left before
    their end: "return", "break", "continue" or None; `returned` is the value of a return. `steps` is what it cost.
    """

    bindings: Mapping[str, Value]
    left: str | None
    returned: Value
    steps: int
    _unit: Unit
    _statements: Sequence[cst.CSTNode]

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line that were selected, in the file's counting; computed when asked for, it is dear."""
        if not self._statements:
            return (0, 0)
        first, last = self._unit.lines_of(self._statements[0]), self._unit.lines_of(self._statements[-1])
        return (first[0] if first else 0, last[1] if last else 0)


@lru_cache(maxsize=1)
def _builtins() -> Mapping[str, Value]:
    """Names that stand below everything else: Python's, and the modules that engines import."""
    return {
        **BUILTINS,
        **modules(),
        "nullcontext": Native("nullcontext", lambda interpreter, arguments, keywords: Opaque("nullcontext")),
    }


def _interpreter(budget: Budget) -> Interpreter:
    rules = Rules(expressions.HANDLERS, statements.HANDLERS, calls.call, expressions.describe)
    return Interpreter(budget, _builtins(), rules)


@contextmanager
def _located() -> Iterator[None]:
    """Adds the line to a failure that leaves the evaluator."""
    try:
        yield
    except EvaluatorFailure as failure:
        if not failure.where and isinstance(failure.unit, Unit) and failure.node is not None:
            failure.where = failure.unit.where(failure.node)
        raise
    except RecursionError:
        raise BudgetExceeded("levels of nesting", 0) from None
    except MemoryError:
        raise BudgetExceeded("bytes of memory", 0) from None


def run_statements(
    source: str | Source,
    env: Mapping[str, Value],
    *,
    select: StatementSelection | None = None,
    globals: Mapping[str, Value] | None = None,  # noqa: A002
    budget: Budget = DEFAULT_BUDGET,
) -> Outcome:
    """Runs the selected statements of a function's body (or of plain statements) with `env` as its local names."""
    with _located():
        unit, chosen = select_statements(source, select)
        interpreter = _interpreter(budget)
        outer = Scope(dict(globals or {}), None, unit)
        scope = Scope(dict(env), outer, unit)
        left = interpreter.execute(chosen, scope)
        return Outcome(
            scope.names,
            None if left is None else left.kind,
            None if left is None else left.value,
            interpreter.meter.steps,
            unit,
            chosen,
        )


def call_function(
    source: str | Source,
    args: Sequence[Value] = (),
    kwargs: Mapping[str, Value] | None = None,
    *,
    name: str | None = None,
    globals: Mapping[str, Value] | None = None,  # noqa: A002
    budget: Budget = DEFAULT_BUDGET,
    ignore_decorators: frozenset[str] = frozenset(),
) -> Value:
    """Calls the function or method that `source` defines (the one called `name`, if several); `self` is `args[0]`.

    Parameter defaults are evaluated where no argument is given. Decorators beyond those that are known not to change
    the result are refused unless `ignore_decorators` lists the last part of their name.
    """
    with _located():
        function = function_from(
            source, globals or {}, name=name, harmless=statements.HARMLESS_DECORATORS | ignore_decorators
        )
        interpreter = _interpreter(budget)
        return interpreter.call(function, list(args), dict(kwargs or {}))


def call_value(
    callee: Value,
    args: Sequence[Value] = (),
    kwargs: Mapping[str, Value] | None = None,
    *,
    budget: Budget = DEFAULT_BUDGET,
) -> Value:
    """Calls a value that stubs were built with: a function, class, recorder or bound method."""
    with _located():
        return _interpreter(budget).call(callee, list(args), dict(kwargs or {}))


def evaluate_expression(
    source: str | Source,
    env: Mapping[str, Value],
    budget: Budget = DEFAULT_BUDGET,
    *,
    globals: Mapping[str, Value] | None = None,  # noqa: A002
) -> Value:
    """The value of one expression, such as `spec.page_size_bytes` or a right-hand side taken from the source."""
    with _located():
        unit = parse(source)
        statement = unit.body[0] if len(unit.body) == 1 else None
        small = statement.body if isinstance(statement, cst.SimpleStatementLine) else []
        expression = small[0] if len(small) == 1 else None
        if not isinstance(expression, cst.Expr):
            raise EvaluationError("the source is not one expression")
        interpreter = _interpreter(budget)
        scope = Scope(dict(env), Scope(dict(globals or {}), None, unit), unit)
        return interpreter.evaluate(expression.value, scope)


def read_attribute(value: Value, name: str, budget: Budget = DEFAULT_BUDGET) -> Value:
    """`value.name`; properties of stubs are evaluated."""
    with _located():
        return read(_interpreter(budget), value, name)


def call_method(
    value: Value,
    name: str,
    args: Sequence[Value] = (),
    kwargs: Mapping[str, Value] | None = None,
    *,
    budget: Budget = DEFAULT_BUDGET,
) -> Value:
    """`value.name(*args, **kwargs)`"""
    with _located():
        interpreter = _interpreter(budget)
        return interpreter.call(read(interpreter, value, name), list(args), dict(kwargs or {}))


def launch_kernel(
    source: str | Source,
    grid: tuple[int, ...],
    args: Sequence[Value],
    constexprs: Mapping[str, Value] | None = None,
    *,
    globals: Mapping[str, Value] | None = None,  # noqa: A002
    budget: Budget = DEFAULT_BUDGET,
) -> int:
    """Runs a Triton kernel over a grid; tensors among the arguments are written in place. Returns the steps taken."""
    with _located():
        kernel = Kernel(source if isinstance(source, Source) else Source(source), globals or {})
        interpreter = _interpreter(budget)
        interpreter.call(KernelLaunch(kernel, grid), list(args), dict(constexprs or {}))
        return interpreter.meter.steps


__all__ = [
    "DEFAULT_BUDGET",
    "Budget",
    "Outcome",
    "Source",
    "StatementSelection",
    "call_function",
    "call_method",
    "call_value",
    "evaluate_expression",
    "launch_kernel",
    "read_attribute",
    "run_statements",
]
