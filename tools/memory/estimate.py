"""`estimate_memory`: one request in, what a GPU holds at the peak out."""

from collections.abc import Callable, Iterable
from functools import lru_cache

from kb.constants.memory_constants import constants, memory_sources
from kb.records.gpu import Gpu
from kb.records.source import Source
from kb.units import format_bytes
from tools.base import Step
from tools.memory import diffusion, vision
from tools.memory.change import changes_for
from tools.memory.companions import with_companions
from tools.memory.encoders import decoder_phases, encoder_phases, is_decoder
from tools.memory.fit import fit, minimum_gpus
from tools.memory.formats import held_in
from tools.memory.host import host_share
from tools.memory.interval import interval
from tools.memory.request import MemoryRequest
from tools.memory.result import Fit, MemoryEstimate, PerGpu
from tools.memory.serving import serving_phases
from tools.memory.speech import speech_phases
from tools.memory.term import Phase, parts_of, peak, steps_of
from tools.memory.training import training_phases
from tools.memory.workload import Workload, workload_of

OVERHEADS = ("buffers", "framework", "fragmentation")
"""Parts that coordination between GPUs adds to."""
REMEMBERED = 512
"""Workloads whose peak is kept, some 5 kB each: a few turns ask for as many."""


def estimate_memory(request: MemoryRequest) -> MemoryEstimate:
    """Estimate GPU memory for running or training a model: parts, a 90 % interval, the fit on a card, minimum cards.

    Give `model` (catalog id, Hugging Face id or alias) or `params` with the shape. The answer is what the fullest GPU
    holds at the peak, as nvidia-smi would show it.
    """
    work, assumptions, gpu = _assumed(request)
    phase = sharded_peak(work)
    held = _per_gpu(work, phase)
    placed = _fit(work, phase, gpu, request.host_memory_bytes) if gpu else None
    return MemoryEstimate(
        model=work.shape.id,
        task=work.task,
        weight_format=held_in(work.format.name, gpu),
        engine=work.engine,
        gpus=work.gpus,
        params=work.shape.params,
        per_gpu=held,
        fit=placed,
        minimum_gpus=minimum_gpus(work, peak_phase, gpu),
        changes=changes_for(work, gpu, sharded_peak) if gpu and interval(work, phase)[1] > gpu.usable_bytes else (),
        derivation=(*steps_of(phase), _sum(phase, held.total_bytes), *_left_to_host(placed, work)),
        assumptions=tuple(assumptions),
        warnings=tuple(warnings_of(work, gpu)),
        sources=_sources(phase),
    )


def memory_per_gpu(request: MemoryRequest) -> tuple[PerGpu, tuple[str, ...]]:
    """The parts of `estimate_memory` with their sum and interval, and the assumptions; without its advice."""
    work, assumptions, _ = _assumed(request)
    return _per_gpu(work, sharded_peak(work)), tuple(assumptions)


def _assumed(request: MemoryRequest) -> tuple[Workload, list[str], Gpu | None]:
    work, said, gpu = workload_of(request)
    if work.family == "diffusion":
        said += diffusion.assumptions(work)
    if work.family == "vision":
        said += vision.assumptions(work, request)
    return work, said, gpu


def _per_gpu(work: Workload, phase: Phase) -> PerGpu:
    parts = parts_of(phase)
    total = sum(part.bytes for part in parts)
    low, high = interval(work, phase)
    return PerGpu(total_bytes=total, low_bytes=min(low, total), high_bytes=max(high, total), parts=parts)


def _fit(work: Workload, phase: Phase, gpu: Gpu, host_memory_bytes: int | None) -> Fit:
    found = fit(work, phase, gpu, peak_phase)
    return found.model_copy(update={"host": host_share(work, phase, gpu, host_memory_bytes)})


def _left_to_host(placed: Fit | None, work: Workload) -> Iterable[Step]:
    if placed and placed.host:
        yield Step(
            label="weights left to host memory",
            formula="gpus · (peak of a GPU - usable memory of a GPU)",
            inputs={"gpus": work.gpus, "usable_bytes": placed.usable_bytes},
            value=placed.host.bytes,
            unit="bytes",
            source=constants().llama_cpp.source,
        )


def phases_of(work: Workload) -> tuple[Phase, ...]:
    """Every moment the workload may peak at."""
    if work.family == "training":
        return with_companions(work, training_phases(work))
    if work.family == "diffusion":
        return diffusion.diffusion_phases(work)
    if work.family == "speech":
        return speech_phases(work)
    if work.family == "vision":
        return vision.vision_phases(work)
    if work.family == "encoder":
        return decoder_phases(work) if is_decoder(work) else encoder_phases(work)
    return with_companions(work, serving_phases(work))


@lru_cache(maxsize=REMEMBERED)
def peak_phase(work: Workload) -> Phase:
    """The moment that needs most; remembered, for estimate, search and advice of one turn ask for the same ones."""
    return peak(phases_of(work))


def sharded_peak(work: Workload, peak_of: Callable[[Workload], Phase] = peak_phase) -> Phase:
    """The peak, where spreading the work never costs a GPU more than it saves.

    Communicators, buckets and gathered layers are constants of large models; on small ones they would outweigh the
    shard they replace, which engines avoid by not sharding. They are scaled down to what is saved. Whole copies (DDP)
    shard nothing: their buckets and communicators come on top of what one GPU needs.
    """
    phase = peak_of(work)
    if work.gpus == 1 or (work.sharding == "ddp" and work.gpus == work.data):
        return phase
    return _scaled(phase, min(peak_of(less).bytes for less in _less_sharded(work)))


def _less_sharded(work: Workload) -> Iterable[Workload]:
    """The same work on one GPU, and under every weaker stage of ZeRO."""
    engine = work.engine if work.engine_stated or work.family != "training" else "peft"
    yield work._replace(engine=engine, sharding="none", data=1, tensor=1, pipeline=1, context_split=1, expert=1)
    stages = ("none", "zero1", "zero2", "zero3")
    for stage in stages[1 : stages.index(work.sharding)] if work.sharding in stages else ():
        yield work._replace(sharding=stage)


def _scaled(phase: Phase, limit: float) -> Phase:
    """The phase with its overheads scaled so that it stays within `limit`."""
    total = phase.bytes
    if total <= limit:
        return phase
    overhead = sum(term.bytes for term in phase.terms if term.part in OVERHEADS)
    kept = limit - (total - overhead)
    ratio, parts = (kept / overhead, OVERHEADS) if kept > 0 < overhead else (limit / total, None)
    terms = (
        term._replace(
            bytes=term.bytes * ratio,
            formula=f"({term.formula}) · saved_ratio",
            inputs={**term.inputs, "saved_ratio": round(ratio, 4)},
        )
        if parts is None or term.part in parts
        else term
        for term in phase.terms
    )
    return Phase(phase.name, tuple(terms))


def warnings_of(work: Workload, gpu: Gpu | None) -> Iterable[str]:
    """What the reader must know beside the number."""
    shape = work.shape
    if work.engine == "vllm" and work.family == "serving":
        yield (
            "vLLM reserves a fixed share of the card (gpu_memory_utilization, 0.9 by default) whatever the model "
            "needs: nvidia-smi then shows that reservation. The figure here is what the workload requires."
        )
    if shape.max_context and work.context > shape.max_context and work.family == "serving":
        yield f"{work.context:,} tokens exceed the model's {shape.max_context:,}: it would need context extension."
    if shape.guess_level == 2:
        yield "The shape was guessed from the parameter count: the interval is wider for it."
    if gpu is not None:
        yield from _precision_warnings(work, gpu)
    if work.training and work.optimizer == "paged_adamw_8bit":
        yield "Paged optimizer states live in host memory under pressure: they are not counted on the GPU."
    if shape.active_params < shape.params:
        yield "Every expert must be resident: memory follows total parameters, not active ones."


def _precision_warnings(work: Workload, gpu: Gpu) -> Iterable[str]:
    needs = {"fp8": gpu.fp8_flops, "mxfp8": gpu.fp8_flops, "nvfp4": gpu.fp4_flops, "mxfp4": gpu.fp4_flops}
    name = work.format.name
    if name in needs and needs[name] is None:
        yield f"{gpu.name} has no {name} arithmetic: weights are kept in it and computed in 16 bits, if the engine can."
    if gpu.half != "bf16" and (name == "bf16" or (work.precision.startswith("bf16") and work.training)):
        yield f"{gpu.name} has no BF16: use fp16 (same memory)."


def _sum(phase: Phase, total: int) -> Step:
    return Step(
        label=f"Peak: {phase.name}",
        formula="sum of the above",
        inputs={"readable": format_bytes(total)},
        value=total,
        unit="bytes",
    )


def _sources(phase: Phase) -> tuple[Source, ...]:
    known = memory_sources()
    used = dict.fromkeys([*(term.source for term in phase.terms), constants().intervals.source])
    return tuple(known[key] for key in used if key in known)
