"""A server one can order."""

from pydantic import Field

from kb.base import Frozen
from kb.records.price import PriceReading, newest


class ServerPrice(PriceReading):
    """What one server cost, with its GPUs or without."""

    includes_gpus: bool
    """With GPUs: the whole machine. Without: chassis, processors and a usual amount of memory, unless `note` says."""
    gpu: str | None = None
    """Catalog id of the GPUs in the price; null = without, or not said which."""
    gpus: int | None = Field(default=None, ge=1)
    """How many of them are in the price."""


class Server(Frozen):
    """One chassis, what fits in it and what it needs."""

    id: str
    vendor: str
    name: str
    gpus: tuple[str, ...]
    """Catalog ids of the GPUs it takes."""
    gpu_text: str
    """GPU options as the source writes them."""
    max_gpus: int
    gpu_counts: dict[str, int] = Field(default_factory=dict)
    """Most of a GPU it takes, where that differs from `max_gpus`."""
    gpu_form_factor: str
    cpu: str | None = None
    max_memory: str | None = None
    storage: str | None = None
    network: str | None = None
    psu_w: int | None = None
    cooling: str | None = None
    rack_units: int | None = None
    """Height in a rack; null for what stands on a floor or desk."""
    tower: bool = False
    """Whether it stands on a floor or desk."""
    prices: tuple[ServerPrice, ...] = ()
    """Every reading; empty = no price was found."""
    discontinued: bool = False
    aliases: tuple[str, ...] = ()
    notes: str = ""
    sources: dict[str, tuple[str, ...]]
    """Source id → the fields it vouches for (a price names its own)."""

    def takes(self, gpu: str) -> int:
        """Most of a GPU that go in; 0 when it does not take it."""
        return self.gpu_counts.get(gpu, self.max_gpus) if gpu in self.gpus else 0

    def system_price(self, gpu: str) -> ServerPrice | None:
        """The whole machine filled with this GPU; null when nobody was read to sell it so."""
        full = self.takes(gpu)
        return newest(tuple(one for one in self.prices if one.includes_gpus and (one.gpu, one.gpus) == (gpu, full)))

    @property
    def chassis_price(self) -> ServerPrice | None:
        """The machine without GPUs."""
        return newest(tuple(one for one in self.prices if not one.includes_gpus))
