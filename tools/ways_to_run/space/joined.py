"""What joins several machines: as it was stated, else as machines with such cards usually are."""

from collections.abc import Sequence

from kb.lexicon.link.rules import Link
from kb.machines.links import networks
from kb.records.gpu import Gpu
from tools.speed.network import Network, ethernet, infiniband

NETWORKS = ("ethernet", "infiniband")
"""Kinds of links that join machines."""
MICRO = 1e6
CABLED_BYTES_PER_S = 25e9
"""The cable that NVIDIA's computers of one memory are joined by, where nobody says another."""


def joined_by(link: Link | None, nodes: int, cards: Sequence[Gpu], said: list[str]) -> Network | None:
    """The network of `nodes` machines with these cards each; null for one, and for data-center cards where none is
    stated: theirs is that of their generation."""
    if nodes < 2 or not cards:
        return None
    if link is not None and link.kind in NETWORKS and link.bytes_per_s:
        make = infiniband if link.kind == "infiniband" else ethernet
        found, by = make(link.bytes_per_s, len(cards)), link.name
    elif all(card.market == "data_center" for card in cards):
        return None
    else:
        found, by = ethernet(networks().usual_bytes_per_s, len(cards)), "10GbE, which was not said"
    said.append(_told(found, f"{nodes} machines joined by {by}"))
    return found


def between_computers(stated: float | None, count: int, card: Gpu, said: list[str]) -> Network | None:
    """The same of computers of one memory each, whose layers are shared over a network card's port."""
    if count < 2 or card.vendor == "Apple":
        return None
    rate = stated or (CABLED_BYTES_PER_S if card.vendor == "NVIDIA" else networks().usual_bytes_per_s)
    found = ethernet(rate, 1)
    said.append(_told(found, "Layers shared between them (TP)"))
    return found


def _told(found: Network, what: str) -> str:
    line = (
        f"{what}: {found.bytes_per_s * found.node / 1e9:.2g} GB/s of a machine reached, "
        f"{MICRO * found.wait_s:.0f} µs a message"
    )
    if found.doubted is not None:
        return f"{line} over RDMA (RoCE); the low end is without it, {MICRO * found.doubted.wait_s:.0f} µs."
    return f"{line}."
