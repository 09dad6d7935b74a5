"""Which revision a page says it is for, in the words that pages use, and what only sounds like it."""

from __future__ import annotations

import pytest

from refcheck.config.engines import builtin_engines
from refcheck.documents.read import read_text

COMMIT = "71de97b264b04dcd514cf904003028aefe9775c8"
CITED = "\n\n`vllm/v1/request.py:10` is cited.\n"


def declared(head: str, rest: str = CITED) -> tuple[tuple[str, str], ...]:
    return read_text("page", f"# A page\n\n{head}{rest}", "markdown", builtin_engines()).revisions


@pytest.mark.parametrize(
    ("head", "rev"),
    [
        ("Written for vLLM 0.28.0.", "0.28.0"),
        ("Written for vLLM v0.28.0.", "v0.28.0"),
        ("Written for vLLM release:0.28.0.", "0.28.0"),
        ("Written for release:0.28.0 of vLLM.", "0.28.0"),
        ("Based on v0.28.0 of vLLM.", "v0.28.0"),
        (f"Checked at commit `{COMMIT}` of vLLM.", COMMIT),
        ("All links at v0.28.0.", "v0.28.0"),
        ("Line numbers are for v0.28.0.", "v0.28.0"),
        ("Pinned to release:0.28.0.", "0.28.0"),
        ("At v0.28.0.", "v0.28.0"),
        ("Release: v0.28.0", "v0.28.0"),
        (f"Permalinks at {COMMIT}.", COMMIT),
        (f"For vLLM at commit {'2' * 40}.", "2" * 40),
    ],
)
def test_a_page_says_what_it_is_for(head: str, rev: str) -> None:
    assert declared(head) == (("vllm", rev),)


@pytest.mark.parametrize(
    "head",
    [
        "Since v0.28.0 of vLLM this is so.",
        "Added in v0.28.0.",
        "Links changed after v0.28.0.",
        "The code was removed from v0.28.0 on.",
        "Written for v0.28.0 or later.",
        "Checked for v0.28.0+.",
        "The limit is read from 0.28.0 seconds.",
        "It runs at 1234567 of vLLM's tokens.",
        "Read on.",
    ],
)
def test_what_only_sounds_like_it(head: str) -> None:
    assert declared(head) == ()


@pytest.mark.parametrize(
    "rest", [f"{CITED}\n`python/sglang/srt/server.py:10` too.\n", "\n\nNo engine is named here.\n"]
)
def test_without_one_engine_a_bare_revision_is_nobody_s(rest: str) -> None:
    assert declared("All links at v0.28.0.", rest) == ()
