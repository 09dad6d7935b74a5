"""Which files of a folder a project leaves out: patterns, matched against each way in which a reader sees the path."""

from __future__ import annotations

import os
from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path


class Exclusions:
    """Patterns of paths, relative to the settings' folder (`base`), to the current one, or to the folder being read.

    `*` stands for any characters, slashes too, and `**/` also for nothing. A pattern of one word means a file or
    folder of that name at any depth; one that fits a folder leaves out all that is in it.
    """

    def __init__(self, patterns: Sequence[str], base: Path | None = None) -> None:
        self._words: list[str] = []
        self._paths: list[str] = []
        for pattern in patterns:
            plain = pattern.replace("\\", "/").rstrip("/")
            while plain.startswith("./"):
                plain = plain[2:]
            if plain:
                (self._paths if "/" in plain else self._words).append(plain)
        self._absolute = [pattern for pattern in self._paths if Path(pattern).is_absolute()]
        self._paths = [form for pattern in self._paths for form in _without_any_folder(pattern)]
        self._roots = list(dict.fromkeys(os.path.abspath(root) for root in (base, os.curdir) if root is not None))

    def leave_out(self, folder: Path, inner: str) -> bool:
        """Whether to leave out what stands at `inner` (with `/`) in a folder that is read."""
        if not self._words and not self._paths:
            return False
        names = [inner, *self._seen(folder, inner)]
        return any(self._fits(name) for name in names)

    def _seen(self, folder: Path, inner: str) -> list[str]:
        """The path as seen from the settings and from the current folder."""
        whole = os.path.join(os.path.abspath(folder), inner)
        names = [os.path.relpath(whole, root).replace(os.sep, "/") for root in self._roots]
        return [*(name for name in names if not name.startswith("../")), Path(whole).as_posix()]

    def _fits(self, name: str) -> bool:
        parts = name.split("/")
        heads = ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]
        if Path(name).is_absolute():
            # Folders above the project are none of its own: only a pattern that begins there means them.
            return any(fnmatchcase(head, pattern) for head in heads for pattern in self._absolute)
        if any(fnmatchcase(part, word) for part in parts for word in self._words):
            return True
        return any(fnmatchcase(head, pattern) for head in heads for pattern in self._paths)


def _without_any_folder(pattern: str) -> list[str]:
    """The pattern, and what it is where each `**/` stands for no folder at all."""
    forms = [pattern, pattern[:-3]] if pattern.endswith("/**") else [pattern]
    return [*forms, *(form.replace("**/", "") for form in forms if "**/" in form)]
