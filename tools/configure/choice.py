"""What can be acquired: purchases by machine and rentals by offer, each a stream of growing size and price."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from kb.catalog import gpus
from kb.exports import restriction
from kb.live_prices import stamp
from kb.offers import current_offers
from kb.records.gpu import Gpu
from kb.records.offer import Offer
from kb.units import GIB
from tools.configure.bill import Bill, bill, cards_alone, condition
from tools.configure.host import passive
from tools.configure.layout import COUNTS
from tools.configure.suitable import machine_sizes, sold_in_systems
from tools.prices import age_days, card_price

CHINA = {"CN", "HK", "MO"}
"""Where the makers' editions for China are sold."""
ORDERABLE = {"available", "export_variant"}
USED_PRICE_DAYS = 400
"""A second-hand price older than this tells nothing about today's market."""
FIRST_USED_YEAR = 2018
ALONE = (1, 2)
"""Cards an ordinary computer takes, for those who have one and little money."""
CLUSTERED = 8
"""Several machines make sense of servers this full; GeForce cards are not licensed for data centres."""


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """So many of a card, in machines of so many, bought or rented."""

    acquisition: str
    gpu: Gpu
    cards: int
    """In one machine or instance."""
    machines: int
    amount: Decimal | None
    """Dollars for a purchase, dollars an hour for rent; null when nothing has a price."""
    complete: bool
    used: bool = False
    owned: int = 0
    bill: Bill | None = None
    offer: Offer | None = None
    power_w: int | None = None

    @property
    def count(self) -> int:
        """Cards in all."""
        return self.cards * self.machines


def purchase_streams(
    gpu: Gpu, *, owned: int, asked: bool, country: str | None, training: bool, most: int | None
) -> Iterator[Iterator[Choice]]:
    """Ways to buy a card: as few as one machine takes, then whole machines of each size that is sold."""
    if not buyable(gpu, owned=owned > 0, asked=asked, country=country):
        return
    sizes = machine_sizes(gpu)
    singles = [size for size in sizes if size in COUNTS]
    if not sold_in_systems(gpu):
        singles = [count for count in COUNTS if count <= sizes[-1]]
    if owned:
        singles = sorted({*singles, *([owned] if owned <= sizes[-1] or owned <= 8 else [])})
    yield (_purchase(gpu, cards, 1, owned, training, country) for cards in singles if most is None or cards <= most)
    if not owned and not sold_in_systems(gpu) and not passive(gpu):
        yield (_alone(gpu.id, cards) for cards in ALONE if most is None or cards <= most)
    for size in sizes:
        if size >= CLUSTERED and gpu.market != "consumer":
            yield (
                _purchase(gpu, size, count // size, owned, training, country)
                for count in COUNTS
                if count > size and count % size == 0 and (most is None or count <= most)
            )


def buyable(gpu: Gpu, *, owned: bool, asked: bool, country: str | None) -> bool:
    """Whether the card is on the market: new, or second-hand with a recent price; and may be sold in the country."""
    if owned:
        return True
    if gpu.market == "cloud_only" or gpu.status == "announced":
        return False
    if asked:
        return True
    rule = restriction(gpu.id, country)
    if rule is not None and rule.effect != "licence":
        return False
    if gpu.status == "export_variant" and country not in CHINA:
        return False
    return gpu.status in ORDERABLE or second_hand(gpu)


def second_hand(gpu: Gpu) -> bool:
    """Whether a card no longer made has a recent street price and goes into an ordinary machine."""
    price = card_price(gpu)
    if gpu.status not in {"discontinued"} or gpu.year < FIRST_USED_YEAR or sold_in_systems(gpu) or price is None:
        return False
    age = age_days(price.as_of)
    return price.kind == "street" and age is not None and age <= USED_PRICE_DAYS


def _purchase(gpu: Gpu, cards: int, machines: int, owned: int, training: bool, country: str | None) -> Choice:
    return _bought(gpu.id, cards, machines, min(owned, cards * machines), training, country in CHINA)


@lru_cache(maxsize=65536)
def _bought(gpu_id: str, cards: int, machines: int, owned: int, training: bool, domestic: bool) -> Choice:
    gpu = gpus()[gpu_id]
    found = bill(gpu_id, cards, machines, owned, host_memory(gpu, cards, training), domestic=domestic)
    return Choice(
        "buy", gpu, cards, machines, found.amount, found.complete, condition(gpu) == "used", owned, found, None,
        (gpu.tdp_w or 0) * cards * machines or None,
    )  # fmt: skip


@lru_cache(maxsize=4096)
def _alone(gpu_id: str, cards: int) -> Choice:
    gpu = gpus()[gpu_id]
    found = cards_alone(gpu_id, cards)
    return Choice(
        "buy", gpu, cards, 1, found.amount, found.complete, condition(gpu) == "used", 0, found, None,
        (gpu.tdp_w or 0) * cards or None,
    )  # fmt: skip


def host_memory(gpu: Gpu, cards: int, training: bool) -> int:
    """Memory of the machine: as much as its cards for serving, twice as much for training, 32 GiB at least.

    Loading passes the weights through the host; training also keeps data loaders, checkpoints and offloaded states.
    """
    return max(gpu.memory_bytes * cards * (2 if training else 1), 32 * GIB)


def rental_streams(gpu: Gpu, provider: str | None, most: int | None, country: str | None) -> Iterator[Iterator[Choice]]:
    """Ways to rent a card: one or more of each instance that has it.

    Chinese clouds ask for an identity in China, so they are left out for those who are elsewhere.
    """
    for offer in _offers_of(gpu.id):
        shut = offer.listed_currency == "CNY" and country not in {None, *CHINA}
        if offer.provider == provider or (provider is None and not shut):
            yield _rentals(gpu, offer, most)


def _rentals(gpu: Gpu, offer: Offer, most: int | None) -> Iterator[Choice]:
    cards = int(offer.gpu_count)
    for count in (cards, *(count for count in COUNTS if count > cards)):
        if count % cards == 0 and (most is None or count <= most):
            machines = count // cards
            hourly = offer.on_demand_usd_per_hour or Decimal(0)
            yield Choice("rent", gpu, cards, machines, hourly * machines, True, offer=offer)


def _offers_of(gpu_id: str) -> tuple[Offer, ...]:
    """Offers of whole cards at a price, in an order of their own so that the file's does not matter."""
    return _held_of(gpu_id, stamp())


@lru_cache(maxsize=1024)
def _held_of(gpu_id: str, _: object) -> tuple[Offer, ...]:
    """The same until live prices are fetched again; of several readings of one offer the newest."""
    found = [
        offer
        for offer in current_offers()
        if offer.gpu == gpu_id and offer.on_demand_usd_per_hour and offer.gpu_count == int(offer.gpu_count)
    ]
    return tuple(sorted(found, key=lambda offer: offer.id))
