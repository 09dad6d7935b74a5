"""Readers of documents: every format, any bytes. What is said to stand at a place stands there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import yaml

from refcheck.config.engines import builtin_engines
from refcheck.documents.read import decode, guess_format, read_text
from refcheck.engine.stated import DocumentWords
from refcheck.model.document import Citation, Document, Prose, Quote, Span
from tests.documents import render

from . import Surface, must, opened, seed

ENGINES = builtin_engines()
_CORPUS = Path(__file__).parent.parent.parent / "documents" / "corpus"


def seeds() -> Iterator[bytes]:
    for path in sorted(_CORPUS.glob("*.yaml")):
        for case in yaml.safe_load(path.read_text(encoding="utf-8")):
            for choice, form in enumerate(render.FORMATS):
                if form in case.get("formats", render.FORMATS):
                    yield seed(render.document(case, form), choice)


def check(data: bytes) -> None:
    choice, payload = opened(data)
    text, encoding, _ = decode(payload)
    must(text.encode(encoding, "surrogateescape") == payload, "the text does not encode back to its bytes")
    form = render.FORMATS[choice % len(render.FORMATS)]
    document = read_text("x", text, form, ENGINES)
    must(guess_format(text) in render.FORMATS, "a guessed format that no reader has")
    must(document == read_text("x", text, form, ENGINES), "read twice, it is another document")
    check_document(document, text)


def check_document(document: Document, text: str) -> None:
    """Everything that was read stands in the text, where it is said to stand."""
    must(document.text == text, "the document has another text")
    for citation in document.citations:
        _check_citation(document, citation, text)
    for prose in document.prose:
        _check_prose(document, prose, text)
    quotes = [citation.quote for citation in document.citations if citation.quote] + list(document.quotes_by_content)
    for quote in quotes:
        _check_quote(document, quote, text)
    for span in [note.span for note in document.unread if note.span] + [span for span, _ in document.ignored]:
        _check_span(span, text, "a note")


def _check_span(span: Span, text: str, what: str) -> str:
    must(0 <= span.start <= span.end <= len(text), f"{what} at {span} of {len(text)} characters")
    return text[span.start : span.end]


def _check_citation(document: Document, citation: Citation, text: str) -> None:
    _check_span(citation.span, text, "a citation")
    line, column = document.position(citation.span.start)
    must(document.offset(line, column) == citation.span.start, "line and column do not lead back")
    must(citation.path is not None or bool(citation.candidates), "a citation of nothing")
    written_as_path = citation.path is not None and citation.url is None
    must(not (written_as_path and "\\" in str(citation.path)), "a path with separators that are not normalised")
    must(citation.path is None or ".." not in citation.path.split("/"), "a path that climbs")
    must(citation.prose is None or 0 <= citation.prose < len(document.prose), "an index without prose")
    spans = (citation.first_digits, citation.last_digits, *citation.twins, *citation.label_digits, *citation.columns)
    for span in spans:
        if span is not None:
            must(_check_span(span, text, "digits").isdigit(), f"{text[span.start : span.end]!r} as digits")
    if citation.lines is not None:
        must(0 < citation.lines.first <= citation.lines.last, f"impossible lines {citation.lines}")
        if citation.first_digits is not None:
            written = text[citation.first_digits.start : citation.first_digits.end]
            must(int(written) == citation.lines.first, f"{written!r} read as {citation.lines.first}")
        if citation.last_digits is not None and not citation.open_ended:
            written = text[citation.last_digits.start : citation.last_digits.end]
            must(int(written) == citation.lines.last, f"{written!r} read as {citation.lines.last}")
    if citation.rev_span is not None:
        named = citation.rev or citation.branch
        must(named is not None, "a revision's place without a revision")
        written = _check_span(citation.rev_span, text, "a revision")
        if not set(written) & set("&%\\"):
            must(written == named, f"{written!r} read as revision {named!r}")
    if citation.path_span is not None:
        written = _check_span(citation.path_span, text, "a path")
        if citation.path is not None and not set(written) & set("&%\\<*`_\n\r"):
            must(written.endswith(citation.path.rpartition("/")[2]), f"{written!r} read as path {citation.path!r}")


def _check_prose(document: Document, prose: Prose, text: str) -> None:
    _check_span(prose.span, text, "prose")
    must(len(prose.text) <= len(prose.offsets), "prose without a place for each character")
    at = -1
    for index, character in enumerate(prose.text[:2000]):
        place = prose.offsets[index]
        must(0 <= place < len(text), f"a character of prose at {place} of {len(text)}")
        must(place >= at, "prose that runs backwards")
        at = place
        written = text[place]
        if character.isalnum() and written.isalnum() and written not in "xXuU":
            must(written == character, f"{character!r} is said to stand where {written!r} stands")
    for mark in prose.marks:
        must(0 <= mark.start <= mark.end <= len(prose.text), f"a mark at {mark.start}-{mark.end}")
    words = prose.text[:400].split(" ")[:4]
    if len(words) == 4 and all(word.isalpha() and word.isascii() for word in words):
        must(
            DocumentWords(document).find([" ".join(words)]) is not None,
            f"{' '.join(words)!r} is not found in what was read",
        )


def _check_quote(document: Document, quote: Quote, text: str) -> None:
    _check_span(quote.span, text, "a quote")
    must(len(quote.lines) == len(quote.offsets), "a quote without a place for each line")
    must(list(quote.offsets) == sorted(quote.offsets), "a quote whose lines run backwards")
    for line, offset in zip(quote.lines, quote.offsets, strict=True):
        must(0 <= offset <= len(text), f"a quote's line at {offset} of {len(text)}")
        must("\n" not in line and "\r" not in line, "a quote's line that is two")
        word = line.strip()[:20]
        if document.format in ("plain", "markdown") and word.isalnum():
            must(word in text[offset : offset + len(line) + 40], f"{word!r} is not on the line that is said to hold it")
    for index in (quote.before, quote.after):
        must(index is None or 0 <= index < len(document.prose), "a quote beside prose that is not there")


SURFACE = Surface("readers", seeds, check)
