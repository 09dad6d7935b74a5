"""The default and the annotation of a field, a parameter or a constant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...config.fields import Field
from ...errors import ConfigurationError
from ...model.evidence import Comparison, Evidence
from ...model.verdict import Contradicted, Gone, Holds, Verdict
from ..context import Context, LocatedSymbol
from ..kind import ENGINE, PATH, SYMBOL, Case, Kind, Params
from ..source_facts import annotation_fits, default_of, header_of, members_of, parameters, wanted_form
from ..structure import Statement, code_of, fits, form

if TYPE_CHECKING:
    import libcst as cst


def check(params: Params, context: Context) -> Verdict:
    """Compared structurally: quote style and line breaks do not count, nor quotes or union order of annotations."""
    if "default" not in params and "annotation" not in params:
        raise ConfigurationError("a `default` check states a default, an annotation or both")
    located = context.symbol(params["engine"], params["path"], params["symbol"])
    name = params.get("parameter", located.symbol.short)
    declared = _declared(located, params.get("parameter"))
    if declared is None:
        return Gone(f"{params['symbol']} declares no {name}")
    annotation, value, statement = declared
    wrong: list[Evidence] = []
    said: list[str] = []
    for what, node in (("default", default_of(value)), ("annotation", annotation)):
        if what not in params:
            continue
        found = code_of(node) if node is not None else f"no {what}"
        said.append(f"{what} {found}")
        if what == "annotation":
            same = annotation_fits(params[what], node, what)
        else:
            same = node is not None and fits(wanted_form(params[what], what), form(node))
        if not same:
            wrong.append(Comparison(f"{what} of {name}", params[what], found))
    shown = located.shown(statement.lines)
    place = located.at(statement.lines)
    if wrong:
        return Contradicted(f"{name} has {' and '.join(said)}", (*wrong, shown), place)
    return Holds(f"{name} has {' and '.join(said)}", place, (shown,))


def _declared(
    located: LocatedSymbol, parameter: str | None
) -> tuple[cst.BaseExpression | None, cst.BaseExpression | None, Statement] | None:
    if parameter is None:
        for statement in located.statements:
            for member in members_of(statement):
                return member.annotation, member.value, statement
        return None
    header = header_of(located)
    for one in parameters(header) if header is not None else ():
        if one.name == parameter and header is not None:
            return one.annotation, one.default, header
    return None


_FILES = {
    "toy/queue.py": (
        "class Queue:\n    limit: int | None = field(default=None)\n    name: str = 'q'\n"
        "    next: 'Queue | dict[str, None | int] | None' = None\n\n"
        "    def push(self, item, retries: int = 3):\n        return item\n"
    )
}
_AT = {"engine": "toy", "path": "toy/queue.py"}

KIND = Kind(
    name="default",
    summary="The default value and the annotation of a field, a parameter or a constant.",
    fields=(
        ENGINE,
        PATH,
        SYMBOL,
        Field("parameter", "str", "the parameter, where the symbol is a function"),
        Field("default", "str", "the default, as an expression"),
        Field("annotation", "str", "the annotation, as an expression"),
    ),
    check=check,
    cases=(
        Case("a field, whatever the quotes", {**_AT, "symbol": "Queue.name", "default": '"q"'}, "holds", _FILES),
        Case(
            "inside field()",
            {**_AT, "symbol": "Queue.limit", "default": "None", "annotation": "int | None"},
            "holds",
            _FILES,
        ),
        Case(
            "an annotation in quotes, its union in another order",
            {**_AT, "symbol": "Queue.next", "annotation": "None | Queue | dict[str, int | None]"},
            "holds",
            _FILES,
        ),
        Case(
            "a member of the union more",
            {**_AT, "symbol": "Queue.next", "annotation": "None | Queue"},
            "contradicted",
            _FILES,
        ),
        Case("a parameter", {**_AT, "symbol": "Queue.push", "parameter": "retries", "default": "3"}, "holds", _FILES),
        Case("another default", {**_AT, "symbol": "Queue.name", "default": '"p"'}, "contradicted", _FILES),
        Case(
            "no default",
            {**_AT, "symbol": "Queue.push", "parameter": "item", "default": "None"},
            "contradicted",
            _FILES,
        ),
        Case(
            "no such parameter", {**_AT, "symbol": "Queue.push", "parameter": "delay", "default": "1"}, "gone", _FILES
        ),
        Case("no such field", {**_AT, "symbol": "Queue.size", "default": "1"}, "gone", _FILES),
    ),
)
