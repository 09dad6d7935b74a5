"""Reads documents: files, folders and standard input, whatever their encoding, into `Document` values."""

from __future__ import annotations

import codecs
import gc
import hashlib
import os
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

from .. import registry
from ..config.engines import Engine
from ..errors import DocumentError, UsageError
from ..model.document import Document, Unread
from .assemble import assemble
from .exclusions import Exclusions
from .pieces import Format

PACKAGE = "refcheck.documents.formats"
_BOMS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_LARGEST = 256 * 1024 * 1024


class KeptDocuments(Protocol):
    """Documents as read, kept from one run to the next by their bytes and all else that they depend on."""

    def document(
        self, name: str, data: bytes, form: str, text: str, engines: Mapping[str, Engine]
    ) -> Document | None: ...

    def put_document(self, document: Document, data: bytes, form: str, engines: Mapping[str, Engine]) -> None: ...


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How documents are found and read.

    `format` overrides what the file's name says (and is the format of standard input, else guessed). `exclude`
    holds glob patterns of what to leave out in folders (refcheck.documents.exclusions), seen from `exclude_base`, the
    current folder and the one that is read. `kept` has documents as earlier runs read them.
    """

    format: str | None = None
    exclude: tuple[str, ...] = ()
    exclude_base: Path | None = None
    kept: KeptDocuments | None = None


DEFAULT_OPTIONS = ReadOptions()


def formats() -> dict[str, Format]:
    """The known formats by name."""
    return {name: registry.load(PACKAGE, name, "FORMAT") for name in registry.names(PACKAGE)}


def read_documents(
    paths: Sequence[str],
    *,
    engines: Mapping[str, Engine],
    stdin: Callable[[], bytes] | None = None,
    options: ReadOptions = DEFAULT_OPTIONS,
    exclude: Sequence[str] = (),
) -> tuple[Document, ...]:
    """The documents at `paths`, in order: files, folders (walked in name order), `-` for standard input.

    What is not read is named in `Document.unread`: a folder's other files in a document of format "folder", a
    file of an unknown kind in one of format "unknown". Raises DocumentError for a path that does not exist or
    cannot be read, UsageError for `-` given twice or an unknown format.
    """
    if paths.count("-") > 1:
        raise UsageError("`-` (standard input) can be given once")
    known = formats()
    options = replace(options, exclude=(*options.exclude, *exclude))
    if options.format is not None and options.format not in known:
        raise UsageError(f"unknown format {options.format!r} (known: {', '.join(known)})")
    documents: list[Document] = []
    seen: set[str] = set()
    for name in paths:
        if name == "-":
            if stdin is None:
                raise UsageError("`-` was given, but there is no standard input")
            documents.append(_decode_and_read("-", stdin(), None, engines, options, known))
        else:
            _read_path(Path(name), name, engines, options, known, documents, seen)
    return tuple(documents)


def read_text(name: str, text: str, format_name: str, engines: Mapping[str, Engine]) -> Document:
    """A document from its text. `format_name` is a format's name, as in `formats()`."""
    form: Format = registry.load(PACKAGE, format_name, "FORMAT")
    with _no_collection():
        return assemble(name, form.name, text, form.parse(text), engines)


@contextmanager
def _no_collection() -> Iterator[None]:
    """A large document is many small values that all stay: the collector would walk them over and over (a quarter
    of the time for 10 MB), and finds nothing, for they hold no cycles."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _read_path(
    path: Path,
    name: str,
    engines: Mapping[str, Engine],
    options: ReadOptions,
    known: Mapping[str, Format],
    documents: list[Document],
    seen: set[str],
) -> None:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        raise DocumentError(f"{name}: no such file or folder") from None
    except (OSError, ValueError) as error:
        raise DocumentError(f"{name}: cannot be read: {_reason(error)}") from None
    if stat.S_ISDIR(mode):
        _read_folder(path, name, engines, options, known, documents, seen)
        return
    if not stat.S_ISREG(mode):
        raise DocumentError(f"{name}: not a regular file; give its content on standard input as `-`")
    real = os.path.realpath(path)
    if real in seen:
        return
    seen.add(real)
    form = options.format or _format_of(path.name, known)
    if form is None:
        note = Unread(name, _unknown_kind(path.name, known))
        documents.append(Document(name=name, format="unknown", text="", unread=(note,)))
        return
    documents.append(_decode_and_read(name, _bytes(path, name), form, engines, options, known))


def _read_folder(
    folder: Path,
    name: str,
    engines: Mapping[str, Engine],
    options: ReadOptions,
    known: Mapping[str, Format],
    documents: list[Document],
    seen: set[str],
) -> None:
    notes: list[Unread] = []
    prefix = name.rstrip("/") + "/"
    while prefix.startswith("./"):
        prefix = prefix[2:]  # `verify .` speaks of `page.md`, as every other tool and host does
    exclusions = Exclusions(options.exclude, options.exclude_base)
    read = left_out = 0

    def failed(error: OSError) -> None:
        notes.append(Unread(str(error.filename), f"cannot be read: {_reason(error)}"))

    for root, folders, files in os.walk(folder, onerror=failed, followlinks=False):
        relative = Path(root).relative_to(folder)
        kept = []
        for entry in sorted(folders):
            inner = (relative / entry).as_posix()
            if entry.startswith("."):
                continue
            if exclusions.leave_out(folder, inner):
                left_out += 1
                continue
            if (Path(root) / entry).is_symlink():
                notes.append(Unread(f"{prefix}{inner}", "a symbolic link to a folder is not followed"))
                continue
            kept.append(entry)
        folders[:] = kept
        for entry in sorted(files):
            inner = (relative / entry).as_posix()
            if exclusions.leave_out(folder, inner):
                left_out += 1
                continue
            path, shown = Path(root) / entry, f"{prefix}{inner}"
            form = _format_of(entry, known)
            if path.is_symlink():
                notes.append(Unread(shown, "a symbolic link inside a folder is not followed"))
            elif form is None:
                notes.append(Unread(shown, _unknown_kind(entry, known)))
            elif not path.is_file():
                notes.append(Unread(shown, "not a regular file"))
            elif os.path.realpath(path) in seen:
                read += 1
            else:
                seen.add(os.path.realpath(path))
                try:
                    data = _bytes(path, shown)
                except DocumentError as error:
                    note = Unread(shown, str(error).removeprefix(f"{shown}: "), broken=True)
                    documents.append(Document(name=shown, format="unknown", text="", unread=(note,)))
                    continue
                read += 1
                document = _decode_and_read(shown, data, form, engines, options, known)
                # A page without a word is no fault of a folder's; that of a file that was named is.
                if len(document.unread) == 1 and document.unread[0].what == shown and not document.unread[0].broken:
                    notes.append(document.unread[0])
                    document = replace(document, unread=())
                documents.append(document)
    if notes or not read:
        if not read and not notes:
            what = "all that it has is left out by `exclude`" if left_out else "the folder has no documents"
            notes.append(Unread(name, what))
        documents.append(Document(name=name, format="folder", text="", unread=tuple(notes)))


def _format_of(name: str, known: Mapping[str, Format]) -> str | None:
    lower = name.lower()
    for form in known.values():
        if lower.endswith(form.suffixes):
            return form.name
    return None


def _unknown_kind(name: str, known: Mapping[str, Format]) -> str:
    suffixes = ", ".join(suffix for form in known.values() for suffix in form.suffixes)
    return f"not a kind of document that is read ({suffixes})"


def _bytes(path: Path, name: str) -> bytes:
    try:
        size = path.stat().st_size
        if size > _LARGEST:
            raise DocumentError(f"{name}: {size} bytes are more than the {_LARGEST} that are read; split the document")
        return path.read_bytes()
    except OSError as error:
        raise DocumentError(f"{name}: cannot be read: {_reason(error)}") from None


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error)


def decode(data: bytes) -> tuple[str, str, tuple[Unread, ...]]:
    """(text, encoding, notes). The text encodes back to `data` with that encoding and error handler
    `surrogateescape`; a byte order mark of UTF-16 or UTF-32 stays the text's first character."""
    if data.startswith(codecs.BOM_UTF8):
        encoding = "utf-8-sig"
    else:
        encoding = next((name for mark, name in _BOMS if data.startswith(mark)), "utf-8")
    try:
        return data.decode(encoding), encoding, ()
    except UnicodeDecodeError as error:
        if not encoding.startswith("utf-8"):
            note = Unread("the text", f"not valid {encoding} at byte {error.start}; read as UTF-8")
            return data.decode("utf-8", "surrogateescape"), "utf-8", (note,)
        note = Unread("bytes", f"not valid UTF-8 at byte {error.start}; such bytes are kept as they are")
        return data.decode(encoding, "surrogateescape"), encoding, (note,)


def guess_format(text: str) -> str:
    """The format of a text without a name: "html", "notebook", "markdown" or "plain"."""
    import re

    head = text[:4000].lstrip("\ufeff \t\r\n")
    if re.match(r"<(?:!doctype\s+html|html|head|body)\b", head, re.IGNORECASE):
        return "html"
    if head.startswith("{") and '"cells"' in text and '"nbformat"' in text:
        return "notebook"
    sample = text[:200_000]
    if re.search(r"^(?:#{1,6} \S|```|~~~|---\s*$)|\]\(\S|^\|.*\|\s*$|`[^`\n]+`", sample, re.MULTILINE):
        return "markdown"
    if len(re.findall(r"</?(?:p|div|code|pre|span|h[1-6]|a|table|li)\b[^>]{0,300}>", sample)) >= 3:
        return "html"
    return "plain"


def _decode_and_read(
    name: str,
    data: bytes,
    form: str | None,
    engines: Mapping[str, Engine],
    options: ReadOptions,
    known: Mapping[str, Format],
) -> Document:
    text, encoding, notes = decode(data)
    chosen = form or options.format or guess_format(text)
    kept = options.kept
    document = kept.document(name, data, chosen, text, engines) if kept else None
    if document is None:
        document = read_text(name, text, chosen, engines)
        if kept:
            kept.put_document(document, data, chosen, engines)
    return replace(
        document,
        encoding=encoding,
        digest=hashlib.sha256(data).hexdigest(),
        unread=(*notes, *_without_text(document, known[chosen]), *document.unread),
    )


def _without_text(document: Document, form: Format) -> tuple[Unread, ...]:
    """Why nothing, or not all, was read of a document that is one by its name."""
    if not document.text.strip("\ufeff \t\r\n\0"):
        return (Unread(document.name, "it is empty"),)
    nothing = not (document.prose or document.citations or document.quotes_by_content)
    if (why := form.fault(document.text)) is not None:
        what = document.name if nothing else f"a part of {document.name}"
        return (Unread(what, why, broken=True),)
    return (Unread(document.name, f"no text was found in it (read as {form.name})"),) if nothing else ()
