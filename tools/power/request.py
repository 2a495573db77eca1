"""What one may ask about power: the machine, what feeds it, how it is used."""

from typing import Literal

from pydantic import Field

from kb.base import Frozen
from kb.machines.power import Site
from kb.market.tariffs import Customer
from tools.need import GpuCount

USUAL_UTILISATION = 0.7
"""Share of the hours it is on that a machine works at full load, where what it costs is asked and nobody said."""


class MachineFields(Frozen):
    """Cards, or a server with its cards, and the machine around them."""

    gpu: str | None = Field(default=None, max_length=200)
    """Catalog id or name of the card."""
    gpu_count: int | None = Field(default=None, ge=1, le=1_000_000)
    """Cards in all, over every node; null = as many as the nodes hold, else 1."""
    gpus: tuple[GpuCount, ...] = Field(default=(), max_length=16)
    """Several kinds of card in one machine; a count of null is 1."""
    server: str | None = Field(default=None, max_length=200)
    """A server of the catalog; its own cards are taken when none are named."""
    nodes: int | None = Field(default=None, ge=1, le=100_000)
    """Machines the cards are spread over; null = as few as hold them."""
    cpu: str | None = Field(default=None, max_length=120)
    """Processor of one machine by name: "7950X", "2x EPYC 9354"; it decides the kind of machine and its power."""
    cpu_w: float | None = Field(default=None, ge=0, le=20_000)
    """Power of the processors of one machine; null = usual for its kind."""
    host_w: float | None = Field(default=None, ge=0, le=200_000)
    """Power of one machine without its cards; null = usual for its kind."""
    power_limit_w: float | None = Field(default=None, gt=0, le=10_000)
    """Limit set on each card (`nvidia-smi -pl`); null = its board power."""


class UseFields(Frozen):
    """How much it runs, where, and what electricity costs there."""

    utilisation: float = Field(default=1.0, ge=0, le=1)
    """Share of the hours it is on that it works at full load; the rest it idles."""
    hours_per_day: float = Field(default=24.0, gt=0, le=24)
    """Hours a day it is switched on."""
    site: Site | None = None
    """Where it stands; null = home for what fits on a desk, else a server room."""
    pue: float | None = Field(default=None, ge=1, le=5)
    """Power of the whole room over that of the machines; null = usual for the site."""
    country: str | None = Field(default=None, pattern=r"^[A-Za-z]{2}$")
    """ISO 3166 code: decides circuits and the price of electricity."""
    customer: Customer | None = None
    """Which price of electricity; null = residential at home, else business."""
    tariff_per_kwh: float | None = Field(default=None, ge=0, le=100_000)
    """Price of a kilowatt-hour in `currency`; null = usual in the country."""
    currency: str = Field(default="USD", max_length=20)
    """Currency of every amount, given and returned."""


class PowerRequest(MachineFields, UseFields):
    """A machine to be fed and cooled."""

    years: float | None = Field(default=None, gt=0, le=20)
    """How long its electricity is reckoned in all, besides a month and a year; null = not."""
    psu_w: float | None = Field(default=None, gt=0, le=1_000_000)
    """A power supply at hand, to be checked."""
    circuit_volts: float | None = Field(default=None, ge=90, le=500)
    """Voltage of the circuit at hand; null = usual in the country."""
    circuit_amps: float | None = Field(default=None, gt=0, le=5000)
    """Rating of the circuit at hand, to be checked; null = the usual circuits of the country."""
    circuit_phases: Literal[1, 3] = 1
    other_load_w: float | None = Field(default=None, ge=0, le=1_000_000)
    """What else hangs on that circuit; null = nothing."""
    rack_limit_w: float | None = Field(default=None, gt=0, le=10_000_000)
    """What one rack may draw; null = several usual limits."""
    ups_minutes: float | None = Field(default=None, gt=0, le=1440)
    """How long an uninterruptible supply must last; null = ten minutes."""
    air_rise_k: float | None = Field(default=None, gt=0, le=60)
    """Warming of the air from inlet to outlet; null = usual for servers."""
