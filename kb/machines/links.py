"""Generations of NVLink, PCI Express and tensor cores."""

from functools import lru_cache
from typing import Any, NamedTuple

from kb.catalog import FACTS, load_yaml, quantity
from kb.machines.topology import topology_facts
from kb.records.gpu import Gpu
from kb.records.source import Source

UNIFIED = "unified"
"""Mark of memory that a chip's processor and graphics share, in the catalog's `memory_type`."""
LANES = 16
"""Of a slot, where a card does not say that it has fewer."""


@lru_cache(maxsize=1)
def _facts() -> dict[str, Any]:
    facts: dict[str, Any] = load_yaml(FACTS / "links.yaml")
    return facts


def nvlink_generation(card: Gpu) -> int | None:
    """Which NVLink a card has; null for none, or another maker's link."""
    if card.vendor != "NVIDIA" or card.nvlink_bytes_per_s is None:
        return None
    of = {row["architecture"]: int(version) for version, row in _facts()["nvlink"].items()}
    of["Turing"] = of["Volta"]  # Turing's bridge cards carry Volta's links
    return next((version for name, version in of.items() if card.architecture.startswith(name)), None)


def linked(card: Gpu, cards: int) -> bool:
    """Whether a group of `cards` of these in one machine talks over their own link, not over PCIe."""
    return bool(card.nvlink_bytes_per_s) and (card.link_cards is None or cards <= card.link_cards)


def peers(card: Gpu) -> bool:
    """Whether cards like it may read each other's memory over PCIe: GeForce drivers deny it since Turing."""
    denied = _facts()["peerless"]
    consumer = card.vendor == "NVIDIA" and card.market == denied["market"]
    return not (consumer and card.architecture.split()[0] in denied["architectures"])


def tensor_core_generation(card: Gpu) -> int | None:
    """Which generation of tensor cores a card has; null for none, or another maker's units."""
    if card.vendor != "NVIDIA" or not (card.tensor_cores or card.fp16_flops):
        return None
    of: dict[str, int] = _facts()["tensor_core_generation"]
    return next((version for name, version in of.items() if card.architecture.startswith(name)), None)


def pcie_bytes_per_s(card: Gpu) -> int | None:
    """What sixteen lanes of the card's PCI Express carry, both directions together."""
    row = _facts()["pcie"].get(int(card.pcie.split(".")[0])) if card.pcie else None
    return int(quantity("_bytes_per_s", row["bandwidth"])) if row else None


def pcie_slot(card: Gpu) -> tuple[int, int] | None:
    """Generation and lanes of the card's PCI Express; null where no source states it."""
    if not card.pcie:
        return None
    generation, _, lanes = card.pcie.partition(" x")
    return int(generation.split(".")[0]), int(lanes or LANES)


@lru_cache(maxsize=64)
def lanes_bytes_per_s(generation: int, lanes: int = LANES) -> float:
    """What so many lanes carry one way, after line coding: lanes · rate of the generation."""
    rates = {one.generation: one.lane_bytes_per_s for one in topology_facts().pcie_lanes}
    return lanes * rates[generation]


def slot_bytes_per_s(card: Gpu) -> float | None:
    """What the card's PCI Express carries one way; null where no source states it."""
    slot = pcie_slot(card)
    return lanes_bytes_per_s(*slot) if slot else None


class Pooled(NamedTuple):
    """What it takes to hold a model on several computers of one memory each."""

    hop_s: tuple[float, float, float]
    """Seconds that every further computer adds to a token: value, low, high."""
    bytes_per_s: float
    """One way between two of them, where the link was not said."""
    shared_layers: dict[int, float]
    """Computers → how many times as fast as one they were when they shared every layer over RDMA."""
    sources: tuple[Source, ...]


@lru_cache(maxsize=1)
def pooled() -> Pooled:
    """The facts, loaded once."""
    row = _facts()["pooled"]
    hop, shared = row["hop_s"], row["shared_layers"]
    return Pooled(
        (hop["value"], hop["low"], hop["high"]), row["bytes_per_s"],
        {count: ratio for count, ratio in shared.items() if isinstance(count, int)},
        tuple(Source(id=key, **one) for key, one in row["sources"].items()),
    )  # fmt: skip


class Transport(NamedTuple):
    """How messages pass between machines."""

    wait_s: float
    """A small message, one way."""
    reached_ratio: float
    """Share of the stated rate that collectives reach."""
    most_bytes_per_s: float | None = None
    """What they reach at most, however fast the card."""

    def reaches(self, stated_bytes_per_s: float) -> float:
        """Bytes a second of collectives over a card of a stated rate."""
        reached = self.reached_ratio * stated_bytes_per_s
        return min(reached, self.most_bytes_per_s) if self.most_bytes_per_s else reached


class Networks(NamedTuple):
    """What joins machines that hold one copy of a model."""

    rdma: Transport
    sockets: Transport
    rdma_from_bytes_per_s: float
    """Rate of Ethernet from which it is taken to carry RDMA."""
    usual_bytes_per_s: float
    """Rate where nobody stated one."""
    sources: tuple[Source, ...]


@lru_cache(maxsize=1)
def networks() -> Networks:
    """The facts, loaded once."""
    row = _facts()["networks"]
    return Networks(
        Transport(**row["rdma"]), Transport(**row["sockets"]), row["rdma_from_bytes_per_s"], row["usual_bytes_per_s"],
        tuple(Source(id=key, **one) for key, one in row["sources"].items()),
    )  # fmt: skip


def stands_alone(card: Gpu) -> bool:
    """Whether it is a computer of one memory: another is joined to it by a network, never by a slot."""
    return UNIFIED in (card.memory_type or "") and card.market != "data_center"
