"""The trees of one run: each pin's, and those of revisions that pages and citations name themselves.

What a citation or its page names is read for it, whatever the run's pins are; those are for what names none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ..config.engines import Engine, version_named
from ..errors import SourceError
from ..locate.reader import TreeReader
from ..model.tree import SourceRead, Tree

if TYPE_CHECKING:
    from ..model.document import Document


class NoRevision(SourceError):
    """Neither the page nor the run says which revision of an engine is meant."""

    def __init__(self, engine: str | None) -> None:
        named = engine or "the engine"
        super().__init__(
            f"neither the page nor the run names a revision of {named}: say it at the top of the page "
            f'("{named} at commit …"), or give --pin {engine or "ENGINE"}=REV'
        )


@dataclass(frozen=True, slots=True)
class PinChoice:
    """What the run reads for an engine: `rev` is a full commit or `release:VERSION`.

    `explicit` overrides what a page's head says. `named` is the option of the command line that it comes from, if one:
    a page that says otherwise is told of, and is judged at it where its own revision cannot be had. `written` says that
    a page names it: a version or its tag may be read as that release.
    """

    engine: Engine
    rev: str
    nearest_release: str | None = None
    explicit: bool = False
    named: str = ""
    written: bool = False


Opener = Callable[[Sequence[PinChoice]], Mapping[str, Tree]]
"""Opens the trees of pins of different engines, by engine; raises SourceError."""


class Trees:
    """Opens each tree once; says which source a verdict rests on by its index in `sources`."""

    def __init__(
        self, pins: Mapping[str, PinChoice], opener: Opener, engines: Mapping[str, Engine] | None = None
    ) -> None:
        self._pins = pins
        self._engines = {**(engines or {}), **{name: choice.engine for name, choice in pins.items()}}
        self._opener = opener
        self._main: dict[str, TreeReader] = {}
        self._other: dict[tuple[str, str], TreeReader | SourceError] = {}
        self._order: list[TreeReader] = []
        self._stood_in_for: frozenset[tuple[str, str]] = frozenset()
        """(engine, revision) that a page names and that cannot be had: the run's pin is read instead."""
        self._unreadable: dict[str, SourceError] = {}
        self.notes: tuple[str, ...] = ()
        """Sentences on what a page says of its revision, where that is not what the run was told."""

    @property
    def asked(self) -> tuple[str, ...]:
        """The engines that the run has a pin for."""
        return tuple(self._pins)

    @property
    def pins(self) -> Mapping[str, PinChoice]:
        """What the run reads, by engine."""
        return self._pins

    @property
    def engines(self) -> tuple[str, ...]:
        return tuple(self._main)

    @property
    def readers(self) -> Mapping[str, TreeReader]:
        """The readers of the pins, by engine."""
        return self._main

    @property
    def opened(self) -> tuple[TreeReader, ...]:
        """The readers in the order of `sources`."""
        return tuple(self._order)

    @property
    def sources(self) -> tuple[SourceRead, ...]:
        return tuple(reader.tree.source for reader in self._order)

    def engine(self, name: str) -> Engine:
        return self._engines[name]

    def open_pins(self) -> None:
        """Opens the tree of every pin, all at once. Raises SourceError naming every pin that cannot be read."""
        opened = self._opener([self._pins[name] for name in sorted(self._pins)]) if self._pins else {}
        for name in sorted(opened):
            self._add(name, opened[name])

    def _add(self, name: str, tree: Tree) -> TreeReader:
        reader = TreeReader(tree)
        self._main[name] = reader
        self._order.append(reader)
        return reader

    def index(self, reader: TreeReader) -> int:
        return self._order.index(reader)

    def tree(self, source: int) -> Tree:
        """The tree that `sources[source]` describes."""
        return self._order[source].tree

    def is_explicit(self, engine: str) -> bool:
        """Whether the user named the engine's revision on the command line."""
        choice = self._pins.get(engine)
        return choice is not None and choice.explicit

    def is_pin(self, engine: str, rev: str) -> bool:
        """Whether a revision as a page writes it (perhaps abbreviated) is the run's pin of the engine."""
        choice = self._pins.get(engine)
        if choice is None:
            return False
        if (engine, rev) in self._stood_in_for:
            return True
        version = version_named(choice.engine, rev)
        if version is not None and version == version_named(choice.engine, choice.rev):
            return True
        return rev == choice.rev or (len(rev) >= 7 and choice.rev.startswith(rev.lower()))

    def at(self, engine: str, rev: str | None) -> TreeReader:
        """The tree of a revision (the pin's where None). Raises SourceError, the same one each time."""
        main = self._main.get(engine)
        if main is not None and (rev is None or self.is_pin(engine, rev)):
            return main
        if rev is None:
            raise self._unreadable.get(engine) or NoRevision(engine)
        if engine not in self._engines:
            raise SourceError(f"no engine {engine} is known")
        known = self._other.get((engine, rev))
        if known is None:
            try:
                tree = self._opener([PinChoice(self._engines[engine], rev, written=True)])[engine]
                known = self._same(tree) or TreeReader(tree)
                if known.tree is tree:
                    self._order.append(known)
            except SourceError as error:
                known = error
            self._other[engine, rev] = known
        if isinstance(known, SourceError):
            raise known
        return known

    def _same(self, tree: Tree) -> TreeReader | None:
        """The reader of what was opened under another name (a tag of the pin's commit)."""
        read, exact = tree.source.read, tree.source.exact
        for reader in self._order:
            source = reader.tree.source
            if (source.engine, source.read, source.exact) == (tree.source.engine, read, exact):
                _close(tree)
                return reader
        return None

    def for_page(self, document: Document) -> Trees:
        """The trees as they are for one page: what it declares of an engine takes the place of the run's pin.

        An engine whose declared revision cannot be had has no tree there, but for a pin that the user wrote out.
        """
        declared: dict[str, str] = {}
        notes = []
        for engine, rev in document.revisions:
            choice = self._pins.get(engine)
            if choice is not None and choice.explicit:
                if choice.named and not self.is_pin(engine, rev):
                    notes.append(f"{document.name} is for {engine} {rev}: judged at {choice.rev} ({choice.named})")
            elif engine in self._engines:
                declared.setdefault(engine, rev)
        if not notes and all(self.is_pin(engine, rev) and engine in self._main for engine, rev in declared.items()):
            return self
        view = Trees.__new__(Trees)
        view.__dict__.update(self.__dict__)
        view._pins, view._main, view._unreadable = dict(self._pins), dict(self._main), {}
        for engine, rev in declared.items():
            choice = self._pins.get(engine)
            main = self._main.get(engine)
            try:
                reader = self.at(engine, rev)
            except SourceError as error:
                reason = str(error).splitlines()[0].removeprefix(f"{engine}: ")
                said = f"{document.name} is for {engine} {rev}, which cannot be read ({reason}): "
                if choice is not None and choice.named and main is not None:
                    view._stood_in_for = view._stood_in_for | {(engine, rev)}
                    notes.append(f"{said}it is judged at {choice.rev} ({choice.named})")
                    continue
                view._pins[engine] = PinChoice(self._engines[engine], rev, written=True)
                view._unreadable[engine] = error
                view._main.pop(engine, None)
                if document.quotes_by_content:
                    # Its citations say so themselves.
                    notes.append(f"{said}its blocks without a location are not looked for in {engine}")
                continue
            if reader is main:
                continue
            view._pins[engine] = PinChoice(self._engines[engine], rev, written=True)
            view._main[engine] = reader
            if choice is not None and choice.named:
                notes.append(
                    f"{document.name} is for {engine} {rev} and is judged at that; {choice.rev} ({choice.named}) "
                    "is for pages that name no revision"
                )
        view.notes = tuple(notes)
        return view

    @property
    def unreadable(self) -> Mapping[str, SourceError]:
        """The engines whose revision on this page cannot be had, each with its reason."""
        return self._unreadable

    def close(self) -> None:
        """Lets go of the processes behind the trees."""
        for reader in self._order:
            _close(reader.tree)


def _close(tree: Tree) -> None:
    close = getattr(tree, "close", None)
    if close is not None:
        close()
