"""What an engine holds beside weights and cache while it serves: workspaces, sampler, graphs, context, NCCL."""

from kb.constants.memory_constants import VllmVersion, constants
from tools.memory.adapters import served_adapter_terms
from tools.memory.generation import feed_forward_width, litgpt_phases, transformers_phases
from tools.memory.kv import kv_terms
from tools.memory.term import Phase, Term, constant
from tools.memory.weights import serving_weights
from tools.memory.workload import Workload


def serving_phases(work: Workload) -> tuple[Phase, ...]:
    """The moments a serving engine may peak at; their largest is the requirement."""
    held = (*serving_weights(work), *served_adapter_terms(work), *kv_terms(work))
    if work.engine == "vllm":
        return _vllm(work, held)
    if work.engine in ("sglang", "tensorrt-llm"):
        return (Phase("serving", (*held, *_tensorrt(work))),)
    if work.engine == "llama.cpp":
        return (Phase("serving", (*held, *_llama_cpp(work))),)
    if work.engine == "litgpt":
        return litgpt_phases(work, held)
    return transformers_phases(work, held)


def _vllm(work: Workload, held: tuple[Term, ...]) -> tuple[Phase, ...]:
    """The profile run measures a full prefill batch and a full sampler batch, and keeps the larger.

    Prefill: base + tokens · 2 · (3 · intermediate / tensor + 4 · hidden).
    Sampler: base + copies · max_num_seqs · vocabulary · 4, gathered on every GPU; on the last pipeline stage only,
    whose memory the first stage's prefill does not add to.
    """
    source, shape = constants().vllm.source, work.shape
    version = _vllm_version(work.version)
    tokens = _batched_tokens(work, version)
    width = feed_forward_width(work)
    prefill = Term(
        "activations", "Prefill of a full batch", tokens * 2 * (3 * width / work.tensor + 4 * shape.hidden),
        "batched_tokens · 2 · (3 · intermediate / tensor_parallel + 4 · hidden_size)",
        {"batched_tokens": tokens, "intermediate": width, "tensor_parallel": work.tensor, "hidden_size": shape.hidden},
        source,
    )  # fmt: skip
    sequences = max_num_sequences(work, version)
    sampler = Term(
        "logits", "Sampler warm-up", version.sampler_copies * sequences * shape.vocab * 4,
        "copies · max_num_seqs · vocab_size · 4",
        {"copies": version.sampler_copies, "max_num_seqs": sequences, "vocab_size": shape.vocab}, source,
    )  # fmt: skip
    fixed = (*held, *_expert_workspace(work, tokens), *_vllm_fixed(work, version))
    phases = [Phase("prefill", (*fixed, prefill))]
    if work.pipeline == 1:
        phases.append(Phase("sampling", (*fixed, sampler)))
    return tuple(phases)


def _vllm_fixed(work: Workload, version: VllmVersion) -> tuple[Term, ...]:
    vllm = constants().vllm
    source = vllm.source
    outside = version.non_torch_bytes
    if work.tensor > 1:
        outside = version.non_torch_board_bytes if work.boards else version.non_torch_parallel_bytes
    elif work.pipeline > 1:
        outside = vllm.pipeline_non_torch_bytes
    few = max_num_sequences(work, version) <= vllm.few_sequences
    graphs = min(version.graphs_bytes, vllm.few_graphs_bytes) if few else version.graphs_bytes
    terms = [
        Term("buffers", "Profile base", vllm.base_bytes, "base", {"base": vllm.base_bytes}, source),
        Term("cuda_graphs", "CUDA graphs", graphs, "pool", {"pool": graphs}, source),
        Term("framework", "Non-torch memory and NCCL", outside, "non_torch", {"non_torch": outside}, source),
    ]
    if not version.includes_context:
        inputs = {"slack": vllm.context_bytes}
        terms.append(Term("fragmentation", "Allocator slack and context", vllm.context_bytes, "slack", inputs, source))
    return tuple(terms)


def _expert_workspace(work: Workload, tokens: int) -> tuple[Term, ...]:
    """vLLM's fused experts keep a workspace: tokens · experts_per_token · (max(2·f, h) + f) · 2.

    Formats whose kernels work in place (MXFP4) need none.
    """
    experts, shape = work.shape.experts, work.shape
    if experts is None or work.format.name in ("mxfp4", "nvfp4"):
        return ()
    width = experts.expert_intermediate_size / work.tensor
    size = tokens * experts.experts_per_token * (max(2 * width, shape.hidden) + width) * 2
    inputs = {"batched_tokens": tokens, "experts_per_token": experts.experts_per_token, "width": round(width),
              "hidden_size": shape.hidden}  # fmt: skip
    formula = "batched_tokens · experts_per_token · (max(2·width, hidden_size) + width) · 2"
    return (Term("buffers", "Expert workspace", size, formula, inputs, constants().vllm.source),)


def max_num_sequences(work: Workload, version: VllmVersion) -> int:
    """vLLM's max_num_seqs: as stated, else its default, never below the sequences asked for."""
    vllm = constants().vllm
    default = version.sequences or (vllm.large_max_num_sequences if work.large_gpu else vllm.small_max_num_sequences)
    return work.max_sequences or max(default, min(work.sequences_here, vllm.large_max_num_sequences))


def _vllm_version(version: tuple[int, ...] | None) -> VllmVersion:
    """The newest known behaviour not above the asked version; without a version, the newest."""
    known = constants().vllm.versions
    if version is None:
        return known[-1]
    fitting = [row for row in known if tuple(int(number) for number in row.since.split(".")) <= version]
    return fitting[-1] if fitting else known[0]


def _batched_tokens(work: Workload, version: VllmVersion) -> int:
    """Tokens of the profile run; the first engine generation profiled one whole context."""
    limit = constants().vllm.batched_tokens
    if version.sequences is not None:
        return max(2048, min(work.context, 4 * limit)) if work.context_stated else limit
    return limit if work.large_gpu or work.max_sequences else limit // 4


def _tensorrt(work: Workload) -> tuple[Term, ...]:
    """aiconfigurator: 2 · batched_tokens · hidden · width, width by tensor parallelism; SGLang 15 % more."""
    trt, sglang = constants().tensorrt_llm, constants().sglang
    widths = trt.moe_activation_widths if work.shape.experts else trt.activation_widths
    width = widths[max(ways for ways in widths if ways <= work.tensor)]
    ratio = sglang.ratio_to_trt if work.engine == "sglang" else 1.0
    tokens = trt.batched_tokens
    size = max(2 * tokens * work.shape.hidden * width * ratio, trt.floor_bytes)
    inputs = {"batched_tokens": tokens, "hidden_size": work.shape.hidden, "width": width, "ratio": ratio}
    terms = [
        Term(
            "activations", "Activations", size, "2 · batched_tokens · hidden_size · width · ratio", inputs, trt.source
        ),
        Term("framework", "Context", trt.context_bytes, "context", {"context": trt.context_bytes}, trt.source),
    ]
    if work.engine == "sglang":
        graphs = sglang.graphs_bytes
        terms.append(Term("cuda_graphs", "CUDA graphs", graphs, "pool", {"pool": graphs}, sglang.source))
    if work.tensor > 1 or work.pipeline > 1:
        terms.append(Term("framework", "NCCL", trt.nccl_bytes, "nccl", {"nccl": trt.nccl_bytes}, trt.source))
    return tuple(terms)


def _llama_cpp(work: Workload) -> tuple[Term, ...]:
    """Compute buffer: ubatch · vocabulary · 4 + base; latent attention expands cached keys and values for a layer."""
    llama, shape = constants().llama_cpp, work.shape
    ubatch = work.ubatch or llama.ubatch_tokens
    terms = [
        Term("logits", "Logits of a physical batch", ubatch * shape.vocab * 4, "ubatch · vocab_size · 4",
             {"ubatch": ubatch, "vocab_size": shape.vocab}, llama.source),
        Term("buffers", "Graph buffers", llama.base_bytes, "base", {"base": llama.base_bytes}, llama.source),
        constant("framework", "CUDA context", llama.context_bytes, llama.source),
    ]  # fmt: skip
    if shape.latent:
        wide = shape.latent.qk_nope_dim + shape.latent.qk_rope_dim + shape.latent.v_head_dim
        inputs = {"tokens": work.context, "heads": shape.heads, "dim": wide}
        size = work.context * shape.heads * wide * 2
        terms.append(
            Term("activations", "Expanded keys and values", size, "tokens · heads · dim · 2", inputs, llama.source)
        )
    return tuple(terms)
