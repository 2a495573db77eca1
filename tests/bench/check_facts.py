"""Print how well the catalog is sourced, and hold it to its rules: `make check-facts`.

The rules themselves are the integrity tests; a breach of any makes the exit code 1.
"""

import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from kb.catalog import gpus, offers, servers
from kb.disagreements import disagreements
from kb.models import models
from kb.records.gpu import Gpu

UNCHECKED = "unverified-general-knowledge"
DERIVED = frozenset({UNCHECKED, "derived-tensor-rates", "same-chip", "derived-definition", "measured-usable"})
"""Sources that are no independent reading: worked out from others, or not read at all."""
FIELDS = (
    "memory_bytes", "bandwidth_bytes_per_s", "tdp_w", "fp32_flops", "fp16_flops", "bf16_flops", "fp8_flops",
    "int8_ops", "nvlink_bytes_per_s", "compute_capability", "year", "msrp_usd", "price_low_usd", "msrp_cny",
)  # fmt: skip
RULES = tuple(
    f"tests/kb/{name}.py"
    for name in ("test_gpu_integrity", "test_catalog_integrity", "test_disagreements", "test_models")
)
ROOT = Path(__file__).parents[2]


def coverage(cards: Iterable[Gpu], field: str) -> tuple[int, int, int, int]:
    """Cards that state the field, with one reading, with two or more, and with none that was checked."""
    stated = once = twice = unchecked = 0
    for card in cards:
        if getattr(card, field) is None:
            continue
        stated += 1
        vouching = {source for source, fields in card.sources.items() if field in fields}
        readings = len(vouching - DERIVED)
        once, twice = once + (readings == 1), twice + (readings >= 2)
        unchecked += vouching <= {UNCHECKED}
    return stated, once, twice, unchecked


def report() -> str:
    """Coverage by field, dates of prices, and what nobody checked."""
    cards = tuple(gpus().values())
    lines = [
        f"{len(cards)} GPUs, {len(models())} models, {len(servers())} servers, {len(offers())} offers",
        "",
        f"{'field of a GPU':<24}{'stated':>8}{'one':>6}{'two+':>6}{'share':>8}{'unknown':>9}{'unchecked':>11}",
    ]
    for field in FIELDS:
        stated, once, twice, unchecked = coverage(cards, field)
        share = f"{twice / stated:.0%}" if stated else "-"
        lines.append(f"{field:<24}{stated:>8}{once:>6}{twice:>6}{share:>8}{len(cards) - stated:>9}{unchecked:>11}")
    shapes = [model for model in models().values() if set(model.sources) <= {UNCHECKED}]
    dated = sorted(card.price_as_of for card in cards if card.price_as_of)
    undated = sum(card.price_low_usd is not None and card.price_as_of is None for card in cards)
    rented = sorted(offer.as_of for offer in offers() if offer.as_of)
    lines += [
        "",
        f"models that rest on unchecked knowledge alone: {len(shapes)} of {len(models())}",
        f"figures of sources that were read and set aside: {len(disagreements())}",
        f"oldest street price of a card: {dated[0] if dated else 'none'}; undated: {undated}",
        f"oldest rental price: {rented[0] if rented else 'none'}; undated: {len(offers()) - len(rented)}",
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
