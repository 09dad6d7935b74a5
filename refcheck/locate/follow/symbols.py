"""Whether a definition goes on under another name, still holds its lines, or was copied."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import SequenceMatcher

from refcheck.locate.follow.lines import Lines
from refcheck.locate.follow.pair import Pair
from refcheck.locate.follow.scopes import Key, Scopes, shared, shown

SAME_DEFINITION = 0.6
"""Share of telling lines by which a definition is recognised under another name."""
RIVAL = 0.5
"""Share of the best such definition's lines by which another one makes it doubtful."""
HALF = 0.5
COPIED = 0.05
"""Share of a run's telling lines that, if they stay behind as well, make the run a copy."""
REPEATED = 0.2
LIKE = 0.75
HEADERS = ("def ", "class ", "async def ")
"""How the line with a definition's name begins, in Python."""


class Likeness:
    """How much other lines look like one line; one text is prepared once for many comparisons."""

    __slots__ = ("_matcher", "_size")

    def __init__(self, text: str) -> None:
        self._size = len(text)
        self._matcher = SequenceMatcher(None, "", text, autojunk=False)

    def to(self, other: str) -> float:
        """The ratio of equal characters, or 0.0 where it is below what an edit leaves."""
        if 2 * min(self._size, len(other)) < LIKE * (self._size + len(other)) or not other:
            return 0.0
        self._matcher.set_seq1(other)
        if self._matcher.quick_ratio() < LIKE:
            return 0.0
        ratio = self._matcher.ratio()
        return ratio if ratio >= LIKE else 0.0


def renamed(pair: Pair, chain: tuple[int, ...]) -> Key | None:
    """The new key of a definition whose old key is gone: most of its lines, in one new definition alone.

    What keeps its name in a renamed one is found by that.
    """
    if not chain:
        return None
    key = pair.old_scopes.key(chain)
    if key in pair.new_scopes.all_keys():
        return None
    cache: dict[int, Key | None] = pair.__dict__.setdefault("_renamed", {})
    if chain[-1] not in cache:
        around = renamed(pair, chain[:-1])
        within = None if around is None else (*around, key[-1])
        kept = within is not None and len(pair.new_scopes.named(within)) == 1
        cache[chain[-1]] = within if kept else _find_renamed(pair, chain, key)
    return cache[chain[-1]]


def _find_renamed(pair: Pair, chain: tuple[int, ...], key: Key) -> Key | None:
    start, end = pair.old_body(chain[-1])
    wanted = _telling_keys(pair, start, end)
    if len(wanted) < 2 or header_remains(pair, chain):
        return None
    fresh = [k for k in pair.new_scopes.all_keys() - pair.old_scopes.all_keys() if len(k) == len(key)]
    around = key[:-1]
    if around in pair.new_scopes.all_keys() or not around:
        # What is around it is still here: then it is still there, too.
        fresh = [k for k in fresh if k[:-1] == around]
    scores: list[tuple[float, float, Key]] = []
    for candidate in fresh:
        spans = pair.new_spans(candidate)
        if len(spans) != 1:
            continue
        theirs = pair.telling_keys(pair.new, *spans[0])
        common = len(wanted & theirs)
        if common:
            scores.append((common / len(wanted), common / max(1, len(theirs)), candidate))
    if not scores:
        return None
    scores.sort(reverse=True)
    best = scores[0]
    if best[0] < SAME_DEFINITION or best[1] < HALF:
        return None
    if len(scores) > 1 and scores[1][0] > RIVAL * best[0]:
        return None
    return best[2]


def _telling_keys(pair: Pair, start: int, end: int) -> set[int]:
    return pair.telling_keys(pair.old, start, end)


def still_holds(pair: Pair, chain: tuple[int, ...], key: Key, share: float = HALF) -> bool:
    """The definition of the same name still has this share of its telling lines."""
    start, end = pair.old_body(chain[-1]) if chain else (0, len(pair.old))
    wanted = _telling_keys(pair, start, end)
    if not wanted:
        return True
    theirs = {pair.new.keys[i] for span in pair.new_spans(key) for i in range(*span)}
    return len(wanted & theirs) >= share * len(wanted)


def held_again(pair: Pair, low: int, high: int, chain: tuple[int, ...]) -> bool:
    """The definition of the same name still has lines of the run `low` to `high`: the run is a copy of it.

    What the run has beyond the definition says nothing of it.
    """
    key = pair.old_scopes.key(chain)
    if chain:
        first, last = pair.old_body(chain[-1])
        low, high = max(low, first), min(high, last)
    run = _telling_keys(pair, low, high)
    if not run or not key:
        return not run
    theirs = {pair.new.keys[i] for span in pair.new_spans(key) for i in range(*span)}
    return len(run & theirs) > COPIED * len(run)


def taken_over(pair: Pair, chain: tuple[int, ...]) -> Key | None:
    """The innermost definition around that kept its name while its lines went on under another, by all appearance.

    Then the name stands on a wrapper, or two definitions exchanged their names, and a text under the name may be a
    copy of what went elsewhere.
    """
    cache: dict[int, Key | None] = pair.__dict__.setdefault("_taken_over", {})
    for depth in range(len(chain), 0, -1):
        handle = chain[depth - 1]
        if handle not in cache:
            key = pair.old_scopes.key(chain[:depth])
            named = key in pair.new_scopes.all_keys()
            cache[handle] = key if named and _is_taken_over(pair, handle, key) else None
        if cache[handle] is not None:
            return cache[handle]
    return None


def _is_taken_over(pair: Pair, handle: int, key: Key) -> bool:
    low, high = pair.old_body(handle)
    every_old = set(pair.old.keys[low:high])
    every_new = {number for span in pair.new_spans(key) for number in pair.new.keys[slice(*span)]}
    if pair.new.counts.keys().isdisjoint(every_old - every_new) and pair.old.counts.keys().isdisjoint(
        every_new - every_old
    ):
        return False
    # The signature belongs to the name, whatever stands below it.
    low = max(low, pair.old.span(1, pair.old_scopes.signature(handle)[1] + 1)[1])
    before = _telling_keys(pair, low, high)
    now = {key for span in pair.new_spans(key) for key in pair.telling_keys(pair.new, *span)}
    lost, gained = before - now, now - before
    kept = len(before) - len(lost)
    if lost and not lost.isdisjoint(pair.new.counts):
        # Another one has more of what it had, and of that what only itself had.
        for other, theirs in pair.new_lines.items():
            more = len(before & theirs)
            if more and more >= kept and not _around(other, key):
                known = pair.old_lines.get(other)
                both = len(before & theirs & now)
                if known is None and more > kept and (kept < HALF * len(before) or both > REPEATED * kept):
                    return True
                if known is not None and len((before - known) & theirs) > len((before - known) & now):
                    return True
    if gained and not gained.isdisjoint(pair.old.counts):
        # It has more of what another one had than of its own, and more of that than the other one now.
        for other, theirs in pair.old_lines.items():
            more = len(now & theirs)
            if more > kept and not _around(other, key) and more > len(theirs & pair.new_lines.get(other, _NOTHING)):
                return True
    return False


_NOTHING: frozenset[int] = frozenset()


def _around(other: Key, key: Key) -> bool:
    """The same, or a definition around it."""
    return key[: len(other)] == other


def repeated(pair: Pair, low: int, high: int, chain: tuple[int, ...] = ()) -> bool:
    """Telling lines of the run `low` to `high` stand in the newer file more often than before: it was copied.

    Of a run that goes beyond the definition `chain`, only what is in it counts.
    """
    if chain:
        first, last = pair.old_body(chain[-1])
        low, high = max(low, first), min(high, last)
    run = _telling_keys(pair, low, high)
    grown = sum(1 for key in run if pair.new.counts[key] > pair.old.counts[key])
    return grown > REPEATED * len(run)


def went_on_elsewhere(pair: Pair, chain: tuple[int, ...]) -> bool:
    """A definition of a new name has half of the telling lines: the old name stands on a wrapper of it."""
    wanted = _telling_keys(pair, *pair.old_body(chain[-1]))
    fresh = pair.new_scopes.all_keys() - pair.old_scopes.all_keys()
    return any(len(wanted & pair.new_lines[key]) >= HALF * len(wanted) for key in fresh)


def defined_more_often(pair: Pair, key: Key, start: int, end: int) -> Key | None:
    """A name around the range or in it of which there are more definitions than before: one of them may be a copy."""
    named = [key[:depth] for depth in range(1, len(key) + 1)]
    for index in range(start, end):
        if pair.new.counts[pair.old.keys[index]] > pair.old.counts[pair.old.keys[index]]:
            chain = pair.old_scopes.chain(pair.old.rows[index])
            if chain and pair.old_scopes.name_row(chain[-1]) == pair.old.rows[index]:
                named.append(pair.old_scopes.key(chain))
    for name in named:
        if len(pair.new_scopes.named(name)) > max(1, len(pair.old_scopes.named(name))):
            return name
    for name in [key, *named[len(key) :]]:
        if name and _copied_elsewhere(pair, name):
            return name
    return key if _headers_grown(pair, pair.old_chain(start, end)) else None


def _copied_elsewhere(pair: Pair, name: Key) -> bool:
    """There is a new definition of the same name in another one that is not new, or in none, with lines of this one.

    With none of its lines it is what it looks like: another definition that has the name.
    """
    old = pair.old_scopes.all_keys()
    others = [
        other
        for other in pair.new_scopes.all_keys()
        if other[-1] == name[-1] and other not in old and other != name and (len(other) == 1 or other[:-1] in old)
    ]
    if not others:
        return False
    body: set[int] = set()
    for handle in pair.old_scopes.named(name):
        low, high = pair.old_body(handle)
        body |= _telling_keys(pair, max(low, pair.old.span(1, pair.old_scopes.signature(handle)[1] + 1)[1]), high)
    return any(len(body & pair.new_lines[other]) > REPEATED * len(body) for other in others)


def _headers_grown(pair: Pair, chain: tuple[int, ...]) -> bool:
    """As lines of text, headers of the definitions stand more often than before below the same outermost header.

    A copy that begins or ends within a string hides headers from any reading of the newer file.
    """
    for handle in chain:
        row = pair.old_scopes.name_row(handle)
        line = pair.old.keys[pair.old.span(row + 1, row + 1)[0]]
        if pair.new.counts[line] > pair.old.counts[line]:
            if handle == chain[0]:
                return True
            before, now = _below_outermost(pair.old, line), _below_outermost(pair.new, line)
            outermost = before.get(row)
            if list(now.values()).count(outermost) > list(before.values()).count(outermost):
                return True
    return False


def hides_header(pair: Pair, start: int, end: int, place: int) -> bool:
    """Between the header of the definition around `place` and the text stand more lines that would end it than before.

    They are in a string, to a parser. A copy that begins or ends within a string opens one that was closed.
    """
    size = end - start
    before = _headers_between(pair.old, pair.old_scopes, pair.old_chain(start, end), pair.old.rows[start])
    now = _headers_between(pair.new, pair.new_scopes, pair.new_chain(place, place + size), pair.new.rows[place])
    return now > before


def _headers_between(lines: Lines, scopes: Scopes, chain: tuple[int, ...], row: int) -> int:
    """Headers up to `row` that would end one of the definitions around it, counted for each that they would end."""
    total = 0
    for handle in chain:
        header = scopes.name_row(handle)
        depth = _depth(lines, header)
        total += sum(
            1 for at in range(header + 1, row) if lines.bare[at].startswith(HEADERS) and _depth(lines, at) <= depth
        )
    return total


def _depth(lines: Lines, row: int) -> int:
    return len(lines.source.lines[row]) - len(lines.bare[row])


def _below_outermost(lines: Lines, key: int) -> dict[int, int | None]:
    """Row of each line `key` -> the key of the last header without indentation at or before it."""
    found: dict[int, int | None] = {}
    outermost: int | None = None
    for row, number in zip(lines.rows, lines.keys, strict=True):
        if lines.source.lines[row].startswith(HEADERS):
            outermost = number
        if number == key:
            found[row] = outermost
    return found


@dataclass(frozen=True, slots=True)
class Ends:
    """The definitions that a range, its first and its last line stand in, under the names they have now.

    A range that runs from one definition into the next has to do so between the same two, or a copy of one of
    them that was put in between would be taken for it.
    """

    pair: Pair
    whole: Key
    first: Key
    last: Key
    note: str

    @classmethod
    def of(cls, pair: Pair, start: int, end: int) -> Ends:
        first = pair.old_scopes.chain(pair.old.rows[start])
        last = pair.old_scopes.chain(pair.old.rows[end - 1])
        notes: list[str] = []
        now: dict[tuple[int, ...], Key] = {}
        for chain in (shared(first, last), first, last):
            if chain not in now:
                key = pair.old_scopes.key(chain)
                other = renamed(pair, chain)
                now[chain] = other or key
                if other is not None:
                    notes.append(f"{shown(key)} is now {shown(other)}")
        return cls(pair, now[shared(first, last)], now[first], now[last], ", ".join(notes))

    def fit(self, start: int, end: int) -> bool:
        """Whether new indexes `start` to `end` stand in the same definitions."""
        scopes, rows = self.pair.new_scopes, self.pair.new.rows
        first = scopes.chain(rows[start])
        if scopes.key(first) != self.first:
            return False
        last = scopes.chain(rows[end - 1])
        return scopes.key(last) == self.last and scopes.key(shared(first, last)) == self.whole


def touches_signature(pair: Pair, start: int, end: int) -> bool:
    """The range holds lines of its own definition's signature."""
    chain = pair.old_chain(start, end)
    if not chain:
        return False
    first, last = pair.old_scopes.signature(chain[-1])
    return pair.old.rows[start] <= last and first <= pair.old.rows[end - 1]


def signature_repeated(pair: Pair, start: int, end: int) -> bool:
    """A line of the signature in the range, be it a bracket, stands in the newer file more often than before."""
    found: set[int] = set()
    for chain in (pair.old_chain(start, end), pair.old_chain(start, start + 1), pair.old_chain(end - 1, end)):
        if chain:
            first, last = pair.old_scopes.signature(chain[-1])
            low, high = pair.old.span(first + 1, last + 1)
            found.update(pair.old.keys[max(low, start) : min(high, end)])
    return any(pair.new.counts[key] > pair.old.counts[key] for key in found)


def header_of_gone(pair: Pair, chain: tuple[int, ...]) -> str:
    """The signature line of the outermost definition of `chain` whose name the newer file does not have."""
    for depth in range(1, len(chain) + 1):
        if pair.old_scopes.key(chain[:depth]) not in pair.new_scopes.all_keys():
            return header(pair, chain[:depth])
    return ""


def header_remains(pair: Pair, chain: tuple[int, ...]) -> bool:
    """The line with the name of a definition that is gone stands in the newer file as often as before."""
    for depth in range(1, len(chain) + 1):
        if pair.old_scopes.key(chain[:depth]) not in pair.new_scopes.all_keys():
            row = pair.old_scopes.name_row(chain[depth - 1])
            line = pair.old.keys[pair.old.span(row + 1, row + 1)[0]]
            return pair.new.counts[line] >= pair.old.counts[line]
    return False


def header(pair: Pair, chain: tuple[int, ...]) -> str:
    """The line with the name of the innermost definition of `chain`, without leading white space."""
    return pair.old.bare[pair.old_scopes.name_row(chain[-1])]


def is_signature(pair: Pair, start: int, end: int) -> bool:
    """The range is a part of its own definition's signature, with the name, to which the signature belongs."""
    chain = pair.old_chain(start, end)
    if not chain:
        return False
    first, last = pair.old_scopes.signature(chain[-1])
    rows = pair.old.rows
    return first <= rows[start] <= pair.old_scopes.name_row(chain[-1]) <= rows[end - 1] <= last
