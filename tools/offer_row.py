"""Rental offers as a search shows them: priced for one way of buying, or known without a price."""

from typing import Literal

from kb.base import Frozen, Money
from tools.offer_match import Interconnect

Purchase = Literal["on_demand", "spot", "reserved", "reserved_3y"]


class OfferRow(Frozen):
    """One offer with its price for one way of buying."""

    id: str
    provider: str
    instance: str
    gpu: str | None
    """Catalog id; null when the listing mixes several."""
    gpu_text: str
    gpu_count: Money
    """A fraction for a share of a card."""
    vcpus: int | None
    host_memory_bytes: int | None
    gpu_memory_bytes_total: int | None
    """Stated memory of all its GPUs."""
    interconnect: Interconnect | None
    """How its GPUs are joined; null for a single GPU or an unknown card."""
    network_bits_per_s: int | None
    region: str | None
    country: str | None
    purchase: Purchase
    usd_per_hour: Money
    """For the whole instance."""
    usd_per_gpu_hour: Money
    currency: str
    per_hour: Money
    """For the whole instance, in `currency`."""
    listed_currency: str
    """Other than USD: the dollar figure was converted."""
    listed_per_hour: Money | None
    """The on-demand price as the provider lists it."""
    as_of: str | None
    """When the price was read; null = undated."""
    age_days: int | None
    stale: bool
    """Older than 30 days, or undated."""
    undated: bool
    live: bool
    """Fetched by `gpu-advisor prices refresh`."""
    source: str
    notes: str


class Near(Frozen):
    """What would be found if one filter were dropped."""

    without: str
    """The filter."""
    total: int
    """Offers that would be left."""
    offer: OfferRow
    """The first of them."""


class Shape(Frozen):
    """An instance type that meets the query, of which nobody read a price."""

    provider: str
    instance: str
    gpu: str | None
    gpu_text: str
    gpu_count: Money
    vcpus: int | None
    host_memory_bytes: int | None
    network_bits_per_s: int | None
    region: str | None
    source: str
