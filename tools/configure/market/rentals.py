"""Ways to rent a card: one or more of each instance that has it."""

from collections.abc import Iterator
from datetime import date
from decimal import Decimal
from functools import lru_cache
from operator import itemgetter

from kb import clock
from kb.catalog import gpus, providers
from kb.market.live_prices import stamp
from kb.market.offers import current_offers
from kb.records.gpu import Gpu
from kb.records.offer import Offer
from tools.configure.load.layout import COUNTS
from tools.configure.market.choice import FAR, UNSURE, Choice, is_unsure
from tools.configure.market.own import GIVEN, NOTHING, Own
from tools.configure.market.sold import CHINA
from tools.configure.market.stream import Stream

Asking = tuple[object, date]
"""State of the live prices, and the day."""


def asking() -> Asking:
    """What rents depend on besides the card: looked up once a search, for it asks the disk."""
    return stamp(), clock.today()


def rentals(
    gpu: Gpu, provider: str | None, country: str | None, at: Asking | None = None, own: Own = NOTHING
) -> tuple[Stream, ...]:  # fmt: skip
    """Every stream of rentals of a card; those of the person's own in place of all others.

    Chinese clouds ask for an identity in China, so they are left out for those who are elsewhere. Of instances with as
    many of the card, those that rank behind a cheaper one are beaten in every number of them.
    """
    if own.rents:
        return tuple(Stream(_rented(gpu, offer), int(offer.gpu_count)) for offer in _given(gpu, own))
    return _unbeaten(gpu.id, provider, _shut_out(country), *(at or asking()))


@lru_cache(maxsize=1024)
def _unbeaten(gpu_id: str, provider: str | None, shut_out: bool, state: object, day: date) -> tuple[Stream, ...]:
    found: list[Stream] = []
    least: dict[int, Decimal] = {}
    for stream, offer in _open_to(gpu_id, provider, shut_out, state, day):
        cards, hourly = int(offer.gpu_count), offer.on_demand_usd_per_hour or FAR
        if hourly < least.get(cards, FAR):
            least[cards] = hourly
            found.append(stream)
    return tuple(found)


def rented(
    gpu: Gpu, count: int, provider: str | None, country: str | None, own: Own = NOTHING
) -> tuple[Choice, ...]:  # fmt: skip
    """Exactly so many of a card as instances, as they rank; nothing where no instance divides them."""
    found = []
    offers = _given(gpu, own) if own.rents else [offer for _, offer in _offered(gpu, provider, country)]
    for offer in offers:
        machines, left = divmod(count, int(offer.gpu_count))
        if machines and not left:
            found.append(_instances(gpu, offer, machines))
    return tuple(sorted(found, key=lambda choice: choice.key))


def _given(gpu: Gpu, own: Own) -> list[Offer]:
    """Rents of the person's own as offers, which are as new as the question."""
    return [
        Offer(
            id=f"{GIVEN}/{gpu.id}/{cards}", provider="your offer", gpu=gpu.id, gpu_text=gpu.name,
            instance="per GPU" if cards == 1 else f"with {cards} GPUs", gpu_count=Decimal(cards),
            on_demand_usd_per_hour=hourly, spot_usd_per_hour=hourly if spot else None,
            as_of=clock.today().isoformat(), source=GIVEN,
        )
        for cards, hourly, spot in own.rents
    ]  # fmt: skip


def _offered(gpu: Gpu, provider: str | None, country: str | None) -> Iterator[tuple[Stream, Offer]]:
    """The instances open to somebody in a country, or those of one provider."""
    return _open_to(gpu.id, provider, _shut_out(country), *asking())


def _shut_out(country: str | None) -> bool:
    """Whether Chinese clouds are closed to somebody in a country."""
    return country not in {None, *CHINA}


def _open_to(
    gpu_id: str, provider: str | None, shut_out: bool, state: object, day: date
) -> Iterator[tuple[Stream, Offer]]:
    for stream, offer in _rented_streams(gpu_id, state, day):
        shut = shut_out and offer.listed_currency == "CNY"
        if (provider is None and not shut) or (provider is not None and _is_of(provider, offer.provider)):
            yield stream, offer


@lru_cache(maxsize=4096)
def _is_of(provider: str, name: str) -> bool:
    """Whether an offer is a cloud's, or one of its tiers: RunPod Secure is RunPod's, AWS China a cloud of its own."""
    return name == provider or (
        name.startswith(f"{provider} ") and all(one.name != name for one in providers().values())
    )


@lru_cache(maxsize=1024)
def _rented_streams(gpu_id: str, _: object, __: date) -> tuple[tuple[Stream, Offer], ...]:
    """Every instance as it ranks; the same for a day, or until live prices are fetched again."""
    gpu = gpus()[gpu_id]
    return tuple((Stream(_rented(gpu, offer), int(offer.gpu_count)), offer) for offer in _offers_of(gpu_id))


def _rented(gpu: Gpu, offer: Offer) -> Iterator[Choice]:
    cards = int(offer.gpu_count)
    for count in (cards, *(count for count in COUNTS if count > cards)):
        if count % cards == 0:
            yield _instances(gpu, offer, count // cards)


def _instances(gpu: Gpu, offer: Offer, machines: int) -> Choice:
    hourly = offer.on_demand_usd_per_hour or Decimal(0)
    return Choice("rent", gpu, int(offer.gpu_count), machines, hourly * machines, True, offer=offer)


def _offers_of(gpu_id: str) -> list[Offer]:
    """Offers of whole cards at a price, of several readings the newest, in the order of what they are felt to cost."""
    found = []
    for offer in current_offers():
        hourly = offer.on_demand_usd_per_hour
        if offer.gpu == gpu_id and hourly and offer.gpu_count == int(offer.gpu_count):
            found.append((hourly * (UNSURE if is_unsure(offer.as_of) else 1), hourly, offer.id, offer))
    return [offer for *_, offer in sorted(found, key=itemgetter(0, 1, 2))]
