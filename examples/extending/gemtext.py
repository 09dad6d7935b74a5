"""A document format: Gemtext, where a line's first signs say what it is."""

from __future__ import annotations

import re

from refcheck.documents.pieces import Format, Kind, Piece, TextBuilder, code_piece, line_spans
from refcheck.model.document import Span

_HEADING = re.compile(r"(#{1,3})[ \t]*")


def parse(text: str) -> list[Piece]:
    """Pieces in reading order; each knows where its characters stand in `text`."""
    pieces: list[Piece] = []
    block: list[tuple[str, int]] | None = None
    start = 0
    for a, b in line_spans(text):
        line = text[a:b]
        if line.startswith("```"):
            if block is None:
                block, start = [], a
            else:
                pieces.append(code_piece(block, Span(start, b), "", True))
                block = None
        elif block is not None:
            block.append((line, a))
        elif line.strip():
            heading = _HEADING.match(line)
            prose = TextBuilder()
            prose.put_prose(text, a + (heading.end() if heading else 0), b)
            piece = prose.prose(Kind.HEADING if heading else Kind.TEXT, Span(a, b))
            if piece is not None:
                piece.level = len(heading.group(1)) if heading else 0
                pieces.append(piece)
    return pieces


FORMAT = Format("gemtext", (".gmi", ".gemini"), parse)
