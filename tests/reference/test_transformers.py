"""The reference against transformers' LlamaForCausalLM, and the measurement on the installed version."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

from refcheck.errors import ReferenceInputError
from refcheck.reference.decoder import ContiguousCache, Counters, Sizes, Weights, forward, random_weights
from refcheck.reference.loop import relative
from refcheck.reference.measure import SMALL_MODEL, measure

torch = pytest.importorskip("torch", reason="the extra `transformers` is not installed: torch is missing")
transformers = pytest.importorskip("transformers", reason="the extra `transformers` is not installed")

pytestmark = pytest.mark.transformers


def config_of(sizes: Sizes) -> Any:
    return transformers.LlamaConfig(
        hidden_size=sizes.hidden, intermediate_size=sizes.ffn, num_hidden_layers=sizes.layers,
        num_attention_heads=sizes.heads, num_key_value_heads=sizes.kv_heads, head_dim=sizes.head_dim,
        vocab_size=sizes.vocab, rms_norm_eps=sizes.norm_eps, tie_word_embeddings=False,
        rope_parameters={"rope_type": "default", "rope_theta": sizes.rope_theta},
    )  # fmt: skip


def same_weights(sizes: Sizes, weights: Weights, dtype: str) -> Any:
    """LlamaForCausalLM with the reference's weights; Linear keeps its matrix as (out, in)."""
    model = transformers.LlamaForCausalLM(config_of(sizes)).to(getattr(torch, dtype)).eval()
    state = {"model.embed_tokens.weight": weights.embedding, "model.norm.weight": weights.norm}
    state["lm_head.weight"] = weights.head.T
    for i, layer in enumerate(weights.layers):
        at = f"model.layers.{i}."
        state[at + "input_layernorm.weight"] = layer.attention_norm
        state[at + "post_attention_layernorm.weight"] = layer.mlp_norm
        for name, matrix in (("q", layer.w_q), ("k", layer.w_k), ("v", layer.w_v), ("o", layer.w_o)):
            state[f"{at}self_attn.{name}_proj.weight"] = matrix.T
        for name in ("gate", "up", "down"):
            state[f"{at}mlp.{name}_proj.weight"] = getattr(layer, name).T
    model.load_state_dict({name: torch.tensor(np.ascontiguousarray(value)) for name, value in state.items()})
    return model


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kv_heads", [1, 2, 8])
@pytest.mark.parametrize("seed", range(3))
def test_the_same_weights_give_the_same_logits(dtype: str, kv_heads: int, seed: int) -> None:
    sizes = Sizes(layers=3, kv_heads=kv_heads)
    weights = random_weights(sizes, seed, dtype)
    tokens = np.random.default_rng(seed).integers(0, sizes.vocab, 24)
    ours = forward(sizes, weights, tokens, ContiguousCache(sizes, 24, dtype), Counters(), all_rows=True)
    with torch.inference_mode():
        theirs = same_weights(sizes, weights, dtype)(torch.tensor(tokens)[None]).logits[0].numpy()
    assert ours.shape == theirs.shape
    assert relative(ours, theirs) <= 5e-6


def test_the_cache_holds_the_same_turned_keys_and_the_same_bytes() -> None:
    sizes = Sizes(layers=2)
    weights = random_weights(sizes, 0, "float32")
    tokens = np.arange(20) * 3
    cache = ContiguousCache(sizes, 20, "float32")
    forward(sizes, weights, tokens, cache, Counters())
    with torch.inference_mode():
        output = same_weights(sizes, weights, "float32")(torch.tensor(tokens)[None], use_cache=True)
    theirs = output.past_key_values.layers
    for i in range(sizes.layers):
        for which, name in enumerate(("keys", "values")):
            held = getattr(theirs[i], name)[0].numpy().transpose(1, 0, 2)  # (s, h_kv, d_h)
            assert relative(cache.pool[which, i], held) <= 5e-6
    held_bytes = sum(t.numel() * t.element_size() for layer in theirs for t in (layer.keys, layer.values))
    assert held_bytes == cache.pool.nbytes == 20 * sizes.cached_elements_per_token * 4


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_measured_generation_gives_equal_tokens_and_the_expected_key(dtype: str) -> None:
    found = measure(new_tokens=24, prompt_tokens=9, batch=2, dtype=dtype)
    assert found.tokens_equal
    assert found.first_difference is None
    assert found.generated == (24, 24)
    assert found.key_shape == found.expected_key_shape == (2, SMALL_MODEL["num_key_value_heads"], 9, 32)
    assert found.cached_s > 0
    assert found.ratio == found.uncached_s / found.cached_s


def test_measure_a_checkpoint_and_a_config_on_disk(tmp_path: Path) -> None:
    sizes = Sizes()
    model = transformers.LlamaForCausalLM(config_of(sizes))
    model.save_pretrained(tmp_path)
    from_checkpoint = measure(checkpoint=tmp_path, new_tokens=5, prompt_tokens=4)
    assert from_checkpoint.key_shape == (1, sizes.kv_heads, 4, sizes.head_dim)
    assert measure(config=tmp_path / "config.json", new_tokens=5, prompt_tokens=4).tokens_equal
    with pytest.raises(ReferenceInputError, match="not both"):
        measure(checkpoint=tmp_path, config=tmp_path)
    with pytest.raises(ReferenceInputError, match="nothing is fetched"):
        measure(checkpoint=tmp_path / "HuggingFaceTB")
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    with pytest.raises(ReferenceInputError, match="cannot load"):
        measure(config=tmp_path / "config.json")


def test_the_command(tmp_path: Path) -> None:
    from refcheck.cli.measure import command

    result = CliRunner().invoke(command, ["--new-tokens", "8", "--format", "json"])
    document = json.loads(result.stdout)
    assert document["schema"] == "refcheck-measure/1"
    schema = files("refcheck.reference").joinpath("schemas", "refcheck-measure-1.json").read_text(encoding="utf-8")
    pytest.importorskip("jsonschema", reason="jsonschema is not installed").validate(document, json.loads(schema))
    assert document["tokens_equal"]
    assert document["key_shape_right"]
    assert "layers[0].keys" in document["accessor"]
    text = CliRunner().invoke(command, ["--new-tokens", "8"]).stdout
    assert "[1, 2, 16, 32], [batch, h_kv, seq, d_h] is [1, 2, 16, 32]" in text


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"new_tokens": 0}, "--new-tokens"),
        ({"batch": 0}, "--batch"),
        ({"threads": 0}, "--threads"),
        ({"dtype": "fp8"}, "--dtype"),
    ],
)
def test_what_cannot_be_measured(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ReferenceInputError, match=message):
        measure(**options)


def test_flops_of_a_real_shape_are_what_torch_counts() -> None:
    """torch's FlopCounterMode over a meta-device Llama: matrix products alone, as in the exact accounting."""
    from torch.utils.flop_counter import FlopCounterMode

    from refcheck.reference.cost import evaluate
    from refcheck.reference.shapes import published_model

    shape = published_model("llama-3-8b")
    context = 2560
    config = transformers.LlamaConfig(
        hidden_size=shape.hidden, intermediate_size=shape.ffn, num_hidden_layers=shape.layers,
        num_attention_heads=shape.heads, num_key_value_heads=shape.kv_heads, vocab_size=shape.vocab,
        max_position_embeddings=8192, attn_implementation="eager",
    )  # fmt: skip
    with torch.device("meta"):
        model = transformers.LlamaForCausalLM(config).to(torch.bfloat16).eval()
        cache = transformers.DynamicCache()
        past = torch.zeros(1, shape.kv_heads, context - 1, shape.head_dim, dtype=torch.bfloat16)
        for layer in range(shape.layers):
            cache.update(past, past, layer)
        ids = torch.zeros(1, 1, dtype=torch.long)
        mask = torch.zeros(1, 1, 1, context, dtype=torch.bfloat16)
        counter = FlopCounterMode(display=False)
        with counter, torch.inference_mode():
            model(ids, past_key_values=cache, attention_mask=mask, position_ids=ids, use_cache=True)
    assert counter.get_total_flops() == evaluate("step_flops_cached", context=context, accounting="exact").value
    assert sum(p.numel() for p in model.parameters()) == shape.resident_params
