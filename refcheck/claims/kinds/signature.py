"""The parameters of a function: which, in what order, with what defaults, and which are not there."""

from __future__ import annotations

import re

from ...config.fields import Field
from ...errors import ConfigurationError
from ...model.evidence import Comparison, Evidence
from ...model.verdict import Contradicted, Gone, Holds, Verdict
from ..context import Context
from ..kind import ENGINE, PATH, SYMBOL, Case, Kind, Params
from ..source_facts import Parameter, annotation_fits, header_of, parameters, wanted_form, wanted_pattern
from ..structure import fits, form

_STATED = re.compile(r"(\*{0,2}\w+)\s*(?::\s*(.+?))?\s*(?:=(?!=)\s*(.+))?\Z", re.DOTALL)


def check(params: Params, context: Context) -> Verdict:
    """`parameters` are all of them in order (`self` and `cls` aside), each `name`, `name: T`, `name = default`."""
    for stated in (*params.get("parameters", ()), *params.get("present", ())):
        _parts(str(stated))
    located = context.symbol(params["engine"], params["path"], params["symbol"])
    header = header_of(located)
    if header is None or header.keyword != "def":
        return Gone(f"{located.symbol.name} is not a function in {located.path}")
    declared = tuple(p for p in parameters(header) if p.name not in ("self", "cls"))
    names = [p.star + p.name for p in declared]
    wrong: list[Evidence] = []
    if "parameters" in params:
        stated = [str(p) for p in params["parameters"]]
        if len(stated) != len(declared) or not all(map(_same, stated, declared)):
            wrong.append(Comparison("parameters", ", ".join(stated), ", ".join(map(str, declared))))
    for name in params.get("present", ()):
        if not any(_same(str(name), one) for one in declared):
            wrong.append(Comparison("parameter present", str(name), ", ".join(names)))
    for pattern in params.get("absent", ()):
        wrong.extend(
            Comparison(f"no parameter {pattern}", "none", str(one))
            for one in declared
            if wanted_pattern(pattern, "absent").fullmatch(one.name)
        )
    shown = located.shown(header.lines)
    place = located.at(header.lines)
    listed = ", ".join(names) or "nothing"
    if wrong:
        return Contradicted(f"{located.symbol.name} takes {listed}", (*wrong, shown), place)
    return Holds(f"{located.symbol.name} takes {listed}", place, (shown,))


def _parts(stated: str) -> tuple[str, str | None, str | None]:
    """Name, annotation and default. Raises ConfigurationError for a text that is no parameter."""
    match = _STATED.match(stated.strip())
    if match is None:
        raise ConfigurationError(f"not a parameter: {stated!r} (want `name`, `name: type`, `name = default`)")
    name, annotation, default = match.groups()
    return name, annotation, default


def _same(stated: str, found: Parameter) -> bool:
    name, annotation, default = _parts(stated)
    if name != found.star + found.name:
        return False
    if annotation and not annotation_fits(annotation, found.annotation, "parameter"):
        return False
    node = found.default
    return not default or (node is not None and fits(wanted_form(default, "parameter"), form(node)))


_FILES = {
    "toy/queue.py": (
        "class Queue:\n    def push(\n        self,\n        item: Item,\n        delay: float = 0.5,\n"
        "        *args,\n        retry=None,\n    ):\n        pass\n"
    )
}
_AT = {"engine": "toy", "path": "toy/queue.py", "symbol": "Queue.push"}

KIND = Kind(
    name="signature",
    summary="The parameters of a function, present and absent, in order, with annotations and defaults.",
    fields=(
        ENGINE,
        PATH,
        SYMBOL,
        Field("parameters", "list", "all parameters in order, `self` and `cls` aside"),
        Field("present", "list", "parameters that must be among them"),
        Field("absent", "list", "regular expressions that no parameter's whole name may match"),
    ),
    check=check,
    cases=(
        Case("names alone", {**_AT, "parameters": ["item", "delay", "*args", "retry"]}, "holds", _FILES),
        Case(
            "with types and defaults",
            {**_AT, "parameters": ["item: Item", "delay: float = 0.5", "*args", "retry = None"]},
            "holds",
            _FILES,
        ),
        Case("a type in quotes", {**_AT, "present": ["delay: 'float'"]}, "holds", _FILES),
        Case("absent", {**_AT, "absent": ["priority"], "present": ["delay = 0.5"]}, "holds", _FILES),
        Case("one is missing", {**_AT, "parameters": ["item", "delay", "retry"]}, "contradicted", _FILES),
        Case("another order", {**_AT, "parameters": ["delay", "item", "*args", "retry"]}, "contradicted", _FILES),
        Case("another default", {**_AT, "present": ["delay = 1.5"]}, "contradicted", _FILES),
        Case("present after all", {**_AT, "absent": ["re.*"]}, "contradicted", _FILES),
        Case("no such function", {**_AT, "symbol": "Queue.pop", "absent": ["x"]}, "gone", _FILES),
    ),
)
