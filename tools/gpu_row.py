"""One card as a buyer compares it, with its price-performance worked out."""

from datetime import date

from kb.base import Frozen, Money
from kb.machines.links import nvlink_generation, pcie_bytes_per_s, tensor_core_generation
from kb.records.gpu import Gpu, Market, Status
from kb.units import GIB
from tools.prices import CardPrice, card_price, highest_price, is_stale, per_unit

TERA = 1e12


class GpuRow(Frozen):
    """One card with what a buyer compares."""

    id: str
    name: str
    vendor: str
    architecture: str
    year: int | None
    market: Market
    status: Status
    form_factor: str
    memory_bytes: int
    """Stated capacity, binary."""
    usable_bytes: int
    """What a program can use."""
    memory_type: str | None
    ecc: bool | None
    bandwidth_bytes_per_s: int | None
    fp32_flops: float | None
    tf32_flops: float | None = None
    fp16_flops: float | None
    bf16_flops: float | None
    """Dense; null = the hardware has no BF16."""
    fp8_flops: float | None
    int8_ops: float | None
    fp4_flops: float | None
    nvlink_bytes_per_s: int | None
    """Both directions together; null = no link."""
    nvlink_note: str | None
    nvlink_generation: int | None = None
    """Version of NVLink; null for none, or another maker's link."""
    tensor_core_generation: int | None = None
    pcie_bytes_per_s: int | None = None
    """What sixteen lanes of its PCI Express carry, both directions together."""
    pcie: str | None
    tdp_w: int | None
    mig_instances: int
    shader_cores: int | None
    """CUDA cores or stream processors."""
    tensor_cores: int | None
    memory_bus_bits: int | None
    slot_width: str | None
    power_connectors: str | None
    suggested_psu_w: int | None
    compute_capability: str | None
    successor: str | None = None
    """Catalog id of what replaces it."""
    msrp_usd: Money | None
    price: CardPrice | None
    """Best price known for one card."""
    price_high_usd: Money | None
    price_stale: bool
    """Whether that price is undated or older than 30 days."""
    usd_per_gib: float | None
    """Price over stated memory."""
    usd_per_tb_s: float | None
    """Price over memory bandwidth."""
    usd_per_tflops: float | None
    """Price over dense BF16 (FP16 where there is no BF16) teraflops."""
    tokens_per_s: float | None = None
    """Output tokens a second of the named model on one card, one sequence; null = none named, or it does not fit."""
    usd_per_token_per_s: float | None = None
    """Price over that speed: dollars for one output token a second."""
    together_count: int | None = None
    """Cards that reach the memory asked for together; null = none was asked for."""
    together_price: float | None = None
    """What so many cost, in dollars."""
    msrp_cny: Money | None
    """Recommended launch price in mainland China."""
    price_cny: Money | None
    """Street price read in mainland China."""
    price_cny_as_of: str | None
    export_note: str | None
    notes: str


def row(card: Gpu, today: date | None = None) -> GpuRow:
    """A card with its price-performance worked out."""
    price = card_price(card)
    compute = card.bf16_flops or card.fp16_flops
    amount = price.amount_usd if price else None
    figures = {name: getattr(card, name) for name in GpuRow.model_fields if name in Gpu.model_fields}
    return GpuRow(
        **{**figures, "price_high_usd": highest_price(card)},
        nvlink_generation=nvlink_generation(card),
        tensor_core_generation=tensor_core_generation(card),
        pcie_bytes_per_s=pcie_bytes_per_s(card),
        price=price,
        price_stale=price is not None and is_stale(price.as_of, today),
        usd_per_gib=per_unit(amount, card.memory_bytes / GIB) if amount is not None else None,
        usd_per_tb_s=per_unit(amount, (card.bandwidth_bytes_per_s or 0) / TERA) if amount is not None else None,
        usd_per_tflops=per_unit(amount, (compute or 0) / TERA) if amount is not None else None,
    )
