"""What one layer of the mini decoder counts in one step, term by term: the other derivation of every closed
form."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType

import numpy as np

from refcheck.errors import ReferenceInputError
from refcheck.reference.decoder import ContiguousCache, Counters, Sizes, forward, random_weights

TERMS = ("qkv", "o_proj", "mlp", "attention", "softmax", "head", "kv_bytes_written", "kv_bytes_read")


@lru_cache(maxsize=128)
def counted_in_layer(sizes: Sizes, context: int, *, cached: bool = True) -> Mapping[str, int]:
    """FLOPs, softmax inputs and float64 KV bytes of one layer in a step whose context is `context` tokens.

    A cached step runs one query row after `context - 1` tokens, an uncached one every row. `head` is the
    whole model's. Raises ReferenceInputError where the context is no positive number.
    """
    if context < 1:
        raise ReferenceInputError(f"context is {context}; it must be at least 1")
    weights = random_weights(sizes, 0)
    cache = ContiguousCache(sizes, context, "float64")
    tokens = np.arange(context, dtype=np.int64) % sizes.vocab
    counters = Counters()
    if cached and context > 1:
        forward(sizes, weights, tokens[:-1], cache, Counters())
        tokens = tokens[-1:]
    forward(sizes, weights, tokens, cache, counters)
    per_layer = {name: getattr(counters, name) // sizes.layers for name in TERMS if name != "head"}
    return MappingProxyType({**per_layer, "head": counters.head})
