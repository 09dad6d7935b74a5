"""Engines as data: where each is found, and how its archives map to its repository."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from ..errors import ConfigurationError


@dataclass(frozen=True, slots=True)
class Engine:
    """An upstream project whose source is cited. See data/engines.yaml for what each field means."""

    name: str
    origin: str
    distribution: str | None = None
    wheel_prefixes: tuple[tuple[str, str], ...] = ()
    source_roots: tuple[str, ...] = ()
    tag: str = "v{version}"
    names: tuple[str, ...] = ()

    @property
    def web(self) -> str:
        """The repository's address for people, without `.git`."""
        return self.origin.removesuffix(".git")

    def permalink(self, commit: str, path: str, first: int | None = None, last: int | None = None) -> str:
        """The address of lines at a commit, in the form that the hosts of both engines use."""
        from urllib.parse import quote

        anchor = "" if first is None else f"#L{first}" if last in (None, first) else f"#L{first}-L{last}"
        return f"{self.web}/blob/{commit}/{quote(path)}{anchor}"


_VERSION = re.compile(r"\d+(?:\.\d+)+(?:[.-]?(?:a|b|rc|post|dev)\d+)*", re.IGNORECASE)


def version_named(engine: Engine, rev: str) -> str | None:
    """The version that a revision names: `0.28.0`, `release:0.28.0`, or the engine's tag of it; None for others."""
    before, _, after = engine.tag.partition("{version}")
    named = rev.removeprefix("release:")
    for word in (named, named[len(before) : len(named) - len(after)]):
        if _VERSION.fullmatch(word) and named in (word, f"{before}{word}{after}"):
            return word
    return None


_KEYS = {
    "origin": str,
    "distribution": str,
    "wheel_prefixes": dict,
    "source_roots": list,
    "tag": str,
    "names": list,
}


def parse_engine(name: str, raw: object, where: str) -> Engine:
    """One entry of an `engines:` table. Raises ConfigurationError with every fault of the entry."""
    import difflib

    if not isinstance(raw, dict):
        raise ConfigurationError(f"{where}: engine {name!r} must be a table of keys")
    problems: list[str] = []
    for key, value in raw.items():
        if key not in _KEYS:
            near = difflib.get_close_matches(str(key), _KEYS, n=1)
            hint = f" (did you mean {near[0]!r}?)" if near else f" (known: {', '.join(_KEYS)})"
            problems.append(f"{where}: engine {name!r}: unknown key {key!r}{hint}")
        elif not isinstance(value, _KEYS[key]):
            problems.append(f"{where}: engine {name!r}: {key} must be a {_KEYS[key].__name__}")
    if not isinstance(raw.get("origin"), str):
        problems.append(f"{where}: engine {name!r}: `origin` (a git address) is needed")
    elif raw["origin"].startswith("-"):
        problems.append(f"{where}: engine {name!r}: an origin must not begin with '-'")
    if problems:
        raise ConfigurationError(problems)
    data: dict[str, Any] = raw
    return Engine(
        name=name,
        origin=data["origin"],
        distribution=data.get("distribution"),
        wheel_prefixes=tuple((str(k), str(v)) for k, v in data.get("wheel_prefixes", {}).items()),
        source_roots=tuple(str(r) for r in data.get("source_roots", [])),
        tag=data.get("tag", "v{version}"),
        names=tuple(str(n) for n in data.get("names", [])),
    )


@cache
def builtin_engines() -> Mapping[str, Engine]:
    """The engines that the package ships, by name."""
    import yaml

    text = files("refcheck.config").joinpath("data/engines.yaml").read_text(encoding="utf-8")
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    raw = yaml.load(text, Loader=loader)
    return MappingProxyType({name: parse_engine(name, entry, "engines.yaml") for name, entry in raw.items()})
