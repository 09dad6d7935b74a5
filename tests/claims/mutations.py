"""The table of mutations: small changes to an engine or to the words, and what each does to a claim's verdict.

A change is described by file, symbol and a regular expression over the symbol's text, so that nothing of an engine
is kept here. `BREAKS` must change the verdict, `SAME` must leave it as it is, `WORDS` change what the page says.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

V = "vllm/"
S = "python/sglang/srt/"
BACKEND = V + "v1/attention/backend.py"
KV_INTERFACE = V + "v1/kv_cache_interface.py"
KV_UTILS = V + "v1/core/kv_cache_utils.py"
BLOCK_POOL = V + "v1/core/block_pool.py"
SCHEDULER = V + "v1/core/sched/scheduler.py"
REQUEST = V + "v1/request.py"
CORE = V + "v1/engine/core.py"
RUNNER = V + "v1/worker/gpu_model_runner.py"
RUNNER_V2 = V + "v1/worker/gpu/model_runner.py"
INPUT_BATCH = V + "v1/worker/gpu/input_batch.py"
WORKER = V + "v1/worker/gpu_worker.py"
LLAMA = V + "model_executor/models/llama.py"
ATTENTION = V + "model_executor/layers/attention/attention.py"
CROSS = V + "model_executor/layers/attention/cross_attention.py"
FLASHINFER = V + "v1/attention/backends/flashinfer.py"
FLASH = V + "v1/attention/backends/flash_attn.py"
CONFIG = V + "config/vllm.py"
GUIDE = "docs/usage/v1_guide.md"
FORWARD = S + "model_executor/forward_batch_info.py"
POOL = S + "mem_cache/memory_pool.py"
BATCH = S + "managers/schedule_batch.py"
TOKENS = S + "mem_cache/allocator/token.py"


@dataclass(frozen=True)
class Mutation:
    """A change to one file. `symbol` limits it to a definition; `pattern` must match there.

    With `moved_to` the file gets another name as well.
    """

    claim: str
    what: str
    path: str
    symbol: str | None
    pattern: str
    replacement: str | Callable[[re.Match[str]], str]
    verdict: str = ""
    moved_to: str | None = None


@dataclass(frozen=True)
class Restated:
    """A change to the words of a claim."""

    claim: str
    pattern: str
    replacement: str
    verdict: str


BREAKS = (
    Mutation("C068", "another spec is returned", CROSS, "CrossAttention.get_kv_cache_spec", r"return Cross\w+", "return Other", "contradicted"),
    Mutation("C068", "no base class", KV_INTERFACE, "CrossAttentionSpec", r"\(AttentionSpec\)", "", "contradicted"),
    Mutation("C071", "encoder-only layers are let through", ATTENTION, "Attention.get_kv_cache_spec", r"\(AttentionType\.ENCODER_ONLY, ", "(None, ", "contradicted"),
    Mutation("C073", "default flipped", BACKEND, "CommonAttentionMetadata", r"(causal:.*)True", r"\1False", "contradicted"),
    Mutation("C073", "annotation narrowed", BACKEND, "CommonAttentionMetadata", r"causal: bool \| \S+", "causal: bool", "contradicted"),
    Mutation("C073", "field renamed", BACKEND, "CommonAttentionMetadata", r"    causal:", "    is_causal:", "gone"),
    Mutation("C077", "a field moved below", BACKEND, "CommonAttentionMetadata", r"(?s)(    seq_lens: .*?\n)(.*?)(    causal: .*?\n)", r"\2\3\1", "contradicted"),
    Mutation("C078", "one field renamed", BACKEND, "CommonAttentionMetadata", r"    seq_lens:", "    lengths:", "contradicted"),
    Mutation("C080", "lengths without the computed tokens", RUNNER, "GPUModelRunner._prepare_inputs", r"self\.num_computed_tokens\[:num_reqs\] \+ ", "", "contradicted"),
    Mutation("C081", "operator swapped", RUNNER, "GPUModelRunner._prepare_inputs", r"(num_computed_tokens\[:num_reqs\]) \+", r"\1 -", "contradicted"),
    Mutation("C088", "K alone", KV_INTERFACE, "AttentionSpec.state_content_size_bytes", r" \+ self\.head_size_v", "", "contradicted"),
    Mutation("C095", "operator swapped", KV_INTERFACE, "AttentionSpec.state_content_size_bytes", r"head_size \+", "head_size *", "contradicted"),
    Mutation("C098", "a factor lost", KV_INTERFACE, "AttentionSpec.unpadded_page_size_bytes", r"self\.num_heads \* ", "", "contradicted"),
    Mutation("C098", "property renamed", KV_INTERFACE, "AttentionSpec.unpadded_page_size_bytes", r"def unpadded", "def bare", "gone"),
    Mutation("C097", "another number of heads", KV_INTERFACE, "AttentionSpec.num_heads", r"return self\.num_kv_heads", "return 1", "contradicted"),
    Mutation("C099", "another method is asked", RUNNER, "GPUModelRunner.get_kv_cache_spec", r"attn_module\.get_kv_cache_spec", "attn_module.get_spec", "contradicted"),
    Mutation("C099", "one spec for all layers", RUNNER, "GPUModelRunner.get_kv_cache_spec", r"kv_cache_spec\[layer_name\]", "kv_cache_spec['']", "gone"),
    Mutation("C100", "two tokens each", BATCH, "ScheduleBatch.prepare_for_decode", r"token_per_req=1", "token_per_req=2", "contradicted"),
    Mutation("C101", "member renamed", FORWARD, "ForwardMode", r"    DECODE =", "    STEP =", "contradicted"),
    Mutation("C101", "the scheduler speaks of phases", SCHEDULER, "Scheduler.schedule", r"no \"decoding phase\" nor", "a decoding phase and a", "holds"),
    Mutation("C104", "members swapped", FORWARD, "ForwardMode", r"(?s)(    MIXED = .*?\n)(.*?)(    IDLE = .*?\n)", r"\3\2\1", "contradicted"),
    Mutation("C104", "a member before them", FORWARD, "ForwardMode", r"(    EXTEND = )", r"    NONE = auto()\n\1", "contradicted"),
    Mutation("C105", "another test", FORWARD, "ForwardMode.is_prefill", r"self\.is_extend", "self.is_mixed", "contradicted"),
    Mutation("C106", "one token at a time", SCHEDULER, "Scheduler.schedule", r"min\(\s*num_new_tokens, token_budget", "min(1, token_budget", "contradicted"),
    Mutation("C109", "placeholders are counted", REQUEST, "Request.num_tokens_with_spec", r"\+ len\(self\.spec_token_ids\)", "+ self.num_output_placeholders + len(self.spec_token_ids)", "holds"),
    Mutation("C110", "placeholders are not added", SCHEDULER, "Scheduler.schedule", r"\+ request\.num_output_placeholders\n", "\n", "contradicted"),
    Mutation("C111", "speculative tokens are not counted", REQUEST, "Request.num_tokens_with_spec", r" \+ len\(self\.spec_token_ids\)", "", "contradicted"),
    Mutation("C112", "no threshold", SCHEDULER, "Scheduler.schedule", r"0 < (self\.scheduler_config\.long_prefill\w+) < num_new_tokens", r"\1 < 0", "contradicted"),
    Mutation("C115", "no subtraction", FORWARD, "ForwardBatch._init_ngram_embedding_info", r"self\.seq_lens - 1, 1", "self.seq_lens, 1", "contradicted"),
    Mutation("C115", "the other branch", FORWARD, "ForwardBatch._init_ngram_embedding_info", r"if self\.forward_mode\.is_decode\(\)", "if self.forward_mode.is_idle()", "contradicted"),
    Mutation("C116", "another length", FORWARD, "ForwardBatch._init_ngram_embedding_info", r"self\.seq_lens - 1, 1", "self.seq_lens - 1, 2", "contradicted"),
    Mutation("C116", "without a condition", FORWARD, "ForwardBatch.init_new", r"if model_runner\.ngram_embedding_manager\.enabled:\n\s+(ret\._init)", r"\1", "holds"),
    Mutation("C117", "the length itself", FORWARD, "_clamp_position_native", r"seq_lens - 1", "seq_lens", "holds"),
    Mutation("C117", "called without clamping", FORWARD, "ForwardBatch.init_new", r"clamp_position\((batch\.seq_lens)\)", r"\1", "holds"),
    Mutation("C155", "called without clamping", FORWARD, "ForwardBatch.init_new", r"clamp_position\((batch\.seq_lens)\)", r"\1", "contradicted"),
    Mutation("C117", "in another branch", FORWARD, "ForwardBatch.init_new", r"if ret\.forward_mode\.is_decode\(\) or ret\.forward_mode\.is_target_verify\(\):", "if ret.forward_mode.is_idle():", "gone"),
    Mutation("C118", "offsets in every mode", FORWARD, "ForwardBatch.init_new", r"(\n +)(if ret\.forward_mode\.is_decode\(\) or ret\.forward_mode\.is_target_verify\(\):\n\s+if ret\.positions is None)", r"\1compute_position()\1\2", "contradicted"),
    Mutation("C118", "the call is gone", FORWARD, "ForwardBatch.init_new", r"compute_position\(", "compute_offsets(", "contradicted"),
    Mutation("C121", "one layer", POOL, "MHATokenToKVPool._create_buffers_normal", r"range\(self\.layer_num\)", "range(1)", "contradicted"),
    Mutation("C126", "fewer rows", POOL, "MHATokenToKVPool._kv_buffer_shapes", r"self\.size \+ self\.page_size", "self.size", "contradicted"),
    Mutation("C127", "shapes by another name", POOL, "MHATokenToKVPool", r"def _kv_buffer_shapes", "def _shapes", "contradicted"),
    Mutation("C127", "not abstract", BACKEND, "AttentionBackend.get_kv_cache_shape", r"    @abstractmethod\n", "", "contradicted"),
    Mutation("C129", "another default", BACKEND, "AttentionBackend.get_kv_cache_shape", r"\"auto\"", '"fp8"', "contradicted"),
    Mutation("C129", "a parameter more", BACKEND, "AttentionBackend.get_kv_cache_shape", r"(head_size: int,)", r"\1 layers: int,", "contradicted"),
    Mutation("C129", "method renamed", BACKEND, "AttentionBackend.get_kv_cache_shape", r"def get_kv_cache_shape", "def kv_shape", "gone"),
    Mutation("C130", "a backend without its own", FLASHINFER, "FlashInferBackend", r"def get_kv_cache_shape", "def kv_shape", "gone"),
    Mutation("C131", "padding ignored", KV_INTERFACE, "AttentionSpec.page_size_bytes", r"return self\.page_size_padded", "return 0", "contradicted"),
    Mutation("C132", "blocks are dropped", BLOCK_POOL, "BlockPool.free_blocks", r"free_block_queue\.append_n", "dropped.append_n", "contradicted"),
    Mutation("C132", "slots are dropped", TOKENS, "TokenToKVPoolAllocator.free", r"torch\.cat\(\(self\.free_pages", "torch.cat((self.lost", "contradicted"),
    Mutation("C133", "V shares K's tensors", POOL, "MHATokenToKVPool._create_buffers_normal", r"self\.v_buffer = \[\s*torch\.zeros\(v_shape[^\]]*\]", "self.v_buffer = self.k_buffer", "contradicted"),
    Mutation("C136", "a query is taken", POOL, "MHATokenToKVPool.set_kv_buffer", r"(cache_v: \S+,)", r"\1 query: object,", "contradicted"),
    Mutation("C137", "a query is taken", POOL, "MHATokenToKVPool.set_kv_buffer", r"(cache_v: \S+,)", r"\1 cache_q: object,", "contradicted"),
    Mutation("C140", "no batch queue", CORE, "EngineCore.__init__", r"self\.step if self\.batch_queue is None else self\.step_with_batch_queue", "self.step", "holds"),
    Mutation("C140", "another function", CORE, "EngineCore.__init__", r"self\.step if self\.batch_queue is None else self\.step_with_batch_queue", "self.run", "contradicted"),
    Mutation("C136", "queries are taken", POOL, "MHATokenToKVPool.set_kv_buffer", r"(cache_v: \S+,)", r"\1 queries: object,", "contradicted"),
    Mutation("C137", "queries are taken", POOL, "MHATokenToKVPool.set_kv_buffer", r"(cache_v: \S+,)", r"\1 queries: object,", "contradicted"),
    Mutation("C141", "updated before it is scheduled too", CORE, "EngineCore.step", r"(\n        scheduler_output = )", r"\n        self.scheduler.update_from_output(None, None)\1", "contradicted"),
    Mutation("C141", "scheduled again at the end", CORE, "EngineCore.step", r"(\n        return engine_core_outputs)", r"\n        self.scheduler.schedule()\1", "contradicted"),
    Mutation("C141", "nothing is sampled", CORE, "EngineCore.step", r"\.sample_tokens\(", ".draw_tokens(", "contradicted"),
    Mutation("C142", "not recorded", SCHEDULER, "Scheduler.schedule", r"num_scheduled_tokens\[request_id\] = num_new_tokens", "num_scheduled_tokens[request_id] = 0", "contradicted"),
    Mutation("C142", "one more for running requests", SCHEDULER, "Scheduler.schedule", r"(?s)\A(.*?num_scheduled_tokens\[request_id\] = num_new_tokens)", r"\1 + 1", "contradicted"),
    Mutation("C142", "one more for waiting requests", SCHEDULER, "Scheduler.schedule", r"(?s)\A(.*num_scheduled_tokens\[request_id\] = num_new_tokens)", r"\1 + 1", "contradicted"),
    Mutation("C142", "a token more is computed", SCHEDULER, "Scheduler.schedule", r"\+ request\.num_output_placeholders\n", "+ 1\n", "contradicted"),
    Mutation("C142", "not handed on", SCHEDULER, "Scheduler.schedule", r"num_scheduled_tokens=num_scheduled_tokens", "num_scheduled_tokens={}", "contradicted"),
    Mutation("C144", "the second runner's method renamed", RUNNER_V2, "GPUModelRunner", r"def prepare_inputs", "def make_inputs", "gone"),
    Mutation("C145", "V1 for all", CONFIG, "VllmConfig.use_v2_model_runner", r"= envs\.\w+", "= False", "holds"),
    Mutation("C146", "another method is called", RUNNER, "GPUModelRunner.execute_model", r"self\._prepare_inputs\(", "self._make_inputs(", "contradicted"),
    Mutation("C148", "another method is called", RUNNER_V2, "GPUModelRunner.execute_model", r"self\.prepare_inputs\(", "self.make_inputs(", "contradicted"),
    Mutation("C152", "every request twice", RUNNER, "GPUModelRunner._prepare_inputs", r"np\.repeat\((self\.arange_np\[:num_reqs\]), num_scheduled_tokens\)", r"np.repeat(\1, 2)", "contradicted"),
    Mutation("C153", "offsets not subtracted", RUNNER, "GPUModelRunner._get_cumsum_and_arange", r"cu_num_tokens - num_tokens", "cu_num_tokens - cu_num_tokens", "contradicted"),
    Mutation("C154", "one further", RUNNER, "GPUModelRunner._prepare_inputs", r"(num_computed_tokens_cpu\[req_indices\])", r"\1 + 1", "contradicted"),
    Mutation("C155", "two less", FORWARD, "_clamp_position_native", r"seq_lens - 1", "seq_lens - 2", "contradicted"),
    Mutation("C158", "positions from zero", INPUT_BATCH, "_prepare_pos_seq_lens_kernel", r"pos = num_computed_tokens \+ block", "pos = block", "contradicted"),
    Mutation("C160", "the rest is not cleared", RUNNER, "GPUModelRunner._prepare_inputs", r"(self\.seq_lens\[num_reqs:\]\.fill_)\(0\)", r"\1(1)", "contradicted"),
    Mutation("C161", "one further", RUNNER, "GPUModelRunner._prepare_inputs", r"(self\.num_computed_tokens\[req_indices_gpu\])", r"(1 + \1)", "contradicted"),
    Mutation("C164", "query heads in place of KV heads", LLAMA, "LlamaAttention.__init__", r"self\.num_kv_heads \* self\.head_dim", "self.num_heads * self.head_dim", "contradicted"),
    Mutation("C166", "no split over ranks", LLAMA, "LlamaAttention.__init__", r"max\(1, self\.total_num_kv_heads // tp_size\)", "self.total_num_heads", "contradicted"),
    Mutation("C166", "the parts in another order", LLAMA, "LlamaAttention.forward", r"\[self\.q_size, self\.kv_size, self\.kv_size\]", "[self.kv_size, self.q_size, self.kv_size]", "contradicted"),
    Mutation("C167", "the parts in another order", LLAMA, "LlamaAttention.forward", r"\[self\.q_size, self\.kv_size, self\.kv_size\]", "[self.kv_size, self.q_size, self.kv_size]", "contradicted"),
    Mutation("C167", "twice the KV size", LLAMA, "LlamaAttention.__init__", r"self\.kv_size = ", "self.kv_size = 2 * ", "contradicted"),
    Mutation("C168", "V is rotated", LLAMA, "LlamaAttention.forward", r"rotary_emb\(positions, q, k\)", "rotary_emb(positions, q, v)", "contradicted"),
    Mutation("C168", "V is rotated too", LLAMA, "LlamaAttention.forward", r"(\n +)(attn_output = )", r"\1v, _ = self.rotary_emb(positions, v, v)\1\2", "contradicted"),
    Mutation("C168", "K is attended as it was", LLAMA, "LlamaAttention.forward", r"q, k = self\.rotary_emb", "q, _ = self.rotary_emb", "contradicted"),
    Mutation("C170", "written after it is attended in one branch", ATTENTION, "Attention.forward", r"(?s)unified_kv_cache_update(.*)unified_kv_cache_update(.*)unified_attention_with_output", r"unified_kv_cache_update\1unified_attention_with_output\2unified_kv_cache_update", "contradicted"),
    Mutation("C170", "the class has another name", ATTENTION, None, r"class Attention\(", "class Attending(", "gone"),
    Mutation("C170", "nothing is written", ATTENTION, "Attention.forward", r"unified_kv_cache_update", "unified_nothing", "contradicted"),
    Mutation("C171", "nothing is appended", SCHEDULER, "Scheduler._update_request_with_output", r"append_output_token_ids", "drop_output_token_ids", "contradicted"),
    Mutation("C172", "not advanced", SCHEDULER, "Scheduler._update_after_schedule", r"request\.num_computed_tokens \+=", "request.num_seen +=", "gone"),
    Mutation("C173", "not advanced", SCHEDULER, "Scheduler._update_after_schedule", r"request\.num_computed_tokens \+=", "request.num_seen =", "contradicted"),
    Mutation("C181", "heads count again", KV_INTERFACE, "AttentionSpec.state_content_size_bytes", r"get_dtype_size\(self\.dtype\)", "2 * get_dtype_size(self.dtype)", "contradicted"),
    Mutation("C182", "blocks are kept", SCHEDULER, "Scheduler._preempt_request", r"self\._free_request_blocks", "self._keep_request_blocks", "contradicted"),
    Mutation("C182", "no rollback", SCHEDULER, "Scheduler.update_from_output", r"num_computed_tokens -= num_rejected", "num_computed_tokens -= 0", "contradicted"),
    Mutation("C183", "not recomputed", SCHEDULER, "Scheduler._preempt_request", r"num_computed_tokens = 0", "num_computed_tokens = 1", "contradicted"),
    Mutation("C190", "other words are logged", KV_UTILS, "update_kv_cache_capacity", r"Maximum concurrency", "Most requests", "contradicted"),
    Mutation("C191", "no word of the pattern is logged", KV_UTILS, "update_kv_cache_capacity", r"(?s)KV cache size(.*?)Maximum concurrency", r"Room\1Most requests", "contradicted"),
    Mutation("C192", "rounded first", KV_UTILS, "get_kv_cache_capacity", r"int\(max_concurrency \* max_model_len\)", "int(max_concurrency) * max_model_len", "contradicted"),
    Mutation("C193", "a block more", KV_UTILS, "get_kv_cache_capacity", r"int\(max_concurrency \* max_model_len\)", "int(max_concurrency * max_model_len) + 16", "contradicted"),
    Mutation("C194", "bytes are logged nowhere", WORKER, "Worker.determine_available_memory", r"Available KV cache memory", "Available", "contradicted"),
    Mutation("C200", "another day", GUIDE, None, r"Jan 27, 2025", "Jan 28, 2025", "contradicted"),
    Mutation("C202", "another thread", GUIDE, None, r"18571", "18572", "contradicted"),
)  # fmt: skip

SAME = (
    Mutation("C068", "brackets around the value", CROSS, "CrossAttention.get_kv_cache_spec", r"return (Cross\w+\([^#]*\))\s*\Z", r"return (  # here\n            \1\n        )"),
    Mutation("C071", "members in another order", ATTENTION, "Attention.get_kv_cache_spec", r"\((AttentionType\.\w+), (AttentionType\.\w+)\)", r"(\2, \1)"),
    Mutation("C073", "a comment behind it", BACKEND, "CommonAttentionMetadata", r"(causal:.*True)", r"\1  # by default"),
    Mutation("C073", "its union in another order", BACKEND, "CommonAttentionMetadata", r"causal: bool \| ([\w.]+)", r"causal: \1 | bool"),
    Mutation("C073", "its annotation in quotes", BACKEND, "CommonAttentionMetadata", r"causal: (bool \| [\w.]+)", r'causal: "\1"'),
    Mutation("C077", "a field between them", BACKEND, "CommonAttentionMetadata", r"(    causal:)", r"    extra: int\n\1"),
    Mutation("C096", "a comment that mentions it", BACKEND, None, r"\Z", "\n# head_size_v=1\n"),
    Mutation("C098", "factors in another order", KV_INTERFACE, "AttentionSpec.unpadded_page_size_bytes", r"return (self\.\w+) \* (self\.\w+)", r"return \2 * \1"),
    Mutation("C104", "a comment and a further member", FORWARD, "ForwardMode", r"(    IDLE = .*\n)", r"\1    # new\n    NEW = auto()\n"),
    Mutation("C105", "another line break", FORWARD, "ForwardMode.is_prefill", r"return (self\.is_extend\([^)]*\))", r"return (\n            \1\n        )"),
    Mutation("C110", "200 blank lines above", SCHEDULER, None, r"\A", "\n" * 200),
    Mutation("C112", "arguments in another order", SCHEDULER, "Scheduler.schedule", r"min\(\s*num_new_tokens, token_budget,", "min(token_budget, num_new_tokens,"),
    Mutation("C115", "brackets", FORWARD, "ForwardBatch._init_ngram_embedding_info", r"(self\.seq_lens - 1), 1", r"((\1), 1,)"),
    Mutation("C117", "brackets and a comment", FORWARD, "_clamp_position_native", r"seq_lens - 1", "(seq_lens  # the length\n        - 1)"),
    Mutation("C129", "other quotes, one line", BACKEND, "AttentionBackend.get_kv_cache_shape", r"cache_dtype_str: str = \"auto\"", "cache_dtype_str:str='auto'"),
    Mutation("C131", "classes under a test", KV_INTERFACE, None, r"(?ms)^(@dataclass\(frozen=True[^\n]*\nclass KVCacheSpec.*)\Z", lambda m: "if True:\n" + "\n".join("    " + line for line in m[1].split("\n"))),
    Mutation("C132", "the file has another name", BLOCK_POOL, None, r"\A", "", moved_to=V + "v1/core/pool.py"),
    Mutation("C136", "a parameter renamed", POOL, "MHATokenToKVPool.set_kv_buffer", r"loc_info", "where"),
    Mutation("C141", "a call in between", CORE, "EngineCore.step", r"(\n        scheduler_output = )", r"\n        self.scheduler.prepare()\1"),
    Mutation("C142", "another place to keep them", SCHEDULER, "Scheduler.schedule", r"num_scheduled_tokens\[request_id\]", "num_scheduled_tokens[request.request_id]"),
    Mutation("C142", "200 blank lines above", SCHEDULER, None, r"\A", "\n" * 200),
    Mutation("C144", "a method more", RUNNER_V2, "GPUModelRunner", r"(    def prepare_inputs)", r"    def more(self):\n        pass\n\n\1"),
    Mutation("C146", "a line break in the call", RUNNER, "GPUModelRunner.execute_model", r"self\._prepare_inputs\(", "self._prepare_inputs(\n"),
    Mutation("C152", "a comment in the call", RUNNER, "GPUModelRunner._prepare_inputs", r"(np\.repeat\()(self\.arange_np\[:num_reqs\])", r"\1  # once for each token\n            \2"),
    Mutation("C154", "a statement in between", RUNNER, "GPUModelRunner._prepare_inputs", r"(\n        cu_num_tokens = )", r"\n        spare = 0\1"),
    Mutation("C158", "a name changed in the kernel", INPUT_BATCH, "_prepare_pos_seq_lens_kernel", r"\bquery_len\b", "length"),
    Mutation("C161", "sum in another order", RUNNER, "GPUModelRunner._prepare_inputs", r"(self\.num_computed_tokens\[:num_reqs\]) \+ num_scheduled_tokens_gpu", r"num_scheduled_tokens_gpu + \1"),
    Mutation("C164", "spaces and brackets", LLAMA, "LlamaAttention.__init__", r"self\.num_kv_heads \* self\.head_dim", "(self.num_kv_heads*self.head_dim)"),
    Mutation("C168", "a line break in the call", LLAMA, "LlamaAttention.forward", r"rotary_emb\(positions, q, k\)", "rotary_emb(\n            positions, q, k,\n        )"),
    Mutation("C170", "the file has another name", ATTENTION, None, r"\A", "", moved_to=V + "model_executor/layers/attention/core.py"),
    Mutation("C172", "as two statements", SCHEDULER, "Scheduler._update_after_schedule", r"(request\.num_computed_tokens \+= \w+)", r"\1; self.seen = 1"),
    Mutation("C183", "a comment behind it", SCHEDULER, "Scheduler._preempt_request", r"(num_computed_tokens = 0)", r"\1  # again"),
    Mutation("C190", "the text cut elsewhere", KV_UTILS, "update_kv_cache_capacity", r"GPU KV cache", '"\n        "GPU KV cache'),
    Mutation("C200", "another line break", GUIDE, None, r"A Major\s+Upgrade", "A\nMajor Upgrade"),
)  # fmt: skip

WORDS = (
    Restated("C081", "is 1 and", "is 2 and", "contradicted"),
    Restated("C088", "or 4 KiB", "or 5 KiB", "contradicted"),
    Restated("C095", r"\$2 d_h", "$3 d_h", "contradicted"),
    Restated("C109", "evaluates to 1", "evaluates to 0", "contradicted"),
    Restated("C115", "- 1, 1", "- 2, 1", "contradicted"),
    Restated("C126", r"\$2\$ \(two", "$3$ (two", "contradicted"),
    Restated("C192", "tokens by 4096", "tokens by 8192", "contradicted"),
    Restated("C192", "len 4096", "len 8192", "contradicted"),
    Restated("C140", r"\.step\(\)", ".run()", "contradicted"),
    Restated("C142", "num_new_tokens = 1", "num_new_tokens = 2", "contradicted"),
    Restated("C145", "512th", "513th", "contradicted"),
    Restated("C146", "calls _prepare_inputs", "calls _make_inputs", "contradicted"),
    Restated("C148", "public prepare_inputs", "public prepare_outputs", "contradicted"),
    Restated("C152", "2, 5 and 3", "2, 6 and 3", "contradicted"),
    Restated("C152", "of three requests", "of four requests", "contradicted"),
    Restated("C061", "3.35 TB", "3.53 TB", "contradicted"),
    Restated("C196", "not 32", "not 33", "contradicted"),
    Restated("C152", r"0, 0, 1, 1", "0, 1, 1, 1", "contradicted"),
    Restated("C153", r"\[2, 7, 10\]", "[2, 7, 11]", "contradicted"),
    Restated("C154", r"\[0, 1, 2", "[1, 2, 3", "contradicted"),
    Restated("C161", "2559", "2558", "contradicted"),
    Restated("C166", "1024 / 1024", "2048 / 2048", "contradicted"),
    Restated("C166", "TP=1", "TP=2", "contradicted"),
    Restated("C167", "4:1", "8:1", "contradicted"),
    Restated("C173", "yield 1", "yield 2", "contradicted"),
    Restated("C191", r"GPU KV.*concurrency", "GPU blocks", "contradicted"),
    Restated("C193", "131,072", "131,073", "contradicted"),
    Restated("C200", "27 Jan", "28 Jan", "contradicted"),
    Restated("C202", "18571", "18572", "contradicted"),
)
