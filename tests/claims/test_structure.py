"""Statements cut out of source by text, and forms of expressions without their formatting."""

from __future__ import annotations

import ast

import pytest

from refcheck.claims.source_facts import assignments, calls, parameters, returns
from refcheck.claims.structure import (
    Statement,
    annotation_form,
    code_of,
    conditions,
    exclusive,
    expression_form,
    fits,
    nodes,
    statement_at,
    statements,
    unclosed_bracket,
)
from refcheck.model.place import LineRange
from refcheck.model.source_text import SourceText

CODE = '''\
@traced(
    deep=True,
)
class Queue(Base):  # not: a block
    """A text with = and a call().

    if it_looked_like_code: return
    """

    limit: int = 3

    def run(self, item=")", *, sep='"' "'#"):
        # a comment, with (an open bracket
        if self.fast and (
            item  # because
        ):
            step = self.a \\
                + self.b
        elif self.slow: step = 0
        else:
            for one in item:
                with self.lock:
                    self.send(one, f"{one!r:>{self.width}} # no comment")
        try:
            value = {
                "if": 1,
                "else": [2, 3],
            }
        except (KeyError, ValueError) as error:
            raise error
        finally:
            self.done = True; self.seen += 1
        match step:
            case 1 | 2:
                return one
            case {"k": v}:
                return v
            case _:
                pass
        return await_it(
            step,
        )
'''
SOURCE = SourceText.from_bytes("toy/queue.py", "0" * 40, CODE.encode())
ALL = statements(SOURCE, LineRange(1, len(SOURCE.lines)))


def test_every_statement_of_python_begins_a_statement() -> None:
    starts = {node.lineno for node in ast.walk(ast.parse(CODE)) if isinstance(node, ast.stmt)}
    mine = {statement.lines.first for statement in ALL}
    # A one-line branch is one statement here; a class or function begins at its decorator in neither.
    inline = {node.body[0].lineno for node in ast.walk(ast.parse(CODE)) if isinstance(node, ast.If)} & mine
    assert starts - mine - inline == set()


def test_every_statement_can_be_parsed() -> None:
    assert [s.text for s in ALL if s.module is None] == []


@pytest.mark.parametrize(
    ("first", "last"),
    [(1, 3), (5, 8), (14, 16), (17, 18), (25, 28)],
)
def test_lines_of_a_statement(first: int, last: int) -> None:
    assert LineRange(first, last) in [s.lines for s in ALL]


@pytest.mark.parametrize(
    ("word", "around"),
    [
        ("self.b", ("self.fast and (item)",)),
        (
            "no comment",
            ("not (self.fast and (item)) and not (self.slow)", "for one in item", "with self.lock"),
        ),
        ("raise error", ("except (KeyError, ValueError) as error",)),
        ("return one", ("match step", "case 1 | 2")),
        ("await_it", ()),
    ],
)
def test_conditions_around_a_statement(word: str, around: tuple[str, ...]) -> None:
    method = statements(SOURCE, LineRange(12, len(SOURCE.lines)))
    statement = next(s for s in method if word in s.text and not s.keyword)
    assert conditions(method, statement).items == around


def test_line_of_a_node_in_a_statement_of_several_lines() -> None:
    import libcst as cst

    hits = nodes(ALL, "else", lambda node: isinstance(node, cst.SimpleString) and node.value == '"else"')
    assert [hit.line for hit in hits] == [27]
    twice = statements(SourceText("t.py", "1", "x = (\n    a,\n    a,\n)\n"), LineRange(1, 4))
    found = nodes(twice, "a", lambda node: isinstance(node, cst.Name) and node.value == "a")
    assert [hit.line for hit in found] == [2, 3]
    inside = statements(SourceText("t.py", "2", "x = (\n    # why\n    f(a)\n)\n"), LineRange(1, 4))
    assert [hit.line for hit in calls(inside, "f")] == [3]


@pytest.mark.parametrize("line_end", ["\r\n", "\r"])
def test_other_line_ends(line_end: str) -> None:
    source = SourceText.from_bytes("t.py", line_end, CODE.replace("\n", line_end).encode())
    assert statements(source, LineRange(1, len(source.lines))) == ALL


@pytest.mark.parametrize(
    "text",
    [
        "(" * 5000,
        "x = " + "[" * 4000 + "]" * 4000,
        "x = " + "-" * 5000 + "1",
        'f"{' * 3000,
        "\\\n" * 100,
        "'''",
        "x = 'a",
        "'a' b'b'",
    ],
)
def test_text_that_no_parser_should_see_is_survived(text: str) -> None:
    source = SourceText("t.py", text[:9], text)
    for statement in statements(source, LineRange(1, max(1, len(source.lines)))):
        assert statement.module is None or statement.node is not None
    with pytest.raises(ValueError, match=r"nested|not an expression"):
        expression_form(text)


def test_the_statement_at_a_line_looks_no_further() -> None:
    assert statement_at(SOURCE, 25, 60) == next(s for s in ALL if s.lines.first == 25)
    assert statement_at(SOURCE, 13, 13) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a+b", "( a  +\n b )"),
        ("f(a, b=2)", "f(\n    a,\n    b = 2,\n)"),
        ("'it'", '"it"'),
        ("'ab'", "'a' \"b\""),
        ("1_000", "1000"),
        ("(a, b)", "a, b"),
        ("[i for i in x if i]", "[\n i\n for i in x\n if (i)]"),
        ("x[1:2]", "x[ 1 : 2 ]"),
        ("not a in b", "not (a in b)"),
        ('f"{a}b"', "f'{a}b'"),
    ],
)
def test_formatting_does_not_count(one: str, other: str) -> None:
    assert expression_form(one) == expression_form(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("a + b", "b + a"),
        ("a - (b - c)", "(a - b) - c"),
        ("f(a, b)", "f(b, a)"),
        ("f(a)", "f(a=a)"),
        ("'a'", "b'a'"),
        ("a < b < c", "(a < b) < c"),
        ("x[1]", "x[1:]"),
        ("f'{a}'", "f'{a!r}'"),
        ("lambda x: x", "lambda y: y"),
        ("not a in b", "a not in b"),
    ],
)
def test_meaning_counts(one: str, other: str) -> None:
    assert expression_form(one) != expression_form(other)


@pytest.mark.parametrize(
    ("expected", "found", "fit"),
    [
        ("f(...)", "f(1, x=2)", True),
        ("f(...)", "g(1)", False),
        ("f(..., b)", "f(a, b)", True),
        ("... if x is None else y", "a.b if x is None else y", True),
        ("x[...]", "x[a:b]", True),
        ("x[...].y", "x[0].z", False),
        ("... + b", "a + b", True),
        ("... + b", "a - b", False),
    ],
)
def test_wildcards(expected: str, found: str, fit: bool) -> None:
    assert fits(expression_form(expected), expression_form(found)) is fit


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("A | B", "B | A", True),
        ("A | B | None", "None | (B | A)", True),
        ("'A | B'", "B | A", True),
        ("list['A']", "list[A]", True),
        ("dict[str, A | None]", "dict[str, 'None | A']", True),
        ("A | B", "A", False),
        ("A | B", "A & B", False),
        ("A[B, C]", "A[C, B]", False),
        ("Literal['A']", "Literal[A]", False),
        ("Literal['A'] | None", "None | Literal['A']", True),
        ("'not a type'", "'not a type'", True),
    ],
)
def test_quotes_and_order_of_annotations(one: str, other: str, same: bool) -> None:
    assert (annotation_form(one) == annotation_form(other)) is same
    assert expression_form(one) != expression_form(other) or one == other


def test_branches_of_one_test_exclude_each_other() -> None:
    code = (
        "def f():\n    if a:\n        x()\n    elif b:\n        y()\n    else:\n        z()\n    if c:\n        w()\n"
    )
    found = statements(SourceText("t.py", "9", code), LineRange(1, 9))
    x, y, z, w = (next(s for s in found if s.text == f"{name}()") for name in "xyzw")
    assert all(exclusive(found, one, other) for one, other in ((x, y), (y, z), (z, x)))
    assert not any(exclusive(found, x, other) for other in (w, x))


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("f(\n", 1),
        ("f()\n'('\n# (\n[1,\n(2)\n", 4),
        ("f()\n", None),
        ('"""(\n"""\n)\n', None),
        ("(((\nclass A: ...\n", 1),
    ],
)
def test_a_bracket_that_is_never_closed(text: str, line: int | None) -> None:
    assert unclosed_bracket(text) == line


def test_assignments_calls_returns_and_parameters() -> None:
    assert [str(a) for a in assignments(ALL, "step")] == ["step = self.a + self.b", "step = 0"]
    assert [a.op for a in assignments(ALL, "self.seen")] == ["+="]
    assert [hit.line for hit in calls(ALL, "send")] == [23]
    assert calls(ALL, "self.other.send") == []
    assert [code_of(r.value) for r in returns(ALL) if r.value is not None] == ["one", "v", "await_it(step)"]
    header = next(s for s in ALL if s.keyword == "def")
    assert [p.star + p.name for p in parameters(header)] == ["self", "item", "sep"]


def test_a_statement_of_another_kind_has_no_keyword() -> None:
    one = Statement(LineRange(1, 1), 0, "iffy: int = 3")
    assert one.keyword == ""
