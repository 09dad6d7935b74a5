"""Numbers beside those of a citation that were not read as part of it: a half-rewritten range points nowhere."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from functools import lru_cache
from itertools import accumulate

from ..model.document import Citation, Document, Span

# What may stand between the two ends of a range or two entries of a list, and says nothing else. Soft hyphens and
# characters without a width are written as escapes, for they cannot be seen.
_WORDS = r"(?<![A-Za-z])(?:to|through|thru|until|till|and|or|also|plus|up|lines?)(?![A-Za-z])"
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_DASHES = "-\u2010-\u2015\u2212\ufe58\ufe63\uff0d~\uff5e\u301c"
_ARROWS = "\u2190-\u21ff\u27f5-\u27ff>"
_STRONG = (
    r"&(?:[a-z]*dash|shy|hyphen|minus|rarr|larr|zwn?j|ZeroWidthSpace|NoBreak|comma|colon|amp|#\d+|#x[0-9a-fA-F]+);"
    rf"|[{_DASHES}{_ARROWS}{_INVISIBLE}:,/\\&+\uff0c\u3001\uff1a\u2026\u81f3\u5230\u548c\u53ca]|\.\.+|{_WORDS}"
)
_WEAK = (
    r"[ \t\u00a0\u2000-\u200a\u202f\u3000`*()\uff08\uff09\u884c\u7b2c]|&(?:nbsp|thinsp|ensp|emsp);"
    r"|</?(?:code|b|i|em|strong|span|kbd|tt|samp|small|sub|sup|wbr)\b[^<>]{0,200}>|(?<![A-Za-z])[Ll](?=[^A-Za-z]|$)"
)
_BREAK = r"\r?\n[ \t]*(?![-*+][ \t]|\d+[.)][ \t])"
_AFTER = re.compile(
    rf"(?P<between>(?:{_WEAK}|{_STRONG})*+(?:{_BREAK}(?:{_WEAK}|{_STRONG})*+)?+)"
    r"(?<![0-9])(?P<number>[0-9]{1,7})(?![0-9A-KM-Za-z_%]|\.[0-9])"
)
_BEFORE = re.compile(
    rf"(?:(?<![\w#.%])|(?<![\w#.%])[Ll])(?P<number>[0-9]{{1,7}})(?![0-9])(?P<between>(?:{_WEAK}|{_STRONG})++)$"
)
# How many lines they are, which is no place: `(3 lines)`, `: 2 of them`.
_OPENS_COUNT = re.compile(r"[\s`*]*[(:]\s*")
_COUNTS = re.compile(r"\s{0,3}(?:(?:lines?|LOC|rows?)\b(?!\s{0,3}[:#]?\s{0,3}[0-9])|of\s(?:them|these|those|it)\b)")
_IS_STRONG = re.compile(_STRONG)
_FAR = 120


def spans_of_numbers(document: Document) -> frozenset[Span]:
    """Everything in the document that some citation was read from as a number, a path or a revision."""
    return frozenset(span for citation in document.citations for span in spans_of(citation))


def spans_of(citation: Citation) -> Iterable[Span]:
    """Every number, path and revision that the citation was read from."""
    single = (citation.first_digits, citation.last_digits, citation.rev_span, citation.path_span)
    yield from (span for span in single if span is not None)
    yield from citation.twins
    yield from citation.label_digits
    yield from citation.columns


def further_number(
    document: Document, written: Iterable[Span], read: frozenset[Span], *, counts_too: bool = True
) -> str | None:
    """What stands beside the digits at `written`, up to a number that is in none of the spans `read`; or None.

    Without `counts_too`, a number that says how many lines they are is no such number.
    """
    text = document.text
    for span in written:
        after = _AFTER.match(text, span.end, min(len(text), span.end + _FAR))
        if (
            after
            and _joins(after, text)
            and not _is_read(after.span("number"), read)
            and (counts_too or not _is_count(after, text))
        ):
            return text[span.start : after.end("number")]
        low = max(text.rfind("\n", 0, span.start) + 1, span.start - _FAR)
        before = _BEFORE.search(text, low, span.start)
        if before and _joins(before, text) and not _is_read(before.span("number"), read):
            return text[before.start("number") : span.end]
    return None


def _joins(match: re.Match[str], text: str) -> bool:
    """Two numbers with nothing but space between them, or in two lines, are not a range or a list."""
    between = match.group("between")
    if not between:
        return False
    if "\n" in between or not between.strip(" \t`*"):
        return _IS_STRONG.search(between) is not None
    return True


def _is_count(match: re.Match[str], text: str) -> bool:
    opened = _OPENS_COUNT.fullmatch(match.group("between")) is not None
    return opened and _COUNTS.match(text, match.end("number")) is not None


def _is_read(number: tuple[int, int], read: frozenset[Span]) -> bool:
    start, end = number
    starts, furthest = _reach(read)
    at = bisect_right(starts, start) - 1
    return at >= 0 and furthest[at] >= end


@lru_cache(maxsize=4)
def _reach(read: frozenset[Span]) -> tuple[list[int], list[int]]:
    """Where spans begin, in order; and for each how far it and those before it reach."""
    ordered = sorted(read, key=lambda span: span.start)
    return [span.start for span in ordered], list(accumulate((span.end for span in ordered), max))
