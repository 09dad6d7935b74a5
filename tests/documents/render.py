"""Writes the corpus' neutral blocks in each format, the way that people write them."""

from __future__ import annotations

import html
import json
import re
from typing import Any

FORMATS = ("markdown", "html", "rst", "notebook", "plain")
_INLINE = re.compile(r"\{([^{}]*)\}|\[((?:\{[^{}]*\}|[^\[\]{}])*)\]\(([^()\s]+)\)")


def inline(text: str, form: str) -> str:
    """`{…}` as a code span and `[label](address)` as a link."""
    parts: list[str] = []
    at = 0
    for match in _INLINE.finditer(text):
        parts.append(plain_text(text[at : match.start()], form))
        if match.group(1) is not None:
            parts.append(code(match.group(1), form))
        else:
            parts.append(link(match.group(2), match.group(3), form))
        at = match.end()
    parts.append(plain_text(text[at:], form))
    return "".join(parts)


def plain_text(text: str, form: str) -> str:
    return html.escape(text, quote=False) if form == "html" else text


def code(text: str, form: str) -> str:
    if form == "html":
        return f"<code>{html.escape(text)}</code>"
    if form == "rst":
        return f"``{text}``"
    return text if form == "plain" else f"`{text}`"


def link(label: str, address: str, form: str) -> str:
    if form == "html":
        return f'<a href="{html.escape(address)}">{inline(label, form)}</a>'
    if form == "rst":
        return f"`{label} <{address}>`_"
    if form == "plain":
        return f"{label} ({address})"
    return f"[{inline(label, form)}]({address})"


def block(entry: dict[str, Any], form: str) -> str:
    """One block, with a blank line after it."""
    if "p" in entry:
        text = inline(entry["p"], form)
        return f"<p>{text}</p>\n" if form == "html" else f"{text}\n\n"
    if "h" in entry:
        level = entry.get("level", 1)
        if form == "html":
            return f"<h{level}>{entry['h']}</h{level}>\n"
        if form == "rst":
            return f"{entry['h']}\n{'=-~'[level - 1] * max(len(entry['h']), 4)}\n\n"
        return f"{entry['h']}\n\n" if form == "plain" else f"{'#' * level} {entry['h']}\n\n"
    if "table" in entry:
        return table(entry["table"], entry.get("caption"), form)
    return code_block(entry["code"], entry.get("language", ""), entry.get("header"), form)


def code_block(text: str, language: str, header: str | None, form: str) -> str:
    if form == "html":
        shown = f'<code class="language-{language}">' if language else "<code>"
        body = f"<pre>{shown}{html.escape(text)}</code></pre>"
        if header is None:
            return body + "\n"
        return (
            f'<div class="code-file"><div class="code-file__hd"><span class="src">{header}</span> '
            f'<span class="tag">code</span></div>{body}</div>\n'
        )
    if form == "rst":
        head = f"   :caption: {header}\n" if header else ""
        lines = "".join(f"   {line}\n" if line else "\n" for line in text.splitlines())
        return f".. code-block:: {language or 'none'}\n{head}\n{lines}\n"
    if form == "plain":
        lead = f"{header}\n\n" if header else ""
        return lead + "".join(f"    {line}\n" if line else "\n" for line in text.splitlines()) + "\n"
    lead = f"`{header}`\n\n" if header else ""
    return f"{lead}```{language}\n{text}```\n\n"


def table(rows: list[list[str]], caption: str | None, form: str) -> str:
    if form == "html":
        head = f"<caption>{inline(caption, form)}</caption>" if caption else ""
        cells = "".join("<tr>" + "".join(f"<td>{inline(c, form)}</td>" for c in row) + "</tr>" for row in rows)
        return f"<table>{head}{cells}</table>\n"
    if form == "rst":
        shown = [[inline(cell, form) for cell in row] for row in rows]
        widths = [max(len(row[i]) for row in shown) + 2 for i in range(len(rows[0]))]
        rule = "+" + "+".join("-" * width for width in widths) + "+\n"
        lines = ["|" + "|".join(f" {c}".ljust(w) for c, w in zip(row, widths, strict=True)) + "|\n" for row in shown]
        return rule + (rule).join(lines) + rule + "\n"
    shown = [[inline(cell, form) for cell in row] for row in rows]
    head, *body = ["| " + " | ".join(row) + " |\n" for row in shown]
    return head + "|" + " --- |" * len(rows[0]) + "\n" + "".join(body) + "\n"


def document(case: dict[str, Any], form: str) -> str:
    """A whole case in a format; `text` cases are given as they are, but for a notebook's wrapping."""
    if form == "notebook" and not case.get("raw"):
        return notebook(case)
    if "text" in case:
        return str(case["text"])
    return "".join(block(entry, form) for entry in case["blocks"])


def notebook(case: dict[str, Any]) -> str:
    if "text" in case:
        cells = [{"cell_type": "markdown", "source": str(case["text"])}]
    else:
        cells = [
            {"cell_type": "markdown", "source": block(entry, "markdown").splitlines(keepends=True)}
            for entry in case["blocks"]
        ]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1)
