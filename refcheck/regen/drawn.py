"""Tables of reStructuredText that are drawn in columns: a text of another length would break their borders."""

from __future__ import annotations

import re

from ..model.document import Document, Span

_GRID_LINE = re.compile(r"[ \t]*(?:\||\+[-=+])")
_BORDER = re.compile(r"[ \t]*=+(?:[ \t]+=+)+[ \t]*")


def breaks_table(document: Document, span: Span, text: str) -> bool:
    """Whether `text` in place of `span` would move a border or another column (docutils, "Grid" and "Simple Tables").

    The last column of a simple table may be of any length. In other formats, columns need not fit.
    """
    if document.format != "rst" or len(text) == span.end - span.start:
        return False
    start = document.text.rfind("\n", 0, span.start) + 1
    if _GRID_LINE.match(document.text, start):
        return True
    border = _border_above(document, start)
    return border is not None and span.start - start < max(m.start() for m in re.finditer(r"=+", border))


def _border_above(document: Document, start: int) -> str | None:
    """The nearest border above the line that begins at `start`, if the line is in its table."""
    text = document.text
    below = ""
    end = start - 1
    while end > 0:
        begin = text.rfind("\n", 0, end) + 1
        line = text[begin:end].rstrip("\r")
        if _BORDER.fullmatch(line):
            # The bottom border is the one that a blank line follows.
            inside = bool(below.strip()) or end == start - 1
            return line if inside else None
        below = line
        end = begin - 1
    return None
