"""Print how well the catalog is sourced, and hold it to its rules: `make check-facts`.

The rules themselves are the integrity tests; a breach of any makes the exit code 1.
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

import pytest

from kb.catalog import gpus, servers
from kb.market.components import components
from kb.market.offers import bundled_offers
from kb.models import models
from kb.records.component import Component
from kb.records.gpu import Gpu
from kb.records.server import Server
from kb.upkeep.disagreements import disagreements

DERIVED = frozenset({"derived-tensor-rates", "same-chip", "derived-definition", "measured-usable"})
"""Sources that are no independent reading: worked out from others."""
FIELDS = (
    "memory_bytes", "bandwidth_bytes_per_s", "tdp_w", "fp32_flops", "fp16_flops", "bf16_flops", "fp8_flops",
    "int8_ops", "nvlink_bytes_per_s", "compute_capability", "year", "msrp_usd", "price_low_usd", "msrp_cny",
)  # fmt: skip
SERVER_FIELDS = (
    "gpus",
    "max_gpus",
    "cpu",
    "max_memory",
    "storage",
    "network",
    "psu_w",
    "cooling",
    "rack_units",
    "prices",
)
PART_FIELDS = (
    "cores", "memory_channels", "memory_slots", "memory_bytes", "transfers_per_s", "pcie_lanes", "gpu_slots",
    "capacity_bytes", "read_bytes_per_s", "ports", "rate_bits_per_s", "length_m", "power_w", "supply_w", "rack_units",
    "prices",
)  # fmt: skip
OFFER_FIELDS = ("vcpus", "host_memory_bytes", "network_bits_per_s", "on_demand_usd_per_hour", "as_of")
RULES = tuple(
    f"tests/kb/{name}.py"
    for name in (
        "test_gpu_integrity",
        "test_catalog_integrity",
        "test_components",
        "test_sourced",
        "test_disagreements",
        "test_models",
        "test_model_sources",
    )
)
ROOT = Path(__file__).parents[2]


def coverage(cards: Iterable[Gpu], field: str) -> tuple[int, int, int, int]:
    """Cards that state the field, with one reading, with two or more, and with no source at all."""
    stated = once = twice = unsourced = 0
    for card in cards:
        if getattr(card, field) is None:
            continue
        stated += 1
        vouching = {source for source, fields in card.sources.items() if field in fields}
        readings = len(vouching - DERIVED)
        once, twice = once + (readings == 1), twice + (readings >= 2)
        unsourced += not vouching
    return stated, once, twice, unsourced


def sourced(rows: Iterable[Server | Component], field: str) -> tuple[int, int, int, int]:
    """Rows that state the field, with one reading, with two or more, and with no source at all."""
    stated = once = twice = unsourced = 0
    for row in rows:
        if not getattr(row, field):
            continue
        if field == "prices":
            vouching = {one.source for one in row.prices}
        else:
            vouching = {source for source, fields in row.sources.items() if field in fields}
        readings = len(vouching - DERIVED)
        stated, once, twice = stated + 1, once + (readings == 1), twice + (readings >= 2)
        unsourced += not vouching
    return stated, once, twice, unsourced


def _table(title: str, rows: Sequence[Server | Component], fields: Iterable[str]) -> list[str]:
    lines = ["", f"{title:<24}{'stated':>8}{'one':>6}{'two+':>6}{'unknown':>9}{'unsourced':>11}"]
    for field in fields:
        stated, once, twice, unsourced = sourced(rows, field)
        lines.append(f"{field:<24}{stated:>8}{once:>6}{twice:>6}{len(rows) - stated:>9}{unsourced:>11}")
    return lines


def _offers() -> list[str]:
    rows = bundled_offers()
    lines = ["", f"{'field of an offer':<24}{'stated':>8}{'unknown':>9}{'unsourced':>11}"]
    for field in OFFER_FIELDS:
        stated = [row for row in rows if getattr(row, field) is not None]
        unsourced = sum(not row.source for row in stated)
        lines.append(f"{field:<24}{len(stated):>8}{len(rows) - len(stated):>9}{unsourced:>11}")
    return lines


def report() -> str:
    """Coverage by field, dates of prices, and what names no source."""
    cards = tuple(gpus().values())
    lines = [
        f"{len(cards)} GPUs, {len(models())} models, {len(servers())} servers, {len(components())} parts",
        f"{len(bundled_offers())} offers",
        "",
        f"{'field of a GPU':<24}{'stated':>8}{'one':>6}{'two+':>6}{'share':>8}{'unknown':>9}{'unsourced':>11}",
    ]
    for field in FIELDS:
        stated, once, twice, unsourced = coverage(cards, field)
        share = f"{twice / stated:.0%}" if stated else "-"
        lines.append(f"{field:<24}{stated:>8}{once:>6}{twice:>6}{share:>8}{len(cards) - stated:>9}{unsourced:>11}")
    lines += _table("field of a server", tuple(servers().values()), SERVER_FIELDS)
    lines += _table("field of a part", tuple(components().values()), PART_FIELDS)
    lines += _offers()
    bare = sum(not model.sources for model in models().values())
    dated = sorted(card.price_as_of for card in cards if card.price_as_of)
    undated = sum(card.price_low_usd is not None and card.price_as_of is None for card in cards)
    rented = sorted(offer.as_of for offer in bundled_offers() if offer.as_of)
    lines += [
        "",
        f"models without any source: {bare} of {len(models())}",
        f"figures of sources that were read and set aside: {len(disagreements())}",
        f"oldest street price of a card: {dated[0] if dated else 'none'}; undated: {undated}",
        f"oldest rental price: {rented[0] if rented else 'none'}; undated: {len(bundled_offers()) - len(rented)}",
    ]
    return "\n".join(lines)


def main() -> int:
    """Print the report and run the rules."""
    print(report(), flush=True)
    return int(
        pytest.main(["-qq", "--no-header", "-p", "no:cacheprovider", *(str(ROOT / rule) for rule in RULES)]) != 0
    )


if __name__ == "__main__":
    sys.exit(main())
