"""The row of a table that a place stands in: one cell says little of what depends on it."""

from __future__ import annotations

from ..model.document import Document, Prose, Span

BETWEEN = " | "


def cells_of_row(document: Document, offset: int) -> tuple[Prose, ...]:
    """The texts of the row around a character of the document, in order; empty outside of tables."""
    row = _row(document, offset)
    if row is None:
        return ()
    return tuple(one for one in document.prose if row.contains(one.span) and one.text)


def _row(document: Document, offset: int) -> Span | None:
    text = document.text
    if document.format in ("markdown", "rst", "plain"):
        start = text.rfind("\n", 0, offset) + 1
        end = text.find("\n", offset)
        end = len(text) if end < 0 else end
        return Span(start, end) if text[start:end].lstrip().startswith("|") else None
    if document.format == "html":
        low = max(text.rfind("<tr", 0, offset), text.rfind("<TR", 0, offset))
        closed = max(text.rfind("</tr", 0, offset), text.rfind("</TR", 0, offset))
        ends = [
            at for tag in ("</tr", "</TR", "<tr", "<TR", "</table", "</TABLE") if (at := text.find(tag, offset)) >= 0
        ]
        if 0 <= closed > low or low < 0 or text.rfind("</table", low, offset) >= 0:
            return None
        return Span(low, min(ends, default=len(text)))
    return None
