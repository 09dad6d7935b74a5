"""Rewriting an edition file: pins, and the lines and paths of anchors; everything else keeps its bytes."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..config.edition import Edition, load_edition
from ..errors import UsageError
from ..locate.fingerprint import fingerprint_lines
from ..model.document import Document
from ..model.tree import Tree
from .anchors import AnchorItem
from .rewrite import RewriteError, Rewritten


@dataclass(frozen=True, slots=True)
class NewPin:
    """What an engine's pin becomes."""

    engine: str
    commit: str
    nearest_release: str | None = None


@dataclass(frozen=True, slots=True)
class _Splice:
    start: int
    end: int
    text: str


def copy_packaged(edition: Edition, folder: Path) -> Edition:
    """A packaged edition's files in a folder of the user's. Raises UsageError if one of them exists there."""
    assert edition.path is not None
    base = edition.path.parent
    targets = [(path, folder / path.relative_to(base)) for path in edition.files]
    for _, target in targets:
        if target.exists():
            raise UsageError(
                f"{target} exists: a packaged edition is copied before it is changed. "
                f"Work on the copy with --edition {folder / edition.path.name}, or move it away"
            )
    for path, target in targets:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    return load_edition(folder / edition.path.name)


def rewrite_edition(
    edition: Edition,
    items: Sequence[AnchorItem],
    pins: Iterable[NewPin],
    newer: Mapping[str, Tree],
    today: str,
) -> tuple[Rewritten, ...]:
    """The edition's files with new pins and places, ready for `rewrite.write_all`.

    Raises RewriteError for a file whose entries cannot be found as they were read.
    """
    wanted = {pin.engine: pin for pin in pins}
    by_id = {item.anchor.id: item for item in items}
    out: list[Rewritten] = []
    for path in edition.files:
        data = path.read_bytes()
        text = data.decode("utf-8")
        splices = _splices(text, wanted, by_id, newer, today, path)
        new = text
        for splice in sorted(splices, key=lambda s: s.start, reverse=True):
            new = new[: splice.start] + splice.text + new[splice.end :]
        encoded = new.encode("utf-8")
        document = Document(str(path), "edition", text, digest=hashlib.sha256(data).hexdigest())
        out.append(Rewritten(document, path, encoded, encoded != data))
    return tuple(out)


def _splices(
    text: str,
    pins: Mapping[str, NewPin],
    items: Mapping[str, AnchorItem],
    newer: Mapping[str, Tree],
    today: str,
    path: Path,
) -> list[_Splice]:
    import yaml

    # CRLF would shift the marks of the parser, which counts characters of the text as it was given.
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    splices: list[_Splice] = []
    top = _mapping(root)
    for engine, node in _mapping(top.get("pins")).items():
        if (pin := pins.get(engine)) is None:
            continue
        entry = _mapping(node)
        splices.append(_value(entry["commit"], pin.commit))
        if "nearest_release" in entry and pin.nearest_release is not None:
            splices.append(_value(entry["nearest_release"], f'"{pin.nearest_release}"'))
    for node in getattr(top.get("anchors"), "value", ()):
        entry = _mapping(node)
        name = entry["id"].value if "id" in entry else None
        item = items.get(str(name))
        if item is None or item.new is None or item.new.lines is None:
            continue
        lines = item.new.lines
        shown = str(lines.first) if lines.first == lines.last else f"{lines.first}-{lines.last}"
        if "lines" not in entry:
            raise RewriteError(f"{path}: anchor {name} has no lines to rewrite")
        splices.append(_value(entry["lines"], shown))
        splices.append(_value(entry["path"], item.new.path))
        if item.accepted is not None:
            splices += _accepted(text, entry, item, newer, today)
    return [s for s in splices if text[s.start : s.end] != s.text]


def _accepted(
    text: str, entry: Mapping[str, Any], item: AnchorItem, newer: Mapping[str, Tree], today: str
) -> list[_Splice]:
    """A changed place that was taken after reading: its text is recorded anew, with the reason."""
    assert item.new is not None
    assert item.new.lines is not None
    tree = newer[item.anchor.engine]
    lines = tree.read(item.new.path).lines[item.new.lines.first - 1 : item.new.lines.last]
    mark = f'"{fingerprint_lines(lines)}"'
    reason = (item.accepted or "").replace("\\", "\\\\").replace('"', '\\"')
    row = f'{{date: {today}, read: "{tree.source.read}", reason: "{reason}"}}'
    indent = " " * entry["id"].start_mark.column if "id" in entry else "    "
    indent = " " * max(entry["path"].start_mark.column - len("path: "), 0) or indent
    splices: list[_Splice] = []
    if "fingerprint" in entry:
        node = entry["fingerprint"]
        tail = "\n" if node.style in ("|", ">") else ""
        splices.append(_Splice(node.start_mark.index, node.end_mark.index, mark + tail))
    if "accepted" in entry:
        node = entry["accepted"]
        end = text.rindex("]", node.start_mark.index, node.end_mark.index) if node.flow_style else node.end_mark.index
        splices.append(_Splice(end, end, f", {row}" if node.flow_style else f"{indent}  - {row}\n"))
    else:
        at = entry["lines"].end_mark.index
        splices.append(_Splice(at, at, f"\n{indent}accepted: [{row}]"))
    return splices


def _mapping(node: Any) -> dict[str, Any]:
    """A YAML mapping node's value nodes by key; empty for anything else."""
    pairs = getattr(node, "value", None)
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        return {}
    return {str(key.value): value for key, value in pairs}


def _value(node: Any, text: str) -> _Splice:
    return _Splice(node.start_mark.index, node.end_mark.index, text)
