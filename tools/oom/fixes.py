"""The remedies, the mildest first, each with what it saves by the memory calculator."""

from collections.abc import Iterator, Sequence

from kb.base import AdvisorError
from kb.catalog import gpu, models
from kb.oom import Cause, oom_facts
from kb.programs.engines import of_huggingface
from tools.memory.diffusion import usual_pixels
from tools.memory.estimate import estimate_memory
from tools.memory.request import MemoryRequest
from tools.memory.result import MemoryEstimate
from tools.oom.request import OomRequest
from tools.oom.result import Fix, Quantities

FIXES_MAX = 9
FEW_SEQUENCES = 32
WHOLE_NODE = 8
NARROWER = 0.9
"""Bits of a weight over those it has, below which another format is worth taking: Q4_K_M instead of Q5_K_M."""
SHORTEST_CONTEXT = 2048
SHORTEST_SAMPLE = 512
LESS_LENGTH, WHOLE_TOKENS = 0.75, 256
"""How far a sample is shortened at each try, and what lengths are rounded down to."""
TRAINING = ("full_finetune", "pretrain", "lora", "qlora")
LESS_SIDE = 0.75
"""Side of a smaller picture over that of the one that failed."""
PATCH_PX = 16
"""Pixels that sides are multiples of."""
_FORMATS = {"fp8": 8.0, "int8": 8.19, "awq": 4.156}
_FILES = {
    "llama.cpp": {"gguf:Q4_K_M": 4.9},
    "comfyui": {"fp8": 8.0, "gguf:Q4_K_S": 4.6},
    "diffusers": {"int8": 8.19, "nf4": 4.156},
}
"""What each program is given instead, where that is not what servers read: ComfyUI only stores weights in FP8 and
unpacks them for every product, so that any card takes them."""
Option = tuple[str, str, str, dict[str, object]]
"""Change, new value, its cost, fields of the request."""


def written(change: str, software: str, value: object = "", **more: object) -> str:
    """How a change is written for a program; never as another program would take it."""
    ways = oom_facts().settings.get(change, {})
    family = ways.get("huggingface") if software in of_huggingface() else None
    pattern = ways.get(software) or family or ways.get("any") or change.replace("_", " ")
    return pattern.format(value=str(value).replace("gguf:", "GGUF "), times=more.get("times", ""))


def outside_fixes(causes: Sequence[Cause], read: Quantities, software: str) -> Iterator[Fix]:
    """Remedies that change no setting of the workload."""
    if "runaway" in causes:
        yield Fix(change="runaway", setting=written("runaway", software), costs="nothing: the input is at fault")
    if "other_process" in causes:
        yield Fix(change="other_process", setting=written("other_process", software), costs="the other work moves",
                  saves_bytes=read.others_bytes)  # fmt: skip
        if software in {"vllm", "sglang"}:
            yield Fix(change="gpu_memory_share", setting=_share(read, software), costs="less room for the cache")
    if "shared_memory" in causes:
        yield Fix(change="shared_memory", setting=written("shared_memory", software), costs="nothing")
    if "host_memory" in causes:
        yield Fix(change="host_memory", setting=written("host_memory", software), costs="a slower start")
    if "fragmentation" in causes:
        yield Fix(change="allocator", setting=written("allocator", software), costs="hardly any time",
                  saves_bytes=read.idle_bytes)  # fmt: skip
    if {"kv_too_small", "weights"} & set(causes) and software in {"vllm", "sglang"}:
        yield Fix(change="gpu_memory_utilization", setting=written("gpu_memory_utilization", software),
                  costs="less is left for other programs and for peaks")  # fmt: skip
    if "kv_too_small" in causes and read.cache_tokens:
        yield Fix(change="context_tokens", value=str(read.cache_tokens), costs="shorter prompts and answers",
                  setting=written("context_tokens", software, read.cache_tokens))  # fmt: skip
    if "attention" in causes:
        yield Fix(change="attention", setting=written("attention", software), costs="nothing, where the card has it")


def _share(read: Quantities, software: str) -> str:
    """The share of the card that is free, rounded down to a twentieth, as the reservation to ask for."""
    if read.free_bytes and read.total_bytes:
        share = int(20 * read.free_bytes / read.total_bytes) / 20
        if 0 < share < 1:
            name = "--gpu-memory-utilization" if software == "vllm" else "--mem-fraction-static"
            return f"{name} {share:g}"
    return written("gpu_memory_share", software)


def reckoned_fixes(request: OomRequest, before: MemoryEstimate, software: str) -> list[Fix]:
    """Changes of the settings that save memory, each alone and piled up in order."""
    base = MemoryRequest.model_validate(request.model_dump(exclude={"error_text", "gpu_count"}))
    piled = base
    fixes: list[Fix] = []
    for change, value, costs, fields in _options(request, before):
        if len(fixes) == FIXES_MAX:
            break
        if change == "sequence_tokens":
            value, fields = _length_that_fits(piled, int(value))
        alone = _estimated(base.model_copy(update=fields))
        if alone is None or alone.per_gpu.total_bytes >= before.per_gpu.total_bytes:
            continue
        together = _estimated(piled.model_copy(update=fields))
        if together is not None:
            piled = piled.model_copy(update=fields)
        times = request.micro_batch_size or 1
        fixes.append(
            Fix(
                change=change, value=value, setting=written(change, software, value, times=times), costs=costs,
                saves_bytes=before.per_gpu.total_bytes - alone.per_gpu.total_bytes,
                total_bytes=alone.per_gpu.total_bytes, verdict=alone.fit.verdict if alone.fit else None,
                together_bytes=together.per_gpu.total_bytes if together else None,
                together_verdict=together.fit.verdict if together and together.fit else None,
            )
        )  # fmt: skip
        piled_fits = together is not None and together.fit is not None and together.fit.verdict == "yes"
        if piled_fits and len(fixes) > 3 and any(fix.verdict == "yes" for fix in fixes):
            break
    return fixes


def _length_that_fits(piled: MemoryRequest, half: int) -> tuple[str, dict[str, object]]:
    """The longest sample, from half the stated one down, with which the card surely holds the training.

    Beside the changes before it; half the stated one where none fits, for then the length is not why.
    """
    length = half
    while length >= SHORTEST_SAMPLE:
        found = _estimated(piled.model_copy(update={"sequence_tokens": length}))
        if found is not None and (found.fit is None or found.fit.verdict == "yes"):
            return str(length), {"sequence_tokens": length}
        length = int(length * LESS_LENGTH) // WHOLE_TOKENS * WHOLE_TOKENS
    return str(half), {"sequence_tokens": half}


def _estimated(request: MemoryRequest) -> MemoryEstimate | None:
    try:
        return estimate_memory(MemoryRequest.model_validate(request.model_dump()))
    except (AdvisorError, ValueError):
        return None


def _options(request: OomRequest, before: MemoryEstimate) -> Iterator[Option]:
    if _kind(before) == "vision":
        yield from _seeing(request)
    elif before.task in TRAINING:
        yield from _training(request, before)
    elif before.engine in ("diffusers", "comfyui"):
        yield from _generating(request, before)
    else:
        yield from _serving(request, before)


def _kind(before: MemoryEstimate) -> str:
    record = models().get(before.model or "")
    return record.kind if record else "llm"


def _generating(request: OomRequest, before: MemoryEstimate) -> Iterator[Option]:
    """Pictures and clips: fewer at once, parts in turn, then shorter and smaller ones, narrower weights, streaming."""
    yield "images_per_batch", "1", "one picture after the other", {"images_per_batch": 1}
    if request.offload in {None, "none"}:
        yield "components", "components", "parts move in turn: seconds a picture", {"offload": "components"}
    record = models().get(before.model or "")
    if record is not None:
        width, height, frames = usual_pixels(record.kind, record.family)
        wide, high, long = request.width_px or width, request.height_px or height, request.frames or frames
        if long > 1:
            half = (long - 1) // 2 + 1
            yield "frames", str(half), "half the length, or parts joined afterwards", {"frames": half}
        less = tuple(int(side * LESS_SIDE) // PATCH_PX * PATCH_PX for side in (wide, high))
        yield ("picture_px", f"{less[0]} × {less[1]}", "less detail, or enlarged afterwards",
               {"width_px": less[0], "height_px": less[1]})  # fmt: skip
    yield from _formats(request, before)
    yield "streamed", "all", "every layer crosses PCIe at each step: many times slower", {"offload": "all"}


def _seeing(request: OomRequest) -> Iterator[Option]:
    """Networks that learn to see: their feature maps are what fills the card."""
    batch = request.images_per_batch or request.micro_batch_size
    if batch is None or batch > 1:
        yield "pictures_at_once", "1", "accumulate gradients for the same batch", {"images_per_batch": 1}
    if request.width_px and request.height_px:
        less = tuple(int(side * LESS_SIDE) // PATCH_PX * PATCH_PX for side in (request.width_px, request.height_px))
        yield ("picture_px", f"{less[0]} × {less[1]}", "small things are seen less well",
               {"width_px": less[0], "height_px": less[1]})  # fmt: skip
    if request.precision == "fp32":
        yield "precision", "bf16", "mixed precision: hardly any quality", {"precision": "bf16"}


def _serving(request: OomRequest, before: MemoryEstimate) -> Iterator[Option]:
    sequences = request.concurrent_sequences or 1
    if before.engine == "vllm" and (request.max_num_sequences or FEW_SEQUENCES + 1) > FEW_SEQUENCES >= sequences:
        yield ("max_num_sequences", str(FEW_SEQUENCES), "more requests wait in the queue",
               {"max_num_sequences": FEW_SEQUENCES})  # fmt: skip
    if request.kv_format in {"auto", "bf16", "fp16"}:
        name = "q8_0" if before.engine == "llama.cpp" else "int8" if before.engine == "transformers" else "fp8"
        yield "kv_format", name, "slightly less exact over long contexts", {"kv_format": name}
    if before.engine == "llama.cpp" and (request.ubatch_tokens or 512) > 128:
        yield "ubatch_tokens", "128", "prompts are read more slowly", {"ubatch_tokens": 128}
    if sequences > 1:
        yield ("concurrent_sequences", str(sequences // 2), "others wait in the queue",
               {"concurrent_sequences": sequences // 2})  # fmt: skip
    context = request.context_tokens or 0
    if context > SHORTEST_CONTEXT:
        held = before.fit.max_context_tokens if before.fit else None
        shorter = min(context // 2, held or context)
        if shorter >= 1024:
            yield "context_tokens", str(shorter), "shorter prompts and answers", {"context_tokens": shorter}
    idle = (request.gpu_count or before.gpus) > before.gpus
    if idle:
        yield from _more_cards(request, request.gpu_count)
    yield from _formats(request, before)
    if not idle:
        yield from _more_cards(request)


def _more_cards(request: OomRequest, there: int | None = None) -> Iterator[Option]:
    """Cards that are there and idle come before any change of the weights; those still to be bought, after it."""
    for wide in (2, 4, WHOLE_NODE):
        if wide > (request.tensor_parallel or 1) and (there is None or wide <= there):
            yield "tensor_parallel", str(wide), f"{wide} cards", {"tensor_parallel": wide}
            return


def _formats(request: OomRequest, before: MemoryEstimate) -> Iterator[Option]:
    weights = sum(part.bytes for part in before.per_gpu.parts if part.name == "weights")
    bits = weights * before.gpus * 8 / before.params
    names = _FILES.get(before.engine, _FORMATS)
    card = gpu(request.gpu) if request.gpu else None
    for name, width in names.items():
        computes = name != "fp8" or card is None or card.fp8_flops is not None or before.engine == "comfyui"
        if width < NARROWER * bits and computes:
            cost = "hardly any quality" if width > 5 else "a little quality, more on small models"
            yield "weight_format", name, cost, {"weight_format": name}


def _training(request: OomRequest, before: MemoryEstimate) -> Iterator[Option]:
    ways = request.data_parallel or 1
    if request.gradient_checkpointing != "full":
        yield ("gradient_checkpointing", "full", "about a third more computing time",
               {"gradient_checkpointing": "full"})  # fmt: skip
    batch = request.micro_batch_size or 1
    if batch > 1:
        yield ("micro_batch_size", "1", "accumulate gradients for the same batch; less throughput",
               {"micro_batch_size": 1})  # fmt: skip
    if not request.fused_loss:
        yield "fused_loss", "true", "a fused kernel must support the model", {"fused_loss": True}
    there = max(ways, request.gpu_count or 1)
    if there > 1 and request.sharding not in {"zero3", "fsdp"}:
        yield "sharding", str(there), "more traffic between the cards", {"sharding": "zero3", "data_parallel": there}
    if before.task in {"full_finetune", "pretrain"} and request.optimizer in {None, "adamw"}:
        yield "optimizer", "adamw_8bit", "coarser optimizer states", {"optimizer": "adamw_8bit"}
    length = request.sequence_tokens or 0
    if length > SHORTEST_SAMPLE:
        yield "sequence_tokens", str(length // 2), "shorter samples", {"sequence_tokens": length // 2}
    if before.task in {"full_finetune", "pretrain"} and request.offload in {None, "none"}:
        yield "offload", "optimizer", "slow steps over PCIe, host memory", {"offload": "optimizer"}
    if before.task == "full_finetune":
        yield "task", "lora", "adapters instead of all weights", {"task": "lora"}
    if before.task in {"full_finetune", "lora"}:
        yield "task", "qlora", "a 4-bit base: slower steps, slightly worse", {"task": "qlora", "weight_format": None}
