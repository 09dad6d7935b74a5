"""The chapter's claims about arithmetic and behaviour: each figure is read, and the verdict follows it.

The mutations are made from the edition itself: every figure and formula that a check judges is changed in the
words by one digit.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from refcheck.claims.check import check_claim, kind_named, run_check, validate_claims
from refcheck.claims.context import Context
from refcheck.claims.figures import Figure, parse_figures
from refcheck.claims.formula_text import formulas_in
from refcheck.config.edition import ClaimEntry, load_edition
from refcheck.config.fields import check_fields
from refcheck.config.yaml_lines import LinedYaml
from refcheck.model.verdict import Verdict, verdict_name

EDITION = Path(__file__).parents[2] / "anchors" / "decode-loop.yaml"
ORDER = ["holds", "imprecise", "contradicted", "undecided"]
IMPRECISE = ["C041", "C045", "C047", "C049", "C050", "C052", "C056", "C057", "C092", "C174", "C177", "C206"]
OPTIONAL = ["C184", "C185", "C186", "C187", "C188", "C189"]


@cache
def claims() -> dict[str, ClaimEntry]:
    found = load_edition(EDITION).claims
    return {claim.id: claim for claim in found if claim.origin.rpartition(":")[0].endswith("reference.yaml")}


def words_of(claim: ClaimEntry) -> str:
    return " … ".join(claim.words)


def judged(claim: ClaimEntry, words: str | None = None) -> Verdict:
    return check_claim(claim, Context({}, words=words or words_of(claim)))


def tables(claim: ClaimEntry) -> Iterator[Mapping[str, Any]]:
    """Every single check of a claim, those inside of all-of included."""
    for table in (claim.check, claim.generous):
        if table is not None:
            yield from table["checks"] if table["kind"] == "all-of" else [table]


# --- the claims as they stand ------------------------------------------------------------------------------


def test_every_check_is_well_formed() -> None:
    validate_claims(claims().values())
    assert len(claims()) > 90
    for claim in claims().values():
        for table in tables(claim):
            kind = kind_named(table["kind"])
            own = {key: value for key, value in table.items() if key != "kind"}
            assert check_fields(own, kind.fields, (), LinedYaml(claim.origin, own, {}), claim.id) == []


@pytest.mark.parametrize("name", sorted(claims()))
def test_verdict(name: str) -> None:
    verdict = judged(claims()[name])
    expected = "imprecise" if name in IMPRECISE else "undecided" if name in OPTIONAL else "holds"
    assert verdict_name(verdict) == expected, verdict.message
    assert verdict.message
    if expected != "undecided":
        assert verdict.evidence


def test_verdicts_are_those_of_the_list() -> None:
    shared = os.environ.get("REFCHECK_SHARED")
    if not shared:
        pytest.skip("REFCHECK_SHARED is not set: the list of the chapter's claims is not part of the repository")
    listed = {c["id"]: c["expected"] for c in json.loads((Path(shared) / "decode-loop" / "claims.json").read_text())}
    differ = {
        name: verdict_name(judged(claim))
        for name, claim in claims().items()
        if name not in OPTIONAL and verdict_name(judged(claim)) != (listed[name] or "undecided")
    }
    assert differ == {}


# --- a figure changed by one digit -------------------------------------------------------------------------


def stated_figures(table: Mapping[str, Any]) -> set[int]:
    """The figures, from 1, that a check judges; those that are only parameters are left out."""
    if table["kind"] == "number":
        names = table.get("quantity", next((s["quantity"] for s in table.get("sets", ()) if "quantity" in s), None))
        count = len(names) if isinstance(names, list) else 1
        chosen = table.get("figure", list(range(1, count + 1)))
        return set(chosen if isinstance(chosen, list) else [chosen])
    if table["kind"] == "relation":
        return set(_figures_in([r[side] for r in table.get("all_of", [table]) for side in ("left", "right")], False))
    if table["kind"] == "experiment":
        return set(_figures_in(table.get("expect", {}), True))
    return set()


def _figures_in(raw: Any, parameters: bool) -> Iterator[int]:
    if isinstance(raw, Mapping):
        if "figure" in raw:
            yield raw["figure"]
        for key, value in raw.items():
            if key != "with" or parameters:
                yield from _figures_in(value, parameters)
    elif isinstance(raw, list):
        for one in raw:
            yield from _figures_in(one, parameters)


_SPELLED = {"one": "five", "three": "seven"}


def changed(words: str, figure: Figure, least: int) -> Iterator[str]:
    """The words with the last digit of the figure's mantissa changed by `least` or more."""
    if figure.text.split()[0].lower() in _SPELLED:
        first = figure.text.split()[0]
        yield words[: figure.start] + _SPELLED[first.lower()] + words[figure.start + len(first) :]
        return
    mantissa = re.match(r"(?:\d|\{,\}|,(?=\d))+(?:\.\d+)?", figure.text)
    assert mantissa, figure
    at = figure.start + mantissa.end() - 1
    for digit in range(10):
        if abs(digit - int(words[at])) >= least:
            yield words[:at] + str(digit) + words[at + 1 :]


MUTABLE = {
    (name, number)
    for name, claim in claims().items()
    if name not in OPTIONAL
    for table in tables(claim)
    for number in stated_figures(table)
}


def test_enough_claims_state_figures() -> None:
    assert len({name for name, _ in MUTABLE}) >= 45


@pytest.mark.parametrize(("name", "number"), sorted(MUTABLE))
def test_another_digit_makes_it_worse(name: str, number: int) -> None:
    claim, words = claims()[name], words_of(claims()[name])
    before = verdict_name(judged(claim))
    figure = parse_figures(words)[number - 1]
    after = [verdict_name(judged(claim, other)) for other in changed(words, figure, 3)]
    assert after
    assert all(ORDER.index(one) >= ORDER.index(before) for one in after)
    if before == "holds":
        assert "holds" not in after
    else:
        assert "contradicted" in after


@pytest.mark.parametrize(("name", "number"), sorted(p for p in MUTABLE if p[0] not in IMPRECISE))
def test_the_next_digit_does_not_hold(name: str, number: int) -> None:
    claim, words = claims()[name], words_of(claims()[name])
    figure = parse_figures(words)[number - 1]
    for other in changed(words, figure, 1):
        assert verdict_name(judged(claim, other)) != "holds", other


# --- a formula or an exponent changed ----------------------------------------------------------------------

FORMULAS = {
    (name, index)
    for name, claim in claims().items()
    for table in tables(claim)
    if table["kind"] == "formula" and name != "C029"  # one symbol, see below
    for index in (table.get("formula", 1) if isinstance(table.get("formula", 1), list) else [table.get("formula", 1)])
}


@pytest.mark.parametrize(("name", "index"), sorted(FORMULAS))
def test_another_coefficient_or_symbol_is_contradicted(name: str, index: int) -> None:
    claim, words = claims()[name], words_of(claims()[name])
    text = formulas_in(words)[index - 1].replace("Σ", "sum")
    at = words.index(text, words.index("$", 1) if index > 1 and words.count(text) > 1 else 0)
    seen = 0
    for match in re.finditer(r"\d+|(?<![A-Za-z_\\{])[dhLPbsmkpt](?![A-Za-z])", text):
        left_of_equation = "=" not in text or not re.fullmatch(r"[\d{},\s]*|\w+_?\w*", text.split("=")[0])
        if not left_of_equation and match.start() < text.index("="):
            continue
        if "=" in text and match.start() > text.index("=") and re.fullmatch(r"[\s\d{},]*", text.split("=")[1]):
            continue
        old = match[0]
        new = str(int(old) + 1) if old.isdigit() else ("h" if old != "h" else "d")
        other = words[: at + match.start()] + new + words[at + match.end() :]
        verdict = verdict_name(judged(claim, other))
        assert verdict in ("contradicted", "undecided"), other
        seen += verdict == "contradicted"
    assert seen


@pytest.mark.parametrize("name", ["C018", "C033", "C034", "C035"])
def test_another_exponent_is_not_held(name: str) -> None:
    claim, words = claims()[name], words_of(claims()[name])
    for sign, worse in (("\\Theta", "contradicted"), ("O", "imprecise")):
        for match in re.finditer(re.escape(sign) + r"\((?P<inner>[^()]*)\)", words):
            inner = match["inner"]
            more = re.sub(r"\^(\d)", lambda m: f"^{int(m[1]) + 1}", inner) if "^" in inner else inner + "^2"
            more = "s" if inner == "1" else more
            other = words[: match.start("inner")] + more + words[match.end("inner") :]
            assert verdict_name(judged(claim, other)) == worse, other
    assert "O(" in words or "Theta" in words


@pytest.mark.parametrize(
    ("name", "old", "new", "expected"),
    [
        ("C014", r"W_k, W_v \in \mathbb{R}^{d \times h_{kv} d_h}", r"W_k, W_v \in \mathbb{R}^{d \times h d_h}", "contradicted"),
        ("C013", r"{1 \times d}", r"{2 \times d}", "contradicted"),
        ("C177", "seq_lens[0] - 1", "seq_lens[0]", "contradicted"),
        ("C177", "positions[-1]", "positions[0]", "contradicted"),
        ("C029", "now paid $s_t$ times", "now paid $2 s_t$ times", "contradicted"),
        ("C180", "h_{kv}=1", "h_{kv}=2", "contradicted"),
        ("C090", "Thirty-two", "Four", "contradicted"),
        ("C091", "sixty-four", "sixty-six", "contradicted"),
        ("C092", "80 GB", "90 GB", "contradicted"),
        ("C092", "80 GB", "60 GB", "holds"),
        ("C036", "n = 512", "n = 500", "contradicted"),
        ("C089", "2560-token", "2760-token", "contradicted"),
        ("C089", "320 MiB", "320 MB", "contradicted"),
        ("C050", "335 MB", "336 MB", "holds"),
        ("C206", "335 MB", "335.5 MB", "holds"),
        ("C052", "2304", "2304.5", "holds"),
        ("C041", "2,460x", "2,461x", "holds"),
        ("C063", "4.9 ms", "4.9 s", "contradicted"),
        ("C064", "98% of", "95% of", "contradicted"),
        ("C087", "128 KiB", "128 kB", "contradicted"),
    ],
)  # fmt: skip
def test_words_are_followed(name: str, old: str, new: str, expected: str) -> None:
    claim, words = claims()[name], words_of(claims()[name])
    assert old in words
    assert verdict_name(judged(claim, words.replace(old, new))) == expected


# --- writings that must not matter -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("C059", "7,658 GiB", "7\u202f658\u2009GiB"),
        ("C059", "7,658 GiB", "7,658&nbsp;GiB"),
        ("C059", "7,658 GiB", "$7{,}658$ GiB"),
        ("C047", "2,224×", "2,224&times;"),
        ("C047", "2,224×", r"$2{,}224\times$"),
        ("C047", "2×", "2x"),
        ("C003", r"$P = 8.03\times10^{9}$", "P = 8.03 × 10⁹"),
        ("C003", r"$P = 8.03\times10^{9}$", "P = 8.03e9"),
        ("C003", r"$P = 8.03\times10^{9}$", "P = 8.03&times;10<sup>9</sup>"),
        ("C003", "h_kv=8", "$h_{kv} = 8$"),
        ("C024", r"41{,}943{,}040", "41,943,040"),
        ("C024", "h_{kv}", r"h_{\mathrm{kv}}"),
        ("C016", "$2d(h d_h) + 4 d (h_{kv} d_h)$", r"\(2 d \cdot h d_h + 4 d \cdot h_{kv} d_h\)"),
        ("C016", "$2d(h d_h) + 4 d (h_{kv} d_h)$", "2d(h d<sub>h</sub>) + 4d(h<sub>kv</sub> d<sub>h</sub>)"),
        ("C020", r"$d \times d_{ff}$", r"$d\,d_{ff}$"),
        ("C030", r"\tfrac{1}{2}", r"\frac{1}{2}"),
        ("C030", "s_t^2", "s^{2}"),
        ("C033", r"$\Theta(s^2)$", "Θ(s²)"),
        ("C035", "$O(n^3)$", r"$\mathcal{O}(n^{3})$"),
        ("C031", "2P s + 2 L h d_h s^2", r"$2Ps + 2Lh\,d_h\,s_t^2$"),
        ("C053", "(2P + 4 L h d_h s) / (P b + 2 L h_kv d_h b s)", r"$\frac{2P + 4 L h d_h s}{P b + 2 L h_{kv} d_h b s}$"),
        ("C083", "sum(s_i)", r"\sum_{i=1}^{B} s_i"),
        ("C056", r"$I \approx 2.7\times10^{3}$", "I ≈ 2,700"),
        ("C062", "2.5 s", "2.5 seconds"),
        ("C063", "4.9 ms", "4.9\u00a0ms"),
        ("C064", "98%", "98 percent"),
        ("C090", "Thirty-two", "32"),
        ("C037", "2,560x", "2,560&times;"),
        ("C014", r"\mathbb{R}", "ℝ"),
        ("C177", "assert positions[-1] == seq_lens[0] - 1", "assert `positions[-1] == seq_lens[0] - 1`"),
    ],
)  # fmt: skip
def test_writing_does_not_matter(name: str, old: str, new: str) -> None:
    claim, words = claims()[name], words_of(claims()[name])
    assert old in words
    assert verdict_name(judged(claim, words.replace(old, new))) == verdict_name(judged(claim))


def test_evidence_has_the_exact_value_the_formula_and_the_parameters() -> None:
    verdict = judged(claims()["C041"])
    shown = str(verdict.evidence)
    assert "2,461.277" in shown
    assert "context=2560" in shown
    assert "4·L·h·d_h·s" in shown
    assert verdict.message.startswith("2,460x: ")
    assert "off by 1.28, less than one unit (10) of the last printed digit" in verdict.message


def test_no_verdict_is_written_in_the_edition() -> None:
    text = (EDITION.parent / "decode-loop" / "reference.yaml").read_text()
    assert not re.search(r"\b(holds|imprecise|contradicted|undecided|expected|verdict)\s*[:\]]", text)


@pytest.mark.transformers
@pytest.mark.parametrize("name", OPTIONAL)
def test_with_transformers(name: str) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    claim = claims()[name]
    verdict = run_check(claim.check, Context({}, words=words_of(claim), with_transformers=True))
    assert verdict_name(verdict) == "holds", verdict.message


@pytest.mark.transformers
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [("C188", "[batch, h_kv, seq, d_h]", "[batch, h, seq, d_h]"), ("C186", "max_new_tokens=128", "max_new_tokens=129")],
)
def test_with_transformers_words_are_followed(name: str, old: str, new: str) -> None:
    pytest.importorskip("torch")
    pytest.importorskip("transformers")
    claim = claims()[name]
    words = words_of(claim).replace(old, new)
    verdict = run_check(claim.check, Context({}, words=words, with_transformers=True))
    assert verdict_name(verdict) == "contradicted", verdict.message
