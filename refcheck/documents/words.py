"""Finds a short fragment of words in a document, whatever markup stands between its characters."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from ..model.document import Document, Offsets, Span

# Spacing and grouping of formulas, code ticks, emphasis: nothing that a reader sees.
_DROPPED_COMMAND = (
    r"\\(?:left|right|text(?:rm|bf|it|tt)?|math(?:rm|bf|it|tt|sf)?|operatorname|displaystyle|tfrac|frac)(?![A-Za-z])|"
    r"\\[,;:!>()\[\] ]"
)
_DROPPED_CHARACTERS = r"[\s`*$\\{}\u200b\u200c\u200d\u2060\ufeff\u00ad\u00a0\u202f\u2009]+"
_DROPPED = re.compile(f"{_DROPPED_COMMAND}|{_DROPPED_CHARACTERS}")
# Commands of formulas and the characters that pages show for them.
_COMMANDS = {
    "times": "x", "cdot": "·", "dots": "...", "ldots": "...", "cdots": "...", "approx": "~", "sim": "~",
    "leq": "<=", "le": "<=",
    "geq": ">=", "ge": ">=", "neq": "!=", "ne": "!=", "to": "->", "rightarrow": "->", "pm": "+-", "in": "∈", "sum": "∑",
    "sqrt": "√", "Theta": "Θ", "top": "⊤", "mathbb": "", "quad": "", "qquad": "",
}  # fmt: skip
_SAME = {
    "×": "x", "∗": "*",
    "−": "-", "–": "-", "—": "-", "‑": "-", "‐": "-", "“": '"', "”": '"', "„": '"', "‘": "'", "’": "'",
    "…": "...",
    "≈": "~", "∼": "~", "≤": "<=", "≥": ">=", "≠": "!=", "→": "->", "±": "+-", "⋅": "·", "∙": "·", "•": "·",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Squeezed:
    """A text reduced to what is compared; `starts`/`places` map runs of it back to the read text."""

    text: str
    starts: tuple[int, ...]
    places: tuple[int, ...]

    def place(self, index: int) -> int:
        run = bisect_right(self.starts, index) - 1
        following = self.starts[run + 1] if run + 1 < len(self.starts) else len(self.text)
        last = following - self.starts[run] - 1
        return self.places[run] + min(index - self.starts[run], max(last, 0))


def _squeeze(text: str) -> _Squeezed:
    parts: list[str] = []
    starts: list[int] = []
    places: list[int] = []
    length = 0

    def put(piece: str, place: int) -> None:
        nonlocal length
        if piece:
            parts.append(piece)
            starts.append(length)
            places.append(place)
            length += len(piece)

    position = 0
    for match in _SPECIAL.finditer(text):
        put(text[position : match.start()], position)
        found = match.group()
        if found[0] == "\\" and len(found) > 1 and found[1].isalpha() and not _DROPPED.fullmatch(found):
            put(_COMMANDS.get(found[1:], found[1:]), match.start())
        elif not _DROPPED.fullmatch(found):
            put(_SAME.get(found) or unicodedata.normalize("NFKC", found), match.start())
        position = match.end()
    put(text[position:], position)
    return _Squeezed("".join(parts), tuple(starts), tuple(places))


_SPECIAL = re.compile(rf"{_DROPPED_COMMAND}|\\[A-Za-z]+|{_DROPPED_CHARACTERS}|[^\x00-\x7f]")


@dataclass(frozen=True, slots=True)
class _Entry:
    offset: int
    squeezed: _Squeezed
    offsets: Sequence[int]
    text: str


class _Index:
    """All texts of a document, squeezed, one after the other with a separator that no text has."""

    def __init__(self, document: Document) -> None:
        self.entries: list[_Entry] = []
        parts: list[str] = []
        offset = 0
        texts: list[tuple[str, Sequence[int]]] = [(p.text, p.offsets) for p in document.prose]
        quotes = [c.quote for c in document.citations if c.quote is not None] + list(document.quotes_by_content)
        covered = sorted(
            {(q.span.start, q.span.end) for q in quotes} | {(p.span.start, p.span.end) for p in document.prose}
        )
        texts.extend((q.text, _line_offsets(q.lines, q.offsets)) for q in quotes)
        # What is neither prose nor quote (shell blocks, comments) is searched as it stands.
        position = 0
        for start, end in [*covered, (len(document.text), len(document.text))]:
            if start > position and document.text[position:start].strip():
                texts.append((document.text[position:start], Offsets.verbatim(position, start - position)))
            position = max(position, end)
        for text, offsets in texts:
            squeezed = _squeeze(text)
            if not squeezed.text:
                continue
            self.entries.append(_Entry(offset, squeezed, offsets, text))
            parts.append(squeezed.text)
            offset += len(squeezed.text) + 1
        self.text = "\0".join(parts)
        self.starts = [entry.offset for entry in self.entries]

    def find(self, words: str) -> tuple[Span, ...]:
        wanted = _squeeze(words).text
        if not wanted:
            return ()
        found: set[Span] = set()
        at = self.text.find(wanted)
        while at != -1:
            entry = self.entries[bisect_right(self.starts, at) - 1]
            inner = at - entry.offset
            first = entry.squeezed.place(inner)
            last = entry.squeezed.place(inner + len(wanted) - 1)
            if _whole(entry.text, first, last):
                found.add(_located(entry.offsets, first, last))
            at = self.text.find(wanted, at + 1)
        return tuple(sorted(found))


def _whole(text: str, first: int, last: int) -> bool:
    """A figure is not found inside a longer figure: `16.06` is not in `116.06` or `16.063`."""
    if text[first].isdigit():
        before = text[max(0, first - 2) : first]
        if before[-1:].isdigit() or (before[-1:] in (".", ",") and before[:1].isdigit() and len(before) == 2):
            return False
    if text[last].isdigit():
        after = text[last + 1 : last + 3]
        if after[:1].isdigit() or (after[:1] in (".", ",") and after[1:].isdigit()):
            return False
    return True


def _located(offsets: Sequence[int], first: int, last: int) -> Span:
    if isinstance(offsets, Offsets):
        return offsets.span(first, last + 1)
    return Span(offsets[first], offsets[last] + 1)


def _line_offsets(lines: Sequence[str], starts: Sequence[int]) -> Offsets:
    """A quote's text placed by its lines (entities inside a line shift what follows on it)."""
    begins: list[int] = []
    places: list[int] = []
    ends: list[int] = []
    at = 0
    for line, start in zip(lines, starts, strict=True):
        begins += [at, at + len(line)]
        places += [start, start + len(line)]
        ends += [start + len(line), start + len(line) + 1]
        at += len(line) + 1
    return Offsets(begins, places, ends, max(at - 1, 0))


def find_words(document: Document, words: str) -> tuple[Span, ...]:
    """Where `words` stand in the document's prose or code, as spans of `document.text`, in order.

    White space, code ticks, emphasis, entities and the spacing of formulas are set aside on both sides; dashes,
    quotation marks and multiplication signs compare equal to their plain kin. Letters' case counts. A figure is
    not found inside a longer figure.
    """
    index = document.__dict__.get("_words_index")
    if not isinstance(index, _Index):
        index = _Index(document)
        # A document is frozen; this is a cache of what it says, made once for all claims.
        document.__dict__["_words_index"] = index
    return index.find(words)
