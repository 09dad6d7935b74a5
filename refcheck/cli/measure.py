"""`refcheck measure`: cached against uncached generation with the installed transformers."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from refcheck.cli.tables import show, show_json
from refcheck.model.table import Column, Table
from refcheck.reference.measure import DTYPES, Measured, measure

SCHEMA = "refcheck-measure/1"

_EPILOG = """\b
Examples:
  refcheck measure
  refcheck measure --new-tokens 256 --dtype bfloat16
  refcheck measure --checkpoint path/to/SmolLM2-135M
  refcheck measure --config path/to/config.json --format json
"""


@click.command("measure", short_help="Time cached against uncached generation.", epilog=_EPILOG)
@click.option("--checkpoint", type=click.Path(path_type=Path), metavar="DIR", help="A checkpoint on disk.")
@click.option("--config", type=click.Path(path_type=Path), metavar="FILE", help="A config.json; weights are random.")
@click.option("--new-tokens", type=int, default=128, show_default=True, help="Tokens to generate.")
@click.option("--prompt-tokens", type=int, default=16, show_default=True, help="Random tokens to start from.")
@click.option("--batch", type=int, default=1, show_default=True, help="Sequences.")
@click.option("--dtype", type=click.Choice(DTYPES), default="float32", show_default=True, help="Type of the weights.")
@click.option("--seed", type=int, default=7, show_default=True, help="Seed of weights and prompt.")
@click.option("--threads", type=int, default=1, show_default=True, help="CPU threads.")
@click.option(
    "--format", "format_name", type=click.Choice(["terminal", "json"]), default="terminal", show_default=True,
    help="How to write it.",
)  # fmt: skip
def command(format_name: str, **options: Any) -> int:
    """Generate with and without a KV cache on the CPU and compare tokens and time (extra `transformers`).

    Without --checkpoint or --config a small Llama-shaped model with random weights is used; nothing is
    fetched. The exit code is 1 where float32 or float64 tokens differ, or the cached key has another shape
    than [batch, h_kv, seq, d_h]. In float16 and bfloat16 ties between tokens may fall either way.
    """
    found = measure(**options)
    shape_right = found.key_shape == found.expected_key_shape
    must_agree = found.dtype in ("float32", "float64")
    if format_name == "json":
        document = {"schema": SCHEMA, **asdict(found), "ratio": found.ratio, "key_shape_right": shape_right}
        show_json(document)
    else:
        show([_table(found, shape_right)])
    return int(not shape_right or (must_agree and not found.tokens_equal))


def _table(found: Measured, shape_right: bool) -> Table:
    equal = "equal" if found.tokens_equal else f"differ from new token {found.first_difference} on"
    rows = (
        ("model", f"{found.model}, {found.dtype}"),
        ("with cache", f"{found.cached_s:.2f} s for {found.new_tokens} tokens"),
        ("without cache", f"{found.uncached_s:.2f} s for {found.new_tokens} tokens"),
        ("ratio", f"{found.ratio:.2f}x, warm-up excluded"),
        ("tokens", equal),
        ("layer-0 key", f"{list(found.key_shape)}, [batch, h_kv, seq, d_h] is {list(found.expected_key_shape)}"),
        ("read as", f"{found.accessor} ({found.cache_class})"),
        ("as a tuple", "[0][0] works" if found.tuple_index_works else "[0][0] does not work any more"),
        ("versions", f"transformers {found.transformers}, torch {found.torch}"),
    )
    notes = ["The ratio is of this CPU and these sizes, no prediction for a GPU."]
    if not shape_right:
        notes.append("The key's shape is not the expected one.")
    return Table("Generation with and without a KV cache", (Column(""), Column("", wrap=True)), rows, tuple(notes))
