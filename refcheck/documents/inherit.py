"""What an abbreviated path or a bare number leans on: the cell, the sentence, the header, the section, the page.

Nothing is guessed: where two paths fit equally well, the citation keeps both as candidates and none as its path.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from .draft import Draft
from .locations import Bare, Numbers
from .piece_citations import Mentioned, PieceFinds, numbered
from .pieces import Kind, Piece

# A full stop ends a sentence before white space and a new beginning; `e.g.` and a file's dot do not.
_SENTENCE_END = re.compile(r"[.!?](?:[\"”’)\]]*)\s+(?=[A-Z\"“(`])|[。！？；]")
_ABBREVIATION = re.compile(r"(?:\b(?:e\.g|i\.e|cf|vs|etc|Fig|Sec|resp|approx|No|p|pp))\.$")
_CELL_NUMBERS = re.compile(
    r"\s*L?\d{1,7}(?:\s?[-–—~]\s?L?\d{1,7})?(?:(?:\s?[,、;/]\s?|\s)L?\d{1,7}(?:\s?[-–—~]\s?L?\d{1,7})?)*\s*"
)
_LINE_COLUMN = re.compile(r"\blines?\b|\bloc(?:ation)?\b|行|^\s*L\s*$|\bwhere\b|\brange\b", re.IGNORECASE)

_LONGEST_LIST = 200
"""Items of a list between one of them and the paragraph that introduces it."""


def _key(mention: Mentioned) -> tuple[str, str | None, str | None]:
    return mention.path, mention.engine, mention.rev


@dataclass(slots=True)
class _Table:
    """The paths that a table's cells may lean on."""

    caption: list[Mentioned] = field(default_factory=list)
    heads: dict[int, list[Mentioned]] = field(default_factory=dict)
    rows: dict[int, list[Mentioned]] = field(default_factory=dict)


_Key = tuple[str, str | None, str | None]


@dataclass(slots=True)
class _Fitting:
    """The whole paths that an abbreviated one may mean: all, and by the piece and the section that name them."""

    places: set[_Key] = field(default_factory=set)
    by_piece: dict[int, set[_Key]] = field(default_factory=dict)
    by_section: dict[int, set[_Key]] = field(default_factory=dict)
    candidates: tuple[str, ...] = ()


class Inheritance:
    """Resolves what leans on something else, over all pieces of one document."""

    def __init__(self, pieces: Sequence[Piece], finds: Sequence[PieceFinds]) -> None:
        self.pieces = pieces
        self.finds = finds
        self.whole: dict[str, list[tuple[int, Mentioned]]] = {}
        self.all_paths: dict[tuple[str, str | None, str | None], Mentioned] = {}
        self.sentences: tuple[int, list[int]] = (-1, [])
        self.sections: list[int] = []
        self.tables: dict[int, list[int]] = {}
        self.table_paths: dict[int, _Table] = {}
        self.fitting: dict[tuple[str, str | None], _Fitting] = {}
        self.section_members: dict[int, list[tuple[int, Mentioned]]] = {}
        section = -1
        for index, (piece, found) in enumerate(zip(pieces, finds, strict=True)):
            if piece.kind is Kind.HEADING:
                section = index
            self.sections.append(section)
            if piece.table >= 0:
                self.tables.setdefault(piece.table, []).append(index)
            for mention in found.mentions:
                self.all_paths.setdefault(_key(mention), mention)
                if mention.whole:
                    self.whole.setdefault(mention.path.rsplit("/", 1)[-1], []).append((index, mention))
                self.section_members.setdefault(section, []).append((index, mention))
        paths = {mention.path for mention in self.all_paths.values()}
        self.only_path = next(iter(self.all_paths.values())) if len(paths) == 1 else None

    # Abbreviated paths -------------------------------------------------------------------------------------

    def complete(self, draft: Draft) -> None:
        """Gives an abbreviated path its whole form, where the page names one file that it fits."""
        if draft.path is None or draft.whole or draft.inherited_from == "attribute":
            return
        path = draft.path
        fitting = self._fitting(path, draft.engine)
        if not fitting.places:
            return
        chosen: tuple[str, str | None, str | None] | None = None
        where = "page"
        section = self.sections[draft.piece]
        in_piece, in_section = fitting.by_piece.get(draft.piece, set()), fitting.by_section.get(section, set())
        if len(fitting.places) == 1:
            (chosen,) = fitting.places
            if in_piece:
                where = "paragraph"
            elif section >= 0 and in_section:
                where = "section"
        elif len(in_piece) == 1:
            (chosen,), where = in_piece, "paragraph"
        elif not in_piece and len(in_section) == 1:
            (chosen,), where = in_section, "section"
        if chosen is None:
            draft.candidates = fitting.candidates
            return
        full, engine, _ = chosen
        if full != path:
            draft.written_path = draft.written_path or path
            draft.path = full
            draft.inherited_from = where
        draft.engine = draft.engine or engine
        draft.whole = True

    def _fitting(self, path: str, engine: str | None) -> _Fitting:
        """The whole paths of the page that end in an abbreviated one; found once for all that write it so."""
        known = self.fitting.get((path, engine))
        if known is None:
            known = self.fitting[path, engine] = _Fitting()
            for index, mention in self.whole.get(path.rsplit("/", 1)[-1], ()):
                if mention.path != path and not mention.path.endswith("/" + path):
                    continue
                if engine is not None and mention.engine not in (None, engine):
                    continue
                key = (mention.path, mention.engine, None)
                known.places.add(key)
                known.by_piece.setdefault(index, set()).add(key)
                known.by_section.setdefault(self.sections[index], set()).add(key)
            known.candidates = tuple(sorted({key[0] for key in known.places}))
        return known

    # Bare numbers ------------------------------------------------------------------------------------------

    def bare(self, index: int, entry: Bare) -> list[Draft]:
        """Drafts for a bare number, or none where nothing near by is a path."""
        piece = self.pieces[index]
        found = self._path_for(index, entry.start, entry.near)
        if found is None:
            return []
        where, paths = found
        return self._drafts(piece, index, entry, where, paths, "bare")

    def _drafts(
        self, piece: Piece, index: int, entry: Bare, where: str, paths: Sequence[Mentioned], form: str
    ) -> list[Draft]:
        span = piece.located(entry.start, entry.end)
        draft = Draft(span, index, entry.start, entry.end, None, form, inherited_from=where)
        distinct = {mention.path: mention for mention in paths}
        if len(distinct) == 1:
            only = next(iter(distinct.values()))
            draft.path, draft.engine, draft.rev, draft.whole = only.path, only.engine, only.rev, only.whole
            draft.repository, draft.branch = only.repository, only.branch
        else:
            draft.candidates = tuple(sorted(distinct))
        drafts = numbered(draft, entry.numbers, piece)
        for made in drafts:
            self.complete(made)
            made.inherited_from = where
        return drafts

    def _path_for(self, index: int, position: int, near: bool) -> tuple[str, list[Mentioned]] | None:
        piece = self.pieces[index]
        mentions = self.finds[index].mentions
        scope = "cell" if piece.kind is Kind.CELL else "sentence"
        if mentions:
            start, end = self._sentence(index, position)
            low = bisect_left(mentions, start, key=_position)
            here = bisect_left(mentions, position, key=_position)
            if low < here:
                return scope, [mentions[here - 1]]
            high = bisect_left(mentions, end, key=_position)
            if here < high:
                following = _distinct(mentions[here:high][:50])
                return scope, following
            if here:
                return "paragraph", _distinct(mentions[max(0, here - 50) : here])
        if piece.table >= 0:
            table = self._table(index, piece)
            if table is not None:
                return table
        if (introduced := self._introduced(index, close=near)) is not None:
            return "paragraph", [introduced]
        if near:
            return None
        if index and self.pieces[index - 1].kind is Kind.CODE:
            header = self._header(index - 1)
            if header:
                return "header", header
        section = self.sections[index]
        members = self.section_members.get(section, [])
        until = bisect_left(members, index, key=lambda item: item[0])
        preceding = [m for _, m in members[max(0, until - 200) : until]]
        if section >= 0 and self.finds[section].mentions:
            heading = _distinct(self.finds[section].mentions)
            if len(heading) == 1:
                return "section", heading
        if preceding:
            return "section" if section >= 0 else "page", _distinct(preceding)
        if self.only_path is not None:
            return "page", [self.only_path]
        lead = self.section_members.get(-1, [])
        first = _distinct([m for at, m in lead[:50] if at < index])
        if first:
            return "page", first
        return None

    def _introduced(self, index: int, *, close: bool) -> Mentioned | None:
        """The file of the paragraph that introduces a list (`` `path`: ``), for an item that has numbers and no path.

        With `close` only a paragraph counts that ends with the path and its colon.
        """
        for at in range(index - 1, max(-1, index - 1 - _LONGEST_LIST), -1):
            piece, mentions = self.pieces[at], self.finds[at].mentions
            if piece.kind is not Kind.TEXT:
                return None
            if mentions:
                named, text = _distinct(mentions), piece.text.rstrip()
                if len(named) != 1 or not text.endswith((":", "：")):
                    return None
                path = text.rstrip(":： `*_)）").endswith(named[0].path.rpartition("/")[2])
                return named[0] if path or not close else None
            if not self.finds[at].bare:
                return None
        return None

    def _sentence(self, index: int, position: int) -> tuple[int, int]:
        if self.sentences[0] != index:
            self.sentences = (index, sentence_ends(self.pieces[index].text))
        ends = self.sentences[1]
        at = bisect_right(ends, position)
        return ends[at - 1] if at else 0, ends[at] if at < len(ends) else len(self.pieces[index].text)

    def _header(self, index: int) -> list[Mentioned]:
        found = self.finds[index].mentions
        if not found and index and self.pieces[index - 1].kind is Kind.HEADER:
            found = self.finds[index - 1].mentions
        return _distinct(found[:1])

    def _table(self, index: int, piece: Piece) -> tuple[str, list[Mentioned]] | None:
        table = self.table_paths.get(piece.table)
        if table is None:
            table = self.table_paths[piece.table] = _Table()
            for other in self.tables.get(piece.table, ()):
                place, found = self.pieces[other], self.finds[other].mentions
                if place.kind is Kind.CAPTION:
                    table.caption.extend(found)
                elif found:
                    table.rows.setdefault(place.row, []).extend(found)
                    if place.row == 0:
                        table.heads.setdefault(place.column, []).extend(found)
        row = table.rows.get(piece.row)
        if row:
            return "cell", _distinct(row)
        head = table.heads.get(piece.column)
        if head:
            return "cell", _distinct(head)
        return ("header", _distinct(table.caption)) if table.caption else None

    # Cells of numbers --------------------------------------------------------------------------------------

    def cells(self, read: Callable[..., list[Numbers]]) -> list[tuple[int, Bare]]:
        """Cells that hold nothing but numbers, in tables whose caption, row or column's head names the file.

        `read` is the number reader (`LocationReader.numbers`).
        """
        result: list[tuple[int, Bare]] = []
        for members in self.tables.values():
            heads = {
                self.pieces[i].column: self.pieces[i].text
                for i in members
                if self.pieces[i].row == 0 and self.pieces[i].kind is Kind.CELL
            }
            captioned = any(self.finds[i].mentions for i in members if self.pieces[i].kind is Kind.CAPTION)
            rows = {self.pieces[i].row for i in members if self.finds[i].mentions and self.pieces[i].kind is Kind.CELL}
            headed = {
                self.pieces[i].column
                for i in members
                if self.pieces[i].row == 0 and self.pieces[i].kind is Kind.CELL and self.finds[i].mentions
            }
            for i in members:
                piece = self.pieces[i]
                if piece.kind is not Kind.CELL or not _CELL_NUMBERS.fullmatch(piece.text):
                    continue
                titled = _LINE_COLUMN.search(heads.get(piece.column, "")) is not None
                ranged = re.search(r"\d\s?[-–—]\s?L?\d", piece.text) is not None
                named = captioned or (piece.column in headed and piece.row > 0)
                if not ((titled and (captioned or piece.row in rows or self._lead(members))) or (named and ranged)):
                    continue
                if self.finds[i].bare:
                    continue
                at = len(piece.text) - len(piece.text.lstrip())
                while numbers := read(piece.text, at, grouped=True):
                    result.append((i, Bare(numbers[0].start, numbers[-1].end, numbers)))
                    at = numbers[-1].end + 1  # Further numbers stand on a line of their own.
        return result

    def _lead(self, members: Sequence[int]) -> list[Mentioned]:
        """The file that the paragraph or heading right above a table names, if it names one."""
        above = members[0] - 1
        if above < 0 or self.pieces[above].kind not in (Kind.TEXT, Kind.HEADING):
            return []
        named = _distinct(self.finds[above].mentions)
        return named if len(named) == 1 else []

    def cell_drafts(self, index: int, entry: Bare) -> list[Draft]:
        """Drafts for a cell of numbers."""
        piece = self.pieces[index]
        found = self._table(index, piece) or ("header", self._lead(self.tables[piece.table]))
        return self._drafts(piece, index, entry, found[0], found[1], "table") if found[1] else []


def _position(mention: Mentioned) -> int:
    return mention.position


def _distinct(mentions: Sequence[Mentioned]) -> list[Mentioned]:
    return list({mention.path: mention for mention in mentions}.values())


def sentence_ends(text: str) -> list[int]:
    """Where each sentence but the last one ends, with the white space behind it."""
    return [
        m.end()
        for m in _SENTENCE_END.finditer(text)
        if not _ABBREVIATION.search(text[max(0, m.start() - 8) : m.start() + 1])
    ]


def sentence(text: str, position: int) -> tuple[int, int]:
    """Where the sentence around a position begins and ends, looked for within 2,000 characters either way."""
    floor = max(0, position - 2000)
    start = floor
    for match in _SENTENCE_END.finditer(text, floor, position):
        if not _ABBREVIATION.search(text[max(0, match.start() - 8) : match.start() + 1]):
            start = match.end()
    end = min(len(text), position + 2000)
    for match in _SENTENCE_END.finditer(text, position, end):
        if not _ABBREVIATION.search(text[max(0, match.start() - 8) : match.start() + 1]):
            return start, match.end()
    return start, end
