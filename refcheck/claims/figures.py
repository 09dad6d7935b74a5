"""Figures that a document states in its words, and whether they are the exact value as printed.

`parse_figures` reads prose, HTML and LaTeX: `2,224×`, `$8.03\\times10^{9}$`, `41{,}943{,}040`,
`16.06&nbsp;GB`, `98%`, `1.06 FLOP/byte`, `Thirty-two`, `8k`. Offsets are those of the text that was given,
whatever was decoded in between.

`judge` compares as printed: within half a unit of the last printed digit a figure holds (a tie, if rounding
half to even gives it); within one unit it is imprecise; beyond, contradicted. A bare position or count is
exact, or imprecise when off by less than one. Another figure that holds only if trailing zeros do not count,
as the value rounded to the digits before them, is imprecise, unless it is hedged.
"""

from __future__ import annotations

import html
import re
from dataclasses import dataclass, replace
from fractions import Fraction

Exact = int | float | Fraction

# --- what a figure is --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Figure:
    """One stated figure. `start` and `end` are offsets into the text; `text` is what stands between them.

    `value` and `resolution` (one unit of the last printed digit) are in base units; `scale` is how many
    base units the printed unit is: 16.06 GB has value 16,060,000,000, unit "B", printed unit "GB", scale
    10**9. Percentages have scale 1/100. `unit` is one of "", "B", "FLOP", "FLOP/B", "B/s", "FLOP/s", "s",
    "x", "%". `trailing_zeros` counts the zeros that end a whole mantissa; `bare` marks a whole number
    without unit, suffix or exponent. `shared` says that the unit stands only after a later figure of the
    same list, as in "256.1, 256.2 and 256.4 MiB".
    """

    start: int
    end: int
    text: str
    value: Fraction
    resolution: Fraction
    unit: str = ""
    printed_unit: str = ""
    scale: Fraction = Fraction(1)
    trailing_zeros: int = 0
    hedged: bool = False
    bare: bool = False
    shared: bool = False


@dataclass(frozen=True, slots=True)
class Holds:
    """The figure is the exact value as printed."""

    figure: Figure
    exact: Fraction
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Imprecise:
    """The figure is the exact value only under a generous reading; `reason` says which."""

    figure: Figure
    exact: Fraction
    reason: str


@dataclass(frozen=True, slots=True)
class Contradicted:
    """The figure is not the exact value; `reason` says how far it is off."""

    figure: Figure
    exact: Fraction
    reason: str


Outcome = Holds | Imprecise | Contradicted

# --- reading -----------------------------------------------------------------------------------------------

_TAGS = "sup|sub|b|i|em|strong|span|code|var|small|a|abbr|mark|nobr|math|mrow|mn|mo|mi|mtext|msup|mspace"
_MARKUP = re.compile(
    rf"""
      (?P<entity> &(?:\#\d{{1,7}}|\#[xX][0-9a-fA-F]{{1,6}}|[A-Za-z][A-Za-z0-9]{{1,31}});)
    | (?P<tag> </?(?:{_TAGS})(?:\s[^<>]*)?/?>)
    | (?P<word> \\(?:text|mathrm|textrm|operatorname|mathit|mbox)\{{(?P<inner>[^{{}}]*)\}})
    | (?P<group> \{{,\}})
    | (?P<space> \\[,;:!\ ]|\\quad|\\thinspace)
    | (?P<symbol> \\(?:times|cdot|approx|sim|simeq|dots|ldots|cdots|pm|%)(?![A-Za-z]))
    | (?P<dollar> \\?\$)
    """,
    re.VERBOSE,
)
_SYMBOLS = {
    "times": "×", "cdot": "·", "approx": "≈", "sim": "≈", "simeq": "≈", "dots": "…", "ldots": "…", "cdots": "…",
    "pm": "±", "%": "%",
}  # fmt: skip
_THIN = "\u2009\u202f\u00a0\u2006\u2007\u200a"
_GAP = rf"[ \t\n\r{_THIN}~]"


@dataclass(frozen=True, slots=True)
class _Plain:
    """Decoded text, and for each of its characters where the original of it starts and ends."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]


def _plain(source: str) -> _Plain:
    """Decodes entities, inline tags and LaTeX; keeps offsets."""
    characters: list[str] = []
    starts: list[int] = []
    ends: list[int] = []

    def put(text: str, start: int, end: int) -> None:
        for character in text:
            characters.append(character)
            starts.append(start)
            ends.append(end)

    last = 0
    for match in _MARKUP.finditer(source):
        for index in range(last, match.start()):
            put(source[index], index, index + 1)
        last = match.end()
        put(_decoded(match), match.start(), match.end())
    for index in range(last, len(source)):
        put(source[index], index, index + 1)
    return _Plain("".join(characters), tuple(starts), tuple(ends))


def _decoded(match: re.Match[str]) -> str:
    if match["entity"]:
        return html.unescape(match["entity"])
    if match["tag"]:
        return "^" if match["tag"].startswith("<sup") else ""
    if match["word"]:
        return match["inner"]
    if match["group"]:
        return ","
    if match["space"]:
        return "\u2009"
    if match["symbol"]:
        return _SYMBOLS[match["symbol"][1:]]
    return ""


_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_NUMBER = re.compile(
    rf"""
    (?P<sign> (?<![\w)\]}}\d.,;–-])[-−] (?=\d))?
    (?P<whole> \d{{1,3}}(?:[,_{_THIN}]\d{{3}})+(?!\d) | \d+)
    (?P<decimals> \.\d+)?
    (?: {_GAP}?[×x·*]{_GAP}?10{_GAP}?
        (?: (?:\^|\*\*)\{{?(?P<power>[-+−]?\d{{1,4}})\}}? | (?P<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]{{1,4}}) )
      | [eE](?P<e>[-+−]?\d{{1,4}})(?![\w.])
      | \^\{{?(?P<exponent>\d{{1,3}})\}}?
    )?
    """,
    re.VERBOSE,
)
#: Numbers that are no figures: dates, times, versions, places in files, sections, issue numbers.
_NO_FIGURE = re.compile(
    r"""
      \d{4}-\d{2}-\d{2} | \d{1,2}:\d{2}(?::\d{2})+ | \bv?\d+(?:\.\d+){2,} | (?<=[\w`]):L?\d+(?:[-–,]L?\d+)*
    | [§\#@^]{1,2}\s?\d+(?:\.\d+)* | \b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,40}\b
    """,
    re.VERBOSE,
)

_ONES = [
    "zero",
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
]
_WORD_VALUES = {word: value for value, word in enumerate([*_ONES, "seventeen", "eighteen", "nineteen"])}
_TENS = {
    w: 10 * v
    for v, w in enumerate(["twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"], start=2)
}
_SCALES = {"hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_BASIC = "|".join([*_TENS, *_WORD_VALUES])
_SCALE = "|".join(_SCALES)
_WORDS = re.compile(rf"\b(?:{_BASIC})\b(?:(?:[ \n-]|[ \n]and[ \n])(?:{_BASIC}|{_SCALE})\b)*", re.IGNORECASE)

_DECIMAL = {"": 1, "k": 10**3, "K": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "P": 10**15, "E": 10**18}
_BINARY = {"K": 2**10, "k": 2**10, "M": 2**20, "G": 2**30, "T": 2**40, "P": 2**50, "E": 2**60}
_SECONDS = {"": Fraction(1), "m": Fraction(1, 10**3), "µ": Fraction(1, 10**6), "μ": Fraction(1, 10**6)}
_SECONDS |= {"u": Fraction(1, 10**6), "n": Fraction(1, 10**9)}
_NAMED_SECONDS = {"second": "", "sec": "", "millisecond": "m", "microsecond": "µ", "nanosecond": "n"}
_FLOPS = r"(?P<{0}>[kKMGTPE]?)(?:FLOPs?|flops?|floating-point{1}operations?)"
_UNIT = re.compile(
    rf"""
      (?:{_GAP}*\([^()\d]{{1,20}}\))?{_GAP}*-?(?:
        (?P<flop_s>[kKMGTPE]?)(?:FLOPS(?![\w/]) | FLOPs?{_GAP}*(?:/|per{_GAP}){_GAP}*s(?:ec(?:ond)?)?\b)
      | {_FLOPS.format("flop_byte", _GAP)}{_GAP}*(?:/|per{_GAP}){_GAP}*(?:bytes?|B)\b
      | {_FLOPS.format("flop", _GAP)}(?![\w])
      | (?P<bandwidth>[kKMGTPE]?i?)B{_GAP}?(?:/|per{_GAP}){_GAP}?s(?:ec(?:ond)?)?\b
      | (?P<bytes>(?:[kKMGTPE]i?)?)B\b
      | (?P<byte_word>bytes?)\b
      | (?P<seconds>[mµμun]?)s\b(?!{_GAP}?[=^_²])
      | (?P<second_word>(?:milli|micro|nano)?seconds?|secs?)\b
      | (?P<percent>%|per{_GAP}?cent\b)
    )
    | (?P<ratio> {_GAP}?×(?!{_GAP}*[\w\\({{]) | ×(?={_GAP}+[a-z]{{2}}) | [xX](?![\w])
        | -?{_GAP}?fold\b | {_GAP}times\b )
    """,
    re.VERBOSE,
)
_LABEL = re.compile(r"^\s*\([^()]*\)")
_SUFFIX = re.compile(rf"(?P<letter>[kKMBT])(?![\w/])|{_GAP}+(?P<word>{_SCALE.replace('hundred|', '')})\b")
_SUFFIXES = {"k": 10**3, "K": 10**3, "M": 10**6, "B": 10**9, "T": 10**12}

_HEDGE = re.compile(
    r"""(?: [~≈∼≃≅]\s* | \b(?:about|approximately|approx\.?|roughly|around|nearly|almost|circa|ca\.|some|order\ of)
            \s+ (?:an?\s+|the\s+)? ) [(\[]? $""",
    re.VERBOSE | re.IGNORECASE,
)
_HEDGE_AFTER = re.compile(rf"{_GAP}?(?:or{_GAP}so\b|-ish\b)", re.IGNORECASE)
#: What may stand between the figures of a list that share the last one's unit.
_LIST = re.compile(r"(?:\s*\([^()\d]{1,40}\))?\s*(?:,\s*(?:and|or)?|/|and|or|to|\+|–|-|→|->|…|\.\.+|vs\.?)\s*")


#: Digits of a figure, its power of ten, its words: what has more is no figure, and costs more than it says.
_MOST_DIGITS = 100
_MOST_POWER = 300
_MOST_BITS = 4_096
_MOST_WORDS = 24
#: How far before a number an identifier, a hedge or a list is looked for; each number of a page asks.
_NEAR = 200
_BETWEEN = 120
_RATIO = re.compile(r":1(?![\w:.])")
_ORDINAL = re.compile(r"(?:st|nd|rd|th)\b")
_WORD_GOES_ON = re.compile(r"[^\W\d]|_")

#: What an identifier with hyphens looks like up to a number in it: "Llama-3-" before "8B".
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(?:[-–.]\w+)*[-–]$")


def parse_figures(text: str) -> tuple[Figure, ...]:
    """The figures of a text in the order of their places; none overlaps another."""
    plain = _plain(text)
    taken = [match.span() for match in _NO_FIGURE.finditer(plain.text)]
    next_taken = 0
    found: list[tuple[int, int, Figure]] = []
    for match in _NUMBER.finditer(plain.text):
        while next_taken < len(taken) and taken[next_taken][1] <= match.start():
            next_taken += 1
        if next_taken < len(taken) and taken[next_taken][0] <= match.start():
            continue
        if not _stands_alone(plain.text, match.start()):
            continue
        if found and match.start() < found[-1][1]:
            continue
        figure = _numeral(plain, match)
        if figure is not None:
            found.append(figure)
    for match in _WORDS.finditer(plain.text):
        figure = _spelled(plain, match)
        if figure is not None:
            found.append(figure)
    found.sort(key=lambda item: item[0])
    return tuple(_with_shared_units(plain.text, found, text))


def _stands_alone(text: str, start: int) -> bool:
    """Whether a number that starts there is none of an identifier, a path, a decimal or an index."""
    before = text[max(0, start - 2) : start]
    if not before:
        return True
    last, second = before[-1], before[:-1]
    if last.isalnum() or last in "_§#@^":
        return False
    if last == ".":  # "..2,636" is a range; ".5" goes on with a number
        return not second.isalnum()
    if last in "-–" and _IDENTIFIER.search(text, max(0, start - _NEAR), start):
        return False
    if last in "-–/:":
        return not second.isalpha() and second != "_"
    return not (last == "{" and second in "^_")


def _numeral(plain: _Plain, match: re.Match[str]) -> tuple[int, int, Figure] | None:
    whole = re.sub(rf"[,_{_THIN}]", "", match["whole"])
    decimals = (match["decimals"] or ".")[1:]
    if len(whole) + len(decimals) > _MOST_DIGITS:
        return None
    mantissa = Fraction(int(whole + decimals), 10 ** len(decimals))
    if match["sign"]:
        mantissa = -mantissa
    power = match["power"] or match["e"] or (match["raised"] or "").translate(_SUPERSCRIPTS)
    raised = int(power.replace("−", "-")) if power else 0
    if abs(raised) > _MOST_POWER:
        return None
    scale = Fraction(10) ** raised
    if match["exponent"]:  # 2^{30}, 10^9
        if max(abs(mantissa.numerator), mantissa.denominator).bit_length() * int(match["exponent"]) > _MOST_BITS:
            return None
        mantissa, whole, decimals = mantissa ** int(match["exponent"]), "1", ""
    zeros = len(whole) - len(whole.rstrip("0")) if not decimals and int(whole) else 0
    return _finished(
        plain, match.start(), match.end(), mantissa * scale, Fraction(1, 10 ** len(decimals)) * scale,
        zeros=zeros, bare=not decimals and not power, glued=True, whole=whole,
    )  # fmt: skip


def _spelled(plain: _Plain, match: re.Match[str]) -> tuple[int, int, Figure] | None:
    total = group = 0
    words = re.split(r"[ \n-]+", match[0].lower())
    if len(words) > _MOST_WORDS:
        return None
    for word in words:
        if word in _SCALES:
            group *= _SCALES[word]
            if _SCALES[word] > 100:
                total, group = total + group, 0
        elif word != "and":
            group += _WORD_VALUES.get(word, _TENS.get(word, 0))
    value = str(total + group)
    zeros = len(value) - len(value.rstrip("0")) if total + group else 0
    return _finished(
        plain, match.start(), match.end(), Fraction(total + group), Fraction(1),
        zeros=zeros, bare=True, glued=False, whole=value,
    )  # fmt: skip


def _finished(
    plain: _Plain, start: int, end: int, value: Fraction, resolution: Fraction,
    *, zeros: int, bare: bool, glued: bool, whole: str,
) -> tuple[int, int, Figure] | None:  # fmt: skip
    """The figure with the suffix and unit that follow it; None where the number goes on as a word."""
    text = plain.text
    scale, unit, printed = Fraction(1), "", ""
    if glued and (ratio := _RATIO.match(text, end)):  # 4:1
        unit, printed, end = "x", ":1", ratio.end()
    elif (suffix := _SUFFIX.match(text, end)) and not (suffix["letter"] == "B" and len(whole) > 4):
        scale = Fraction(_SUFFIXES[suffix["letter"]] if suffix["letter"] else _SCALES[suffix["word"]])
        printed, end, bare = suffix[0].strip(), suffix.end(), False
        value, resolution = value * scale, resolution * scale
    if not unit and (match := _UNIT.match(text, end)) and (glued or not match[0].startswith(("s", "x", "X"))):
        unit, factor = _unit(match)
        value, resolution, scale = value * factor, resolution * factor, scale * factor
        printed, end = (printed + " " + _LABEL.sub("", match[0]).strip(f" \t\n\r{_THIN}~-")).strip(), match.end()
    elif not unit and glued and _ORDINAL.match(text, end):
        end += 2
    elif not unit and glued and _WORD_GOES_ON.match(text, end):
        return None
    hedged = _HEDGE.search(text, max(0, start - _NEAR), start) is not None or _HEDGE_AFTER.match(text, end) is not None
    first, last = plain.starts[start], plain.ends[end - 1]
    figure = Figure(first, last, "", value, resolution, unit, printed, scale, zeros, hedged, bare and not unit)
    return start, end, figure


def _unit(match: re.Match[str]) -> tuple[str, Fraction]:
    """The base unit, and how many of it the printed unit is."""
    groups = match.groupdict()
    for name, base in (("flop_s", "FLOP/s"), ("flop_byte", "FLOP/B"), ("flop", "FLOP")):
        if groups[name] is not None:
            return base, Fraction(_DECIMAL[groups[name]])
    for name, base in (("bandwidth", "B/s"), ("bytes", "B")):
        if groups[name] is not None:
            prefix = groups[name]
            return base, Fraction(_BINARY[prefix[0]] if prefix.endswith("i") else _DECIMAL[prefix])
    if groups["byte_word"] is not None:
        return "B", Fraction(1)
    if groups["seconds"] is not None:
        return "s", _SECONDS[groups["seconds"]]
    if groups["second_word"] is not None:
        return "s", _SECONDS[_NAMED_SECONDS[groups["second_word"].removesuffix("s")]]
    return ("%", Fraction(1, 100)) if groups["percent"] is not None else ("x", Fraction(1))


def _with_shared_units(plain: str, found: list[tuple[int, int, Figure]], source: str) -> list[Figure]:
    """Gives the figures of a list the unit that stands after its last one; fills in the text of each."""
    figures: list[Figure] = []
    following: tuple[int, Figure] | None = None
    for start, end, figure in reversed(found):
        if following is not None and not figure.printed_unit and following[1].unit not in ("", "x", "%"):
            between = following[0] - end <= _BETWEEN and _LIST.fullmatch(plain, end, following[0])
            if between and not plain[max(0, start - _NEAR) : start].rstrip().endswith("="):
                later = following[1]
                figure = replace(
                    figure, value=figure.value * later.scale, resolution=figure.resolution * later.scale,
                    unit=later.unit, printed_unit=later.printed_unit, scale=later.scale, bare=False, shared=True,
                )  # fmt: skip
        following = (start, figure)
        figures.append(replace(figure, text=source[figure.start : figure.end]))
    return figures[::-1]


# --- judging -----------------------------------------------------------------------------------------------

_DIMENSIONLESS = frozenset({"", "x", "%", "share", "1", "exponent", "bool"})


def judge(figure: Figure, exact: Exact, unit: str = "") -> Outcome:
    """Compares a figure with the exact value of the quantity that it states, both in base units.

    `unit` is the quantity's unit, in the cost model's names; a figure in a unit of another kind is
    contradicted.
    """
    exact = Fraction(exact)
    if unit and figure.unit and _kind(figure.unit) != _kind(unit):
        return Contradicted(figure, exact, f"{figure.text} is stated in {figure.unit}, the quantity is in {unit}")
    off, value = abs(figure.value - exact), figure.value
    shown = f"it is {in_printed_unit(figure, exact)}"
    if figure.bare and not figure.hedged:
        if off == 0:
            return Holds(figure, exact)
        if off < 1:
            return Imprecise(figure, exact, f"{shown}: off by less than one")
    elif _prints_as(value, exact, figure.resolution):
        return Holds(figure, exact)
    exactly = figure.bare and not figure.hedged
    if not exactly and _rounds_to(figure, exact):
        if figure.hedged:
            return Holds(figure, exact, f"{shown}, and the figure is hedged")
        return Imprecise(figure, exact, f"{shown}: right only if trailing zeros do not count")
    if not exactly and off <= figure.resolution:
        right = in_printed_unit(figure, _half_even(exact, figure.resolution), exactly=True)
        cut = abs(value) < abs(exact)
        how = "the figure is cut off, not rounded" if cut else "the figure is rounded the wrong way"
        return Imprecise(figure, exact, f"{shown}, which rounds to {right}: {how}")
    return Contradicted(figure, exact, shown + _other_prefix(figure, exact))


def in_printed_unit(figure: Figure, value: Fraction, *, exactly: bool = False) -> str:
    """A value in the figure's own unit, with three more places than the figure has."""
    scaled = value / figure.scale
    places = 0 if exactly else 3
    step = figure.resolution / figure.scale
    while step < 1 and places < 30:
        step, places = step * 10, places + 1
    text = f"{scaled.numerator:,}" if scaled.denominator == 1 else _fixed(scaled, places)
    unit = figure.printed_unit
    glued = unit in ("", "%", "x", "×", "X", ":1", *_SUFFIXES)
    return text + unit if glued else f"{text} {unit}"


def _fixed(value: Fraction, places: int) -> str:
    digits = _half_even(value, Fraction(1, 10**places)) * 10**places
    whole, rest = divmod(abs(int(digits)), 10**places)
    text = f"{whole:,}.{rest:0{places}d}".rstrip("0").rstrip(".") if places else f"{whole:,}"
    return "-" + text if value < 0 else text


def _half_even(value: Fraction, unit: Fraction) -> Fraction:
    return round(value / unit) * unit


def _prints_as(value: Fraction, exact: Fraction, unit: Fraction) -> bool:
    """Whether the exact value is within half a unit of the figure; a tie counts if half-even rounding gives
    it."""
    off = abs(value - exact) * 2
    return off < unit or (off == unit and _half_even(exact, unit) == value)


def _rounds_to(figure: Figure, exact: Fraction) -> bool:
    """Whether the exact value, rounded to as many digits as the figure has before its trailing zeros, is the figure.

    2,461 to three digits is 2,460; 6.9 to one digit is 7, and not 10.
    """
    if not figure.trailing_zeros or not exact:
        return False
    digits = len(str(abs(figure.value / figure.resolution).numerator)) - figure.trailing_zeros
    unit = figure.resolution
    while abs(exact) >= unit * 10**digits:
        unit *= 10
    while abs(exact) < unit * 10 ** (digits - 1):
        unit /= 10
    return _prints_as(figure.value, exact, unit)


def _kind(unit: str) -> str:
    return "" if unit in _DIMENSIONLESS else unit


def _other_prefix(figure: Figure, exact: Fraction) -> str:
    """A remark where the figure would be right with the other kind of byte prefix (GB for GiB)."""
    prefix = figure.printed_unit[:1]
    if figure.unit != "B" or prefix not in _BINARY or figure.printed_unit not in (prefix + "B", prefix + "iB"):
        return ""
    binary = figure.printed_unit.endswith("iB")
    other = Fraction(_DECIMAL[prefix] if binary else _BINARY[prefix])
    if _prints_as(figure.value / figure.scale * other, exact, figure.resolution / figure.scale * other):
        return f"; the figure would be right in {prefix}{'B' if binary else 'iB'}"
    return ""
