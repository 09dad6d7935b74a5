"""The decode-loop chapter: as plain text (from the shared data, if given) and in its published form (own text)."""

from __future__ import annotations

import html
import os
from pathlib import Path

import pytest
import yaml

from refcheck.config.engines import builtin_engines
from refcheck.documents.quotes import split_points
from refcheck.documents.read import read_documents, read_text

PAGE = """<!doctype html>
<html lang="en"><head><title>A page</title><style>.src {{ color: red }}</style></head><body>
<aside class="meta">vllm <b>a556f3f</b><br>sglang <b>7d89325</b><br>pinned <b>2026-08-21</b></aside>
<h1>A small loop</h1>
<p>It is a plain default: <code>causal: bool = True</code> at <code>vllm/v1/attention/backend.py:L485</code> &mdash; once.</p>
{blocks}
<p>Later, <code>Runner.run</code> (<code>scheduler.py:L566-L575</code>) does the rest.</p>
</body></html>
"""
CODE = 'def run(self, queue: list[int]) -> int:\n    """Take & sum."""\n    if queue and queue[0] < 3:\n        return 0\n\n    return sum(queue)\n'


def block(source: str, tag: str, code: str) -> str:
    return (
        f'<div class="code-file"><div class="code-file__hd"><span class="src">{source}</span>\n'
        f'  {tag}</div><pre class="code-block"><code>{html.escape(code)}</code></pre></div>'
    )


def published() -> str:
    blocks = [
        block("vllm/v1/core/sched/scheduler.py:L566-L571", '<span class="tag tag--vllm">vLLM</span>', CODE),
        block("srt/managers/runner.py:L20-L25", '<span class="tag tag--sglang">SGLang</span>', CODE),
        block("shell", "", "vllm serve a/model --max-model-len 4096\n"),
    ]
    return PAGE.format(blocks="\n".join(blocks))


def test_published_form() -> None:
    document = read_text("chapter.html", published(), "html", builtin_engines())
    assert dict(document.revisions) == {"vllm": "a556f3f", "sglang": "7d89325"}
    rows = [(c.form, c.engine, c.path, str(c.lines), c.inherited_rev, c.quote is not None) for c in document.citations]
    assert rows == [
        ("inline", "vllm", "vllm/v1/attention/backend.py", "L485", "a556f3f", False),
        ("block", "vllm", "vllm/v1/core/sched/scheduler.py", "L566-L571", "a556f3f", True),
        ("block", "sglang", "srt/managers/runner.py", "L20-L25", "7d89325", True),
        ("short", "vllm", "vllm/v1/core/sched/scheduler.py", "L566-L575", "a556f3f", False),
    ]
    assert document.quotes_by_content == ()
    for citation in document.citations[1:3]:
        assert citation.quote is not None
        assert citation.quote.text == CODE.rstrip("\n")
        assert citation.quote.before is not None
        for line, offset in zip(citation.quote.lines, citation.quote.offsets, strict=True):
            assert document.text.startswith(html.escape(line), offset)


def test_highlighted_published_form() -> None:
    shown = html.escape(CODE).replace("return", '<span class="k">return</span>').replace("sum", "<b>sum</b>")
    text = published().replace(html.escape(CODE), shown)
    document = read_text("chapter.html", text, "html", builtin_engines())
    quotes = [c.quote.text for c in document.citations if c.quote is not None]
    assert quotes == [CODE.rstrip("\n")] * 2


SHARED = os.environ.get("REFCHECK_SHARED")
needs_shared = pytest.mark.skipif(not SHARED, reason="REFCHECK_SHARED does not name the folder with the chapter")


@needs_shared
def test_plain_chapter_gives_its_inline_citations() -> None:
    folder = Path(str(SHARED)) / "decode-loop"
    (document,) = read_documents([str(folder / "chapter.txt")], engines=builtin_engines())
    listed = yaml.safe_load((folder / "locations.yaml").read_text(encoding="utf-8"))["citations"]
    expected = {
        (entry["path"], str(entry["lines"]))
        for entry in listed
        if entry["form"] == "inline" and f"{entry['path']}:L" in document.text
    }
    found = [(c.path, str(c.lines).replace("L", "")) for c in document.citations]
    assert set(found) == expected
    assert len(found) == 7
    assert {c.form for c in document.citations} == {"inline"}
    assert all(c.engine == "vllm" for c in document.citations)


@needs_shared
def test_plain_chapter_gives_its_fourteen_quotes() -> None:
    folder = Path(str(SHARED)) / "decode-loop"
    (document,) = read_documents([str(folder / "chapter.txt")], engines=builtin_engines())
    listed = yaml.safe_load((folder / "locations.yaml").read_text(encoding="utf-8"))["citations"]
    wanted = sorted(entry["quoted_lines"] for entry in listed if entry["form"] == "block")
    assert len(wanted) == 14
    sizes: list[int] = []
    for quote in document.quotes_by_content:
        assert not quote.fenced
        assert quote.language not in ("shell", "console")
        assert quote.before is not None
        assert quote.after is not None
        if len(quote.lines) == 22:  # The one block that holds two quotes: it can be cut where the second begins.
            (cut,) = [point for point in split_points(quote) if not quote.lines[point - 1].strip()]
            sizes += [cut - 1, len(quote.lines) - cut]
        else:
            sizes.append(len(quote.lines))
        for line, offset in zip(quote.lines, quote.offsets, strict=True):
            assert document.text.startswith(line, offset)
    assert sorted(sizes) == wanted
