"""Addresses of files and links in machine formats."""

from __future__ import annotations

import re
from urllib.parse import quote

from refcheck.model.tree import SourceRead

_WINDOWS_DRIVE = re.compile(r"[A-Za-z]:[\\/]")


def file_uri(path: str) -> str:
    """A relative URI reference for a relative path, `file:///…` for an absolute one (RFC 3986, RFC 8089)."""
    drive = _WINDOWS_DRIVE.match(path) is not None
    text = path.replace("\\", "/") if drive or ("\\" in path and "/" not in path) else path
    escaped = quote(text, safe="/~", encoding="utf-8", errors="surrogateescape")
    if drive:
        return f"file:///{text[0]}:{escaped[len(quote(text[:2], safe='')) :]}"
    return f"file://{escaped}" if text.startswith("/") else escaped


def web_link(address: str | None) -> str | None:
    """The address if it is one that may stand in a page: https or http, without white space or controls."""
    if address is None or not re.fullmatch(r"https?://[^\s\x00-\x20\x7f-\x9f\"'<>\\^`{|}]+", address):
        return None
    return address if address.isascii() else quote(address, safe=":/?#[]@!$&'()*+,;=%~", errors="replace")


def browse_root(source: SourceRead) -> str | None:
    """The web address of the files of a commit, with a slash at its end, where the host is known to have one."""
    if source.origin is None or source.commit is None:
        return None
    origin = source.origin.removesuffix("/").removesuffix(".git")
    return web_link(f"{origin}/blob/{source.commit}/")
