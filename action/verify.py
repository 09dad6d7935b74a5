"""Step of the action: runs `refcheck verify` as the inputs say, and never fails itself.

The exit code becomes the output `exit-code`, so that reports are uploaded and posted first; the action's last step
ends with it. Inputs are environment variables (REFCHECK_DOCUMENTS …, see action.yml). Standard library only.
"""

from __future__ import annotations

import glob
import os
import secrets
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

FORMATS = {"json": "report.json", "html": "report.html", "markdown": "report.md", "sarif": "report.sarif"}
FAIL_ON = ("error", "warning", "never")


def lines(text: str) -> list[str]:
    """The values of a list input: one a line, blank lines left out."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def documents(patterns: list[str]) -> list[str]:
    """Patterns become the files that they fit, sorted; what fits none is passed on, for refcheck to name it."""
    found: list[str] = []
    for pattern in patterns:
        if glob.has_magic(pattern) and not Path(pattern).exists():
            found += sorted(glob.glob(pattern, recursive=True)) or [pattern]
        else:
            found.append(pattern)
    return list(dict.fromkeys(found))


def flag(environment: Mapping[str, str], name: str) -> bool:
    """A yes-or-no input. Raises ValueError for another word."""
    value = environment.get(name, "").strip().lower()
    if value not in ("", "true", "false"):
        raise ValueError(
            f"{name.removeprefix('REFCHECK_').lower().replace('_', '-')}: want true or false, not {value!r}"
        )
    return value == "true"


def arguments(environment: Mapping[str, str], output: Path) -> list[str]:
    """The command line. Values are joined to their options and documents follow `--`: none can be an option."""
    args = ["verify"]
    for name, option in (("EDITION", "--edition"), ("SHA", "--sha"), ("BASELINE", "--baseline")):
        value = environment.get(f"REFCHECK_{name}", "").strip()
        if value:
            args.append(f"{option}={value}")
    for name, option in (("PINS", "--pin"), ("SOURCES", "--source"), ("REPORTS", "--report")):
        args += [f"{option}={value}" for value in lines(environment.get(f"REFCHECK_{name}", ""))]
    fail_on = environment.get("REFCHECK_FAIL_ON", "").strip() or "error"
    if fail_on not in FAIL_ON:
        raise ValueError(f"fail-on: want one of {', '.join(FAIL_ON)}, not {fail_on!r}")
    args.append(f"--fail-on={fail_on}")
    for name, option in (("EXACT", "--exact"), ("WITHOUT_CODE", "--without-code")):
        if flag(environment, f"REFCHECK_{name}"):
            args.append(option)
    args += [f"--report={kind}={output / name}" for kind, name in FORMATS.items()]
    args.append(f"--report=terminal={output / 'report.txt'}")
    args.append("--format=github" if flag(environment, "REFCHECK_ANNOTATE") else "--format=line")
    chosen = documents(lines(environment.get("REFCHECK_DOCUMENTS", "")))
    return [*args, "--", *chosen] if chosen else args


def show(text: str) -> None:
    """Folded in the log, with workflow commands off: a second lock, the report itself has none in it."""
    token = secrets.token_hex(16)
    print(f"::group::Report\n::stop-commands::{token}\n{text}\n::{token}::\n::endgroup::", flush=True)


def main() -> int:
    """0 in every case that refcheck itself has an exit code for."""
    environment = dict(os.environ)
    output = Path(environment["REFCHECK_OUTPUT"])
    output.mkdir(parents=True, exist_ok=True)
    for name in (*FORMATS.values(), "report.txt"):
        (output / name).unlink(missing_ok=True)
    try:
        command = [sys.executable, "-m", "refcheck", *arguments(environment, output)]
    except ValueError as error:
        print(f"::error title=refcheck::{error}", flush=True)
        code = 2
    else:
        code = subprocess.run(command, check=False).returncode
    results = {"exit-code": str(code if code >= 0 else 128 - code)}
    for kind, name in FORMATS.items():
        results[kind] = str(output / name) if (output / name).is_file() else ""
    with Path(environment["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as file:
        file.writelines(f"{key}={value}\n" for key, value in results.items())
    if (output / "report.txt").is_file():
        show((output / "report.txt").read_text("utf-8"))
    summary = environment.get("GITHUB_STEP_SUMMARY")
    if summary and results["markdown"]:
        with Path(summary).open("a", encoding="utf-8") as file:
            file.write(Path(results["markdown"]).read_text("utf-8") + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
