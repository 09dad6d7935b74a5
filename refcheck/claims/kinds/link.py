"""An external reference: its address and the title of what stands there."""

from __future__ import annotations

import re

from ...config.fields import Field
from ...model import codes
from ...model.evidence import Comparison
from ...model.verdict import Contradicted, Holds, Undecided, Verdict
from ..context import Context
from ..kind import Case, Kind, Params

TIMEOUT_S = 5.0
MAX_BYTES = 400_000
_TITLE = re.compile(r"<title[^>]{0,200}>(.{1,500}?)</title>", re.IGNORECASE | re.DOTALL)


def check(params: Params, context: Context) -> Verdict:
    """Looked up only when links are checked and the page can be reached; otherwise undecided."""
    title, url = params["title"], params["url"]
    also = f"; by hand: {params['by_hand']}" if "by_hand" in params else ""
    if not context.check_links:
        return Undecided(f"{url} was not looked up (--check-links does){also}", codes.OPTIONAL)
    try:
        page = _fetch(url)
    except (OSError, ValueError) as error:
        return Undecided(f"{url} cannot be reached: {error}{also}", codes.UNREACHABLE)
    found = _TITLE.search(page)
    shown = " ".join(found.group(1).split()) if found else "no title"
    if _plain(title) not in _plain(page):
        return Contradicted(f"{url} is {shown!r}", (Comparison("title", title, shown),))
    if "by_hand" in params:
        return Undecided(f"{url} has the title{also}", codes.NOT_CHECKABLE)
    return Holds(f"{url} is {shown!r}")


def _fetch(url: str) -> str:
    from urllib.request import Request, urlopen

    if not url.startswith("https://"):
        raise ValueError("only https is looked up")
    with urlopen(Request(url, headers={"User-Agent": "refcheck"}), timeout=TIMEOUT_S) as answer:
        data: bytes = answer.read(MAX_BYTES)
    return data.decode("utf-8", "replace")


def _plain(text: str) -> str:
    """Letters and digits alone: entities, quotes and dashes differ from page to page."""
    return re.sub(r"[\W_]+", "", re.sub(r"&#?\w{1,10};|<[^>]{0,300}>", "", text)).casefold()


KIND = Kind(
    name="link",
    summary="An external reference, looked up only with `--check-links`.",
    fields=(
        Field("url", "str", "its address", required=True),
        Field("title", "str", "the title that the page must carry", required=True),
        Field("by_hand", "str", "what the statement says beside the title, which a look-up does not decide"),
    ),
    check=check,
    paths=lambda params: (),
    cases=(Case("not asked for", {"url": "https://toy.org/1", "title": "The Queue"}, "undecided"),),
)
