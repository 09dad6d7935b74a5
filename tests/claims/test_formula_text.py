"""Formulas as documents write them: what is read, what is refused, and that writings do not matter."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refcheck.claims.formula_text import (
    DEFAULT_SYMBOLS,
    Binary,
    Expression,
    FormulaError,
    Literal,
    Symbol,
    bounds_in,
    evaluate,
    formulas_in,
    parse_equation,
    parse_formula,
    shapes_in,
)

VALUES = {"L": 3, "d": 5, "h": 7, "h_kv": 2, "d_h": 11, "d_ff": 13, "s": 17, "s_t": 17, "P": 19, "b": 4, "m": 6, "k": 9}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"2d(h d_h) + 4 d (h_{kv} d_h)", 2 * 5 * 77 + 4 * 5 * 22),
        ("2d(h d_h) + 4 d (h_kv d_h)", 2 * 5 * 77 + 4 * 5 * 22),
        (r"\tfrac{1}{2} \cdot 4 h d_h s_t^2", Fraction(1, 2) * 4 * 77 * 289),
        ("½ · 4 h d_h s²", Fraction(1, 2) * 4 * 77 * 289),
        ("4 h d<sub>h</sub> s<sup>2</sup> / 2", 2 * 77 * 289),
        ("4Lh d_h s", 4 * 3 * 7 * 11 * 17),
        (r"4Lh\,d_h\,s", 4 * 3 * 7 * 11 * 17),
        ("2mk", 2 * 6 * 9),
        (r"d_{\mathrm{ff}} \times d", 65),
        ("6&nbsp;d&middot;d_{ff}", 6 * 65),
        ("(2P + s) / (P b + 2)", Fraction(55, 78)),
        (r"\frac{2P + s}{P b + 2}", Fraction(55, 78)),
        ("-s + 2 - 1", -16),
        ("-s^2", -289),
        (r"41{,}943{,}040", 41943040),
        (r"8.03\times10^{9}", 8_030_000_000),
        ("8.03e9", 8_030_000_000),
        ("2 ** 3", 8),
        (r"\left(2 + s\right) d", 95),
        ("s − 1", 16),
        ("dₕ", 11),
    ],
)
def test_read(text: str, value: int | Fraction) -> None:
    assert evaluate(parse_formula(text), VALUES) == value


@pytest.mark.parametrize("text", [r"2 L \sum_{i=1}^{B} s_i", r"2 L \sum_i s_i", "2 L sum(s_i)", "2L Σ s_i"])
def test_sum(text: str) -> None:
    assert evaluate(parse_formula(text), {"L": 3, "s_i": (1, 4, 10)}) == 90


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("a b / c d", "brackets are missing"),
        ("2 +", "a value was expected"),
        ("(2 + s", "expected"),
        ("2 ; 3", "not read"),
        (r"P^\top", "not read"),
        ("QK", "no product"),
        ("h_?", "subscript"),
        ("(" * 60 + "s" + ")" * 60, "deep"),
        ("2^3^2", "not expected"),
        ("1+" * 1500 + "1", "longer"),
        ("", "a value was expected"),
    ],
)
def test_refused(text: str, why: str) -> None:
    with pytest.raises(FormulaError, match=why):
        parse_formula(text)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("2^99", "exponent"),
        ("((9^32)^32)^32", "too large"),
        ("1 / (s - s)", "division by zero"),
        ("0^(-1)", "division by zero"),
        ("2^(1/2)", "whole number"),
        ("x", "has no value"),
        ("s_i + 1", "outside of a sum"),
        ("sum(s)", "index"),
    ],
)
def test_bounded_when_evaluated(text: str, why: str) -> None:
    with pytest.raises(FormulaError, match=why):
        evaluate(parse_formula(text), {**VALUES, "s_i": (1, 2)})


def test_equation_has_sides() -> None:
    first, second = parse_equation(r"2 \cdot 3 d d_{ff} = 6 d d_{ff}")
    assert evaluate(first, VALUES) == evaluate(second, VALUES) == 390
    with pytest.raises(FormulaError, match="an equation"):
        parse_formula("s = 3")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("costs $2mk$ FLOPs, and $3$", ("2mk", "3")),
        (r"costs \(2mk\) FLOPs", ("2mk",)),
        ("costs 2mk FLOPs (one multiply)", ("2mk",)),
        ("cached step | 2P + 4 L h d_h s |", ("2P + 4 L h d_h s",)),
        ("2 L h_kv d_h b sum(s_i) over the B sequences", ("2 L h_kv d_h b sum(s_i)",)),
        ("nothing to see here in 2026", ()),
    ],
)
def test_formulas_in_prose(text: str, found: tuple[str, ...]) -> None:
    assert tuple(f.replace("Σ", "sum") for f in formulas_in(text)) == found


def test_bounds() -> None:
    found = bounds_in(r"from $\Theta(s^2)$ to Θ(s); $O(h s_t)$, $\mathcal{O}(n^{3})$, $\Omega(1)$; IO(bound) is none")
    assert [(b.sign, b.text) for b in found] == [
        ("Θ", "Θ(s^2)"), ("Θ", "Θ(s)"), ("O", "O(h s_t)"), ("O", "O(n^{3})"), ("Ω", "Ω(1)"),
    ]  # fmt: skip


def test_shapes() -> None:
    spaces = shapes_in(r"$W_q \in \mathbb{R}^{d \times h d_h}$, $W_k, W_v \in ℝ^{d × h_{kv} d_h}$")
    assert [[evaluate(axis, VALUES) for axis in shape.axes] for shape in spaces] == [[5, 77], [5, 22]]
    (listed,) = shapes_in("is [batch, h_kv, seq, d_h] for", DEFAULT_SYMBOLS | {"batch", "seq"})
    assert listed.axes == (Symbol("batch"), Symbol("h_kv"), Symbol("seq"), Symbol("d_h"))


# --- properties --------------------------------------------------------------------------------------------

_NAMES = sorted(VALUES)
_EXPRESSIONS: st.SearchStrategy[Expression] = st.recursive(
    st.one_of(
        st.integers(0, 99).map(lambda n: Literal(Fraction(n))),
        st.sampled_from(_NAMES).map(Symbol),
    ),
    lambda inner: st.one_of(
        st.builds(Binary, st.sampled_from("+-*/"), inner, inner),
        st.builds(lambda base, power: Binary("^", base, Literal(Fraction(power))), inner, st.integers(0, 3)),
    ),
    max_leaves=12,
)


def _latex(node: Expression) -> str:
    """With braces, \\frac, \\cdot and products by juxtaposition."""
    match node:
        case Literal(value):
            return str(value)
        case Symbol(name):
            base, _, index = name.partition("_")
            return f"{base}_{{{index}}}" if index else base
        case Binary("/", left, right):
            return rf"\frac{{{_latex(left)}}}{{{_latex(right)}}}"
        case Binary("*", left, right):
            between = r" \cdot " if isinstance(right, Literal) else r"\, "
            return rf"({_latex(left)}){between}({_latex(right)})"
        case Binary("^", left, right):
            return rf"\left({_latex(left)}\right)^{{{_latex(right)}}}"
        case Binary(operator, left, right):
            return f"({_latex(left)}) {operator} ({_latex(right)})"
        case _:
            raise AssertionError(node)


def _plain(node: Expression) -> str:
    """As typed on a keyboard."""
    match node:
        case Literal(value):
            return str(value)
        case Symbol(name):
            return name
        case Binary("^", left, right):
            return f"({_plain(left)})**{_plain(right)}"
        case Binary(operator, left, right):
            return f"({_plain(left)}){operator}({_plain(right)})"
        case _:
            raise AssertionError(node)


def _outcome(node: Expression) -> Fraction | str:
    try:
        return evaluate(node, VALUES)
    except FormulaError as error:
        return str(error)


def _parsed(text: str) -> Expression | None:
    """None where brackets are nested too deep, which is a bound and no misreading."""
    try:
        return parse_formula(text)
    except FormulaError as error:
        if "deep" in str(error):
            return None
        raise


@given(_EXPRESSIONS)
@settings(max_examples=150, deadline=None)
def test_writing_does_not_matter(node: Expression) -> None:
    expected = _outcome(node)
    for text in (_latex(node), _plain(node)):
        if len(text) < 1500:
            parsed = _parsed(text)
            assert parsed is None or _outcome(parsed) == expected


@given(st.text(alphabet="2dhskvLP_^{}()[]+-*/=\\ .,×·$&;<>frac€sumΣΘO", max_size=60) | st.text(max_size=40))
@settings(max_examples=300, deadline=None)
def test_any_text_is_read_or_refused(text: str) -> None:
    for read in (parse_equation, formulas_in, bounds_in, shapes_in):
        try:
            read(text)
        except FormulaError:
            continue


@pytest.mark.parametrize(
    "text",
    ["(" * 1900, "2^" * 900, "d " * 900, "_" * 1900, "$" * 5000, r"\frac" * 300, "((9^32)^32)", "O(" * 900, "9" * 1999],
)
def test_hostile_text_is_quick(text: str) -> None:
    start = time.perf_counter()
    for read in (parse_equation, formulas_in, bounds_in, shapes_in):
        try:
            read(text)
        except FormulaError:
            continue
    assert time.perf_counter() - start < 2


@pytest.mark.parametrize(
    "text", [r"2 L \Phi h d_h", "2 L h ∫ d_h", "2 L h < d_h", r"2 L h d_h \pm b", "2 P + foo_bar s", "2 L h {weird} s"]
)
def test_a_part_of_a_formula_is_not_taken_for_the_whole(text: str) -> None:
    assert formulas_in(text) == ()
