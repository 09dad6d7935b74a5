"""The command group: commands are modules of this package, imported when they are called."""

from __future__ import annotations

import os
import sys

import click

from .. import registry
from ..errors import RefcheckError

COMMANDS = {
    "verify": "check an edition's anchors and claims, or documents",
    "scan": "list the citations and quotes of documents, without any source",
    "locate": "say where the quoted code of documents stands",
    "regen": "rewrite line numbers and permalinks for another revision",
    "affected": "list the paragraphs whose cited code changed",
    "history": "say at which revisions each anchor and claim held",
    "fetch": "fill the store, for work without a network",
    "cite": "print the permalink and the SWHID of lines",
    "baseline": "record today's findings, so that only new ones fail",
    "explain": "say what a code means and what to do",
    "decode": "run the mini decode loop",
    "cost": "compute the cost model",
    "log": "check the KV pool lines of a startup log",
    "measure": "time cached against uncached generation (extra `transformers`)",
}
"""Every command with its line in the help: known without importing it."""

_HELP = """Checks what a page says about an inference engine's source (vLLM, SGLang) against that source.

\b
Examples:
  refcheck verify --sha a556f3f             the edition that pins this commit
  refcheck verify docs/ --pin vllm=v0.28.0  the citations of your own pages
  refcheck locate chapter.md --sha a556f3f  where its quoted code stands
  refcheck explain RC104                    what a finding means, what to do
  refcheck cost --model llama-3-8b          what decoding costs with a cache
"""


class LazyGroup(click.Group):
    """Knows its commands by name and imports a command's module when it is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        present = set(registry.names("refcheck.cli"))
        return [name for name in COMMANDS if name in present]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.list_commands(ctx):
            return None
        command = registry.load("refcheck.cli", cmd_name, "command")
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(ctx)])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        import difflib

        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = difflib.get_close_matches(args[0], COMMANDS, n=1)
            if near:
                raise click.UsageError(f"{error.message} Did you mean {near[0]!r}?", ctx) from error
            raise


def _version(ctx: click.Context, _param: click.Parameter, value: bool) -> None:
    if value:
        from .. import __version__

        click.echo(f"refcheck {__version__}")
        ctx.exit()


@click.group(
    cls=LazyGroup, help=_HELP, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100}
)
@click.option("--version", is_flag=True, callback=_version, expose_value=False, is_eager=True, help="Show the version.")
def cli() -> None:
    """See `_HELP`."""


def run(arguments: list[str]) -> int:
    """Runs the command line and turns every expected failure into one message and an exit code."""
    try:
        result = cli.main(args=arguments, prog_name="refcheck", standalone_mode=False)
        code = result if isinstance(result, int) else 0
        sys.stdout.flush()
        return code
    except click.exceptions.Exit as exit_:
        return exit_.exit_code
    except click.Abort:
        return _interrupted()
    except KeyboardInterrupt:
        return _interrupted()
    except click.ClickException as error:
        error.show(file=sys.stderr)
        return 2
    except RefcheckError as error:
        click.echo(f"refcheck: {error}", err=True)
        return error.exit_code
    except BrokenPipeError:
        # The reader of a pipe went away (`| head`): nothing is wrong, and Python must not complain at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _interrupted() -> int:
    click.echo("refcheck: interrupted", err=True)
    return 130
