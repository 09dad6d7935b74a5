"""Software Heritage identifiers of lines of a file: a citation that outlives its host.

The format is that of the SWHID specification 1.2 (ISO/IEC 18670), "core identifiers" and "qualifiers":
`swh:1:cnt:<40 hex>` is the hash that git gives the file's bytes (a blob id), and qualifiers follow in the order
origin, anchor, path, lines.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from .place import LineRange

_SHA1 = re.compile(r"[0-9a-f]{40}\Z")


def content_swhid(
    blob: str,
    *,
    path: str | None = None,
    lines: LineRange | None = None,
    origin: str | None = None,
    commit: str | None = None,
    tree: str | None = None,
) -> str:
    """The identifier of a blob, with its context.

    `commit` (else `tree`, the id of the root folder, for an archive that is no commit) is the anchor. The path is
    left out without an anchor: it is relative to the anchor's root and would mean nothing. Raises ValueError for
    an id that is not a SHA-1 (repositories of SHA-256 have no SWHID of version 1).
    """
    qualifiers = []
    if origin is not None:
        qualifiers.append(f"origin={_escaped(origin, ':/?#[]@!$&()*+,=~')}")
    if commit is not None:
        qualifiers.append(f"anchor=swh:1:rev:{_sha1(commit)}")
    elif tree is not None:
        qualifiers.append(f"anchor=swh:1:dir:{_sha1(tree)}")
    if path is not None and (commit or tree):
        qualifiers.append(f"path=/{_escaped(path.lstrip('/'), '/~+@=,')}")
    if lines is not None:
        qualifiers.append(f"lines={lines.first}" if lines.first == lines.last else f"lines={lines.first}-{lines.last}")
    return ";".join([f"swh:1:cnt:{_sha1(blob)}", *qualifiers])


def _sha1(value: str) -> str:
    if not _SHA1.match(value):
        raise ValueError(f"not a SHA-1 git id in lower case: {value!r}")
    return value


def _escaped(text: str, safe: str) -> str:
    return quote(text, safe=safe, encoding="utf-8", errors="surrogateescape")
