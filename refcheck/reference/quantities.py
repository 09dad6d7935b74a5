"""The quantities of the cost model: a name, a unit, what it means, and the formula that computes it.

Symbols (those of the chapter that this checks): L layers, d hidden size, h query heads, h_kv KV heads, d_h
head dimension, d_ff FFN size, V vocabulary, P parameters in the coarse 2P model; P_layers, P_head and
P_matrix = P_layers + P_head the matrices that are multiplied by, P_stream those that a step of B sequences
reads, P_resident everything stored; b_w and b bytes per weight and per cached element; p prompt tokens, n
decode forwards, t one of them, s = p + t the context at a step; B sequences in a batch. MLA: r latent rank,
d_r rope, d_n nope, d_v value dimension. Hardware: W bytes/s, F FLOP/s, M bytes, u the fraction of M that
may be used.

The dense formulas follow Pope et al., "Efficiently Scaling Transformer Inference" (arXiv:2211.05102),
section 3 and appendix; MLA is counted in its absorbed form when cached (arXiv:2405.04434, section 2.1) and
expanded when not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from refcheck.reference.units import (
    BYTES,
    COUNT,
    EXPONENT,
    FLOP,
    FLOP_PER_BYTE,
    RATIO,
    SECONDS,
    SHARE,
    YES_NO,
)


@dataclass(frozen=True, slots=True)
class Quantity:
    """One named quantity.

    `variants` replace the formula where all the words of their key apply to the setting: `exact` (counted
    instead of published parameters), `all-rows` (head over every row), `mla`, `moe`. `doubles` marks a
    growth exponent: log2 of how much `formula` (a quantity's name) grows when that parameter doubles.
    """

    name: str
    unit: str
    summary: str
    formula: str
    variants: Mapping[str, str] = field(default_factory=dict)
    doubles: str | None = None


#: The quantities in groups, in the order in which a reader meets them.
SECTIONS: Mapping[str, tuple[Quantity, ...]] = {
    "Counting steps and rows": (
        Quantity("outputs_sampled", COUNT, "outputs: one from prefill, one from each decode forward",
             "n + 1"),
        Quantity("forwards_for_outputs", COUNT, "decode forwards that so many outputs need", "outputs - 1"),
        Quantity("context_at_step", COUNT, "context at decode step t, the token fed included", "p + t"),
        Quantity("first_context", COUNT, "context of the first decode step", "p + 1"),
        Quantity("last_context", COUNT, "context of the last decode step", "p + n"),
        Quantity("context_sum", COUNT, "sum of the contexts of all decode steps", "n*p + n*(n + 1)/2"),
        Quantity(
            "context_square_sum", COUNT, "sum of their squares", "n*p**2 + p*n*(n + 1) + n*(n + 1)*(2*n + 1)/6"
        ),
        Quantity("context_mean", COUNT, "mean context of the decode steps", "context_sum/n"),
        Quantity("context_midpoint", COUNT, "half way from the first context to the last",
                 "(first_context + last_context)/2"),
        Quantity("last_position", COUNT, "position of the newest token, counted from 0", "s - 1"),
        Quantity("query_rows_cached", COUNT, "query rows of a cached decode step", "1"),
        Quantity("query_rows_uncached", COUNT, "query rows of an uncached step", "s"),
        Quantity("other_rows", COUNT, "rows that an uncached step computes and throws away", "s - 1"),
        Quantity("other_rows_mean", COUNT, "the same, as the mean over the decode steps", "context_mean - 1"),
        Quantity("new_kv_vectors_cached", COUNT, "new K vectors (and as many V) per layer, cached", "1"),
        Quantity("new_kv_vectors_uncached", COUNT, "new K vectors (and as many V) per layer, uncached", "s"),
        Quantity("new_kv_vectors_ratio", RATIO, "uncached against cached",
                 "new_kv_vectors_uncached/new_kv_vectors_cached"),
    ),
    "Parameters and shapes": (
        Quantity("layers", COUNT, "decoder layers", "L"),
        Quantity("hidden_size", COUNT, "hidden size", "d"),
        Quantity("query_heads", COUNT, "query heads", "h"),
        Quantity("kv_heads", COUNT, "key/value heads", "h_kv"),
        Quantity("head_dim", COUNT, "head dimension", "d_h"),
        Quantity("ffn_size", COUNT, "FFN intermediate size", "d_ff"),
        Quantity("vocabulary", COUNT, "vocabulary", "V"),
        Quantity("q_size", COUNT, "width of Q per tensor-parallel rank", "h/tp*d_h"),
        Quantity("kv_size", COUNT, "width of K, and of V, per rank (KV heads are repeated when tp > h_kv)",
                 "h_kv_rank*d_h"),
        Quantity("gqa_ratio", RATIO, "query heads per KV head, and so the over-estimate by sizing from h",
                 "h/h_kv"),
        Quantity("mqa_gap", RATIO, "the same for a model with one KV head", "h"),
        Quantity("attention_params_per_layer", COUNT, "W_q, W_k, W_v, W_o",
                 "d*(h*d_h) + 2*d*(h_kv*d_h) + (h*d_h)*d",
                 {"mla": "P_attention"}),
        Quantity("mlp_params_per_layer", COUNT, "gate, up and down of a dense layer", "3*d*d_ff"),
        Quantity("layer_params", COUNT, "matrix parameters of a dense layer",
                 "attention_params_per_layer + mlp_params_per_layer"),
        Quantity("head_params", COUNT, "output projection", "V*d"),
        Quantity("params_published", COUNT, "P as published, rounded", "P_published"),
        Quantity("params_resident", COUNT, "every stored parameter", "P_resident"),
        Quantity("params_streamed",
                 COUNT, "matrix parameters that a step reads (no gathered embedding, no norms)", "P_stream"),
        Quantity("coarse_excess_share", SHARE, "how far 2P is above the FLOPs of the matrices",
             "P/P_matrix - 1"),
    ),
    "One layer, one token": (
        Quantity("qkv_flops_per_layer", FLOP, "Q, K and V projections", "2*d*(h*d_h) + 4*d*(h_kv*d_h)"),
        Quantity("o_proj_flops_per_layer", FLOP, "output projection", "2*(h*d_h)*d"),
        Quantity("mlp_flops_per_layer", FLOP, "SwiGLU, three matrices", "6*d*d_ff"),
        Quantity("layer_flops", FLOP, "all projections of a dense layer, one token",
                 "qkv_flops_per_layer + o_proj_flops_per_layer + mlp_flops_per_layer",
                 {"mla": "2*layer_params"}),
        Quantity("mlp_share_of_layer_flops", SHARE, "the MLP's share of a layer's projections",
                 "mlp_flops_per_layer/layer_flops"),
        Quantity("attention_flops_per_layer", FLOP, "scores 2 h d_h s and weighted sum 2 h d_h s, one query",
                 "2*h*d_h*s + 2*h*d_h*s", {"mla": "2*h*(r + d_r)*s + 2*h*r*s"}),
        Quantity("softmax_elements_per_layer", COUNT, "softmax inputs, one query", "h*s"),
        Quantity("softmax_per_attention_flop", SHARE, "softmax inputs per attention FLOP",
                 "softmax_elements_per_layer/attention_flops_per_layer"),
        Quantity("triangle_excess_share", SHARE, "exact causal pairs s(s+1)/2 above s²/2",
                 "(s*(s + 1)/2)/(s**2/2) - 1"),
    ),
    "One step": (
        Quantity("projection_flops_cached", FLOP, "projections, one cached step", "B*2*P",
                 {"exact": "B*2*P_matrix"}),
        Quantity("projection_flops_uncached", FLOP, "projections, one uncached step", "B*2*P*s",
                 {"exact": "B*(2*P_layers*s + 2*P_head)", "exact all-rows": "B*2*P_matrix*s"}),
        Quantity("projection_flops_ratio", RATIO, "uncached against cached",
                 "projection_flops_uncached/projection_flops_cached"),
        Quantity("attention_flops_cached", FLOP, "attention, one cached step", "B*4*L*h*d_h*s",
                 {"mla": "B*2*L*h*(2*r + d_r)*s"}),
        Quantity("attention_flops_uncached", FLOP, "attention, one uncached step (causal half)",
                 "B*2*L*h*d_h*s**2",
                 {"exact": "B*2*L*h*d_h*s*(s + 1)", "mla": "B*L*h*(d_n + d_r + d_v)*s**2",
                  "exact mla": "B*L*h*(d_n + d_r + d_v)*s*(s + 1)"}),
        Quantity("attention_flops_ratio", RATIO, "uncached against cached",
                 "attention_flops_uncached/attention_flops_cached"),
        Quantity("step_flops_cached", FLOP, "one cached step",
                 "projection_flops_cached + attention_flops_cached"),
        Quantity("step_flops_uncached", FLOP, "one uncached step",
                 "projection_flops_uncached + attention_flops_uncached"),
        Quantity("step_flops_ratio", RATIO, "uncached against cached, one step",
                 "step_flops_uncached/step_flops_cached"),
        Quantity("step_attention_share_cached", SHARE, "attention's share of a cached step",
                 "attention_flops_cached/step_flops_cached"),
        Quantity("step_attention_share_uncached", SHARE, "attention's share of an uncached step",
                 "attention_flops_uncached/step_flops_uncached"),
    ),
    "All decode steps": (
        Quantity("total_projection_flops_cached", FLOP, "projections, all cached steps", "B*2*P*n",
                 {"exact": "B*2*P_matrix*n"}),
        Quantity("total_projection_flops_uncached", FLOP, "projections, all uncached steps", "B*2*P*sum_s",
                 {"exact": "B*(2*P_layers*sum_s + 2*P_head*n)", "exact all-rows": "B*2*P_matrix*sum_s"}),
        Quantity("total_attention_flops_cached", FLOP, "attention, all cached steps", "B*4*L*h*d_h*sum_s",
                 {"mla": "B*2*L*h*(2*r + d_r)*sum_s"}),
        Quantity("total_attention_flops_uncached", FLOP, "attention, all uncached steps",
             "B*2*L*h*d_h*sum_s2",
                 {"exact": "B*2*L*h*d_h*(sum_s2 + sum_s)", "mla": "B*L*h*(d_n + d_r + d_v)*sum_s2",
                  "exact mla": "B*L*h*(d_n + d_r + d_v)*(sum_s2 + sum_s)"}),
        Quantity("total_flops_cached", FLOP, "all cached steps",
                 "total_projection_flops_cached + total_attention_flops_cached"),
        Quantity("total_flops_uncached", FLOP, "all uncached steps",
                 "total_projection_flops_uncached + total_attention_flops_uncached"),
        Quantity("total_flops_ratio", RATIO, "uncached against cached, all steps",
                 "total_flops_uncached/total_flops_cached"),
        Quantity("attention_share_cached", SHARE, "attention's share of all cached steps",
                 "total_attention_flops_cached/total_flops_cached"),
        Quantity("attention_share_uncached", SHARE, "attention's share of all uncached steps",
                 "total_attention_flops_uncached/total_flops_uncached"),
        Quantity("attention_only_ratio", RATIO, "the ratio if only attention were saved",
                 "total_flops_uncached/(total_projection_flops_uncached + total_attention_flops_cached)"),
        Quantity("projection_only_ratio", RATIO, "the ratio if only projections were saved",
                 "total_flops_uncached/(total_projection_flops_cached + total_attention_flops_uncached)"),
    ),
    "Bytes of one step": (
        Quantity("weight_bytes", BYTES, "weights read by one step", "P*b_w", {"moe": "P_w*b_w",
                 "exact": "P_stream*b_w"}),
        Quantity("weight_bytes_resident", BYTES, "weights in memory", "P_total*b_w",
             {"exact": "P_resident*b_w"}),
        Quantity("weight_bytes_streamed", BYTES, "matrices read by one step", "P_stream*b_w"),
        Quantity("kv_bytes_per_head_per_token", BYTES, "K and V of one KV head", "(d_h + d_h)*b",
                 {"mla": "(r + d_r)*b"}),
        Quantity("kv_bytes_per_token_per_layer", BYTES, "K and V of one layer", "2*h_kv*d_h*b",
                 {"mla": "(r + d_r)*b"}),
        Quantity("kv_bytes_per_token", BYTES, "KV cache per token", "2*L*h_kv*d_h*b",
             {"mla": "L*(r + d_r)*b"}),
        Quantity("kv_bytes_per_token_from_query_heads", BYTES, "the wrong size, from query heads",
             "2*L*h*d_h*b"),
        Quantity("kv_page_bytes_per_layer", BYTES, "one block of one layer",
                 "block*kv_bytes_per_token_per_layer"),
        Quantity("kv_bytes", BYTES, "KV cache at context s", "B*kv_bytes_per_token*s"),
        Quantity("kv_bytes_of_sequences", BYTES, "KV cache of N sequences at context s",
                 "kv_bytes_per_token*N*s"),
        Quantity("kv_bytes_of_contexts", BYTES, "KV cache of sequences of the given contexts",
                 "kv_bytes_per_token*sum_contexts"),
        Quantity("kv_bytes_after_prefill", BYTES, "KV cache when prefill has run", "B*kv_bytes_per_token*p"),
        Quantity("kv_bytes_after_step", BYTES, "KV cache after decode step t",
             "B*kv_bytes_per_token*(p + t)"),
        Quantity("kv_bytes_allocated_after_step", BYTES, "the same in whole blocks",
                 "B*kv_bytes_per_token*ceil((p + t)/block)*block"),
        Quantity("kv_pool_bytes", BYTES, "a pool of so many tokens and one padding page",
                 "kv_bytes_per_token*(tokens + block)"),
        Quantity("kv_read_bytes", BYTES, "KV read by one step", "B*kv_bytes_per_token*s"),
        Quantity("kv_written_bytes", BYTES, "KV written by one step", "B*kv_bytes_per_token"),
        Quantity("step_bytes", BYTES, "weights and KV read by one cached step",
             "weight_bytes + kv_read_bytes"),
        Quantity("step_bytes_with_write", BYTES, "the same and the KV written",
             "step_bytes + kv_written_bytes"),
        Quantity("step_weight_traffic_share", SHARE, "the weights' share of a step's bytes",
                 "weight_bytes/step_bytes"),
        Quantity("kv_halving_saving_share", SHARE, "bytes of a step saved by halving the KV element",
                 "(kv_read_bytes/2)/step_bytes"),
        Quantity("kv_exceeds_weights_tokens",
             COUNT, "resident tokens beyond which KV is more than the weights",
                 "weight_bytes/kv_bytes_per_token"),
    ),
    "Bytes of all steps": (
        Quantity("total_weight_bytes", BYTES, "weights read by all steps", "weight_bytes*n"),
        Quantity("total_kv_bytes", BYTES, "KV read by all steps", "B*kv_bytes_per_token*sum_s"),
        Quantity("total_bytes", BYTES, "weights and KV read by all steps",
             "total_weight_bytes + total_kv_bytes"),
        Quantity("weight_traffic_share", SHARE, "the weights' share of it", "total_weight_bytes/total_bytes"),
    ),
    "Intensity and time": (
        Quantity("intensity_cached", FLOP_PER_BYTE, "arithmetic intensity of a cached step",
                 "step_flops_cached/step_bytes"),
        Quantity("intensity_cached_with_write", FLOP_PER_BYTE, "the same with the KV write counted",
                 "step_flops_cached/step_bytes_with_write"),
        Quantity("intensity_uncached", FLOP_PER_BYTE, "arithmetic intensity of an uncached step",
                 "step_flops_uncached/weight_bytes", {"exact": "step_flops_uncached/step_bytes"}),
        Quantity("intensity_uncached_weights_only", FLOP_PER_BYTE, "the same over the weight bytes alone",
                 "step_flops_uncached/weight_bytes"),
        Quantity("intensity_uncached_with_kv", FLOP_PER_BYTE, "the same over the weight and KV bytes",
                 "step_flops_uncached/step_bytes"),
        Quantity("ridge_intensity", FLOP_PER_BYTE, "where the roofline bends", "F/W"),
        Quantity("step_time_s", SECONDS, "floor of one step from its bytes", "step_bytes/W"),
        Quantity("step_compute_time_s", SECONDS, "floor of one step from its FLOPs", "step_flops_cached/F"),
        Quantity("uncached_step_compute_time_s", SECONDS, "floor of one uncached step from its FLOPs",
                 "step_flops_uncached/F"),
        Quantity("time_floor_s", SECONDS, "floor of all steps from their bytes", "total_bytes/W"),
        Quantity("time_floor_per_token_s", SECONDS, "the same per decode step", "time_floor_s/n"),
    ),
    "Memory": (
        Quantity("memory_needed_bytes", BYTES, "resident weights and the KV of N sequences at context s",
                 "weight_bytes_resident + kv_bytes_of_sequences"),
        Quantity("memory_usable_bytes", BYTES, "device memory that may be used", "u*M"),
        Quantity("fits_in_memory", YES_NO, "whether it fits", "memory_needed_bytes <= memory_usable_bytes"),
        Quantity("blocks_per_request", COUNT, "blocks of a request of the greatest length",
                 "ceil(max_len/block)"),
        Quantity("kv_concurrency", RATIO, "requests of the greatest length that a pool of blocks holds",
                 "blocks/blocks_per_request"),
        Quantity("kv_pool_tokens", COUNT, "tokens that vLLM reports for the pool",
                 "floor(kv_concurrency*max_len)"),
        Quantity("kv_pool_tokens_lost_share", SHARE, "how far that is below the slots of the blocks",
                 "1 - kv_pool_tokens/(blocks*block)"),
    ),
    "How it grows": (
        *(
            Quantity(f"exponent_{name}", EXPONENT, f"growth of {name} when {what} doubles",
                 name, doubles=parameter)
            for parameter, what, names in (
                ("context", "the context", ("attention_flops_uncached", "attention_flops_cached",
                                            "projection_flops_uncached", "projection_flops_cached",
                                            "softmax_elements_per_layer", "kv_bytes")),
                ("steps", "the number of steps from an empty prompt",
                 ("total_attention_flops_uncached", "total_projection_flops_uncached", "total_attention_flops_cached",
                  "total_projection_flops_cached")),
            )
            for name in names
        ),
    ),
}  # fmt: skip

#: Every quantity by name.
QUANTITIES: Mapping[str, Quantity] = MappingProxyType(
    {quantity.name: quantity for section in SECTIONS.values() for quantity in section}
)
