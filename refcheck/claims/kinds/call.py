"""A call inside a function: of what, with which arguments, under which conditions."""

from __future__ import annotations

from collections.abc import Sequence

from ...config.fields import Field
from ...model.evidence import Comparison, Note
from ...model.place import LineRange
from ...model.verdict import Contradicted, Holds, Verdict
from ..context import Context
from ..kind import ENGINE, PATH, SYMBOL, Case, Kind, Params
from ..source_facts import arguments_fit, calls, same_condition, under
from ..structure import Hit, Statement


def check(params: Params, context: Context) -> Verdict:
    """At least one call fits all that is stated. A bare name is called on any receiver."""
    located = context.symbol(params["engine"], params["path"], params["symbol"])
    found = located.statements
    callee = params["call"]
    every = calls(found, callee)
    if not every:
        compared = Comparison(f"calls of {callee} in {located.symbol.name}", "at least one", "none")
        return Contradicted(f"{located.symbol.name} does not call {callee}", (compared,), located.place)
    fitting = every
    shown = every[0]
    wrong: list[Comparison] = []
    tests: tuple[int, ...] = ()
    if "arguments" in params:
        fitting = [hit for hit in fitting if arguments_fit(hit.node, params["arguments"], "arguments")]
        if not fitting:
            wrong.append(Comparison(f"arguments of {callee}", str(params["arguments"]), every[0].code))
    if "under" in params and fitting:
        outside = [h for h in fitting if not _is_under(params["under"], found, h)]
        if outside and (params.get("every") or len(outside) == len(fitting)):
            shown = outside[0]
            around = "; ".join(under(found, shown.statement).items) or "none"
            wrong.append(Comparison(f"condition of {callee}", params["under"], around))
        fitting = [hit for hit in fitting if hit not in outside]
    if params.get("unconditional") and fitting:
        free = [hit for hit in fitting if not under(found, hit.statement).items]
        if not free:
            shown = fitting[0]
            conditions = under(found, shown.statement)
            tests = conditions.lines
            wrong.append(Comparison(f"condition of {callee}", "none", "; ".join(conditions.items)))
        fitting = free
    if wrong:
        lines = LineRange(shown.line, shown.line)
        said = "; ".join(f"{w.what}: {w.found}" for w in wrong)
        conditions_read = (located.shown(LineRange(n, n), "the condition") for n in tests)
        return Contradicted(
            f"{located.symbol.name} calls {callee}, but {said}",
            (*wrong, *conditions_read, located.shown(lines, "the call")),
            located.at(lines),
        )
    hit = fitting[0]
    lines = LineRange(hit.line, hit.line)
    more = (Note(f"{len(every)} calls in all"),) if len(every) > 1 else ()
    return Holds(
        f"{located.symbol.name} calls {callee} at L{hit.line}", located.at(lines), (located.shown(lines), *more)
    )


def _is_under(test: str, found: Sequence[Statement], hit: Hit) -> bool:
    return any(same_condition(test, condition) for condition in under(found, hit.statement).items)


_FILES = {
    "toy/queue.py": (
        "class Queue:\n    def run(self):\n        self.lock.take(1, block=True)\n        if self.items:\n"
        "            self.send(self.items[0])\n        else:\n            self.wait()\n"
    )
}
_AT = {"engine": "toy", "path": "toy/queue.py", "symbol": "Queue.run"}

KIND = Kind(
    name="call",
    summary="A call inside a function, with its receiver, arguments and conditions.",
    fields=(
        ENGINE,
        PATH,
        SYMBOL,
        Field("call", "str", "what is called: `self.x.f` exactly, or a bare `f` on any receiver", required=True),
        Field("arguments", "list|map", "all arguments in order, or some keywords"),
        Field("under", "str", "a test around the call; `not (x)` for the else branch of `x`"),
        Field("every", "bool", "every call stands under the test, not only one"),
        Field("unconditional", "bool", "no test or loop may stand around the call"),
    ),
    check=check,
    cases=(
        Case("a method of any receiver", {**_AT, "call": "take", "unconditional": True}, "holds", _FILES),
        Case("of this receiver", {**_AT, "call": "self.lock.take", "arguments": {"block": "True"}}, "holds", _FILES),
        Case("in the else branch", {**_AT, "call": "wait", "under": "not (self.items)"}, "holds", _FILES),
        Case("all arguments", {**_AT, "call": "send", "arguments": ["self.items[0]"]}, "holds", _FILES),
        Case("of another receiver", {**_AT, "call": "self.take"}, "contradicted", _FILES),
        Case("other arguments", {**_AT, "call": "send", "arguments": ["self.items[1]"]}, "contradicted", _FILES),
        Case("only under a condition", {**_AT, "call": "send", "unconditional": True}, "contradicted", _FILES),
        Case(
            "one outside of the branch",
            {**_AT, "call": "send", "under": "self.items", "every": True},
            "contradicted",
            {"toy/queue.py": _FILES["toy/queue.py"] + "        self.send(None)\n"},
        ),
        Case("under another one", {**_AT, "call": "wait", "under": "self.items"}, "contradicted", _FILES),
    ),
)
