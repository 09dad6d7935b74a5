"""All files of a run with their new content, made and checked before the first of them is replaced."""

from __future__ import annotations

import datetime
import os
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
from .settings_file import rewrite_settings


@dataclass(frozen=True, slots=True)
class SettingsPins:
    """The project's settings file, and what its pins become, by engine.

    `names_edition` says that the edition of the run is the one that it names.
    """

    file: Path
    pins: Mapping[str, str]
    names_edition: bool = False


@dataclass(frozen=True, slots=True)
class Prepared:
    """What `rewrite.write_all` is to write, and what the user should know of it.

    `pinned` are the engines whose new revision is written down in the edition or the settings.
    """

    files: tuple[Rewritten, ...]
    notes: tuple[str, ...]
    pinned: frozenset[str] = frozenset()


def prepare_all(
    documents: Sequence[Document],
    plan: Plan,
    edition: Edition | None,
    anchors: Sequence[AnchorItem],
    newer: Mapping[str, Tree],
    releases: Mapping[str, str],
    folder: Path,
    *,
    leaning: frozenset[str] = frozenset(),
    together: bool = False,
    settings: SettingsPins | None = None,
) -> Prepared:
    """The documents with the plan's edits, the edition with its new pins and places, and the settings' pins.

    `releases` are the versions that were asked for, by engine. A packaged edition is never changed: its files come as
    new ones in `folder`. An edition's pin is raised where one of its anchors has a place, or pages that name no
    revision do (`leaning`, by engine); with `together` it waits until each of its anchors has one. Raises RewriteError
    and UsageError, before anything is written.
    """
    files = [prepare(document, edits) for document in documents if (edits := plan.edits(document.name))]
    notes: list[str] = []
    pinned: set[str] = set()
    named: str | None = None
    if edition is not None:
        pins = _pins(edition, anchors, newer, releases, leaning, together, notes)
        # Lines of one pin next to the commit of another would be wrong: an engine's anchors change with its pin.
        moved = [item for item in anchors if item.anchor.engine in {pin.engine for pin in pins}]
        rewritten = rewrite_edition(edition, moved, pins, newer, datetime.date.today().isoformat()) if pins else ()
        pinned = {pin.engine for pin in pins}
        if edition.packaged and any(one.changed for one in rewritten):
            try:
                rewritten = copied_to(folder, edition, rewritten)
                assert edition.path is not None
                copy = folder / edition.path.name
                said = f"the packaged edition is copied to {copy} and changed there"
                if settings is not None and settings.names_edition:
                    named = Path(os.path.relpath(copy, settings.file.parent)).as_posix()
                    notes.append(f"{said}; {settings.file.name} names the copy now")
                else:
                    notes.append(f"{said}: name the copy with --edition from now on")
            except UsageError as error:
                notes.append(f"the edition is left: {error}")
                rewritten, pinned, named = (), set(), None
        files += rewritten
    if settings is not None and (settings.pins or named):
        one = rewrite_settings(settings.file, settings.pins, named)
        pinned |= set(settings.pins)
        if one.changed:
            files.append(one)
            for name, value in settings.pins.items():
                notes.append(
                    f"{settings.file.name}: the pin of {name} says {value} now, for pages that name no revision"
                )
    return Prepared(tuple(files), tuple(notes), frozenset(pinned))


def _pins(
    edition: Edition,
    anchors: Sequence[AnchorItem],
    newer: Mapping[str, Tree],
    releases: Mapping[str, str],
    leaning: frozenset[str],
    together: bool,
    notes: list[str],
) -> list[NewPin]:
    """The new pins of the engines; anchors without a certain place stay behind and are named."""
    pins: list[NewPin] = []
    for name, tree in newer.items():
        old, commit = edition.pin(name), tree.source.commit
        if old is None:
            continue
        if commit is None:
            notes.append(f"{name}: {tree.source.read} is not known as a commit: the edition's pin and anchors are left")
            continue
        mine = [item for item in anchors if item.anchor.engine == name]
        behind = [item.anchor.id for item in mine if item.new is None]
        if behind and (together or (len(behind) == len(mine) and name not in leaning)):
            when = "each" if together else "one"
            notes.append(f"{name}: the edition's pin and anchors are left until {when} of its anchors has a place")
            continue
        if behind and old.commit != commit:
            still = "anchors still are those" if len(behind) > 1 else "anchor still is that"
            notes.append(
                f"{edition.name}: the pin of {name} says {commit[:12]} now; {len(behind)} {still} of {old.commit[:12]} "
                f"and {'need' if len(behind) > 1 else 'needs'} a human (--accept takes one that changed): "
                + ", ".join(behind)
            )
        pins.append(NewPin(name, commit, releases.get(name)))
    return pins
