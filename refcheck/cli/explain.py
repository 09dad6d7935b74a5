"""`refcheck explain`: what a finding's code means and what to do about it."""

from __future__ import annotations

import difflib
import json
import re

import click

from refcheck.errors import UsageError
from refcheck.model.codes import CODES, Code
from refcheck.model.verdict import CODES_OF, VERDICT_NAMES

SCHEMA = "refcheck-codes/1"


@click.command(
    "explain",
    short_help="What a finding's code means, and what to do.",
    epilog="""\b
Examples:
  refcheck explain RC104
  refcheck explain 301 302 --format json
  refcheck explain moved
""",
)
@click.argument("codes", nargs=-1, metavar="[CODE]...")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(["terminal", "json", "markdown"]),
    default="terminal",
    show_default=True,
    help="How to write it.",
)
def command(codes: tuple[str, ...], format_name: str) -> None:
    """Say what a finding's CODE (RC104, rc104 or 104) means and what to do; list all codes without one.

    A verdict (`moved`, `imprecise` …) lists the codes that it comes with.
    """
    listed = [codes_of_verdict(code) for code in codes]
    chosen = [code for text, some in zip(codes, listed, strict=True) for code in some or [find_code(text)]]
    chosen = chosen or list(CODES.values())
    if format_name == "json":
        entries = [
            {"id": c.id, "title": c.title, "meaning": c.meaning, "remedy": c.remedy, "example": c.example or None}
            for c in chosen
        ]
        click.echo(json.dumps({"schema": SCHEMA, "codes": entries}, indent=2))
    elif format_name == "markdown":
        click.echo("\n".join(markdown_of(code) for code in chosen), nl=False)
    elif codes and not all(listed):
        click.echo("\n\n".join(text_of(code) for code in chosen))
    else:
        for code in chosen:
            click.echo(f"{code.id}  {code.title}")
        click.echo("\n`refcheck explain CODE` says more.")


def codes_of_verdict(text: str) -> list[Code]:
    """The codes of a verdict's name; none for what is no verdict."""
    wanted = text.strip().lower()
    return [code for verdict, some in CODES_OF.items() if VERDICT_NAMES[verdict] == wanted for code in some]


def find_code(text: str) -> Code:
    """Raises refcheck.errors.UsageError, with the nearest known codes, for an unknown one."""
    match = re.fullmatch(r"(?:RC)?(\d{1,3})", text.strip(), re.IGNORECASE)
    if match:
        code = CODES.get(f"RC{int(match.group(1)):03d}")
        if code is not None:
            return code
    verdicts = difflib.get_close_matches(text.strip().lower(), VERDICT_NAMES.values(), n=1)
    if verdicts:
        raise UsageError(f"no such code or verdict: {text!r} (did you mean {verdicts[0]!r}?)")
    group = f"RC{int(match.group(1)) // 100}" if match else "RC"
    near = [known for known in CODES if known.startswith(group)] or list(CODES)
    shown = ", ".join(near)
    raise UsageError(f"no such code: {text!r} (known: {shown}); `refcheck explain` lists all")


def text_of(code: Code) -> str:
    """A few lines for a terminal of 80 columns."""
    parts = [f"{code.id}: {code.title}", "", *_wrapped(code.meaning), ""]
    parts += _wrapped(f"What to do: {code.remedy}")
    if code.example:
        parts += ["", "Example:", *(f"    {line}" for line in code.example.splitlines())]
    return "\n".join(parts)


def _wrapped(text: str) -> list[str]:
    """Lines of 78 characters; code between backticks is not broken."""
    import textwrap

    kept = re.sub(r"`[^`]*`", lambda m: m.group().replace(" ", "\x00"), text)
    return [line.replace("\x00", " ") for line in textwrap.wrap(kept, 78)]


def markdown_of(code: Code) -> str:
    """The rule's page."""
    example = f"\n```text\n{code.example}\n```\n" if code.example else ""
    return f"## {code.id}: {code.title}\n\n{code.meaning}\n\n**What to do:** {code.remedy}\n{example}"
