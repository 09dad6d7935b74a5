"""Experiments on shapes, positions, FLOPs and bytes: what ran against the closed forms."""

from __future__ import annotations

from typing import Any

import numpy as np

from refcheck.reference.cost import evaluate
from refcheck.reference.decoder import (
    ContiguousCache,
    Counters,
    Sizes,
    forward,
    random_weights,
)
from refcheck.reference.experiments.measurement import Result, Scalar
from refcheck.reference.loop import Run, generate
from refcheck.reference.shapes import ModelShape


def positions_last_is_seq_len_minus_one(prompt: int = 23, steps: int = 6) -> Result:
    """positions[-1] == seq_len - 1 in whole and chunked prefill and in decode; one position per token
    scheduled."""
    steps_seen = [
        step
        for chunk in (None, 1, 7, 16)
        for step in generate(Run(prompt=prompt, steps=steps, chunk=chunk, block_size=4)).steps
    ]
    right = sum(step.positions[-1] == step.seq_len - 1 for step in steps_seen)
    counted = all(len(step.positions) == step.num_new_tokens == step.query_len for step in steps_seen)
    last = steps_seen[-1]
    values: dict[str, Scalar] = {
        "right": right, "of": len(steps_seen), "last_positions": last.positions, "last_seq_len": last.seq_len,
    }  # fmt: skip
    return right == len(steps_seen) and counted, values, f"true at {right} of {len(steps_seen)} steps"


def query_and_sequence_lengths(prompt: int = 20, chunk: int = 8) -> Result:
    """Query length equals seq_len in fresh whole prefill, is shorter in a later chunk, and is 1 in decode."""
    whole = generate(Run(prompt=prompt, steps=2))
    parts = generate(Run(prompt=prompt, steps=2, chunk=chunk))
    fresh = whole.steps[0].query_len == whole.steps[0].seq_len == prompt
    later = [step for step in parts.steps if not step.is_decode][1:]
    shorter = all(step.query_len < step.seq_len for step in later)
    decode = tuple(step.query_len for step in whole.decode)
    values: dict[str, Scalar] = {
        "fresh_prefill_equal": fresh, "later_chunks_shorter": shorter, "decode_query_lengths": decode,
        "decode_seq_lens": tuple(step.seq_len for step in whole.decode),
    }  # fmt: skip
    return fresh and shorter and set(decode) == {1}, values, "equal in whole prefill, shorter in chunks, 1 in decode"


def input_rows_per_step(prompt: int = 8, steps: int = 6) -> Result:
    """The layer stack gets one row per cached decode step and s rows per uncached step."""
    outcome = generate(Run(prompt=prompt, steps=steps))
    cached = tuple(step.query_len for step in outcome.decode)
    uncached = tuple(step.seq_len for step in outcome.decode)
    values: dict[str, Scalar] = {
        "cached_rows": cached, "uncached_rows": uncached, "hidden": outcome.run.sizes.hidden,
        "thrown_away_at_last_step": uncached[-1] - 1,
    }  # fmt: skip
    return set(cached) == {1}, values, f"1 x {outcome.run.sizes.hidden} cached, {uncached[-1]} rows uncached at the end"


def weight_shapes(heads: int = 8, kv_heads: int = 2, head_dim: int = 8, hidden: int = 32) -> Result:
    """W_q is d x h d_h, W_k and W_v are d x h_kv d_h, W_o is h d_h x d, and they multiply rows of d."""
    sizes = Sizes(heads=heads, kv_heads=kv_heads, head_dim=head_dim, hidden=hidden)
    layer = random_weights(sizes, 0).layers[0]
    row = np.ones((1, hidden))
    q, k, v = row @ layer.w_q, row @ layer.w_k, row @ layer.w_v
    shapes: dict[str, Scalar] = {"w_q": layer.w_q.shape, "w_k": layer.w_k.shape, "w_v": layer.w_v.shape}
    widths = (q.shape[1], k.shape[1], v.shape[1])
    holds = widths == (heads * head_dim, kv_heads * head_dim, kv_heads * head_dim)
    return holds, {**shapes, "split": widths}, f"Q, K, V are {widths} wide"


def matvec_counts(rows: int = 6, columns: int = 5) -> Result:
    """A matrix-vector product of m x k costs 2 m k: counted one multiplication and addition at a time."""
    counted = 0
    for _ in range(rows):
        for _ in range(columns):
            counted += 1  # multiply
            counted += 1  # add
    tokens, counters, sizes = 1, Counters(), Sizes(layers=1)
    forward(sizes, random_weights(sizes, 0), np.asarray([0]), ContiguousCache(sizes, 1, "float64"), counters)
    expected = 2 * tokens * sizes.heads * sizes.head_dim * sizes.hidden
    values: dict[str, Scalar] = {"counted": counted, "formula": 2 * rows * columns, "o_proj": counters.o_proj}
    return counted == 2 * rows * columns and counters.o_proj == expected, values, f"{counted} = 2·{rows}·{columns}"


def _shape(sizes: Sizes) -> ModelShape:
    return ModelShape(
        "mini", sizes.layers, sizes.hidden, sizes.heads, sizes.kv_heads, sizes.head_dim, sizes.ffn, sizes.vocab
    )


def flops_equal_closed_forms(
    layers: int = 2, hidden: int = 32, heads: int = 8, kv_heads: int = 2, head_dim: int = 8, ffn: int = 64,
    prompt: int = 8, steps: int = 6,
) -> Result:  # fmt: skip
    """Counters of the loop that ran equal the cost model's formulas exactly, per step and over the run."""
    sizes = Sizes(layers, hidden, heads, kv_heads, head_dim, ffn, vocab=64)
    outcome = generate(Run(sizes=sizes, prompt=prompt, steps=steps))
    shape, pairs = _shape(sizes), []

    def value(name: str, **parameters: Any) -> Any:
        options = {"prompt": prompt, "steps": steps, "accounting": "exact", "kv_bytes": 8, **parameters}
        return evaluate(name, model=shape, **options).value

    for step in outcome.decode:
        s = step.seq_len
        pairs += [
            (step.flops, value("step_flops_cached", context=s)),
            (step.attention_flops, value("attention_flops_cached", context=s)),
            (step.uncached_flops, value("step_flops_uncached", context=s)),
            (step.kv_bytes_written, value("kv_written_bytes")),
            (step.kv_bytes_read, value("kv_read_bytes", context=s)),
            (step.kv_bytes, value("kv_bytes", context=s)),
        ]
    pairs += [
        (sum(step.flops for step in outcome.decode), value("total_flops_cached")),
        (sum(step.uncached_flops or 0 for step in outcome.decode), value("total_flops_uncached")),
        (sum(step.kv_bytes_read for step in outcome.decode), value("total_kv_bytes")),
        (outcome.steps[0].flops, value("step_flops_uncached", context=prompt)),
    ]
    every_row = Counters()
    forward(
        sizes, random_weights(sizes, 0), np.zeros(prompt, np.int64), ContiguousCache(sizes, prompt, "float64"),
        every_row, all_rows=True,
    )  # fmt: skip
    pairs.append((every_row.flops, value("step_flops_uncached", context=prompt, head_rows="all")))
    equal = sum(counted == formula for counted, formula in pairs)
    return equal == len(pairs), {"equal": equal, "of": len(pairs)}, f"{equal} of {len(pairs)} equal, to the last FLOP"


def flops_do_not_depend_on_chunks(prompt: int = 24, chunks: tuple[int, ...] = (1, 5, 8, 24)) -> Result:
    """Chunked prefill does the same layer FLOPs and writes the same KV bytes as prefill at once."""
    seen = set()
    for chunk in chunks:
        outcome = generate(Run(prompt=prompt, steps=1, chunk=chunk))
        prefill = [step for step in outcome.steps if not step.is_decode]
        head = 2 * outcome.run.sizes.hidden * outcome.run.sizes.vocab  # once per forward, for its last row
        seen.add((sum(s.flops - head for s in prefill), sum(s.kv_bytes_written for s in prefill)))
    flops, written = sorted(seen)[0]
    values: dict[str, Scalar] = {"layer_flops": flops, "kv_bytes_written": written, "different": len(seen)}
    return len(seen) == 1, values, f"{flops:,} FLOPs of layers and {written:,} KV bytes for every chunk size"


def fixed_cost_terms(contexts: tuple[int, ...] = (4, 8, 16, 32)) -> Result:
    """Over the context only attention (and its softmax) changes; every other term of a cached step is
    fixed."""
    sizes, fixed, attention, softmax = Sizes(), set(), [], []
    weights = random_weights(sizes, 0)
    for context in contexts:
        cache = ContiguousCache(sizes, context, "float64")
        forward(sizes, weights, np.zeros(context - 1, np.int64), cache, Counters())
        counters = Counters()
        forward(sizes, weights, np.zeros(1, np.int64), cache, counters)
        fixed.add((counters.qkv, counters.o_proj, counters.mlp, counters.head))
        attention.append(counters.attention / context)
        softmax.append(counters.softmax / counters.attention)
    values: dict[str, Scalar] = {
        "different_fixed_terms": len(fixed), "attention_per_context": tuple(attention),
        "softmax_per_attention_flop": tuple(softmax),
    }  # fmt: skip
    holds = len(fixed) == 1 and len(set(attention)) == 1 and len(set(softmax)) == 1
    return holds, values, "projections and head are the same at every context; attention and softmax are linear in it"


def full_forward_costs(contexts: tuple[int, ...] = (4, 8, 16, 32)) -> Result:
    """An uncached step costs every layer projection s times, and the head once if only the last row is
    projected."""
    sizes, per_row, heads = Sizes(), set(), set()
    for context in contexts:
        counters = Counters()
        cache = ContiguousCache(sizes, context, "float64")
        forward(sizes, random_weights(sizes, 0), np.zeros(context, np.int64), cache, counters)
        per_row.add((counters.qkv + counters.o_proj + counters.mlp) / context)
        heads.add(counters.head)
    values: dict[str, Scalar] = {"per_row": tuple(per_row), "head": tuple(heads)}
    return len(per_row) == len(heads) == 1, values, "layer projections are paid once per row, the head once"


def batching_spares_weights_alone(batches: tuple[int, ...] = (1, 8, 32, 64), context: int = 2560) -> Result:
    """A batch reads the weights once and every sequence's KV: the weights' share falls, no step gets
    quicker."""
    options: dict[str, Any] = {"context": context}
    weights = [evaluate("weight_bytes", batch=b, **options).value for b in batches]
    kv = [evaluate("kv_read_bytes", batch=b, **options).value for b in batches]
    shares = tuple(float(evaluate("step_weight_traffic_share", batch=b, **options).value) for b in batches)
    seconds = tuple(float(evaluate("step_time_s", batch=b, **options).value) for b in batches)
    holds = len(set(weights)) == 1 and all(k * batches[0] == kv[0] * b for k, b in zip(kv, batches, strict=True))
    holds &= list(seconds) == sorted(seconds) and list(shares) == sorted(shares, reverse=True)
    values: dict[str, Scalar] = {"batches": batches, "weight_shares": shares, "step_seconds": seconds}
    shown = ", ".join(f"{share:.1%} at B={b}" for share, b in zip(shares, batches, strict=True))
    return holds, values, f"the weights' share of the bytes is {shown}"


def kv_linear_in_tokens(contexts: tuple[int, ...] = (100, 400, 1036)) -> Result:
    """KV bytes depend on the sum of resident tokens, not on how many sequences hold them."""
    several = evaluate("kv_bytes_of_contexts", contexts=contexts).value
    one = evaluate("kv_bytes_of_contexts", contexts=(sum(contexts),)).value
    doubled = evaluate("kv_bytes_of_contexts", contexts=tuple(2 * c for c in contexts)).value
    held = 0
    for context in contexts:
        cache = ContiguousCache(Sizes(layers=1), context, "float32")
        held += cache.pool.nbytes
    values: dict[str, Scalar] = {"several_sequences": float(several), "one_sequence": float(one)}
    holds = several == one and doubled == 2 * several
    holds &= held == sum(contexts) * Sizes(layers=1).cached_elements_per_token * 4
    return holds, values, f"{len(contexts)} sequences and one of as many tokens: {several:,} bytes"
