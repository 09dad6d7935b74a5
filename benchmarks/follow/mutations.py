"""Copies of a tree whose every line's origin is known, so that the truth about a range of it is known.

Each file goes through a few mutations. A line carries the number of the old line that it is; a copy, an edit and an
insertion carry none. The truth of a range: where all of its lines stand intact, in order and in one piece (blank
lines and common indentation aside), or nowhere. Where a copy was inserted so that nobody could tell it from the
original by reading both texts, an honest answer is `Ambiguous`; taking the copy counts as wrong all the same.
"""

from __future__ import annotations

import bisect
import collections
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.follow.trees import MemoryTree
from refcheck.locate.follow import Request
from refcheck.locate.follow.elsewhere import is_test
from refcheck.locate.outline import Symbol, outline
from refcheck.model.source_text import SourceText

_HEADER = re.compile(r"\s*(?:async\s+)?(?:def|class)\s")


@dataclass
class Line:
    """One line: its text, and the (path, number) of the old line that it is, if it is one.

    `or_this` is the old line of which it is a copy that stands directly beside the original: reading both texts,
    either of the two may be the inserted one. `edited_from` is the old line whose edited form this is.
    """

    text: str
    origin: tuple[str, int] | None
    or_this: tuple[str, int] | None = None
    edited_from: tuple[str, int] | None = None


@dataclass
class World:
    """The files of the mutated tree, and where each mutation was applied (old path -> names)."""

    files: dict[str, list[Line]]
    chooser: random.Random
    applied: dict[str, list[str]] = field(default_factory=lambda: collections.defaultdict(list))


def _source(path: str, lines: list[Line]) -> SourceText:
    return SourceText(path, "", "\n".join(line.text for line in lines) + "\n")


def _functions(path: str, lines: list[Line], least: int = 5) -> list[Symbol]:
    found = outline(_source(path, lines)).symbols
    return [
        s
        for s in found
        if s.kind.is_scope
        and s.kind.value != "class"
        and len(s.lines) >= least
        and s.body is not None
        # A copy is not mutated further: its name would pass for the original's. Nor is what has a copy of its
        # name: of the two the one that stays where it was is the original, to any reader.
        and lines[s.definition - 1].origin is not None
        and not _has_copy(lines, lines[s.definition - 1])
        and not _runs_on(lines, s)
        and sum(other.name == s.name for other in found) == 1
    ]


def _runs_on(lines: list[Line], function: Symbol) -> bool:
    """The outline takes later definitions for parts of this one, because a mutation broke a bracket or a string.

    Copied or moved as one function they would keep their names in the copy, which no reader would take for a copy.
    """
    below = lines[function.definition : function.lines.last]
    return any(_HEADER.match(x.text) and len(x.text) - len(x.text.lstrip()) <= function.indent for x in below)


def _block(world: World, lines: list[Line], least: int = 1, most: int = 15) -> tuple[int, int] | None:
    size = world.chooser.randint(least, most)
    if len(lines) < size + 4:
        return None
    at = world.chooser.randrange(0, len(lines) - size)
    block = lines[at : at + size]
    return (at, at + size) if any(line.text.strip() for line in block) else None


def _parts_names(lines: list[Line], block: tuple[int, int]) -> bool:
    """The block holds the header of a definition of which there is a copy, or the copy's.

    Without it the other one alone has the name, or the copy has none, or, under a name of its own, gets the original's:
    to any reader the one that has the name is the original then, whichever was written first.
    """
    headers = [line for line in lines[block[0] : block[1]] if _HEADER.match(line.text)]
    renamed = {line.text.replace("_new", "", 1) for line in lines if line.origin is None and "_new" in line.text}
    return any(line.origin is None or line.text in renamed or _has_copy(lines, line) for line in headers)


def _has_copy(lines: list[Line], line: Line) -> bool:
    """By text, for an outline does not see all definitions of a file that a mutation broke."""
    return any(other.text == line.text and other.origin is None for other in lines if other is not line)


def _copied(lines: list[Line], *, beside: bool = False) -> list[Line]:
    return [Line(line.text, None, line.origin if beside else None) for line in lines]


def _edit(world: World, lines: list[Line], at: int) -> None:
    """One word of a line gets another name.

    Not in the header of a definition that a copy has as well: to any reader the one that keeps name and signature is
    the definition, whichever was written first.
    """
    line = lines[at]
    if _HEADER.match(line.text) and _has_copy(lines, line):
        return
    words = re.findall(r"\w+", line.text)
    if not words:
        lines[at] = Line(line.text + "  # edited", None, edited_from=line.origin or line.edited_from)
        return
    word = world.chooser.choice(words)
    text = re.sub(rf"\b{re.escape(word)}\b", f"{word}_v2", line.text, count=1)
    lines[at] = Line(text, None, edited_from=line.origin or line.edited_from)


def insert_fresh(world: World, path: str) -> None:
    """New lines somewhere."""
    lines = world.files[path]
    at = world.chooser.randint(0, len(lines))
    count = world.chooser.randint(1, 12)
    lines[at:at] = [Line(f"    fresh_{world.chooser.randrange(10**6)} = {i}", None) for i in range(count)]


def insert_copy_beside(world: World, path: str) -> None:
    """An identical block directly before or after a block."""
    lines = world.files[path]
    block = _block(world, lines)
    if block:
        at = block[world.chooser.randrange(2)]
        lines[at:at] = _copied(lines[block[0] : block[1]], beside=True)


def insert_copy_near(world: World, path: str) -> None:
    """A copy of a block a few lines away."""
    lines = world.files[path]
    block = _block(world, lines)
    if block:
        at = max(0, min(len(lines), block[1] + world.chooser.randint(-30, 30)))
        if not block[0] < at < block[1]:
            lines[at:at] = _copied(lines[block[0] : block[1]], beside=at in block)


def copy_then_edit(world: World, path: str) -> None:
    """A copy of a block elsewhere in the file, and the original edited."""
    lines = world.files[path]
    block = _block(world, lines, 3, 20)
    if block:
        copy = _copied(lines[block[0] : block[1]])
        # Not into a wrapper: what stands whole under the old name is the original to any reader, and what `wrap` put
        # under the new name, once it is edited, a copy of it.
        # Nor into what has the name that the block stood under: functions may have exchanged their names.
        functions = [
            s for s in _functions(path, lines) if not _is_wrapper(lines, s) and not _had(lines, s, range(*block))
        ]
        there = world.chooser.choice(functions).lines.last if functions else len(lines)
        if block[0] < there < block[1]:
            there = len(lines)
        if there == len(lines) and _ends_in_wrapper(lines):
            return
        lines[there:there] = copy
        moved = len(copy) if there <= block[0] else 0
        for at in world.chooser.sample(range(*block), k=max(1, (block[1] - block[0]) // 4)):
            if lines[at + moved].text.strip():
                _edit(world, lines, at + moved)


def _is_wrapper(lines: list[Line], function: Symbol) -> bool:
    call = f"return _{function.short}_impl()"
    return any(line.text.strip() == call for line in lines[function.definition : function.lines.last])


def _had(lines: list[Line], function: Symbol, block: range) -> bool:
    """A line of the block, which is not in the function now, stood below its header in the older file."""
    if function.definition <= block.start < function.lines.last:
        return False
    headers = sorted(line.origin[1] for line in lines if line.origin and _HEADER.match(line.text))
    header = lines[function.definition - 1].origin
    numbers = [line[1] for at in block if (line := lines[at].origin or lines[at].edited_from)]
    above = [headers[at - 1] for n in numbers if (at := bisect.bisect_right(headers, n))]
    return header is not None and header[1] in above


def _ends_in_wrapper(lines: list[Line]) -> bool:
    last = next((line.text for line in reversed(lines) if line.text.strip()), "")
    return re.fullmatch(r"\s*return _\w+_impl\(\)", last) is not None


def wrap(world: World, path: str) -> None:
    """A wrapper keeps a function's name, and its body goes into another function."""
    lines = world.files[path]
    functions = _functions(path, lines)
    if not functions:
        return
    chosen = world.chooser.choice(functions)
    head, sign = chosen.lines.first - 1, chosen.signature_last
    name = chosen.short
    body = lines[sign : chosen.lines.last]
    signature = lines[head:sign]
    indent = " " * chosen.indent
    inner = _copied(lines[chosen.definition - 1 : sign], beside=True)
    inner[0] = Line(re.sub(rf"\b{re.escape(name)}\b", f"_{name}_impl", inner[0].text, count=1), None)
    call = Line(f"{indent}    return _{name}_impl()", None)
    if world.chooser.random() < 0.5:
        lines[head : chosen.lines.last] = [*signature, call, Line("", None), *inner, *body]
    else:
        lines[head : chosen.lines.last] = [*inner, *body, Line("", None), *signature, call]


def split(world: World, path: str) -> None:
    """The second half of a function's body goes into a new function below it."""
    lines = world.files[path]
    functions = _functions(path, lines, 12)
    if not functions:
        return
    chosen = world.chooser.choice(functions)
    middle = (chosen.signature_last + chosen.lines.last) // 2
    indent = " " * chosen.indent
    moved = lines[middle : chosen.lines.last]
    lines[middle : chosen.lines.last] = [
        Line(f"{indent}    return _{chosen.short}_rest()", None),
        Line("", None),
        Line(f"{indent}def _{chosen.short}_rest():", None),
        *moved,
    ]


def copy_function(world: World, path: str) -> None:
    """A function is copied under a new name beside the original, which is then edited."""
    lines = world.files[path]
    functions = _functions(path, lines)
    if not functions:
        return
    chosen = world.chooser.choice(functions)
    first, last = chosen.lines.first - 1, chosen.lines.last
    copy = _copied(lines[first:last])
    at = chosen.definition - chosen.lines.first
    copy[at] = Line(copy[at].text.replace(chosen.short, f"{chosen.short}_new", 1), None)
    where = world.chooser.choice((first, last))
    lines[where:where] = [*copy, Line("", None)] if where == first else [Line("", None), *copy]
    moved = len(copy) + 1 if where == first else 0
    for row in range(chosen.signature_last, last):
        if world.chooser.random() < 0.25 and lines[row + moved].text.strip():
            _edit(world, lines, row + moved)


def duplicate_function(world: World, path: str) -> None:
    """The same function twice."""
    lines = world.files[path]
    functions = _functions(path, lines)
    if functions:
        chosen = world.chooser.choice(functions)
        copy = _copied(lines[chosen.lines.first - 1 : chosen.lines.last], beside=True)
        where = world.chooser.choice((chosen.lines.first - 1, chosen.lines.last))
        lines[where:where] = [*copy, Line("", None)]


def rename_symbol(world: World, path: str) -> None:
    """A function or class gets another name."""
    lines = world.files[path]
    found = outline(_source(path, lines))
    # Of a definition and its copy the one that keeps the name is the original, to any reader.
    symbols = [
        s
        for s in found.symbols
        if s.kind.is_scope
        and lines[s.definition - 1].origin is not None
        and not _has_copy(lines, lines[s.definition - 1])
        and sum(other.name == s.name for other in found.symbols) == 1
    ]
    if symbols:
        chosen = world.chooser.choice(symbols)
        at = chosen.definition - 1
        text = lines[at].text
        lines[at] = Line(re.sub(rf"\b{re.escape(chosen.short)}\b", f"{chosen.short}_renamed", text, count=1), None)


def swap_names(world: World, path: str) -> None:
    """Two functions exchange their names."""
    lines = world.files[path]
    functions = _functions(path, lines)
    if len(functions) < 2:
        return
    one, two = world.chooser.sample(functions, 2)
    if one.indent != two.indent or one.short == two.short or one.lines.overlaps(two.lines):
        return
    heads = {one.short: lines[one.definition - 1], two.short: lines[two.definition - 1]}
    for mine, theirs in ((one, two), (two, one)):
        at = mine.definition - 1
        text = re.sub(rf"\b{re.escape(mine.short)}\b", theirs.short, lines[at].text, count=1)
        # The signature belongs to the name: where it is the other's own line, it is that line.
        lines[at] = heads[theirs.short] if text == heads[theirs.short].text else Line(text, None)
    # So do the parameters below it, and the decorators above it, as far as the two have the same.
    below = zip(range(one.definition, one.signature_last), range(two.definition, two.signature_last), strict=False)
    above = zip(_decorators(one), _decorators(two), strict=False)
    for pairs in (below, above):
        for first, second in pairs:
            if lines[first].text != lines[second].text:
                break
            lines[first], lines[second] = lines[second], lines[first]


def _decorators(function: Symbol) -> range:
    """Their indexes, from the name upwards."""
    return range(function.definition - 2, function.lines.first - 2, -1)


def indent_block(world: World, path: str) -> None:
    """A block goes under a new `if`."""
    lines = world.files[path]
    block = _block(world, lines, 2, 20)
    if not block:
        return
    first = next((line.text for line in lines[block[0] : block[1]] if line.text.strip()), "")
    margin = " " * (len(first) - len(first.lstrip()))
    inner = [Line("    " + x.text if x.text.strip() else x.text, x.origin) for x in lines[block[0] : block[1]]]
    lines[block[0] : block[1]] = [Line(f"{margin}if enabled_{world.chooser.randrange(10**6)}:", None), *inner]


def blank_lines(world: World, path: str) -> None:
    """Blank lines come and go."""
    lines = world.files[path]
    for _ in range(6):
        at = world.chooser.randrange(len(lines))
        if lines[at].text.strip():
            lines[at:at] = [Line("", None)]
        elif len(lines) > 3:
            del lines[at]


def edit_lines(world: World, path: str) -> None:
    """Single lines are edited."""
    lines = world.files[path]
    for _ in range(world.chooser.randint(1, 12)):
        at = world.chooser.randrange(len(lines))
        if lines[at].text.strip():
            _edit(world, lines, at)


def delete_block(world: World, path: str) -> None:
    """A block is deleted."""
    lines = world.files[path]
    block = _block(world, lines)
    if block and not _parts_names(lines, block):
        del lines[block[0] : block[1]]


def delete_and_copy_twin(world: World, path: str) -> None:
    """A text that stands twice: one is deleted, and a copy of the other is inserted beside it."""
    lines = world.files[path]
    counts = collections.Counter(line.text for line in lines if line.text.strip())
    repeated = [i for i, line in enumerate(lines) if counts[line.text] == 2]
    if len(repeated) >= 2:
        at = world.chooser.choice(repeated)
        twin = next(i for i in repeated if i != at and lines[i].text == lines[at].text)
        copy = Line(lines[twin].text, None, lines[twin].origin)
        where = twin + world.chooser.randrange(2)
        mutated = [*lines[:where], copy, *lines[where:]]
        del mutated[at + (where <= at)]
        # Of two that stand in a row this leaves the same text, in which nobody could see that anything happened.
        if _texts(mutated) != _texts(lines):
            lines[:] = mutated


def _texts(lines: list[Line]) -> list[str]:
    return [line.text for line in lines if line.text.strip()]


def move_block(world: World, path: str) -> None:
    """A block goes somewhere else in the file."""
    lines = world.files[path]
    block = _block(world, lines, 1, 20)
    if block and not _parts_names(lines, block):
        taken = lines[block[0] : block[1]]
        del lines[block[0] : block[1]]
        at = world.chooser.randint(0, len(lines))
        lines[at:at] = taken


def move_function(world: World, path: str) -> None:
    """A whole function goes to another place in the file."""
    lines = world.files[path]
    functions = _functions(path, lines)
    if len(functions) < 2:
        return
    chosen = world.chooser.choice(functions)
    taken = lines[chosen.lines.first - 1 : chosen.lines.last]
    del lines[chosen.lines.first - 1 : chosen.lines.last]
    others = [s for s in _functions(path, lines) if s.indent == chosen.indent]
    at = world.chooser.choice(others).lines.last if others else len(lines)
    lines[at:at] = [Line("", None), *taken]


def restore(world: World, path: str) -> None:
    """A block is removed, and later written again at the same place by hand: the same lines."""
    lines = world.files[path]
    block = _block(world, lines)
    if block:
        taken = lines[block[0] : block[1]]
        lines[block[0] : block[1]] = [Line(line.text, line.origin) for line in taken]


def rename_file(world: World, path: str) -> None:
    """The file gets another name."""
    world.files[path.removesuffix(".py") + "_renamed.py"] = world.files.pop(path)


def fork_file(world: World, path: str) -> None:
    """The file is copied to two new ones, edited there, and deleted: nobody can say which one it is."""
    lines = world.files.pop(path)
    for number in (1, 2):
        name = path.removesuffix(".py") + f"_fork{number}.py"
        world.files[name] = _copied(lines)
        edit_lines(world, name)


def copy_file(world: World, path: str) -> None:
    """The file is copied for a new model, and the original edited."""
    world.files[path.removesuffix(".py") + "_next.py"] = _copied(world.files[path])
    edit_lines(world, path)
    edit_lines(world, path)


def split_file(world: World, path: str) -> None:
    """Some top-level definitions go to a new file."""
    lines = world.files[path]
    found = [s for s in outline(_source(path, lines)).symbols if s.kind.is_scope and s.indent == 0]
    tops = [s for s in found if sum(other.name == s.name for other in found) == 1]
    if len(tops) < 3:
        return
    chosen = sorted(world.chooser.sample(tops, len(tops) // 2), key=lambda s: -s.lines.first)
    taken: list[Line] = []
    for symbol in chosen:
        taken = [*lines[symbol.lines.first - 1 : symbol.lines.last], Line("", None), *taken]
        del lines[symbol.lines.first - 1 : symbol.lines.last]
    world.files[path.removesuffix(".py") + "_part.py"] = [Line("import os", None), Line("", None), *taken]


def move_function_out(world: World, path: str) -> None:
    """One function goes to another existing file: of code to code, of tests to tests, as `elsewhere` takes it to be."""
    lines = world.files[path]
    functions = [s for s in _functions(path, lines) if s.indent == 0]
    others = [p for p in sorted(world.files) if p != path and is_test(p) == is_test(path)]
    if functions and others:
        chosen = world.chooser.choice(functions)
        taken = lines[chosen.lines.first - 1 : chosen.lines.last]
        del lines[chosen.lines.first - 1 : chosen.lines.last]
        world.files[world.chooser.choice(others)].extend([Line("", None), *taken])


WITHIN: tuple[Callable[[World, str], None], ...] = (
    insert_fresh,
    insert_copy_beside,
    insert_copy_near,
    copy_then_edit,
    wrap,
    split,
    copy_function,
    duplicate_function,
    rename_symbol,
    swap_names,
    indent_block,
    blank_lines,
    edit_lines,
    delete_block,
    delete_and_copy_twin,
    move_block,
    move_function,
    restore,
)
FILES: tuple[Callable[[World, str], None], ...] = (
    rename_file,
    fork_file,
    copy_file,
    split_file,
    move_function_out,
)


def mutate(tree: MemoryTree, paths: list[str], seed: int, most: int = 4) -> World:
    chooser = random.Random(seed)
    files: dict[str, list[Line]] = {}
    for path in paths:
        lines = tree.read(path).lines
        files[path] = [Line(text, (path, number)) for number, text in enumerate(lines, 1)]
    world = World(files, chooser)
    for path in paths:
        for mutation in chooser.choices(WITHIN, k=chooser.randint(1, most)):
            mutation(world, path)
            world.applied[path].append(mutation.__name__)
        if chooser.random() < 0.3:
            mutation = chooser.choice(FILES)
            mutation(world, path)
            world.applied[path].append(mutation.__name__)
    return world


Where = dict[tuple[str, int], tuple[str, int]]


def truth(world: World, where: Where, old: SourceText, request: Request) -> tuple[str, int, int] | None:
    """Path and lines of the first and last non-blank line, if the range is intact and in one piece."""
    wanted = [n for n in range(request.first, request.last + 1) if old.lines[n - 1].strip()]
    places = [where.get((request.path, number)) for number in wanted]
    first, last = places[0], places[-1]
    if any(place is None or place[0] != first[0] for place in places):
        return None
    path = first[0]
    rows = [place[1] for place in places]
    between = [row for row in range(rows[0], rows[-1] + 1) if world.files[path][row - 1].text.strip()]
    if between != rows:
        return None
    before = [old.lines[n - 1] for n in wanted]
    after = [world.files[path][row - 1].text for row in rows]
    if _dedent(before) != _dedent(after):
        return None
    return path, first[1], last[1]


def _dedent(lines: list[str]) -> list[str]:
    margin = min(len(line) - len(line.lstrip()) for line in lines)
    return [line[margin:] for line in lines]


def index(world: World) -> Where:
    """Old line -> where it is now."""
    found: Where = {}
    for path, lines in world.files.items():
        for row, line in enumerate(lines, 1):
            if line.origin is not None:
                found[line.origin] = (path, row)
    return found
