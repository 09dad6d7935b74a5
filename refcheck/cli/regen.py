"""`refcheck regen`: new line numbers and permalinks for another revision, where they are certain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from ..errors import UsageError
from . import regen_steps as steps
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
    from ..model.document import Document
    from ..model.planned import PlannedRun
    from ..model.tree import Tree
    from ..regen.links import BranchLink
    from ..regen.plan import PlanItem


@click.command(
    "regen",
    help="""Plan the line numbers of documents and of an edition for another revision; --write rewrites what is certain.

Each citation is looked up at its own revision first. Line numbers are rewritten in every form that the document uses,
and commits in permalinks; what changed or went is left as it was and listed with the paragraph that depends on it.
The revision that a page or section says it is for is rewritten with its numbers, and the places that stay behind are
named; --together writes a page's citations without a revision of their own all or none. Pins of the settings and of
the edition are raised too.

--repair corrects numbers where the quoted text stands at other lines of the page's own revision; it and --pin-links
need no --to.

Where the engine's history is at hand (a clone with --source, a mirror), what the two revisions leave in doubt is
followed over the commits between.

\b
Examples:
  refcheck regen chapter.md --sha a556f3f --to vllm=release:0.33.0
  refcheck regen docs/ --pin vllm=COMMIT --to vllm=COMMIT2 --write
  refcheck regen docs/ --repair --write
  refcheck regen --edition my.yaml --to sglang=main --write
  refcheck regen --edition my.yaml --to vllm=main --accept ID --reason WHY

\b
Exit codes: 0 everything is certain; 1 something is left for a human;
2 usage; 3 unreachable.""",
)
@click.argument("documents", nargs=-1, metavar="[DOC]...")
@click.option("--to", "to", multiple=True, metavar="ENGINE=REV", help="The revision to go to.")
@source_options
@click.option("--write", is_flag=True, help="Rewrite the documents (and the edition that is given).")
@click.option("--together", is_flag=True, help="Rewrite a page's citations all or none.")
@click.option("--keep-head", is_flag=True, help="Leave what the page says of its revision, and write the numbers.")
@click.option("--pin-links", is_flag=True, help="Turn branch links into permalinks; without --to, as they stand.")
@click.option("--repair", is_flag=True, help="Correct numbers that a quote proves wrong at the page's own revision.")
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
    repair: bool,
    accept: tuple[str, ...],
    reason: str | None,
    allow_empty: bool,
    quiet: bool,
    format_name: str,
    **options: Any,
) -> int:
    """Returns the exit code."""
    from ..render.regen import regen_json, regen_text

    if accept and not (reason or "").strip():
        raise UsageError("--accept needs --reason: why the changed text still says what the page says")
    chosen = SourceOptions(**options)
    edition = choose_edition(chosen)
    given = documents or (() if chosen.sha or chosen.edition else configured_documents(project()))
    if not to and not (pin_links or repair):
        raise UsageError(
            "say where to go: --to ENGINE=REV; or give --repair (numbers that are wrong at their own revision) or "
            "--pin-links (links to a branch), which go nowhere else"
        )
    read = read_given(given, tell=True) if given else ()
    if not given:
        edition = need_edition(edition, "regen")
        if not to:
            raise UsageError("--repair and --pin-links without --to are for documents: name them")
    asked = _Asked(
        documents, write, together, keep_head, pin_links, repair, dict.fromkeys(accept, (reason or "").strip())
    )
    if to:
        run, nothing, left = _follow(asked, chosen, edition, read, to)
    else:
        run, nothing, left = _in_place(asked, chosen, edition, read)
    write_output(regen_json(run) if format_name == "json" else regen_text(run, quiet=quiet))
    if nothing and not allow_empty:
        announce("no citation of these engines was found in the documents")
        return 2
    return 1 if left else 0


@dataclass(frozen=True)
class _Asked:
    """What the user wants done."""

    documents: tuple[str, ...]
    write: bool
    together: bool
    keep_head: bool
    pin_links: bool
    repair: bool
    accepted: Mapping[str, str]


_Done: TypeAlias = "tuple[PlannedRun, bool, bool]"
"""The answer, whether there was nothing to follow, and whether something is left for a human."""


def _follow(
    asked: _Asked, chosen: SourceOptions, edition: Edition | None, read: tuple[Document, ...], to: Sequence[str]
) -> _Done:
    """From each page's own revision to the targets."""
    from ..config.engines import version_named
    from ..engine.request import VerifyRequest
    from ..engine.verify import verify
    from ..model.planned import PlannedRun
    from ..regen.anchors import plan_anchors
    from ..regen.links import branch_links
    from ..regen.plan import make_plan
    from ..regen.prepared import prepare_all
    from ..regen.repair import repaired
    from ..regen.rewrite import write_all
    from ..regen.standing import standings
    from ..regen.written import WrittenBefore
    from ..sources.store import cache_folder

    engines = project().engines
    targets = split_pairs(to, "--to", engines)
    # What the pages say of their revision counts as in `verify`; an edition found that way is read, not rewritten.
    of_pages = edition_of_pages(read) if edition is None and read and not chosen.pins else None
    older = make_trees(chosen, edition or of_pages, pages=read)
    missing = sorted(set(targets) - set(older.asked) - named_by_pages(read))
    if missing:
        raise UsageError(f"--to {missing[0]}: say where it comes from: --pin {missing[0]}=REV, --sha or --edition")
    newer, notes = steps.newer_trees(targets, chosen)
    versions = {name: found for name, rev in targets.items() if (found := version_named(engines[name], rev))}
    between = commit_paths(chosen.sources, offline=chosen.offline)
    try:
        older.open_pins()
        newer.open_pins()
        new_trees = {name: reader.tree for name, reader in newer.readers.items()}
        reached = {name: tree.source.read for name, tree in new_trees.items()}
        before = WrittenBefore(cache_folder())
        records = {page.name: before.record_of(page.digest) for page in read}
        done = {name: one.left for name, one in records.items() if reached.items() <= one.revisions.items()}
        report = verify(VerifyRequest(trees=older, edition=edition, documents=read, announce=announce, claims=False))
        cited = standings(read, report)
        if asked.repair:
            cited = repaired(cited)
        plan = make_plan(
            cited,
            {index: reader.tree for index, reader in enumerate(older.opened)},
            new_trees,
            pin_links=asked.pin_links,
            accepted=asked.accepted,
            partly=not asked.together,
            keep_head=asked.keep_head,
            commits_between=between,
            versions=versions,
            links=[link for page in read for link in branch_links(page, engines)] if asked.pin_links else (),
            ahead=steps.ahead(
                [one for one in cited if one.document.name not in done], older, newer, again=edition is not None
            ),
            written=done,
        )
        notes += [f"{name}: written for these revisions before; what was moved then stays" for name in sorted(done)]
        anchors = plan_anchors(edition, older, new_trees, asked.accepted, between) if edition is not None else ()
        notes += (
            *between.notes,
            *steps.mentions(read, plan, older, split_pairs(chosen.pins, "--pin", engines), targets),
        )
        steps.check_accepted(asked.accepted, plan, anchors)
        surprising = steps.surprises(read, cited, plan, report, newer, versions)
        written: tuple[str, ...] = ()
        if asked.write:
            named, outside = _writable(read, asked.documents)
            notes += outside
            releases = {
                name: rev.removeprefix(steps.RELEASE) for name, rev in targets.items() if rev.startswith(steps.RELEASE)
            }
            raised, said = steps.settings_pins(chosen, targets, new_trees, read, plan)
            notes += said if not outside else ()
            ready = prepare_all(
                named, plan, edition, anchors, new_trees, releases, Path.cwd(),
                leaning=steps.leaning(read, plan), together=asked.together, settings=raised if not outside else None,
            )  # fmt: skip
            written = write_all(ready.files)
            notes += ready.notes
            notes += steps.silent_pages(named, plan, written, new_trees, ready.pinned)
            before.record(
                (
                    (Path(page.name).read_bytes(), steps.left_numbers(page, plan))
                    for page in named
                    if page.name in written
                ),
                reached,
            )
        # Beside documents, only what stays behind, and is not a place of theirs.
        told = {(item.engine, item.old.path, item.old.lines) for item in plan.items if item.old is not None}
        beside = [
            a for a in anchors if not read or (a.new is None and (a.anchor.engine, a.old.path, a.old.lines) not in told)
        ]
        rows = (
            *steps.document_rows(plan), *steps.surprise_rows(surprising), *steps.anchor_rows(beside, new_trees),
        )  # fmt: skip
        run = PlannedRun(rows, older.sources, newer.sources, written, asked.write, tuple(notes), steps.heads_of(plan))
    finally:
        between.close()
        older.close()
        newer.close()
    left = bool(plan.for_a_human or surprising) or any(head.for_a_human for head in plan.heads)
    # An edition without anchors has a pin all the same.
    nothing = not rows and bool(read or edition is None)
    return run, nothing, left or any(item.new is None for item in anchors)


def _in_place(asked: _Asked, chosen: SourceOptions, edition: Edition | None, read: tuple[Document, ...]) -> _Done:
    """At each page's own revision: numbers that its quotes prove wrong (`--repair`), branch links (`--pin-links`)."""
    from ..engine.request import VerifyRequest
    from ..engine.verify import verify
    from ..model.planned import PlannedRun
    from ..regen.links import branch_links
    from ..regen.pinning import on_their_branch, pinning_plan
    from ..regen.plan import Plan
    from ..regen.prepared import prepare_all
    from ..regen.repair import repair_plan
    from ..regen.rewrite import write_all
    from ..regen.standing import standings

    if asked.together or asked.keep_head or asked.accepted:
        raise UsageError("--together, --keep-head and --accept need --to ENGINE=REV: nothing is followed without it")
    engines = project().engines
    of_pages = edition_of_pages(read) if edition is None and not chosen.pins else None
    trees = make_trees(chosen, edition or of_pages, pages=read)
    # Links of pages without any revision are read where they lead.
    pages = tuple(
        on_their_branch(page, set(engines) - set(trees.asked) - {name for name, _ in page.revisions})
        if asked.pin_links
        else page
        for page in read
    )
    notes: list[str] = []
    try:
        trees.open_pins()
        report = verify(VerifyRequest(trees=trees, edition=edition, documents=pages, announce=announce, claims=False))
        cited = standings(pages, report)
        items: list[PlanItem] = []
        if asked.repair:
            items += repair_plan(standings(read, report) if not asked.pin_links else cited).items
        if asked.pin_links:
            views = {page.name: trees.for_page(page) for page in read}

            def tree_of(link: BranchLink) -> Tree:
                view = views[link.document.name]
                return view.at(link.engine, None if link.engine in view.readers else link.branch).tree

            links = [link for page in read for link in branch_links(page, engines)]
            pinned = pinning_plan(
                read, cited, {index: reader.tree for index, reader in enumerate(trees.opened)}, links, tree_of
            )
            items += pinned.items
        plan = Plan(tuple(items))
        written: tuple[str, ...] = ()
        if asked.write:
            named, outside = _writable(read, asked.documents)
            notes += outside
            written = write_all(prepare_all(named, plan, None, (), {}, {}, Path.cwd()).files)
        rows = steps.document_rows(plan)
        run = PlannedRun(rows, trees.sources, (), written, asked.write, tuple(notes))
    finally:
        trees.close()
    return run, not rows, bool(plan.for_a_human)


def _writable(read: tuple[Document, ...], given: tuple[str, ...]) -> tuple[tuple[Document, ...], list[str]]:
    """The documents that may be written, and a note on each that may not."""
    outside = strays(read, given or written_out(project()))
    notes = [
        f"{name}: not written: a link that a pattern found leads out of the folder; name the file" for name in outside
    ]
    return tuple(document for document in read if document.name not in outside), notes
