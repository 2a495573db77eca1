"""What can be acquired: purchases by machine and rentals by offer, each a stream of growing size and price."""

import threading
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cached_property, lru_cache
from operator import itemgetter

from kb.catalog import gpus
from kb.exports import restriction
from kb.live_prices import stamp
from kb.offers import current_offers
from kb.records.gpu import Gpu
from kb.records.offer import Offer
from kb.units import GIB
from tools.configuration import Reason
from tools.configure.bill import Bill, bill, cards_alone, condition
from tools.configure.host import passive
from tools.configure.layout import COUNTS
from tools.configure.reasons import reason
from tools.configure.suitable import MAINSTREAM, machine_sizes, sold_in_systems
from tools.prices import age_days, card_price

CHINA = {"CN", "HK", "MO"}
"""Where the makers' editions for China are sold."""
ORDERABLE = {"available", "export_variant"}
USED_PRICE_DAYS = 400
"""A second-hand price older than this tells nothing about today's market."""
FIRST_USED_YEAR = 2018
ALONE = (1, 2)
"""Cards an ordinary computer takes, for those who have one and little money."""
FAR = Decimal(10) ** 15
LEAVING_CUDA = Decimal("1.3")
"""What a purchase outside CUDA is charged in the ranking, not in the price: a judgement, for porting and support."""
MACHINE_SHARE = Decimal("0.2")
"""Part of a purchase budget kept for what has no price, and charged to it in the ranking."""
UNSURE_DAYS = 365
UNSURE = Decimal("1.3")
"""What a rent, or a purchase by the price of its cards, is charged in the ranking, not in the price, when it is undated
or was read longer ago: most instances of the catalog that were read twice in 2026 had moved by less than that within
two or three months. So what was dated of late leads unless another is a quarter cheaper."""
CLUSTERED = 8
"""Several machines make sense of servers this full; GeForce cards are not licensed for data centres."""


@dataclass(frozen=True, eq=False)
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

    @cached_property
    def unsure(self) -> bool:
        """Whether it is a rent of which nobody knows whether it is still asked."""
        return self.offer is not None and is_unsure(self.offer.as_of)

    @cached_property
    def felt(self) -> Decimal:
        """The price as it ranks: unknown parts, leaving CUDA and rents nobody dated are charged for."""
        if self.amount is None:
            return FAR
        if self.unsure:
            return self.amount * UNSURE
        amount = self.amount if self.complete else self.amount / (1 - MACHINE_SHARE)
        return amount * (LEAVING_CUDA if self.foreign else 1) * (UNSURE if self.aged else 1)

    @property
    def foreign(self) -> bool:
        """Whether it is a purchase outside CUDA."""
        return self.acquisition == "buy" and self.gpu.vendor != MAINSTREAM

    @cached_property
    def aged(self) -> bool:
        """Whether it is a purchase whose cards nobody was read to sell at that price within a year."""
        if self.bill is None:
            return False
        return any(item.part in {"gpu", "system"} and is_unsure(item.price_date) for item in self.bill.items)

    @property
    def charged(self) -> bool:
        """Whether it ranks by more than its whole price: one nobody dated of late, or a purchase outside CUDA."""
        return self.unsure or self.aged or self.foreign

    @cached_property
    def key(self) -> tuple[object, ...]:
        """Order among choices: new before used, known prices before unknown, cheap first."""
        name = self.offer.id if self.offer else self.gpu.id
        return self.used, not self.complete, self.felt, self.count, self.machines, name

    @cached_property
    def dearness(self) -> tuple[object, ...]:
        """Order by price alone; like prices in the order among choices."""
        return self.amount or 0, self.key


def is_unsure(as_of: str | None) -> bool:
    """Whether a rent is undated or was read too long ago to lead."""
    age = age_days(as_of)
    return age is None or age > UNSURE_DAYS


class Stream:
    """Growing choices of one card, drawn once and read by many searches."""

    def __init__(
        self, gpu: Gpu, owned: int, drawn: Iterator[Choice], instance: int = 0, *, unsure: bool = False
    ) -> None:
        self.gpu, self.owned = gpu, owned
        self.steps: Hashable = (gpu.id, instance) if instance else self
        """Equal for streams of the same numbers in the same machines: instances of so many cards."""
        self.unsure = unsure
        self._drawn, self._known = drawn, list[Choice]()
        self._access = threading.Lock()

    def at(self, place: int) -> Choice | None:
        """The choice at this place, counted from 0; null beyond the last."""
        if place >= len(self._known):
            with self._access:
                while place >= len(self._known):
                    following = next(self._drawn, None)
                    if following is None:
                        return None
                    self._known.append(following)
        return self._known[place]


def purchases(gpu: Gpu, *, owned: int, asked: bool, country: str | None) -> tuple[Stream, ...]:
    """Ways to buy a card: as few as one machine takes, then whole machines of each size that is sold."""
    if not buyable(gpu, owned=owned > 0, asked=asked, country=country):
        return ()
    if owned:
        return tuple(_bought_streams(gpu, owned, domestic=country in CHINA))
    return _new_streams(gpu.id, country in CHINA)


@lru_cache(maxsize=2048)
def _new_streams(gpu_id: str, domestic: bool) -> tuple[Stream, ...]:
    return tuple(_bought_streams(gpus()[gpu_id], 0, domestic=domestic))


def _bought_streams(gpu: Gpu, owned: int, *, domestic: bool) -> Iterator[Stream]:
    sizes = machine_sizes(gpu)
    singles = [size for size in sizes if size in COUNTS]
    if not sold_in_systems(gpu):
        singles = [count for count in COUNTS if count <= sizes[-1]]
    if owned:
        singles = sorted({*singles, *([owned] if owned <= sizes[-1] or owned <= 8 else [])})
    yield Stream(gpu, owned, (_purchase(gpu, cards, 1, owned, domestic=domestic) for cards in singles))
    if not owned and not sold_in_systems(gpu) and not passive(gpu):
        yield Stream(gpu, 0, (_alone(gpu.id, cards) for cards in ALONE))
    for size in sizes:
        if size >= CLUSTERED and gpu.market != "consumer":
            yield Stream(gpu, owned, _clustered(gpu, size, owned, domestic=domestic))


def _clustered(gpu: Gpu, size: int, owned: int, *, domestic: bool) -> Iterator[Choice]:
    for count in COUNTS:
        if count > size and count % size == 0:
            yield _purchase(gpu, size, count // size, owned, domestic=domestic)


def buyable(gpu: Gpu, *, owned: bool, asked: bool, country: str | None) -> bool:
    """Whether the card is on the market: new, or second-hand with a recent price; and may be sold in the country.

    One that is asked for is looked for second-hand whatever is known of its price.
    """
    if owned:
        return True
    if gpu.market == "cloud_only" or gpu.status == "announced" or unsold(gpu, country) is not None:
        return False
    if gpu.status == "export_variant" and country not in CHINA and not asked:
        return False
    return asked or gpu.status in ORDERABLE or second_hand(gpu)


def unsold(gpu: Gpu, country: str | None) -> Reason | None:
    """Why a card is not sold in a country, whoever asks for it; null when it is, or the country is open."""
    rule = restriction(gpu.id, country)
    if rule is not None and rule.effect != "licence":
        code = "not_sold_here" if rule.effect == "barred" else "case_by_case_here"
        return reason("reason", code, country=country, since=rule.since)
    if gpu.status == "export_variant" and country is not None and country not in CHINA:
        return reason("reason", "made_for_elsewhere", country=country)
    return None


def purchased(gpu: Gpu, count: int, *, country: str | None) -> tuple[Choice, ...]:
    """Exactly so many of a card with the machines for them; nothing where they are not sold or fill no machines."""
    if not buyable(gpu, owned=False, asked=True, country=country):
        return ()
    sizes = machine_sizes(gpu)
    inside = count in sizes if sold_in_systems(gpu) else count <= sizes[-1]
    if not inside and count % sizes[-1]:
        return ()
    cards = count if inside else sizes[-1]
    return (_purchase(gpu, cards, count // cards, 0, domestic=country in CHINA),)


def rented(gpu: Gpu, count: int, provider: str | None, country: str | None) -> tuple[Choice, ...]:
    """Exactly so many of a card as instances, as they rank; nothing where no instance divides them."""
    found = []
    for _, offer in _offered(gpu, provider, country):
        machines, left = divmod(count, int(offer.gpu_count))
        if machines and not left:
            hourly = (offer.on_demand_usd_per_hour or Decimal(0)) * machines
            found.append(Choice("rent", gpu, int(offer.gpu_count), machines, hourly, True, offer=offer))
    return tuple(sorted(found, key=lambda choice: choice.key))


def second_hand(gpu: Gpu) -> bool:
    """Whether a card no longer made has a recent street price and goes into an ordinary machine."""
    price = card_price(gpu)
    if gpu.status not in {"discontinued"} or (gpu.year or 0) < FIRST_USED_YEAR or sold_in_systems(gpu) or price is None:
        return False
    age = age_days(price.as_of)
    return price.kind == "street" and age is not None and age <= USED_PRICE_DAYS


def _purchase(gpu: Gpu, cards: int, machines: int, owned: int, *, domestic: bool) -> Choice:
    return _bought(gpu.id, cards, machines, min(owned, cards * machines), domestic)


@lru_cache(maxsize=16384)
def _bought(gpu_id: str, cards: int, machines: int, owned: int, domestic: bool) -> Choice:
    gpu = gpus()[gpu_id]
    found = bill(gpu_id, cards, machines, owned, host_memory(gpu, cards), domestic=domestic)
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


def host_memory(gpu: Gpu, cards: int) -> int:
    """Memory of the machine: as much as its cards together, 32 GiB at least.

    Loading and checkpoints pass all that the cards hold through the host; nothing proposed here leaves states there.
    Published machines for fine-tuning have as much (four RTX PRO 6000 with 384 GB: autonomous-ai/autonomous-computer,
    4x-6000); twice as much, once the rule, is a fifth of a bill since memory rose in 2026.
    """
    return max(gpu.memory_bytes * cards, 32 * GIB)


def rentals(gpu: Gpu, provider: str | None, country: str | None) -> tuple[Stream, ...]:
    """Ways to rent a card: one or more of each instance that has it.

    Chinese clouds ask for an identity in China, so they are left out for those who are elsewhere. Of instances with as
    many of the card, those that rank behind a cheaper one are beaten in every number of them.
    """
    found: list[Stream] = []
    least: dict[int, Decimal] = {}
    for stream, offer in _offered(gpu, provider, country):
        cards, hourly = int(offer.gpu_count), offer.on_demand_usd_per_hour or FAR
        if hourly < least.get(cards, FAR):
            least[cards] = hourly
            found.append(stream)
    return tuple(found)


def _offered(gpu: Gpu, provider: str | None, country: str | None) -> Iterator[tuple[Stream, Offer]]:
    """The instances open to somebody in a country, or those of one provider."""
    for stream, offer in _rented_streams(gpu.id, stamp(), datetime.now(UTC).date()):
        shut = offer.listed_currency == "CNY" and country not in {None, *CHINA}
        if offer.provider == provider or (provider is None and not shut):
            yield stream, offer


@lru_cache(maxsize=1024)
def _rented_streams(gpu_id: str, _: object, __: date) -> tuple[tuple[Stream, Offer], ...]:
    """Every instance as it ranks; the same for a day, or until live prices are fetched again."""
    gpu = gpus()[gpu_id]
    return tuple(
        (Stream(gpu, 0, _rented(gpu, offer), int(offer.gpu_count), unsure=is_unsure(offer.as_of)), offer)
        for offer in _offers_of(gpu_id)
    )


def _rented(gpu: Gpu, offer: Offer) -> Iterator[Choice]:
    cards = int(offer.gpu_count)
    for count in (cards, *(count for count in COUNTS if count > cards)):
        if count % cards == 0:
            machines = count // cards
            hourly = offer.on_demand_usd_per_hour or Decimal(0)
            yield Choice("rent", gpu, cards, machines, hourly * machines, True, offer=offer)


def _offers_of(gpu_id: str) -> list[Offer]:
    """Offers of whole cards at a price, of several readings the newest, in the order of what they are felt to cost."""
    found = []
    for offer in current_offers():
        hourly = offer.on_demand_usd_per_hour
        if offer.gpu == gpu_id and hourly and offer.gpu_count == int(offer.gpu_count):
            found.append((hourly * (UNSURE if is_unsure(offer.as_of) else 1), hourly, offer.id, offer))
    return [offer for *_, offer in sorted(found, key=itemgetter(0, 1, 2))]
