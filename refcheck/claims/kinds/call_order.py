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

if TYPE_CHECKING:
    from ..structure import Hit


def check(params: Params, context: Context) -> Verdict:
    """Each call has a place after that of the one before; with `unless`, a call after it may stand under a test."""
    located = context.symbol(params["engine"], params["path"], params["symbol"])
    found = located.statements
    chosen: list[Hit] = []
    for callee in map(str, params["calls"]):
        hits = calls(found, callee)
        if not hits:
            compared = Comparison(f"calls in {located.symbol.name}", callee, "never called")
            return Contradicted(f"{located.symbol.name} does not call {callee}", (compared,), located.place)
        after = [hit for hit in hits if not chosen or hit.line > chosen[-1].line]
        if not after:
            lines = "; ".join(f"{name} L{hit.line}" for name, hit in zip(params["calls"], chosen, strict=False))
            order = f"{lines}; {callee} L{hits[-1].line}"
            return Contradicted(
                f"{callee} at L{hits[-1].line} stands before {params['calls'][len(chosen) - 1]}",
                (Comparison("order of calls", ", ".join(params["calls"]), order), _shown(located, hits[-1])),
                located.at(LineRange(hits[-1].line, hits[-1].line)),
            )
        chosen.append(after[0])
    order = ", ".join(f"{name} L{hit.line}" for name, hit in zip(params["calls"], chosen, strict=True))
    hidden = _hidden(params, context, chosen)
    evidence: tuple[Evidence, ...] = (*(_shown(located, hit) for hit in chosen), *hidden)
    more = "".join(f"; {note.text}" for note in hidden)
    return Holds(order + more, located.at(LineRange(chosen[0].line, chosen[-1].line)), evidence)


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
        "        if item:\n            self.send(\n                item,\n            )\n        self.lock.give()\n"
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
        Case("not called", {**_AT, "calls": ["take", "push"]}, "contradicted", _FILES),
    ),
)
