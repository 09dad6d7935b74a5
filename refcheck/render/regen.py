"""The plan of `refcheck regen`, as text and as JSON (schema `refcheck-regen/1`)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from ..model.evidence import Difference
from ..model.planned import Planned, PlannedHead, PlannedRun
from ..model.verdict import Holds, Moved, verdict_name
from .evidence_json import place_json
from .untrusted import visible

DIFF_LINES = 24
PARAGRAPH = 160
PLACES = 8
"""Places of one head that are named in a sentence; the plan above it has all of them."""


def regen_json(run: PlannedRun) -> str:
    """Pretty-printed, stable JSON."""
    value = {
        "schema": "refcheck-regen/1",
        "items": [_row(one) for one in run.rows],
        "written": bool(run.written),
        "files": list(run.written),
        "read": [
            {
                "engine": s.engine,
                "older": s.read,
                "newer": next((n.read for n in run.newer if n.engine == s.engine), None),
            }
            for s in run.older
        ],
        "heads": [
            {
                "document": head.document,
                "line": head.line,
                "engine": head.engine,
                "says": head.says,
                "now": head.now,
                "why": head.why or None,
                "behind": list(head.behind),
            }
            for head in run.heads
        ],
        "notes": list(run.notes),
    }
    return json.dumps(value, indent=1, ensure_ascii=False)


def _row(one: Planned) -> dict[str, Any]:
    return {
        "id": one.id,
        "document": one.document,
        "line": one.line,
        "column": one.column,
        "engine": one.engine,
        "verdict": verdict_name(one.verdict),
        "code": one.verdict.code.id,
        "message": one.verdict.message,
        "old": place_json(one.old),
        "new": place_json(one.new),
        "candidates": [place_json(place) for place in one.candidates],
        "rewritten": one.rewritten,
        "left": one.left or None,
        "at_birth": one.at_birth,
        "accepted": one.accepted,
    }


def regen_text(run: PlannedRun, *, quiet: bool = False) -> str:
    """What is certain in a line each, then what a human has to read, with what stands there now."""
    out: list[str] = []
    for older in run.older:
        newer = next((n for n in run.newer if n.engine == older.engine), None)
        if newer is not None:
            out.append(f"{visible(older.engine)}: {visible(older.read)} -> {visible(newer.read)}")
    certain = [one for one in run.rows if not _needs_a_human(one)]
    if not quiet and certain:
        out.append("")
        out += [_line(one) for one in certain]
    human = [one for one in run.rows if _needs_a_human(one)]
    if human:
        out += ["", f"To read by hand: {len(human)}"]
        for one in human:
            out += _details(one)
    moved = sum(isinstance(one.verdict, Moved) for one in certain)
    same = sum(isinstance(one.verdict, Holds) for one in certain)
    rewritten = sum(one.rewritten for one in run.rows)
    places = f"{len(run.rows)} place{'s' * (len(run.rows) != 1)}"
    out += ["", f"{places}: {same} stand where they stood, {moved} moved, {len(human)} to read by hand"]
    out += [visible(_head(head, run)) for head in run.heads]
    out += [visible(note) for note in run.notes]
    if run.wrote:
        names = ", ".join(visible(name) for name in run.written) or "nothing had to change"
        out.append(f"written: {names}")
    else:
        out.append(f"{rewritten} would be rewritten; nothing was written (--write does)")
    return "\n".join(out)


def _head(head: PlannedHead, run: PlannedRun) -> str:
    """One sentence on what a page says of its revision, and which places stay those of the older one."""
    where = f"the head of {head.document} (line {head.line})"
    newer = next((n.read for n in run.newer if n.engine == head.engine), "the newer revision")
    count = len(head.behind)
    shown = ", ".join(head.behind[:PLACES]) + (f" and {count - PLACES} more" if count > PLACES else "")
    if head.now is not None:
        said = f"{where} says {head.now} now" if run.wrote else f"{where} would say {head.now}"
        if not count:
            return said
        many = ("places", "are those", "need") if count > 1 else ("place", "is that", "needs")
        return f"{said}; {count} {many[0]} still {many[1]} of {head.says} and {many[2]} a human: {shown}"
    left = f"{where} {'still says' if run.wrote else 'would still say'} {head.says} ({head.why})"
    rest = f", but for {shown}" if count else ""
    return (
        f"{left}, and the numbers below it {'are' if run.wrote else 'would be'} those of {newer}{rest}: "
        f"write it by hand, for whoever reads the page takes them for those of {head.says}"
    )


def _needs_a_human(one: Planned) -> bool:
    certain = isinstance(one.verdict, Holds | Moved) or one.accepted is not None
    return bool(one.left) or one.at_birth or not certain


def _where(one: Planned) -> str:
    if one.document is None:
        return f"edition: {visible(one.id)}"
    return f"{visible(one.document)}:{one.line}:{one.column}"


def _line(one: Planned) -> str:
    old = visible(str(one.old)) if one.old else "?"
    if isinstance(one.verdict, Holds) or one.new is None:
        return f"  =  {_where(one)}  {old}"
    new = visible(str(one.new.lines if one.old and one.new.path == one.old.path else one.new))
    sign = "->" if one.rewritten or one.document is None else " >"
    return f"  {sign} {_where(one)}  {old} -> {new}"


def _details(one: Planned) -> Sequence[str]:
    # A place that is certain and cannot be written is no finding: what is to be read is why.
    settled = isinstance(one.verdict, Holds | Moved) and one.left and not one.at_birth
    what = "not written" if settled else f"{verdict_name(one.verdict)}  {one.verdict.code.id}"
    out = ["", f"{what}  {_where(one)}"]
    if one.old is not None:
        out.append(f"    {visible(one.engine or '')} {visible(str(one.old))}".rstrip())
    start = "wrong at its own revision, not followed: " if one.at_birth else ""
    out.append(f"    {start}{visible(one.verdict.message)}")
    if one.left:
        out.append(f"    left as it is: {visible(one.left)}")
    for place in one.candidates[:8]:
        out.append(f"    candidate: {visible(str(place))}")
    for evidence in one.verdict.evidence:
        if isinstance(evidence, Difference):
            for line in evidence.lines[:DIFF_LINES]:
                number = f"{line.line:>6}" if line.line is not None else " " * 6
                out.append(f"    {number} {line.sign} {visible(line.text)}")
            if len(evidence.lines) > DIFF_LINES:
                out.append(f"           ... {len(evidence.lines) - DIFF_LINES} more lines")
    if one.paragraph:
        text = one.paragraph if len(one.paragraph) <= PARAGRAPH else one.paragraph[: PARAGRAPH - 3] + "..."
        out.append(f"    depends on it: {visible(text)}")
    return out
