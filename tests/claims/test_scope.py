"""Classes, functions and values of a name, found in many files by text."""

from __future__ import annotations

import time

from refcheck.claims.context import Context
from refcheck.claims.scope import classes, functions, longest_word, reads, values, word_lines
from refcheck.claims.structure import code_of
from refcheck.locate.reader import TreeReader
from refcheck.model.place import LineRange
from tests.support.trees import MemoryTree

FILES = {
    "toy/a.py": (
        'class Job(Base[int], mod.Other, metaclass=M):\n    """Text\nwith a line at the margin\n    """\n\n'
        "    depth: int = 2\n\n    def run(self, width=1):\n        return make(\n            width=self.w,\n"
        "            depth=self.w * 2,\n        )\n\n\ndef make(width, depth=None):\n    depth = depth or width\n"
    ),
    "toy/b.py": "class Job:\n    pass\n",
    "other/c.py": "depth = 9\n",
    "toy/d.txt": "class Job:\n",
    "toy/e.py": "# depth = 1\nx = 'depth = 2'\nself.depth = y = 3\nif a: depth = 4\n",
}


def context(files: dict[str, str] | None = None) -> Context:
    return Context({"toy": TreeReader(MemoryTree(files or FILES))})


def test_classes_end_where_the_next_definition_begins() -> None:
    first, second = classes(context(), "toy", ["toy/"], "Job")
    assert (first.path, first.lines, first.bases) == ("toy/a.py", LineRange(1, 12), ("Base", "Other"))
    assert (second.path, second.lines, second.bases) == ("toy/b.py", LineRange(1, 2), ())


def test_classes_under_a_test_are_the_modules_and_inner_ones_are_not() -> None:
    """As `if TYPE_CHECKING:` and `try:` hold them; what stands in a class or a function is not the module's."""
    body = 'class A(Base):\n    """Text\n    class Not:\n    """\n\n    class Inner:\n        x = 1\n\n    rows = 2\n\n'
    body += "def make():\n    class Local:\n        pass\n\n@mark\nclass B:\n    cols = 3\n"
    plain = classes(context({"toy/x.py": body}), "toy", ["toy/"], r"\w+")
    assert [c.name for c in plain] == ["A", "B"]
    for head in ("if True:", "try:", "if X:\n    pass\nelse:  # why"):
        shifted = head + "\n" + "".join("    " + line for line in body.splitlines(True)) + "after = 1\n"
        below = classes(context({"toy/x.py": shifted}), "toy", ["toy/"], r"\w+")
        more = head.count("\n") + 1
        assert [(c.name, c.bases) for c in below] == [(c.name, c.bases) for c in plain]
        assert [c.lines.first - more for c in below] == [c.lines.first for c in plain]
        assert [len(c.text.split()) for c in below] == [len(c.text.split()) for c in plain]
        assert [reads(c.text, "cols") for c in below] == [False, True]


def test_functions_with_their_class() -> None:
    (run,) = functions(context(), "toy", ["toy/"], "run")
    assert (run.place.symbol, str(run.place)) == ("Job.run", "toy/a.py:L8")
    (make,) = functions(context(), "toy", ["toy/"], "make")
    assert make.place.symbol == "make"


def test_values_in_every_form() -> None:
    found = values(context(), "toy", ["toy/"], "depth")
    assert [(v.line, v.how, code_of(v.value)) for v in found if v.source.path == "toy/a.py"] == [
        (6, "assignment", "2"),
        (11, "keyword", "self.w * 2"),
        (15, "default", "None"),
        (16, "assignment", "depth or width"),
    ]
    assert [(v.line, code_of(v.value)) for v in found if v.source.path == "toy/e.py"] == [(3, "3"), (4, "4")]
    keyword = next(v for v in found if v.how == "keyword")
    assert [(name, code_of(value)) for name, value in keyword.keywords] == [
        ("width", "self.w"),
        ("depth", "self.w * 2"),
    ]


def test_words_in_code_alone() -> None:
    assert reads("x.rows + 1  # cols", "rows")
    assert not reads("x.rows + 1  # cols", "cols")
    assert not reads('"""rows"""\narrows = 1', "rows")
    source = context().source("toy", "toy/e.py")
    assert word_lines(source, LineRange(1, 4), "depth") == [3, 4]


def test_words_of_a_pattern() -> None:
    assert longest_word(".*MetadataBuilder") == "MetadataBuilder"
    assert longest_word(r"\w*Spec") == "Spec" or longest_word(r"\w*Spec") == ""
    assert longest_word("A|B") == ""


def test_a_file_of_open_quotes_takes_no_time() -> None:
    text = 'class A:\n    """open\n' + "x = 1\n" * 50_000
    started = time.process_time()
    assert len(classes(context({"toy/x.py": text}), "toy", ["toy/"], "A")) == 1
    assert time.process_time() - started < 2
