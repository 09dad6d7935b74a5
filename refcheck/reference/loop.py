"""The decode loop around the decoder: schedule, run, sample, append; and faults that show what breaks.

As in engines with one path for prefill and decode, a step runs `num_new_tokens` = tokens of the request
minus tokens computed, capped by the chunk size; decode is where that difference is 1.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from refcheck.errors import ReferenceInputError
from refcheck.reference.decoder import (
    Array,
    Cache,
    ContiguousCache,
    Counters,
    Indices,
    PagedCache,
    Sizes,
    Weights,
    forward,
    random_weights,
)

#: How positions go wrong. `+1`, `-1` and `frozen` are of decode steps; `uniform` shifts the prompt as well.
Fault = Literal["none", "+1", "-1", "frozen", "k-only", "q-only", "one-step", "uniform"]

#: Above these, relative to the largest logit, a difference is no rounding (measured: 3e-15 and 1.7e-6 at most).
TOLERANCE = {"float64": 1e-12, "float32": 2e-5}

LARGEST_RUN = 4096


@dataclass(frozen=True, slots=True)
class Run:
    """What to run. `chunk` caps num_new_tokens; `block_size` makes the cache paged; `fault_at` is a decode
    step.

    Raises ReferenceInputError naming the option that cannot be used and what it may be.
    """

    sizes: Sizes = field(default_factory=Sizes)
    prompt: int = 8
    steps: int = 8
    seed: int = 0
    dtype: str = "float64"
    chunk: int | None = None
    block_size: int | None = None
    cache_tokens: int | None = None
    fault: Fault = "none"
    fault_at: int = 1
    causal: bool = True

    def __post_init__(self) -> None:
        if self.dtype not in TOLERANCE:
            raise ReferenceInputError(f"dtype is {self.dtype!r}; the decoder runs in float32 or float64")
        if self.fault not in get_args(Fault):
            raise ReferenceInputError(f"fault is {self.fault!r}; known are {', '.join(get_args(Fault))}")
        for name in ("prompt", "steps", "chunk", "block_size", "cache_tokens"):
            value = getattr(self, name)
            if value is not None and not 1 <= value <= LARGEST_RUN:
                raise ReferenceInputError(f"{name} is {value}; it must be from 1 to {LARGEST_RUN}")
        if self.seed < 0:
            raise ReferenceInputError(f"seed is {self.seed}; it must not be negative")
        if not 1 <= self.fault_at <= self.steps:
            raise ReferenceInputError(
                f"the fault is at decode step {self.fault_at}; there are {self.steps} steps, from 1 on"
            )
        if self.cache_tokens is not None and self.cache_tokens < self.prompt + self.steps:
            raise ReferenceInputError(
                f"a prompt of {self.prompt} and {self.steps} steps need {self.prompt + self.steps} tokens of "
                f"cache, not {self.cache_tokens}; give a larger --cache-tokens, or fewer prompt tokens or steps"
            )


@dataclass(frozen=True, slots=True)
class Step:
    """One forward of the loop. `error` is the largest difference to the uncached logits, relative to the
    largest of them; `agrees` whether both have the same argmax; both None where the prompt is not
    finished."""

    number: int  # 0 for prefill, decode steps from 1 on
    num_new_tokens: int
    query_len: int
    seq_len: int
    positions: tuple[int, ...]
    slots: tuple[int, ...]
    cached_tokens: int
    kv_bytes: int
    flops: int
    attention_flops: int
    kv_bytes_written: int
    kv_bytes_read: int
    uncached_flops: int | None
    error: float | None
    agrees: bool | None
    token: int | None

    @property
    def is_decode(self) -> bool:
        """Whether the prompt was finished before this step."""
        return self.number > 0


@dataclass(frozen=True, slots=True)
class Outcome:
    """A run's steps, its tokens, and what was wrong first."""

    run: Run
    steps: tuple[Step, ...]
    tokens: tuple[int, ...]

    @property
    def decode(self) -> tuple[Step, ...]:
        """The decode steps alone."""
        return tuple(step for step in self.steps if step.is_decode)

    @property
    def worst(self) -> float:
        """The largest relative error of any step."""
        return max(step.error for step in self.steps if step.error is not None)

    @property
    def least(self) -> float:
        """The smallest relative error of a decode step."""
        return min(step.error for step in self.decode if step.error is not None)

    @property
    def first_wrong(self) -> int | None:
        """The first step whose logits differ by more than rounding."""
        limit = TOLERANCE[self.run.dtype]
        return next((step.number for step in self.steps if step.error is not None and step.error > limit), None)

    @property
    def first_flip(self) -> int | None:
        """The first step whose argmax is another than the uncached one's."""
        return next((step.number for step in self.steps if step.agrees is False), None)

    @property
    def diverges(self) -> bool:
        """Whether the run generates other tokens than an uncached run without the fault.

        Up to the first step whose argmax differs both have the same tokens, so that this step decides.
        """
        return self.first_flip is not None


def new_cache(run: Run, dtype: object) -> Cache:
    """An empty cache for the run, contiguous or paged."""
    capacity = run.cache_tokens or run.prompt + run.steps
    if run.block_size is None:
        return ContiguousCache(run.sizes, capacity, dtype)
    return PagedCache(run.sizes, capacity, dtype, run.block_size, run.seed)


def prompt_tokens(run: Run) -> list[int]:
    """Seeded prompt tokens, each below the vocabulary size."""
    return [int(t) for t in np.random.default_rng([run.seed, 1]).integers(0, run.sizes.vocab, run.prompt)]


def generate(run: Run) -> Outcome:
    """Runs prefill and the decode steps greedily; after each, an uncached forward over the same tokens is
    compared."""
    weights = random_weights(run.sizes, run.seed, run.dtype)
    tokens = prompt_tokens(run)
    cache = new_cache(run, weights.norm.dtype)
    computed, steps, number = 0, [], 0
    while number <= run.steps:
        num_new_tokens = len(tokens) - computed
        if run.chunk is not None:
            num_new_tokens = min(num_new_tokens, run.chunk)
        places = np.arange(computed, computed + num_new_tokens, dtype=np.int64)
        q_positions, k_positions = faulty_positions(run, places, number)
        new = np.asarray(tokens[computed : computed + num_new_tokens], dtype=np.int64)
        counters = Counters()
        logits = forward(
            run.sizes, weights, new, cache, counters,
            q_positions=q_positions, k_positions=k_positions, causal=run.causal,
        )[-1]  # (V,)  # fmt: skip
        computed += num_new_tokens
        finished = computed == len(tokens)
        error, agrees, token, full = None, None, None, None
        if finished:
            full, correct = uncached(run, weights, tokens)
            error = relative(logits, correct)
            agrees = bool(logits.argmax() == correct.argmax())
            token = int(logits.argmax())
            tokens.append(token)
        steps.append(
            Step(
                number=number,
                num_new_tokens=num_new_tokens,
                query_len=new.shape[0],
                seq_len=computed,
                positions=tuple(k_positions.tolist()),
                slots=_slots(cache, computed - num_new_tokens, computed),
                cached_tokens=cache.tokens,
                kv_bytes=cache.tokens * run.sizes.cached_elements_per_token * weights.norm.itemsize,
                flops=counters.flops,
                attention_flops=counters.attention,
                kv_bytes_written=counters.kv_bytes_written,
                kv_bytes_read=counters.kv_bytes_read,
                uncached_flops=None if full is None else full.flops,
                error=error,
                agrees=agrees,
                token=token,
            )
        )
        if finished:
            number += 1
    return Outcome(run, tuple(steps), tuple(tokens[run.prompt :]))


def uncached(run: Run, weights: Weights, tokens: list[int]) -> tuple[Counters, Array]:
    """One forward over all tokens with an empty cache and right positions: its counters and last logits
    (V,)."""
    counters = Counters()
    cache = ContiguousCache(run.sizes, len(tokens), weights.norm.dtype)
    array = np.asarray(tokens, dtype=np.int64)
    return counters, forward(run.sizes, weights, array, cache, counters, causal=run.causal)[-1]


def faulty_positions(run: Run, places: Indices, number: int) -> tuple[Indices, Indices]:
    """The positions that Q and K are turned by at a step (0 is prefill), shape (n,) each."""
    wrong = places + 1
    match run.fault:
        case "uniform":
            return wrong, wrong
        case "none":
            return places, places
        case "one-step" if number != run.fault_at:
            return places, places
        case _ if number < run.fault_at or number == 0:
            return places, places
        case "-1":
            return places - 1, places - 1
        case "frozen":  # every decode step at the position of the step before the fault
            stuck = np.full_like(places, run.prompt + run.fault_at - 2)
            return stuck, stuck
        case "k-only":
            return places, wrong
        case "q-only":
            return wrong, places
        case "+1" | "one-step":
            return wrong, wrong


def relative(found: Array, correct: Array) -> float:
    """max |found - correct| / max |correct|."""
    return float(np.abs(found - correct).max() / np.abs(correct).max())


def _slots(cache: Cache, first: int, end: int) -> tuple[int, ...]:
    return tuple(cache.slot_mapping(first, end).tolist()) if isinstance(cache, PagedCache) else ()
