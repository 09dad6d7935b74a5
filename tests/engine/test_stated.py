"""The document's own words for a claim: found whatever the writing, with its own figures, formulas and names."""

from __future__ import annotations

import pytest

from refcheck.documents.read import read_text
from refcheck.engine.stated import DocumentWords, Stated
from tests.engine.pages import ENGINES


def find(text: str, *words: str, format_name: str = "plain") -> Stated | None:
    return DocumentWords(read_text("page", text, format_name, ENGINES)).find(words)


@pytest.mark.parametrize(
    ("words", "page", "text"),
    [
        # A formula keeps what opens and closes it, or it could not be read.
        ("it costs $2 d h$", "So it costs $3 d h$ in all.", "it costs $3 d h$"),
        ("$2 d h = 4$ bytes in total", "then $2 d h = 5$ bytes in total", "$2 d h = 5$ bytes in total"),
        (
            r"a single row $x \in \mathbb{R}^{1 \times d}$",
            r"a single row $x \in \mathbb{R}^{3 \times d}$.",
            r"a single row $x \in \mathbb{R}^{3 \times d}$",
        ),
        ("it takes 5 of them", "it takes 7 of them.", "it takes 7 of them"),
        # The name of a called function is the page's own, underscores and all.
        ("it then calls push()", "it then calls pop_all(), and", "it then calls pop_all()"),
        ("Queue.step() is the loop of all", "Queue._run() is the loop of all", "Queue._run() is the loop of all"),
        # As recorded: the record's own text.
        ("it costs $2 d h$", "it costs $2\\,d h$", "it costs $2 d h$"),
        ("it then calls push()", "it  then calls `push()`", "it then calls push()"),
    ],
)
def test_the_page_s_own_words(words: str, page: str, text: str) -> None:
    found = find(page, words)
    assert found is not None
    assert found.text == text
    assert found.conflicts == ()


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("it then calls push()", "it then calls push(item)"),
        ("it then calls push()", "it never calls push()"),
        ("push() is what is called", "pop() is what is called"),  # nothing before it says where a name begins
        ("calls push()", "calls pop()"),  # too little around it
    ],
)
def test_other_words_are_not_found(words: str, page: str) -> None:
    assert find(page, words) is None


def test_each_fragment_has_its_own_figures_and_none_is_a_conflict_with_itself() -> None:
    found = find("At first it holds 4 items. Later on we see 5 of them.", "it holds 4 items", "we see 6 of them")
    assert found is not None
    assert (found.text, found.conflicts) == ("it holds 4 items … we see 5 of them", ())


def test_the_same_words_with_other_figures_are_a_conflict() -> None:
    found = find("At first it holds 4 items. Later on it holds 5 items.", "it holds 4 items")
    assert found is not None
    assert [text for text, _ in found.conflicts] == ["it holds 5 items"]
    neither = find("At first it holds 6 items. Later on it holds 5 items.", "it holds 4 items")
    assert neither is not None
    assert (neither.text, [text for text, _ in neither.conflicts]) == ("it holds 6 items", ["it holds 5 items"])


@pytest.mark.parametrize(
    ("format_name", "page", "words", "written"),
    [
        ("plain", "It holds 16.06 GB\nof weights.", "16.06 GB of weights", "16.06 GB\nof weights"),
        ("markdown", "It *holds* `16.06` GB.", "holds 16.06 GB", "holds* `16.06` GB"),
        (
            "html",
            "<p>It holds&nbsp;<b>16.06</b>&thinsp;GB.</p>",
            "holds 16.06 GB",
            "holds&nbsp;<b>16.06</b>&thinsp;GB",
        ),
        ("plain", r"so $41{,}943{,}040$ of them", "41,943,040 of", r"41{,}943{,}040$ of"),
        ("markdown", "a – b “c”", 'a - b "c"', "a – b “c”"),
        ("markdown", "```sh\nvllm serve a --port 1\n```\n", "serve a --port 1", "serve a --port 1"),
    ],
)
def test_whatever_the_writing(format_name: str, page: str, words: str, written: str) -> None:
    document = read_text("page", page, format_name, ENGINES)
    found = DocumentWords(document).find([words])
    assert found is not None
    assert found.text == words
    assert document.text[found.span.start : found.span.end] == written


@pytest.mark.parametrize(
    ("words", "page", "at"),
    [
        ("16.06 GB", "First 116.06 GB, then 16.06 GB.", 22),
        ("it is 16.06", "it is 16.063, and it is 16.06.", 18),
        ("234 of them", "1,234 of them are not 234 of them.", 22),
        ("a 2", "a 2.5 and a 2 and a 25", 10),
        ("are 7", "there are 7. 5 more are none", 6),  # the end of a sentence is no decimal point
        ("3 x", "v 1.3 x, 3 x", 9),
    ],
)
def test_no_part_of_a_longer_figure(words: str, page: str, at: int) -> None:
    found = find(page, words)
    assert found is not None
    assert found.span.start == at
    assert found.text == words


@pytest.mark.parametrize(
    ("words", "page"), [("16.06 GB", "All 116.06 GB"), ("", "anything"), ("it is 16", "it is 16.5")]
)
def test_figures_and_words_that_do_not_stand_there(words: str, page: str) -> None:
    assert find(page, words) is None
