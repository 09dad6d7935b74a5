"""One input against one surface: what it broke, and how long it took."""

from __future__ import annotations

import hashlib
import time
import traceback
from dataclasses import dataclass

from .surfaces import Surface

SECONDS = 0.5
SECONDS_PER_BYTE = 4.0 / 65536
"""So much processor time may an input take: 4.5 s for 64 kB. At its usual speed it takes a fiftieth."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What an input broke. `kind` is the same for inputs that break the same place in the same way."""

    kind: str
    text: str


def judge(surface: Surface, data: bytes, size: int, slack: float = 1.0) -> Finding | None:
    """The finding that an input makes, or None. `size` is the length that the time is measured by, in bytes; `slack`
    multiplies the time that it may take."""
    started = time.process_time()
    try:
        surface.check(data)
    except Exception as error:  # noqa: BLE001 - whatever escapes is what is looked for
        return Finding(_kind(error), "".join(traceback.format_exception(error, limit=-6)))
    took = time.process_time() - started
    allowed = (SECONDS + size * SECONDS_PER_BYTE) * slack
    if took > allowed:
        return Finding("slow", f"{took:.1f} s for {size} bytes, where {allowed:.1f} s are allowed")
    return None


def _kind(error: BaseException) -> str:
    frames = traceback.extract_tb(error.__traceback__)
    own = [
        f"{frame.filename.rpartition('/')[2]}:{frame.lineno}"
        for frame in frames
        if "site-packages" not in frame.filename
    ]
    place = own[-1] if own else "?"
    if len(own) > 1 and place.startswith("__init__.py"):
        place = own[-2]
    return f"{type(error).__name__}-{place}"


def file_name(kind: str, data: bytes) -> str:
    """A finding's file: what it is, and the digest of its input."""
    safe = "".join(character if character.isalnum() or character in "-." else "_" for character in kind)
    return f"{safe}-{hashlib.sha256(data).hexdigest()[:8]}"
