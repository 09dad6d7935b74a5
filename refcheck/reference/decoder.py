"""A Llama-style decoder in numpy: one forward for prefill, chunked prefill and decode.

The layer is that of LLaMA (arXiv:2302.13971): RMSNorm (arXiv:1910.07467), rotary positions (RoPE,
arXiv:2104.09864, in the two-halves layout of transformers), grouped queries (arXiv:2305.13245) and SwiGLU
(arXiv:2002.05202). Names in shape comments: n new tokens, s context after them, d hidden, h query heads,
h_kv KV heads, g = h / h_kv, d_h, V.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from refcheck.errors import ReferenceInputError

Array = NDArray[np.floating[Any]]
Indices = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Sizes:
    """The sizes of a decoder that is small enough to run. Raises ReferenceInputError where they do not
    fit."""

    layers: int = 2
    hidden: int = 32
    heads: int = 8
    kv_heads: int = 2
    head_dim: int = 8
    ffn: int = 64
    vocab: int = 512
    rope_theta: float = 10_000.0
    norm_eps: float = 1e-6

    def __post_init__(self) -> None:
        for field in ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab"):
            value = getattr(self, field)
            if not 1 <= value <= 65_536:
                raise ReferenceInputError(f"{field} is {value}; it must be from 1 to 65,536")
        if self.heads % self.kv_heads:
            raise ReferenceInputError(
                f"{self.heads} query heads (h) cannot share {self.kv_heads} KV heads (h_kv) evenly; "
                f"choose a number of KV heads that divides {self.heads}"
            )
        if self.head_dim % 2:
            raise ReferenceInputError(f"head_dim is {self.head_dim}; RoPE turns pairs, so it must be even")
        if self.params > 50_000_000:
            raise ReferenceInputError(
                f"{self.params:,} parameters are too many to run here (at most 50,000,000); choose smaller sizes, "
                "or `refcheck cost` for the arithmetic of a large model"
            )

    @property
    def params(self) -> int:
        """Matrix parameters, the embedding included."""
        attention = self.hidden * self.head_dim * 2 * (self.heads + self.kv_heads)
        return self.layers * (attention + 3 * self.hidden * self.ffn) + 2 * self.vocab * self.hidden

    @property
    def cached_elements_per_token(self) -> int:
        """Elements of K and V of every layer that one token adds to the cache."""
        return 2 * self.layers * self.kv_heads * self.head_dim


@dataclass(frozen=True, slots=True)
class Layer:
    """One layer's weights."""

    attention_norm: Array  # (d,)
    w_q: Array  # (d, h * d_h)
    w_k: Array  # (d, h_kv * d_h)
    w_v: Array  # (d, h_kv * d_h)
    w_o: Array  # (h * d_h, d)
    mlp_norm: Array  # (d,)
    gate: Array  # (d, d_ff)
    up: Array  # (d, d_ff)
    down: Array  # (d_ff, d)


@dataclass(frozen=True, slots=True)
class Weights:
    """A model's weights; all of one dtype."""

    embedding: Array  # (V, d)
    layers: tuple[Layer, ...]
    norm: Array  # (d,)
    head: Array  # (d, V)


def random_weights(sizes: Sizes, seed: int, dtype: str = "float64") -> Weights:
    """Seeded normal weights, scaled by 1/sqrt(fan-in) so that signals keep their size through the layers.

    Raises ReferenceInputError for another dtype than float32 or float64.
    """
    if dtype not in ("float32", "float64"):
        raise ReferenceInputError(f"dtype is {dtype!r}; the decoder runs in float32 or float64")
    rng = np.random.default_rng(seed)
    d, q, kv = sizes.hidden, sizes.heads * sizes.head_dim, sizes.kv_heads * sizes.head_dim

    def matrix(rows: int, columns: int) -> Array:
        values: Array = (rng.standard_normal((rows, columns)) / np.sqrt(rows)).astype(dtype)
        return values

    def gain() -> Array:
        return (1 + 0.1 * rng.standard_normal(d)).astype(dtype)

    return Weights(
        embedding=rng.standard_normal((sizes.vocab, d)).astype(dtype),
        layers=tuple(
            Layer(
                attention_norm=gain(), w_q=matrix(d, q), w_k=matrix(d, kv), w_v=matrix(d, kv), w_o=matrix(q, d),
                mlp_norm=gain(), gate=matrix(d, sizes.ffn), up=matrix(d, sizes.ffn), down=matrix(sizes.ffn, d),
            )
            for _ in range(sizes.layers)
        ),
        norm=gain(),
        head=matrix(d, sizes.vocab),
    )  # fmt: skip


class Cache(Protocol):
    """Where K and V are kept. It takes K and V and nothing else: a query is used once and not stored."""

    tokens: int

    def append(self, layer: int, k: Array, v: Array) -> tuple[Array, Array]:
        """Stores the new rows (n, h_kv, d_h) after the `tokens` that are there; returns all rows of K and
        V."""


class ContiguousCache:
    """K and V of each layer in one array of `capacity` rows."""

    def __init__(self, sizes: Sizes, capacity: int, dtype: Any) -> None:
        self.tokens = 0
        shape = (2, sizes.layers, capacity, sizes.kv_heads, sizes.head_dim)
        self.pool: Array = np.zeros(shape, dtype)  # (2, L, capacity, h_kv, d_h)

    def append(self, layer: int, k: Array, v: Array) -> tuple[Array, Array]:
        """As Cache says. Raises ReferenceInputError when the cache is full."""
        end = self.tokens + k.shape[0]
        if end > self.pool.shape[2]:
            raise ReferenceInputError(
                f"{end} tokens do not fit into a cache of {self.pool.shape[2]}; give a larger --cache-tokens, or "
                "fewer prompt tokens or steps"
            )
        self.pool[0, layer, self.tokens : end] = k
        self.pool[1, layer, self.tokens : end] = v
        return self.pool[0, layer, :end], self.pool[1, layer, :end]  # (s, h_kv, d_h) each


class PagedCache:
    """K and V in a pool of blocks; a block table says which block holds which tokens of the sequence.

    The slot of position i is block_table[i // block_size] * block_size + i % block_size (PagedAttention,
    arXiv:2309.06180). The table is shuffled, so that nothing rests on blocks lying side by side.
    """

    def __init__(self, sizes: Sizes, capacity: int, dtype: Any, block_size: int, seed: int = 0) -> None:
        if block_size < 1:
            raise ReferenceInputError(f"block size is {block_size}; it must be at least 1 token")
        self.tokens, self.block_size, self.capacity = 0, block_size, capacity
        blocks = -(-capacity // block_size)
        self.block_table: Indices = np.random.default_rng(seed).permutation(blocks).astype(np.int64)
        shape = (2, sizes.layers, blocks * block_size, sizes.kv_heads, sizes.head_dim)
        self.pool: Array = np.zeros(shape, dtype)  # (2, L, slots, h_kv, d_h)

    def slot_mapping(self, first: int, end: int) -> Indices:
        """The slots of the tokens first .. end - 1, shape (end - first,)."""
        index = np.arange(first, end)
        slots: Indices = self.block_table[index // self.block_size] * self.block_size + index % self.block_size
        return slots

    def append(self, layer: int, k: Array, v: Array) -> tuple[Array, Array]:
        """As Cache says. Raises ReferenceInputError when the pool is full."""
        end = self.tokens + k.shape[0]
        if end > self.capacity:
            raise ReferenceInputError(
                f"{end} tokens do not fit into {self.capacity} token slots; give a larger --cache-tokens, "
                "or fewer prompt tokens or steps"
            )
        new, every = self.slot_mapping(self.tokens, end), self.slot_mapping(0, end)
        self.pool[0, layer, new] = k
        self.pool[1, layer, new] = v
        return self.pool[0, layer, every], self.pool[1, layer, every]  # (s, h_kv, d_h) each


@dataclass(slots=True)
class Counters:
    """What a forward has done: FLOPs (a multiply and an add are two), softmax inputs, KV bytes.

    Matrix products only, as in the cost model; attention counts the unmasked (query, key) pairs.
    """

    qkv: int = 0
    o_proj: int = 0
    mlp: int = 0
    head: int = 0
    attention: int = 0
    softmax: int = 0
    kv_bytes_written: int = 0
    kv_bytes_read: int = 0

    @property
    def flops(self) -> int:
        """All of them together."""
        return self.qkv + self.o_proj + self.mlp + self.head + self.attention


def forward(
    sizes: Sizes,
    weights: Weights,
    tokens: Indices,
    cache: Cache,
    counters: Counters,
    *,
    q_positions: Indices | None = None,
    k_positions: Indices | None = None,
    causal: bool = True,
    all_rows: bool = False,
) -> Array:
    """Runs the n new tokens after those in the cache; decode is the case n == 1 and nothing else.

    Positions of shape (n,) are those that RoPE turns Q and K by: by default the tokens' places, from the
    number of cached tokens on. Returns logits (1, V) of the last row, or (n, V) with `all_rows`.
    """
    n, start = tokens.shape[0], cache.tokens
    places = np.arange(start, start + n, dtype=np.int64)  # (n,)
    q_turn = _rope(sizes, places if q_positions is None else q_positions, weights.norm.dtype)
    k_turn = _rope(sizes, places if k_positions is None else k_positions, weights.norm.dtype)
    h, h_kv, d_h, group = sizes.heads, sizes.kv_heads, sizes.head_dim, sizes.heads // sizes.kv_heads
    x = weights.embedding[tokens]  # (n, d): gathered, not multiplied
    for index, layer in enumerate(weights.layers):
        y = _rms_norm(x, layer.attention_norm, sizes.norm_eps)  # (n, d)
        q = _turned((y @ layer.w_q).reshape(n, h, d_h), q_turn)  # (n, h, d_h)
        k = _turned((y @ layer.w_k).reshape(n, h_kv, d_h), k_turn)  # (n, h_kv, d_h)
        v = (y @ layer.w_v).reshape(n, h_kv, d_h)
        keys, values = cache.append(index, k, v)  # (s, h_kv, d_h): K is kept after RoPE
        s = keys.shape[0]
        grouped = q.reshape(n, h_kv, group, d_h).transpose(1, 2, 0, 3)  # (h_kv, g, n, d_h)
        scores = grouped @ keys.transpose(1, 2, 0)[:, None] / np.sqrt(d_h).astype(x.dtype)  # (h_kv, g, n, s)
        if causal:
            scores = np.where(np.arange(s) <= places[:, None], scores, -np.inf)  # key j is seen from place i >= j
        mixed = _softmax(scores) @ values.transpose(1, 0, 2)[:, None]  # (h_kv, g, n, d_h)
        x = x + mixed.transpose(2, 0, 1, 3).reshape(n, h * d_h) @ layer.w_o  # (n, d)
        y = _rms_norm(x, layer.mlp_norm, sizes.norm_eps)  # (n, d)
        gate = y @ layer.gate  # (n, d_ff)
        x = x + (gate / (1 + np.exp(-gate)) * (y @ layer.up)) @ layer.down  # (n, d)

        pairs = int((places + 1).sum()) if causal else n * s
        counters.qkv += 2 * n * (layer.w_q.size + layer.w_k.size + layer.w_v.size)
        counters.o_proj += 2 * n * layer.w_o.size
        counters.mlp += 2 * n * (layer.gate.size + layer.up.size + layer.down.size)
        counters.attention += 2 * 2 * h * d_h * pairs  # scores, and the weighted sum
        counters.softmax += h * pairs
        counters.kv_bytes_written += k.nbytes + v.nbytes
        counters.kv_bytes_read += keys.nbytes + values.nbytes
    cache.tokens = start + n
    x = _rms_norm(x if all_rows else x[-1:], weights.norm, sizes.norm_eps)  # (n or 1, d)
    counters.head += 2 * x.shape[0] * weights.head.size
    logits: Array = x @ weights.head  # (n or 1, V)
    return logits


def _rms_norm(x: Array, gain: Array, eps: float) -> Array:
    """x / sqrt(mean(x²) + eps) * gain, over the last axis; shape (n, d) in and out."""
    normed: Array = x / np.sqrt((x * x).mean(-1, keepdims=True) + x.dtype.type(eps)) * gain
    return normed


def _softmax(scores: Array) -> Array:
    """Over the last axis; masked scores are -inf and get weight 0."""
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    shares: Array = weights / weights.sum(-1, keepdims=True)
    return shares


def _rope(sizes: Sizes, positions: Indices, dtype: Any) -> tuple[Array, Array]:
    """Cosines and sines of shape (n, 1, d_h / 2): position times theta ** (-2 i / d_h)."""
    rates = sizes.rope_theta ** (-np.arange(0, sizes.head_dim, 2) / sizes.head_dim)  # (d_h / 2,)
    angles = positions[:, None, None] * rates  # (n, 1, d_h / 2)
    return np.cos(angles).astype(dtype), np.sin(angles).astype(dtype)


def _turned(x: Array, turn: tuple[Array, Array]) -> Array:
    """Rotates the pairs (x_i, x_{i + d_h / 2}) of (n, heads, d_h)."""
    cos, sin = turn
    first, second = np.split(x, 2, axis=-1)
    return np.concatenate([first * cos - second * sin, second * cos + first * sin], axis=-1)
