"""The answers of `refcheck history`, as a table for a terminal and as JSON (schema `refcheck-history/1`)."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from ..model.history import EngineHistory, HistoryRow, Revision, Turn, holds, only_there
from ..model.verdict import Verdict, candidates_of, place_of, verdict_name
from .evidence_json import place_json
from .layout import Layout, shortened
from .looks import LOOKS, can_encode, counted
from .untrusted import in_log, not_at_start, visible_line, visible_name

THERE = "·"
"""A place that exists, of which no text is recorded: no sign of a verdict, for nothing was compared."""
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"


def history_value(history: EngineHistory) -> dict[str, Any]:
    """The JSON value; also what a report keeps for its heatmap. Absent things are None."""
    return {
        "schema": "refcheck-history/1",
        "engine": history.engine,
        "edition": history.edition,
        "by": history.by,
        "revisions": [revision.rev for revision in history.revisions],
        "described": [_revision(revision) for revision in history.revisions],
        "looked_through": history.looked_through,
        "place": history.place,
        "notes": list(history.notes),
        "rows": [_row(row) for row in history.rows],
    }


def history_json(history: EngineHistory) -> str:
    return json.dumps(history_value(history), indent=1, ensure_ascii=False)


def _row(row: HistoryRow) -> dict[str, Any]:
    broke = row.broke
    return {
        "id": row.id,
        "kind": row.kind,
        "claim_kind": row.claim_kind,
        "anchor": row.anchor,
        "words": row.words,
        "cited": place_json(row.cited),
        "cells": [{"rev": cell.revision.rev, **_judged(cell.verdict)} for cell in row.cells],
        "broke_at": broke.revision.rev if broke else None,
        "broke": _turn(broke) if broke else None,
        "ever_held": row.ever_held,
        "turns": [_turn(turn) for turn in row.turns],
        "versions_judged": row.judged,
        "sampled": None if row.sampled is None else {"judged": row.sampled[0], "of": row.sampled[1]},
    }


def _judged(verdict: Verdict) -> dict[str, Any]:
    place = place_of(verdict)
    lines = place.lines if place else None
    return {
        "verdict": verdict_name(verdict),
        "path": place.path if place else None,
        "first": lines.first if lines else None,
        "last": lines.last if lines else None,
        "symbol": place.symbol if place else None,
        "code": verdict.code.id,
        "message": verdict.message,
        "candidates": [place_json(candidate) for candidate in candidates_of(verdict)],
    }


def _turn(turn: Turn) -> dict[str, Any]:
    return {
        **_revision(turn.revision),
        "was": verdict_name(turn.was),
        "became": verdict_name(turn.now),
        "message": turn.now.message,
        "after": turn.before.rev,
        "exact": turn.exact,
    }


def _revision(revision: Revision) -> dict[str, Any]:
    return {"rev": revision.rev, "date": revision.date, "subject": revision.subject}


# ---- text


def history_text(
    history: EngineHistory,
    *,
    width: int = 80,
    color: bool = False,
    encoding: str = "utf-8",
    quiet: bool = False,
) -> str:
    """A row of signs for each anchor and claim, then what stopped and where; fit for 80 columns.

    `quiet` leaves out what held at every revision.
    """
    return "\n".join(_Text(history, width, color, encoding, quiet).lines()) + "\n"


class _Text(Layout):
    def __init__(self, history: EngineHistory, width: int, color: bool, encoding: str, quiet: bool) -> None:
        super().__init__(width, color, encoding)
        self.history = history
        self.nothing = THERE if can_encode(THERE, encoding) else "."
        # A claim that is an anchor's quote says what the anchor's own row says.
        rows = [row for row in history.rows if row.claim_kind != "quote" or row.anchor is None]
        self.rows = [row for row in rows if not quiet or not _says_nothing(row)]
        self.left_out = len(rows) - len(self.rows)

    def lines(self) -> list[str]:
        out = [*self._head(), ""]
        if self.rows:
            shown = self._columns()
            out += [*self._legend(shown), "", *self._table(shown), "", self._key()]
        out += self._stopped()
        return out + self._sum()

    def _head(self) -> list[str]:
        history = self.history
        first, last = history.revisions[0], history.revisions[-1]
        what = "releases" if history.by == "releases" else "commits"
        looked = f"{history.looked_through:,} {what}, {first.label} to {last.label}"
        out = [f"{visible_line(history.engine)}: {looked}, edition {visible_line(history.edition)}"]
        out += self._wrapped(f"read from {visible_name(history.place)}")
        return out + [line for note in history.notes for line in self._wrapped(visible_line(note))]

    def _columns(self) -> list[int]:
        """The columns that fit: all, or the first, the last, and of the others the newest."""
        name = self._name_width()
        room = max(2, min((self.width - name - 1) // 2, len(_LETTERS)))
        every = list(range(len(self.history.revisions)))
        return every if len(every) <= room else [0, *every[-(room - 1) :]]

    def _name_width(self) -> int:
        return min(28, max(len(visible_name(row.id)) for row in self.rows))

    def _legend(self, shown: list[int]) -> list[str]:
        revisions = self.history.revisions
        left = len(revisions) - len(shown)
        if self.history.by == "releases":
            entries = [f"{_LETTERS[n]} {revisions[column].label}" for n, column in enumerate(shown)]
            out = self._wrapped("   ".join(entries))
        else:
            out = [
                shortened(f"{_LETTERS[n]} {self._commit(revisions[column])}", self.width)
                for n, column in enumerate(shown)
            ]
        if left:
            out.append(f"{counted(left, 'column')} of more revisions left out here: --format json has all")
        return out

    def _commit(self, revision: Revision) -> str:
        date = f" {revision.date[:10]}" if revision.date else ""
        subject = f" {visible_line(revision.subject)}" if revision.subject else ""
        return f"{revision.label}{date}{in_log(subject)}"

    def _table(self, shown: list[int]) -> list[str]:
        name = self._name_width()
        out = [" " * name + " " + " ".join(_LETTERS[n] for n in range(len(shown)))]
        for row in self.rows:
            title = visible_name(row.id)
            title = title if len(title) <= name else title[: name - 1] + "~"
            marks = " ".join(self._mark(row.cells[column].verdict) for column in shown)
            room = self.width - name - 2 * len(shown) - 2
            about = f"  {shortened(_about(row), room)}" if room > 12 else ""
            out.append(not_at_start(f"{title:{name}} {marks}{about}"))
        return out

    def _mark(self, verdict: Verdict) -> str:
        return self.nothing if only_there(verdict) else self.sign(verdict_name(verdict))

    def _key(self) -> str:
        key = "  ".join(f"{self.sign(name)} {name}" for name in LOOKS)
        return f"{key}  {self.nothing} there" if any(row.unrecorded for row in self.rows) else key

    def _stopped(self) -> list[str]:
        """Each row that stopped holding: where, how, and what came of it later; those of one story together."""
        out: list[str] = []
        stories: dict[tuple[object, ...], list[HistoryRow]] = {}
        for row in self.rows:
            if row.broke is not None:
                after = row.turns[row.turns.index(row.broke) :]
                story = (row.broke.now.message, row.sampled, *((turn.revision.rev, turn.exact) for turn in after))
                stories.setdefault(story, []).append(row)
        for together in stories.values():
            row = together[0]
            broke = row.broke
            assert broke is not None
            names = ", ".join(visible_name(one.id) for one in together)
            out += ["", not_at_start(self.bold(shortened(f"{names} {self._where(broke)}", self.width)))]
            if broke.revision.subject:
                out += self._wrapped(in_log(visible_line(broke.revision.subject)), "  ")
            out += self._wrapped(in_log(visible_line(broke.now.message)), "  ")
            later = row.turns[row.turns.index(broke) + 1 :]
            out += self._wrapped("; ".join(self._later(turn) for turn in later), "  ") if later else []
            if row.sampled:
                out.append(f"  only {row.sampled[0]} of {row.sampled[1]:,} revisions were judged")
        return out

    def _where(self, turn: Turn) -> str:
        date = f" of {turn.revision.date[:10]}" if turn.revision.date else ""
        place = f"at {turn.revision.label}{date}"
        if not turn.exact:
            place = f"after {turn.before.label}, at {turn.revision.label}{date} or before"
        return f"{place}: {verdict_name(turn.was)} {self.arrow} {verdict_name(turn.now)}"

    def _later(self, turn: Turn) -> str:
        again = "holds again: " if holds(turn.now) and not holds(turn.was) else ""
        return f"{again}{verdict_name(turn.now)} at {turn.revision.label}"

    def _sum(self) -> list[str]:
        rows = [row for row in self.history.rows if row.claim_kind != "quote" or row.anchor is None]
        sampled = sum(row.sampled is not None for row in rows)
        counts = Counter(_fate(row) for row in rows)
        shown = [f"{counts[fate]} {fate}" for fate in _FATES if counts[fate] or fate in _ALWAYS_SAID]
        parts = [f"{counted(len(rows), 'row')}: {', '.join(shown)}"]
        if sampled:
            parts.append(f"{sampled} judged at a sample of the revisions only")
        if self.left_out:
            parts.append(f"{self.left_out} not shown")
        return ["", *self._wrapped("; ".join(parts))]

    def _wrapped(self, text: str, indent: str = "") -> list[str]:
        return self.wrapped(text, indent) or [indent]


_UNRECORDED = "only known to be there (no fingerprint)"
_FATES = ("held throughout", _UNRECORDED, "moved and intact", "undecided at times", "stopped", "never held")
_ALWAYS_SAID = frozenset({"held throughout", "stopped", "never held"})


def _fate(row: HistoryRow) -> str:
    """Each row has one, so that their numbers add up."""
    if not row.ever_held:
        return "never held"
    if row.broke is not None:
        return "stopped"
    if row.unrecorded and row.intact_throughout:
        return _UNRECORDED
    if row.held_throughout:
        return "held throughout"
    return "moved and intact" if row.intact_throughout else "undecided at times"


def _says_nothing(row: HistoryRow) -> bool:
    """It held at every revision; of an anchor, at whatever lines of its own."""
    return row.held_throughout or (row.kind == "anchor" and row.stayed_put)


def _about(row: HistoryRow) -> str:
    """What the row is, in a few words."""
    if row.claim_kind == "location" and row.cited is not None and row.cited.lines is not None:
        return f"at {row.cited.lines}"
    if row.kind == "anchor" and row.cited is not None:
        return visible_name(row.cited.symbol or row.cited.path)
    return visible_line(row.words or row.claim_kind or "")
