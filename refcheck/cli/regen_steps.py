"""The steps of `refcheck regen`: the trees to go to, what was found there, and the rows of the answer."""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import SourceError, UsageError
from .documents import configured_documents, read_given
from .setup import SourceOptions, announce, make_trees, project, split_pairs

if TYPE_CHECKING:
    from ..engine.trees import Trees
    from ..model.document import Document
    from ..model.planned import Planned, PlannedHead
    from ..model.report import Finding, Report
    from ..model.tree import Tree
    from ..regen.ahead import Together
    from ..regen.anchors import AnchorItem
    from ..regen.plan import Plan
    from ..regen.prepared import SettingsPins
    from ..regen.standing import Standing

RELEASE = "release:"


def newer_trees(targets: Mapping[str, str], chosen: SourceOptions) -> tuple[Trees, list[str]]:
    """The trees to go to. A release is read as its tag's commit where that can be had: permalinks need one."""
    from ..sources.revisions import resolve
    from ..sources.wanted import Options

    engines = project().engines
    notes: list[str] = []
    pins: list[str] = []
    for name, rev in targets.items():
        version = rev.removeprefix(RELEASE)
        if rev != version and not chosen.offline:
            tag = engines[name].tag.format(version=version)
            try:
                rev = resolve(engines[name], tag, Options(announce=announce)).rev
            except SourceError:
                notes.append(
                    f"{name}: the tag {tag} cannot be resolved, so lines are rewritten; permalinks and pins are left"
                )
        pins.append(f"{name}={rev}")
    options = SourceOptions(pins=tuple(pins), sources=_clones(chosen.sources), offline=chosen.offline)
    return make_trees(options, None, only=frozenset(targets)), notes


def mentions(
    read: Sequence[Document], plan: Plan, older: Trees, pins: Mapping[str, str], targets: Mapping[str, str]
) -> Iterator[str]:
    """Where a page that is rewritten names the older release in its first paragraphs, and nobody knows as what."""
    from ..config.engines import version_named
    from ..regen.together import mentioned

    engines = project().engines
    revs = {*pins.items(), *((source.engine, rev) for source in older.sources for rev in (source.pin, source.read))}
    left = {
        (engine, version)
        for engine, rev in revs
        if engine in targets and (version := version_named(engines[engine], rev)) is not None
    }
    for page in read:
        for engine, version in sorted(left):
            if plan.edits(page.name) and (found := mentioned(page, engine, version)) is not None:
                yield (
                    f"{page.name}:{found[0]} says {found[1]}, which is not read as the revision of the page: "
                    "see whether it changes with the numbers"
                )


def _clones(sources: tuple[str, ...]) -> tuple[str, ...]:
    """The `--source` pairs that hold more than one revision; a plain folder stands for the old pin alone."""
    from .setup import is_repository

    return tuple(pair for pair in sources if is_repository(Path(pair.partition("=")[2]).expanduser()))


def check_accepted(accepted: Mapping[str, str], plan: Plan, anchors: tuple[AnchorItem, ...]) -> None:
    from ..model.verdict import Changed

    known = {item.id: item.verdict for item in plan.items} | {item.anchor.id: item.verdict for item in anchors}
    taken = {item.id for item in plan.items if item.new is not None} | {
        a.anchor.id for a in anchors if a.new is not None
    }
    for name in accepted:
        if name not in known:
            raise UsageError(f"--accept {name}: no citation or anchor of that id in this plan")
        if not isinstance(known[name], Changed):
            raise UsageError(f"--accept {name}: its place is not changed but: {known[name].message}")
        if name not in taken:
            raise UsageError(
                f"--accept {name}: it cannot be taken: {known[name].message}, so that no place continues it; "
                "write the new place by hand"
            )


def document_rows(plan: Plan) -> tuple[Planned, ...]:
    from ..model.planned import Planned

    return tuple(
        Planned(
            id=item.id,
            document=item.document,
            line=item.line,
            column=item.column,
            engine=item.engine,
            old=item.old,
            new=item.new,
            verdict=item.verdict,
            candidates=item.candidates,
            rewritten=item.rewritten,
            left=item.left,
            paragraph=item.paragraph,
            at_birth=item.at_birth,
            accepted=item.accepted,
        )
        for item in plan.items
    )


def anchor_rows(anchors: Sequence[AnchorItem], newer: Mapping[str, Tree]) -> tuple[Planned, ...]:
    from ..model.planned import Planned
    from ..model.verdict import candidates_of

    return tuple(
        Planned(
            id=item.anchor.id,
            document=None,
            line=None,
            column=None,
            engine=item.anchor.engine,
            old=item.old,
            new=item.new,
            verdict=item.verdict,
            candidates=candidates_of(item.verdict),
            rewritten=item.moved and newer[item.anchor.engine].source.commit is not None,
            at_birth=item.at_birth,
            accepted=item.accepted,
        )
        for item in anchors
    )


def surprise_rows(found: Sequence[Finding]) -> tuple[Planned, ...]:
    """What writing makes wrong although no number leads to it, as rows for a human."""
    from ..model.planned import Planned

    return tuple(
        Planned(
            id=one.id,
            document=one.document,
            line=one.line,
            column=one.column,
            engine=one.engine,
            old=one.cited,
            new=None,
            verdict=one.verdict,
            left="wrong once the numbers around it are written, and no number of its own leads to it",
        )
        for one in found
    )


def heads_of(plan: Plan) -> tuple[PlannedHead, ...]:
    """The declared revisions of a plan, as answers show them."""
    from ..model.planned import PlannedHead

    return tuple(
        PlannedHead(
            head.document,
            head.line,
            head.engine,
            head.says,
            head.now,
            head.why,
            tuple(f"{item.document}:{item.line}:{item.column}" for item in head.behind),
        )
        for head in plan.heads
    )


def at_the_newer(trees: Trees) -> Trees:
    """The same trees as what every page is judged at, whatever it says of itself."""
    from ..engine.trees import Trees

    opened = {name: reader.tree for name, reader in trees.readers.items()}
    pins = {name: replace(choice, explicit=True) for name, choice in trees.pins.items() if name in opened}
    again = Trees(
        pins, lambda choices: {one.engine.name: opened[one.engine.name] for one in choices}, project().engines
    )
    again.open_pins()
    return again


def ahead(cited: Sequence[Standing], older: Trees, newer: Trees, *, again: bool) -> Mapping[Together, str]:
    """The groups of citations that seem to be of the newer revision already, each with the reason.

    `again` says that `cited` were judged with an edition, which would speak for its own revision.
    """
    from ..engine.request import VerifyRequest
    from ..engine.verify import verify
    from ..regen.ahead import doubted, groups_ahead, in_doubt, proved, without_revisions
    from ..regen.standing import standings

    doubtful = in_doubt(cited)
    pages = {one.document.name: one.document for one in cited if one.document.name in doubtful}
    if not pages or not newer.readers:
        return {}
    there = at_the_newer(newer)

    def judged(wanted: Sequence[Standing]) -> tuple[Standing, ...]:
        bare = tuple(without_revisions(page, wanted) for page in pages.values())
        return standings(bare, verify(VerifyRequest(there, None, bare, announce=announce, claims=False)))

    if again:
        as_read = tuple(pages.values())
        cited = standings(as_read, verify(VerifyRequest(older, None, as_read, announce=announce, claims=False)))
    # Most pages have no place that fits there alone, and then no other place has to be looked at.
    found = judged(doubted(cited))
    if not any(one.proved for one in found):
        return {}
    return groups_ahead(cited, (*found, *judged(proved(cited))))


def surprises(
    read: Sequence[Document],
    cited: Sequence[Standing],
    plan: Plan,
    before: Report,
    newer: Trees,
    versions: Mapping[str, str],
) -> tuple[Finding, ...]:
    """What would be wrong on the pages after writing, and is no place that the plan leaves to a human."""
    from ..engine.request import VerifyRequest
    from ..engine.verify import verify
    from ..regen.after import not_named, pages_after

    commits = {name: reader.tree.source.commit for name, reader in newer.readers.items()}
    fitting = {(one.document.name, one.citation.span) for one in cited if one.proved}
    compared = {
        page.name: frozenset(
            number
            for number, one in enumerate(page.citations)
            if one.quote is not None or (page.name, one.span) in fitting
        )
        for page in read
    }
    pages = pages_after(read, plan, project().engines, commits, versions, compared)
    if not any(page.citations or page.quotes_by_content for page in pages):
        return ()
    report = verify(VerifyRequest(trees=at_the_newer(newer), documents=pages, announce=announce, claims=False))
    return not_named(read, plan, before, report)


def left_numbers(document: Document, plan: Plan) -> tuple[int, ...]:
    """The numbers of a document's citations, counted from 0, that a plan leaves to a human."""
    left = {(item.line, item.column) for item in plan.for_a_human if item.document == document.name}
    return tuple(
        number for number, citation in enumerate(document.citations) if document.position(citation.span.start) in left
    )


def settings_pins(
    chosen: SourceOptions, targets: Mapping[str, str], new: Mapping[str, Tree], read: Sequence[Document], plan: Plan
) -> tuple[SettingsPins | None, tuple[str, ...]]:
    """What the pins of the settings become, if the run took the older revision from there; and notes.

    They are those of every page that names no revision: they are left where one of them was not among the documents,
    or stays behind as a whole.
    """
    from ..regen.prepared import SettingsPins
    from ..regen.together import OTHERS_LEFT

    settings = project()
    if settings.file is None or chosen.sha or chosen.edition:
        return None, ()
    named = split_pairs(chosen.pins, "--pin", settings.engines)
    pins: dict[str, str] = {}
    notes: list[str] = []
    others: tuple[Document, ...] | None = None
    silent = _silent(read, targets)
    for name, rev in targets.items():
        old = settings.pins.get(name)
        if old is None or named.get(name, old) != old:
            continue
        mine = [item for item in plan.items if item.engine == name and (item.document, name) in silent]
        held = any(item.left == OTHERS_LEFT for item in mine)
        if held or (mine and all(item.new is None or item.left for item in mine)):
            notes.append(f"{settings.file.name}: the pin of {name} stays {old}: it is that of what is left")
            continue
        if others is None:
            others = _not_given(read)
        elsewhere = [page.name for page in others if _names_none(page, name)]
        if elsewhere:
            notes.append(
                f"{settings.file.name}: the pin of {name} stays {old}, for {', '.join(elsewhere[:5])} name no revision "
                "and are not among the documents: run it on all of them"
            )
            continue
        pins[name] = _lasting(name, old, rev, new[name])
    return SettingsPins(settings.file, pins, settings.edition is not None), tuple(notes)


def _lasting(name: str, old: str, rev: str, tree: Tree) -> str:
    """A target as it is written down in the place of `old`: a release or tag for such, else the commit that it was."""
    from ..config.engines import version_named

    engine, commit = project().engines[name], tree.source.commit
    version = version_named(engine, rev)
    if commit is None:
        return rev
    if version is None or version_named(engine, old) is None:
        return commit
    return f"{RELEASE}{version}" if old.startswith(RELEASE) else engine.tag.format(version=version)


def _not_given(read: Sequence[Document]) -> tuple[Document, ...]:
    """The documents of the settings that this run did not read."""
    mine = {os.path.realpath(page.name) for page in read}
    configured = configured_documents(project())
    pages = read_given(configured) if configured else ()
    return tuple(page for page in pages if os.path.realpath(page.name) not in mine)


def _names_none(page: Document, engine: str) -> bool:
    """Whether the page has citations of the engine at a revision that it does not name."""
    from ..regen.together import declared_revision

    return any(
        one.engine in (engine, None)
        and one.lines is not None
        and (one.rev is None or one.unpinned)
        and declared_revision(page, one, engine) is None
        for one in page.citations
    )


def _silent(read: Sequence[Document], engines: Iterable[str]) -> frozenset[tuple[str, str]]:
    """(page, engine) where the page has citations of the engine at a revision that it does not name."""
    names = tuple(engines)
    return frozenset((page.name, name) for page in read for name in names if _names_none(page, name))


def leaning(read: Sequence[Document], plan: Plan) -> frozenset[str]:
    """The engines of which a page that names no revision has a place at the newer one."""
    silent = _silent(read, project().engines)
    return frozenset(
        item.engine
        for item in plan.items
        if item.engine and item.new is not None and not item.left and (item.document, item.engine) in silent
    )


def silent_pages(
    read: Sequence[Document], plan: Plan, written: Sequence[str], new: Mapping[str, Tree], pinned: frozenset[str]
) -> Iterator[str]:
    """For pages that were written, name no revision, and whose new one is written down nowhere: what to run next."""
    for name, tree in new.items():
        planned = {item.document for item in plan.items if item.engine == name}
        pages = [p.name for p in read if p.name in written and p.name in planned and _names_none(p, name)]
        if not pages or name in pinned:
            continue
        shown = ", ".join(pages[:5]) + (f" and {len(pages) - 5} more" if len(pages) > 5 else "")
        rev = tree.source.commit or tree.source.pin
        command = shlex.join(["refcheck", "verify", *pages[:5], "--pin", f"{name}={rev}"])
        one = "names" if len(pages) == 1 else "name"
        yield f"{shown} {one} no revision of {name}: the next run has to be given --pin {name}={rev}: {command}"
