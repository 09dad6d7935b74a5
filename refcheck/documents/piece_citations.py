"""The citations of one piece of prose, or of the text of a diagram: links first, then written locations."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..config.engines import Engine
from ..model.document import Mark, Offsets, Span
from ..model.place import LineRange
from .draft import Draft
from .locations import Bare, Located, LocationReader, Numbers, within
from .paths import PathMention, PathReader
from .pieces import Kind, Piece
from .rejections import REACH, is_output, line_around
from .urls import UrlLocation, UrlReader

# `scheduler.py73-84`: a label that lost its sign.
_GLUED = re.compile(r"\.[a-z]{1,4}\s?(\d{1,7})(?:-(\d{1,7}))?$")


@dataclass(slots=True)
class Mentioned:
    """A path named in a piece, for what leans on it."""

    position: int
    path: str
    engine: str | None
    rev: str | None
    whole: bool
    repository: str | None = None
    branch: str | None = None


@dataclass(slots=True)
class PieceFinds:
    """What one piece cites and names."""

    drafts: list[Draft] = field(default_factory=list)
    mentions: list[Mentioned] = field(default_factory=list)
    bare: list[Bare] = field(default_factory=list)
    console: bool = False


NOTHING = PieceFinds()
"""What most pieces of a book give: one value, which nobody changes."""


class PieceReader:
    """Reads pieces of one document."""

    def __init__(self, text: str, engines: Mapping[str, Engine]) -> None:
        self.text = text
        self.paths = PathReader(engines)
        self.urls = UrlReader(engines)
        self.locations = LocationReader(self.paths)
        self.by_target: dict[str, Draft] = {}
        self.uses: list[tuple[Piece, Mark]] = []
        self.strange: dict[str, str] = {}

    def read(self, piece: Piece, index: int, *, lean: bool = True) -> PieceFinds:
        """`lean` False leaves bare numbers out (a diagram's text may hold any)."""
        text = piece.text
        if not piece.marks and not self.locations.may_cite(text):
            return NOTHING
        finds = PieceFinds()
        masked: list[tuple[int, int]] = []
        labels: list[tuple[Mark, UrlLocation]] = []
        pending: list[tuple[Draft, Mark]] = []
        for mark in piece.marks:
            if mark.kind != "link" or not mark.target:
                continue
            location = self.urls.read(mark.target)
            if location is None:
                continue
            if location.first is None and not location.placeholder:
                labels.append((mark, location))
                if self._is_source(location):
                    finds.mentions.append(self._mentioned(location, mark.start))
                continue
            finds.mentions.append(self._mentioned(location, mark.start))
            other = self._other_file(text[mark.start : mark.end], self._url_path(location)[0])
            if mark.end > mark.start and other is None:
                masked.append((mark.start, mark.end))
            if mark.target_offsets is None:
                if other is not None:
                    self.strange.setdefault(mark.target, other)
                    continue
                # The address stands at its definition and is cited there, once.
                self.uses.append((piece, mark))
                continue
            draft = self._url(location, piece, index, mark.start, mark.end, mark.target_offsets, mark.target)
            finds.drafts.append(draft)
            if other is not None:
                # The text is a citation of its own, read below.
                draft.label_problem = _names_another(other)
            elif mark.end > mark.start:
                pending.append((draft, mark))
        link_texts = sorted(masked)
        for start, end in self.urls.find(text):
            if within(link_texts, start):
                continue
            location = self.urls.read(text[start:end])
            if location is not None and (location.first is not None or location.placeholder):
                stop = start + location.end
                offsets = _part(piece.offsets, start, end)
                draft = self._url(location, piece, index, start, stop, offsets, text[start:stop])
                draft.span = piece.located(start, stop)
                finds.drafts.append(draft)
                if piece.kind is Kind.LINK:
                    self.by_target.setdefault(text, draft)
                finds.mentions.append(self._mentioned(location, start))
                masked.append((start, stop))
            else:
                if location is not None and self._is_source(location):
                    finds.mentions.append(self._mentioned(location, start))
                masked.append((start, end))
        for draft, mark in pending:
            self._label(draft, mark, piece)
        located, mentions, bare = self.locations.find(text, piece.marks, masked)
        labels.sort(key=lambda item: item[0].start)
        starts = [mark.start for mark, _ in labels]
        declared = sorted(
            ((mark.start, mark.end, dict(mark.attributes)) for mark in piece.marks if mark.attributes),
            key=lambda entry: entry[:2],
        )
        for item in located:
            self._located(item, piece, index, finds, labels, starts, declared)
        bare = self._declared(piece, index, finds, bare, declared)
        used = {id(item.mention) for item in located}
        for mention in mentions:
            rejected = id(mention) not in used and self._output(piece, mention.start, mention.end)
            if not rejected and piece.kind is not Kind.META:
                finds.mentions.append(
                    Mentioned(mention.path_start, mention.path, mention.engine, mention.rev, mention.whole)
                )
        finds.mentions.sort(key=lambda m: m.position)
        if lean:
            for entry in bare:
                if not self._output(piece, entry.start, entry.end):
                    finds.bare.append(entry)
        return finds

    def _declared(
        self,
        piece: Piece,
        index: int,
        finds: PieceFinds,
        bare: list[Bare],
        declared: Sequence[tuple[int, int, dict[str, str]]],
    ) -> list[Bare]:
        """Adds the citations of elements that declare their file: of its lines, if the element shows any, or of a
        definition. The bare numbers of elsewhere are left.
        """
        taken = sorted((draft.start, draft.end) for draft in finds.drafts)
        starts, read = [entry.start for entry in bare], set[int]()
        for start, end, attributes in declared:
            base = Draft(piece.located(start, end), index, start, end, None, "attribute", whole=True)
            apply_attributes(base, attributes, self.paths)
            if base.path is None:
                continue
            inside = [i for i in range(bisect_left(starts, start), bisect_left(starts, end)) if bare[i].end <= end]
            for i in inside:
                one = replace(base, start=bare[i].start, end=bare[i].end, twins=[])
                one.span = piece.located(one.start, one.end)
                finds.drafts.extend(numbered(one, bare[i].numbers, piece))
            read.update(inside)
            before = bisect_left(taken, (end, 0)) - 1
            if base.symbol and not inside and not (before >= 0 and taken[before][1] > start):
                finds.drafts.append(base)
        return [entry for i, entry in enumerate(bare) if i not in read]

    def _output(self, piece: Piece, start: int, end: int, *, test_id: bool = False) -> bool:
        """Whether characters `start` to `end` are part of a program's output, judged by their line as it is shown."""
        span = piece.located(start, end)
        begin, stop = line_around(self.text, span.start, span.end)
        first = max(min(piece.offsets.index_of(begin), start), start - REACH)
        last = min(max(piece.offsets.index_of(stop), end), end + REACH)
        return is_output(piece.text[first:start], piece.text[start:end], piece.text[end:last], test_id=test_id)

    @staticmethod
    def _is_source(location: UrlLocation) -> bool:
        return "." in location.path.rsplit("/", 1)[-1] or "Dockerfile" in location.path

    def _mentioned(self, location: UrlLocation, position: int) -> Mentioned:
        path, engine = self._url_path(location)
        return Mentioned(
            position, path, engine, location.rev, location.repository is not None, location.repository, location.branch
        )

    def _url_path(self, location: UrlLocation) -> tuple[str, str | None]:
        if location.repository is not None:
            return location.path, location.engine
        path, engine, _, _ = self.paths.normalise(location.path)
        return path, engine

    def resolve_uses(self) -> None:
        """Numbers in the texts of links whose address stands elsewhere are twins of the address's."""
        for piece, mark in self.uses:
            draft = self.by_target.get(mark.target)
            if draft is not None:
                self._label(draft, mark, piece)
        for target, other in self.strange.items():
            draft = self.by_target.get(target)
            if draft is not None:
                draft.label_problem = _names_another(other)

    def _other_file(self, label: str, path: str) -> str | None:
        """The path of a location that a link's text writes, where it is another file than the address's."""
        if "." not in label or "://" in label or not any(char.isdigit() for char in label):
            return None
        located, _, _ = self.locations.find(label, [Mark("code", 0, len(label))], [])
        for item in located:
            named = item.mention.path
            if item.numbers and not (f"/{path}".endswith(f"/{named}") or f"/{named}".endswith(f"/{path}")):
                return named
        return None

    def _url(
        self,
        location: UrlLocation,
        piece: Piece,
        index: int,
        start: int,
        end: int,
        offsets: Offsets | None,
        url: str,
    ) -> Draft:
        path, engine = self._url_path(location)
        whole = location.repository is not None
        draft = Draft(
            piece.span,
            index,
            start,
            end,
            path,
            "url" if whole else "link",
            whole=whole or engine is not None,
            first=location.first,
            last=location.last,
            placeholder=location.placeholder and not location.unreadable,
            unreadable=location.unreadable,
            engine=engine,
            rev=location.rev,
            url=url[: location.end],
            repository=location.repository,
            branch=location.branch,
        )
        if path != location.path:
            draft.written_path = location.path
        if offsets is None:
            return draft
        draft.span = offsets.span(0, min(location.end, len(url)))
        draft.path_span = offsets.span(*location.path_span)
        if location.rev_span:
            draft.rev_span = offsets.span(*location.rev_span)
        if location.first_digits:
            draft.first_digits = offsets.span(*location.first_digits)
        if location.last_digits:
            draft.last_digits = offsets.span(*location.last_digits)
        draft.columns = tuple(offsets.span(*column) for column in location.columns)
        return draft

    def _label(self, draft: Draft, mark: Mark, piece: Piece) -> None:
        """Numbers that a link's text shows: twins of the address's, or others, which is said."""
        label = piece.text[mark.start : mark.end]
        if draft.first is None or not any(char.isdigit() for char in label):
            return
        found: list[Numbers] = []
        for start, end in self.urls.find(label):
            inner = self.urls.read(label[start:end])
            if inner is not None and inner.first_digits:
                found.append(Numbers(start, end, inner.first_digits, inner.last_digits))
                shift = start
                found[-1].first = (inner.first_digits[0] + shift, inner.first_digits[1] + shift)
                if inner.last_digits:
                    found[-1].last = (inner.last_digits[0] + shift, inner.last_digits[1] + shift)
        if not found:
            located, _, bare = self.locations.find(label, [Mark("code", 0, len(label))], [])
            for item in located:
                found.extend(item.numbers)
            for entry in bare:
                found.extend(entry.numbers)
        if not found:
            glued = _GLUED.search(label)
            if glued:
                found.append(
                    Numbers(glued.start(), glued.end(), glued.span(1), glued.span(2) if glued.group(2) else None)
                )
        if not found:
            whole = self.locations.numbers(label.strip(), 0, grouped=True)
            lead = len(label) - len(label.lstrip())
            if whole and whole[-1].end == len(label.strip()):
                found = [
                    Numbers(
                        n.start + lead,
                        n.end + lead,
                        (n.first[0] + lead, n.first[1] + lead) if n.first else None,
                        (n.last[0] + lead, n.last[1] + lead) if n.last else None,
                    )
                    for n in whole
                ]
        same: list[Span] = []
        other: list[tuple[int, int, tuple[Span, ...]]] = []
        for numbers in found:
            if numbers.first is None:
                continue
            a = int(label[numbers.first[0] : numbers.first[1]])
            b = int(label[numbers.last[0] : numbers.last[1]]) if numbers.last else a
            digits = [piece.located(mark.start + numbers.first[0], mark.start + numbers.first[1])]
            if numbers.last:
                digits.append(piece.located(mark.start + numbers.last[0], mark.start + numbers.last[1]))
            if a == draft.first and b == (draft.last or draft.first):
                same.extend(digits)
            else:
                other.append((a, b, tuple(digits)))
        # An address that is its own label (`<https://…>`) has no second place to rewrite.
        own = {draft.first_digits, draft.last_digits}
        draft.twins.extend(span for span in same if span not in own)
        if not same and len(other) == 1:
            a, b, spans = other[0]
            if 1 <= a <= b:
                draft.label_lines, draft.label_digits = LineRange(a, b), spans

    def _located(
        self,
        item: Located,
        piece: Piece,
        index: int,
        finds: PieceFinds,
        labels: list[tuple[Mark, UrlLocation]],
        starts: list[int],
        declared: list[tuple[int, int, dict[str, str]]],
    ) -> None:
        mention = item.mention
        span = piece.located(item.start, item.end)
        is_test = item.symbol is not None and "test" in item.symbol.lower() + mention.path.rsplit("/", 1)[-1].lower()
        if self._output(piece, item.start, item.end, test_id=is_test):
            return
        if item.numbers and _quoted_log(piece, item):
            return
        base = self._draft(mention, piece, index, item.start, item.end)
        base.symbol = item.symbol
        at = bisect_right(starts, mention.path_start) - 1
        if at >= 0 and labels[at][0].end >= mention.end:
            # The text of a link to a file: the address says which file and revision.
            location = labels[at][1]
            path, engine = self._url_path(location)
            if path.endswith(mention.path) or mention.path.endswith(path):
                base.path, base.engine, base.rev = path, engine or base.engine, location.rev or base.rev
                base.repository, base.branch, base.whole = location.repository, location.branch, True
                base.url = labels[at][0].target
        near = bisect_right(declared, mention.path_start, key=lambda entry: entry[0]) - 1
        if near >= 0 and declared[near][0] <= mention.path_start < declared[near][1]:
            apply_attributes(base, declared[near][2], self.paths)
        if not item.numbers:
            base.form = "symbol"
            base.span = span
            finds.drafts.append(base)
            return
        finds.drafts.extend(numbered(base, item.numbers, piece))

    def _draft(self, mention: PathMention, piece: Piece, index: int, start: int, end: int) -> Draft:
        form = "inline" if mention.whole else "short"
        if piece.kind is Kind.COMMENT:
            form = "comment"
        form = piece.attributes.get("form", form)
        draft = Draft(
            piece.located(start, end),
            index,
            start,
            end,
            mention.path,
            form,
            whole=mention.whole,
            engine=mention.engine,
            rev=mention.rev,
            path_span=piece.located(mention.path_start, mention.path_end),
            rev_span=piece.located(*mention.behind) if mention.behind else None,
        )
        if mention.path != mention.written:
            draft.written_path = mention.written
        return draft


_MESSAGE = re.compile(r"\s{1,2}[A-Z][a-z]{2,20}\s[a-z0-9<\[]")


def _quoted_log(piece: Piece, item: Located) -> bool:
    """Whether a location opens a code span that goes on as a message (`transport.cpp:497 Requested address …`)."""
    if not _MESSAGE.match(piece.text, item.end):
        return False
    return any(m.kind == "code" and m.start <= item.start and item.end + 8 < m.end for m in piece.marks)


def _names_another(path: str) -> str:
    return f"the link's text names another file ({path})"


def numbered(base: Draft, numbers: Sequence[Numbers], piece: Piece) -> list[Draft]:
    """One draft per number of a list. The first one's span takes in the path."""
    drafts: list[Draft] = []
    for position, entry in enumerate(numbers):
        draft = replace(base, twins=[]) if len(numbers) > 1 else base
        if position and base.inherited_from == "attribute":
            draft.symbol = None  # The element declares the symbol of what it shows, not of what follows it.
        if len(numbers) > 1:
            draft.span = piece.located(entry.start if position else min(base.start, entry.start), entry.end)
        if entry.first is None:
            draft.placeholder, draft.unreadable = entry.placeholder, entry.unreadable
        else:
            a = piece.text[entry.first[0] : entry.first[1]]
            draft.first = int(a)
            draft.first_digits = piece.located(*entry.first)
            draft.last = draft.first
            if entry.last is not None:
                draft.last = int(piece.text[entry.last[0] : entry.last[1]])
                draft.last_digits = piece.located(*entry.last)
        draft.approximate = entry.approximate
        draft.open_ended = entry.open_ended
        draft.columns = tuple(piece.located(*column) for column in entry.columns)
        drafts.append(draft)
    return drafts


def apply_attributes(draft: Draft, attributes: Mapping[str, str], paths: PathReader) -> None:
    """`data-source-engine`, `-path`, `-symbol`, `-rev`: what the element declares outranks what it shows."""
    path = attributes.get("data-source-path") or attributes.get("data-source-file")
    engine = attributes.get("data-source-engine")
    if path:
        normal, path_engine, rev, _ = paths.normalise(path)
        if normal:
            if draft.path is not None and draft.path != normal:
                draft.written_path = draft.written_path or draft.path
                draft.inherited_from = "attribute"
            draft.path, draft.whole = normal, True
            draft.engine = path_engine or draft.engine
            draft.rev = rev or draft.rev
    if engine:
        draft.engine = paths.by_name.get(engine.lower(), engine)
    if attributes.get("data-source-symbol"):
        draft.symbol = attributes["data-source-symbol"]
    rev = attributes.get("data-source-rev") or attributes.get("data-source-commit") or attributes.get("data-source-ref")
    if rev:
        draft.rev = rev


def _part(offsets: Offsets, start: int, end: int) -> Offsets:
    """The map of characters `start` to `end` alone."""
    from .pieces import through

    return through(Offsets.verbatim(start, end - start), offsets)
