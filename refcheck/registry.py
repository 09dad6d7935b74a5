"""Plug-ins: a plain module with one constant in a known package, imported when it is used.

One new document format, source kind, claim kind or report format is one new file; nothing is registered by hand.
"""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
from functools import cache
from typing import Any

from .errors import UsageError


@cache
def names(package: str) -> tuple[str, ...]:
    """The plug-ins of a package by module name, dashes for underscores; only the package itself is imported."""
    spec = importlib.util.find_spec(package)
    if spec is None or spec.submodule_search_locations is None:
        raise LookupError(f"{package} is not a package")
    found = pkgutil.iter_modules(spec.submodule_search_locations)
    return tuple(sorted(m.name.replace("_", "-") for m in found if not m.name.startswith("_")))


@cache
def load(package: str, name: str, constant: str) -> Any:
    """The constant of the plug-in `name`. Raises UsageError with the known names if there is none."""
    known = names(package)
    if name.replace("_", "-") not in known:
        what = package.rsplit(".", 1)[-1]
        raise UsageError(f"no such entry in {what}: {name!r} (known: {', '.join(known)})")
    module = importlib.import_module(f"{package}.{name.replace('-', '_')}")
    return getattr(module, constant)
