"""`refcheck decode`: runs the mini decode loop and shows each step, what holds, and what a fault breaks."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

import click

from refcheck.cli.tables import show, show_json
from refcheck.errors import UsageError
from refcheck.model.table import Column, Table

if TYPE_CHECKING:
    from refcheck.reference.checks import Check
    from refcheck.reference.loop import Outcome, Step

SCHEMA = "refcheck-decode/1"

#: Head counts of the named shapes; everything else is the default size.
_SHAPES = {"gqa": (8, 2), "mqa": (8, 1), "mha": (8, 8)}
_FAULTS = ("+1", "-1", "frozen", "k-only", "q-only", "one-step", "uniform")

_COLUMNS = (
    "new: num_new_tokens, tokens of the request minus tokens computed. query: rows that enter the layers. pos: "
    "positions that K is turned by. no cache: FLOPs of an uncached forward. error: largest difference to its logits, "
    "relative to the largest of them."
)

_EPILOG = """\b
Examples:
  refcheck decode
  refcheck decode --shape mqa --prompt 20 --chunk 8 --block-size 4
  refcheck decode --fault positions=+1
  refcheck decode --fault positions=one-step --fault-at 3
  refcheck decode --no-causal --layers 1
  refcheck decode --format json
"""


@click.command("decode", short_help="The mini decode loop.", epilog=_EPILOG)
@click.option("--shape", type=click.Choice(list(_SHAPES)), default="gqa", show_default=True, help="Heads by name.")
@click.option("--layers", type=int, default=2, show_default=True, help="Decoder layers, L.")
@click.option("--hidden", type=int, default=32, show_default=True, help="Hidden size, d.")
@click.option("--heads", type=int, help="Query heads, h, instead of the shape's.")
@click.option("--kv-heads", type=int, help="KV heads, h_kv, instead of the shape's.")
@click.option("--head-dim", type=int, default=8, show_default=True, help="Head dimension, d_h; even.")
@click.option("--ffn", type=int, default=64, show_default=True, help="FFN size, d_ff.")
@click.option("--vocab", type=int, default=512, show_default=True, help="Vocabulary, V.")
@click.option("--prompt", type=int, default=8, show_default=True, help="Prompt tokens.")
@click.option("--steps", type=int, default=8, show_default=True, help="Decode forwards after prefill.")
@click.option("--chunk", type=int, help="Greatest num_new_tokens: prefill in chunks.")
@click.option("--block-size", type=int, help="Tokens per block: a paged cache with a shuffled block table.")
@click.option("--cache-tokens", type=int, help="Tokens that the cache holds.  [default: as many as needed]")
@click.option("--dtype", default="float64", show_default=True, help="float64 or float32.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of weights and prompt.")
@click.option("--fault", metavar="positions=KIND", help=f"Wrong positions: {', '.join(_FAULTS)}.")
@click.option("--fault-at", type=int, default=1, show_default=True, help="Decode step of the fault, or its first.")
@click.option("--no-causal", is_flag=True, help="Drop the causal mask, and reuse the cache all the same.")
@click.option(
    "--format", "format_name", type=click.Choice(["terminal", "json"]), default="terminal", show_default=True,
    help="How to write it.",
)  # fmt: skip
def command(
    shape: str, heads: int | None, kv_heads: int | None, fault: str | None, no_causal: bool, format_name: str,
    **options: Any,
) -> int:  # fmt: skip
    """Run a tiny Llama-shaped decoder with random weights, one forward per step, and compare each step with
    an uncached forward over the same tokens.

    Prefill, chunked prefill and decode are one code path: decode is the step where one token is new. A
    fault makes positions wrong and shows from which step and how far the logits are off;
    `positions=uniform` shifts all of them, which is harmless. The exit code is 1 where a check fails
    without a fault having been asked for.
    """
    from refcheck.reference.checks import checks_of
    from refcheck.reference.decoder import Sizes
    from refcheck.reference.loop import Run, generate

    by_name = _SHAPES[shape]
    sizes = Sizes(
        heads=by_name[0] if heads is None else heads,
        kv_heads=by_name[1] if kv_heads is None else kv_heads,
        **{name: options.pop(name) for name in ("layers", "hidden", "head_dim", "ffn", "vocab")},
    )
    run = Run(sizes=sizes, fault=_fault(fault), causal=not no_causal, **options)
    outcome = generate(run)
    checks = checks_of(outcome)
    if format_name == "json":
        show_json(_document(outcome, checks))
    else:
        show([_steps_table(outcome), _checks_table(outcome, checks)])
    asked_for = run.fault != "none" or not run.causal
    return 0 if asked_for or all(check.holds for check in checks) else 1


def _fault(text: str | None) -> Any:
    if text is None:
        return "none"
    what, _, kind = text.rpartition("=")
    if what not in ("", "positions") or kind not in _FAULTS:
        raise UsageError(f"--fault {text}: known are {', '.join(f'positions={kind}' for kind in _FAULTS)}")
    return kind


def _steps_table(outcome: Outcome) -> Table:
    run, sizes = outcome.run, outcome.run.sizes
    columns = tuple(
        Column(name, numeric=True)
        for name in ("step", "new", "query", "seq_len", "pos", "cached", "KV bytes", "FLOPs", "no cache", "error")
    )
    rows = tuple(
        (
            str(step.number) if step.is_decode else "prefill",
            f"{step.num_new_tokens}",
            f"{step.query_len}",
            f"{step.seq_len}",
            _span(step.positions),
            f"{step.cached_tokens}",
            f"{step.kv_bytes:,}",
            f"{step.flops:,}",
            "" if step.uncached_flops is None else f"{step.uncached_flops:,}",
            "" if step.error is None else f"{step.error:.0e}",
        )
        for step in outcome.steps
    )
    notes = [_COLUMNS]
    if run.block_size is not None:
        last = outcome.steps[-1]
        notes.append(f"blocks of {run.block_size}: position {last.seq_len - 1} went to slot {last.slots[-1]}")
    title = (
        f"L={sizes.layers} d={sizes.hidden} h={sizes.heads} h_kv={sizes.kv_heads} d_h={sizes.head_dim} "
        f"d_ff={sizes.ffn} V={sizes.vocab}, {run.dtype}, seed {run.seed}"
    )
    if run.fault != "none":
        title += f", fault positions={run.fault}"
    if not run.causal:
        title += ", no causal mask"
    return Table(title, columns, rows, tuple(notes))


def _checks_table(outcome: Outcome, checks: tuple[Check, ...]) -> Table:
    rows = tuple(("yes" if check.holds else "NO", check.name, check.measured) for check in checks)
    notes = []
    if outcome.first_wrong is not None:
        flip = outcome.first_flip
        tokens = "no token changes" if flip is None else f"the first other token is that of step {flip}"
        notes.append(
            f"Logits are wrong from decode step {outcome.first_wrong} on, by {outcome.least:.1e} to "
            f"{outcome.worst:.1e}; {tokens}. Nothing was raised, and no shape changed."
        )
    elif outcome.run.fault == "uniform":
        notes.append("Every position is shifted by one, and nothing is wrong: RoPE is relative.")
    return Table(
        "Checks", (Column("holds"), Column("check", wrap=True), Column("measured", wrap=True)), rows, tuple(notes)
    )


def _span(positions: tuple[int, ...]) -> str:
    return f"{positions[0]}" if len(positions) == 1 else f"{positions[0]}..{positions[-1]}"


def _document(outcome: Outcome, checks: tuple[Check, ...]) -> dict[str, Any]:
    run = asdict(replace(outcome.run))
    return {
        "schema": SCHEMA,
        "sizes": run.pop("sizes"),
        "run": run,
        "steps": [_step_json(step) for step in outcome.steps],
        "checks": [asdict(check) for check in checks],
        "tokens": list(outcome.tokens),
        "first_wrong_step": outcome.first_wrong,
        "first_other_token_step": outcome.first_flip,
        "worst_error": outcome.worst,
    }


def _step_json(step: Step) -> dict[str, Any]:
    return {**asdict(step), "phase": "decode" if step.is_decode else "prefill"}
