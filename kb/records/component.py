"""A part of a machine or a network that one can order by itself."""

from typing import Literal

from pydantic import Field

from kb.base import Frozen
from kb.records.price import PriceReading, newest

Kind = Literal[
    "cpu", "cpu_cooler", "motherboard", "barebone", "case", "memory", "ssd", "nic", "switch", "transceiver", "cable",
    "psu", "rack", "pdu", "ups", "bridge", "storage",
]  # fmt: skip
Protocol = Literal["ethernet", "infiniband"]


class Component(Frozen):
    """One product with what a bill of materials needs to know of it; null = not stated / not applicable."""

    id: str
    """Catalog id, e.g. `cpu-epyc-9554`."""
    kind: Kind
    vendor: str
    """Maker; `any` for a commodity that several make alike."""
    name: str
    """Name as one would order it."""

    socket: str | None = None
    """SP5, LGA4677, sTR5 …: a processor goes on a board with the same."""
    sockets: int | None = Field(default=None, ge=1)
    """Board or barebone: processors it takes. Processor: most that work together."""
    cores: int | None = Field(default=None, ge=1)
    memory_type: str | None = None
    """DDR4 or DDR5."""
    module: Literal["rdimm", "udimm"] | None = None
    """Memory, and what a processor or board takes."""
    memory_channels: int | None = Field(default=None, ge=1)
    """Of one processor."""
    memory_slots: int | None = Field(default=None, ge=1)
    memory_bytes: int | None = Field(default=None, gt=0)
    """Memory: capacity of one module, binary."""
    transfers_per_s: int | None = Field(default=None, gt=0)
    """Memory: rate of the module. Processor: fastest it drives."""
    pcie: str | None = None
    """PCIe generation, e.g. `5.0`."""
    pcie_lanes: int | None = Field(default=None, ge=1)
    """Of one processor."""
    gpu_slots: int | None = Field(default=None, ge=1)
    """Double-width cards it takes at sixteen lanes (boards: slots; cases: room)."""
    slots: int | None = Field(default=None, ge=1)
    """Slots of sixteen lanes in all, from which risers lead to cards that do not fit beside each other."""
    capacity_bytes: int | None = Field(default=None, gt=0)
    """Drive: decimal, as sold; shared storage: what is usable."""
    read_bytes_per_s: int | None = Field(default=None, gt=0)
    interface: str | None = None
    """Drive: `U.2 NVMe`, `M.2 NVMe`, `SATA` …; network part: connector, `OSFP`, `QSFP56` …"""
    protocols: tuple[Protocol, ...] = ()
    """Network part."""
    ports: int | None = Field(default=None, ge=1)
    rate_bits_per_s: int | None = Field(default=None, gt=0)
    """Of one port, one direction."""
    length_m: float | None = Field(default=None, gt=0)
    """Cable: its length; transceiver: its reach."""
    power_w: int | None = Field(default=None, ge=1)
    """Most it draws (a processor's TDP)."""
    supply_w: int | None = Field(default=None, ge=1)
    """Most it delivers: a power supply, a PDU, a UPS, all supplies of a barebone together."""
    cards_w: int | None = Field(default=None, ge=1)
    """Barebone: full load of the cards that a published machine of this kind carried, whatever its supplies."""
    rack_units: int | None = Field(default=None, ge=1)
    """Height it takes; a rack: height it offers."""

    joins: dict[str, int] = Field(default_factory=dict)
    """Bridge: cards by catalog id → how many bridges one group of them takes for the full rate."""
    joined: int | None = Field(default=None, ge=2)
    """Bridge: cards in one group."""

    prices: tuple[PriceReading, ...] = ()
    """Every reading; empty = nobody sells it alone, or no price was found."""
    aliases: tuple[str, ...] = ()
    notes: str = ""
    sources: dict[str, tuple[str, ...]]
    """Source id → the fields it vouches for (a price names its own)."""

    @property
    def price(self) -> PriceReading | None:
        """The reading to use."""
        return newest(self.prices)
