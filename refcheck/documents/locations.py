"""Locations written as text: a path with lines or a symbol, and numbers alone that lean on a path near by.

The grammar, by example (`docs` of the forms: the corpus of the tests):

    path.py:566-575   path.py:L566-L575   path.py#L74-L140   path.py L119-L164   path.py (lines 63-300, 310)
    path.py (第123-136行)   lines 10-20 of path.py   path.py:509,572   path.py:5200/5207   path.py:834+   path.py:~675
    path.py:L?   path.py::Class.method   path.py:method   path.py#Symbol   vllm@8357226:path.py#Symbol
    path.py(282)   path.py@282
    L497-L518   (L2699)   `:123-182`   第 80-148 行       (these three lean on a path)

Every pattern is applied at one place, or has bounded repetition: a text is read in linear time.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..model.document import Mark
from .paths import PathMention, PathReader, has_file_name


@dataclass(slots=True)
class Numbers:
    """One line number or range: positions of its digits in the text, and how it is written."""

    start: int
    end: int
    first: tuple[int, int] | None
    last: tuple[int, int] | None = None
    approximate: bool = False
    open_ended: bool = False
    placeholder: bool = False
    columns: tuple[tuple[int, int], ...] = ()
    lettered: bool = False
    unreadable: bool = False
    """What stands there goes on as no range does (`160-165-170`, `160-165x`): no part of it may be taken for it."""


@dataclass(slots=True)
class Located:
    """A path with what is said of it: numbers, or a symbol."""

    start: int
    end: int
    mention: PathMention
    numbers: list[Numbers] = field(default_factory=list)
    symbol: str | None = None


@dataclass(slots=True)
class Bare:
    """Numbers without a path. `near` says that only a path close by may be meant (a weak form)."""

    start: int
    end: int
    numbers: list[Numbers]
    near: bool = False


_NUMBER_STARTS = frozenset("0123456789L~")
# Characters that nobody sees: soft hyphens, zero-width spaces and joiners.
_UNSEEN = "[\u00ad\u200b\u200c\u200d\u2060\ufeff]{0,3}"
_SIGN = r"(?:->|[-–—‑‐−]{1,3}|[~～→⇒]|\.{2,3}|…)"
_DASH = (
    rf"{_UNSEEN}(?:(?P<spaced>\s{{1,2}}){_SIGN}\s{{0,2}}|{_SIGN}\s{{0,2}}|(?P<word>\s(?:to|through|thru|until)\s(?:lines?\s)?)|"
    rf"\s{{0,2}}(?:行\s{{0,2}})?(?:至|到|[-–—~～])\s{{0,2}}(?:第\s{{0,2}})?|(?P<colon>:(?=[Ll]\d)|(?(l):(?=\d)|(?!)))){_UNSEEN}"
)
_END = r"(?![A-Za-z0-9_%°])(?!\.\d)"
_ITEM = re.compile(
    rf"(?P<approx>[~≈约]|c\.\s?)?(?P<l>[Ll](?=[~≈\d]))?(?P<approx2>[~≈])?(?P<a>\d{{1,7}})(?::?[Cc](?P<ca>\d{{1,5}}))?"
    rf"(?:{_DASH}[~≈]?:?(?P<l2>[Ll])?(?P<b>\d{{1,7}})(?::?[Cc](?P<cb>\d{{1,5}}))?(?![A-Za-z0-9_])(?!\.\d)(?!-\d))?"
    rf"(?P<open>\+(?!\d))?{_END}"
)
_ALONE = re.compile(
    rf"(?P<approx>[~≈约]|c\.\s?)?(?P<l>[Ll](?=[~≈\d]))?(?P<approx2>[~≈])?(?P<a>\d{{1,7}})(?::?[Cc](?P<ca>\d{{1,5}}))?"
    rf"(?P<b>(?!))?(?P<cb>(?!))?(?P<open>\+(?!\d))?{_END}"
)
_GOES_ON = re.compile(
    rf"(?:{_UNSEEN}(?:->|[-–—‑‐−]{{1,2}}|[~～→⇒]|\.{{2,3}}|…){_UNSEEN}[Ll]?\d{{1,7}}){{1,6}}[A-Za-z0-9_%]{{0,40}}"
)
_WIDEST = 120
_COLONS = re.compile(r"(?::\d{1,7}){2,8}(?![A-Za-z0-9_])")
# `lines 160:165`.
_ONE_LINE = re.compile(r"\bline\s+$", re.IGNORECASE)
_LINES_COLON = re.compile(r":(?P<b>\d{1,7})(?![A-Za-z0-9_:])")
# What is left of a code span that holds a location and goes on as no number does: `160 - 165x`, `160, 165x`.
_LEFT_OVER = re.compile(
    rf"\s{{0,2}}(?:(?P<list>[,，、;；/&]|and\b|or\b)|{_SIGN}|:|to\b)\s{{0,2}}(?P<number>[Ll]?\d{{1,7}}[A-Za-z_%][A-Za-z0-9_%]{{0,40}})$"
)


def _item(text: str, at: int, code: tuple[int, int] | None = None) -> re.Match[str] | None:
    """The number or range at `at`. One that ends with its code span needs no boundary behind it."""
    item = _ITEM.match(text, at)
    if code is not None and code[0] <= at < code[1] and (item is None or _goes_on(text, item)):
        item = _ITEM.match(text, at, code[1]) or item
    if item is None or not item.group("b") or int(item.group("b")) >= int(item.group("a")):
        return item
    if item.group("spaced") or item.group("word") or (item.group("colon") and not item.group("l2")):
        return _ALONE.match(text, at)  # `path.py:160 - 3 flags` is no range, and `L160:5` has a column.
    return item


def _goes_on(text: str, item: re.Match[str]) -> re.Match[str] | None:
    return None if item.group("b") else _GOES_ON.match(text, item.end())


_PLACEHOLDER = re.compile(r"[Ll](?:\?+|X{2,5}|N{2,5})(?:-[Ll]?(?:\?+|X{2,5}|N{2,5}))?(?![A-Za-z0-9_])")
_SEPARATOR = re.compile(
    r"(?P<space>\s{0,2})(?P<bracket>[(（](?=and\b|or\b|和|及|与))?(?P<sign>[,，、;；/&＆]|and\b|or\b|和|及|与|以及)(?P<space2>\s{0,2})(?:and\s{1,2}|(?:lines?\s{1,2}))?(?P<colon>[:：](?=[~Ll]?\d))?"
)
_AFTER_ITEM = re.compile(r"\s{0,2}(?:$|[)\]}）】」,，.;；:：。、&/`|]|and\b|or\b|of\b|in\b|和|及|与|行)")
_VERB = re.compile(r"\s(?:are|is|were|was|do|both|set|hold|have|call|show|check)\b")
_SYMBOL = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,200}(?:(?:\.|::)[A-Za-z_~][A-Za-z0-9_]{0,200}){0,6}")
# `path.py(282)` and `path.py@282`. A debugger's frame goes on (`path.py(282)step()`), a commit has more digits, and one
# digit in brackets is a footnote.
_TIGHT = re.compile(
    r"(?:\((?=[Ll]?\d{2,6}(?:[-–]\d{1,6})?\)(?![\w<(]|\.\w))|@(?=[Ll]?\d{1,6}(?:[-–]\d{1,6})?(?![\w@/])(?!\.\d)))(?P<number>)"
)
_GAP = re.compile(
    r"[\"”’'`）)]?\s{0,2}(?:[,，;；:：·|—–-]\s{0,2})?(?:(?:at|on|around|near|approx\.?|approximately|about|from|see|的|中的?|里的?|内的?|约|大约|在)\s{0,2}){0,2}"
    r"(?P<open>[(（\[【]\s{0,2})?(?:at\s|around\s|about\s|约|大约)?"
)
_LINES_WORD = re.compile(
    r"(?P<approx>[~≈]\s?)?(?:[Ll]ines?|LINES?|[Ll]n\.?|[Zz]eilen?|[Ll]ignes?|líneas?)(?:\s{1,2}|[:：#]\s?)(?:no\.?\s|nos?\.\s|numbers?\s)?(?=[~≈Ll\d约])"
)
_CJK = re.compile(r"第\s{0,2}(?=[~≈Ll\d])")
_CJK_TAIL = re.compile(r"\s{0,2}(?:行|[-–—~～至到]\s{0,2}第?\s{0,2}\d{1,7}\s{0,2}行)")
_BEFORE = re.compile(
    r"(?:\b[Ll]ines?\s{1,2}|(?<![A-Za-z0-9_])(?=[Ll]\d))(?=[~≈Ll\d])(?P<numbers>(?:[^.;\n]|\.\.){1,60}?)"
    r"\s{1,2}(?:of|in|from|within|inside)\s{1,2}(?:the\s{1,2})?(?:file\s{1,2}|module\s{1,2})?[\"“'(\[…]{0,3}$"
)
_BARE_L = re.compile(r"(?<![A-Za-z0-9_/#.\-–@\\&=%$])[~≈]?L[~≈]?\d{1,7}(?![A-Za-z0-9_%])(?!\.\d)")
_BARE_COLON = re.compile(r"[:：](?<![A-Za-z0-9_.\])\"'》」%#/\\-].)[~≈]?L?\d{1,7}")
# Where one of the patterns above may match: each begins with a letter that is looked for fast.
_L_NUMBER = re.compile(r"L[~≈]?\d")
_COLON_NUMBER = re.compile(r":(?<!\d:)[~≈]?L?\d")
_LINES_NUMBER = re.compile(r"ines?\s{1,2}(?=[~≈]?L?\d)")
_BARE_LINES = re.compile(r"\b[Ll]ines?\s{1,2}(?=[~≈]?L?\d)")


class LocationReader:
    """Applies the grammar to texts."""

    def __init__(self, paths: PathReader) -> None:
        self.paths = paths

    @staticmethod
    def may_cite(text: str) -> bool:
        """Whether anything in a text could be a location or an address: most paragraphs hold nothing like it."""
        return (
            has_file_name(text)
            or "://" in text
            or "%3A" in text
            or "第" in text
            or ("L" in text and _L_NUMBER.search(text) is not None and _BARE_L.search(text) is not None)
            or (":" in text and _COLON_NUMBER.search(text) is not None)
            or "：" in text
            or ("ine" in text and _LINES_NUMBER.search(text) is not None and _BARE_LINES.search(text) is not None)
        )

    def find(
        self, text: str, marks: Sequence[Mark], masked: Sequence[tuple[int, int]]
    ) -> tuple[list[Located], list[PathMention], list[Bare]]:
        """Locations, all paths, and bare numbers of a text; nothing is read inside `masked` (start, end)."""
        codes = sorted((m.start, m.end) for m in marks if m.kind == "code")
        located: list[Located] = []
        mentions: list[PathMention] = []
        mask = sorted(masked)
        for mention in self.paths.find(text):
            if within(mask, mention.start) or within(mask, mention.end - 1):
                continue
            mentions.append(mention)
            code = _enclosing(codes, mention.path_start)
            found = self._after(text, mention, code) or self._before(text, mention, located)
            if found is not None:
                located.append(found)
        taken = sorted([(item.start, item.end) for item in located] + [(m.start, m.end) for m in mentions] + mask)
        return located, mentions, self._bare(text, taken, codes)

    def _after(self, text: str, mention: PathMention, code: tuple[int, int] | None) -> Located | None:
        end = mention.end
        following = text[end : end + 1]
        if following == "#":
            return self._hash(text, mention)
        if following in (":", "："):
            if text.startswith("::", end):
                return self._symbol(text, mention, end + 2, strict=False)
            found = self._colon(text, mention, code)
            if found is not None:
                return found
            if following == ":" and text[end + 1 : end + 2].isdigit():
                return None  # `path:123:word` and the like: rejected as a whole.
        if following in ("(", "@"):
            tight = _TIGHT.match(text, end) if mention.is_code else None
            if tight is not None:
                return self._numbered(text, mention, tight.start("number"), grouped=False, code=code)
        gap = _GAP.match(text, end)
        if gap is None:
            return None
        at = gap.end()
        opened = bool(gap.group("open"))
        word = _LINES_WORD.match(text, at)
        if word:
            found = self._numbered(text, mention, word.end(), grouped=True)
            if found is not None and word.group("approx"):
                found.numbers[0].approximate = True
            return found
        cjk = _CJK.match(text, at)
        if cjk:
            found = self._numbered(text, mention, cjk.end(), grouped=True)
            if found is not None and _CJK_TAIL.match(text, found.end):
                found.end = self._row_word(text, found.end)
                return found
            return None
        if at == end:
            return None
        lettered = text[at : at + 1] in ("L", "~", "≈", "约") and _item(text, at)
        if lettered and lettered.group("l"):
            small = int(lettered.group("a")) < 10 and not lettered.group("b") and not opened
            return None if small else self._numbered(text, mention, at, grouped=opened)
        if lettered and lettered.group("b") and int(lettered.group("a")) >= 10 and not opened:
            # `path.py ~367-385（simplified）`, and no size: `path.py ~300-400 lines`.
            end_of = lettered.end()
            if _AFTER_ITEM.match(text, end_of) or text[end_of : end_of + 1] in ("（", "("):
                return self._numbered(text, mention, at, grouped=False)
        if _PLACEHOLDER.match(text, at):
            return self._numbered(text, mention, at, grouped=opened)
        if opened and text[at : at + 1] in (":", "："):
            return self._numbered(text, mention, at + 1, grouped=True)
        item = _item(text, at)
        if item and _CJK_TAIL.match(text, item.end()) and text[item.end() :].lstrip()[:1] == "行":
            found = self._numbered(text, mention, at, grouped=True)
            if found is not None:
                found.end = self._row_word(text, found.end)
            return found
        return None

    @staticmethod
    def _row_word(text: str, end: int) -> int:
        at = text.find("行", end, end + 4)
        return at + 1 if at != -1 else end

    def _hash(self, text: str, mention: PathMention) -> Located | None:
        at = mention.end + 1
        if text[at : at + 1] in ("L", "l", "~") and (_item(text, at) or _PLACEHOLDER.match(text, at)):
            item = _item(text, at)
            if item is None or item.group("l"):
                return self._numbered(text, mention, at, grouped=False)
        if not mention.is_code:
            return None
        return self._symbol(text, mention, at, strict=False)

    def _colon(self, text: str, mention: PathMention, code: tuple[int, int] | None) -> Located | None:
        at = mention.end + 1
        spaced = text[at : at + 1] == " "
        start = at + 1 if spaced else at
        item = _item(text, start, code)
        if item or _PLACEHOLDER.match(text, start):
            plain = item is not None and spaced and not item.group("l")
            if item and plain and (not item.group("b") or re.match(r"\s[a-z]", text[item.end() : item.end() + 2])):
                return None
            found = self._numbered(text, mention, start, grouped=False, code=code)
            if found is None or not found.numbers:
                return None
            last = found.numbers[-1]
            column = re.compile(r":(\d{1,5})(?![A-Za-z0-9_])(?!:\S)").match(text, found.end)
            if column and last.first and last.last is None and len(found.numbers) == 1 and not last.lettered:
                last.columns = (column.span(1),)
                last.end = found.end = column.end()
                if mention.is_code and int(column.group(1)) > max(_WIDEST, int(text[slice(*last.first)]) - 1):
                    # `path.py:160:165`: no line of code has a column so far to the right; it may be a range.
                    found.numbers[-1] = _unreadable(last.start, last.end, False)
            more = _COLONS.match(text, found.end)
            if more and not last.columns and not last.unreadable:
                found.numbers[-1] = _unreadable(last.start, more.end(), last.lettered)
                found.end = more.end()
            return found
        if not mention.is_code:
            return None
        in_code = code is not None and start < code[1]
        symbol = _SYMBOL.match(text, start)
        if symbol is None:
            return None
        name = symbol.group()
        following = text[symbol.end() : symbol.end() + 1]
        if spaced:
            dotted = "." in name or "::" in name
            if not (dotted or (in_code and code is not None and symbol.end() >= code[1] - 2)):
                return None
            if not in_code and not re.match(r"[A-Z_]", name) and following != "(":
                return None
        elif not in_code and not (re.search(r"[_.A-Z]|::", name) or following == "("):
            return None
        if following in ("-", "/", "\\", "[") or following.isalnum():
            return None
        return self._symbol(text, mention, start, strict=True)

    @staticmethod
    def _symbol(text: str, mention: PathMention, at: int, *, strict: bool) -> Located | None:
        match = _SYMBOL.match(text, at)
        if match is None:
            return None
        end = match.end()
        following = text[end : end + 1]
        if not strict and ((following == "-" and text[end + 1 : end + 2].isalnum()) or following == "/"):
            return None  # A heading's anchor (`#3-recommended`, `#some-words`), no symbol.
        if text.startswith("()", end):
            end += 2
        return Located(mention.start, end, mention, [], match.group().replace("::", "."))

    def _numbered(
        self,
        text: str,
        mention: PathMention,
        at: int,
        *,
        grouped: bool,
        code: tuple[int, int] | None = None,
    ) -> Located | None:
        numbers = self.numbers(text, at, grouped=grouped, code=code)
        return Located(mention.start, numbers[-1].end, mention, numbers) if numbers else None

    def numbers(self, text: str, at: int, *, grouped: bool, code: tuple[int, int] | None = None) -> list[Numbers]:
        """The list of numbers that begins at `at`. `grouped` numbers (in brackets, after "lines") need no `L` to go
        on after a comma and a space; others need one, a colon, or the same code span."""
        found: list[Numbers] = []
        placeholder = _PLACEHOLDER.match(text, at)
        if placeholder:
            return [Numbers(at, placeholder.end(), None, placeholder=True, lettered=True)]
        item = _item(text, at, code)
        opened = False
        while item is not None:
            rest = _goes_on(text, item)
            if rest is not None:
                found.append(_unreadable(item.start(), rest.end(), bool(item.group("l"))))
                break
            found.append(_numbers(item))
            end = item.end()
            colon = _colon_range(text, at, item) if grouped else None
            if colon:
                found[-1].last, found[-1].end = colon.span("b"), colon.end()
                end = colon.end()
            if opened and text[end : end + 1] in (")", "）"):
                end, opened = end + 1, False
                found[-1].end = end
            if len(found) >= 1000:
                break
            separator = _SEPARATOR.match(text, end)
            if separator is None:
                break
            after = separator.end()
            following = _item(text, after, code)
            if following is None:
                break
            tight = not separator.group("space") and not separator.group("space2")
            sign = separator.group("sign")
            lettered = bool(following.group("l"))
            if (
                following.group("l")
                and not found[0].lettered
                and not grouped
                and not tight
                and sign not in (",", "，", "、")
            ):
                break
            # `12/34/module`: a path goes on, no list.
            after_next = text[following.end() : following.end() + 2]
            if sign == "/" and (not tight or (after_next[:1] == "/" and after_next[1:] not in _NUMBER_STARTS)):
                break
            safe = tight and sign in (",", "，", "/", "、", ";", "&")
            in_code = code is not None and following.end() <= code[1]
            closed = grouped and _AFTER_ITEM.match(text, following.end()) is not None
            # `path.py:160, 165, and 170`: a list goes upwards, and the sentence does not go on with what is counted.
            word = sign in ("and", "or", "和", "及", "与", "以及", "&") or "and" in separator.group()
            upwards = (
                (word or sign in (",", "，", "、", ";", "；"))
                and int(following.group("a")) > int(item.group("b") or item.group("a"))
                and (_AFTER_ITEM.match(text, following.end()) or (word and _VERB.match(text, following.end())))
            )
            if not (safe or lettered or separator.group("colon") or in_code or closed or upwards):
                break
            opened = opened or bool(separator.group("bracket"))
            item = following
        if code is not None and found and not found[-1].unreadable and found[-1].end < code[1]:
            left = _LEFT_OVER.match(text, found[-1].end, code[1])
            if left and left.group("list"):
                found.append(_unreadable(*left.span("number"), found[-1].lettered))
            elif left:
                found[-1] = _unreadable(found[-1].start, left.end(), found[-1].lettered)
        return found

    def _before(self, text: str, mention: PathMention, located: list[Located]) -> Located | None:
        floor = max(mention.start - 110, located[-1].end if located else 0)
        window = text[floor : mention.start]
        if "ine" not in window and "L" not in window and "l" not in window:
            return None
        match = _BEFORE.search(window)
        if match is None:
            return None
        at = floor + match.start("numbers")
        numbers = self.numbers(text, at, grouped=True)
        if not numbers or numbers[-1].end != floor + match.end("numbers"):
            return None
        return Located(floor + match.start(), mention.end, mention, numbers)

    def _bare(self, text: str, taken: list[tuple[int, int]], codes: list[tuple[int, int]]) -> list[Bare]:
        found: list[Bare] = []
        hits: list[tuple[int, int, str]] = []
        for hit in _L_NUMBER.finditer(text):
            at = hit.start()
            match = _BARE_L.match(text, at - 1) if text[at - 1 : at] in ("~", "≈") else None
            match = match or _BARE_L.match(text, at)
            if match:
                hits.append((match.start(), match.start(), "L"))
        if ":" in text or "：" in text:
            hits += [(m.start(), m.start() + 1, ":") for m in _BARE_COLON.finditer(text)]
        if "第" in text:
            hits += [(m.start(), m.end(), "第") for m in _CJK.finditer(text)]
        if "ine" in text:
            hits += [(m.start(), m.end(), "lines") for m in _BARE_LINES.finditer(text)]
        hits.sort()
        limit = 0
        for start, at, sign in hits:
            if start < limit or within(taken, start):
                continue
            code = _enclosing(codes, start)
            opened = text[start - 1 : start] in ("(", "（", "[", "【") if start else False
            # What follows a comma after a location was already read as its list; the rest stands alone.
            numbers = self.numbers(text, at, grouped=opened or sign in ("第", "lines"), code=code)
            if not numbers or numbers[0].placeholder or (numbers[0].unreadable and sign != "L"):
                continue
            end = numbers[-1].end
            alone = code is not None and code[0] >= start - 1 and code[1] <= end + 1
            whole = start == 0 and end == len(text)
            ranged = any(n.last for n in numbers)
            values = [int(text[n.first[0] : n.first[1]]) for n in numbers if n.first]
            near = False
            if sign == "第":
                if not _CJK_TAIL.match(text, end):
                    continue
                end = self._row_word(text, end)
                near = True
            elif sign == "lines":
                near = True
            elif sign == ":":
                bracket = opened and text[start - 1] != "["  # `x[:1]` is a slice.
                if opened and not bracket:
                    continue
                marked = alone or bracket or code or whole or _after_list(text, start)
                if text[end : end + 1] in (":", "：") or not (marked or text[start - 1] == " "):
                    continue
                near = not (ranged and marked)
            elif not values:
                near = not (alone or code)
            elif max(values) < 10:
                # `L1`, `L2`: caches, norms, levels. `L1-L3` too, unless a path stands close by.
                if not ranged:
                    continue
                near = True
            elif max(values) < 100 and not ranged:
                # `L40`, `L20`: also the names of devices.
                if not (alone or opened or code or whole):
                    continue
                near = True
            limit = end
            found.append(Bare(start, end, numbers, near))
        return found


def _after_list(text: str, start: int) -> bool:
    """Whether a `:123` follows the separator of a list (`:63-72, :149`)."""
    return re.search(r"\d[,，、/;和]\s?$|\d\s(?:and|or|&)\s$", text[max(0, start - 8) : start]) is not None


def _colon_range(text: str, at: int, item: re.Match[str]) -> re.Match[str] | None:
    """The end of a range that `lines 160:165` writes with a colon; `line 160:5` has a column."""
    colon = _LINES_COLON.match(text, item.end()) if not item.group("b") and not item.group("ca") else None
    if colon is None or int(colon.group("b")) < int(item.group("a")) or _ONE_LINE.search(text, max(0, at - 8), at):
        return None
    return colon


def _unreadable(start: int, end: int, lettered: bool) -> Numbers:
    return Numbers(start, end, None, lettered=lettered, unreadable=True)


def _numbers(item: re.Match[str]) -> Numbers:
    columns = tuple(item.span(key) for key in ("ca", "cb") if item.group(key))
    return Numbers(
        item.start(),
        item.end(),
        item.span("a"),
        item.span("b") if item.group("b") else None,
        approximate=bool(item.group("approx") or item.group("approx2")),
        open_ended=bool(item.group("open")),
        columns=columns,
        lettered=bool(item.group("l")),
    )


def within(spans: Sequence[tuple[int, int]], position: int) -> bool:
    """Whether `position` lies in one of the sorted (start, end) spans."""
    index = bisect_right(spans, (position, 1 << 60)) - 1
    return index >= 0 and spans[index][0] <= position < spans[index][1]


def _enclosing(spans: Sequence[tuple[int, int]], position: int) -> tuple[int, int] | None:
    index = bisect_right(spans, (position, 1 << 60)) - 1
    if index >= 0 and spans[index][0] <= position < spans[index][1]:
        return spans[index]
    return None
