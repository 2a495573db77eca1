"""Facts about power: what machines around cards draw, supplies, circuits, heat, racks, what power limits cost."""

from functools import lru_cache
from typing import Literal

from pydantic import Field, model_validator

from kb.base import Frozen
from kb.catalog import FACTS, load_yaml
from kb.records.source import Source

HostKind = Literal[
    "desktop",
    "workstation",
    "server",
    "server_single",
    "board_ampere",
    "board_hopper",
    "board_blackwell",
    "board_other",
    "integrated",
    "laptop",
    "module",
    "mac",
]
WHOLE: frozenset[HostKind] = frozenset({"integrated", "laptop", "module", "mac"})
"""Machines that are sold whole, with an adapter of their own."""
SupplyKind = Literal["consumer", "server"]
Site = Literal["home", "server_room", "colocation"]
MAINLAND = "EU"
"""Wiring of every country that no region lists."""


class Host(Frozen):
    """A machine without its cards."""

    max_w: float = Field(gt=0)
    typical_w: float = Field(gt=0)
    cpu_w: float = Field(ge=0)
    """The processors' part of `max_w`."""
    idle_w: float | None = Field(default=None, gt=0)
    """The machine while it waits, at the wall; null = a share of what it usually draws."""
    card_w: float = Field(default=0, ge=0)
    """More for every card: fans, and a network of its own."""
    at_wall: bool = False
    """Whether the watts are of alternating current, losses of the supplies included."""
    source: str
    note: str = ""


class Supply(Frozen):
    """A class of power supplies."""

    efficiency_ratio: float = Field(gt=0, le=1)
    load_ratio: float = Field(gt=0, le=1)
    """Share of its rating that should be drawn steadily."""
    source: str
    note: str = ""


class Spikes(Frozen):
    """Peaks of a card as multiples of its board power, by duration."""

    ten_ms_ratio: float = Field(ge=1)
    one_ms_ratio: float = Field(ge=1)
    source: str


class AllSpikes(Frozen):
    """Peaks by class of card, and what the standard allows."""

    consumer: Spikes
    server: Spikes
    specified_ratio: float
    """For 100 µs."""
    specified_source: str


class Circuit(Frozen):
    """One way electricity comes out of a wall or into a rack."""

    id: str
    region: str
    volts: float = Field(gt=0)
    amps: float = Field(gt=0)
    phases: Literal[1, 3]
    kind: Literal["outlet", "dedicated", "rack"]
    name: str
    source: str


class Heat(Frozen):
    """How heat is counted and carried off."""

    btu_per_wh: float
    air_kg_per_m3: float
    air_j_per_kg_k: float
    air_rise_k: float
    water_j_per_kg_k: float
    water_rise_k: float
    cfm_per_m3_h: float
    inlet_high_c: float
    source: str
    inlet_source: str


class Racks(Frozen):
    """What racks carry."""

    limits_w: tuple[float, ...]
    air_limit_w: float
    units: int
    spare_units: int
    board_units: int
    server_units: int
    source: str


class Ranged(Frozen):
    """A figure with its range and source."""

    value: float
    low: float
    high: float
    source: str
    note: str = ""

    @model_validator(mode="after")
    def _in_order(self) -> "Ranged":
        if not self.low <= self.value <= self.high:
            raise ValueError("low ≤ value ≤ high must hold")
        return self


class LimitMeasured(Frozen):
    """Speed left at a power limit of one card, as somebody measured it."""

    gpu: str
    limit_w: float
    draw_w: float | None = None
    decode_ratio: float | None = None
    """Generating text, over the speed without a limit."""
    prefill_ratio: float | None = None
    """Reading prompts or training, over the speed without a limit."""
    source: str


class Quoted(Frozen):
    """One ratio with its source."""

    ratio: float
    source: str
    duration_s: float | None = None


class Measured(Frozen):
    """What eight-card systems drew of their stated maximum."""

    peak_ratio: float
    typical_ratio: float
    source: str


class Idle(Frozen):
    """Idle draw over full draw."""

    gpu_ratio: float
    desk_gpu_ratio: float
    """Of cards that stand in machines of a desk."""
    host_ratio: float
    source: str


class Ups(Frozen):
    """How long an uninterruptible supply usually has to last."""

    minutes: float
    source: str


class PowerFacts(Frozen):
    """Everything in `power.yaml`."""

    hosts: dict[HostKind, Host]
    macs: dict[str, Host]
    """Start of a chip's id → the whole computer."""
    board_gpus: int
    """Cards on one board of the SXM and OAM kind."""
    single_gpus: int
    """PCIe cards up to which a server has one processor."""
    server_gpus: int
    """PCIe cards one server takes."""
    server_gpus_from: int
    workstation_gpus_from: int
    node_measured: Measured
    cards_measured: Quoted
    processor_busy: Quoted
    """Share of its power that the processor of a desk's machine draws while the cards work."""
    idle: Idle
    supplies: dict[SupplyKind, Supply]
    module_w: dict[Literal["server", "board"], float]
    module_source: str
    supply_sizes_w: tuple[float, ...]
    supply_sizes_source: str
    power_factor: Quoted
    spikes: AllSpikes
    atx3_ratio: Quoted
    atx3_long_ratio: Quoted
    """Times its rating that an ATX 3 supply bears for a tenth of a second."""
    supply_low_volts_w: float
    """Largest supply for circuits of 100 to 127 V."""
    supply_low_volts_source: str
    supply_sum_source: str
    """That everything at full load at once stays within the rating."""
    continuous_ratio: Quoted
    circuits: tuple[Circuit, ...]
    regions: dict[str, tuple[str, ...]]
    heat: Heat
    racks: Racks
    ups: Ups
    pue: dict[Site, Ranged]
    power_limits: tuple[LimitMeasured, ...]
    sources: dict[str, Source]

    def region(self, country: str) -> str:
        """How a country is wired."""
        return next((name for name, members in self.regions.items() if country in members), MAINLAND)


@lru_cache(maxsize=1)
def power_facts() -> PowerFacts:
    """The facts, loaded once."""
    rows = load_yaml(FACTS / "power.yaml")
    rows["sources"] = {key: {"id": key, **row} for key, row in rows["sources"].items()}
    return PowerFacts.model_validate(rows)
