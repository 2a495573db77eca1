"""A request with every open number filled in by the calculators, each filling said aloud."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from kb.base import BadInput, NothingFits
from kb.engines import program as known_program
from kb.launch import Engine, launch_facts
from kb.models import model as catalog_model
from kb.models import models
from kb.records.gpu import Gpu
from kb.records.model import Model
from kb.units import format_bytes
from tools.base import Step
from tools.launch.planned import calculated_as, planned, said_of, smallest, steps_of
from tools.launch.request import LaunchRequest
from tools.memory.estimate import estimate_memory
from tools.memory.request import MemoryRequest
from tools.memory.result import MemoryEstimate
from tools.memory.shape import shape_of
from tools.named import read_card
from tools.shards import block_of, cut_layers, experts_whole

TRAINERS = ("accelerate", "torchrun", "deepspeed", "fsdp", "llama-factory", "axolotl")
SERVERS = ("vllm", "sglang", "llama.cpp", "ollama")
READY_MADE = ("awq", "gptq", "int4", "int3", "int2", "nvfp4", "mxfp4", "gguf", "nf4", "fp8", "int8")
"""Formats that only a checkpoint published in them has, unless the server makes them itself."""
TEXT_KINDS = ("llm", "vlm")
SHORTER = 4
"""Requests at once for each one that fits at full length: most are a quarter of the context or less."""


class Setting(NamedTuple):
    """What every writer reads."""

    request: LaunchRequest
    model: Model
    card: Gpu
    program: str
    engine: Engine | None
    """Null for training."""
    checkpoint: str | None
    """Null: MODEL must be set by whoever runs it."""
    quantization: str | None
    """What the server makes of the weights while loading."""
    form: str
    tensor: int
    pipeline: int
    data: int
    estimate: MemoryEstimate
    context: int = 0
    sequences: int = 0
    """Held at full length by one copy."""
    slots: int = 0
    """Admitted at once by one copy: most requests are shorter, and with paged memory others wait."""
    memory_ratio: float = 0.0
    sequence: int = 0
    micro_batch: int = 0
    accumulation: int = 0
    sharding: str = "none"
    checkpointing: str = "none"
    pure: bool = False
    """Whether weights that are trained are kept in 16 bits, without fp32 masters."""
    updates: int = 0
    """Optimizer steps of the whole run; 0 = the size of the data is not known."""
    steps: tuple[Step, ...] = ()
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()

    @property
    def training(self) -> bool:
        """Whether weights are updated."""
        return self.request.task != "inference"

    @property
    def per_node(self) -> int:
        """Cards in each machine."""
        return self.request.gpu_count // self.request.nodes

    @property
    def cuts_experts(self) -> bool:
        """Whether experts must stay whole on a card: its share of one would cut a quantisation block."""
        shape = shape_of(MemoryRequest(model=self.request.model))
        return self.tensor > 1 and experts_whole(shape, self.tensor, self.form)

    @property
    def name(self) -> str:
        """A name that DNS, Kubernetes and Slurm all accept."""
        kept = "".join(one if one.isalnum() and one.isascii() else "-" for one in self.model.name.lower())
        return "-".join(part for part in kept.split("-") if part)[:50].strip("-") or "model"

    @property
    def half(self) -> str:
        """The 16-bit format the card computes in."""
        return self.card.half


def setting_of(request: LaunchRequest) -> Setting:
    """Resolve names, lay the work out and size it.

    Raises:
        UnknownName: no such model or card.
        BadInput: fields that go not together, or a program that does not do the task.
        NothingFits: the cards do not hold it; carries what would.
    """
    model, said = _model(request)
    card, read = read_card(request.gpu)
    program = _program(request)
    if card.vendor not in {"NVIDIA", "AMD"}:
        raise BadInput("gpu", f"launch files are written for NVIDIA and AMD cards, not for {card.vendor}'s.")
    if request.gpu_count % request.nodes:
        raise BadInput("nodes", f"{request.gpu_count} cards do not divide over {request.nodes} machines.",
                       "Give a gpu_count that is a multiple of nodes.")  # fmt: skip
    base = _Base(request, model, card, program, (*_engine_said(request, program), *read, *said))
    return _training(base) if request.task != "inference" else _serving(base)


def _engine_said(request: LaunchRequest, program: str) -> Iterator[str]:
    """What is said of a program that another stands for."""
    if request.engine_said is None:
        return
    found = known_program(request.engine_said)
    if found is not None and request.engine is not None:
        yield found.said(program)
    else:
        yield f"No files are written for {request.engine_said}: these are for {program}."


class _Base(NamedTuple):
    request: LaunchRequest
    model: Model
    card: Gpu
    program: str
    said: tuple[str, ...]


def _model(request: LaunchRequest) -> tuple[Model, tuple[str, ...]]:
    found = catalog_model(request.model)
    if found.kind not in TEXT_KINDS:
        raise BadInput("model", f"launch files are written for language models; {found.name} is of kind {found.kind}.")
    chat = models().get(found.chat_id or "")
    if found.chat_id:
        said = (f"Takes the chat version, {found.chat_id}.",)
        name = found.chat_id.split("/")[-1]
        return chat or found.model_copy(update={"id": found.chat_id, "name": name}), said
    return found, ()


def _program(request: LaunchRequest) -> str:
    training = request.task != "inference"
    gguf = (request.weight_format or "").startswith("gguf")
    program = request.engine or ("accelerate" if training else "llama.cpp" if gguf else "vllm")
    able = TRAINERS if training else SERVERS
    if program not in able:
        raise BadInput("engine", f"{program} does not do {request.task}.", f"Choose one of: {', '.join(able)}.")
    if program in {"llama.cpp", "ollama"} and request.nodes > 1:
        raise BadInput("nodes", f"{program} serves from one machine.", "Use vllm or sglang over several.")
    if program in {"llama.cpp", "ollama"} and not gguf and request.weight_format not in {None, "int4", "bf16", "fp16"}:
        raise BadInput("weight_format", f"{program} reads GGUF files.", "Give gguf:Q4_K_M or the like.")
    if program in {"vllm", "sglang"} and gguf:
        raise BadInput(
            "weight_format", f"{program} is not the program for GGUF.", "Use llama.cpp, or AWQ or GPTQ here."
        )
    return program


def _format(base: _Base) -> str | None:
    form = base.request.weight_format
    if base.program in {"llama.cpp", "ollama"}:
        named = {None: "gguf:Q4_K_M", "int4": "gguf:Q4_K_M", "bf16": "gguf:BF16", "fp16": "gguf:F16"}
        return named.get(form, form)
    return form


def _layout(base: _Base) -> tuple[int, int, int]:
    """Tensor, pipeline and data parallelism: as asked, else all of a machine that divide the heads."""
    request, count = base.request, base.request.gpu_count
    if base.program in {"llama.cpp", "ollama"}:
        return 1, count, 1
    per_node, heads = count // request.nodes, base.model.heads or 1
    tensor = request.tensor_parallel or next(
        wide for wide in range(per_node, 0, -1) if per_node % wide == 0 and heads % wide == 0 and not _cut(base, wide)
    )
    if cut := _cut(base, tensor):
        raise BadInput("tensor_parallel", f"{cut}, the block its FP8 weights are scaled by.",
                       "Choose fewer cards a copy, or another weight_format.")  # fmt: skip
    if count % tensor or heads % tensor:
        raise BadInput("tensor_parallel", f"{tensor} divides not both {count} cards and {heads} heads.",
                       "Choose a power of two no larger than a machine has cards.")  # fmt: skip
    pipeline = request.pipeline_parallel or (request.nodes if tensor == per_node else count // tensor)
    if count % (tensor * pipeline):
        raise BadInput("pipeline_parallel", f"{tensor} × {pipeline} does not divide {count} cards.")
    return tensor, pipeline, count // (tensor * pipeline)


def _cut(base: _Base, tensor: int) -> str | None:
    """Why so many cards cannot share the makers' checkpoint: they would cut its blocks."""
    block = block_of(base.model.id, _format(base) or base.model.native_format)
    return cut_layers(shape_of(MemoryRequest(model=base.request.model)), tensor, block) if block else None


def _estimated(request: MemoryRequest) -> MemoryEstimate:
    """The estimate, which must fit.

    Raises:
        NothingFits: with the changes that would make it fit.
    """
    found = estimate_memory(request)
    if found.fit is None or found.fit.verdict == "no":
        usable = format_bytes(found.fit.usable_bytes) if found.fit else "?"
        raise NothingFits(
            f"It does not fit: {format_bytes(found.per_gpu.total_bytes)} on each card, {usable} usable.",
            [f"{one.change} ({format_bytes(one.total_bytes)})" for one in found.changes],
        )
    return found


def _serving(base: _Base) -> Setting:
    request, facts = base.request, launch_facts()
    engine, form = facts.engines[base.program], _format(base)
    tensor, pipeline, data = _layout(base)
    most = base.model.max_context_tokens or facts.serving.context_tokens
    context = request.context_tokens or min(most, facts.serving.context_tokens)
    sized = MemoryRequest.model_validate(
        {
            "model": request.model, "weight_format": form, "gpu": base.card.id, "context_tokens": context,
            "engine": "llama.cpp" if base.program == "ollama" else base.program,
            "kv_format": request.kv_format, "tensor_parallel": tensor, "pipeline_parallel": pipeline,
            "concurrent_sequences": math.ceil((request.concurrent_sequences or 1) / data),
        }
    )  # fmt: skip
    estimate = _estimated(sized)
    sequences = math.ceil((request.concurrent_sequences or 0) / data)
    if not sequences:
        sequences = min(_rounded(_sure(sized, estimate, engine, base.card)), facts.serving.sequences_max)
        estimate = _estimated(sized.model_copy(update={"concurrent_sequences": sequences}))
    slots = _slots(base, sequences)
    estimate = _estimated(sized.model_copy(update={"concurrent_sequences": sequences, "max_num_sequences": slots}))
    ratio = _memory_ratio(engine, estimate, base.card)
    checkpoint, quantization, vouching = _checkpoint(base, form, estimate)
    return Setting(
        request=request, model=base.model, card=base.card, program=base.program, engine=engine, checkpoint=checkpoint,
        quantization=quantization, form=estimate.weight_format, tensor=tensor, pipeline=pipeline, data=data,
        estimate=estimate, context=context, sequences=sequences, slots=slots, memory_ratio=ratio,
        steps=tuple(_serving_steps(engine, estimate, base.card, ratio, sequences, context)),
        assumptions=(*base.said, *_serving_said(base, context, sequences, (tensor, pipeline, data))),
        warnings=tuple(_checkpoint_doubts(base, checkpoint, form, estimate)), sources=(engine.source, *vouching),
    )  # fmt: skip


def _slots(base: _Base, sequences: int) -> int:
    """Requests a copy admits: as asked, else four for each that fits at full length where memory is paged."""
    if base.request.concurrent_sequences or base.program in {"llama.cpp", "ollama"}:
        return sequences
    return min(launch_facts().serving.sequences_max, max(8, SHORTER * sequences))


def _sure(sized: MemoryRequest, estimate: MemoryEstimate, engine: Engine, card: Gpu) -> int:
    """Sequences at full length whose upper estimate stays within the share reserved by default, by bisection."""
    usable = min(card.usable_bytes, engine.memory_ratio * card.memory_bytes)
    low, high = 1, (estimate.fit.max_concurrent_sequences if estimate.fit else 1) or 1
    high = min(high, 2 * launch_facts().serving.sequences_max)
    while low < high:
        middle = (low + high + 1) // 2
        found = estimate_memory(sized.model_copy(update={"concurrent_sequences": middle}))
        low, high = (middle, high) if found.per_gpu.high_bytes <= usable else (low, middle - 1)
    return low


def _rounded(count: int) -> int:
    """Down to a multiple of eight from sixteen on."""
    return count if count < 16 else count // 8 * 8


def _memory_ratio(engine: Engine, estimate: MemoryEstimate, card: Gpu) -> float:
    """The engine's own share, raised when the work needs more, and never beyond what the driver leaves.

    SGLang's share counts weights and cache only; activations and graphs live in the rest.
    """
    if engine.memory_ratio >= 1:
        return 1.0
    if estimate.engine == "sglang":
        static = sum(part.bytes for part in estimate.per_gpu.parts if part.name in {"weights", "kv_cache"})
        return max(0.5, min(engine.memory_ratio, math.ceil(100 * static / card.memory_bytes) / 100))
    needed = math.ceil(100 * estimate.per_gpu.high_bytes / card.memory_bytes) / 100
    left = math.floor(100 * card.usable_bytes / card.memory_bytes) / 100
    return max(0.5, min(max(engine.memory_ratio, needed), left, 0.97))


def _checkpoint(base: _Base, form: str | None, estimate: MemoryEstimate) -> tuple[str | None, str | None, list[str]]:
    """What to load, what the server makes of it, and the sources of both."""
    request, facts = base.request, launch_facts()
    if request.checkpoint:
        return request.checkpoint, None, []
    kind = (form or "").split(":")[0]
    if kind not in READY_MADE or form == base.model.native_format:
        return base.model.id, None, []
    made = facts.made_on_load.get(base.program, {}).get(kind)
    published = facts.published(base.model.id, form or "")
    if published:
        return published[0], None, [published[1]]
    return (base.model.id, made, []) if made else (None, None, [])


def _checkpoint_doubts(base: _Base, checkpoint: str | None, form: str | None, estimate: MemoryEstimate) -> list[str]:
    found = [one for one in estimate.warnings if "gpu_memory_utilization" not in one]  # it is set here
    if checkpoint is None:
        found.append(
            f"No published {form} checkpoint of {base.model.name} is known here: set MODEL to one before starting."
        )
    elif checkpoint not in {base.model.id, base.request.checkpoint}:
        found.append(f"Loads {checkpoint}, named as its maker names such checkpoints: check that it exists.")
    return found


def _serving_steps(
    engine: Engine, estimate: MemoryEstimate, card: Gpu, ratio: float, sequences: int, context: int
) -> list[Step]:
    steps = [
        Step(label="Memory of one card", formula="estimate_memory", value=estimate.per_gpu.total_bytes, unit="bytes",
             inputs={"low": estimate.per_gpu.low_bytes, "high": estimate.per_gpu.high_bytes}),
        Step(label="Sequences at once", formula="most whose upper estimate fits, or as asked", value=sequences,
             unit="sequences", inputs={"context_tokens": context}),
    ]  # fmt: skip
    if engine.memory_ratio < 1:
        steps.append(
            Step(label="Share of the card", value=ratio,
                 formula="⌈(weights + cache) / memory⌉" if estimate.engine == "sglang"
                 else "min(max(default, ⌈high / memory⌉), usable / memory)",
                 inputs={"default": engine.memory_ratio, "high": estimate.per_gpu.high_bytes,
                         "usable": card.usable_bytes, "memory": card.memory_bytes}, source=engine.source)
        )  # fmt: skip
    return steps


def _serving_said(base: _Base, context: int, sequences: int, layout: tuple[int, int, int]) -> list[str]:
    request, found = base.request, []
    if request.context_tokens is None:
        found.append(f"{context:,} tokens of context.")
    if request.concurrent_sequences is None:
        found.append(
            f"{sequences} sequences of {context:,} tokens fit at once on each copy; shorter ones share the same memory."
        )
    if request.tensor_parallel is None and request.gpu_count > 1:
        found.append("Laid out as tensor {} × pipeline {} × copies {}.".format(*layout))
    return found


def _training(base: _Base) -> Setting:
    request, facts = base.request, launch_facts().training
    count, adapted = request.gpu_count, request.task in {"lora", "qlora"}
    sequence = request.sequence_tokens or facts.sequence_tokens
    way = planned(request.model_copy(update={"gpu": base.card.id, "sequence_tokens": sequence}), base.program,
                  base.card.half)  # fmt: skip
    way = way or smallest(request, base.program)
    request = request.model_copy(update={"optimizer": way.optimizer, "offload": way.offload})
    rank = (request.lora_rank or facts.lora_rank) if adapted else None
    estimate = _estimated(MemoryRequest.model_validate(
        {
            "task": request.task, "model": request.model, "gpu": base.card.id, "sequence_tokens": sequence,
            "weight_format": request.weight_format, "engine": calculated_as(base.program, way.sharding),
            "sharding": way.sharding, "data_parallel": count, "optimizer": way.optimizer,
            "gradient_checkpointing": way.checkpointing, "offload": way.offload, "lora_rank": rank,
            "precision": way.precision, "micro_batch_size": way.micro_batch, "accumulation": way.accumulation,
        }
    ))  # fmt: skip
    samples = way.micro_batch * count * way.accumulation
    updates = math.ceil(request.samples * (request.epochs or facts.epochs) / samples) if request.samples else 0
    trainer = launch_facts().trainers
    used = [trainer["transformers" if base.program not in trainer else base.program].source]
    return Setting(
        request=request, model=base.model, card=base.card, program=base.program, engine=None,
        checkpoint=request.checkpoint or base.model.id, quantization=None, form=estimate.weight_format, tensor=1,
        pipeline=1, data=count, estimate=estimate, sequence=sequence, micro_batch=way.micro_batch,
        accumulation=way.accumulation, sharding=way.sharding, checkpointing=way.checkpointing, pure=way.pure,
        updates=updates, steps=tuple(steps_of(estimate, way, sequence, count, updates, request.samples)),
        assumptions=(*base.said, *said_of(base.request, way, sequence, samples),
                     "The data are chat messages in JSON lines (see the script)."),
        warnings=estimate.warnings, sources=tuple(used),
    )  # fmt: skip
