"""LoRA adapters: their parameters and states."""

from kb.constants.memory_constants import constants
from tools.memory.sharding import ranks_for
from tools.memory.term import Term
from tools.memory.workload import Workload

SOURCE = "lora-paper"
FP32_ADAPTERS = ("peft", "axolotl", "llama-factory", "transformers", "fsdp", "unsloth", "megatron")
"""Frameworks that keep adapters (and so their gradients and states) in fp32 beside a 16-bit base."""


def adapter_params(work: Workload) -> int:
    """Σ rank · (inputs + outputs) over the adapted matrices of every layer (arXiv:2106.09685).

    Experts are adapted one by one where all linear layers are.
    """
    shape = work.shape
    ends = shape.attention_layers * _attention_ends(work)
    if work.lora_targets == "all_linear":
        ends += _feed_forward_ends(work)
        if shape.linear and shape.linear.params_per_layer:
            # One matrix in and one out: h · inner + inner · h weights have 2 · h + 2 · inner ends.
            inner = shape.linear.params_per_layer // shape.hidden
            ends += shape.linear.linear_layers * (2 * shape.hidden + inner)
    return work.lora_rank * ends


def _attention_ends(work: Workload) -> int:
    """Inputs and outputs of one layer's adapted attention matrices."""
    shape = work.shape
    h, q, k = shape.hidden, shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    if shape.latent is None:
        return 2 * h + q + k if work.lora_targets == "qv" else 4 * h + 2 * q + 2 * k
    latent, heads = shape.latent, shape.heads
    wide = heads * (latent.qk_nope_dim + latent.qk_rope_dim)
    expanded = latent.kv_lora_rank + heads * (latent.qk_nope_dim + latent.v_head_dim)
    if work.lora_targets == "qv":
        return (latent.q_lora_rank or h) + wide + expanded
    queries = h + 2 * latent.q_lora_rank + wide if latent.q_lora_rank else h + wide
    compressed = h + latent.kv_lora_rank + latent.qk_rope_dim
    return queries + compressed + expanded + heads * latent.v_head_dim + h


def _feed_forward_ends(work: Workload) -> int:
    """Inputs and outputs of the feed-forward matrices of all layers: dense, shared and every routed expert."""
    shape, experts = work.shape, work.shape.experts
    matrices = 3 if shape.gated else 2
    if experts is None:
        return shape.layers * matrices * (shape.hidden + shape.intermediate)
    dense = min(experts.dense_layers, shape.layers)
    shared = experts.shared_intermediate_size or experts.shared_experts * experts.expert_intermediate_size
    sparse = experts.experts * (shape.hidden + experts.expert_intermediate_size)
    sparse += shape.hidden + shared if shared else 0
    return matrices * (dense * (shape.hidden + shape.intermediate) + (shape.layers - dense) * sparse)


def adapter_bytes_per_param(work: Workload) -> tuple[float, float, float]:
    """(weight, gradient, optimizer) bytes of one adapter parameter."""
    states = constants().training.optimizer_bytes[work.optimizer]
    if work.precision == "bf16_pure":
        return 2, 2, states / 2
    if work.engine == "deepspeed":
        return 2, 2, 8 + states  # fp32 master and fp32 gradient partition beside the states
    if work.engine in FP32_ADAPTERS or work.precision == "fp32":
        return (4 if work.precision == "fp32" else 6), 4, states  # with autocast's 16-bit copy
    return 2, 2, 4 + states


def adapter_terms(work: Workload) -> tuple[Term, ...]:
    """Adapters held all the time: weights and optimizer states (gradients belong to the backward pass)."""
    params = adapter_params(work)
    weight, _, optimizer = adapter_bytes_per_param(work)
    split = work.tensor * work.pipeline
    rows = (
        ("Adapters", weight, ranks_for(work, "weights")),
        ("Adapters' optimizer states", optimizer, ranks_for(work, "optimizer")),
    )
    return tuple(
        Term("adapters", label, params * width / split / ranks, "adapter_params · bytes / split / ranks",
             {"adapter_params": params, "bytes": width, "split": split, "ranks": ranks}, SOURCE)
        for label, width, ranks in rows
        if work.offload not in ("all",)
    )  # fmt: skip


def served_adapter_terms(work: Workload) -> tuple[Term, ...]:
    """Adapters held beside a model that is served, in 16 bits, each in a slot of the stated rank.

    Of an adapter's two matrices tensor parallelism splits one, so that with t cards each holds (1 + 1/t) / 2 of them.
    """
    if not work.served_adapters:
        return ()
    params = adapter_params(work)
    inputs = {"adapters": work.served_adapters, "adapter_params": params, "tensor_parallel": work.tensor,
              "pipeline_parallel": work.pipeline}  # fmt: skip
    size = work.served_adapters * params * 2 * (1 + 1 / work.tensor) / 2 / work.pipeline
    formula = "adapters · adapter_params · 2 · (1 + 1 / tensor_parallel) / 2 / pipeline_parallel"
    return (Term("adapters", "Served adapters", size, formula, inputs, "vllm-lora"),)


def adapter_gradient_term(work: Workload, extra_bytes: float = 0.0) -> Term:
    """Adapters' gradients, with `extra_bytes` of temporaries a parameter while the optimizer steps."""
    params = adapter_params(work)
    width = adapter_bytes_per_param(work)[1] + extra_bytes
    split, ranks = work.tensor * work.pipeline, ranks_for(work, "gradients")
    inputs = {"adapter_params": params, "bytes": width, "split": split, "ranks": ranks}
    formula = "adapter_params · bytes / split / ranks"
    return Term("gradients", "Adapters' gradients", params * width / split / ranks, formula, inputs, SOURCE)
