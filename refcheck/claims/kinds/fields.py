"""The fields of a class, in order."""

from __future__ import annotations

from ...config.fields import Field
from ...model.evidence import Comparison
from ...model.verdict import Contradicted, Holds, Verdict
from ..context import Context
from ..kind import ENGINE, PATH, SYMBOL, Case, Kind, Params
from ..source_facts import annotation_fits, members
from ..structure import code_of


def check(params: Params, context: Context) -> Verdict:
    """The stated fields stand in this order; others may stand between them unless `complete`."""
    located = context.symbol(params["engine"], params["path"], params["symbol"])
    stated = [str(name) for name in params["fields"]]
    declared = members(located)
    names = [m.name for m in declared]
    order = [name for name in names if name in stated]
    compared = Comparison(f"fields of {located.symbol.name}", ", ".join(stated), ", ".join(order) or "none of them")
    missing = [name for name in stated if name not in names]
    if missing:
        return Contradicted(f"{located.symbol.name} has no field {', '.join(missing)}", (compared,), located.place)
    if order != stated:
        return Contradicted(f"the fields stand as {', '.join(order)}", (compared,), located.place)
    if params.get("complete") and len(names) > len(stated):
        more = [name for name in names if name not in stated]
        return Contradicted(f"{located.symbol.name} has {', '.join(more)} too", (compared,), located.place)
    chosen = [next(m for m in declared if m.name == name) for name in stated]
    if "annotation" in params:
        odd = [m for m in chosen if not annotation_fits(params["annotation"], m.annotation, "annotation")]
        if odd:
            found = ", ".join(f"{m.name}: {code_of(m.annotation) if m.annotation else 'none'}" for m in odd)
            return Contradicted(
                f"another annotation: {found}",
                (Comparison("annotation", params["annotation"], found), located.shown(odd[0].statement.lines)),
                located.at(odd[0].statement.lines),
            )
    shown = tuple(located.shown(m.statement.lines) for m in chosen[:6])
    first = chosen[0].statement.lines
    return Holds(f"{located.symbol.name} has {', '.join(stated)} in this order", located.at(first), shown)


_FILES = {"toy/batch.py": "class Batch:\n    starts: Tensor\n    # how many\n    sizes: Tensor\n    count: int = 0\n"}
_AT = {"engine": "toy", "path": "toy/batch.py", "symbol": "Batch"}

KIND = Kind(
    name="fields",
    summary="The fields of a class in order, with others between them or not.",
    fields=(
        ENGINE,
        PATH,
        SYMBOL,
        Field("fields", "list", "names in order", required=True),
        Field("complete", "bool", "the class has no other field"),
        Field("annotation", "str", "the annotation that each of them has"),
    ),
    check=check,
    cases=(
        Case("some of them", {**_AT, "fields": ["starts", "count"]}, "holds", _FILES),
        Case("of one type", {**_AT, "fields": ["starts", "sizes"], "annotation": "Tensor"}, "holds", _FILES),
        Case("a type in quotes", {**_AT, "fields": ["starts"], "annotation": "'Tensor'"}, "holds", _FILES),
        Case("all of them", {**_AT, "fields": ["starts", "sizes", "count"], "complete": True}, "holds", _FILES),
        Case("another order", {**_AT, "fields": ["sizes", "starts"]}, "contradicted", _FILES),
        Case("no such field", {**_AT, "fields": ["starts", "ends"]}, "contradicted", _FILES),
        Case("another type", {**_AT, "fields": ["starts", "count"], "annotation": "Tensor"}, "contradicted", _FILES),
        Case("not all of them", {**_AT, "fields": ["starts", "sizes"], "complete": True}, "contradicted", _FILES),
    ),
)
