"""What transformers itself does on a tiny Llama with random weights: caches, generation, its own cache
object.

transformers and torch are the optional extra `transformers`; they are imported when something is run.
Nothing is taken from the hub.
"""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from refcheck.errors import ReferenceInputError
from refcheck.reference.measure import cache_of, layer_0_key

Measured = bool | int | str | tuple[int, ...]

TINY: Mapping[str, int] = MappingProxyType({
    "hidden_size": 48, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 6,
    "num_key_value_heads": 3, "head_dim": 8, "vocab_size": 256, "max_position_embeddings": 512,
})  # fmt: skip
LARGEST_COUNT = 512


@dataclass(frozen=True, slots=True)
class Shown:
    """Whether the behaviour shows, the values, and the versions that it was shown with."""

    holds: bool
    values: Mapping[str, Measured]
    versions: str


def _libraries() -> tuple[Any, Any]:
    """torch and transformers, quiet and offline. Raises ReferenceInputError where the extra is not
    installed."""
    os.environ["HF_HUB_OFFLINE"] = "1"
    try:
        import torch
        import transformers
    except ImportError as error:
        raise ReferenceInputError(
            f"{error.name} is not installed; install the extra: pip install 'refcheck-engines[transformers]'"
        ) from error
    transformers.utils.logging.set_verbosity_error()
    transformers.utils.logging.disable_progress_bar()
    torch.set_num_threads(1)
    return torch, transformers


def _versions() -> str:
    torch, transformers = _libraries()
    return f"transformers {transformers.__version__}, torch {torch.__version__}"


@lru_cache(maxsize=16)
def _model(seed: int, dtype: str = "float32", **changes: int) -> Any:
    torch, transformers = _libraries()
    torch.manual_seed(seed)
    config = transformers.LlamaConfig(**{**TINY, **changes})
    return transformers.LlamaForCausalLM(config).to(getattr(torch, dtype)).eval()


def _prompt(seed: int, batch: int, tokens: int) -> Any:
    torch, _ = _libraries()
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(0, TINY["vocab_size"], (batch, tokens), generator=generator)


def _generated(model: Any, ids: Any, count: int, use_cache: bool) -> Any:
    """(batch, prompt + new) token ids, greedy, with as many new ones as min_new_tokens and max_new_tokens
    say."""
    torch, _ = _libraries()
    with torch.inference_mode():
        return model.generate(
            ids, attention_mask=ids.new_ones(ids.shape), min_new_tokens=count, max_new_tokens=count,
            do_sample=False, use_cache=use_cache, pad_token_id=0,
        )  # fmt: skip


def use_cache_flag() -> Shown:
    """`use_cache` is a setting of generation and of the forward, and it decides whether a cache comes
    back."""
    _, transformers = _libraries()
    model, ids = _model(0), _prompt(0, 1, 5)
    with_cache, without = model(ids, use_cache=True), model(ids, use_cache=False)
    values: dict[str, Measured] = {
        "in_generation_config": hasattr(transformers.GenerationConfig(), "use_cache"),
        "cache_with_it": _has_cache(with_cache),
        "cache_without_it": _has_cache(without),
    }
    holds = bool(values["in_generation_config"] and values["cache_with_it"] and not values["cache_without_it"])
    return Shown(holds, values, _versions())


def _has_cache(output: Any) -> bool:
    try:
        cache_of(output)
    except ReferenceInputError:
        return False
    return True


def equal_tokens(count: int = 128, dtype: str = "float32", seeds: int = 3) -> Shown:
    """Greedy generation with and without a cache gives the same tokens (in float32; half precision may
    differ)."""
    torch, _ = _libraries()
    _checked(count)
    equal = 0
    for seed in range(seeds):
        model, ids = _model(seed, dtype), _prompt(seed, 1, 6)
        equal += bool(torch.equal(_generated(model, ids, count, True), _generated(model, ids, count, False)))
    return Shown(equal == seeds, {"equal_seeds": equal, "seeds": seeds, "tokens": count, "dtype": dtype}, _versions())


def exact_count(count: int = 128) -> Shown:
    """min_new_tokens and max_new_tokens of one number give exactly that many, with and without a cache."""
    _checked(count)
    model, ids = _model(0), _prompt(0, 1, 6)
    found = tuple(int(_generated(model, ids, count, cache).shape[1] - ids.shape[1]) for cache in (True, False))
    return Shown(found == (count, count), {"new_tokens": found}, _versions())


def _checked(count: int) -> None:
    if not 1 <= count <= LARGEST_COUNT:
        raise ReferenceInputError(f"{count} new tokens: they must be from 1 to {LARGEST_COUNT}")


def loading_dtype(argument: str = "dtype") -> Shown:
    """`from_pretrained` takes the argument and loads a checkpoint from disk in that type, without a
    complaint."""
    torch, transformers = _libraries()
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        _model(0).save_pretrained(folder)
        auto = transformers.AutoModelForCausalLM
        try:
            found = str(auto.from_pretrained(folder, local_files_only=True, **{argument: torch.float64}).dtype)
        except TypeError as error:
            found = f"refused: {error}"
    complaints = sum("deprecat" in str(one.message).lower() and argument in str(one.message) for one in caught)
    holds = found == "torch.float64" and not complaints
    return Shown(holds, {"loaded_as": found, "deprecations": complaints}, _versions())


def key_shape(batch: int = 1, heads: int = 6, kv_heads: int = 3, head_dim: int = 8, tokens: int = 20) -> Shown:
    """The shape of the layer-0 key of the returned cache."""
    changes = {"num_attention_heads": heads, "num_key_value_heads": kv_heads, "head_dim": head_dim}
    model = _model(0, **changes, hidden_size=heads * head_dim)
    key, accessor = layer_0_key(cache_of(model(_prompt(0, batch, tokens), use_cache=True))[0])
    shape = tuple(int(size) for size in key.shape)
    return Shown(shape == (batch, kv_heads, tokens, head_dim), {"shape": shape, "accessor": accessor}, _versions())


def cache_object() -> Shown:
    """The returned cache is an object and no tuple any more: an index does not reach the key, an attribute
    does."""
    model, ids = _model(0), _prompt(0, 1, 5)
    cache, name = cache_of(model(ids, use_cache=True))
    try:
        by_index = type(cache[0]).__name__
    except (TypeError, KeyError, AttributeError) as error:
        by_index = f"{type(error).__name__}"
    _, accessor = layer_0_key(cache)
    values: dict[str, Measured] = {
        "class": type(cache).__name__, "tuple": isinstance(cache, tuple), "cache[0]": by_index,
        "key": f"output.{name}{accessor}",
    }  # fmt: skip
    return Shown(not isinstance(cache, tuple) and accessor != "[0][0]", values, _versions())


SHOWN = MappingProxyType({
    one.__name__: one for one in (use_cache_flag, equal_tokens, exact_count, loading_dtype, key_shape, cache_object)
})  # fmt: skip
"""What can be shown, by name."""
