"""Experiments on logits: what leaves them alone (cache, chunks, pages, shifts) and what spoils them."""

from __future__ import annotations

from typing import Any

import numpy as np

from refcheck.errors import ReferenceInputError
from refcheck.reference.decoder import (
    Array,
    Cache,
    ContiguousCache,
    Counters,
    PagedCache,
    Sizes,
    forward,
    random_weights,
)
from refcheck.reference.experiments.measurement import CORRUPTED, TRACE, Result, Scalar
from refcheck.reference.loop import TOLERANCE, Fault, Outcome, Run, generate, prompt_tokens, relative


def _outcomes(seeds: int, **options: Any) -> list[Outcome]:
    if seeds < 1:
        raise ReferenceInputError(f"seeds is {seeds}; at least one is needed")
    return [generate(Run(seed=seed, **options)) for seed in range(seeds)]


def cached_equals_uncached(
    dtype: str = "float64", seeds: int = 5, prompt: int = 8, steps: int = 12, layers: int = 2, kv_heads: int = 2
) -> Result:
    """Cached and uncached steps give the same last row of logits, and the same token."""
    runs = _outcomes(seeds, dtype=dtype, prompt=prompt, steps=steps, sizes=Sizes(layers=layers, kv_heads=kv_heads))
    worst = max(outcome.worst for outcome in runs)
    flips = sum(step.agrees is False for outcome in runs for step in outcome.steps)
    values: dict[str, Scalar] = {"worst": worst, "tolerance": TOLERANCE[dtype], "argmax_mismatches": flips}
    return worst <= TOLERANCE[dtype] and not flips, values, f"relative error at most {worst:.1e} in {dtype}"


def chunked_equals_whole(dtype: str = "float64", seeds: int = 3, chunks: tuple[int, ...] = (1, 7, 16, 64)) -> Result:
    """Prefill in chunks leads to the same logits as prefill at once."""
    worst = 0.0
    for seed in range(seeds):
        whole = _prefilled(Run(seed=seed, dtype=dtype, prompt=70, steps=1), None)
        for chunk in chunks:
            part = _prefilled(Run(seed=seed, dtype=dtype, prompt=70, steps=1), chunk)
            worst = max(worst, relative(part, whole))
    return worst <= TOLERANCE[dtype], {"worst": worst, "tolerance": TOLERANCE[dtype]}, (
        f"relative error at most {worst:.1e} in {dtype} over chunks of {', '.join(map(str, chunks))}"
    )  # fmt: skip


def _prefilled(run: Run, chunk: int | None, cache: Cache | None = None) -> Array:
    """Logits (V,) after the prompt, in chunks or at once."""
    weights = random_weights(run.sizes, run.seed, run.dtype)
    tokens = np.asarray(prompt_tokens(run))
    cache = cache or ContiguousCache(run.sizes, run.prompt, weights.norm.dtype)
    size = chunk or run.prompt
    logits = [
        forward(run.sizes, weights, tokens[first : first + size], cache, Counters())
        for first in range(0, run.prompt, size)
    ]
    last: Array = logits[-1][-1]
    return last


def paged_equals_contiguous(
    dtype: str = "float64", seeds: int = 3, block_sizes: tuple[int, ...] = (1, 4, 16)
) -> Result:
    """A paged cache with shuffled blocks gives exactly the logits of a contiguous one."""
    equal = 0
    for seed in range(seeds):
        run = Run(seed=seed, dtype=dtype, prompt=20, steps=1)
        contiguous = _prefilled(run, 7)
        for size in block_sizes:
            paged = _prefilled(run, 7, PagedCache(run.sizes, 20, dtype, size, seed))
            equal += bool(np.array_equal(contiguous, paged))
    total = seeds * len(block_sizes)
    return equal == total, {"equal": equal, "of": total}, f"{equal} of {total} equal to the last bit"


def uniform_shift_harmless(dtype: str = "float64", seeds: int = 5) -> Result:
    """Every position shifted alike leaves the logits as they are: RoPE is relative."""
    worst = max(outcome.worst for outcome in _outcomes(seeds, dtype=dtype, fault="uniform"))
    return worst <= TOLERANCE[dtype], {"worst": worst, "tolerance": TOLERANCE[dtype]}, (
        f"relative error at most {worst:.1e} in {dtype}"
    )  # fmt: skip


def _fault(fault: Fault, seeds: int, steps: int, layers: int, limit: float) -> Result:
    runs = _outcomes(seeds, fault=fault, steps=steps, sizes=Sizes(layers=layers))
    least = min(outcome.least for outcome in runs)
    median = float(np.median([step.error for outcome in runs for step in outcome.decode]))
    diverged = sum(outcome.diverges for outcome in runs)
    first = {outcome.first_wrong for outcome in runs}
    values: dict[str, Scalar] = {
        "least": least, "median": median, "worst": max(outcome.worst for outcome in runs), "limit": limit,
        "diverged_seeds": diverged, "seeds": seeds,
        "first_wrong_step": min((f for f in first if f is not None), default=-1),
    }  # fmt: skip
    summary = (
        f"relative error at least {least:.1e} at every step, median {median:.1e}; {diverged} of {seeds} seeds diverge"
    )
    return least > limit, values, summary


def position_plus_one(seeds: int = 4, steps: int = 16, layers: int = 2) -> Result:
    """Decode positions equal to seq_lens instead of seq_lens - 1 spoil every step."""
    return _fault("+1", seeds, steps, layers, CORRUPTED)


def position_minus_one(seeds: int = 4, steps: int = 16, layers: int = 2) -> Result:
    """Decode positions one too small spoil every step."""
    return _fault("-1", seeds, steps, layers, CORRUPTED)


def position_frozen(seeds: int = 4, steps: int = 16, layers: int = 2) -> Result:
    """Decode positions that stay at the last prompt position spoil every step."""
    return _fault("frozen", seeds, steps, layers, CORRUPTED)


def k_only(seeds: int = 4, steps: int = 16, layers: int = 2) -> Result:
    """Only K at wrong positions spoils every step."""
    return _fault("k-only", seeds, steps, layers, CORRUPTED)


def q_only(seeds: int = 4, steps: int = 16, layers: int = 2) -> Result:
    """Only Q at wrong positions spoils every step."""
    return _fault("q-only", seeds, steps, layers, CORRUPTED)


def one_step(seeds: int = 4, steps: int = 16, layers: int = 2) -> Result:
    """One step at a wrong position spoils all later steps: the wrong K stays in the cache."""
    return _fault("one-step", seeds, steps, layers, TRACE)


def no_exception_and_shapes_match_under_fault(seeds: int = 2) -> Result:
    """A wrong position raises nothing and changes no shape: each step is like the right one but for its
    logits."""
    same = True
    for fault in ("+1", "-1", "frozen", "k-only", "q-only", "one-step"):
        for right, wrong in zip(_outcomes(seeds), _outcomes(seeds, fault=fault), strict=True):
            for a, b in zip(right.steps, wrong.steps, strict=True):
                same &= (a.query_len, a.seq_len, a.cached_tokens, a.kv_bytes, a.flops) == (
                    b.query_len, b.seq_len, b.cached_tokens, b.kv_bytes, b.flops,
                ) and b.error is not None and np.isfinite(b.error)  # fmt: skip
    return bool(same), {"same_shapes": bool(same)}, "no exception; shapes, FLOPs and bytes are those of the right run"


def no_causal(layers: int = 2, seeds: int = 4, steps: int = 12) -> Result:
    """Without the causal mask a reused cache gives other logits than a recomputation (from two layers on)."""
    runs = _outcomes(seeds, causal=False, steps=steps, sizes=Sizes(layers=layers))
    least, worst = min(o.least for o in runs), max(o.worst for o in runs)
    values: dict[str, Scalar] = {"least": least, "worst": worst, "limit": CORRUPTED, "layers": layers}
    return least > CORRUPTED, values, f"relative error {least:.1e} to {worst:.1e} with {layers} layers"
