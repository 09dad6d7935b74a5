"""Writes the generated parts of README.md and `docs/`: `python -m tools.generate_docs`, or `--check` to compare.

A generated part stands between two comments; what is between them is replaced, the rest is written by hand:

    <!-- generated: NAME ARGUMENTS -->
    <!-- /generated -->

NAME is a function of `PARTS`. The page about claim kinds is generated as a whole.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUFFIXES = {".py": "python", ".yaml": "yaml", ".yml": "yaml", ".md": "markdown", ".json": "json", ".txt": "text"}

_PART = re.compile(r"(?m)^<!-- generated: (?P<call>[^\n]+?) -->\n(?P<old>.*?)^<!-- /generated -->$", re.DOTALL)
_OPEN = re.compile(r"(?m)^<!-- generated: ")
_ROUNDING = re.compile(r"(?<![\w.-])\d(?:\.\d+)?e-\d\d(?!\w)")
"""Rounding errors in the output of a command: of another processor they are others."""


def pages() -> list[Path]:
    """The pages that hold generated parts."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def regenerated(path: Path) -> str:
    """The page as it should be. Raises ValueError for a part that is not closed or not known."""
    if path.name == "claim-kinds.md":
        from refcheck.claims.describe import page

        return page()
    text = path.read_text(encoding="utf-8")
    parts = list(_PART.finditer(text))
    if len(parts) != len(_OPEN.findall(text)):
        raise ValueError(f"{path}: a generated part is not closed with <!-- /generated -->")
    for part in reversed(parts):
        name, *arguments = shlex.split(part["call"])
        if name not in PARTS:
            raise ValueError(f"{path}: no generated part {name!r} (known: {', '.join(PARTS)})")
        new = PARTS[name](*arguments).strip("\n")
        start, end = part.span("old")
        if not same(part["old"].strip("\n"), new):
            text = f"{text[:start]}\n{new}\n\n{text[end:]}"
    return text


def same(one: str, other: str) -> bool:
    """Whether two texts are equal but for rounding errors and the width of columns that hold them."""
    first, second = (re.sub(r"[ ─-]+", " ", _ROUNDING.sub("~", text)) for text in (one, other))
    return first == second


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    def row(cells: Iterable[str]) -> str:
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

    head = list(head)
    return "\n".join([row(head), "|" + "---|" * len(head), *map(row, rows)])


def _fenced(text: str, language: str) -> str:
    ticks = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`{3,}", text)), default=0))
    return f"{ticks}{language}\n{text.rstrip()}\n{ticks}"


def codes() -> str:
    """A table of all codes, then a section for each."""
    from refcheck.cli.explain import markdown_of
    from refcheck.model.codes import CODES

    sections = [markdown_of(code).rstrip() for code in CODES.values()]
    rows = [
        (f"[{code.id}](#{anchor(section.partition(chr(10))[0].lstrip('# '))})", code.title)
        for code, section in zip(CODES.values(), sections, strict=True)
    ]
    return "\n\n".join([_table(("code", "what"), rows), *sections])


def anchor(heading: str) -> str:
    """The id that GitHub gives to a heading."""
    return re.sub(r"[^\w\- ]", "", heading.strip().lower()).replace(" ", "-")


def fields(module: str, name: str) -> str:
    """A table of declared keys (refcheck.config.fields.Field)."""
    import importlib

    rows = []
    for field in getattr(importlib.import_module(module), name):
        doc = field.doc + (f" (one of {', '.join(field.choices)})" if len(field.choices) > 1 else "")
        type_ = field.type.replace("|", " or ") + (", **needed**" if field.required else "")
        rows.append((f"`{field.name}`", type_, doc))
    return _table(("key", "type", "meaning"), rows)


def file(name: str) -> str:
    """A file of the repository."""
    path = ROOT / name
    return f"[{name}]({os.path.relpath(path, ROOT / 'docs')}):\n\n" + _fenced(
        path.read_text(encoding="utf-8"), SUFFIXES[path.suffix]
    )


def command(*words: str) -> str:
    """A command line and what it prints at 80 columns."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("REFCHECK_")}
    environment |= {"NO_COLOR": "1", "COLUMNS": "80", "PYTHONUTF8": "1", "PYTHONPATH": str(ROOT)}
    assert words[0] == "refcheck", words
    done = subprocess.run(
        [sys.executable, "-m", *words],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode not in (0, 1):
        raise ValueError(f"{shlex.join(words)}: exit {done.returncode}: {done.stderr}")
    return _fenced(f"$ {shlex.join(words)}\n{done.stdout}", "console")


def excerpt(name: str, line: str) -> str:
    """A terminal report of `reports/`, shortened: its head, some of what holds, what is wrong, the totals."""
    rows = (ROOT / name).read_text(encoding="utf-8").splitlines()
    holds = next(i for i, row in enumerate(rows) if row.startswith("Holds: "))
    judged = next(i for i, row in enumerate(rows) if row.startswith("Not judged: "))
    warnings = next(i for i, row in enumerate(rows) if row.startswith("Warnings: "))
    errors = next(i for i, row in enumerate(rows) if row.startswith("Errors: "))
    located = [row for row in rows[holds + 1 : judged - 1] if re.search(r":\d+(-\d+)? ", row)]
    shown = [*rows[: holds + 3], *located[:4], "…", "", *rows[judged : judged + 4], "…", ""]
    first = rows[warnings : rows.index("", warnings + 2) + 1]
    return _fenced("\n".join([f"$ {line}", *shown, *first, "…", "", *_problems(rows[errors:])]), "console")


def _problems(rows: list[str]) -> list[str]:
    """Blocks of at most eight lines."""
    out: list[str] = []
    size = 0
    for row in rows:
        size = size + 1 if row.startswith("    ") else 0
        if size < 8:
            out.append(row)
        elif size == 8:
            out.append("    …")
    return out


def formats(package: str, length: str = "") -> str:
    """A table of plug-ins: name, file endings, the first sentence of the module, or (`short`) its first words."""
    import importlib

    from refcheck import registry

    rows = []
    for name in registry.names(package):
        module = importlib.import_module(f"{package}.{name.replace('-', '_')}")
        suffixes = ", ".join(f"`{suffix}`" for suffix in module.FORMAT.suffixes)
        said = (module.__doc__ or "").split("\n\n")[0].replace("\n", " ")
        if length == "short":
            said = re.split(r"[,:;]", said)[0]
        rows.append((f"`{name}`", suffixes, said))
    return _table(("format", "file names", "what"), rows)


def schemas() -> str:
    """A table of the published JSON schemas."""
    import json

    rows = []
    for path in sorted((ROOT / "refcheck").glob("*/schemas/*.json")):
        schema = json.loads(path.read_text(encoding="utf-8"))
        where = path.relative_to(ROOT).as_posix()
        name = "/".join(path.stem.rsplit("-", 1))
        rows.append((f"[{name}](../{where})", schema.get("description", "").split(". ")[0].rstrip(".") + "."))
    return _table(("schema", "what"), rows)


def commands() -> str:
    """A table of the commands."""
    from refcheck import registry
    from refcheck.cli.group import COMMANDS

    present = registry.names("refcheck.cli")
    return _table(("command", "does"), [(f"`refcheck {n}`", what) for n, what in COMMANDS.items() if n in present])


PARTS: dict[str, Callable[..., str]] = {
    "codes": codes,
    "fields": fields,
    "file": file,
    "command": command,
    "excerpt": excerpt,
    "formats": formats,
    "schemas": schemas,
    "commands": commands,
}


def main() -> int:
    """Exit code 0; 1 where `--check` finds a page that differs."""
    parser = argparse.ArgumentParser(description="Write the generated parts of README.md and docs/, or compare them.")
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 where a page differs")
    given = parser.parse_args()
    differing = []
    for path in pages():
        new = regenerated(path)
        if new != path.read_text(encoding="utf-8"):
            differing.append(path.relative_to(ROOT).as_posix())
            if not given.check:
                path.write_text(new, encoding="utf-8", newline="\n")
                print(f"wrote {differing[-1]}")
    if given.check and differing:
        print(f"{', '.join(differing)} differ; run: python -m tools.generate_docs", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
