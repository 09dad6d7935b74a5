"""KV pool lines of vLLM and SGLang startup logs, checked against the size formula.

What such a log states, by release (format strings read in vLLM 0.27.1, 0.28.0, 0.33.0 and SGLang 0.5.17 to
0.5.23):

vLLM `GPU KV cache size: N tokens` and `Maximum concurrency for M tokens per request: C x`, on two lines or
one, where N = int(C * M) and C = blocks / ceil(M / block size), so that N / M gives C back by construction;
and, elsewhere, `Available KV cache memory: X GiB` or `reserved X GiB memory for KV Cache`, the only figure
in bytes.

SGLang `KV Cache is allocated. dtype: D, #tokens: N, K size: X GB, V size: Y GB` (or one `KV size`), where
GB is 2**30 and the sizes include one more page of rows than tokens; and `max_total_num_tokens=N, ...,
context_len=M, ...`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil
from typing import Literal

from refcheck.errors import ReferenceInputError
from refcheck.reference.shapes import ModelShape

GIB = 2**30
#: Both engines print two decimals of 2**30 bytes: half a unit of the last one.
ROUNDING = Fraction(5, 1000)

FactKind = Literal["pool", "concurrency", "memory", "override", "sglang_pool", "sglang_total", "sglang_memory"]
FindingKind = Literal["verified", "by construction", "differs", "missing", "note"]

_ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)")
# Every figure is bounded: a log is written by anyone, and Python refuses to convert numbers of thousands of digits.
_COMMA = r"[0-9][0-9,]{0,17}"
_COMMA_FROM_ONE = r"[1-9][0-9,]{0,17}"
_DECIMAL = r"[0-9]{1,12}(?:\.[0-9]{1,6})?"
_PATTERNS: tuple[tuple[FactKind, re.Pattern[str]], ...] = (
    ("pool", re.compile(rf"\bKV cache size: (?P<tokens>{_COMMA}) tokens")),
    (
        "concurrency",
        re.compile(
            rf"Maximum concurrency for (?P<max_len>{_COMMA_FROM_ONE}) tokens per request: "
            r"(?P<times>[0-9][0-9,]{0,14}(?:\.[0-9]{1,6})?)x"
        ),
    ),
    ("memory", re.compile(rf"Available KV cache memory: (?P<gib>-?{_DECIMAL}) GiB")),
    ("memory", re.compile(rf"reserved (?P<gib>{_DECIMAL}) GiB memory for KV Cache")),
    (
        "override",
        re.compile(
            r"Overriding num_gpu_blocks=(?P<was>[0-9]{1,15}) with num_gpu_blocks_override=(?P<blocks>[0-9]{1,15})\b"
        ),
    ),
    (
        "sglang_pool",
        re.compile(
            r"(?:[\w ](?:is allocated|VA upper bound)|KV cache allocated)\. "
            r"dtype: (?P<dtype>[\w.]{1,60}), #tokens: (?P<tokens>[0-9]{1,15}), "
            rf"(?:K size: (?P<k>{_DECIMAL}) GB, V size: (?P<v>{_DECIMAL}) GB|KV size: (?P<kv>{_DECIMAL}) GB)"
        ),
    ),
    (
        "sglang_total",
        re.compile(
            r"max_total_num_tokens=(?P<tokens>[0-9]{1,15})\b(?:.*?context_len=(?P<max_len>[1-9][0-9]{0,14})\b)?"
        ),
    ),
    ("sglang_memory", re.compile(rf"Memory pool end\. avail mem=(?P<gib>{_DECIMAL}) GB")),
)
_HOST = re.compile(r"^([\w.-]+)\s+\|\s")
_PROCESS = re.compile(r"\((\w[\w ]{0,80}?)\s{0,4}(?:rank=\d{1,9}\s{1,4})?pid=(\d{1,12})\)")
_RANKS = re.compile(r"\b((?:DP|TP|PP|EP)\d+)\b")

_DTYPES = {
    "bfloat16": Fraction(2), "float16": Fraction(2), "half": Fraction(2), "float32": Fraction(4),
    "float8_e4m3fn": Fraction(1), "float8_e5m2": Fraction(1), "float8_e4m3fnuz": Fraction(1), "uint8": Fraction(1),
    "int8": Fraction(1),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Source:
    """Who wrote a line: a container or host label, a process name and id, and ranks; empty where it does
    not say."""

    host: str = ""
    process: str = ""
    pid: str = ""
    ranks: tuple[str, ...] = ()

    def __str__(self) -> str:
        process = f"{self.process} pid={self.pid}" if self.pid else ""
        return " ".join(filter(None, [self.host, process, *([] if process else self.ranks)]))

    @property
    def data_parallel(self) -> str:
        """The data parallel rank, such as DP1, or nothing."""
        return next((rank for rank in self.ranks if rank.startswith("DP")), "")


@dataclass(frozen=True, slots=True)
class Fact:
    """One statement of a log: its line, who wrote it, and its figures by name."""

    kind: FactKind
    line: int
    source: Source
    figures: dict[str, str] = field(default_factory=dict)

    def count(self, name: str) -> int:
        """A figure with thousands separated, as a whole number."""
        return int(self.figures[name].replace(",", ""))


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found about one statement; `line` is 0 where a line is missing."""

    kind: FindingKind
    line: int
    source: str
    text: str


@dataclass(frozen=True, slots=True)
class Pool:
    """What is expected of the pools: the model, the bytes of an element, and how the engine was started.

    `max_model_len`, `block_size` and `kv_bytes` may be None where the log or the engine's default decides
    (16 tokens per block in vLLM, 1 per page in SGLang; two bytes unless SGLang names a dtype).
    """

    model: ModelShape
    kv_bytes: Fraction | None = None
    tp: int = 1
    block_size: int | None = None
    max_model_len: int | None = None

    def bytes_per_token(self, kv_bytes: Fraction) -> Fraction:
        """Per tensor-parallel rank: KV heads are divided, or repeated when there are more ranks; MLA is not
        divided."""
        m = self.model
        if m.mla is not None:
            return m.layers * (m.mla.kv_rank + m.mla.rope_dim) * kv_bytes
        return 2 * m.layers * max(1, m.kv_heads // self.tp) * m.head_dim * kv_bytes


def read_facts(lines: Iterable[str]) -> Iterator[Fact]:
    """The statements of a log, whatever stands before them; JSON log lines and ANSI colours are
    understood."""
    for number, raw in enumerate(lines, start=1):
        text = _ANSI.sub("", _message(raw))
        for kind, pattern in _PATTERNS:
            match = pattern.search(text)
            if match is not None:
                figures = {name: value for name, value in match.groupdict().items() if value is not None}
                yield Fact(kind, number, _source(_ANSI.sub("", raw), text, match.start()), figures)


def _message(raw: str) -> str:
    """The text of a line; of a JSON object (also after a container's label) its string fields, one after
    another."""
    start = raw.find("{")
    if start < 0 or not raw.rstrip().endswith("}"):
        return raw
    try:
        record = json.loads(raw[start:])
    except (ValueError, RecursionError):
        return raw
    if not isinstance(record, dict):
        return raw
    return raw[:start] + " ".join(_strings(record))


def _strings(record: object) -> Iterator[str]:
    """The text fields in the order in which they stand; however deep, without a recursion of our own."""
    left = [record]
    while left:
        value = left.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            left.extend(reversed(value.values()))


def _source(raw: str, text: str, start: int) -> Source:
    host = _HOST.match(raw)
    process = _PROCESS.search(text)
    bracket = re.search(r"\[[^\]]*\]", text[:start])
    where = process[1] if process else bracket[0] if bracket else ""
    ranks = tuple(_RANKS.findall(where.replace("_", " ")))
    return Source(host[1] if host else "", process[1] if process else "", process[2] if process else "", ranks)


def check_log(lines: Iterable[str], expected: Pool, *, name: str = "the log") -> tuple[Finding, ...]:
    """Reads a log and checks its KV pools. Raises ReferenceInputError where no line states one."""
    facts = list(read_facts(lines))
    if not any(fact.kind in ("pool", "sglang_pool", "sglang_total", "concurrency") for fact in facts):
        raise ReferenceInputError(
            f"{name}: no line states a KV pool; looked for vLLM's 'KV cache size: N tokens' and 'Maximum concurrency "
            "for' and SGLang's 'KV Cache is allocated' and 'max_total_num_tokens='. Give the whole startup log"
        )
    findings = [*_vllm(facts, expected), *_sglang(facts, expected)]
    return tuple(sorted(findings, key=lambda finding: (finding.line == 0, finding.line)))


# --- vLLM --------------------------------------------------------------------------------------------------


def _vllm(facts: list[Fact], expected: Pool) -> Iterator[Finding]:
    pools = [fact for fact in facts if fact.kind == "pool"]
    for number, pool in enumerate(pools):
        previous = pools[number - 1].line if number else 0
        concurrency = _near(facts, pool, "concurrency")
        yield from _vllm_pool(pool, concurrency, _memory_of(facts, pool, pools, previous), facts, expected)
    if not pools:
        for fact in facts:
            if fact.kind == "concurrency":
                yield Finding(
                    "missing", 0, str(fact.source), "no line 'KV cache size: N tokens' beside the concurrency"
                )


def _near(facts: list[Fact], pool: Fact, kind: FactKind) -> Fact | None:
    """The fact of the kind and source that stands on the pool's own line, else the first after it."""
    same = [f for f in facts if f.kind == kind and f.source == pool.source and f.line >= pool.line]
    return same[0] if same else None


def _memory_of(facts: list[Fact], pool: Fact, pools: list[Fact], previous: int) -> list[Fact]:
    """The byte figures that belong to a pool: of its own process, else of its data parallel rank's workers,
    else of workers of its host that have written since the last pool line."""
    of_host = [f for f in facts if f.kind == "memory" and f.source.host == pool.source.host]
    own = [f for f in of_host if pool.source.pid and f.source.pid == pool.source.pid]
    if own:
        return own
    if pool.source.data_parallel:
        ranked = [f for f in of_host if f.source.data_parallel == pool.source.data_parallel]
        if ranked:
            return ranked
    taken = {p.source.pid for p in pools if p.source.pid}
    others = [p for p in pools if p is not pool and p.source.host == pool.source.host]
    free = [f for f in of_host if f.source.pid not in taken or not f.source.pid]
    return [f for f in free if previous < f.line < pool.line] if others else free


def _vllm_pool(
    pool: Fact, concurrency: Fact | None, memory: list[Fact], facts: list[Fact], expected: Pool
) -> Iterator[Finding]:
    who, tokens = str(pool.source), pool.count("tokens")
    block = expected.block_size or 16
    kv_bytes = expected.kv_bytes or Fraction(2)
    per_token = expected.bytes_per_token(kv_bytes)
    max_len = expected.max_model_len
    if concurrency is None:
        yield Finding("missing", 0, who, "no line 'Maximum concurrency for M tokens per request'")
    else:
        stated = concurrency.count("max_len")
        if max_len is not None and stated != max_len:
            yield Finding(
                "differs", concurrency.line, who,
                f"the log is of max_model_len {stated:,}, --max-model-len says {max_len:,}; the log's is used",
            )  # fmt: skip
        max_len = stated
        yield _concurrency(concurrency, tokens, max_len, who)
    if max_len is None:
        yield Finding("missing", 0, who, "max_model_len: give --max-model-len, or a log with the concurrency line")
        return
    blocks = _blocks(tokens, max_len, block)
    if blocks is None:
        yield Finding(
            "note", pool.line, who,
            f"{tokens:,} tokens are no whole number of blocks of {block}: another --block-size, or a model with "
            "several kinds of KV layers; the size formula is checked for full attention alone",
        )  # fmt: skip
        return
    lost = blocks * block - tokens
    if max_len % block and lost > 0:
        yield Finding(
            "note", pool.line, who,
            f"{blocks:,} blocks have {blocks * block:,} slots; the {tokens:,} tokens reported are "
            f"{float(Fraction(lost, blocks * block)):.2%} less: {max_len:,} is no multiple of {block}",
        )  # fmt: skip
    yield Finding("note", pool.line, who, f"one of the {blocks:,} blocks is the null block and holds no tokens")
    page = block * per_token
    override = next((f for f in facts if f.kind == "override" and f.source.host == pool.source.host), None)
    if override is not None:
        right = override.count("blocks") == blocks
        yield Finding(
            "verified" if right else "differs", override.line, who,
            f"num_gpu_blocks_override is {override.count('blocks'):,}, the tokens make {blocks:,} blocks of {block}",
        )  # fmt: skip
        blocks = override.count("was")
    if not memory:
        yield Finding(
            "missing", 0, who,
            "no line states bytes: 'Available KV cache memory: X GiB' is not in this log (a grep for 'KV cache size' "
            f"and 'maximum concurrency' leaves it out); by the formula the pool is {_gib(blocks * page)} GiB per rank",
        )  # fmt: skip
    for fact in memory:
        yield _against_memory(fact, blocks, page, expected, block, least=fact is min(memory, key=_stated))


def _concurrency(fact: Fact, tokens: int, max_len: int, who: str) -> Finding:
    stated = Fraction(fact.figures["times"].replace(",", ""))
    # tokens is rounded down to a whole one, the concurrency to two decimals
    low, high = Fraction(tokens, max_len) - ROUNDING, Fraction(tokens + 1, max_len) + ROUNDING
    text = f"{tokens:,} tokens / {max_len:,} = {float(Fraction(tokens, max_len)):,.2f}, stated {float(stated):,.2f}x"
    if low <= stated <= high:
        return Finding("by construction", fact.line, who, text + ": tokens = int(concurrency x max_model_len)")
    return Finding("differs", fact.line, who, text)


def _blocks(tokens: int, max_len: int, block: int) -> int | None:
    """The number of blocks n that vLLM reports as int(n / ceil(max_len / block) * max_len) tokens.

    In floating point, as there: 15 / 11 * 176 is 239.99..., and 239 is what the log says.
    """
    per_request = ceil(Fraction(max_len, block))
    near = round(Fraction(tokens * per_request, max_len))
    return next((n for n in (near, near + 1, near - 1) if int(n / per_request * max_len) == tokens), None)


def _stated(fact: Fact) -> Fraction:
    return Fraction(fact.figures["gib"])


def _gib(size: Fraction | int) -> str:
    return f"{float(Fraction(size) / GIB):,.2f}"


def _against_memory(fact: Fact, blocks: int, page: Fraction, expected: Pool, block: int, *, least: bool) -> Finding:
    """Blocks that fit: as many as the least memory of all ranks holds; of a larger rank some is left over."""
    stated, used, who = _stated(fact), blocks * page / GIB, str(fact.source)
    low, high = stated - ROUNDING, stated + ROUNDING
    text = (
        f"{blocks:,} blocks x {block} tokens x {int(page / block):,} bytes = {float(used):,.2f} GiB, "
        f"stated {float(stated):,.2f} GiB"
    )
    if used <= high and (low < used + page / GIB or not least):
        over = "" if least else " (another rank has less, and decides)"
        return Finding("verified", fact.line, who, text + over)
    return Finding("differs", fact.line, who, text + _guess(used / stated if stated else Fraction(0), expected))


def _guess(ratio: Fraction, expected: Pool) -> str:
    """What usually explains such a factor between the formula and the log."""
    m, tp = expected.model, expected.tp
    causes = [
        (Fraction(2), "is the KV cache of half the bytes (--kv-dtype fp8)"),
        (Fraction(1, 2), "are the elements twice as large (--kv-dtype)"),
        (Fraction(m.kv_heads, m.heads), "was the pool sized from query heads"),
    ]
    causes += [(Fraction(n), f"was it started with --tp {n * tp}") for n in (2, 4, 8)]
    causes += [(Fraction(1, n), f"was it started with --tp {tp // n}") for n in (2, 4, 8) if tp % n == 0]
    fitting = [text for value, text in causes if value != 1 and abs(ratio / value - 1) < Fraction(1, 50)]
    return f"; a factor of {float(ratio):.3g}: " + (" or ".join(fitting) or "is it another model, dtype or --tp") + "?"


# --- SGLang ------------------------------------------------------------------------------------------------


def _sglang(facts: list[Fact], expected: Pool) -> Iterator[Finding]:
    pools = [fact for fact in facts if fact.kind == "sglang_pool"]
    totals = [fact for fact in facts if fact.kind == "sglang_total"]
    for pool in pools:
        yield from _sglang_pool(pool, expected)
    for total in totals:
        tokens, who = total.count("tokens"), str(total.source)
        same = [p for p in pools if p.source.host == total.source.host and p.source.ranks == total.source.ranks]
        mine = same or [p for p in pools if p.source.host == total.source.host]
        if not mine:
            yield Finding("missing", 0, who, "no line 'KV Cache is allocated' with sizes beside max_total_num_tokens")
        elif any(p.count("tokens") == tokens for p in mine):
            yield Finding("by construction", total.line, who, f"max_total_num_tokens and #tokens are both {tokens:,}")
        else:
            seen = ", ".join(f"{p.count('tokens'):,}" for p in mine)
            yield Finding("differs", total.line, who, f"max_total_num_tokens is {tokens:,}, #tokens {seen}")
        if "max_len" in total.figures:
            max_len = total.count("max_len")
            if expected.max_model_len not in (None, max_len):
                text = f"the log is of context_len {max_len:,}, --max-model-len says {expected.max_model_len:,}"
                yield Finding("differs", total.line, who, text)
            text = f"{tokens:,} tokens hold {tokens / max_len:,.2f} requests of context_len {max_len:,}"
            yield Finding("note", total.line, who, text)
    if pools and not totals:
        yield Finding(
            "missing", 0, str(pools[-1].source), "no line 'max_total_num_tokens=': the context length is unknown"
        )


def _sglang_pool(pool: Fact, expected: Pool) -> Iterator[Finding]:
    who, tokens, dtype = str(pool.source), pool.count("tokens"), pool.figures["dtype"].removeprefix("torch.")
    of_dtype = _DTYPES.get(dtype)
    if expected.kv_bytes is None and of_dtype is None:
        yield Finding("missing", 0, who, f"the bytes of an element of dtype {dtype}: give --kv-dtype")
        return
    kv_bytes = expected.kv_bytes or of_dtype or Fraction(2)
    if of_dtype not in (None, kv_bytes):
        text = f"the log is of dtype {dtype}, --kv-dtype says {float(kv_bytes):g} bytes"
        yield Finding("differs", pool.line, who, text)
    page = expected.block_size or 1
    whole = (tokens + page) * expected.bytes_per_token(kv_bytes) / GIB
    parts = {"KV size": whole} if "kv" in pool.figures else {"K size": whole / 2, "V size": whole / 2}
    for (label, computed), name in zip(parts.items(), ["kv"] if "kv" in pool.figures else ["k", "v"], strict=True):
        stated = Fraction(pool.figures[name])
        rows = f"{label}: ({tokens:,} + {page}) rows"
        text = f"{rows} = {float(computed):,.2f} GiB, stated {float(stated):,.2f} GB (of 2**30)"
        if abs(computed - stated) <= ROUNDING:
            yield Finding("verified", pool.line, who, text)
        else:
            ratio = computed / stated if stated else Fraction(0)
            yield Finding("differs", pool.line, who, text + _guess(ratio, replace(expected, kv_bytes=kv_bytes)))
