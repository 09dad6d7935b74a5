"""In which functions of a file an attribute is assigned."""

from __future__ import annotations

from ...config.fields import Field
from ...model import codes
from ...model.evidence import Comparison, CounterExamples
from ...model.place import LineRange, Place
from ...model.verdict import Contradicted, Gone, Holds, Undecided, Verdict
from ..context import Context
from ..kind import ENGINE, PATH, Case, Kind, Params
from ..source_facts import assignments
from ..structure import statements


def check(params: Params, context: Context) -> Verdict:
    """Every assignment to the target (with the operator) stands in one of the functions, and each has one."""
    engine, path = params["engine"], params["path"]
    source = context.source(engine, path)
    outline = context.reader(engine).outline(path)
    target, operator = params["target"], params.get("operator", "=")
    word = target.rpartition(".")[2]
    found: list[tuple[Place, str]] = []
    for symbol in outline.symbols:
        inner = symbol.kind.is_scope and symbol.kind.value not in ("class", "namespace")
        if inner and word in source.slice(symbol.lines.first, symbol.lines.last):
            for one in assignments(statements(source, symbol.lines), target):
                at = outline.enclosing(one.line, one.line)
                if one.op == operator and at is symbol:
                    lines = LineRange(one.statement.lines.first, one.statement.lines.last)
                    found.append((Place(path, lines, symbol.name), str(one)))
    if not found:
        if fault := context.unread(engine, path, target):
            return Undecided(fault, codes.UNSUPPORTED)
        return Gone(f"{path} has no {target} {operator} …")
    stated = [str(name) for name in params["functions"]]
    names = list(dict.fromkeys(place.symbol or "" for place, _ in found))
    compared = Comparison(f"functions with {target} {operator}", ", ".join(stated), ", ".join(names))
    examples = CounterExamples(tuple(found[:12]), len(found))
    where = ", ".join(f"{place.symbol} (L{place.lines.first})" for place, _ in found if place.lines)
    if set(names) != set(stated):
        return Contradicted(f"{target} {operator} stands in {where}", (compared, examples), found[0][0])
    return Holds(f"{target} {operator} stands in {where}", found[0][0], (examples,))


_FILES = {
    "toy/queue.py": (
        "class Queue:\n    def take(self, job):\n        job.done += 1\n        job.seen = 0\n\n"
        "    def give(self, job):\n        job.seen = 1\n"
    )
}
_AT = {"engine": "toy", "path": "toy/queue.py"}

KIND = Kind(
    name="assigned-in",
    summary="The functions of a file in which an attribute is assigned.",
    fields=(
        ENGINE,
        PATH,
        Field("target", "str", "what is assigned to, as it is written", required=True),
        Field("operator", "str", "`=` (the default) or an augmented one", choices=("=", "+=", "-=", "*=", "|=")),
        Field("functions", "list", "the functions, all of them", required=True),
    ),
    check=check,
    cases=(
        Case("in one", {**_AT, "target": "job.done", "operator": "+=", "functions": ["Queue.take"]}, "holds", _FILES),
        Case("in both", {**_AT, "target": "job.seen", "functions": ["Queue.give", "Queue.take"]}, "holds", _FILES),
        Case(
            "in another",
            {**_AT, "target": "job.done", "operator": "+=", "functions": ["Queue.give"]},
            "contradicted",
            _FILES,
        ),
        Case("in one more", {**_AT, "target": "job.seen", "functions": ["Queue.give"]}, "contradicted", _FILES),
        Case("nowhere", {**_AT, "target": "job.lost", "functions": ["Queue.give"]}, "gone", _FILES),
    ),
)
