"""One run: evaluates and executes syntax nodes in a scope, looks names up, calls functions; charges every step.

How a node of each type is evaluated is not known here: the `Rules` are handed in, so that the modules that hold
them can use the run without being imported by it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from refcheck.claims.evaluator.budget import Budget, Meter
from refcheck.claims.evaluator.failures import BudgetExceeded, EvaluatorFailure, RaisedInSource, Unsupported
from refcheck.claims.evaluator.values import Scope, Value

if TYPE_CHECKING:
    import libcst as cst


@dataclass(frozen=True, slots=True)
class KernelInstance:
    """Which instance of a kernel's grid is being run."""

    index: tuple[int, ...]
    grid: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Left:
    """How a block was left before its end: "return", "break" or "continue", and the returned value."""

    kind: str
    value: Value = None


@dataclass(frozen=True, slots=True)
class Rules:
    """What evaluates each type of expression, executes each type of statement, and calls a value.

    A node whose type is not listed is refused by the name that `describe` gives it.
    """

    expressions: Mapping[type[cst.CSTNode], Callable[[Interpreter, Any, Scope], Value]]
    statements: Mapping[type[cst.CSTNode], Callable[[Interpreter, Any, Scope], Left | None]]
    call: Callable[[Interpreter, Value, Sequence[Value], Mapping[str, Value]], Value]
    describe: Callable[[cst.CSTNode], str]


class Interpreter:
    """The state of one run: its budget, the names that stand below every scope, and the kernel instance if any."""

    def __init__(self, budget: Budget, builtins: Mapping[str, Value], rules: Rules) -> None:
        self.meter = Meter(budget)
        self.builtins = builtins
        self.rules = rules
        self.kernel: KernelInstance | None = None

    def evaluate(self, node: cst.BaseExpression, scope: Scope) -> Value:
        """The value of an expression."""
        meter = self.meter
        meter.depth += 1
        try:
            meter.step()
            if meter.depth > meter.budget.depth:
                raise BudgetExceeded("levels of nesting", meter.budget.depth)
            handler = self.rules.expressions.get(type(node))
            if handler is None:
                raise Unsupported(self.rules.describe(node))
            return handler(self, node, scope)
        except EvaluatorFailure as failure:
            _place(failure, node, scope)
            raise
        except RecursionError:
            raise BudgetExceeded("levels of nesting", meter.budget.depth) from None
        finally:
            meter.depth -= 1

    def execute(self, block: Sequence[cst.CSTNode], scope: Scope) -> Left | None:
        """Executes statements in order; None if the end was reached."""
        meter = self.meter
        for statement in block:
            meter.depth += 1
            try:
                meter.step()
                if meter.depth > meter.budget.depth:
                    raise BudgetExceeded("levels of nesting", meter.budget.depth)
                handler = self.rules.statements.get(type(statement))
                if handler is None:
                    raise Unsupported(self.rules.describe(statement))
                left = handler(self, statement, scope)
            except EvaluatorFailure as failure:
                _place(failure, statement, scope)
                raise
            finally:
                meter.depth -= 1
            if left is not None:
                return left
        return None

    def lookup(self, name: str, scope: Scope) -> Value:
        """The value that a name is bound to, innermost scope first, built-in names last."""
        current: Scope | None = scope
        while current is not None:
            if name in current.names:
                return current.names[name]
            if name in current.assigned:
                raise RaisedInSource("UnboundLocalError", f"local variable {name!r} is not bound yet")
            current = current.outer
        if name in self.builtins:
            return self.builtins[name]
        raise Unsupported(f"name {name}, for which no value was given")

    def call(self, callee: Value, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> Value:
        """Calls a value."""
        return self.rules.call(self, callee, arguments, keywords)


def _place(failure: EvaluatorFailure, node: object, scope: Scope) -> None:
    if failure.node is None:
        failure.node = node
        failure.unit = scope.unit
