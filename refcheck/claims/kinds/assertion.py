"""An assertion in the words about the arrays of a running decode loop: `positions[-1] == seq_lens[0] - 1`."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from ...config.fields import Field
from ...model import codes
from ...model.evidence import Comparison, Values
from ...model.verdict import Contradicted, Holds, Undecided, Verdict
from ..context import Context
from ..kind import Case, Kind, Params
from ..operands import exact_text, words_of

if TYPE_CHECKING:
    from ...reference.loop import Step

MAX_LENGTH = 200
_RUNS: tuple[Mapping[str, Any], ...] = ({}, {"chunk": 1}, {"chunk": 7}, {"chunk": 3, "block_size": 4})


class _Unread(ValueError):
    """What stands there is no comparison of the loop's arrays."""


def check(params: Params, context: Context) -> Verdict:
    """Evaluated at every step of whole and chunked prefill and of decode.

    `arrays: buffers` takes the arrays as runners keep them, allocated once for the longest batch and filled up
    with zeros; `arrays: sliced` (the default) the part that the step has filled.
    """
    words = words_of(context, "assertion")
    try:
        node, text = _assertion(words)
        seen, failed, example = 0, 0, None
        for step in _steps():
            bindings = _arrays(step, params.get("arrays", "sliced"), params.get("buffer", 64))
            seen += 1
            if not _value(node, bindings):
                failed += 1
                example = example or bindings
    except _Unread as error:
        return Undecided(f"no assertion is read in “{words}”: {error}", codes.NOT_CHECKABLE)
    compared = Comparison(f"assert {text}", f"true at {seen} steps", f"true at {seen - failed}")
    if failed and example is not None:
        shown = {name: values for name, values in example.items() if name in text}
        values = Values(tuple((name, exact_text(tuple(array[:32]))) for name, array in shown.items()))
        which = "the whole buffers" if params.get("arrays") == "buffers" else "the arrays of the step"
        return Contradicted(f"{text} fails at {failed} of {seen} steps on {which}", (compared, values))
    return Holds(f"{text} at all {seen} steps of whole and chunked prefill and of decode", evidence=(compared,))


@cache
def _steps() -> tuple[Step, ...]:
    """The steps of one request with whole and with chunked prefill."""
    from ...reference.loop import Run, generate

    return tuple(step for options in _RUNS for step in generate(Run(prompt=11, steps=4, **options)).steps)


def _arrays(step: Step, arrays: str, buffer: int) -> dict[str, Sequence[int]]:
    """What a runner has at hand in a step of one request."""
    found: dict[str, Sequence[int]] = {
        "positions": tuple(step.positions),
        "seq_lens": (step.seq_len,),
        "num_scheduled_tokens": (step.num_new_tokens,),
    }
    if arrays == "buffers":
        return {name: (*values, *[0] * (buffer - len(values))) for name, values in found.items()}
    return found


def _assertion(words: str) -> tuple[ast.expr, str]:
    """The longest comparison after the word `assert`, else in backticks or `<code>`."""
    match = re.search(r"\bassert\b\s*(?:that\s+)?(?:</?\w+>)?(?P<rest>.+)", words, re.DOTALL)
    if match is None:
        raise _Unread("it has no `assert`")
    rest = re.sub(r"</?\w+>|`", " ", match["rest"]).strip()[:MAX_LENGTH]
    pieces = rest.split()
    for length in range(len(pieces), 0, -1):
        text = " ".join(pieces[:length]).rstrip(".,;:")
        try:
            node = ast.parse(text, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        if isinstance(node, ast.Compare):
            return node, text
    raise _Unread("no comparison stands after `assert`")


_COMPARE: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: operator.eq, ast.NotEq: operator.ne, ast.Lt: operator.lt, ast.LtE: operator.le, ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}  # fmt: skip
_ARITHMETIC: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul,
}  # fmt: skip


def _value(node: ast.expr, bindings: Mapping[str, Sequence[int]]) -> Any:
    """Comparisons, sums, differences, products, indices and `len` of the named arrays; nothing else is read."""
    match node:
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in _COMPARE:
            return _COMPARE[type(op)](_whole(left, bindings), _whole(right, bindings))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _ARITHMETIC:
            return _ARITHMETIC[type(op)](_whole(left, bindings), _whole(right, bindings))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_whole(operand, bindings)
        case ast.Constant(value=int(number)) if abs(number) < 10**9:
            return number
        case ast.Subscript(value=ast.Name(id=name), slice=index):
            array = _array(name, bindings)
            at = _whole(index, bindings)
            if not -len(array) <= at < len(array):
                raise _Unread(f"{name} has {len(array)} values, and no [{at}]")
            return array[at]
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)], keywords=[]):
            return len(_array(name, bindings))
        case _:
            raise _Unread(f"{ast.unparse(node)[:60]} is not read in an assertion")


def _whole(node: ast.expr, bindings: Mapping[str, Sequence[int]]) -> int:
    value = _value(node, bindings)
    if isinstance(value, bool) or not isinstance(value, int):
        raise _Unread(f"{ast.unparse(node)[:60]} is no number")
    return value


def _array(name: str, bindings: Mapping[str, Sequence[int]]) -> Sequence[int]:
    if name not in bindings:
        raise _Unread(f"the loop has {', '.join(bindings)}, and no {name}")
    return bindings[name]


KIND = Kind(
    name="assertion",
    summary="An assertion in the words, evaluated at every step of the decode loop.",
    fields=(
        Field("arrays", "str", "the filled part of the arrays, or whole buffers", choices=("sliced", "buffers")),
        Field("buffer", "int", "how long a buffer is (64 unless given)"),
    ),
    check=check,
    cases=(
        Case("always so", {}, "holds", words="assert positions[-1] == seq_lens[0] - 1 at every step"),
        Case("in backticks", {}, "holds", words="then assert `len(positions) == num_scheduled_tokens[0]`."),
        Case("off by one", {}, "contradicted", words="assert positions[-1] == seq_lens[0] at every step"),
        Case("not in a buffer", {"arrays": "buffers"}, "contradicted", words="assert positions[-1] == seq_lens[0] - 1"),
        Case("not an assertion", {}, "undecided", words="look at positions and seq_lens"),
        Case("nothing else is run", {}, "undecided", words="assert __import__('os').getpid() == 1"),
    ),
)  # fmt: skip
