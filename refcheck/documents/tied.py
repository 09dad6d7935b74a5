"""A version that a sentence ties to one citation: "`request.py:100` in v0.8.0", "in vLLM 0.6.3 at `sequence.py:200`".

That is history, and no statement about the page. What came in with a version ("added in v0.8.0, `request.py:100`")
says nothing of the revision that the lines are of.
"""

from __future__ import annotations

import re

from .paths import PathReader

_TAG = r"v\d{1,4}(?:\.\d{1,4}){1,3}(?:[.-]?(?:rc|post|dev)\d{1,4})?"
_BARE = r"\d{1,4}(?:\.\d{1,4}){2,3}(?:[.-]?(?:rc|post|dev)\d{1,4})?"
_LATER = r"(?![\w-])(?!\.\d)(?!\s?(?:\+|以上|or (?:later|newer|above)|and (?:later|above|newer)|onwards?\b|起))"
_CAME = re.compile(
    r"\b(?:added|introduced|removed|new|landed|changed|fixed|deprecated|renamed|moved|appeared|came|arrived|gone|dropped|"
    r"merged|shipped|released|first|since|until|before|after)\s{1,2}\Z",
    re.IGNORECASE,
)
_ANY = re.compile(r"\d\.\d")
_WAS_SOMEWHERE = re.compile(
    r"\b(?:was|were|used to be|stood|lived)\s(?:still\s|defined\s|found\s)?(?:at|in|on)\s[`\"'“(\[]?", re.IGNORECASE
)
_WAS = re.compile(_WAS_SOMEWHERE.pattern + r"\Z", re.IGNORECASE)
_FAR = 100
_SENTENCE = 250


def has_version(text: str) -> bool:
    """Whether a text may hold a version at all: most paragraphs do not."""
    return _ANY.search(text) is not None


class TiedVersions:
    """Finds the version that stands beside a citation."""

    def __init__(self, paths: PathReader) -> None:
        engine = paths.word.pattern
        named = rf"(?:(?:the\s)?(?:tag|release|version)\s)?(?:{engine}\s{{1,2}}(?P<a>v?{_BARE}|{_TAG})|(?P<b>{_TAG}))"
        self._behind = re.compile(
            rf"[`\"'”’)\]]{{0,3}}\s{{0,2}}(?:[(（]\s?)?(?:in|of|at|as of)\s(?:the\s)?{named}{_LATER}",
            re.IGNORECASE,
        )
        self._before = re.compile(
            rf"(?<![\w-])(?P<lead>in|of|at|as of)\s(?:the\s)?{named}{_LATER}"
            r"\s{0,2}(?:[,:，：]\s?)?(?:(?:at|see|in)\s)?[(（\[]?[`\"'“‘]{0,2}\Z",
            re.IGNORECASE,
        )

        self._opens = re.compile(
            rf"(?:\A|(?<=[.!?;。；]\s))in\s(?:the\s)?{named}{_LATER}[,，]?\s[^.!?;。；]{{0,120}}\Z", re.IGNORECASE
        )

    def is_history(self, text: str) -> bool:
        """Whether a text begins with where something was in an older version, which is no revision of the page."""
        was = _WAS_SOMEWHERE.search(text, 0, _SENTENCE)
        return was is not None and self._opens.match(text, 0, was.start()) is not None

    def of(self, text: str, start: int, end: int) -> tuple[str, tuple[int, int]] | None:
        """The version as written, and where, for the citation at `start` to `end`; None without one."""
        if end <= start:
            return None
        found = self._behind.match(text, end, min(len(text), end + _FAR))
        if found is None:
            low = max(0, start - _FAR)
            window = text[low:start]
            for lead in re.finditer(r"(?<![\w-])(?:in|of|at|as of)\s", window, re.IGNORECASE):
                found = self._before.match(text, low + lead.start(), start)
                if found is not None:
                    if _CAME.search(text[max(0, found.start() - 20) : found.start()]):
                        return None
                    break
        if found is None and _WAS.search(text, max(0, start - 40), start):
            # "In vLLM 0.6.3, `pop` was at …": the version opens the sentence.
            found = self._opens.search(text, max(0, start - _SENTENCE), start)
        if found is None:
            return None
        group = "a" if found["a"] else "b"
        return found[group], found.span(group)
