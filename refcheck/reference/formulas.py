"""The cost model's formulas are text, and the text is what is computed: what is shown cannot differ from it.

A formula is an arithmetic expression over symbols and other quantities' names, with + - * / ** `ceil`,
`floor`, comparisons and `and`. Values are exact (int and Fraction). The tree is walked here and never given
to `eval`: an edition's expressions come this way, too, so that powers and lengths are bounded.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache

Exact = int | Fraction
Resolve = Callable[[str], Exact]

LONGEST = 2000

#: Symbols as the formulas of the field print them.
_PRINTED = {"sum_s": "Σs", "sum_s2": "Σs²", "h_kv": "h_kv", "d_ff": "d_ff"}


@lru_cache(maxsize=512)
def parsed(formula: str) -> ast.expr:
    """The expression tree of a formula."""
    if len(formula) > LONGEST:
        raise ValueError(f"a formula of {len(formula)} characters is too long")
    return ast.parse(formula.strip(), mode="eval").body


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
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return int(_compared(op, value_of(left, resolve), value_of(right, resolve)))
        case ast.BoolOp(op=ast.And(), values=parts):
            values = [value_of(part, resolve) for part in parts]  # every part is looked at: a typo in the last shows
            return int(all(values))
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
            if right == 0:
                raise ValueError("a formula divides by zero")
            return _whole(Fraction(left) / Fraction(right))
        case ast.Pow():
            if right not in range(65) or Fraction(left).numerator.bit_length() > 4096:
                raise ValueError(f"a formula cannot hold the power {right}")
            return left ** int(right)
        case _:
            raise ValueError(f"a formula cannot hold the operator {type(op).__name__}")


def _compared(op: ast.cmpop, left: Exact, right: Exact) -> bool:
    match op:
        case ast.LtE():
            return left <= right
        case ast.Lt():
            return left < right
        case ast.GtE():
            return left >= right
        case ast.Gt():
            return left > right
        case ast.Eq():
            return left == right
        case _:
            raise ValueError(f"a formula cannot compare by {type(op).__name__}")


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
