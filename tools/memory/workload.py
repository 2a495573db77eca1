"""A workload: the request with every open number filled in, each filling said aloud."""

import re
from typing import NamedTuple

from kb.base import BadInput
from kb.catalog import gpu as catalog_gpu
from kb.constants.memory_constants import constants
from kb.constants.pictures import pictures
from kb.constants.visual_tokens import visual_tokens
from kb.machines.links import linked
from kb.records.gpu import Gpu
from tools.cache_format import cache_format
from tools.memory.formats import WeightFormat, as_filed, canonical, weight_format
from tools.memory.request import MemoryRequest
from tools.memory.shape import Shape, shape_of
from tools.memory.visual import seen

Family = str
"""Which model of memory applies: `serving`, `training`, `diffusion`, `encoder`, `vision`, `speech`."""
SERVING_ENGINES = ("vllm", "sglang", "llama.cpp", "transformers", "tensorrt-llm", "litgpt")
TRAINING_ENGINES = (
    "torchtune", "litgpt", "peft", "deepspeed", "fsdp", "megatron", "unsloth", "axolotl", "llama-factory",
    "transformers",
)  # fmt: skip
USUAL_SPEECH_BATCH = 8
"""Samples a GPU takes where a speech model's own recipe is not known."""
WHOLE = ("encoder", "vision", "speech", "diffusion")
"""Families whose models run whole on a card."""
DEALT_WHOLE = ("embedding", "reranker", "encoder")
"""Kinds of them that a library deals out by layers where one card does not hold them."""
_FAMILIES = {
    "diffusion": "diffusion", "video": "diffusion", "speech": "speech", "embedding": "encoder",
    "reranker": "encoder", "encoder": "encoder", "vision": "vision",
}  # fmt: skip

NODE = 8
"""Cards of one machine, where more share a layer."""


class Workload(NamedTuple):
    """Everything the formulas read; replace a field to ask "what if"."""

    shape: Shape
    family: Family
    task: str
    format: WeightFormat
    engine: str
    engine_stated: bool
    version: tuple[int, ...] | None
    kv_bytes: float
    kv_format: str
    context: int
    context_stated: bool
    sequences: int
    max_sequences: int | None
    large_gpu: bool
    boards: bool
    """Whether the cards that share every layer are known to talk over PCIe."""
    card_bytes: int
    """Memory of the card, of which an engine beside a trainer reserves a share; 0 = not known."""
    micro_batch: int
    accumulation: int
    """Micro-batches of one optimizer step."""
    sequence: int
    optimizer: str
    precision: str
    checkpointing: str
    fused_loss: bool
    optimizer_in_backward: bool
    activation_offload: bool
    ubatch: int | None
    flash: bool
    flash_stated: bool
    lora_rank: int
    served_adapters: int
    lora_targets: str
    sharding: str
    data: int
    tensor: int
    pipeline: int
    context_split: int
    expert: int
    offload: str
    width: int
    height: int
    frames: int
    images: int
    visual: int
    """Visual tokens of a sequence."""
    method: str
    generations: int
    frozen_params: int

    @property
    def gpus(self) -> int:
        """GPUs in all: expert parallelism reuses the data-parallel ranks."""
        return max(self.data * self.tensor * self.context_split, self.expert) * self.pipeline

    @property
    def sequences_here(self) -> int:
        """Sequences whose cache a GPU holds: its own, where experts are shared by more GPUs than layers are."""
        return self.sequences if self.training else -(-self.sequences // max(self.expert // self.tensor, 1))

    @property
    def training(self) -> bool:
        """Whether weights are updated."""
        return self.task != "inference"

    @property
    def tokens(self) -> int:
        """Tokens one GPU carries through a training step."""
        return -(-self.micro_batch * self.sequence // self.context_split)

    @property
    def adapted(self) -> bool:
        """Whether only adapters are trained."""
        return self.task in ("lora", "qlora")


def workload_of(request: MemoryRequest) -> tuple[Workload, list[str], Gpu | None]:
    """The request filled in, the assumptions made, and the card asked about."""
    said: list[str] = []
    shape = shape_of(request)
    said += shape.guesses
    gpu = catalog_gpu(request.gpu) if request.gpu else None
    family = _FAMILIES.get(shape.kind, "serving")
    training = request.task != "inference"
    if training and family == "encoder" and shape.hidden:
        family = "training"
    if family == "serving" and training:
        family = "training"
    engine = _engine(request, family, training)
    visual = seen(request, shape)
    said += (*visual.said, *_beside(request))
    form = _format(request, shape, training, said)
    precision = request.precision or _usual_precision(request, shape, engine)
    split = (
        _split(request, shape, engine, form, gpu, said)
        if family in WHOLE and not training
        else Split(request.tensor_parallel or 1, request.pipeline_parallel or 1)
    )
    kept = cache_format(request.kv_format, engine, form.name, canonical(shape.native_format))
    if kept != request.kv_format and not training:
        said.append(f"The cache is kept in {kept}: {engine} follows the checkpoint, and quantised ones say so.")
    work = Workload(
        shape=shape, family=family, task=request.task, format=form, engine=engine,
        engine_stated=request.engine is not None,
        version=version_numbers(request.engine_version), kv_bytes=constants().kv.bytes[kept],
        kv_format=kept, context=_context(request, shape, training, said, visual.tokens),
        context_stated=request.context_tokens is not None,
        sequences=_sequences(request, training, said), max_sequences=request.max_num_sequences,
        large_gpu=gpu is not None and is_large(gpu),
        boards=gpu is not None and over_pcie(gpu, min(request.tensor_parallel or 1, NODE)),
        card_bytes=gpu.memory_bytes if gpu else 0,
        micro_batch=_batch(request, shape, training, said),
        accumulation=request.accumulation or 1,
        sequence=_sequence(request, shape, training, said, visual.tokens),
        optimizer=_optimizer(request, engine, training, said),
        precision=precision, checkpointing=_checkpointing(request, shape, training, said),
        fused_loss=request.fused_loss,
        optimizer_in_backward=request.optimizer_in_backward,
        activation_offload=_offloads_checkpoints(request, engine, said),
        ubatch=request.ubatch_tokens, flash=_flash(request, shape), flash_stated=request.attention == "flash",
        lora_rank=_rank(request, said), served_adapters=request.served_adapters or 0,
        lora_targets=_targets(request, shape, said), sharding=_sharding(request, engine),
        data=_data(request, said), tensor=split.tensor, pipeline=split.pipeline,
        context_split=request.context_parallel or 1, expert=request.expert_parallel or 1,
        offload=_offload(request, engine, training), width=request.width_px or 0, height=request.height_px or 0,
        frames=request.frames or 0,
        images=request.images_per_batch or request.micro_batch_size or _usual_batch(shape, training),
        visual=visual.tokens, method=request.method or "sft",
        generations=request.generations or constants().reinforcement.generations,
        frozen_params=request.frozen_params or 0,
    )  # fmt: skip
    refuse_nonsense(request, work)
    return work, said, gpu


class Split(NamedTuple):
    """Cards that a model is spread over: those that share its layers, and those that take them in turn."""

    tensor: int
    pipeline: int


def _split(
    request: MemoryRequest, shape: Shape, engine: str, form: WeightFormat, gpu: Gpu | None, said: list[str]
) -> Split:
    """Models that generate no tokens run whole on each card: nobody shares their layers.

    Further cards run copies. An encoder that no single card holds is dealt out by its layers (`device_map`); an
    embedding model that is a decoder is served, and split, like any other.
    """
    ways = (request.tensor_parallel or 1) * (request.pipeline_parallel or 1)
    decoder = shape.kind in ("embedding", "reranker") and shape.attention in ("gqa", "mqa")
    if ways == 1 or decoder:
        return Split(request.tensor_parallel or 1, request.pipeline_parallel or 1)
    weights = shape.params * form.body_bits / 8
    if shape.kind in DEALT_WHOLE and gpu is not None and weights > gpu.usable_bytes:
        said.append(f"{shape.name} is dealt out by its layers over {ways} cards (device_map): {engine} shares none.")
        return Split(1, ways)
    said.append(f"tensor_parallel and pipeline_parallel are left out: {shape.name} runs whole on each card, in copies.")
    return Split(1, 1)


def is_large(gpu: Gpu) -> bool:
    """Whether vLLM takes its large defaults on this card (70 GiB or more, the A100 excepted)."""
    return gpu.memory_bytes >= constants().vllm.large_gpu_bytes and "a100" not in gpu.id


def over_pcie(gpu: Gpu, cards: int) -> bool:
    """Whether so many of the cards in one machine are known to talk over PCIe."""
    return gpu.vendor == "NVIDIA" and not linked(gpu, cards)


def _engine(request: MemoryRequest, family: Family, training: bool) -> str:
    if request.engine is not None:
        return request.engine
    if family == "diffusion":
        return "diffusers"
    if family in ("encoder", "speech", "vision"):
        return "transformers"
    if not training:
        return "vllm"
    if request.sharding in ("zero1", "zero2", "zero3"):
        return "deepspeed"
    spread = request.sharding is None and (request.data_parallel or 1) > 1
    return "fsdp" if spread or request.sharding == "fsdp" else "peft"


def _format(request: MemoryRequest, shape: Shape, training: bool, said: list[str]) -> WeightFormat:
    if request.weight_format is not None:
        name = canonical(request.weight_format)
    elif request.task == "qlora":
        name = "nf4_dq"
        said.append("weight_format not stated: NF4 with double quantisation assumed for QLoRA.")
    elif training:
        name = "fp32" if request.precision == "fp32" else "bf16"
    else:
        name = canonical(shape.native_format)
        if name != "bf16":
            said.append(f"weight_format not stated: {name}, as published.")
    native = canonical(shape.native_format) if shape.experts is not None else None
    form = as_filed(weight_format(name, tied=shape.tied, experts_only=native == name), native)
    if shape.latent and name in constants().formats.attention_wide:
        return form._replace(body_bits=form.plain_bits)
    return form


def _beside(request: MemoryRequest) -> list[str]:
    """What the method holds beside the policy, in words."""
    numbers = constants().reinforcement
    if request.method in (None, "sft") or request.task == "inference":
        return []
    if request.method == "dpo":
        return ["DPO: the chosen and the rejected answer of every sample, and a frozen reference."]
    said = [f"{(request.method or '').upper()}: an engine that generates shares the cards with the training."]
    if request.generations is None:
        said.append(f"generations not stated: {numbers.generations} answers at once on a GPU, as TRL's default.")
    return said


def _context(request: MemoryRequest, shape: Shape, training: bool, said: list[str], visual: int) -> int:
    if visual and not training:
        text = request.context_tokens or visual_tokens().text_tokens
        return max(text, visual + visual_tokens().text_tokens)
    if request.context_tokens is not None or training or shape.kind not in ("llm", "vlm"):
        return request.context_tokens or (512 if shape.kind in ("embedding", "reranker", "encoder") else 0)
    tokens = min(constants().defaults.context_tokens, shape.max_context or constants().defaults.context_tokens)
    said.append(f"context_tokens not stated: {tokens:,} tokens a sequence assumed.")
    return tokens


def _sequences(request: MemoryRequest, training: bool, said: list[str]) -> int:
    if request.concurrent_sequences is None and not training:
        said.append("concurrent_sequences not stated: 1 assumed.")
    return request.concurrent_sequences or constants().defaults.concurrent_sequences


def _batch(request: MemoryRequest, shape: Shape, training: bool, said: list[str]) -> int:
    usual = _usual_batch(shape, training)
    if request.micro_batch_size is None and training:
        said.append(f"micro_batch_size not stated: {usual} sample{'s' if usual > 1 else ''} a GPU assumed.")
    pairs = 2 if training and request.method == "dpo" else 1
    return (request.micro_batch_size or usual) * pairs


def _offload(request: MemoryRequest, engine: str, training: bool) -> str:
    """What leaves the card: as asked; ComfyUI moves a pipeline's parts in turn by itself."""
    return request.offload or ("components" if engine == "comfyui" and not training else "none")


def _usual_precision(request: MemoryRequest, shape: Shape, engine: str) -> str:
    """What a trainer computes in when nobody says: 16 bits beside fp32 masters, all 16 bits, or all 32."""
    if shape.kind == "vision" and request.weight_format is None:
        return pictures().recipe(shape.family).precision
    return "bf16_pure" if engine in ("torchtune", "litgpt") else "bf16"


def _usual_batch(shape: Shape, training: bool) -> int:
    """Samples a GPU takes when nobody says: networks that see are trained on batches, language models on one text."""
    if training and shape.kind == "vision":
        return pictures().recipe(shape.family).batch
    if training and shape.kind == "speech":
        return constants().speech.training_batch.get(shape.family, USUAL_SPEECH_BATCH)
    return constants().defaults.micro_batch_size


def _targets(request: MemoryRequest, shape: Shape, said: list[str]) -> str:
    """Matrices that get adapters; routed experts only when asked for, since trainers fuse them into one parameter."""
    if request.lora_targets is not None:
        return request.lora_targets
    if shape.experts is None or request.task not in ("lora", "qlora"):
        return "all_linear"
    said.append("lora_targets not stated: attention only, as trainers leave the routed experts of a mixture alone.")
    return "attention"


def _sequence(request: MemoryRequest, shape: Shape, training: bool, said: list[str], visual: int) -> int:
    if visual and training and request.sequence_tokens is None and request.context_tokens is None:
        return visual + visual_tokens().text_tokens
    if request.sequence_tokens is None and training and request.context_tokens is not None:
        return request.context_tokens
    if request.sequence_tokens is None and training and shape.kind != "vision":
        tokens = 512 if shape.kind == "encoder" else constants().defaults.sequence_tokens
        said.append(f"sequence_tokens not stated: {tokens:,} assumed.")
        return tokens
    return request.sequence_tokens or constants().defaults.sequence_tokens


def _checkpointing(request: MemoryRequest, shape: Shape, training: bool, said: list[str]) -> str:
    if request.gradient_checkpointing is None and training and shape.kind not in ("vision", "speech"):
        said.append("gradient_checkpointing not stated: full assumed, as fine-tuning recipes usually set it.")
        if (request.accumulation or 1) == 1:
            said.append("No gradient accumulation: gradients are freed after every step.")
        return "full"
    return request.gradient_checkpointing or "none"


def _optimizer(request: MemoryRequest, engine: str, training: bool, said: list[str]) -> str:
    """AdamW, or the 8-bit AdamW that Unsloth's own recipes take."""
    if request.optimizer is not None:
        return request.optimizer
    name = "adamw_8bit" if engine == "unsloth" else "adamw"
    if training:
        said.append(f"optimizer not stated: {name} assumed.")
    return name


def _offloads_checkpoints(request: MemoryRequest, engine: str, said: list[str]) -> bool:
    """Unsloth moves checkpoints to host memory when it recomputes activations."""
    if engine == "unsloth" and request.gradient_checkpointing in (None, "full") and not request.activation_offload:
        said.append("Unsloth keeps its checkpoints in host memory.")
        return True
    return request.activation_offload


def _flash(request: MemoryRequest, shape: Shape) -> bool:
    if request.attention is not None:
        return request.attention == "flash"
    return shape.kind not in ("encoder", "speech")


def _rank(request: MemoryRequest, said: list[str]) -> int:
    if (request.task in ("lora", "qlora") or request.served_adapters) and request.lora_rank is None:
        said.append(f"lora_rank not stated: {constants().defaults.lora_rank} assumed.")
    return request.lora_rank or constants().defaults.lora_rank


def _sharding(request: MemoryRequest, engine: str) -> str:
    if request.sharding is not None:
        return request.sharding
    if (request.data_parallel or 1) > 1:
        return {"fsdp": "fsdp", "deepspeed": "zero2", "megatron": "zero1"}.get(engine, "ddp")
    return "none"


def _data(request: MemoryRequest, said: list[str]) -> int:
    if request.data_parallel is None and request.sharding not in (None, "none"):
        ranks = constants().defaults.data_parallel
        said.append(f"data_parallel not stated: {ranks} GPUs assumed for {request.sharding}.")
        return ranks
    return request.data_parallel or 1


def version_numbers(text: str | None) -> tuple[int, ...] | None:
    """`0.10.1` → (0, 10, 1); nothing for a version without numbers."""
    numbers = re.findall(r"\d+", text or "")
    return tuple(int(number) for number in numbers[:3]) or None


def refuse_nonsense(request: MemoryRequest, work: Workload) -> None:
    """Refuse combinations that no engine can run, naming the field."""
    shape = work.shape
    if work.gpus > 1_000_000:
        raise BadInput("data_parallel", f"{work.gpus:,} GPUs are more than any cluster has.")
    if work.pipeline > shape.layers > 1:
        raise BadInput("pipeline_parallel", f"{work.pipeline} stages for {shape.layers} layers.")
    headed = shape.kind in ("llm", "vlm") and shape.attention != "none"
    if request.tensor_parallel and work.tensor > max(shape.heads, 1) and headed:
        raise BadInput("tensor_parallel", f"{work.tensor} GPUs cannot share {shape.heads} attention heads.")
    if shape.experts and work.expert > shape.experts.experts:
        raise BadInput("expert_parallel", f"{work.expert} GPUs cannot share {shape.experts.experts} experts a layer.")
