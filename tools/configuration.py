"""A configuration one could order: what, how many, how it is laid out, what it holds, what it costs."""

from decimal import Decimal
from typing import Literal

from pydantic import Field

from kb.base import Frozen, Money
from kb.market.rates import convert, rate
from kb.units import HOURS_PER_MONTH
from tools.base import Scalar
from tools.need import Budget

CONVERTED_DIGITS = 3
"""Digits of a converted price: neither the rate nor the price supports more."""


def _rounded(amount: Decimal) -> Decimal:
    return Decimal(f"{amount:.{CONVERTED_DIGITS - 1}e}")


class MemoryFit(Frozen):
    """Memory asked of each GPU against what it has."""

    needed_bytes_per_gpu: int
    usable_bytes_per_gpu: int
    verdict: Literal["yes", "tight", "no"]


class Reason(Frozen):
    """One thing to say about a configuration, for any language: what is said, and the values in it."""

    kind: Literal["why", "trade_off", "availability", "reason", "change"]
    """Where it belongs: why this one, what one gives up, whether it can be had; for a near miss: why not, and what
    would admit it."""
    code: str
    """Which sentence; `tools.configure.tell.reasons` has the English one of each."""
    values: dict[str, Scalar] = Field(default_factory=dict)


class CardsHeld(Frozen):
    """One kind of card among several that hold a model together."""

    gpu: str
    """Catalog id."""
    count: int
    layers: int
    """Of the model, on all of them."""


class Divided(Frozen):
    """Parts of the cards for those who must not disturb each other."""

    profile: str | None
    """MIG profile as `nvidia-smi mig -lgip` writes it; null where each has a whole card."""
    instances_per_gpu: int
    instances: int
    """On all of the cards together."""
    wanted: int


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
    low: Money | None = None
    """The whole line at the lowest price read; null where one price was read."""
    high: Money | None = None
    condition: Literal["new", "used"] = "new"
    given: bool = False
    """Whether it is at a price of the person's own."""


class AskedPrice(Frozen):
    """The same price in the asker's currency."""

    currency: str
    amount: Money
    low: Money | None = None
    high: Money | None = None
    per_usd: Money
    """Units of the currency for one dollar."""
    rate_as_of: str | None
    """When that rate was read."""


class Left(Frozen):
    """A sum in the currency of a budget: what a purchase leaves of it, zero where it takes all; a month's rent."""

    currency: str
    amount: Money


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
    """Oldest date among the prices used; every item has its own."""
    complete: bool
    """False when a part has no known price, so that the true amount is higher."""
    asked_price: AskedPrice | None = None
    """In the currency of the budget, where that is another."""
    budget_left: Left | None = None
    """Of the budget that was stated for a purchase."""
    beyond: Left | None = None
    """How much more than that budget it costs; null where it is within it."""
    month: Left | None = None
    """Rent of a month around the clock, beside a budget for a month."""

    def within(self, budget: Budget) -> "Price":
        """The price in the currency of a budget, with what a purchase leaves of it.

        Raises:
            UnknownName: no rate of that currency is known.
        """
        told = self.also_in(budget.currency)
        paid = told.asked_price.amount if told.asked_price else told.amount
        if paid is not None and self.period == "hour" and budget.period == "month":
            month = Left(currency=budget.currency, amount=_rounded(paid * HOURS_PER_MONTH))
            return told.model_copy(update={"month": month})
        if paid is None or self.period is not None or budget.period is not None or budget.mode == "rent":
            return told
        rest = _rounded(Decimal(budget.amount) - paid)
        left = Left(currency=budget.currency, amount=max(Decimal(0), rest))
        beyond = Left(currency=budget.currency, amount=-rest) if rest < 0 else None
        return told.model_copy(update={"budget_left": left, "beyond": beyond})

    def also_in(self, currency: str) -> "Price":
        """The price with the amounts of `currency` beside its own.

        Raises:
            UnknownName: no rate of that currency is known.
        """
        if self.amount is None or currency == self.currency:
            return self
        known = rate(currency)
        amount, low, high = (
            None if value is None else _rounded(convert(value, self.currency, known.currency))
            for value in (self.amount, self.low, self.high)
        )
        asked = AskedPrice(
            currency=known.currency, amount=amount or Decimal(0), low=low, high=high, per_usd=known.per_usd,
            rate_as_of=known.as_of,
        )  # fmt: skip
        return self.model_copy(update={"asked_price": asked})


class Network(Frozen):
    """What links the machines of a cluster: a leaf–spine network without oversubscription, one rail a card slot."""

    rails: int
    """Network ports of one machine, each to its own leaf."""
    leaf_switches: int
    spine_switches: int
    """0 where one leaf a rail reaches every machine."""
    switch_ports: int
    link_bits_per_s: int
    cables: int
    storage_read_bytes_per_s: int
    """Reading bandwidth to plan for the shared storage."""


class RentPrice(Frozen):
    """One way to pay for the same instances."""

    kind: Literal["on_demand", "spot", "reserved_1y", "reserved_3y"]
    usd_per_hour: Money
    hours: float | None = None
    """Hours the job takes, interruptions included; null when the job's length is open."""
    total_usd: Money | None = None
    """For those hours; a reservation is paid for its whole term."""
    asked_total: AskedPrice | None = None
    """The same in the asker's currency, where that is another than dollars."""

    def also_in(self, currency: str) -> "RentPrice":
        """The price with its total in `currency` beside dollars.

        Raises:
            UnknownName: no rate of that currency is known.
        """
        total = Price(amount=self.total_usd, complete=True).also_in(currency)
        return self.model_copy(update={"asked_total": total.asked_price})


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
    """Training: ranks that each see other samples. Serving: copies of the model."""
    context_parallel: int = 1
    expert_parallel: int = 1
    sharding: str | None = None
    weight_format: str | None = None
    kv_format: str | None = None
    """Format of the cache of a served language model; narrower than 16 bits only where that makes it fit."""
    engine: str | None = None
    memory: MemoryFit
    speed: dict[str, float | str | None] | None = None
    """Filled when a speed estimate exists for this configuration."""
    items: tuple[Item, ...] = ()
    price: Price
    machine_price: Price | None = None
    """What the same cards cost with a new machine around them, where `price` is that of cards alone; null where nobody
    prices such a machine."""
    running_cost: dict[str, float | str | None] | None = None
    power_w: int | None = None
    why: str = ""
    """One English sentence: why this one."""
    trade_offs: tuple[str, ...] = ()
    availability: str = ""
    gpu_name: str = ""
    """Name of the card as the vendor writes it."""
    cards: tuple[CardsHeld, ...] = ()
    """Each kind of card, where the asker's own are of several; `gpu` is then the one with most memory."""
    divided: Divided | None = None
    """Where each of several is given a part: what a part is; memory and speed are those of one."""
    owned_count: int = Field(default=0, ge=0)
    """How many of the GPUs the asker already has."""
    provider: str | None = None
    """For rent."""
    instance: str | None = None
    """For rent."""
    region: str | None = None
    machine: str | None = None
    """Server or workstation that takes the cards; catalog id, or null for one put together from parts."""
    condition: Literal["new", "used"] = "new"
    """`used`: the card is no longer sold new, and is priced on the second-hand market."""
    network: Network | None = None
    rent_prices: tuple[RentPrice, ...] = ()
    """On demand, spot and reserved, as far as the provider lists them."""
    reasons: tuple[Reason, ...] = ()
    """What `why`, `trade_offs` and `availability` say, as codes with values."""
