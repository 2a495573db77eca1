"""The speed of a way in words: as first set up and tuned, on the back of an envelope, and as data over speed."""

import math
from collections.abc import Iterator

from kb.base import AdvisorError
from kb.constants.speed_constants import constants
from kb.records.gpu import Gpu
from tools.speed.result import Interval
from tools.training_time.estimate import training_pace
from tools.training_time.job import job_of
from tools.training_time.macs import is_mac, mac_pace
from tools.ways_to_train.grids import fits_in_grids
from tools.ways_to_train.pace import Pace, asked_of
from tools.ways_to_train.plan import LAYERS, accumulated, machines_of, working
from tools.ways_to_train.problem import Problem
from tools.ways_to_train.weigh import Weighed

GRIDS = "megatron"
MFU, MFU_RANGE = 0.4, (0.3, 0.5)
SCALES = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"))


def reckoned(problem: Problem, one: Weighed, pace: Pace | None) -> Iterator[str]:
    """The speed as people reckon it, then how the duration follows from the speed.

        tokens / s = cards · peak · assumed utilisation / (6 · parameters)       4 · where they are frozen
        time = tokens / (tokens / s) / goodput + generating

    Utilisation of 0.3 to 0.5 is what published runs reach: 0.38 to 0.43 in arXiv:2407.21783, 0.46 in arXiv:2204.02311.
    """
    gpu = one.plan.group.gpu
    if pace is not None and gpu is not None and is_mac(gpu) and not problem.pictures:
        yield from _reckoned_mac(problem, one, pace, gpu)
    if pace is None or pace.paced is None:
        return
    if problem.tokens is not None and pace.time is not None and pace.busy is not None:
        yield _as_first_set_up(problem, pace.time, pace.busy * pace.paced.goodput, pace.generation_s or 0.0)
    job, rate, times_each = pace.paced.job, pace.rate.value, 4 if one.plan.adapted else 6
    params = one.work.shape.active_params or one.work.shape.params
    cards = 1 if one.plan.sharding == LAYERS else one.plan.count
    usual, least, most = (cards * job.peak * share / times_each / params for share in (MFU, *MFU_RANGE))
    reached = f" ({100 * pace.utilisation:.0f} % of the peak)" if pace.utilisation else ""
    yield (
        f"{cards} × {job.peak / 1e12:.0f} TFLOPS × {100 * MFU:.0f} % assumed / ({times_each} × {short(params)}) = "
        f"{short(usual)} tokens/s ({short(least)}–{short(most)} at {100 * MFU_RANGE[0]:.0f}–"
        f"{100 * MFU_RANGE[1]:.0f} %); {'as first set up' if pace.busy else 'ours'} {short(rate)}{reached}"
        + (f", packed and compiled {short(pace.busy)}" if pace.busy else "")
    )
    if problem.tokens is None or pace.time is None:
        return
    clean, made = problem.tokens / rate, pace.generation_s or 0.0
    yield (
        f"{short(problem.tokens)} tokens / {short(rate)} = {length(clean)}"
        + (f", + {length(made)} of generating ({100 * made / (made + clean):.0f} % of a step)" if made else "")
        + f", + {100 * (1 / pace.paced.goodput - 1):.0f} % for evaluation, saving and start{_steps(problem, one)}"
    )
    yield from _in_grids(problem, one)


def _steps(problem: Problem, one: Weighed) -> str:
    """The optimizer steps of the run, where its samples are counted."""
    if not problem.samples:
        return ""
    batch = one.micro * accumulated(problem, one.plan, one.micro) * working(one.plan)
    return f"; {math.ceil(problem.samples / batch):,} steps of {batch:,} samples"


def _as_first_set_up(problem: Problem, time: Interval, busy: float, made_s: float) -> str:
    """The duration that a person meets, and what it comes down to once the run is tuned."""
    tuned = length((problem.tokens or 0.0) / busy + made_s)
    return (
        f"{length(time.low)} to {length(time.high)}, about {length(time.value)} as first set up (few samples at once, "
        f"padded to the longest, kernel by kernel); {tuned} once packed, compiled and with full batches"
    )


def _in_grids(problem: Problem, one: Weighed) -> Iterator[str]:
    """Whole trainings beyond one machine by grids of tensors and stages as well, which are how such runs are made."""
    plan = one.plan
    if (
        plan.adapted
        or fits_in_grids(problem, plan.task, plan.group)  # then it is a way of its own
        or problem.pictures
        or problem.rollouts
        or machines_of(problem, plan) == 1
        or plan.group.gpu is None
    ):
        return
    asked = asked_of(problem.named, plan.task, plan.group.gpu.id, GRIDS, None, "bf16", one.work.lora_rank, problem.mean)
    request = asked.model_copy(update={"gpu_count": plan.count, "dataset_tokens": round(problem.tokens or 0)})
    try:
        found = training_pace(job_of(request)[0], request)
    except AdvisorError:
        return
    if found.run is None:
        return
    value, low, high = (length(hours * 3600 / plan.count) for hours in (found.run.value, found.run.low, found.run.high))
    rate = short(found.rate.value * plan.count)
    yield f"with tensor and pipeline parallelism (Megatron) instead: {rate} tokens/s, {value} ({low} to {high})"


def _reckoned_mac(problem: Problem, one: Weighed, pace: Pace, gpu: Gpu) -> Iterator[str]:
    """The same of a Mac, with what public measurements there are."""
    numbers, plan = constants().macs, one.plan
    active = float(one.work.shape.active_params or one.work.shape.params)
    found = mac_pace(gpu, active, adapters=plan.adapted, recompute=plan.checkpointing == "full")
    yield (
        f"MLX, from first principles: {found.peak / 1e12:.3g} TFLOPS × {100 * numbers.reached_ratio:.0f} % "
        f"({100 * numbers.low_ratio:.0f}–{100 * numbers.high_ratio:.0f}) / ({found.flops / active:.0f} × "
        f"{short(active)}) = {short(found.rate.value)} tokens/s; measured: {numbers.measured}"
    )
    if problem.tokens is not None and pace.time is not None:
        clean = problem.tokens / pace.rate.value
        over = 100 * (1 / constants().training.goodput_best - 1)
        yield f"{short(problem.tokens)} tokens / {short(pace.rate.value)} = {length(clean)}, + {over:.0f} %"


def length(seconds: float) -> str:
    """A length of time for a person: 5.2 h, 3.1 days."""
    if seconds < 5400:
        return f"{figure(seconds / 60)} min"
    return f"{figure(seconds / 3600)} h" if seconds < 2 * 86400 else f"{figure(seconds / 86400)} days"


def figure(value: float) -> str:
    """A figure for a person: three digits, or all before the point."""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def short(value: float) -> str:
    """A count for a person: 8.03B, 35.5k."""
    size, letter = next(((size, letter) for size, letter in SCALES if value >= size), (1.0, ""))
    return f"{value / size:.3g}{letter}"
