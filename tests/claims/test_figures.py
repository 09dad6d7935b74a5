"""Figures in prose: how they are read, and whether they are the exact value as printed."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refcheck.claims.figures import Contradicted, Holds, Imprecise, judge, parse_figures
from refcheck.reference.cost import evaluate

GB, GIB, MIB, KIB = 10**9, 2**30, 2**20, 2**10


def read(text: str) -> list[tuple[Fraction | int, str]]:
    return [(figure.value, figure.unit) for figure in parse_figures(text)]


@pytest.mark.parametrize(
    ("text", "value", "unit"),
    [
        ("2,224×", 2224, "x"),
        ("2,224&times;", 2224, "x"),
        ("$2{,}224\\times$", 2224, "x"),
        ("1.038x", Fraction("1.038"), "x"),
        ("4:1", 4, "x"),
        ("three-fold", 3, "x"),
        ("2,460 times", 2460, "x"),
        ("$P = 8.03\\times10^{9}$", 8_030_000_000, ""),
        ("8.03&times;10<sup>9</sup>", 8_030_000_000, ""),
        ("8.03×10⁹", 8_030_000_000, ""),
        ("4.11e13", 41_100_000_000_000, ""),
        ("41{,}943{,}040", 41_943_040, ""),
        ("41&#8239;943&#8239;040", 41_943_040, ""),
        ("131,072 bytes", 131_072, "B"),
        ("131{,}072$ bytes", 131_072, "B"),
        ("131072 B", 131_072, "B"),
        ("128 KiB", 128 * KIB, "B"),
        ("128&nbsp;KiB", 128 * KIB, "B"),
        ("320\u2009MiB", 320 * MIB, "B"),
        ("7,658 GiB", 7658 * GIB, "B"),
        ("16.06~GB", 16_060_000_000, "B"),
        ("$16.06\\,\\text{GB}$", 16_060_000_000, "B"),
        ("80-GB", 80 * GB, "B"),
        ("335 MB", 335_000_000, "B"),
        ("4.9 ms", Fraction("0.0049"), "s"),
        ("2.5 s", Fraction("2.5"), "s"),
        ("3 seconds", 3, "s"),
        ("12 µs", Fraction(12, 10**6), "s"),
        ("98%", Fraction(98, 100), "%"),
        ("$7.0\\%$", Fraction(7, 100), "%"),
        ("7 per cent", Fraction(7, 100), "%"),
        ("17.4 GFLOP", 17_400_000_000, "FLOP"),
        ("436.2 MFLOPs", 436_200_000, "FLOP"),
        ("19.7 PFLOP", 19_700_000_000_000_000, "FLOP"),
        ("1.06 FLOP/byte", Fraction("1.06"), "FLOP/B"),
        ("2.7\\times10^{3}$ FLOP/byte", 2700, "FLOP/B"),
        ("one floating-point operation per byte", 1, "FLOP/B"),
        ("3.35 TB/s", 3_350_000_000_000, "B/s"),
        ("989 TFLOPS", 989 * 10**12, "FLOP/s"),
        ("989 TFLOP/s", 989 * 10**12, "FLOP/s"),
        ("Thirty-two", 32, ""),
        ("sixty-four", 64, ""),
        ("five hundred and twelve", 512, ""),
        ("two million", 2_000_000, ""),
        ("8k", 8000, ""),
        ("2.5k", 2500, ""),
        ("7.50B", 7_500_000_000, ""),
        ("8.03 billion", 8_030_000_000, ""),
        ("a 2048-token prompt", 2048, ""),
        ("the 512th forward", 512, ""),
        ("2^{30}", 2**30, ""),
        ("−3%", Fraction(-3, 100), "%"),
    ],
)
def test_one_figure_is_read(text: str, value: int | Fraction, unit: str) -> None:
    assert read(text) == [(value, unit)]


@pytest.mark.parametrize(
    "text",
    [
        "Llama-3-8B", "SmolLM2-135M", "H100", "a556f3f", "7d89325", "§0.4", "&sect;2.1", "RFC #18571", "0.28.0",
        "2026-08-21", "10:00:00", "backend.py:L485", "scheduler.py:566-575", "s^2", "x_{12}", "V1", "no figure at all",
        "", "&amp;", "2P", "\\mathbb{R}^{1 \\times d}", "bf16", "fp8",
    ],
)  # fmt: skip
def test_no_figure_is_read_from_names_places_and_versions(text: str) -> None:
    assert read(text) == []


def test_lists_share_the_unit_that_stands_last() -> None:
    assert read("256.1 / 256.2 / 256.4 MiB") == [(Fraction(x) * MIB, "B") for x in ("256.1", "256.2", "256.4")]
    flops = read("50.3 (QKV) + 33.6 (o_proj) + 352.3 (MLP) MFLOP")
    assert flops == [(Fraction(x) * 10**6, "FLOP") for x in ("50.3", "33.6", "352.3")]
    assert [figure.shared for figure in parse_figures("8 and 16 GB")] == [True, False]
    # an assignment before a comma is no list
    assert read("at $s = 2560$, 335 MB") == [(2560, ""), (335_000_000, "B")]


def test_several_figures_keep_their_places() -> None:
    text = "(8 KV heads instead of 32), 4096 / 1024 / 1024, [2,5,3] and 2049 … 2560"
    assert [figure.text for figure in parse_figures(text)] == [
        "8", "32", "4096", "1024", "1024", "2", "5", "3", "2049", "2560",
    ]  # fmt: skip
    html = "<p>about <b>16.06</b>&nbsp;GB and 2,224&times;</p>"
    assert [html[f.start : f.end] for f in parse_figures(html)] == ["16.06</b>&nbsp;GB", "2,224&times;"]
    assert [f.hedged for f in parse_figures(html)] == [True, False]


@pytest.mark.parametrize("hedge", ["about ", "roughly ", "~", "≈ ", "approximately ", "$I \\approx ", "nearly "])
def test_hedges(hedge: str) -> None:
    assert parse_figures(f"it is {hedge}2,460x")[0].hedged
    assert not parse_figures("it is 2,460x")[0].hedged


@pytest.mark.parametrize(
    ("text", "exact", "unit", "outcome"),
    [
        ("2,460×", Fraction(33462177280, 13595451), "x", Imprecise),
        ("about 2,460×", Fraction(33462177280, 13595451), "x", Holds),
        ("2,224×", Fraction("2224.21"), "x", Holds),
        ("2,200x", Fraction("2224.21"), "x", Imprecise),
        ("2,300x", Fraction("2224.21"), "x", Contradicted),
        ("335 MB", 335_544_320, "B", Imprecise),
        ("336 MB", 335_544_320, "B", Holds),
        ("334 MB", 335_544_320, "B", Contradicted),
        ("2304", Fraction("2304.5"), "1", Imprecise),
        ("2305", Fraction("2304.5"), "1", Imprecise),
        ("2303", Fraction("2304.5"), "1", Contradicted),
        ("about 2,304", Fraction("2304.5"), "1", Holds),
        ("2559", 2559, "1", Holds),
        ("2559", 2560, "1", Contradicted),
        ("256.1 MiB", Fraction("256.125") * MIB, "B", Holds),
        ("256.2 MiB", Fraction("256.25") * MIB, "B", Holds),
        ("256.3 MiB", Fraction("256.25") * MIB, "B", Imprecise),
        ("256.4 MiB", Fraction("256.375") * MIB, "B", Holds),
        ("4.9 ms", Fraction("0.0048842"), "s", Holds),
        ("16.06 GB", 16_060_000_000, "B", Holds),
        ("7%", Fraction("0.0755"), "share", Imprecise),
        ("7.0%", Fraction("0.06997"), "share", Holds),
        ("98%", Fraction("0.98154"), "share", Holds),
        ("50 ms", Fraction("0.054"), "s", Imprecise),
        ("2,560", 2559, "1", Contradicted),
        ("about 2,560", 2559, "1", Holds),
        ("2,560", Fraction("2559.5"), "1", Imprecise),
        ("2,000 rows", 2048, "1", Contradicted),
        ("10 GiB", Fraction("6.9") * GIB, "B", Contradicted),
        ("10 GiB", Fraction("9.6") * GIB, "B", Holds),
        ("about 10 GiB", Fraction("6.9") * GIB, "B", Contradicted),
        ("100 GiB", Fraction("96") * GIB, "B", Imprecise),
        ("100 GiB", Fraction("94") * GIB, "B", Contradicted),
        ("120 GiB", Fraction("116") * GIB, "B", Imprecise),
        ("120 GiB", Fraction("126") * GIB, "B", Contradicted),
        ("2.7e3", Fraction("2390.1"), "FLOP/B", Contradicted),
        ("2.7e3", Fraction("2666.9"), "FLOP/B", Holds),
        ("2.7e3", 2612, "FLOP/B", Imprecise),
        ("16 GB", Fraction("16.06") * GIB, "B", Contradicted),
        ("4.9 GB", Fraction("0.0048842"), "s", Contradicted),
        ("8k", 8192, "1", Holds),
        ("roughly one FLOP per byte", Fraction("1.0554"), "FLOP/B", Holds),
    ],
)
def test_judged_as_printed(text: str, exact: int | Fraction, unit: str, outcome: type) -> None:
    found = judge(parse_figures(text)[0], exact, unit)
    assert type(found) is outcome, found


def test_reasons_show_the_exact_value_in_the_printed_unit() -> None:
    cut = judge(parse_figures("335 MB")[0], 335_544_320, "B")
    assert cut.reason == "it is 335.544 MB, which rounds to 336 MB: the figure is cut off, not rounded"
    swapped = judge(parse_figures("7,658 GB")[0], 8_222_720_000_000, "B")
    assert isinstance(swapped, Contradicted)
    assert "would be right in GiB" in swapped.reason
    wrong = judge(parse_figures("4.9 GB")[0], Fraction("0.0048842"), "s")
    assert wrong.reason == "4.9 GB is stated in B, the quantity is in s"


def test_the_context_over_which_2700_flop_per_byte_is_right() -> None:
    figure = parse_figures("2.7e3 FLOP/byte")[0]

    def holds(context: int) -> bool:
        value = evaluate("intensity_uncached_weights_only", context=context)
        return isinstance(judge(figure, Fraction(value.value), value.unit), Holds)

    assert [context for context in range(2500, 2700) if holds(context)] == list(range(2545, 2637))


# --- properties --------------------------------------------------------------------------------------------

exact_values = st.fractions(min_value=Fraction(1, 10**6), max_value=10**9, max_denominator=10**6)


def printed(value: Fraction, places: int) -> str:
    """The value rounded half to even to that many decimals, as text with thousands separated."""
    digits = round(value * 10**places)
    whole, rest = divmod(digits, 10**places)
    return f"{whole:,}" + (f".{rest:0{places}d}" if places else "")


@settings(deadline=None)
@given(exact_values, st.integers(min_value=1, max_value=9))
def test_a_value_that_is_rounded_right_holds(value: Fraction, places: int) -> None:
    assert isinstance(judge(parse_figures(f"{printed(value, places)} x")[0], value), Holds)


@settings(deadline=None)
@given(exact_values, st.integers(min_value=1, max_value=6), st.integers(min_value=2, max_value=99))
def test_more_than_one_unit_off_never_holds(value: Fraction, places: int, units: int) -> None:
    figure = parse_figures(printed(value + Fraction(units, 10**places), places) + " MB")[0]
    assert isinstance(judge(figure, value * 10**6, "B"), Contradicted)


@settings(deadline=None)
@given(exact_values, st.integers(min_value=1, max_value=6))
def test_cut_off_is_at_most_imprecise_and_never_contradicted(value: Fraction, places: int) -> None:
    cut = Fraction(value * 10**places // 1, 10**places)
    found = judge(parse_figures(printed(cut, places) + " s")[0], value, "s")
    rounded_down = round(value * 10**places) == cut * 10**places
    assert isinstance(found, Holds if rounded_down else Imprecise)


@settings(deadline=None)
@given(st.integers(min_value=0, max_value=10**12))
def test_bare_counts_are_exact(count: int) -> None:
    figure = parse_figures(f"{count:,} rows")[0]
    assert isinstance(judge(figure, count), Holds)
    assert isinstance(judge(figure, count + Fraction(1, 2)), Imprecise)
    assert isinstance(judge(figure, count + 1), Contradicted)


@settings(deadline=None)
@given(
    st.integers(min_value=1, max_value=10**9),
    st.sampled_from(["", "\u2009", "\u202f", "&thinsp;", "{,}", ",", "&#8239;"]),
    st.sampled_from(["", "~", "see ", "(", "$", "<b>", "= "]),
    st.sampled_from(["", ".", ")", "$", "</b>", " tokens", "-token", ","]),
)
def test_every_grouping_reads_the_same(number: int, separator: str, before: str, after: str) -> None:
    written = f"{number:,}".replace(",", separator)
    figures = parse_figures(before + written + after)
    assert [figure.value for figure in figures] == [number]
    assert (before + written + after)[figures[0].start : figures[0].end] == written


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_is_read_without_error_and_offsets_fit(text: str) -> None:
    last = 0
    for figure in parse_figures(text):
        assert last <= figure.start < figure.end <= len(text)
        assert figure.text == text[figure.start : figure.end]
        last = figure.start
