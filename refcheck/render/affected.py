"""The answers of `refcheck affected`, as text and as JSON (schema `refcheck-affected/1`)."""

from __future__ import annotations

import json
from typing import Any

from ..model.affected import Affected, AffectedItem, Aside, Passage
from ..model.evidence import DiffLine
from ..model.verdict import candidates_of, place_of, verdict_name
from .evidence_json import place_json
from .layout import Layout
from .looks import counted
from .untrusted import in_log, not_at_start, visible, visible_line, visible_name

SHOWN = 240
"""Letters of a paragraph that the text form shows; the JSON has all of it."""


def affected_json(affected: Affected, *, without_code: bool = False) -> str:
    """Pretty-printed JSON with stable keys; absent things are null."""
    value = {
        "schema": "refcheck-affected/1",
        "engine": affected.engine,
        "from": {"rev": affected.older.pin, "read": affected.older.read, "exact": affected.older.exact},
        "to": {"rev": affected.newer.pin, "read": affected.newer.read, "exact": affected.newer.exact},
        "documents": list(affected.documents),
        "items": [_item(item, without_code) for item in affected.items],
        "wrong": [_aside(aside) for aside in affected.wrong],
        "not_followed": [_aside(aside) for aside in affected.not_followed],
        "totals": {
            "affected": len(affected.items),
            "same": affected.same,
            "moved": affected.moved,
            "wrong": len(affected.wrong),
            "not_followed": len(affected.not_followed),
        },
        "exit": affected.exit_code,
    }
    return json.dumps(value, indent=1, ensure_ascii=False)


def _item(item: AffectedItem, without_code: bool) -> dict[str, Any]:
    return {
        **_passage(item.passage),
        "verdict": verdict_name(item.verdict),
        "before": verdict_name(item.before) if item.before is not None else None,
        "old": place_json(item.was),
        "new": place_json(place_of(item.verdict)),
        "candidates": [place_json(candidate) for candidate in candidates_of(item.verdict)],
        "message": item.verdict.message,
        "diff": []
        if without_code
        else [{"sign": line.sign, "line": line.line, "text": line.text} for line in item.diff],
        "diff_cut": item.diff_cut,
    }


def _aside(aside: Aside) -> dict[str, Any]:
    return {
        **_passage(aside.passage),
        "verdict": verdict_name(aside.verdict),
        "code": aside.verdict.code.id,
        "found": place_json(place_of(aside.verdict)),
        "message": aside.verdict.message,
    }


def _passage(passage: Passage) -> dict[str, Any]:
    return {
        "document": passage.document,
        "line": passage.line,
        "column": passage.column,
        "id": passage.id,
        "kind": passage.kind.value,
        "paragraph": {"line": passage.paragraph_line, "text": passage.paragraph} if passage.paragraph else None,
        "heading": passage.heading or None,
    }


def affected_text(
    affected: Affected, *, width: int = 80, color: bool = False, encoding: str = "utf-8", without_code: bool = False
) -> str:
    """First what was wrong already, then each passage with its paragraph, old and new place, and what changed."""
    return "\n".join(_Text(affected, width, color, encoding, without_code).lines()) + "\n"


class _Text(Layout):
    def __init__(self, affected: Affected, width: int, color: bool, encoding: str, without_code: bool) -> None:
        super().__init__(width, color, encoding)
        self.affected = affected
        self.without_code = without_code

    def lines(self) -> list[str]:
        a = self.affected
        out = [f"{visible_line(a.engine)}: {visible_line(a.older.read)} to {visible_line(a.newer.read)}"]
        if a.wrong:
            out += ["", self.bold(f"Wrong at {visible_line(a.older.read)[:20]} already:")]
            out += [line for aside in a.wrong for line in self._aside(aside)]
        if a.items:
            out += ["", self.bold("To read again:")]
            out += [line for item in a.items for line in ["", *self._item(item)]]
        if a.not_followed:
            out += ["", self.bold("Not followed:")]
            out += [line for aside in a.not_followed for line in self._aside(aside)]
        out += ["", self._sum()]
        if a.moved:
            out.append("`refcheck regen` rewrites the lines of what moved.")
        return out

    def _sum(self) -> str:
        a = self.affected
        parts = [f"{len(a.items)} to read again", f"{a.moved} moved intact", f"{a.same} unchanged"]
        # Each passage is counted once; what was wrong already and could be followed is one of the others.
        if a.astray:
            parts.append(f"{a.astray} wrong already")
        if a.not_followed:
            parts.append(f"{len(a.not_followed)} not followed")
        followed = len(a.wrong) - a.astray
        also = f"; of those followed, {followed} wrong already too" if followed else ""
        return f"{counted(a.checked, 'passage')}: {', '.join(parts)}{also}"

    def _at(self, passage: Passage) -> str:
        return not_at_start(f"{visible_name(passage.document)}:{passage.line}")

    def _head(self, passage: Passage, name: str, rest: str) -> str:
        return f"{self._at(passage)}: {self.sign(name, f' {name}')}{rest}"

    def _aside(self, aside: Aside) -> list[str]:
        head = self._head(aside.passage, verdict_name(aside.verdict), f"  {visible_name(aside.passage.id)}")
        return [head, *self._wrapped(aside.verdict.message)]

    def _item(self, item: AffectedItem) -> list[str]:
        name = verdict_name(item.verdict)
        before = f" (was {verdict_name(item.before)})" if item.before is not None else ""
        out = [self._head(item.passage, name, f"{before}  {visible_name(item.passage.id)}")]
        new = place_of(item.verdict)
        if item.was is not None:
            there = visible_name(str(new)) if new is not None else name
            if new is not None and new.path == item.was.path and new.lines is not None:
                there = str(new.lines)
            out.append(f"  {visible_name(str(item.was))} {self.arrow} {there}")
        out += self._wrapped(item.verdict.message)
        for candidate in candidates_of(item.verdict)[:5]:
            out.append(f"    {visible_name(str(candidate))}")
        if item.passage.paragraph:
            under = f"under {item.passage.heading}: " if item.passage.heading else ""
            out += self._wrapped(f'{under}"{_around(item.passage.paragraph, item.passage.paragraph_at)}"')
        if item.diff and not self.without_code:
            out += [self._diff(line) for line in item.diff]
            if item.diff_cut:
                out.append(f"    and {counted(item.diff_cut, 'line')} more")
        return out

    def _diff(self, line: DiffLine) -> str:
        text = f"    {line.sign}{in_log(visible(line.text).expandtabs(4))}"
        sgr = {"-": "31", "+": "32"}.get(line.sign)
        return f"\x1b[{sgr}m{text}\x1b[0m" if self.color and sgr else text.rstrip()

    def _wrapped(self, text: str) -> list[str]:
        return self.wrapped(in_log(visible_line(text)), "  ", long_words=False)


def _around(text: str, at: int) -> str:
    """As much of a paragraph as is shown, the passage in it."""
    if len(text) <= SHOWN:
        return text
    start = max(0, min(at - SHOWN // 2, len(text) - SHOWN))
    if start:
        start = text.find(" ", start) + 1 or start
    end = start + SHOWN
    if end < len(text):
        end = text.rfind(" ", start, end) if " " in text[start:end] else end
    return f"{'...' * (start > 0)}{text[start:end].strip()}{'...' * (end < len(text))}"
