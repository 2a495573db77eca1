"""LoRA adapters: their parameters and states."""

from kb.memory_constants import constants
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
    shape, rank = work.shape, work.lora_rank
    h, q, k = shape.hidden, shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim
    ends = {"qv": 2 * h + q + k, "attention": 4 * h + 2 * q + 2 * k, "all_linear": 4 * h + 2 * q + 2 * k}
    total = ends[work.lora_targets]
    if work.lora_targets == "all_linear":
        matrices = 3 if shape.gated else 2
        width = shape.experts.expert_intermediate_size if shape.experts else shape.intermediate
        copies = shape.experts.experts if shape.experts else 1
        total += matrices * (h + width) * copies
    return shape.layers * rank * total


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


def adapter_gradient_term(work: Workload, extra_bytes: float = 0.0) -> Term:
    """Adapters' gradients, with `extra_bytes` of temporaries a parameter while the optimizer steps."""
    params = adapter_params(work)
    width = adapter_bytes_per_param(work)[1] + extra_bytes
    split, ranks = work.tensor * work.pipeline, ranks_for(work, "gradients")
    inputs = {"adapter_params": params, "bytes": width, "split": split, "ranks": ranks}
    formula = "adapter_params · bytes / split / ranks"
    return Term("gradients", "Adapters' gradients", params * width / split / ranks, formula, inputs, SOURCE)
