"""A toy engine on a partial-clone server, an edition for it, and the command as users run it."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from refcheck.locate.fingerprint import fingerprint_lines
from tests.sources.conftest import ORIGIN, Upstream

CORE = "toy/core.py"
SOURCE = '''\
from enum import IntEnum, auto


class Mode(IntEnum):
    # The first one.
    EXTEND = auto()
    DECODE = auto()


class Pool:
    """Keeps rows."""

    size: int = 16
    causal: bool = True

    def set_rows(
        self,
        rows: int,
        scale: float = 1.0,
    ) -> None:
        """Store the rows."""
        kept = rows + self.size
        if kept > self.limit:
            raise ValueError(kept)
        self.kept = kept
'''
QUOTED = (16, 24)
GUIDE = "# Guide\n\nRead it.\n"


@dataclass
class Toy:
    """A folder with a configuration that knows the engine, and the engine's own repository."""

    folder: Path
    upstream: Upstream
    commit: str
    environment: dict[str, str] = field(default_factory=dict)

    def run(self, *arguments: str, code: int | None = None, given: str = "") -> subprocess.CompletedProcess[str]:
        """`refcheck ARGUMENTS` in the folder; asserts the exit code if one is given."""
        done = subprocess.run(
            [sys.executable, "-m", "refcheck", *arguments],
            cwd=self.folder,
            env=self.environment,
            input=given,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        if code is not None:
            assert done.returncode == code, f"exit {done.returncode}\n{done.stdout}\n{done.stderr}"
        return done

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
        return path

    def edition(self, claims: str = "", lines: str = "16-24") -> Path:
        """An edition with one quoted anchor, and claims as YAML text."""
        mark = fingerprint_lines(SOURCE.split("\n")[QUOTED[0] - 1 : QUOTED[1]])
        text = (
            "schema: refcheck-edition/1\nname: toy\ndate: 2026-01-01\n"
            f"pins:\n  toy: {{commit: {self.commit}}}\n"
            "anchors:\n  - id: set-rows\n    engine: toy\n    path: toy/core.py\n"
            f'    lines: {lines}\n    form: block\n    symbol: Pool.set_rows\n    fingerprint: "{mark}"\n'
        )
        if claims:
            text += "claims:\n" + textwrap.indent(textwrap.dedent(claims), "  ")
        return self.write("toy.yaml", text)


@pytest.fixture
def toy(tmp_path: Path) -> Toy:
    folder = tmp_path / "docs"
    folder.mkdir()
    upstream = Upstream(tmp_path)
    commit = upstream.commit({CORE: SOURCE.encode(), "docs/guide.md": GUIDE.encode()}, "the first")
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PIP_", "REFCHECK_"))
    }
    environment |= {
        "HOME": str(tmp_path),
        "PYTHONPATH": str(Path(__file__).resolve().parents[2]),
        "REFCHECK_CACHE_DIR": str(tmp_path / "cache"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{upstream.server.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": ORIGIN,
        "PIP_CONFIG_FILE": os.devnull,
        "PYTHONUTF8": "1",
    }
    made = Toy(folder, upstream, commit, environment)
    made.write("refcheck.yaml", f"engines:\n  toy: {{origin: {ORIGIN}, source_roots: [toy/]}}\n")
    return made
