"""Weights a GPU holds, from the architecture and the format, or from the published checkpoint."""

from functools import lru_cache

from kb.constants.memory_constants import constants
from tools.memory.sharding import Counts, counts_on_one
from tools.memory.term import Term
from tools.memory.workload import Workload

MXFP4_PAD = 256
"""Kernels of MXFP4 experts pad one side of every matrix to a multiple of 256 (gpt-oss: 2,880 → 3,072)."""


def serving_weights(work: Workload) -> tuple[Term, ...]:
    """Weights on the fullest GPU: matrices at the format's bits, tables, norms and routers at theirs.

    matrices · bits / 8 + embedding · bits / 8 + head · bits / 8 + rest · 2

    Remembered, since many loads of a model are compared: weights are the same whatever is served.
    """
    return _held(
        work._replace(
            context=0,
            context_stated=False,
            sequences=0,
            max_sequences=None,
            kv_bytes=0,
            kv_format="",
            large_gpu=False,
            boards=False,
            card_bytes=0,
        )
    )


REMEMBERED = 1024
"""Models, formats and layouts whose terms are kept; a kilobyte each."""


@lru_cache(maxsize=REMEMBERED)
def _held(work: Workload) -> tuple[Term, ...]:
    counts = counts_on_one(work)
    published = published_bytes(work)
    if published:
        share = counts.total / work.shape.params
        inputs = {"checkpoint_bytes": published, "share": share}
        return (Term("weights", "Published checkpoint", published * share, "checkpoint_bytes · share", inputs,
                     constants().formats.source),)  # fmt: skip
    return (*matrix_terms(work, counts), *_absorbed(work))


ABSORBING = ("vllm", "sglang")
"""Engines that keep the up-projections of latent keys and values a second time, at 16 bits, for decoding."""


def _absorbed(work: Workload) -> tuple[Term, ...]:
    """Up-projections absorbed into queries and outputs: layers · heads · (qk_nope + v) · kv_rank · 2 / tensor."""
    shape = work.shape
    if shape.latent is None or work.engine not in ABSORBING:
        return ()
    latent = shape.latent
    layers = -(-shape.attention_layers // work.pipeline)
    wide = latent.qk_nope_dim + latent.v_head_dim
    size = layers * shape.heads * wide * latent.kv_lora_rank * 2 / work.tensor
    inputs = {"layers": layers, "heads": shape.heads, "dim": wide, "kv_lora_rank": latent.kv_lora_rank,
              "tensor_parallel": work.tensor}  # fmt: skip
    formula = "layers · heads · dim · kv_lora_rank · 2 / tensor_parallel"
    source = constants().kv.source
    return (Term("weights", "Up-projections absorbed for decoding", size, formula, inputs, source),)


def matrix_terms(work: Workload, counts: Counts) -> tuple[Term, ...]:
    """Matrices, experts, tables and what stays wide, each at its own bits."""
    form, source = work.format, constants().formats.source
    if not counts.head and form.name == "fp8" and work.engine == "transformers":
        # Transformers' FP8 loader does not tie: the table is held again as the head.
        counts = counts._replace(head=counts.embed)
    if quantises_tower(work) and work.shape.plain_params:
        tower = counts.plain * work.shape.tower_params / work.shape.plain_params
        counts = counts._replace(body=counts.body + tower, plain=counts.plain - tower)
    head_bits = form.body_bits if quantises_head(work) else form.head_bits
    expert_bits = form.expert_bits * _padding(work)
    rows = (
        ("Layer matrices", counts.body, form.body_bits),
        ("Routed experts", counts.experts, expert_bits),
        ("Embedding table", counts.embed, form.embed_bits),
        ("Output head", counts.head, head_bits),
        ("Norms, routers, towers", counts.plain, form.plain_bits),
    )
    return tuple(
        Term("weights", label, params * bits / 8, "params · bits / 8", {"params": round(params), "bits": bits}, source)
        for label, params, bits in rows
        if params
    )


def weight_bytes(work: Workload, counts: Counts) -> float:
    """Sum of `matrix_terms`."""
    return sum(term.bytes for term in matrix_terms(work, counts))


def quantises_head(work: Workload) -> bool:
    """LitGPT's bitsandbytes plug-in converts every linear layer, the output head included."""
    return work.engine == "litgpt" and work.format.name in ("nf4", "nf4_dq", "fp4", "int8")


BITSANDBYTES = ("nf4", "nf4_dq", "fp4")
ON_LOAD = ("transformers", "peft")
"""Engines that quantise with bitsandbytes as they load."""
MOSTLY_TOWER = 0.4
"""Share of tower from which leaving it wide would save too little: such models (an expert for images in every layer,
as CogVLM) are published for, and run with, bitsandbytes alone."""


def quantises_tower(work: Workload) -> bool:
    """Whether a vision tower's matrices are quantised like the rest.

    bitsandbytes converts every linear layer but the output head; AWQ and GPTQ checkpoints leave towers at 16 bits.
    """
    name, shape = work.format.name, work.shape
    if name not in (*BITSANDBYTES, "int4", "int8"):
        return False
    return name in BITSANDBYTES or work.engine in ON_LOAD or shape.tower_params > MOSTLY_TOWER * shape.params


def _padding(work: Workload) -> float:
    if work.format.name != "mxfp4" or work.engine not in ("vllm", "sglang", "transformers"):
        return 1.0
    hidden = work.shape.hidden
    return -(-hidden // MXFP4_PAD) * MXFP4_PAD / hidden if hidden else 1.0


def published_bytes(work: Workload) -> int | None:
    """Size of the checkpoint as published in this very format, if a source states it and the engine loads it as is."""
    checkpoints, model = constants().checkpoints, work.shape.id or ""
    own = checkpoints.bytes.get(model, {}).get(work.format.name)
    if own or _padding(work) != 1 or model in checkpoints.with_draft_module:
        return own
    return dict(work.shape.checkpoint_bytes).get(work.format.name)
