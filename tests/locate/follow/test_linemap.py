"""The line map is monotone, pairs equal lines only, and does not depend on how lines are numbered."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from refcheck.locate.follow.linemap import UNMAPPED, align, common_prefix, common_suffix

texts = st.lists(st.integers(0, 6), max_size=40)


@given(texts, texts)
def test_pairs_equal_lines_in_order(old: list[int], new: list[int]) -> None:
    mapped = align(old, new)
    assert len(mapped) == len(old)
    targets = [target for target in mapped if target != UNMAPPED]
    assert targets == sorted(set(targets))
    assert all(old[at] == new[target] for at, target in enumerate(mapped) if target != UNMAPPED)


@given(texts)
def test_a_text_is_mapped_to_itself(text: list[int]) -> None:
    assert align(text, text) == list(range(len(text)))


@given(texts, texts, texts)
def test_an_insertion_leaves_the_rest_in_place(before: list[int], inserted: list[int], after: list[int]) -> None:
    fresh = [line + 100 for line in inserted]
    mapped = align(before + after, before + fresh + after)
    assert mapped == [*range(len(before)), *range(len(before) + len(fresh), len(before + fresh + after))]


@given(texts, texts)
def test_numbering_does_not_matter(old: list[int], new: list[int]) -> None:
    assert align(old, new) == align([97 - x for x in old], [97 - x for x in new])


@given(texts, texts)
def test_common_ends(a: list[int], b: list[int]) -> None:
    size = min(len(a), len(b))
    prefix = common_prefix(a, 0, b, 0, size)
    assert a[:prefix] == b[:prefix]
    assert prefix == size or a[prefix] != b[prefix]
    suffix = common_suffix(a, len(a), b, len(b), size)
    assert a[len(a) - suffix :] == b[len(b) - suffix :]
    assert suffix == size or a[len(a) - suffix - 1] != b[len(b) - suffix - 1]


def test_long_texts_take_no_recursion() -> None:
    old = [i % 3 for i in range(60_000)]
    new = [i % 3 for i in range(1, 60_000)]
    targets = [target for target in align(old, new) if target != UNMAPPED]
    assert len(targets) >= 59_000
