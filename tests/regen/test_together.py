"""Citations without a revision of their own move together, and with what the page says of its revision."""

from __future__ import annotations

import pytest

from refcheck.model.verdict import Holds
from tests.regen.test_plan import LINK, NEW_COMMIT, NEW_LINK, OLD_COMMIT, PATH, plan

CERTAIN = f"Budget: `{PATH}:11-12`."
GONE = f"Drop: `{PATH}:17-18`."


def test_one_that_is_not_certain_holds_back_the_others_of_the_page_but_no_permalink() -> None:
    text = f"{CERTAIN}\n\n{GONE}\n\nAlso {LINK}#L12.\n"
    made, _, written = plan(text)
    assert written == text.replace(f"{LINK}#L12", f"{NEW_LINK}#L14")
    assert "--together" in made.items[0].left
    assert made.items[0] in made.for_a_human
    assert made.items[0].new is not None
    _, _, written = plan(text, partly=True)
    assert written == text.replace(f"{LINK}#L12", f"{NEW_LINK}#L14").replace(":11-12", ":13-14")


def test_a_declared_commit_changes_with_the_numbers_and_a_second_run_changes_nothing() -> None:
    text = f"# vLLM `{OLD_COMMIT[:9]}`\n\n{CERTAIN} See {LINK}#L12.\n"
    made, _, written = plan(text)
    assert all(not item.left for item in made.items)
    assert written == (
        text.replace(f"`{OLD_COMMIT[:9]}`", f"`{NEW_COMMIT[:9]}`")
        .replace(":11-12", ":13-14")
        .replace(f"{LINK}#L12", f"{NEW_LINK}#L14")
    )
    # Although it is read from the old tree again, as with an explicit --pin.
    again, _, twice = plan(written)
    assert f"# vLLM `{NEW_COMMIT[:9]}`" in twice
    assert ":13-14" in twice
    assert isinstance(again.items[0].verdict, Holds)
    assert not again.items[0].edits


@pytest.mark.parametrize(
    "text",
    [
        f"# vLLM v0.28.0\n\n{CERTAIN}\n",
        f"# vLLM `{OLD_COMMIT[:9]}`\n\n{CERTAIN}\n\nWe read {OLD_COMMIT} in May.\n",
    ],
    ids=["tag", "twice"],
)
def test_a_declaration_that_cannot_be_replaced_keeps_its_numbers(text: str) -> None:
    made, page, written = plan(text)
    assert page.revisions
    assert written == text
    assert "the page says it is for" in made.items[0].left
    assert plan(text, keep_head=True)[2] == text.replace(":11-12", ":13-14")
    # However much of the page is certain: below such a head all numbers would be read at the wrong revision.
    made, _, written = plan(text, partly=True)
    assert written == text
    assert "--keep-head" in made.items[0].left


def test_without_a_commit_to_write_the_head_is_left_and_said() -> None:
    text = f"# vLLM `{OLD_COMMIT[:9]}`\n\n{CERTAIN}\n"
    for partly in (False, True):
        made, _, written = plan(text, commit=None, partly=partly)
        if partly:
            # A release whose tag is no commit: its lines are written, the head is left, and that is said.
            (head,) = made.heads
            assert (head.says, head.now, head.for_a_human) == (OLD_COMMIT[:9], None, True)
            assert written == text.replace(":11-12", ":13-14")
        else:
            assert not made.heads
            assert written == text
        assert plan(text, commit=None, partly=partly, keep_head=True)[2] == text.replace(":11-12", ":13-14")


@pytest.mark.parametrize(
    ("head", "newer", "after"),
    [
        ("# vLLM v0.28.0", "0.33.0", "# vLLM v0.33.0"),
        ("# vLLM 0.28.0", "0.33.0", "# vLLM 0.33.0"),
        ("---\nvllm: v0.28.0\n---", "0.33.1rc2", "---\nvllm: v0.33.1rc2\n---"),
        ("Line numbers are of vLLM v0.28.0.", "1.0.0", "Line numbers are of vLLM v1.0.0."),
        # Said twice, or as a part of another version: it is not for this to tell which is the page's own.
        ("# vLLM v0.28.0\n\nRead v0.28.0 for it.", "0.33.0", None),
        ("# vLLM v0.28.0", None, None),
    ],
)
@pytest.mark.parametrize("partly", [False, True])
def test_a_declared_release_changes_with_the_numbers(
    head: str, newer: str | None, after: str | None, partly: bool
) -> None:
    text = f"{head}\n\n{CERTAIN}\n"
    versions = {"vllm": newer} if newer else None
    made, page, written = plan(text, partly=partly, versions=versions)
    assert page.revisions
    if after is None:
        assert written == text
        assert "--keep-head" in made.items[0].left
        return
    assert written == f"{after}\n\n{CERTAIN}\n".replace(":11-12", ":13-14")
    again, _, twice = plan(written, partly=partly, versions=versions)
    assert twice == written
    assert isinstance(again.items[0].verdict, Holds)


def test_a_declared_release_stays_where_a_place_is_not_certain() -> None:
    text = f"# vLLM v0.28.0\n\n{CERTAIN}\n\n{GONE}\n"
    made, _, written = plan(text, versions={"vllm": "0.33.0"})
    assert written == text
    assert "no certain place" in made.items[0].left


def test_a_declaration_stays_where_a_place_is_not_certain() -> None:
    text = f"# vLLM `{OLD_COMMIT[:9]}`\n\n{CERTAIN}\n\n{GONE}\n"
    made, _, written = plan(text)
    assert written == text
    assert "no certain place" in made.items[0].left
    made, _, written = plan(text, partly=True)
    assert written == text.replace(":11-12", ":13-14").replace(OLD_COMMIT[:9], NEW_COMMIT[:9])
    (head,) = made.heads
    assert (head.line, head.says, head.now) == (1, OLD_COMMIT[:9], NEW_COMMIT[:9])
    assert head.behind == (made.items[1],)
    assert not head.for_a_human
    (head,) = plan(text, partly=True, keep_head=True)[0].heads
    assert (head.now, head.why, head.for_a_human) == (None, "--keep-head", False)


def test_a_page_of_which_no_place_is_certain_keeps_its_head() -> None:
    text = f"# vLLM `{OLD_COMMIT[:9]}`\n\n{GONE}\n"
    made, _, written = plan(text, partly=True)
    assert written == text
    assert not made.heads


@pytest.mark.parametrize("commit", [NEW_COMMIT, None])
def test_a_declared_release_changes_although_a_place_stays_behind(commit: str | None) -> None:
    text = f"# vLLM v0.28.0\n\n{CERTAIN}\n\n{GONE}\n"
    made, _, written = plan(text, versions={"vllm": "0.33.0"}, partly=True, commit=commit)
    assert written == text.replace(":11-12", ":13-14").replace("0.28.0", "0.33.0")
    assert [len(head.behind) for head in made.heads] == [1]


def test_sections_of_different_revisions_change_each_with_its_own_numbers() -> None:
    other = "d" * 9
    text = f"# Notes\n\n## vLLM {OLD_COMMIT[:9]}\n\n{CERTAIN}\n\n{GONE}\n\n## vLLM {other}\n\nThere `{PATH}:20-21`.\n"
    made, _, written = plan(text, partly=True)
    assert written == text.replace(OLD_COMMIT[:9], NEW_COMMIT[:9]).replace(":11-12", ":13-14")
    assert [(head.says, len(head.behind)) for head in made.heads] == [(OLD_COMMIT[:9], 1)]


def test_a_section_that_is_at_the_new_revision_is_left_alone() -> None:
    text = f"# Notes\n\n## vLLM {OLD_COMMIT[:9]}\n\n{CERTAIN}\n\n## vLLM {NEW_COMMIT[:9]}\n\nNow `{PATH}:20-21`.\n"
    made, _, written = plan(text)
    assert "Now `" + PATH + ":20-21`" in written
    assert f"## vLLM {NEW_COMMIT[:9]}\n\nBudget: `{PATH}:13-14`" in written
    assert isinstance(made.items[1].verdict, Holds)


def test_a_section_for_a_third_revision_is_not_followed_from_the_pin() -> None:
    third = "c" * 9
    text = f"# Notes\n\n## vLLM {OLD_COMMIT[:9]}\n\n{CERTAIN}\n\n## vLLM {third}\n\nThere `{PATH}:20-21`.\n"
    made, _, written = plan(text)
    assert written == text.replace(OLD_COMMIT[:9], NEW_COMMIT[:9]).replace(":11-12", ":13-14")
    assert f"for {third}" in made.items[1].left


def test_a_commit_that_begins_with_digits_alone_is_written_longer() -> None:
    text = f"# vLLM `{OLD_COMMIT[:9]}`\n\n{CERTAIN}\n"
    commit = "8824069499d" + "0" * 29
    _, _, written = plan(text, commit=commit)
    assert written == text.replace(OLD_COMMIT[:9], "8824069499d").replace(":11-12", ":13-14")
