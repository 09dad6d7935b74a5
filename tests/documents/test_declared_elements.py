"""Elements that declare the file and the definition that they are about, with a place in them or without."""

from __future__ import annotations

import pytest

from refcheck.config.engines import builtin_engines
from refcheck.documents.read import read_text

A, B = "vllm/v1/request.py", "vllm/config/cache.py"
SYMBOL = "Request.num_tokens"


def element(text: str, symbol: str | None = SYMBOL) -> str:
    declared = f'data-source-engine="vllm" data-source-path="{A}"'
    return f"<code {declared}{f' data-source-symbol={chr(34)}{symbol}{chr(34)}' if symbol else ''}>{text}</code>"


CASES = {
    "a name": (element("num_tokens"), [(None, None, SYMBOL)]),
    "bare lines": (element("L274-L276"), [(274, 276, SYMBOL)]),
    "bare lines without a symbol": (element("L274-L276", None), [(274, 276, None)]),
    "a place": (element("request.py:274"), [(274, 274, SYMBOL)]),
    "two elements": (f"{element('a')} and {element('L300')}", [(None, None, SYMBOL), (300, 300, SYMBOL)]),
    "two numbers": (element("L274 or L276"), [(274, 274, SYMBOL), (276, 276, SYMBOL)]),
    "neither": (element("tokens", None), []),
}


@pytest.mark.parametrize("before", ["", f"<code>{B}:12</code> and "])
@pytest.mark.parametrize(("html", "cited"), CASES.values(), ids=CASES.keys())
def test_what_an_element_declares(
    before: str, html: str, cited: list[tuple[int | None, int | None, str | None]]
) -> None:
    document = read_text("page", f"<p>{before}{html}.</p>", "html", builtin_engines())
    found = [c for c in document.citations if c.path == A]
    read = [(c.lines.first if c.lines else None, c.lines.last if c.lines else None, c.symbol) for c in found]
    assert read == cited
