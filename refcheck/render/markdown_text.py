"""Foreign text in GitHub-flavoured Markdown."""

from __future__ import annotations

import re

from .untrusted import in_log, visible, visible_line

# What begins markup within a line; a colon for bare addresses, `:emoji:` and `::commands`.
_PUNCTUATION = re.compile(r"([\\`*_\[\]|~]|:(?=\S)|(?<=[Ww]{3})\.)")
# What makes a heading, list, or underline of a line that it begins.
_START = re.compile(r"^(\d*)([#+=.)\-])")
# An empty comment ends a word for the filters that make mentions and references (`@name`, `#1`, `GH-1`), which run
# on the rendered text, and shows nothing.
_BREAK = "<!-- -->"
_FENCE = re.compile(r"`{3,}")


def inline(text: str) -> str:
    """Prose on one line: no markup, link, table cell, mention, issue reference, formula or HTML comes of it."""
    shown = visible_line(text)
    shown = shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    shown = _START.sub(r"\1\\\2", _PUNCTUATION.sub(r"\\\1", shown))
    return _without_references(shown)


def _without_references(text: str) -> str:
    text = re.sub(r"([@#$])(?=\S)", rf"\1{_BREAK}", text)
    return re.sub(r"\b(GH)-(?=\d)", rf"\1{_BREAK}-", text, flags=re.IGNORECASE)


def html_inline(text: str) -> str:
    """Prose on one line where Markdown is not read (inside `<summary>`)."""
    shown = visible_line(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    return _without_references(shown).replace("::", "&#58;:")


def clipped(text: str, longest: int) -> str:
    """The text cut to a number of characters, with an ellipsis where it was."""
    return text if len(text) <= longest else text[: longest - 1] + "…"


def code(text: str) -> str:
    """A code span on one line, also in a table cell."""
    shown = in_log(visible_line(text))
    if not shown:
        return ""
    longest = max((len(run) for run in re.findall(r"`+", shown)), default=0)
    ticks = "`" * (longest + 1)
    pad = " " if shown.startswith("`") or shown.endswith("`") else ""
    # In a table a pipe ends the cell even within a code span, and a backslash before it is taken off there only.
    if "|" in shown:
        body = shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return f"<code>{_entities(body)}</code>"
    return f"{ticks}{pad}{shown}{pad}{ticks}"


def _entities(text: str) -> str:
    """HTML text in which no Markdown is read."""
    return re.sub(r"[\\`*_{}\[\]()+\-.!~@#$:|]", lambda m: f"&#{ord(m.group())};", text)


def block(lines: list[str], language: str = "") -> list[str]:
    """A fenced block that its content cannot close."""
    shown = [in_log(visible(line)).replace("\n", "\\x0a") for line in lines]
    longest = max((len(run) for line in shown for run in _FENCE.findall(line)), default=2)
    fence = "`" * (longest + 1)
    return [f"{fence}{language}", *shown, fence]
