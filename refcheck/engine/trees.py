"""The trees of one run: each pin's, and those of revisions that citations name themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from ..config.engines import Engine
from ..errors import SourceError
from ..locate.reader import TreeReader
from ..model.tree import SourceRead, Tree


@dataclass(frozen=True, slots=True)
class PinChoice:
    """What the run reads for an engine: `rev` is a full commit or `release:VERSION`.

    `explicit` says that the user named it on the command line, which overrides what a page's head says.
    """

    engine: Engine
    rev: str
    nearest_release: str | None = None
    explicit: bool = False


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
        release = choice.rev.removeprefix("release:")
        tag = choice.engine.tag.format(version=release)
        return rev in (choice.rev, release, tag) or (len(rev) >= 7 and choice.rev.startswith(rev.lower()))

    def at(self, engine: str, rev: str | None) -> TreeReader:
        """The tree of a revision (the pin's where None). Raises SourceError, the same one each time."""
        main = self._main.get(engine)
        if rev is None or self.is_pin(engine, rev):
            if main is None:
                raise SourceError(f"no pin of {engine} in this run")
            return main
        if engine not in self._engines:
            raise SourceError(f"no engine {engine} is known")
        known = self._other.get((engine, rev))
        if known is None:
            try:
                known = TreeReader(self._opener([PinChoice(self._engines[engine], rev)])[engine])
                self._order.append(known)
            except SourceError as error:
                known = error
            self._other[engine, rev] = known
        if isinstance(known, SourceError):
            raise known
        return known

    def close(self) -> None:
        """Lets go of the processes behind the trees."""
        for reader in self._order:
            close = getattr(reader.tree, "close", None)
            if close is not None:
                close()
