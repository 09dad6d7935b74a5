"""Commits as pages write them."""

from __future__ import annotations


def short(commit: str) -> str:
    """At least nine digits, one of them a letter: digits alone are a number as well."""
    return next(commit[:size] for size in range(9, 41) if not commit[:size].isdecimal())
