"""Step of the action: a cache key for the store, from what says which revisions are read.

Standard library only: it runs before anything is installed. Reads REFCHECK_EDITION, REFCHECK_SHA and REFCHECK_PINS,
and the configuration and edition files of the folder; writes `key=…` to the file that GITHUB_OUTPUT names.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

FILES = ("refcheck.yaml", "refcheck.yml", "pyproject.toml")


def key(environment: dict[str, str], folder: Path) -> str:
    """16 hexadecimal digits."""
    digest = hashlib.sha256()
    for name in ("REFCHECK_EDITION", "REFCHECK_SHA", "REFCHECK_PINS"):
        digest.update(f"{name}={environment.get(name, '').strip()}\0".encode())
    edition = environment.get("REFCHECK_EDITION", "").strip()
    for name in (*FILES, edition):
        path = folder / name
        if name and path.is_file():
            digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def main() -> None:
    """Runs in the folder of the checkout."""
    line = f"key={key(dict(os.environ), Path.cwd())}\n"
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as output:
        output.write(line)


if __name__ == "__main__":
    main()
