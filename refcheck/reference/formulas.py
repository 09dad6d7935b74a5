"""The cost model's formulas are text, and the text is what is computed: what is shown cannot differ from it.

A formula is an arithmetic expression over symbols and other quantities' names, with + - * / ** `ceil` and
`floor`. Values are exact (int and Fraction). The text is refcheck's own; nothing read from a document or an
engine gets here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

Exact = int | Fraction
Resolve = Callable[[str], Exact]

#: Symbols as the formulas of the field print them.
_PRINTED = {"sum_s": "Σs", "sum_s2": "Σs²", "h_kv": "h_kv", "d_ff": "d_ff"}


@lru_cache(maxsize=512)
def parsed(formula: str) -> ast.expr:
    """The expression tree of a formula."""
    return ast.parse(formula, mode="eval").body


def value_of(node: ast.expr, resolve: Resolve) -> Exact:
    """The exact value of an expression, with names looked up by `resolve`."""
    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(id=name):
            return resolve(name)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -value_of(operand, resolve)
        case ast.BinOp(left=left, op=op, right=right):
            return _binary(op, value_of(left, resolve), value_of(right, resolve))
        case ast.Call(func=ast.Name(id="ceil"), args=[argument]):
            return -(-Fraction(value_of(argument, resolve)) // 1)
        case ast.Call(func=ast.Name(id="floor"), args=[argument]):
            return Fraction(value_of(argument, resolve)) // 1
        case ast.Compare(left=left, ops=[ast.LtE()], comparators=[right]):
            return int(value_of(left, resolve) <= value_of(right, resolve))
        case _:
            raise ValueError(f"a formula cannot hold {ast.unparse(node)!r}")


def _binary(op: ast.operator, left: Exact, right: Exact) -> Exact:
    match op:
        case ast.Add():
            return left + right
        case ast.Sub():
            return left - right
        case ast.Mult():
            return left * right
        case ast.Div():
            return _whole(Fraction(left) / Fraction(right))
        case ast.Pow():
            return left ** int(right)
        case _:
            raise ValueError(f"a formula cannot hold the operator {type(op).__name__}")


def _whole(value: Fraction) -> Exact:
    return value.numerator if value.denominator == 1 else value


def expanded(node: ast.expr, definition: Callable[[str], ast.expr | None]) -> ast.expr:
    """The expression with every quantity's name replaced by that quantity's own formula, down to symbols."""

    class Expand(ast.NodeTransformer):
        def visit_Name(self, name: ast.Name) -> ast.expr:
            inner = definition(name.id)
            return name if inner is None else expanded(inner, definition)

    # Built anew from text: parsed trees are shared and must not be changed.
    result = Expand().visit(ast.parse(ast.unparse(node), mode="eval").body)
    assert isinstance(result, ast.expr)
    return result


def printed(node: ast.expr) -> str:
    """The expression as people write it: `·` for products, superscripts for squares, Σs for sums."""
    text = ast.unparse(node)
    text = re.sub(r" ?\*\* ?2\b", "²", text)
    text = text.replace(" * ", "·").replace("<=", "≤")
    return re.sub(r"\bsum_s2\b|\bsum_s\b", lambda match: _PRINTED[match[0]], text)
