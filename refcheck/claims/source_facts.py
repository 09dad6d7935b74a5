"""What several kinds of claims read from a definition: parameters, class members, assignments, calls."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..errors import ConfigurationError
from .context import LocatedSymbol
from .patterns import UnboundedPattern, bounded_pattern
from .structure import (
    Conditions,
    Form,
    Hit,
    Statement,
    annotation_form,
    code_of,
    conditions,
    expression_form,
    fits,
    form,
    nodes,
)

if TYPE_CHECKING:
    import libcst as cst


def wanted_form(code: str, what: str) -> Form:
    """The form of an expression that a claim states. Raises ConfigurationError if it is none."""
    try:
        return expression_form(code)
    except ValueError as error:
        raise ConfigurationError(f"{what}: {error}") from error


def annotation_fits(stated: str, found: cst.CSTNode | None, what: str) -> bool:
    """Whether an annotation is the stated one, quotes and the order of a union aside.

    Raises ConfigurationError if the stated text is none.
    """
    try:
        wanted = annotation_form(stated)
    except ValueError as error:
        raise ConfigurationError(f"{what}: {error}") from error
    return found is not None and fits(wanted, annotation_form(found))


def wanted_pattern(text: object, what: str) -> re.Pattern[str]:
    """A regular expression that a claim states. Raises ConfigurationError if it is none."""
    try:
        return bounded_pattern(str(text))
    except (re.error, UnboundedPattern) as error:
        raise ConfigurationError(f"{what}: not a regular expression: {text!r} ({error})") from error


# --- parameters ------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parameter:
    """`star` is `*`, `**` or empty; annotation and default are None where there is none."""

    name: str
    star: str
    annotation: cst.BaseExpression | None
    default: cst.BaseExpression | None

    def __str__(self) -> str:
        text = self.star + self.name
        if self.annotation is not None:
            text += f": {code_of(self.annotation)}"
        if self.default is not None:
            text += f" = {code_of(self.default)}"
        return text


def header_of(located: LocatedSymbol) -> Statement | None:
    """The `def` or `class` line of a definition."""
    return next((s for s in located.statements if s.keyword in ("def", "class")), None)


def parameters(header: Statement) -> tuple[Parameter, ...]:
    """The parameters of a `def` in order."""
    import libcst as cst

    node = header.node
    if not isinstance(node, cst.FunctionDef):
        return ()
    declared = node.params
    found: list[Parameter] = []

    def add(param: cst.Param, star: str = "") -> None:
        annotation = param.annotation.annotation if param.annotation else None
        found.append(Parameter(param.name.value, star, annotation, param.default))

    for param in (*declared.posonly_params, *declared.params):
        add(param)
    if isinstance(declared.star_arg, cst.Param):
        add(declared.star_arg, "*")
    for param in declared.kwonly_params:
        add(param)
    if declared.star_kwarg is not None:
        add(declared.star_kwarg, "**")
    return tuple(found)


# --- members of a class ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Member:
    """A name that a class body sets or declares."""

    name: str
    annotation: cst.BaseExpression | None
    value: cst.BaseExpression | None
    statement: Statement


def members(located: LocatedSymbol) -> tuple[Member, ...]:
    """Fields, class attributes and enum members in order; methods and nested classes are left out."""
    header = header_of(located)
    if header is None:
        return ()
    found = located.statements
    body = [s for s in found if s.indent > header.indent]
    if not body:
        return ()
    own = min(s.indent for s in body)
    return tuple(m for s in body if s.indent == own and not s.keyword for m in members_of(s))


def members_of(statement: Statement) -> tuple[Member, ...]:
    """What one statement sets."""
    import libcst as cst

    if "=" not in statement.text and ":" not in statement.text:
        return ()
    node = statement.node
    if not isinstance(node, cst.SimpleStatementLine):
        return ()
    found: list[Member] = []
    for small in node.body:
        if isinstance(small, cst.AnnAssign) and isinstance(small.target, cst.Name):
            found.append(Member(small.target.value, small.annotation.annotation, small.value, statement))
        elif isinstance(small, cst.Assign):
            found.extend(
                Member(t.target.value, None, small.value, statement)
                for t in small.targets
                if isinstance(t.target, cst.Name)
            )
    return tuple(found)


def default_of(value: cst.BaseExpression | None) -> cst.BaseExpression | None:
    """The default that a field's value gives: `field(default=X)` and its kin give X."""
    import libcst as cst

    if isinstance(value, cst.Call) and code_of(value.func).rpartition(".")[2] in ("field", "Field", "mapped_column"):
        for arg in value.args:
            if arg.keyword is not None and arg.keyword.value in ("default", "default_factory"):
                return arg.value
        first = value.args[0] if value.args else None
        return first.value if first is not None and first.keyword is None else None
    return value


# --- statements of a function ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Assignment:
    """`target op value`; `op` is `=` or an augmented one (`+=`)."""

    target: cst.BaseExpression
    op: str
    value: cst.BaseExpression
    statement: Statement

    @property
    def line(self) -> int:
        return self.statement.lines.first

    def __str__(self) -> str:
        return f"{code_of(self.target)} {self.op} {code_of(self.value)}"


def assignments(found: Sequence[Statement], target: str) -> list[Assignment]:
    """The assignments to a target (`x`, `self.x`, `a, b`, `d[...]`), annotated and augmented ones included."""
    import libcst as cst

    wanted = wanted_form(target, "target")
    hint = target.replace("(", " ").replace(",", " ").split()[0].partition("[")[0].rpartition(".")[2]
    hits: list[Assignment] = []
    for statement in found:
        if hint not in statement.text or "=" not in statement.text:
            continue
        for small in statement.small:
            if isinstance(small, cst.Assign):
                hits.extend(
                    Assignment(t.target, "=", small.value, statement)
                    for t in small.targets
                    if _targets(wanted, t.target)
                )
            elif isinstance(small, cst.AnnAssign) and small.value is not None and _targets(wanted, small.target):
                hits.append(Assignment(small.target, "=", small.value, statement))
            elif isinstance(small, cst.AugAssign) and _targets(wanted, small.target):
                hits.append(Assignment(small.target, code_of(small.operator), small.value, statement))
    return hits


def _targets(wanted: Form, target: cst.BaseExpression) -> bool:
    return fits(wanted, form(target))


def calls(found: Sequence[Statement], callee: str) -> list[Hit]:
    """The calls of `callee`: exactly that expression, or, where it is a bare name, a method of any receiver too."""
    import libcst as cst

    wanted = wanted_form(callee, "call")
    bare = isinstance(wanted, str)

    def is_call(node: cst.CSTNode) -> bool:
        if not isinstance(node, cst.Call):
            return False
        func = node.func
        if bare and isinstance(func, cst.Attribute):
            return func.attr.value == wanted
        return fits(wanted, form(func))

    return nodes(found, callee.rpartition(".")[2].partition("[")[0], is_call)


@dataclass(frozen=True)
class Return:
    """A `return` and what it gives (None for a bare one)."""

    value: cst.BaseExpression | None
    statement: Statement
    line: int


def returns(found: Sequence[Statement]) -> list[Return]:
    """The `return` statements, those on a header's own line included."""
    import libcst as cst

    hits = nodes(found, "return", lambda node: isinstance(node, cst.Return))
    return [Return(h.node.value, h.statement, h.line) for h in hits if isinstance(h.node, cst.Return)]


def arguments_fit(call: cst.CSTNode, stated: Mapping[str, Any] | Sequence[Any], what: str) -> bool:
    """Whether a call passes these arguments: a list is all of them in order, a table the keywords among them."""
    import libcst as cst

    if not isinstance(call, cst.Call):
        return False
    if isinstance(stated, Mapping):
        given = {arg.keyword.value: form(arg.value) for arg in call.args if arg.keyword is not None}
        return all(name in given and fits(wanted_form(str(v), what), given[name]) for name, v in stated.items())
    if len(stated) != len(call.args):
        return False
    return all(fits(wanted_form(str(v), what), form(arg.value)) for v, arg in zip(stated, call.args, strict=True))


def under(found: Sequence[Statement], statement: Statement) -> Conditions:
    """The tests around a statement, without `with` and `try`."""
    around = conditions(found, statement)
    kept = [
        (text, line)
        for text, line in zip(around.items, around.lines, strict=True)
        if not text.startswith(("with ", "async with ", "try", "else"))
    ]
    return Conditions(tuple(t for t, _ in kept), tuple(n for _, n in kept))


def same_condition(stated: str, found: str) -> bool:
    """Two conditions as text, formatting aside."""
    if stated == found:
        return True
    try:
        return expression_form(stated) == expression_form(found)
    except ValueError:
        return False
