"""Seconds a card spends on one token: products, attention, memory traffic, experts, links, launches, idling."""

import math
from dataclasses import dataclass

from kb.constants.speed_constants import constants
from tools.speed.allreduce import network_bytes_per_s
from tools.training_time.job import Job

MODULES = ("SXM", "OAM", "Superchip")
"""Form factors of cards with the power and cooling to keep their clocks."""


@dataclass(frozen=True, slots=True)
class TokenTime:
    """Parts of the time of one token on one card."""

    products_s: float
    attention_s: float
    elements_s: float
    dispatch_s: float
    link_s: float
    launch_s: float
    """Launching kernels, as far as it does not hide behind the card's work, and feeding the card."""
    idle_s: float
    """Pipeline bubble and waiting that grows with the number of cards."""

    @property
    def total_s(self) -> float:
        """All of it."""
        busy = self.products_s + self.attention_s + self.elements_s + self.dispatch_s
        return busy + self.link_s + self.launch_s + self.idle_s


def token_time(job: Job) -> TokenTime:
    """Time of one token on one card.

        t = w·P / (F·e) + a·L·width·S / (F16·e_a) + (L·h·c₁ + V·c₂) / BW + dispatch + links + L·t_layer / tokens
            + feeding + idle

    w: 6 FLOPs a weight and token (2 forwards, 4 backwards), 4 with frozen weights, 2 more when recomputing. a: causal
    attention, 7 (2 forwards, 5 backwards with flash kernels), 2 more when recomputing.
    """
    products, attention = _products_s(job), _attention_s(job)
    elements, dispatch = _elements_s(job), _dispatch_s(job)
    training = constants().training
    bubble = _bubble(job)
    busy = products + attention + elements + dispatch
    link = _tensor_s(job) + _exposed_shards_s(job, busy) + _gradients_s(job)
    launch = _exposed_s(_launch_s(job), busy + link)
    launch += math.hypot(busy + link, job.trainer.feed_s) - busy - link
    scale = training.scale_ratio * math.log2(max(job.cards / 8, 1.0))
    idle = busy * bubble + (busy * (1 + bubble) + link + launch) * scale
    return TokenTime(products, attention, elements, dispatch, link, launch, idle)


def _exposed_s(launch_s: float, gpu_s: float) -> float:
    """What launching adds beside the card's work, which it runs ahead of: (gpu^p + launch^p)^(1/p) - gpu."""
    power = constants().training.launch_overlap_power
    return float((gpu_s**power + launch_s**power) ** (1 / power)) - gpu_s


def clean_flops(job: Job) -> float:
    """FLOPs of the products of one token: 6 · P_active, 4 with adapters."""
    return (4 if job.adapters else 6) * job.arch.active_params


def model_flops(job: Job) -> float:
    """FLOPs of the model a token, as utilisation counts them: 6 · P_active (4 for adapters) + 6 · L · width · S."""
    arch = job.arch
    return clean_flops(job) + 6 * arch.attention_layers * _width(job) * job.sequence


def least_s(job: Job) -> float:
    """Seconds a token takes at the least: everything that is executed, at the most that such cards were measured at.

        ((w + 2·r)·P / F + (6 + 2·r)·L·width·S / F16) / most      w: 6 FLOPs a weight, 4 with frozen ones; r: recomputed

    Domain: dense rates, which GeForce states for FP32 accumulation. A slower program is no business of it.
    """
    recomputed = 2 * job.recompute
    products = ((4 if job.adapters else 6) + recomputed) * job.arch.active_params / job.peak
    attention = (6 + recomputed) * _width(job) * _seen(job) / job.peak_16
    return (products + attention) / most_reached(job)


def most_reached(job: Job) -> float:
    """The most of the dense peak that cards of this kind were measured at in training, recomputing counted."""
    ratios = constants().training.most_ratios
    build = "module" if job.gpu.form_factor.startswith(MODULES) else "board"
    usual = ratios.get(f"{job.family} {build}", ratios[build])
    return ratios.get(f"{job.family} {job.gpu.market}", usual)


def _width(job: Job) -> int:
    return job.arch.heads * job.arch.head_dim


def _products_s(job: Job) -> float:
    training, arch = constants().training, job.arch
    ratios = training.product_ratios["8" if job.eight_bit else "16"]
    reached = job.peak * _of_card(job, ratios)
    routed = reached * training.moe_ratios["8" if job.eight_bit else "16"] * _filled(job)
    dense = arch.dense_params + arch.head_params
    flops = (4 if job.adapters else 6) + 2 * job.recompute
    seconds = flops * dense / reached + flops * (arch.active_params - dense) / routed
    return seconds + 3 * arch.params * job.widened_bytes / job.bandwidth / job.micro_batch_tokens


def _filled(job: Job) -> float:
    """How far the tiles of grouped products fill: m / (m + m0), m tokens an expert gets of a micro-batch.

    The cards that share the experts bring their tokens together: m = cards · tokens · k / E.
    """
    arch = job.arch
    if not arch.moe:
        return 1.0
    each = (job.together or job.expert) * job.micro_batch_tokens * arch.experts_per_token / arch.experts
    return each / (each + constants().training.moe_half_tokens)


def _attention_s(job: Job) -> float:
    ratios = constants().training.attention_ratios
    usual = ratios.get(job.trainer_name) or _of_card(job, ratios)
    reached = job.peak_16 * ratios.get(f"{job.family} {job.trainer_name}", usual)
    return (7 + 2 * job.recompute) * _width(job) * _seen(job) / reached


def _seen(job: Job) -> float:
    """Tokens that attention of all layers looks back at, twice their mean: windows see no further than they reach."""
    if not job.arch.window:
        return float(job.sequence * job.arch.attention_layers)
    local = job.arch.local_layers
    return job.sequence * (job.arch.attention_layers - local) + min(job.sequence, 2 * job.arch.window) * local


def _elements_s(job: Job) -> float:
    training, arch = constants().training, job.arch
    again = 1.0 if job.trainer_name == "peft" else 1 + training.recompute_element_ratio * job.recompute
    traffic = arch.layers * arch.hidden * job.trainer.element_bytes * again * _of_card(job, training.element_ratios)
    traffic += arch.linear_layers * arch.hidden * training.linear_bytes
    return (traffic + arch.vocab * training.logit_bytes) / job.bandwidth


def _dispatch_s(job: Job) -> float:
    """Sending tokens to their experts and back: memory traffic of permuting and bytes over the link.

        L·h·(k·c₃ / BW + k·c₄ / link + distinct nodes·c₄ / network)

    Beyond a node a token goes once to each of m nodes that holds one of its k experts, m·(1 - (1 - 1/m)^k), of which
    1/m are its own, and from there to the cards over the fast link. No part of it is spared the network card, where
    gathers of weights move most bytes inside each node.
    """
    if not job.arch.moe:
        return 0.0
    training, arch = constants().training, job.arch
    copies, elements = arch.experts_per_token, arch.expert_hidden * arch.moe_layers
    seconds = elements * copies * training.dispatch_bytes / job.bandwidth
    if job.expert == 1:
        return seconds
    own = job.gpu.nvlink_bytes_per_s if job.linked(job.expert) else None
    link = (own or 2 * training.pcie_bytes_per_s) / 2
    seconds += elements * copies * training.dispatch_link_bytes / link
    nodes = job.expert / job.node
    if nodes <= 1:
        return seconds
    away = nodes * (1 - (1 - 1 / nodes) ** copies) * (1 - 1 / nodes)
    network = job.stated_network or network_bytes_per_s(job.gpu)
    return seconds + elements * away * training.dispatch_network_bytes / network


def _tensor_s(job: Job) -> float:
    """Four all-reduces of the activations a layer, for which every card of the group waits.

    n · 4 · 2(n-1)/n · 2·h·L / bus · exposed, in card-seconds a token
    """
    if job.tensor == 1:
        return 0.0
    moved = 4 * 2 * 2 * job.arch.hidden * (job.tensor - 1) * job.arch.layers
    return moved / job.bus(job.tensor) * job.trainer.tensor_exposed_ratio


def _exposed_shards_s(job: Job, busy_s: float) -> float:
    """What sharding adds beside the card's work: the usual share of it, and over a stated network all that outlasts it.

    max(exposed · exchange, exchange - busy): at most the card's own work hides a slow network.
    """
    exchange = _shards_s(job)
    usual = exchange * constants().training.shard_exposed_ratio
    slow = job.stated_network is not None and job.cards > job.node
    return max(usual, exchange - busy_s) if slow else usual


def _shards_s(job: Job) -> float:
    """Sharded: weights gathered twice, gradients scattered once a micro-batch; else gradients added once a step.

    Routed experts that are spread over cards stay there: a card gathers the rest and its own share of them.
    """
    if job.cards == 1:
        return 0.0
    training = constants().training
    bus = job.bus(job.cards)
    if job.sharding in ("fsdp", "zero3", "zero2"):
        gathered = job.arch.params - job.arch.routed_params * (1 - 1 / job.expert)
        moved = (4 if job.sharding == "zero2" else 6) * gathered
        if job.adapters:
            moved = 2 * gathered * job.frozen_bits / 8 if job.sharding != "zero2" else 0
        return moved / bus / job.micro_batch_tokens
    if job.adapters or job.trainer_name == "megatron":
        return 0.0
    copies = job.cards / (job.tensor * job.pipeline)
    if copies <= 1:
        return 0.0
    added = 4 * job.arch.params / (job.tensor * job.pipeline)
    return added / bus / (job.micro_batch_tokens * training.accumulation)


def _gradients_s(job: Job) -> float:
    """Megatron's gradients added up and weights handed out once a step, where its batch is stated.

    6 bytes a weight (4 of gradient, 2 of weight) · weights of a card / bus / tokens of a step. Of the cards of a node
    that keep the same weights each has a network card of its own; copies of experts are mostly one a node.
    """
    if job.accumulated is None or job.adapters or job.trainer_name != "megatron" or job.sharding in ("fsdp", "zero3"):
        return 0.0
    routed, seconds = job.arch.routed_params, 0.0
    for weights, ways in ((job.arch.params - routed, job.tensor), (routed, job.expert)):
        if job.cards > ways * job.pipeline:
            bus = job.inside(job.cards)
            if job.cards > job.node:
                bus = min(max(job.node // ways, 1) * network_bytes_per_s(job.gpu), bus)
            seconds += 6 * weights / (ways * job.pipeline) / bus
    return seconds / (job.accumulated * job.micro_batch_tokens) * constants().training.gradient_exposed_ratio


def _bubble(job: Job) -> float:
    """Idle share of a pipeline: (p - 1) / (micro-batches · virtual stages), or as usual where no batch is stated."""
    if job.accumulated is None:
        return constants().training.bubble_ratio * (job.pipeline - 1) / 8
    return (job.pipeline - 1) / (job.accumulated * job.virtual)


def _of_card(job: Job, ratios: dict[str, float]) -> float:
    """The ratio of a card's family and market, of its architecture, or of its family alone."""
    usual = ratios.get(job.gpu.architecture, ratios.get(job.family, ratios["other"]))
    return ratios.get(f"{job.family} {job.gpu.market}", usual)


def _launch_s(job: Job) -> float:
    trainer, mixed = job.trainer, job.arch.moe_layers
    seconds = (job.arch.layers - mixed) * trainer.layer_s + mixed * trainer.moe_layer_s
    if job.sharding in ("zero3", "fsdp"):
        seconds *= trainer.sharded_launch_ratio
    return seconds / job.micro_batch_tokens
