"""The inputs of the benchmarks: pages with citations of a release, made with fixed seeds.

    python -m benchmarks.pages FOLDER [--release 0.28.0] [--cache DIR]

A citation is a run of 3 to 12 lines of a random place of a Python file: the path and the lines in a sentence, the
text in a block below it, with the block's own indentation removed, as people quote. One in ten is kept as it was
before an edit above it (the numbers are off), one in fifty has a changed line; the expected verdicts are written
beside the page. Made in a process of its own, so that the one that measures stays small.
"""

from __future__ import annotations

import argparse
import json
import random
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from refcheck.config.engines import builtin_engines
from refcheck.model.tree import Tree
from refcheck.sources.open import open_tree
from refcheck.sources.wanted import Options, Wanted

FILES = 975
SEED = 20260
SHORTEST_FILE = 30


@dataclass(frozen=True, slots=True)
class Cited:
    """One citation: what the page says, and where the text really stands."""

    path: str
    first: int
    last: int
    text: tuple[str, ...]
    at: int
    """The line where the text begins in the file (`first` unless the numbers are off)."""
    state: str
    """`exact`, `moved` or `changed`."""


def chosen_files(tree: Tree, prefix: str, count: int, seed: int = SEED) -> list[str]:
    """`count` Python files below `prefix` that are long enough to quote from."""
    rng = random.Random(seed)
    paths = sorted(path for path in tree.paths() if path.startswith(prefix) and path.endswith(".py"))
    tree.prefetch(paths)
    fitting = [path for path in paths if len(tree.read(path).lines) >= SHORTEST_FILE]
    return sorted(rng.sample(fitting, min(count, len(fitting))))


def citations(
    tree: Tree, files: Sequence[str], count: int, seed: int = SEED, *, moved: float = 0.1, changed: float = 0.02
) -> Iterator[Cited]:
    """`count` citations, every file cited at least once where there are enough of them."""
    rng = random.Random(f"{seed} {count}")
    order = [*files] if count >= len(files) else []
    order += rng.choices(files, k=count - len(order))
    rng.shuffle(order)
    for path in order:
        lines = tree.read(path).lines
        state = rng.choices(("moved", "changed", "exact"), (moved, changed, 1 - moved - changed))[0]
        while True:
            length = rng.randint(3, 12)
            first = rng.randrange(1, len(lines) - length + 2)
            text = lines[first - 1 : first + length - 1]
            solid = sum(len(line.strip()) for line in text)
            if text[0].strip() and text[-1].strip() and solid > 60 and not any("```" in line for line in text):
                break
        cited = first
        if state == "moved":
            cited = max(1, first - rng.randint(1, 200)) if first > 1 else first + 1
        elif state == "changed":
            at = rng.choice([n for n, line in enumerate(text) if line.strip()])
            text = (*text[:at], text[at] + "_rewritten", *text[at + 1 :])
        dedented = tuple(textwrap.dedent("\n".join(text).expandtabs(4)).split("\n"))
        yield Cited(path, cited, cited + length - 1, dedented, first, state)


def page(cited: Sequence[Cited], *, located: bool = True) -> str:
    """Markdown: a sentence with the location (or without), and the block."""
    parts = ["# Notes on the engine\n"]
    for number, one in enumerate(cited, 1):
        if number % 20 == 1:
            parts.append(f"## Part {number // 20 + 1}\n")
        if located:
            parts.append(f"Step {number} is done in `{one.path}:{one.first}-{one.last}`, as the next lines show:\n")
        else:
            parts.append(f"Step {number} is done as follows:\n")
        parts.append("```python\n" + "\n".join(one.text) + "\n```\n")
    return "\n".join(parts)


def bare_page(cited: Sequence[Cited]) -> str:
    """Markdown: locations in a table, without their text."""
    rows = "\n".join(f"| {n} | `{one.path}:{one.first}-{one.last}` |" for n, one in enumerate(cited, 1))
    return f"# Places\n\n| step | where |\n|---|---|\n{rows}\n"


def open_release(version: str, cache: Path | None, engine: str = "vllm") -> Tree:
    """A release's tree, from the store or the index."""
    return open_tree(Wanted(builtin_engines()[engine], f"release:{version}"), Options(cache_dir=cache))


def write_pages(folder: Path, tree: Tree) -> None:
    """Every page, each with its expected places and states (`NAME.json`)."""
    folder.mkdir(parents=True, exist_ok=True)
    files = chosen_files(tree, "vllm/", FILES)
    made = {
        "2000": list(citations(tree, files, 2000)),
        "20000": list(citations(tree, files, 20000)),
        "blocks-500": list(citations(tree, files, 500, moved=0, changed=0)),
    }
    for name, cited in made.items():
        located = not name.startswith("blocks")
        (folder / f"{name}.md").write_text(page(cited, located=located), "utf-8")
        rows = [[one.path, one.first, one.last, one.at, one.state] for one in cited]
        (folder / f"{name}.json").write_text(json.dumps(rows), "utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description="write the pages of the benchmarks")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--release", default="0.28.0")
    parser.add_argument("--cache", type=Path, default=None)
    options = parser.parse_args()
    write_pages(options.folder, open_release(options.release, options.cache))


if __name__ == "__main__":
    main()
