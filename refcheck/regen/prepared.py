"""All files of a run with their new content, made and checked before the first of them is replaced."""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..config.edition import Edition
from ..errors import UsageError
from ..model.document import Document
from ..model.tree import Tree
from .anchors import AnchorItem
from .edition_file import NewPin, copied_to, rewrite_edition
from .plan import Plan
from .rewrite import Rewritten, prepare


@dataclass(frozen=True, slots=True)
class Prepared:
    """What `rewrite.write_all` is to write, and what the user should know of it."""

    files: tuple[Rewritten, ...]
    notes: tuple[str, ...]


def prepare_all(
    documents: Sequence[Document],
    plan: Plan,
    edition: Edition | None,
    anchors: Sequence[AnchorItem],
    newer: Mapping[str, Tree],
    releases: Mapping[str, str],
    folder: Path,
) -> Prepared:
    """The documents with the plan's edits, and the edition with its new pins and places.

    `releases` are the versions that were asked for, by engine. A packaged edition is never changed: its files come as
    new ones in `folder`. Raises RewriteError and UsageError, before anything is written.
    """
    files = [prepare(document, edits) for document in documents if (edits := plan.edits(document.name))]
    notes: list[str] = []
    if edition is not None:
        pins = _pins(anchors, newer, releases, notes)
        # Lines of one pin next to the commit of another would be wrong: an engine's anchors change with its pin.
        moved = [item for item in anchors if item.anchor.engine in {pin.engine for pin in pins}]
        rewritten = rewrite_edition(edition, moved, pins, newer, datetime.date.today().isoformat()) if pins else ()
        if edition.packaged and any(one.changed for one in rewritten):
            try:
                rewritten = copied_to(folder, edition, rewritten)
                assert edition.path is not None
                notes.append(
                    f"the packaged edition is copied to {folder / edition.path.name} and changed there: "
                    "name the copy with --edition from now on"
                )
            except UsageError as error:
                notes.append(f"the edition is left: {error}")
                rewritten = ()
        files += rewritten
    for name, tree in newer.items():
        if files and tree.source.commit:
            notes.append(
                f"{name}: pages that name no revision stand at {tree.source.commit[:12]} now: --pin it next time"
            )
    return Prepared(tuple(files), tuple(notes))


def _pins(
    anchors: Sequence[AnchorItem], newer: Mapping[str, Tree], releases: Mapping[str, str], notes: list[str]
) -> list[NewPin]:
    """The new pins of the engines each of whose anchors has a place."""
    pins: list[NewPin] = []
    for name, tree in newer.items():
        if tree.source.commit is None:
            continue
        if any(item.new is None for item in anchors if item.anchor.engine == name):
            notes.append(f"{name}: the edition's pin and anchors are left until each of its anchors has a place")
            continue
        pins.append(NewPin(name, tree.source.commit, releases.get(name)))
    return pins
