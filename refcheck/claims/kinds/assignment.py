"""What a function assigns to a name, compared structurally."""

from __future__ import annotations

from ...config.fields import Field
from ...model.evidence import Comparison, CounterExamples, Evidence
from ...model.verdict import Contradicted, Gone, Holds, Verdict
from ..context import Context
from ..kind import ENGINE, PATH, SYMBOL, Case, Kind, Params
from ..source_facts import assignments, same_condition, under, wanted_form
from ..structure import code_of, fits, form


def check(params: Params, context: Context) -> Verdict:
    """Every assignment to the target (by the operator, under the condition) has the stated value.

    With `some`, one is enough; with `only`, there is no other at all, by another operator or elsewhere.
    """
    located = context.symbol(params["engine"], params["path"], params["symbol"])
    found = located.statements
    target, value = params["target"], params["value"]
    all_of_them = assignments(found, target)
    if not all_of_them:
        return Gone(f"{located.symbol.name} assigns nothing to {target}")
    wanted = wanted_form(value, "value")
    meant = [a for a in all_of_them if a.op == params.get("operator", "=")]
    if "under" in params:
        meant = [a for a in meant if any(same_condition(params["under"], c) for c in under(found, a.statement).items)]
    fitting = [a for a in meant if fits(wanted, form(a.value))]
    others = [a for a in all_of_them if a not in fitting]
    against = others if params.get("only") else [a for a in meant if a not in fitting]
    if not fitting or (against and not params.get("some")):
        others = [a for a in against if a not in fitting] or others
        values = "; ".join(dict.fromkeys(f"{a.op} {code_of(a.value)}" for a in others))
        compared = Comparison(f"value of {target}", value, values)
        places = tuple((located.at(a.statement.lines), str(a)) for a in others)
        evidence: tuple[Evidence, ...] = (compared, CounterExamples(places[:10], len(places)))
        if params.get("under") and not fitting:
            around = under(found, all_of_them[0].statement).items
            evidence = (*evidence, Comparison("condition", params["under"], "; ".join(around) or "none"))
        return Contradicted(
            f"{located.symbol.name} assigns {target} {values}", evidence, located.at(others[0].statement.lines)
        )
    first = fitting[0]
    also = f" (and {len(others)} other assignment{'s' * (len(others) > 1)})" if others else ""
    shown = located.shown(first.statement.lines)
    return Holds(f"{first} in {located.symbol.name}{also}", located.at(first.statement.lines), (shown,))


_FILES = {
    "toy/queue.py": (
        "class Queue:\n    def run(self):\n        if self.fast:\n            step = (self.a  # wide\n"
        "                    + self.b)\n        else:\n            step = 1\n        self.seen += 1\n"
        "        sizes[0] = step\n        sizes['all'] = step\n"
    )
}
_AT = {"engine": "toy", "path": "toy/queue.py", "symbol": "Queue.run"}

KIND = Kind(
    name="assignment",
    summary="The expression that a function assigns to a name, up to formatting.",
    fields=(
        ENGINE,
        PATH,
        SYMBOL,
        Field("target", "str", "what is assigned to, as it is written", required=True),
        Field("value", "str", "the expression; `...` stands for any part", required=True),
        Field("operator", "str", "`=` (the default) or an augmented one", choices=("=", "+=", "-=", "*=", "|=", "//=")),
        Field("under", "str", "a test around the assignment; `not (x)` for the else branch of `x`"),
        Field("some", "bool", "one assignment is enough, whatever the others to the target are"),
        Field("only", "bool", "no other assignment to the target may stand in the function"),
    ),
    check=check,
    cases=(
        Case(
            "formatted otherwise",
            {**_AT, "target": "step", "value": "self.a + self.b", "under": "self.fast"},
            "holds",
            _FILES,
        ),
        Case("each of two", {**_AT, "target": "sizes[...]", "value": "step"}, "holds", _FILES),
        Case("one is enough", {**_AT, "target": "step", "value": "1", "some": True}, "holds", _FILES),
        Case(
            "in the else branch", {**_AT, "target": "step", "value": "1", "under": "not (self.fast)"}, "holds", _FILES
        ),
        Case("augmented", {**_AT, "target": "self.seen", "value": "1", "operator": "+="}, "holds", _FILES),
        Case("another operator", {**_AT, "target": "step", "value": "self.a - self.b"}, "contradicted", _FILES),
        Case("one of two", {**_AT, "target": "step", "value": "1"}, "contradicted", _FILES),
        Case(
            "one of two, in its branch",
            {**_AT, "target": "step", "value": "1", "under": "not (self.fast)", "only": True},
            "contradicted",
            _FILES,
        ),
        Case("another branch", {**_AT, "target": "step", "value": "1", "under": "self.fast"}, "contradicted", _FILES),
        Case("nothing is assigned", {**_AT, "target": "stop", "value": "1"}, "gone", _FILES),
    ),
)
