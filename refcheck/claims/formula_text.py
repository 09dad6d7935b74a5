r"""Formulas as documents write them, parsed into expressions and evaluated exactly.

`$2d(h d_h) + 4 d (h_{kv} d_h)$`, `\tfrac{1}{2} \cdot 4 h d_h s_t^2`, `(2P + 4 L h d_h s) / (P b + …)`,
`2 L h_kv d_h b sum(s_i)`, `6·d·d<sub>ff</sub>`: juxtaposed symbols are multiplied. Only arithmetic is read, with
bounded length, depth and sizes; nothing of a document is ever run.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

MAX_LENGTH = 2_000
MAX_DEPTH = 40
MAX_TOKENS = 400
"""Names, numbers and signs of one formula: a sum of so many terms is as deep an expression."""
MAX_WORDS = 60
"""Words in a row in which a formula is looked for; all stretches of them are tried."""
MAX_EXPONENT = 32
MAX_BITS = 4_096

Number: TypeAlias = int | Fraction
Bindings: TypeAlias = Mapping[str, "Number | tuple[Number, ...]"]


class FormulaError(ValueError):
    """A text that is no formula, or one whose meaning is not plain; says what and where."""


# --- expressions -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Literal:
    value: Fraction


@dataclass(frozen=True, slots=True)
class Symbol:
    """`name` is normalised: `h_{kv}` and `h_\\mathrm{kv}` are `h_kv`."""

    name: str


@dataclass(frozen=True, slots=True)
class Binary:
    """`operator` is one of + - * / ^."""

    operator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Sum:
    """The sum of `body` over the values of its indexed symbols (`s_i`)."""

    body: Expression


Expression: TypeAlias = Literal | Symbol | Binary | Sum


def symbols_of(expression: Expression) -> frozenset[str]:
    """The names that must be bound to evaluate it."""
    match expression:
        case Literal():
            return frozenset()
        case Symbol(name):
            return frozenset({name})
        case Binary(_, left, right):
            return symbols_of(left) | symbols_of(right)
        case Sum(body):
            return symbols_of(body)


def evaluate(expression: Expression, bindings: Bindings) -> Fraction:
    """The exact value. Raises FormulaError for an unbound symbol, a division by zero and a value out of bounds."""
    match expression:
        case Literal(value):
            return value
        case Symbol(name):
            bound = bindings.get(name)
            if bound is None:
                raise FormulaError(f"{name} has no value here (known: {', '.join(sorted(bindings))})")
            if isinstance(bound, tuple):
                raise FormulaError(f"{name} stands outside of a sum")
            return Fraction(bound)
        case Binary(operator, left, right):
            return _bounded(_binary(operator, evaluate(left, bindings), evaluate(right, bindings)))
        case Sum(body):
            return _sum(body, bindings)


def _sum(body: Expression, bindings: Bindings) -> Fraction:
    indexed = {name: bound for name in symbols_of(body) if isinstance(bound := bindings.get(name), tuple)}
    lengths = {len(values) for values in indexed.values()}
    if len(lengths) != 1:
        raise FormulaError("a sum needs a symbol with an index, such as s_i, and one number of values for all of them")
    total = Fraction(0)
    for index in range(lengths.pop()):
        total += evaluate(body, {**bindings, **{name: values[index] for name, values in indexed.items()}})
    return _bounded(total)


def _binary(operator: str, left: Fraction, right: Fraction) -> Fraction:
    if operator == "+":
        return left + right
    if operator == "-":
        return left - right
    if operator == "*":
        return left * right
    if operator == "/":
        if not right:
            raise FormulaError("a division by zero")
        return left / right
    if right.denominator != 1 or abs(right) > MAX_EXPONENT:
        raise FormulaError(f"an exponent must be a whole number of at most {MAX_EXPONENT}")
    if not left and right < 0:
        raise FormulaError("a division by zero")
    if abs(left.numerator).bit_length() * abs(right) > MAX_BITS:
        raise FormulaError("a power is too large")
    return left ** int(right)


def _bounded(value: Fraction) -> Fraction:
    if max(abs(value.numerator), value.denominator).bit_length() > MAX_BITS:
        raise FormulaError("a value is too large")
    return value


# --- text to tokens ----------------------------------------------------------------------------------------

_TAG = re.compile(r"</?[A-Za-z][^<>]*>")
_SUB = re.compile(r"<sub(?:\s[^<>]*)?>(.*?)</sub>", re.DOTALL | re.IGNORECASE)
_SUP = re.compile(r"<sup(?:\s[^<>]*)?>(.*?)</sup>", re.DOTALL | re.IGNORECASE)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ", "0123456789n")
_LOWERED = str.maketrans("₀₁₂₃₄₅₆₇₈₉ₕₖᵥₜᵢₚₙₗ", "0123456789hkvtipnl")
_NAMED = re.compile(r"\\(?:text|mathrm|textrm|mathit|operatorname|mbox|mathsf)\s*\{([^{}]*)\}")
_SPACES = re.compile(r"\\(?:[,;:! ]|quad|qquad|thinspace|left(?![a-z])|right(?![a-z])|big[lr]?|Big[lr]?|displaystyle)")
_SIGNS = {
    "\\cdot": "*", "\\times": "*", "\\ast": "*", "×": "*", "·": "*", "⋅": "*", "∗": "*", "−": "-", "–": "-", "∕": "/",
    "\\div": "/", "÷": "/", "**": "^", "\\sum": "Σ", "∑": "Σ", "\\sum\\limits": "Σ", "\\Theta": "Θ", "\\Omega": "Ω",
    "\\mathcal{O}": "O", "\\approx": "≈", "\\simeq": "≈", "\\sim": "≈", "\\dfrac": "\\frac", "\\tfrac": "\\frac",
    "½": "(1/2)",
}  # fmt: skip
_SIGN = re.compile(
    "|".join(re.escape(s) + ("(?![A-Za-z])" if s[-1].isalpha() else "") for s in sorted(_SIGNS, key=len, reverse=True))
)


def plain_math(text: str) -> str:
    """Entities, tags, LaTeX spacing and kinds of signs brought to one form."""
    text = html.unescape(text)
    text = _SUB.sub(r"_{\1}", text)
    text = _SUP.sub(r"^{\1}", text)
    text = _TAG.sub("", text)
    text = re.sub("[⁰¹²³⁴⁵⁶⁷⁸⁹ⁿ]+", lambda m: "^{" + m[0].translate(_RAISED) + "}", text)
    text = re.sub("[₀₁₂₃₄₅₆₇₈₉ₕₖᵥₜᵢₚₙₗ]+", lambda m: "_{" + m[0].translate(_LOWERED) + "}", text)
    text = re.sub(r"\{\s*\{([^{}]*)\}\s*\}", r"{\1}", _NAMED.sub(r"{\1}", text))
    text = _SPACES.sub(" ", text)
    text = text.replace("{,}", ",").replace("\\_", "_").replace("\u200b", "")
    return _SIGN.sub(lambda m: _SIGNS[m[0]], text)


_TOKEN = re.compile(
    r"""
      (?P<number> \d{1,3}(?:,\d{3})+(?:\.\d+)? | \d+(?:\.\d+)? )(?:[eE](?P<e>[-+]?\d{1,2})(?![\w]))?
    | (?P<frac> \\frac )
    | (?P<sum> Σ | sum(?![A-Za-z]) )
    | (?P<symbol> (?:\\[A-Za-z]+|[A-Za-zα-ω]+) )
    | (?P<sign> [-+*/^()\[\]{}_=≈,] )
    | (?P<space> \s+ )
    """,
    re.VERBOSE,
)
_ATOMIC = re.compile(r"\{([A-Za-z0-9,\s]+)\}|([A-Za-z0-9]+)")

DEFAULT_SYMBOLS = frozenset("LdhPbspntBVNmkWFMr") | {
    "s_t", "s_i", "h_kv", "d_h", "d_ff", "d_r", "d_n", "d_v", "P_matrix", "P_layers", "P_head",
}  # fmt: skip
"""The symbols of the formula sheet. Others are read as one letter with its subscript."""


@dataclass(frozen=True, slots=True)
class _Token:
    kind: str
    text: str
    start: int
    end: int
    value: Fraction = Fraction(0)


def _tokens(text: str, known: frozenset[str]) -> Iterator[_Token]:
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise FormulaError(f"{text[position]!r} is not read in a formula")
        kind, end = str(match.lastgroup), match.end()
        if match["number"] is not None:
            value = Fraction(match["number"].replace(",", ""))
            if match["e"]:
                value *= Fraction(10) ** int(match["e"])
            yield _Token("number", match[0], position, end, value)
        elif kind == "symbol":
            for token in _symbols(text, position, end, known):
                yield token
                end = token.end
        elif kind == "sum":
            yield _Token("sum", "Σ", position, end)
        elif kind == "frac":
            yield _Token("frac", "\\frac", position, end)
        elif kind == "sign":
            yield _Token(match[0], match[0], position, end)
        position = end


def _symbols(text: str, start: int, end: int, known: frozenset[str]) -> Iterator[_Token]:
    """A run of letters: one symbol if so known, else a product of letters; the last may have a subscript."""
    letters = text[start:end]
    if letters.startswith("\\"):
        raise FormulaError(f"{letters} is not read in a formula")
    subscript = re.match(r"\s*_\s*", text[end:]) if not letters.endswith("_") else None
    names = [letters] if letters in known and not subscript else list(letters)
    if unknown := [name for name in names[:-1] if name not in known]:
        raise FormulaError(f"{letters} is no product of symbols: {', '.join(unknown)} is none")
    position = start
    for name in names[:-1]:
        yield _Token("symbol", name, position, position + 1)
        position += 1
    last = names[-1]
    if subscript is None:
        yield _Token("symbol", last, position, end)
        return
    atom = _ATOMIC.match(text, end + subscript.end())
    if atom is None:
        raise FormulaError(f"{last}_ has a subscript that is not read")
    if atom[1] is not None:
        index, stop = re.sub(r"[\s,]+", "", atom[1]), atom.end()
    elif last + "_" + atom[2] in known:
        index, stop = atom[2], atom.end()
    else:  # LaTeX: a subscript without braces is one character
        index, stop = atom[2][0], atom.start() + 1
    yield _Token("symbol", f"{last}_{index}", position, stop)


# --- tokens to expressions ---------------------------------------------------------------------------------


class _Parser:
    """Recursive descent; a product by juxtaposition binds like one by a sign, but not after a divisor."""

    def __init__(self, tokens: list[_Token]) -> None:
        self.tokens = tokens
        self.at = 0
        self.depth = 0

    def peek(self) -> str:
        return self.tokens[self.at].kind if self.at < len(self.tokens) else "end"

    def take(self, kind: str) -> _Token:
        if self.peek() != kind:
            found = self.tokens[self.at].text if self.at < len(self.tokens) else "the end"
            raise FormulaError(f"expected {kind!r}, found {found!r}")
        self.at += 1
        return self.tokens[self.at - 1]

    def expression(self) -> Expression:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise FormulaError(f"nested more than {MAX_DEPTH} deep")
        left = self.term()
        while self.peek() in ("+", "-"):
            operator = self.take(self.peek()).kind
            left = Binary(operator, left, self.term())
        self.depth -= 1
        return left

    def term(self) -> Expression:
        left = self.signed()
        divided = False
        while True:
            if self.peek() in ("*", "/"):
                divided = self.take(self.peek()).kind == "/"
                left = Binary("/" if divided else "*", left, self.signed())
            elif self.peek() in ("symbol", "number", "(", "[", "{", "frac", "sum"):
                if divided:
                    raise FormulaError("a / b c may mean (a / b) c or a / (b c): brackets are missing")
                left = Binary("*", left, self.power())
            else:
                return left

    def signed(self) -> Expression:
        if self.peek() == "-":
            self.take("-")
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise FormulaError(f"nested more than {MAX_DEPTH} deep")
            inner = Binary("*", Literal(Fraction(-1)), self.signed())
            self.depth -= 1
            return inner
        return self.power()

    def power(self) -> Expression:
        base = self.atom()
        if self.peek() == "^":
            self.take("^")
            exponent = self.signed() if self.peek() == "-" else self.atom()
            return Binary("^", base, exponent)
        return base

    def atom(self) -> Expression:
        kind = self.peek()
        if kind == "number":
            return Literal(self.take(kind).value)
        if kind == "symbol":
            return Symbol(self.take(kind).text)
        if kind == "frac":
            self.take(kind)
            return Binary("/", self.braced(), self.braced())
        if kind == "sum":
            return self.sum()
        for opening, closing in ("()", "[]", "{}"):
            if kind == opening:
                self.take(opening)
                inner = self.expression()
                self.take(closing)
                return inner
        found = self.tokens[self.at].text if self.at < len(self.tokens) else "the end"
        raise FormulaError(f"a value was expected, not {found!r}")

    def braced(self) -> Expression:
        self.take("{")
        inner = self.expression()
        self.take("}")
        return inner

    def sum(self) -> Expression:
        """`\\sum_{i=1}^{B} s_i`, `\\sum_i s_i` or `sum(s_i)`; the limits say no more than the values' number."""
        self.take("sum")
        for mark in ("_", "^"):
            if self.peek() == mark:
                self.take(mark)
                if self.peek() == "{":
                    while self.peek() not in ("}", "end"):
                        self.at += 1
                    self.take("}")
                else:
                    self.at += 1
        return Sum(self.term())


@lru_cache(maxsize=1024)
def parse_equation(text: str, symbols: frozenset[str] = DEFAULT_SYMBOLS) -> tuple[Expression, ...]:
    """The sides of an equation, or the one expression. Raises FormulaError."""
    _check_length(text)
    tokens = [t for t in _tokens(plain_math(text).strip().rstrip(".,;:"), symbols) if t.kind != "space"]
    if len(tokens) > MAX_TOKENS:
        raise FormulaError(f"more than {MAX_TOKENS} names, numbers and signs")
    sides: list[list[_Token]] = [[]]
    for token in tokens:
        if token.kind in ("=", "≈") and not _inside_limits(sides[-1]):
            sides.append([])
        else:
            sides[-1].append(token)
    parsed: list[Expression] = []
    for side in sides:
        parser = _Parser(side)
        parsed.append(parser.expression())
        if parser.peek() != "end":
            raise FormulaError(f"{side[parser.at].text!r} was not expected")
    return tuple(parsed)


def _check_length(text: str) -> None:
    if len(text) > MAX_LENGTH:
        raise FormulaError(f"longer than {MAX_LENGTH} characters")


def _inside_limits(tokens: list[_Token]) -> bool:
    """Whether a brace is open, as in `\\sum_{i=1}`."""
    return sum({"{": 1, "}": -1}.get(token.kind, 0) for token in tokens) > 0


def parse_formula(text: str, symbols: frozenset[str] = DEFAULT_SYMBOLS) -> Expression:
    """One expression. Raises FormulaError, also for an equation."""
    sides = parse_equation(text, symbols)
    if len(sides) != 1:
        raise FormulaError("an equation, where one expression was expected")
    return sides[0]


# --- formulas in prose -------------------------------------------------------------------------------------

_MATH = re.compile(r"(?<!\\)\$\$?(.+?)(?<!\\)\$\$?|\\\((.+?)\\\)|\\\[(.+?)\\\]", re.DOTALL)
_BOUND = re.compile(r"(?P<sign>[ΘΩO])\s*(?=\()")
_UNREAD = re.compile(r"[\\^{}=+*/Σ√∫∏]|_(?=\w)|^[<>≤≥]$")
_LIMITED = re.compile(r"(?:Σ|\bsum\b)(?:_(?:\{[^{}]*\}|\w))?(?:\^(?:\{[^{}]*\}|\w))?")
_SPACE = re.compile(r"(?:\\mathbb\s*\{?R\}?|ℝ|\bR)\s*\^")


def formulas_in(text: str, symbols: frozenset[str] = DEFAULT_SYMBOLS) -> tuple[str, ...]:
    """The texts of the formulas of a fragment in order: what stands between `$`, or, without any, the longest
    runs of known symbols, numbers and signs that parse and are more than a single number.

    Raises FormulaError for a fragment that is longer than any that states formulas.
    """
    _check_length(text)
    marked = [next(g for g in match.groups() if g is not None) for match in _MATH.finditer(text)]
    if marked:
        return tuple(one for one in marked if one.strip())
    return tuple(_runs(plain_math(text), symbols))


def _runs(text: str, symbols: frozenset[str]) -> Iterator[str]:
    """Stretches of words that may be formulas. One that touches mathematics which is not read is left out: a part
    of a formula says something else than the whole."""
    run: list[re.Match[str]] = []
    torn = False
    for piece in [*re.finditer(r"\S+", text), None]:
        if piece is not None and _mathematical(piece[0], symbols):
            run.append(piece)
            if piece[0][-1] not in ",;:.":
                continue
        elif piece is not None and _UNREAD.search(piece[0]):
            torn = True
            run = []
            continue
        if not torn:
            yield from _longest(text, run, symbols)
        run, torn = [], False


def _mathematical(word: str, symbols: frozenset[str]) -> bool:
    """Whether a word may be a part of a formula: its letters are known symbols."""
    singles = {s for s in symbols if len(s) == 1}
    bare = _LIMITED.sub("", word.replace("\\frac", "")).rstrip(".,;:")
    for name in re.findall(r"[A-Za-zα-ω]+(?:_\{?[A-Za-z0-9]+\}?)?", bare):
        flat = re.sub(r"[{}]", "", name)
        if flat in symbols or "_" in flat:
            continue
        if len(flat) > 4 or not set(flat) <= singles:
            return False
    return re.fullmatch(r"[\w.,{}()\[\]^*/+=≈Σ\\-]*", word.rstrip(";:")) is not None


def _longest(text: str, run: list[re.Match[str]], symbols: frozenset[str]) -> Iterator[str]:
    """The longest stretch of a run that parses and says something; only plain words and numbers are left over."""
    if len(run) > MAX_WORDS:
        return
    for length in range(len(run), 0, -1):
        for first in range(len(run) - length + 1):
            candidate = text[run[first].start() : run[first + length - 1].end()]
            if any(_UNREAD.search(piece[0]) for piece in (*run[:first], *run[first + length :])):
                continue
            try:
                sides = parse_equation(candidate, symbols)
            except FormulaError:
                continue
            if any(not isinstance(side, Literal | Symbol) for side in sides):
                yield candidate.rstrip(".,;:")
                return


@dataclass(frozen=True, slots=True)
class Bound:
    """An asymptotic statement: `sign` is Θ, O or Ω."""

    sign: str
    expression: Expression
    text: str


def bounds_in(text: str, symbols: frozenset[str] = DEFAULT_SYMBOLS) -> tuple[Bound, ...]:
    """The asymptotic statements of a text in order. Raises FormulaError for one that cannot be read."""
    _check_length(text)
    plain = plain_math(text)
    found: list[Bound] = []
    for match in _BOUND.finditer(plain):
        if match.start() and plain[match.start() - 1].isalnum():
            continue
        end = _closing(plain, match.end())
        inner = plain[match.end() + 1 : end - 1]
        found.append(Bound(match["sign"], parse_formula(inner, symbols), plain[match.start() : end]))
    return tuple(found)


def _closing(text: str, start: int) -> int:
    depth = 0
    for position in range(start, len(text)):
        depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(text[position], 0)
        if depth == 0:
            return position + 1
    raise FormulaError(f"a bracket is not closed: {text[start : start + 20]!r}")


@dataclass(frozen=True, slots=True)
class Shape:
    r"""A stated shape, `\mathbb{R}^{d \times h d_h}` or `[batch, h_kv, seq, d_h]`: one expression per axis."""

    axes: tuple[Expression, ...]
    text: str


def shapes_in(text: str, symbols: frozenset[str] = DEFAULT_SYMBOLS) -> tuple[Shape, ...]:
    """The spaces ℝ^{…} of a text in order, or else its bracketed lists. Raises FormulaError."""
    _check_length(text)
    plain = plain_math(text)
    found: list[Shape] = []
    for match in _SPACE.finditer(plain):
        rest = plain[match.end() :].lstrip()
        start = match.end() + len(plain[match.end() :]) - len(rest)
        if not rest.startswith(("{", "(")):
            raise FormulaError(f"a space without its sizes: {plain[match.start() : start + 10]!r}")
        end = _closing(plain, start)
        found.append(_shape(re.split(r"\*", plain[start + 1 : end - 1]), plain[match.start() : end], symbols))
    if found:
        return tuple(found)
    return tuple(
        _shape(match[1].split(","), match[0], symbols)
        for match in re.finditer(r"[\[(]([\w{} ]+(?:,[\w{} ]+)+)[\])]", plain)
    )


def _shape(axes: list[str], text: str, symbols: frozenset[str]) -> Shape:
    return Shape(tuple(parse_formula(axis, symbols) for axis in axes), text)
