"""Definitions that return expressions different from each other."""

from __future__ import annotations

from ...config.fields import Field
from ...model.evidence import Comparison, Values
from ...model.verdict import Contradicted, Holds, Verdict
from ..context import Context
from ..kind import ENGINE, Case, Kind, Params
from ..source_facts import returns
from ..structure import Form, code_of, form


def check(params: Params, context: Context) -> Verdict:
    """The last `return` of each definition (the general case, after guards) is compared structurally."""
    by_form: dict[Form, list[str]] = {}
    items: list[tuple[str, str]] = []
    for entry in params["definitions"]:
        located = context.symbol(params["engine"], entry["path"], entry["symbol"])
        given = returns(located.statements)
        value = given[-1].value if given else None
        at = f"{located.symbol.name} (L{given[-1].line})" if given else located.symbol.name
        items.append((at, code_of(value) if value is not None else "None"))
        by_form.setdefault(form(value) if value is not None else "None", []).append(located.symbol.name)
    alike = [names for names in by_form.values() if len(names) > 1]
    found = Values(tuple(items))
    if alike:
        said = "; ".join(" = ".join(names) for names in alike)
        compared = Comparison("different results", str(len(items)), str(len(by_form)))
        return Contradicted(f"the same expression is returned: {said}", (compared, found))
    return Holds(f"{len(items)} definitions return different expressions", evidence=(found,))


_FILES = {
    "toy/a.py": (
        "class A:\n    def shape(n, m):\n        return (n, m)\n\n\n"
        "class B:\n    def shape(n, m):\n        return n, m\n"
    ),
    "toy/c.py": "class C:\n    def shape(n, m):\n        return (m, n)\n",
}


def _entry(path: str, name: str) -> dict[str, str]:
    return {"path": path, "symbol": f"{name}.shape"}


KIND = Kind(
    name="distinct",
    summary="Several definitions return expressions that differ from each other.",
    fields=(ENGINE, Field("definitions", "list", "tables of `path` and `symbol`", required=True)),
    check=check,
    paths=lambda params: [(params["engine"], entry["path"]) for entry in params["definitions"]],
    cases=(
        Case(
            "different",
            {"engine": "toy", "definitions": [_entry("toy/a.py", "A"), _entry("toy/c.py", "C")]},
            "holds",
            _FILES,
        ),
        Case(
            "the same but for brackets",
            {"engine": "toy", "definitions": [_entry("toy/a.py", "A"), _entry("toy/a.py", "B")]},
            "contradicted",
            _FILES,
        ),
    ),
)
