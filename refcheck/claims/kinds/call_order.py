"""The order of calls inside a function, and which of them a quote's elision hides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...config.fields import Field
from ...model.evidence import Comparison, Evidence, Note
from ...model.place import LineRange
from ...model.verdict import Contradicted, Holds, Verdict
from ..context import Context, LocatedSymbol
from ..kind import ENGINE, PATH, SYMBOL, Case, Kind, Params
from ..source_facts import calls
from ..structure import exclusive, walk

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..structure import Hit, Statement


def check(params: Params, context: Context) -> Verdict:
    """No call stands before one that is stated to come earlier, unless the two are branches of one test."""
    located = context.symbol(params["engine"], params["path"], params["symbol"])
    found = located.statements
    names = [str(callee) for callee in params["calls"]]
    by_name: list[list[Hit]] = []
    for callee in names:
        hits = calls(found, callee)
        if not hits:
            compared = Comparison(f"calls in {located.symbol.name}", callee, "never called")
            return Contradicted(f"{located.symbol.name} does not call {callee}", (compared,), located.place)
        by_name.append(hits)
    for later in range(1, len(names)):
        for earlier in range(later):
            early = _out_of_order(found, by_name[earlier], by_name[later])
            if early is None:
                continue
            first, second = early
            every = sorted((hit.line, name) for name, hits in zip(names, by_name, strict=True) for hit in hits)
            order = ", ".join(f"{name} L{line}" for line, name in every)
            return Contradicted(
                f"{names[later]} at L{first.line} stands before {names[earlier]} at L{second.line}",
                (Comparison("order of calls", ", ".join(names), order), _shown(located, first)),
                located.at(LineRange(first.line, first.line)),
            )
    chosen = [hits[0] for hits in by_name]
    order = ", ".join(f"{name} L{hit.line}" for name, hit in zip(params["calls"], chosen, strict=True))
    hidden = _hidden(params, context, chosen)
    evidence: tuple[Evidence, ...] = (*(_shown(located, hit) for hit in chosen), *hidden)
    more = "".join(f"; {note.text}" for note in hidden)
    return Holds(order + more, located.at(LineRange(chosen[0].line, chosen[-1].line)), evidence)


def _out_of_order(found: Sequence[Statement], earlier: list[Hit], later: list[Hit]) -> tuple[Hit, Hit] | None:
    """A call of the later step that stands before one of the earlier step, and that one."""
    for early in later:
        for late in earlier:
            if _runs_before(early, late) and not exclusive(found, early.statement, late.statement):
                return early, late
    return None


def _runs_before(one: Hit, other: Hit) -> bool:
    """In the text's order; the arguments of a call run before it."""
    if one.statement is not other.statement:
        return one.line < other.line
    if any(node is other.node for node in walk(one.node)):
        return False
    if any(node is one.node for node in walk(other.node)):
        return True
    assert one.statement.module is not None
    order = {id(node): number for number, node in enumerate(walk(one.statement.module))}
    return order.get(id(one.node), 0) < order.get(id(other.node), 0)


def _shown(located: LocatedSymbol, hit: Hit) -> Evidence:
    return located.shown(LineRange(hit.line, hit.line))


def _hidden(params: Params, context: Context, chosen: list[Hit]) -> tuple[Note, ...]:
    """The calls that the quote of an anchor does not show."""
    anchor = context.anchors.get(params.get("quoted", ""))
    if anchor is None or anchor.fingerprint is None:
        return ()
    from ...locate.fingerprint import parse_fingerprint
    from ...locate.match import find_pattern

    reader = context.reader(params["engine"])
    if not reader.tree.has(anchor.place.path):
        return ()
    matches = find_pattern(parse_fingerprint(anchor.fingerprint), reader.lines(anchor.place.path))
    if len(matches) != 1:
        return ()
    inside = [
        f"{name} (L{hit.line})"
        for name, hit in zip(params["calls"], chosen, strict=True)
        if any(gap.first <= hit.line <= gap.last for gap in matches[0].elided)
    ]
    return (Note(f"an elision of the quote hides {', '.join(inside)}"),) if inside else ()


_FILES = {
    "toy/queue.py": (
        "class Queue:\n    def run(self):\n        self.lock.take()\n        item = self.pop()\n"
        "        if item:\n            self.send(\n                item,\n            )\n        self.lock.give()\n\n"
        "    def either(self):\n        if self.fast:\n            self.pop()\n            self.send()\n"
        "        elif self.slow:\n            self.pop()\n            self.send()\n"
        "        else:\n            self.send(self.pop())\n\n"
        "    def odd(self):\n        if self.fast:\n            self.pop()\n            self.send()\n"
        "        else:\n            self.send()\n            self.pop()\n\n"
        "    def twice(self):\n        self.send()\n        self.pop()\n        self.send()\n\n"
        "    def again(self):\n        self.pop()\n        self.send()\n        self.pop()\n"
    )
}
_AT = {"engine": "toy", "path": "toy/queue.py", "symbol": "Queue.run"}

KIND = Kind(
    name="call-order",
    summary="Calls that follow each other in a function's text; what an elision of the quote hides is said.",
    fields=(
        ENGINE,
        PATH,
        SYMBOL,
        Field("calls", "list", "what is called, in order", required=True),
        Field("quoted", "str", "the anchor whose quote shows the function"),
    ),
    check=check,
    cases=(
        Case("in order", {**_AT, "calls": ["take", "pop", "send", "give"]}, "holds", _FILES),
        Case("another order", {**_AT, "calls": ["send", "pop"]}, "contradicted", _FILES),
        Case("in each branch", {**_AT, "symbol": "Queue.either", "calls": ["pop", "send"]}, "holds", _FILES),
        Case("in one branch alone", {**_AT, "symbol": "Queue.odd", "calls": ["pop", "send"]}, "contradicted", _FILES),
        Case(
            "a later one before them too",
            {**_AT, "symbol": "Queue.twice", "calls": ["pop", "send"]},
            "contradicted",
            _FILES,
        ),
        Case(
            "an earlier one after them too",
            {**_AT, "symbol": "Queue.again", "calls": ["pop", "send"]},
            "contradicted",
            _FILES,
        ),
        Case("not called", {**_AT, "calls": ["take", "push"]}, "contradicted", _FILES),
    ),
)
