"""The members of an enumeration, in their order."""

from __future__ import annotations

from ...config.fields import Field
from ...model.evidence import Comparison, Note
from ...model.place import LineRange
from ...model.verdict import Contradicted, Holds, Verdict
from ..context import Context
from ..kind import ENGINE, PATH, SYMBOL, Case, Kind, Params
from ..source_facts import members


def check(params: Params, context: Context) -> Verdict:
    """The stated members must be the first ones; further ones are named in the message, or refused if `complete`."""
    located = context.symbol(params["engine"], params["path"], params["symbol"])
    stated = [str(name) for name in params["members"]]
    declared = [m for m in members(located) if not m.name.startswith("_")]
    names = [m.name for m in declared]
    compared = Comparison(f"members of {located.symbol.name}", ", ".join(stated), ", ".join(names))
    if names[: len(stated)] != stated:
        return Contradicted(
            f"{located.symbol.name} begins {', '.join(names[: len(stated)])}", (compared,), located.place
        )
    further = names[len(stated) :]
    if further and params.get("complete"):
        return Contradicted(f"{located.symbol.name} has {len(further)} more: {', '.join(further)}", (compared,))
    lines = LineRange(declared[0].statement.lines.first, declared[len(stated) - 1].statement.lines.last)
    evidence = (located.shown(lines), *((Note(f"further members: {', '.join(further)}"),) if further else ()))
    more = f"; {len(further)} more follow: {', '.join(further)}" if further else ""
    return Holds(f"{', '.join(stated)} in this order{more}", located.at(lines), evidence)


_FILES = {
    "toy/state.py": (
        "class State(Enum):\n    IDLE = 1\n    BUSY = 2\n    DONE = 3\n\n    def is_done(self):\n        return 1\n"
    )
}
_AT = {"engine": "toy", "path": "toy/state.py", "symbol": "State"}

KIND = Kind(
    name="enum",
    summary="The members of an enumeration in order; the leading ones may be stated alone.",
    fields=(
        ENGINE,
        PATH,
        SYMBOL,
        Field("members", "list", "names in order, from the first one on", required=True),
        Field("complete", "bool", "no further member may follow"),
    ),
    check=check,
    cases=(
        Case("all of them", {**_AT, "members": ["IDLE", "BUSY", "DONE"], "complete": True}, "holds", _FILES),
        Case("the first two", {**_AT, "members": ["IDLE", "BUSY"]}, "holds", _FILES),
        Case("reordered", {**_AT, "members": ["BUSY", "IDLE"]}, "contradicted", _FILES),
        Case("one is missing", {**_AT, "members": ["IDLE", "BUSY"], "complete": True}, "contradicted", _FILES),
        Case("one too many", {**_AT, "members": ["IDLE", "BUSY", "DONE", "LOST"]}, "contradicted", _FILES),
    ),
)
