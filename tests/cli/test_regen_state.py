"""What `regen` writes down, so that the next run, here or on another machine, knows which revision numbers are of."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import CORE, SOURCE, Toy
from tests.sources.conftest import ORIGIN, git
from tests.support.commits import short

ABOVE = "# One more line.\n# And another.\n"
WEB = ORIGIN.removesuffix(".git")
NO_MODES = SOURCE.replace(SOURCE[SOURCE.index("class Mode") : SOURCE.index("class Pool")], "")
"""`set_rows` moves from L16-L24 to L10-L18, and what is at L4-L7 is gone."""
ROWS, MODES = f"The rows are kept at `{CORE}:16-24`.", f"The modes are at `{CORE}:4-7`."
BLOCK = "```python\n" + "\n".join(SOURCE.split("\n")[15:24]) + "\n```"


def regen(toy: Toy, *arguments: str, code: int) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(toy.run("regen", *arguments, "--format", "json", code=code).stdout)
    return value


def elsewhere(toy: Toy) -> None:
    """As on another machine: what this one remembers is lost, the store with it."""
    shutil.rmtree(Path(toy.environment["REFCHECK_CACHE_DIR"]) / "regen-2", ignore_errors=True)


def wrong(toy: Toy, *arguments: str) -> set[int]:
    """The lines at which `verify` finds an error."""
    value = json.loads(toy.run("verify", *arguments, "--format", "json").stdout)
    return {f["line"] for f in value["findings"] if f["level"] == "error"}


def named(value: dict[str, Any], page: str) -> set[int]:
    """The lines of a page that a plan leaves to a human."""
    return {
        item["line"]
        for item in value["items"]
        if item["document"] == page and (item["left"] or item["at_birth"] or item["verdict"] not in ("holds", "moved"))
    }


def tagged(toy: Toy, changed: str, message: str = "the second") -> str:
    newer = toy.upstream.commit({CORE: changed.encode()}, message)
    git(toy.upstream.work, "tag", "v1.2.0", toy.commit)
    git(toy.upstream.work, "tag", "v1.3.0", newer)
    toy.upstream.publish()
    return newer


LEFT = {
    # What is at L4-L7 at the newer revision, and the quote that the page has of it.
    "gone": (NO_MODES, MODES),
    "changed": (ABOVE + SOURCE.replace("DECODE = auto()", "DECODE = 2"), MODES),
    "wrong already": (ABOVE + SOURCE, f"`set_rows` is at `{CORE}:1-3`."),
    "a block without a location": (
        ABOVE + SOURCE.replace("kept = rows + self.size", "kept = rows * self.size"),
        f"So it is:\n\n{BLOCK}",
    ),
}


HEADS = ["toy at commit `{old}`", "toy at commit {short}", "toy v1.2.0", ""]


@pytest.mark.parametrize("head", HEADS, ids=["commit", "short", "release", "none"])
@pytest.mark.parametrize("left", LEFT)
def test_after_writing_verify_finds_wrong_what_was_named_and_no_more(toy: Toy, head: str, left: str) -> None:
    changed, stays = LEFT[left]
    newer = tagged(toy, changed)
    said = f"Written for {head.format(old=toy.commit, short=short(toy.commit))}." if head else "A page."
    moving = f"The size is at `{CORE}:13`." if left != "gone" else ROWS
    path = toy.write(
        "page.md", f"# Rows\n\n{said}\n\n{moving}\n\n{stays}\n\n[link]({WEB}/blob/{toy.commit}/{CORE}#L13)\n"
    )
    text = path.read_text()
    pins = [] if head else ["--pin", "toy=v1.2.0"]
    planned = regen(toy, "page.md", *pins, "--to", "toy=v1.3.0", code=1)
    assert path.read_text() == text
    value = regen(toy, "page.md", *pins, "--to", "toy=v1.3.0", "--write", code=1)
    assert named(value, "page.md") == named(planned, "page.md")
    after = path.read_text()
    assert after != text
    if head:
        assert ("1.3.0" if "1.2.0" in head else newer[:9]) in after
        (only,) = value["heads"]
        assert only["now"]
    pinned = [] if head else ["--pin", "toy=v1.3.0"]
    assert wrong(toy, "page.md", *pinned) <= named(value, "page.md")
    elsewhere(toy)
    toy.run("regen", "page.md", *(pinned or pins), "--to", "toy=v1.3.0", "--write")
    assert path.read_text() == after


def test_the_last_lines_name_head_and_places(toy: Toy) -> None:
    newer = tagged(toy, NO_MODES)
    path = toy.write("page.md", f"# toy `{toy.commit[:12]}`\n\n{ROWS}\n\n{MODES}\n")
    done = toy.run("regen", "page.md", "--to", f"toy={newer}", code=1)
    assert (
        f"the head of page.md (line 1) would say {newer[:12]}; 1 place still is that of {toy.commit[:12]}"
        in done.stdout
    )
    done = toy.run("regen", "page.md", "--to", f"toy={newer}", "--write", code=1)
    last = done.stdout.splitlines()[-3:]
    assert any(
        f"the head of page.md (line 1) says {newer[:12]} now; 1 place still is that of {toy.commit[:12]} and needs a "
        "human: page.md:5:" in line
        for line in last
    )
    assert path.read_text() == f"# toy `{newer[:12]}`\n\n{ROWS.replace('16-24', '10-18')}\n\n{MODES}\n"


def test_a_release_without_a_commit_leaves_heads_and_says_so_of_each_page(toy: Toy) -> None:
    from tests.sources.conftest import Index, sdist

    index = Index()
    try:
        toy.environment["PIP_INDEX_URL"] = index.address
        index.archives["toy_engine-1.3.0.tar.gz"] = sdist({CORE: (ABOVE + SOURCE).encode()}, "toy_engine-1.3.0")
        toy.write(
            "refcheck.yaml",
            f"engines:\n  toy: {{origin: {ORIGIN}, distribution: toy-engine, source_roots: [toy/]}}\n",
        )
        link = f"[there]({WEB}/blob/{toy.commit}/{CORE}#L13)"
        texts = {
            "head.md": f"# toy `{toy.commit}`\n\n{ROWS} `set_rows` it is.\n\n{link}\n",
            "release.md": f"# toy v1.2.0\n\n{ROWS}\n",
            "none.md": f"# Rows\n\n{ROWS}\n",
        }
        git(toy.upstream.work, "tag", "v1.2.0", toy.commit)
        toy.upstream.publish()
        for name, text in texts.items():
            toy.write(name, text)
        done = toy.run("regen", *texts, "--pin", "toy=v1.2.0", "--to", "toy=release:1.3.0", "--write", code=1)
        moved = {name: text.replace("16-24", "18-26") for name, text in texts.items()}
        moved["release.md"] = moved["release.md"].replace("1.2.0", "1.3.0")
        assert {name: (toy.folder / name).read_text() for name in texts} == moved
        assert f"the head of head.md (line 1) still says {toy.commit}" in done.stdout
        assert "those of release:1.3.0" in done.stdout
        assert "the head of release.md (line 1) says v1.3.0 now" in done.stdout
        assert "--pin toy=release:1.3.0" in done.stdout
        # The numbers of `head.md` fit there and not at what its head says: they are not moved again.
        elsewhere(toy)
        again = regen(toy, "head.md", "--to", "toy=release:1.3.0", "--write", code=1)
        assert (toy.folder / "head.md").read_text() == moved["head.md"]
        assert any("it seems to be of the newer revision already" in item["message"] for item in again["items"])
    finally:
        index.close()


SETTINGS = "engines:\n  toy: {{origin: {origin}, source_roots: [toy/]}}\n{more}pins:  # of all pages\n  toy: {pin}\n"


@pytest.mark.parametrize("to", ["v1.3.0", "release:1.3.0", "main", "{newer}", "{newer:.12}"])
def test_the_settings_pin_is_raised_and_another_machine_moves_nothing_again(toy: Toy, to: str) -> None:
    newer = tagged(toy, ABOVE + SOURCE)
    settings = toy.write("refcheck.yaml", SETTINGS.format(origin=ORIGIN, pin="v1.2.0", more=""))
    path = toy.write("page.md", f"{ROWS}\n\n{MODES}\n")
    target = to.format(newer=newer)
    arguments = ["page.md", "--to", f"toy={target}", "--source", f"toy={toy.upstream.work}"]
    regen(toy, *arguments, code=0)
    assert "v1.2.0" in settings.read_text()
    toy.run("regen", *arguments, "--write", code=0)
    after = path.read_text()
    assert after == f"{ROWS}\n\n{MODES}\n".replace("16-24", "18-26").replace("4-7", "6-9")
    kept = "v1.3.0" if "1.3.0" in target else newer
    assert settings.read_text() == SETTINGS.format(origin=ORIGIN, pin=kept, more="")
    elsewhere(toy)
    again = regen(toy, *arguments, "--write", code=0)
    assert (path.read_text(), again["files"]) == (after, [])
    assert {item["verdict"] for item in again["items"]} == {"holds"}
    assert wrong(toy, "page.md") == set()


def test_the_pin_of_pyproject_is_raised_too(toy: Toy) -> None:
    tagged(toy, ABOVE + SOURCE)
    (toy.folder / "refcheck.yaml").unlink()
    text = (
        f'[tool.refcheck.engines.toy]\norigin = "{ORIGIN}"\nsource_roots = ["toy/"]\n\n'
        '[tool.refcheck.pins]\ntoy = "v1.2.0" # v1.2.0\n'
    )
    path = toy.write("pyproject.toml", text)
    toy.write("page.md", f"{ROWS}\n")
    toy.run("regen", "page.md", "--to", "toy=v1.3.0", "--write", code=0)
    assert path.read_text() == text.replace('"v1.2.0"', '"v1.3.0"')


def test_the_settings_pin_stays_where_it_is_that_of_other_pages(toy: Toy) -> None:
    tagged(toy, ABOVE + SOURCE)
    more = "documents: [docs]\n"
    settings = toy.write("refcheck.yaml", SETTINGS.format(origin=ORIGIN, pin="v1.2.0", more=more))
    before = settings.read_text()
    first, second = toy.write("docs/a.md", f"{ROWS}\n"), toy.write("docs/b.md", f"{MODES}\n")
    done = toy.run("regen", "docs/a.md", "--to", "toy=v1.3.0", "--write", code=0)
    assert settings.read_text() == before
    assert "the pin of toy stays v1.2.0, for docs/b.md name no revision" in done.stdout
    assert "--pin toy=" in done.stdout
    first.write_text(f"{ROWS}\n")
    second.write_text(f"# toy v1.2.0\n\n{MODES}\n")
    toy.run("regen", "docs/a.md", "--to", "toy=v1.3.0", "--write", code=0)
    assert settings.read_text() == before.replace("v1.2.0", "v1.3.0")


def test_all_or_none_leaves_the_settings_pin_with_the_page(toy: Toy) -> None:
    newer = tagged(toy, NO_MODES)
    settings = toy.write("refcheck.yaml", SETTINGS.format(origin=ORIGIN, pin="v1.2.0", more=""))
    before = settings.read_text()
    path = toy.write("page.md", f"{ROWS}\n\n{MODES}\n")
    done = toy.run("regen", "page.md", "--to", f"toy={newer}", "--write", "--together", code=1)
    assert settings.read_text() == before
    assert "stays v1.2.0" in done.stdout
    toy.run("regen", "page.md", "--to", f"toy={newer}", "--write", code=1)
    assert newer in settings.read_text()
    after = path.read_text()
    elsewhere(toy)
    again = regen(toy, "page.md", "--to", f"toy={newer}", "--write", code=0)
    assert path.read_text() == after
    assert not any(item["verdict"] == "moved" for item in again["items"])


def test_a_pin_of_the_command_line_has_to_be_given_again_and_the_command_is_said(toy: Toy) -> None:
    newer = tagged(toy, ABOVE + SOURCE)
    path = toy.write("my page.md", f"{ROWS}\n")
    done = toy.run("regen", "my page.md", "--pin", "toy=v1.2.0", "--to", "toy=v1.3.0", "--write", code=0)
    said = next(line for line in done.stdout.splitlines() if "names no revision of toy" in line)
    command = shlex.split(said.rpartition(": ")[2])
    assert command == ["refcheck", "verify", "my page.md", "--pin", f"toy={newer}"]
    toy.run(*command[1:], code=0)
    again = toy.run("regen", *command[2:], "--to", "toy=v1.3.0", "--write", code=0)
    assert "nothing had to change" in again.stdout
    assert path.read_text() == ROWS.replace("16-24", "18-26") + "\n"


QUOTED = f"Rows: `{CORE}:L16-L24`\n\n{BLOCK}\n"
NAMED = f"The call is `set_rows`, at `{CORE}:16-24`.\n"


@pytest.mark.parametrize("evidence", [QUOTED, NAMED], ids=["quote", "name"])
def test_a_page_that_fits_at_the_newer_revision_is_not_moved_again(toy: Toy, evidence: str) -> None:
    tagged(toy, ABOVE * 6 + SOURCE)
    text = f"{evidence}\n{MODES}\n"
    path = toy.write("page.md", text)
    arguments = ["page.md", "--pin", "toy=v1.2.0", "--to", "toy=v1.3.0", "--write"]
    regen(toy, *arguments, code=0)
    after = path.read_text()
    assert after != text
    remembered = regen(toy, *arguments, code=0)
    assert path.read_text() == after
    assert {item["verdict"] for item in remembered["items"]} == {"holds"}
    elsewhere(toy)
    again = regen(toy, *arguments, code=1)
    assert path.read_text() == after
    assert {item["verdict"] for item in again["items"]} == {"undecided"}
    assert all("it seems to be of the newer revision already" in item["message"] for item in again["items"])


def test_one_slip_among_many_right_places_is_no_evidence(toy: Toy) -> None:
    tagged(toy, ABOVE * 6 + SOURCE)
    right = "".join(f"- {n}: `set_rows` is at `{CORE}:16-24`.\n" for n in range(12))
    path = toy.write("page.md", f"{right}\n`set_rows` again, at `{CORE}:28-36`.\n")
    toy.run("regen", "page.md", "--pin", "toy=v1.2.0", "--to", "toy=v1.3.0", "--write", code=1)
    assert path.read_text().count(":28-36`") == 13


def test_an_edition_speaks_for_neither_revision(toy: Toy) -> None:
    """Its anchor is judged more strictly at the pin than the page's own words are elsewhere."""
    path = toy.edition(lines="13-23")
    page = toy.write("page.md", f"`set_rows` is at `{CORE}:13-23`.\n\n{MODES}\n")
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE).encode()}, "two lines above")
    value = regen(toy, "page.md", "--edition", str(path), "--to", f"toy={newer}", "--write", code=1)
    assert not any("newer revision already" in item["message"] for item in value["items"])
    assert value["items"][0]["at_birth"]
    assert "6-9" in page.read_text()


def test_places_that_stayed_behind_are_still_named_by_the_run_that_remembers(toy: Toy) -> None:
    newer = tagged(toy, ABOVE + SOURCE.replace("DECODE = auto()", "DECODE = 2"))
    path = toy.write("page.md", f"{ROWS}\n\n{MODES}\n")
    arguments = ["page.md", "--pin", f"toy={toy.commit}", "--to", f"toy={newer}", "--write"]
    first = regen(toy, *arguments, code=1)
    again = regen(toy, *arguments, code=1)
    assert [item["verdict"] for item in again["items"]] == ["holds", "changed"]
    assert named(first, "page.md") == named(again, "page.md") == {3}
    toy.run("regen", *arguments, "--accept", again["items"][1]["id"], "--reason", "read", code=0)
    assert path.read_text() == f"{ROWS}\n\n{MODES}\n".replace("16-24", "18-26").replace("4-7", "6-8")


def test_an_anchor_that_stayed_behind_is_taken_at_the_raised_pin(toy: Toy) -> None:
    path = toy.edition()
    toy.write("page.md", f"{MODES}\n")
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE.replace("1.0", "0.5")).encode()}, "another default")
    arguments = ["--edition", str(path), "--to", f"toy={newer}", "--write"]
    toy.run("regen", "page.md", *arguments, code=1)
    assert newer in path.read_text()
    toy.run("verify", "--edition", str(path), code=1)
    toy.run("regen", *arguments, "--accept", "set-rows", "--reason", "half is what the page says", code=0)
    assert re.search(r"lines: 18-26\b", path.read_text())
    toy.run("verify", "--edition", str(path), code=0)


# ---- numbers that are wrong already, and links as they stand


def test_numbers_that_a_quote_proves_wrong_are_repaired_at_the_page_s_own_revision(toy: Toy) -> None:
    text = (
        f"# toy `{toy.commit}`\n\nRows: `{CORE}:L17-L25`\n\n{BLOCK}\n\n`set_rows` is at `{CORE}:1-3`.\n\n"
        f"```python\n# {CORE}:20-28\n" + "\n".join(SOURCE.split("\n")[15:24]) + "\n```\n"
    )
    path = toy.write("page.md", text)
    planned = regen(toy, "page.md", "--repair", code=1)
    assert path.read_text() == text
    assert [(item["verdict"], item["rewritten"]) for item in planned["items"]] == [
        ("moved", True), ("imprecise", False), ("moved", True),
    ]  # fmt: skip
    toy.run("regen", "page.md", "--repair", "--write", code=1)
    repaired = text.replace("L17-L25", "L16-L24").replace("20-28", "16-24")
    assert path.read_text() == repaired
    again = regen(toy, "page.md", "--repair", "--write", code=1)
    assert (path.read_text(), again["files"]) == (repaired, [])
    path.write_text(text)
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE).encode()}, "two lines above")
    toy.run("regen", "page.md", "--to", f"toy={newer}", "--repair", "--write", code=1)
    assert path.read_text() == repaired.replace("16-24", "18-26").replace("L16-L24", "L18-L26").replace(
        toy.commit, newer
    )


def test_a_quote_that_stands_in_two_places_repairs_nothing(toy: Toy) -> None:
    twice = SOURCE + "\n\nclass Again:\n" + SOURCE.split('"""Keeps rows."""\n')[1]
    commit = toy.upstream.commit({CORE: twice.encode()}, "twice")
    text = f"# toy `{commit}`\n\nRows: `{CORE}:L1-L9`\n\n{BLOCK}\n"
    path = toy.write("page.md", text)
    toy.run("regen", "page.md", "--repair", "--write", code=1)
    assert path.read_text() == text


@pytest.mark.parametrize("pinned", [True, False])
def test_links_are_pinned_as_they_stand(toy: Toy, pinned: bool) -> None:
    newest = toy.upstream.commit({"toy/other.py": b"x = 1\n"}, "another file")
    text = f"See [it]({WEB}/blob/main/{CORE}#L16-L24) and [the file]({WEB}/blob/main/{CORE}). {ROWS}\n"
    path = toy.write("page.md", text)
    pin = ["--pin", f"toy={toy.commit}"] if pinned else []
    value = regen(toy, "page.md", "--pin-links", *pin, code=0)
    assert path.read_text() == text
    assert all(item["rewritten"] for item in value["items"])
    toy.run("regen", "page.md", "--pin-links", "--write", *pin, code=0)
    assert path.read_text() == text.replace("/main/", f"/{toy.commit if pinned else newest}/")


def test_a_link_whose_lines_are_wrong_on_its_branch_is_left(toy: Toy) -> None:
    text = f"`set_rows` is [here]({WEB}/blob/main/{CORE}#L1-L3).\n"
    path = toy.write("page.md", text)
    value = regen(toy, "page.md", "--pin-links", "--write", code=1)
    assert path.read_text() == text
    assert value["items"][0]["at_birth"]


def test_what_goes_nowhere_needs_no_target_and_the_rest_does(toy: Toy) -> None:
    toy.write("page.md", f"{ROWS}\n")
    done = toy.run("regen", "page.md", "--pin", f"toy={toy.commit}", code=2)
    assert "--to ENGINE=REV" in done.stderr
    assert "--repair" in done.stderr
    done = toy.run("regen", "page.md", "--repair", "--together", "--pin", f"toy={toy.commit}", code=2)
    assert "need --to" in done.stderr
    done = toy.run("regen", "--repair", code=2)
    assert "documents" in done.stderr


@pytest.mark.parametrize(
    ("code", "text"),
    [("RC101", f"Rows: `{CORE}:L17-L25`\n\n{BLOCK}\n"), ("RC201", f"[it]({WEB}/blob/main/{CORE}#L16-L24)\n")],
)
def test_what_explain_advises_works_as_it_is_written(toy: Toy, code: str, text: str) -> None:
    path = toy.write("page.md", f"# toy `{toy.commit}`\n\n{text}")
    before = json.loads(toy.run("verify", "page.md", "--format", "json").stdout)
    assert code in {finding["code"] for finding in before["findings"]}
    said = toy.run("explain", code, code=0).stdout
    command = next(found for found in re.findall(r"`(refcheck regen [^`]+)`", " ".join(said.split())))
    toy.run(*(word.replace("DOC", str(path)) for word in shlex.split(command)[1:]), code=0)
    after = json.loads(toy.run("verify", "page.md", "--format", "json", code=0).stdout)
    assert code not in {finding["code"] for finding in after["findings"]}


def test_only_the_named_engine_of_a_mixed_page_moves(toy: Toy) -> None:
    newer = tagged(toy, ABOVE + SOURCE)
    vllm = "a" * 40
    text = f"# toy `{toy.commit}` and vLLM `{vllm}`\n\n{ROWS}\n\n`vllm/v1/request.py:10-12` of vLLM is as it was.\n"
    path = toy.write("page.md", text)
    value = regen(toy, "page.md", "--to", f"toy={newer}", "--write", code=0)
    assert path.read_text() == text.replace(toy.commit, newer).replace("16-24", "18-26")
    assert [head["engine"] for head in value["heads"]] == ["toy"]
