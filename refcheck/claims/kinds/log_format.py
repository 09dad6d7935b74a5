"""Which lines a command prints: the format strings of log calls against a `grep` pattern."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ...config.fields import Field
from ...errors import ConfigurationError
from ...model import codes
from ...model.evidence import Comparison, Evidence, Note, SourceLines
from ...model.place import LineRange, Place
from ...model.verdict import Contradicted, Gone, Holds, Undecided, Verdict
from ..context import Context, LocatedSymbol
from ..kind import ENGINE, Case, Kind, Params, Unanswerable
from ..patterns import UnboundedPattern, bounded_pattern
from ..source_facts import wanted_pattern
from ..structure import code_of, nodes

if TYPE_CHECKING:
    import libcst as cst

_GREP = re.compile(r"""grep\s+(?P<flags>(?:-\w+\s+)*)(?P<quote>["'])(?P<pattern>.+?)(?P=quote)""")
_PLACEHOLDER = re.compile(r"%[-+ #0]*\d*(?:\.\d+)?[sdifgrx]")
_SAMPLES = {"s": "432,000", "d": "27000", "i": "27000", "f": "105.47", "g": "105.47", "r": "x", "x": "1f"}


@dataclass(frozen=True)
class _Logged:
    """A log call and the text it prints, placeholders filled with samples."""

    located: LocatedSymbol
    line: int
    format: str

    @property
    def printed(self) -> str:
        return _PLACEHOLDER.sub(lambda m: _SAMPLES.get(m.group()[-1], "x"), self.format)


def check(params: Params, context: Context) -> Verdict:
    """Each of `prints` is a piece of a printed line; with a `grep` (or the one in the words), of one let through."""
    grep = _pattern(params, context)
    logged: list[_Logged] = []
    absent: list[Unanswerable] = []
    for entry in params["functions"]:
        try:
            logged.extend(_logs(entry, params["engine"], context))
        except Unanswerable as stop:
            absent.append(stop)
    if not logged and absent:
        raise absent[0]
    if not logged:
        return Gone(f"nothing is logged by {', '.join(entry['symbol'] for entry in params['functions'])}")
    through = [one for one in logged if grep is None or grep.search(one.printed)]
    by = (
        f"{grep.pattern!r} lets {len(through)} of {len(logged)} log lines through"
        if grep
        else f"{len(logged)} log lines"
    )
    pieces = [(str(p), wanted_pattern(f"(?i){p}", "prints")) for p in params["prints"]]
    wanted = [one for one in through if any(p.search(one.printed) for _, p in pieces)]
    shown: tuple[Evidence, ...] = tuple(
        SourceLines(
            Place(one.located.path, LineRange(one.line, one.line), one.located.symbol.name), (one.format,), "format"
        )
        for one in wanted
    )
    missing = [(text, p) for text, p in pieces if not any(p.search(one.printed) for one in through)]
    if missing:
        behind = [one for one in logged if one not in through and any(p.search(one.printed) for _, p in missing)]
        stopped = tuple(Note(f"not let through: {one.format!r} (L{one.line} of {one.located.path})") for one in behind)
        compared = Comparison(
            "printed", ", ".join(text for text, _ in missing), "; ".join(one.format for one in through) or "nothing"
        )
        return Contradicted(f"{by}; none prints {', '.join(text for text, _ in missing)}", (compared, *shown, *stopped))
    return Holds(f"{by}: " + "; ".join(repr(one.format) for one in wanted), evidence=shown)


def _pattern(params: Params, context: Context) -> re.Pattern[str] | None:
    """The document's own pattern where its words carry one, else the stated one."""
    source = params.get("grep")
    if source is None and params.get("grep_in_words"):
        source = context.words
    if source is None:
        return None
    match = _GREP.search(source)
    if match is None:
        raise ConfigurationError(f"no grep command with a quoted pattern: {source!r}")
    flags = re.IGNORECASE if "i" in match.group("flags") else 0
    pattern = match.group("pattern")
    if "E" not in match.group("flags"):
        # A basic regular expression: `\|` is the alternative, bare brackets and bars are themselves.
        pattern = re.sub(
            r"\\?[|(){}+?]", lambda m: m.group()[1:] if m.group()[0] == "\\" else "\\" + m.group(), pattern
        )
    try:
        return bounded_pattern(pattern, flags)
    except (re.error, UnboundedPattern) as error:
        # The pattern may be a page's own.
        raise Unanswerable(Undecided(f"not a pattern to try: {pattern!r}: {error}", codes.NOT_CHECKABLE)) from error


def _logs(entry: dict[str, str], engine: str, context: Context) -> Iterable[_Logged]:
    import libcst as cst

    located = context.symbol(engine, entry["path"], entry["symbol"])

    def is_log(node: cst.CSTNode) -> bool:
        return (
            isinstance(node, cst.Call)
            and isinstance(node.func, cst.Attribute)
            and code_of(node.func.value).rpartition(".")[2] in ("logger", "log", "_logger")
            and bool(node.args)
        )

    for hit in nodes(located.statements, "log", is_log):
        assert isinstance(hit.node, cst.Call)
        text = _text(hit.node.args[0].value)
        if text is not None:
            yield _Logged(located, hit.line, text)


def _text(node: cst.BaseExpression) -> str | None:
    """The format of a plain or formatted string; a replacement field of the latter is `%s`."""
    import libcst as cst

    if isinstance(node, cst.SimpleString):
        value = node.evaluated_value
        return value if isinstance(value, str) else None
    if isinstance(node, cst.ConcatenatedString):
        left, right = _text(node.left), _text(node.right)
        return None if left is None or right is None else left + right
    if isinstance(node, cst.FormattedString):
        return "".join(part.value if isinstance(part, cst.FormattedStringText) else "%s" for part in node.parts)
    return None


_FILES = {
    "toy/pool.py": (
        'def report(n, size):\n    logger.info(\n        "pool size: %s items, "\n        "room for %.2fx", n, size)\n'
        '    logger.info(f"free memory: {size} GiB")\n'
    )
}
_REPORT = {"path": "toy/pool.py", "symbol": "report"}
_AT = {"engine": "toy", "functions": [_REPORT]}
_COMMAND = 'toy run 2>&1 | grep -i "POOL SIZE\\|room"'

KIND = Kind(
    name="log-format",
    summary="What log calls print, and what of it a document's `grep` lets through.",
    fields=(
        ENGINE,
        Field(
            "functions",
            "list",
            "tables of `path` and `symbol` that log; of those that exist, one at least must",
            required=True,
        ),
        Field("prints", "list", "regular expressions, each of which a printed line contains", required=True),
        Field("grep", "str", "a command with the pattern that lines must pass"),
        Field("grep_in_words", "bool", "the command is the one in the claim's words"),
    ),
    check=check,
    paths=lambda params: [(params["engine"], entry["path"]) for entry in params["functions"]],
    cases=(
        Case("printed", {**_AT, "prints": ["pool size: [\\d,]+ items", "free memory"]}, "holds", _FILES),
        Case("let through", {**_AT, "prints": ["room for"], "grep_in_words": True}, "holds", _FILES, words=_COMMAND),
        Case(
            "not let through", {**_AT, "prints": ["GiB"], "grep_in_words": True}, "contradicted", _FILES, words=_COMMAND
        ),
        Case(
            "logged by another function of the list",
            {**_AT, "functions": [{"path": "toy/pool.py", "symbol": "tell"}, _REPORT], "prints": ["free"]},
            "holds",
            _FILES,
        ),
        Case("not printed", {**_AT, "prints": ["pool pages"]}, "contradicted", _FILES),
    ),
)
