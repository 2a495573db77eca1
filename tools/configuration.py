"""A configuration one could order: what, how many, how it is laid out, what it holds, what it costs."""

from typing import Literal

from pydantic import Field

from kb.base import Frozen, Money


class MemoryFit(Frozen):
    """Memory asked of each GPU against what it has."""

    needed_bytes_per_gpu: int
    usable_bytes_per_gpu: int
    verdict: Literal["yes", "tight", "no"]


class Item(Frozen):
    """One line of the bill."""

    part: str
    product: str
    count: int
    unit_price: Money | None
    subtotal: Money | None
    source: str | None
    """Source id of the price."""
    price_date: str | None


class Price(Frozen):
    """What it costs in all."""

    amount: Money | None
    """Null when no part has a known price."""
    low: Money | None = None
    high: Money | None = None
    currency: str = "USD"
    period: Literal["hour", "month", "year"] | None = None
    """Null for a purchase."""
    as_of: str | None = None
    """Oldest date among the prices used."""
    complete: bool
    """False when a part has no known price, so that the true amount is higher."""


class Configuration(Frozen):
    """One way to meet the need."""

    rank: int
    title: str
    acquisition: Literal["buy", "rent"]
    gpu: str
    gpu_count: int
    """GPUs in all, over every node."""
    nodes: int
    tensor_parallel: int = 1
    pipeline_parallel: int = 1
    data_parallel: int = 1
    sharding: str | None = None
    weight_format: str | None = None
    engine: str | None = None
    memory: MemoryFit
    speed: dict[str, float | str | None] | None = None
    """Filled when a speed estimate exists for this configuration."""
    items: tuple[Item, ...] = ()
    price: Price
    running_cost: dict[str, float | str | None] | None = None
    power_w: int | None = None
    why: str = ""
    """One English sentence: why this one."""
    trade_offs: tuple[str, ...] = ()
    availability: str = ""
    gpu_name: str = ""
    """Name of the card as the vendor writes it."""
    owned_count: int = Field(default=0, ge=0)
    """How many of the GPUs the asker already has."""
    provider: str | None = None
    """For rent."""
    instance: str | None = None
    """For rent."""
    region: str | None = None
