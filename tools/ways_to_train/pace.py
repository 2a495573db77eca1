"""The speed of a way: the training-time estimate of its layout, and what that leaves out: host, references, answers."""

from dataclasses import dataclass, replace
from functools import lru_cache

from kb.base import AdvisorError
from kb.constants.first_runs import first_runs
from kb.constants.offloading import offloading
from kb.constants.speed_constants import Trainer, constants
from tools.memory.diffusion import swapped_bytes
from tools.speed.estimate import estimate_inference_speed
from tools.speed.interval import inverse, times
from tools.speed.request import InferenceSpeedRequest
from tools.speed.result import Interval
from tools.speed.streaming import slot_bytes_per_s
from tools.training_time.estimate import TrainingPace, training_pace
from tools.training_time.job import Job, job_of
from tools.training_time.macs import is_mac, mac_pace
from tools.training_time.pictures import estimate_picture_training
from tools.training_time.request import TrainingTimeRequest
from tools.training_time.step import model_flops
from tools.ways_to_train.grids import GRID
from tools.ways_to_train.plan import LAYERS, Plan, accumulated, machines_of, working
from tools.ways_to_train.problem import Problem
from tools.ways_to_train.weigh import Weighed

REFERENCE_FLOPS = 2
"""A frozen reference, or the old policy, reads every trained token once: 2 FLOPs a weight."""
NETWORKS = ("ethernet", "infiniband")
PARTS = ("products", "attention", "elements", "dispatch", "link", "launch", "idle")


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a way is."""

    rate: Interval
    """Tokens (of pictures: samples) a second over all cards."""
    time: Interval | None
    hours: Interval | None
    """Card-hours."""
    generation_s: float | None
    bound: str
    utilisation: float | None
    paced: TrainingPace | None
    host_s_per_token: float = 0.0
    """Of a token on one card."""
    busy: float | None = None
    """Tokens a second over all cards where samples are packed and the program compiled; null where that is `rate`."""


def pace_of(problem: Problem, one: Weighed) -> Pace | None:
    """The speed of a way; null where the card's rates are not known."""
    if one.plan.group.gpu is None:
        return None
    try:
        if is_mac(one.plan.group.gpu) and not problem.pictures:
            return _mac(problem, one)
        return _pictures(problem, one) if problem.pictures else token_pace(problem, one)
    except AdvisorError:
        return None


def token_pace(problem: Problem, one: Weighed, *, in_turn: bool = False) -> Pace:
    """Tokens a second over all cards; `in_turn` = by a model that computes its experts one after the other.

        1 / rate = 1 / rate of the estimate · (w + reference) / w + host      w: FLOPs a weight and token

    Layers dealt out over cards are computed in turn: all of them together are as fast as one.
    """
    if one.plan.sharding == GRID:
        return _in_grid(problem, one)
    request = _request(problem, one)
    job = _job(problem, one.plan, request)
    job = replace(job, trainer=_looping(job)) if in_turn else job
    paced = training_pace(job, request)
    flops = (4 if job.adapters else 6) + 2 * job.recompute
    again = (flops + _beside_flops(problem, plan=one.plan, flops=flops)) / flops
    each = again / paced.rate.value
    host = _host_s(problem, one, each)
    working = 1 if one.plan.sharding == LAYERS else one.plan.count
    slower = (each + host) * paced.rate.value
    up = offloading().slower_ratio.value if host else 1.0
    rate = Interval(
        value=paced.rate.value * working / slower, low=paced.rate.low * working / slower / up,
        high=paced.rate.high * working / slower,
    )  # fmt: skip
    time, hours, generation = run_of(problem, one, rate, paced.goodput)
    reached = model_flops(job) / slower * paced.rate.value / job.peak
    return Pace(rate, time, hours, generation, _bound(paced, host, each), reached, paced, host)


def _in_grid(problem: Problem, one: Weighed) -> Pace:
    """Tokens a second of all cards in a grid of tensors, stages and experts, as such runs were measured."""
    plan = one.plan
    request = asked_of(
        problem.named, plan.task, plan.group.gpu.id if plan.group.gpu else "", plan.engine, None, plan.precision,
        one.work.lora_rank, problem.mean,
    ).model_copy(
        update={
            "gpu_count": plan.count, "dataset_tokens": round(problem.tokens) if problem.tokens else None,
            "tensor_parallel": plan.grid.tensor, "pipeline_parallel": plan.grid.stages,
            "expert_parallel": plan.grid.experts, "gradient_checkpointing": plan.checkpointing,
            "micro_batch_size": one.work.micro_batch,
            "global_batch_size": one.work.micro_batch * accumulation(problem, one) * working(plan),
        }
    )  # fmt: skip
    job = job_of(request)[0]
    paced = training_pace(job, request)
    rate = times(paced.rate, plan.count)
    time, hours, _ = run_of(problem, one, rate, paced.goodput)
    reached = model_flops(job) * paced.rate.value / job.peak
    return Pace(rate, time, hours, None, _bound(paced, 0.0, 1.0), reached, paced)


def _mac(problem: Problem, one: Weighed) -> Pace | None:
    """Tokens a second by MLX, which trains on one Mac by itself; null where layers are dealt out or states are sent."""
    plan, gpu = one.plan, one.plan.group.gpu
    if gpu is None or plan.count > 1 or plan.offload != "none":
        return None
    active = float(one.work.shape.active_params or one.work.shape.params)
    found = mac_pace(gpu, active, adapters=plan.adapted, recompute=plan.checkpointing == "full")
    slower = (found.flops + _beside_flops(problem, plan, found.flops / active) * active) / found.flops
    rate = times(found.rate, 1 / slower)
    time, hours, _ = run_of(problem, one, rate, constants().training.goodput_best)
    if problem.rollouts:
        time = hours = None  # no engine is known that generates beside it
    reached = rate.value * (4 if plan.adapted else 6) * active / found.peak
    return Pace(rate, time, hours, None, "products", reached, None)


def _beside_flops(problem: Problem, plan: Plan, flops: float) -> float:
    """FLOPs a weight and token of what runs beside the policy.

    dpo, grpo: a reference reads every token. ppo: a reward model as well, and, unless adapters share the policy's
    weights, a critic of its size that learns.
    """
    if problem.goal not in ("dpo", "grpo", "ppo"):
        return 0.0
    if problem.goal == "ppo" and not plan.adapted:
        return 2 * REFERENCE_FLOPS + flops
    return REFERENCE_FLOPS


def run_of(
    problem: Problem, one: Weighed, rate: Interval, goodput: float
) -> tuple[Interval | None, Interval | None, float | None]:
    """(seconds, card-hours, seconds of generating) of the whole run."""
    if problem.tokens is None:
        return None, None, None
    time = times(inverse(rate, problem.tokens), 1 / goodput)
    generation = _generating_s(problem, one.plan) if problem.rollouts else None
    if generation:
        time = Interval(
            value=time.value + generation.value, low=time.low + generation.low, high=time.high + generation.high
        )
    return time, times(time, one.plan.count / 3600), generation.value if generation else None


def _request(problem: Problem, one: Weighed) -> TrainingTimeRequest:
    plan = one.plan
    return asked_of(
        problem.named, plan.task, plan.group.gpu.id if plan.group.gpu else "",
        plan.engine if problem.engine else None, one.work.format.name if plan.task == "qlora" else None,
        plan.precision, one.work.lora_rank, problem.mean,
    ).model_copy(
        update={
            "gpu_count": 1 if plan.sharding == LAYERS else plan.count, "micro_batch_size": one.work.micro_batch,
            "gradient_checkpointing": plan.checkpointing, "optimizer": plan.optimizer,
            "sharding": "none" if plan.sharding in (LAYERS, "none") else plan.sharding,
            "cards_per_node": max(plan.group.count // problem.nodes, 1) if problem.nodes > 1 else None,
            "network_bytes_per_s": _network(problem),
            "dataset_tokens": round(problem.tokens) if problem.tokens else None,
        }
    )  # fmt: skip


@lru_cache(maxsize=256)
def asked_of(
    named: tuple[tuple[str, object], ...], task: str, gpu: str, engine: str | None, form: str | None, precision: str,
    rank: int, sequence: int,
) -> TrainingTimeRequest:  # fmt: skip
    """What all micro-batches and layouts of one kind have in common, checked once."""
    return TrainingTimeRequest.model_validate(
        {**dict(named), "task": task, "gpu": gpu, "engine": engine, "weight_format": form, "precision": precision,
         "lora_rank": rank, "sequence_tokens": sequence}
    )  # fmt: skip


def _network(problem: Problem) -> float | None:
    link = problem.link
    return link.bytes_per_s if link and link.kind in NETWORKS and problem.nodes > 1 else None


def _job(problem: Problem, plan: Plan, request: TrainingTimeRequest) -> Job:
    """The job on the card as it is linked; experts stay on every card, as trainers without expert parallelism do."""
    job = job_of(request)[0]
    gpu = plan.group.gpu or job.gpu
    slow = problem.link is not None and problem.link.kind in ("pcie", "thunderbolt")
    return replace(job, gpu=gpu, expert=1, stated_link=problem.pcie if slow else None)


def _looping(job: Job) -> Trainer:
    """The program with a loop over experts: those that a micro-batch reaches are launched one after the other.

    t_layer · (1 + launches of an expert · min(experts, tokens · k))
    """
    arch = job.arch
    reached = min(float(arch.experts), job.micro_batch_tokens * arch.experts_per_token)
    seconds = job.trainer.layer_s * (1 + first_runs().expert_launches.value * reached)
    return job.trainer.model_copy(update={"moe_layer_s": max(seconds, job.trainer.moe_layer_s)})


def _host_s(problem: Problem, one: Weighed, each: float) -> float:
    """What the host adds to a token's time on one card.

    States on the host: once a step gradients go down and weights come up, 2 bytes each of the card's share, and the
    processor steps all parameters of the machine. Weights as well: every micro-batch they come up twice, and
    gradients go down; as far as that outlasts the computing. Paged states come and go once a step. On a drive the step
    reads and writes at its rate instead of the memory's, and weights come up from there (arXiv:2104.07857).
    """
    plan, params = one.plan, one.work.shape.params
    tokens = one.work.micro_batch * problem.mean
    step = tokens * accumulation(problem, one)
    ranks = plan.count if plan.sharding in ("zero1", "zero2", "zero3", "fsdp") else 1
    if plan.offload == "none":
        paged = plan.optimizer == "paged_adamw_8bit" and not plan.adapted
        return 2 * 2 * params / ranks / problem.pcie / step if paged else 0.0
    machines = machines_of(problem, plan)
    drive = offloading().nvme_bytes_per_s.value if plan.offload == "nvme" else None
    stepping = 0.0
    if not plan.adapted:
        stepping = 4 * params / ranks / problem.pcie + offloading().step_bytes.value * params / machines / (
            drive or problem.host_bandwidth
        )
    moving = 0.0
    if plan.offload in ("all", "nvme"):
        width = one.work.format.body_bits / 8
        moved = (2 * width + (0 if plan.adapted else 2)) * params / ranks
        slowest = min(problem.pcie, drive * machines / plan.count) if drive else problem.pcie
        moving = max(moved / slowest / tokens - each, 0.0)
    return moving + stepping / step


def accumulation(problem: Problem, one: Weighed) -> int:
    """Micro-batches of one step on each card."""
    return accumulated(problem, one.plan, one.micro)


def _bound(paced: TrainingPace, host: float, each: float) -> str:
    if host > each / 2:
        return "offload"
    return max(PARTS, key=lambda part: float(getattr(paced.parts, f"{part}_s")))


def _generating_s(problem: Problem, plan: Plan) -> Interval | None:
    """Seconds of generating all answers: the serving estimate of so many at once, over all cards."""
    work = problem.base(plan.task)
    rate = _generated(problem.named, plan.group.gpu.id if plan.group.gpu else "", plan.count, work.generations,
                      max(problem.sequence - problem.output, 1), problem.output, plan.task == "qlora")  # fmt: skip
    return inverse(rate, float(problem.rollouts) * problem.output) if rate else None


@lru_cache(maxsize=256)
def _generated(
    named: tuple[tuple[str, object], ...], gpu: str, count: int, generations: int, prompt: int, output: int, four: bool
) -> Interval | None:
    """Tokens a second that engines on all cards generate, each card with a group of answers at once."""
    try:
        asked = InferenceSpeedRequest.model_validate(
            {**dict(named), "gpu": gpu, "gpu_count": count, "weight_format": "nf4" if four else "bf16",
             "engine": "vllm", "concurrent_sequences": generations * count, "input_tokens": prompt,
             "output_tokens": output}
        )  # fmt: skip
        return estimate_inference_speed(asked).tokens_per_s_total
    except AdvisorError:
        return None


def _pictures(problem: Problem, one: Weighed) -> Pace:
    """Pictures a second: the estimate of a step with this batch, on so many cards."""
    plan = one.plan
    gpu = plan.group.gpu
    found = estimate_picture_training(
        TrainingTimeRequest.model_validate(
            {**dict(problem.named), "task": plan.task, "gpu": gpu.id if gpu else "", "gpu_count": plan.count,
             "micro_batch_size": one.micro, "dataset_samples": round(problem.samples) if problem.samples else None,
             "image_px": one.work.width or None}
        )
    )  # fmt: skip
    rate = found.samples_per_s_total or Interval(value=0, low=0, high=0)
    if plan.offload != "all" or gpu is None or not rate.value:
        return Pace(rate, found.time_s, found.gpu_hours, None, "products", None, None)
    # Blocks come up for the forward and again for the backward pass; programs overlap that with computing, or not.
    alone = one.micro * plan.count / rate.value
    sending = 2 * swapped_bytes(one.work) / slot_bytes_per_s(gpu)
    together = (alone**2 + sending**2) ** 0.5
    sent = Interval(
        value=rate.value * alone / together, low=rate.low * alone / (alone + sending),
        high=rate.high * alone / max(alone, sending),
    )  # fmt: skip
    slower = {"value": rate.value / sent.value, "low": rate.high / sent.high, "high": rate.low / sent.low}
    time, hours = (
        Interval(**{end: getattr(each, end) * slower[end] for end in slower}) if each else None
        for each in (found.time_s, found.gpu_hours)
    )
    bound = "offload" if sending > alone else "products"
    return Pace(sent, time, hours, None, bound, None, None, sending / max(one.micro, 1))
