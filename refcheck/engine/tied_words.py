"""Which code words of a sentence speak of one of its citations: a name belongs to the nearest place.

A sentence may cite two places, each for a name of its own, and may name what is *not* there ("unlike `peek`, …").
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..documents.code_words import CodeWord, code_words
from ..documents.inherit import sentence
from ..model.document import Citation, Document, Offsets, Prose

_BREAK = re.compile(r"[,;:()\[\]（），；：。—–]|[.!?]\s|\b(?:and|but|while|whereas|then)\b|[和而并]")
_LISTED = re.compile(r"[\s,;、，；/&()\[\]`]{0,8}(?:(?:(?:and|or|to|plus)\b|以及|[和及与])[\s`]{0,4})?\Z")
_OPENS = re.compile(r"(?:\(\))?[`'\"”\s]{0,4}[(\[（][\s`]{0,4}(?:(?:see|at|in|cf\.?|lines?|见)\s)?[\s`]{0,4}\Z")
_SHUTS = re.compile(r"[`)\]\s]{0,4}[(（][\s`]{0,4}(?:the\s)?[`]?\Z")
_SAYS = re.compile(r"[`)\]\s]{0,4}[:：]\s?")
_SAYS_AT_ONCE = re.compile(r"[`)\]\s]{0,4}[:：]\s?`?\Z")
"""`place: what stands there`."""
_CONTRAST = re.compile(
    r"(?:\b(?:unlike|instead of|rather than|as opposed to|other than|contrary to|except(?: for)?|without|"
    r"(?:in )?contrast(?:s|ed)? (?:to|with)|compar(?:e|es|ed|ing|able) (?:to|with)|(?:differs?|different) from|"
    r"no longer|(?:not(?! only\b| just\b)|never|cannot)(?: \w{1,20}){0,2}?|\w{1,8}n['’]t(?: \w{1,20})?)|"
    r"不同于|而不是|而非|不是|区别于)\s?(?:(?:the|a|an|in|at|via|by|its|from|on|to)\s){0,2}[`'\"(\s]{0,4}\Z",
    re.IGNORECASE,
)
_COMPARED = re.compile(r"\bcompar(?:e|es|ing)\b|\bcontrast\b|对比|相比", re.IGNORECASE)
_WITH = re.compile(r"\b(?:with|to|against)\s(?:the\s)?[`'\"\s]{0,4}\Z|[和与][`\s]{0,4}\Z", re.IGNORECASE)
_RELATED = re.compile(
    r"(?:\b(?:by|from|to|into|for|via|with|through|calls?|calling|invokes?|uses?|using)\s(?:(?:the|a|an|its)\s)?|"
    r"由|被|给|调用|传给|来自|→|->)[`'\"\s]{0,4}\Z",
    re.IGNORECASE,
)
_NOUN = (
    r"(?:method|class|function|property|field|constant|enum|attribute|dataclass|struct|kernel|macro|type|variable|"
    r"helper|protocol)"
)
_IS_DEFINED = re.compile(
    rf"(?:\(\))?[`'\"”)\s]{{0,4}}(?:{_NOUN}\s)?(?:(?:is|are|was|being|itself)\s|的?)(?:(?:also|itself|first|now)\s)?"
    r"(?:(?:defined|declared)\s(?:in|at|on|by|here|there|as)?|定义[在于]?|声明[在于]?)"
    r"[\s:：`(\[（]{0,6}(?:lines?\s)?`?\Z",
    re.IGNORECASE,
)
_BEGINS = re.compile(r"(?:\(\))?[`'\"”)\s]{0,4}(?:starts?|begins?)\s(?:at|on|from|with)\s\Z", re.IGNORECASE)
_LINE = re.compile(r"lines?\s", re.IGNORECASE)
_DEFINES = re.compile(
    rf"[`)\]\s]{{0,6}}(?:defines?|declares?|定义了?|声明了?)\s?(?:(?:the|a)\s)?(?:{_NOUN}\s)?`?\Z", re.IGNORECASE
)
_OWNED = re.compile(r"(?:\b(?:of|in|on|from|for)\s(?:the\s)?(?:class\s)?|['’]s\s|的)`?\Z", re.IGNORECASE)
_OWNER = re.compile(
    r"(?:\(\))?[`\s]{0,4}(?:['’]s\b|的|(?:\w{1,20}\s)?(?:fields|attributes|members|methods|values|options|constants|"
    r"arguments|parameters|flags|subclasses|instances|objects)\b)"
)

_MEMBER_OF = re.compile(rf"(?:\(\))?[`\s]{{0,3}}(?:{_NOUN}\s)?(?:of|in|on)\s(?:the\s)?(?:class\s)?`?", re.IGNORECASE)
_OWNERS = re.compile(rf"[`\s]{{0,3}}(?:['’]s|的)\s?(?:own\s)?(?:{_NOUN}\s)?`?", re.IGNORECASE)
_IN_PLACE_OF = re.compile(r"\b(?:implement|overrid|replac|inherit|extend|wrap)\w{0,4}\s(?:the\s)?`?\Z", re.IGNORECASE)
_IS_CODE = re.compile(r"\w\s*[=\[({<>+*%|]|\w\s+\w")
_NO_CODE = re.compile(r"\s*(?:[-$>%#]|\S*[/\\])")
"""Options, commands and paths."""
_MESSAGE = re.compile(r"(?<![\w\"])\"([^\"\n]{10,200})\"(?!\w)|“([^“”\n]{10,200})”")


@dataclass(frozen=True, slots=True)
class _Place:
    """A cited place at characters `start` to `stop` of the prose; those of one list have one `group`."""

    start: int
    stop: int
    group: int


@dataclass(frozen=True, slots=True)
class TiedWords:
    """The code words of a citation's sentence.

    `all` leaves out what the sentence names in contrast; `free` also what it names directly at another place; `own`
    are those of this citation, those that are named directly at it first; `defined` those of `own` that the sentence
    says to be defined there.
    """

    all: tuple[CodeWord, ...] = ()
    free: tuple[CodeWord, ...] = ()
    own: tuple[CodeWord, ...] = ()
    defined: tuple[CodeWord, ...] = ()
    related: tuple[CodeWord, ...] = ()
    """Those of `own` that what stands there is only related to: `called by X`, `passed to X`."""
    written: tuple[CodeWord, ...] = ()
    """Whole code spans and quoted messages of this citation (`kind` is "code"), but for those it is related to."""


def position_in(prose: Prose, offset: int) -> int:
    """The character of a prose's text that stands at an offset of the document."""
    offsets = prose.offsets
    at = offsets.index_of(offset) if isinstance(offsets, Offsets) else bisect_left(offsets, offset)
    return min(at, max(len(prose.text) - 1, 0))


def tied_words(document: Document, citation: Citation) -> TiedWords:
    """The words of the citation's sentence, its own written form left out."""
    if citation.prose is None:
        return TiedWords()
    prose = document.prose[citation.prose]
    at = position_in(prose, citation.span.start)
    stop = position_in(prose, citation.span.end)
    start, end = sentence(prose.text, at)
    named = _with_owners(prose.text, code_words(prose.text, prose.marks, start, end))
    words = (*named, *_written(prose, start, end))
    # The address of a link that ends its paragraph stands behind the last character: the link's text is before it.
    behind = citation.url is not None and citation.span.start > prose.offsets[-1]
    ends = len(prose.text) if behind else at
    words = tuple(word for word in words if word.end <= ends or word.start >= stop)
    words = tuple(word for word in words if not _in_contrast(prose.text, start, word.start))
    if not words:
        return TiedWords()
    places, own = _places(document, citation, prose, start, end)
    if _in_contrast(prose.text, start, own[0]):
        words = tuple(word for word in words if word.kind != "code")
        return TiedWords(words, words)
    free: list[CodeWord] = []
    ranked: list[tuple[int, int, CodeWord]] = []
    for order, word in enumerate(words):
        direct, cost = _nearest(prose.text, word, places, own)
        if direct and cost is None:
            continue
        free.append(word)
        if cost is not None and prose.text[word.end : word.end + 1] != "*":  # `init_*` names many.
            ranked.append((0 if direct else cost, order, word))
    ranked.sort(key=lambda entry: entry[:2])
    tied = tuple(word for _, _, word in ranked if word.kind != "code")
    defined = () if citation.approximate else tuple(w for w in tied if _is_defined(prose.text, start, w, own))
    related = tuple(w for cost, _, w in ranked if cost and _is_related(prose.text, start, w))
    return TiedWords(
        tuple(word for word in words if word.kind != "code"),
        tuple(word for word in free if word.kind != "code"),
        tied,
        defined,
        tuple(word for word in related if word.kind != "code"),
        tuple(word for _, _, word in ranked if word.kind == "code" and word not in related),
    )


def _with_owners(text: str, words: Sequence[CodeWord]) -> list[CodeWord]:
    """The words; a name that the sentence gives to a class (`pop` of `Queue`, or `Queue`'s `pop`) is its member."""
    found = list(words)
    for (at, one), other in zip(enumerate(words), words[1:], strict=False):
        if other.start - one.end > 40:
            continue
        between = text[one.end : other.start]
        if _MEMBER_OF.fullmatch(between) and not _IN_PLACE_OF.search(text[max(0, one.start - 40) : one.start]):
            member, owner, place = one, other, at
        elif _OWNERS.fullmatch(between):
            member, owner, place = other, one, at + 1
        else:
            continue
        plain = member.kind in ("identifier", "call") and not member.owner
        if plain and owner.kind == "identifier" and owner.in_code and owner.name[:1].isupper():
            kind = "member" if member.kind == "identifier" else member.kind
            found[place] = replace(member, kind=kind, owner=owner.name)
    return found


def _written(prose: Prose, start: int, end: int) -> list[CodeWord]:
    """What a sentence repeats letter by letter: a code span that is more than a name, a message in quotation marks."""
    spans = [(m.start, m.end) for m in prose.marks if m.kind == "code" and start <= m.start < m.end <= end]
    found = [
        CodeWord("code", prose.text[a:b], a, b, value=prose.text[a:b].strip(), in_code=True)
        for a, b in spans
        if _IS_CODE.search(prose.text[a:b]) and not _NO_CODE.match(prose.text[a:b])
    ]
    for match in _MESSAGE.finditer(prose.text, start, end):
        if not any(a < match.end() and match.start() < b for a, b in spans):
            found.append(CodeWord("code", match.group(), *match.span(), value=(match.group(1) or match.group(2))))
    return found


def _is_related(text: str, start: int, word: CodeWord) -> bool:
    return _RELATED.search(text[max(start, word.start - 40) : word.start]) is not None


def _in_contrast(text: str, start: int, at: int) -> bool:
    before = text[max(start, at - 80) : at]
    if _CONTRAST.search(before):
        return True
    return _WITH.search(before) is not None and _COMPARED.search(text, max(start, at - 300), at) is not None


def _places(
    document: Document, citation: Citation, prose: Prose, start: int, end: int
) -> tuple[list[_Place], tuple[int, int]]:
    """The places that the sentence cites, in order, and where the citation itself stands."""
    links = sorted((mark.start, mark.end) for mark in prose.marks if mark.kind == "link" and mark.target)
    first, last = prose.located(start, start + 1).start, prose.located(max(end - 1, start), end).end
    low = bisect_left(document.citations, first, key=lambda c: c.span.start)
    high = bisect_right(document.citations, last, key=lambda c: c.span.start)
    own = _extent(prose, citation, links)
    extents = {
        _extent(prose, other, links)
        for other in document.citations[low:high]
        if other.prose == citation.prose and other.quote is None
    }
    places: list[_Place] = []
    for begin, stop in sorted(extents | {own}):
        listed = bool(places) and _LISTED.match(prose.text[places[-1].stop : begin][:40]) is not None
        listed = listed and begin - places[-1].stop <= 40
        places.append(_Place(begin, stop, places[-1].group + (not listed) if places else 0))
    return places, own


def _extent(prose: Prose, citation: Citation, links: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Where a citation stands in its prose, the text of its link included."""
    at, stop = position_in(prose, citation.span.start), position_in(prose, citation.span.end)
    if citation.url is not None:
        near = bisect_right(links, at, key=lambda link: link[0]) - 1
        if near >= 0 and at <= links[near][1] + 1:
            start, end = links[near]
            return start, max(end, stop if stop <= end + 1 else end)
    return at, max(at, stop)


def _nearest(text: str, word: CodeWord, places: Sequence[_Place], own: tuple[int, int]) -> tuple[bool, int | None]:
    """Whether the word stands directly at a place, and its cost where its place, or list of places, is `own`'s."""
    after = bisect_left(places, word.end, key=lambda place: place.start)
    inside = bisect_right(places, word.start, key=lambda place: place.start) - 1
    before, behind = places[inside] if inside >= 0 else None, places[after] if after < len(places) else None
    direct = [p for p in (before, behind) if p is not None and _is_direct(text, word, (p.start, p.stop))]
    if direct:
        return True, 0 if any((p.start, p.stop) == own for p in direct) else None
    costs = [(_cost(text, word, p), p.group) for p in (before, behind) if p is not None]
    if not costs:
        return False, None  # a place begins inside of it
    cost, group = min(costs)
    mine = places[bisect_left(places, own, key=lambda place: (place.start, place.stop))].group
    return False, cost if group == mine else None


def _is_direct(text: str, word: CodeWord, extent: tuple[int, int]) -> bool:
    """`name (place)`, `place (name)`, `place: name`, or a link that has the name as its text."""
    if extent[0] <= word.start and word.end <= extent[1]:
        return True
    if word.end <= extent[0]:
        return extent[0] - word.end <= 40 and _OPENS.match(text[word.end : extent[0]]) is not None
    between = text[extent[1] : word.start]
    return len(between) <= 20 and (_SHUTS.match(between) or _SAYS_AT_ONCE.match(between)) is not None


def _cost(text: str, word: CodeWord, place: _Place) -> int:
    """How far a word stands from a place: parts of the sentence between them count most."""
    if word.start >= place.stop:
        between = text[place.stop : word.start]
        says = _SAYS.match(between)
        between = between[says.end() :] if says else between
    else:
        between = text[word.end : place.start]
    return 1 + 1000 * len(_BREAK.findall(between)) + len(between)


def _is_defined(text: str, start: int, word: CodeWord, own: tuple[int, int]) -> bool:
    """Whether the sentence says that this very name is defined there, and not of whom it is a part."""
    if word.end <= own[0]:
        between = text[word.end : own[0]]
        return (
            _IS_DEFINED.match(between) or (_BEGINS.match(between) and _LINE.match(text, own[0]))
        ) is not None and _OWNED.search(text[max(start, word.start - 30) : word.start]) is None
    return _DEFINES.match(text[own[1] : word.start]) is not None and _OWNER.match(text, word.end) is None
