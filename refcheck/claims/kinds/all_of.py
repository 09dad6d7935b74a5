"""Several checks that a statement needs together."""

from __future__ import annotations

from collections.abc import Iterable

from ...config.fields import Field
from ...errors import ConfigurationError
from ...model import codes
from ...model.verdict import Changed, Contradicted, Gone, Holds, Imprecise, Moved, Undecided, Verdict
from ..context import Context
from ..kind import Case, Kind, Params

_ORDER: tuple[type[Verdict], ...] = (Gone, Contradicted, Changed, Moved, Undecided, Imprecise, Holds)
"""Which verdict of a part is the verdict of the whole: the first of these that a part has."""


def check(params: Params, context: Context) -> Verdict:
    """Holds if every part holds; else the gravest verdict, with the evidence of the parts that have it."""
    from ..check import run_check

    parts = params["checks"]
    if not parts or not all(isinstance(part, dict) and "kind" in part for part in parts):
        raise ConfigurationError("an `all-of` check has a list of checks, each with its `kind`")
    verdicts = [run_check(part, context) for part in parts]
    gravest = next(kind for kind in _ORDER if any(isinstance(v, kind) for v in verdicts))
    chosen = [v for v in verdicts if isinstance(v, gravest)]
    message = "; ".join(dict.fromkeys(v.message for v in chosen))
    evidence = tuple(item for v in chosen for item in v.evidence)
    first = chosen[0]
    match first:
        case Holds():
            return Holds(message, first.found, evidence)
        case Contradicted():
            return Contradicted(message, evidence, first.found, first.code)
        case Gone():
            return Gone(message, evidence, first.twins)
        case Undecided():
            return Undecided(message, first.code, first.candidates, evidence, first.found)
        case Imprecise():
            return Imprecise(message, codes.IMPRECISE_CLAIM, first.found, evidence)
        case Changed() | Moved():
            return first


def _paths(params: Params) -> Iterable[tuple[str, str]]:
    from ..check import kind_named

    return [named for part in params["checks"] for named in kind_named(str(part["kind"])).paths(part)]


def _scopes(params: Params) -> Iterable[tuple[str, str]]:
    from ..check import kind_named

    return [named for part in params["checks"] for named in kind_named(str(part["kind"])).scopes(part)]


_FILES = {"toy/queue.py": "class Queue:\n    limit: int = 4\n\n    def pop(self):\n        return self.items[0]\n"}
_AT = {"engine": "toy", "path": "toy/queue.py"}
_LIMIT = {"kind": "default", **_AT, "symbol": "Queue.limit", "default": "4"}
_POP = {"kind": "expression", **_AT, "symbol": "Queue.pop", "returns": "self.items[0]"}

KIND = Kind(
    name="all-of",
    summary="Several checks together: each must hold.",
    fields=(Field("checks", "list", "the checks, each a table with its `kind`", required=True),),
    check=check,
    paths=_paths,
    scopes=_scopes,
    cases=(
        Case("both hold", {"checks": [_LIMIT, _POP]}, "holds", _FILES),
        Case("one does not", {"checks": [_LIMIT, {**_POP, "returns": "self.items[1]"}]}, "contradicted", _FILES),
        Case("one is gone", {"checks": [{**_LIMIT, "symbol": "Queue.size"}, _POP]}, "gone", _FILES),
        Case("one cannot be decided", {"checks": [_LIMIT, {"kind": "outside", "needs": "x"}]}, "undecided", _FILES),
    ),
)
