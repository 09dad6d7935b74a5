"""Behaviours of the decode loop, each shown by running it: `run(name, **parameters)` measures one.

>>> run("uniform_shift_harmless").holds
True

Every experiment is deterministic, takes some tens of milliseconds and is run once per process and parameters.
Relative error is max |difference| / max |logit|.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from refcheck.errors import ReferenceInputError
from refcheck.reference.experiments import cache_contents, counts, logits, scheduling
from refcheck.reference.experiments.measurement import Measurement, Result

__all__ = ["EXPERIMENTS", "Experiment", "Measurement", "run"]


@dataclass(frozen=True, slots=True)
class Experiment:
    """A named experiment: what it shows, and the parameters it takes with their defaults."""

    name: str
    shows: str
    measure: Callable[..., Result]

    @property
    def defaults(self) -> dict[str, Any]:
        """Parameter names and default values."""
        return {name: p.default for name, p in inspect.signature(self.measure).parameters.items()}


def _first_paragraph(measure: Callable[..., Result]) -> str:
    return " ".join((measure.__doc__ or "").strip().split("\n\n")[0].split())


def run(name: str, **parameters: Any) -> Measurement:
    """Runs an experiment, or takes its result from this process's earlier run.

    Raises ReferenceInputError for an unknown experiment or parameter, and for values that cannot be run.
    """
    if name not in EXPERIMENTS:
        raise ReferenceInputError(f"there is no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    defaults = EXPERIMENTS[name].defaults
    unknown = sorted(set(parameters) - set(defaults))
    if unknown:
        known = ", ".join(defaults) or "none"
        raise ReferenceInputError(f"experiment {name} has no parameter {', '.join(unknown)}; it has {known}")
    given = {key: tuple(value) if isinstance(value, list) else value for key, value in parameters.items()}
    return _run(name, tuple(sorted({**defaults, **given}.items())))


@lru_cache(maxsize=512)
def _run(name: str, parameters: tuple[tuple[str, Any], ...]) -> Measurement:
    holds, values, summary = EXPERIMENTS[name].measure(**dict(parameters))
    return Measurement(name, holds, MappingProxyType(values), summary, MappingProxyType(dict(parameters)))


_MEASURES: tuple[Callable[..., Result], ...] = (
    logits.cached_equals_uncached, cache_contents.recomputed_keys_equal_cached,
    cache_contents.appended_token_leaves_old_keys, cache_contents.keys_depend_on_earlier_tokens_only,
    cache_contents.only_k_v_stored, cache_contents.cache_holds_post_rope_keys, logits.chunked_equals_whole,
    logits.paged_equals_contiguous, logits.uniform_shift_harmless, logits.position_plus_one,
    logits.position_minus_one, logits.position_frozen, logits.k_only, logits.q_only, logits.one_step,
    logits.no_exception_and_shapes_match_under_fault, logits.no_causal,
    cache_contents.bidirectional_extension_changes_old_kv, cache_contents.reuse_needs_same_weights_and_mask,
    counts.positions_last_is_seq_len_minus_one, counts.query_and_sequence_lengths,
    counts.input_rows_per_step, counts.weight_shapes, counts.matvec_counts, counts.flops_equal_closed_forms,
    counts.flops_do_not_depend_on_chunks, counts.fixed_cost_terms, counts.full_forward_costs,
    counts.batching_spares_weights_alone, counts.kv_linear_in_tokens, scheduling.scheduler_counts,
)  # fmt: skip

#: Every experiment by name.
EXPERIMENTS: Mapping[str, Experiment] = MappingProxyType(
    {m.__name__: Experiment(m.__name__, _first_paragraph(m), m) for m in _MEASURES}
)
