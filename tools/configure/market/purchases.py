"""Ways to buy a card: as few as one machine takes, then whole machines of each size that is sold."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from functools import lru_cache

from kb import clock
from kb.catalog import gpus
from kb.records.gpu import Gpu
from kb.units import GIB
from tools.configure.bills.bill import Bill, bill, cards_alone, condition, given_machines
from tools.configure.bills.host import blown, passive
from tools.configure.load.layout import COUNTS
from tools.configure.market.choice import Choice
from tools.configure.market.own import NOTHING, Own
from tools.configure.market.sold import CHINA, buyable
from tools.configure.market.stream import Stream, grown
from tools.configure.market.suitable import machine_sizes, reads_files, sold_in_systems

ALONE = (1, 2)
"""Cards an ordinary computer takes, for those who have one and little money."""
WHOLE = {"Apple"}
"""Makers of computers that nothing sold joins."""
JOINED = (2,)
"""Whole computers that a cable joins."""
CONSUMER_SHARE = 0.5
"""Memory of the machine over that of GeForce cards in it."""
CLUSTERED = 8
"""Several machines make sense of servers this full; GeForce cards are not licensed for data centres."""


def purchases(
    gpu: Gpu, *, owned: int, asked: bool, country: str | None, own: Own = NOTHING
) -> tuple[Stream, ...]:  # fmt: skip
    """Every stream of purchases of a card that is on the market, or that the person knows a price of."""
    if not buyable(gpu, owned=owned > 0, asked=asked or own.to_buy, country=country):
        return ()
    return _streams(gpu.id, owned, country in CHINA, clock.today(), own._replace(rents=()))


def purchased(gpu: Gpu, count: int, *, country: str | None, own: Own = NOTHING) -> tuple[Choice, ...]:
    """Exactly so many of a card with the machines for them; nothing where they are not sold or fill no machines."""
    if not buyable(gpu, owned=False, asked=True, country=country):
        return ()
    sizes = machine_sizes(gpu)
    inside = count in sizes if sold_in_systems(gpu) else count <= sizes[-1]
    if not inside and count % sizes[-1]:
        return ()
    cards = count if inside else sizes[-1]
    return (_bought(gpu.id, cards, count // cards, 0, country in CHINA, clock.today(), own._replace(rents=())),)


def host_memory(gpu: Gpu, cards: int) -> int:
    """Memory of the machine: as much as its cards together, half of GeForce cards' own, 32 GiB at least.

    People serve from those, out of files that are mapped: published builds of one to four RTX 3090 have 32 GB.
    Loading and checkpoints pass all that the cards hold through the host; nothing proposed here leaves states there.
    Published machines for fine-tuning have as much (four RTX PRO 6000 with 384 GB: autonomous-ai/autonomous-computer,
    4x-6000); twice as much, once the rule, is a fifth of a bill since memory rose in 2026.
    """
    share = CONSUMER_SHARE if gpu.market == "consumer" else 1
    return max(int(gpu.memory_bytes * cards * share), 32 * GIB)


@lru_cache(maxsize=2048)
def _streams(gpu_id: str, owned: int, domestic: bool, day: date, own: Own) -> tuple[Stream, ...]:
    """Cards in hand that suffice stand apart from more of them: the ones cost nothing, the others are bought.

    The same for a day: a choice keeps whether its prices are too old to lead.
    """
    return tuple(stream for choices in _kinds(gpus()[gpu_id], owned, domestic, day, own) for stream in grown(choices))


def _kinds(gpu: Gpu, owned: int, domestic: bool, day: date, own: Own) -> Iterator[list[Choice]]:
    """One machine; cards alone; many machines of each size."""
    sizes = machine_sizes(gpu)
    singles = [size for size in sizes if size in COUNTS]
    if not sold_in_systems(gpu):
        singles = [count for count in COUNTS if count <= sizes[-1]]
    if owned:
        singles = sorted({*singles, *([owned] if owned <= sizes[-1] or owned <= 8 else [])})
    singles = sorted({*singles, *(cards for cards, _ in own.machines)})
    yield [_bought(gpu.id, cards, 1, min(owned, cards), domestic, day, own) for cards in singles]
    if not owned and not sold_in_systems(gpu) and (not passive(gpu) or blown(gpu)) and gpu.vendor not in WHOLE:
        yield [_alone(gpu.id, cards, day, own.card_usd) for cards in (JOINED if reads_files(gpu) else ALONE)]
    for size in sizes:
        if size >= CLUSTERED and gpu.market != "consumer":
            counts = [count for count in COUNTS if count > size and count % size == 0]
            yield [_bought(gpu.id, size, count // size, min(owned, count), domestic, day, own) for count in counts]


@lru_cache(maxsize=16384)
def _bought(gpu_id: str, cards: int, machines: int, owned: int, domestic: bool, _: date, own: Own) -> Choice:
    gpu, each = gpus()[gpu_id], dict(own.machines).get(cards)
    if each is not None and not owned:
        found = given_machines(gpu, cards, machines, each)
    else:
        memory = host_memory(gpu, cards)
        found = bill(gpu_id, cards, machines, owned, memory, domestic=domestic, card_usd=own.card_usd)
    return _choice(gpu, cards, machines, owned, found, own)


@lru_cache(maxsize=4096)
def _alone(gpu_id: str, cards: int, _: date, card_usd: Decimal | None) -> Choice:
    return _choice(gpus()[gpu_id], cards, 1, 0, cards_alone(gpu_id, cards, card_usd), Own(card_usd))


def _choice(gpu: Gpu, cards: int, machines: int, owned: int, found: Bill, own: Own) -> Choice:
    return Choice(
        "buy", gpu, cards, machines, found.amount, found.complete, condition(gpu) == "used", owned, found, None,
        (gpu.tdp_w or 0) * cards * machines or None, own,
    )  # fmt: skip
