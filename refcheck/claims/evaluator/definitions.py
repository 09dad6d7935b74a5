"""Functions, classes and enumerations as values, made from the source text of their definition."""

from __future__ import annotations

from collections.abc import Mapping

import libcst as cst

from refcheck.claims.evaluator.budget import Budget, Meter
from refcheck.claims.evaluator.failures import EvaluationError, Unsupported
from refcheck.claims.evaluator.source import Source, Unit, parse
from refcheck.claims.evaluator.statements import HARMLESS_DECORATORS, dotted_name
from refcheck.claims.evaluator.text import literal_text
from refcheck.claims.evaluator.values import EnumClass, Function, Scope, SourceClass, Symbol, Value

_PROPERTIES = frozenset({"property", "cached_property"})


def function_from(
    source: str | Source,
    names: Mapping[str, Value],
    *,
    name: str | None = None,
    harmless: frozenset[str] = HARMLESS_DECORATORS,
) -> Function:
    """The function that `source` defines (the one called `name`, if it defines several).

    `names` are what its body may refer to. Raises `EvaluationError` if there is no such definition, `Unsupported` for
    a decorator whose effect is not known.
    """
    unit = parse(source)
    for statement in unit.body:
        if isinstance(statement, cst.FunctionDef) and name in {None, statement.name.value}:
            return _function(statement, unit, Scope(_as_dict(names), None, unit), harmless)
    wanted = f"no definition of {name}" if name else "no function definition"
    raise EvaluationError(f"{unit.source.path or 'the source'} holds {wanted}")


def _as_dict(names: Mapping[str, Value]) -> dict[str, Value]:
    # The very same dict if it is one: definitions that refer to each other are added to it one after the other.
    return names if isinstance(names, dict) else dict(names)


def _function(node: cst.FunctionDef, unit: Unit, scope: Scope, harmless: frozenset[str]) -> Function:
    kind = "function"
    for decorator in node.decorators:
        expression = decorator.decorator
        dotted = dotted_name(expression.func if isinstance(expression, cst.Call) else expression) or ""
        last = dotted.rpartition(".")[2]
        if last not in harmless:
            raise Unsupported(
                f"decorator {dotted or 'that is an expression'} of {node.name.value}", unit.where(decorator)
            )
        if last in _PROPERTIES:
            kind = "property"
        elif last == "staticmethod":
            kind = "static"
        elif last == "classmethod":
            kind = "class"
    return Function(node.name.value, node, unit, scope, kind=kind)


def class_from(source: str | Source, names: Mapping[str, Value]) -> SourceClass:
    """The class that `source` defines: the functions and field defaults of its body, nothing evaluated yet.

    Functions with decorators of unknown effect (setters, validators) are left out, as if they did not exist.
    """
    unit = parse(source)
    for statement in unit.body:
        if isinstance(statement, cst.ClassDef):
            return _class(statement, unit, names)
    raise EvaluationError(f"{unit.source.path or 'the source'} holds no class definition")


def _class(node: cst.ClassDef, unit: Unit, names: Mapping[str, Value]) -> SourceClass:
    scope = Scope(_as_dict(names), None, unit)
    functions: dict[str, Function] = {}
    defaults: dict[str, object] = {}
    for statement in node.body.body:
        if isinstance(statement, cst.FunctionDef):
            try:
                functions.setdefault(statement.name.value, _function(statement, unit, scope, HARMLESS_DECORATORS))
            except Unsupported:
                continue
        elif isinstance(statement, cst.SimpleStatementLine):
            for small in statement.body:
                if isinstance(small, cst.AnnAssign) and isinstance(small.target, cst.Name) and small.value is not None:
                    defaults[small.target.value] = small.value
                elif isinstance(small, cst.Assign) and isinstance(small.targets[0].target, cst.Name):
                    defaults[small.targets[0].target.value] = small.value
    decorators = {
        (dotted_name(d.decorator.func if isinstance(d.decorator, cst.Call) else d.decorator) or "").rpartition(".")[2]
        for d in node.decorators
    }
    return SourceClass(node.name.value, unit, defaults, functions, _as_dict(names), "dataclass" in decorators)


def enumeration_from(source: str | Source, names: Mapping[str, Value]) -> EnumClass:
    """The enumeration that `source` defines: members with plain values or `auto()`, properties and methods.

    A member whose value is anything else gets None as its value. Bases named IntEnum, `int` or `str` make members
    equal to their values.
    """
    unit = parse(source)
    node = next((statement for statement in unit.body if isinstance(statement, cst.ClassDef)), None)
    if node is None:
        raise EvaluationError(f"{unit.source.path or 'the source'} holds no class definition")
    cls = _class(node, unit, names)
    bases = {(dotted_name(base.value) or "").rpartition(".")[2] for base in node.bases}
    mixin = "int" if bases & {"IntEnum", "IntFlag", "int"} else "str" if bases & {"StrEnum", "str"} else None
    enumeration = EnumClass(cls.name, mixin=mixin, classes=(cls,))
    last: Value = 0
    for name, value in cls.defaults.items():
        if name.startswith("_"):
            continue
        last = _member_value(value, last)
        if last is None and mixin is not None:
            raise Unsupported(f"the value of {cls.name}.{name}")
        enumeration.members[name] = Symbol(cls.name, name, last, enumeration)
    return enumeration


def _member_value(node: object, last: Value) -> Value:
    if isinstance(node, cst.Integer):
        return int(node.value.replace("_", ""), 0)
    if isinstance(node, cst.SimpleString):
        return literal_text(Meter(Budget()), node.value)
    if isinstance(node, cst.Call) and (dotted_name(node.func) or "").rpartition(".")[2] == "auto":
        return last + 1 if isinstance(last, int) else 1
    return None
