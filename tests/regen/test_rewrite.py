"""Rewriting changes numbers and revisions, and nothing else; a file is replaced whole or not at all."""

from __future__ import annotations

import hashlib
import os
import signal
import stat
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refcheck.config.engines import builtin_engines
from refcheck.documents.read import read_documents
from refcheck.errors import UsageError
from refcheck.model.document import Document, Span
from refcheck.regen.rewrite import Edit, RewriteError, apply, prepare, write_all


def document(text: str, name: str = "page.md") -> Document:
    return Document(name=name, format="markdown", text=text, digest="")


@st.composite
def pages(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    """A text with numbers in it, and new numbers for some of them."""
    words = st.text(st.characters(blacklist_categories=("Nd", "Cs")), max_size=8)
    text = draw(words)
    edits: list[Edit] = []
    for number in draw(st.lists(st.integers(1, 10**6), max_size=8)):
        start = len(text)
        text += str(number)
        if draw(st.booleans()):
            edits.append(Edit(Span(start, len(text)), str(draw(st.integers(1, 10**6)))))
        text += "|" + draw(words)
    return text, draw(st.permutations(edits))


@given(pages())
def test_only_the_digits_change(page: tuple[str, list[Edit]]) -> None:
    text, edits = page
    new = apply(document(text), edits)
    at = 0
    kept_old, kept_new = [], []
    shift = 0
    for edit in sorted(edits):
        kept_old.append(text[at : edit.span.start])
        kept_new.append(new[at + shift : edit.span.start + shift])
        start = edit.span.start + shift
        assert new[start : start + len(edit.text)] == edit.text
        shift += len(edit.text) - (edit.span.end - edit.span.start)
        at = edit.span.end
    assert kept_old == kept_new
    assert text[at:] == new[at + shift :]


@given(pages())
def test_the_same_edit_twice_counts_once(page: tuple[str, list[Edit]]) -> None:
    text, edits = page
    assert apply(document(text), edits + edits) == apply(document(text), edits)


@pytest.mark.parametrize(
    "edits",
    [
        [Edit(Span(4, 7), "12"), Edit(Span(4, 7), "13")],
        [Edit(Span(4, 7), "12"), Edit(Span(6, 7), "1")],
    ],
)
def test_overlapping_edits_are_refused_with_both_places(edits: list[Edit]) -> None:
    with pytest.raises(RewriteError, match=r"line 1, column 5.*line 1, column \d"):
        apply(document("see 123 there"), edits)


@pytest.mark.parametrize(
    ("span", "text"),
    [(Span(0, 3), "12"), (Span(4, 7), "twelve"), (Span(4, 7), "0"), (Span(4, 4), "1"), (Span(4, 700), "1")],
)
def test_nothing_but_numbers_and_revisions(span: Span, text: str) -> None:
    with pytest.raises(RewriteError):
        apply(document("see 123 there"), [Edit(span, text)])


CONTENTS = {
    "plain": b"at m.py:10-20 here\n",
    "no newline at the end": b"at m.py:10-20 here",
    "crlf": b"at m.py:10-20 here\r\nmore\r\n",
    "mixed line ends": b"at m.py:10-20 here\r\nmore\nand\rmore\n\n\n",
    "byte order mark": b"\xef\xbb\xbfat m.py:10-20 here\n",
    "not utf-8": b"caf\xe9 at m.py:10-20 here \xff\n",
    "utf-16": "at m.py:10-20 here\n".encode("utf-16"),
    "form feed": "x\x0cat m.py:10-20 \u2028 here\n".encode(),
}


def read(path: Path) -> Document:
    (found,) = read_documents([str(path)], engines=builtin_engines())
    return found


@pytest.mark.parametrize("data", CONTENTS.values(), ids=CONTENTS.keys())
def test_bytes_around_the_digits_stay(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "page.md"
    path.write_bytes(data)
    page = read(path)
    start = page.text.index("10-20")
    edits = [Edit(Span(start, start + 2), "1234"), Edit(Span(start + 3, start + 5), "1250")]
    assert write_all([prepare(page, edits)]) == (str(path),)
    wide = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    old, new = ("10-20".encode("utf-16-le"), "1234-1250".encode("utf-16-le")) if wide else (b"10-20", b"1234-1250")
    assert path.read_bytes() == data.replace(old, new)
    assert os.listdir(tmp_path) == ["page.md"]


def test_without_edits_nothing_is_written(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_bytes(b"m.py:10\n")
    before = path.stat()
    assert write_all([prepare(read(path), [])]) == ()
    assert path.stat().st_ino == before.st_ino


def test_a_file_that_changed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_bytes(b"m.py:10\n")
    page = read(path)
    path.write_bytes(b"m.py:10 edited\n")
    with pytest.raises(RewriteError, match="changed since it was read"):
        prepare(page, [Edit(Span(5, 7), "11")])
    assert path.read_bytes() == b"m.py:10 edited\n"


def test_a_file_that_changes_before_it_is_put_in_place_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_bytes(b"m.py:10\n")
    ready = prepare(read(path), [Edit(Span(5, 7), "11")])
    path.write_bytes(b"m.py:10 edited\n")
    with pytest.raises(RewriteError, match="changed since it was read"):
        write_all([ready])
    assert path.read_bytes() == b"m.py:10 edited\n"
    assert os.listdir(tmp_path) == ["page.md"]


def test_a_text_that_would_not_come_back_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    data = b"m.py:10\n"
    path.write_bytes(data)
    lying = replace(read(path), text="m.py:10\r\n", digest=hashlib.sha256(data).hexdigest())
    with pytest.raises(RewriteError, match="encode back"):
        prepare(lying, [Edit(Span(5, 7), "11")])


def test_standard_input_cannot_be_rewritten() -> None:
    with pytest.raises(UsageError, match="standard input"):
        prepare(document("m.py:10", "-"), [])


def test_a_missing_file_says_so(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read"):
        prepare(document("m.py:10", str(tmp_path / "none.md")), [])


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o660])
def test_permissions_stay(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "page.md"
    path.write_bytes(b"m.py:10\n")
    path.chmod(mode)
    write_all([prepare(read(path), [Edit(Span(5, 7), "11")])])
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert path.read_bytes() == b"m.py:11\n"


def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "page.md"
    target.write_bytes(b"m.py:10\n")
    link = tmp_path / "page.md"
    link.symlink_to(target)
    write_all([prepare(read(link), [Edit(Span(5, 7), "11")])])
    assert link.is_symlink()
    assert target.read_bytes() == b"m.py:11\n"


_KILLED = """
import sys
from pathlib import Path
from refcheck.config.engines import builtin_engines
from refcheck.documents.read import read_documents
from refcheck.model.document import Span
from refcheck.regen.rewrite import Edit, prepare, write_all

path = sys.argv[1]
print("ready", flush=True)
while True:
    (page,) = read_documents([path], engines=builtin_engines())
    now = int(page.text[5:12])
    write_all([prepare(page, [Edit(Span(5, 12), str(now + 1))])])
"""


def test_killed_at_any_moment_the_file_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "page.txt"
    tail = b" " + b"x" * 200_000 + b" end\n"
    path.write_bytes(b"m.py:1000000" + tail)
    written = 0
    for round_ in range(6):
        before = path.read_bytes()
        process = subprocess.Popen([sys.executable, "-c", _KILLED, str(path)], stdout=subprocess.PIPE)
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(0.15 + 0.037 * round_)
        process.send_signal(signal.SIGKILL)
        process.wait()
        process.stdout.close()
        data = path.read_bytes()
        assert data[:5] == b"m.py:"
        assert data[5:12].isdigit()
        assert data[12:] == tail
        written += data != before
    assert written >= 3
