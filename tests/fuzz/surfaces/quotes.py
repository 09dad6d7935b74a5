"""Matching of quotes: a text is found where it stands, and nowhere else; a whole tree is searched as one file is."""

from __future__ import annotations

from collections.abc import Iterator

from refcheck.locate.find import Absent, Differs, Found, Several, find_text
from refcheck.locate.fingerprint import fingerprint, parse_fingerprint
from refcheck.locate.loosely import find_loosely, plain_lines
from refcheck.locate.match import FileLines, Match, find_pattern
from refcheck.locate.pattern import Pattern, elided_pattern, literal_pattern
from refcheck.locate.reader import TreeReader
from refcheck.locate.search import search_tree
from refcheck.locate.similar import survivors
from refcheck.model.place import LineRange
from refcheck.model.source_text import SourceText
from tests.support.trees import MemoryTree

from . import Surface, must, opened, seed

_PARTS = b"\0"
_CODE = b"""class Pool:
    def take(self, count):
        if count > self.free:
            raise Exhausted(count)

        taken = self.pages[:count]
        self.free -= count
        return taken

    def give(self, pages):
        self.pages += pages
        self.free += len(pages)
"""
_QUOTES = (
    b"if count > self.free:\n    raise Exhausted(count)",
    b"def take(self, count):\n    # ...\n    return taken",
    b"taken = self.pages[:count]\n\nself.free -= count",
    b"def give(self, pages):\n    self.pages += pages\n    self.free = len(pages)",
    b"...\nself.free += len(pages)\n# (omitted)",
    b" 7  self.free -= count\n 8  return taken",
    b"-    self.free = 1\n+    self.free += len(pages)",
    b"def take(self,\n         count):\n    return taken  # all of them",
)


def seeds() -> Iterator[bytes]:
    for quote in _QUOTES:
        for ending in (b"\n", b"\r\n"):
            yield seed(quote + _PARTS + _CODE.replace(b"\n", ending), 3)


def check(data: bytes) -> None:
    choice, payload = opened(data)
    wanted, _, body = payload.partition(_PARTS)
    source = SourceText.from_bytes("a.py", "0" * 40, body)
    lines = FileLines(source)
    shown = SourceText.from_bytes("q", "0" * 40, wanted).lines
    if any(line.strip() for line in shown):
        literal = literal_pattern(shown)
        _check_pattern(literal, lines, body)
        elided = elided_pattern(shown)
        if elided is not None:
            _check_pattern(elided, lines, body)
        plain, how = plain_lines(shown)
        must(len(how) <= 2, "more ways than there are")
        if any(line.strip() for line in plain):
            near = find_loosely(plain, lines, None, may_cut=choice % 2 == 0)
            if near is not None:
                must(0 < near.lines.first <= near.lines.last <= len(source.lines), f"{near.lines} of the file")
    if source.lines:
        _check_slice(source, lines, choice)


def _check_slice(source: SourceText, lines: FileLines, choice: int) -> None:
    """What is taken from the file is found where it was taken, whatever stands around it."""
    first = choice % len(source.lines)
    last = min(len(source.lines), first + 1 + choice // 16)
    taken = source.lines[first:last]
    solid = [number for number in range(first + 1, last + 1) if source.lines[number - 1].strip()]
    if not solid:
        return
    found = find_pattern(literal_pattern(taken), lines)
    must(
        any(m.lines == LineRange(solid[0], solid[-1]) and m.exact for m in found),
        f"lines {solid[0]}-{solid[-1]} are not found where they stand",
    )


def _check_pattern(pattern: Pattern, lines: FileLines, body: bytes) -> None:
    source = lines.source
    matches = find_pattern(pattern, lines)
    must(matches == find_pattern(pattern, FileLines(source)), "found twice, it stands elsewhere")
    for match in matches:
        _check_match(pattern, match, source)
    recorded = parse_fingerprint(fingerprint(pattern))
    hashed = {m.lines for m in find_pattern(recorded, FileLines(source))}
    must({m.lines for m in matches} <= hashed, "the text is found where its fingerprint is not")
    reader = TreeReader(MemoryTree({"a.py": body}))
    searched = search_tree([pattern], reader, ["a.py"])[0]
    must([m for _, m in searched] == list(matches), "a search of the tree finds other places than one of the file")
    if source.lines:
        whole = LineRange(1, len(source.lines))
        kept = survivors(pattern, FileLines(source), whole)
        if kept is not None:
            must(1 <= kept.lines.first <= kept.lines.last <= len(source.lines), f"survivors at {kept.lines}")
            must(0 < kept.share <= 1, f"a share of {kept.share}")
        must(kept is not None or not matches, "what is found has no surviving line")
    outcome = find_text(pattern, reader, "a.py")
    match outcome:
        case Found():
            must(outcome.match.lines in {m.lines for m in matches}, "found where no match is")
        case Several():
            must(len(matches) > 1, "several places out of one")
        case Differs() | Absent():
            must(not matches, "a text that stands there is said not to")


def _check_match(pattern: Pattern, match: Match, source: SourceText) -> None:
    must(len(match.pieces) == len(pattern.pieces), "a piece without a place")
    after = 0
    for piece, place in zip(pattern.pieces, match.pieces, strict=True):
        must(after < place.first <= place.last <= len(source.lines), f"a piece at {place}")
        after = place.last
        there = [line.strip() for line in source.lines[place.first - 1 : place.last] if line.strip()]
        must(there == [line.key for line in piece if not line.blank], "the file has another text there")
    must(match.lines == LineRange(match.pieces[0].first, match.pieces[-1].last), "lines that are not the pieces'")


SURFACE = Surface("quotes", seeds, check)
