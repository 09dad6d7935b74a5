"""What a check may ask: trees, symbols, the words it stands for, and the results of other checks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from ..locate.outline import SymbolKind
from ..locate.reader import TreeReader
from ..model import codes
from ..model.evidence import SourceLines
from ..model.place import LineRange, Place
from ..model.verdict import Gone, Undecided
from .unanswerable import Unanswerable

if TYPE_CHECKING:
    from ..config.edition import Anchor
    from ..locate.outline import Symbol
    from ..model.source_text import SourceText
    from .structure import Statement


@dataclass(frozen=True)
class LocatedSymbol:
    """One definition in a tree, with the file it was found in (which may not be the one that was named)."""

    engine: str
    path: str
    symbol: Symbol
    source: SourceText
    moved: bool = False

    @property
    def place(self) -> Place:
        return Place(self.path, self.symbol.lines, self.symbol.name)

    @cached_property
    def code(self) -> str:
        """The definition's lines as they stand in the file."""
        return self.source.slice(self.symbol.lines.first, self.symbol.lines.last)

    @property
    def statements(self) -> tuple[Statement, ...]:
        """The definition's logical lines, its decorators and header included."""
        from .structure import statements

        return statements(self.source, self.symbol.lines)

    def shown(self, lines: LineRange, note: str = "") -> SourceLines:
        """Lines of the file as evidence."""
        return SourceLines(
            Place(self.path, lines, self.symbol.name), self.source.lines[lines.first - 1 : lines.last], note
        )

    def at(self, lines: LineRange) -> Place:
        return Place(self.path, lines, self.symbol.name)


@dataclass(frozen=True)
class Context:
    """The inputs of one check. `words` is the stated text: the document's where it was found, else the edition's."""

    readers: Mapping[str, TreeReader]
    words: str | None = None
    with_transformers: bool = False
    check_links: bool = False
    defaults: Mapping[str, object] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    """Engines without a tree in this run, with the reason."""
    anchors: Mapping[str, Anchor] = field(default_factory=dict)
    """The edition's cited places, for claims about what a quote shows or hides."""

    def with_words(self, words: str | None) -> Context:
        """The same inputs for another claim's words."""
        return replace(self, words=words)

    def reader(self, engine: str) -> TreeReader:
        """Raises Unanswerable where the engine has no tree in this run."""
        if engine not in self.readers:
            why = self.missing.get(engine, "it is not part of this run")
            raise Unanswerable(Undecided(f"no source of {engine} was read: {why}", codes.UNREACHABLE))
        return self.readers[engine]

    def source(self, engine: str, path: str) -> SourceText:
        """One file. Raises Unanswerable: `gone` if the tree lacks it, `undecided` if the archive does not carry it."""
        reader = self.reader(engine)
        if not reader.tree.has(path):
            if not reader.tree.carries(path):
                raise Unanswerable(Undecided(f"{path} is not carried by {reader.tree.source.read}", codes.NOT_CARRIED))
            raise Unanswerable(Gone(f"{path} does not exist in {engine} at {reader.tree.source.read}"))
        return reader.text(path)

    def symbol(self, engine: str, path: str, name: str) -> LocatedSymbol:
        """The one definition of that name in the file, or, if it left the file, in the file that it went to.

        Raises Unanswerable: `gone` where nothing is so named, `undecided` where several definitions are, and where
        the file cannot be parsed.
        """
        found = self.symbols(engine, path, name)
        if len(found) > 1:
            places = tuple(one.place for one in found)
            raise Unanswerable(Undecided(f"{name} is defined {len(found)} times", codes.AMBIGUOUS, candidates=places))
        return found[0]

    def unread(self, engine: str, path: str, name: str) -> str | None:
        """Why a name that the file's text has may not have been found: the parser could not read all of it."""
        reader = self.reader(engine)
        short = name.rpartition(".")[2].split("[")[0]
        source = reader.text(path)
        if reader.outline(path).complete or not re.search(rf"\b{re.escape(short)}\b", source.text):
            return None
        return f"{_fault_of(source)}; so {name} is not found"

    def defines(self, engine: str, path: str, name: str) -> bool:
        """Whether the file itself has a definition of that name."""
        reader = self.reader(engine)
        return reader.tree.has(path) and bool(reader.outline(path).symbols_named(name))

    def symbols(self, engine: str, path: str, name: str) -> tuple[LocatedSymbol, ...]:
        """Every definition of that name; never empty (raises Unanswerable as `symbol`)."""
        reader = self.reader(engine)
        if reader.tree.has(path):
            source = reader.text(path)
            symbols = reader.outline(path).symbols_named(name)
            if symbols:
                return tuple(LocatedSymbol(engine, path, symbol, source) for symbol in symbols)
            if fault := self.unread(engine, path, name):
                raise Unanswerable(Undecided(fault, codes.UNSUPPORTED))
        elsewhere = self._elsewhere(reader, engine, path, name)
        if elsewhere:
            return elsewhere
        self.source(engine, path)
        raise Unanswerable(Gone(f"{engine} has no {name} at {reader.tree.source.read}: {path} does not define it"))

    def _elsewhere(self, reader: TreeReader, engine: str, path: str, name: str) -> tuple[LocatedSymbol, ...]:
        """The definition in the one file below the same top folder that has it and may be the same thing.

        A name proves little: many files have an `Attention`. The file must hold lines that an anchor recorded in the
        one that is named, or be that one renamed or moved; or the name must be that of a function of its own.
        """
        top = path.split("/", 1)[0] + "/"
        suffix = "." + path.rpartition(".")[2]
        by_path: dict[str, list[LocatedSymbol]] = {}
        for candidate in _definers(reader, top, suffix, name.rpartition(".")[2]):
            symbols = () if candidate == path else reader.outline(candidate).symbols_named(name)
            for symbol in symbols:
                if symbol.name == name:
                    one = LocatedSymbol(engine, candidate, symbol, reader.text(candidate), moved=True)
                    by_path.setdefault(candidate, []).append(one)
        chosen = [there for there in by_path if self._has_quoted(reader, path, there)]
        chosen = chosen or [there for there in by_path if may_be_renamed(path, there)]
        if not chosen and "." not in name and "_" in name.strip("_"):
            chosen = [there for there, found in by_path.items() if found[0].symbol.kind is SymbolKind.FUNCTION]
            chosen = chosen if len(by_path) == 1 else []
        return tuple(by_path[chosen[0]]) if len(chosen) == 1 else ()

    def _has_quoted(self, reader: TreeReader, path: str, there: str) -> bool:
        """Whether another file holds the lines that an anchor recorded in a file."""
        from ..locate.fingerprint import parse_fingerprint
        from ..locate.match import find_pattern

        recorded = [a.fingerprint for a in self.anchors.values() if a.place.path == path and a.form == "block"]
        return any(text and find_pattern(parse_fingerprint(text), reader.lines(there)) for text in recorded)

    def lines(self, engine: str, path: str, lines: LineRange, symbol: str | None = None, note: str = "") -> SourceLines:
        """Lines of a file as evidence."""
        source = self.source(engine, path)
        return SourceLines(Place(path, lines, symbol), source.lines[lines.first - 1 : lines.last], note)


def may_be_renamed(path: str, there: str) -> bool:
    """Whether a path is another one with a single part renamed, or with folders put in or left out."""
    old, new = path.split("/"), there.split("/")
    if len(old) == len(new) and sum(a != b for a, b in zip(old, new, strict=True)) == 1:
        return True
    longer, shorter = (old, new) if len(old) > len(new) else (new, old)
    rest = iter(longer)
    return len(longer) > len(shorter) and all(part in rest for part in shorter)


def _fault_of(source: SourceText) -> str:
    """Which file cannot be parsed, and on which line, where the parser can be trusted with it."""
    from .evaluator.failures import EvaluationError, EvaluatorFailure
    from .evaluator.source import Source, parse

    if source.path.endswith((".py", ".pyi")):
        try:
            parse(Source(source.text, source.path))
        except EvaluationError as error:
            return str(error)
        except EvaluatorFailure:
            from .structure import unclosed_bracket

            if line := unclosed_bracket(source.text):
                return f"{source.path}:{line} cannot be parsed: a bracket that is never closed"
    return f"{source.path} cannot be parsed"


_DEFINERS: WeakKeyDictionary[TreeReader, dict[tuple[str, str, str], tuple[str, ...]]] = WeakKeyDictionary()


def _definers(reader: TreeReader, top: str, suffix: str, name: str) -> tuple[str, ...]:
    """The files below `top` that define a function or class of that name; looked for once in each tree."""
    known = _DEFINERS.setdefault(reader, {})
    key = (top, suffix, name)
    if key not in known:
        pattern = re.compile(rb"^[ \t]*(?:async )?(?:def|class) +" + re.escape(name).encode() + rb"\b", re.MULTILINE)
        needles = (f"def {name}".encode(), f"class {name}".encode())
        candidates = reader.paths_with((top,), suffix, needles, every=False)
        found = [path for path in candidates if pattern.search(reader.data(path))]
        known[key] = tuple(found)
    return known[key]
