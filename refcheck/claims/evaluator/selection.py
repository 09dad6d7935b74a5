"""Which statements of a source are run: by what they assign or call, or by lines."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from refcheck.claims.evaluator.failures import EvaluationError, EvaluatorFailure, Unsupported
from refcheck.claims.evaluator.source import Source, Unit, parse
from refcheck.claims.evaluator.statements import dotted_name


@dataclass(frozen=True, slots=True)
class StatementSelection:
    """A run of neighbouring statements of one block, however deep that block stands.

    The first one is the `occurrence`-th statement, in reading order, that assigns `first_assigns` (a name or dotted
    attribute: `self.positions`, subscripts aside) or calls `first_calls` (the last part of the callee's name); without
    either, the first statement of the body. The last one is the nearest statement of the same block, from the first
    on, that assigns `last_assigns` or calls `last_calls`, also inside of it; or the `count`-th one; or, if none of
    these is given, the first one alone (with neither first nor last: the whole body).
    `outer` takes, in place of the first one, the statement that it stands in, so many levels up.
    `lines` selects instead the statements that stand wholly within those lines, in the counting of the source's file;
    it is the fastest, for only those lines are parsed where they stand alone.
    """

    first_assigns: str | None = None
    first_calls: str | None = None
    last_assigns: str | None = None
    last_calls: str | None = None
    count: int | None = None
    lines: tuple[int, int] | None = None
    occurrence: int = 1
    outer: int = 0


def select(source: str | Source, selection: StatementSelection | None) -> tuple[Unit, Sequence[cst.CSTNode]]:
    """The selected statements and the unit they belong to; `EvaluationError` if there are none."""
    if selection is not None and selection.lines is not None:
        alone = _cut_out(source if isinstance(source, Source) else Source(source), selection.lines)
        if alone is not None:
            return alone
    unit = parse(source)
    return unit, _select(unit, selection)


def _cut_out(source: Source, lines: tuple[int, int]) -> tuple[Unit, Sequence[cst.CSTNode]] | None:
    """The statements of some lines, parsed alone; None where the lines are not whole statements of one block."""
    text = source.text.splitlines(keepends=True)
    first, last = max(lines[0] - source.first_line, 0), lines[1] - source.first_line + 1
    while first < min(last, len(text)) and _is_empty(text[first]):
        first += 1
    chosen = text[first:last]
    if not chosen or last < 1:
        return None
    margin = _indentation(chosen[0])
    following = next((line for line in text[last:] if not _is_empty(line)), "")
    if any(_indentation(line) < margin for line in chosen if not _is_empty(line)):
        return None
    if following and (_indentation(following) > margin or _CONTINUES.match(following)):
        return None
    cut = Source("".join(chosen), source.path, source.first_line + first)
    try:
        unit = parse(cut)
    except EvaluatorFailure:
        return None
    # A definition that is wholly within the lines stands for its body, as it does when the whole source is given.
    return unit, function_body(unit)


_CONTINUES = re.compile(r"\s*(?:elif|else|except|finally|[)\]}])")


def _is_empty(line: str) -> bool:
    stripped = line.lstrip()
    return not stripped or stripped.startswith("#")


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())


def _select(unit: Unit, selection: StatementSelection | None) -> Sequence[cst.CSTNode]:
    body = function_body(unit)
    if selection is None:
        return body
    if selection.lines is not None:
        return _within_lines(unit, body, selection.lines)
    block, first = _find_first(body, selection)
    if selection.last_assigns is not None or selection.last_calls is not None:
        for position in range(first, len(block)):
            statement = block[position]
            if _matches(statement, selection.last_assigns, selection.last_calls, deep=True):
                return block[first : position + 1]
        wanted = selection.last_assigns or selection.last_calls
        raise EvaluationError(f"no later statement of the block assigns or calls {wanted}", unit.where(block[first]))
    if selection.count is not None:
        if first + selection.count > len(block):
            raise EvaluationError(
                f"the block has fewer than {selection.count} statements left", unit.where(block[first])
            )
        return block[first : first + selection.count]
    if selection.first_assigns is None and selection.first_calls is None:
        return body
    return block[first : first + 1]


def function_body(unit: Unit) -> Sequence[cst.CSTNode]:
    """The body of the one function that the unit defines, else the unit's own statements."""
    body = unit.body
    if len(body) == 1 and isinstance(body[0], cst.FunctionDef):
        if body[0].asynchronous is not None:
            raise Unsupported(f"the asynchronous function {body[0].name.value}")
        return list(body[0].body.body)
    return body


def _find_first(body: Sequence[cst.CSTNode], selection: StatementSelection) -> tuple[Sequence[cst.CSTNode], int]:
    if selection.first_assigns is None and selection.first_calls is None:
        if not body:
            raise EvaluationError("the source holds no statement")
        return body, 0
    left = selection.occurrence
    for path in _statements(body):
        block, position = path[-1]
        if _matches(block[position], selection.first_assigns, selection.first_calls, deep=False):
            left -= 1
            if left == 0:
                if selection.outer >= len(path):
                    raise EvaluationError(f"the statement does not stand {selection.outer} levels deep")
                return path[-1 - selection.outer]
    wanted = selection.first_assigns or selection.first_calls
    raise EvaluationError(f"no statement assigns or calls {wanted} ({selection.occurrence} looked for)")


#: A statement by its block and its position there, after the statements that it stands in.
_Path = tuple[tuple[Sequence["cst.CSTNode"], int], ...]


def _statements(block: Sequence[cst.CSTNode], outer: _Path = ()) -> Iterator[_Path]:
    """Every statement, in reading order, nested functions and classes included."""
    for position, statement in enumerate(block):
        path = (*outer, (block, position))
        yield path
        for inner in _blocks_of(statement):
            yield from _statements(inner, path)


def _blocks_of(statement: cst.CSTNode) -> list[Sequence[cst.CSTNode]]:
    blocks: list[Sequence[cst.CSTNode]] = []
    current: object = statement
    while isinstance(current, cst.If):
        blocks.append(current.body.body)
        current = current.orelse
    if isinstance(current, cst.Else):
        blocks.append(current.body.body)
    elif isinstance(current, cst.For | cst.While):
        blocks.append(current.body.body)
        if current.orelse is not None:
            blocks.append(current.orelse.body.body)
    elif isinstance(current, cst.With | cst.FunctionDef | cst.ClassDef):
        blocks.append(current.body.body)
    elif isinstance(current, cst.Try | cst.TryStar):
        blocks.append(current.body.body)
        blocks.extend(handler.body.body for handler in current.handlers)
        blocks.extend(part.body.body for part in (current.orelse, current.finalbody) if part is not None)
    return blocks


def _matches(statement: cst.CSTNode, assigns: str | None, calls: str | None, *, deep: bool) -> bool:
    if isinstance(statement, cst.SimpleStatementLine):
        return any(_small_matches(small, assigns, calls) for small in statement.body)
    if not deep:
        return False
    return any(_matches(inner, assigns, calls, deep=True) for block in _blocks_of(statement) for inner in block)


def _small_matches(small: cst.CSTNode, assigns: str | None, calls: str | None) -> bool:
    if assigns is not None:
        targets: list[cst.CSTNode] = []
        if isinstance(small, cst.Assign):
            targets = [target.target for target in small.targets]
        elif isinstance(small, cst.AnnAssign | cst.AugAssign):
            targets = [small.target]
        return any(_names_target(target, assigns) for target in targets)
    if calls is not None:
        value = (
            getattr(small, "value", None)
            if isinstance(small, cst.Expr | cst.Assign | cst.AnnAssign | cst.Return)
            else None
        )
        return isinstance(value, cst.Call) and (dotted_name(value.func) or "").rpartition(".")[2] == calls
    return False


def _names_target(target: cst.CSTNode, name: str) -> bool:
    if isinstance(target, cst.Tuple | cst.List):
        return any(_names_target(element.value, name) for element in target.elements)
    while isinstance(target, cst.Subscript):
        target = target.value
    return dotted_name(target) == name


def _within_lines(unit: Unit, body: Sequence[cst.CSTNode], lines: tuple[int, int]) -> Sequence[cst.CSTNode]:
    for path in _statements(body):
        block, position = path[-1]
        end = position
        while end < len(block) and _is_within(unit, block[end], lines):
            end += 1
        if end > position:
            return block[position:end]
    raise EvaluationError(f"no statement stands within lines {lines[0]}-{lines[1]}")


def _is_within(unit: Unit, statement: cst.CSTNode, lines: tuple[int, int]) -> bool:
    span = unit.lines_of(statement)
    return span is not None and lines[0] <= span[0] and span[1] <= lines[1]
