"""What the engine's own lines evaluate to, over stub objects, arrays and shapes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ...config.fields import Field
from ...errors import ConfigurationError
from ...model import codes
from ...model.evidence import Comparison, Evidence, Note, SourceLines, Values
from ...model.place import LineRange, Place
from ...model.verdict import Contradicted, Gone, Holds, Undecided, Verdict
from ..context import Context, LocatedSymbol
from ..kind import ENGINE, Case, Kind, Params, Unanswerable

if TYPE_CHECKING:
    from ..evaluator.source import Source
    from ..evaluator.stubs import Builder
    from ..structure import Statement

SHORT = 4
"""Definitions of no more lines are shown where they were read."""

_LIST = re.compile(r"\[([^\[\]]*)\]")


@dataclass(frozen=True)
class _Finding:
    """One expression of one set of inputs: what was expected and what came out."""

    title: str
    expression: str
    expected: object
    found: object

    @property
    def fits(self) -> bool:
        return _same(self.expected, self.found)

    @property
    def label(self) -> str:
        return f"{self.expression} ({self.title})" if self.title else self.expression


def check(params: Params, context: Context) -> Verdict:
    """The lines are interpreted once for every set of inputs; each expression of each set must have its value.

    Nothing of the engine is imported or executed. What the interpreter does not know is undecided, by name.
    """
    from ..evaluator.failures import BudgetExceeded, EvaluationError, RaisedInSource, Unsupported

    findings: list[_Finding] = []
    shown: list[Evidence] = []
    read: dict[str, LocatedSymbol] = {}
    place: Place | None = None
    for number, one in enumerate(params.get("sets") or [{}], 1):
        title = str(one.get("title", f"set {number}" if len(params.get("sets") or ()) > 1 else ""))
        try:
            results, lines = _run(params, one, title, context, read)
        except RaisedInSource as failure:
            results, lines = [_raised(params, one, title, failure)], ()
        except (Unsupported, BudgetExceeded) as failure:
            raise Unanswerable(Undecided(f"cannot be evaluated: {failure}", codes.UNSUPPORTED)) from failure
        except EvaluationError as failure:
            raise Unanswerable(Undecided(f"cannot be set up: {failure}", codes.UNSUPPORTED)) from failure
        except LookupError as failure:
            raise Unanswerable(Gone(f"{params['engine']} has no {_text(failure.args[0])}")) from failure
        findings.extend(results)
        shown.extend(item for item in lines if item not in shown)
        if place is None:
            place = next((item.place for item in reversed(lines) if isinstance(item, SourceLines)), None)
    return _judge(findings, [*shown, *_also_read(read, shown)], place)


def _also_read(read: Mapping[str, LocatedSymbol], shown: Sequence[Evidence]) -> Iterator[Evidence]:
    """The definitions that stubs took from the tree: the lines of short ones, the places of the others."""
    places = {item.place for item in shown if isinstance(item, SourceLines)}
    others = [one for one in read.values() if one.place not in places]
    short = [one for one in others if len(one.symbol.lines) <= SHORT][:3]
    for one in short:
        yield one.shown(one.symbol.lines, "read for it")
    if rest := [f"{one.symbol.name} ({one.place})" for one in others if one not in short]:
        yield Note(f"read for it: {', '.join(rest[:8])}{f' and {len(rest) - 8} more' if len(rest) > 8 else ''}")


def _judge(findings: Sequence[_Finding], shown: Sequence[Evidence], place: Place | None) -> Verdict:
    values = Values(tuple((one.label, _text(one.found)) for one in findings))
    wrong = [one for one in findings if not one.fits]
    if wrong:
        compared = tuple(Comparison(one.label, _text(one.expected), _text(one.found)) for one in wrong)
        said = "; ".join(f"{one.label} is {_text(one.found)}, not {_text(one.expected)}" for one in wrong)
        return Contradicted(said, (*compared, values, *shown), place)
    said = "; ".join(f"{one.label} is {_text(one.found)}" for one in findings)
    return Holds(said, place, (values, *shown))


def _raised(params: Params, one: Mapping[str, Any], title: str, failure: Any) -> _Finding:
    expected = one.get("raises", params.get("raises"))
    return _Finding(title, "raised", expected or "nothing", failure.exception if expected else str(failure))


# --- one run ---------------------------------------------------------------------------------------------------


def _run(
    params: Params, one: Mapping[str, Any], title: str, context: Context, read: dict[str, LocatedSymbol]
) -> tuple[list[_Finding], tuple[Evidence, ...]]:
    from ..evaluator import run
    from ..evaluator.results import to_plain
    from ..evaluator.stubs import Builder

    builder = Builder(_resolver(params["engine"], context, read))
    names = {**params.get("names", {}), **one.get("names", {})}
    given = {**params.get("given", {}), **one.get("given", {})}
    for path, value in one.get("set", {}).items():
        _set(names if str(path).partition(".")[0] in names else given, str(path), value)
    given = {name: _stated(data, context) for name, data in given.items()}
    builder.add_names({name: _stated(data, context) for name, data in names.items()})
    env = {name: builder.build(data) for name, data in given.items()}
    lines: list[Evidence] = []
    for step in _steps(one if "run" in one else params):
        if "let" in step:
            for name, expression in step["let"].items():
                env[str(name)] = run.evaluate_expression(str(expression), env, globals=builder.names)
            continue
        located = context.symbol(params["engine"], step["path"], step["symbol"])
        if "arguments" in step or "keywords" in step or step.get("call"):
            env["result"] = _call(step, located, builder, env)
            lines.append(_shown(located, located.symbol.lines))
        else:
            chosen = _selected(step, located)
            source = _source(located, chosen)
            outcome = run.run_statements(source, env, globals=builder.names)
            env = dict(outcome.bindings)
            if outcome.left == "return":
                env["result"] = outcome.returned
            lines.append(located.shown(chosen, "interpreted"))
    wanted = {**params.get("expect", {}), **one.get("expect", {})}
    if not wanted and "raises" not in one and "raises" not in params:
        raise ConfigurationError("an `evaluate` check needs something to `expect`")
    if one.get("raises", params.get("raises")):
        return [_Finding(title, "raised", one.get("raises", params.get("raises")), "nothing")], tuple(lines)
    findings = []
    for expression, expected in wanted.items():
        value = _value(str(expression), env, builder, run, to_plain)
        findings.append(_Finding(title, str(expression), _expected(expected, env, builder, context), value))
    return findings, tuple(lines)


def _value(expression: str, env: Mapping[str, Any], builder: Builder, run: Any, to_plain: Any) -> object:
    """A name or an expression after the run; `calls of NAME` gives the arguments that a recorder was called with."""
    if expression.startswith("calls of "):
        recorder = builder.recorders.get(expression.removeprefix("calls of "))
        if recorder is None:
            raise ConfigurationError(f"{expression}: no such recorder")
        return tuple(tuple(to_plain(argument) for argument in call.arguments) for call in recorder.calls)
    if match := re.fullmatch(r"(allocations|nbytes)\((.*)\)", expression):
        from ..evaluator.results import allocations, nbytes

        inner = run.evaluate_expression(match.group(2), env, globals=builder.names)
        return len(allocations(inner)) if match.group(1) == "allocations" else nbytes(inner)
    plain: object = to_plain(run.evaluate_expression(expression, env, globals=builder.names))
    return plain


def _steps(params: Params) -> Sequence[Mapping[str, Any]]:
    steps = params.get("run", [])
    return steps if isinstance(steps, list) else [steps]


def _call(step: Mapping[str, Any], located: LocatedSymbol, builder: Builder, env: Mapping[str, Any]) -> Any:
    from ..evaluator import run

    arguments = [
        env[item] if isinstance(item, str) and item in env else builder.build(item)
        for item in step.get("arguments", ())
    ]
    keywords = {
        str(key): env[item] if isinstance(item, str) and item in env else builder.build(item)
        for key, item in step.get("keywords", {}).items()
    }
    return run.call_function(_source(located, located.symbol.lines), arguments, keywords, globals=builder.names)


def _shown(located: LocatedSymbol, lines: LineRange) -> Evidence:
    """A called function: the lines of a short one, the place of a long one."""
    if len(lines) <= 40:
        return located.shown(lines, "interpreted")
    return Note(f"{located.symbol.name} of {located.path} was called", lines)


# --- which lines -----------------------------------------------------------------------------------------------


def _selected(step: Mapping[str, Any], located: LocatedSymbol) -> LineRange:
    """From the statement that assigns (or calls) `from`, through the one of its block that does so to `through`."""
    found = located.statements
    body = [s for s in found if s.indent > located.symbol.indent]
    start = _first(step, body, located)
    index = body.index(start)
    siblings = _siblings(body, index)
    if "through" in step:
        for sibling in siblings:
            if _sets_or_calls(str(step["through"]), sibling):
                return LineRange(start.lines.first, sibling[-1].lines.last)
        raise Unanswerable(Gone(f"{located.symbol.name} has no {step['through']} after {step['from']}"))
    count = int(step.get("count", 1))
    if len(siblings) < count:
        raise Unanswerable(Gone(f"{located.symbol.name} has fewer than {count} statements from {step['from']} on"))
    return LineRange(start.lines.first, siblings[count - 1][-1].lines.last)


def _first(step: Mapping[str, Any], body: Sequence[Statement], located: LocatedSymbol) -> Statement:
    from ..source_facts import same_condition, under

    wanted, occurrence = step.get("from"), int(step.get("occurrence", 1))
    if wanted is None:
        if body:
            return body[0]
    else:
        word = re.split(r"[\s,.]", str(wanted))[-1]
        hits = [s for s in body if word in s.text and _sets_or_calls(str(wanted), [s])]
        if "under" in step:
            hits = [s for s in hits if any(same_condition(step["under"], c) for c in under(body, s).items)]
        if len(hits) >= occurrence:
            return hits[occurrence - 1]
    where = f" under {step['under']}" if "under" in step else ""
    raise Unanswerable(Gone(f"{located.symbol.name} has no statement that assigns or calls {wanted}{where}"))


def _siblings(body: Sequence[Statement], index: int) -> list[list[Statement]]:
    """The statements of one block from `index` on, each with what stands below it (`else` belongs to its `if`)."""
    groups: list[list[Statement]] = []
    depth = body[index].indent
    for statement in body[index:]:
        if statement.indent < depth:
            break
        if statement.indent > depth or (groups and statement.keyword in ("elif", "else", "except", "finally")):
            groups[-1].append(statement)
        else:
            groups.append([statement])
    return groups


def _sets_or_calls(name: str, group: Sequence[Statement]) -> bool:
    from ..source_facts import assignments, calls

    if name.isidentifier() or re.fullmatch(r"[\w.]+", name):
        return any(
            assignments([s], name) or assignments([s], f"{name}[...]") or calls([s], name)
            for s in group
            if name.rpartition(".")[2] in s.text
        )
    return any(assignments([s], name) for s in group)


def _source(located: LocatedSymbol, lines: LineRange) -> Source:
    from ..evaluator.source import Source

    return Source(located.source.slice(lines.first, lines.last), located.path, lines.first)


def _resolver(engine: str, context: Context, read: dict[str, LocatedSymbol]) -> Any:
    """`path::Class.name` -> its source, noted in `read`; LookupError for what the tree lacks."""

    def resolve(reference: str) -> Source:
        path, _, name = reference.partition("::")
        # A method follows its class; only what stands alone is looked for in other files.
        if "." in name and not context.defines(engine, path, name):
            raise LookupError(reference)
        try:
            located = context.symbol(engine, path, name)
        except Unanswerable as missing:
            if not isinstance(missing.verdict, Gone):
                raise
            raise LookupError(reference) from missing
        read[reference] = located
        return _source(located, located.symbol.lines)

    return resolve


# --- inputs and expectations -----------------------------------------------------------------------------------


def _set(data: dict[str, Any], path: str, value: object) -> None:
    """Puts a value at `name` or `name.attribute…` of stub data, which is copied first."""
    head, _, rest = path.partition(".")
    data[head] = _replaced(deepcopy(data.get(head, {"stub": head})), rest.split("."), value, path) if rest else value


def _replaced(data: Any, path: Sequence[str], value: object, what: str) -> Any:
    if not isinstance(data, dict) or "stub" not in data:
        raise ConfigurationError(f"{what}: only attributes of stubs can be set")
    attributes = data.setdefault("attributes", {})
    if len(path) == 1:
        attributes[path[0]] = value
    else:
        attributes[path[0]] = _replaced(attributes.get(path[0], {"stub": path[0]}), path[1:], value, what)
    return data


def _stated(value: Any, context: Context) -> Any:
    """`{figure: N}` and `{list: N}`, wherever they stand, are what the words state; anything else is itself."""
    if isinstance(value, dict) and "figure" in value:
        from ..operands import Stated

        return Stated(context.words).value({k: v for k, v in value.items() if k in ("figure", "thousand", "binary")})
    if isinstance(value, dict) and set(value) == {"list"} and isinstance(value["list"], int):
        lists = _LIST.findall(context.words or "")
        if len(lists) < value["list"]:
            message = f"the words state {len(lists)} lists, and the check is about list {value['list']}"
            raise Unanswerable(Undecided(f"{message}: “{context.words}”", codes.NOT_CHECKABLE))
        items = [item.strip() for item in lists[value["list"] - 1].split(",")]
        return [int(item) for item in items if re.fullmatch(r"-?\d+", item)]
    if isinstance(value, dict):
        return {key: _stated(item, context) for key, item in value.items()}
    return [_stated(item, context) for item in value] if isinstance(value, list) else value


def _expected(value: Any, env: Mapping[str, Any], builder: Builder, context: Context) -> object:
    """A stated value, a quantity of the cost model, or the value of another expression of the same run."""
    if isinstance(value, dict) and "expression" in value:
        from ..evaluator import run
        from ..evaluator.results import to_plain

        plain: object = to_plain(run.evaluate_expression(value["expression"], env, globals=builder.names))
        return plain
    if isinstance(value, dict) and "quantity" in value:
        from ..operands import Stated, quantity

        stated = Stated(context.words)
        return quantity(value["quantity"], stated.parameters(value.get("with")), stated).value
    return _stated(value, context)


def _same(expected: object, found: object) -> bool:
    """Lists and tuples alike; whole numbers and fractions by value; `...` at the end of a list: and so on."""
    if isinstance(expected, (list, tuple)) and isinstance(found, (list, tuple)):
        return len(expected) == len(found) and all(map(_same, expected, found))
    if isinstance(expected, dict) and isinstance(found, dict):
        return expected.keys() == found.keys() and all(_same(expected[key], found[key]) for key in expected)
    if isinstance(expected, bool) or isinstance(found, bool):
        return expected is found
    return expected == found


def _text(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(map(_text, value)) + "]"
    if isinstance(value, list):
        return _text(tuple(value))
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}" if abs(value) > 9999 else str(value)
    return str(value)


def _references(value: object) -> Iterator[str]:
    """Every `path::Name` in stub data."""
    if isinstance(value, str):
        if "::" in value:
            yield value
    elif isinstance(value, Mapping):
        for item in value.values():
            yield from _references(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _references(item)


def _paths(params: Params) -> Iterable[tuple[str, str]]:
    tables = [params, *params.get("sets", ())]
    named = [step["path"] for table in tables for step in _steps(table) if "path" in step]
    stubs = [table.get(key) for table in tables for key in ("names", "given", "set")]
    named += [reference.partition("::")[0] for reference in _references(stubs)]
    return [(params["engine"], path) for path in dict.fromkeys(named)]


_FILES = {
    "toy/plan.py": (
        "LIMIT = 1 << 3\n\n\ndef halves(n):\n    return n // 2\n\n\nclass Plan:\n    @property\n"
        "    def left(self):\n        return self.total - self.done\n\n    def run(self, batch):\n        log(batch)\n"
        "        step = (\n            self.left\n            + batch.extra\n        )\n"
        "        if 0 < LIMIT < step:\n            step = LIMIT\n        step = min(step, halves(batch.room))\n"
        "        return send(step)\n\n    def burn(self):\n        while True:\n            pass\n"
    )
}
_PLAN = {
    "engine": "toy",
    "names": {"LIMIT": {"expression": "toy/plan.py::LIMIT"}, "halves": {"function": "toy/plan.py::halves"}},
    "given": {
        "self": {
            "stub": "Plan",
            "attributes": {"total": 7, "done": 6, "left": {"property": "toy/plan.py::Plan.left"}},
        },
        "batch": {"stub": "Batch", "attributes": {"extra": 0, "room": 100}},
    },
    "run": {"path": "toy/plan.py", "symbol": "Plan.run", "from": "step", "count": 3},
}

KIND = Kind(
    name="evaluate",
    summary="What the engine's own statements evaluate to over stubs: stated values, or those of the reference.",
    fields=(
        ENGINE,
        Field("names", "map", "what global names mean (refcheck.claims.evaluator.stubs)"),
        Field("given", "map", "the local names that the lines refer to, as stubs"),
        Field(
            "run",
            "map|list",
            "`path` and `symbol`; with `arguments`, `keywords` or `call: true` it is called; else its statements run "
            "`from` the one that assigns or calls a name (`under` a test), `through` a later one of the block, or a "
            "`count` of them; a step `let: {name: expression}` sets names between the others",
        ),
        Field(
            "expect",
            "map",
            "expression -> value: a literal, {figure: N} or {list: N} of the words, {quantity: …}, {expression: …}",
        ),
        Field("raises", "str", "the exception that the lines must raise"),
        Field(
            "sets", "list", "sets of inputs: {title, set: {name.attribute: value}, given, names, run, expect, raises}"
        ),
    ),
    check=check,
    paths=_paths,
    cases=(
        Case("one set of inputs", {**_PLAN, "expect": {"step": 1}}, "holds", _FILES),
        Case(
            "two sets, one of them limited",
            {
                **_PLAN,
                "sets": [
                    {"title": "short", "expect": {"step": 1}},
                    {"title": "long", "set": {"self.total": 60, "batch.extra": 2}, "expect": {"step": 8}},
                ],
            },
            "holds",
            _FILES,
        ),
        Case(
            "the statement under a test, and a name set before",
            {
                **_PLAN,
                "run": [
                    {"let": {"step": "LIMIT + 1"}},
                    {"path": "toy/plan.py", "symbol": "Plan.run", "from": "step", "under": "0 < LIMIT < step"},
                ],
                "expect": {"step": 8},
            },
            "holds",
            _FILES,
        ),
        Case(
            "no such statement under the test",
            {
                **_PLAN,
                "run": {"path": "toy/plan.py", "symbol": "Plan.run", "from": "step", "under": "LIMIT"},
                "expect": {"step": 8},
            },
            "gone",
            _FILES,
        ),
        Case("the stated figure", {**_PLAN, "expect": {"step": {"figure": 1}}}, "holds", _FILES, words="a step of 1"),
        Case(
            "another figure", {**_PLAN, "expect": {"step": {"figure": 1}}}, "contradicted", _FILES, words="a step of 2"
        ),
        Case(
            "wrong in one set",
            {**_PLAN, "sets": [{"expect": {"step": 1}}, {"set": {"self.done": 5}, "expect": {"step": 1}}]},
            "contradicted",
            _FILES,
        ),
        Case(
            "a call",
            {
                "engine": "toy",
                "run": {"path": "toy/plan.py", "symbol": "halves", "arguments": [9]},
                "expect": {"result": 4},
            },
            "holds",
            _FILES,
        ),
        Case(
            "a loop without end",
            {
                "engine": "toy",
                "run": {"path": "toy/plan.py", "symbol": "Plan.burn", "arguments": [None]},
                "expect": {"result": 1},
            },
            "undecided",
            _FILES,
        ),
        Case(
            "a name that nothing gives",
            {
                **_PLAN,
                "run": {"path": "toy/plan.py", "symbol": "Plan.run", "from": "log"},
                "expect": {"batch.room": 100},
            },
            "undecided",
            _FILES,
        ),
        Case(
            "no such statement",
            {**_PLAN, "run": {"path": "toy/plan.py", "symbol": "Plan.run", "from": "stop"}, "expect": {"step": 1}},
            "gone",
            _FILES,
        ),
    ),
)
