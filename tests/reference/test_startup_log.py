"""Startup logs: every format, any prefix, several ranks and engines, and what is missing or differs."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest

from refcheck.errors import ReferenceInputError
from refcheck.reference.shapes import published_model
from refcheck.reference.startup_log import GIB, Finding, Pool, _blocks, check_log

LLAMA = Pool(published_model("llama-3-8b"))

MEMORY = "Available KV cache memory: 52.74 GiB"
TOKENS = "GPU KV cache size: 432,000 tokens"
CONCURRENCY = "Maximum concurrency for 4,096 tokens per request: 105.47x"
ONE_LINE = f"{TOKENS}, {CONCURRENCY}"


def kinds(log: str, pool: Pool = LLAMA) -> list[str]:
    return [finding.kind for finding in check_log(log.splitlines(), pool) if finding.kind != "note"]


@pytest.mark.parametrize(
    "log",
    [
        f"INFO 08-21 10:00:00 [gpu_worker.py:1] {MEMORY}\nINFO 08-21 10:00:01 [kv.py:2] {TOKENS}\nINFO [kv.py:3] {CONCURRENCY}",
        f"{MEMORY}\n{ONE_LINE}",
        f"(EngineCore pid=7) INFO 08-21 10:00:00 [x.py:1] {MEMORY}\n(EngineCore pid=7) INFO 08-21 [x.py:1] {ONE_LINE}",
        f"vllm-1  | (Worker pid=8) {MEMORY}\nvllm-1  | (EngineCore pid=7) {ONE_LINE}",
        f"\x1b[32mINFO\x1b[0m 08-21 \x1b[1m{MEMORY}\x1b[0m\n\x1b[32mINFO {ONE_LINE}\x1b[0m",
        json.dumps({"level": "INFO", "message": MEMORY}) + "\n" + json.dumps({"level": "INFO", "message": ONE_LINE}),
        "app-1 | " + json.dumps({"log": {"msg": MEMORY}}) + "\napp-1 | " + json.dumps({"log": {"msg": ONE_LINE}}),
        f"Initial free memory 70.1 GiB, reserved 52.74 GiB memory for KV Cache as specified\n{ONE_LINE}",
        f"{MEMORY}\n{ONE_LINE.replace('GPU', 'GPU + host')}",
        f"{MEMORY}\n{ONE_LINE.replace('GPU', 'XPU')}",
        f"{ONE_LINE}\n{MEMORY}",
    ],
)
def test_vllm_logs_of_every_form_are_verified(log: str) -> None:
    assert sorted(kinds(log)) == ["by construction", "verified"]


def test_what_is_verified_is_the_product_in_bytes() -> None:
    found = check_log([MEMORY, ONE_LINE], LLAMA)
    assert found[0] == Finding(
        "verified", 1, "", "27,000 blocks x 16 tokens x 131,072 bytes = 52.73 GiB, stated 52.74 GiB"
    )
    assert found[1].text.startswith("432,000 tokens / 4,096 = 105.47, stated 105.47x")
    assert "null block" in found[2].text


def test_a_log_of_the_greps_two_lines_has_no_bytes() -> None:
    found = check_log([TOKENS, CONCURRENCY], LLAMA)
    assert [finding.kind for finding in found] == ["note", "by construction", "missing"]
    assert "by the formula the pool is 52.73 GiB" in found[-1].text


def test_a_length_that_is_no_multiple_of_the_block_under_counts() -> None:
    line = "GPU KV cache size: 431,367 tokens, Maximum concurrency for 4,090 tokens per request: 105.47x"
    found = check_log([MEMORY, line], LLAMA)
    assert found[0].kind == "verified"
    assert any("0.15% less" in finding.text for finding in found)


@pytest.mark.parametrize(
    ("blocks", "max_len", "block"), [(27_000, 4096, 16), (27_000, 4090, 16), (1, 1, 16), (7, 99, 32)]
)
def test_blocks_are_recovered_from_the_tokens_that_they_make(blocks: int, max_len: int, block: int) -> None:
    per_request = -(-max_len // block)
    assert _blocks(int(blocks / per_request * max_len), max_len, block) == blocks


def test_blocks_are_recovered_although_the_engine_counts_in_floating_point() -> None:
    cut = 0
    for per_request in range(1, 60):
        for blocks in range(1, 60):
            tokens = int(blocks / per_request * (per_request * 16))
            cut += tokens != blocks * 16
            assert _blocks(tokens, per_request * 16, 16) == blocks
    assert cut > 0  # the case exists: 15 / 11 * 176 is 239.99...


@pytest.mark.parametrize(
    ("log", "pool", "hint"),
    [
        ("Available KV cache memory: 26.37 GiB", LLAMA, "--kv-dtype fp8"),
        ("Available KV cache memory: 26.37 GiB", LLAMA, "--tp 2"),
        ("Available KV cache memory: 210.94 GiB", LLAMA, "sized from query heads"),
        ("Available KV cache memory: 52.74 GiB", Pool(published_model("llama-3-8b"), tp=2), "--tp 1"),
        ("Available KV cache memory: 50.00 GiB", LLAMA, "another model, dtype or --tp"),
    ],
)
def test_a_pool_that_differs_gets_a_hint(log: str, pool: Pool, hint: str) -> None:
    found = [finding for finding in check_log([log, ONE_LINE], pool) if finding.kind == "differs"]
    assert len(found) == 1
    assert hint in found[0].text


def test_a_concurrency_that_is_not_the_quotient_differs() -> None:
    assert kinds(f"{TOKENS}\n{CONCURRENCY.replace('105.47', '105.49')}")[0] == "differs"


def test_max_model_len_from_the_option_where_the_log_has_none() -> None:
    assert kinds(f"{MEMORY}\n{TOKENS}") == ["missing", "missing"]
    with_option = Pool(published_model("llama-3-8b"), max_model_len=4096)
    assert kinds(f"{MEMORY}\n{TOKENS}", with_option) == ["verified", "missing"]
    other = Pool(published_model("llama-3-8b"), max_model_len=8192)
    assert "differs" in kinds(f"{MEMORY}\n{ONE_LINE}", other)


def test_tensor_parallel_ranks_each_state_their_memory_and_the_least_decides() -> None:
    log = [
        "(Worker_TP0 pid=11) INFO Available KV cache memory: 26.37 GiB",
        "(Worker_TP1 pid=12) INFO Available KV cache memory: 27.00 GiB",
        f"(EngineCore pid=7) INFO {ONE_LINE}",
    ]
    found = check_log(log, Pool(published_model("llama-3-8b"), tp=2))
    assert [finding.kind for finding in found[:3]] == ["verified", "verified", "by construction"]
    assert "another rank has less" in found[1].text


def test_several_engines_interleaved_are_kept_apart() -> None:
    half = "GPU KV cache size: 216,000 tokens, Maximum concurrency for 4,096 tokens per request: 52.73x"
    log = [
        "(EngineCore_DP0 pid=1) INFO Available KV cache memory: 52.74 GiB",
        "(EngineCore_DP1 pid=2) INFO Available KV cache memory: 26.37 GiB",
        f"(EngineCore_DP1 pid=2) INFO {half}",
        f"(EngineCore_DP0 pid=1) INFO {ONE_LINE}",
    ]
    found = [finding for finding in check_log(log, LLAMA) if finding.kind != "note"]
    assert [(finding.kind, finding.line) for finding in found] == [
        ("verified", 1), ("verified", 2), ("by construction", 3), ("by construction", 4),
    ]  # fmt: skip
    workers = [
        "(Worker_DP0_TP0 pid=11) INFO Available KV cache memory: 52.74 GiB",
        "(Worker_DP1_TP0 pid=12) INFO Available KV cache memory: 26.37 GiB",
        f"(EngineCore_DP1 pid=2) INFO {half}",
        f"(EngineCore_DP0 pid=1) INFO {ONE_LINE}",
    ]
    assert [finding.kind for finding in check_log(workers, LLAMA) if finding.kind != "note"][:2] == ["verified"] * 2


def test_an_override_of_the_blocks_is_checked_instead_of_the_memory() -> None:
    log = [
        "Available KV cache memory: 52.74 GiB",
        "Overriding num_gpu_blocks=27000 with num_gpu_blocks_override=512",
        "GPU KV cache size: 8,192 tokens, Maximum concurrency for 4,096 tokens per request: 2.00x",
    ]
    found = [finding for finding in check_log(log, LLAMA) if finding.kind != "note"]
    assert [finding.kind for finding in found] == ["verified", "verified", "by construction"]
    log[1] = log[1].replace("512", "513")
    assert "differs" in [finding.kind for finding in check_log(log, LLAMA)]


def test_tokens_of_another_block_size_are_not_judged() -> None:
    line = "GPU KV cache size: 432,001 tokens, Maximum concurrency for 4,096 tokens per request: 105.47x"
    found = check_log([MEMORY, line], LLAMA)
    assert "no whole number of blocks" in found[-1].text
    assert "verified" not in [finding.kind for finding in found]


# --- SGLang ------------------------------------------------------------------------------------------------

K_V = "dtype: torch.bfloat16, #tokens: 432000, K size: 26.37 GB, V size: 26.37 GB"
KV = "dtype: torch.bfloat16, #tokens: 432000, KV size: 52.73 GB"
TOTAL = "max_total_num_tokens=432000, chunked_prefill_size=8192, max_prefill_tokens=16384, max_running_requests=2048, "
TOTAL += "context_len=8192, available_gpu_mem=7.31 GB"


@pytest.mark.parametrize(
    ("line", "verified"),
    [
        (f"[2026-08-21 10:00:00 TP0] KV Cache is allocated. {K_V}", 2),
        (f"[2026-08-21 10:00:00] KV Cache is allocated. {K_V}", 2),
        (f"[2026-08-21 10:00:00 TP0] Full KV Cache VA upper bound. {K_V}", 2),
        (f"SWA KV Cache is allocated. {K_V}", 2),
        (f"sglang | [2026-08-21 10:00:00 DP0 TP0] \x1b[36mKV Cache is allocated. {K_V}\x1b[0m", 2),
        (json.dumps({"msg": f"KV Cache is allocated. {K_V}"}), 2),
        (f"Post-capture KV sizing: KV cache allocated. {KV}, avail mem=8.00 GB", 1),
        ("KV Cache is allocated. dtype: torch.float8_e4m3fn, #tokens: 432000, KV size: 26.37 GB", 1),
    ],
)
def test_sglang_logs_of_every_form_are_verified(line: str, verified: int) -> None:
    found = check_log([line, "Memory pool end. avail mem=8.11 GB"], LLAMA)
    assert [finding.kind for finding in found] == ["verified"] * verified + ["missing"]


def test_sglang_totals_are_the_same_number_twice() -> None:
    found = check_log([f"[x TP0] KV Cache is allocated. {K_V}", f"[x TP0] {TOTAL}"], LLAMA)
    assert [finding.kind for finding in found] == ["verified", "verified", "by construction", "note"]
    assert "52.73 requests of context_len 8,192" in found[-1].text
    other = check_log([f"KV Cache is allocated. {K_V}", TOTAL.replace("432000", "431000")], LLAMA)
    assert "differs" in [finding.kind for finding in other]
    assert kinds(TOTAL) == ["missing"]


def test_the_padding_page_is_part_of_the_sizes() -> None:
    rows = 1000 + 512
    size = Fraction(rows * 131_072, GIB)
    line = f"KV Cache is allocated. dtype: torch.bfloat16, #tokens: 1000, KV size: {float(size):.2f} GB"
    assert kinds(line, Pool(published_model("llama-3-8b"), block_size=512))[0] == "verified"
    assert kinds(line)[0] == "differs"


def test_an_mla_pool_is_one_latent_whatever_the_ranks() -> None:
    tokens = 1_000_000
    size = (tokens + 1) * 61 * 1152 / GIB
    line = f"[x TP3] KV Cache is allocated. dtype: torch.bfloat16, #tokens: {tokens}, KV size: {size:.2f} GB"
    assert kinds(line, Pool(published_model("deepseek-v3"), tp=8))[0] == "verified"


def test_an_unknown_dtype_is_asked_for_and_another_one_is_said() -> None:
    line = f"KV Cache is allocated. {K_V}"
    assert "missing" in kinds(line.replace("torch.bfloat16", "torch.float4_e2m1fn_x2"))
    assert "differs" in kinds(line, Pool(published_model("llama-3-8b"), Fraction(1)))


@pytest.mark.parametrize("log", ["", 'INFO nothing here\n{not json}\n{"a": 1}', "Available KV cache memory: 3 GiB"])
def test_a_log_without_a_pool_is_an_error(log: str) -> None:
    with pytest.raises(ReferenceInputError, match="no line states a KV pool"):
        check_log(log.splitlines(), LLAMA, name="x.log")
