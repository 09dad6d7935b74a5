"""Editions: the pins, anchors and claims of one chapter, read from YAML and checked with all faults at once.

The format (schema `refcheck-edition/1`) is described by the `Field` tables below, from which its documentation
is made. An edition may be split: files named under `include` add anchors and claims.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from ..errors import ConfigurationError, UsageError
from ..model.place import LineRange, Place
from .fields import Field, check_fields
from .yaml_lines import KeyPath, LinedYaml, load_lined_yaml

SCHEMA = "refcheck-edition/1"
COMMIT = re.compile(r"[0-9a-f]{40}\Z")
_DAY = re.compile(r"\d{4}-\d{2}-\d{2}\Z")
_LINES = re.compile(r"(\d{1,7})(?:-(\d{1,7}))?\Z")

EDITION_FIELDS = (
    Field("schema", "str", f"always {SCHEMA}", required=True, choices=(SCHEMA,)),
    Field("name", "str", "short name, as `--edition` takes it", required=True),
    Field("title", "str", "the chapter's title"),
    Field("date", "any", "the day of the pins, YYYY-MM-DD", required=True),
    Field("pins", "map", "engine -> its pin", required=True),
    Field("include", "list", "further files with `anchors` and `claims`, relative to this one"),
    Field("anchors", "list", "the cited places"),
    Field("claims", "list", "the statements"),
)
PIN_FIELDS = (
    Field("commit", "str", "the full 40-digit commit", required=True),
    Field("nearest_release", "str", "the release to read when the commit cannot be had"),
)
ANCHOR_FIELDS = (
    Field("id", "str", "stable name", required=True),
    Field("engine", "str", "which engine", required=True),
    Field("path", "str", "from the repository's root", required=True),
    Field("lines", "str|int", "the cited lines, `566-575` or `485`", required=True),
    Field("form", "str", "how the chapter cites it", choices=("block", "inline", "short")),
    Field("symbol", "str", "qualified name of the enclosing definition"),
    Field("fingerprint", "str", "of the quoted or cited lines (refcheck.locate.fingerprint)"),
    Field("covers", "str", "`symbol`: the lines are to be the symbol's whole definition", choices=("symbol",)),
    Field("cited_for", "map", "what the sentence says of the lines: {call: NAME}"),
    Field("written", "str", "the path as the chapter abbreviates it"),
    Field("accepted", "list", "changed places taken after reading: {date, commit, reason}"),
)
CLAIM_FIELDS = (
    Field("id", "str", "stable name", required=True),
    Field("words", "str|list", "the document's own words that the claim stands for"),
    Field("anchor", "str", "for a claim that is an anchor's quote or location"),
    Field("check", "map|str", "`quote` or `location` (with `anchor`), or {kind: …, parameters}", required=True),
    Field("generous", "map", "a check that makes a failed strict one imprecise instead of contradicted"),
    Field("because", "str", "why the generous reading is not what is said"),
    Field("note", "str", "what a reader should know beside the verdict"),
)
_INCLUDE_FIELDS = (EDITION_FIELDS[6], EDITION_FIELDS[7])


@dataclass(frozen=True, slots=True)
class EditionPin:
    engine: str
    commit: str
    nearest_release: str | None = None


@dataclass(frozen=True, slots=True)
class Anchor:
    """A durable description of cited code; see ANCHOR_FIELDS."""

    id: str
    engine: str
    place: Place
    form: str = "inline"
    fingerprint: str | None = None
    covers_symbol: bool = False
    cited_for_call: str | None = None
    written: str | None = None
    origin: str = ""
    """`FILE:LINE` of its entry."""

    @property
    def lines(self) -> LineRange:
        assert self.place.lines is not None
        return self.place.lines


@dataclass(frozen=True, slots=True)
class ClaimEntry:
    """A statement of the edition. Checks stay plain tables here: the claim kinds know their parameters."""

    id: str
    words: tuple[str, ...]
    check: Mapping[str, Any]
    generous: Mapping[str, Any] | None = None
    because: str | None = None
    note: str | None = None
    anchor: str | None = None
    origin: str = ""


@dataclass(frozen=True)
class Edition:
    """One chapter's pins, anchors and claims."""

    name: str
    title: str
    date: str
    pins: tuple[EditionPin, ...]
    anchors: tuple[Anchor, ...]
    claims: tuple[ClaimEntry, ...]
    path: Path | None = None
    packaged: bool = False
    files: tuple[Path, ...] = field(default=())

    @cached_property
    def by_id(self) -> Mapping[str, Anchor]:
        return {anchor.id: anchor for anchor in self.anchors}

    def pin(self, engine: str) -> EditionPin | None:
        return next((pin for pin in self.pins if pin.engine == engine), None)

    def only(self, ids: frozenset[str]) -> Edition:
        """The edition cut down to some anchors and claims. Raises UsageError for an id that it lacks."""
        unknown = sorted(ids - {a.id for a in self.anchors} - {c.id for c in self.claims})
        if unknown:
            raise UsageError(f"edition {self.name} has no anchor or claim {', '.join(unknown)}")
        claims = tuple(c for c in self.claims if c.id in ids or c.anchor in ids)
        wanted = ids | {c.anchor for c in claims if c.anchor}
        return replace(self, anchors=tuple(a for a in self.anchors if a.id in wanted), claims=claims)


def parse_lines(raw: object) -> LineRange:
    """`566-575`, `485` or a number. Raises ValueError with what is wrong."""
    match = _LINES.match(str(raw))
    if not match:
        raise ValueError(f"lines must be like 566-575 or 485, not {raw!r}")
    first = int(match.group(1))
    return LineRange(first, int(match.group(2) or first))


def load_edition(path: Path, *, packaged: bool = False) -> Edition:
    """Reads an edition and the files it includes.

    Raises ConfigurationError with every fault of all of them, each with file and line.
    """
    main = _read(path)
    problems = check_fields(main.data, EDITION_FIELDS, (), main, "edition")
    if problems and not isinstance(main.data, Mapping):
        raise ConfigurationError(problems)
    files = [(main, path)]
    for name in _items(main.data, "include"):
        included = path.parent / str(name)
        if not _inside(included, path.parent):
            problems.append(f"{main.where(('include',))}: {name!r} is outside of the edition's folder")
            continue
        try:
            part = _read(included)
        except (UsageError, ConfigurationError) as error:
            problems.extend(str(error).split("\n"))
            continue
        problems.extend(check_fields(part.data, _INCLUDE_FIELDS, (), part, "included file"))
        files.append((part, included))

    if isinstance(main.data, Mapping) and "date" in main.data and (fault := _date_fault(main.data["date"])):
        problems.append(f"{main.where(('date',))}: edition: {fault}")
    pins: list[EditionPin] = []
    raw_pins = main.data.get("pins")
    for engine, raw in (raw_pins if isinstance(raw_pins, Mapping) else {}).items():
        at: KeyPath = ("pins", engine)
        faults = check_fields(raw, PIN_FIELDS, at, main, f"pin of {engine}")
        if not faults and not COMMIT.match(raw["commit"]):
            faults = [f"{main.where(at)}: pin of {engine}: commit must be 40 hexadecimal digits"]
        problems.extend(faults)
        if not faults:
            pins.append(EditionPin(str(engine), raw["commit"], raw.get("nearest_release")))

    anchors: list[Anchor] = []
    claims: list[ClaimEntry] = []
    for file, _ in files:
        if isinstance(file.data, Mapping):
            anchors.extend(_anchors(file, problems, {pin.engine for pin in pins}))
            claims.extend(
                _claims(file, problems, {str(e) for e in raw_pins} if isinstance(raw_pins, Mapping) else set())
            )
    _check_ids(anchors, claims, problems)
    if problems:
        raise ConfigurationError(problems)
    return Edition(
        name=main.data["name"],
        title=main.data.get("title", main.data["name"]),
        date=str(main.data["date"]),
        pins=tuple(pins),
        anchors=tuple(anchors),
        claims=tuple(claims),
        path=path,
        packaged=packaged,
        files=tuple(p for _, p in files),
    )


def _read(path: Path) -> LinedYaml:
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise ConfigurationError(f"{path}: not UTF-8 text ({error.reason} at byte {error.start})") from error
    return load_lined_yaml(text, str(path))


def _inside(path: Path, folder: Path) -> bool:
    return path.resolve().is_relative_to(folder.resolve())


def _entries(file: LinedYaml, key: str) -> Iterator[tuple[KeyPath, Any]]:
    """The entries of a list, and those under a key that is nearly its name: one fault does not hide the others."""
    if not isinstance(file.data, Mapping):
        return
    known = [field.name for field in EDITION_FIELDS]
    for name in file.data:
        if name == key or (name not in known and difflib.get_close_matches(str(name), known, n=1) == [key]):
            for index, raw in enumerate(_items(file.data, name)):
                yield (name, index), raw


def _items(data: object, key: str) -> list[Any]:
    value = data.get(key) if isinstance(data, Mapping) else None
    return value if isinstance(value, list) else []


def _anchors(file: LinedYaml, problems: list[str], engines: set[str]) -> Iterator[Anchor]:
    for at, raw in _entries(file, "anchors"):
        label = f"anchor {raw.get('id', at[-1]) if isinstance(raw, Mapping) else at[-1]}"
        faults = check_fields(raw, ANCHOR_FIELDS, at, file, label)
        if not faults and raw["engine"] not in engines:
            faults.append(f"{file.where((*at, 'engine'))}: {label}: no pin for engine {raw['engine']!r}")
        lines = None
        if not faults:
            try:
                lines = parse_lines(raw["lines"])
            except ValueError as error:
                faults.append(f"{file.where((*at, 'lines'))}: {label}: {error}")
            cited_for = raw.get("cited_for", {})
            if set(cited_for) - {"call"}:
                faults.append(f"{file.where((*at, 'cited_for'))}: {label}: cited_for knows only `call`")
            if raw.get("covers") and not raw.get("symbol"):
                faults.append(f"{file.where(at)}: {label}: `covers: symbol` needs a symbol")
        problems.extend(faults)
        if not faults:
            yield Anchor(
                id=raw["id"],
                engine=raw["engine"],
                place=Place(raw["path"], lines, raw.get("symbol")),
                form=raw.get("form", "inline"),
                fingerprint=raw.get("fingerprint"),
                covers_symbol=raw.get("covers") == "symbol",
                cited_for_call=raw.get("cited_for", {}).get("call"),
                written=raw.get("written"),
                origin=file.where(at),
            )


def _date_fault(raw: object) -> str | None:
    """What is wrong with a day; YAML itself may have read it as one."""
    if isinstance(raw, date) and not isinstance(raw, datetime):
        return None
    try:
        if isinstance(raw, str) and _DAY.match(raw):
            date.fromisoformat(raw)
            return None
    except ValueError:
        pass
    return f"date must be a day, YYYY-MM-DD, not {str(raw)!r}"


def engines_of(check: object) -> Iterator[str]:
    """The engines that a check names, and those of the checks inside it."""
    if not isinstance(check, Mapping):
        return
    if isinstance(check.get("engine"), str):
        yield check["engine"]
    for part in _items(check, "checks"):
        yield from engines_of(part)


def _claims(file: LinedYaml, problems: list[str], engines: set[str]) -> Iterator[ClaimEntry]:
    for at, raw in _entries(file, "claims"):
        label = f"claim {raw.get('id', at[-1]) if isinstance(raw, Mapping) else at[-1]}"
        faults = check_fields(raw, CLAIM_FIELDS, at, file, label)
        check: object = None
        if not faults:
            check = raw["check"]
            words = raw.get("words", [])
            words = [words] if isinstance(words, str) else words
            if not all(isinstance(word, str) and word.strip() for word in words):
                faults.append(f"{file.where((*at, 'words'))}: {label}: words must be text")
            if "words" in raw and not words:
                faults.append(
                    f"{file.where((*at, 'words'))}: {label}: `words` is empty: give a fragment or leave it out"
                )
            if isinstance(check, str):
                if check not in ("quote", "location") or "anchor" not in raw:
                    faults.append(
                        f"{file.where((*at, 'check'))}: {label}: a check is `quote` or `location` of an "
                        "`anchor`, or a table with `kind`"
                    )
                check = {"kind": check}
            for key in ("check", "generous"):
                table = raw.get(key)
                if isinstance(table, Mapping) and not isinstance(table.get("kind"), str):
                    faults.append(f"{file.where((*at, key))}: {label}: `{key}` needs a `kind`")
                for engine in sorted(set(engines_of(table)) - engines):
                    faults.append(f"{file.where((*at, key))}: {label}: no pin for engine {engine!r}")
        problems.extend(faults)
        if not faults:
            assert isinstance(check, Mapping)
            yield ClaimEntry(
                id=raw["id"],
                words=tuple(words),
                check=check,
                generous=raw.get("generous"),
                because=raw.get("because"),
                note=raw.get("note"),
                anchor=raw.get("anchor"),
                origin=file.where(at),
            )


def _check_ids(anchors: list[Anchor], claims: list[ClaimEntry], problems: list[str]) -> None:
    seen: dict[str, str] = {}
    entries: list[Anchor | ClaimEntry] = [*anchors, *claims]
    for entry in entries:
        if entry.id in seen:
            problems.append(f"{entry.origin}: id {entry.id!r} stands already at {seen[entry.id]}")
        seen[entry.id] = entry.origin
    known = {anchor.id for anchor in anchors}
    taken: dict[tuple[str, str], str] = {}
    for claim in claims:
        if claim.anchor is None:
            continue
        if claim.anchor not in known:
            problems.append(f"{claim.origin}: claim {claim.id}: no anchor {claim.anchor!r}")
        kind = str(claim.check.get("kind"))
        if kind in ("quote", "location"):
            other = taken.setdefault((claim.anchor, kind), claim.id)
            if other != claim.id:
                problems.append(f"{claim.origin}: claim {claim.id}: {kind} of {claim.anchor} is {other} already")
