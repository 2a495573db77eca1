"""`estimate_inference_speed`: one request in, tokens a second and waiting times out."""

from collections.abc import Iterable

from kb.records.source import Source
from kb.speed_constants import constants, speed_sources
from tools.base import Step
from tools.named import cited, vouching
from tools.speed.allreduce import link_name
from tools.speed.decode import bandwidth_ratio, dense_efficiency, read_bytes
from tools.speed.evidence import Correction, correction
from tools.speed.interval import class_of, interval, inverse
from tools.speed.layout import best_pace
from tools.speed.pace import Pace
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import Bound, InferenceSpeed
from tools.speed.work import Work, work_of

RATES = ("bandwidth_bytes_per_s", "bf16_flops", "fp16_flops", "fp8_flops", "fp4_flops")


def estimate_inference_speed(request: InferenceSpeedRequest) -> InferenceSpeed:
    """Estimate the speed of serving a language model: tokens a second for one user and for all, time to first token.

    Give `model` (catalog id, Hugging Face id or alias) or `params` with the shape, the card, and the load. Every
    figure comes with a 90 % interval and the nearest published measurements.
    """
    work, assumptions = work_of(request)
    found = best_pace(work, request)
    work = found.work
    near = correction(work, found)
    kind, guessed = class_of(work), work.arch.guessed
    token = interval(_floor(found, found.output_token_s * near.factor), kind, guessed=guessed, evidence=near.weight)
    prompt = interval(found.prompt_rate, "prefill", guessed=guessed)
    shared = found.per_user * found.output_token_s
    return InferenceSpeed(
        model=work.arch.id, gpu=work.gpu.id, gpu_count=request.gpu_count, weight_format=work.format.name,
        engine=work.engine, tensor_parallel=work.layout.tensor, pipeline_parallel=work.layout.pipeline,
        replicas=work.layout.replicas, concurrent_sequences=request.concurrent_sequences,
        input_tokens=work.input_tokens, output_tokens=work.output_tokens,
        time_per_output_token_s=token,
        tokens_per_s_per_user=inverse(token, shared),
        tokens_per_s_total=inverse(token, found.total * found.output_token_s),
        time_to_first_token_s=interval(found.first_token_s, "prefill", guessed=guessed),
        prefill_tokens_per_s=prompt, bound=bound_of(found), label=near.label,
        max_concurrent_sequences=found.room and found.room * work.layout.replicas,
        evidence=near.evidence, derivation=tuple(_steps(found, near)), assumptions=tuple(_assumptions(work, request, assumptions)),
        warnings=tuple(_warnings(found)), sources=_sources(work, near),
    )  # fmt: skip


def bound_of(found: Pace) -> Bound:
    """What most of the time of one token goes to."""
    if found.at_capacity:
        return "capacity"
    step = found.step
    overlapped = step.read_s + step.multiply_s
    reading = step.weights_s * step.read_s / overlapped if overlapped else 0.0
    parts: dict[Bound, float] = {
        "memory_bandwidth": reading + step.cache_s + step.spill_s,
        "compute": step.weights_s - reading + found.interference_s,
        "interconnect": step.link_s,
        "latency": step.floor_s + step.host_s,
    }
    return max(parts, key=lambda part: parts[part])


def _floor(found: Pace, seconds: float) -> float:
    """No correction carries an estimate above a physical peak."""
    work = found.work
    dense, routed = read_bytes(work, max(work.sequences / work.layout.pipeline, 1.0))
    return max(seconds, (dense + routed) / (work.layout.tensor * work.bandwidth * constants().peak_ratio) * (1 if not found.step.spill_s else 0))


def _steps(found: Pace, near: Correction) -> Iterable[Step]:
    work, step = found.work, found.step
    dense, routed = read_bytes(work, max(work.sequences / work.layout.pipeline, 1.0))
    cards = work.layout.tensor
    fit = constants().decode.fit.source
    yield Step(label="Weights read a step", formula="dense + routed · (1 - (1 - k/E)^b)",
               inputs={"dense_bytes": round(dense), "routed_bytes": round(routed), "experts": work.arch.experts, "sequences": work.sequences},
               value=round(dense + routed), unit="bytes", source=fit)  # fmt: skip
    yield Step(label="Reading weights", formula="bytes / (cards · bandwidth · reached)",
               inputs={"bytes": round(dense + routed), "cards": cards, "bandwidth_bytes_per_s": work.bandwidth, "reached": bandwidth_ratio(work)},
               value=step.read_s, unit="s", source=fit)  # fmt: skip
    yield Step(label="Multiplying", formula="2 · active_params · sequences / (cards · peak · reached)",
               inputs={"active_params": round(work.arch.active_params), "sequences": work.sequences, "cards": cards,
                       "peak_flops": work.flops, "computed_in": work.flops_kind, "reached": dense_efficiency(work)},
               value=step.multiply_s, unit="s", source=fit)  # fmt: skip
    yield Step(label="Reading the cache", formula="sequences · cache_bytes(context) / (cards · bandwidth · reached)",
               inputs={"sequences": work.sequences, "context_tokens": work.context, "cache_bytes": round(work.cache_bytes(work.context))},
               value=step.cache_s, unit="s", source=fit)  # fmt: skip
    if cards > 1:
        yield Step(label="Adding up over cards", formula="2 · layers · all_reduce(2 · sequences · hidden_size)",
                   inputs={"layers": work.arch.layers, "hidden_size": work.arch.hidden, "link": link_name(work.gpu, cards)},
                   value=step.link_s, unit="s", source="aiconfigurator-kernels")  # fmt: skip
    if step.spill_s:
        yield Step(label="Reading weights left in host memory", formula="share · bytes / host bandwidth", value=step.spill_s, unit="s", source=fit)
    yield Step(label="Launching kernels", formula="layers · floor", inputs={"layers": work.arch.layers, "engine": work.engine},
               value=step.floor_s, unit="s", source=fit)  # fmt: skip
    yield Step(label="Scheduling and sampling", formula="step + sequences · each / cards", value=step.host_s, unit="s", source=fit)
    yield Step(label="Prompts of other sequences", formula="(sequences - 1) · prefill / output_tokens",
               inputs={"prefill_s": found.prefill_s, "output_tokens": work.output_tokens},
               value=found.interference_s, unit="s", source=fit)  # fmt: skip
    if near.weight:
        yield Step(label="Correction by near measurements", formula="exp(weighted mean of log(measured / formula))",
                   inputs={"weight": round(near.weight, 3)}, value=near.factor, unit="", source=fit)  # fmt: skip


def _assumptions(work: Work, request: InferenceSpeedRequest, given: list[str]) -> Iterable[str]:
    yield from given
    yield f"{work.engine} of 2025–2026 with CUDA graphs; older releases are up to twice as slow a layer."
    if request.input_tokens is None or request.output_tokens is None:
        yield f"{work.input_tokens:,} prompt and {work.output_tokens:,} answer tokens a request."
    layout = work.layout
    if request.gpu_count > 1 and request.tensor_parallel is None:
        how = "attention copied to every card, experts shared" if layout.attention_copies else f"tensor parallel {layout.tensor}, pipeline {layout.pipeline}"
        yield f"Layout left open: {how} is the fastest of the usual ones."
    if request.kv_format == "auto":
        yield "16-bit key-value cache."
    yield "No speculative decoding, no prefix shared between requests."


def _warnings(found: Pace) -> Iterable[str]:
    work = found.work
    if found.room is None and not found.step.spill_s:
        yield "The weights do not fit these cards: the speed is what they would reach if they had the memory."
    if found.step.spill_s:
        yield "Part of the weights stays in host memory, whose bandwidth then decides; a desktop's is assumed unless given."
    if found.at_capacity:
        yield f"Memory holds about {found.room} sequences of this length a copy: the others wait, the total no longer grows."
    if found.clamped:
        yield "The formula came out above 95 % of the memory bandwidth and was held there."
    if work.arch.guessed:
        yield "The shape was guessed from the parameter count: the interval is wider for it."
    if work.layout.tensor > 2 and link_name(work.gpu, work.layout.tensor).startswith("pcie"):
        yield "Tensor parallelism over PCIe costs much time a layer; a pipeline or separate copies usually serve more."


def _sources(work: Work, near: Correction) -> tuple[Source, ...]:
    known = speed_sources()
    ids = dict.fromkeys([constants().decode.fit.source, "aiconfigurator-kernels", *(row.source for row in near.evidence)])
    return (*(known[key] for key in ids if key in known), *cited(vouching(work.gpu, RATES)))
