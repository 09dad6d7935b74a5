"""The decoder and its loop: tolerances over many seeds, properties over shapes, faults, and exact
counters."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refcheck.errors import ReferenceInputError
from refcheck.reference.checks import checks_of
from refcheck.reference.decoder import (
    ContiguousCache,
    Counters,
    PagedCache,
    Sizes,
    forward,
    random_weights,
)
from refcheck.reference.experiments import EXPERIMENTS, run
from refcheck.reference.loop import TOLERANCE, Run, generate

SEEDS = 20

sizes_of_any_shape = st.builds(
    lambda layers, kv, group, half, hidden, ffn, vocab: Sizes(layers, hidden, kv * group, kv, 2 * half, ffn, vocab),
    layers=st.integers(1, 3),
    kv=st.integers(1, 3),
    group=st.integers(1, 4),
    half=st.integers(1, 4),
    hidden=st.integers(2, 24),
    ffn=st.integers(1, 32),
    vocab=st.integers(2, 64),
)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("kv_heads", [1, 2, 8])
def test_cached_equals_uncached_over_many_seeds(dtype: str, kv_heads: int) -> None:
    found = run("cached_equals_uncached", dtype=dtype, seeds=SEEDS, steps=8, kv_heads=kv_heads)
    assert found.number("worst") <= TOLERANCE[dtype]
    if dtype == "float64":
        assert found.values["argmax_mismatches"] == 0


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_chunked_prefill_equals_whole_over_many_seeds(dtype: str) -> None:
    assert run("chunked_equals_whole", dtype=dtype, seeds=SEEDS).holds


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_paged_cache_equals_a_contiguous_one_bit_for_bit(dtype: str) -> None:
    assert run("paged_equals_contiguous", dtype=dtype, seeds=SEEDS).holds


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_recomputed_keys_are_close_and_no_more_is_claimed(dtype: str) -> None:
    assert run("recomputed_keys_equal_cached", dtype=dtype, seeds=SEEDS).holds


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_a_uniform_shift_is_not_reported_as_corruption(dtype: str) -> None:
    found = run("uniform_shift_harmless", dtype=dtype, seeds=SEEDS)
    assert found.holds
    outcome = generate(Run(fault="uniform", dtype=dtype))
    assert outcome.first_wrong is None
    assert not outcome.diverges


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("position_plus_one", 1e-3),
        ("position_minus_one", 1e-3),
        ("position_frozen", 1e-3),
        ("k_only", 1e-3),
        ("q_only", 1e-3),
        ("one_step", 1e-4),
    ],
)
def test_wrong_positions_spoil_every_step_of_every_seed(name: str, limit: float) -> None:
    found = run(name, seeds=SEEDS)
    assert found.number("least") > limit
    assert found.values["first_wrong_step"] == 1


def test_the_position_seq_lens_taken_literally_makes_every_seed_diverge() -> None:
    found = run("position_plus_one", seeds=SEEDS)
    assert found.values["diverged_seeds"] == SEEDS
    assert found.number("median") > 1e-2


def test_without_a_causal_mask_one_layer_shows_nothing_and_more_layers_do() -> None:
    assert run("no_causal", layers=1, seeds=SEEDS).number("worst") <= 1e-12
    assert run("no_causal", layers=2, seeds=SEEDS).number("least") > 1e-3
    assert run("no_causal", layers=4, seeds=5).number("least") > 1e-3
    assert not run("bidirectional_extension_changes_old_kv", layers=1).holds
    assert run("bidirectional_extension_changes_old_kv", layers=3).holds


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name != "no_causal"])
def test_every_experiment_holds_with_its_defaults_and_is_deterministic(name: str) -> None:
    found = run(name)
    assert found.holds, found
    assert found.summary
    assert run(name) is found


def test_the_scheduler_counts_one_in_decode_and_only_the_whole_expression_does_so_in_both_modes() -> None:
    synchronous, asynchronous = run("scheduler_counts"), run("scheduler_counts", asynchronous=True)
    assert synchronous.values["without_placeholders"] == (1,)
    assert asynchronous.values["without_placeholders"] == (0,)
    for found in (synchronous, asynchronous):
        assert found.values["whole_expression"] == (1,)
        assert found.values["prefill"] == 2048
        assert found.values["outputs"] == 513
        assert (found.values["last_position"], found.values["last_seq_len"]) == (2559, 2560)
    assert run("scheduler_counts", spec=3).values["whole_expression"] == (4,)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("no_such", {}, "there is no experiment"),
        ("no_causal", {"colour": 1}, "no parameter colour"),
        ("no_causal", {"seeds": 0}, "at least one"),
        ("scheduler_counts", {"asynchronous": True, "spec": 1}, "not simulated"),
    ],
)
def test_experiments_that_cannot_be_run(name: str, parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ReferenceInputError, match=message):
        run(name, **parameters)


# --- properties over shapes --------------------------------------------------------------------------------


@settings(max_examples=30, deadline=None)
@given(
    sizes_of_any_shape, st.integers(1, 12), st.integers(1, 5), st.integers(0, 999), st.none() | st.integers(1, 13),
    st.none() | st.integers(1, 7), st.sampled_from(["float64", "float32"]),
)  # fmt: skip
def test_any_shape_holds_in_every_check(
    sizes: Sizes, prompt: int, steps: int, seed: int, chunk: int | None, block: int | None, dtype: str
) -> None:
    outcome = generate(Run(sizes, prompt, steps, seed, dtype, chunk, block))
    # tiny shapes can have logits that nearly cancel: the argmax of float32 is not asserted, the error is
    for check in checks_of(outcome):
        assert check.holds, check
    assert len(outcome.tokens) == steps + 1
    assert outcome.steps[-1].cached_tokens == prompt + steps


@settings(max_examples=30, deadline=None)
@given(sizes_of_any_shape, st.integers(1, 10), st.integers(1, 5))
def test_counters_equal_the_closed_forms_for_any_shape(sizes: Sizes, prompt: int, steps: int) -> None:
    found = run(
        "flops_equal_closed_forms", layers=sizes.layers, hidden=sizes.hidden, heads=sizes.heads,
        kv_heads=sizes.kv_heads, head_dim=sizes.head_dim, ffn=sizes.ffn, prompt=prompt, steps=steps,
    )  # fmt: skip
    assert found.holds, found


@settings(max_examples=30, deadline=None)
@given(st.integers(1, 40), st.integers(1, 9), st.integers(0, 99))
def test_the_slot_mapping_gives_every_token_its_own_slot_in_its_block(tokens: int, block: int, seed: int) -> None:
    cache = PagedCache(Sizes(), tokens, "float32", block, seed)
    slots = cache.slot_mapping(0, tokens)
    assert len(set(slots.tolist())) == tokens
    assert [int(slot) // block for slot in slots] == [int(cache.block_table[i // block]) for i in range(tokens)]
    assert [int(slot) % block for slot in slots] == [i % block for i in range(tokens)]


def test_all_rows_of_one_forward_are_the_last_rows_of_its_prefixes() -> None:
    sizes = Sizes()
    weights = random_weights(sizes, 3)
    tokens = np.arange(9) * 7
    every = forward(sizes, weights, tokens, ContiguousCache(sizes, 9, "float64"), Counters(), all_rows=True)
    assert every.shape == (9, sizes.vocab)
    for end in range(1, 10):
        last = forward(sizes, weights, tokens[:end], ContiguousCache(sizes, end, "float64"), Counters())
        np.testing.assert_allclose(last[0], every[end - 1], rtol=0, atol=1e-12)


def test_a_wrong_decoder_is_noticed() -> None:
    """The checks can fail: a cache that loses a row makes the very first check fail."""
    outcome = generate(Run())
    spoiled = dataclasses.replace(
        outcome, steps=(*outcome.steps[:-1], dataclasses.replace(outcome.steps[-1], error=0.5))
    )
    assert [check.holds for check in checks_of(spoiled)] == [False, True, True, True, True, True]
    miscounted = dataclasses.replace(outcome.steps[-1], flops=outcome.steps[-1].flops + 1)
    spoiled = dataclasses.replace(outcome, steps=(*outcome.steps[:-1], miscounted))
    assert [check.holds for check in checks_of(spoiled)] == [True, True, True, True, False, True]


# --- bad input ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sizes(heads=8, kv_heads=3), "evenly"),
        (lambda: Sizes(head_dim=7), "even"),
        (lambda: Sizes(layers=0), "layers is 0"),
        (lambda: Sizes(hidden=65_536, ffn=65_536), "too many to run"),
        (lambda: Run(steps=0), "steps is 0"),
        (lambda: Run(prompt=0), "prompt is 0"),
        (lambda: Run(chunk=0), "chunk is 0"),
        (lambda: Run(block_size=0), "block_size is 0"),
        (lambda: Run(dtype="bf16"), "float32 or float64"),
        (lambda: Run(seed=-1), "negative"),
        (lambda: Run(fault="sideways"), "known are none"),  # type: ignore[arg-type]
        (lambda: Run(fault="one-step", fault_at=9, steps=8), "there are 8 steps"),
        (lambda: Run(prompt=10, steps=10, cache_tokens=19), "larger --cache-tokens"),
        (lambda: random_weights(Sizes(), 0, "int8"), "float32 or float64"),
    ],
)
def test_what_cannot_be_run_is_named(make: Any, message: str) -> None:
    with pytest.raises(ReferenceInputError, match=message):
        make()


@pytest.mark.parametrize("cache", [ContiguousCache(Sizes(), 3, "float64"), PagedCache(Sizes(), 3, "float64", 2)])
def test_a_full_cache_says_so_instead_of_writing_elsewhere(cache: Any) -> None:
    weights = random_weights(Sizes(), 0)
    forward(Sizes(), weights, np.arange(3), cache, Counters())
    with pytest.raises(ReferenceInputError, match="do not fit"):
        forward(Sizes(), weights, np.arange(1), cache, Counters())
