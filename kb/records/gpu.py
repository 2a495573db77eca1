"""A GPU or other accelerator one can buy or rent."""

from typing import Literal

from kb.base import Frozen, Money

Market = Literal["data_center", "workstation", "consumer", "laptop", "module", "apu", "cloud_only"]
Status = Literal["available", "announced", "discontinued", "export_variant", "modified"]

BF16_SINCE = 8.0
"""CUDA compute capability of the first cards with BF16 units (Ampere)."""


class Gpu(Frozen):
    """One card or accelerator; `null` is "not stated by any source", never a guess."""

    id: str
    """Catalog id, e.g. `h100-sxm-80gb`."""
    name: str
    """Name as the vendor writes it."""
    vendor: str
    """NVIDIA, AMD, Intel, Huawei …"""
    architecture: str
    """Ampere, Hopper, Blackwell, CDNA 3 …"""
    year: int | None = None
    """Year of release; null = no dated source read."""
    market: Market
    """Whom it is sold to."""
    status: Status = "available"
    """Whether it can be ordered new."""
    form_factor: str
    """SXM5, PCIe, OAM …"""
    devices: int = 1
    """Devices that software sees of it: boards and modules of several chips share memory and bandwidth out among them;
    all figures here are those of the whole."""
    memory_bytes: int
    """Capacity on the box, read as binary (80 GB = 80·2³⁰); not what is left after ECC and the driver."""
    usable_bytes: int
    """What a program can use: measured where a source measured it, else stated × the reserve of its class."""
    usable_measured: bool = False
    """Whether `usable_bytes` was measured rather than derived."""
    memory_type: str | None = None
    """HBM3, GDDR6X …"""
    ecc: bool | None = None
    """Whether the memory has error correction."""
    bandwidth_bytes_per_s: int | None = None
    """Memory bandwidth (vendors' TB/s are decimal)."""
    fp32_flops: float | None = None
    """Peak dense FP32, FLOP/s."""
    tf32_flops: float | None = None
    """Peak dense TF32 tensor, FLOP/s."""
    fp16_flops: float | None = None
    """Peak dense FP16 tensor with FP32 accumulate, FLOP/s."""
    bf16_flops: float | None = None
    """Peak dense BF16 tensor, FLOP/s; null when the hardware has no BF16."""
    fp8_flops: float | None = None
    """Peak dense FP8 tensor, FLOP/s; null when the hardware has no FP8."""
    int8_ops: float | None = None
    """Peak dense INT8 tensor, op/s."""
    fp4_flops: float | None = None
    """Peak dense FP4 tensor, FLOP/s; null when the hardware has no FP4."""
    sparsity_ratio: float = 1.0
    """Vendor's structured-sparsity factor over the dense rates (1 = none)."""
    nvlink_bytes_per_s: int | None = None
    """Total bidirectional NVLink / Infinity Fabric / HCCS bandwidth a card; null = no such link."""
    nvlink_note: str | None = None
    """How it links: NVSwitch, two-card bridge, none …"""
    link_cards: int | None = None
    """Cards that bridges join in one group, beyond which they talk over PCIe; null = all of a machine, or no link."""
    pcie: str | None = None
    """PCIe generation, e.g. `4.0`."""
    tdp_w: int | None = None
    """Board power."""
    mig_instances: int = 0
    """Largest number of MIG instances; 0 = no MIG."""
    compute_capability: str | None = None
    """CUDA compute capability, e.g. `9.0`."""
    shader_cores: int | None = None
    """CUDA cores or stream processors."""
    tensor_cores: int | None = None
    """Matrix units, counted as the vendor counts them."""
    memory_bus_bits: int | None = None
    slot_width: str | None = None
    """Slots a card fills: Single-slot, Dual-slot, Triple-slot …"""
    power_connectors: str | None = None
    """Plugs on the card, e.g. `1x 16-pin`."""
    suggested_psu_w: int | None = None
    """Power supply the vendor suggests for a machine with one such card."""
    msrp_usd: Money | None = None
    """Launch list price."""
    price_low_usd: Money | None = None
    """Lowest street price read for one card."""
    price_high_usd: Money | None = None
    """Highest street price read for one card."""
    price_as_of: str | None = None
    """When that price was read (ISO date, month or year); null = undated."""
    price_source: str | None = None
    """Source id of that price."""
    msrp_cny: Money | None = None
    """Recommended price at launch in mainland China, tax included."""
    price_cny: Money | None = None
    """Street price of one card read in mainland China, tax included."""
    price_cny_as_of: str | None = None
    """When that price was read (ISO date, month or year)."""
    export_note: str | None = None
    """Export-control status, with its date."""
    aliases: tuple[str, ...] = ()
    """Other names people write, both languages."""
    conventional: bool = False
    """Whether this is the variant people usually mean by a name it shares with others."""
    successor: str | None = None
    """Catalog id of what replaces it."""
    notes: str = ""
    """What a buyer should know."""
    sources: dict[str, tuple[str, ...]]
    """Source id → the fields it vouches for; several may vouch for one field, none for a value it contradicts."""

    @property
    def half(self) -> str:
        """The 16-bit format it computes in: BF16, or FP16 where its hardware has no BF16.

        NVIDIA has BF16 from compute capability 8.0 on; of other makers' cards a stated FP16 rate without one of BF16
        says so, and where neither is stated nothing is known against it.

        Source: https://docs.nvidia.com/cuda/cuda-c-programming-guide/ (arithmetic of each compute capability).
        """
        if self.bf16_flops is not None:
            return "bf16"
        if self.vendor == "NVIDIA":
            return "fp16" if float(self.compute_capability or BF16_SINCE) < BF16_SINCE else "bf16"
        return "fp16" if self.fp16_flops is not None else "bf16"
