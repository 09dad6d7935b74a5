"""Files, folders, standard input and encodings."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from refcheck.config.engines import builtin_engines
from refcheck.documents.read import ReadOptions, decode, formats, guess_format, read_documents, read_text
from refcheck.errors import DocumentError, UsageError
from refcheck.model.document import Document

CITED = "See `vllm/envs.py:L10`.\n"


def read(*names: str, **options: object) -> tuple[Document, ...]:
    return read_documents(names, engines=builtin_engines(), **options)  # type: ignore[arg-type]


def test_the_five_formats_are_plug_ins() -> None:
    assert set(formats()) == {"markdown", "html", "rst", "notebook", "plain"}
    suffixes = [suffix for form in formats().values() for suffix in form.suffixes]
    assert len(suffixes) == len(set(suffixes))


def test_a_file_carries_its_name_and_digest(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text(CITED)
    (document,) = read(str(page))
    assert document.name == str(page)
    assert document.digest == hashlib.sha256(CITED.encode()).hexdigest()
    assert [str(c.lines) for c in document.citations] == ["L10"]


def test_a_folder_in_order_with_what_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text(CITED)
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "z.rst").write_text("See ``vllm/envs.py:L11``.\n")
    (tmp_path / "picture.png").write_bytes(b"\x89PNG")
    (tmp_path / ".hidden").mkdir()
    (tmp_path / ".hidden" / "c.md").write_text(CITED)
    (tmp_path / "link.md").symlink_to(tmp_path / "b.md")
    (tmp_path / "outside").symlink_to("/etc")
    documents = read(str(tmp_path))
    assert [Path(d.name).name for d in documents] == ["b.md", "z.rst", tmp_path.name]
    notes = {Path(note.what).name: note.why for note in documents[-1].unread}
    assert set(notes) == {"picture.png", "link.md", "outside"}
    assert "symbolic link" in notes["link.md"]
    assert ".md" in notes["picture.png"]


def test_excluded_files(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text(CITED)
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "c.md").write_text(CITED)
    assert [Path(d.name).name for d in read(str(tmp_path), exclude=("old",))] == ["b.md"]
    assert [Path(d.name).name for d in read(str(tmp_path), options=ReadOptions(exclude=("*.md",)))] == [tmp_path.name]


def test_another_kind_is_named(tmp_path: Path) -> None:
    other = tmp_path / "a.docx"
    other.write_bytes(b"PK")
    (document,) = read(str(other))
    assert document.citations == ()
    assert document.unread[0].what == str(other)


@pytest.mark.parametrize("name", ["missing.md", "no\0name.md"])
def test_a_missing_file_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(DocumentError, match=r"missing|name"):
        read(str(tmp_path / name))


def test_a_pipe_is_not_opened(tmp_path: Path) -> None:
    pipe = tmp_path / "a.md"
    os.mkfifo(pipe)
    with pytest.raises(DocumentError, match="not a regular file"):
        read(str(pipe))


def test_the_same_file_once(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    page.write_text(CITED)
    assert len(read(str(page), str(tmp_path))) == 1


def test_standard_input() -> None:
    (document,) = read("-", stdin=CITED.encode)
    assert (document.name, document.format) == ("-", "markdown")
    with pytest.raises(UsageError):
        read("-", "-", stdin=bytes)
    with pytest.raises(UsageError):
        read("-")
    with pytest.raises(UsageError, match="markdown"):
        read("-", stdin=bytes, options=ReadOptions(format="word"))


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("<!DOCTYPE html><p>x</p>", "html"),
        ("\ufeff<html>", "html"),
        ('{"cells": [], "nbformat": 4}', "notebook"),
        ("# Title\n\ntext", "markdown"),
        ("Title\n\n    x = 1\n", "plain"),
        ("", "plain"),
    ],
)
def test_guessed_formats(text: str, form: str) -> None:
    assert guess_format(text) == form


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_byte_order_marks(tmp_path: Path, encoding: str) -> None:
    page = tmp_path / "a.md"
    data = ("\ufeff" + CITED).encode(encoding) if encoding == "utf-16-le" else CITED.encode(encoding)
    page.write_bytes(data)
    (document,) = read(str(page))
    (citation,) = document.citations
    assert str(citation.lines) == "L10"
    assert document.text.encode(document.encoding, "surrogateescape") == data


def test_bytes_that_are_not_utf8_are_kept_and_named(tmp_path: Path) -> None:
    page = tmp_path / "a.md"
    data = b"caf\xe9 `vllm/envs.py:L10`\xff\x00.\n"
    page.write_bytes(data)
    (document,) = read(str(page))
    assert [str(c.lines) for c in document.citations] == ["L10"]
    assert "byte 3" in document.unread[0].why
    assert document.text.encode(document.encoding, "surrogateescape") == data


def test_decoding_always_encodes_back() -> None:
    for data in (b"\xff\xfea", b"\xff\xfea\x00b", b"\x00\x00\xfe\xff\x00\x00\x00a", b"\xef\xbb\xbf\xff"):
        text, encoding, _ = decode(data)
        assert text.encode(encoding, "surrogateescape") == data


def test_ignore_comments() -> None:
    cases = {
        "markdown": "<!-- refcheck: ignore[an example] -->\n`vllm/envs.py:L10`\n\n`vllm/envs.py:L11`\n",
        "html": "<p>`x`</p>\n<!-- refcheck: ignore[an example] -->\n<p><code>vllm/envs.py:L10</code></p>\n<p>vllm/envs.py:L11</p>",
        "rst": ".. refcheck: ignore[an example]\n\n``vllm/envs.py:L10``\n\n``vllm/envs.py:L11``\n",
        "plain": "See vllm/envs.py:L10. refcheck: ignore[an example]\n\nvllm/envs.py:L11\n",
    }
    from refcheck.documents.read import read_text

    for form, text in cases.items():
        document = read_text("x", text, form, builtin_engines())
        ignored = [
            any(span.contains(c.span) for span, reason in document.ignored if reason == "an example")
            for c in document.citations
        ]
        assert ignored == [True, False], form


def test_an_ignore_comment_needs_a_reason() -> None:
    from refcheck.documents.read import read_text

    document = read_text("x", "`vllm/envs.py:L10` <!-- refcheck: ignore -->\n", "markdown", builtin_engines())
    assert document.ignored == ()
    assert "reason" in document.unread[0].why


def test_the_span_of_a_branch_takes_in_the_prefix_of_git() -> None:
    text = "[a](https://github.com/vllm-project/vllm/blob/refs/heads/main/vllm/envs.py#L1)"
    (citation,) = read_text("page", text, "markdown", builtin_engines()).citations
    assert citation.branch == "main"
    assert citation.rev_span is not None
    assert text[citation.rev_span.start : citation.rev_span.end] == "refs/heads/main"
