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
    region: str | None = None
    on_demand_usd_per_hour: Money | None = None
    """For the whole instance, all GPUs."""
    spot_usd_per_hour: Money | None = None
    reserved_1y_usd_per_hour: Money | None = None
    listed_currency: str = "USD"
    """Currency the provider lists; other than USD, the USD figure was converted."""
    as_of: str | None = None
    """When the price was read (ISO date or month); null = undated."""
    source: str
    """Source id."""
    notes: str = ""
