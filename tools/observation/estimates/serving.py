"""Figures of serving a language model, on a machine that is as specified or otherwise."""

from typing import Any, cast

from kb.constants.speed_constants import constants
from kb.machines.links import pcie_bytes_per_s
from kb.observation import observation_facts
from tools.memory.request import Engine
from tools.model_fields import ModelFields
from tools.observation.estimates.expected import Expected
from tools.observation.estimates.memory import overflow_bytes
from tools.observation.estimates.network import exchange_s
from tools.observation.request import CPU
from tools.observation.setup import Machine, Setup
from tools.speed.allreduce import all_reduce_s
from tools.speed.architecture import architecture_of
from tools.speed.capacity import spilled_share
from tools.speed.decode import decode_step, host_shares, read_bytes
from tools.speed.derivation import derivation
from tools.speed.estimate import TokenPace, bound_of, token_pace
from tools.speed.host_only import estimate_host_speed, host_bandwidth
from tools.speed.interval import interval
from tools.speed.request import InferenceSpeedRequest
from tools.speed.work import READERS, Work, work_of

SERVING: tuple[str, ...] = ("vllm", "sglang", "llama.cpp", "transformers", "tensorrt-llm")
PHYSICAL_BATCH = 512
"""Prompt tokens for which weights in host memory are moved once."""


def speed_request(setup: Setup) -> InferenceSpeedRequest:
    """The set-up as the speed estimator takes it; the context reserved is not what requests fill."""
    asked = setup.request
    fields: dict[str, Any] = {name: getattr(asked, name) for name in ModelFields.model_fields}
    engine = cast(Engine, setup.engine) if setup.engine in SERVING else None
    return InferenceSpeedRequest(
        **fields, gpu=setup.card.id if setup.card else CPU, gpu_count=setup.cards, weight_format=setup.weight_format,
        kv_format=asked.kv_format, tensor_parallel=asked.tensor_parallel, pipeline_parallel=asked.pipeline_parallel,
        expert_parallel=asked.expert_parallel, engine=engine, concurrent_sequences=asked.concurrent_sequences or 1,
        input_tokens=asked.input_tokens, output_tokens=asked.output_tokens, width_px=_px(asked.width_px),
        height_px=_px(asked.height_px), images_per_sample=asked.images_per_sample,
        host_bandwidth_bytes_per_s=host_rate(setup),
    )  # fmt: skip


def host_rate(setup: Setup) -> float | None:
    """The host's bandwidth: as told, or as `find_ways_to_run` takes it by channels or size; null where none was."""
    asked = setup.request
    told = asked.host_bandwidth_bytes_per_s or (asked.host_memory and asked.host_memory.bandwidth_bytes_per_s)
    size = asked.host_memory.bytes if asked.host_memory else asked.host_memory_bytes
    if told or (setup.memory_channels is None and size is None):
        return told or None
    return host_bandwidth(size, setup.memory_channels)[0]


def serving_figures(setup: Setup, machine: Machine, found: Expected) -> None:
    """Tokens a second and waiting times; nothing where no card is named."""
    if setup.card is None and not setup.on_cpu:
        return
    request = speed_request(setup)
    if setup.card is None or machine.host_share == 1.0:
        _on_processor(setup, machine, request, found)
        return
    work, said = work_of(request)
    work = _shaped(setup, machine, work)
    paced = token_pace(work, request)
    slower = _slower(setup, machine, paced)
    each = paced.per_user
    if setup.request.concurrent_sequences in (None, 1) and _to_host(setup, machine, paced) > 0.02:
        each = interval(each.value, "offload", guessed=paced.guessed, thin=paced.thin)
    if paced.work.arch.kind not in READERS:
        found.put("tokens_per_s", each, machine.accepted / slower)
        found.put("tokens_per_s_total", paced.total, machine.accepted / slower)
        users = paced.work.sequences * paced.work.layout.replicas
        if paced.found.least_s:  # nothing bounds what lies whole in host memory
            found.limits["tokens_per_s"] = machine.accepted / paced.found.least_s
            found.limits["tokens_per_s_total"] = machine.accepted * users / paced.found.least_s
    else:
        found.put("tokens_per_s_total", paced.total, 1 - machine.waiting_ratio)
    reading = _slower_reading(setup, machine, paced)
    rate = interval(paced.found.prompt_rate, "prefill", guessed=paced.guessed, thin=paced.thin)
    found.put("prefill_tokens_per_s", rate, 1 / reading)
    found.put("first_token_s", paced.first_token, reading)
    found.limits["prefill_tokens_per_s"] = paced.found.most_prompt_rate
    away = _to_host(setup, machine, paced)
    bound = "host_bandwidth" if away > 0.02 else bound_of(paced.found)
    found.binds |= dict.fromkeys(("tokens_per_s", "tokens_per_s_total"), bound)
    found.binds |= dict.fromkeys(("prefill_tokens_per_s", "first_token_s"), "compute")
    found.steps += derivation(paced.found, paced.near)
    if setup.request.engine is None:
        found.assumptions.append(f"engine not stated: reckoned as {work.engine}.")
    found.assumptions += said
    if away > 0.02:
        found.warnings.append(f"About {away:.0%} of the weights lie in the host's memory, which decides the speed.")


def _on_processor(setup: Setup, machine: Machine, request: InferenceSpeedRequest, found: Expected) -> None:
    """No card computes: the processor reads every weight."""
    host = (request.host_bandwidth_bytes_per_s or constants().host.bandwidth_bytes_per_s) * machine.host_ratio
    speed = estimate_host_speed(
        request.model_copy(
            update={"gpu": CPU, "host_bandwidth_bytes_per_s": host, "weight_format": setup.weight_format}
        )
    )
    found.put("tokens_per_s", speed.tokens_per_s_per_user, 1 - machine.waiting_ratio)
    found.put("tokens_per_s_total", speed.tokens_per_s_total, 1 - machine.waiting_ratio)
    found.binds |= dict.fromkeys(("tokens_per_s", "tokens_per_s_total"), "host_bandwidth")
    found.steps += speed.derivation
    found.assumptions += speed.assumptions


def _shaped(setup: Setup, machine: Machine, work: Work) -> Work:
    """The load on the machine as it is: its clocks, and the context that the engine reserved."""
    asked = setup.request
    host = work.host_bandwidth or (constants().host.bandwidth_bytes_per_s if machine.host_ratio != 1.0 else None)
    return work._replace(
        bandwidth=work.bandwidth * machine.bandwidth_ratio,
        flops=work.flops * machine.clock_ratio,
        flops_16=work.flops_16 * machine.clock_ratio,
        host_bandwidth=host * machine.host_ratio if host else None,
        reserved_tokens=asked.context_tokens or work.reserved_tokens,
    )


def host_share(setup: Setup, machine: Machine) -> float | None:
    """The share of the weights in host memory that was told; null where the engine decides."""
    if machine.host_share is not None:
        return machine.host_share
    if setup.request.cpu_expert_layers is not None:
        return experts_share(setup)
    return None if setup.request.gpu_layers is None else 1 - placed_ratio(setup)


def experts_share(setup: Setup) -> float:
    """Experts of so many layers over all weights: routed / weights · layers told / layers with experts."""
    arch = architecture_of(setup.request)
    told = min((setup.request.cpu_expert_layers or 0) / max(arch.moe_layers, 1), 1.0)
    return told * arch.routed_params / max(arch.params, 1)


def placed_ratio(setup: Setup) -> float:
    """Layers on the cards over all: gpu_layers / (layers + 1), the output head counted as one."""
    layers = architecture_of(setup.request).layers + 1
    return min((setup.request.gpu_layers or 0) / layers, 1.0) if (setup.request.gpu_layers or 0) < layers - 1 else 1.0


def _to_host(setup: Setup, machine: Machine, paced: TokenPace) -> float:
    """The share of the weights that the processor reads."""
    told = host_share(setup, machine)
    return spilled_share(paced.work) if told is None else told


def _slower(setup: Setup, machine: Machine, paced: TokenPace) -> float:
    """How many times as long a token takes as on the machine as specified.

    (t + host + link + paged) / t / (1 - waiting); host: the step with other weights there; link: what moves over the
    cards' link, so much longer; paged: bytes over PCIe for every token.
    """
    work, token = paced.work, paced.token.value
    extra = 0.0
    told = host_share(setup, machine)
    if told is not None:
        extra += decode_step(work, told).total_s - decode_step(work, spilled_share(work)).total_s
    if machine.link_ratio != 1.0 and work.layout.tensor > 1:
        batch = max(work.sequences / work.layout.pipeline, 1.0)
        moving = all_reduce_s(work.gpu, work.layout.tensor, 2 * batch * work.arch.hidden, latency=False)
        extra += 2 * work.arch.layers * moving * (1 / machine.link_ratio - 1)
    paged = machine.paged_bytes or overflow_bytes(setup, machine, told)
    if paged:
        visited = work.arch.active_params / max(work.arch.params, 1)
        extra += paged * visited / paging_rate(setup, machine)
    extra += _in_half(machine, work) + _chunk_s(setup, machine, paced)
    extra += exchange_s(setup, machine, work)
    floors = paced.found.step.floor_s + paced.found.step.host_s
    extra += floors * (machine.floor_ratio / machine.clock_ratio - 1)
    return max(token + extra, 1e-9) / token / (1 - machine.waiting_ratio)


def _in_half(machine: Machine, work: Work) -> float:
    """Seconds of a step's products in a slow FP16: 2 · active parameters · batch / (ratio · FP32 rate)."""
    rate = work.gpu.fp32_flops
    if machine.half_ratio is None or not rate:
        return 0.0
    batch = max(work.sequences / work.layout.pipeline, 1.0)
    return 2 * work.arch.active_params * batch / (rate * machine.half_ratio * work.layout.tensor)


def _chunk_s(setup: Setup, machine: Machine, paced: TokenPace) -> float:
    """Seconds that a piece of another prompt adds to a step: share · tokens of a step / prompt rate."""
    if not machine.prefill_share:
        return 0.0
    chunk = observation_facts().settings["prefill_chunk"]
    large = (setup.card_memory or 0) >= chunk["large_from_bytes"]
    tokens = setup.request.batched_tokens or int(chunk["large" if large else "small"])
    tokens = min(tokens, setup.request.input_tokens or tokens)
    return machine.prefill_share * tokens / paced.found.prompt_rate


def _slower_reading(setup: Setup, machine: Machine, paced: TokenPace) -> float:
    """The same for a prompt: weights in host memory are moved to the card once a physical batch."""
    work = paced.work
    tokens = max(work.new_tokens, 1)
    whole = tokens / paced.found.prompt_rate
    extra = 0.0
    told = host_share(setup, machine)
    away = _to_host(setup, machine, paced)
    if away:
        dense, routed = read_bytes(work, float(PHYSICAL_BATCH))
        dense_away, routed_away = host_shares(work, away)
        batches = max(tokens / PHYSICAL_BATCH, 1.0)
        extra += batches * (dense * dense_away + routed * routed_away) / pcie_each_way(setup, machine)
    if machine.half_ratio is not None and work.gpu.fp32_flops:
        rate = work.gpu.fp32_flops * machine.half_ratio * work.layout.tensor
        extra += 2 * work.arch.active_params * tokens / rate
    paged = machine.paged_bytes or overflow_bytes(setup, machine, told)
    extra += paged / paging_rate(setup, machine) * max(tokens / PHYSICAL_BATCH, 1.0)
    if machine.link_ratio != 1.0 and work.layout.tensor > 1:
        moving = all_reduce_s(work.gpu, work.layout.tensor, 2 * tokens * work.arch.hidden, latency=False)
        extra += 2 * work.arch.layers * moving * (1 / machine.link_ratio - 1)
    return (whole + extra) / whole / (1 - machine.waiting_ratio)


def pcie_each_way(setup: Setup, machine: Machine) -> float:
    """Bytes a second from the host to the card."""
    both = pcie_bytes_per_s(setup.card) if setup.card else None
    facts = observation_facts().settings
    whole = float(both or facts["pcie_bytes_per_s"])
    return whole / 2 * float(facts["link_reached_ratio"]["host"]) * machine.link_ratio


def paging_rate(setup: Setup, machine: Machine) -> float:
    """Bytes a second that kernels reach in memory which the driver moved to the host."""
    reached = observation_facts().settings["link_reached_ratio"]
    return pcie_each_way(setup, machine) * float(reached["paged"]) / float(reached["host"])


def _px(size: int | None) -> int | None:
    return None if size is None else min(max(size, 64), 16384)
