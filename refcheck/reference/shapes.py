"""Shapes of published models, and of any Llama-shaped Hugging Face `config.json`, with their parameter
counts.

The shapes shipped with refcheck are the models' own `config.json` fields, kept as data beside this module
with the source of each; they take the same way in as a file from disk.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from refcheck.errors import ReferenceInputError

#: Larger dimensions than any model's; beyond it a number is a slip of the keyboard.
LARGEST_DIMENSION = 10**9

#: model_type values whose decoder layer is counted here as it is: gated MLP, no biases but those named below.
LLAMA_SHAPED = frozenset({
    "llama", "mistral", "mixtral", "gemma", "qwen2", "qwen3", "qwen3_moe", "granite", "deepseek_v2", "deepseek_v3",
})  # fmt: skip
#: Families with another MLP or another attention; counting them as Llama would be wrong without a word.
OTHER_SHAPED = frozenset({
    "gpt2", "gpt_bigcode", "gpt_neox", "gptj", "falcon", "bloom", "opt", "mpt", "phi",
    "bert", "t5", "mamba", "mamba2",
})  # fmt: skip


@dataclass(frozen=True, slots=True)
class Mla:
    """Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434): one latent of `kv_rank + rope_dim` is
    cached."""

    kv_rank: int
    rope_dim: int
    nope_dim: int
    value_dim: int
    q_rank: int | None = None


@dataclass(frozen=True, slots=True)
class Experts:
    """A mixture-of-experts MLP: `active` of `routed` experts per token, and `shared` ones for every token."""

    routed: int
    active: int
    ffn: int
    shared_ffn: int = 0
    dense_layers: int = 0
    router: bool = True


@dataclass(frozen=True, slots=True)
class ModelShape:
    """The sizes that fix a decoder's cost; all counts are exact integers.

    `heads` query heads of `head_dim`, `kv_heads` key/value heads; `ffn` is the intermediate size of a gated
    MLP of three matrices. Raises ReferenceInputError where the sizes do not fit together.
    """

    name: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    ffn: int
    vocab: int
    tied: bool = False
    qkv_bias: bool = False
    o_bias: bool = False
    qk_norm: bool = False
    mla: Mla | None = None
    experts: Experts | None = None
    published: int | None = None
    published_active: int | None = None
    source: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for field in ("layers", "hidden", "heads", "kv_heads", "head_dim", "ffn", "vocab"):
            value = getattr(self, field)
            if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= LARGEST_DIMENSION:
                raise ReferenceInputError(
                    f"{self.name}: {field} is {value!r}; it must be a whole number from 1 to {LARGEST_DIMENSION:,}"
                )
        if self.heads % self.kv_heads:
            raise ReferenceInputError(
                f"{self.name}: {self.heads} query heads cannot share {self.kv_heads} KV heads evenly; "
                f"choose a number of KV heads that divides {self.heads}"
            )
        if self.mla is None and self.head_dim % 2:
            raise ReferenceInputError(
                f"{self.name}: head_dim is {self.head_dim}; RoPE turns pairs of elements, so it must be even"
            )

    @property
    def attention_params(self) -> int:
        """Matrix parameters of one layer's attention: W_q, W_k, W_v, W_o (or MLA's five projections)."""
        if self.mla is None:
            return self.hidden * self.head_dim * (2 * self.heads + 2 * self.kv_heads)
        m = self.mla
        q_out = self.heads * (m.nope_dim + m.rope_dim)
        query = self.hidden * q_out if m.q_rank is None else m.q_rank * (self.hidden + q_out)
        latent = self.hidden * (m.kv_rank + m.rope_dim) + m.kv_rank * self.heads * (m.nope_dim + m.value_dim)
        return query + latent + self.heads * m.value_dim * self.hidden

    @property
    def mlp_params(self) -> int:
        """Matrix parameters of one dense layer's gated MLP: gate, up, down."""
        return 3 * self.hidden * self.ffn

    def _mlp_total(self, experts_per_layer: float) -> float:
        """Matrix parameters of all layers' MLPs with that many routed experts counted in each MoE layer."""
        if self.experts is None:
            return self.layers * self.mlp_params
        e = self.experts
        per_layer = 3 * self.hidden * (e.ffn * experts_per_layer + e.shared_ffn) + self.hidden * e.routed
        return e.dense_layers * self.mlp_params + (self.layers - e.dense_layers) * per_layer

    @property
    def layer_matrix_params(self) -> int:
        """Matrix parameters that one token's forward multiplies by in all layers (the active experts
        only)."""
        return self.layers * self.attention_params + int(self._mlp_total(self.experts.active if self.experts else 0))

    @property
    def head_params(self) -> int:
        """The output projection, vocab x hidden; read in every step whether or not it is tied."""
        return self.vocab * self.hidden

    @property
    def matrix_params(self) -> int:
        """Streamed matrix parameters of one forward: all layers and the head, without the gathered
        embedding."""
        return self.layer_matrix_params + self.head_params

    def streamed_params(self, sequences: int) -> int:
        """Matrix parameters read by one step of that many sequences.

        For a mixture of experts the number of distinct experts is its expectation under uniform routing,
        E (1 - (1 - k/E)^B), to the nearest parameter; dense models read the same for any batch.
        """
        if self.experts is None:
            return self.matrix_params
        e = self.experts
        distinct = e.routed * (1 - (1 - e.active / e.routed) ** sequences)
        return self.layers * self.attention_params + round(self._mlp_total(distinct)) + self.head_params

    @property
    def resident_params(self) -> int:
        """Every parameter of the checkpoint: matrices of all experts, embedding, norms, biases."""
        norms = 2 * self.layers * self.hidden + self.hidden
        if self.qk_norm:
            norms += 2 * self.layers * self.head_dim
        if self.mla is not None:
            norms += self.layers * (self.mla.kv_rank + (self.mla.q_rank or 0))
        bias = self.layers * (self.heads + 2 * self.kv_heads) * self.head_dim if self.qkv_bias else 0
        if self.o_bias:
            bias += self.layers * self.hidden
        if self.experts is not None and self.experts.router and self.mla is not None:
            bias += (self.layers - self.experts.dense_layers) * self.experts.routed  # e_score_correction_bias
        mlp = int(self._mlp_total(self.experts.routed if self.experts else 0))
        embeddings = self.head_params * (1 if self.tied else 2)
        return self.layers * self.attention_params + mlp + norms + bias + embeddings

    def with_heads(self, heads: int | None, kv_heads: int | None) -> ModelShape:
        """The shape with other head counts; the name says so. Raises ReferenceInputError under MLA."""
        if heads is None and kv_heads is None:
            return self
        if self.mla is not None:
            raise ReferenceInputError(f"{self.name} caches one latent per token (MLA): it has no KV heads to override")
        changed = replace(
            self,
            heads=self.heads if heads is None else heads,
            kv_heads=self.kv_heads if kv_heads is None else kv_heads,
        )
        return replace(changed, name=f"{self.name} (h={changed.heads}, h_kv={changed.kv_heads})")


@dataclass(frozen=True, slots=True)
class Hardware:
    """A device's published peaks: bytes/s of its memory, dense bf16 FLOP/s, bytes of memory; and who says
    so."""

    key: str
    name: str
    bytes_per_second: int
    flops_per_second: int
    memory_bytes: int
    source: str


def _data(name: str) -> dict[str, Any]:
    text = files("refcheck.reference").joinpath("data", name).read_text(encoding="utf-8")
    loaded: dict[str, Any] = json.loads(text)
    return loaded


@cache
def _models() -> dict[str, Any]:
    return _data("models.json")


@cache
def _hardware() -> dict[str, Any]:
    return _data("hardware.json")


def model_names() -> tuple[str, ...]:
    """The names of the shipped model shapes."""
    return tuple(_models())


def hardware_names() -> tuple[str, ...]:
    """The names of the shipped hardware peaks."""
    return tuple(_hardware())


@cache
def published_model(name: str) -> ModelShape:
    """A shipped shape. Raises ReferenceInputError naming the known ones."""
    entry = _models().get(name)
    if entry is None:
        raise ReferenceInputError(
            f"no model is called {name!r}; known are {', '.join(model_names())}, or give the path of a config.json"
        )
    shape = shape_from_config(entry["config"], name=name, where=f"model {name}")
    return replace(
        shape,
        published=entry["published_parameters"],
        published_active=entry.get("published_active_parameters"),
        source=entry["source"],
    )


def model_shape(model: str | Path | ModelShape) -> ModelShape:
    """A shape from its name, from the path of a `config.json` or of the folder that holds one, or as it is.

    Raises ReferenceInputError for an unknown name, an unreadable file or a config that lacks a field.
    """
    if isinstance(model, ModelShape):
        return model
    if isinstance(model, str) and model in _models():
        return published_model(model)
    path = Path(model)
    if path.is_dir():
        path = path / "config.json"
    if not path.exists():
        if path.suffix == ".json" or len(path.parts) > 1:
            raise ReferenceInputError(
                f"{path}: no such config.json; give its path, or one of {', '.join(model_names())}"
            )
        return published_model(str(model))
    try:
        config = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ReferenceInputError(f"{path}: cannot be read: {error}") from error
    except json.JSONDecodeError as error:
        raise ReferenceInputError(f"{path}:{error.lineno}: is not JSON: {error.msg}") from error
    return shape_from_config(
        config, name=path.parent.name if path.name == "config.json" else path.stem, where=str(path)
    )


def hardware(name: str | Hardware) -> Hardware:
    """Published peaks by name. Raises ReferenceInputError naming the known ones."""
    if isinstance(name, Hardware):
        return name
    entry = _hardware().get(name)
    if entry is None:
        raise ReferenceInputError(f"no hardware is called {name!r}; known are {', '.join(hardware_names())}")
    return Hardware(key=name, **entry)


def shape_from_config(config: Mapping[str, Any], *, name: str = "", where: str = "config.json") -> ModelShape:
    """Reads a Hugging Face configuration; field names as in transformers' LlamaConfig and DeepseekV3Config.

    Raises ReferenceInputError for a missing field, a field of another type, or a family with another layer.
    """
    if not isinstance(config, Mapping):
        raise ReferenceInputError(f"{where}: holds no JSON object; a Hugging Face config.json is needed")
    notes: list[str] = []
    if "hidden_size" not in config and isinstance(config.get("text_config"), Mapping):
        notes.append("read from text_config: the language model alone")
        config = config["text_config"]
    family = config.get("model_type")
    if family in OTHER_SHAPED:
        raise ReferenceInputError(
            f"{where}: model_type {family!r} has another layer than Llama's, and would be counted wrongly; "
            f"counted are {', '.join(sorted(LLAMA_SHAPED))}"
        )
    if family not in LLAMA_SHAPED:
        notes.append(f"model_type {family!r} is not one that refcheck knows: counted as a Llama-shaped decoder")

    def whole(field: str, default: int | None = None) -> int:
        value = config.get(field)
        if value is None:
            if default is None:
                raise ReferenceInputError(f"{where}: has no {field!r}; add it, the cost cannot be counted without")
            return default
        if isinstance(value, bool) or not isinstance(value, int):
            raise ReferenceInputError(f"{where}: {field} is {value!r}; it must be a whole number")
        return value

    hidden, heads = whole("hidden_size"), whole("num_attention_heads")
    if config.get("num_key_value_heads") is None and config.get("kv_lora_rank") is None:
        notes.append("no num_key_value_heads: one KV head per query head (MHA), as transformers takes it")
    if config.get("head_dim") is None and config.get("kv_lora_rank") is None and heads > 0 and hidden % heads:
        raise ReferenceInputError(
            f"{where}: hidden_size {hidden} is no multiple of num_attention_heads {heads}; give head_dim"
        )
    if config.get("sliding_window") and config.get("use_sliding_window", True):
        notes.append("sliding_window is set: sizes here are those of full attention, an upper bound")
    mla = None
    if config.get("kv_lora_rank") is not None:
        mla = Mla(
            kv_rank=whole("kv_lora_rank"),
            rope_dim=whole("qk_rope_head_dim"),
            nope_dim=whole("qk_nope_head_dim"),
            value_dim=whole("v_head_dim"),
            q_rank=whole("q_lora_rank") if config.get("q_lora_rank") is not None else None,
        )
    layers = whole("num_hidden_layers")
    return ModelShape(
        name=name or str(config.get("_name_or_path") or family or "model"),
        layers=layers,
        hidden=hidden,
        heads=heads,
        kv_heads=whole("num_key_value_heads", heads),
        head_dim=whole("head_dim", max(1, hidden // max(1, heads))),
        ffn=whole("intermediate_size"),
        vocab=whole("vocab_size"),
        tied=bool(config.get("tie_word_embeddings", family == "gemma")),
        qkv_bias=bool(config.get("attention_bias", family == "qwen2")),
        o_bias=bool(config.get("attention_bias", False)),
        qk_norm=family in ("qwen3", "qwen3_moe"),
        mla=mla,
        experts=_experts(config, whole, layers),
        source=where,
        notes=tuple(notes),
    )


def _experts(config: Mapping[str, Any], whole: Any, layers: int) -> Experts | None:
    """The MoE fields under the names that Mixtral, Qwen and DeepSeek give them; None for a dense model."""
    count = next((f for f in ("num_local_experts", "num_experts", "n_routed_experts") if config.get(f)), None)
    if count is None:
        return None
    ffn = whole("moe_intermediate_size", whole("intermediate_size"))
    routed, active, dense = whole(count), whole("num_experts_per_tok"), whole("first_k_dense_replace", 0)
    if not 1 <= active <= routed or not 0 <= dense <= layers:
        raise ReferenceInputError(
            f"num_experts_per_tok {active} of {count} {routed}, first_k_dense_replace {dense} of {layers} layers: "
            "these do not fit together; correct the config"
        )
    shared = ffn * whole("n_shared_experts", 0)
    return Experts(routed=routed, active=active, ffn=ffn, shared_ffn=shared, dense_layers=dense)
