"""What a claim kind is: a plain module in `refcheck.claims.kinds` with one constant `KIND`.

A kind owns its message, its parameters and its cases; its tests and its page in the documentation are made from
them. Adding a kind is adding a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from ..config.fields import Field
from ..model.verdict import Verdict
from .unanswerable import Unanswerable as Unanswerable  # what a kind raises, for those who write one

if TYPE_CHECKING:
    from .context import Context

Params: TypeAlias = Mapping[str, Any]

PACKAGE = "refcheck.claims.kinds"


@dataclass(frozen=True)
class Case:
    """An example of a kind: small files of an invented engine `toy`, parameters, and the verdict's name."""

    title: str
    params: Params
    verdict: str
    files: Mapping[str, str] = field(default_factory=dict)
    words: str | None = None


def named_path(params: Params) -> Iterable[tuple[str, str]]:
    """The file of the usual parameters `engine` and `path`."""
    if "engine" in params and "path" in params:
        yield params["engine"], params["path"]


@dataclass(frozen=True)
class Kind:
    """One sort of claim.

    `check` answers with a verdict; it raises Unanswerable where it cannot go on. `paths` names the files (engine,
    path) that a check will read, so that they are fetched in one batch; `scopes` the parts of a tree (engine, path
    prefix) that a general statement ranges over.
    """

    name: str
    summary: str
    fields: tuple[Field, ...]
    check: Callable[[Params, Context], Verdict]
    cases: tuple[Case, ...]
    paths: Callable[[Params], Iterable[tuple[str, str]]] = named_path
    scopes: Callable[[Params], Iterable[tuple[str, str]]] = lambda params: ()


ENGINE = Field("engine", "str", "which engine", required=True)
PATH = Field("path", "str", "the file, from the repository's root", required=True)
SYMBOL = Field("symbol", "str", "qualified name of the definition", required=True)
"""The fields that most kinds about source share."""
