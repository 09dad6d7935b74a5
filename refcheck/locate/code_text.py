"""The code of a file without its comments and strings: a word in those names nothing."""

from __future__ import annotations

import re
from functools import lru_cache

from ..model.source_text import SourceText

_NOT_NEWLINE = re.compile(r"[^\n]")
_PYTHON = re.compile(
    r"#[^\n]*|\"\"\"(?:[^\"\\]|\\.|\"(?!\"\"))*(?:\"\"\"|\Z)|'''(?:[^'\\]|\\.|'(?!''))*(?:'''|\Z)|"
    r"\"(?:[^\"\\\n]|\\.)*\"?|'(?:[^'\\\n]|\\.)*'?",
    re.DOTALL,
)
_BRACES = re.compile(r"//[^\n]*|/\*(?:[^*]|\*(?!/))*(?:\*/|\Z)|\"(?:[^\"\\\n]|\\.)*\"?", re.DOTALL)
_SIGNS = {
    **dict.fromkeys(("py", "pyi"), _PYTHON),
    **dict.fromkeys(("c", "cc", "cpp", "cxx", "h", "hh", "hpp", "hxx", "inl", "cu", "cuh", "hip", "rs"), _BRACES),
}


def code_lines(source: SourceText) -> tuple[str, ...]:
    """The lines of a file with blanks where comments and strings stand; as they are in a language not known."""
    signs = _SIGNS.get(source.path.rpartition(".")[2].lower())
    if signs is None:
        return source.lines
    return _blanked(source.text if "\r" not in source.text else "\n".join(source.lines), signs)


@lru_cache(maxsize=8)
def _blanked(text: str, signs: re.Pattern[str]) -> tuple[str, ...]:
    return tuple(signs.sub(lambda match: _NOT_NEWLINE.sub(" ", match.group()), text).split("\n"))
