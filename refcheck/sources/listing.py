"""The paths of a tree: from git, and as a compact file that the next run reads instead."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from .git_runner import call

_HEAD = b"refcheck listing 1 "


@dataclass(frozen=True, slots=True)
class Listing:
    """`files`: path -> blob id of every regular file. `others`: path -> "symlink" or "submodule"."""

    files: dict[str, str]
    others: dict[str, str]


def of_tree(treeish: str, git_dir: Path, alternates: Sequence[Path] = ()) -> Listing:
    """List a commit or tree. Raises GitFailure (a tree is missing or corrupt)."""
    raw = call(["ls-tree", "-r", "-z", "--full-tree", treeish], git_dir, alternates=alternates)
    files: dict[str, str] = {}
    others: dict[str, str] = {}
    for entry in raw.decode("utf-8", "surrogateescape").split("\0"):
        if not entry:
            continue
        head, path = entry.split("\t", 1)
        mode, _, oid = head.split(" ", 2)
        if mode.startswith("100"):
            files[path] = oid
        else:
            others[path] = "symlink" if mode == "120000" else "submodule"
    return Listing(files, others)


def dump(listing: Listing) -> bytes:
    """A checksum line, then `BLOB PATH` records, then `symlink PATH` and `submodule PATH` ones, NUL between them."""
    records = [f"{oid} {path}" for path, oid in listing.files.items()]
    tail = [f"{kind} {path}" for path, kind in listing.others.items()]
    body = ("\0".join(records) + "\n\0" + "\0".join(tail)).encode("utf-8", "surrogateescape")
    return _HEAD + hashlib.sha1(body, usedforsecurity=False).hexdigest().encode() + b"\n" + body


def load(data: bytes) -> Listing | None:
    """What `dump` wrote; None for anything else, a half-written or altered file included."""
    head, _, body = data.partition(b"\n")
    if head != _HEAD + hashlib.sha1(body, usedforsecurity=False).hexdigest().encode():
        return None
    first, _, second = body.decode("utf-8", "surrogateescape").rpartition("\n\0")
    files = {record[41:]: record[:40] for record in first.split("\0") if record}
    others = {path: kind for kind, _, path in (r.partition(" ") for r in second.split("\0") if r)}
    return Listing(files, others)
