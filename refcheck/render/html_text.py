"""Foreign text in the HTML report: escaped, and what cannot be seen is shown and named."""

from __future__ import annotations

import unicodedata

from markupsafe import Markup, escape

from .untrusted import LOG_COMMAND, escape_of, in_log, unseen_parts, visible_line


def shown(text: str) -> Markup:
    """Text for an element's content. Controls become a marked escape with their name as a tooltip."""
    if text.isascii() and text.isprintable():
        return _plain(text)
    parts: list[Markup] = []
    for part, unseen in unseen_parts(text):
        if not unseen:
            parts.append(_plain(part))
        else:
            name = unicodedata.name(part, "") or "control character"
            mark = Markup('<span class="ctl" title="U+{:04X} {}">{}</span>')
            parts.append(mark.format(ord(part) if not 0xD800 <= ord(part) <= 0xDFFF else 0xFFFD, name, escape_of(part)))
    return Markup("").join(parts)


def plain(text: str) -> str:
    """Text for an attribute or an option, on one line; the template escapes it."""
    return in_log(visible_line(text))


def with_code(text: str) -> Markup:
    """As `shown`; what stands between backticks is set as code."""
    parts = text.split("`")
    if len(parts) % 2 == 0:
        return shown(text)
    code = Markup("<code>{}</code>")
    return Markup("").join(code.format(shown(part)) if i % 2 else shown(part) for i, part in enumerate(parts))


def _plain(text: str) -> Markup:
    """Escaped; workflow commands are broken by entities, for a page that is printed to a CI log."""
    safe = str(escape(text))
    if "::" in safe:
        safe = safe.replace("::", "&#58;:")
    if "##" in safe:
        safe = LOG_COMMAND.sub("&#35;", safe)
    return Markup(safe)
