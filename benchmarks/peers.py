"""The same 2,000 citations for the peers, each in its own form, checked against the same files.

The files are a folder under git. Setting up (recording hashes, writing notes) is not what is measured; the check is.
linecite names the two ends of a range by their symbol and text; docpin and fieldnotes record a hash of the lines. None
of them reads the text that a page quotes: they say whether the code changed since it was recorded.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from .kept import kept_folder
from .process import Usage, median, run
from .table import table

OTHER = "0.27.1"
"""The release that the citations are checked against a second time, recorded at 0.28.0."""


PEERS = ("linecite", "docpin", "claude-fieldnotes")


def make_projects(folder: Path) -> None:
    """Runs in a process of its own: the files of both releases, and the citations in each peer's form."""
    from refcheck.locate.outline import outline

    from .pages import open_release

    rows = json.loads((folder / "pages" / "2000.json").read_text("utf-8"))
    tree, other = open_release("0.28.0", None), open_release(OTHER, None)
    for name, release in (*((peer, tree) for peer in PEERS), ("other", other)):
        for path in release.paths():
            if path.startswith("vllm/") and path.endswith(".py"):
                target = folder / name / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(release.read_bytes(path))
    notes = folder / "claude-fieldnotes" / ".fieldnotes" / "notes"
    notes.mkdir(parents=True, exist_ok=True)
    linecite, docpin = ["# Notes\n"], ["# Notes\n"]
    still = {"there": 0, "moved": 0}
    for number, (path, first_cited, last_cited, at, _) in enumerate(rows, 1):
        source = tree.read(path)
        lines, last = source.lines, at + last_cited - first_cited
        symbol = outline(source).enclosing(at, last)
        first_line, last_line = (symbol.lines.first, symbol.lines.last) if symbol else (1, len(lines))
        ends = " .. ".join(_end(lines, n, first_line, last_line) for n in (at, last))
        name = f"::{symbol.name}" if symbol else ""
        linecite.append(f"Step {number} is in {path.rpartition('/')[2]} at {at}-{last}<!--@ {path}{name} {ends} -->.\n")
        docpin.append(f"Step {number}:\n\n[pin:{path}:{at}-{last}]\n")
        cited = lines[at - 1 : last]
        digest = hashlib.sha256("".join(f"{line}\n" for line in cited).encode()).hexdigest()
        head = (
            f"id: '{number:04d}'\ntopic: step-{number}\ntitle: Step {number}\nwritten_at: '2026-01-01T00:00:00+00:00'"
        )
        reference = f"references:\n  - path: {path}\n    sha: {digest}\n    lines: [{at}, {last}]"
        note = f"---\n{head}\n{reference}\n---\n\nStep {number}.\n"
        (notes / f"{number:04d}-step-{number}.md").write_text(note, "utf-8")
        if other.has(path):
            theirs = other.read(path)
            if theirs.lines[at - 1 : last] == cited:
                still["there"] += 1
            elif "\n".join(("", *cited, "")) in f"\n{theirs.text}\n":
                still["moved"] += 1
    for peer, texts in (("linecite", linecite), ("docpin", docpin)):
        docs = folder / peer / "docs"
        docs.mkdir(exist_ok=True)
        (docs / "notes.md").write_text("\n".join(texts), "utf-8")
    (folder / "linecite" / ".linecite.toml").write_text('docs = ["docs/*.md"]\nlegacy = "off"\n', "utf-8")
    (folder / "claude-fieldnotes" / ".fieldnotes" / "config.toml").write_text('version = "0.1"\n', "utf-8")
    (folder / "still.json").write_text(json.dumps(still), "utf-8")


def _end(lines: tuple[str, ...], number: int, first: int, last: int) -> str:
    """A line by its text, numbered where the same text stands in other lines of the range too."""
    text = lines[number - 1].strip()
    squeezed = re.sub(r"\s+", "", text)
    hits = [n for n in range(first, last + 1) if squeezed in re.sub(r"\s+", "", lines[n - 1])]
    return f"「{text}」" + (f"#{hits.index(number) + 1}" if len(hits) > 1 else "")


def peers_table(folder: Path, venv: Path, environment: Mapping[str, str], repeat: int) -> str:
    """A Markdown table: the check at the release of the citations, and at another one."""
    subprocess.run([sys.executable, "-m", "benchmarks.peers", str(folder)], env=dict(environment), check=True)
    still = json.loads((folder / "still.json").read_text("utf-8"))
    own = {key: value for key, value in environment.items() if not key.startswith("PYTHON")}
    scripts = venv.resolve() / "bin"
    commands = {
        "linecite": ("the two ends of a range, by symbol", [str(scripts / "linecite"), "check"]),
        "docpin": ("a hash of the lines at their numbers", [str(scripts / "docpin"), "check"]),
        "claude-fieldnotes": (
            "a hash of the lines at their numbers",
            [str(scripts / "fieldnotes"), "verify", "--check"],
        ),
    }
    for peer in commands:
        for call in (["git", "init", "-q"], ["git", "add", "-A"]):
            subprocess.run(call, cwd=folder / peer, env=own, check=True)
    subprocess.run(
        [str(scripts / "docpin"), "record"], cwd=folder / "docpin", env=own, stdout=subprocess.DEVNULL, check=True
    )
    rows = []

    def row(name: str, compares: str, used: Usage, said: str) -> None:
        rows.append([name, compares, f"{used.wall:.2f}", f"{used.cpu:.2f}", f"{used.peak:.0f}", said])

    page = str(folder / "pages" / "2000.md")
    for name, version in (("refcheck", "0.28.0"), (f"refcheck at {OTHER}", OTHER)):
        runs = []
        command = ["verify", page, "--pin", f"vllm=release:{version}", "--offline", "--quiet"]
        for _ in range(repeat):
            shutil.rmtree(kept_folder(environment), ignore_errors=True)
            runs.append(run([sys.executable, "-m", "refcheck", *command], folder, environment))
        used = median(runs)
        row(name, "every line that is quoted", used, _says(used.output))
    for name, (compares, command) in commands.items():
        used = median([run(command, folder / name, own) for _ in range(repeat)])
        row(name, compares, used, _says(used.output))
    for name, (compares, command) in commands.items():
        shutil.rmtree(folder / name / "vllm")
        shutil.copytree(folder / "other" / "vllm", folder / name / "vllm")
        subprocess.run(["git", "add", "-A"], cwd=folder / name, env=own, check=True)
        used = median([run(command, folder / name, own) for _ in range(repeat)])
        row(f"{name} at {OTHER}", compares, used, _says(used.output))
    for leftover in (*PEERS, "other"):
        shutil.rmtree(folder / leftover)
    note = (
        f"The same 2,000 citations for each; refcheck's page has 10% wrong numbers and 2% changed quotes besides. "
        f"At {OTHER}, of the 2,000 texts {still['there']} stand at the same lines and {still['moved']} at other lines "
        f"of the same file: for a hash of lines at their numbers the latter are stale."
    )
    return table(["tool", "compares", "wall s", "CPU s", "MB", "says"], rows) + "\n\n" + note


def _says(output: str) -> str:
    """The counts that a tool ends with; where it has none, how many of its lines say stale."""
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line).strip() for line in output.splitlines() if line.strip()]
    counts = [line for line in lines if re.match(r"(?:Found \d|anchors \d|all \d|holds \d|All )", line)]
    stale = sum(line.startswith("stale ") for line in lines)
    return "; ".join(counts) or (f"{stale} stale" if stale else " ".join(lines[-1:]))


if __name__ == "__main__":
    make_projects(Path(sys.argv[1]))
