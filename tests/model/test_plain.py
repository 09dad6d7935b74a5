"""Values of the model survive the way to text and back; nothing else is made from a text."""

from __future__ import annotations

import pytest

from refcheck.model import codes
from refcheck.model.document import Citation, Mark, Offsets, Prose, Quote, Span, Unread
from refcheck.model.evidence import Comparison, CounterExamples, Difference, DiffLine, Note, SourceLines, Values
from refcheck.model.place import LineRange, Place
from refcheck.model.plain import PIECE, dump, load
from refcheck.model.report import Finding, FindingKind
from refcheck.model.verdict import Changed, Contradicted, Gone, Holds, Imprecise, Level, Moved, Undecided

PLACE = Place("a/b.py", LineRange(3, 9), "Pool.set")
EVIDENCE = (
    SourceLines(PLACE, ("x = 1", "    y\ud800 = '\u2028'"), "note"),
    Values((("a", "1"), ("b", "2"))),
    Comparison("what", "1", "2"),
    CounterExamples(((PLACE, "why"),), 40),
    Difference(PLACE, (DiffLine("-", "old"), DiffLine("+", "new", 4)), 0.5),
    Note("text", LineRange(1, 1)),
)
QUOTE = Quote(("a", "b"), Span(1, 4), (1, 3), "python", before=2)
LONG = tuple(Place(f"{number}.py") for number in range(2 * PIECE + 3))
VALUES = (
    LONG,
    Holds("yes", PLACE, EVIDENCE),
    Imprecise("nearly", codes.RANGE_WIDER, PLACE),
    Moved("there", PLACE, EVIDENCE[:1]),
    Changed("other"),
    Gone("gone", (), (PLACE, Place("c.py"))),
    Contradicted("no", EVIDENCE),
    Undecided("who knows", codes.AMBIGUOUS, (PLACE,)),
    Finding("id", FindingKind.QUOTE, Holds("yes"), quoted=("a", ""), cited=PLACE, level_override=Level.WARNING),
    Prose(
        "ab", Offsets((0, 1), (5, 9), (6, 12), 2), Span(5, 12), marks=(Mark("link", 0, 2, "t", None, (("k", "v"),)),)
    ),
    Citation(Span(0, 3), None, quote=QUOTE, twins=(Span(4, 5),), further_lines=(LineRange(1, 2),)),
    Unread("what", "why"),
    ("plain", 1, None, True, 1.5, ()),
)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_a_value_comes_back_equal(value: object) -> None:
    (again,) = load(dump([value]))
    assert again == value
    assert type(again) is type(value)
    assert hash(again) == hash(value)


@pytest.mark.parametrize("value", [{1, 2}, b"bytes", object(), [range(3)]], ids=["set", "bytes", "object", "range"])
def test_other_values_are_refused(value: object) -> None:
    with pytest.raises(TypeError):
        list(dump([value]))


@pytest.mark.parametrize(
    "text",
    [
        *("", "{", '{"system": ["ls"]}', '{"Place": []}', '{"LineRange": [9, 3]}', '{"Code": "RC999"}'),
        *('{"Span": [1, 2, 3]}', '{"Span": [1, 2], "Note": []}', "{}", '{"Offsets": [1]}', "[" * 100_000),
    ],
)
def test_a_text_that_holds_something_else_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        load([text])


def test_a_long_sequence_that_is_cut_is_refused() -> None:
    lines = list(dump([LONG]))
    assert len(lines) == 4
    with pytest.raises(ValueError, match="not kept values"):
        load(lines[:-1])
