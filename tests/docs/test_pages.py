"""The pages for users: generated parts are current, links and anchors exist, commands parse, and those that need no
network run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import click
import pytest
from markdown_it import MarkdownIt

from refcheck.cli.group import COMMANDS, cli
from tools.generate_docs import PARTS, anchor, pages, regenerated, same

ROOT = Path(__file__).resolve().parents[2]
PAGES = [
    *pages(),
    ROOT / "ARCHITECTURE.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    ROOT / "examples" / "docs-ci" / "README.md",
]
_NAMES = [page.relative_to(ROOT).as_posix() for page in PAGES]
_OPERATORS = {"|", "&&", "||", ";", "2>&1", "\\"}


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_the_generated_parts_are_up_to_date(page: Path) -> None:
    assert same(page.read_text(encoding="utf-8"), regenerated(page)), "run: python -m tools.generate_docs"


def test_a_part_that_is_not_closed_or_not_known_is_an_error(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- generated: codes -->\n", encoding="utf-8")
    with pytest.raises(ValueError, match="not closed"):
        regenerated(page)
    page.write_text("<!-- generated: kodes -->\n<!-- /generated -->\n", encoding="utf-8")
    with pytest.raises(ValueError, match="kodes"):
        regenerated(page)
    page.write_text("a\n<!-- generated: codes -->\nwas here\n<!-- /generated -->\nb\n", encoding="utf-8")
    assert "RC104: range wider" in regenerated(page)
    assert "was here" not in regenerated(page)


def test_rounding_errors_are_no_difference_and_other_figures_are() -> None:
    assert same("error  5.1e-16 ──", "error 4e-16 ─")
    assert not same("1,280 rows", "1,281 rows")
    assert set(PARTS) >= {"codes", "fields", "file", "command"}


def _anchors(page: Path) -> set[str]:
    found: set[str] = set()
    tokens = MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8"))
    for token, following in pairwise(tokens):
        if token.type == "heading_open":
            name = anchor("".join(c.content for c in following.children or () if c.type in ("text", "code_inline")))
            number = 1
            unique = name
            while unique in found:
                unique, number = f"{name}-{number}", number + 1
            found.add(unique)
    return found


def _links(page: Path) -> list[str]:
    tokens = MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))
    inline = [child for token in tokens for child in token.children or ()]
    return [
        str(child.attrs.get("href") or child.attrs.get("src"))
        for child in inline
        if child.type in ("link_open", "image")
    ]


@pytest.mark.parametrize("page", PAGES, ids=_NAMES)
def test_every_relative_link_and_anchor_exists(page: Path) -> None:
    broken = []
    for link in _links(page):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, name = link.partition("#")
        target = page if not path else (page.parent / path).resolve()
        if not target.exists() or (name and name not in _anchors(target)):
            broken.append(link)
    assert broken == []


def test_every_page_is_in_the_index_and_links_are_found() -> None:
    index = _links(ROOT / "docs" / "README.md")
    assert {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"} <= set(index)
    assert len(index) > 9
    assert "rc104-range-wider-than-the-quote" in _anchors(ROOT / "docs" / "codes.md")


def _fenced(page: Path) -> list[str]:
    tokens = MarkdownIt("commonmark").parse(page.read_text(encoding="utf-8"))
    return [token.content for token in tokens if token.type in ("fence", "code_block")]


def _commands(text: str) -> list[list[str]]:
    """The `refcheck …` command lines of a text, without what a shell does around them."""
    found = []
    for line in text.replace("\\\n", " ").splitlines():
        line = re.sub(r"^\s*run: ", "", line)
        if not re.search(r"(?:^|[\s|&/])refcheck\s", line) or not re.match(r"\s*(?:\$ )?[\w./~$]+ ", line):
            continue
        try:
            words = shlex.split(line.strip().removeprefix("$ "), comments=True)
        except ValueError:
            continue
        for start, word in enumerate(words):
            first = start == 0 or words[start - 1] in _OPERATORS
            if word.rsplit("/", 1)[-1] == "refcheck" and first and len(words) > start + 1:
                arguments = []
                for argument in words[start + 1 :]:
                    if argument in _OPERATORS or argument.startswith(">"):
                        break
                    arguments.append(argument)
                found.append(arguments)
    return found


def _check(arguments: list[str]) -> str | None:
    """What is wrong with a command line; None if it parses. Files need not exist."""
    name, *rest = arguments
    if name.startswith("-"):
        return None if name in ("--version", "--help") else f"no option {name}"
    if name not in COMMANDS:
        return f"no command {name}"
    context = click.Context(cli)
    command = cli.get_command(context, name)
    if command is None:
        return None  # named in the help of a later version; test_every_command_is_there says so
    inner = click.Context(command, parent=context)
    try:
        values, _, _ = command.make_parser(inner).parse_args(list(rest))
        for parameter in command.params:
            given = values.get(parameter.name)
            if isinstance(parameter.type, click.Choice) and isinstance(given, str):
                parameter.type.convert(given, parameter, inner)
    except click.UsageError as error:
        return error.format_message()
    return None


def _all_commands() -> list[tuple[str, list[str]]]:
    found = [(name, c) for page, name in zip(PAGES, _NAMES, strict=True) for b in _fenced(page) for c in _commands(b)]
    for path in sorted((ROOT / "examples" / "docs-ci").glob("*.yml")):
        found += [(path.name, one) for one in _commands(path.read_text(encoding="utf-8"))]
    context = click.Context(cli)
    for name in cli.list_commands(context):
        command = cli.get_command(context, name)
        assert command is not None
        text = f"{command.help}\n{command.epilog or ''}"
        found += [(f"refcheck {name} --help", one) for one in _commands(text)]
    return found


ALL = _all_commands()


def test_command_lines_are_found_where_they_stand() -> None:
    assert len(ALL) > 60
    assert ("README.md", ["verify", "--sha", "a556f3f"]) in ALL
    assert _commands("vllm serve x 2>&1 | refcheck log - --model m  # why") == [["log", "-", "--model", "m"]]
    assert _commands("refcheck: edition\nnothing to refcheck here") == []


@pytest.mark.parametrize(("where", "arguments"), ALL, ids=[f"{where}: {shlex.join(words)}" for where, words in ALL])
def test_every_command_line_parses(where: str, arguments: list[str]) -> None:
    assert _check(arguments) is None


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("verify --pni x=y", "--pni"),
        ("verfy x", "verfy"),
        ("verify --color red", "red"),
        ("cite --format sarif a", "sarif"),
    ],
)
def test_a_wrong_command_line_is_noticed(line: str, wrong: str) -> None:
    assert wrong in (_check(shlex.split(line)) or "")


_RUN = [words for _, words in ALL if words[0] in ("decode", "explain", "cost") and "path/to" not in " ".join(words)]


@pytest.mark.parametrize("arguments", [list(words) for words in dict.fromkeys(map(tuple, _RUN))], ids=shlex.join)
def test_what_needs_no_network_runs(arguments: list[str], tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "refcheck", *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_a_sample_is_scanned(tmp_path: Path) -> None:
    page = tmp_path / "chapter.html"
    page.write_text("<p>See <code>vllm/v1/request.py:40-52</code>.</p>", encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "refcheck", "scan", "chapter.html"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "vllm/v1/request.py:L40-L52" in done.stdout


@pytest.mark.parametrize("name", ["", *cli.list_commands(click.Context(cli))])
def test_the_help_fits_80_columns_and_says_what_each_option_does(name: str) -> None:
    context = click.Context(cli, info_name="refcheck", max_content_width=80, terminal_width=80)
    command: click.Command | None = cli
    if name:
        command = cli.get_command(context, name)
        context = click.Context(command or cli, info_name=name, parent=context, terminal_width=80)
    assert command is not None
    text = command.get_help(context)
    assert [line for line in text.splitlines() if len(line) > 80] == []
    silent = [p.name for p in command.params if isinstance(p, click.Option) and not p.help and p.name != "help"]
    assert silent == []


def test_every_command_of_the_pages_is_there() -> None:
    """README and docs name no command that does not exist."""
    present = set(cli.list_commands(click.Context(cli)))
    named = {words[0] for where, words in ALL if where != "CHANGELOG.md" and not words[0].startswith("-")}
    missing = named - present
    if missing <= {"regen", "affected"} and missing:
        pytest.skip(f"not built yet: {', '.join(sorted(missing))}")
    assert missing == set()
