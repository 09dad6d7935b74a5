"""Why an evaluation ended without a value: each failure names the construct and, where known, the line.

None of these is shown to a user directly: a claim turns them into its verdict. `Unsupported` and `BudgetExceeded`
mean `undecided`; `RaisedInSource` is a result (the engine's own lines raise), `EvaluationError` a fault of the
request (a symbol that is not in the source, a stub that cannot be built).
"""

from __future__ import annotations


class EvaluatorFailure(Exception):
    """Base; `where` is `path:line`, `line N` (relative to the slice) or empty as long as it is not known."""

    def __init__(self, message: str, where: str = "") -> None:
        self.message = message
        self.where = where
        #: The innermost syntax node that was being evaluated, and the unit it stands in: the line is computed from
        #: them only when a failure leaves the evaluator, because positions are the dearest part of parsing.
        self.node: object | None = None
        self.unit: object | None = None
        super().__init__(message)

    def __str__(self) -> str:
        return f"{self.message} ({self.where})" if self.where else self.message


class Unsupported(EvaluatorFailure):
    """The source uses something that the evaluator does not interpret; `construct` says what."""

    def __init__(self, construct: str, where: str = "") -> None:
        self.construct = construct
        super().__init__(f"not supported: {construct}", where)


class BudgetExceeded(EvaluatorFailure):
    """A bound of the budget was reached; `bound` names it (steps, seconds, depth, ...)."""

    def __init__(self, bound: str, limit: float, where: str = "") -> None:
        self.bound = bound
        self.limit = limit
        super().__init__(f"more than {limit:,} {bound}", where)


class EvaluationError(EvaluatorFailure):
    """The request itself cannot be carried out: nothing selected, no such parameter, source that does not parse."""


class RaisedInSource(EvaluatorFailure):
    """The interpreted lines raise an exception, explicitly or as Python would; `exception` is its class name."""

    def __init__(self, exception: str, detail: str = "", where: str = "") -> None:
        self.exception = exception
        self.detail = detail
        super().__init__(f"{exception}: {detail}" if detail else exception, where)
