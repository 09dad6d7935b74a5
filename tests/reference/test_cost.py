"""The cost model: every target figure, and each closed form against a second derivation."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refcheck.errors import ReferenceInputError
from refcheck.reference.cost import QUANTITIES, evaluate, evaluate_all, evaluate_expression, setting
from refcheck.reference.shapes import ModelShape, model_names, model_shape, published_model

MIB, GIB = 2**20, 2**30


@pytest.mark.parametrize(
    ("name", "parameters", "value"),
    [
        ("outputs_sampled", {}, 513),
        ("forwards_for_outputs", {"outputs": 512}, 511),
        ("first_context", {}, 2049),
        ("last_context", {}, 2560),
        ("context_sum", {}, 1_179_904),
        ("context_square_sum", {}, 2_730_273_536),
        ("context_mean", {}, Fraction("2304.5")),
        ("context_midpoint", {}, Fraction("2304.5")),
        ("other_rows", {}, 2559),
        ("other_rows_mean", {}, Fraction("2303.5")),
        ("new_kv_vectors_uncached", {}, 2560),
        ("attention_params_per_layer", {}, 41_943_040),
        ("mlp_params_per_layer", {}, 176_160_768),
        ("layer_params", {}, 218_103_808),
        ("params_resident", {}, 8_030_261_248),
        ("params_streamed", {}, 7_504_658_432),
        ("params_resident", {"model": "llama-3-70b"}, 70_553_706_496),
        ("qkv_flops_per_layer", {}, 50_331_648),
        ("o_proj_flops_per_layer", {}, 33_554_432),
        ("mlp_flops_per_layer", {}, 352_321_536),
        ("layer_flops", {}, 436_207_616),
        ("projection_flops_uncached", {}, 41_113_600_000_000),
        ("projection_flops_cached", {}, 16_060_000_000),
        ("attention_flops_uncached", {}, 1_717_986_918_400),
        ("attention_flops_cached", {}, 1_342_177_280),
        ("attention_flops_ratio", {}, 1280),
        ("step_flops_cached", {}, 17_402_177_280),
        ("step_flops_cached", {"accounting": "exact"}, 16_351_494_144),  # FlopCounterMode gives this on meta tensors
        ("weight_bytes", {}, 16_060_000_000),
        ("kv_bytes_per_token", {}, 131_072),
        ("kv_bytes_per_token", {"model": "llama-3-70b"}, 327_680),
        ("kv_bytes_per_token", {"kv_bytes": 1}, 65_536),
        ("kv_bytes_per_token_per_layer", {}, 4096),
        ("kv_bytes_per_token_per_layer", {"model": "deepseek-v3"}, 1152),
        ("kv_page_bytes_per_layer", {}, 65_536),
        ("kv_bytes_per_head_per_token", {}, 512),
        ("kv_bytes_per_token_from_query_heads", {}, 524_288),
        ("kv_bytes_per_token", {"kv_heads": 32}, 524_288),
        ("gqa_ratio", {}, 4),
        ("mqa_gap", {}, 32),
        ("kv_bytes", {}, 320 * MIB),
        ("kv_bytes_of_sequences", {"sequences": 32}, 10 * GIB),
        ("kv_bytes_of_sequences", {"sequences": 64, "context": 8192}, 64 * GIB),
        ("kv_bytes_of_sequences", {"sequences": 64, "context": 8000}, Fraction("62.5") * GIB),
        ("kv_bytes_after_prefill", {}, 256 * MIB),
        ("kv_bytes_after_step", {"at_step": 1}, Fraction("256.125") * MIB),
        ("kv_bytes_after_step", {"at_step": 3}, Fraction("256.375") * MIB),
        ("kv_bytes_after_step", {"at_step": 512}, 320 * MIB),
        ("kv_bytes_allocated_after_step", {"at_step": 1}, 258 * MIB),
        ("kv_bytes_allocated_after_step", {"at_step": 3}, 258 * MIB),
        ("q_size", {"tp": 16}, 256),
        ("kv_size", {"tp": 16}, 128),
        ("kv_size", {"tp": 2}, 512),
        ("fits_in_memory", {"sequences": 64, "context": 8192}, 0),
        ("fits_in_memory", {"sequences": 64, "context": 8192, "memory_bytes": 80 * GIB}, 1),
        ("fits_in_memory", {"sequences": 64, "context": 8192, "memory_bytes": 80 * GIB, "utilisation": 0.9}, 0),
        ("kv_pool_tokens", {"blocks": 27_000}, 432_000),
    ],
)
def test_exact_values(name: str, parameters: dict[str, Any], value: int | Fraction) -> None:
    assert evaluate(name, **parameters).value == value


@pytest.mark.parametrize(
    ("name", "parameters", "value"),
    [
        ("step_flops_ratio", {}, 2461.28),
        ("step_flops_ratio", {"context": 2304}, 2223.4),
        ("total_flops_uncached", {}, 1.96649831e16),
        ("total_flops_cached", {}, 8.84132951e12),
        ("total_flops_ratio", {}, 2224.21),
        ("total_flops_ratio", {"accounting": "exact"}, 2069.8),
        ("total_flops_ratio", {"accounting": "exact", "head_rows": "all"}, 2219.0),
        ("total_flops_ratio", {"model": "llama-3-70b"}, 2257.42),
        ("attention_share_uncached", {}, 0.03640),
        ("attention_share_cached", {}, 0.06997),
        ("attention_share_cached", {"model": "llama-3-70b"}, 0.04103),
        ("step_attention_share_cached", {"context": 2500}, 0.0755),
        ("step_attention_share_cached", {"context": 2560}, 0.0771),
        ("step_attention_share_cached", {"accounting": "exact"}, 0.082),
        ("attention_only_ratio", {}, 1.038),
        ("projection_only_ratio", {}, 27.16),
        ("coarse_excess_share", {}, 0.070),
        ("triangle_excess_share", {}, 0.00039),
        ("intensity_cached", {"context": 2304}, 1.0553704),
        ("intensity_cached", {}, 1.0614),
        ("intensity_cached", {"context": 2304, "kv_bytes": 1}, 1.06520),
        ("intensity_uncached", {}, 2667),
        ("intensity_uncached", {"context": 2304}, 2390),
        ("intensity_uncached_with_kv", {}, 2612),
        ("step_bytes", {"context": 2304}, 1.63620e10),
        ("step_bytes", {"context": 2304, "kv_bytes": 1}, 1.62110e10),
        ("kv_halving_saving_share", {"context": 2304}, 0.00923),
        ("total_weight_bytes", {}, 7658.005 * GIB),
        ("total_kv_bytes", {}, 144.031 * GIB),
        ("time_floor_s", {}, 2.5007),
        ("time_floor_per_token_s", {}, 0.0048842),
        ("time_floor_s", {"accounting": "exact"}, 2.34),
        ("time_floor_per_token_s", {"accounting": "exact"}, 0.00457),
        ("step_time_s", {}, 0.00489),
        ("step_time_s", {"batch": 32}, 0.00800),
        ("weight_traffic_share", {}, 0.98154),
        ("step_weight_traffic_share", {}, 0.97953),
        ("step_weight_traffic_share", {"batch": 8}, 0.857),
        ("step_weight_traffic_share", {"batch": 32}, 0.599),
        ("step_weight_traffic_share", {"batch": 64}, 0.428),
        ("kv_exceeds_weights_tokens", {}, 122_528),
        ("memory_needed_bytes", {"sequences": 64, "context": 8192}, 84.78e9),
        ("kv_concurrency", {"blocks": 27_000}, 105.47),
        ("kv_pool_tokens_lost_share", {"blocks": 27_000, "max_model_len": 4090}, 0.001465),
        ("exponent_total_attention_flops_uncached", {}, 3),
        ("exponent_total_projection_flops_uncached", {}, 2),
        ("exponent_total_attention_flops_cached", {}, 2),
        ("exponent_total_projection_flops_cached", {}, 1),
        ("exponent_attention_flops_uncached", {}, 2),
        ("exponent_projection_flops_cached", {}, 0),
    ],
)
def test_values_to_the_figures_given(name: str, parameters: dict[str, Any], value: float) -> None:
    absolute = 1e-3 if name.startswith("exponent") else 0.0
    relative = 3e-3 if value < 1 else 5e-4
    assert float(evaluate(name, **parameters).value) == pytest.approx(value, rel=relative, abs=absolute)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("llama-2-7b", 6_738_415_616),
        ("gemma-2b", 2_506_172_416),
        ("smollm2-135m", 134_515_008),
        ("deepseek-v3", 671_026_419_200),
    ],
)
def test_parameters_of_published_models(name: str, parameters: int) -> None:
    assert published_model(name).resident_params == parameters


# --- second derivations ------------------------------------------------------------------------------------

shapes = st.builds(
    lambda layers, kv, group, half, hidden, ffn, vocab: ModelShape(
        "any", layers, hidden, kv * group, kv, 2 * half, ffn, vocab
    ),
    *(st.integers(1, limit) for limit in (6, 8, 8, 64, 256, 512, 1000)),
)


@settings(max_examples=40, deadline=None)
@given(
    shapes, st.integers(0, 60), st.integers(1, 40), st.integers(1, 3),
    st.sampled_from(["coarse", "exact"]), st.sampled_from(["last", "all"]),
)  # fmt: skip
def test_phase_formulas_are_the_sums_over_their_steps(
    shape: ModelShape, prompt: int, steps: int, batch: int, accounting: str, rows: str
) -> None:
    options: dict[str, Any] = {
        "model": shape,
        "prompt": prompt,
        "batch": batch,
        "accounting": accounting,
        "head_rows": rows,
    }

    def total(name: str) -> Any:
        return evaluate(name, steps=steps, **options).value

    def summed(name: str) -> Any:
        return sum(evaluate(name, steps=steps, context=prompt + t, **options).value for t in range(1, steps + 1))

    assert total("context_sum") == sum(range(prompt + 1, prompt + steps + 1))
    assert total("context_square_sum") == sum(s * s for s in range(prompt + 1, prompt + steps + 1))
    for kind in ("cached", "uncached"):
        assert total(f"total_flops_{kind}") == summed(f"step_flops_{kind}")
        assert total(f"total_projection_flops_{kind}") == summed(f"projection_flops_{kind}")
        assert total(f"total_attention_flops_{kind}") == summed(f"attention_flops_{kind}")
    assert total("total_kv_bytes") == summed("kv_read_bytes")
    assert total("total_weight_bytes") == summed("weight_bytes")
    assert total("total_bytes") == summed("step_bytes")


@settings(max_examples=40, deadline=None)
@given(shapes, st.integers(1, 100))
def test_exact_flops_are_counted_matrix_by_matrix(shape: ModelShape, context: int) -> None:
    d, q, kv = shape.hidden, shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    matrices = [(d, q), (d, kv), (d, kv), (q, d), (d, shape.ffn), (d, shape.ffn), (shape.ffn, d)]
    per_row = shape.layers * sum(2 * rows * columns for rows, columns in matrices)
    head = 2 * d * shape.vocab
    attention = [
        sum(2 * shape.head_dim * 2 for _layer in range(shape.layers) for _head in range(shape.heads)) * (i + 1)
        for i in range(context)
    ]
    options: dict[str, Any] = {"model": shape, "context": context, "accounting": "exact"}
    assert evaluate("step_flops_cached", **options).value == per_row + head + attention[-1]
    assert evaluate("step_flops_uncached", **options).value == per_row * context + head + sum(attention)


@pytest.mark.parametrize("name", model_names())
def test_all_quantities_of_all_models_have_values_and_formulas_in_symbols(name: str) -> None:
    for value in evaluate_all(setting(name)).values():
        assert value.rounded
        words = set(value.formula.replace("·", " ").replace("(", " ").replace(")", " ").split())
        assert not words & set(QUANTITIES) - {"layers"}, value.formula


def test_the_formula_shown_is_the_chapters() -> None:
    assert evaluate("step_flops_cached").formula == "2·P + 4·L·h·d_h·s"
    assert evaluate("step_flops_uncached").formula == "2·P·s + 2·L·h·d_h·s²"
    assert evaluate("kv_bytes_per_token").formula == "2·L·h_kv·d_h·b"
    assert evaluate("intensity_cached").formula == "(2·P + 4·L·h·d_h·s) / (P·b_w + 2·L·h_kv·d_h·b·s)"
    assert evaluate("kv_bytes", batch=2).formula.startswith("B·")


def test_a_mixture_of_experts_reads_more_experts_the_larger_the_batch_up_to_all() -> None:
    shape = published_model("deepseek-v3")
    read = [shape.streamed_params(batch) for batch in (1, 2, 64, 10_000)]
    assert read == sorted(read)
    assert read[0] == shape.matrix_params
    everything = shape.resident_params - shape.head_params
    assert everything * 0.999 < read[-1] <= everything


# --- a config from disk ------------------------------------------------------------------------------------

CONFIG = {
    "model_type": "llama", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 2,
    "num_attention_heads": 8, "num_key_value_heads": 2, "vocab_size": 100, "tie_word_embeddings": False,
}  # fmt: skip


def write(folder: Path, **changes: object) -> Path:
    path = folder / "config.json"
    path.write_text(json.dumps({k: v for k, v in {**CONFIG, **changes}.items() if v is not ...}), encoding="utf-8")
    return path


def test_a_config_is_read_from_its_file_or_folder(tmp_path: Path) -> None:
    write(tmp_path)
    assert model_shape(tmp_path) == model_shape(str(tmp_path / "config.json"))
    assert evaluate("kv_bytes_per_token", model=tmp_path).value == 2 * 2 * 2 * 8 * 2
    assert evaluate("params_published", model=tmp_path).value == model_shape(tmp_path).resident_params


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"hidden_size": ...}, "has no 'hidden_size'"),
        ({"vocab_size": ...}, "has no 'vocab_size'"),
        ({"num_hidden_layers": "two"}, "num_hidden_layers is 'two'"),
        ({"num_hidden_layers": True}, "num_hidden_layers is True"),
        ({"num_hidden_layers": 0}, "layers is 0"),
        ({"num_key_value_heads": 3}, "8 query heads cannot share 3 KV heads"),
        ({"hidden_size": 60}, "no multiple of num_attention_heads"),
        ({"head_dim": 7}, "must be even"),
        ({"model_type": "falcon"}, "another layer"),
        ({"vocab_size": 10**12}, "vocab is 1000000000000"),
        ({"num_local_experts": 4, "num_experts_per_tok": 5}, "do not fit together"),
    ],
)
def test_a_config_that_cannot_be_counted(tmp_path: Path, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ReferenceInputError, match=message):
        model_shape(write(tmp_path, **changes))


def test_a_config_with_open_questions_says_so(tmp_path: Path) -> None:
    shape = model_shape(write(tmp_path, model_type="unheard_of", num_key_value_heads=..., sliding_window=128))
    assert shape.kv_heads == 8
    assert len(shape.notes) == 3
    nested = tmp_path / "nested.json"
    nested.write_text(json.dumps({"model_type": "vision", "text_config": CONFIG}), encoding="utf-8")
    assert model_shape(nested).layers == 2


@pytest.mark.parametrize("text", ["[]", "{", "", "\x00"])
def test_a_config_that_is_no_json_object(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.json").write_text(text, encoding="utf-8")
    with pytest.raises(ReferenceInputError, match=r"config\.json"):
        model_shape(tmp_path)


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"steps": 0}, "--steps"),
        ({"prompt": -1}, "--prompt"),
        ({"batch": 0}, "--batch"),
        ({"steps": 10**400}, "401 digits"),
        ({"context": 0}, "--context"),
        ({"block_size": 0}, "--block-size"),
        ({"utilisation": 1.5}, "utilisation"),
        ({"kv_bytes": 0}, "kv_bytes"),
        ({"tp": 3}, "tp is 3"),
        ({"accounting": "fine"}, "coarse or exact"),
        ({"head_rows": "some"}, "last or all"),
        ({"model": "llama-9"}, "known are llama-3-8b"),
        ({"model": "no/such/config.json"}, "no such config.json"),
        ({"hardware": "abacus"}, "known are h100-sxm"),
        ({"kv_heads": 5}, "cannot share 5"),
        ({"kv_heads": 0}, "kv_heads is 0"),
        ({"model": "deepseek-v3", "kv_heads": 1}, "MLA"),
        ({"colour": 1}, "no parameter colour"),
        ({"steps": 1.5}, "whole number"),
        ({"steps": True}, "whole number"),
    ],
)
def test_parameters_out_of_range_are_named_and_not_clamped(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ReferenceInputError, match=message):
        evaluate("time_floor_s", **parameters)


def test_unknown_and_undefined_quantities() -> None:
    with pytest.raises(ReferenceInputError, match="close to it: step_flops"):
        evaluate("step_flops")
    with pytest.raises(ReferenceInputError, match="needs the parameter blocks"):
        evaluate("kv_concurrency")
    with pytest.raises(ReferenceInputError, match="deepseek-v3 does not have"):
        evaluate("gqa_ratio", model="deepseek-v3")


# --- expressions -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("model", ["llama-3-8b", "llama-3-70b", "gemma-2b", "smollm2-135m"])
@pytest.mark.parametrize(
    "text",
    [
        "2*d*(h*d_h) + 4*d*(h_kv*d_h) == qkv_flops_per_layer",
        "2*h*d_h*s + 2*h*d_h*s == 4*h*d_h*s and attention_flops_per_layer == 4*h*d_h*s",
        "2*(h*d_h)*d == o_proj_flops_per_layer",
        "2*3*d*d_ff == mlp_flops_per_layer",
        "attention_flops_uncached == L*(4*h*d_h*s**2)/2",
        "step_flops_uncached == 2*P*s + 2*L*h*d_h*s**2",
        "step_flops_cached == 2*P + 4*L*h*d_h*s",
        "intensity_cached == (2*P + 4*L*h*d_h*s)/(P*b_w + 2*L*h_kv*d_h*b*s)",
        "kv_bytes == 2*L*h_kv*d_h*b*s",
        "layer_flops == 2*layer_params",
        "attention_share_cached < 1/2 and projection_only_ratio > attention_only_ratio",
        "step_bytes > weight_bytes and step_flops_cached < step_flops_uncached",
        "total_flops_ratio <= context_mean",
    ],
)
def test_the_formulas_of_the_chapter_as_expressions(model: str, text: str) -> None:
    assert evaluate_expression(text, model=model).value == 1
    assert evaluate_expression(text, model=model, context=100).value == 1


def test_a_wrong_formula_is_not_equal() -> None:
    assert evaluate_expression("qkv_flops_per_layer == 2*d*(h*d_h) + 2*d*(h_kv*d_h)").value == 0
    assert evaluate_expression("step_flops_cached == 2*P + 4*L*h*d_h*s", accounting="exact").value == 0
    assert evaluate_expression("2*P").value == 16_060_000_000


@pytest.mark.parametrize(
    "text",
    [
        "", "2 +", "nope*2", "__import__('os')", "(lambda: 1)()", "[1][0]", "P.real", "1/0", "2**(10**9)", "9**99",
        "1 if P else 2", "P or d", "'a'*3", "1.5*P", "x:=1", "ceil()", "s < p < n", "(" * 500 + ")" * 500,
    ],
)  # fmt: skip
def test_what_is_no_expression_is_refused(text: str) -> None:
    with pytest.raises(ReferenceInputError):
        evaluate_expression(text)
