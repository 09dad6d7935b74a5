"""Rewriting an edition file: pins, and the lines and paths of anchors; everything else keeps its bytes."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from ..config.edition import Edition, parse_lines
from ..config.yaml_lines import load_lined_yaml
from ..errors import ConfigurationError, UsageError
from ..locate.fingerprint import fingerprint_lines
from ..model.document import Document
from ..model.place import LineRange
from ..model.tree import Tree
from .anchors import AnchorItem
from .rewrite import RewriteError, Rewritten, refuse_if_protected

_LINE_END = re.compile(r"\r\n|\n|\r")
_REST_OF_LINE = re.compile(r"[ \t]*(?:[ \t]#[^\r\n]*)?(?=[\r\n]|\Z)")
_BLOCK_HEADER = re.compile(r"[|>][0-9+-]*((?:[ \t]+#[^\r\n]*)?)")


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


def copied_to(folder: Path, edition: Edition, rewritten: Sequence[Rewritten]) -> tuple[Rewritten, ...]:
    """A packaged edition's rewritten files as new ones in a folder of the user's, ready for `rewrite.write_all`.

    Raises UsageError if one of them exists there.
    """
    assert edition.path is not None
    base = edition.path.parent
    copies: list[Rewritten] = []
    for one in rewritten:
        target = folder / one.path.relative_to(base)
        if os.path.lexists(target):
            raise UsageError(
                f"{target} exists: a packaged edition is copied before it is changed. "
                f"Work on the copy with --edition {folder / edition.path.name}, or move it away"
            )
        document = replace(one.document, name=str(target))
        copies.append(Rewritten(document, target, one.data, changed=True, fresh=True))
    return tuple(copies)


def rewrite_edition(
    edition: Edition,
    items: Sequence[AnchorItem],
    pins: Iterable[NewPin],
    newer: Mapping[str, Tree],
    today: str,
) -> tuple[Rewritten, ...]:
    """The edition's files with new pins and places, ready for `rewrite.write_all`.

    Only scalars whose value changes are replaced, in the style in which they are written. The new text of a file is
    read again, and must hold the old data with the intended changes and no other. Raises RewriteError otherwise, for
    a value that cannot be replaced where it stands (a YAML anchor or alias, a block scalar), and for an entry that
    is not found as it was read; UsageError for a file that cannot be read. Nothing is written here.
    """
    wanted = {pin.engine: pin for pin in pins}
    by_id = {item.anchor.id: item for item in items if item.new is not None and item.new.lines is not None}
    out: list[Rewritten] = []
    met: set[str] = set()
    for path in edition.files:
        try:
            data = path.read_bytes()
        except OSError as error:
            raise UsageError(f"{path}: cannot be read: {error.strerror or error}") from error
        text = data.decode("utf-8")
        file = _File(path, text)
        file.set_pins(wanted)
        met |= file.set_anchors(by_id, newer, today)
        encoded = file.result().encode("utf-8")
        document = Document(str(path), "edition", text, digest=hashlib.sha256(data).hexdigest())
        if encoded != data and not edition.packaged:
            refuse_if_protected(path, str(path))
        out.append(Rewritten(document, path, encoded, encoded != data))
    if missing := sorted(set(by_id) - met):
        raise RewriteError(
            f"{edition.path}: anchor {missing[0]} is not in the edition's files any more: run the command again"
        )
    return tuple(out)


class _File:
    """One file's text, the splices to make in it, and the data that it must hold with them."""

    def __init__(self, path: Path, text: str) -> None:
        import yaml

        self.path = path
        self.text = text
        self.expected = load_lined_yaml(text, str(path)).data
        try:
            # The marks of this parser count the characters of the text as it was given, line ends and all.
            self.root: Any = yaml.compose(text, Loader=yaml.SafeLoader)
        except yaml.YAMLError as error:
            raise RewriteError(f"{path}: cannot be read for rewriting: {error}; edit it by hand") from error
        self.splices: list[_Splice] = []
        ending = _LINE_END.search(text)
        self.newline = ending.group() if ending else "\n"

    def set_pins(self, pins: Mapping[str, NewPin]) -> None:
        if (found := _pairs(self.root).get("pins")) is None:
            return
        for engine, (_, node) in _pairs(found[1]).items():
            if (pin := pins.get(engine)) is None:
                continue
            entry, old = _pairs(node), self.expected["pins"][engine]
            self._set(entry, old, "commit", pin.commit, f"pin of {engine}")
            if "nearest_release" in entry and pin.nearest_release is not None:
                self._set(entry, old, "nearest_release", pin.nearest_release, f"pin of {engine}")

    def set_anchors(self, items: Mapping[str, AnchorItem], newer: Mapping[str, Tree], today: str) -> set[str]:
        """The ids of the anchors that this file holds."""
        met: set[str] = set()
        found = _pairs(self.root).get("anchors")
        for index, node in enumerate(found[1].value if found is not None else ()):
            entry, old = _pairs(node), self.expected["anchors"][index]
            item = items.get(str(old.get("id")))
            if item is None:
                continue
            met.add(item.anchor.id)
            label = f"anchor {item.anchor.id}"
            assert item.new is not None
            assert item.new.lines is not None
            if old.get("path") != item.anchor.place.path or _lines_of(old) != item.anchor.lines:
                raise RewriteError(f"{self.path}: {label} is not as it was read: run the command again")
            lines = item.new.lines
            if lines != item.anchor.lines:
                shown = str(lines.first) if lines.first == lines.last else f"{lines.first}-{lines.last}"
                self._set(entry, old, "lines", shown, label)
            if item.new.path != item.anchor.place.path:
                self._set(entry, old, "path", item.new.path, label)
            if item.accepted is not None:
                self._accept(node, old, item, newer[item.anchor.engine], today)
        return met

    def _accept(self, entry: Any, old: dict[Any, Any], item: AnchorItem, tree: Tree, today: str) -> None:
        """A changed place that was taken after reading: its text is recorded anew, with the reason."""
        assert item.new is not None
        assert item.new.lines is not None
        pairs, label = _pairs(entry), f"anchor {item.anchor.id}"
        lines = tree.read(item.new.path).lines[item.new.lines.first - 1 : item.new.lines.last]
        if "fingerprint" in pairs:
            self._set(pairs, old, "fingerprint", fingerprint_lines(lines), label, block=True)
        reason = " ".join((item.accepted or "").split())
        row = f"{{date: {today}, read: {_double(tree.source.read)}, reason: {_double(reason)}}}"
        value = {"date": date.fromisoformat(today), "read": tree.source.read, "reason": reason}
        if "accepted" not in pairs:
            self._add_accepted(entry, f"accepted: [{row}]", label)
            old["accepted"] = [value]
            return
        key, node = pairs["accepted"]
        self._refuse_unless_plain(key, node, label, "accepted")
        rows = old["accepted"]
        if node.flow_style:
            at = node.value[-1].end_mark.index if node.value else node.start_mark.index + 1
            if node.value:
                self._refuse_unless_plain(key, node.value[-1], label, "accepted")
            self._insert(at, f", {row}" if node.value else row)
            rows.append(value)
            return
        indent = " " * node.start_mark.column
        if (end := self._line_end(_last_leaf(node))) is not None:
            self._insert(end, f"{self.newline}{indent}- {row}")
            rows.append(value)
        else:
            self._insert(node.start_mark.index, f"- {row}{self.newline}{indent}")
            rows.insert(0, value)

    def _add_accepted(self, entry: Any, pair: str, label: str) -> None:
        if entry.flow_style:
            key, last = entry.value[-1]
            self._refuse_unless_plain(key, last, label, str(key.value))
            self._insert(last.end_mark.index, f", {pair}")
            return
        key, node = _pairs(entry)["lines"]
        indent = " " * key.start_mark.column
        end = self._line_end(node) if node.start_mark.index > key.end_mark.index else None
        if end is not None:
            self._insert(end, f"{self.newline}{indent}{pair}")
        else:
            self._insert(key.start_mark.index, f"{pair}{self.newline}{indent}")

    def _set(
        self,
        entry: Mapping[str, tuple[Any, Any]],
        old: dict[Any, Any],
        name: str,
        value: str,
        label: str,
        *,
        block: bool = False,
    ) -> None:
        """`value` in place of a scalar that says something else. `block` says that a block scalar may be replaced."""
        if str(old[name]) == value:
            return
        key, node = entry[name]
        self._refuse_unless_plain(key, node, label, name, block=block)
        start, end = node.start_mark.index, node.end_mark.index
        written = self.text[start:end]
        if node.style in ("|", ">"):
            header = _BLOCK_HEADER.match(written)
            comment = header.group(1) if header else ""
            text = _double(value) + comment + written[len(written.rstrip()) :]
        elif node.style == '"':
            text = _double(value)
        elif node.style == "'" and value.isprintable():
            text = "'" + value.replace("'", "''") + "'"
        elif node.style is None and _is_plain(value, number=name == "lines"):
            text = value
        else:
            text = _double(value)
        self.splices.append(_Splice(start, end, text))
        old[name] = int(value) if text == value and name == "lines" and value.isdigit() else value

    def _refuse_unless_plain(self, key: Any, node: Any, label: str, name: str, *, block: bool = False) -> None:
        """Raises RewriteError for a node that stands elsewhere too, or that has no characters of its own to replace."""
        # The node of an alias is the one that it stands for, which comes before it in the file.
        alias = node.start_mark.index < key.end_mark.index
        first = self.text[node.start_mark.index : node.start_mark.index + 1]
        if alias or first in ("&", "*"):
            how = "a YAML alias" if alias else "marked as a YAML anchor"
        elif first == "!":
            how = "a tagged YAML value"
        elif first in ("|", ">") and not block:
            how = "a YAML block scalar"
        else:
            return
        raise RewriteError(
            f"{self.path}:{key.start_mark.line + 1}: {label}: `{name}` is {how}, which is not rewritten: "
            "write the value itself on the key's line and run the command again; nothing was written"
        )

    def _line_end(self, node: Any) -> int | None:
        """Where the line ends on which a plain, quoted or flow node does, if at most a comment follows it there."""
        if getattr(node, "style", None) in ("|", ">"):
            return None
        rest = _REST_OF_LINE.match(self.text, node.end_mark.index)
        return rest.end() if rest else None

    def _insert(self, at: int, text: str) -> None:
        self.splices.append(_Splice(at, at, text))

    def result(self) -> str:
        """Raises RewriteError unless the new text holds exactly the data that it is meant to hold."""
        new = self.text
        for splice in sorted(self.splices, key=lambda s: s.start, reverse=True):
            new = new[: splice.start] + splice.text + new[splice.end :]
        if not self.splices:
            return new
        try:
            same = load_lined_yaml(new, str(self.path)).data == self.expected
            fault = "other values would change with it"
        except ConfigurationError as error:
            same, fault = False, f"the result would not be valid ({error})"
        if not same:
            raise RewriteError(
                f"{self.path}: the file is written in a way that is not rewritten safely: {fault}. "
                "Write its pins and anchors in plain block style, without YAML anchors and aliases; nothing was written"
            )
        return new


def _lines_of(entry: Mapping[Any, Any]) -> LineRange | None:
    try:
        return parse_lines(entry.get("lines"))
    except ValueError:
        return None


def _pairs(node: Any) -> dict[str, tuple[Any, Any]]:
    """A YAML mapping node's key and value nodes by key; empty for anything else."""
    pairs = getattr(node, "value", None)
    if not isinstance(pairs, list) or not all(isinstance(pair, tuple) for pair in pairs):
        return {}
    return {str(key.value): (key, value) for key, value in pairs}


def _last_leaf(node: Any) -> Any:
    """The last node inside a block collection that is a scalar or has brackets of its own."""
    while isinstance(node.value, list) and node.value and not node.flow_style:
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    return node


def _double(text: str) -> str:
    """A double-quoted YAML scalar on one line."""
    return '"' + "".join(_escaped(char) for char in text) + '"'


def _escaped(char: str) -> str:
    if char in ('"', "\\"):
        return "\\" + char
    if char.isprintable():
        return char
    code = ord(char)
    return f"\\U{code:08x}" if code > 0xFFFF else f"\\u{code:04x}"


def _is_plain(value: str, *, number: bool) -> bool:
    """Whether YAML reads the value without quotes as it is meant, also between braces."""
    try:
        data = load_lined_yaml(f"{{k: {value}}}", "value").data
    except ConfigurationError:
        return False
    return bool(data == {"k": value} or (number and value.isdigit() and data == {"k": int(value)}))
