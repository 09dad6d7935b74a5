"""An older and a newer state of one file, and what can be observed between them."""

from __future__ import annotations

from collections import Counter
from functools import cached_property

from refcheck.locate.follow import scopes
from refcheck.locate.follow.linemap import UNMAPPED, align, common_prefix, common_suffix
from refcheck.locate.follow.lines import Lines, Numbering, numbering
from refcheck.locate.follow.scopes import Key, Scopes
from refcheck.model.source_text import SourceText

_SIGNIFICANT = 6
"""Letters and digits that a line needs to say anything about where it came from."""


class Pair:
    """Both states, the line map between them, and their definitions; each part is made when it is asked for.

    Indexes count non-blank lines, as in `Lines`.
    """

    __slots__ = ("__dict__", "new", "numbers", "old")

    def __init__(self, old: SourceText, new: SourceText) -> None:
        self.numbers: Numbering = numbering()
        self.old = Lines(old, self.numbers)
        self.new = Lines(new, self.numbers)

    @cached_property
    def mapped(self) -> list[int]:
        """For each old index the new one, or `UNMAPPED`; re-indented lines included."""
        return align(self.old.keys, self.new.keys)

    @cached_property
    def back(self) -> dict[int, int]:
        """`mapped` the other way round."""
        return {target: at for at, target in enumerate(self.mapped) if target != UNMAPPED}

    @cached_property
    def inserted(self) -> list[int]:
        """New indexes that no old line maps to, in order."""
        back = self.back
        return [index for index in range(len(self.new)) if index not in back]

    @cached_property
    def inserted_at(self) -> dict[int, list[int]]:
        """Text -> where it is among those lines."""
        found: dict[int, list[int]] = {}
        for index in self.inserted:
            found.setdefault(self.new.keys[index], []).append(index)
        return found

    @cached_property
    def lost_at(self) -> dict[int, list[int]]:
        """Text -> the old indexes with it that map nowhere."""
        found: dict[int, list[int]] = {}
        for index, target in enumerate(self.mapped):
            if target == UNMAPPED:
                found.setdefault(self.old.keys[index], []).append(index)
        return found

    @cached_property
    def old_scopes(self) -> Scopes:
        return scopes.scopes_of(self.old.source, self.old.bare)

    @cached_property
    def new_scopes(self) -> Scopes:
        return scopes.scopes_of(self.new.source, self.new.bare)

    def old_chain(self, start: int, end: int) -> tuple[int, ...]:
        return scopes.common(self.old_scopes, self.old.rows[start], self.old.rows[end - 1])

    def old_key(self, start: int, end: int) -> Key:
        return self.old_scopes.key(self.old_chain(start, end))

    def new_chain(self, start: int, end: int) -> tuple[int, ...]:
        return scopes.common(self.new_scopes, self.new.rows[start], self.new.rows[end - 1])

    def new_key(self, start: int, end: int) -> Key:
        return self.new_scopes.key(self.new_chain(start, end))

    def neighbours(self, start: int, end: int, place: int) -> tuple[int, int]:
        """How many lines directly above and below are equal, when `old[start:end]` is taken to be at `place`.

        Not capped: of two copies of a long block, each reaches as far as the block does, and only what lies beyond
        it can tell them apart.
        """
        size = end - start
        above = common_suffix(self.old.keys, start, self.new.keys, place, min(start, place))
        below = common_prefix(
            self.old.keys,
            end,
            self.new.keys,
            place + size,
            min(len(self.old) - end, len(self.new) - place - size),
        )
        return above, below

    def surroundings(self, start: int, end: int, place: int, reach: int = 8) -> int:
        """Lines within `reach` above and below that both places share, in any order and with gaps.

        Unlike `neighbours` this still sees the place whose next line was edited.
        """
        size = end - start
        old, new = self.old.keys, self.new.keys
        above = Counter(old[max(0, start - reach) : start]) & Counter(new[max(0, place - reach) : place])
        below = Counter(old[end : end + reach]) & Counter(new[place + size : place + size + reach])
        return above.total() + below.total()

    def shared_around(self, start: int, end: int, place: int, reach: int = 8) -> set[int]:
        """The texts of the telling lines that `surroundings` counts."""
        size = end - start
        above = set(self.new.keys[max(0, place - reach) : place])
        below = set(self.new.keys[place + size : place + size + reach])
        above &= self.telling_keys(self.old, max(0, start - reach), start)
        below &= self.telling_keys(self.old, end, min(len(self.old), end + reach))
        return above | below

    def image(self, start: int, end: int) -> int | None:
        """Where the line map puts the whole range, if it keeps it together."""
        first = self.mapped[start]
        if first == UNMAPPED or self.mapped[start:end] != list(range(first, first + end - start)):
            return None
        return first

    @cached_property
    def _telling(self) -> dict[int, bool]:
        return {}

    @cached_property
    def _silent(self) -> set[int]:
        return set()

    def telling(self, lines: Lines, index: int) -> bool:
        """Whether a line has enough letters to be evidence (`)`, `else:` and `try:` have not)."""
        key = lines.keys[index]
        known = self._telling.get(key)
        if known is None:
            text = lines.text(index)
            known = sum(map(str.isalnum, text)) >= _SIGNIFICANT and text.strip() not in _COMMON
            self._telling[key] = known
            if not known:
                self._silent.add(key)
        return known

    def telling_keys(self, lines: Lines, start: int, end: int) -> set[int]:
        """The texts of the telling lines among these."""
        keys = set(lines.keys[start:end])
        if not keys <= self._telling.keys():
            for index in range(start, end):
                self.telling(lines, index)
        return keys - self._silent

    def old_body(self, handle: int) -> tuple[int, int]:
        """Indexes of an old definition's lines."""
        first, last = self.old_scopes.rows(handle)
        return self.old.span(first + 1, last + 1)

    def new_body(self, handle: int) -> tuple[int, int]:
        first, last = self.new_scopes.rows(handle)
        return self.new.span(first + 1, last + 1)

    def new_spans(self, key: Key) -> list[tuple[int, int]]:
        """Index spans of every new definition with this key; the whole file for the file's own key."""
        if not key:
            return [(0, len(self.new))]
        return [self.new_body(handle) for handle in self.new_scopes.named(key)]

    @cached_property
    def old_lines(self) -> dict[Key, set[int]]:
        """The telling lines of each old definition, those of inner ones included."""
        return {key: self._lines_of(self.old, self.old_scopes, key) for key in self.old_scopes.all_keys()}

    @cached_property
    def new_lines(self) -> dict[Key, set[int]]:
        """As `old_lines`, of the newer state."""
        return {key: self._lines_of(self.new, self.new_scopes, key) for key in self.new_scopes.all_keys()}

    def _lines_of(self, lines: Lines, scopes: Scopes, key: Key) -> set[int]:
        found: set[int] = set()
        for handle in scopes.named(key):
            first, last = scopes.rows(handle)
            found |= self.telling_keys(lines, *lines.span(first + 1, last + 1))
        return found


_COMMON = frozenset(
    {"return None", "return self", "continue", "return True", "return False", "finally:", "return result"}
)
