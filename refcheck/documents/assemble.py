"""From pieces to a document: citations with their paths and revisions, quotes with their locations."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace

from ..config.engines import Engine
from ..model.document import Citation, Document, Prose, Quote
from .draft import Draft
from .ignores import read_ignores
from .inherit import Inheritance, sentence, sentence_ends
from .piece_citations import NOTHING, Mentioned, PieceFinds, PieceReader
from .pieces import Kind, Piece
from .quotes import BlockFinds, BlockReader, attach
from .rejections import echoes, speaks_of_output
from .revisions import RevisionReader
from .row_revisions import RowRevisions
from .tied import TiedVersions, has_version

_PROSE = frozenset({Kind.TEXT, Kind.HEADING, Kind.CELL, Kind.CAPTION, Kind.HEADER})
_HEADER_WORDS = re.compile(
    r"\b(?:source|from|file|path|code|see|excerpt|snippet|listing|location|reference|ref|in|lines?|at|the|of)\b|来源|出处|源码|文件|"
    r"位置|代码|参考|引用|摘自|如下|见|出典",
    re.IGNORECASE,
)

# A sentence that says itself that the block below it, or above it, is what it cites.
_INTRODUCES = re.compile(
    r"\b(?:as follows|the following|below|like (?:this|so)|here is|here's|looks like|excerpt)\b|如下|下面|以下|见下",
    re.IGNORECASE,
)
# What a paragraph that only names a place has none of: an end of a sentence, and words that lead elsewhere.
_SENTENCE = re.compile(
    r"[.!?]\s+(?-i:[A-Z])|[。！？]|\b(?:also|cf|related|compare|unlike|instead|is|are|was|were|has|have|does|do|can|will|must|"
    r"should|calls?|uses?|reads?|runs?|lives?|stands?|happens|used|called)\b|参见|另见",
    re.IGNORECASE,
)
_SPEAKS_OF_ABOVE = re.compile(
    r"\b(?:code|block|snippet|listing|excerpt|lines?)\s(?:is\s|are\s)?(?:shown\s|quoted\s)?above\b|"
    r"\babove\s(?:code|block|snippet|listing|excerpt|lines)\b|(?:上面|以上|上述)的?代码",
    re.IGNORECASE,
)


def assemble(
    name: str, format_name: str, text: str, pieces: Sequence[Piece], engines: Mapping[str, Engine]
) -> Document:
    """The document that `pieces` of `text` make."""
    reader = PieceReader(text, engines)
    blocks = BlockReader(reader)
    finds: list[PieceFinds] = []
    block_finds: dict[int, BlockFinds] = {}
    output: set[tuple[str, int]] = set()
    for index, piece in enumerate(pieces):
        if piece.kind is Kind.CODE:
            block = block_finds[index] = blocks.read(piece, index)
            output |= echoes(block.output)
            finds.append(_of_block(block))
        else:
            finds.append(reader.read(piece, index))
    reader.resolve_uses()
    prose, prose_index = _prose(pieces)
    inheritance = Inheritance(pieces, finds)
    drafts: list[list[Draft]] = []
    for found in finds:
        kept: list[Draft] = []
        for draft in found.drafts:
            if not _echo(draft, output, pieces[draft.piece]):
                inheritance.complete(draft)
                kept.append(draft)
        drafts.append(kept)
    for index, found in enumerate(finds):
        for entry in found.bare:
            drafts[index].extend(inheritance.bare(index, entry))
    for index, entry in inheritance.cells(reader.locations.numbers):
        drafts[index].extend(inheritance.cell_drafts(index, entry))
    loose = _attach(pieces, drafts, block_finds, reader)
    page = _revise(pieces, drafts, engines, reader)
    citations: list[Citation] = []
    for index, group in enumerate(drafts):
        for draft in group:
            quote = draft.quote
            if quote is not None:
                draft.quote = _beside(
                    quote, index if pieces[index].kind is Kind.CODE else index + 1, pieces, prose_index
                )
            citations.append(draft.finished(_near_prose(index, prose_index, pieces), text))
    citations.sort(key=lambda c: (c.span.start, c.span.end))
    quotes = [_beside(quote, index, pieces, prose_index) for index, quote in loose]
    ignored, faults = read_ignores(text, pieces, format_name)
    return Document(
        name=name,
        format=format_name,
        text=text,
        prose=tuple(prose),
        citations=tuple(citations),
        unread=tuple(faults),
        ignored=tuple(ignored),
        revisions=tuple(page),
        quotes_by_content=tuple(quotes),
    )


def _of_block(block: BlockFinds) -> PieceFinds:
    """What a code block cites, and the files that what follows it may lean on."""
    if block.text_finds is not None:
        return replace(block.text_finds, drafts=block.text_finds.drafts + block.drafts)
    if not block.drafts:
        return NOTHING
    named = [Mentioned(0, d.path, d.engine, d.rev, d.whole) for d in block.drafts if d.path and d.form != "note"]
    return PieceFinds(block.drafts, named[:20])


def _prose(pieces: Sequence[Piece]) -> tuple[list[Prose], dict[int, int]]:
    prose: list[Prose] = []
    where: dict[int, int] = {}
    section = ""
    for index, piece in enumerate(pieces):
        if piece.kind not in _PROSE:
            continue
        if piece.kind is Kind.HEADING:
            section = piece.text
        where[index] = len(prose)
        heading = piece.kind is Kind.HEADING
        place = (piece.table, piece.row, piece.column) if piece.kind is Kind.CELL else (-1, -1, -1)
        prose.append(Prose(piece.text, piece.offsets, piece.span, section, heading, piece.marks, *place))
    return prose, where


def _echo(draft: Draft, output: set[tuple[str, int]], piece: Piece) -> bool:
    """Whether a sentence speaks of a program's output on the page, and repeats a place of it."""
    if not output or draft.first is None or draft.url is not None or piece.kind is Kind.CODE:
        return False
    written = draft.written_path or draft.path or ""
    if (written, draft.first) not in output and (draft.path or "", draft.first) not in output:
        return False
    start, end = sentence(piece.text, draft.start)
    return speaks_of_output(piece.text[start : draft.start]) or speaks_of_output(piece.text[draft.end : end])


def _near_prose(index: int, prose_index: Mapping[int, int], pieces: Sequence[Piece]) -> int | None:
    if index in prose_index:
        return prose_index[index]
    for near in (index - 1, index + 1, index - 2):
        if 0 <= near < len(pieces) and near in prose_index:
            return prose_index[near]
    return None


def _beside(quote: Quote, index: int, pieces: Sequence[Piece], prose_index: Mapping[int, int]) -> Quote:
    """The quote with the paragraphs before and after its block."""
    before = after = None
    for near in range(index - 1, max(-1, index - 6), -1):
        if near in prose_index and pieces[near].kind is not Kind.HEADER:
            before = prose_index[near]
            break
    for near in range(index + 1, min(len(pieces), index + 6)):
        if near in prose_index and pieces[near].kind is not Kind.HEADER:
            after = prose_index[near]
            break
    return replace(quote, before=before, after=after)


# Quotes and their locations ------------------------------------------------------------------------------------


def _attach(
    pieces: Sequence[Piece], drafts: list[list[Draft]], blocks: Mapping[int, BlockFinds], reader: PieceReader
) -> list[tuple[int, Quote]]:
    """Gives blocks without a location of their own the one that stands above or below; returns the others."""
    loose: list[tuple[int, Quote]] = []
    for index, block in blocks.items():
        parts = list(block.loose)
        if parts and parts[0].span.start <= pieces[index].span.end:
            first = parts[0]
            how = "header"
            header = _above(index, pieces, drafts, reader, only_headers=True)
            if header is None:
                how, header = "sentence", _above(index, pieces, drafts, reader)
            if header is None:
                how, header = "title", _title(index, pieces, drafts, reader)
            if header is None and len(parts) == 1:
                how, header = "below", _below(index, pieces, drafts, reader)
            if header is None and len(parts) == 1:
                how, header = "sentence", _looks_back(index, pieces, drafts)
            if header is not None and not any(d.quote for d in block.drafts):
                attach(header, first, how)
                parts.pop(0)
        elif not parts and block.language not in ("console", "shell") and block.text_finds is None:
            # A block of data (YAML, a Dockerfile) is a quote only where a header says of what.
            located = any(d.quote for d in block.drafts)
            header = None if located else _above(index, pieces, drafts, reader, only_headers=True)
            how = "header"
            if header is None and not located and block.language in ("diff", "patch"):
                how, header = "sentence", _above(index, pieces, drafts, reader)
            quote = _whole(pieces[index], block.language) if header else None
            if header is not None and quote is not None:
                attach(header, quote, how)
        elif block.text_finds is not None and not block.text_finds.drafts:
            header = _above(index, pieces, drafts, reader, only_headers=True)
            quote = _whole(pieces[index], "") if header else None
            if header is not None and quote is not None:
                attach(header, quote, "header")
        loose.extend((index, part) for part in parts)
    return loose


def _whole(piece: Piece, language: str) -> Quote | None:
    from .quotes import _lines, _quote

    lines, starts = _lines(piece.text)
    return _quote(piece, lines, starts, 0, len(lines), language, verbatim=True)


def _above(
    index: int,
    pieces: Sequence[Piece],
    drafts: list[list[Draft]],
    reader: PieceReader,
    *,
    only_headers: bool = False,
) -> list[Draft] | None:
    """The citations that stand above a block as its header, or that the sentence before it ends in."""
    if index == 0:
        return None
    above = pieces[index - 1]
    found = [d for d in drafts[index - 1] if d.quote is None and d.form not in ("note", "comment")]
    if above.kind is Kind.HEADER:
        if found:
            if found[0].engine is None:
                found[0].engine = _only_engine(above.text, reader)
            return found
        return _header_path(index - 1, above, drafts, reader)
    if above.kind is Kind.COMMENT:
        made = [d for d in drafts[index - 1] if d.quote is None and d.lines is not None]
        return made if made and _is_header_line(above, made, reader) else None
    if above.kind not in (Kind.TEXT, Kind.CAPTION, Kind.HEADING) or not found:
        return None
    found = [d for d in found if d.first is not None or d.form == "symbol"]
    if not found:
        return None
    if _is_header_line(above, found, reader):
        return found
    if above.kind is Kind.TEXT and not only_headers:
        start, _ = sentence(above.text, max(len(above.text) - 2, 0))
        if above.text.rstrip().endswith((":", "：")) or _INTRODUCES.search(above.text, start):
            last = [d for d in found if d.start >= start and d.lines is not None]
            if len(last) == 1 and not last[0].approximate:
                return last
    return None


def _title(index: int, pieces: Sequence[Piece], drafts: list[list[Draft]], reader: PieceReader) -> list[Draft] | None:
    """The one citation of a paragraph or heading above a block that is a name and a place."""
    if index == 0 or pieces[index - 1].kind not in (Kind.TEXT, Kind.HEADING):
        return None
    found = [d for d in drafts[index - 1] if d.quote is None and d.first is not None]
    return found if _names_what_follows(pieces[index - 1], pieces[index], found, reader.text) else None


def _names_what_follows(above: Piece, block: Piece, found: Sequence[Draft], text: str) -> bool:
    """Whether a paragraph is a name and a place, without a full stop: `The usage, path.py:196-203`.

    The last item of a list above the block is no such paragraph, unless the block belongs to the item.
    """
    if len(found) != 1 or found[0].lines is None or found[0].approximate or found[0].form == "bare":
        return False
    place = found[0]
    before, after = above.text[: place.start], above.text[place.end :]
    if after.strip(" `)）*_") or len(before) > 80 or _SENTENCE.search(before):
        return False
    begin = text.rfind("\n", 0, above.span.start) + 1
    opening = text[begin : above.span.start + 8]
    if re.search(
        r"<li\b[^<>]{0,200}>\s*(?:<\w[^<>]{0,200}>\s*)*\Z", text[max(0, above.span.start - 300) : above.span.start]
    ):
        return False
    item = re.match(r"\s*(?:[-*+•]|\d{1,3}[.)])\s", opening)
    if item is None:
        return True
    row = text.rfind("\n", 0, block.span.start) + 1
    line = text[row : row + 40]
    return len(line) - len(line.lstrip(" ")) > len(opening) - len(opening.lstrip(" "))


def _below(index: int, pieces: Sequence[Piece], drafts: list[list[Draft]], reader: PieceReader) -> list[Draft] | None:
    if index + 1 >= len(pieces) or pieces[index + 1].kind not in (Kind.TEXT, Kind.CAPTION, Kind.HEADER):
        return None
    below = pieces[index + 1]
    if index + 2 < len(pieces) and pieces[index + 2].kind is Kind.CODE and below.kind is not Kind.CAPTION:
        return None
    found = [d for d in drafts[index + 1] if d.quote is None and d.lines is not None and d.form != "bare"]
    if found and len({d.path for d in found}) == 1 and _is_header_line(below, found, reader):
        return found
    return None


def _looks_back(index: int, pieces: Sequence[Piece], drafts: list[list[Draft]]) -> list[Draft] | None:
    """The one citation of a sentence below a block that speaks of "the code above"."""
    if index + 1 >= len(pieces) or pieces[index + 1].kind is not Kind.TEXT:
        return None
    below = pieces[index + 1]
    _, end = sentence(below.text, 0)
    if not _SPEAKS_OF_ABOVE.search(below.text, 0, end):
        return None
    found = [d for d in drafts[index + 1] if d.lines is not None and d.start < end]
    return found if len(found) == 1 and found[0].quote is None and not found[0].approximate else None


def _header_path(index: int, above: Piece, drafts: list[list[Draft]], reader: PieceReader) -> list[Draft] | None:
    """A header of a block that names a file without lines."""
    source = next((m for m in above.marks if m.kind == "src"), None)
    text = above.text[source.start : source.end] if source else above.text
    shift = source.start if source else 0
    mention = next(iter(reader.paths.find(text)), None)
    if mention is None or text[: mention.start].strip(" ·—-:`") or len(text[mention.end :].strip()) > 40:
        return None
    start, end = shift + mention.start, shift + mention.end
    draft = Draft(
        above.located(start, end),
        index,
        start,
        end,
        mention.path,
        "block",
        whole=mention.whole,
        engine=mention.engine or _only_engine(above.text, reader),
        rev=mention.rev,
        path_span=above.located(shift + mention.path_start, shift + mention.path_end),
        rev_span=above.located(shift + mention.behind[0], shift + mention.behind[1]) if mention.behind else None,
    )
    if mention.path != mention.written:
        draft.written_path = mention.written
    drafts[index].append(draft)
    return [draft]


def _is_header_line(piece: Piece, found: Sequence[Draft], reader: PieceReader) -> bool:
    """Whether a paragraph is nothing but a location with a lead word or a symbol."""
    if len(piece.text) > 400:
        return False
    rest = piece.text
    for draft in sorted(found, key=lambda d: -d.start):
        rest = rest[: draft.start] + " " + rest[draft.end :] if draft.end > draft.start else rest
    rest = reader.paths.word.sub(" ", _HEADER_WORDS.sub(" ", rest))
    words = re.findall(r"[^\W_]+(?:[._]\w+)*", rest)
    plain = [w for w in words if "." not in w and "_" not in w and not w.isdigit() and w[1:].lower() == w[1:]]
    return len(plain) == 0 and len(words) <= 4


def _only_engine(text: str, reader: PieceReader) -> str | None:
    named = {reader.paths.by_name[m.group().lower()] for m in reader.paths.word.finditer(text)}
    return next(iter(named)) if len(named) == 1 else None


# Engines and revisions -----------------------------------------------------------------------------------------


def _revise(
    pieces: Sequence[Piece], drafts: list[list[Draft]], engines: Mapping[str, Engine], reader: PieceReader
) -> list[tuple[str, str]]:
    """Fills in the engine that a sentence or heading names, and the revision that the section or page states."""
    revisions = RevisionReader(engines, reader.paths)
    tied = TiedVersions(reader.paths)
    rows = RowRevisions(pieces, [bool(group) for group in drafts], reader.paths)
    several = {piece.table for piece, group in zip(pieces, drafts, strict=True) if group and rows.differ(piece.table)}
    sections_alone = _headings_of_sections(pieces, drafts, revisions)
    own_words = [
        piece
        for index, piece in enumerate(pieces)
        if not (piece.kind is Kind.CELL and piece.table in several)
        and not (piece.kind is Kind.TEXT and tied.is_history(piece.text))
        and index not in sections_alone
    ]
    page = revisions.page(own_words, {draft.engine for group in drafts for draft in group if draft.engine})
    stated = dict(page)
    sections: list[tuple[int, int, dict[str, str], str | None]] = []  # (piece, level, revisions, engine)
    headings: list[int] = []
    scope: list[tuple[int, dict[str, str], str | None]] = []
    for index, piece in enumerate(pieces):
        if piece.kind is not Kind.HEADING:
            continue
        while scope and scope[-1][0] >= piece.level:
            scope.pop()
        own = dict(revisions.heading(piece)) if len(sections) else {}
        outer = scope[-1] if scope else (0, {}, None)
        merged = {**outer[1], **own}
        engine = _only_engine(piece.text, reader) or outer[2]
        scope.append((piece.level, merged, engine))
        sections.append((index, piece.level, merged, engine))
        headings.append(index)
    for index, group in enumerate(drafts):
        if not group:
            continue
        at = bisect_right(headings, index) - 1
        section = sections[at] if at >= 0 else None
        named: _NamedEngines | None = None
        piece_says = (
            pieces[index].text if pieces[index].kind is not Kind.CODE and has_version(pieces[index].text) else None
        )
        for draft in group:
            if draft.engine is None and draft.repository is None:
                named = named or _NamedEngines(pieces[index], reader)
                draft.engine = named.beside(draft) or (section[3] if section else None)
            if draft.rev is None and draft.branch is None and draft.engine is not None:
                if piece_says is not None and (version := tied.of(piece_says, draft.start, draft.end)) is not None:
                    draft.rev, draft.rev_span = version[0], pieces[index].located(*version[1])
                    continue
                if (row := rows.of(pieces[index], draft.engine)) is not None:
                    if pieces[index].table in several:
                        draft.rev, draft.rev_span = row
                    else:
                        draft.inherited_rev = row[0]
                    continue
                draft.inherited_rev = (section[2].get(draft.engine) if section else None) or stated.get(draft.engine)
    return page


def _headings_of_sections(
    pieces: Sequence[Piece], drafts: Sequence[Sequence[Draft]], revisions: RevisionReader
) -> set[int]:
    """The headings whose revision is that of their sections alone: they differ, or stand below cited places."""
    said = [
        (index, pair)
        for index, piece in enumerate(pieces)
        if piece.kind is Kind.HEADING and has_version(piece.text)
        for pair in revisions.heading(piece)
    ]
    first = next((index for index, piece in enumerate(pieces) if piece.kind is Kind.HEADING), -1)
    cited = next((index for index, group in enumerate(drafts) if group), len(pieces))
    below = [(index, pair) for index, pair in said if index != first]
    engines = {engine for _, (engine, _) in below}
    differ = {engine for engine in engines if len({rev for _, (name, rev) in below if name == engine}) > 1}
    return {index for index, (engine, _) in below if engine in differ or index > cited}


class _NamedEngines:
    """The engines that the sentences of a piece name; a long line may hold thousands of citations."""

    def __init__(self, piece: Piece, reader: PieceReader) -> None:
        self.length = len(piece.text)
        self.words: list[tuple[int, str]] = []
        self.ends: list[int] = []
        if piece.kind is not Kind.CODE:
            self.words = [
                (m.start(), reader.paths.by_name[m.group().lower()]) for m in reader.paths.word.finditer(piece.text)
            ]
        if self.words:
            self.ends = sentence_ends(piece.text)

    def beside(self, draft: Draft) -> str | None:
        """The one engine that the citation's sentence names; its own path is no evidence of the sentence."""
        if not self.words:
            return None
        position = min(draft.start, max(self.length - 1, 0))
        at = bisect_right(self.ends, position)
        start = max(self.ends[at - 1] if at else 0, position - 2000)
        end = min(self.ends[at] if at < len(self.ends) else self.length, position + 2000)
        first, last = bisect_left(self.words, (start, "")), bisect_left(self.words, (end, ""))
        named = {name for place, name in self.words[first:last] if not draft.start <= place < draft.end}
        return next(iter(named)) if len(named) == 1 else None
