"""Mutated copies of a small tree, whose every line's origin is known: no answer names a wrong place."""

from __future__ import annotations

import random

import pytest

from benchmarks.follow.mutated import run
from benchmarks.follow.mutations import FILES, WITHIN, Line, World, index, truth
from benchmarks.follow.trees import MemoryTree
from refcheck.locate.follow import Request

NAMES = ("queue", "budget", "blocks", "tokens", "slots", "pages", "limit", "width", "total", "done")
CALLS = ("reserve", "release", "append", "lookup", "extend", "evict", "commit", "measure")


def toy_file(seed: int) -> str:
    """A file of classes and functions with lines that repeat now and then, as they do in engines."""
    chooser = random.Random(seed)

    def body(indent: str) -> list[str]:
        made: list[str] = []
        for _ in range(chooser.randint(3, 14)):
            one, two = chooser.sample(NAMES, 2)
            call = chooser.choice(CALLS)
            made += chooser.choice(
                (
                    [f"{one} = self.{call}({two}, {chooser.randrange(40)})"],
                    [f"for {one} in self.{two}:", f"    self.{call}({one})"],
                    [f"if {one} > {two} * {chooser.randrange(9)}:", f"    return {call}({one})"],
                    [f"self.{one}.{call}(", f"    {one}={two},", f"    {two}={chooser.randrange(99)},", ")"],
                    ["", f"# The {one} of all {two}."],
                )
            )
        return [indent + line if line else "" for line in (*made, f"return {chooser.choice(NAMES)}")]

    lines = ["import math", "from engine import " + ", ".join(CALLS), ""]
    for number in range(chooser.randint(2, 4)):
        lines += ["", "", f"class Part{number}:", f'    """Part {number} of file {seed}."""']
        for name in chooser.sample(CALLS, chooser.randint(2, 5)):
            lines += ["", f"    def {name}(self, {', '.join(chooser.sample(NAMES, 3))}):", *body("        ")]
    for name in chooser.sample(NAMES, 3):
        lines += ["", "", f"def make_{name}(self):", *body("    ")]
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def toy_tree() -> MemoryTree:
    return MemoryTree({f"engine/part_{n}.py": toy_file(n).encode() for n in range(40)})


@pytest.mark.parametrize("seed", range(1, 5))
def test_no_answer_names_a_wrong_place(toy_tree: MemoryTree, seed: int) -> None:
    judged = list(run(toy_tree, seed, files=40, ranges=12).judged())
    assert [one.followed for one in judged if one.wrong] == []
    intact = [one for one in judged if one.expected is not None]
    found = sum(one.verdict == "right" for one in intact)
    assert len(intact) > 200
    assert found > 0.6 * len(intact), f"{found} of {len(intact)} intact ranges were found"


def test_the_truth_of_a_mutated_tree() -> None:
    world = World({"b.py": [Line("new", None), Line("  x = 1", ("a.py", 2)), Line("", None)]}, random.Random(0))
    source = MemoryTree({"a.py": b"gone\nx = 1\n"}).read("a.py")
    assert truth(world, index(world), source, Request("a.py", 2, 2)) == ("b.py", 2, 2)
    assert truth(world, index(world), source, Request("a.py", 1, 2)) is None


@pytest.mark.parametrize("mutation", [*WITHIN, *FILES], ids=lambda mutation: mutation.__name__)
def test_a_mutation_keeps_the_origin_of_what_it_does_not_touch(mutation: object) -> None:
    text = toy_file(1).splitlines()
    files = {path: [Line(line, (path, number)) for number, line in enumerate(text, 1)] for path in ("a.py", "other.py")}
    world = World(files, random.Random(3))
    assert callable(mutation)
    mutation(world, "a.py")
    claimed = [line.origin for lines in world.files.values() for line in lines if line.origin is not None]
    assert len(claimed) == len(set(claimed)), "two lines claim to be the same old line"
    for lines in world.files.values():
        for line in lines:
            if line.origin is not None:
                assert line.text.strip() == text[line.origin[1] - 1].strip()
