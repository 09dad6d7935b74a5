"""The pull-request comment, read back with a Markdown parser."""

from __future__ import annotations

import re

import pytest
from markdown_it import MarkdownIt

from refcheck.errors import UsageError
from refcheck.render.markdown_text import block, code, inline
from refcheck.render.options import RenderOptions
from refcheck.render.render import render
from tests.render import reports

GFM = MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"])


def text_of(html: str) -> str:
    import html as entities

    return entities.unescape(re.sub(r"<!--.*?-->|<[^>]+>", "", html))


@pytest.mark.parametrize("name", reports.HOSTILE)
def test_inline_text_renders_as_itself(name: str) -> None:
    text = reports.HOSTILE[name]
    html = GFM.renderInline(inline(text))
    tags = set(re.findall(r"<(?!!--)[^>]*>", html))
    assert tags == set()
    from refcheck.render.untrusted import visible_line

    assert text_of(html) == visible_line(text)


@pytest.mark.parametrize(
    "text",
    ["# x", "- x", "+ x", "1. x", "12) x", "===", "---", "    x", "> x", "| a |", "* x", "~~x~~", "www.x.org", "_x_"],
)
def test_a_line_begins_no_block(text: str) -> None:
    html = GFM.render(inline(text)).strip()
    assert re.fullmatch(r"<p>[^<]*</p>", html), html
    assert text_of(html) == text.strip()


@pytest.mark.parametrize("name", reports.HOSTILE)
def test_code_spans_render_as_themselves(name: str) -> None:
    from refcheck.render.untrusted import in_log, visible_line

    text = in_log(visible_line(reports.HOSTILE[name]))
    for cell in (False, True):
        span = code(reports.HOSTILE[name])
        html = GFM.render(f"| a |\n| --- |\n| {span} |\n") if cell else GFM.renderInline(span)
        found = re.findall(r"<code>(.*?)</code>", html, re.DOTALL)
        assert [text_of(part) for part in found] == [text]


@pytest.mark.parametrize("name", reports.HOSTILE)
def test_blocks_cannot_be_closed_by_their_content(name: str) -> None:
    tokens = GFM.parse("\n".join(block([reports.HOSTILE[name], "```", "end"])))
    assert [token.type for token in tokens] == ["fence"]


@pytest.mark.parametrize("name", reports.HOSTILE)
def test_the_comment_has_only_its_own_structure(name: str) -> None:
    out = render(reports.hostile_report(reports.HOSTILE[name]), "markdown")
    html = GFM.render(out)
    tags = {tag.lower() for tag in re.findall(r"<\s*/?\s*([A-Za-z][\w-]*)", html)}
    assert tags <= {
        "h3", "table", "thead", "tbody", "tr", "th", "td", "ul", "li", "p", "strong", "code", "pre", "details",
        "summary", "b", "blockquote", "a",
    }  # fmt: skip
    assert html.count("<details>") == html.count("</details>")
    assert html.count("<h3>") == 1
    assert not re.search(
        r"(?<![\w&;`])@(everyone)", re.sub(r"<code>.*?</code>|<pre>.*?</pre>", "", html, flags=re.DOTALL)
    )
    assert all(href.startswith("https://example.org/") for href in re.findall(r'href="([^"]*)"', html))


@pytest.mark.parametrize("limit", [2_000, 5_000, 60_000, None])
@pytest.mark.parametrize("count", [12, 500, 2_000])
def test_the_comment_fits_and_says_what_was_cut(limit: int | None, count: int) -> None:
    report = reports.many_findings(count)
    out = render(report, "markdown", RenderOptions(max_bytes=limit))
    assert len(out.encode()) <= (limit or 60_000)
    shown = out.count("· RC")
    match = re.search(r"\*\*(\d+) more findings are left out", out)
    cut = int(match.group(1)) if match else 0
    full = render(report, "markdown", RenderOptions(max_bytes=10_000_000))
    assert shown + cut == full.count("· RC")
    assert out.count("<details>") == out.count("</details>")
    assert GFM.render(out).count("<table>") == 1


def test_hostile_lengths_fit_too() -> None:
    out = render(reports.hostile_report("|`@<\x00" * 20_000), "markdown")
    assert len(out.encode()) <= 60_000
    assert "left out" in out


def test_a_limit_without_room_for_the_totals_is_refused() -> None:
    with pytest.raises(UsageError, match="2,000 bytes"):
        render(reports.full_report(), "markdown", RenderOptions(max_bytes=100))


def test_errors_come_first_and_recorded_ones_last() -> None:
    out = render(reports.full_report(), "markdown")
    ids = re.findall(r"RC\d{3} · ([\w-]+) ·", out)
    assert ids == ["queue-drain", "limit-line", "worker-wake", "C010", "C012", "head-link", "return-self", "C011"]
    assert out.startswith("<!-- refcheck-report -->\n")
