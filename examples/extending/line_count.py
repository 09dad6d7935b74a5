"""A claim kind: how many lines a definition has at most."""

from __future__ import annotations

from refcheck.claims.context import Context
from refcheck.claims.kind import ENGINE, PATH, SYMBOL, Case, Kind, Params
from refcheck.config.fields import Field
from refcheck.model.evidence import Comparison
from refcheck.model.verdict import Contradicted, Holds, Verdict


def check(params: Params, context: Context) -> Verdict:
    """`context.symbol` ends the check as `gone` where there is no such definition."""
    located = context.symbol(params["engine"], params["path"], params["symbol"])
    lines = located.symbol.lines
    count = lines.last - lines.first + 1
    message = f"{located.symbol.name} has {count} lines"
    if count <= params["at_most"]:
        return Holds(message, located.place)
    what = f"lines of {located.symbol.name}"
    return Contradicted(message, (Comparison(what, f"at most {params['at_most']}", str(count)),), located.place)


_FILES = {"toy/queue.py": "def push(item):\n    check(item)\n    return item\n"}
_AT = {"engine": "toy", "path": "toy/queue.py"}

KIND = Kind(
    name="line-count",
    summary="How many lines a definition has at most.",
    fields=(ENGINE, PATH, SYMBOL, Field("at_most", "int", "the greatest number of lines", required=True)),
    check=check,
    cases=(
        Case("short enough", {**_AT, "symbol": "push", "at_most": 3}, "holds", _FILES),
        Case("too long", {**_AT, "symbol": "push", "at_most": 2}, "contradicted", _FILES),
        Case("no such function", {**_AT, "symbol": "pop", "at_most": 3}, "gone", _FILES),
    ),
)
