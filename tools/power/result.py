"""What the power planner answers."""

from typing import Literal

from kb.base import Frozen, Money
from kb.machines.power import HostKind, Site
from tools.base import ToolResult
from tools.speed.result import Interval


class SupplyPlan(Frozen):
    """The power supply of one machine."""

    rated_w: float
    """Rating of one supply."""
    count: int
    """Supplies a machine."""
    alone_w: float | None = None
    """Where several are named: the usual size of one that is enough alone, made for 200 V and more; null = none is."""
    redundant: bool
    """Whether one of them may fail."""
    needed_w: float
    """What the supplies must be rated for together, built to ATX 3."""
    needed_without_atx3_w: float
    """The same for an older supply, which promises nothing beyond its rating."""
    continuous_ratio: float
    """Share of the rating drawn steadily while the cards work; of redundant supplies with one of them failed."""
    peak_ratio: float
    """Share of the rating in spikes of ten milliseconds, or with everything at full load; ATX 3 bears 1.2 a while."""
    at_hand: Literal["yes", "tight", "no"] | None = None
    """Whether the supply given is enough: tight = it carries the steady load without the reserve."""


class Plugs(Frozen):
    """Power plugs of one kind over all cards."""

    kind: str
    count: int


class CircuitPlan(Frozen):
    """One kind of circuit and what the machines need of it."""

    id: str
    name: str
    kind: Literal["outlet", "dedicated", "rack"]
    volts: float
    amps: float
    phases: int
    continuous_w: float
    """Load it may carry for hours."""
    full_w: float
    load_ratio: float
    """Draw of one machine at its most over the breaker's rating."""
    drawn_w: float
    """One machine at its most, with what else hangs on the circuit."""
    steady_ratio: float
    """The same ratio of what it draws for hours, of which a breaker carries 80 %."""
    verdict: Literal["yes", "tight", "no"]
    """Whether one of it feeds one machine at its most: tight = beyond the continuous limit, below the breaker."""
    needed: int
    """Circuits for all machines; where one cannot feed a machine, its supplies are spread over several."""
    fitting_limit_w: float | None = None
    """Power limit on each card with which one machine fits one circuit."""
    source: str


class UpsPlan(Frozen):
    """Uninterruptible supplies for all machines, each with its own."""

    product: str
    count: int
    each_w: int
    """Load that one carries."""
    battery_wh: float
    """What each machine's batteries must hold for the time asked; beyond a few minutes it takes external packs."""
    price_usd: Money
    """Of all of them, without external packs."""
    price_date: str | None
    source: str | None


class RackPlan(Frozen):
    """Racks of one power limit."""

    limit_w: float
    nodes_per_rack: int
    """0 = not even one fits."""
    racks: int | None
    """Null where none fits."""


class LimitEffect(Frozen):
    """What a power limit does to speed."""

    limit_w: float
    decode: Interval | None
    """Share of the speed left when generating text."""
    prefill: Interval | None
    """Share left when reading prompts or training."""
    label: Literal["measured", "interpolated", "other cards"]
    sources: tuple[str, ...]


class Energy(Frozen):
    """What a month of use takes and costs."""

    average_w: Interval
    """At the wall, over the hours it is on."""
    pue: Interval
    kwh_per_month: Interval
    """Cooling of the room included."""
    tariff_per_kwh: Interval
    tariff_country: str | None
    """Country whose price was taken; WORLD where none is known; null for a price that was given."""
    tariff_as_of: str | None
    monthly_cost: Interval
    yearly_cost: Interval
    kwh_per_year: Interval
    daily_cost: Interval
    """Of a day of the year's."""
    kwh_per_day: Interval
    currency: str
    term_years: float | None = None
    term_cost: Interval | None = None
    """Of all the years asked about, at today's price."""


class PowerPlan(ToolResult):
    """What a machine with GPUs needs of electricity and cooling."""

    machine: HostKind
    gpu: str
    """Catalog id of the first kind of card."""
    cards: tuple[str, ...] = ()
    """Every kind of card with its number, as `1 × GeForce RTX 3090`."""
    gpu_count: int
    """Cards in all."""
    nodes: int
    site: Site
    cards_w: float
    """All cards at their board power or limit."""
    hosts_w: float
    """All machines without their cards, at most."""
    inside_max_w: float
    """Cards and hosts together: what the power supplies deliver."""
    wall_max_w: float
    """What circuits must carry, losses included."""
    node_wall_max_w: float
    """The same for one machine."""
    sustained_w: Interval
    """At the wall while it works."""
    idle_w: float
    ten_ms_w: float
    """For about ten milliseconds, all cards together."""
    one_ms_w: float
    """For about a millisecond."""
    specified_w: float
    """What the PCIe standard allows for a tenth of a millisecond."""
    supply: SupplyPlan | None
    """Null for a rack, or a computer sold whole, that brings its own."""
    vendor_suggested_psu_w: int | None
    """What the vendor asks for with one such card."""
    plugs: tuple[Plugs, ...]
    circuits: tuple[CircuitPlan, ...]
    heat_btu_per_hour: float
    airflow_m3_per_hour: float
    airflow_cfm: float
    water_l_per_minute: float
    """If liquid carries all of it, warmed by ten kelvin."""
    liquid_needed: bool
    """Whether one machine or rack is beyond what air carries."""
    ups_va: float
    ups_wh: float
    ups_s: float
    """How long it lasts."""
    ups: UpsPlan | None = None
    """Null for what is far smaller than the UPS of machine rooms."""
    racks: tuple[RackPlan, ...]
    energy: Energy
    power_limit: LimitEffect | None = None
