"""`refcheck regen` as users run it: a plan, the rewriting, and what is left for a human."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import CORE, SOURCE, Toy
from tests.locate.follow.test_path import END, FIRST, HELPER, LAST, REST, TARGET, WAY
from tests.sources.conftest import ORIGIN, git

ABOVE = "# One more line.\n# And another.\n"
WEB = ORIGIN.removesuffix(".git")


def quoted(location: str) -> str:
    body = "\n".join(SOURCE.split("\n")[15:24])
    return f"`{CORE}:{location}`\n\n```python\n{body}\n```\n"


def plan(toy: Toy, *arguments: str, code: int) -> dict:  # type: ignore[type-arg]
    value = json.loads(toy.run("regen", *arguments, "--format", "json", code=code).stdout)
    assert value["schema"] == "refcheck-regen/1"
    return value


def test_a_plan_writes_nothing_and_the_rewriting_is_done_once(toy: Toy) -> None:
    page = f"Mode (`{CORE}:L6-L7`) and [rows]({WEB}/blob/{toy.commit}/{CORE}#L16-L24).\n\n{quoted('L16-L24')}"
    path = toy.write("page.md", page)
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE).encode()}, "two lines above")
    old, new = f"toy={toy.commit}", f"toy={newer}"
    value = plan(toy, "page.md", "--pin", old, "--to", new, code=0)
    assert value["written"] is False
    assert {item["verdict"] for item in value["items"]} == {"moved"}
    assert path.read_text() == page
    value = plan(toy, "page.md", "--pin", old, "--to", new, "--write", code=0)
    assert value["written"] is True
    expected = page.replace("L6-L7", "L8-L9").replace("L16-L24", "L18-L26").replace(toy.commit, newer)
    assert path.read_text() == expected
    again = plan(toy, "page.md", "--pin", new, "--to", new, "--write", code=0)
    assert again["written"] is False
    assert path.read_text() == expected
    checked = json.loads(toy.run("verify", "page.md", "--pin", new, "--format", "json", code=0).stdout)
    assert {f["verdict"] for f in checked["findings"]} == {"holds"}


def test_what_changed_or_went_is_left_and_shown(toy: Toy) -> None:
    page = quoted("L16-L24") + f"\nThe modes are at `{CORE}:L4-L7`.\n"
    path = toy.write("page.md", page)
    changed = SOURCE.replace("rows + self.size", "rows * self.size").replace(SOURCE.split("class Pool")[0], "")
    newer = toy.upstream.commit({CORE: changed.encode()}, "another expression, no modes")
    done = toy.run("regen", "page.md", "--pin", f"toy={toy.commit}", "--to", f"toy={newer}", "--write", code=1)
    assert path.read_text() == page
    assert "rows * self.size" in done.stdout
    assert "gone" in done.stdout
    assert "The modes are at" in done.stdout


def test_a_citation_wrong_at_its_own_pin_is_not_followed(toy: Toy) -> None:
    path = toy.write("page.md", quoted("L17-L25"))
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE).encode()}, "two lines above")
    value = plan(toy, "page.md", "--pin", f"toy={toy.commit}", "--to", f"toy={newer}", "--write", code=1)
    (item,) = value["items"]
    assert item["at_birth"] is True
    assert item["new"] is None
    assert "L17-L25" in path.read_text()


def test_branch_links_become_permalinks_when_asked(toy: Toy) -> None:
    path = toy.write("page.md", f"See [it]({WEB}/blob/main/{CORE}#L16-L24).\n")
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE).encode()}, "two lines above")
    arguments = ("page.md", "--pin", f"toy={toy.commit}", "--to", f"toy={newer}", "--write")
    toy.run("regen", *arguments, "--pin-links")
    assert f"{WEB}/blob/{newer}/{CORE}#L18-L26" in path.read_text()


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_bytes_around_the_digits_stay(toy: Toy, ending: str) -> None:
    text = "\ufeff# Ünïcode – 第 16-24 行" + ending * 2 + f"At `{CORE}:L16-L24` — ok" + ending + "no newline at the end"
    path = toy.folder / "page.md"
    path.write_bytes(text.encode())
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE).encode()}, "two lines above")
    toy.run("regen", "page.md", "--pin", f"toy={toy.commit}", "--to", f"toy={newer}", "--write")
    assert path.read_bytes() == text.replace("L16-L24", "L18-L26").encode()


def test_an_edition_file_gets_new_pins_and_places(toy: Toy) -> None:
    path = toy.edition()
    before = path.read_text()
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE).encode()}, "two lines above")
    toy.run("regen", "--edition", str(path), "--to", f"toy={newer}", code=0)
    assert path.read_text() == before
    toy.run("regen", "--edition", str(path), "--to", f"toy={newer}", "--write", code=0)
    assert path.read_text() == before.replace(toy.commit, newer).replace("16-24", "18-26")
    toy.run("verify", "--edition", str(path), code=0)


def test_a_changed_anchor_is_taken_with_a_reason(toy: Toy) -> None:
    path = toy.edition()
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE.replace("1.0", "0.5")).encode()}, "another default")
    to = ("--to", f"toy={newer}")
    toy.run("regen", "--edition", str(path), *to, "--write", code=1)
    assert toy.commit in path.read_text()
    done = toy.run("regen", "--edition", str(path), *to, "--accept", "set-rows", code=2)
    assert "--reason" in done.stderr
    done = toy.run("regen", "--edition", str(path), *to, "--accept", "nosuch", "--reason", "x", code=2)
    assert "nosuch" in done.stderr
    toy.run(
        "regen",
        "--edition",
        str(path),
        *to,
        "--accept",
        "set-rows",
        "--reason",
        "the page says: half",
        "--write",
        code=0,
    )
    text = path.read_text()
    assert newer in text
    assert "the page says: half" in text
    toy.run("verify", "--edition", str(path), code=0)


def test_bad_targets(toy: Toy) -> None:
    toy.write("page.md", quoted("L16-L24"))
    done = toy.run("regen", "page.md", "--pin", f"toy={toy.commit}", code=2)
    assert "--to" in done.stderr
    done = toy.run("regen", "page.md", "--pin", f"toy={toy.commit}", "--to", "vllm=main", code=2)
    assert "say where it comes from" in done.stderr
    toy.run("regen", "page.md", "--pin", f"toy={toy.commit}", "--to", f"toy={'2' * 40}", code=3)
    toy.write("page.md", "Nothing.\n")
    toy.run("regen", "page.md", "--pin", f"toy={toy.commit}", "--to", f"toy={toy.commit}", code=2)
    toy.run("regen", "page.md", "--pin", f"toy={toy.commit}", "--to", f"toy={toy.commit}", "--allow-empty", code=0)


def test_the_revision_that_a_page_declares_is_the_one_that_is_read(toy: Toy) -> None:
    text = f"# toy `{toy.commit}`\n\nThe modes are at `{CORE}:4-7`.\n"
    path = toy.write("page.md", text)
    clone = str(toy.upstream.server)
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE).encode()}, "two lines above")
    newest = toy.upstream.commit({CORE: (ABOVE * 2 + SOURCE).encode()}, "two more")
    arguments = ("page.md", "--source", f"toy={clone}", "--write")
    toy.run("regen", *arguments, "--to", f"toy={newer}", code=0)
    expected = text.replace(toy.commit, newer).replace("4-7", "6-9")
    assert path.read_text() == expected
    toy.run("regen", *arguments, "--to", f"toy={newer}", code=0)
    assert path.read_text() == expected
    toy.run("regen", "page.md", "--pin", f"toy={toy.commit}", "--to", f"toy={newer}", "--write", code=0)
    assert path.read_text() == expected
    toy.run("regen", *arguments, "--to", f"toy={newest}", code=0)
    assert path.read_text() == text.replace(toy.commit, newest).replace("4-7", "8-11")


def test_a_page_with_an_uncertain_place_is_written_as_far_as_it_is_certain_and_once(toy: Toy) -> None:
    text = f"Rows at `{CORE}:16-24`.\n\nThe modes are at `{CORE}:4-7`.\n"
    path = toy.write("page.md", text)
    gone = ABOVE * 5 + SOURCE.replace(SOURCE[SOURCE.index("class Mode") : SOURCE.index("class Pool")], "")
    newer = toy.upstream.commit({CORE: gone.encode()}, "no modes")
    arguments = ("page.md", "--pin", f"toy={toy.commit}", "--to", f"toy={newer}", "--write")
    done = toy.run("regen", *arguments, "--together", code=1)
    assert "--together" in done.stdout
    assert path.read_text() == text
    toy.run("regen", *arguments, code=1)
    once = path.read_text()
    assert once != text
    assert "4-7" in once
    done = toy.run("regen", *arguments, code=1)
    assert path.read_text() == once
    assert "before" in done.stdout


def test_a_link_that_a_pattern_found_is_not_written_through(toy: Toy) -> None:
    text = f"The modes are at `{CORE}:4-7`.\n"
    elsewhere = toy.folder.parent / "elsewhere.md"
    elsewhere.write_text(text)
    (toy.folder / "pages").mkdir()
    (toy.folder / "pages/link.md").symlink_to(elsewhere)
    settings = (toy.folder / "refcheck.yaml").read_text()
    toy.write("refcheck.yaml", settings + "documents: ['pages/*.md']\n")
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE).encode()}, "two lines above")
    arguments = ("--pin", f"toy={toy.commit}", "--to", f"toy={newer}", "--write")
    done = toy.run("regen", *arguments)
    assert elsewhere.read_text() == text
    assert "leads out of the folder" in done.stdout + done.stderr
    toy.run("regen", "pages/link.md", *arguments, code=0)
    assert elsewhere.read_text() == text.replace("4-7", "6-9")


def test_what_has_no_place_cannot_be_accepted(toy: Toy) -> None:
    toy.write("page.md", f"Rows at `{CORE}:16-24`.\n")
    changed = SOURCE.replace("rows: int,", "count: float, *,").replace("scale: float = 1.0", "by: str = ''")
    changed = changed.replace("kept = rows + self.size", "total = sum(map(len, by))").replace(
        "if kept > self.limit:", "while total:"
    )
    changed = changed.replace("raise ValueError(kept)", "total //= 2").replace("self.kept = kept", "return count")
    changed = changed.replace("Store the rows.", "Halves.")
    newer = toy.upstream.commit({CORE: changed.encode()}, "another body")
    arguments = ("page.md", "--pin", f"toy={toy.commit}", "--to", f"toy={newer}")
    (item,) = plan(toy, *arguments, code=1)["items"]
    done = toy.run("regen", *arguments, "--accept", item["id"], "--reason", "read", code=2)
    assert item["verdict"] == "changed"
    assert "cannot be taken" in done.stderr


def test_a_killed_rewriting_leaves_whole_files(toy: Toy) -> None:
    import os
    import signal
    import subprocess
    import sys
    import time

    page = "".join(f"Part {n}: `{CORE}:L16-L24`.\n\n" for n in range(400))
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE).encode()}, "two lines above")
    rewritten = page.replace("L16-L24", "L18-L26")
    arguments = ["regen", ".", "--pin", f"toy={toy.commit}", "--to", f"toy={newer}", "--write"]
    for number in range(6):
        toy.write(f"pages/{number}.md", page)
    toy.run(*arguments[:-1])
    for delay in (0.25, 0.35, 0.45, 0.55, 0.7, 0.9):
        process = subprocess.Popen(
            [sys.executable, "-m", "refcheck", *arguments],
            cwd=toy.folder, env=toy.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        time.sleep(delay)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        process.wait()
        for number in range(6):
            text = (toy.folder / f"pages/{number}.md").read_text()
            assert text in (page, rewritten)
            (toy.folder / f"pages/{number}.md").write_text(page)


BARE = "schema: refcheck-edition/1\nname: toy\ndate: 2026-01-01\npins:\n  toy: {{commit: {}}}\nanchors: []\n"


def test_an_edition_without_anchors_gets_its_pin(toy: Toy) -> None:
    path = toy.write("bare.yaml", BARE.format(toy.commit))
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE).encode()}, "two lines above")
    toy.run("regen", "--edition", "bare.yaml", "--to", f"toy={newer}", code=0)
    assert path.read_text() == BARE.format(toy.commit)
    toy.run("regen", "--edition", "bare.yaml", "--to", f"toy={newer}", "--write", code=0)
    assert path.read_text() == BARE.format(newer)
    again = toy.run("regen", "--edition", "bare.yaml", "--to", f"toy={newer}", "--write", code=0)
    assert "nothing had to change" in again.stdout
    page = toy.write("page.md", f"Rows are kept, see `{CORE}:L18-L26`.\n")
    back = toy.run("regen", "page.md", "--edition", "bare.yaml", "--to", f"toy={toy.commit}", "--write", code=0)
    assert "bare.yaml" in back.stdout
    assert path.read_text() == BARE.format(toy.commit)
    assert "L16-L24" in page.read_text()


def test_beside_documents_the_anchors_that_hold_the_pin_back_are_shown(toy: Toy) -> None:
    path = toy.edition()
    before = path.read_text()
    toy.write("page.md", f"The modes are at `{CORE}:L4-L7`.\n")
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE.replace("1.0", "0.5")).encode()}, "another default")
    arguments = ("page.md", "--edition", str(path), "--to", f"toy={newer}")
    value = plan(toy, *arguments, code=1)
    assert [(item["document"], item["id"]) for item in value["items"]][1:] == [(None, "set-rows")]
    assert value["items"][1]["verdict"] == "changed"
    done = toy.run("regen", *arguments, "--write", code=1)
    assert "edition: set-rows" in done.stdout
    # The page's place is certain, and the pin is what says where it stands: the anchor stays behind, by its name.
    assert f"the pin of toy says {newer[:12]} now; 1 anchor still is that of {toy.commit[:12]}" in done.stdout
    assert path.read_text() == before.replace(toy.commit, newer)
    path.write_text(before)
    toy.write("page.md", f"The modes are at `{CORE}:L4-L7`.\n")
    done = toy.run("regen", *arguments, "--write", "--together", code=1)
    assert "until each of its anchors has a place" in done.stdout
    assert path.read_text() == before
    toy.write("page.md", f"The modes are at `{CORE}:L4-L7`.\n")
    # Where each has a place, the documents are what there is to say.
    moved = toy.upstream.commit({CORE: (ABOVE + SOURCE).encode()}, "the old default")
    value = plan(toy, "page.md", "--edition", str(path), "--to", f"toy={moved}", code=0)
    assert all(item["document"] for item in value["items"])


@pytest.mark.parametrize("mode", [0o444, 0o400, 0o555])
def test_a_write_protected_file_is_refused_and_nothing_else_written(toy: Toy, mode: int) -> None:
    free = toy.write("a.md", f"The modes are at `{CORE}:L4-L7`.\n")
    locked = toy.write("b.md", f"The rows are at `{CORE}:L16-L24`.\n")
    before = free.read_text(), locked.read_text()
    locked.chmod(mode)
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE).encode()}, "two lines above")
    arguments = ("regen", "a.md", "b.md", "--pin", f"toy={toy.commit}", "--to", f"toy={newer}", "--write")
    done = toy.run(*arguments, code=2)
    assert "b.md is write-protected" in done.stderr
    assert "chmod u+w" in done.stderr
    assert (free.read_text(), locked.read_text()) == before
    locked.chmod(0o644)
    toy.run(*arguments, code=0)
    assert "L18-L26" in locked.read_text()


def test_a_write_protected_edition_is_refused(toy: Toy) -> None:
    path = toy.edition()
    before = path.read_text()
    path.chmod(0o444)
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE).encode()}, "two lines above")
    done = toy.run("regen", "--edition", str(path), "--to", f"toy={newer}", "--write", code=2)
    assert "write-protected" in done.stderr
    assert path.read_text() == before


def test_links_without_lines_and_raw_links_are_pinned_with_the_others(toy: Toy) -> None:
    text = (
        f"See [the file]({WEB}/blob/main/{CORE}), [its folder]({WEB}/tree/main/toy), <{WEB}/blob/main/{CORE}>,\n"
        f"[raw]({WEB}/raw/main/{CORE}), [lines]({WEB}/blob/main/{CORE}#L16-L24) and [old]({WEB}/blob/{toy.commit}/{CORE}).\n"
        f"Not [this]({WEB}/blob/main/toy/nosuch.py), nor [that](https://git.example/other/other/blob/main/{CORE}).\n"
    )
    path = toy.write("page.md", text)
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE).encode()}, "two lines above")
    arguments = ("page.md", "--pin", f"toy={toy.commit}", "--to", f"toy={newer}", "--write")
    toy.run("regen", *arguments)
    assert "blob/main/toy/core.py)" in path.read_text()
    path.write_text(text)
    value = plan(toy, *arguments, "--pin-links", code=1)
    expected = text.replace("/main/", f"/{newer}/").replace("L16-L24", "L18-L26")
    for kept in (f"blob/{newer}/toy/nosuch.py", f"other/blob/{newer}/{CORE}"):
        expected = expected.replace(kept, kept.replace(newer, "main"))
    assert path.read_text() == expected
    assert [item["verdict"] for item in value["items"] if item["new"] is None] == ["gone"]
    before = path.read_text()
    toy.run("regen", *arguments[:2], f"toy={newer}", *arguments[3:], "--pin-links")
    assert path.read_text() == before


def test_a_short_commit_stays_short_where_a_clone_tells_that_it_is_the_only_one(toy: Toy) -> None:
    path = toy.write("page.md", f"See [it]({WEB}/blob/{toy.commit[:10]}/{CORE}#L16-L24).\n")
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE).encode()}, "two lines above")
    arguments = ("regen", "page.md", "--pin", f"toy={toy.commit}", "--to", f"toy={newer}", "--write")
    toy.run(*arguments, "--source", f"toy={toy.upstream.work}", code=0)
    short = newer if newer[:10].isdecimal() else newer[:10]
    assert path.read_text() == f"See [it]({WEB}/blob/{short}/{CORE}#L18-L26).\n"


def test_what_two_trees_leave_in_doubt_is_followed_over_the_commits(toy: Toy) -> None:
    a = "toy/a.py"
    older, *_, newer = [toy.upstream.commit({a: text.encode()}, f"state {n}") for n, text in enumerate(WAY)]
    text = f"It is held at `{a}:{FIRST}-{LAST}`.\n"
    path = toy.write("page.md", text)
    arguments = ("page.md", "--pin", f"toy={older}", "--to", f"toy={newer}")
    # Without the commits between (a clone of the two ends alone) it is undecided, and that is said.
    ends = toy.folder.parent / "ends"
    git(toy.folder, "clone", "-q", "--depth", "1", toy.upstream.server.as_uri(), str(ends))
    git(ends, "fetch", "-q", "--depth", "1", toy.upstream.server.as_uri(), older)
    value = plan(toy, *arguments, "--source", f"toy={ends}", code=1)
    assert value["items"][0]["verdict"] == "undecided"
    assert any("does not contain" in note for note in value["notes"])
    value = plan(toy, *arguments, code=0)
    assert value["items"][0]["verdict"] == "moved"
    assert any("1 of 1 that the two trees leave in doubt are settled" in note for note in value["notes"])
    done = toy.run("regen", *arguments, "--write", code=0)
    assert "looking at 1 place over 3 commits" in done.stderr
    assert path.read_text() == f"It is held at `{a}:{END}-{END + 3}`.\n"
    affected = toy.run("affected", "page.md", "--engine", "toy", "--from", newer, "--to", newer, code=0)
    assert "1 unchanged" in affected.stdout
    path.write_text(text)
    affected = toy.run("affected", "page.md", "--engine", "toy", "--from", older, "--to", newer, code=0)
    assert "1 moved intact" in affected.stdout
    assert "are settled" in affected.stderr


def test_a_find_in_another_file_has_to_have_come_there_when_it_left(toy: Toy) -> None:
    a, b = "toy/a.py", "toy/b.py"
    older = toy.upstream.commit({a: (HELPER + REST).encode(), b: TARGET.encode()}, "begin")
    toy.upstream.commit({b: (TARGET + HELPER).encode()}, "a copy")
    newer = toy.upstream.commit({a: REST.encode()}, "the original goes")
    toy.write("page.md", f"Released at `{a}:1-6`.\n")
    (item,) = plan(toy, "page.md", "--pin", f"toy={older}", "--to", f"toy={newer}", code=1)["items"]
    assert item["verdict"] == "undecided"
    assert [place["path"] for place in item["candidates"]] == [b]
    assert "the original goes" in item["message"]
    moved = toy.upstream.commit({a: (HELPER + REST).encode(), b: TARGET.encode()}, "as before")
    last = toy.upstream.commit({a: REST.encode(), b: (TARGET + HELPER).encode()}, "moved at once")
    (item,) = plan(toy, "page.md", "--pin", f"toy={moved}", "--to", f"toy={last}", code=1)["items"]
    assert item["verdict"] == "moved"
    assert "moved at once" in item["message"]


def test_the_release_that_a_page_is_for_changes_with_its_numbers(toy: Toy) -> None:
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE).encode()}, "two lines above")
    git(toy.upstream.work, "tag", "v1.2.0", toy.commit)
    git(toy.upstream.work, "tag", "v1.3.0", newer)
    toy.upstream.publish()
    text = f"# Rows\n\nThis page is about toy v1.2.0.\n\nThe rows are at `{CORE}:L16-L24`.\n"
    path = toy.write("page.md", text)
    # A commit cannot stand where the page names a release: nothing is half written.
    value = plan(toy, "page.md", "--to", f"toy={newer}", "--write", code=1)
    assert path.read_text() == text
    assert "--keep-head" in value["items"][0]["left"]
    shown = toy.run("regen", "page.md", "--to", f"toy={newer}", code=1).stdout
    assert "not written  page.md:5:" in shown
    assert "RC000" not in shown
    plan(toy, "page.md", "--to", "toy=v1.3.0", "--write", code=0)
    expected = text.replace("v1.2.0", "v1.3.0").replace("L16-L24", "L18-L26")
    assert path.read_text() == expected
    plan(toy, "page.md", "--to", "toy=v1.3.0", "--write", code=0)
    assert path.read_text() == expected
    checked = json.loads(toy.run("verify", "page.md", "--format", "json", code=0).stdout)
    assert {finding["verdict"] for finding in checked["findings"]} == {"holds"}


def test_a_version_that_is_not_read_as_the_pages_own_is_pointed_out(toy: Toy) -> None:
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE).encode()}, "two lines above")
    git(toy.upstream.work, "tag", "v1.2.0", toy.commit)
    toy.upstream.publish()
    path = toy.write("page.md", f"# Rows\n\nSince v1.2.0 they are kept.\n\nThe rows are at `{CORE}:L16-L24`.\n")
    toy.write("other.md", f"# Rows\n\nSince v1.2.01 they are kept.\n\nThe rows are at `{CORE}:L16-L24`.\n")
    arguments = ("page.md", "other.md", "--pin", "toy=v1.2.0", "--to", f"toy={newer}", "--write")
    value = plan(toy, *arguments, code=0)
    (note,) = [note for note in value["notes"] if "says" in note]
    assert note.startswith("page.md:3 says v1.2.0")
    assert "L18-L26" in path.read_text()
