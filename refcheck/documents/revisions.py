"""Which revision a page speaks of: its front matter, its head, or what its first lines say.

Only what is stated as the page's own baseline counts. "Since v0.6" in a sentence of the body does not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set

from ..config.engines import Engine
from .paths import PathReader
from .pieces import Kind, Piece

_REV = (
    r"(?P<rev>[0-9a-f]{7,40}\b|v\d+\.\d+(?:\.\d+)*(?:[.-]?(?:rc|post|dev)\d+)*\b|"
    r"\d+\.\d+\.\d+(?:[.-]?(?:rc|post|dev)\d+)*\b)"
)
_LINK = (
    r"(?:\s{0,2}(?:@|=|:|：|\(|（|at|version|release|commit|tag|revision|rev|ref|sha|"
    r"pinned|to|版本|提交|==|`|is|of|main)){0,4}\s{0,2}[`\"'(（]?"
)
_BASELINE = re.compile(
    r"\b(?:at|as of|pinned|pins?|baseline|based on|against|checked|commit|revision|snapshot|"
    r"refer(?:s|ences?)? to|line numbers|"
    r"links?|source(?: code)?|code)\b|@|基于|版本|基线|源码|以|对应|commit",
    re.IGNORECASE,
)
_NOT = re.compile(
    r"\b(?:since|until|before|after|from|introduced|added|removed|deprecated|"
    r">=|<=|later than|prior to|older than|newer than)\s{1,2}(?:\w+\s){0,2}$",
    re.IGNORECASE,
)
# "All links at v0.28.0", "Pinned to release:0.28.0": a page's words about itself, which need not name the engine.
_ITSELF = re.compile(
    r"(?:\b(?:links?|permalinks?|citations?|lines?|line numbers|code|source|written|checked|verified|pinned|based|"
    r"snapshot|baseline|quoted|taken|read)\b[^.!?\n]{0,30}?\s(?:at|against|for|as of|to|on|from)|^(?:at|for|as of)|"
    r"^(?:version|release|tag|commit|revision|baseline)(?=[\s:]))\s{0,2}(?:the\s)?"
    r"(?:tag|version|release(?=\s)|commit|revision)?\s{0,2}[:=]?\s{0,2}[`\"']?(?P<rev>v\d+\.\d+(?:\.\d+)*"
    r"(?:[.-]?(?:rc|post|dev)\d+)*\b|release:\d+(?:\.\d+)+(?:[.-]?(?:rc|post|dev)\d+)*\b|[0-9a-f]{40}\b)",
    re.IGNORECASE,
)
_LATER = re.compile(r"[`\"']?\s?(?:\+|以上|or (?:later|newer|above)|and (?:later|above|newer)|onwards?|起)")
_KEY = re.compile(r"^[\s-]{0,20}(?P<key>[\w .-]{1,60}?)\s*[:=]\s*(?P<value>\S.{0,300})$", re.MULTILINE)
_BASE_KEY = re.compile(r"baseline|commit|revision|\brev\b|\bsha\b|version|\btag\b|\bref\b|pin|source", re.IGNORECASE)

_LOOKED_AT = 200_000
"""Characters of a page in which the engines that it names are looked for."""


class RevisionReader:
    """Finds the revisions that a page declares for its engines."""

    def __init__(self, engines: Mapping[str, Engine], paths: PathReader) -> None:
        self.engines = engines
        self.paths = paths
        self.adjacent = re.compile(paths.word.pattern + _LINK + _REV, re.IGNORECASE)
        self.behind = re.compile(
            r"(?<![\w.@/-])(?:release:)?" + _REV + r"[`\"')]{0,2}\s(?:of|from)\s[`\"'(]?" + paths.word.pattern,
            re.IGNORECASE,
        )
        self.alone = re.compile(r"(?<![\w.-])" + _REV)

    def page(self, pieces: Sequence[Piece], cited: Set[str] = frozenset()) -> list[tuple[str, str]]:
        """(engine, revision) pairs of the front matter and of the page's head; `cited` are the engines of its
        citations."""
        found: dict[str, str] = {}
        itself: str | None = None
        headings = 0
        read = 0
        for piece in pieces:
            if piece.kind is Kind.META:
                for engine, rev in self._front(piece.text):
                    found.setdefault(engine, rev)
                continue
            if piece.kind in (Kind.CODE, Kind.LINK, Kind.COMMENT):
                continue
            if piece.kind is Kind.HEADING:
                headings += 1
            read += 1
            if headings > 2 or read > 12:
                break
            for engine, rev in self.stated(piece.text[:2000], short=len(piece.text) < 200 or headings == 0):
                found.setdefault(engine, rev)
            if itself is None and headings < 2 and piece.kind is Kind.TEXT:
                itself = self._itself(piece.text[:2000])
        if not found and itself is not None:
            named = self._engines_named(pieces) | cited
            if len(named) == 1:
                found[named.pop()] = itself
        return list(found.items())

    def _itself(self, text: str) -> str | None:
        """The revision that a page says it is for without naming the engine."""
        match = _ITSELF.search(text)
        if match is None or _NOT.search(text[: match.start("rev")][-60:]) or _LATER.match(text, match.end()):
            return None
        return match.group("rev").removeprefix("release:")

    def _engines_named(self, pieces: Sequence[Piece]) -> set[str]:
        """The engines that a page names in words or addresses."""
        named: set[str] = set()
        left = _LOOKED_AT
        for piece in pieces:
            texts = [piece.text, *(mark.target for mark in piece.marks)]
            for text in texts:
                named |= {self.paths.by_name[m.group().lower()] for m in self.paths.word.finditer(text[:left])}
                left -= len(text)
            if left <= 0 or len(named) > 1:
                break
        return named

    def heading(self, piece: Piece) -> list[tuple[str, str]]:
        """Pairs that a heading states for its section (`## vLLM v0.9.1`, `### SGLang @ 7d89325`)."""
        return self.stated(piece.text[:300], short=True)

    def stated(self, text: str, *, short: bool) -> list[tuple[str, str]]:
        """Engine and revision side by side; in running text only where a word says that it is the baseline."""
        found: list[tuple[str, str]] = []
        for match in self.adjacent.finditer(text):
            before = text[max(0, match.start() - 60) : match.start()]
            if _NOT.search(before) or before.endswith(("/", "@")):
                continue  # "Since …", or a part of an address.
            rev = match.group("rev")
            commit = re.fullmatch(r"[0-9a-f]{7,40}", rev) is not None
            if commit and rev.isdigit() and len(rev) < 40:
                continue
            tail = text[match.end() : match.end() + 12]
            if re.match(r"\s?(?:\+|以上|or (?:later|newer)|and (?:later|above)|起)", tail):
                continue
            if short or commit or _BASELINE.search(before + match.group()[: match.start("rev") - match.start()]):
                engine = self._engine(match.group())
                if engine:
                    found.append((engine, rev))
        for match in self.behind.finditer(text):
            before, rev = text[max(0, match.start() - 60) : match.start()], match.group("rev")
            engine = self._engine(match.group()[match.end("rev") - match.start() :])
            number = rev.isdigit() and len(rev) < 40
            if engine and not number and not _NOT.search(before) and (short or _BASELINE.search(before)):
                found.append((engine, rev))
        return found

    def _engine(self, text: str) -> str | None:
        match = self.paths.word.search(text)
        return self.paths.by_name.get(match.group().lower()) if match else None

    def _front(self, text: str) -> list[tuple[str, str]]:
        found: list[tuple[str, str]] = []
        loose: list[str] = []
        for match in _KEY.finditer(text[:20_000]):
            key, value = match.group("key"), match.group("value").strip()
            pairs = self.stated(value, short=True)
            if pairs:
                found.extend(pairs)
                continue
            rev = self.alone.search(value.strip("\"'"))
            if rev is None or (rev.group("rev").isdigit() and len(rev.group("rev")) < 40):
                continue
            engine = self._engine(key) or self._engine(value)
            word = rev.group("rev")
            if re.fullmatch(r"\d{4}\.\d+\.\d+", word):
                continue
            if engine is not None:
                found.append((engine, word))
            elif _BASE_KEY.search(key):
                loose.append(word)
        if not found and loose:
            named = {self._engine(match.group()) for match in self.paths.word.finditer(text[:20_000])} - {None}
            if len(named) == 1:
                found.append((str(next(iter(named))), loose[0]))
        return found
