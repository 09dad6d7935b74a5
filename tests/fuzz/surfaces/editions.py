"""Edition files: plain data only, every fault named; what is rewritten in one is what should change, and no more."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from refcheck.config.edition import Edition, load_edition
from refcheck.config.yaml_lines import load_lined_yaml
from refcheck.errors import ConfigurationError, RefcheckError
from refcheck.model.place import LineRange, Place
from refcheck.model.verdict import Moved
from refcheck.regen.anchors import AnchorItem
from refcheck.regen.edition_file import NewPin, rewrite_edition
from tests.support.trees import MemoryTree

from . import Fault, Surface, must, opened, seed

_OLD, _NEW = "a" * 40, "b" * 40
_HEAD = f"schema: refcheck-edition/1\nname: e\ndate: 2026-01-01\npins:\n  toy: {{commit: {_OLD}}}\n"
_TEXTS = (
    (
        f"{_HEAD}anchors:\n  - id: x   # the first\n    engine: toy\n    path: toy/a.py\n    lines: 5-6\n"
        f'    fingerprint: "0:00000000 4:12345678"\n  - {{id: y, engine: toy, path: "toy/b.py" , lines: 7}}\n'
    ),
    (
        f"{_HEAD}include: [e.yaml, ../f.yaml]\nanchors: []\nclaims:\n  - id: C001\n    words: takes 16.06 GB\n"
        "    check: {kind: number, quantity: weight_bytes, model: llama-3-8b}\n"
    ),
    (
        f"{_HEAD}anchors:\n- &one {{id: x, engine: toy, path: 'toy/a.py', lines: '5-6', symbol: A.b, covers: symbol}}\n"
        "- *one\n- {<<: *one, id: z}\n"
    ),
    "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: !!python/object:os.system {}\n",
    "schema: refcheck-edition/1\ndate: 2026-02-30\n? [1]\n: 2\nx: >-\n  y\n  z\nw: |2\n    q\nv: 0x1F\nu: 1_000\nt: .inf\n",
)
_LINES = tuple(f"line_{number} = {number}" for number in range(1, 41))


def seeds() -> Iterator[bytes]:
    for text in _TEXTS:
        for ending in ("\n", "\r\n"):
            yield seed(text.replace("\n", ending), 9)


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="editions-"))


def check(data: bytes) -> None:
    choice, payload = opened(data)
    try:
        once, twice = (load_lined_yaml(payload.decode("utf-8", "replace"), "e.yaml") for _ in range(2))
        must(repr(once.data) == repr(twice.data), "read twice, it has other data")
        must(all(line > 0 for line in once.lines.values()), "a line before the first")
        _check_plain(once.data)
    except ConfigurationError:
        pass
    path = _folder() / "e.yaml"
    path.write_bytes(payload)
    try:
        edition = load_edition(path)
    except RefcheckError as error:
        must(bool(str(error).strip()), "a fault without a word")
        return
    for anchor in edition.anchors:
        must(edition.pin(anchor.engine) is not None, "an anchor of an engine without a pin")
    _rewrite(edition, choice)


def _rewrite(edition: Edition, choice: int) -> None:
    """The first anchor moves by some lines; the file's data changes in that and in the pins, or nothing is written."""
    tree = MemoryTree({anchor.place.path: "\n".join(_LINES) for anchor in edition.anchors})
    by = 1 + choice % 20
    items = []
    for index, anchor in enumerate(edition.anchors):
        new = anchor.place if index else Place(anchor.place.path, LineRange(by, by + len(anchor.lines) - 1))
        items.append(AnchorItem(anchor, anchor.place, new, Moved("it moved", new)))
    engines = {pin.engine: tree for pin in edition.pins}
    try:
        files = rewrite_edition(edition, items, [NewPin(name, _NEW) for name in engines], engines, "2026-02-03")
    except RefcheckError:
        return
    for file in files:
        if file.path == edition.path:
            file.path.write_bytes(file.data)
    try:
        again = load_edition(edition.path or Path())
    except RefcheckError as error:
        raise Fault(f"an edition that was rewritten cannot be read: {error}") from error
    must([a.id for a in again.anchors] == [a.id for a in edition.anchors], "anchors came or went")
    if again.anchors and len(edition.files) == 1:
        expected = items[0].new
        must(expected is not None and again.anchors[0].lines == expected.lines, "the moved anchor is somewhere else")
        must([a.place for a in again.anchors[1:]] == [a.place for a in edition.anchors[1:]], "another anchor moved")
        must(all(pin.commit == _NEW for pin in again.pins), "a pin that was not rewritten")


def _check_plain(value: object) -> None:
    if isinstance(value, dict):
        for key, item in value.items():
            must(isinstance(key, (str, int)), "a key that is neither text nor a number")
            _check_plain(item)
    elif isinstance(value, list):
        for item in value:
            _check_plain(item)
    else:
        plain = {"str", "int", "float", "bool", "NoneType", "date", "datetime", "bytes", "set"}
        must(type(value).__name__ in plain, f"a {type(value).__name__} in safe YAML")


SURFACE = Surface("editions", seeds, check)
