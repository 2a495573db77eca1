"""How tensor, pipeline, expert and data parallelism divide a model; never evenly where engines do not."""

from typing import NamedTuple

from tools.memory.workload import Workload

SPLIT_TABLES = ("vllm", "sglang", "tensorrt-llm", "megatron", "fsdp", "deepspeed")
"""Engines whose tensor parallelism splits the embedding and the head by vocabulary; LitGPT replicates them."""
SPLIT_TOWERS = ("vllm", "sglang")
"""Engines that split the weights of a vision tower over tensor-parallel cards too (vLLM: `mm_encoder_tp_mode`, by
default `weights`)."""
EVEN_STAGES = ("llama.cpp", "transformers", "peft")
"""Engines that place layers by size (`device_map`, `--tensor-split`), tables counted like layers."""
STATES = {"zero1": ("optimizer",), "zero2": ("optimizer", "gradients"), "zero3": ("optimizer", "gradients", "weights"),
          "fsdp": ("optimizer", "gradients", "weights")}  # fmt: skip
"""What each kind of sharding divides by the data-parallel ranks (arXiv:1910.02054)."""


class Counts(NamedTuple):
    """Parameters on the fullest GPU, by kind."""

    body: float
    experts: float
    embed: float
    head: float
    plain: float

    @property
    def total(self) -> float:
        """All of them."""
        return self.body + self.experts + self.embed + self.head + self.plain


def counts_on_one(work: Workload) -> Counts:
    """Parameters on the fullest GPU before data-parallel sharding.

    Matrices divide by tensor · pipeline; the fullest pipeline stage holds ⌈layers / pipeline⌉ layers and the larger
    table; routed experts divide by expert · tensor in training (Megatron) and by the larger of both in serving.
    """
    shape, tensor, stages = work.shape, work.tensor, work.pipeline
    layer_share = -(-shape.layers // stages) / shape.layers
    table_split = tensor if work.engine in SPLIT_TABLES else 1
    embed, head = shape.embed_params / table_split, shape.head_params / table_split
    expert_split = expert_ways(work)
    if work.engine in EVEN_STAGES:
        ways = tensor * stages
        return Counts(
            shape.body_params / ways, shape.expert_params / max(ways, expert_split), shape.embed_params / ways,
            shape.head_params / ways, shape.plain_params / ways,
        )  # fmt: skip
    if stages > 1 and work.engine != "litgpt":
        # A tied table sits on the first stage and again on the last; untied ones on one stage each.
        embed, head = max(embed, head), 0.0
    return Counts(
        shape.body_params * layer_share / tensor + replicated_kv_params(work) * layer_share,
        shape.expert_params * layer_share / expert_split,
        embed,
        head,
        _plain(work) * (layer_share if stages > 1 else 1),
    )


def _plain(work: Workload) -> float:
    """Norms, routers and towers on one of the tensor-parallel cards."""
    shape = work.shape
    split = work.tensor if work.engine in SPLIT_TOWERS else 1
    return shape.plain_params - shape.tower_params * (1 - 1 / split)


def expert_ways(work: Workload) -> int:
    """Over how many GPUs (of one stage) the routed experts are spread."""
    return work.expert * work.tensor if work.training else max(work.expert, work.tensor)


def replicated_kv_params(work: Workload) -> float:
    """Key and value matrices that tensor parallelism holds again, beyond an even share, over all layers.

    Fewer key-value heads than GPUs: each GPU keeps one whole head, 2 · h · d · (1 − k / t) more. Latent attention:
    the down-projections have no heads to divide and stay whole, h · (q_rank + kv_rank + rope) · (1 − 1 / t) more.
    """
    shape = work.shape
    if shape.latent is not None:
        latent = shape.latent
        ranks = (latent.q_lora_rank or 0) + latent.kv_lora_rank + latent.qk_rope_dim
        return shape.hidden * ranks * (1 - 1 / work.tensor) * shape.attention_layers
    if work.tensor <= shape.kv_heads:
        return 0.0
    extra = 1 - shape.kv_heads / work.tensor
    return 2 * shape.hidden * shape.head_dim * extra * shape.layers


def ranks_for(work: Workload, state: str) -> int:
    """Data-parallel ranks that share one kind of state: weights, gradients or optimizer."""
    if state not in STATES.get(work.sharding, ()):
        return 1
    return work.data * work.context_split


def own_counts(work: Workload, counts: Counts, state: str) -> Counts:
    """Parameters whose share of a state one GPU keeps.

    Expert parallelism spends data-parallel ranks: an expert has data · context / expert copies to shard over, not
    data · context, so that nothing is divided twice.
    """
    ranks = ranks_for(work, state)
    body, experts, embed, head, plain = counts
    return Counts(body / ranks, experts / max(ranks // work.expert, 1), embed / ranks, head / ranks, plain / ranks)
