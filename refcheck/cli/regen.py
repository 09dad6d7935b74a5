"""`refcheck regen`: new line numbers and permalinks for another revision, where they are certain."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..errors import SourceError, UsageError
from .documents import configured_documents, read_given, strays, written_out
from .setup import (
    SourceOptions,
    announce,
    choose_edition,
    commit_paths,
    edition_of_pages,
    format_option,
    make_trees,
    named_by_pages,
    need_edition,
    project,
    source_options,
    split_pairs,
    write_output,
)

if TYPE_CHECKING:
    from ..config.edition import Edition
    from ..engine.trees import Trees
    from ..model.document import Document
    from ..model.planned import Planned
    from ..model.tree import Tree
    from ..regen.anchors import AnchorItem
    from ..regen.plan import Plan

RELEASE = "release:"


@click.command(
    "regen",
    help="""Plan the line numbers of documents and of an edition for another revision; --write rewrites what is certain.

Each citation is looked up at its own revision first. Line numbers are rewritten in every form that the document uses,
and commits in permalinks; what changed or went is left as it was and listed with the paragraph that depends on it.
Where all of a page's places are certain, the commit that the page says it is for is rewritten too; --together writes
a page's citations without a revision of their own all or none.

Where the engine's history is at hand (a clone with --source, a mirror), what the two revisions leave in doubt is
followed over the commits between.

\b
Examples:
  refcheck regen chapter.md --sha a556f3f --to vllm=release:0.33.0
  refcheck regen docs/ --pin vllm=COMMIT --to vllm=COMMIT2 --write
  refcheck regen --edition my.yaml --to sglang=main --write
  refcheck regen --edition my.yaml --to vllm=main --accept ID --reason WHY

\b
Exit codes: 0 everything is certain; 1 something is left for a human;
2 usage; 3 unreachable.""",
)
@click.argument("documents", nargs=-1, metavar="[DOC]...")
@click.option("--to", "to", multiple=True, required=True, metavar="ENGINE=REV", help="The revision to go to.")
@source_options
@click.option("--write", is_flag=True, help="Rewrite the documents (and the edition that is given).")
@click.option("--together", is_flag=True, help="Rewrite a page's citations all or none.")
@click.option("--keep-head", is_flag=True, help="Rewrite numbers though the page's own revision is not changed.")
@click.option("--pin-links", is_flag=True, help="Turn branch links into permalinks.")
@click.option("--accept", multiple=True, metavar="ID", help="Take a changed place after reading it; needs --reason.")
@click.option("--reason", metavar="TEXT", help="Why the changed places are taken; kept in the edition.")
@click.option("--allow-empty", is_flag=True, help="Succeed where no citation is there to follow.")
@click.option("--quiet", "-q", is_flag=True, help="Show only what a human has to read.")
@format_option
def command(
    documents: tuple[str, ...],
    to: tuple[str, ...],
    write: bool,
    together: bool,
    keep_head: bool,
    pin_links: bool,
    accept: tuple[str, ...],
    reason: str | None,
    allow_empty: bool,
    quiet: bool,
    format_name: str,
    **options: Any,
) -> int:
    """Returns the exit code."""
    from ..config.engines import version_named
    from ..engine.request import VerifyRequest
    from ..engine.verify import verify
    from ..model.planned import PlannedRun
    from ..regen.anchors import plan_anchors
    from ..regen.links import branch_links
    from ..regen.plan import make_plan
    from ..regen.prepared import prepare_all
    from ..regen.rewrite import write_all
    from ..regen.standing import standings
    from ..regen.written import WrittenBefore
    from ..render.regen import regen_json, regen_text
    from ..sources.store import cache_folder

    if accept and not (reason or "").strip():
        raise UsageError("--accept needs --reason: why the changed text still says what the page says")
    engines = project().engines
    targets = split_pairs(to, "--to", engines)
    chosen = SourceOptions(**options)
    edition = choose_edition(chosen)
    given = documents or (() if chosen.sha or chosen.edition else configured_documents(project()))
    read = read_given(given, tell=True) if given else ()
    if not given:
        edition = need_edition(edition, "regen")
    # What the pages say of their revision counts as in `verify`; an edition found that way is read, not rewritten.
    of_pages = edition_of_pages(read) if edition is None and read and not chosen.pins else None
    older = make_trees(chosen, edition or of_pages, pages=read)
    missing = sorted(set(targets) - set(older.asked) - named_by_pages(read))
    if missing:
        raise UsageError(f"--to {missing[0]}: say where it comes from: --pin {missing[0]}=REV, --sha or --edition")
    newer, notes = _newer_trees(targets, chosen, edition)
    versions = {name: found for name, rev in targets.items() if (found := version_named(engines[name], rev))}
    accepted = dict.fromkeys(accept, (reason or "").strip())
    between = commit_paths(chosen.sources, offline=chosen.offline)
    try:
        older.open_pins()
        newer.open_pins()
        new_trees = {name: reader.tree for name, reader in newer.readers.items()}
        report = verify(VerifyRequest(trees=older, edition=edition, documents=read, announce=announce, claims=False))
        plan = make_plan(
            standings(read, report),
            {index: reader.tree for index, reader in enumerate(older.opened)},
            new_trees,
            pin_links=pin_links,
            accepted=accepted,
            partly=not together,
            keep_head=keep_head,
            commits_between=between,
            versions=versions,
            links=[link for page in read for link in branch_links(page, engines)] if pin_links else (),
        )
        reached = {name: tree.source.read for name, tree in new_trees.items()}
        before = WrittenBefore(cache_folder())
        done = {
            document.name
            for document in read
            if (known := before.revisions(document.digest)) and reached.items() <= known.items()
        }
        notes += [f"{name}: written for these revisions before; it is left as it is" for name in sorted(done)]
        anchors = plan_anchors(edition, older, new_trees, accepted, between) if edition is not None else ()
        notes += (*between.notes, *_mentions(read, plan, older, split_pairs(chosen.pins, "--pin", engines), targets))
        _check_accepted(accepted, plan, anchors)
        written: tuple[str, ...] = ()
        if write:
            outside = strays(read, documents or written_out(project()))
            for name in outside:
                notes.append(f"{name}: not written: a link that a pattern found leads out of the folder; name the file")
            named = tuple(document for document in read if document.name not in {*outside, *done})
            releases = {name: rev.removeprefix(RELEASE) for name, rev in targets.items() if rev.startswith(RELEASE)}
            ready = prepare_all(named, plan, edition, anchors, new_trees, releases, Path.cwd())
            notes += ready.notes
            written = write_all(ready.files)
            before.record((Path(d.name).read_bytes() for d in named if d.name in written), reached)
        # Beside documents, only what keeps the edition's pin where it is, and is not a place of theirs.
        told = {(item.engine, item.old.path, item.old.lines) for item in plan.items if item.old is not None}
        beside = [
            a for a in anchors if not read or (a.new is None and (a.anchor.engine, a.old.path, a.old.lines) not in told)
        ]
        rows = (*_document_rows(plan), *_anchor_rows(beside, new_trees))
        run = PlannedRun(rows, older.sources, newer.sources, written, write, tuple(notes))
    finally:
        between.close()
        older.close()
        newer.close()
    write_output(regen_json(run) if format_name == "json" else regen_text(run, quiet=quiet))
    # An edition without anchors has a pin all the same.
    if not rows and not allow_empty and (read or edition is None):
        announce("no citation of these engines was found in the documents")
        return 2
    left = any(item.new is None for item in anchors)
    return 1 if plan.for_a_human or left else 0


def _newer_trees(targets: Mapping[str, str], chosen: SourceOptions, edition: Edition | None) -> tuple[Trees, list[str]]:
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


def _mentions(
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


def _check_accepted(accepted: Mapping[str, str], plan: Plan, anchors: tuple[AnchorItem, ...]) -> None:
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


def _document_rows(plan: Plan) -> tuple[Planned, ...]:
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


def _anchor_rows(anchors: Sequence[AnchorItem], newer: Mapping[str, Tree]) -> tuple[Planned, ...]:
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
