"""Checking one claim: the strict check, then the generous one, then a verdict."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from .. import registry
from ..config.edition import ClaimEntry
from ..config.fields import Field, check_fields
from ..config.yaml_lines import LinedYaml
from ..errors import ConfigurationError, UsageError
from ..model import codes
from ..model.evidence import Note
from ..model.verdict import Contradicted, Holds, Imprecise, Undecided, Verdict
from .context import Context
from .kind import PACKAGE, Kind, Unanswerable
from .stated_text import from_words, is_from_words

_COMMON = (Field("kind", "str", "the sort of check", required=True),)


def kind_named(name: str) -> Kind:
    """Raises UsageError listing the kinds that exist."""
    kind = registry.load(PACKAGE, name, "KIND")
    assert isinstance(kind, Kind)
    return kind


def validate_claims(claims: Iterable[ClaimEntry]) -> None:
    """Raises ConfigurationError with every unknown kind and every bad parameter, each with file and line."""
    problems: list[str] = []
    for claim in claims:
        for table in _tables(claim):
            if claim.anchor is not None and table["kind"] in ("quote", "location"):
                continue
            problems.extend(_problems(claim, table))
    if problems:
        raise ConfigurationError(problems)


def _problems(claim: ClaimEntry, table: object) -> list[str]:
    """What is wrong with one check, and with the checks inside it."""
    if not isinstance(table, Mapping) or not isinstance(table.get("kind"), str):
        return [f"{claim.origin}: claim {claim.id}: each of `checks` needs a `kind`"]
    name = str(table["kind"])
    try:
        kind = kind_named(name)
    except UsageError as error:
        return [f"{claim.origin}: claim {claim.id}: {error}"]
    at = LinedYaml(claim.origin.rpartition(":")[0], table, {(): int(claim.origin.rpartition(":")[2] or 1)})
    stated = {key: "" if is_from_words(value) else value for key, value in table.items()}
    problems = check_fields(stated, (*_COMMON, *kind.fields), (), at, f"claim {claim.id} ({name})")
    if name == "all-of":
        problems.extend(found for part in table.get("checks") or () for found in _problems(claim, part))
    return problems


def _tables(claim: ClaimEntry) -> list[Mapping[str, Any]]:
    return [claim.check, *([claim.generous] if claim.generous is not None else [])]


def paths_of(claims: Iterable[ClaimEntry]) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Per engine, the files that the claims name, and the path prefixes that their general statements range over."""
    paths: dict[str, set[str]] = {}
    scopes: dict[str, set[str]] = {}
    for claim in claims:
        for table in _tables(claim):
            if claim.anchor is not None and table["kind"] in ("quote", "location"):
                continue
            kind = kind_named(str(table["kind"]))
            for engine, path in kind.paths(table):
                paths.setdefault(engine, set()).add(path)
            for engine, prefix in kind.scopes(table):
                scopes.setdefault(engine, set()).add(prefix)
    return paths, scopes


def check_claim(claim: ClaimEntry, context: Context) -> Verdict:
    """The verdict on a claim that is not an anchor's own quote or location.

    Strict passes: holds. Only the generous check passes: imprecise, with the strict one's findings. Neither:
    what the strict check found. Raises ConfigurationError, naming the claim, for a check that says nothing sensible.
    """
    try:
        return _check(claim, context)
    except ConfigurationError as error:
        raise ConfigurationError(
            [f"{claim.origin}: claim {claim.id}: {problem}" for problem in error.problems]
        ) from error


def _check(claim: ClaimEntry, context: Context) -> Verdict:
    strict = run_check(claim.check, context)
    if not isinstance(strict, Contradicted) or claim.generous is None:
        return strict
    lenient = run_check(claim.generous, context)
    match lenient:
        case Holds() | Imprecise():
            reason = f"{claim.because}; " if claim.because else ""
            return Imprecise(
                f"{reason}strictly: {strict.message}; holds only as: {lenient.message}",
                codes.IMPRECISE_CLAIM,
                found=strict.found,
                evidence=(*strict.evidence, *lenient.evidence),
            )
        case Undecided():
            note = Note(f"the generous check could not be made: {lenient.message}")
            return Undecided(f"{strict.message}; {note.text}", lenient.code, evidence=(*strict.evidence, note))
        case _:
            return strict


def run_check(table: Mapping[str, Any], context: Context) -> Verdict:
    """One check, strict or generous."""
    kind = kind_named(str(table["kind"]))
    try:
        params = from_words({key: value for key, value in table.items() if key != "kind"}, context.words)
        return kind.check(params, context)
    except Unanswerable as stop:
        return stop.verdict
