"""What a document states where an edition records its words: found in the text, figures as they stand there.

Words are compared by their letters, digits and signs alone: white space, emphasis, LaTeX spacing and kinds of
dashes and quotation marks are set aside. Where the words do not stand as recorded, they are looked for once more
with any figures, and any names of called functions (`step()`), in place of theirs, so that a page whose figure or
name differs is judged by its own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

from ..model.document import Document, Span

_FIGURE = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?|\x00")
_CALLED = re.compile(r"(?<=[^A-Za-z_])[A-Za-z_]\w*(?=\(\))")
"""The name of a function that is called without arguments, with something before it."""
_NAME = "\x00"
"""Stands for such a name in words that are looked for with any."""
_MARKS = frozenset("$\\{}`*_")
"""Signs that do not count but close or open what does: a formula, code, emphasis."""
_DROPPED = frozenset(" \t\r\n\f\v*_`$\\{}~,\u00a0\u202f\u2009\u200b")
_SAME = str.maketrans(
    {"–": "-", "—": "-", "−": "-", "‑": "-", "“": '"', "”": '"', "‘": "'", "’": "'", "×": "x", "…": "."}
)
_ANY_FIGURE = r"\d{1,20}(?:\.\d{1,20})?(?:e[+-]?\d{1,4})?"
MIN_CONTEXT = 8
"""Letters that must stand around a figure before other figures are accepted in its place."""


@dataclass(frozen=True, slots=True)
class Stated:
    """The document's words for a claim. `conflicts` are further places with other figures."""

    text: str
    span: Span
    conflicts: tuple[tuple[str, Span], ...] = ()


class DocumentWords:
    """A document's text squeezed for looking up words, with the way back to its offsets."""

    def __init__(self, document: Document, *, raw: bool = False) -> None:
        self.document = document
        self._raw = raw
        self._chars: list[str] = []
        self._where: list[tuple[int, int]] = []
        self._quotes = [*document.quotes_by_content, *(c.quote for c in document.citations if c.quote)]
        if raw:
            self._add(document.text, 0)
        else:
            for index, prose in enumerate(document.prose):
                self._add(prose.text, index)
            for number, quote in enumerate(self._quotes):
                self._add(quote.text, -1 - number)
        self.text = "".join(self._chars)

    @cached_property
    def _as_written(self) -> DocumentWords:
        """The whole text as it is written: commands and other blocks that are neither prose nor quotes."""
        return DocumentWords(self.document, raw=True)

    def _add(self, text: str, index: int) -> None:
        for position, char in enumerate(text):
            for out in _squeezed(char):
                self._chars.append(out)
                self._where.append((index, position))
        self._chars.append("\n")
        self._where.append((index, len(text)))

    def find(self, words: Sequence[str]) -> Stated | None:
        """The document's own version of the words; all fragments must stand in it. None if one does not."""
        texts: list[str] = []
        spans: list[Span] = []
        conflicts: list[tuple[str, Span]] = []
        for fragment in words:
            wanted = squeeze(fragment)
            exact = self._exactly(wanted)
            loose = self._with_others(fragment)
            places = exact or loose
            if not places:
                return None if self._raw else self._as_written.find(words)
            start, end = places[0]
            texts.append(fragment if exact else self._original(start, end))
            spans.append(self._span(start, end))
            for other in loose:
                if not any(other[0] < e and s < other[1] for s, e in exact or [(start, end)]):
                    conflicts.append((self._original(*other), self._span(*other)))
        first = spans[0]
        return Stated(" … ".join(texts), first, tuple(conflicts))

    def _exactly(self, wanted: str) -> list[tuple[int, int]]:
        """Where squeezed words stand, none of their figures as part of a longer one: `16.06` is not in `116.063`."""
        if not wanted:
            return []
        places: list[tuple[int, int]] = []
        at = self.text.find(wanted)
        while at != -1:
            end = at + len(wanted)
            if not (self._goes_on(at) or self._goes_on(end)):
                places.append((at, end))
            at = self.text.find(wanted, at + 1)
        return places

    def _goes_on(self, at: int) -> bool:
        """Whether one figure stands on both sides of a place in the squeezed text."""
        before, after = self.text[at - 1 : at], self.text[at : at + 1]
        if before.isdigit() and after.isdigit():
            return self._beside(at)
        if after.isdigit() and before == "." and self.text[at - 2 : at - 1].isdigit():
            return self._beside(at - 1) and self._beside(at)
        if before.isdigit() and after == "." and self.text[at + 1 : at + 2].isdigit():
            return self._beside(at) and self._beside(at + 1)
        return False

    def _beside(self, at: int) -> bool:
        """Whether two characters of the squeezed text stand side by side in the document, or with a comma between."""
        (one, first), (other, second) = self._where[at - 1], self._where[at]
        return one == other and self._source(one)[first + 1 : second].strip("{,}\\") == ""

    def _source(self, index: int) -> str:
        if self._raw:
            return self.document.text
        return self.document.prose[index].text if index >= 0 else self._quotes[-1 - index].text

    def _with_others(self, fragment: str) -> list[tuple[int, int]]:
        """Where the fragment stands with other figures, or other names of called functions."""
        wanted = squeeze(_CALLED.sub(_NAME, fragment))
        parts, free = _FIGURE.split(wanted), _FIGURE.findall(wanted)
        if not free or sum(char.isalpha() for part in parts for char in part) < MIN_CONTEXT:
            return []
        pattern = "" if parts[0] else r"(?<![\d.])"
        for part, one in zip(parts, [*free, ""], strict=True):
            pattern += re.escape(part) + (r"[A-Za-z]\w{0,79}" if one == _NAME else _ANY_FIGURE if one else "")
        if not parts[-1]:
            pattern += r"(?![\d])"
        return [(m.start(), m.end()) for m in re.finditer(pattern, self.text)]

    def _original(self, start: int, end: int) -> str:
        index, first = self._where[start]
        _, last = self._where[end - 1]
        text = self._source(index)
        # What opens or closes at the ends belongs to the words: without its `$`, a formula is none.
        while first > 0 and text[first - 1] in _MARKS:
            first -= 1
        while last + 1 < len(text) and text[last + 1] in _MARKS:
            last += 1
        return text[first : last + 1]

    def _span(self, start: int, end: int) -> Span:
        index, first = self._where[start]
        _, last = self._where[end - 1]
        if self._raw:
            return Span(first, last + 1)
        if index >= 0:
            return self.document.prose[index].located(first, last + 1)
        return self._quotes[-1 - index].span


@lru_cache(maxsize=4096)
def _squeezed(char: str) -> str:
    return squeeze(char)


def squeeze(text: str) -> str:
    """The characters that count when words are compared."""
    normal = unicodedata.normalize("NFKC", text).translate(_SAME)
    return "".join(char for char in normal if char not in _DROPPED)
