"""Reading a prompt: products with every active weight, causal attention, and all-reduces of whole activations."""

import math

from kb.constants.speed_constants import constants
from tools.speed.allreduce import all_reduce_s, later_hop_s
from tools.speed.decode import (
    bandwidth_ratio,
    dense_efficiency,
    exchange_s,
    machine_hops,
    permute_s,
    routed_efficiency,
)
from tools.speed.work import READERS, WIDE_BITS, Work, by_card


def prompt_s(work: Work) -> float:
    """Time to read what is new of one request's prompt on one copy."""
    return prefill_s(work, work.input_tokens, work.cached_tokens)


def prefill_s(work: Work, length: int, cached: int = 0) -> float:
    """Time to read one prompt of `length` tokens on one copy, of which S = length - cached are new.

        ((2·P_active·S / (n·F·e))² + t_read²)^½ + 4·pairs·heads·head_dim·L / (n·F16·e_attn)
        + 2·L·(2·S·h)·2(n-1)/n / bus + L·t_layer
        pairs = length²/2 - cached²/2

    Sliding-window layers attend to their window only. The output head multiplies the last token alone.
    """
    tokens = length - cached
    if tokens <= 0:
        return 0.0
    if work.engine == "llama.cpp":
        return _llama_cpp_s(work, length, cached) + _later_hops_s(work, tokens)
    arch, compute, tensor = work.arch, constants().compute, work.layout.tensor
    factor = compute.prefill_engine_ratios.get(work.engine, 1.0) * compute.prefill_ratio
    if work.graphed:
        factor *= by_card(work, compute.prefill_architecture_ratios)
    products = 2 * arch.dense_params * tokens / (work.flops * dense_efficiency(work) * factor)
    if arch.moe:
        routed = arch.active_params - arch.dense_params - arch.head_params
        products += 2 * routed * tokens / (work.flops * routed_efficiency(work, tokens) * factor)
        products += permute_s(work, tokens)
    if work.sequences <= 1 and arch.kind not in READERS:  # else the step beside it, or the batch of texts, reads them
        products = math.hypot(products, served_read_s(work, tokens))
    seconds = (products + attention_s(work, length, cached)) / tensor
    if work.layout.attention_copies:
        return seconds * compute.copies_ratio + arch.moe_layers * exchange_s(work, tokens, latency=False)
    size = 2.0 * tokens * arch.hidden
    sums = 2 * arch.layers * all_reduce_s(work.gpu, tensor, size, latency=False, network=work.network)
    return seconds + sums + _later_hops_s(work, tokens)


def _later_hops_s(work: Work, tokens: int) -> float:
    """What a narrow slot adds where stages hand activations on: (stages - 1) · S·h·2 bytes (llama.cpp: 4)."""
    wide = 4.0 if work.engine == "llama.cpp" else 2.0
    stages = work.layout.pipeline
    size = wide * tokens * work.arch.hidden
    beyond = machine_hops(work) * work.network.hands_on_s(size) if work.network else 0.0
    return (stages - 1) * later_hop_s(work.gpu, stages, size) + beyond


def _llama_cpp_s(work: Work, length: int, cached: int) -> float:
    """The same in llama.cpp: FP16 sums or INT8 products, attention of every pair, one launch a physical batch.

    ((2·P_active·S / (F·e))² + t_read²)^½ + 2·S²·heads·head_dim·L / (F16·e_attn) + (L·t_layer + t_widen)·S/512
    Split over cards, partial sums are added up in 32 bits.
    """
    arch, own, tokens = work.arch, constants().compute.llama_cpp, length - cached
    batches = max(tokens / constants().compute.prefill_chunk_tokens, 1.0)
    widened = _widened_s(work, tokens)
    visible = arch.active_params - arch.head_params if widened else _visible(work, tokens)
    products = math.hypot(2 * visible * tokens / product_flops(work), _read_s(work, tokens) * batches)
    products += widened * batches
    peak = max((work.gpu.int8_ops or 0) / 2, work.flops_16) * own.attention_ratio * work.era.attention_ratio
    attention = 4 * _pairs(work, length, cached) * arch.heads * arch.head_dim / peak
    sums = 2 * arch.layers * all_reduce_s(work.gpu, work.layout.tensor, 4.0 * tokens * arch.hidden, latency=False)
    return (products + attention) / work.layout.tensor + sums + arch.layers * own.layer_s * batches


def product_flops(work: Work) -> float:
    """FLOP/s that llama.cpp multiplies the weights of a prompt at.

    Tensor cores: a share of half the INT8 peak, or of the 16-bit one where weights are widened. Ordinary cores that sum
    four INT8 products at once: a share of four times the FP32 rate. Cards of neither kind: a share of the 16-bit peak.
    """
    own, quantised = constants().compute.llama_cpp, work.format.body_bits < WIDE_BITS
    dot = by_card(work, own.dot_ratios, 0.0)
    if quantised and dot and work.gpu.fp32_flops:
        return 4 * work.gpu.fp32_flops * dot
    if quantised and (share := by_card(work, own.widened_ratios, 0.0)):
        return work.flops_16 * share
    ratio = own.quantised_ratio if quantised else own.wide_ratio
    return max((work.gpu.int8_ops or 0) / 2, work.flops_16) * ratio * by_card(work, own.architecture_ratios)


def most_flops(work: Work) -> float:
    """The most FLOP/s that the weights of a prompt can be multiplied at."""
    if work.engine != "llama.cpp":
        return work.flops
    dots = 4 * (work.gpu.fp32_flops or 0) if by_card(work, constants().compute.llama_cpp.dot_ratios, 0.0) else 0
    return float(max(work.flops, (work.gpu.int8_ops or 0) / 2, dots))


def _widened_s(work: Work, tokens: int) -> float:
    """Widening the weights of one physical batch to 16 bits where integer products do not pay, and reading them again.

    (P_dense + P_routed · coverage) · (bits/8 + 4) / (BW · reached): read, written, read
    """
    arch, form = work.arch, work.format
    if form.body_bits >= WIDE_BITS or not by_card(work, constants().compute.llama_cpp.widened_ratios, 0.0):
        return 0.0
    routed = arch.routed_params * arch.coverage(min(tokens, constants().compute.prefill_chunk_tokens))
    moved = arch.dense_params * (form.body_bits / 8 + 4) + routed * (form.expert_bits / 8 + 4)
    return moved / (work.bandwidth * bandwidth_ratio(work))


def _read_s(work: Work, tokens: int) -> float:
    """Reading every weight that one physical batch visits, beside the products: what few tokens an expert wait for.

    (P_dense · bits + P_routed · coverage · bits) / 8 / (BW · reached)
    """
    arch, form = work.arch, work.format
    routed = arch.routed_params * arch.coverage(min(tokens, constants().compute.prefill_chunk_tokens))
    read = (arch.dense_params * form.body_bits + routed * form.expert_bits) / 8
    return read / (work.bandwidth * bandwidth_ratio(work))


def served_read_s(work: Work, tokens: int) -> float:
    """Reading the weights that a serving engine's batches of a prompt visit, on one card: once for every batch.

    Short prompts of large mixtures wait for it: few tokens visit most experts.
    """
    arch, form = work.arch, work.format
    batch = min(tokens, constants().compute.served_batch_tokens)
    routed = arch.routed_params * arch.coverage(batch)
    read = (arch.dense_params * form.body_bits + routed * form.expert_bits) / 8
    return read / (work.bandwidth * bandwidth_ratio(work)) * max(tokens / batch, 1.0)


def _visible(work: Work, tokens: int) -> float:
    """Weights that llama.cpp multiplies a prompt token with; those of experts count more, the fewer tokens share them.

    P_dense + P_routed · (1 + m0/m) / r with m tokens an expert of one physical batch: tiles fill partly. r: products
    with experts over dense ones.
    """
    arch, compute = work.arch, constants().compute
    every = arch.active_params - arch.head_params
    if not arch.moe:
        return every
    each = min(tokens, compute.prefill_chunk_tokens) * arch.experts_per_token / arch.experts
    own = compute.llama_cpp
    ratio = by_card(work, own.wide_routed_ratios if work.format.expert_bits >= WIDE_BITS else own.routed_ratios, 1.0)
    return arch.dense_params + (every - arch.dense_params) * (1 + own.moe_half_tokens / each) / ratio


def attention_s(work: Work, length: int, cached: int) -> float:
    """Causal attention of all layers over what is new of one prompt, on one card."""
    flops = 4 * _pairs(work, length, cached) * work.arch.heads * max(work.arch.head_dim, 1)
    return flops / (work.flops_16 * constants().compute.attention_ratio)


def _pairs(work: Work, length: int, cached: int) -> float:
    """Pairs of a new token and one it sees, over all layers."""
    return _pairs_within(work, length) - _pairs_within(work, cached)


def _pairs_within(work: Work, tokens: int) -> float:
    arch = work.arch
    full = max(arch.attention_layers - arch.local_layers, 0)
    pairs = full * tokens * tokens / 2
    if arch.local_layers:
        seen = min(tokens, arch.window or tokens)
        pairs += arch.local_layers * (tokens * seen - seen * seen / 2)
    return pairs


def prompt_stages(work: Work, tokens: int) -> float:
    """How many times faster pipeline stages read a prompt: its chunks pass them one behind the other.

        chunks / (chunks + stages - 1) · stages

    llama.cpp reaches only part of that gain.
    """
    stages = work.layout.pipeline
    chunks = max(tokens / constants().compute.prefill_chunk_tokens, 1.0)
    gain = stages * chunks / (chunks + stages - 1)
    share = constants().compute.llama_cpp.pipeline_ratio if work.engine == "llama.cpp" else 1.0
    return 1 + (gain - 1) * share


def prompt_stall_s(work: Work, prompt_s: float, others: float) -> float:
    """What a step loses to the prompts of `others` sequences, of which m = others / output_tokens come in a step.

        ((m · t_prompt)² + (L · t_launch · (1 - e^-m))²)^½

    Prompts are no part of a step's CUDA graph: their batch is launched kernel by kernel, however short they are, while
    answers wait. The more come at once, the more share a batch.
    """
    if work.separate_prefill:
        return 0.0
    coming = others / work.output_tokens
    launched = prompt_launch_s(work) * (1 - math.exp(-coming))
    return math.hypot(coming * prompt_s, launched)


def prompt_launch_s(work: Work) -> float:
    """Launching every layer of one batch of prompts: L · t_launch, over the stages of a pipeline."""
    return work.arch.layers * work.floor.prompt_layer_s / work.layout.pipeline


def burst_s(work: Work, prompts_s: float, step_s: float, asked: float, answer_s: float) -> float:
    """Time to the last first token when `asked` requests of a copy come at the same moment, of which it holds b.

        waves · t_answer + ((b · t_prompt)² + (L · t_launch)²)^½ + t_step

    Prompts are read one behind the other whatever chunks they are cut into, so the last has waited for all of them
    (`prompts_s`), the mean one for half. Those that the memory does not hold wait for whole answers before.
    """
    waves = math.ceil(asked / max(work.sequences, 1.0)) - 1
    return waves * answer_s + math.hypot(prompts_s, prompt_launch_s(work)) + step_s


def first_token_s(work: Work, alone_s: float, step_s: float) -> float:
    """Time to the first token when `sequences` requests run in a closed loop and a prompt alone takes `alone_s`.

        ((t_prefill · (a + c·(b - 1)))² + (L · t_launch)²)^½ + t_step

    A prompt waits for those before it: the more sequences, the likelier others have just arrived.
    """
    queue = constants().queue
    waiting = queue.alone_ratio + queue.sequence_ratio * (work.sequences - 1)
    reading = math.hypot(alone_s * waiting, prompt_launch_s(work))
    return reading + step_s + queue.layer_s * work.arch.layers * min(work.sequences - 1, 1.0)
