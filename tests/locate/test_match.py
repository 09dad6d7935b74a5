"""Matching: exact, around elisions, and what is said about blank lines."""

from __future__ import annotations

from refcheck.locate.match import FileLines, find_pattern
from refcheck.locate.pattern import elided_pattern, literal_pattern
from refcheck.locate.similar import survivors
from refcheck.model.place import LineRange
from refcheck.model.source_text import SourceText

SOURCE = """\
class Engine:
    def step(self):
        \"\"\"Do it.

        Long text.
        \"\"\"
        if not self.has_work():
            return {}

        out = self.run()
        extra = self.more()
        model_output = out.result()
        self.log()
        return self.update(
            out, model_output
        )
"""


def file_of(text: str) -> FileLines:
    return FileLines(SourceText.from_bytes("a.py", "0" * 40, text.encode()))


def test_the_tightest_reading_of_an_elision() -> None:
    pattern = elided_pattern(("a = 1", "# ...", "z = 9"))
    assert pattern is not None
    matches = find_pattern(pattern, file_of("a = 1\nb\na = 1\nc\nz = 9\nz = 9\n"))
    assert [(m.lines.first, m.lines.last) for m in matches] == [(3, 5)]


def test_hidden_lines_and_dropped_blanks_are_named() -> None:
    pattern = elided_pattern(
        (
            "def step(self):",
            '    """Do it.',
            "    # ...",
            '    """',
            "    if not self.has_work():",
            "        return {}",
            "    out = self.run()",
            "    # ...",
            "    return self.update(",
            "        out, model_output",
            "    )",
        )
    )
    assert pattern is not None
    (match,) = find_pattern(pattern, file_of(SOURCE))
    assert match.lines == LineRange(2, 16)
    assert match.elided == (LineRange(4, 5), LineRange(11, 13))
    assert match.dropped_blanks == (9,)
    assert match.indent == 4
    assert not match.exact


def test_added_blank_lines_are_counted() -> None:
    (match,) = find_pattern(literal_pattern(("a", "", "", "b")), file_of("a\n\nb\n"))
    assert match.added_blanks == 1
    assert not match.dropped_blanks


def test_an_elision_that_is_source_is_found_literally() -> None:
    lines = ("def f(self):", "    ...", "def g(self): ...")
    (match,) = find_pattern(literal_pattern(lines), file_of("def f(self):\n    ...\ndef g(self): ...\n"))
    assert match.exact


def test_crlf_form_feed_and_odd_separators_do_not_shift_lines() -> None:
    source = SourceText.from_bytes("a.py", "0" * 40, "x\r\n\x0cy\u2028z\r\nw\r\n".encode())
    assert source.lines == ("x", "\x0cy\u2028z", "w")
    (match,) = find_pattern(literal_pattern(("w",)), FileLines(source))
    assert match.lines == LineRange(3, 3)


def test_a_file_that_is_not_utf8_is_searched() -> None:
    source = SourceText.from_bytes("a.py", "0" * 40, b"# caf\xe9\nx = 1\n")
    assert not source.is_utf8
    assert find_pattern(literal_pattern(("x = 1",)), FileLines(source))


def test_a_hundred_thousand_equal_lines_are_no_trouble() -> None:
    import time

    lines = file_of("    x = f(y)\n" * 100_000)
    start = time.perf_counter()
    matches = find_pattern(literal_pattern(("x = f(y)",) * 3 + ("z",)), lines)
    assert not matches
    assert time.perf_counter() - start < 2


def test_survivors_stop_before_an_unrelated_bracket() -> None:
    quoted = ("n = (", "    a", "    + b", ")", "if n > 9:", "    n = 9", "n = min(", "    n, budget, other", ")")
    now = file_of(
        "n = (\n    a\n    + b\n)\nif n > 9:\n    n = 9\nn = min(n, budget)\n\n# Another thought.\n# More.\n"
        "n = min(\n    n,\n    length,\n)\n"
    )
    kept = survivors(literal_pattern(quoted), now, LineRange(1, 14))
    assert kept is not None
    assert kept.lines == LineRange(1, 7)
    assert [d.sign for d in kept.diff] == [" "] * 6 + ["-", "-", "-", "+"]


def test_survivors_of_a_line_inserted_in_the_middle() -> None:
    kept = survivors(
        literal_pattern(("def f(", "    a,", "    b,", "):", "    return a")),
        file_of("x\ndef f(\n    a,\n    extra,\n    b,\n):\n    return a\n"),
        LineRange(1, 7),
    )
    assert kept is not None
    assert kept.lines == LineRange(2, 7)
    assert kept.share == 1
