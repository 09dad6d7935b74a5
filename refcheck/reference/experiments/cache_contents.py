"""Experiments on what is in the cache, and when it may be used again."""

from __future__ import annotations

from typing import Any

import numpy as np

from refcheck.errors import ReferenceInputError
from refcheck.reference.decoder import (
    Array,
    ContiguousCache,
    Counters,
    Sizes,
    Weights,
    forward,
    random_weights,
)
from refcheck.reference.experiments.measurement import CORRUPTED, Result, Scalar
from refcheck.reference.loop import TOLERANCE, Run, prompt_tokens, relative


def _pool(sizes: Sizes, weights: Weights, tokens: list[int], *, causal: bool = True) -> Array:
    """K and V of one forward over the tokens: (2, L, tokens, h_kv, d_h)."""
    cache = ContiguousCache(sizes, len(tokens), weights.norm.dtype)
    forward(sizes, weights, np.asarray(tokens), cache, Counters(), causal=causal)
    return cache.pool


def recomputed_keys_equal_cached(dtype: str = "float64", seeds: int = 3, steps: int = 12) -> Result:
    """K and V written once equal those recomputed from all tokens: up to rounding, not bit for bit."""
    worst, bitwise = 0.0, True
    for seed in range(seeds):
        run = Run(seed=seed, dtype=dtype, steps=steps)
        weights = random_weights(run.sizes, seed, dtype)
        tokens = prompt_tokens(run) + list(range(steps))
        cache = ContiguousCache(run.sizes, len(tokens), dtype)
        forward(run.sizes, weights, np.asarray(tokens[: run.prompt]), cache, Counters())
        for token in tokens[run.prompt :]:
            forward(run.sizes, weights, np.asarray([token]), cache, Counters())
        again = _pool(run.sizes, weights, tokens)
        worst = max(worst, relative(cache.pool, again))
        bitwise &= bool(np.array_equal(cache.pool, again))
    values: dict[str, Scalar] = {"worst": worst, "tolerance": TOLERANCE[dtype], "bitwise": bitwise}
    return worst <= TOLERANCE[dtype], values, f"K and V differ by {worst:.1e} of the largest at most"


def appended_token_leaves_old_keys(dtype: str = "float64", seeds: int = 3, layers: int = 4) -> Result:
    """Under a causal mask an appended token changes no earlier K or V, in any layer."""
    sizes, worst, equal_rows, unchanged = Sizes(layers=layers), 0.0, True, 0
    for seed in range(seeds):
        weights = random_weights(sizes, seed, dtype)
        tokens = prompt_tokens(Run(sizes=sizes, seed=seed, prompt=17))
        cache = ContiguousCache(sizes, 17, dtype)
        forward(sizes, weights, np.asarray(tokens[:16]), cache, Counters())
        before = cache.pool[:, :, :16].copy()
        forward(sizes, weights, np.asarray(tokens[16:]), cache, Counters())
        equal_rows &= bool(np.array_equal(before, cache.pool[:, :, :16]))
        recomputed = _pool(sizes, weights, tokens)[:, :, :16]
        worst = max(worst, relative(recomputed, before))
        unchanged += sum(relative(recomputed[:, i], before[:, i]) <= TOLERANCE[dtype] for i in range(layers))
    values: dict[str, Scalar] = {
        "stored_rows_bit_equal": equal_rows, "recomputed_worst": worst, "layers_unchanged": unchanged,
        "layers": seeds * layers,
    }  # fmt: skip
    holds = equal_rows and unchanged == seeds * layers
    return holds, values, f"{unchanged} of {seeds * layers} layers unchanged; recomputed to within {worst:.1e}"


def keys_depend_on_earlier_tokens_only(seeds: int = 3, layers: int = 3) -> Result:
    """Changing a later token changes no K or V; changing an earlier one changes those of deeper layers."""
    sizes, later, earlier = Sizes(layers=layers), 0.0, np.inf
    for seed in range(seeds):
        weights = random_weights(sizes, seed)
        tokens = prompt_tokens(Run(sizes=sizes, seed=seed, prompt=12))
        base = _pool(sizes, weights, tokens)
        other = (tokens[6] + 1) % sizes.vocab
        changed = _pool(sizes, weights, [*tokens[:6], other, *tokens[7:]])
        later = max(later, relative(changed[:, :, :6], base[:, :, :6]))
        earlier = min(earlier, relative(changed[:, 1:, 7:], base[:, 1:, 7:]))
    values: dict[str, Scalar] = {"by_a_later_token": later, "by_an_earlier_token": float(earlier)}
    return later <= 1e-12 and earlier > CORRUPTED, values, (
        f"a later token changes K and V by {later:.1e}, an earlier one by at least {earlier:.1e}"
    )  # fmt: skip


def bidirectional_extension_changes_old_kv(layers: int = 2, seeds: int = 3) -> Result:
    """Without a mask an appended token changes earlier K and V of every layer but the first."""
    if layers < 1:
        raise ReferenceInputError(f"layers is {layers}; at least one is needed")
    sizes, first, deeper = Sizes(layers=layers), 0.0, np.inf
    for seed in range(seeds):
        weights = random_weights(sizes, seed)
        tokens = prompt_tokens(Run(sizes=sizes, seed=seed, prompt=13))
        short = _pool(sizes, weights, tokens[:12], causal=False)
        long = _pool(sizes, weights, tokens, causal=False)[:, :, :12]
        first = max(first, relative(long[:, 0], short[:, 0]))
        if layers > 1:
            deeper = min(deeper, *(relative(long[:, i], short[:, i]) for i in range(1, layers)))
    values: dict[str, Scalar] = {"first_layer": first, "deeper_layers": float(deeper) if layers > 1 else 0.0}
    holds = layers > 1 and first <= 1e-12 and deeper > CORRUPTED
    return holds, values, f"first layer {first:.1e}, deeper layers at least {values['deeper_layers']:.1e}"


class _Recorder(ContiguousCache):
    """A contiguous cache that notes the shapes of what it is given."""

    def __init__(self, sizes: Sizes, capacity: int, dtype: Any) -> None:
        super().__init__(sizes, capacity, dtype)
        self.shapes: list[tuple[tuple[int, ...], ...]] = []

    def append(self, layer: int, k: Array, v: Array) -> tuple[Array, Array]:
        self.shapes.append((k.shape, v.shape))
        return super().append(layer, k, v)


def only_k_v_stored(steps: int = 6) -> Result:
    """A decode step gives the cache one row of K and one of V per layer, with h_kv heads, and nothing
    else."""
    sizes = Sizes(layers=3)
    weights = random_weights(sizes, 0)
    cache = _Recorder(sizes, steps, "float64")
    for token in range(steps):
        forward(sizes, weights, np.asarray([token]), cache, Counters())
    row = (1, sizes.kv_heads, sizes.head_dim)
    only = all(shapes == (row, row) for shapes in cache.shapes) and len(cache.shapes) == steps * sizes.layers
    stored = {name for name in vars(cache) if isinstance(getattr(cache, name), np.ndarray)}
    expected = steps * sizes.cached_elements_per_token * 8
    values: dict[str, Scalar] = {
        "rows_per_layer": 1, "row_shape": row, "bytes": cache.pool.nbytes, "expected_bytes": expected,
    }  # fmt: skip
    holds = only and stored == {"pool"} and cache.pool.nbytes == expected
    return holds, values, f"each step stores K and V of shape {row} per layer; no query"


def cache_holds_post_rope_keys(seeds: int = 3) -> Result:
    """The cached layer-0 K is the projection turned by its position, here by complex multiplication."""
    sizes, turned_error, plain_error = Sizes(layers=1), 0.0, np.inf
    for seed in range(seeds):
        weights = random_weights(sizes, seed)
        tokens = prompt_tokens(Run(sizes=sizes, seed=seed, prompt=9))
        x = weights.embedding[tokens]  # (9, d)
        y = x / np.sqrt((x**2).mean(-1, keepdims=True) + sizes.norm_eps) * weights.layers[0].attention_norm
        k = (y @ weights.layers[0].w_k).reshape(9, sizes.kv_heads, sizes.head_dim)
        half = sizes.head_dim // 2
        rates = np.exp(-np.log(sizes.rope_theta) * np.arange(half) / half)
        z = (k[..., :half] + 1j * k[..., half:]) * np.exp(1j * np.arange(9)[:, None, None] * rates)
        turned = np.concatenate([z.real, z.imag], axis=-1)
        cached = _pool(sizes, weights, tokens)[0, 0]
        turned_error = max(turned_error, relative(cached, turned))
        plain_error = min(plain_error, relative(cached, k))
    values: dict[str, Scalar] = {"from_turned": turned_error, "from_plain": float(plain_error)}
    return turned_error <= 1e-12 and plain_error > CORRUPTED, values, (
        f"cached K is the turned K to {turned_error:.1e}, the plain K is {plain_error:.1e} away"
    )  # fmt: skip


def reuse_needs_same_weights_and_mask(seeds: int = 3) -> Result:
    """A cache filled under other weights or another mask gives other logits than a recomputation."""
    least_weights, least_mask = np.inf, np.inf
    for seed in range(seeds):
        sizes = Sizes()
        weights, other = random_weights(sizes, seed), random_weights(sizes, seed + 1000)
        tokens = np.asarray(prompt_tokens(Run(seed=seed, prompt=12)))

        def last(first: Weights, then: Weights, causal: bool, sizes: Sizes = sizes, tokens: Any = tokens) -> Array:
            cache = ContiguousCache(sizes, 12, "float64")
            forward(sizes, first, tokens[:11], cache, Counters(), causal=causal)
            logits: Array = forward(sizes, then, tokens[11:], cache, Counters())[-1]
            return logits

        right = last(weights, weights, True)
        least_weights = min(least_weights, relative(last(other, weights, True), right))
        least_mask = min(least_mask, relative(last(weights, weights, False), right))
    values: dict[str, Scalar] = {"other_weights": float(least_weights), "other_mask": float(least_mask)}
    return min(least_weights, least_mask) > CORRUPTED, values, (
        f"other weights are off by at least {least_weights:.1e}, another mask by {least_mask:.1e}"
    )  # fmt: skip
