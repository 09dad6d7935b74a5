"""`refcheck: ignore[reason]` comments, in the comment syntax of any format."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence

from ..model.document import Span, Unread
from .following_block import FollowingBlock
from .pieces import Piece

_COMMENT = re.compile(r"refcheck:[ \t]{0,4}ignore(?P<open>\[(?P<reason>[^\]\n]{0,500})\])?(?!\w)", re.IGNORECASE)
# What surrounds the words in a comment that stands alone on its line.
_ALONE = re.compile(
    r"^[\s\"',]*(?:<!--|\{/\*|#|//|/\*|\.\.|%|\[//\]:\s*#\s*\(|"
    r"\[comment\]:\s*#\s*\(|;|--)?[\s(]*$"
)
_SEAM = re.compile(r'\\n"\s*,\s*"')
_NEARLY = re.compile(
    r"\b(?P<tool>[Rr]ef[-_ ]?c[a-z]{2,5})(?P<colon>:?)[ \t]{0,4}(?P<word>[A-Za-z]{3,9})[ \t]?(?P<open>[\[(])"
)
# One of these stands in every text with a comment, spelt right or nearly: looking for them copies nothing.
_SIGNS = (re.compile(r"ef[-_ ]?[cC]"), re.compile(r"EF[-_ ]?C"))
_OTHER_WORDS = frozenset({"disable", "skip", "noqa", "exclude", "off", "allow"})
_ALIKE = 0.7


def read_ignores(
    text: str, pieces: Sequence[Piece], format_name: str = "markdown"
) -> tuple[list[tuple[Span, str]], list[Unread]]:
    """Ignored spans with their reasons, and comments that ignore nothing: without a reason, or misspelt.

    A comment beside text covers its line; one that stands alone covers the whole block that follows (a list with its
    items, a table with its rows, an element with all that it holds), and in plain text the next paragraph.
    """
    ignored: list[tuple[Span, str]] = []
    if not any(sign.search(text) for sign in _SIGNS):
        return ignored, []
    faults = _misspelt(text)
    seen = _as_lines(text) if format_name == "notebook" else text
    blocks = FollowingBlock(seen, format_name, pieces)
    for match in _COMMENT.finditer(seen):
        place = Span(match.start(), match.end())
        reason = (match.group("reason") or "").strip()
        if not reason:
            faults.append(Unread("refcheck: ignore", "it gives no reason: write `refcheck: ignore[why]`", place))
            continue
        begin = seen.rfind("\n", 0, match.start()) + 1
        end = seen.find("\n", match.end())
        end = len(seen) if end == -1 else end
        if format_name == "notebook":
            begin = max(begin, seen.rfind('"', begin, match.start()) + 1)
            end = min(end, seen.find('"', match.end(), end) % (end + 1))
        covered = Span(*blocks.around(begin, end, match.start()))
        if _ALONE.match(seen[begin : match.start()][-200:]):
            following = blocks.end(begin, match.end())
            if following is not None:
                covered = Span(begin, max(end, following))
        ignored.append((covered, reason))
    return ignored, faults


def _as_lines(text: str) -> str:
    """A notebook with the line ends of its strings as such, each character in its place."""
    parted = _SEAM.sub(lambda match: " " * (len(match.group()) - 1) + "\n", text)
    return parted.replace("\\n", " \n")


def _misspelt(text: str) -> list[Unread]:
    """What looks like an ignore comment and is none."""
    found: list[Unread] = []
    for match in _NEARLY.finditer(text):
        word = match["word"].lower()
        if _COMMENT.match(text, match.start()) is not None and match["open"] == "[":
            continue
        if difflib.SequenceMatcher(None, match["tool"].lower(), "refcheck").ratio() < _ALIKE:
            continue
        alike = difflib.SequenceMatcher(None, word, "ignore").ratio() >= _ALIKE
        if alike or (match["colon"] and word in _OTHER_WORDS):
            written = text[match.start() : match.end() - 1].rstrip()
            why = "it looks like `refcheck: ignore[why]` and is not spelt so: it ignores nothing"
            found.append(Unread(f"{written} …", why, Span(*match.span())))
    return found
