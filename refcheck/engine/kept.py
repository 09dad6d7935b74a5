"""What a run keeps for the next: documents as read, and the findings on documents whose trees are the same.

    CACHE/kept-1/KEY      a checksum line, then the values (refcheck.model.plain), compressed

A key is a digest of everything that the values depend on: the document's bytes and name, the engines' settings, the
contents of the trees (not their names), this program's files, and the environment that it runs in. So a kept value is
never out of date; another state of any of them has another key. The folder is bounded, the values that were not used
for the longest time go first, and all of it may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from .. import __version__
from ..config.engines import Engine
from ..errors import SourceError
from ..model.document import Document
from ..model.plain import dump, load
from ..model.report import Finding
from ..model.tree import SourceKind, Tree
from .trees import Trees

FOLDER = "kept-1"
MOST_BYTES = 64 * 1024 * 1024
MOST_FILES = 4096
LARGEST = 16 * 1024 * 1024
"""One value, compressed: a page of 20,000 citations has 5 MB."""
_LARGEST_TEXT = 512 * 1024 * 1024
SMALLEST_DOCUMENT = 20_000
"""A shorter text, in characters, is read again sooner than what was kept of it."""


class Kept:
    """The folder of kept values. Nothing here raises for a folder that cannot be read or written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._written = 0

    def get(self, key: str) -> tuple[object, ...] | None:
        """The values of a key; None where there are none, or not all of them."""
        path = self._folder / key
        try:
            head, _, body = path.read_bytes().partition(b"\n")
            if head != _checksum(body):
                return None
            values: tuple[object, ...] = load(_lines(body))
        except (OSError, ValueError, EOFError, zlib.error):
            return None
        try:
            os.utime(path)
        except OSError:
            return values  # a read-only cache is as good
        return values

    def put(self, key: str, values: Iterable[object]) -> None:
        """Keeps values, if they are the model's and not too large."""
        from ..sources.store import write_new

        packer = zlib.compressobj(1)
        try:
            parts = [packer.compress(line.encode("utf-8", "surrogatepass")) for line in dump(values)]
        except TypeError:
            return
        body = b"".join((*parts, packer.flush()))
        if len(body) > LARGEST:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            write_new(self._folder / key, _checksum(body) + b"\n" + body)
            if self._written % 64 == 0:
                self._prune()
            self._written += 1
        except OSError:
            return

    def _prune(self) -> None:
        """Removes what was not used for the longest time, down to the bounds."""
        entries = []
        for entry in os.scandir(self._folder):
            facts = entry.stat(follow_symlinks=False)
            entries.append((facts.st_mtime, facts.st_size, entry.path))
        entries.sort(reverse=True)
        total = 0
        for number, (_, size, path) in enumerate(entries):
            total += size
            if total > MOST_BYTES or number >= MOST_FILES:
                os.unlink(path)

    # ---- documents

    def document(self, name: str, data: bytes, form: str, text: str, engines: Mapping[str, Engine]) -> Document | None:
        """A document as an earlier run read it from the same bytes."""
        if len(text) < SMALLEST_DOCUMENT:
            return None
        found = self.get(_document_key(name, data, form, engines))
        if found is None or len(found) != len(_DOCUMENT_FIELDS):
            return None
        return Document(text=text, **dict(zip(_DOCUMENT_FIELDS, found, strict=True)))  # type: ignore[arg-type]

    def put_document(self, document: Document, data: bytes, form: str, engines: Mapping[str, Engine]) -> None:
        """Keeps a document that was read from `data`."""
        if len(document.text) >= SMALLEST_DOCUMENT:
            values = tuple(getattr(document, name) for name in _DOCUMENT_FIELDS)
            self.put(_document_key(document.name, data, form, engines), values)

    # ---- findings

    def findings(self, document: Document, trees: Trees) -> list[Finding] | None:
        """What an earlier run found on a document, from trees with the same contents."""
        key = _findings_key(document, trees)
        values = self.get(key) if key else None
        if values is None or len(values) != 2:
            return None
        unreadable, found = values
        if not isinstance(unreadable, tuple) or not isinstance(found, tuple):
            return None
        if any(_is_readable(trees, engine, rev) for engine, rev in unreadable):
            return None
        return list(found) if all(isinstance(one, Finding) for one in found) else None

    def put_findings(
        self, document: Document, trees: Trees, others: Sequence[tuple[str, str]], findings: Sequence[Finding]
    ) -> None:
        """Keeps findings that rest on the trees of the pins.

        `others` are (engine, revision) that the document names besides. Where one of them was read, nothing is kept;
        where none could be, the findings hold as long as that is so.
        """
        key = _findings_key(document, trees)
        if key and not any(_is_readable(trees, engine, rev) for engine, rev in others):
            self.put(key, (tuple(others), tuple(findings)))


def _is_readable(trees: Trees, engine: str, rev: str) -> bool:
    try:
        trees.at(engine, rev)
    except SourceError:
        return False
    return True


_DOCUMENT_FIELDS = ("name", "format", "prose", "citations", "unread", "ignored", "revisions", "quotes_by_content")
"""What assembling a text makes, beside the text itself."""


def _document_key(name: str, data: bytes, form: str, engines: Mapping[str, Engine]) -> str:
    return _digest(["document", program(), name, form, repr(sorted(engines.items())), hashlib.sha256(data).hexdigest()])


def _findings_key(document: Document, trees: Trees) -> str | None:
    if trees.unreadable:
        return None  # why it cannot be read is another matter in the next run
    if not document.digest or not (document.citations or document.quotes_by_content):
        return None
    parts = ["findings", program(), document.name, document.format, document.digest]
    for name in sorted(trees.asked):
        reader = trees.readers.get(name)
        held = contents(reader.tree) if reader is not None else "not opened"
        if held is None:
            return None
        # Findings say by its number which tree they rest on.
        parts += [repr(trees.pins[name]), held, str(trees.index(reader)) if reader is not None else ""]
    return _digest(parts)


def open_kept(cache: Path | None = None) -> Kept | None:
    """The folder below `cache`, else below the user's; None where the system has none."""
    from ..sources.store import cache_folder

    try:
        return Kept(cache_folder(cache) / FOLDER)
    except SourceError:
        return None


@cache
def program() -> str:
    """A digest of what runs: this package's files, Python, and where it looks for other packages, by their times."""
    parts = [__version__, sys.version]
    root = Path(__file__).resolve().parent.parent
    for folder, folders, files in os.walk(root):
        folders[:] = sorted(one for one in folders if one != "__pycache__")
        for name in sorted(files):
            facts = os.stat(os.path.join(folder, name))
            parts.append(f"{folder}/{name} {facts.st_size} {facts.st_mtime_ns}")
    for place in sys.path:
        # Installing or removing a package changes the folder's own time.
        if place.endswith(("site-packages", "dist-packages")) and os.path.isdir(place):
            parts.append(f"{place} {os.stat(place).st_mtime_ns}")
    return _digest(parts)


def contents(tree: Tree) -> str | None:
    """A digest of a tree's paths and contents and of what is said of it; None where it costs reading all files."""
    if tree.source.kind is SourceKind.FOLDER:
        return None
    source = tree.source
    said = (source.engine, source.pin, source.read, source.kind, source.exact, source.origin, source.digest)
    digest = hashlib.sha256(repr(said).encode("utf-8", "surrogatepass"))
    listed = "\0".join(f"{blob} {path}" for path, blob in tree.paths().items())
    digest.update(listed.encode("utf-8", "surrogatepass"))
    return digest.hexdigest()


def _digest(parts: Iterable[str]) -> str:
    return hashlib.sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _lines(body: bytes) -> Iterator[str]:
    """The lines of a compressed body. Raises ValueError for one that is cut or unpacks to more than it may."""
    unpacker = zlib.decompressobj()
    kept, size = b"", 0
    while not unpacker.eof:
        data = unpacker.decompress(body, 1 << 20)
        body = unpacker.unconsumed_tail
        size += len(data)
        if size > _LARGEST_TEXT or (not data and not body and not unpacker.eof):
            raise ValueError("cut short, or too large")
        *whole, kept = (kept + data).split(b"\n")
        for line in whole:
            yield line.decode("utf-8", "surrogatepass")
    if kept:
        raise ValueError("cut short")


def _checksum(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()
