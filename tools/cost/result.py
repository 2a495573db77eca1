"""What the cost estimator answers: amounts in one currency, each an interval."""

from typing import Literal

from kb.base import Frozen
from tools.base import GivenRow, ToolResult
from tools.power.result import Energy
from tools.speed.result import Interval

PartName = Literal["depreciation", "financing", "energy", "colocation", "maintenance", "support", "staff"]
Purchase = Literal["on_demand", "spot", "reserved", "reserved_3y", "by_month"]
"""by_month: a machine let by the month, paid however much it is used, whole months."""


Which = Literal["given", "cheapest", "cheapest of a cloud", "typical", "dearest", "cheapest spot"]
"""Which of the rents read: `of a cloud`, the cheapest that lets machines of its own, no marketplace."""


class Open(Frozen):
    """A figure with its interval; null = never, on that side."""

    value: float | None
    low: float | None
    high: float | None


class PriceRead(Frozen):
    """One price that was used."""

    what: str
    count: int
    unit_cost: Interval | None
    """Null: no price is known, and the sum lacks it."""
    as_of: str | None
    stale: bool
    """Older than 30 days, or undated."""
    source: str | None


class CostPart(Frozen):
    """One part of what owning costs."""

    name: PartName
    monthly_cost: Interval
    total_cost: Interval | None = None
    """Over all the years."""
    formula: str
    inputs: dict[str, float]
    """Symbol of the formula → value."""


class Owning(Frozen):
    """Buying and running it over the years."""

    purchase_cost: Interval
    prices: tuple[PriceRead, ...]
    complete: bool
    """False when a part has no known price, so that the true cost is higher."""
    residual_ratio: Interval
    """Share of the price it fetches at the end."""
    resale_cost: Interval
    """What everything bought fetches at the end: purchase_cost · residual_ratio."""
    parts: tuple[CostPart, ...]
    """They sum to monthly_cost."""
    monthly_cost: Interval
    total_cost: Interval
    """Over all the years, what it fetches at the end taken off."""
    running_monthly_cost: Interval
    """Without what the purchase costs: energy, place, maintenance, staff."""
    hourly_cost: Interval
    """For each hour it is switched on, everything together."""
    gpu_hourly_cost: Interval


class Renting(Frozen):
    """Renting the same cards in one way."""

    purchase: Purchase
    basis: Literal["given", "offers", "derived"]
    """derived: no such offer was read; the on-demand price less the usual discount."""
    hourly_cost: Interval
    """All cards together; cheapest, middle and dearest offer read."""
    gpu_hourly_cost: Interval
    useful_hourly_cost: Interval
    """For each hour of work that counts: spot with the hours lost to interruptions."""
    monthly_cost: Interval
    total_cost: Interval
    term_s: float | None = None
    term_months: float | None = None
    """The same in months of 730 hours."""
    term_cost: Interval | None = None
    """For a single rental of so long; null where no term was given."""
    offers: int
    """Offers read; 0 = none."""
    gpu: str | None = None
    """The card rented."""
    instance_gpus: int | None = None
    """Cards of the cheapest one's instance."""
    cheapest: str | None
    """The cheapest one: provider, instance, region."""
    as_of: str | None
    """Its date."""
    stale: bool
    saving_ratio: Interval | None = None
    """Saved over on demand, by the instances let both ways, lost hours counted; null where none is."""


class CurvePoint(Frozen):
    """What a month costs at so many hours of use."""

    hours_per_month: float
    own_cost: float
    rent_cost: float


class TimePoint(Frozen):
    """What was paid after so many months, at the hours asked about."""

    months: float
    own_cost: float
    rent_cost: float


class BreakEven(Frozen):
    """Where owning and renting on demand cost the same."""

    purchase: Purchase
    """Which rent it is held against."""
    hours_per_month: Open
    """Use from which owning is cheaper over the years; null = not even around the clock."""
    busy_ratio: float | None = None
    """The same as a share of all the time."""
    months: Open
    """Until the purchase has paid for itself at the hours asked about; null = never."""
    months_with_residual: Open | None = None
    """The same for what it loses in value over the years, by the share told in `residual_ratio`; null = never."""
    months_resold: Open | None = None
    """The same when everything is sold then for the share told in `residual_ratio`; null = never."""
    residual_ratio_even: float | None = None
    """Share of the price from which, fetched at the end, owning is as cheap as this rent; below 0 = it always is."""
    reached: bool
    """Whether the hours asked about are enough within the years."""
    curve: tuple[CurvePoint, ...]
    timeline: tuple[TimePoint, ...]


class Against(Frozen):
    """Owning held against one rent."""

    which: Which
    offer: str | None
    purchase: Purchase
    gpu_hourly_cost: float
    monthly_cost: float
    """For the hours asked about."""
    hours_per_month: float | None
    """Use from which owning is cheaper over the years; null = not even around the clock."""
    months: float | None
    """Until the rent saved is what the machine loses in value, at the hours asked about; null = never."""
    term_cost: float | None = None
    """For a single rental of so long; null where no term was given."""
    owning_saves_monthly: float
    """What owning costs less a month at those hours; below 0 = renting is cheaper."""
    as_of: str | None


class TokenCost(Frozen):
    """What a million output tokens cost at the stated utilisation."""

    tokens_per_s_total: Interval
    concurrent_sequences: int
    own_million_cost: Interval | None
    rent_million_cost: Interval | None
    api_million_price_low: float | None = None
    """A million answer tokens of this model at the cheapest service with a list price; null = none is known."""
    api_million_price_high: float | None = None
    """The same at the dearest."""


class ApiRead(Frozen):
    """What a service asks for the same model, in the currency of the answer."""

    provider: str
    input_million_price: float
    """A million prompt tokens that no cache holds."""
    output_million_price: float
    """A million answer tokens."""
    as_of: str
    stale: bool
    """Older than 30 days."""
    source: str


class VolumeCost(Frozen):
    """What the tokens of a month cost, all counted as output, the dearer kind to make."""

    tokens_per_month: float
    gpu: str
    copies: int
    """How many times the hardware priced it takes."""
    gpu_count: int
    """Cards in all."""
    busy_ratio: float
    """Share of what they could do around the clock at full load."""
    purchase_cost: Interval | None
    """All copies, once."""
    own_cost: Interval | None
    """A month, all copies."""
    rent_cost: Interval | None
    """A month on demand; low = the cheapest offer read."""
    hours_needed: float | None = None
    """Machine hours a month that the tokens take at full load."""
    rent_needed_cost: float | None = None
    """Rent of only those hours, at the cheapest offer."""
    own_million_cost: float | None = None
    """A million of them on hardware of one's own: from this price on a provider is dearer."""
    rent_million_cost: float | None = None
    """The same at the cheapest rent."""
    api_cost: float | None
    """A month at the provider's price that was stated, else at the cheapest of `api`; null where neither is known."""
    payback_months: float | None = None
    """Months after which what was bought has cost less than the provider, its resale left out.

    Null = never, or no price or purchase.
    """
    api: tuple[ApiRead, ...] = ()
    """Services with a list price of this model, the cheapest answers first; empty where a price was stated."""
    even_tokens_per_month: float | None
    """Tokens a month from which the cheaper of the two costs less than the provider; null = never, or no price."""


class RunCost(Frozen):
    """What one training run, or one job of speech, pictures or texts, costs."""

    gpu_hours: Interval
    time_s: Interval
    own_cost: Interval | None
    rent_cost: Interval | None
    """On demand."""
    cheapest_cost: float | None = None
    """On demand at the cheapest offer, for the hours expected."""
    spot_cost: Interval | None
    """With the hours lost to interruptions."""


class GrowthStep(Frozen):
    """From when on so many machines are needed."""

    from_months: float
    """Months from today."""
    machines: int
    """As many times the hardware priced."""
    load_ratio: float
    """Load over what one of them does, as it is then."""


class Growth(Frozen):
    """A load that grows, over the horizon."""

    monthly_ratio: float
    """By which part of itself it grows in a month."""
    steps: tuple[GrowthStep, ...]
    """The first is today's; ten at most."""
    next_machine_months: float | None
    """When one more is needed; null = not within twenty years."""
    machines_at_end: int
    own_total_cost: Interval | None
    """Over the horizon, each machine bought when it is needed and sold at the end, younger ones for more."""
    rent_total_cost: Interval | None
    """On the first rent told, for the hours that the load takes, or by whole machines where it is paid by the month."""


class CostEstimate(ToolResult):
    """What owning and renting some hardware cost."""

    gpu: str
    gpu_count: int
    nodes: int
    currency: str
    years: float
    hours_per_month: float
    """Hours a month it is switched on."""
    monthly_time_s: float
    """The same in seconds."""
    utilisation: float
    given: tuple[GivenRow, ...] = ()
    """The person's own figures that this rests on."""
    energy: Energy
    own: Owning | None
    """Null when only renting is asked about, or no price of the cards is known."""
    rent: tuple[Renting, ...]
    """On demand, spot, reserved, as far as known; empty when only owning is asked about."""
    break_even: BreakEven | None
    against: tuple[Against, ...] = ()
    """Owning held against several rents, the cheapest first."""
    growth: Growth | None = None
    tokens: TokenCost | None = None
    run: RunCost | None = None
    volume: VolumeCost | None = None
