"""The tree and the file that a citation of a document means, or why there is none."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TypeAlias

from ..config.edition import Anchor
from ..documents.inherit import sentence
from ..errors import SourceError
from ..locate.reader import TreeReader
from ..model import codes
from ..model.document import Citation, Document
from ..model.place import Place
from ..model.verdict import Gone, Undecided, Verdict
from .paths import Ambiguous, PathIndex, Resolved, Unknown, defining, resolve_path
from .tied_words import position_in
from .trees import NoRevision, Trees

Resolution: TypeAlias = tuple[TreeReader, Resolved] | Ambiguous | Unknown | SourceError
"""The tree and the file that a citation means, or why there is none."""


class MeantFiles:
    """What the paths of one document's citations mean in its trees, at the revisions that they are of."""

    def __init__(self, document: Document, trees: Trees, anchors: Sequence[Anchor]) -> None:
        self._document = document
        self._trees = trees
        self._anchors = anchors
        self._indexes: dict[int, PathIndex] = {}

    def of(self, citation: Citation) -> Resolution:
        """The tree and the file that a citation means."""
        if citation.path is None or (citation.engine is None and citation.repository is not None):
            return Unknown(citation.engine)
        beside = self._engine_named_beside(citation)
        if beside is not None and citation.written_path and citation.inherited_from and beside != citation.engine:
            # The page named such a file of one engine, and this sentence speaks of another's.
            citation = replace(citation, path=citation.written_path, engine=beside)
        named = citation.engine or beside
        resolved = self._resolve_among(citation, [named] if named else list(self._trees.engines), named)
        guessed = named is not None and citation.url is None and citation.rev is None
        if guessed and isinstance(resolved, Unknown) and not self._is_rooted(citation.path or "", named):
            # The page speaks of one engine there, and the file is another's.
            others = [engine for engine in self._trees.engines if engine != named]
            elsewhere = self._resolve_among(citation, others, None)
            if isinstance(elsewhere, tuple):
                return elsewhere
        return resolved

    def _resolve_among(self, citation: Citation, engines: Sequence[str], named: str | None) -> Resolution:
        assert citation.path is not None
        readers: dict[str, TreeReader] = {}
        if named is None and not engines:
            return next(iter(self._trees.unreadable.values()), None) or NoRevision(None)
        for engine in engines:
            try:
                readers[engine] = self._trees.at(engine, self.revision(citation, engine))
            except SourceError as error:
                if named:
                    return error
        indexes = {engine: self._index(reader) for engine, reader in readers.items()}
        roots = {engine: self._trees.engine(engine).source_roots for engine in readers}
        resolved = resolve_path(citation.path, named, indexes, roots, self._mentioned)
        if isinstance(resolved, Ambiguous) and citation.symbol is not None:
            resolved = defining(citation.symbol, resolved, readers)
        if isinstance(resolved, Resolved):
            return readers[resolved.engine], resolved
        return resolved

    def _is_rooted(self, path: str, engine: str | None) -> bool:
        return engine is not None and path.startswith(tuple(self._trees.engine(engine).source_roots) or ("\0",))

    def _engine_named_beside(self, citation: Citation) -> str | None:
        """The one engine that an abbreviated path's own sentence names, before the path."""
        if citation.prose is None or citation.path is None:
            return None
        prose = self._document.prose[citation.prose]
        at = position_in(prose, citation.span.start)
        start, _ = sentence(prose.text, at)
        before = prose.text[start:at].lower()
        named = {
            engine: max(before.rfind(word.lower()) for word in (engine, *self._trees.engine(engine).names))
            for engine in self._trees.engines
        }
        present = [engine for engine, place in named.items() if place >= 0]
        return present[0] if len(present) == 1 else None

    def revision(self, citation: Citation, engine: str) -> str | None:
        """The revision to read: the citation's own, else the page's, else the run's."""
        if citation.rev and not citation.unpinned:
            return citation.rev
        if citation.inherited_rev and not self._trees.is_explicit(engine):
            return citation.inherited_rev
        return None

    def _index(self, reader: TreeReader) -> PathIndex:
        key = id(reader)
        if key not in self._indexes:
            self._indexes[key] = PathIndex(reader)
        return self._indexes[key]

    @cached_property
    def _mentioned(self) -> frozenset[tuple[str, str]]:
        """(engine, path) of every anchor and of every citation with a path that stands in a pin's tree."""
        mentions = {(a.engine, a.place.path) for a in self._anchors}
        for citation in self._document.citations:
            for engine, reader in self._trees.readers.items():
                if citation.path and "/" in citation.path and reader.tree.has(citation.path):
                    mentions.add((engine, citation.path))
        return frozenset(mentions)

    def unresolved(self, citation: Citation, resolved: Ambiguous | Unknown | SourceError) -> Verdict:
        """The verdict on a location whose file cannot be told, is not there, or cannot be read."""
        match resolved:
            case NoRevision():
                return Undecided(str(resolved), codes.REVISION_UNKNOWN)
            case SourceError():
                rev = citation.rev or citation.inherited_rev or ""
                reason = str(resolved).splitlines()[0]
                if any("offline" in attempt for attempt in resolved.attempts):
                    reason += " (no host was asked: --offline)"
                return Undecided(f"revision {rev} cannot be read: {reason}", codes.REVISION_UNKNOWN)
            case Ambiguous():
                shown = tuple(Place(path, citation.lines) for _, path in resolved.candidates[:12])
                return Undecided(
                    f"{citation.path} fits {len(resolved.candidates)} files", codes.AMBIGUOUS, candidates=shown
                )
            case Unknown():
                if citation.path is None:
                    return Undecided("no path is known for this location", codes.UNKNOWN_PATH)
                if resolved.engine is not None and resolved.engine in self._trees.asked:
                    tree = self._trees.at(resolved.engine, self.revision(citation, resolved.engine)).tree
                    if not tree.carries(citation.path):
                        return Undecided(f"{tree.source.read} does not carry {citation.path}", codes.NOT_CARRIED)
                    roots = self._trees.engine(resolved.engine).source_roots
                    if citation.path.startswith(tuple(roots)):
                        there = f"{citation.path} does not exist in {resolved.engine} at {tree.source.read}"
                        return Gone(f"{there}{self._near(citation, resolved.engine)}")
                what = f"no file of the engines ends with {citation.path}"
                return Undecided(f"{what}{self._near(citation, resolved.engine)}", codes.UNKNOWN_PATH)

    def _near(self, citation: Citation, engine: str | None) -> str:
        """The file that a path which is none most likely means, as the end of a message."""
        assert citation.path is not None
        near: set[str] = set()
        for name in [engine] if engine else self._trees.engines:
            with contextlib.suppress(SourceError):
                reader = self._trees.at(name, self.revision(citation, name))
                near |= {found for found in [self._index(reader).near(citation.path)] if found}
        return f" (did you mean {near.pop()}?)" if len(near) == 1 else ""
