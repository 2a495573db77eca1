"""One decode step: reading weights and cache, multiplying, adding up over cards, launching kernels."""

import math
from typing import NamedTuple

from kb.constants.speed_constants import constants
from tools.speed.allreduce import all_reduce_s, bus_bytes_per_s, later_hop_s, network_bytes_per_s, switched
from tools.speed.unpacking import with_unpacking
from tools.speed.work import WIDE_BITS, Work, by_card


class DecodeStep(NamedTuple):
    """Seconds of the parts of one step that gives every sequence one token."""

    read_s: float
    """Reading the weights, overlapped part included in `weights_s`."""
    multiply_s: float
    weights_s: float
    """Reading and multiplying together."""
    cache_s: float
    link_s: float
    floor_s: float
    """Launching kernels, layer by layer."""
    host_s: float
    """Scheduling and sampling, as far as they do not hide behind the GPU's work."""
    spill_s: float
    """Reading from host memory what does not fit the cards."""
    stage_s: float
    """Stages of a pipeline waiting for the last one, which also multiplies the output head and samples."""

    @property
    def total_s(self) -> float:
        """The whole step."""
        return self.weights_s + self.cache_s + self.link_s + self.floor_s + self.host_s + self.spill_s + self.stage_s


def decode_step(work: Work, spilled: float = 0.0) -> DecodeStep:
    """Time of one step for every sequence of one copy, half-way through the answers.

        t = overlap(bytes / (n·BW·r), 2·P_active·b / (n·F·e)) + b·cache / (n_kv·BW·r_kv)
            + 2·L·AR(2·b·h) + L·t_layer + t_step + b·t_sequence / n + (stages - 1)·(t_head + t_step)

    `overlap` is (x^p + y^p)^(1/p). Routed experts are read as far as b tokens visit them, 1 - (1 - k/E)^b. Grouped
    heads are divided over at most n_kv cards, the latent cache over none. With pipeline stages a sequence passes all
    stages in turn while b/stages others share each. `spilled` is the share of the weights kept in host memory:
    routed experts first, of which a token visits few.
    """
    batch = max(work.sequences / work.layout.pipeline, 1.0)
    read, multiply, weights = _products(work, batch, spilled)
    waiting = _card_ratio(work)
    host = work.floor.step_s * waiting + _sequence_s(work) * batch / work.layout.tensor
    cache, link, floor = _cache_s(work, batch), _link_s(work, batch), _floor_s(work) * waiting + _unlike_s(work)
    if work.layout.attention_copies and work.layout.tensor > work.node:
        link = _exposed_s(link, weights + cache + floor, constants().decode.overlap_power)
    spill = _spill_s(work, spilled, batch)
    return DecodeStep(
        read_s=read,
        multiply_s=multiply,
        weights_s=weights,
        cache_s=cache,
        link_s=link,
        floor_s=floor,
        host_s=work.era.serial_s
        + work.floor.vocabulary_s * work.arch.vocab * (batch - 1)
        + _exposed_s(host, weights + cache + link + floor + spill, constants().decode.host_overlap_power),
        spill_s=spill,
        stage_s=_stage_s(work, batch, host),
    )


def read_bytes(work: Work, batch: float) -> tuple[float, float]:
    """(dense, routed) bytes of weights that one step reads over all cards of a copy."""
    arch, form = work.arch, work.format
    dense = (arch.dense_params * form.body_bits + arch.head_params * form.head_bits) / 8
    decode = constants().decode
    effective = max(batch * decode.routing_evenness_ratios.get(work.engine, decode.routing_evenness), 1.0)
    return dense, arch.routed_params * form.expert_bits / 8 * arch.coverage(effective)


def host_shares(work: Work, spilled: float) -> tuple[float, float]:
    """Shares of (dense, routed) weights in host memory when `spilled` of all weights lies there."""
    arch, form = work.arch, work.format
    dense = (arch.dense_params * form.body_bits + arch.head_params * form.head_bits) / 8
    routed = arch.routed_params * form.expert_bits / 8
    away = spilled * (dense + routed)
    return max(away - routed, 0.0) / dense if dense else 0.0, min(away / routed, 1.0) if routed else 0.0


def bandwidth_ratio(work: Work) -> float:
    """Share of the stated bandwidth reached while reading dense weights."""
    cap = constants().decode.bandwidth_caps.get(work.gpu.id, 1.0)
    reached = work.floor.bandwidth_hbm_ratio if work.hbm else work.floor.bandwidth_gddr_ratio
    decode = constants().decode
    if work.engine == "llama.cpp":
        reached *= by_card(work, decode.architecture_bandwidth_ratios)
    else:
        bits = _bits(work.format.body_bits)
        reached *= decode.dense_bandwidth_ratios[bits] * (work.era.four_bit_ratio if bits == "4" else 1.0)
    return min(reached, cap)


def _bits(bits: float) -> str:
    """The row of a table by bits a weight: 16, 8 or 4."""
    return "16" if bits >= 12 else "8" if bits >= 6 else "4"


def expert_ratio(work: Work) -> float:
    """Further factor while reading many small experts; grouped kernels reach less the fewer bits a weight has."""
    decode = constants().decode
    if work.engine == "llama.cpp":
        return decode.expert_bandwidth_ratios["llama.cpp"]
    narrow = decode.expert_bandwidth_ratios[_bits(work.format.expert_bits)]
    kernels = work.era.expert_ratio * by_card(work, decode.served_expert_ratios)
    return (narrow + (1 - narrow) * wide_share(work)) * kernels


def unpacked_ratio(work: Work) -> float:
    """Further factor while a serving engine reads dense weights of four bits on cards that no kernel was made for."""
    if work.engine == "llama.cpp" or _bits(work.format.body_bits) != "4":
        return 1.0
    return by_card(work, constants().decode.served_four_bit_ratios)


def expert_columns(work: Work) -> float:
    """Columns of one routed expert on a card."""
    return work.arch.expert_width / (1 if work.layout.attention_copies else work.layout.tensor)


def wide_share(work: Work) -> float:
    """How near an expert comes to a dense layer: w³ / (w³ + w_wide³) of its columns on a card."""
    width = expert_columns(work)
    return width**3 / (width**3 + constants().decode.wide_expert ** 3)


def _products(work: Work, batch: float, spilled: float) -> tuple[float, float, float]:
    """(read, multiply, both overlapped) seconds of all matrix products with weights on the cards."""
    arch, tensor, power = work.arch, work.layout.tensor, constants().decode.overlap_power
    dense_bytes, routed_bytes = read_bytes(work, batch)
    dense_away, routed_away = host_shares(work, spilled)
    dense_bytes, routed_bytes = dense_bytes * (1 - dense_away), routed_bytes * (1 - routed_away)
    speed = work.bandwidth * bandwidth_ratio(work)
    dense_cards = 1 if work.layout.attention_copies else tensor
    read_dense = dense_bytes / (dense_cards * speed * unpacked_ratio(work))
    read_routed = routed_bytes / (tensor * speed * expert_ratio(work))
    dense = 2 * (arch.dense_params + arch.head_params)
    multiply_dense = dense * columns(work, batch) / (tensor * work.flops * dense_efficiency(work, batch))
    active_routed = arch.active_params - arch.dense_params - arch.head_params
    multiply_routed = 0.0
    if arch.moe:
        columns_routed = max(active_routed * batch, _tiled(work, batch))
        multiply_routed = 2 * columns_routed / (tensor * work.flops * routed_efficiency(work, batch))
    permute = permute_s(work, batch) / tensor
    both = (read_dense**power + multiply_dense**power) ** (1 / power)
    both += (read_routed**power + multiply_routed**power) ** (1 / power)
    both = with_unpacking(work, both, batch, resident=1 - spilled)
    return read_dense + read_routed, multiply_dense + multiply_routed, both + permute


def permute_s(work: Work, tokens: float) -> float:
    """Sorting the activations of `tokens` tokens by expert and adding up the results: L·k·h·c / BW, on one card.

    llama.cpp multiplies every token's vectors by themselves and sorts none.
    """
    arch = work.arch
    if not arch.moe or work.engine == "llama.cpp":
        return 0.0
    elements = arch.moe_layers * arch.experts_per_token * arch.hidden * tokens
    return elements * constants().decode.permute_bytes / work.bandwidth


def columns(work: Work, batch: float) -> float:
    """Sequences that one product computes: Metal's matrix products in llama.cpp work on whole tiles of them."""
    tile = constants().decode.matrix_columns.get(work.family) if work.engine == "llama.cpp" else None
    if tile is None or batch <= constants().decode.vector_columns:
        return batch
    return math.ceil(batch / tile) * tile


def _exposed_s(beside_s: float, gpu_s: float, power: float) -> float:
    """What is added by work that goes on beside the GPU's: (gpu^p + beside^p)^(1/p) - gpu.

    The host prepares the next step; experts on other nodes are reached for one half of the batch while the other half
    is computed (dual micro-batches of DeepSeek, two-batch overlap of SGLang).
    """
    return float((gpu_s**power + beside_s**power) ** (1 / power)) - gpu_s


def _stage_s(work: Work, batch: float, host_s: float) -> float:
    """Every busy stage but one waits while the last reads or multiplies the output head and samples."""
    busy = min(work.sequences, work.layout.pipeline)
    if busy <= 1:
        return 0.0
    arch, tensor = work.arch, work.layout.tensor
    read = arch.head_params * work.format.head_bits / 8 / (tensor * work.bandwidth * bandwidth_ratio(work))
    multiply = 2 * arch.head_params * batch / (tensor * work.flops_16 * constants().compute.bf16_ratio)
    return (busy - 1) * (max(read, multiply) + host_s)


def _tiled(work: Work, batch: float) -> float:
    """Weights of the experts visited times the columns they are multiplied with, where those are whole tiles."""
    tile = constants().decode.matrix_columns.get(work.family, 0) if work.engine == "llama.cpp" else 0
    if batch <= constants().decode.vector_columns:
        return 0.0
    return work.arch.routed_params * work.arch.coverage(batch) * tile / 4


def dense_efficiency(work: Work, batch: float = math.inf) -> float:
    """Share of the peak that products with dense weights reach, by the type they are computed in.

    llama.cpp multiplies vectors for a few sequences, which widens weights anew for each where there are no integer
    products.
    """
    compute, decode = constants().compute, constants().decode
    few = work.engine == "llama.cpp" and batch <= decode.vector_columns and work.format.body_bits < WIDE_BITS
    if few and work.family in decode.vector_ratios:
        return by_card(work, decode.vector_ratios)
    if work.engine == "llama.cpp" and work.family in decode.matrix_ratios:
        return decode.matrix_ratios[work.family]
    if work.flops_kind == "fp4" and not work.hbm:
        return compute.fp4_gddr_ratio
    if work.family in compute.architecture_ratios and work.engine != "llama.cpp":
        return compute.architecture_ratios[work.family] * compute.fp8_ratio
    return {"bf16": compute.bf16_ratio, "fp8": compute.fp8_ratio, "fp4": compute.fp4_ratio}[work.flops_kind]


def routed_efficiency(work: Work, tokens: float) -> float:
    """The same for routed experts: m tokens an expert visited and w columns of it on a card fill the tiles partly.

    m / (m + m0) · w / (w + w0) of the grouped kernels' best. llama.cpp multiplies vectors, which fill none.
    """
    compute = constants().compute
    if work.engine == "llama.cpp":
        return dense_efficiency(work, tokens)
    visited = max(work.arch.experts * work.arch.coverage(tokens), 1.0)
    each = max(tokens * work.arch.experts_per_token / visited, 1.0)
    width = expert_columns(work)
    filled = each / (each + compute.moe_half_tokens) * width / (width + compute.moe_half_width)
    widened = work.flops_kind == "bf16" and work.format.expert_bits < 16
    narrow = compute.moe_ratio * (compute.widened_moe_ratio if widened else 1.0)
    return dense_efficiency(work) * filled * (narrow + (1 - narrow) * wide_share(work))


def _cache_s(work: Work, batch: float) -> float:
    tensor = work.layout.tensor
    heads = 1 if work.arch.latent else work.arch.kv_heads
    cards = tensor if work.layout.attention_copies else min(tensor, heads)
    decode = constants().decode
    ratios, usual = decode.cache_bandwidth_ratios, decode.cache_bandwidth_ratio
    ratio = ratios.get(f"{work.engine} {work.family}", ratios.get(work.engine, usual)) * work.era.cache_ratio
    again = work.arch.heads / heads if work.era.reads_for_every_head else 1.0
    reading = again * work.cache_bytes(work.context) / (cards * work.bandwidth * ratio)
    computed = decode.attention_ratios.get(f"{work.engine} {work.family}")
    computing = work.attended_flops / (cards * work.flops_16 * computed) if computed else 0.0
    return batch * max(reading, computing)


def _link_s(work: Work, batch: float) -> float:
    """Two all-reduces a layer, or with attention copies sending tokens to experts and back; hops of a pipeline."""
    arch, layout = work.arch, work.layout
    later = later_hop_s(work.gpu, layout.pipeline, 2 * batch * arch.hidden)
    hops = (constants().decode.pipeline_hop_s + later) * (layout.pipeline - 1)
    hops += _machines_s(work, 2 * batch * arch.hidden)
    if layout.attention_copies:
        return arch.moe_layers * exchange_s(work, batch) + hops
    return 2 * arch.layers * _sum_s(work, 2 * batch * arch.hidden) + hops


def _sum_s(work: Work, size_bytes: float) -> float:
    """Adding up `size_bytes` over the cards of a tensor-parallel group, with what the engine takes for it itself."""
    cards, gpu, own = work.layout.tensor, work.gpu, work.floor
    if cards == 1:
        return 0.0
    if cards == 2 and own.pair_s and not switched(gpu, cards):
        return all_reduce_s(gpu, cards, size_bytes, latency=False) + own.pair_s
    slower = own.sum_s + (work.era.reduce_s if gpu.vendor == "NVIDIA" else 0.0)
    return all_reduce_s(gpu, cards, size_bytes, engine=work.engine, network=work.network) + slower


def _machines_s(work: Work, size_bytes: float) -> float:
    """Hops of a serving engine's pipeline to other machines, each with `size_bytes` to hand on."""
    each = constants().decode.network_hop_s + (work.network.hands_on_s(size_bytes) if work.network else 0.0)
    return machine_hops(work) * each


def machine_hops(work: Work) -> int:
    """Stages that begin in another machine; llama.cpp is taken to hold all cards in one."""
    if work.engine == "llama.cpp":
        return 0
    machines = math.ceil(work.layout.tensor * work.layout.pipeline / work.node)
    return min(machines, work.layout.pipeline) - 1


def exchange_s(work: Work, tokens: float, *, latency: bool = True) -> float:
    """Sending the tokens of one layer to the cards of their experts and the results back.

        2·t_exchange + tokens/n · min(k, n-1) · h · (dispatched + 2 bytes) / bus

    A token goes once to each card that holds one of its k experts, in the type experts are multiplied in, and comes
    back in 16 bits. The share of experts on other nodes is reached over the network.
    """
    arch, cards = work.arch, work.layout.tensor
    if cards <= 1:
        return 0.0
    copies = min(arch.experts_per_token, cards - 1)
    moved = tokens / cards * copies * arch.hidden * (min(work.format.expert_bits, 16) / 8 + 2)
    inside = min(cards, work.node)
    moving = moved * inside / cards / bus_bytes_per_s(work.gpu, inside)
    if cards > inside:
        rate = work.network.bytes_per_s if work.network else network_bytes_per_s(work.gpu)
        moving += moved * (1 - inside / cards) / rate
    return 2 * constants().decode.exchange_s + moving if latency else moving


def _floor_s(work: Work) -> float:
    """Launching the kernels of a step on a CUDA data-center card."""
    arch, floor, decode = work.arch, work.floor, constants().decode
    each = decode.moe_layer_s + (decode.shared_layer_s if arch.shared_experts else 0.0)
    experts = each * floor.extra_ratio
    if work.engine == "llama.cpp" and work.sequences > 1:
        experts += decode.batched_moe_layer_s
    every = floor.layer_s * work.era.layer_ratio
    every += decode.latent_layer_s if arch.latent else 0.0
    every += floor.compressed_layer_s if arch.compressed else 0.0
    every += decode.fp4_layer_s if work.flops_kind == "fp4" else 0.0
    return arch.layers * every + arch.moe_layers * experts + arch.linear_layers * decode.linear_layer_s


def _unlike_s(work: Work) -> float:
    """What layers wait longer than those of the usual kind, alike on all cards.

    Those of a release of before; latent ones multiplied head by head (llama.cpp but on Metal), or widened to 16 bits,
    which serving engines' kernels for them are not made for.
    """
    arch = work.arch
    no_kernel = work.flops_kind == "fp4" and not work.hbm
    experts = arch.moe_layers * work.era.fp4_experts_s if no_kernel else 0.0
    latent = 0.0
    if arch.latent:
        by_head = not work.family.startswith("Apple")  # fitted on CUDA; on Metal R1 runs as fast as without it
        latent = arch.layers * arch.heads * work.floor.latent_head_s if by_head else 0.0
        widened = work.graphed and work.flops_kind == "bf16" and arch.moe
        latent += arch.moe_layers * constants().decode.widened_latent_s if widened else 0.0
    return experts + latent + arch.linear_layers * work.era.linear_layer_s


def _sequence_s(work: Work) -> float:
    """Scheduling and sampling one sequence on the host that this card comes with."""
    ratios = constants().decode.host_ratios.items()
    return work.floor.sequence_s * next((ratio for start, ratio in ratios if work.gpu.id.startswith(start)), 1.0)


def _card_ratio(work: Work) -> float:
    """Floors on this card over those on CUDA data-center cards."""
    decode, hbm = constants().decode, work.hbm
    ratio = 1.0 if hbm else work.floor.gddr_ratio
    if work.gpu.vendor == "AMD":
        ratio *= decode.amd_floor_ratio
    if hbm and work.graphed:
        ratio *= decode.served_floor_ratios.get(work.family, 1.0)
    return ratio * by_card(work, decode.architecture_floor_ratios)


def _spill_s(work: Work, spilled: float, batch: float) -> float:
    """Weights left in host memory: read there, and multiplied by its cores for every sequence, one after the other.

    bytes / bandwidth + batch · bytes of one token / cores + layers away · t_handover: two channels decide a desktop,
    the cores a server with eight or sixteen; every layer that is there is waited for twice.
    """
    if not spilled:
        return 0.0
    host = constants().host
    (dense, routed), (dense_away, routed_away) = read_bytes(work, batch), host_shares(work, spilled)
    _, alone = read_bytes(work, 1.0)
    bandwidth = work.host_bandwidth or host.bandwidth_bytes_per_s
    read = dense * dense_away + routed * routed_away
    multiplied = batch * (dense * dense_away + alone * routed_away)
    seconds = read / bandwidth + multiplied / host.cores(bandwidth, work.format.name)
    return seconds + work.arch.layers * max(dense_away, routed_away) * host.handover_s
