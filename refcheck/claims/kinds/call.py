"""A call inside a function: of what, with which arguments, under which conditions."""

from __future__ import annotations

from ...config.fields import Field
from ...model.evidence import Comparison, Evidence, Note
from ...model.place import LineRange
from ...model.verdict import Contradicted, Holds, Verdict
from ..context import Context
from ..kind import ENGINE, PATH, SYMBOL, Case, Kind, Params
from ..source_facts import arguments_fit, calls, same_condition, under


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
    wrong: list[Evidence] = []
    if "arguments" in params:
        fitting = [hit for hit in fitting if arguments_fit(hit.node, params["arguments"], "arguments")]
        if not fitting:
            wrong.append(Comparison(f"arguments of {callee}", str(params["arguments"]), every[0].code))
    if "under" in params and fitting:
        inside = [
            h for h in fitting if any(same_condition(params["under"], c) for c in under(found, h.statement).items)
        ]
        if not inside:
            around = under(found, fitting[0].statement).items
            wrong.append(Comparison(f"condition of {callee}", params["under"], "; ".join(around) or "none"))
        fitting = inside
    if params.get("unconditional") and fitting:
        free = [hit for hit in fitting if not under(found, hit.statement).items]
        if not free:
            tests = under(found, fitting[0].statement)
            wrong.append(Comparison(f"condition of {callee}", "none", "; ".join(tests.items)))
            wrong.extend(located.shown(LineRange(n, n), "the condition") for n in tests.lines)
        fitting = free
    hit = fitting[0] if fitting else every[0]
    lines = LineRange(hit.line, hit.line)
    if wrong:
        evidence = (*wrong, located.shown(lines, "the call"))
        said = "; ".join(f"{w.what}: {w.found}" for w in wrong if isinstance(w, Comparison))
        return Contradicted(f"{located.symbol.name} calls {callee}, but {said}", evidence, located.at(lines))
    more = (Note(f"{len(every)} calls in all"),) if len(every) > 1 else ()
    return Holds(
        f"{located.symbol.name} calls {callee} at L{hit.line}", located.at(lines), (located.shown(lines), *more)
    )


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
        Case("under another one", {**_AT, "call": "wait", "under": "self.items"}, "contradicted", _FILES),
    ),
)
