"""A source file given as a document: one quoted block, to be located."""

from __future__ import annotations

from pathlib import Path

from ..errors import DocumentError
from ..model.document import Document, Quote, Span
from ..model.source_text import SourceText

SUFFIXES = frozenset({".py", ".pyi", ".cu", ".cuh", ".cpp", ".cc", ".c", ".h", ".hpp", ".rs"})


def is_snippet(name: str) -> bool:
    """Whether the name is a source file's."""
    return Path(name).suffix.lower() in SUFFIXES and Path(name).is_file()


def read_snippet(name: str) -> Document:
    """Raises DocumentError where the file cannot be read or is empty."""
    try:
        data = Path(name).read_bytes()
    except OSError as error:
        raise DocumentError(f"{name}: cannot be read: {error.strerror or error}") from error
    source = SourceText.from_bytes(name, "", data)
    if not source.text.strip():
        raise DocumentError(f"{name}: the file is empty")
    offsets: list[int] = []
    at = 0
    for line in source.lines:
        offsets.append(at)
        at += len(line) + (2 if source.text.startswith("\r\n", at + len(line)) else 1)
    quote = Quote(source.lines, Span(0, len(source.text)), tuple(offsets), language="")
    return Document(name, "snippet", source.text, quotes_by_content=(quote,))
