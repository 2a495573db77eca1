"""Bridges between the cards of one machine: those its speed is counted with, and those it can be had with."""

from functools import lru_cache

from kb.catalog import gpus
from kb.market.components import of_kind
from kb.records.component import Component
from kb.records.gpu import Gpu
from tools.configuration import Item
from tools.configure.bills.parts import line
from tools.speed.allreduce import SWITCHED_BYTES_PER_S


def bridges_between(gpu: Gpu, cards: int) -> tuple[Component, int] | None:
    """Which bridges join `cards` of a card in one machine, and how many; null where there is none to be had.

    Groups as large as a bridge makes them: four H200 NVL by one of four, six of them by three of two.
    """
    return _between(gpu.id, cards)


@lru_cache(maxsize=1024)
def _between(gpu_id: str, cards: int) -> tuple[Component, int] | None:
    fitting = [one for one in of_kind("bridge") if gpu_id in one.joins and (one.joined or 2) <= cards]
    whole = [one for one in fitting if cards % (one.joined or 2) == 0] or fitting
    best = max(whole, key=lambda one: one.joined or 2, default=None)
    return (best, cards // (best.joined or 2) * best.joins[gpu_id]) if best else None


@lru_cache(maxsize=4096)
def bridge_items(gpu_id: str, cards: int) -> tuple[Item, ...]:
    """The bridges of one machine whose speed is counted over them; slower ones are an extra that no figure needs."""
    gpu = gpus()[gpu_id]
    if (gpu.nvlink_bytes_per_s or 0) < SWITCHED_BYTES_PER_S:
        return ()
    found = bridges_between(gpu, cards)
    return (line("bridge", *found),) if found else ()
