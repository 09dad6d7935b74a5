"""Cached against uncached generation with transformers, and the shape of the key that its cache holds.

transformers and torch are the optional extra `transformers`; they are imported when a measurement is made.
Nothing is taken from the hub: a checkpoint is a folder on disk, and without one a small model with random
weights is built.
"""

from __future__ import annotations

import os
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from refcheck.errors import ReferenceInputError

DTYPES = ("float32", "float64", "float16", "bfloat16")

#: A Llama-shaped model that one CPU thread can run without a cache for some hundred tokens in seconds.
SMALL_MODEL: dict[str, Any] = {
    "hidden_size": 192, "intermediate_size": 512, "num_hidden_layers": 6, "num_attention_heads": 6,
    "num_key_value_heads": 2, "head_dim": 32, "vocab_size": 1024, "max_position_embeddings": 4096,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Measured:
    """Seconds of generation with and without a cache (warm-up excluded), and whether the tokens are equal.

    `generated` are the new tokens that each way gave. `key_shape` is that of the layer-0 key after one
    forward over `key_tokens` tokens; `expected_key_shape` is (batch, h_kv, key_tokens, d_h). `accessor` is
    the expression that reads the key in the installed version; `tuple_index_works` says whether [0][0] of
    the legacy tuple does, too.
    """

    model: str
    dtype: str
    new_tokens: int
    generated: tuple[int, int]
    cached_s: float
    uncached_s: float
    tokens_equal: bool
    first_difference: int | None
    key_shape: tuple[int, ...]
    expected_key_shape: tuple[int, ...]
    accessor: str
    cache_class: str
    tuple_index_works: bool
    transformers: str
    torch: str

    @property
    def ratio(self) -> float:
        """How much longer the uncached generation took."""
        return self.uncached_s / self.cached_s


def measure(
    checkpoint: Path | None = None,
    config: Path | None = None,
    *,
    new_tokens: int = 128,
    prompt_tokens: int = 16,
    batch: int = 1,
    dtype: str = "float32",
    seed: int = 7,
    threads: int = 1,
) -> Measured:
    """Generates greedily with and without a cache from the same random prompt.

    Raises ReferenceInputError where the extra is not installed, or a checkpoint or config cannot be used.
    """
    for name, value in (("new-tokens", new_tokens), ("prompt-tokens", prompt_tokens), ("batch", batch)):
        if not 1 <= value <= 4096:
            raise ReferenceInputError(f"--{name} is {value}; it must be from 1 to 4096")
    if threads < 1:
        raise ReferenceInputError(f"--threads is {threads}; it must be at least 1")
    if dtype not in DTYPES:
        raise ReferenceInputError(f"--dtype is {dtype!r}; it must be one of {', '.join(DTYPES)}")
    if checkpoint is not None and config is not None:
        raise ReferenceInputError("--checkpoint has its own config; give --checkpoint or --config, not both")
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
    torch.set_num_threads(threads)
    torch.manual_seed(seed)
    model, name = _model(transformers, checkpoint, config, getattr(torch, dtype))
    ids = torch.randint(0, model.config.vocab_size, (batch, prompt_tokens))
    with torch.inference_mode():
        times, outputs = [], []
        for use_cache in (True, False):
            _generate(model, ids, 4, use_cache)  # warm-up
            start = time.perf_counter()
            outputs.append(_generate(model, ids, new_tokens, use_cache))
            times.append(time.perf_counter() - start)
        cache, attribute = cache_of(model(ids, use_cache=True))
    key, accessor = layer_0_key(cache)
    shape_of = model.config
    head_dim = getattr(shape_of, "head_dim", None) or shape_of.hidden_size // shape_of.num_attention_heads
    kv_heads = getattr(shape_of, "num_key_value_heads", None) or shape_of.num_attention_heads
    different = (outputs[0] != outputs[1]).any(0).nonzero()
    return Measured(
        model=name,
        dtype=dtype,
        new_tokens=new_tokens,
        generated=(outputs[0].shape[1] - prompt_tokens, outputs[1].shape[1] - prompt_tokens),
        cached_s=times[0],
        uncached_s=times[1],
        tokens_equal=len(different) == 0,
        first_difference=None if len(different) == 0 else int(different[0]) - prompt_tokens,
        key_shape=tuple(key.shape),
        expected_key_shape=(batch, kv_heads, prompt_tokens, head_dim),
        accessor=f"output.{attribute}{accessor}",
        cache_class=type(cache).__name__,
        tuple_index_works=_is_indexed(cache),
        transformers=transformers.__version__,
        torch=torch.__version__,
    )


def _model(transformers: Any, checkpoint: Path | None, config: Path | None, dtype: Any) -> tuple[Any, str]:
    """A causal language model in evaluation mode, and what it is called."""
    for path in (checkpoint, config):
        if path is not None and not path.exists():
            raise ReferenceInputError(f"{path}: no such file or folder; nothing is fetched from the hub")
    try:
        if checkpoint is not None:
            auto = transformers.AutoModelForCausalLM
            return auto.from_pretrained(checkpoint, dtype=dtype, local_files_only=True).eval(), str(checkpoint)
        if config is not None:
            loaded = transformers.AutoConfig.from_pretrained(config, local_files_only=True)
            model = transformers.AutoModelForCausalLM.from_config(loaded)
            return model.to(dtype).eval(), f"{config}, random weights"
    except (OSError, ValueError, KeyError) as error:
        raise ReferenceInputError(f"{checkpoint or config}: transformers cannot load it: {error}") from error
    small = transformers.LlamaForCausalLM(transformers.LlamaConfig(**SMALL_MODEL))
    return small.to(dtype).eval(), "small Llama, random weights"


def _generate(model: Any, ids: Any, count: int, use_cache: bool) -> Any:
    """Token ids (batch, prompt + count); exactly `count` new ones."""
    return model.generate(
        ids, attention_mask=ids.new_ones(ids.shape), min_new_tokens=count, max_new_tokens=count, do_sample=False,
        use_cache=use_cache, pad_token_id=0,
    )  # fmt: skip


def cache_of(output: Any) -> tuple[Any, str]:
    """The cache of a model's output and the name that this version of transformers gives it."""
    for name in ("cache", "past_key_values"):
        if name in output and output[name] is not None:
            return output[name], name
    raise ReferenceInputError(f"the model's output has no cache; it has {', '.join(output)}")


def _is_indexed(cache: Any) -> bool:
    """Whether the legacy tuple's way of reading it, cache[0][0], still works."""
    try:
        cache[0][0]
    except (TypeError, KeyError, IndexError):
        return False
    return True


def layer_0_key(cache: Any) -> tuple[Any, str]:
    """The first layer's key, (batch, h_kv, seq, d_h), and how it is reached: the accessor has moved over
    versions."""
    if hasattr(cache, "layers"):  # 4.54 and later
        return cache.layers[0].keys, ".layers[0].keys"
    if hasattr(cache, "key_cache"):  # DynamicCache before
        return cache.key_cache[0], ".key_cache[0]"
    return cache[0][0], "[0][0]"  # the legacy tuple
