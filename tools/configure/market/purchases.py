"""Ways to buy a card: as few as one machine takes, then whole machines of each size that is sold."""

from collections.abc import Iterator
from datetime import date
from functools import lru_cache

from kb import clock
from kb.catalog import gpus
from kb.records.gpu import Gpu
from kb.units import GIB
from tools.configure.bills.bill import Bill, bill, cards_alone, condition
from tools.configure.bills.host import blown, passive
from tools.configure.load.layout import COUNTS
from tools.configure.market.choice import Choice
from tools.configure.market.sold import CHINA, buyable
from tools.configure.market.stream import Stream, grown
from tools.configure.market.suitable import machine_sizes, reads_files, sold_in_systems

ALONE = (1, 2)
"""Cards an ordinary computer takes, for those who have one and little money."""
WHOLE = {"Apple"}
"""Makers of computers that nothing sold joins."""
JOINED = (2,)
"""Whole computers that a cable joins."""
CLUSTERED = 8
"""Several machines make sense of servers this full; GeForce cards are not licensed for data centres."""


def purchases(gpu: Gpu, *, owned: int, asked: bool, country: str | None) -> tuple[Stream, ...]:
    """Every stream of purchases of a card that is on the market."""
    if not buyable(gpu, owned=owned > 0, asked=asked, country=country):
        return ()
    return _streams(gpu.id, owned, country in CHINA, clock.today())


def purchased(gpu: Gpu, count: int, *, country: str | None) -> tuple[Choice, ...]:
    """Exactly so many of a card with the machines for them; nothing where they are not sold or fill no machines."""
    if not buyable(gpu, owned=False, asked=True, country=country):
        return ()
    sizes = machine_sizes(gpu)
    inside = count in sizes if sold_in_systems(gpu) else count <= sizes[-1]
    if not inside and count % sizes[-1]:
        return ()
    cards = count if inside else sizes[-1]
    return (_bought(gpu.id, cards, count // cards, 0, country in CHINA, clock.today()),)


def host_memory(gpu: Gpu, cards: int) -> int:
    """Memory of the machine: as much as its cards together, 32 GiB at least.

    Loading and checkpoints pass all that the cards hold through the host; nothing proposed here leaves states there.
    Published machines for fine-tuning have as much (four RTX PRO 6000 with 384 GB: autonomous-ai/autonomous-computer,
    4x-6000); twice as much, once the rule, is a fifth of a bill since memory rose in 2026.
    """
    return max(gpu.memory_bytes * cards, 32 * GIB)


@lru_cache(maxsize=2048)
def _streams(gpu_id: str, owned: int, domestic: bool, day: date) -> tuple[Stream, ...]:
    """Cards in hand that suffice stand apart from more of them: the ones cost nothing, the others are bought.

    The same for a day: a choice keeps whether its prices are too old to lead.
    """
    return tuple(stream for choices in _kinds(gpus()[gpu_id], owned, domestic, day) for stream in grown(choices))


def _kinds(gpu: Gpu, owned: int, domestic: bool, day: date) -> Iterator[list[Choice]]:
    """One machine; cards alone; many machines of each size."""
    sizes = machine_sizes(gpu)
    singles = [size for size in sizes if size in COUNTS]
    if not sold_in_systems(gpu):
        singles = [count for count in COUNTS if count <= sizes[-1]]
    if owned:
        singles = sorted({*singles, *([owned] if owned <= sizes[-1] or owned <= 8 else [])})
    yield [_bought(gpu.id, cards, 1, min(owned, cards), domestic, day) for cards in singles]
    if not owned and not sold_in_systems(gpu) and (not passive(gpu) or blown(gpu)) and gpu.vendor not in WHOLE:
        yield [_alone(gpu.id, cards, day) for cards in (JOINED if reads_files(gpu) else ALONE)]
    for size in sizes:
        if size >= CLUSTERED and gpu.market != "consumer":
            counts = [count for count in COUNTS if count > size and count % size == 0]
            yield [_bought(gpu.id, size, count // size, min(owned, count), domestic, day) for count in counts]


@lru_cache(maxsize=16384)
def _bought(gpu_id: str, cards: int, machines: int, owned: int, domestic: bool, _: date) -> Choice:
    gpu = gpus()[gpu_id]
    found = bill(gpu_id, cards, machines, owned, host_memory(gpu, cards), domestic=domestic)
    return _choice(gpu, cards, machines, owned, found)


@lru_cache(maxsize=4096)
def _alone(gpu_id: str, cards: int, _: date) -> Choice:
    return _choice(gpus()[gpu_id], cards, 1, 0, cards_alone(gpu_id, cards))


def _choice(gpu: Gpu, cards: int, machines: int, owned: int, found: Bill) -> Choice:
    return Choice(
        "buy", gpu, cards, machines, found.amount, found.complete, condition(gpu) == "used", owned, found, None,
        (gpu.tdp_w or 0) * cards * machines or None,
    )  # fmt: skip
