"""The fast reading of Python's definitions agrees with the outline, line by line."""

from __future__ import annotations

from pathlib import Path

import pytest

import refcheck
from refcheck.locate.follow.scopes import OutlineScopes, PythonScopes, common, scopes_of, shown
from refcheck.locate.outline import outline
from refcheck.model.source_text import SourceText

TRICKY = '''\
"""A module.

def not_here():
class Neither:
"""
import os


@decorate(
    option=1,
)
@other
def first(
    a,
    b,
) -> int:
    """Text
at the margin
def inside_a_string(): ...
    """
    if a:
        def nested():
            return 1
        x = 1
    # still inside
    return (
        a
)

# between
class Box:
    @property
    def size(self): return 1
    @size.setter
    def size(self, value): pass
    async def go(self):
        text = "a # no comment"; other = \'\'\'"""\'\'\'
        return text
    limit = 4
'''


def agree(text: str) -> int:
    source = SourceText("m.py", "", text)
    scopes, expected = PythonScopes(source), outline(source)
    compared = 0
    for row, line in enumerate(source.lines):
        if line.strip():
            symbol = expected.enclosing(row + 1, row + 1)
            assert shown(scopes.key(scopes.chain(row))) == (symbol.name if symbol else None), (row + 1, line)
            compared += 1
    by_line = {s.definition - 1: s for s in expected.symbols if s.kind.is_scope}
    for key in scopes.all_keys():
        for handle in scopes.named(key):
            first, last = scopes.rows(handle)
            signature_first, signature_last = scopes.signature(handle)
            symbol = next(s for s in by_line.values() if s.lines.first - 1 == first and s.name == shown(key))
            assert (last, signature_first, signature_last) == (
                symbol.lines.last - 1,
                symbol.lines.first - 1,
                symbol.signature_last - 1,
            ), key
    return compared


def test_tricky_file() -> None:
    assert agree(TRICKY) > 30


def test_this_package() -> None:
    root = Path(refcheck.__file__).parent
    assert sum(agree(path.read_text()) for path in sorted(root.rglob("*.py"))) > 1000


def test_accessors_of_one_name_are_told_apart() -> None:
    scopes = PythonScopes(SourceText("m.py", "", TRICKY))
    assert {("Box", "size"), ("Box", "size@setter")} <= scopes.all_keys()


def test_a_definition_that_ended_does_not_enclose() -> None:
    scopes = PythonScopes(SourceText("m.py", "", "def f():\n    def g():\n        return 1\n    return g\n"))
    assert scopes.key(common(scopes, 2, 3)) == ("f",)
    assert scopes.key(common(scopes, 1, 2)) == ("f", "g")


@pytest.mark.parametrize("path", ["a.cu", "a.rs", "a.md", "a.unknown"])
def test_other_languages_ask_the_outline(path: str) -> None:
    assert isinstance(scopes_of(SourceText(path, "", "x\n")), OutlineScopes)
