"""`refcheck history`: at which revisions each anchor and claim held."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..errors import UsageError
from .setup import (
    SourceOptions,
    Terminal,
    announce,
    choose_edition,
    edition_options,
    format_option,
    local_sources,
    need_edition,
    place_options,
    project,
    split_pairs,
    write_output,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ..config.edition import Edition
    from ..config.engines import Engine
    from ..history.moments import Timeline
    from ..history.units import Beside
    from ..sources.wanted import Options

RELEASE = "release:"


@click.command(
    "history",
    help="""Say at which revisions of an engine each anchor and claim of an edition held, and where it stopped.

With --releases, every release of the range is judged. With --from and --to, every commit on the way (on the engine's
main line) that changed what a check looks at; this needs the history: a clone or mirror (--source), or the remote.
Without --from, the way begins at the edition's pin.

An anchor holds where its text stands unchanged at the edition's lines; it is `moved` where the text stands intact at
other lines, or in another file or definition. A claim about the cited lines is judged as written.

\b
Examples:
  refcheck history --sha a556f3f --engine vllm --releases 0.27.1..0.33.0
  refcheck history --sha a556f3f --engine vllm --from v0.27.1 --to main
  refcheck history --edition my.yaml --engine vllm --to main
  refcheck history --sha a556f3f --engine sglang --releases 0.5.17.. -q""",
)
@click.option("--engine", required=True, metavar="ENGINE", help="The engine to look at.")
@click.option("--releases", metavar="A..B", help="Releases of the package index; A.. goes to the newest.")
@click.option(
    "--from", "older", metavar="REV", help="The older revision: a commit, tag or branch. Without it, the edition's pin."
)
@click.option("--to", "newer", metavar="REV", help="The newer revision.")
@edition_options
@click.option("--only", multiple=True, metavar="ID", help="Only this anchor or claim; any number of times.")
@place_options("Read the engine's history from a clone or mirror.")
@format_option
@click.option("--quiet", "-q", is_flag=True, help="Show only what did not hold throughout.")
@click.option("--jobs", type=click.IntRange(1, 16), default=1, show_default=True, help="Processes that share the work.")
def command(
    engine: str,
    releases: str | None,
    older: str | None,
    newer: str | None,
    sha: str | None,
    edition: str | None,
    only: tuple[str, ...],
    sources: tuple[str, ...],
    offline: bool,
    format_name: str,
    quiet: bool,
    jobs: int,
) -> int:
    """Exit code 0: what stopped is the answer, not a failure; 2 for bad arguments or nothing to judge."""
    from ..history.judge import Task, judge, table
    from ..history.units import units_of
    from ..render.history import history_json, history_text
    from ..sources.wanted import Options

    engines = project().engines
    if engine not in engines:
        raise UsageError(f"--engine {engine!r}: unknown engine (known: {', '.join(engines)})")
    chosen = need_edition(choose_edition(SourceOptions(sha, edition)), "history")
    if only:
        chosen = chosen.only(frozenset(only))
    units = units_of(chosen, engine, engines[engine].source_roots)
    if not units:
        raise UsageError(f"edition {chosen.name} has no anchor or claim about {engine}: there is nothing to judge")
    named = split_pairs(sources, "--source", engines)
    local = local_sources(sources)
    options = Options(offline=offline, announce=announce)
    if releases is not None and engine in named:
        announce("--releases are read from the package index; --source is for --from and --to")
    timeline = _timeline(engines[engine], releases, older, newer, local.get(engine), options, chosen)
    pin = chosen.pin(engine)
    beside = partial(_open_beside, chosen, engine, dict(engines), local, offline)
    task = Task(units, timeline, beside, pin.commit if pin else None)
    if jobs > 1:
        import multiprocessing
        from concurrent.futures import ProcessPoolExecutor

        with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as executor:
            judged = judge(task, executor, jobs)
    else:
        judged = judge(task, announce=announce)
    result = table(judged, engine, chosen.name)
    if format_name == "json":
        write_output(history_json(result))
        return 0
    layout = Terminal.of_output()
    write_output(history_text(result, width=layout.width, color=layout.color, encoding=layout.encoding, quiet=quiet))
    return 0


def _timeline(
    engine: Engine,
    releases: str | None,
    older: str | None,
    newer: str | None,
    source: Path | None,
    options: Options,
    edition: Edition,
) -> Callable[[], Timeline]:
    """What opens the revisions. Raises UsageError for arguments that name none."""
    from ..history.releases import choose_releases
    from ..sources.history import releases as listed
    from ..sources.revisions import resolve

    if releases is None and older and newer and older.startswith(RELEASE) and newer.startswith(RELEASE):
        releases, older, newer = f"{older.removeprefix(RELEASE)}..{newer.removeprefix(RELEASE)}", None, None
    if releases is not None:
        if older or newer:
            raise UsageError("give either --releases A..B, or --from REV and --to REV")
        versions = choose_releases(releases, listed(engine, options), engine.name)
        return partial(_open_releases, engine, versions, options.offline)
    pin = edition.pin(engine.name)
    begins = older or (pin.commit if pin is not None else None)
    if not begins or not newer:
        raise UsageError("which revisions? --from REV and --to REV, or --releases A..B")
    for name, rev in (("--from", begins), ("--to", newer)):
        if rev.startswith(RELEASE):
            raise UsageError(f"{name} {rev}: releases lie on no line of commits; give two, or the tag of this one")
    pins = [pin.commit for pin in edition.pins]
    ends = []
    for rev in (begins, newer):
        found = resolve(engine, rev, options, pins=pins, source=source)
        if found.rev != rev:
            announce(f"{engine.name}: {rev} is {found.rev}")
        ends.append(found.rev)
    if ends[0] == ends[1] and not older:
        announce(f"{engine.name}: the edition's pin is {newer} already")
    elif ends[0] == ends[1]:
        raise UsageError(f"--from and --to are the same commit {ends[0]}: there is no way between them")
    return partial(_open_commits, engine, ends[0], ends[1], options.offline, source)


# What a worker in another process calls: it makes its own options, which are bound to a process.


def _open_releases(engine: Engine, versions: tuple[str, ...], offline: bool) -> Timeline:
    from ..history.releases import Releases
    from ..sources.wanted import Options

    return Releases(engine, versions, Options(offline=offline, announce=announce))


def _open_commits(engine: Engine, older: str, newer: str, offline: bool, source: Path | None) -> Timeline:
    from ..history.commits import Commits
    from ..sources.wanted import Options

    return Commits(engine, older, newer, Options(offline=offline, announce=announce), source)


def _open_beside(
    edition: Edition, engine: str, engines: Mapping[str, Engine], local: Mapping[str, Path], offline: bool
) -> Beside:
    from ..history.beside import engines_beside, open_beside
    from ..sources.wanted import Options

    names = engines_beside(edition, engine)
    return open_beside(edition, names, engines, local, Options(offline=offline, announce=announce))
