"""Parameters of a check that are taken out of the claim's words, so that what a document states is what is judged.

Wherever a check takes text it may take `{words: PATTERN}`: what the first group of the regular expression matches in
the words; with `as: TEMPLATE`, the template with the groups put in (`\\1`, `\\2`).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ..errors import ConfigurationError
from ..model import codes
from ..model.verdict import Undecided
from .patterns import UnboundedPattern, bounded_pattern
from .unanswerable import Unanswerable


def is_from_words(value: object) -> bool:
    """Whether a parameter is taken out of the words."""
    return isinstance(value, Mapping) and "words" in value and set(value) <= {"words", "as"}


def from_words(value: Any, words: str | None) -> Any:
    """The parameters with what the words state put in.

    Raises Unanswerable (undecided) where the words do not have the pattern, ConfigurationError for a bad pattern.
    """
    if is_from_words(value):
        return _stated(str(value["words"]), str(value.get("as", r"\1")), words)
    if isinstance(value, Mapping):
        return {key: from_words(item, words) for key, item in value.items()}
    return [from_words(item, words) for item in value] if isinstance(value, list) else value


def _stated(pattern: str, template: str, words: str | None) -> str:
    try:
        match = bounded_pattern(pattern, re.DOTALL).search(words or "")
        if match is not None:
            return match.expand(template)
    except (re.error, UnboundedPattern) as error:
        raise ConfigurationError(f"not a pattern with groups for {template!r}: {pattern!r} ({error})") from error
    raise Unanswerable(Undecided(f"the words do not state what {pattern!r} looks for: “{words}”", codes.NOT_CHECKABLE))
