"""From a page and two trees to a plan: numbers in every form, links whole or not at all, the rest for a human."""

from __future__ import annotations

from dataclasses import replace

import pytest

from refcheck.config.engines import builtin_engines
from refcheck.documents.read import read_text
from refcheck.model import codes
from refcheck.model.document import Document
from refcheck.model.place import Place
from refcheck.model.verdict import Changed, Gone, Holds, Moved, Undecided, verdict_name
from refcheck.regen.plan import Plan, make_plan
from refcheck.regen.rewrite import apply
from refcheck.regen.standing import Standing
from tests.support.trees import MemoryTree

OLD_COMMIT = "a" * 40
NEW_COMMIT = "b" * 40
PATH = "vllm/v1/core/toy.py"
OLD = '''\
import heapq


class Chooser:
    """Chooses."""

    def pick(self, budget):
        chosen = []
        for one in self.waiting:
            if one.need > budget:
                break
            budget -= one.need
            chosen.append(one)
        return chosen

    def drop(self, one):
        self.waiting.remove(one)
        one.release_everything()

    def limit(self):
        return self.most_allowed
'''
NEW = "import math\nimport os\n" + OLD.replace("one.need > budget", "one.need >= budget").replace(
    "        self.waiting.remove(one)\n        one.release_everything()\n", "        pass\n"
)


def tree(files: dict[str, str], commit: str | None) -> MemoryTree:
    made = MemoryTree(dict(files), "vllm", exact=commit is not None)
    if commit is not None:
        made.source = replace(made.source, pin=commit, read=commit)
    return made


def plan(
    text: str,
    *,
    format_name: str = "markdown",
    old: dict[str, str] | None = None,
    new: dict[str, str] | None = None,
    commit: str | None = NEW_COMMIT,
    pin_links: bool = False,
    accepted: dict[str, str] | None = None,
    partly: bool = False,
    keep_head: bool = False,
    versions: dict[str, str] | None = None,
) -> tuple[Plan, Document, str]:
    page = read_text("page", text, format_name, builtin_engines())
    standing = [
        Standing(f"L{index}", page, citation, "vllm", 0, Place(PATH, citation.lines))
        for index, citation in enumerate(page.citations)
    ]
    old_tree = tree(old or {PATH: OLD}, OLD_COMMIT)
    new_tree = tree(new or {PATH: NEW}, commit)
    made = make_plan(
        standing,
        {0: old_tree},
        {"vllm": new_tree},
        pin_links=pin_links,
        accepted=accepted,
        partly=partly,
        keep_head=keep_head,
        versions=versions,
    )
    return made, page, apply(page, made.edits("page"))


LINK = f"https://github.com/vllm-project/vllm/blob/{OLD_COMMIT}/{PATH}"
NEW_LINK = f"https://github.com/vllm-project/vllm/blob/{NEW_COMMIT}/{PATH}"
FORMS = {
    "colon": (f"See `{PATH}:11-12`.\n", f"See `{PATH}:13-14`.\n"),
    "one line": (f"See `{PATH}:12`.\n", f"See `{PATH}:14`.\n"),
    "L and L": (f"See {PATH}:L11-L12 there.\n", f"See {PATH}:L13-L14 there.\n"),
    "words": (f"See `{PATH}` (lines 11-12).\n", f"See `{PATH}` (lines 13-14).\n"),
    "chinese": (f"见 `{PATH}` (第 11-12 行)。\n", f"见 `{PATH}` (第 13-14 行)。\n"),
    "list": (f"See `{PATH}:11,12`.\n", f"See `{PATH}:13,14`.\n"),
    "permalink": (f"See {LINK}#L11-L12.\n", f"See {NEW_LINK}#L13-L14.\n"),
    "label and address": (f"[toy.py:11]({LINK}#L11)\n", f"[toy.py:13]({NEW_LINK}#L13)\n"),
    "header in a block": (
        f"```python\n# {PATH}:L11-L12\n            break\n            budget -= one.need\n```\n",
        f"```python\n# {PATH}:L13-L14\n            break\n            budget -= one.need\n```\n",
    ),
    "table": (
        f"| what | where |\n|---|---|\n| budget | `{PATH}:11-12` |\n",
        f"| what | where |\n|---|---|\n| budget | `{PATH}:13-14` |\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), FORMS.values(), ids=FORMS.keys())
def test_every_form_is_rewritten(before: str, after: str) -> None:
    made, _, text = plan(before)
    assert made.items
    assert text == after
    assert all(isinstance(item.verdict, Moved) and item.rewritten and not item.left for item in made.items)


def test_html_keeps_its_quoting_and_entities() -> None:
    before = f"<p>See <a href='{LINK}#L11-L12'>toy.py:11&ndash;12</a> &amp; more.</p>\n"
    _, _, text = plan(before, format_name="html")
    assert text == before.replace(OLD_COMMIT, NEW_COMMIT).replace("L11-L12", "L13-L14").replace(
        "11&ndash;12", "13&ndash;14"
    )


def test_a_second_run_from_the_new_tree_changes_nothing() -> None:
    for before, _ in FORMS.values():
        _, _, once = plan(before)
        made, _, twice = plan(once, old={PATH: NEW})
        assert twice == once
        assert all(isinstance(item.verdict, Holds) for item in made.items)


def test_changed_and_gone_are_left_and_listed() -> None:
    made, page, text = plan(f"Loop: `{PATH}:9-13`.\n\nDrop: `{PATH}:17-18`.\n")
    assert text == page.text
    changed, gone = made.items
    assert isinstance(changed.verdict, Changed)
    assert changed.new is None
    assert "11" in changed.left
    assert changed.paragraph.startswith("Loop")
    assert isinstance(gone.verdict, Gone)
    assert [verdict_name(item.verdict) for item in made.for_a_human] == ["changed", "gone"]


def test_the_difference_has_both_sides_with_their_numbers() -> None:
    made, _, _ = plan(f"`{PATH}:9-11`\n")
    said = made.items[0].verdict
    assert isinstance(said, Changed)
    lines = [(one.sign, one.line) for one in said.evidence[0].lines]  # type: ignore[union-attr]
    assert lines == [(" ", 11), ("-", 10), ("+", 12), (" ", 13)]


def test_a_changed_place_is_taken_when_accepted() -> None:
    made, _, text = plan(f"`{PATH}:9-13`\n", accepted={"L0": "the comparison is as the text says"})
    assert text == f"`{PATH}:11-15`\n"
    assert isinstance(made.items[0].verdict, Changed)


def test_ambiguous_is_undecided_with_its_candidates() -> None:
    block = "            budget -= one.need\n"
    made, page, text = plan(f"`{PATH}:12`\n", new={PATH: OLD.replace(block, block + block)})
    assert text == page.text
    assert isinstance(made.items[0].verdict, Undecided)
    assert len(made.items[0].candidates) == 2


def test_code_that_went_to_another_file_is_named_and_not_written() -> None:
    made, page, text = plan(f"`{PATH}:8-14`\n", new={"vllm/v1/core/other.py": "# new\n" + OLD})
    assert text == page.text
    assert isinstance(made.items[0].verdict, Moved)
    assert made.items[0].new is not None
    assert made.items[0].new.path == "vllm/v1/core/other.py"
    assert "vllm/v1/core/other.py" in made.items[0].left


def test_without_a_commit_links_are_left_and_other_forms_are_written() -> None:
    made, _, text = plan(f"See {LINK}#L12 and `{PATH}:12`.\n", commit=None)
    assert text == f"See {LINK}#L12 and `{PATH}:14`.\n"
    assert "not known as a commit" in made.items[0].left


class Repository(MemoryTree):
    """A tree whose repository has another commit with the same first digits."""

    other = NEW_COMMIT[:9] + "c" * 31

    def abbreviates(self, prefix: str) -> bool:
        return not self.other.startswith(prefix)


@pytest.mark.parametrize(("length", "kept"), [(8, False), (9, False), (10, True), (12, True), (40, True)])
def test_an_abbreviated_commit_stays_as_long_where_it_names_one_commit(length: int, kept: bool) -> None:
    before = f"https://github.com/vllm-project/vllm/blob/{OLD_COMMIT[:length]}/{PATH}#L12\n"
    page = read_text("page", before, "markdown", builtin_engines())
    standing = [Standing("L0", page, page.citations[0], "vllm", 0, Place(PATH, page.citations[0].lines))]
    newer = Repository({PATH: NEW}, "vllm")
    newer.source = replace(newer.source, pin=NEW_COMMIT, read=NEW_COMMIT)
    made = make_plan(standing, {0: tree({PATH: OLD}, OLD_COMMIT)}, {"vllm": newer})
    written = NEW_COMMIT[:length] if kept else NEW_COMMIT
    assert apply(page, made.edits("page")) == before.replace(OLD_COMMIT[:length], written).replace("#L12", "#L14")


def test_an_abbreviated_commit_is_written_in_full_where_nobody_can_tell() -> None:
    before = f"https://github.com/vllm-project/vllm/blob/{OLD_COMMIT[:8]}/{PATH}#L12\n"
    _, _, text = plan(before)
    assert text == before.replace(OLD_COMMIT[:8], NEW_COMMIT).replace("#L12", "#L14")


def test_a_link_to_a_tag_is_left_whole() -> None:
    before = f"https://github.com/vllm-project/vllm/blob/v0.28.0/{PATH}#L12\n"
    made, _, text = plan(before)
    assert text == before
    assert "v0.28.0" in made.items[0].left


def test_branch_links_are_pinned_only_when_asked() -> None:
    before = f"https://github.com/vllm-project/vllm/blob/main/{PATH}#L12\n"
    assert plan(before)[2] == before.replace("#L12", "#L14")
    assert plan(before, pin_links=True)[2] == before.replace("/main/", f"/{NEW_COMMIT}/").replace("#L12", "#L14")


def test_a_symbol_without_lines_is_there_or_gone() -> None:
    made, page, text = plan(f"See `{PATH}::Chooser.pick`.\n")
    assert text == page.text
    assert isinstance(made.items[0].verdict, Holds)
    made, _, _ = plan(f"See `{PATH}::Chooser.pick`.\n", new={PATH: NEW.replace("def pick", "def choose")})
    assert isinstance(made.items[0].verdict, Gone)


def test_what_is_wrong_at_its_own_revision_is_not_followed() -> None:
    page = read_text("page", f"`{PATH}:12`\n", "markdown", builtin_engines())
    wrong = Undecided("names other code", codes.AMBIGUOUS)
    standing = [Standing("L0", page, page.citations[0], "vllm", 0, Place(PATH, page.citations[0].lines), wrong)]
    made = make_plan(standing, {0: tree({PATH: OLD}, OLD_COMMIT)}, {"vllm": tree({PATH: NEW}, NEW_COMMIT)})
    assert made.items[0].at_birth
    assert made.items[0].verdict is wrong
    assert not made.items[0].edits


def test_columns_are_not_kept_when_the_indentation_changed() -> None:
    deeper = OLD.replace("            budget -= one.need", "                budget -= one.need")
    link = f"{LINK}#L12C13-L12C30\n"
    made, page, text = plan(link, new={PATH: deeper})
    assert text == page.text
    assert "columns" in made.items[0].left
    assert plan(link)[2] == f"{NEW_LINK}#L14C13-L14C30\n"


def test_an_engine_without_a_newer_tree_is_left_alone() -> None:
    page = read_text("page", f"`{PATH}:12`\n", "markdown", builtin_engines())
    standing = [Standing("L0", page, page.citations[0], "vllm", 0, Place(PATH, page.citations[0].lines))]
    assert make_plan(standing, {0: tree({PATH: OLD}, OLD_COMMIT)}, {}).items == ()


@pytest.mark.parametrize("length", [8, 40])
def test_a_commit_behind_a_path_changes_with_its_lines_or_both_stay(length: int) -> None:
    short = OLD_COMMIT[:length]
    text = f"Budget: `{PATH}@{short}:L11-L12`.\n\nDrop: `{PATH}@{short}:17-18`.\n"
    made, _, written = plan(text, partly=True)
    assert written == text.replace(f"@{short}:L11-L12", f"@{NEW_COMMIT}:L13-L14")
    assert [item.rewritten for item in made.items] == [True, False]
    assert plan(text, partly=True, commit=None)[2] == text


@pytest.mark.parametrize("sentence", ["`{0}:11-12` in v0.8.0 was it.", "It was, in vLLM 0.6.3 at `{0}:11-12`, so."])
def test_what_a_sentence_says_of_a_version_stays(sentence: str) -> None:
    text = f"# vLLM `{OLD_COMMIT}`\n\n{sentence.format(PATH)}\n\nNow `{PATH}:11-12`.\n"
    made, _, written = plan(text, partly=True)
    assert written == text.replace("Now `" + PATH + ":11-12", "Now `" + PATH + ":13-14").replace(OLD_COMMIT, NEW_COMMIT)
    assert isinstance(made.items[0].verdict, Holds)
    assert not made.for_a_human
