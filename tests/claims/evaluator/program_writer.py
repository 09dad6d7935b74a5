"""Writes random expressions and programs of the supported subset, mostly well-typed, sometimes on purpose not."""

from __future__ import annotations

from random import Random
from textwrap import indent

INTS = ["a", "b", "0", "1", "2", "7", "-3", "True", "0x1f", "1_000", "len(xs)", "t[0]", "d['k']"]
FLOATS = ["c", "2.5", "-0.5", "1e3", ".25", "float(a)"]
TEXTS = ["s", "'ab'", '"x\\ty"', "r'\\d'", "''", "'a' 'b,c'", "f'{a}{s!r}'", "f'{a:,}|{c:.2f}|{{}}'", "str(a)"]
LISTS = ["xs", "[]", "list(t)", "[1, 2, 3]", "list(range(4))", "s.split('x')"]
KINDS = ["int", "int", "float", "text", "list", "bool", "tuple", "dict", "set"]
#: How often an operand is of a kind that its operation was not written for.
MISFITS = 0.06


class Writer:
    """One stream of random source text."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def expression(self, kind: str, depth: int) -> str:
        """An expression that is probably of a kind."""
        if self.random.random() < MISFITS:
            kind = self.random.choice([*KINDS, "none"])
        return str(getattr(self, f"_{kind}")(depth - 1))

    def any(self, depth: int) -> str:
        """An expression of any kind."""
        return self.expression(self.random.choice(KINDS), depth)

    def _none(self, depth: int) -> str:
        return self.pick("None", "n", "d.get('none')")

    def _int(self, depth: int) -> str:
        if depth <= 0:
            return self.pick(*INTS)
        x, y = self.expression("int", depth), self.expression("int", depth)
        return self.pick(
            f"({x} {self.pick('+', '-', '*', '//', '%', '&', '|', '^')} {y})",
            f"({x} {self.pick('+', '-', '*', '//', '%')} {y})",
            f"({x} ** {self.pick('2', '0', '3')})",
            f"({x} {self.pick('<<', '>>')} {self.pick('1', '3', '-1')})",
            f"({self.pick('-', '+', '~')}{x})",
            f"({x} if {self.expression('bool', depth)} else {y})",
            f"{self.pick('min', 'max')}({x}, {y})",
            f"{self.pick('min', 'max', 'sum')}({self.expression('list', depth)})",
            f"len({self.expression(self.pick('list', 'text', 'tuple', 'dict', 'set'), depth)})",
            f"{self.expression('list', depth)}[{x}]",
            f"abs({x})",
            f"int({self.expression(self.pick('float', 'int', 'text'), depth)})",
            f"round({self.expression('float', depth)})",
            f"divmod({x}, {y})[{self.pick('0', '1')}]",
            f"sum({self.expression('int', depth)} for i in {self.expression('list', depth)})",
            f"(lambda p, q={x}: p + q)({y})",
            f"(z := {x})",
            f"{self.expression('list', depth)}.{self.pick('count', 'index')}({x})",
            f"{self.expression('text', depth)}.{self.pick('count', 'find')}('a')",
            f"d.get({self.any(depth)}, {x})",
            f"({x} {self.pick('and', 'or')} {y})",
            f"next(iter({self.expression('list', depth)}))",
            f"max({self.expression('list', depth)}, key=lambda v: -v, default={x})",
        )

    def _float(self, depth: int) -> str:
        if depth <= 0:
            return self.pick(*FLOATS)
        x, y = self.expression("float", depth), self.expression(self.pick("float", "int"), depth)
        return self.pick(
            f"({x} {self.pick('+', '-', '*', '/', '//', '%')} {y})",
            f"({self.expression('int', depth)} / {y})",
            f"({x} ** {self.pick('2', '-1', '0')})",
            f"({self.expression('int', depth)} ** -1)",
            f"(-{x})",
            f"float({self.expression('int', depth)})",
            f"round({x}, {self.pick('1', '2', '-1')})",
            f"sum([{x}, {y}])",
        )

    def _text(self, depth: int) -> str:
        if depth <= 0:
            return self.pick(*TEXTS)
        x, y = self.expression("text", depth), self.expression("text", depth)
        return self.pick(
            f"({x} + {y})",
            f"({x} * {self.pick('2', '0', '-1', '3')})",
            f"{x}[{self.expression('int', depth)}]",
            f"{x}[{self._slice(depth)}]",
            f"{x}.{self.pick('upper()', 'lower()', 'strip()', 'strip(s)', 'rstrip()', 'removeprefix(s)')}",
            f"{x}.replace({y}, 'bb')",
            f"{x}.join([{y}, 'q'])",
            f"str({self.expression(self.pick('int', 'float', 'bool', 'list', 'tuple'), depth)})",
            f"repr({self.expression(self.pick('int', 'text', 'list', 'dict'), depth)})",
            f"f'<{{{self.pick(*INTS[:6])}:{self.pick('d', ',', '05d', '.1f', 'x')}}}|{{{self.pick('xs', 't', 'd', 'n')}}}>'",
            f"({x} or {y})",
            f"{x}.partition('a')[{self.pick('0', '1', '2')}]",
        )

    def _slice(self, depth: int) -> str:
        bound = [self.pick("", self.expression("int", depth)) for _ in range(2)]
        return f"{bound[0]}:{bound[1]}{self.pick('', '', ':2', ':-1', ':0')}"

    def _list(self, depth: int) -> str:
        if depth <= 0:
            return self.pick(*LISTS)
        x, y = self.expression("list", depth), self.expression("list", depth)
        name = self.pick("i", "j", "a")
        return self.pick(
            f"[{self.expression('int', depth)}, {self.expression('int', depth)}]",
            f"[*{x}, {self.expression('int', depth)}]",
            f"({x} + {y})",
            f"({x} * {self.pick('2', '0', '-1')})",
            f"{x}[{self._slice(depth)}]",
            f"[{self.expression('int', depth)} for {name} in {x}]",
            f"[{name} + 1 for {name} in {x} if {self.expression('bool', depth)}]",
            f"[i * j for i in {x} for j in {y} if i != j]",
            f"sorted({x}, reverse={self.expression('bool', depth)})",
            f"sorted({x}, key=lambda v: -v)",
            f"list({self.expression(self.pick('tuple', 'text', 'dict', 'list'), depth)})",
            f"list(reversed({x}))",
            f"list(map(lambda v: v * 2, {x}))",
            f"list(filter({self.pick('None', 'lambda v: v > 1')}, {x}))",
            f"[p for p, q in zip({x}, {y})]",
            f"[p + q for p, q in enumerate({x}, {self.pick('0', '1')})]",
            f"list(range({self.pick('0', '2', 'a')}, {self.pick('5', '-5', 'b')}, {self.pick('1', '2', '-1', '0')}))",
            f"list({self.expression('dict', depth)}.{self.pick('keys', 'values', 'items')}())",
            f"{x}.copy()",
            f"{self.expression('text', depth)}.split({self.pick('', repr('b'), repr(''))})",
        )

    def _tuple(self, depth: int) -> str:
        if depth <= 0:
            return self.pick("t", "()", "(1,)", "(a, b)")
        return self.pick(
            f"({self.any(depth)}, {self.any(depth)})",
            f"({self.any(depth)}, *{self.expression('list', depth)})",
            f"tuple({self.expression('list', depth)})",
            f"({self.expression('tuple', depth)} + {self.expression('tuple', depth)})",
            f"{self.expression('tuple', depth)}[{self._slice(depth)}]",
            f"divmod({self.expression('int', depth)}, {self.expression('int', depth)})",
            f"{self.expression('text', depth)}.rpartition('b')",
        )

    def _dict(self, depth: int) -> str:
        if depth <= 0:
            return self.pick("d", "{}", "{1: 2}", "dict(p=1)")
        return self.pick(
            f"{{{self.any(depth)}: {self.any(depth)}}}",
            f"{{**{self.expression('dict', depth)}, 'r': {self.any(depth)}}}",
            f"{{i: {self.any(depth)} for i in {self.expression('list', depth)}}}",
            f"({self.expression('dict', depth)} | {self.expression('dict', depth)})",
            f"dict(zip({self.expression('text', depth)}, {self.expression('list', depth)}))",
            f"dict({self.expression('dict', depth)}, p={self.any(depth)})",
        )

    def _set(self, depth: int) -> str:
        if depth <= 0:
            return self.pick("{1, 2}", "set()", "set(xs)", "frozenset(t)")
        x, y = self.expression("set", depth), self.expression("set", depth)
        return self.pick(
            f"({x} {self.pick('|', '&', '-', '^')} {y})",
            f"{{{self.any(depth)}, {self.expression('int', depth)}}}",
            f"{{i % 3 for i in {self.expression('list', depth)}}}",
            f"{x}.{self.pick('union', 'intersection', 'difference')}({self.expression('list', depth)})",
        )

    def _bool(self, depth: int) -> str:
        if depth <= 0:
            return self.pick("True", "False", "a > b", "n is None", "s == 'text'")
        x, y, z = (self.expression(self.pick("int", "float"), depth) for _ in range(3))
        order = "<", "<=", ">", ">=", "==", "!="
        return self.pick(
            f"({x} {self.pick(*order)} {y})",
            f"({x} {self.pick(*order)} {y} {self.pick(*order)} {z})",
            f"({self.any(depth)} {self.pick('==', '!=')} {self.any(depth)})",
            f"({self.expression('text', depth)} {self.pick('<', '>=', '==')} {self.expression('text', depth)})",
            f"({self.expression('list', depth)} {self.pick('<', '>=', '==')} {self.expression('list', depth)})",
            f"({x} {self.pick('in', 'not in')} {self.expression(self.pick('list', 'tuple', 'set', 'dict'), depth)})",
            f"({self.expression('text', depth)} in {self.expression('text', depth)})",
            f"({self.any(depth)} {self.pick('is', 'is not')} None)",
            f"(not {self.any(depth)})",
            f"({self.expression('bool', depth)} {self.pick('and', 'or')} {self.expression('bool', depth)})",
            f"{self.pick('any', 'all')}({self.expression('bool', depth)} for i in {self.expression('list', depth)})",
            f"isinstance({self.any(depth)}, {self.pick('int', 'float', 'bool', '(str, list)', 'dict')})",
            f"bool({self.any(depth)})",
            f"{self.expression('text', depth)}.{self.pick('startswith', 'endswith')}({self.pick(repr('a'), repr(('a', 'b')))})",
            f"(1.5 in range({self.expression('int', depth)}))",
        )

    def program(self, count: int, depth: int) -> str:
        """Some statements, nested up to a depth."""
        return "".join(self.statement(depth) for _ in range(count))

    def statement(self, depth: int) -> str:
        """One statement, or a block of them."""
        name, other = self.pick("a", "x", "y"), self.pick("b", "x", "y")
        kind = self.random.randrange(18 if depth > 0 else 11)
        if kind <= 2:
            return f"{name} = {self.any(3)}\n"
        if kind == 3:
            return f"{name} = {other} = {self.expression('list', 2)}\n"
        if kind == 4:
            return f"{name}, {self.pick('', '*')}{other} = {self.expression(self.pick('list', 'tuple'), 2)}\n"
        if kind == 5:
            return f"{self.pick('a', 'b')} {self.pick('+', '-', '*', '//', '%', '|')}= {self.expression('int', 2)}\n"
        if kind == 6:
            return f"xs {self.pick('+', '+', '*')}= {self.expression('list', 2)}\n".replace("xs *= ", "y = xs * 2, ")
        if kind == 7:
            return f"xs[{self.pick('0', '-1', '1:2', self.expression('int', 2))}] = {self.expression('list', 2)}\n"
        if kind == 8:
            return f"d[{self.any(2)}] = {self.any(2)}\nd['k'] += {self.expression('int', 1)}\n"
        if kind == 9:
            method = self.pick("append", "extend", "insert", "remove")
            arguments = {"extend": self.expression("list", 2), "insert": f"1, {self.any(1)}"}.get(
                method, self.pick("3", "a")
            )
            return f"xs.{method}({arguments})\n"
        if kind == 10:
            return f"{self.pick('assert', '', 'v: int =')} {self.expression('bool', 3)}\n".lstrip()
        body = indent(self.program(self.random.randint(1, 3), depth - 1), "    ")
        if kind == 11:
            orelse = indent(self.program(1, depth - 1), "    ")
            return (
                f"if {self.expression('bool', 3)}:\n{body}elif {self.expression('bool', 2)}:\n    pass\nelse:\n{orelse}"
            )
        if kind == 12:
            return f"for {self.pick('i', 'a')} in {self.expression('list', 2)}:\n{body}else:\n    x = 'done'\n"
        if kind == 13:
            stop = self.pick("break", "continue")
            return f"for i in range(3):\n    if {self.expression('bool', 2)}:\n        {stop}\n{body}"
        if kind == 14:
            return f"k = 0\nwhile k < 3:\n    k += 1\n{body}"
        if kind == 15:
            return f"def f(p, q={self.any(2)}, *r, w=1):\n{body}    return p, q, r, w\nx = f({self.any(2)}, w={self.any(1)})\n"
        if kind == 16:
            return f"def f(p):\n    a = p\n    def g():\n        return a, b\n    return g\ny = f({self.any(2)})()\n"
        return f"if {self.expression('bool', 2)}:\n    raise ValueError('no')\n"
