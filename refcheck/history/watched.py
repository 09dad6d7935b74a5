"""A tree that notes what a check looks at, so that its verdict can stand wherever all of that is the same."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from ..errors import PathNotInTree
from ..locate.match import FileLines
from ..locate.reader import TreeReader
from ..model.place import LineRange
from ..model.source_text import SourceText
from ..model.tree import SourceRead
from .contents import Contents
from .moments import Moment
from .ranges import Answer, Query, Ranges

if TYPE_CHECKING:
    from ..locate.outline import Outline
    from ..locate.scope_by_text import PythonScopes


@dataclass(frozen=True, slots=True)
class FileSeen:
    """A version of a file, or that there is none (and whether that says something)."""

    path: str
    blob: str | None
    carried: bool = True


@dataclass(frozen=True, slots=True)
class PartSeen:
    """The files of a part of the tree that fit a query; `digest` stands for their paths and versions."""

    query: Query
    digest: bytes


@dataclass(frozen=True, slots=True)
class PinSeen:
    """Whether the revision is the one that the edition was written for."""

    is_pin: bool


@dataclass(frozen=True, slots=True)
class ListingSeen:
    """All paths of the tree."""

    files: frozenset[tuple[str, str]]


Fact: TypeAlias = FileSeen | PartSeen | PinSeen | ListingSeen


@dataclass(slots=True)
class Present:
    """The current moment, with what is kept from one to the next."""

    contents: Contents
    ranges: Ranges
    pin: str | None
    moment: Moment | None = None
    lines: OrderedDict[str, FileLines] = field(default_factory=OrderedDict)
    scopes: OrderedDict[str, PythonScopes] = field(default_factory=OrderedDict)
    outlines: dict[str, Outline] = field(default_factory=dict)
    """The outlines of the last KEPT_OUTLINES versions: those of long histories would fill the memory."""

    @property
    def now(self) -> Moment:
        assert self.moment is not None
        return self.moment

    @property
    def is_pin(self) -> bool:
        return self.now.revision.rev == self.pin

    def still(self, fact: Fact) -> bool:
        """Whether the current moment gives the same answer."""
        match fact:
            case FileSeen(path, blob, carried):
                now = self.now
                return now.files.get(path) == blob and (blob is not None or now.carries(path) == carried)
            case PartSeen(query, digest):
                return self.ranges.answer(query).digest == digest
            case PinSeen(is_pin):
                return self.is_pin == is_pin
            case ListingSeen(files):
                return frozenset(self.now.files.items()) == files


KEPT_OUTLINES = 256


class WatchedTree:
    """Implements refcheck.model.tree.Tree for one judgement; `facts` are in the order in which they were asked."""

    def __init__(self, present: Present) -> None:
        self._present = present
        self._moment = present.now
        self._facts: dict[Fact, None] = {}
        self._in_parts: set[str] = set()

    @property
    def facts(self) -> tuple[Fact, ...]:
        return tuple(self._facts)

    def note(self, fact: Fact) -> None:
        self._facts[fact] = None

    def note_part(self, query: Query, answer: Answer) -> None:
        self.note(PartSeen(query, answer.digest))
        self._in_parts.update(answer.files)

    def _seen(self, path: str) -> str | None:
        blob = self._moment.files.get(path)
        if path not in self._in_parts:  # else the answer about the part says it already
            self.note(FileSeen(path, blob, blob is not None or self._moment.carries(path)))
        return blob

    @property
    def source(self) -> SourceRead:
        return self._moment.source

    def paths(self) -> Mapping[str, str]:
        return WatchedPaths(self)

    def blob(self, path: str) -> str | None:
        return self._seen(path)

    def listing(self) -> Mapping[str, str]:
        self.note(ListingSeen(frozenset(self._moment.files.items())))
        return self._moment.files

    def has(self, path: str) -> bool:
        return self._seen(path) is not None

    def carries(self, path: str) -> bool:
        return self._seen(path) is not None or self._moment.carries(path)

    def read(self, path: str) -> SourceText:
        return self._present.contents.text(path, self._blob(path), self._moment.read)

    def read_bytes(self, path: str) -> bytes:
        return self._present.contents.bytes_of(path, self._blob(path), self._moment.read)

    def _blob(self, path: str) -> str:
        blob = self._seen(path)
        if blob is None:
            raise PathNotInTree(path)
        return blob

    def prefetch(self, paths: Iterable[str]) -> None:
        self._moment.prefetch(paths)


class WatchedPaths(Mapping[str, str]):
    """The paths of a watched tree: looking one up is noted as such, going through them as all of them."""

    def __init__(self, tree: WatchedTree) -> None:
        self._tree = tree

    def __getitem__(self, path: str) -> str:
        blob = self._tree.blob(path)
        if blob is None:
            raise KeyError(path)
        return blob

    def __iter__(self) -> Iterator[str]:
        return iter(self._tree.listing())

    def __len__(self) -> int:
        return len(self._tree.listing())


class WatchedReader(TreeReader):
    """A reader over a watched tree; what is made from a blob is kept from moment to moment."""

    def __init__(self, present: Present) -> None:
        self.watched = WatchedTree(present)
        super().__init__(self.watched)
        self._present = present
        self._lines = present.lines
        self._scopes = present.scopes
        self._outlines = present.outlines

    # What is kept is not asked of the tree again: so each question is noted here, before the answer is looked up.

    def data(self, path: str) -> bytes:
        return self.watched.read_bytes(path)

    def text(self, path: str) -> SourceText:
        return self.watched.read(path)

    def lines(self, path: str) -> FileLines:
        self.watched.has(path)
        return super().lines(path)

    def outline(self, path: str) -> Outline:
        self.watched.has(path)
        found = super().outline(path)
        while len(self._outlines) > KEPT_OUTLINES:
            del self._outlines[next(iter(self._outlines))]
        return found

    def symbol_at(self, path: str, lines: LineRange) -> str | None:
        self.watched.has(path)
        return super().symbol_at(path, lines)

    def paths_with(
        self, prefixes: Sequence[str], suffix: str, words: Sequence[bytes], *, every: bool = True
    ) -> list[str]:
        return self.ask(Query(tuple(prefixes), (suffix,), tuple(words), every))

    def ask(self, query: Query) -> list[str]:
        """The paths that fit, in order."""
        answer = self._present.ranges.answer(query)
        self.watched.note_part(query, answer)
        return sorted(answer.files)

    def at_pin(self) -> bool:
        """Whether the moment is the edition's pin, where cited lines may part equal texts."""
        self.watched.note(PinSeen(self._present.is_pin))
        return self._present.is_pin
