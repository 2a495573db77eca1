"""Adding up partial results of all cards, twice a layer, by the link between them."""

from functools import lru_cache

from kb.records.gpu import Gpu
from kb.speed_constants import Link, constants

SWITCHED_BYTES_PER_S = 200e9
"""Links at least this fast join all cards of a node (NVSwitch, Infinity Fabric, HCCS); slower ones bridge two."""


def link_name(gpu: Gpu, cards: int) -> str:
    """Which row of the link table joins `cards` of these in one node."""
    if (gpu.nvlink_bytes_per_s or 0) >= SWITCHED_BYTES_PER_S:
        architecture = gpu.architecture.split()[0].lower()
        return architecture if architecture in constants().links else "switched"
    generation = "pcie5" if gpu.pcie and gpu.pcie >= "5" else "pcie4"
    return f"{generation}_pair" if cards <= 2 else generation


@lru_cache(maxsize=256)
def _link(name: str) -> Link:
    return constants().links[name]


def bus_bytes_per_s(gpu: Gpu, cards: int) -> float:
    """Bandwidth of a collective over `cards` cards of one node, as each card sees it."""
    link = _link(link_name(gpu, cards))
    return link.bus_ratio * (gpu.nvlink_bytes_per_s or 0) if link.bus_ratio else link.bus_bytes_per_s


def all_reduce_s(gpu: Gpu, cards: int, size_bytes: float, *, latency: bool = True) -> float:
    """Time to add `size_bytes` over `cards` cards: latency + 2(n-1)/n · bytes / bus bandwidth (ring).

    Without `latency` only the moving counts: during prefill the launches hide behind the products.
    """
    if cards <= 1:
        return 0.0
    link = _link(link_name(gpu, cards))
    moving = 2 * (cards - 1) / cards * size_bytes / bus_bytes_per_s(gpu, cards)
    if not latency:
        return moving
    return link.latency_s + link.card_latency_s * (cards - 2) + moving
