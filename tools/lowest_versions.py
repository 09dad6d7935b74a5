"""The oldest versions that the package says it runs with, as requirements: `python -m tools.lowest_versions`."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

_LOWER_BOUND = re.compile(r"([A-Za-z0-9._-]+)>=([0-9][0-9A-Za-z.]*)")


def lowest_versions(pyproject: str) -> tuple[str, ...]:
    """`NAME==VERSION` for each dependency. Raises ValueError for one that has no lower bound, or more than that."""
    found = []
    for dependency in tomllib.loads(pyproject)["project"]["dependencies"]:
        match = _LOWER_BOUND.fullmatch(dependency)
        if match is None:
            raise ValueError(f"{dependency!r} is no name with a lower bound alone")
        found.append(f"{match[1]}=={match[2]}")
    return tuple(found)


if __name__ == "__main__":
    pyproject = Path(__file__).parent.parent / "pyproject.toml"
    print(*lowest_versions(pyproject.read_text(encoding="utf-8")), sep="\n")
