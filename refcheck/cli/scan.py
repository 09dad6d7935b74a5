"""`refcheck scan`: the citations and quotes of documents as they were read, without any source."""

from __future__ import annotations

import json
import re
from itertools import islice
from typing import TYPE_CHECKING, Any

import click

from ..model.document import Quote

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ..model.document import Citation, Document

_COMMIT = re.compile(r"[0-9a-f]{12,40}")


@click.command(
    "scan",
    help="""List the citations and quotes of documents as they are read; no engine is needed.

Without DOC, the documents of the project's settings.

A block of code without a location is listed with the form `content`: `verify` and `locate` look for its text.

\b
Examples:
  refcheck scan chapter.html
  refcheck scan docs/ --format json
  pandoc page.docx -t markdown | refcheck scan - --allow-empty""",
)
@click.argument("documents", nargs=-1, metavar="[DOC]...")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["terminal", "json"]),
    default="terminal",
    show_default=True,
    help="How to write it.",
)
@click.option("--allow-empty", is_flag=True, help="Documents without a citation or quote are no error.")
def command(documents: tuple[str, ...], format_name: str, allow_empty: bool) -> int:
    """Exit code 0; 2 where nothing at all was found, unless `--allow-empty`."""
    from .documents import given_or_configured, read_given

    read = read_given(given_or_configured(documents))
    if format_name == "json":
        for part in scan_json(read):
            click.echo(part)
    else:
        click.echo(scan_text(read), nl=False)
    if not allow_empty and not any(document.citations or document.quotes_by_content for document in read):
        click.echo(
            "refcheck: no citation or quote was found in the documents (--allow-empty if that is fine)", err=True
        )
        return 2
    return 0


_PART = 500
"""Citations that are written at once: the whole of a long document would be in memory several times over."""


def scan_json(documents: Sequence[Document]) -> Iterator[str]:
    """The text of `--format json` in parts that end with a line, a citation a line; schemas/refcheck-scan-1.json
    describes it."""
    yield f'{{"schema": "refcheck-scan/1", "documents": [{"" if documents else "]}"}'
    for number, document in enumerate(documents, 1):
        head = {
            "document": document.name,
            "format": document.format,
            "revisions": [{"engine": engine, "rev": rev} for engine, rev in document.revisions],
            "unread": [
                {
                    "what": note.what,
                    "why": note.why,
                    "line": None if note.span is None else document.position(note.span.start)[0],
                }
                for note in document.unread
            ],
        }
        yield _json(head)[:-1] + ', "citations": ['
        entries = _entries(document)
        part = list(islice(entries, _PART))
        while part:
            following = list(islice(entries, _PART))
            yield ",\n".join(map(_json, part)) + ("," if following else "")
            part = following
        yield "]}" + ("," if number < len(documents) else "]}")


_WRITER = json.JSONEncoder(ensure_ascii=False)


def _json(value: dict[str, Any]) -> str:
    text = _WRITER.encode(value)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        # Bytes that were not UTF-8 are lone surrogates here: they can be printed only as escapes.
        return json.dumps(value)
    return text


def _entries(document: Document) -> Iterator[dict[str, Any]]:
    """Citations and blocks without a location as plain values, in the document's order."""
    rows: list[Citation | Quote] = [*document.citations, *document.quotes_by_content]
    rows.sort(key=lambda row: row.span.start)
    for row in rows:
        yield _content(document, row) if isinstance(row, Quote) else _citation(document, row)


def _citation(document: Document, citation: Citation) -> dict[str, Any]:
    line, column = document.position(citation.span.start)
    first, last = (citation.lines.first, citation.lines.last) if citation.lines else _written(document, citation)
    return {
        "line": line,
        "column": column,
        "engine": citation.engine,
        "path": citation.path,
        "first": first,
        "last": last,
        "rev": citation.rev or citation.branch or citation.inherited_rev,
        "symbol": citation.symbol,
        "quote": citation.quote.text if citation.quote else None,
        "form": citation.form,
        "unpinned": citation.unpinned,
        "written_path": citation.written_path,
        "inherited_from": citation.inherited_from,
        "candidates": list(citation.candidates),
        "repository": citation.repository,
        "approximate": citation.approximate,
        "open_ended": citation.open_ended,
        "problem": citation.problem,
        "ignored": document.ignored_because(citation.span),
    }


def _content(document: Document, quote: Quote) -> dict[str, Any]:
    line, column = document.position(quote.span.start)
    return {
        "line": line,
        "column": column,
        "engine": None,
        "path": None,
        "first": None,
        "last": None,
        "rev": None,
        "symbol": None,
        "quote": quote.text,
        "form": "content",
        "unpinned": False,
        "written_path": None,
        "inherited_from": None,
        "candidates": [],
        "repository": None,
        "approximate": False,
        "open_ended": False,
        "problem": None,
        "ignored": document.ignored_because(quote.span),
    }


def _written(document: Document, citation: Citation) -> tuple[int | None, int | None]:
    """The numbers of an impossible range, the smaller first; `problem` says what was written."""
    if citation.first_digits is None:
        return None, None
    first = int(document.text[citation.first_digits.start : citation.first_digits.end])
    if citation.last_digits is None:
        return first, first
    last = int(document.text[citation.last_digits.start : citation.last_digits.end])
    return min(first, last), max(first, last)


def scan_text(documents: Sequence[Document]) -> str:
    """For people: one line per citation under each document's name, then what was not read."""
    from ..render.untrusted import visible_line, visible_name

    out: list[str] = []
    citations = quotes = 0
    for document in documents:
        entries = list(_entries(document))
        if not entries and not document.unread:
            continue
        out.append(f"{visible_name(document.name)}")
        for engine, rev in document.revisions:
            out.append(f"  speaks of {visible_name(engine)} at {visible_line(rev)}")
        for entry in entries:
            citations += entry["form"] != "content"
            quotes += entry["quote"] is not None
            out.append(f"  {entry['line']:>5}:{entry['column']:<4} {visible_line(_row(entry))}")
        for note in document.unread:
            out.append(f"  not read: {visible_name(note.what)}: {visible_line(note.why)}")
        out.append("")
    counts = (
        (sum(d.format != "folder" for d in documents), "document"),
        (citations, "citation"),
        (quotes, "quoted block"),
    )
    read, cited, quoted = (f"{count} {what}{'s' * (count != 1)}" for count, what in counts)
    out.append(f"{read}: {cited}, {quoted}")
    return "\n".join(out) + "\n"


def _row(entry: dict[str, Any]) -> str:
    if entry["form"] == "content":
        lines = str(entry["quote"]).splitlines()
        return f"[content] {len(lines)} line{'s' * (len(lines) != 1)}: {lines[0].strip()[:60]}"
    place = entry["path"] or f"one of {', '.join(entry['candidates']) or '?'}"
    if entry["first"] is not None:
        place += f":L{entry['first']}" + (f"-L{entry['last']}" if entry["last"] != entry["first"] else "")
    parts = [f"[{entry['form']}]", entry["engine"] or entry["repository"] or "?", place]
    if entry["symbol"]:
        parts.append(f"({entry['symbol']})")
    if entry["rev"]:
        rev = entry["rev"][:12] if _COMMIT.fullmatch(entry["rev"]) else entry["rev"]
        parts.append(f"at {rev}" + (" (unpinned)" if entry["unpinned"] else ""))
    if entry["inherited_from"]:
        parts.append(f"path from the {entry['inherited_from']}")
    if entry["quote"] is not None:
        count = len(str(entry["quote"]).splitlines())
        parts.append(f"+ {count} quoted line{'s' * (count != 1)}")
    for key in ("problem", "ignored"):
        if entry[key]:
            parts.append(f"{key}: {entry[key]}")
    return " ".join(parts)
