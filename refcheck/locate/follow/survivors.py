"""What is left of a range whose text is no longer in one piece."""

from __future__ import annotations

from dataclasses import dataclass

from refcheck.locate.follow import symbols
from refcheck.locate.follow.linemap import UNMAPPED, align
from refcheck.locate.follow.pair import Pair

_MAX_GAP = 60
_MAX_TRIED = 400


@dataclass(frozen=True, slots=True)
class Survivors:
    """`first` to `last` are new indexes (None: nothing is left), `intact` lines are equal, `edited` alike.

    `similarity` counts an edited line by its likeness.
    """

    first: int | None
    last: int | None
    intact: int
    edited: int
    similarity: float


def survivors(pair: Pair, start: int, end: int) -> Survivors:
    """By a line map of the definition that the range stood in, and within its gaps by likeness of lines."""
    chain = pair.old_chain(start, end)
    key = pair.old_scopes.key(chain)
    spans = pair.new_spans(key)
    if not spans and (renamed := symbols.renamed(pair, chain)):
        spans = pair.new_spans(renamed)
    if chain and len(spans) == 1:
        # The file's line map may have preferred a copy of the definition.
        low, high = pair.old_body(chain[-1])
        first, last = spans[0]
        local = align(pair.old.keys[low:high], pair.new.keys[first:last])
        mapped = {low + at: first + target for at, target in enumerate(local) if target != UNMAPPED}
    else:
        low, high, first, last = 0, len(pair.old), 0, len(pair.new)
        mapped = {at: target for at, target in enumerate(pair.mapped) if target != UNMAPPED}
        if spans:
            mapped = {at: to for at, to in mapped.items() if any(a <= to < b for a, b in spans)}
    kept = {at: (mapped[at], 1.0) for at in range(start, end) if at in mapped}
    if not any(pair.telling(pair.old, index) for index in kept):
        # A bracket or an `else:` that the map could place says nothing about the lines around it.
        kept.clear()
    intact = len(kept)
    _match_edited(pair, range(max(start, low), min(end, high)), mapped, kept, (low, high), (first, last))
    if not kept:
        return Survivors(None, None, 0, 0, 0.0)
    targets = [target for target, _ in kept.values()]
    similarity = sum(share for _, share in kept.values()) / (end - start)
    return Survivors(min(targets), max(targets), intact, len(kept) - intact, similarity)


def _match_edited(
    pair: Pair,
    lines: range,
    mapped: dict[int, int],
    kept: dict[int, tuple[int, float]],
    old_span: tuple[int, int],
    new_span: tuple[int, int],
) -> None:
    """Pair unmapped lines with new lines of the same gap that look like them, in order."""
    taken = set(mapped.values())
    tried = 0
    at = new_span[0]
    for line in lines:
        if line in mapped:
            at = mapped[line] + 1
            continue
        if line == lines.start or line - 1 in mapped:
            above = next((i for i in range(line - 1, old_span[0] - 1, -1) if i in mapped), None)
            below = next((i for i in range(line + 1, old_span[1]) if i in mapped), None)
            at = max(at, new_span[0] if above is None else mapped[above] + 1)
            high = new_span[1] if below is None else mapped[below]
        if not pair.telling(pair.old, line):
            continue
        text = symbols.Likeness(pair.old.text(line).strip())
        for candidate in range(at, min(high, at + _MAX_GAP)):
            if candidate in taken:
                continue
            tried += 1
            if tried > _MAX_TRIED:
                return
            share = text.to(pair.new.text(candidate).strip())
            if share:
                kept[line] = (candidate, share)
                at = candidate + 1
                break
