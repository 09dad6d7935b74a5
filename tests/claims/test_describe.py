"""The page about claim kinds is what the kinds declare."""

from __future__ import annotations

from pathlib import Path

from refcheck import registry
from refcheck.claims.describe import page
from refcheck.claims.kind import PACKAGE

PAGE = Path(__file__).parents[2] / "docs" / "claim-kinds.md"


def test_the_page_is_up_to_date() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "run: python -m refcheck.claims.describe > docs/claim-kinds.md"


def test_every_kind_has_a_section_with_an_example() -> None:
    text = page()
    for name in registry.names(PACKAGE):
        section = text.partition(f"\n### {name}\n")[2].partition("\n### ")[0]
        assert "```yaml" in section, name
