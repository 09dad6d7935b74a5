"""What the commands that read engines share: options, the edition, and the trees of the run."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..config.edition import Edition, EditionPin
from ..config.editions import describe_editions, edition_by_commit, find_edition, packaged_editions
from ..config.engines import Engine
from ..config.project import Project, find_project
from ..errors import UsageError

if TYPE_CHECKING:
    from ..engine.commit_paths import CommitPaths
    from ..engine.trees import PinChoice, Trees
    from ..model.document import Document
    from ..model.tree import Tree

_F = TypeVar("_F", bound=Callable[..., Any])
_COMMIT = re.compile(r"[0-9a-f]{7,40}")


def _with(function: _F, *options: Callable[[Any], Any]) -> _F:
    """The options, in the order in which `--help` shows them."""
    for option in reversed(options):
        function = option(function)
    return function


def edition_options(function: _F) -> _F:
    """The options that say which edition."""
    return _with(
        function,
        click.option("--sha", metavar="PREFIX", help="The edition whose pins contain this commit (4 digits or more)."),
        click.option("--edition", metavar="NAME|FILE", help="A packaged edition, or an edition file."),
    )


def place_options(where: str) -> Callable[[_F], _F]:
    """The options that say where from: `where` is what `--source` reads, and in what."""

    def add(function: _F) -> _F:
        return _with(
            function,
            click.option("--source", "sources", multiple=True, metavar="ENGINE=PATH", help=where),
            click.option("--offline", is_flag=True, help="Use the store and local sources only."),
        )

    return add


def format_option(function: _F) -> _F:
    """`--format` of the commands that have a text and a JSON form."""
    option = click.option(
        "--format",
        "format_name",
        type=click.Choice(["terminal", "json"]),
        default="terminal",
        show_default=True,
        help="How to write it.",
    )
    return _with(function, option)


def source_options(function: _F) -> _F:
    """The options that say which edition, which revisions, and where from."""
    return _with(
        function,
        edition_options,
        click.option(
            "--pin",
            "pins",
            multiple=True,
            metavar="ENGINE=REV",
            help="The revision of what names none itself: a commit, tag, branch, or release:VERSION. Overrides the "
            "edition's pin, not what a page says of itself.",
        ),
        click.option(
            "--source",
            "sources",
            multiple=True,
            metavar="ENGINE=PATH",
            help="Read the engine's files from a clone, a mirror or a folder.",
        ),
        click.option("--exact", is_flag=True, help="Refuse the nearest release where the commit cannot be had."),
        click.option("--offline", is_flag=True, help="Use the store and local sources only."),
    )


@dataclass(frozen=True)
class SourceOptions:
    """The values of `source_options`."""

    sha: str | None = None
    edition: str | None = None
    pins: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    exact: bool = False
    offline: bool = False
    against: tuple[str, ...] = ()


def announce(message: str) -> None:
    """Progress, to standard error."""
    click.echo(f"refcheck: {message}", err=True)


def split_pairs(pairs: Sequence[str], option: str, engines: Mapping[str, Engine]) -> dict[str, str]:
    """`ENGINE=VALUE` pairs. Raises UsageError for another form, an unknown engine, or an engine named twice."""
    found: dict[str, str] = {}
    for pair in pairs:
        engine, equals, value = pair.partition("=")
        if not equals or not engine or not value:
            raise UsageError(f"{option} {pair!r}: want ENGINE=VALUE, for instance {option} vllm=v0.28.0")
        if engine not in engines:
            raise UsageError(f"{option} {pair!r}: unknown engine {engine!r} (known: {', '.join(engines)})")
        if engine in found:
            raise UsageError(f"{option}: {engine} is named twice")
        found[engine] = value
    return found


@cache
def project() -> Project:
    """The settings of the project that the command is run in."""
    return find_project(Path.cwd())


def choose_edition(options: SourceOptions) -> Edition | None:
    """The edition that `--edition` or `--sha` names, else the project's; None without any."""
    if options.edition and options.sha:
        edition = find_edition(options.edition)
        return edition_by_commit(options.sha, [edition])
    if options.edition:
        return find_edition(options.edition)
    if options.sha:
        return edition_by_commit(options.sha, packaged_editions())
    configured = project().edition
    return find_edition(configured) if configured else None


def edition_of_pages(pages: Sequence[Document]) -> Edition | None:
    """The packaged edition whose pins the pages' own heads name (`vllm <b>a556f3f</b>`), if it is one.

    None where a page names none of them: what one page says of its revision is not another's.
    """
    texts = [page for page in pages if page.citations or page.quotes_by_content]
    found = next(filter(None, map(_edition_of, texts)), None)
    if found is None:
        return None
    first, edition = found
    others = [page.name for page in texts if (own := _edition_of(page)) is None or own[1].name != edition.name]
    if others:
        announce(f"{first}, edition {edition.name}; its claims are left out, for {others[0]} is not (--edition)")
        return None
    announce(f"{first}: edition {edition.name}")
    return edition


def _edition_of(page: Document) -> tuple[str, Edition] | None:
    """What a page says of its revision, as a sentence, and the packaged edition of that."""
    for engine, rev in page.revisions:
        if not _COMMIT.fullmatch(rev):
            continue
        for edition in packaged_editions():
            pin = edition.pin(engine)
            if pin is not None and pin.commit.startswith(rev):
                return f"{page.name} is for {engine} {rev}", edition
    return None


def need_edition(edition: Edition | None, command: str) -> Edition:
    """Raises UsageError listing the editions where none was chosen."""
    if edition is None:
        raise UsageError(
            f"`refcheck {command}` needs documents, or an edition: --edition NAME or --sha PREFIX; "
            + describe_editions(packaged_editions())
        )
    return edition


def pin_choices(
    options: SourceOptions,
    edition: Edition | None,
    engines: Mapping[str, Engine],
    pages: Sequence[Document] = (),
) -> dict[str, PinChoice]:
    """The revision that the run reads for each engine where a page names none: `--pin`, else the edition's."""
    from ..engine.trees import PinChoice
    from ..sources.wanted import UNKNOWN_PIN

    chosen: dict[str, PinChoice] = {}
    for pin in edition.pins if edition else ():
        if pin.engine not in engines:
            raise UsageError(f"edition {edition.name if edition else ''} pins an unknown engine {pin.engine!r}")
        option = "--edition" if options.edition else "--sha" if options.sha else ""
        chosen[pin.engine] = PinChoice(engines[pin.engine], pin.commit, pin.nearest_release, named=option)
    if not options.sha and not options.edition:
        for name, rev in project().pins.items():
            chosen[name] = PinChoice(engines[name], rev, None)
    for name, rev in split_pairs(options.pins, "--pin", engines).items():
        chosen[name] = PinChoice(engines[name], rev, None, named="--pin")
    for name, rev in split_pairs(options.against, "--against", engines).items():
        if name in split_pairs(options.pins, "--pin", engines):
            raise UsageError(f"{name} has --pin and --against: give one of the two")
        chosen[name] = PinChoice(engines[name], rev, None, explicit=True, named="--against")
    for name, path in split_pairs(options.sources, "--source", engines).items():
        if name not in chosen:
            declared = [dict(page.revisions).get(name) for page in pages]
            if is_repository(Path(path).expanduser()) and None not in declared and pages:
                continue  # each page says what is to be read in the clone
            one = declared[0] if len(set(declared) - {None}) == 1 and None not in declared else None
            chosen[name] = PinChoice(engines[name], one or UNKNOWN_PIN)
    return chosen


NO_REVISION = (
    "no revision is known: the pages name none. Give --pin ENGINE=REV (for instance --pin vllm=v0.28.0), "
    "--edition NAME or --sha PREFIX"
)


def without_revision(pages: Sequence[Document], trees: Trees) -> bool:
    """Whether nothing at all says what is to be read: no pin of the run, no page, and no citation."""
    return bool(pages) and not trees.asked and not named_by_pages(pages)


def named_by_pages(pages: Sequence[Document]) -> set[str]:
    """The engines that pages or citations name a revision of."""
    declared = {engine for page in pages for engine, _ in page.revisions}
    cited = {one.engine for page in pages for one in page.citations if one.engine and (one.rev or one.inherited_rev)}
    return declared | cited


def make_trees(
    options: SourceOptions,
    edition: Edition | None,
    *,
    only: frozenset[str] | None = None,
    pages: Sequence[Document] = (),
) -> Trees:
    """The trees of the run (those of the engines `only`, if given), not yet opened."""
    from ..engine.trees import Trees
    from ..sources.open import open_all
    from ..sources.wanted import Options, Wanted

    engines = project().engines
    local = local_sources(options.sources)
    settings = Options(exact=options.exact, offline=options.offline, announce=announce)
    pins = pin_choices(options, edition, engines, pages)
    if only is not None:
        pins = {name: choice for name, choice in pins.items() if name in only}
    known = tuple(pin.commit for pin in edition.pins) if edition else ()

    def wanted(choice: PinChoice) -> Wanted:
        source = local.get(choice.engine.name)
        # A folder stands for the run's pin, not for what a citation names besides.
        if source is not None and pins.get(choice.engine.name) is not choice and not is_repository(source):
            source = None
        pin = _pin_named(choice.engine.name, choice.rev, edition) if choice.written else None
        if pin is None:
            return Wanted(choice.engine, choice.rev, choice.nearest_release, source, pins=known, written=choice.written)
        # The pin that the user wrote out stands in sooner than a release that is only near.
        instead = pins.get(choice.engine.name)
        nearest = None if instead is not None and instead.named == "--pin" else pin.nearest_release
        return Wanted(choice.engine, pin.commit, nearest, source)

    def opener(choices: Sequence[PinChoice]) -> Mapping[str, Tree]:
        return open_all([wanted(choice) for choice in choices], settings)

    return Trees(pins, opener, engines)


def _pin_named(engine: str, rev: str, edition: Edition | None) -> EditionPin | None:
    """The pin of the edition, or of a packaged one, that a page names in full or abbreviated."""
    if not _COMMIT.fullmatch(rev):
        return None
    for one in (edition, *packaged_editions()):
        pin = one.pin(engine) if one is not None else None
        if pin is not None and pin.commit.startswith(rev):
            return pin
    return None


def local_sources(pairs: Sequence[str]) -> dict[str, Path]:
    """Engine -> the folder or clone that it is read from: `--source`, else the project's. Raises UsageError."""
    named = split_pairs(pairs, "--source", project().engines)
    return {name: Path(path).expanduser() for name, path in {**project().sources, **named}.items()}


def is_repository(path: Path) -> bool:
    """Whether a `--source` is a clone or mirror, which holds more than one revision."""
    return (path / ".git").exists() or (path / "objects").is_dir()


def commit_paths(pairs: Sequence[str], *, offline: bool) -> CommitPaths:
    """What looks at the commits between two trees, in clones (the `--source` pairs) and mirrors; close it after use."""
    from ..engine.commit_paths import CommitPaths
    from ..sources.wanted import Options

    clones = {name: path for name, path in local_sources(pairs).items() if is_repository(path)}
    return CommitPaths(project().engines, clones, Options(offline=offline, announce=announce), announce)


@dataclass(frozen=True, slots=True)
class Terminal:
    """How text is laid out on standard output: 80 columns and no colour where it is no terminal."""

    width: int
    color: bool
    encoding: str

    @classmethod
    def of_output(cls) -> Terminal:
        import shutil

        shown = sys.stdout.isatty()
        return cls(
            width=shutil.get_terminal_size((80, 24)).columns if shown else 80,
            color=shown and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb",
            encoding=sys.stdout.encoding or "utf-8",
        )


def write_output(text: str) -> None:
    """To standard output, in what encoding it has; signs that it lacks become `?` instead of an error.

    Raises UsageError where it cannot be written (a full disk); a reader that went away is no error.
    """
    data = text if text.endswith("\n") or not text else text + "\n"
    encoding = sys.stdout.encoding or "utf-8"
    try:
        sys.stdout.write(data.encode(encoding, "replace").decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        # What is left in the buffer cannot be written at exit either.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise UsageError(f"standard output cannot be written: {error.strerror or error}") from error
