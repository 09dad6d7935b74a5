"""One file's lines in the form in which they are compared: without blank lines, numbered by content."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from functools import cached_property
from itertools import compress, count

from refcheck.model.source_text import SourceText

Numbering = defaultdict[str, int]


def numbering() -> Numbering:
    """A number for each distinct text, given on first sight; shared by the two sides of a comparison."""
    return defaultdict(count().__next__)


class Lines:
    """The non-blank lines of one file.

    `rows[i]` is the 0-based row of line i, `keys[i]` the number of its text without leading white space; `bare` has
    all rows without theirs. "Index" means a position in `rows` and `keys`, "row" one in the file.
    """

    __slots__ = ("__dict__", "bare", "keys", "rows", "source")

    def __init__(self, source: SourceText, numbers: Numbering) -> None:
        self.source = source
        lines = source.lines
        bare = list(map(str.lstrip, lines))
        self.bare = bare
        self.rows = list(compress(range(len(bare)), bare))
        self.keys = list(map(numbers.__getitem__, filter(None, bare)))

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def counts(self) -> Counter[int]:
        """How often each key stands in the file."""
        return Counter(self.keys)

    def text(self, index: int) -> str:
        return self.source.lines[self.rows[index]]

    def span(self, first: int, last: int) -> tuple[int, int]:
        """Indexes `start` to `end` (excluded) of the non-blank lines among 1-based lines `first` to `last`."""
        return bisect_left(self.rows, first - 1), bisect_right(self.rows, last - 1)


def dedent(lines: list[str]) -> list[str]:
    """Non-blank lines without the leading white space that all of them share, character by character."""
    margins = [line[: len(line) - len(line.lstrip())] for line in lines]
    low, high = min(margins), max(margins)
    size = 0
    while size < len(low) and size < len(high) and low[size] == high[size]:
        size += 1
    return [line[size:] for line in lines] if size else lines


def places(old: Lines, start: int, end: int, new: Lines, limit: int = 4096) -> list[int]:
    """Every index of `new` where the text of `old[start:end]` stands intact.

    Intact: the same non-blank lines in the same order, common indentation aside. Both sides share a numbering.
    """
    wanted = old.keys[start:end]
    size = end - start
    if not size:
        return []
    counts = new.counts
    rarest = min(range(size), key=lambda i: counts[wanted[i]])
    if not counts[wanted[rarest]]:
        return []
    exact = [old.text(index) for index in range(start, end)]
    plain: list[str] | None = None
    found: list[int] = []
    keys = new.keys
    line = wanted[rarest]
    at = rarest - 1
    last = len(keys) - (size - rarest)
    while True:
        try:
            at = keys.index(line, at + 1, last + 1)
        except ValueError:
            return found
        begin = at - rarest
        if keys[begin : begin + size] != wanted:
            continue
        theirs = [new.text(index) for index in range(begin, begin + size)]
        if theirs != exact:
            plain = plain or dedent(exact)
            if dedent(theirs) != plain:
                continue
        found.append(begin)
        if len(found) >= limit:
            return found
