"""The revision that a table gives to a row or a column: `| vLLM 0.6.3 | place |`, or a version above the places.

A version in a row says what the lines beside it are of, where its cell names the engine too, or stands under "version",
"commit" and the like. Under "added in" or "since" it says nothing about lines.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from ..model.document import Span
from .paths import PathReader
from .pieces import Kind, Piece

_HEAD = re.compile(r"\b(?:version|release|revision|commit|tag|rev|sha|ref|engine)s?\b|版本|提交|发布", re.IGNORECASE)
_NO_HEAD = re.compile(
    r"\b(?:since|added|introduced|removed|deprecated|fixed|until|first|last|new|min|minimum|requires?)\b|起|新增|移除",
    re.IGNORECASE,
)
_WRITTEN = re.compile(
    r"(?:(?:the\s)?(?:release|version|tag|commit)\s|release:|@\s?)?(?P<rev>v?\d{1,4}(?:\.\d{1,4}){2,3}(?:[.-]?(?:rc|post|dev)\d{1,4})?|"
    r"v\d{1,4}\.\d{1,4}|[0-9a-f]{40})",
    re.IGNORECASE,
)


_AROUND = " `:：@()"


@dataclass(frozen=True, slots=True)
class _Said:
    """What a cell says: a revision, of the engine if it names one, and where the revision is written."""

    engine: str | None
    rev: str
    span: Span


class RowRevisions:
    """The revisions that the cells of a page's tables give to what stands beside and below them."""

    def __init__(self, pieces: Sequence[Piece], cited: Sequence[bool], paths: PathReader) -> None:
        self._paths = paths
        self._heads: dict[tuple[int, int], Piece] = {}
        self._rows: dict[tuple[int, int], list[tuple[int, _Said]]] = {}
        for piece, has_place in zip(pieces, cited, strict=True):
            if piece.kind is not Kind.CELL:
                continue
            if piece.row <= 0:
                self._heads.setdefault((piece.table, piece.column), piece)
            if has_place or len(piece.text) > 80:
                continue
            said = self._read(piece)
            if said is not None:
                self._rows.setdefault((piece.table, piece.row), []).append((piece.column, said))

    def of(self, piece: Piece, engine: str) -> tuple[str, Span] | None:
        """The revision of an engine that the cell's row says, or else what stands above the cell, and where."""
        if piece.kind is not Kind.CELL:
            return None
        said = [
            one
            for column, one in self._rows.get((piece.table, piece.row), ())
            if one.engine == engine or (one.engine is None and self._is_version(piece.table, column))
        ]
        if len({one.rev for one in said}) == 1:
            return said[0].rev, said[0].span
        head = self._heads.get((piece.table, piece.column))
        above = self._read(head) if head is not None and piece.row > 0 and not said else None
        return (above.rev, above.span) if above is not None and above.engine in (engine, None) else None

    def differ(self, table: int) -> bool:
        """Whether a table gives several revisions: none of them is the page's own."""
        return len({one.rev for (number, _), row in self._rows.items() if number == table for _, one in row}) > 1

    def _is_version(self, table: int, column: int) -> bool:
        head = self._heads.get((table, column))
        return head is not None and _HEAD.search(head.text) is not None and _NO_HEAD.search(head.text) is None

    def _read(self, piece: Piece) -> _Said | None:
        """The engine, if it is named, and the revision of a cell that says nothing else."""
        named = self._paths.word.search(piece.text)
        rest = (
            piece.text[: named.start()] + " " * len(named.group()) + piece.text[named.end() :] if named else piece.text
        )
        written = _WRITTEN.fullmatch(rest.strip(_AROUND))
        if written is None:
            return None
        at = len(rest) - len(rest.lstrip(_AROUND))
        span = piece.located(at + written.start("rev"), at + written.end("rev"))
        return _Said(self._paths.by_name.get(named.group().lower()) if named else None, written.group("rev"), span)
