"""`refcheck: ignore[reason]` comments, in the comment syntax of any format."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..model.document import Span, Unread
from .pieces import Piece

_COMMENT = re.compile(r"refcheck:[ \t]{0,4}ignore(?P<open>\[(?P<reason>[^\]\n]{0,500})\])?", re.IGNORECASE)
# What surrounds the words in a comment that stands alone on its line.
_ALONE = re.compile(r"^[\s\"',]*(?:<!--|\{/\*|#|//|/\*|\.\.|%|\[//\]:\s*#\s*\(|\[comment\]:\s*#\s*\(|;|--)?[\s(]*$")


def read_ignores(text: str, pieces: Sequence[Piece]) -> tuple[list[tuple[Span, str]], list[Unread]]:
    """Ignored spans with their reasons, and comments without a reason, which ignore nothing.

    A comment beside text covers its line; one that stands alone covers the next block.
    """
    ignored: list[tuple[Span, str]] = []
    faults: list[Unread] = []
    if "refcheck:" not in text:
        return ignored, faults
    spans = sorted((piece.span.start, piece.span.end) for piece in pieces if piece.text.strip())
    for match in _COMMENT.finditer(text):
        place = Span(match.start(), match.end())
        reason = (match.group("reason") or "").strip()
        if not reason:
            faults.append(Unread("refcheck: ignore", "it gives no reason: write `refcheck: ignore[why]`", place))
            continue
        begin = text.rfind("\n", 0, match.start()) + 1
        end = text.find("\n", match.end())
        end = len(text) if end == -1 else end
        covered = Span(begin, end)
        if _ALONE.match(text[begin : match.start()][-200:]):
            following = next(((a, b) for a, b in spans if a >= match.end() or (a > begin and b > end)), None)
            if following is not None:
                covered = Span(begin, max(end, following[1]))
        ignored.append((covered, reason))
    return ignored, faults
