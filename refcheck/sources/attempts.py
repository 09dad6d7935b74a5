"""One way to a source that did not work, and how its reason is shown."""

from __future__ import annotations

import re

_CREDENTIALS = re.compile(r"(?<=://)[^/@\s'\"]+@")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\u202a-\u202e\u2066-\u2069]")


class Unavailable(Exception):
    """A way to a source failed. The message is one reason for people; callers collect them as attempts."""


class CommitLacking(Unavailable):
    """The place can be read, but it does not have the commit."""


class Silent(Unavailable):
    """A server did not answer in time."""


class Interrupted(BaseException):
    """The run was interrupted in another thread: work in this one is given up.

    Not an Exception, so that no way of reading treats it as a reason to try the next one.
    """


def redact(text: str) -> str:
    """`text` without the user names, passwords and tokens of addresses, and without control characters."""
    return _CONTROLS.sub("", _CREDENTIALS.sub("***@", text))
