"""Startup logs: any lines are read or refused by name."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from refcheck.errors import ReferenceInputError
from refcheck.reference.shapes import published_model
from refcheck.reference.startup_log import Pool, check_log, read_facts

from . import Surface, must, opened, seed, text_of

_MODEL = published_model("llama-3-8b")
_POOLS = (Pool(_MODEL), Pool(_MODEL, Fraction(1), tp=4, block_size=32, max_model_len=4096), Pool(_MODEL, tp=16))
_MEMORY = "Available KV cache memory: 52.74 GiB"
_SIZE = "GPU KV cache size: 432,000 tokens, Maximum concurrency for 4,096 tokens per request: 105.47x"
_LOGS = (
    f"INFO 08-21 10:00:00 [w.py:1] {_MEMORY}\n(EngineCore_DP0 pid=7) INFO [kv.py:2] {_SIZE}\n",
    f'app-1 | {{"log": {{"msg": "{_MEMORY}"}}}}\napp-1 | {{"message": "{_SIZE}"}}\n',
    (
        f"\x1b[32m{_MEMORY}\x1b[0m\nreserved 3.5 GiB memory for KV Cache\n{_SIZE}\n"
        "Overriding num_gpu_blocks=27000 with num_gpu_blocks_override=100\n"
    ),
    (
        "[TP0] KV Cache is allocated. dtype: torch.bfloat16, #tokens: 442,368, K size: 27.00 GB, V size: 27.00 GB\n"
        "[TP0] KV Cache is allocated. dtype: torch.float8_e4m3fn, #tokens: 442368, K size: 13.50 GB, V size: 13.50 GB\n"
        "[TP0] max_total_num_tokens=442368, chunked_prefill_size=8192, context_len=131072, available_gpu_mem=9.1 GB\n"
    ),
    "KV Cache is allocated. dtype: bf16, #tokens: 9, KV size: 1.0 GB\nMemory pool end. avail mem=8.90 GB\n",
)


def seeds() -> Iterator[bytes]:
    for choice, log in enumerate(_LOGS):
        yield seed(log, choice)


def check(data: bytes) -> None:
    choice, payload = opened(data)
    lines = text_of(payload).splitlines()
    for fact in read_facts(lines):
        must(0 < fact.line <= len(lines), f"a fact on line {fact.line} of {len(lines)}")
    pool = _POOLS[choice % len(_POOLS)]
    try:
        found = check_log(lines, pool)
    except ReferenceInputError:
        return
    must(found == check_log(lines, pool), "read twice, it says something else")
    for finding in found:
        must(0 <= finding.line <= len(lines), f"a finding on line {finding.line} of {len(lines)}")
        must(bool(finding.text), "a finding that says nothing")


SURFACE = Surface("logs", seeds, check)
