"""A project's own settings: `[tool.refcheck]` in pyproject.toml, or refcheck.yaml, whichever is nearest.

Both have the keys of `PROJECT_FIELDS`. What the command line says wins over them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..errors import ConfigurationError, UsageError
from ..model.codes import CODES
from .engines import Engine, builtin_engines, parse_engine
from .fields import Field, check_fields
from .yaml_lines import LinedYaml, load_lined_yaml

FILE_NAMES = ("refcheck.yaml", "refcheck.yml", "pyproject.toml")

PROJECT_FIELDS = (
    Field("documents", "list", "files, folders or patterns that `refcheck verify` checks when it is given none"),
    Field("exclude", "list", "patterns of documents to leave out (`**/drafts/*`)"),
    Field("edition", "str", "a packaged edition's name, or an edition file relative to this one"),
    Field("pins", "map", "engine -> revision, as `--pin`"),
    Field("sources", "map", "engine -> clone, mirror or folder relative to this file, as `--source`"),
    Field("engines", "map", "further engines, or other values for known ones (see data/engines.yaml)"),
    Field("severity", "map", "code -> error, warning or none"),
    Field("fail_on", "str", "error, warning or never", choices=("error", "warning", "never")),
    Field("baseline", "str", "the file that `refcheck baseline` wrote, relative to this one"),
)
LEVELS = ("error", "warning", "none")


@dataclass(frozen=True)
class Project:
    """Settings with relative paths made absolute; `file` is None where nothing was found."""

    file: Path | None = None
    documents: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    edition: str | None = None
    pins: Mapping[str, str] = field(default_factory=dict)
    sources: Mapping[str, str] = field(default_factory=dict)
    engines: Mapping[str, Engine] = field(default_factory=builtin_engines)
    severity: Mapping[str, str] = field(default_factory=dict)
    fail_on: str | None = None
    baseline: Path | None = None


def find_project(start: Path) -> Project:
    """The settings of the nearest folder upward that has some. Raises ConfigurationError with every fault."""
    folder = start.resolve()
    for place in (folder, *folder.parents):
        found = [(path, table) for name in FILE_NAMES if (path := place / name).is_file() and (table := _table(path))]
        if len(found) > 1:
            # Which of them counts would be a guess, and what the other says would be lost without a word.
            names = " and ".join(path.name for path, _ in found)
            raise ConfigurationError(f"{place}: {names} both have settings of refcheck: keep them in one")
        for path, table in found:
            return parse_project(table, path)
    return Project()


def _table(path: Path) -> LinedYaml | None:
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: cannot be read: {error}") from error
    if path.suffix != ".toml":
        return load_lined_yaml(text, str(path))
    if "refcheck" not in text:
        return None
    import tomllib

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{path}: not valid TOML: {error}") from error
    tool = data.get("tool", {})
    if not isinstance(tool, Mapping) or "refcheck" not in tool:
        return None
    # TOML readers give no line numbers: the table's header stands for all of its keys.
    lines = text.split("\n")
    header = next((n for n, line in enumerate(lines, 1) if line.strip().startswith("[tool.refcheck")), 1)
    return LinedYaml(str(path), {key.replace("-", "_"): value for key, value in tool["refcheck"].items()}, {(): header})


def parse_project(file: LinedYaml, path: Path) -> Project:
    """Raises ConfigurationError naming every unknown key, wrong type and unknown code."""
    raw: Any = file.data if file.data is not None else {}
    problems = check_fields(raw, PROJECT_FIELDS, (), file, "configuration")
    if not isinstance(raw, Mapping):
        raise ConfigurationError(problems)
    engines: dict[str, Engine] = dict(builtin_engines())
    extra = raw.get("engines", {})
    for name, entry in extra.items() if isinstance(extra, Mapping) else ():
        try:
            known = engines.get(str(name))
            if known is not None and isinstance(entry, Mapping):
                entry = {"origin": known.origin, **_as_table(known), **entry}
            engines[str(name)] = parse_engine(str(name), entry, file.where(("engines", name)))
        except ConfigurationError as error:
            problems.extend(error.problems)
    for key in ("pins", "sources"):
        table = raw.get(key, {})
        for name, value in table.items() if isinstance(table, Mapping) else ():
            if name not in engines:
                problems.append(
                    f"{file.where((key, name))}: {key}: unknown engine {name!r} (known: {', '.join(engines)})"
                )
            if not isinstance(value, str):
                problems.append(f"{file.where((key, name))}: {key}: {name} must be text, not {value!r}")
    severity = raw.get("severity", {})
    for code, level in severity.items() if isinstance(severity, Mapping) else ():
        if code not in CODES:
            problems.append(f"{file.where(('severity', code))}: no such code {code!r} (`refcheck explain` lists them)")
        if level not in LEVELS:
            problems.append(f"{file.where(('severity', code))}: {code} must be one of {', '.join(LEVELS)}")
    for key in ("documents", "exclude"):
        items = raw.get(key, [])
        if isinstance(items, list) and not all(isinstance(item, str) for item in items):
            problems.append(f"{file.where((key,))}: {key} must be a list of texts")
    if problems:
        raise ConfigurationError(problems)
    base = path.parent

    def beside(name: str) -> str:
        return str(base / Path(name).expanduser())

    edition = raw.get("edition")
    if edition is not None and edition.endswith((".yaml", ".yml")):
        edition = beside(edition)
    return Project(
        file=path,
        documents=tuple(raw.get("documents", ())),
        exclude=tuple(raw.get("exclude", ())),
        edition=edition,
        pins=MappingProxyType(dict(raw.get("pins", {}))),
        sources=MappingProxyType({name: beside(value) for name, value in raw.get("sources", {}).items()}),
        engines=MappingProxyType(engines),
        severity=MappingProxyType(dict(severity)),
        fail_on=raw.get("fail_on"),
        baseline=Path(beside(raw["baseline"])) if "baseline" in raw else None,
    )


def _as_table(engine: Engine) -> dict[str, Any]:
    table: dict[str, Any] = {
        "wheel_prefixes": dict(engine.wheel_prefixes),
        "source_roots": list(engine.source_roots),
        "tag": engine.tag,
        "names": list(engine.names),
    }
    if engine.distribution:
        table["distribution"] = engine.distribution
    return table
