"""What a file says as text: a page of the guide, a comment, a docstring."""

from __future__ import annotations

import re

from ...config.fields import Field
from ...model.evidence import Comparison, Evidence, SourceLines
from ...model.place import LineRange, Place
from ...model.verdict import Contradicted, Holds, Verdict
from ..context import Context
from ..kind import ENGINE, PATH, Case, Kind, Params

_QUOTES = str.maketrans({"\u2019": "'", "\u2018": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " "})


def check(params: Params, context: Context) -> Verdict:
    """Each of `says` stands in the file, none of `not_says`; line breaks, comment marks, curly quotes do not count."""
    source = context.source(params["engine"], params["path"])
    first, last = 1, max(1, len(source.lines))
    if "symbol" in params:
        located = context.symbol(params["engine"], params["path"], params["symbol"])
        source, first, last = located.source, located.symbol.lines.first, located.symbol.lines.last
    text, lines = _flat(source.lines[first - 1 : last], first)
    folded = text.casefold()
    wrong: list[Comparison] = []
    shown: list[Evidence] = []
    where: list[str] = []
    for key, wanted in (("says", True), ("not_says", False)):
        for phrase in params.get(key, ()):
            line = first
            at = folded.find(_flat([str(phrase)], 1)[0].casefold())
            if at >= 0:
                line = lines[min(at, len(lines) - 1)]
                shown.append(SourceLines(Place(source.path, LineRange(line, line)), (source.lines[line - 1],)))
                where.append(f"{phrase!r} at L{line}")
            if (at >= 0) != wanted:
                stated, is_so = f"says {phrase!r}", f"does not say {phrase!r}"
                if not wanted:
                    stated, is_so = is_so, f"{stated} at L{line}"
                wrong.append(Comparison(source.path, stated, is_so))
    found = next((item.place for item in shown if isinstance(item, SourceLines)), Place(source.path))
    if wrong:
        against = "; ".join(one.found for one in wrong)
        return Contradicted(f"{source.path} {against}", (*wrong, *shown), found)
    return Holds(
        f"{source.path} has {'; '.join(where)}" if where else f"{source.path} does not say so", found, tuple(shown)
    )


def _flat(part: tuple[str, ...] | list[str], first: int) -> tuple[str, list[int]]:
    """Text with single spaces, and the line of each of its characters."""
    pieces: list[str] = []
    numbers: list[int] = []
    for number, line in enumerate(part, first):
        for word in re.sub(r"^\s*(?:#+|//+|\*|>)\s", " ", line.translate(_QUOTES)).split():
            pieces.append(word + " ")
            numbers.extend([number] * (len(word) + 1))
    text = "".join(pieces)
    return text.rstrip(), numbers


_FILES = {"docs/guide.md": "# Guide\n\nSee the post [The Queue\u2019s\nSecond Life](https://toy.org/2).\n"}
_AT = {"engine": "toy", "path": "docs/guide.md"}

KIND = Kind(
    name="text",
    summary="What a file says: a link in a guide, a comment, a docstring.",
    fields=(
        ENGINE,
        PATH,
        Field("symbol", "str", "the definition whose text is meant, comments and docstring included"),
        Field("says", "list", "texts that must stand there"),
        Field("not_says", "list", "texts that must not"),
    ),
    check=check,
    cases=(
        Case("across a line break", {**_AT, "says": ["The Queue's Second Life", "https://toy.org/2"]}, "holds", _FILES),
        Case("absent", {**_AT, "not_says": ["third life"]}, "holds", _FILES),
        Case("other words", {**_AT, "says": ["The Queue's First Life"]}, "contradicted", _FILES),
        Case("present after all", {**_AT, "not_says": ["second life"]}, "contradicted", _FILES),
        Case("no such file", {"engine": "toy", "path": "docs/faq.md", "says": ["x"]}, "gone", _FILES),
    ),
)
