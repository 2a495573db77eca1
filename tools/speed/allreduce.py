"""Adding up partial results of all cards, twice a layer, by the link between them, and the network between nodes."""

import math
from functools import lru_cache

from kb.constants.speed_constants import Link, constants
from kb.machines.links import lanes_bytes_per_s, linked, peers, slot_bytes_per_s
from kb.records.gpu import Gpu
from tools.speed.network import NODE, Network, node_cards

SWITCHED_BYTES_PER_S = 200e9
"""Links at least this fast (NVSwitch, Infinity Fabric, HCCS, data-center bridges) carry the sums of a group."""
RING = "pcie_ring"
"""The row of NCCL's ring over PCIe, which waits longer than an engine's own kernel."""
RING_ENGINES = ("vllm", "sglang")
"""Engines whose own kernel for small sums leaves more than two cards without NVLink to NCCL."""


def switched(gpu: Gpu, cards: int) -> bool:
    """Whether a fast link joins `cards` of these in one node: a bridge of two does not join four."""
    return (gpu.nvlink_bytes_per_s or 0) >= SWITCHED_BYTES_PER_S and linked(gpu, cards)


def link_name(gpu: Gpu, cards: int) -> str:
    """Which row of the link table joins `cards` of these in one node."""
    if switched(gpu, cards):
        architecture = gpu.architecture.split()[0].lower()
        return architecture if architecture in constants().links else "switched"
    generation = "pcie5" if gpu.pcie and gpu.pcie >= "5" else "pcie4"
    if not peers(gpu):
        return f"{generation}_host"
    return f"{generation}_pair" if cards <= 2 else generation


@lru_cache(maxsize=256)
def _link(name: str) -> Link:
    return constants().links[name]


def bus_bytes_per_s(gpu: Gpu, cards: int) -> float:
    """Bandwidth of a collective over `cards` cards of one node, as each card sees it.

    Over PCI Express it was measured on sixteen lanes of generation 4 or 5; narrower or older slots move as much less.
    """
    link = _link(link_name(gpu, cards))
    if link.bus_ratio:
        return link.bus_ratio * (gpu.nvlink_bytes_per_s or 0)
    crowded = link.crowded_ratio if 2 < cards <= link.crowded_cards else 1.0
    return link.bus_bytes_per_s * slot_ratio(gpu) * crowded


def slot_ratio(gpu: Gpu) -> float:
    """What the card's slot carries over the sixteen lanes that sums over PCI Express were measured on; at most 1."""
    own = slot_bytes_per_s(gpu)
    measured = lanes_bytes_per_s(5 if link_name(gpu, NODE).startswith("pcie5") else 4)
    return min(own / measured, 1.0) if own else 1.0


def later_hop_s(gpu: Gpu, cards: int, size_bytes: float) -> float:
    """What handing `size_bytes` on to the next stage takes longer on a narrow slot than where it was measured."""
    if switched(gpu, cards):
        return 0.0
    bus = _link(link_name(gpu, 2)).bus_bytes_per_s
    return size_bytes / bus * (1 / slot_ratio(gpu) - 1) if bus else 0.0


def network_bytes_per_s(gpu: Gpu) -> float:
    """Bandwidth of each card to other nodes, as collectives reach it; never more than inside the node."""
    found = constants().training.network_bytes_per_s
    share = _link("network").bus_ratio or 1.0
    return min(share * found.get(gpu.architecture.split()[0], found["other"]), bus_bytes_per_s(gpu, NODE))


def all_reduce_s(
    gpu: Gpu, cards: int, size_bytes: float, *, latency: bool = True, engine: str | None = None,
    network: Network | None = None,
) -> float:  # fmt: skip
    """Time to add `size_bytes` over `cards` cards: latency + 2(n-1)/n · bytes / bus bandwidth (ring).

    `engine` adds more than two cards over PCIe through NCCL where it has no kernel of its own for them.

    Beyond a node of m cards each card adds its m-th part over the network, for k nodes: latency·(1 + log₂ k)
    + 2(k-1)/k · bytes/m / network; `network`: the one that was stated, else that of the card's generation.
    Without `latency` only the moving of large messages counts: during prefill the launches hide behind the products,
    and prompts are added up together.
    """
    if cards <= 1:
        return 0.0
    inside = min(cards, network.node if network else node_cards(gpu))
    link = _link(link_name(gpu, inside))
    small = min(size_bytes, link.small_bytes) / link.small_bus_bytes_per_s if latency else 0.0
    moving = 2 * (inside - 1) / inside * max(size_bytes / bus_bytes_per_s(gpu, inside), small)
    ring = engine in RING_ENGINES and inside > 2 and not switched(gpu, inside)
    waits = _link(RING) if ring else link
    beyond = 0.0
    waiting = waits.latency_s + waits.card_latency_s * (inside - 2) if inside > 1 else 0.0
    nodes = math.ceil(cards / inside)
    if nodes > 1:
        rate = network.bytes_per_s if network else network_bytes_per_s(gpu)
        moving += 2 * (nodes - 1) / nodes * size_bytes / inside / rate
        beyond = (network.wait_s if network else _link("network").latency_s) * (1 + math.log2(nodes))
    if latency:
        return moving + waiting + beyond
    return moving + (beyond if network else 0.0)  # a stated network may be one whose waiting hides behind nothing


__all__ = [
    "NODE", "all_reduce_s", "bus_bytes_per_s", "later_hop_s", "link_name", "network_bytes_per_s", "node_cards",
    "slot_ratio", "switched",
]  # fmt: skip
