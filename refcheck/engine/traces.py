"""How much of a block stands in the file that it is shown with: a quote with slips, a sketch, or an example."""

from __future__ import annotations

from ..locate.find import MOST, Absent, Differs, Outcome
from ..locate.loosely import plain_lines
from ..locate.pattern import is_elision
from ..locate.reader import TreeReader
from ..model.document import Quote
from ..model.place import Place

TELLING = 20
"""A line of fewer characters stands in many files by chance."""


def no_trace(outcome: Outcome) -> bool:
    """Whether a text has hardly a run of lines in the file that it is shown with."""
    match outcome:
        case Absent():
            return True
        case Differs(survivors=kept):
            return kept is None or kept.share < MOST
        case _:
            return False


def lines_that_stand(quote: Quote, reader: TreeReader, path: str) -> tuple[int, int, int]:
    """(lines of code in the block, those that stand anywhere in the file, those of them that are long)."""
    present = set(reader.lines(path).texts) if reader.tree.has(path) else set()
    shown, _ = plain_lines(quote.lines, quote.language)
    solid = [line.strip() for line in shown if line.strip() and not is_elision(line)]
    standing = [line for line in solid if line in present]
    return len(solid), len(standing), len({line for line in standing if len(line) >= TELLING})


def is_meant_as_quote(quote: Quote, reader: TreeReader, cited: Place) -> bool:
    """Whether a block after a sentence that ends in a location is that place's text, and not an example of its use.

    It is as long as the lines that are cited, or has some of the file's own; below a title, which promises less, only
    that counts.
    """
    solid, standing, long = lines_that_stand(quote, reader, cited.path)
    if quote.attached != "title" and cited.lines is not None and abs(len(cited.lines) - len(quote.lines)) <= 1:
        return True
    return standing * 4 >= solid and long >= min(2, max(1, solid // 3))
