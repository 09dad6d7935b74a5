"""An expression that a function returns or contains, up to formatting."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...config.fields import Field
from ...errors import ConfigurationError
from ...model.evidence import Comparison
from ...model.place import LineRange
from ...model.verdict import Contradicted, Holds, Verdict
from ..context import Context
from ..kind import ENGINE, PATH, SYMBOL, Case, Kind, Params
from ..source_facts import returns, wanted_form
from ..structure import Form, code_of, fits, form, nodes

if TYPE_CHECKING:
    import libcst as cst


def check(params: Params, context: Context) -> Verdict:
    """`returns`: some return gives it (every one, with `only`). `occurs`: it stands somewhere in the definition."""
    if ("returns" in params) == ("occurs" in params):
        raise ConfigurationError("an `expression` check states either `returns` or `occurs`")
    located = context.symbol(params["engine"], params["path"], params["symbol"])
    found = located.statements
    if "occurs" in params:
        wanted = wanted_form(params["occurs"], "occurs")
        hint = max(_names(wanted), key=len, default="")

        def is_it(node: cst.CSTNode) -> bool:
            return fits(wanted, form(node))

        hits = nodes(found, hint, is_it)
        if hits:
            lines = LineRange(hits[0].line, hits[0].line)
            return Holds(f"{hits[0].code} at L{hits[0].line}", located.at(lines), (located.shown(lines),))
        compared = Comparison(f"in {located.symbol.name}", params["occurs"], "no such expression")
        return Contradicted(f"{located.symbol.name} has no {params['occurs']}", (compared,), located.place)
    wanted = wanted_form(params["returns"], "returns")
    given = returns(found)
    fitting = [r for r in given if fits(wanted, form(r.value) if r.value is not None else "None")]
    if fitting and not (params.get("only") and len(fitting) < len(given)):
        lines = fitting[0].statement.lines
        return Holds(f"returns {params['returns']}", located.at(lines), (located.shown(lines),))
    other = [r for r in given if r not in fitting]
    values = "; ".join(dict.fromkeys(code_of(r.value) if r.value is not None else "None" for r in other)) or "nothing"
    shown = tuple(located.shown(r.statement.lines) for r in other[:4])
    return Contradicted(
        f"{located.symbol.name} returns {values}",
        (Comparison("returned", params["returns"], values), *shown),
        located.at(other[0].statement.lines) if other else located.place,
    )


def _names(wanted: Form) -> list[str]:
    """Names of a form that its text must contain."""
    if isinstance(wanted, str):
        return [wanted]
    found: list[str] = []
    for part in wanted[1:] if wanted and isinstance(wanted[0], str) else wanted:
        if isinstance(part, str):
            if part.isidentifier():
                found.append(part)
        elif isinstance(part, tuple):
            found.extend(_names(part))
    return found


_FILES = {
    "toy/size.py": (
        "class Page:\n    @property\n    def size(self):\n        if self.fixed:\n            return self.fixed\n"
        "        return (\n            self.heads  # of one rank\n            * self.width\n        )\n"
    )
}
_AT = {"engine": "toy", "path": "toy/size.py", "symbol": "Page.size"}

KIND = Kind(
    name="expression",
    summary="An expression that a function returns or contains, up to formatting.",
    fields=(
        ENGINE,
        PATH,
        SYMBOL,
        Field("returns", "str", "the returned expression; `...` stands for any part"),
        Field("occurs", "str", "an expression anywhere in the definition"),
        Field("only", "bool", "every return gives it"),
    ),
    check=check,
    cases=(
        Case("returned, formatted otherwise", {**_AT, "returns": "self.heads * self.width"}, "holds", _FILES),
        Case("occurs", {**_AT, "occurs": "self.width"}, "holds", _FILES),
        Case("any factor", {**_AT, "returns": "self.heads * ..."}, "holds", _FILES),
        Case("another operator", {**_AT, "returns": "self.heads + self.width"}, "contradicted", _FILES),
        Case("one return of two", {**_AT, "returns": "self.heads * self.width", "only": True}, "contradicted", _FILES),
        Case("does not occur", {**_AT, "occurs": "self.depth"}, "contradicted", _FILES),
    ),
)
