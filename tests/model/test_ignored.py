"""Which ignore comment covers a place: as a look at each of them says, without looking at each of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from refcheck.model.document import Document, Span

SPANS = st.tuples(st.integers(0, 40), st.integers(1, 12)).map(lambda pair: Span(pair[0], pair[0] + pair[1]))


@given(st.lists(SPANS, max_size=12), SPANS)
def test_a_span_is_ignored_where_one_comment_covers_all_of_it(covered: list[Span], asked: Span) -> None:
    ignored = tuple((span, f"{span.start}-{span.end}") for span in covered)
    document = Document("page.md", "markdown", "x" * 60, ignored=ignored)
    reason = document.ignored_because(asked)
    assert (reason is not None) == any(span.contains(asked) for span in covered)
    if reason is not None:
        start, end = map(int, reason.split("-"))
        assert start <= asked.start
        assert asked.end <= end
