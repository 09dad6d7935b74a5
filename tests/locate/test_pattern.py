"""Patterns and fingerprints: what is kept of a text, and what of it does not count."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refcheck.locate.fingerprint import fingerprint, parse_fingerprint
from refcheck.locate.match import FileLines, find_pattern
from refcheck.locate.pattern import elided_pattern, indent_of, is_elision, literal_pattern
from refcheck.model.source_text import SourceText

code_lines = st.lists(
    st.text(alphabet="abcxyz()=:+ #.,", min_size=0, max_size=30).filter(lambda t: "\n" not in t),
    min_size=1,
    max_size=12,
).filter(lambda lines: any(line.strip() for line in lines) and not any(is_elision(line) for line in lines))


def file_of(text: str) -> FileLines:
    return FileLines(SourceText.from_bytes("a.py", "0" * 40, text.encode()))


@pytest.mark.parametrize(
    "line",
    [
        "# ...", "...", "    # ...", "// ...", "# …", "// … 省略 …", "# … 省略：中间的检查 …", "<snip>", "# <snip>",
        "[...]", "(...)", "/* ... */", "# (snip)", "# omitted", "# ... (the rest of the checks)", "-- ...", "……",
    ],
)  # fmt: skip
def test_an_elision_is_seen(line: str) -> None:
    assert is_elision(line)


@pytest.mark.parametrize(
    "line",
    [
        "raise NotImplementedError(...)", "def f(self): ...", "x = a[..., 0]", "# one of (file, NIXL, HF3FS, ...)",
        "", "    ", "return", "# see above", "print('...')", "x: Tuple[int, ...]", "# 1. first",
    ],
)  # fmt: skip
def test_source_is_no_elision(line: str) -> None:
    assert not is_elision(line)


def test_indentation_counts_tabs_to_the_next_stop() -> None:
    assert indent_of("\tx") == 8
    assert indent_of("   \tx") == 8
    assert indent_of("    x") == 4


@given(code_lines)
def test_a_fingerprint_is_read_back_and_finds_its_own_text(lines: list[str]) -> None:
    pattern = literal_pattern(tuple(lines))
    again = parse_fingerprint(fingerprint(pattern))
    assert again.solid == pattern.solid
    text = "\n".join(["first", *lines, "last"])
    assert find_pattern(again, file_of(text)) == find_pattern(pattern, file_of(text))


@given(code_lines, st.integers(0, 8), st.integers(0, 50))
def test_block_indentation_and_place_do_not_matter(lines: list[str], indent: int, above: int) -> None:
    pattern = literal_pattern(tuple(lines))
    shifted = [" " * indent + line if line.strip() else "" for line in lines]
    text = "\n".join([*(f"other {n}" for n in range(above)), *shifted, "end"])
    matches = find_pattern(pattern, file_of(text))
    first_solid = next(i for i, line in enumerate(lines) if line.strip())
    assert above + 1 + first_solid in [m.lines.first for m in matches]


@given(code_lines, st.data())
def test_one_changed_character_is_seen(lines: list[str], data: st.DataObject) -> None:
    solid = [i for i, line in enumerate(lines) if line.strip()]
    which = data.draw(st.sampled_from(solid))
    changed = list(lines)
    changed[which] += "q"
    pattern = literal_pattern(tuple(lines))
    assert not find_pattern(pattern, file_of("\n".join(changed)))
    assert not find_pattern(parse_fingerprint(fingerprint(pattern)), file_of("\n".join(changed)))


def test_relative_indentation_is_part_of_the_text() -> None:
    pattern = literal_pattern(("if a:", "    b()", "c()"))
    assert find_pattern(pattern, file_of("  if a:\n      b()\n  c()\n"))
    assert not find_pattern(pattern, file_of("if a:\n    b()\n    c()\n"))


@pytest.mark.parametrize("bad", ["", "_", "0:xyz", "0:1234567", "a b c", "~"])
def test_a_bad_fingerprint_is_refused(bad: str) -> None:
    with pytest.raises(ValueError, match="fingerprint"):
        parse_fingerprint(bad)


def test_elisions_part_the_pieces() -> None:
    pattern = elided_pattern(("def f():", "    # ...", "    return x", "..."))
    assert pattern is not None
    assert [len(piece) for piece in pattern.pieces] == [1, 1]
    assert pattern.closes
    assert not pattern.opens
    assert elided_pattern(("a", "b")) is None
