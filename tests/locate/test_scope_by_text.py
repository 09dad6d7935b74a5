"""The definition around lines by indentation: it must say what the outline says, or that it does not know."""

from __future__ import annotations

import pytest

from refcheck.locate.outline import outline
from refcheck.locate.scope_by_text import UNSURE, PythonScopes
from refcheck.model.source_text import SourceText

PLAIN = '''"""Module.

def not_a_function(): in a string
"""
import os

LIMIT = {
    "a": 1,
}


@decorate(
    "x",
)
@other
class Pool(
    Base,
):
    """Docs.

class Nope:
    in the docstring
    """

    size: int = 3
    # a comment of the class

    @property
    def width(
        self,
        *,
        deep: bool = False,
    ) -> int:
        """Width."""
        if deep:
            # inside

            def inner(x): return x

            return inner(self.size)
        else:
            pass
        return 1
        # trailing comment of width

    # comment between

    async def run(self) -> None: ...

    def text(self):
        note = f"""
def {self.size}():
"""
        other = 'has """ inside'  # and """ here
        return note + \\
    other
# low comment in the middle
        return 2


if os.name == "posix":

    def go():
        return [
            1,
            2,
        ]

else:
    go = None

x = 1
# last comment
'''


def source_of(text: str, path: str = "a.py") -> SourceText:
    return SourceText.from_bytes(path, "0" * 40, text.encode())


def expected(source: SourceText, first: int, last: int) -> str | None:
    symbol = outline(source).enclosing(first, last)
    return symbol.name if symbol else None


def test_every_range_of_a_file_is_named_as_the_outline_names_it() -> None:
    source = source_of(PLAIN)
    scopes = PythonScopes(source)
    total = len(source.lines)
    unsure = 0
    for first in range(1, total + 1):
        for last in range(first, total + 1):
            name = scopes.around(first, last)
            if name is UNSURE:
                unsure += 1
            else:
                assert name == expected(source, first, last), (first, last)
    assert unsure < 0.1 * total * total / 2


@pytest.mark.parametrize(
    ("text", "line", "name"),
    [
        pytest.param("def f():\n    return 1\n", 2, "f", id="body"),
        pytest.param("def f():\n    return 1\n\n# c\n", 4, None, id="comment-behind"),
        pytest.param("def f():\n    return 1\n    # c\n", 3, "f", id="comment-of-the-body"),
        pytest.param(
            "class A:\n    @d\n    @e(\n        1\n    )\n    def f(self):\n        pass\n", 4, "A.f", id="decorator"
        ),
        pytest.param("def f(): return 1\nx = 2\n", 2, None, id="behind-a-one-line-definition"),
        pytest.param(
            "class A:\n    def f(self):\n        def g():\n            pass\n        return g\n",
            4,
            "A.f.g",
            id="nested",
        ),
    ],
)
def test_the_name_around_a_line(text: str, line: int, name: str | None) -> None:
    source = source_of(text)
    assert PythonScopes(source).around(line, line) == name == expected(source, line, line)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        pytest.param("def f():\n\treturn 1\n", 2, id="tab"),
        pytest.param("def f():\r    return 1\r", 2, id="carriage-return"),
        pytest.param('def f():\n    x = """never closed\n    return 1\n', 3, id="open-string"),
        pytest.param('def f():\n    x = (\n"one"\n"two")\n    return x\n', 4, id="brackets-left-of-their-statement"),
    ],
)
def test_a_doubt_is_said(text: str, line: int) -> None:
    assert PythonScopes(source_of(text)).around(line, line) is UNSURE


def test_lines_outside_the_file_are_not_answered() -> None:
    assert PythonScopes(source_of("x = 1\n")).around(1, 2) is UNSURE
