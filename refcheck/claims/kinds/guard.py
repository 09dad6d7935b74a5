"""A guard: a test at which a function returns a value at once."""

from __future__ import annotations

from ...config.fields import Field
from ...model.evidence import Comparison, Evidence
from ...model.place import LineRange
from ...model.verdict import Contradicted, Holds, Verdict
from ..context import Context
from ..kind import ENGINE, PATH, SYMBOL, Case, Kind, Params
from ..source_facts import returns, same_condition, under, wanted_form
from ..structure import code_of, fits, form


def check(params: Params, context: Context) -> Verdict:
    """Some `return` under the stated test gives the stated value (`None` for a bare `return` too)."""
    located = context.symbol(params["engine"], params["path"], params["symbol"])
    found = located.statements
    when, value = params["when"], params["returns"]
    wanted = wanted_form(value, "returns")
    guarded = []
    for one in returns(found):
        tests = list(under(found, one.statement).items)
        if one.statement.keyword in ("if", "elif"):
            tests.append(one.statement.header)
        guarded.append((one, tests))
    matching = [(one, tests) for one, tests in guarded if any(same_condition(when, test) for test in tests)]
    for one, _ in matching:
        if fits(wanted, form(one.value) if one.value is not None else "None"):
            lines = one.statement.lines
            header = next((s for s in found if s.keyword and same_condition(when, s.header)), one.statement)
            lines = LineRange(min(header.lines.first, lines.first), lines.last)
            return Holds(f"returns {value} if {when}", located.at(lines), (located.shown(lines),))
    evidence: list[Evidence] = []
    if matching:
        one = matching[0][0]
        got = code_of(one.value) if one.value is not None else "None"
        evidence.append(Comparison(f"returned if {when}", value, got))
        evidence.append(located.shown(one.statement.lines))
        message = f"returns {got} if {when}"
    else:
        tests = [test for _, around in guarded for test in around]
        evidence.append(Comparison("tests before a return", when, "; ".join(dict.fromkeys(tests)) or "none"))
        message = f"{located.symbol.name} has no return under {when}"
    return Contradicted(message, tuple(evidence), located.place)


_FILES = {
    "toy/queue.py": (
        "class Queue:\n    def pop(self):\n        if self.state in (IDLE,  DONE):\n            return None\n"
        "        if not self.items: return EMPTY\n        return self.items[0]\n"
    )
}
_AT = {"engine": "toy", "path": "toy/queue.py", "symbol": "Queue.pop"}

KIND = Kind(
    name="guard",
    summary="A test at which a function returns a value.",
    fields=(
        ENGINE,
        PATH,
        SYMBOL,
        Field("when", "str", "the test", required=True),
        Field("returns", "str", "the value", required=True),
    ),
    check=check,
    cases=(
        Case("a guard", {**_AT, "when": "self.state in (IDLE, DONE)", "returns": "None"}, "holds", _FILES),
        Case("on one line", {**_AT, "when": "not self.items", "returns": "EMPTY"}, "holds", _FILES),
        Case("another value", {**_AT, "when": "not self.items", "returns": "None"}, "contradicted", _FILES),
        Case("another test", {**_AT, "when": "self.state in (IDLE,)", "returns": "None"}, "contradicted", _FILES),
    ),
)
