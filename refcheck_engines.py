"""Where both scripts start: looks whether the package `refcheck` beside it is this one, then runs it.

The index has another distribution that installs a package and a script of the same name. Installed into one
environment, each overwrites files of the other; then neither can be trusted, and this says so.
"""

from __future__ import annotations

import os
import sys


def clobbered() -> str | None:
    """The file name of another distribution's record beside ours, if the same folder holds one."""
    folder = os.path.dirname(os.path.abspath(__file__))
    try:
        names = os.listdir(folder)
    except OSError:
        return None
    return next((n for n in names if n.startswith("refcheck-") and n.endswith((".dist-info", ".egg-info"))), None)


def main() -> int:
    """The process's exit code."""
    other = clobbered()
    if other is not None:
        print(
            f"refcheck-engines: this environment also has {other.rsplit('.', 1)[0]}, another tool that installs "
            "a package `refcheck`.\nEach overwrites files of the other. Install them apart: "
            "pipx install refcheck-engines (or: uv tool install refcheck-engines).",
            file=sys.stderr,
        )
        return 2
    try:
        from refcheck.__main__ import main as run
    except KeyboardInterrupt:
        return 130
    return run()
