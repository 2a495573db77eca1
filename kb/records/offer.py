"""A GPU instance one can rent."""

from kb.base import Frozen, Money


class Offer(Frozen):
    """One instance type of one provider, with what it cost when somebody looked."""

    id: str
    """`provider/instance/region`, unique."""
    provider: str
    """AWS, Azure, GCP, RunPod Secure …"""
    instance: str
    """Instance type as the provider writes it."""
    gpu: str | None
    """Catalog id of the GPU; null when the accelerator is not in the catalog or the listing mixes several."""
    gpu_text: str
    """GPU as the listing writes it."""
    gpu_count: Money
    """GPUs in the instance (a fraction for a shared card)."""
    vcpus: int | None = None
    host_memory_bytes: int | None = None
    network_bits_per_s: int | None = None
    """Between instances, all adapters together."""
    region: str | None = None
    country: str | None = None
    """Where the machine stands (ISO 3166); null = not stated or in several."""
    on_demand_usd_per_hour: Money | None = None
    """For the whole instance, all GPUs."""
    spot_usd_per_hour: Money | None = None
    reserved_1y_usd_per_hour: Money | None = None
    reserved_3y_usd_per_hour: Money | None = None
    listed_currency: str = "USD"
    """Currency the provider lists; other than USD, the USD figure was converted at the dated rate."""
    listed_per_hour: Money | None = None
    """The on-demand price as listed, in `listed_currency`."""
    as_of: str | None = None
    """When the price was read (ISO date or month); null = undated."""
    live: bool = False
    """Whether `gpu-advisor prices refresh` fetched it, rather than it being part of the catalog."""
    source: str
    """Source id."""
    notes: str = ""
