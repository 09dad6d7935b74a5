"""`python -m refcheck`, and what the scripts call: errors become messages and exit codes here."""

from __future__ import annotations

import sys


def main(argv: list[str] | None = None) -> int:
    """Runs the command line; returns the exit code. `--version` alone is answered without any import."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments == ["--version"]:
        from . import __version__

        print(f"refcheck {__version__}")
        return 0
    try:
        from .cli.group import run

        return run(arguments)
    except KeyboardInterrupt:
        # While modules are still being imported; later `run` says so itself.
        print("refcheck: interrupted", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
