"""The identity of a finding across edits of the page: its words and the code it is about, never line numbers."""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable

from .report import Finding, FindingKind
from .verdict import place_of

VERSION = "1"
"""Part of every fingerprint: a change of what goes in makes new ones, it never confuses old with new."""

# Numbers that say where, as citations write them: `L566-L575`, `#L10`, `.py:566-575`, `line 12`, `lines 5 to 7`.
_LINE_NUMBERS = re.compile(
    r"[:#]?\bL\d+(?:[-–—]L?\d+)?|(?<=\.[a-z]{2}):\d+(?:[-–—]\d+)?|(?<=\.[a-z]{3}):\d+(?:[-–—]\d+)?"
    r"|\b(?:lines?|ll?\.)\s*\d+(?:\s*(?:[-–—]|to)\s*\d+)?",
    re.IGNORECASE,
)


def finding_fingerprint(finding: Finding) -> str:
    """32 hexadecimal digits.

    Of the kind, the code, the words (line numbers aside) and the quoted lines (white space aside), the engine, the
    path and the symbol. The document's name is no part of it, so that a renamed page and another working directory
    keep it. The finding's id counts for an edition's claims, whose ids are stable, and where there is nothing else.
    """
    cited, found = finding.cited, place_of(finding.verdict)
    symbol = (cited.symbol if cited else None) or ""
    words = _words(finding.words or "")
    quoted = "\n".join(" ".join(line.split()) for line in finding.quoted)
    own = bool(words or quoted or symbol)
    if not own and found is not None:
        symbol = found.symbol or ""
        own = bool(symbol)
    parts = (
        VERSION,
        finding.kind.value,
        finding.claim_kind or "",
        finding.verdict.code.id,
        words,
        quoted,
        finding.engine or "",
        cited.path if cited else (found.path if found else ""),
        symbol,
        finding.id if finding.kind is FindingKind.CLAIM or not own else "",
    )
    text = "\0".join(part.replace("\0", "\\0") for part in parts)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def fingerprints(findings: Iterable[Finding]) -> tuple[str, ...]:
    """Of each finding, in order; the second of equal ones in a document gets `-2` appended, and so on."""
    seen: Counter[tuple[str, str | None]] = Counter()
    out = []
    for finding in findings:
        fingerprint = finding_fingerprint(finding)
        key = (fingerprint, finding.document)
        seen[key] += 1
        out.append(fingerprint if seen[key] == 1 else f"{fingerprint}-{seen[key]}")
    return tuple(out)


def _words(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return " ".join(_LINE_NUMBERS.sub("", text).split())
