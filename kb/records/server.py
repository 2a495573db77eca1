"""A server one can order."""

from kb.base import Frozen, Money


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
    gpu_form_factor: str
    cpu: str | None = None
    max_memory: str | None = None
    storage: str | None = None
    network: str | None = None
    psu_w: int | None = None
    cooling: str | None = None
    rack_units: int | None = None
    price_usd: Money | None = None
    """Price for the whole system as sold with its GPUs, when a source states one."""
    price_as_of: str | None = None
    discontinued: bool = False
    aliases: tuple[str, ...] = ()
    notes: str = ""
    sources: dict[str, tuple[str, ...]]
    """Source id → the fields it vouches for."""
