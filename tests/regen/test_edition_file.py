"""Rewriting edition files: each YAML style keeps its form, or is refused with nothing written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

import pytest
import yaml

from refcheck.config.edition import Edition, load_edition
from refcheck.locate.fingerprint import fingerprint_lines
from refcheck.model.place import LineRange, Place
from refcheck.model.source_text import SourceText
from refcheck.model.tree import SourceKind, SourceRead
from refcheck.model.verdict import Changed, Moved
from refcheck.regen.anchors import AnchorItem
from refcheck.regen.edition_file import NewPin, rewrite_edition
from refcheck.regen.rewrite import RewriteError
from tests.cli.conftest import CORE, SOURCE, Toy, toy

__all__ = ["toy"]

OLD, NEW = "a" * 40, "b" * 40
TODAY = "2026-02-03"
BODY = tuple(f"line_{n} = {n}" for n in range(1, 31))
MARK = fingerprint_lines(BODY[4:6])
NEW_MARK = fingerprint_lines(BODY[7:9])


class OneFile:
    """A tree of one file."""

    source = SourceRead("toy", NEW, NEW, SourceKind.COMMIT, True, "a test")

    def paths(self) -> Mapping[str, str]:
        return {"toy/a.py": "1"}

    def has(self, path: str) -> bool:
        return path == "toy/a.py"

    def carries(self, path: str) -> bool:
        return True

    def read(self, path: str) -> SourceText:
        return SourceText.from_bytes(path, "1", self.read_bytes(path))

    def read_bytes(self, path: str) -> bytes:
        return "\n".join(BODY).encode()

    def prefetch(self, paths: Iterable[str]) -> None: ...


def edition_of(
    folder: Path, anchor: str, *, pin: str = f"{{commit: {OLD}}}", ending: str = "\n", bom: bool = False
) -> Edition:
    text = f"schema: refcheck-edition/1\nname: e\ndate: 2026-01-01\npins:\n  toy: {pin}\nanchors:\n{anchor}"
    path = folder / "e.yaml"
    path.write_bytes((("\ufeff" if bom else "") + text.replace("\n", ending)).encode())
    return load_edition(path)


def rewritten(
    edition: Edition, *, path: str | None = None, lines: tuple[int, int] = (8, 9), reason: str | None = None
) -> str:
    """The new text where the first anchor moves (or is accepted) and the others stay."""
    items = []
    for index, anchor in enumerate(edition.anchors):
        new = anchor.place if index else Place(path or anchor.place.path, LineRange(*lines))
        said = Moved("it moved", new) if reason is None else Changed("it changed", new)
        items.append(AnchorItem(anchor, anchor.place, new, said, accepted=reason if not index else None))
    done = rewrite_edition(edition, items, [NewPin("toy", NEW)], {"toy": OneFile()}, TODAY)
    (one,) = done
    assert one.changed
    return one.data.decode()


def before(edition: Edition) -> str:
    assert edition.path is not None
    return edition.path.read_bytes().decode()


BLOCK = """\
  - id: x   # the first
    engine: toy
    path: toy/a.py   # a path
    lines: {lines}   # the lines
    fingerprint: "{mark}"
"""


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize("bom", [False, True])
@pytest.mark.parametrize(("old", "new"), [("5-6", "8-9"), ("'5-6'", "'8-9'"), ('"5-6"', '"8-9"')])
def test_only_the_value_changes(tmp_path: Path, ending: str, bom: bool, old: str, new: str) -> None:
    edition = edition_of(tmp_path, BLOCK.format(lines=old, mark=MARK), ending=ending, bom=bom)
    text = before(edition)
    assert rewritten(edition) == text.replace(OLD, NEW).replace(old, new)


def test_quotes_of_a_value_that_stays_are_kept(tmp_path: Path) -> None:
    anchor = "  - {id: 'x', engine: toy, path: \"toy/a.py\" , lines: 5-6}  # one\n"
    edition = edition_of(tmp_path, anchor, pin=f"{{commit: \"{OLD}\" , nearest_release: '1.0'}}   # the pin")
    assert rewritten(edition) == before(edition).replace(OLD, NEW).replace("5-6", "8-9")


def test_a_range_written_with_equal_ends_stays_if_it_stays(tmp_path: Path) -> None:
    edition = edition_of(tmp_path, BLOCK.format(lines="5-5", mark=MARK))
    assert rewritten(edition, lines=(5, 5)) == before(edition).replace(OLD, NEW)
    assert "lines: 7   #" in rewritten(edition, lines=(7, 7))


@pytest.mark.parametrize("path", ["toy/b c.py", "toy/b, c.py", "toy/b #c.py", 'toy/it\'s: "b".py', "toy/ü.py", "123"])
@pytest.mark.parametrize("written", ["toy/a.py", "'toy/a.py'", '"toy/a.py"'])
@pytest.mark.parametrize("flow", [False, True])
def test_a_new_path_reads_back_in_every_style(tmp_path: Path, path: str, written: str, flow: bool) -> None:
    anchor = f"  - id: x\n    engine: toy\n    path: {written}\n    lines: 5-6\n"
    if flow:
        anchor = f"  - {{id: x, engine: toy, path: {written}, lines: 5-6}}\n"
    data = yaml.safe_load(rewritten(edition_of(tmp_path, anchor), path=path))
    assert data["anchors"] == [{"id": "x", "engine": "toy", "path": path, "lines": "8-9"}]


@pytest.mark.parametrize(
    ("anchors", "said"),
    [
        (
            "  - {id: x, engine: toy, path: &p toy/a.py, lines: 5-6}\n  - {id: y, engine: toy, path: *p, lines: 3}\n",
            "&",
        ),
        ("  - {id: y, engine: toy, path: !!str toy/a.py, lines: 5-6}\n", "tagged"),
        ("  - id: x\n    engine: toy\n    path: >-\n      toy/a.py\n    lines: 5-6\n", "block scalar"),
        ("  - id: x\n    engine: toy\n    path: |-\n      toy/a.py\n    lines: 5-6\n", "block scalar"),
    ],
)
def test_what_cannot_be_replaced_is_refused_and_stays_where_it_does_not_change(
    tmp_path: Path, anchors: str, said: str
) -> None:
    edition = edition_of(tmp_path, anchors)
    text = before(edition)
    said = "marked as a YAML anchor" if said == "&" else said
    with pytest.raises(RewriteError, match=rf"e\.yaml:\d+: anchor [xy]: `path` is .*{said}.*run the command again"):
        rewritten(edition, path="toy/b.py")
    assert before(edition) == text
    assert rewritten(edition) == text.replace(OLD, NEW).replace("5-6", "8-9")


def test_an_alias_is_refused_by_its_own_line(tmp_path: Path) -> None:
    anchor = "  - {id: x, engine: toy, path: a, lines: *n}\n"
    edition = edition_of(tmp_path, anchor, pin=f"{{commit: {OLD}, nearest_release: &n '12'}}")
    with pytest.raises(RewriteError, match=r"e\.yaml:7: anchor x: `lines` is a YAML alias"):
        rewritten(edition)


def test_a_pin_that_two_engines_share_is_refused(tmp_path: Path) -> None:
    anchor = "  - {id: x, engine: toy, path: toy/a.py, lines: 5-6}\n"
    edition = edition_of(tmp_path, anchor, pin=f"&t {{commit: {OLD}}}\n  other: *t")
    with pytest.raises(RewriteError, match="other values would change"):
        rewritten(edition)


REASON = 'read:\n  it says "half"\tnow \\ – é\x07'
READ_BACK = {"date": yaml.safe_load(TODAY), "read": NEW, "reason": 'read: it says "half" now \\ – é\x07'}
EARLIER = "{date: 2026-01-02, reason: earlier}"


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "anchor",
    [
        BLOCK.format(lines="5-6", mark=MARK),
        f"  - lines: 5-6\n    id: x\n    engine: toy\n    path: toy/a.py\n    fingerprint: {MARK}\n",
        f"  - id: x\n    engine: toy\n    fingerprint: '{MARK}'\n    path: toy/a.py\n    lines: 5-6",
        f"  - {{id: x, engine: toy, path: toy/a.py, fingerprint: '{MARK}', lines: 5-6}}\n",
        f"  - {{id: x, engine: toy, path: toy/a.py, lines: 5-6, fingerprint: '{MARK}',\n    }}  # end\n",
        f"  - {{id: x, engine: toy, path: toy/a.py, lines: 5-6, fingerprint: '{MARK}' # note }}\n    }}\n",
        f"  - id: x\n    engine: toy\n    path: toy/a.py\n    fingerprint: >-\n      {MARK[:10]}\n      {MARK[11:]}\n    lines: 5-6\n",
        f"  - id: x\n    engine: toy\n    path: toy/a.py\n    lines: 5-6\n    fingerprint: >-   # kept\n      {MARK}\n\n  # next\n",
        f"  - id: x\n    engine: toy\n    path: toy/a.py\n    lines: 5-6\n    fingerprint: |-\n      {MARK}",
        f"  - id: x\n    engine: toy\n    path: toy/a.py\n    lines: 5-6\n    fingerprint: \"{MARK[:10]}\n      {MARK[11:]}\"\n",
    ],
)  # fmt: skip
@pytest.mark.parametrize(
    "accepted", [None, f"[{EARLIER}]", "[]", f"\n      - {EARLIER}  # old", f"\n    - {EARLIER}\n    # more"]
)
@pytest.mark.parametrize("last", [False, True])
def test_accepting_in_every_style(tmp_path: Path, anchor: str, accepted: str | None, ending: str, last: bool) -> None:
    flow = "{" in anchor
    if accepted is not None:
        if flow:
            # A list in braces is written in brackets.
            accepted = accepted if "\n" not in accepted else f"[\n{EARLIER},\n]"
            anchor = anchor.replace("engine: toy", f"engine: toy, accepted: {accepted}")
        else:
            anchor = anchor.replace("    engine: toy\n", f"    accepted: {accepted}\n    engine: toy\n")
    if last:
        anchor = anchor.removesuffix("\n") + "\n  - {id: y, engine: toy, path: toy/a.py, lines: 3}\n"
    edition = edition_of(tmp_path, anchor, ending=ending)
    old = yaml.safe_load(before(edition))
    text = rewritten(edition, reason=REASON)
    assert "\n" not in text.replace(ending, "")
    assert "\r" not in text.replace(ending, "")
    data = yaml.safe_load(text)
    old["pins"]["toy"]["commit"] = NEW
    first = old["anchors"][0]
    first["lines"], first["fingerprint"] = "8-9", NEW_MARK
    first["accepted"] = [*first.get("accepted", []), READ_BACK]
    assert data == old
    for note in ("# the first", "# the lines", "# end", "# kept", "# next", "# old", "# more", "# note }"):
        assert (note in text) == (note in before(edition))


def test_an_anchor_that_is_not_as_it_was_read_is_refused(tmp_path: Path) -> None:
    edition = edition_of(tmp_path, BLOCK.format(lines="5-6", mark=MARK))
    assert edition.path is not None
    edition.path.write_text(before(edition).replace("5-6", "15-16"))
    with pytest.raises(RewriteError, match="not as it was read"):
        rewritten(edition)
    edition.path.write_text(before(edition).replace("id: x", "id: z"))
    with pytest.raises(RewriteError, match="anchor x is not in"):
        rewritten(edition)


def test_every_anchor_of_the_packaged_edition_can_be_accepted(tmp_path: Path) -> None:
    edition = load_edition(Path(__file__).parents[2] / "anchors" / "decode-loop.yaml")
    there = LineRange(8, 9)
    items = [
        AnchorItem(a, a.place, Place(a.place.path, there), Changed("it changed"), accepted="read")
        for a in edition.anchors
    ]
    pins = [NewPin(pin.engine, NEW, "9.10") for pin in edition.pins]
    newer = {pin.engine: OneFile() for pin in edition.pins}
    for one in rewrite_edition(edition, items, pins, newer, TODAY):
        target = tmp_path / one.path.relative_to(edition.files[0].parent)
        target.parent.mkdir(exist_ok=True)
        target.write_bytes(one.data)
    again = load_edition(tmp_path / "decode-loop.yaml")
    assert {(pin.commit, pin.nearest_release) for pin in again.pins} == {(NEW, "9.10")}
    assert [a.id for a in again.anchors] == [a.id for a in edition.anchors]
    assert {a.lines for a in again.anchors} == {there}
    assert {a.fingerprint for a in again.anchors} == {NEW_MARK}
    assert [a.place.path for a in again.anchors] == [a.place.path for a in edition.anchors]
    assert [(c.id, c.check, c.words) for c in again.claims] == [(c.id, c.check, c.words) for c in edition.claims]


ABOVE = "# One more line.\n# And another.\n"
STYLES: Mapping[str, Callable[[str], str]] = {
    "block": lambda text: text,
    "crlf": lambda text: text.replace("\n", "\r\n"),
    "bom": lambda text: "\ufeff" + text,
    "quoted": lambda text: text.replace("16-24", '"16-24"   # here').replace("toy/core.py", "'toy/core.py'"),
    "path in a block scalar": lambda text: text.replace("path: toy/core.py", "path: >-\n      toy/core.py"),
    "path as a YAML anchor": lambda text: text.replace("path: ", "path: &p "),
}


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("changed", [False, True])
def test_the_rewritten_edition_holds_at_the_new_commit(toy: Toy, style: str, changed: bool) -> None:
    path = toy.edition()
    path.write_bytes(STYLES[style](path.read_text()).encode())
    source = ABOVE + (SOURCE.replace("1.0", "0.5") if changed else SOURCE)
    newer = toy.upstream.commit({CORE: source.encode()}, "two lines above")
    accept = ("--accept", "set-rows", "--reason", 'half:\n "0.5"') if changed else ()
    old = path.read_bytes()
    toy.run("regen", "--edition", str(path), "--to", f"toy={newer}", *accept, "--write", code=0)
    toy.run("verify", "--edition", str(path), code=0)
    if not changed:
        assert path.read_bytes() == old.replace(toy.commit.encode(), newer.encode()).replace(b"16-24", b"18-26")


def without_fingerprint(toy: Toy, **more: str) -> Path:
    path = toy.edition()
    kept = [line for line in path.read_text().split("\n") if "fingerprint" not in line]
    path.write_text("\n".join(kept).rstrip() + "\n" + "".join(f"    {k}: {v}\n" for k, v in more.items()))
    return path


def test_an_anchor_without_a_fingerprint_holds_the_pin_back(toy: Toy) -> None:
    path = without_fingerprint(toy)
    old = path.read_text()
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE).encode()}, "two lines above")
    done = toy.run("regen", "--edition", str(path), "--to", f"toy={newer}", "--write", code=1)
    assert "records no fingerprint: nothing can be followed" in " ".join(done.stdout.split())
    assert path.read_text() == old


def test_a_whole_definition_is_followed_by_its_name(toy: Toy) -> None:
    path = without_fingerprint(toy, covers="symbol")
    end = len(SOURCE.rstrip("\n").split("\n"))
    path.write_text(path.read_text().replace("16-24", f"16-{end}").replace("form: block", "form: inline"))
    old = path.read_text()
    newer = toy.upstream.commit({CORE: (ABOVE + SOURCE).encode()}, "two lines above")
    toy.run("regen", "--edition", str(path), "--to", f"toy={newer}", "--write", code=0)
    assert path.read_text() == old.replace(toy.commit, newer).replace(f"16-{end}", f"18-{end + 2}")
    toy.run("verify", "--edition", str(path), code=0)


@pytest.mark.parametrize("how", ["twice", "gone"])
def test_a_whole_definition_that_is_not_unique_there_holds_the_pin_back(toy: Toy, how: str) -> None:
    path = without_fingerprint(toy, covers="symbol")
    end = len(SOURCE.rstrip("\n").split("\n"))
    path.write_text(path.read_text().replace("16-24", f"16-{end}"))
    old = path.read_text()
    there = (
        SOURCE + "\n    def set_rows(self):\n        return 1\n" if how == "twice" else SOURCE.replace("set_r", "put_r")
    )
    newer = toy.upstream.commit({CORE: there.encode()}, how)
    toy.run("regen", "--edition", str(path), "--to", f"toy={newer}", "--write", code=1)
    assert path.read_text() == old
