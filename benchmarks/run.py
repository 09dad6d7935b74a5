"""The benchmarks: whole processes, in turns, medians.

    python -m benchmarks.run [--repeat 5] [--against ROOT] [--peers VENV] [--chapter FILE] [--readme]

Everything is measured on this checkout (A) and, with `--against`, on another one (B), in turns A, B, A, B, so that a
machine that is busy for a while is so for both. Inputs are made with fixed seeds; the stores are warm (the first run
fills them from the package index), but for the cold one. `--peers` names an environment with
benchmarks/requirements.txt, for the same citations in the peers' own forms. `--readme` writes the tables between the
markers of README.md.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from .kept import kept_folder
from .process import Usage, median, run
from .table import table
from .works import Work, works

ROOT = Path(__file__).resolve().parent.parent
NOISE = 1.1
"""Two equal works differ by this much on a machine that does other things too."""
BEGIN, END = "<!-- benchmarks -->", "<!-- /benchmarks -->"


def main() -> int:
    options = _options()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="refcheck-benchmarks-"))
    folder.mkdir(parents=True, exist_ok=True)
    named = [ROOT, *([options.against.resolve()] if options.against else [])]
    roots = [_snapshot(root, folder / f"checkout-{number}") for number, root in enumerate(named)]
    _say("making the pages")
    _python(["-m", "benchmarks.pages", str(folder / "pages")], folder)
    anchors = tuple(_python(["-c", _ANCHORS], folder).split())
    todo = [
        work
        for work in works(folder / "pages", anchors, options.chapter)
        if not options.only or options.only in work.name
    ]
    _warm(todo, folder)
    tables = [_table_of_works(todo, roots, folder, options.repeat)]
    if not options.only:
        from .cold import cold_store

        tables.append(cold_store(folder, _environment(folder, roots[0])))
    if options.peers:
        from .peers import peers_table

        tables.append(peers_table(folder, options.peers, _environment(folder, roots[0]), options.repeat))
    text = "\n\n".join([*tables, _machine()])
    print(text)
    if options.readme:
        write_readme(ROOT / "README.md", text)
    if options.folder is None:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


_ANCHORS = """
from refcheck.config.editions import find_edition
print(*(anchor.id for anchor in find_edition("decode-loop").anchors))
"""


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=5, help="runs of each work; the median counts")
    parser.add_argument("--against", type=Path, help="another checkout, measured in turns with this one")
    parser.add_argument("--peers", type=Path, help="an environment with benchmarks/requirements.txt")
    parser.add_argument("--chapter", type=Path, help="the text of the packaged edition's chapter")
    parser.add_argument("--folder", type=Path, help="where pages and compiled files are kept from one call to the next")
    parser.add_argument("--only", help="only the works whose name has this in it")
    parser.add_argument("--readme", action="store_true", help="write the tables into README.md")
    return parser.parse_args()


def _environment(folder: Path, root: Path) -> Mapping[str, str]:
    """Compiled modules are kept, as in an installation, but not in the checkout."""
    kept = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "PYTHONPATH": str(root), "PYTHONPYCACHEPREFIX": str(folder / "compiled"), "NO_COLOR": "1"}


def _python(arguments: Sequence[str], folder: Path) -> str:
    """Runs Python with this checkout, in a process of its own: this one stays small."""
    done = subprocess.run(
        [sys.executable, *arguments], env={**_environment(folder, ROOT)}, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


def _snapshot(root: Path, target: Path) -> Path:
    """A copy of what runs: a change of the checkout meanwhile would change what is measured, and what is kept."""
    shutil.rmtree(target, ignore_errors=True)
    for part in ("refcheck", "anchors"):
        shutil.copytree(root / part, target / part, ignore=shutil.ignore_patterns("__pycache__"))
    return target


def _refcheck(work: Work, root: Path, folder: Path) -> Usage:
    environment = _environment(folder, root)
    if work.fresh:
        shutil.rmtree(kept_folder(environment), ignore_errors=True)
    used = run([sys.executable, "-m", "refcheck", *work.arguments], folder, environment)
    if used.code not in work.codes:
        sys.exit(f"{work.name}: exit {used.code}\n{used.errors}")
    return used


def _warm(todo: Sequence[Work], folder: Path) -> None:
    """Fills the stores: what a first run would fetch or compile is not what is measured."""
    _say("filling the stores")
    for arguments in (
        ("verify", "--edition", "decode-loop"),
        ("verify", str(folder / "pages" / "blocks-500.md"), "--pin", "vllm=release:0.28.0"),
        ("verify", str(folder / "pages" / "blocks-500.md"), "--pin", "vllm=release:0.27.1"),
    ):
        run([sys.executable, "-m", "refcheck", *arguments], folder, _environment(folder, ROOT))


def _table_of_works(todo: Sequence[Work], roots: Sequence[Path], folder: Path, repeat: int) -> str:
    medians: list[dict[str, Usage]] = [{} for _ in roots]
    for work in todo:
        _say(work.name)
        runs: list[list[Usage]] = [[] for _ in roots]
        if not work.fresh:
            for root in roots:  # what is kept was written by this very work, not by the other checkout's
                _refcheck(work, root, folder)
        for _ in range(repeat):
            for number, root in enumerate(roots):
                runs[number].append(_refcheck(work, root, folder))
        for number in range(len(roots)):
            medians[number][work.name] = median(runs[number])
    head = ["work", "target", "wall s", "CPU s", "MB", "reached"]
    if len(roots) > 1:
        head += ["before: wall s", "CPU s", "MB"]
    rows = []
    for work in todo:
        used = medians[0][work.name]
        row = [
            work.name,
            work.target,
            f"{used.wall:.2f}",
            f"{used.cpu:.2f}",
            f"{used.peak:.0f}",
            _reached(work, medians[0]),
        ]
        if len(roots) > 1:
            other = medians[1][work.name]
            row += [f"{other.wall:.2f}", f"{other.cpu:.2f}", f"{other.peak:.0f}"]
        rows.append(row)
    return table(head, rows)


def _reached(work: Work, medians: Mapping[str, Usage]) -> str:
    used = medians[work.name]
    checks = []
    if work.seconds is not None:
        checks.append(used.wall < work.seconds)
    if work.mebibytes is not None:
        checks.append(used.peak < work.mebibytes)
    said = ""
    if work.of is not None and work.times is not None and work.of in medians:
        share = used.cpu / medians[work.of].cpu  # a busy machine changes it less than wall time
        said = f" ({share:.1f}x)" if share >= 1 else f" ({share:.2f}x)"
        checks.append(share <= work.times * (NOISE if work.times == 1 else 1))
    return ("yes" if all(checks) else "no") + said if checks else ""


def _machine() -> str:
    return (
        f"Whole processes, medians, ratios of CPU time; {os.cpu_count()} cores, Python {platform.python_version()}, "
        f"{platform.system()} {platform.machine()}. Made by `python -m benchmarks.run`."
    )


def write_readme(path: Path, text: str) -> None:
    """Puts the text between the markers. Exits where they are missing."""
    before, begin, rest = path.read_text("utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        sys.exit(f"{path} has no {BEGIN} … {END}")
    path.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}", "utf-8")


def _say(message: str) -> None:
    print(f"benchmarks: {message}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
