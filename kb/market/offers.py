"""Offers to rent: those of the catalog, and those that `gpu-advisor prices refresh` fetched since."""

import csv
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import lru_cache
from typing import Any

from kb.catalog import FACTS, providers, quantity
from kb.market.live_prices import read, stamp
from kb.records.offer import Offer

CENT_OF_A_CENT = Decimal("0.0001")
_FIELDS = ("on_demand_usd_per_hour", "spot_usd_per_hour", "reserved_1y_usd_per_hour", "reserved_3y_usd_per_hour")
_Place = tuple[str, str | None, Decimal, str | None]
PRICES = ("on_demand", "spot", "reserved_1y", "reserved_3y")


def offers() -> tuple[Offer, ...]:
    """Every offer, those of the catalog first; several readings of one offer differ in `as_of`."""
    return _merged(stamp())


def current_offers() -> tuple[Offer, ...]:
    """Offers without the older readings of one that was read again later."""
    return _current(stamp())


@lru_cache(maxsize=1)
def bundled_offers() -> tuple[Offer, ...]:
    """The offers of the catalog, in the order of the file."""
    with (FACTS / "offers.csv").open(encoding="utf-8", newline="") as file:
        return tuple(Offer.model_validate(_typed(row)) for row in csv.DictReader(file))


@lru_cache(maxsize=1)
def read_until() -> str:
    """The ISO date of the catalog's newest reading: what its facts call the present, however late one asks."""
    return max(one.as_of for one in bundled_offers() if one.as_of)


@lru_cache(maxsize=2)
def _merged(_: object) -> tuple[Offer, ...]:
    return bundled_offers() + read().offers


@lru_cache(maxsize=2)
def _current(_: object) -> tuple[Offer, ...]:
    return newest(_merged(_))


def newest(found: Iterable[Offer]) -> tuple[Offer, ...]:
    """Of several readings of one offer (provider, instance, card, region) the last.

    What was fetched since replaces what the catalog holds of the same cloud, card, count and country, however either
    writes its tiers, instances and regions; prices that it does not tell (a reservation's) stay.
    """
    kept: dict[tuple[str, str, str, str | None], Offer] = {}
    for one in found:
        key = (one.provider, one.instance, one.gpu or one.gpu_text, one.region)
        held = kept.get(key)
        if held is None or (one.as_of or "") > (held.as_of or ""):
            kept[key] = one
    return tuple(_less_replaced(kept.values()))


def _less_replaced(found: Iterable[Offer]) -> Iterator[Offer]:
    every = tuple(found)
    fetched: dict[_Place, set[str]] = {}
    for one in every:
        if one.live and one.gpu is not None:
            fetched.setdefault(_place(one), set()).update(name for name in _FIELDS if getattr(one, name) is not None)
    for one in every:
        told = fetched.get(_place(one)) if not one.live and one.gpu is not None else None
        if not told:
            yield one
        elif left := [name for name in _FIELDS if name not in told and getattr(one, name) is not None]:
            gone = {name: None for name in _FIELDS if name not in left}
            yield one.model_copy(update=gone | ({} if "on_demand_usd_per_hour" in left else {"listed_per_hour": None}))


def _place(one: Offer) -> "_Place":
    return family(one.provider), one.gpu, one.gpu_count, one.country


@lru_cache(maxsize=256)
def family(provider: str) -> str:
    """The cloud whose tiers and spellings `provider` may name: "RunPod Secure" and "RunPod Community" are RunPod."""
    known = [row.name for row in providers().values()]
    bare = provider.partition(" (")[0]
    own = [name for name in known if bare == name.partition(" (")[0] or bare.startswith(f"{name.partition(' (')[0]} ")]
    return min(own, key=len, default=provider)


def _typed(row: dict[str, str]) -> dict[str, Any]:
    """A row as the record takes it: quantities in bytes, listed prices in dollars at the dated rate."""
    from kb.market.rates import usd

    currency = row["currency"]
    listed = {name: row.pop(f"{name}_per_hour") for name in PRICES}
    fields: dict[str, Any] = {"gpu": None, **{key: quantity(key, value) for key, value in row.items() if value}}
    fields["listed_currency"] = fields.pop("currency")
    fields["listed_per_hour"] = listed["on_demand"] or None
    for name, amount in listed.items():
        if amount:
            dollars = Decimal(amount) if currency == "USD" else usd(Decimal(amount), currency).quantize(CENT_OF_A_CENT)
            fields[f"{name}_usd_per_hour"] = dollars
    return fields
