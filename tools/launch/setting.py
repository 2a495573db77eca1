"""A request with every open number filled in by the calculators, each filling said aloud."""

import math
from collections.abc import Iterator
from typing import NamedTuple

from kb.base import BadInput, NothingFits
from kb.lexicon.cards.rules import CardCount
from kb.models import model as catalog_model
from kb.models import models
from kb.programs.engines import program as known_program
from kb.programs.launch import Engine, launch_facts
from kb.programs.repositories import repository
from kb.records.gpu import Gpu
from kb.records.model import Model
from kb.units import format_bytes
from tools.base import Step
from tools.launch.found import AS_FILES, Served, as_dealt, card_of, engine_of, placed_by, served
from tools.launch.planned import calculated_as, doubts_of, planned, said_of, smallest, steps_of
from tools.launch.request import SERVERS, TRAINERS, LaunchRequest
from tools.memory.estimate import estimate_memory
from tools.memory.fit import verdict_of
from tools.memory.request import MemoryRequest
from tools.memory.result import Fit, MemoryEstimate
from tools.named import read_card
from tools.release_check import last_before
from tools.ways_to_run.space.formats import FILES, WIDE, engine_rule
from tools.ways_to_run.weigh.limits import limits_of

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
    older: str | None
    """The newest release of the server that runs on the card, where the one whose flags were read does not."""
    checkpoint: str | None
    """Null: MODEL must be set by whoever runs it."""
    quantization: str | None
    """What the server makes of the weights while loading."""
    form: str
    tensor: int
    pipeline: int
    data: int
    estimate: MemoryEstimate
    expert: int = 1
    """Cards that share a mixture's experts whole, where they are not cut like everything else."""
    placed: tuple[str, ...] = ()
    """Flags by which llama.cpp deals the layers out."""
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
    cards, read = card_of(request)
    request = request.model_copy(update={"gpu": cards.gpu, "gpu_count": cards.count})
    card = read_card(request.gpu)[0]
    if card.vendor not in {"NVIDIA", "AMD"}:
        raise BadInput(
            "gpu", f"launch files are written for NVIDIA and AMD cards, not for {card.vendor}'s.",
            "Start it by the command that find_ways_to_run gives with its way.",
        )  # fmt: skip
    if request.gpu_count % request.nodes:
        raise BadInput("nodes", f"{request.gpu_count} cards do not divide over {request.nodes} machines.",
                       "Give a gpu_count that is a multiple of nodes.")  # fmt: skip
    _check_program(request)
    if request.task != "inference":
        program = request.engine or "accelerate"
        return _training(_Base(request, model, card, program, (*_engine_said(request, program), *read, *said)))
    way, admitted = _admitting(request, cards)
    return _serving(_Base(way.request, model, way.card, way.program, (*read, *said), admitted), way)


def _admitting(request: LaunchRequest, cards: CardCount) -> tuple[Served, int | None]:
    """The way for all requests at full length; where no cards hold that and the cache is paged, for as many as fit,
    with the number to admit: the engine gives pages to what a request holds, and lets the rest wait."""
    try:
        return served(request, cards), None
    except NothingFits:
        if not request.concurrent_sequences or request.engine in {"llama.cpp", "ollama"}:
            raise
        way = served(request.model_copy(update={"concurrent_sequences": None}), cards)
        if way.program in {"llama.cpp", "ollama"}:
            raise
        return way, request.concurrent_sequences


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
    admitted: int | None = None
    """Requests to admit in all, where fewer fit at full length."""


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


def _check_program(request: LaunchRequest) -> None:
    """That the program does the task, on so many machines, with such weights."""
    training, program = request.task != "inference", request.engine
    if program is None:
        return
    able = TRAINERS if training else SERVERS
    gguf = (request.weight_format or "").startswith("gguf")
    if program not in able:
        raise BadInput("engine", f"{program} does not do {request.task}.", f"Choose one of: {', '.join(able)}.")
    if program in {"llama.cpp", "ollama"} and request.nodes > 1:
        raise BadInput("nodes", f"{program} serves from one machine.", "Use vllm or sglang over several.")
    if program in {"llama.cpp", "ollama"} and not gguf and request.weight_format not in {None, *AS_FILES}:
        raise BadInput("weight_format", f"{program} reads GGUF files.", "Give gguf:Q4_K_M or the like.")
    if program in {"vllm", "sglang"} and gguf:
        raise BadInput(
            "weight_format", f"{program} is not the program for GGUF.", "Use llama.cpp, or AWQ or GPTQ here."
        )


def _estimated(request: MemoryRequest, card: Gpu) -> MemoryEstimate:
    """The estimate, which must fit the card as it is here.

    Raises:
        NothingFits: with the changes that would make it fit.
    """
    found = estimate_memory(request)
    if found.fit is not None and found.fit.usable_bytes != card.usable_bytes:
        per = found.per_gpu
        verdict = verdict_of(per.total_bytes, per.high_bytes, card.usable_bytes)
        left = card.usable_bytes - per.total_bytes
        fit = Fit(gpu=card.id, usable_bytes=card.usable_bytes, verdict=verdict, headroom_bytes=left)
        found = found.model_copy(update={"fit": fit})
    if found.fit is None or found.fit.verdict == "no":
        usable = format_bytes(found.fit.usable_bytes) if found.fit else "?"
        raise NothingFits(
            f"It does not fit: {format_bytes(found.per_gpu.total_bytes)} on each card, {usable} usable.",
            [f"{one.change} ({format_bytes(one.total_bytes)})" for one in found.changes],
        )
    return found


def _serving(base: _Base, way: Served) -> Setting:
    request, facts = base.request, launch_facts()
    engine, form = facts.engines[base.program], request.weight_format
    spread, context = way.spread, way.load.context
    data = spread.ep * spread.dp if spread.attention_copies else spread.dp
    dealt = engine_of(base.program) == FILES
    sized = MemoryRequest.model_validate(
        {
            "model": request.model, "weight_format": form, "gpu": base.card.id, "context_tokens": context,
            "engine": engine_of(base.program), "kv_format": request.kv_format,
            "tensor_parallel": 1 if dealt else spread.tp, "pipeline_parallel": spread.pp,
            "expert_parallel": spread.ep if spread.attention_copies else None,
            "concurrent_sequences": math.ceil((request.concurrent_sequences or 1) / data),
        }
    )  # fmt: skip
    sequences = math.ceil((request.concurrent_sequences or 0) / data)
    if dealt:
        sequences = sequences or _held_at_once(way)
        estimate = as_dealt(
            estimate_memory(sized.model_copy(update={"concurrent_sequences": sequences})), way, sequences
        )
        slots = sequences
    else:
        if not sequences:
            _estimated(sized, base.card)
            sequences = min(_rounded(_sure(sized, engine, base.card)), facts.serving.sequences_max)
        slots = math.ceil(base.admitted / data) if base.admitted else _slots(base, sequences)
        sequences = min(sequences, slots)
        update = {"concurrent_sequences": sequences, "max_num_sequences": slots}
        estimate = _estimated(sized.model_copy(update=update), base.card)
    ratio = _memory_ratio(engine, estimate, base.card)
    checkpoint, quantization, vouching = _checkpoint(base, form, estimate)
    last = last_before(base.program, engine.release, base.card)
    older = last.label if last else None
    doubts = _checkpoint_doubts(base, checkpoint, form, estimate)
    return Setting(
        request=request, model=base.model, card=base.card, program=base.program, engine=engine, older=older,
        checkpoint=checkpoint, quantization=quantization, form=form or estimate.weight_format,
        tensor=1 if dealt else spread.tp,
        pipeline=spread.pp, data=data, expert=spread.ep, estimate=estimate, context=context,
        sequences=sequences, slots=slots, memory_ratio=ratio, placed=placed_by(way) if dealt else (),
        steps=tuple(_serving_steps(engine, estimate, base.card, ratio, sequences, context)),
        assumptions=(*base.said, *_serving_said(base, way, sequences, slots, data)),
        warnings=(*_conditions(base, engine, older), *way.said, *doubts), sources=(engine.source, *vouching),
    )  # fmt: skip


def _conditions(base: _Base, engine: Engine, older: str | None) -> Iterator[str]:
    """What the server needs to run on the card: a release before the one whose flags were read, a build of its own."""
    rule = engine_rule(engine_of(base.program), base.card)
    if rule is None or rule.verdict != "works_with" or (older is None and base.card.vendor == "NVIDIA"):
        return
    known = f"Release {engine.release}, whose flags these are, does not run on {base.card.name}: " if older else ""
    yield f"{known}{rule.instead} ({rule.reason})."


def _held_at_once(way: Served) -> int:
    """Slots of llama.cpp that fit at full length; one where every further one would push weights off the cards."""
    if way.candidate.offloads:
        return 1
    most = limits_of(way.load, way.candidate).max_concurrent_sequences or 1
    return min(_rounded(most), launch_facts().serving.sequences_max)


def _slots(base: _Base, sequences: int) -> int:
    """Requests a copy admits: as asked, else four for each that fits at full length where memory is paged."""
    if base.request.concurrent_sequences or base.program in {"llama.cpp", "ollama"}:
        return sequences
    return min(launch_facts().serving.sequences_max, max(8, SHORTER * sequences))


def _sure(sized: MemoryRequest, engine: Engine, card: Gpu) -> int:
    """Sequences at full length whose upper estimate stays within the share reserved by default, by bisection."""
    usable = min(card.usable_bytes, engine.memory_ratio * card.memory_bytes)
    low, high = 1, 2 * launch_facts().serving.sequences_max
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
    other = repository(base.model.id, form or "")
    if kind == "gguf":
        return (other.id, None, [other.source]) if other else (None, None, [])
    published = facts.published(base.model.id, form or "")
    if published:
        return published[0], None, [published[1]]
    made = facts.made_on_load.get(base.program, {}).get(kind) if base.model.native_format in WIDE else None
    if made:
        return base.model.id, made, []
    return (other.id, None, [other.source]) if other else (None, None, [])


def _checkpoint_doubts(base: _Base, checkpoint: str | None, form: str | None, estimate: MemoryEstimate) -> list[str]:
    found = [one for one in estimate.warnings if "gpu_memory_utilization" not in one]  # it is set here
    if checkpoint is None:
        found.append(
            f"No published {form} checkpoint of {base.model.name} is known here: set MODEL to one before starting."
        )
    elif checkpoint not in {base.model.id, base.request.checkpoint}:
        own = launch_facts().published(base.model.id, form or "")
        maker = checkpoint.split("/")[0] == base.model.id.split("/")[0] or (own is not None and own[0] == checkpoint)
        whose = "named as its maker names such checkpoints: check that it exists" if maker else "made by others"
        found.append(f"Loads {checkpoint}, {whose}.")
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


def _serving_said(base: _Base, way: Served, sequences: int, slots: int, data: int) -> list[str]:
    request, found, context = base.request, [], way.load.context
    if way.load.work.context_tokens is None:
        found.append(f"{context:,} tokens of context.")
    if base.admitted:
        found.append(
            f"{base.admitted} requests of {context:,} tokens do not fit at full length: {sequences * data} do. All are "
            "admitted, for the cache is paged: what is longer at once waits, or is computed again (preempted)."
        )
    elif request.concurrent_sequences is None:
        more = f"; {slots} are admitted, for most are shorter, and the others wait" if slots > sequences else ""
        found.append(f"{sequences} sequences of {context:,} tokens fit at once on each copy{more}.")
    if request.gpu_count > 1 and way.candidate.group is not None:
        found.append(f"Laid out as tensor {way.spread.tp} × pipeline {way.spread.pp} × copies {data}.")
    return found


def _training(base: _Base) -> Setting:
    request, facts = base.request, launch_facts().training
    count, adapted = request.gpu_count, request.task in {"lora", "qlora"}
    sequence = request.sequence_tokens or facts.sequence_tokens
    way = planned(request.model_copy(update={"gpu": base.card.id, "sequence_tokens": sequence}), base.program,
                  base.card.half)  # fmt: skip
    way = way or smallest(request, base.program, base.card.half)
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
    ), base.card)  # fmt: skip
    samples = way.micro_batch * count * way.accumulation
    updates = math.ceil(request.samples * (request.epochs or facts.epochs) / samples) if request.samples else 0
    trainers, loads = launch_facts().trainers, launch_facts().loads(base.model.id)
    rated = None if request.learning_rate else facts.source
    used = [one for one in (trainers.get(base.program, trainers["transformers"]).source, rated, loads.source) if one]
    return Setting(
        request=request, model=base.model, card=base.card, program=base.program, engine=None, older=None,
        checkpoint=request.checkpoint or base.model.id, quantization=None, form=estimate.weight_format, tensor=1,
        pipeline=1, data=count, estimate=estimate, sequence=sequence, micro_batch=way.micro_batch,
        accumulation=way.accumulation, sharding=way.sharding, checkpointing=way.checkpointing, pure=way.pure,
        updates=updates, steps=tuple(steps_of(estimate, way, sequence, count, updates, request.samples)),
        assumptions=(*base.said, *said_of(base.request, base.model, way, sequence, samples),
                     "The data are chat messages in JSON lines (see the script)."),
        warnings=(*doubts_of(base.model, base.card.half, request.task), *estimate.warnings), sources=tuple(used),
    )  # fmt: skip
