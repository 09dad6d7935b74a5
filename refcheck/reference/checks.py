"""What must hold of a run of the loop, each with what was measured."""

from __future__ import annotations

from dataclasses import dataclass, replace

from refcheck.reference.cost import Setting, value_in
from refcheck.reference.loop import TOLERANCE, Outcome, generate
from refcheck.reference.shapes import ModelShape


@dataclass(frozen=True, slots=True)
class Check:
    """One check: its name, whether it holds, and the measurement in words."""

    name: str
    holds: bool
    measured: str


def shape_of(outcome: Outcome) -> ModelShape:
    """The run's sizes as a shape of the cost model."""
    s = outcome.run.sizes
    return ModelShape("mini", s.layers, s.hidden, s.heads, s.kv_heads, s.head_dim, s.ffn, s.vocab)


def checks_of(outcome: Outcome) -> tuple[Check, ...]:
    """The checks of a run; the last one runs it again with every position shifted alike."""
    run, decode = outcome.run, outcome.decode
    limit = TOLERANCE[run.dtype]
    rows = {step.query_len for step in decode}
    at_end = sum(step.positions[-1] == step.seq_len - 1 for step in outcome.steps)
    last = outcome.steps[-1]
    element = 8 if run.dtype == "float64" else 4
    kv = last.cached_tokens * run.sizes.cached_elements_per_token * element
    counted, of = _counted(outcome, element)
    shifted = generate(replace(run, fault="uniform")).worst
    return (
        Check(
            "cached equals uncached",
            outcome.worst <= limit,
            f"relative error at most {outcome.worst:.1e}, tolerance {limit:.0e} ({run.dtype})",
        ),
        Check(
            "last position = seq_len - 1",
            at_end == len(outcome.steps),
            f"at {at_end} of {len(outcome.steps)} steps",
        ),
        Check("one query row per decode step", rows == {1}, f"rows: {', '.join(map(str, sorted(rows)))}"),
        Check(
            "only K and V are stored",
            last.kv_bytes == kv,
            f"{last.kv_bytes:,} bytes = 2·L·h_kv·d_h·b·s with s = {last.cached_tokens}",
        ),
        Check("counted FLOPs and bytes equal the formulas", counted == of, f"{counted} of {of} equal exactly"),
        Check(
            "a uniform shift of all positions is harmless",
            shifted <= limit or not run.causal,
            f"relative error at most {shifted:.1e}",
        ),
    )


def _counted(outcome: Outcome, element: int) -> tuple[int, int]:
    """How many of the counters equal the exact accounting, and of how many (causal runs count s (s + 1) / 2
    pairs)."""
    run = outcome.run
    setting = Setting(shape_of(outcome), prompt=run.prompt, steps=run.steps, accounting="exact", kv_bytes=element)
    pairs: list[tuple[object, object]] = []
    for step in outcome.decode:
        at = replace(setting, context=step.seq_len)
        pairs.append((step.flops, value_in("step_flops_cached", at).value))
        pairs.append((step.kv_bytes_written, value_in("kv_written_bytes", at).value))
        pairs.append((step.kv_bytes_read, value_in("kv_read_bytes", at).value))
        if run.causal:
            pairs.append((step.uncached_flops, value_in("step_flops_uncached", at).value))
    return sum(a == b for a, b in pairs), len(pairs)
