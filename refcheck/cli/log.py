"""`refcheck log`: checks the KV pool lines of a startup log against the size formula."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import IO

import click

from refcheck.cli.tables import show, show_json
from refcheck.errors import UsageError
from refcheck.model.table import Column, Table
from refcheck.reference.cost import DTYPE_BYTES
from refcheck.reference.shapes import model_shape
from refcheck.reference.startup_log import Finding, Pool, check_log

SCHEMA = "refcheck-log/1"

_EPILOG = """\b
Examples:
  refcheck log server.log --model llama-3-8b
  vllm serve ... 2>&1 | refcheck log - --model path/to/config.json --tp 2
  refcheck log sglang.log --model llama-3-8b --kv-dtype fp8 --format json
"""


@click.command("log", short_help="KV pool lines of a startup log.", epilog=_EPILOG)
@click.argument("file", type=click.File("r", encoding="utf-8", errors="replace"))
@click.option("--model", metavar="NAME|CONFIG", required=True, help="The served model: a name, or a config.json.")
@click.option("--max-model-len", type=click.IntRange(min=1), help="Greatest request length, if the log does not say.")
@click.option("--tp", type=click.IntRange(min=1), default=1, show_default=True, help="Tensor parallel ranks.")
@click.option("--block-size", type=click.IntRange(min=1), help="Tokens per block.  [default: 16, SGLang 1]")
@click.option(
    "--kv-dtype",
    type=click.Choice(list(DTYPE_BYTES)),
    metavar="DTYPE",
    help="Type of the KV cache (bf16, fp8 …).  [default: bf16, or as SGLang says]",
)
@click.option(
    "--format", "format_name", type=click.Choice(["terminal", "json"]), default="terminal", show_default=True,
    help="How to write it.",
)  # fmt: skip
def command(
    file: IO[str], model: str, max_model_len: int | None, tp: int, block_size: int | None, kv_dtype: str | None,
    format_name: str,
) -> int:  # fmt: skip
    """Read a vLLM or SGLang startup log (FILE, or - for a pipe) and check its KV pool lines.

    Says what is verified (tokens times bytes per token against the figure in bytes), what is true by
    construction (tokens divided by the greatest length gives the concurrency), and what the log leaves out.
    The exit code is 1 where a line differs from the formula.
    """
    shape = model_shape(model)
    if shape.mla is None and (shape.heads % tp or (shape.kv_heads % tp and tp % shape.kv_heads)):
        heads = f"{shape.heads} query heads and {shape.kv_heads} KV heads"
        raise UsageError(f"--tp {tp}: {shape.name} has {heads}, which so many ranks cannot share; choose a divisor")
    kv_bytes = None if kv_dtype is None else DTYPE_BYTES[kv_dtype]
    expected = Pool(shape, kv_bytes, tp, block_size, max_model_len)
    path = getattr(file, "name", "-")  # a pipe may have no name
    name = "standard input" if path in ("-", "<stdin>") else str(Path(path))
    findings = check_log(file, expected, name=name)
    differs = any(finding.kind == "differs" for finding in findings)
    if format_name == "json":
        show_json(
            {
                "schema": SCHEMA,
                "log": name,
                "model": shape.name,
                "findings": [{**asdict(finding), "line": finding.line or None} for finding in findings],
                "differs": differs,
            }
        )
    else:
        rows = tuple((finding.kind, str(finding.line or ""), _what(finding)) for finding in findings)
        columns = (Column("finding"), Column("line", numeric=True), Column("what", wrap=True))
        show([Table(f"{name}: KV pools of {shape.name}, tp {tp}", columns, rows)])
    return int(differs)


def _what(finding: Finding) -> str:
    return f"[{finding.source}] {finding.text}" if finding.source else finding.text
