"""Reading the documents that a command is given."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..config.project import Project
from ..errors import ConfigurationError, DocumentError, UsageError
from .setup import announce, project

if TYPE_CHECKING:
    from ..model.document import Document


def read_given(names: Sequence[str], *, snippets: bool = False, tell: bool = False) -> tuple[Document, ...]:
    """Files, folders, or `-` for standard input. Raises DocumentError for one that cannot be read.

    `snippets` takes a source file (`.py`, `.cu` …) as one quoted block instead of naming it as not read. `tell` says
    on standard error what of the documents was not read, for commands whose answer does not.
    """
    from ..documents.read import ReadOptions, read_documents
    from ..documents.snippet import is_snippet, read_snippet
    from ..engine.kept import open_kept

    sources = [name for name in names if snippets and is_snippet(name)]
    pages = [name for name in names if name not in sources]
    read = (
        read_documents(
            pages,
            engines=project().engines,
            stdin=_standard_input,
            options=ReadOptions(
                exclude=tuple(project().exclude),
                exclude_base=settings.parent if (settings := project().file) is not None else None,
                kept=open_kept(),
            ),
        )
        if pages
        else ()
    )
    for unread in (one for document in read if tell and document.format != "folder" for one in document.unread):
        announce(f"{unread.what} was not read: {unread.why}")
    return (*read, *(read_snippet(name) for name in sources))


def _standard_input() -> bytes:
    if sys.stdin is None:
        raise DocumentError("-: standard input is closed")
    return sys.stdin.buffer.read()


def configured_documents(settings: Project) -> tuple[str, ...]:
    """The documents that the project's settings name: files and folders as they are, patterns expanded.

    What `exclude` names is left out of what patterns fit; a file that is named as it is stays. Raises
    ConfigurationError for a name that fits nothing.
    """
    if settings.file is None:
        return ()
    from ..documents.exclusions import Exclusions

    base = settings.file.parent
    exclusions = Exclusions(settings.exclude, base)
    names: list[str] = []
    for entry in settings.documents:
        is_pattern = any(char in entry for char in "*?[")
        fitting = sorted(base.glob(entry)) if is_pattern else [base / entry]
        if not fitting or not all(path.exists() for path in fitting):
            raise ConfigurationError(f"{settings.file}: documents: {entry!r} fits no file")
        if is_pattern:
            # What a pattern begins with is the folder that it names.
            folder = base / re.split(r"[*?\[]", entry, maxsplit=1)[0].rpartition("/")[0]
            inside = [(path, path.relative_to(folder).as_posix()) for path in fitting]
            fitting = [path for path, inner in inside if not exclusions.leave_out(folder, inner)]
        names += [os.path.relpath(path) for path in fitting]
    if settings.documents and not names:
        raise ConfigurationError(f"{settings.file}: documents: all of them are left out by `exclude`")
    return tuple(dict.fromkeys(names))


def given_or_configured(names: Sequence[str]) -> tuple[str, ...]:
    """What the user named, else the documents of the settings. Raises UsageError without either."""
    if names:
        return tuple(names)
    configured = configured_documents(project())
    if not configured:
        raise UsageError(
            "name the documents (files, folders, or - for standard input), or list them as `documents` in the settings"
        )
    return configured


def strays(read: Sequence[Document], given: Sequence[str]) -> tuple[str, ...]:
    """Documents that a pattern or a folder brought in, and whose file stands elsewhere: a link led out of the folder.

    `given` are names that the user wrote out. A command that writes must not change files that nobody named.
    """
    exact = {os.path.abspath(name) for name in given}
    folders = [os.path.realpath(name) for name in given if os.path.isdir(name)]
    base = project().file
    allowed = [os.path.realpath(os.curdir), *folders, *([os.path.realpath(base.parent)] if base else [])]
    found: list[str] = []
    for page in read:
        if page.name == "-" or os.path.abspath(page.name) in exact:
            continue
        real = os.path.realpath(page.name)
        if not any(real == folder or real.startswith(folder.rstrip(os.sep) + os.sep) for folder in allowed):
            found.append(page.name)
    return tuple(found)


def written_out(settings: Project) -> tuple[str, ...]:
    """The documents that the settings name without a pattern."""
    if settings.file is None:
        return ()
    base = settings.file.parent
    return tuple(str(base / entry) for entry in settings.documents if not any(char in entry for char in "*?["))
