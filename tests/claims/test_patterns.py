"""Patterns from editions and pages: ordinary ones are tried, those that could take for ever are not."""

from __future__ import annotations

import time

import pytest

from refcheck.claims.patterns import UnboundedPattern, bounded_pattern


@pytest.mark.parametrize("text", [r"((a+)+)$", r"(a|a)*b", r"(?:a*)*", r"(a+){40,}", r"(.)\1+", "a" * 500, ".*" * 11])
def test_what_could_take_for_ever_is_refused(text: str) -> None:
    start = time.perf_counter()
    with pytest.raises(UnboundedPattern):
        bounded_pattern(text)
    assert time.perf_counter() - start < 1


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        (r".*MetadataBuilder", "FlashMetadataBuilder"),
        (r"(?i)mla", "MLAAttention"),
        (r"KV cache size: \S+ tokens", "GPU KV cache size: 1 tokens"),
        (r"(?:query|q)_?\w*", "query_states"),
        (r"is (\w+) of (\d{1,4})", "it is one of 12"),
        (r"(?:a|b)(?:c|d)", "ad"),
        (r"(?:ab){2,5}", "abab"),
    ],
)
def test_ordinary_patterns_are_tried(text: str, subject: str) -> None:
    assert bounded_pattern(text).search(subject)
