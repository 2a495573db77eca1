"""What autograd saves for the backward pass, tensor by tensor, a token and a layer at a time."""

from typing import NamedTuple

from kb.constants.memory_constants import constants
from tools.memory.term import Term
from tools.memory.workload import Workload

SOURCE = "activation-formula"
COMPILED = ("torchtune",)
"""Recipes that compile the model: the norms' fp32 copies are recomputed instead of saved."""
ADAPTER_COPIES = ("peft", "axolotl", "llama-factory", "transformers", "deepspeed", "fsdp")
"""Frameworks with fp32 adapters under autocast: every adapted matrix saves a 16-bit copy of its input of its own."""

MASTERS = ("deepspeed", "megatron")
"""Engines that keep a 16-bit model and fp32 masters with the optimizer; the others keep fp32 weights themselves."""


def autocasts_weights(work: Workload) -> bool:
    """Whether fp32 weights are cast to 16 bits layer by layer, and the residual stream stays at 32 bits between them.

    FSDP and ZeRO-3 gather 16-bit copies instead, and frozen bases are 16 bits to begin with.
    """
    mixed = work.precision in ("bf16", "fp16") and work.engine not in MASTERS
    return mixed and not work.adapted and work.sharding not in ("zero3", "fsdp")


class PerToken(NamedTuple):
    """Bytes a token of one layer."""

    saved: float
    """Kept from forward to backward without checkpointing."""
    entry: float
    """The layer's input, all that full checkpointing keeps."""
    selective: float
    """Kept with selective checkpointing."""
    working: float
    """Gradients alive while the layer's backward runs."""


def per_token(work: Workload) -> PerToken:
    """Saved tensors of one layer for one token, after arXiv:2205.05198 recounted for today's layers.

    With e bytes an element, h hidden, q = heads · d, k = kv_heads · d, f feed-forward width:

        norms      4·n fp32 inputs of RMSNorm over n elements a layer (2·h, + q + k with query-key norms),
                   + e·n normalised when their weights train
        attention  e·h input, e·(2·q + 2·k) queries, keys, values and output
        eager      + (softmax at 32 bits, its 16-bit copy) · heads · sequence, older blocks with dropout and its mask
        gated      e·h input, e·4·f gate, its activation, up, product

    Frozen matrices need no input: LoRA saves the inputs of adapted matrices only (a copy each under autocast), and
    neither normalised copies nor the product before the down-projection.
    """
    shape = work.shape
    e = 4 if work.precision == "fp32" else 2
    h, f = shape.hidden, _width(work)
    stream = 4 if autocasts_weights(work) else e
    q, k = _attention_widths(work)
    normed = shape.norms * h + (q + k if shape.qk_norm else 0)
    norms = (0 if work.engine in COMPILED else 4 * normed) if shape.gated else 2 * e * h
    attention = e * (2 * q + 2 * k)
    pairs = 0.0 if work.flash else float(shape.heads * work.sequence)
    scores = pairs * ((4 if e == 4 else 6) if shape.gated else (9 if e == 4 else 8))
    compiled = work.engine in COMPILED
    states = (1 if not shape.gated else 2 if compiled else 3) * e * f
    if work.adapted:
        inputs = _adapter_inputs(work, e, h, q, f)
    else:
        # Normalised copies for the norms' own gradients, inputs of query-key-value and of gate-up, and the product.
        inputs = e * (normed + 2 * h if shape.gated else 2 * h) + (2 if compiled else 1) * e * f
        if stream > e and shape.gated:
            # The norms' outputs stay at 32 bits, and each of five matrices casts its input for itself.
            inputs += (stream - e) * shape.norms * h + e * 3 * h
        norms += 0 if shape.gated else 2 * h + 2 * e * h  # dropout masks and outputs of the older block
    routing = 2 * e * h * shape.experts.experts_per_token if shape.experts else 0
    saved = norms + attention + scores + states + inputs + routing
    if work.engine == "megatron":
        selective = saved - scores
    else:
        # Per-operator checkpointing keeps attention's output and every second matrix product.
        selective = e * h + e * q + e * (q + 2 * k + 2 * h + 2 * f) / 2
    # Eager attention's backward holds the softmax's two gradients at 32 bits, and for a moment one of them at 16.
    working = (e * h if compiled else e * (2 * f + 2 * h)) + 7 * pairs
    return PerToken(saved, stream * h, min(selective, saved), working)


def activation_terms(work: Workload) -> tuple[tuple[Term, ...], tuple[Term, ...]]:
    """(saved at the end of forward, working set of one layer's backward, recomputed first under checkpointing)."""
    each = per_token(work)
    ways, layers, held_tokens = work.tensor, -(-work.shape.layers // work.pipeline), in_flight_tokens(work)
    tokens = stage_tokens(work)
    kept = {"none": each.saved, "selective": each.selective, "full": each.entry}[work.checkpointing]
    if work.activation_offload:
        kept = min(kept, each.entry / layers)
    inputs = {
        "layers": layers,
        "tokens": held_tokens,
        "bytes_per_token_and_layer": round(kept, 1),
        "tensor_parallel": ways,
    }
    formula = "layers · tokens · bytes_per_token_and_layer / tensor_parallel"
    kinds = {"none": "Saved activations", "selective": "Selectively saved activations", "full": "Checkpoints"}
    saved = Term("activations", kinds[work.checkpointing], layers * held_tokens * kept / ways, formula, inputs, SOURCE)
    tail = Term(
        "activations", "Final norm and head input", tokens * 3 * each.entry / ways, "tokens · bytes / tensor_parallel",
        {"tokens": tokens, "bytes": 3 * each.entry, "tensor_parallel": ways}, SOURCE,
    )  # fmt: skip
    held: tuple[Term, ...] = (saved, tail)
    if ways > 1:
        # Tensor parallelism splits what is kept, but a layer's input and its gradient are gathered whole to be used.
        whole = {"tokens": tokens, "bytes": 2 * each.entry}
        held += (Term("activations", "Sequence gathered", tokens * 2 * each.entry, "tokens · bytes", whole, SOURCE),)
    again = each.working + (0.0 if work.checkpointing == "none" else each.saved)
    live = {"tokens": tokens, "bytes_per_token": round(again, 1), "tensor_parallel": ways}
    label = "Gradients inside a layer" if work.checkpointing == "none" else "Layer recomputed in backward"
    formula = "tokens · bytes_per_token / tensor_parallel"
    working = Term("activations", label, tokens * again / ways, formula, live, SOURCE)
    return held, (working,)


PIPELINED = ("megatron", "deepspeed")
"""Trainers whose micro-batch enters the pipeline while earlier ones are on their way."""
MICROBATCHED = ("fsdp",)
"""Trainers whose batch a GPU is cut into as many microbatches as there are pipeline stages."""


def in_flight_tokens(work: Workload) -> int:
    """Tokens whose activations the first pipeline stage keeps: one microbatch for every stage behind it (1F1B).

    Where the batch is cut into one microbatch a stage, and where layers are merely placed on several cards (naive
    split), that is the batch itself.
    """
    return work.tokens * work.pipeline if work.engine in PIPELINED else work.tokens


def stage_tokens(work: Workload) -> int:
    """Tokens a stage works on at once."""
    return -(-work.tokens // work.pipeline) if work.engine in MICROBATCHED else work.tokens


def logit_terms(work: Workload) -> tuple[Term, ...]:
    """Logits and what the loss makes of them: tokens · vocabulary · bytes a logit.

    Autocast losses hold 16-bit logits, an fp32 copy, its log-softmax and the gradient (2 + 4 + 4 + 4); native
    16-bit training holds four 16-bit tensors; chunked and fused losses never hold the fp32 copies whole.
    """
    if work.shape.kind not in ("llm", "vlm"):
        return ()  # encoders are fine-tuned with a small head instead of the vocabulary
    kind = loss_kind(work)
    width = constants().training.logit_bytes[kind]
    tokens, vocab, ways = stage_tokens(work), work.shape.vocab, work.tensor
    inputs = {"tokens": tokens, "vocab_size": vocab, "bytes_per_logit": width, "tensor_parallel": ways}
    formula = "tokens · vocab_size · bytes_per_logit / tensor_parallel"
    label = f"Logits and loss ({kind})"
    return (Term("logits", label, tokens * vocab * width / ways, formula, inputs, constants().training.source),)


def loss_kind(work: Workload) -> str:
    """How the framework computes the loss."""
    if work.fused_loss:
        return "fused"
    if work.precision == "fp32":
        return "fp32"
    if work.engine in ("torchtune", "unsloth"):
        return "chunked"
    if work.engine == "fsdp" and work.adapted:
        return "shifted"  # adapters under FSDP wrap Transformers' own models
    return "native16" if work.engine in ("deepspeed", "litgpt", "megatron") else "autocast"


def _width(work: Workload) -> int:
    """Feed-forward width a token passes: dense, or its experts' together."""
    experts = work.shape.experts
    if experts is None:
        return work.shape.intermediate
    shared = experts.shared_intermediate_size or experts.shared_experts * experts.expert_intermediate_size
    return experts.experts_per_token * experts.expert_intermediate_size + shared


def _attention_widths(work: Workload) -> tuple[int, int]:
    shape = work.shape
    if shape.latent:
        wide = shape.heads * (shape.latent.qk_nope_dim + shape.latent.qk_rope_dim)
        return wide, wide
    return shape.heads * shape.head_dim, shape.kv_heads * shape.head_dim


def _adapter_inputs(work: Workload, e: int, h: int, q: int, f: int) -> float:
    """Inputs of the adapted matrices: one shared tensor, or a copy for each matrix under autocast."""
    copies = work.engine in ADAPTER_COPIES and work.precision in ("bf16", "fp16")
    rows = h if not copies else 2 * h if work.lora_targets == "qv" else 3 * h + q
    if work.lora_targets == "all_linear":
        gates = 2 if work.shape.gated else 1
        rows += (gates * h if copies else h) + (0 if work.engine in COMPILED else f)
    return e * rows + 7 * e * work.lora_rank
