"""Edits of documents: only digits and revisions change, and a file is replaced whole or not at all."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from ..errors import RefcheckError, UsageError
from ..model.document import Document, Span

_DIGITS = re.compile(r"[1-9][0-9]*")
_WRITTEN_DIGITS = re.compile(r"[0-9]+")
_COMMIT = re.compile(r"[0-9a-f]{7,40}")
_VERSION = re.compile(r"v?[0-9]+(?:\.[0-9]+)+(?:[.-]?(?:rc|post|dev)[0-9]+)*")
_REVISION = re.compile(r"[\w.\-/+%]+")


class RewriteError(RefcheckError):
    """A document cannot be rewritten as planned; nothing was written."""

    exit_code = 2


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """`text` in place of what stands at `span`: digits for digits, a commit for a revision, a version for a version."""

    span: Span
    text: str


def apply(document: Document, edits: Iterable[Edit]) -> str:
    """The document's text with the edits in it.

    The same edit given twice counts once. Raises RewriteError for two that overlap, naming both places, and for one
    that would change anything but a number or a revision.
    """
    ordered = sorted(set(edits))
    for before, after in pairwise(ordered):
        if after.span.start < before.span.end or after.span == before.span:
            raise RewriteError(
                f"{document.name}: two edits overlap: {_where(document, before)} and {_where(document, after)}; "
                "nothing was written"
            )
    text = document.text
    for edit in reversed(ordered):
        _check(document, edit)
        text = text[: edit.span.start] + edit.text + text[edit.span.end :]
    return text


def _where(document: Document, edit: Edit) -> str:
    line, column = document.position(edit.span.start)
    written = document.text[edit.span.start : edit.span.end]
    return f"line {line}, column {column} ({written!r} to {edit.text!r})"


def _check(document: Document, edit: Edit) -> None:
    start, end = edit.span.start, edit.span.end
    written = document.text[start:end]
    if 0 <= start < end <= len(document.text):
        if _WRITTEN_DIGITS.fullmatch(written) and _DIGITS.fullmatch(edit.text):
            return
        if _REVISION.fullmatch(written) and _COMMIT.fullmatch(edit.text):
            return
        if _VERSION.fullmatch(written) and _VERSION.fullmatch(edit.text):
            return
    raise RewriteError(f"{document.name}: {_where(document, edit)} is neither a number nor a revision; not written")


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A document's new bytes, ready to be put in place. `fresh` says that there is no such file yet."""

    document: Document
    path: Path
    data: bytes
    changed: bool
    fresh: bool = False


def prepare(document: Document, edits: Sequence[Edit]) -> Rewritten:
    """The new content, made from the file as it stands now.

    Raises RewriteError if the file is not the one that was read, or would not come back byte for byte; UsageError
    for standard input and for a file that cannot be read.
    """
    if document.name == "-":
        raise UsageError("standard input cannot be rewritten; give the document as a file")
    path = Path(os.path.realpath(document.name))
    data = _read(path, document)
    refuse_if_protected(path, document.name)
    new_text = apply(document, edits)
    if document.text.encode(document.encoding, "surrogateescape") != data:
        raise RewriteError(f"{document.name}: the text does not encode back to the file's bytes; not written")
    new = new_text.encode(document.encoding, "surrogateescape")
    return Rewritten(document, path, new, new != data)


def refuse_if_protected(path: Path, name: str) -> None:
    """Raises UsageError for a file that its owner made read-only: replacing it would pass over that silently."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise UsageError(f"{name}: cannot be read: {error.strerror or error}") from error
    if not mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
        raise UsageError(
            f"{name} is write-protected (mode {stat.S_IMODE(mode):o}); nothing was written: "
            f"make it writable first (chmod u+w {name})"
        )


def _read(path: Path, document: Document) -> bytes:
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{document.name}: cannot be read: {error.strerror or error}") from error
    if hashlib.sha256(data).hexdigest() != document.digest:
        raise RewriteError(f"{document.name} changed since it was read; run the command again")
    return data


def write_all(rewritten: Iterable[Rewritten]) -> tuple[str, ...]:
    """Put every changed file in place, each by one rename; the names of those that were written.

    A reader or a power cut sees either the old file or the new one. Permissions stay; a symbolic link keeps
    pointing to the file that is replaced. Raises RewriteError for a file that changed meanwhile, UsageError for one
    that cannot be written; files before it in the order are written then, and whole.
    """
    written: list[str] = []
    for one in rewritten:
        if one.changed:
            _replace(one)
            written.append(one.document.name)
    return tuple(written)


def _replace(one: Rewritten) -> None:
    path = one.path
    temporary = path.with_name(f".{path.name}.{os.getpid()}.refcheck")
    try:
        if one.fresh:
            path.parent.mkdir(parents=True, exist_ok=True)
        before = None if one.fresh else path.stat()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        # One left behind by a killed process with the same number is of no use to anyone.
        temporary.unlink(missing_ok=True)
        descriptor = os.open(temporary, flags, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(one.data)
                file.flush()
                if before is not None:
                    _keep_owner_and_mode(file.fileno(), temporary, before)
                else:
                    os.chmod(temporary, 0o666 & ~_umask())
                os.fsync(file.fileno())
            if not one.fresh:
                _read(path, one.document)
            elif os.path.lexists(path):
                raise RewriteError(f"{one.document.name} exists meanwhile; not written")
            os.replace(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)
        _sync_folder(path.parent)
    except OSError as error:
        raise UsageError(f"{one.document.name}: cannot be written: {error.strerror or error}") from error


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _keep_owner_and_mode(descriptor: int, path: Path, before: os.stat_result) -> None:
    if hasattr(os, "fchown"):
        own = os.fstat(descriptor)
        if (own.st_uid, own.st_gid) != (before.st_uid, before.st_gid):
            # Only the superuser may give files away; the content matters more than the group.
            with suppress(PermissionError):
                os.fchown(descriptor, before.st_uid, before.st_gid)
    os.chmod(path, stat.S_IMODE(before.st_mode))


def _sync_folder(folder: Path) -> None:
    """Make the rename itself last through a power cut, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        # Some network file systems have no such operation; the rename is atomic all the same.
        with suppress(OSError):
            os.fsync(descriptor)
    finally:
        os.close(descriptor)
