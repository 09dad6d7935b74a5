"""Which revision a page is judged at: its citation's own, its own, the run's; and never another page's."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.cli.conftest import CORE, SOURCE, Toy
from tests.sources.conftest import ORIGIN, Index, git, sdist

WEB = ORIGIN.removesuffix(".git")
SHIFT = "# a line\n# another\n"
"""Above the source of version 1.1: `causal` is at line 14 in 1.0 and at 16 in 1.1."""


@pytest.fixture
def released(toy: Toy) -> Iterator[Toy]:
    """1.0 has a tag, 1.1 a tag and a release, 1.2 a release alone."""
    git(toy.upstream.work, "tag", "v1.0.0")
    toy.upstream.commit({CORE: (SHIFT + SOURCE).encode()}, "two lines above")
    git(toy.upstream.work, "tag", "v1.1.0")
    toy.upstream.publish()
    toy.write(
        "refcheck.yaml",
        f"engines:\n  toy: {{origin: {ORIGIN}, distribution: toy-engine, source_roots: [toy/]}}\n",
    )
    index = Index()
    toy.environment["PIP_INDEX_URL"] = index.address
    for version in ("1.1.0", "1.2.0"):
        name = f"toy_engine-{version}"
        index.archives[f"{name}.tar.gz"] = sdist({CORE: (SHIFT + SOURCE).encode()}, name)
    yield toy
    index.close()


def verify(toy: Toy, *arguments: str, code: int | None = 0) -> dict[str, Any]:
    done = toy.run("verify", *arguments, "--format", "json", code=code)
    assert "Traceback" not in done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def read_for(value: dict[str, Any], document: str) -> set[tuple[str, str | None]]:
    """(verdict, what was read for it) of a document's findings."""
    return {
        (f["verdict"], value["sources"][f["source"]]["read"] if f["source"] is not None else None)
        for f in value["findings"]
        if f["document"] == document
    }


def page(head: str, line: int = 14) -> str:
    return f"# A page\n\n{head}\n\n`causal` is at `{CORE}:{line}`.\n"


HEADS = [
    ("Written for toy {version}.", "0"),
    ("At toy v{version}.", "0"),
    ("Written for toy release:{version}.", "0"),
    ("See [it](" + WEB + "/blob/v{version}/" + CORE + "#L{line}), where `causal` stands.", "0"),
]


@pytest.mark.parametrize("head", [head for head, _ in HEADS])
@pytest.mark.parametrize(("version", "line", "kind"), [("1.0.0", 14, "commit"), ("1.1.0", 16, "commit"), ("1.2.0", 16, "release")])  # fmt: skip
def test_a_version_is_its_tag_and_without_one_the_release(
    released: Toy, head: str, version: str, line: int, kind: str
) -> None:
    text = page(head.format(version=version, line=line), line)
    if "/blob/" in head:
        text = "# A page\n\n" + head.format(version=version, line=line) + "\n"
    released.write("page.md", text)
    value = verify(released, "page.md")
    ((verdict, read),) = read_for(value, "page.md")
    assert verdict == "holds"
    if kind == "commit":
        assert read == git(released.upstream.work, "rev-parse", f"v{version}^{{commit}}")
    else:
        assert read == f"release:{version}"
        assert any(f"v{version} could not be had" in source["why"] for source in value["sources"])
        assert f"v{version} could not be had" in json.dumps(value["findings"][0]["evidence"])


@pytest.mark.parametrize("version", ["1.1.0", "1.2.0"])
def test_a_tag_whose_host_is_away_is_read_as_its_release(released: Toy, version: str) -> None:
    released.environment["GIT_CONFIG_VALUE_0"] = "https://nothing.example/"
    released.write("page.md", page(f"Written for toy v{version}.", 16))
    assert read_for(verify(released, "page.md"), "page.md") == {("holds", f"release:{version}")}


def test_a_version_that_nobody_has_leaves_the_other_pages_alone(released: Toy) -> None:
    released.write("a.md", page("Written for toy 9.9.9."))
    released.write("b.md", page("Written for toy 1.0.0."))
    value = verify(released, "a.md", "b.md")
    assert read_for(value, "a.md") == {("undecided", None)}
    ((verdict, _),) = read_for(value, "b.md")
    assert verdict == "holds"
    (finding,) = [f for f in value["findings"] if f["document"] == "a.md"]
    assert (finding["code"], finding["line"]) == ("RC202", 5)
    assert "9.9.9" in finding["message"]
    alone = released.run("verify", "a.md", code=3)
    assert "a.md:5:" in alone.stdout
    assert "nothing was judged" in alone.stderr
    given = released.run("verify", "b.md", "--pin", "toy=9.9.9", code=2)
    assert "9.9.9" in given.stderr


@pytest.mark.parametrize("order", list(itertools.permutations(["own.md", "none.md", "other.md"])))
def test_no_page_is_judged_at_another_page_s_revision(released: Toy, order: tuple[str, ...]) -> None:
    tags = {name: git(released.upstream.work, "rev-parse", f"{name}^{{commit}}") for name in ("v1.0.0", "v1.1.0")}
    released.write("own.md", page(f"Written for toy at commit {tags['v1.0.0']}."))
    released.write("other.md", page("Written for toy 1.1.0.", 16))
    released.write("none.md", page("About toy."))
    value = verify(released, *order)
    assert read_for(value, "own.md") == {("holds", tags["v1.0.0"])}
    assert read_for(value, "other.md") == {("holds", tags["v1.1.0"])}
    assert read_for(value, "none.md") == {("undecided", None)}
    (silent,) = [f for f in value["findings"] if f["document"] == "none.md"]
    assert "--pin toy=REV" in silent["message"]
    pinned = verify(released, *order, "--pin", f"toy={tags['v1.0.0']}")
    assert read_for(pinned, "none.md") == {("holds", tags["v1.0.0"])}
    assert read_for(pinned, "other.md") == {("holds", tags["v1.1.0"])}


BLOCK = "```python\n" + "\n".join(SOURCE.split("\n")[15:24]) + "\n```\n"


@pytest.mark.parametrize("body", [f"`causal` is at `{CORE}:14`.\n", f"See `{CORE}:L16-L24`:\n\n{BLOCK}", BLOCK])
def test_a_page_s_own_revision_goes_before_the_pin_and_that_is_said(released: Toy, body: str) -> None:
    first = git(released.upstream.work, "rev-parse", "v1.0.0^{commit}")
    released.write("page.md", f"# A page\n\nWritten for toy 1.0.0.\n\n{body}")
    value = verify(released, "page.md", "--pin", "toy=v1.1.0")
    assert read_for(value, "page.md") == {("holds", first)}
    done = released.run("verify", "page.md", "--pin", "toy=v1.1.0", code=0)
    assert "page.md is for toy 1.0.0 and is judged at that; v1.1.0 (--pin)" in " ".join(done.stdout.split())


@pytest.mark.parametrize("pin", ["1.0.0", "v1.0.0", "COMMIT"])
def test_the_pin_that_the_page_names_in_other_words_is_no_contradiction(released: Toy, pin: str) -> None:
    first = git(released.upstream.work, "rev-parse", "v1.0.0^{commit}")
    released.write("page.md", page("Written for toy v1.0.0."))
    given = {"COMMIT": first, "1.0.0": "v1.0.0"}.get(pin, pin)
    done = released.run("verify", "page.md", "--pin", f"toy={given}", code=0)
    assert "--pin" not in done.stdout
    assert done.stdout.count("✓ holds") == 1


def test_what_a_page_names_and_nobody_has_is_judged_at_the_user_s_pin_with_a_word(released: Toy) -> None:
    released.write("page.md", page("Written for toy 9.9.9.", 16))
    done = released.run("verify", "page.md", "--pin", "toy=v1.1.0", code=0)
    said = " ".join(done.stdout.split())
    assert "page.md is for toy 9.9.9, which cannot be read" in said
    assert "judged at v1.1.0 (--pin)" in said
    settings = (released.folder / "refcheck.yaml").read_text()
    released.write("refcheck.yaml", settings + "pins: {toy: v1.1.0}\n")
    assert read_for(verify(released, "page.md"), "page.md") == {("undecided", None)}


@pytest.mark.parametrize("command", ["verify", "baseline", "locate", "regen"])
def test_every_command_reads_a_page_at_what_it_says(released: Toy, command: str) -> None:
    released.write("page.md", f"# A page\n\nWritten for toy 1.0.0.\n\nSee `{CORE}:L16-L24`:\n\n{BLOCK}")
    more = ["--to", "toy=v1.1.0"] if command == "regen" else []
    done = released.run(command, "page.md", *more)
    assert done.returncode == 0, done.stderr
    if command == "regen":
        assert "18-26" in done.stdout.replace("L", "")


def test_findings_that_were_kept_name_the_tree_of_this_run(released: Toy) -> None:
    """What was kept says by its number which tree it rests on: other pages before it change that number."""
    released.write("a.md", page("Written for toy 1.0.0."))
    released.write("b.md", page("Written for toy 1.1.0.", 16))
    alone = read_for(verify(released, "b.md"), "b.md")
    for names in (("a.md", "b.md"), ("b.md", "a.md"), ("a.md", "b.md")):
        assert read_for(verify(released, *names), "b.md") == alone


def test_an_edition_that_the_user_names_is_for_pages_without_a_revision_too(released: Toy) -> None:
    first = git(released.upstream.work, "rev-parse", "v1.0.0^{commit}")
    released.commit = first
    edition = str(released.edition())
    released.write("own.md", page("Written for toy 1.1.0.", 16))
    released.write("none.md", page("About toy."))
    released.write("lost.md", page("Written for toy 9.9.9."))
    value = verify(released, "own.md", "none.md", "lost.md", "--edition", edition)
    second = git(released.upstream.work, "rev-parse", "v1.1.0^{commit}")
    assert read_for(value, "own.md") == {("holds", second)}
    assert read_for(value, "none.md") == {("holds", first)}
    assert read_for(value, "lost.md") == {("holds", first)}
    said = " ".join(released.run("verify", "own.md", "lost.md", "--edition", edition, code=0).stdout.split())
    assert f"own.md is for toy 1.1.0 and is judged at that; {first} (--edition)" in said
    assert "lost.md is for toy 9.9.9, which cannot be read" in said


@pytest.mark.parametrize("kind", ["folder", "clone"])
def test_a_source_is_read_for_what_the_page_says(released: Toy, kind: str) -> None:
    released.environment["GIT_CONFIG_VALUE_0"] = "https://nothing.example/"
    released.environment.pop("PIP_INDEX_URL")
    released.environment["PIP_NO_INDEX"] = "1"
    folder = released.folder / "copy"
    (folder / "toy").mkdir(parents=True)
    (folder / CORE).write_text(SOURCE)
    source = f"toy={folder if kind == 'folder' else released.upstream.server}"
    first = git(released.upstream.work, "rev-parse", "v1.0.0^{commit}")
    read = "folder:copy" if kind == "folder" else first
    for head in (f"Written for toy at commit {first}.", "Written for toy v1.0.0.", "Written for toy 1.0.0."):
        released.write("page.md", page(head))
        assert read_for(verify(released, "page.md", "--source", source), "page.md") == {("holds", read)}, head
    # A folder is of one revision: where pages name several, it is nobody's but those that name none.
    released.write("other.md", page("Written for toy v1.1.0.", 16))
    released.write("none.md", page("About toy."))
    value = verify(released, "page.md", "other.md", "none.md", "--source", source)
    second = git(released.upstream.work, "rev-parse", "v1.1.0^{commit}")
    if kind == "folder":
        assert read_for(value, "none.md") == {("holds", "folder:copy")}
        assert {verdict for verdict, _ in read_for(value, "other.md")} == {"undecided"}
    else:
        assert read_for(value, "other.md") == {("holds", second)}
        assert {read for _, read in read_for(value, "none.md")} == {second}


@pytest.mark.parametrize(
    "body", [f"`causal` is at `{CORE}:14`.\n", f"## At toy v1.0.0\n\n`causal` is at `{CORE}:14`.\n"]
)
def test_against_asks_what_is_still_so_at_another_revision(released: Toy, body: str) -> None:
    second = git(released.upstream.work, "rev-parse", "v1.1.0^{commit}")
    released.write("page.md", f"# A page\n\nWritten for toy 1.0.0.\n\n{body}")
    value = verify(released, "page.md", "--against", "toy=v1.1.0")
    assert read_for(value, "page.md") == {("imprecise", second)}
    said = " ".join(released.run("verify", "page.md", "--against", "toy=v1.1.0", code=0).stdout.split())
    assert "page.md is for toy 1.0.0: judged at v1.1.0 (--against)" in said
    same = released.run("verify", "page.md", "--against", "toy=v1.0.0", code=0).stdout
    assert "(--against)" not in same
    released.run("verify", "page.md", "--against", "toy=v1.0.0", "--pin", "toy=v1.1.0", code=2)
    link = f"[it]({WEB}/blob/v1.0.0/{CORE}#L14), where `causal` stands.\n"
    released.write("page.md", f"# A page\n\nSee {link}")
    first = git(released.upstream.work, "rev-parse", "v1.0.0^{commit}")
    assert read_for(verify(released, "page.md", "--against", "toy=v1.1.0"), "page.md") == {("holds", first)}
