"""Figures of a training: seconds a step, tokens a second, utilisation and the whole time."""

from dataclasses import replace
from typing import Any

from kb.catalog import model as catalog_model
from kb.constants.speed_constants import constants
from tools.model_fields import ModelFields
from tools.observation.estimates.expected import Expected
from tools.observation.estimates.memory import overflow_bytes
from tools.observation.estimates.serving import host_rate, paging_rate, pcie_each_way
from tools.observation.setup import DRAWN, Machine, Setup
from tools.speed.interval import times
from tools.speed.result import Interval
from tools.training_time.derivation import derivation
from tools.training_time.estimate import TrainingPace, estimate_training_time, training_pace
from tools.training_time.job import Job, job_of
from tools.training_time.request import TrainingTimeRequest
from tools.training_time.step import model_flops

TRAINING_ENGINES = (
    "transformers", "torchtune", "litgpt", "peft", "deepspeed", "fsdp", "megatron", "unsloth", "axolotl",
    "llama-factory",
)  # fmt: skip
HOST_UPDATE_BYTES = 28
"""Traffic of the host's memory for one weight that its processor updates by Adam."""
PASSES = 3
"""Times a step touches memory that was paged out: forward, backward and the optimizer."""


def training_request(setup: Setup) -> TrainingTimeRequest:
    """The set-up as the training-time estimator takes it; samples are as long as they are, not as they are padded."""
    asked = setup.request
    fields: dict[str, Any] = {name: getattr(asked, name) for name in ModelFields.model_fields}
    for name in ("task", "epochs", "dataset_tokens", "dataset_samples", "sample_tokens", "accumulation", "steps",
                 "micro_batch_size", "gradient_checkpointing", "lora_rank", "optimizer", "sharding", "data_parallel",
                 "tensor_parallel", "pipeline_parallel", "expert_parallel", "offload"):  # fmt: skip
        fields[name] = getattr(asked, name)
    quantised = asked.task in ("lora", "qlora") and asked.weight_format not in (None, "bf16", "fp16", "fp32")
    return TrainingTimeRequest(
        **fields, gpu=setup.card.id if setup.card else None, gpu_count=setup.cards, sequence_tokens=length(setup),
        precision=asked.precision or "bf16", weight_format=asked.weight_format if quantised else None,
        engine=setup.engine if setup.engine in TRAINING_ENGINES else None,
        cards_per_node=setup.cards // asked.nodes if asked.nodes and asked.nodes > 1 else None,
        image_px=None, network_bytes_per_s=network(setup),
    )  # fmt: skip


def network(setup: Setup) -> float | None:
    """Bandwidth of a machine to the others, where a network was told."""
    link = setup.request.link
    return link.bytes_per_s if link is not None and link.kind in ("ethernet", "infiniband") else None


def length(setup: Setup) -> int | None:
    """Tokens of a sample as the cards compute it: the mean, where samples are not padded to the longest allowed."""
    whole, mean = setup.request.sequence_tokens, setup.request.sample_tokens
    return min(whole, mean) if whole and mean else whole or mean


def training_figures(setup: Setup, machine: Machine, found: Expected) -> None:
    """All figures the set-up gives enough for; nothing where no card is named."""
    if setup.card is None:
        return
    request = training_request(setup)
    if setup.request.model and not setup.request.params and catalog_model(setup.request.model).kind in (
        *DRAWN, "vision"
    ):  # fmt: skip
        _pictures(setup, machine, request, found)
        return
    job, said = job_of(request)
    shaped = replace(
        job, peak=job.peak * machine.clock_ratio, peak_16=job.peak_16 * machine.clock_ratio,
        bandwidth=job.bandwidth * machine.bandwidth_ratio,
    )  # fmt: skip
    paced = training_pace(shaped, request)
    slower = _slower(setup, machine, paced)
    rate = times(paced.rate, 1 / slower)
    for name in ("tokens_per_s", "tokens_per_s_total"):
        found.put(name, rate, setup.cards)
        found.limits[name] = setup.cards * job.peak / model_flops(job)
        found.binds[name] = _bound(paced)
    found.put("model_flops_utilisation", rate, model_flops(job) / job.peak)
    found.binds["model_flops_utilisation"] = _bound(paced)
    found.limits["model_flops_utilisation"] = 1.0
    if batch := step_tokens(setup, shaped):
        found.inverse("step_s", rate, batch / setup.cards)
        step = found.ranges["step_s"]
        found.inverse("it_per_s", Interval(value=step.value, low=step.low, high=step.high))
        found.limits["step_s"] = batch * model_flops(job) / (job.peak * setup.cards)
        found.binds |= dict.fromkeys(("step_s", "it_per_s"), _bound(paced))
    if paced.run is not None:
        found.put("wall_s", paced.run, slower * 3600 / setup.cards)
        found.binds["wall_s"] = _bound(paced)
    found.steps += derivation(shaped, paced.parts, paced.near, paced.rate.value, paced.tokens, paced.goodput)
    found.assumptions += said
    if setup.request.method in ("grpo", "ppo"):
        found.assumptions.append("The time is that of the update alone: answers are generated besides.")


def step_tokens(setup: Setup, job: Job) -> float | None:
    """Tokens of one step of the optimizer over all cards; null where the batch is not stated."""
    asked = setup.request
    if asked.micro_batch_size is None or (asked.sequence_tokens is None and asked.sample_tokens is None):
        return None
    copies = max(setup.cards // (job.tensor * job.pipeline * job.context), 1)
    return float(asked.micro_batch_size * (asked.accumulation or 1) * job.sequence * copies)


def _bound(paced: TrainingPace) -> str:
    parts = paced.parts
    whole = {
        "compute": parts.products_s + parts.attention_s, "memory_bandwidth": parts.elements_s + parts.dispatch_s,
        "interconnect": parts.link_s, "latency": parts.launch_s + parts.idle_s,
    }  # fmt: skip
    return max(whole, key=lambda name: whole[name])


def _slower(setup: Setup, machine: Machine, paced: TrainingPace) -> float:
    """How many times as long a token takes: link time at another bandwidth, paged memory, launches, waiting."""
    parts, extra = paced.parts, 0.0
    token = 1 / paced.rate.value
    if machine.link_ratio != 1.0:
        extra += parts.link_s * (1 / machine.link_ratio - 1)
    if machine.clock_ratio < 1.0:
        extra += parts.launch_s * (1 / machine.clock_ratio - 1)
    paged = machine.paged_bytes or overflow_bytes(setup, machine, None)
    if paged:
        extra += PASSES * paged / paging_rate(setup, machine) / paced.job.micro_batch_tokens
    if setup.request.offload in ("optimizer", "all"):
        extra += offload_s(setup, machine, paced) / ((setup.request.accumulation or 1) * paced.job.micro_batch_tokens)
    return (token + extra) / token / (1 - machine.waiting_ratio)


def offload_s(setup: Setup, machine: Machine, paced: TrainingPace) -> float:
    """Seconds a step for states in host memory: gradients down and weights up, and the update by the processor.

    share of weights · 4 bytes / PCIe each way + all weights · 28 bytes / host bandwidth: Adam in FP32 reads and writes
    weight and two moments, and reads the gradient. Source: DeepSpeed's ZeRO-Offload (arXiv:2101.06840).
    """
    params = paced.job.arch.params
    host = host_rate(setup) or constants().host.bandwidth_bytes_per_s
    return 4 * params / paced.job.cards / pcie_each_way(setup, machine) + HOST_UPDATE_BYTES * params / host


def _pictures(setup: Setup, machine: Machine, request: TrainingTimeRequest, found: Expected) -> None:
    """Trainings on pictures: the estimate as it is, slower by clock, paging and waiting."""
    asked = setup.request
    whole = estimate_training_time(request.model_copy(update={"image_px": asked.width_px, "sequence_tokens": None}))
    step = whole.step_s
    paged = machine.paged_bytes or overflow_bytes(setup, machine, None)
    if step is None:
        return
    extra = PASSES * paged / paging_rate(setup, machine)
    slower = (step.value / machine.clock_ratio + extra) / step.value / (1 - machine.waiting_ratio)
    found.put("step_s", step, slower)
    found.inverse("it_per_s", step, 1 / slower)
    if whole.time_s is not None:
        found.put("wall_s", whole.time_s, slower)
    found.binds |= dict.fromkeys(("step_s", "it_per_s", "wall_s"), "compute")
    found.steps += whole.derivation
    found.assumptions += whole.assumptions
