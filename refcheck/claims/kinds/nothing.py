"""Something that does not stand in a definition or a part of the tree."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...config.fields import Field
from ...errors import ConfigurationError
from ...model.evidence import CounterExamples, Note
from ...model.place import LineRange, Place
from ...model.verdict import Contradicted, Holds, Verdict
from ..context import Context
from ..kind import ENGINE, Case, Kind, Params
from ..scope import enclosing_class, files_with, word_lines
from ..source_facts import calls, wanted_pattern


def check(params: Params, context: Context) -> Verdict:
    """Comments and strings do not count."""
    if ("symbol" in params) == ("scope" in params):
        raise ConfigurationError("a `nothing` check ranges over a `symbol` of a `path`, or over a `scope`")
    if ("mentions" in params) == ("constructs" in params):
        raise ConfigurationError("a `nothing` check is about what it `mentions` or what it `constructs`")
    words = [params["constructs"]] if "constructs" in params else [str(w) for w in params["mentions"]]
    verb = "constructs" if "constructs" in params else "mentions"
    found = list(_in_symbol(params, words, context) if "symbol" in params else _in_scope(params, words, context))
    where = params.get("symbol") or ", ".join(params["scope"])
    said = " or ".join(words)
    if not found:
        return Holds(f"nothing in {where} {verb} {said}", evidence=(Note(f"looked through {where}"),))
    listed = ", ".join(str(place) for place, _ in found[:3])
    more = f" and {len(found) - 3} more" if len(found) > 3 else ""
    return Contradicted(
        f"{where} {verb} {said} at {listed}{more}", (CounterExamples(tuple(found[:12]), len(found)),), found[0][0]
    )


def _in_symbol(params: Params, words: list[str], context: Context) -> Iterator[tuple[Place, str]]:
    located = context.symbol(params["engine"], params["path"], params["symbol"])
    if "constructs" in params:
        for hit in calls(located.statements, words[0]):
            yield located.at(LineRange(hit.line, hit.line)), hit.code
        return
    for word in words:
        for line in word_lines(located.source, located.symbol.lines, word):
            yield located.at(LineRange(line, line)), located.source.lines[line - 1].strip()


def _in_scope(params: Params, words: list[str], context: Context) -> Iterator[tuple[Place, str]]:
    left_out = wanted_pattern(params["outside"], "outside") if "outside" in params else None
    for word in words:
        needle = word + "(" if "constructs" in params else word
        for source in files_with(context, params["engine"], params["scope"], [needle]):
            whole = LineRange(1, max(1, len(source.lines)))
            for line in word_lines(source, whole, word):
                text = source.lines[line - 1].strip()
                if "constructs" in params and not _constructs(source.slice(line, line), word):
                    continue
                owner = enclosing_class(source, line)
                place = Place(source.path, LineRange(line, line), owner.name if owner else None)
                if left_out is None or not left_out.search(f"{place.path}::{place.symbol or ''}"):
                    yield place, text


def _constructs(line: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\(", line) is not None and not re.match(r"\s*(?:class|def)\b", line)


_FILES = {
    "toy/a.py": (
        "class Old:\n    pass\n\n\nclass User:\n    # Old() was used here\n"
        "    def run(self):\n        return New(self.size)\n"
    ),
    "toy/b.py": "def make():\n    return [New(1)]\n",
}

KIND = Kind(
    name="nothing",
    summary="No code of a definition or a part of the tree mentions a name, or constructs a class.",
    fields=(
        ENGINE,
        Field("path", "str", "the file of `symbol`"),
        Field("symbol", "str", "the definition to look through"),
        Field("scope", "list", "path prefixes to look through"),
        Field("mentions", "list", "words that no code may contain"),
        Field("constructs", "str", "a class or function that no code may call"),
        Field("outside", "str", "regular expression of `path::Class` where it may stand"),
    ),
    check=check,
    paths=lambda params: [(params["engine"], params["path"])] if "path" in params else (),
    scopes=lambda params: [(params["engine"], prefix) for prefix in params.get("scope", ())],
    cases=(
        Case("nothing constructs it", {"engine": "toy", "scope": ["toy/"], "constructs": "Old"}, "holds", _FILES),
        Case(
            "a comment does not count",
            {"engine": "toy", "path": "toy/a.py", "symbol": "User", "mentions": ["Old"]},
            "holds",
            _FILES,
        ),
        Case("constructed", {"engine": "toy", "scope": ["toy/"], "constructs": "New"}, "contradicted", _FILES),
        Case(
            "only where it may be",
            {"engine": "toy", "scope": ["toy/"], "constructs": "New", "outside": "b\\.py|::User"},
            "holds",
            _FILES,
        ),
        Case(
            "mentioned",
            {"engine": "toy", "path": "toy/a.py", "symbol": "User", "mentions": ["size"]},
            "contradicted",
            _FILES,
        ),
    ),
)
