"""One file of an engine as text."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

_NEWLINE = re.compile(r"\r\n|\n|\r")


@dataclass(frozen=True)
class SourceText:
    """The decoded text of a blob.

    `text` is UTF-8 (a byte order mark removed); bytes that are not UTF-8 are kept as surrogate escapes, so that
    every file can be searched as text. Lines end at LF, CRLF or CR only: a form feed or U+2028 inside a line
    does not shift the numbers, as it would with `str.splitlines`.
    """

    path: str
    blob: str
    text: str
    is_utf8: bool = True

    @classmethod
    def from_bytes(cls, path: str, blob: str, data: bytes) -> SourceText:
        if data.startswith(b"\xef\xbb\xbf"):
            data = data[3:]
        try:
            return cls(path, blob, data.decode("utf-8"), True)
        except UnicodeDecodeError:
            return cls(path, blob, data.decode("utf-8", "surrogateescape"), False)

    @cached_property
    def lines(self) -> tuple[str, ...]:
        """The lines without their line ends; a final line end does not open another line."""
        text = self.text
        parts = text.split("\n") if "\r" not in text else _NEWLINE.split(text)
        if parts and parts[-1] == "":
            parts.pop()
        return tuple(parts)

    def slice(self, first: int, last: int) -> str:
        """Lines `first` to `last` (1-based, included), joined by LF."""
        return "\n".join(self.lines[first - 1 : last])
