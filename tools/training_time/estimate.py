"""`estimate_training_time`: one request in, tokens a second, hours and utilisation out."""

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

from kb.base import BadInput
from kb.constants.speed_constants import constants, speed_sources
from kb.records.source import Source
from tools.named import cited, vouching
from tools.speed.evidence import Correction
from tools.speed.interval import interval, inverse
from tools.speed.item import item_kind
from tools.speed.result import Interval
from tools.training_time.derivation import derivation
from tools.training_time.evidence import correction
from tools.training_time.images import estimate_image_training
from tools.training_time.job import Job, job_of
from tools.training_time.pictures import estimate_picture_training
from tools.training_time.request import SAMPLE_TOKENS, TrainingTimeRequest
from tools.training_time.result import TokenTraining, TrainingTime
from tools.training_time.step import TokenTime, least_s, model_flops, token_time
from tools.training_time.steps import samples_per_step, steps_of, timed_steps

RATES = ("bandwidth_bytes_per_s", "bf16_flops", "fp16_flops", "fp8_flops", "tf32_flops", "nvlink_bytes_per_s")
PROGRAMS = {
    "megatron": "Megatron-class fused kernels",
    "eager": "Hugging Face models in eager PyTorch",
    "peft": "PEFT in eager PyTorch",
    "unsloth": "Unsloth's fused kernels",
    "fsdp": "PyTorch with flash attention",
}
SMALL_RUN_HOURS = 1e3


def estimate_training_time(request: TrainingTimeRequest) -> TrainingTime:
    """Estimate the speed of training a model, the time and GPU-hours of a run, and the utilisation reached.

    Give `model` or `params` with the shape, the card, and `dataset_tokens` (networks that look at images:
    `dataset_samples`) with `gpu_count` for times. Without a data set the rates alone are given; without `gpu_count`
    GPU-hours are, but no wall time. A run counted in `steps` takes those; at a measured `step_s`, exactly so long.
    """
    if request.step_s is not None:
        return timed_steps(request, request.step_s)
    kind = item_kind(request.model)
    if kind == "vision":
        return estimate_image_training(request)
    if kind == "diffusion":
        return estimate_picture_training(request)
    if kind is not None:
        raise BadInput(
            "model",
            f"the time of training a {kind} model is not modelled.",
            "Name a model of language, texts or pictures.",
        )
    return estimate_token_training(request)


@dataclass(frozen=True, slots=True)
class TrainingPace:
    """What an estimate rests on: the formulas moved by near measurements, and the run at that rate."""

    job: Job
    parts: TokenTime
    near: Correction
    rate: Interval
    """Tokens a second of one card."""
    tokens: float | None
    hours: float | None
    """Card-hours without a failure."""
    goodput: float
    run: Interval | None
    """Card-hours of the run."""


def training_pace(job: Job, request: TrainingTimeRequest) -> TrainingPace:
    """The figures themselves, without the account of them."""
    tokens = tokens_of(job, request)
    parts = token_time(job)
    near = correction(job)
    least = least_s(job)
    each = max(parts.total_s / near.factor_of_rate, least)
    rate = interval(1 / each, _class(job), guessed=job.arch.guessed, evidence=near.weight)
    rate = rate.model_copy(update={"high": min(rate.high, 1 / least)})
    hours = tokens / rate.value / 3600 if tokens else None
    goodput = request.goodput_ratio or _goodput(hours)
    return TrainingPace(job, parts, near, rate, tokens, hours, goodput, _run(hours, rate, goodput) if hours else None)


def tokens_of(job: Job, request: TrainingTimeRequest) -> float | None:
    """Tokens of the whole run: of all passes over the data, or of all steps."""
    if request.dataset_tokens:
        return request.dataset_tokens * request.epochs
    if request.dataset_samples and request.steps is None:
        return request.dataset_samples * (request.sample_tokens or SAMPLE_TOKENS) * request.epochs
    steps = steps_of(request) if request.steps else None
    return float(steps * samples_per_step(request) * job.sequence) if steps else None


def estimate_token_training(request: TrainingTimeRequest) -> TokenTraining:
    """The time of training a model that works on tokens."""
    job, assumptions = job_of(request)
    if request.gpu_count is None and request.dataset_tokens:
        job = replace(job, cards=_cards_for_a_month(job, request.dataset_tokens * request.epochs))
        assumptions.append(f"Number of cards open: losses as with {job.cards:,}, which would finish within a month.")
    paced = training_pace(job, request)
    near, rate, tokens, hours, run = paced.near, paced.rate, paced.tokens, paced.hours, paced.run
    count = request.gpu_count
    flops = model_flops(job)
    return TokenTraining(
        model=job.arch.id, task=job.task, gpu=job.gpu.id, gpu_count=count, precision=request.precision,
        steps=steps_of(request) if request.steps else None, tokens_per_s_per_gpu=rate,
        tokens_per_s_total=_times(rate, count) if count else None,
        time_s=_times(run, 3600 / count) if run and count else None,
        gpu_hours=run, model_flops_utilisation=flops * rate.value / job.peak,
        utilisation_ratio=_times(rate, flops / job.peak),
        flops_total=flops * tokens if tokens else None, flops_per_token=flops, goodput_ratio=paced.goodput,
        label=near.label, evidence=near.evidence,
        derivation=tuple(derivation(job, paced.parts, near, rate.value, tokens, paced.goodput)),
        assumptions=tuple(_assumptions(job, request, assumptions)), warnings=tuple(_warnings(job, request, hours)),
        sources=_sources(job, near),
    )  # fmt: skip


def _class(job: Job) -> str:
    if job.adapters:
        return "adapters"
    if job.arch.hidden < constants().training.narrow and job.trainer.feed_s:
        return "training_narrow"
    return "training_moe" if job.arch.moe else "training"


def _goodput(hours: float | None) -> float:
    """Share of the wall time that trains: less in longer runs on more cards, which fail and restart more often."""
    training = constants().training
    if not hours:
        return training.goodput_best
    beyond = math.log10(max(hours / SMALL_RUN_HOURS, 1.0))
    return max(training.goodput_best - training.goodput_loss * beyond, training.goodput_least)


def _run(hours: float, rate: Interval, goodput: float) -> Interval:
    """GPU-hours with their interval, wider upwards the longer the run.

    The rate's error and the run's are independent: their logarithms add up in squares.
    """
    clean = inverse(rate, hours * rate.value)
    beyond = min(math.log10(max(hours / SMALL_RUN_HOURS, 1.0)) / 3, 1.2)
    longer = math.log(constants().training.run_up_ratio) * beyond
    wide = math.exp(math.hypot(math.log(clean.high / clean.value), longer))
    return Interval(value=clean.value / goodput, low=clean.low, high=clean.value / goodput * wide)


def _times(of: Interval, factor: float) -> Interval:
    return Interval(value=of.value * factor, low=of.low * factor, high=of.high * factor)


def _cards_for_a_month(job: Job, tokens: float) -> int:
    seconds = tokens * token_time(job).total_s
    return max(8, min(math.ceil(seconds / constants().training.month_s), 16_384))


def _assumptions(job: Job, request: TrainingTimeRequest, given: list[str]) -> Iterable[str]:
    yield from given
    if request.dataset_samples and not request.dataset_tokens and request.sample_tokens is None:
        yield f"{SAMPLE_TOKENS} tokens a sample on average."
    yield f"{PROGRAMS[job.trainer_name]}, releases of 2024–2026; input is not a bottleneck."
    if request.goodput_ratio is None:
        yield "Goodput falls from 95 % for small runs to about 75 % for runs of millions of GPU-hours."


def _warnings(job: Job, request: TrainingTimeRequest, hours: float | None) -> Iterable[str]:
    if request.offload in ("optimizer", "all"):
        yield "Offloading to host memory is not in the rate: a step then takes about 1.5 to 3 times as long."
    if job.cards > 1 and not job.linked(job.cards) and job.sharding in ("fsdp", "zero3"):
        yield "Sharding over PCIe moves every weight twice a micro-batch: larger micro-batches pay off."
    if hours and hours > 1e5:
        yield "Published runs of this size took 1 to 3 times the clean time: restarts, several passes, slow starts."
    if job.arch.guessed:
        yield "The shape was guessed from the parameter count: the interval is wider for it."


def _sources(job: Job, near: Correction) -> tuple[Source, ...]:
    known = speed_sources()
    ids = dict.fromkeys([constants().training.fit.source, "reference-training", *(row.source for row in near.evidence)])
    return (*(known[key] for key in ids if key in known), *cited(vouching(job.gpu, RATES)))
