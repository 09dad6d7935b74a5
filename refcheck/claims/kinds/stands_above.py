"""What stands above what in a class or a function."""

from __future__ import annotations

from ...config.fields import Field
from ...model.evidence import Comparison
from ...model.verdict import Contradicted, Gone, Holds, Verdict
from ..context import Context
from ..kind import ENGINE, PATH, SYMBOL, Case, Kind, Params
from ..source_facts import members


def check(params: Params, context: Context) -> Verdict:
    """Every field of `upper` stands above the field `lower`."""
    located = context.symbol(params["engine"], params["path"], params["symbol"])
    lines = {m.name: m.statement.lines for m in members(located)}
    stated = [*map(str, params["upper"]), params["lower"]]
    missing = [name for name in stated if name not in lines]
    if missing:
        return Gone(f"{located.symbol.name} has no field {', '.join(missing)}")
    where = ", ".join(f"{name} L{lines[name].first}" for name in stated)
    below = [name for name in stated[:-1] if lines[name].first > lines[stated[-1]].first]
    shown = tuple(located.shown(lines[name]) for name in stated)
    if below:
        compared = Comparison(f"above {params['lower']}", ", ".join(stated[:-1]), where)
        return Contradicted(
            f"{', '.join(below)} stands below {params['lower']}", (compared, *shown), located.at(lines[below[0]])
        )
    return Holds(where, located.at(lines[stated[0]]), shown)


_FILES = {"toy/batch.py": "class Batch:\n    starts: Tensor\n    sizes: Tensor\n    count: int = 0\n"}
_AT = {"engine": "toy", "path": "toy/batch.py", "symbol": "Batch"}

KIND = Kind(
    name="stands-above",
    summary="Fields that stand above another one in their class.",
    fields=(
        ENGINE,
        PATH,
        SYMBOL,
        Field("upper", "list", "the fields above", required=True),
        Field("lower", "str", "the field below them", required=True),
    ),
    check=check,
    cases=(
        Case("above", {**_AT, "upper": ["starts", "sizes"], "lower": "count"}, "holds", _FILES),
        Case("below", {**_AT, "upper": ["starts", "count"], "lower": "sizes"}, "contradicted", _FILES),
        Case("no such field", {**_AT, "upper": ["ends"], "lower": "count"}, "gone", _FILES),
    ),
)
